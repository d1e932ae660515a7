"""Whether a release could show more detail with the same groups, the plain way; nothing here comes from the engine."""

from collections import defaultdict


def everything(members):
    """What nothing is required of."""
    return True


def groups_of(rows, edges, k, holds):
    """The sets of positions that share all intervals and are kept; `edges` are, by column, where intervals begin."""
    shared = defaultdict(list)
    for place, row in enumerate(rows):
        shared[tuple(sum(edge <= value for edge in own) for value, own in zip(row, edges, strict=True))].append(place)
    return {tuple(members) for members in shared.values() if len(members) >= k and holds(members)}


def children(runs, low, high):
    """Where the largest nodes within a node begin, but for the first; `runs` are (first, last) of all nodes."""
    inside = [run for run in runs if low <= run[0] and run[1] <= high and run != (low, high)]
    return sorted(
        {low for low, top in inside if not any(a <= low and top <= b and (a, b) != (low, top) for a, b in inside)}
    )[1:]


def finer_cuts(rows, sizes, edges, trees, k, holds=everything):
    """(column, where new intervals begin) of each way to cut an interval with records that changes no group.

    `edges` has the beginnings of intervals by column, 0 included; `trees` the nodes of a column or None. A record that
    is left out stays so. A cut lies before a value that occurs; the ends of a domain that a person gave stay.
    """
    now = groups_of(rows, edges, k, holds)
    found = []
    for column, own in enumerate(edges):
        for low, end in zip(own, [*own[1:], sizes[column]], strict=True):
            inside = sorted({row[column] for row in rows if low <= row[column] < end})
            if trees[column] is None:
                ways = [[at] for at in inside[1:]]
            else:
                ways = [children(trees[column], low, end - 1)] if inside else []
            for way in ways:
                more = [*edges[:column], sorted([*own, *way]), *edges[column + 1 :]]
                if way and groups_of(rows, more, k, holds) == now:
                    found.append((column, way))
    return found


def finer_boxes(rows, groups, shown, trees):
    """(group, column) where a group shows more than the smallest range, or node, that holds its records.

    `shown[group][column]` is the first and the last position.
    """
    found = []
    for group, ranges in enumerate(shown):
        for column, (low, high) in enumerate(ranges):
            own = [row[column] for row, number in zip(rows, groups, strict=True) if number == group]
            least, most = min(own), max(own)
            if trees[column] is not None:
                holding = [run for run in trees[column] if run[0] <= least and most <= run[1]]
                least, most = min(holding, key=lambda run: run[1] - run[0])
            if (least, most) != (low, high):
                found.append((group, column))
    return found


def finer_cells(rows, groups, stars):
    """(group, column) where a group hides a column in which all of its records have the same value."""
    return [
        (group, column)
        for group, hidden in enumerate(stars)
        for column, star in enumerate(hidden)
        if star and len({row[column] for row, number in zip(rows, groups, strict=True) if number == group}) == 1
    ]
