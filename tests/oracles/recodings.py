"""Every recoding of a small table by intervals and nodes of hierarchies, and what it costs; nothing of the engine.

A hierarchy is a nested tuple whose leaves are the positions of a domain, in order: ((0, 1), 2) has five nodes.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, pairwise, product


def leaves(tree):
    """First and last position below a node."""
    if isinstance(tree, int):
        return tree, tree
    return leaves(tree[0])[0], leaves(tree[-1])[1]


def nodes(tree):
    """The run of positions of every node."""
    yield leaves(tree)
    if not isinstance(tree, int):
        for child in tree:
            yield from nodes(child)


def along(tree):
    """Every set of nodes that holds each value once: a node as it is, or what becomes of each of its children."""
    yield [leaves(tree)]
    if not isinstance(tree, int):
        for parts in product(*map(list, map(along, tree))):
            yield [run for part in parts for run in part]


def intervals(size):
    """Every way to cut a domain of so many values into runs."""
    for count in range(size):
        for cuts in combinations(range(1, size), count):
            yield [(low, high - 1) for low, high in pairwise((0, *cuts, size))]


def loss(runs, seen, sizes, weights):
    """What a record loses that shows these runs: as far as values occur in each, a whole column being its weight."""
    total = Fraction(0)
    for (low, high), known, size, weight in zip(runs, seen, sizes, weights, strict=True):
        inside = [place for place in known if low <= place <= high]
        total += weight * Fraction(max(inside) - min(inside), max(size - 1, 1))
    return total


def costs(rows, labels, trees, sizes, k, metric, weights, allowed):
    """(cost, records left out) of every recoding that keeps somebody; None in `trees` is a column without hierarchy."""
    seen = [sorted(set(column)) for column in zip(*rows, strict=True)]
    ways = [intervals(size) if tree is None else along(tree) for tree, size in zip(trees, sizes, strict=True)]
    nothing = {
        "DM": len(rows),
        "CM": 1,
        "AVG": 1,
        "LM": sum(w for w, size in zip(weights, sizes, strict=True) if size > 1),
    }
    for chosen in product(*map(list, ways)):
        groups = defaultdict(list)
        for place, row in enumerate(rows):
            shown = tuple(
                next(run for run in runs if run[0] <= code <= run[1]) for code, runs in zip(row, chosen, strict=True)
            )
            groups[shown].append(place)
        kept = {shown: own for shown, own in groups.items() if len(own) >= k and allowed(own)}
        out = len(rows) - sum(map(len, kept.values()))
        if kept:
            yield out * nothing[metric] + sum(_class(shown, own, labels, k, metric, seen, sizes, weights)
                                              for shown, own in kept.items()), out  # fmt: skip


def _class(shown, own, labels, k, metric, seen, sizes, weights):
    if metric == "DM":
        return len(own) ** 2
    if metric == "AVG":
        return len(own) - k
    if metric == "CM":
        return len(own) - max(Counter(labels[place] for place in own).values())
    return len(own) * loss(shown, seen, sizes, weights)
