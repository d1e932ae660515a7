"""Plain twins of the kd-tree and of its guarantee; nothing here comes from the engine."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, combinations_with_replacement, pairwise
from math import ceil, gcd


def kd_tree(xy, weights, k, rule, box, turn=0):
    """Classes (frozensets of positions) of the kd-tree; box is (xmin, ymin, xmax, ymax)."""
    return set(_split(list(range(len(xy))), xy, weights, k, rule, box, turn))


def _split(members, xy, weights, k, rule, box, turn):
    total = sum(weights[i] for i in members)
    longer = 0 if box[2] - box[0] >= box[3] - box[1] else 1
    first = turn if rule == "cyclic" else longer
    cuts = {axis: _best_cut(members, xy, weights, k, axis, rule) for axis in (0, 1)}
    mine, other = cuts[first], cuts[1 - first]
    clearly = False
    if rule in ("balanced", "least-overfull") and mine is not None and other is not None:
        clearly = other[0] < mine[0] or (other[0] == mine[0] and other[1] > mine[1] + total // 64)
    axis = 1 - first if mine is None or clearly else first
    if cuts[axis] is None:
        return [frozenset(members)]
    line = cuts[axis][2]
    low_box, high_box = list(box), list(box)
    low_box[2 + axis] = high_box[axis] = line
    low = [i for i in members if xy[i][axis] < line]
    high = [i for i in members if xy[i][axis] >= line]
    return _split(low, xy, weights, k, rule, low_box, 1 - axis) + _split(high, xy, weights, k, rule, high_box, 1 - axis)


def _best_cut(members, xy, weights, k, axis, rule):
    """(worse side, lighter side, line) of the best cut, the first of several; None if there is none."""
    best = None
    values = sorted({xy[i][axis] for i in members})
    for a, b in pairwise(values):
        low = sum(weights[i] for i in members if xy[i][axis] <= a)
        high = sum(weights[i] for i in members if xy[i][axis] >= b)
        if min(low, high) < k:
            continue
        worse = max(ceil(low / (low // k)), ceil(high / (high // k))) if rule == "least-overfull" else 0
        if best is None or (worse, -min(low, high)) < (best[0], -best[1]):
            middle = 0.5 * a + 0.5 * b
            best = (worse, min(low, high), middle if a < middle < b else b)
    return best


def heaviest_uncuttable(xy, weights, k):
    """The heaviest of all rectangles that no line cuts into two parts of weight >= k."""
    columns, rows = sorted({x for x, _ in xy}), sorted({y for _, y in xy})
    found = 0
    for a, b in combinations_with_replacement(columns, 2):
        for c, d in combinations_with_replacement(rows, 2):
            inside = [(x, y, w) for (x, y), w in zip(xy, weights, strict=True) if a <= x <= b and c <= y <= d]
            total = sum(w for *_, w in inside)
            lows = [sum(p[2] for p in inside if p[axis] < line) for axis, s in ((0, columns), (1, rows)) for line in s]
            if total >= k and not any(k <= low <= total - k for low in lows):
                found = max(found, total)
    return found


def ceiling(xy, weights, k):
    """2 s + the lesser run at the worst crossing of a column and a row, by looking at all crossings."""
    load = Counter()
    for p, w in zip(xy, weights, strict=True):
        load[tuple(p)] += w
    step = gcd(*load.values())
    side = 0 if min(load.values()) >= k else max(s for s in range(k) if s % step == 0)
    columns, rows = sorted({x for x, _ in load}), sorted({y for _, y in load})

    def run(after):
        """The heaviest beginning of a list that weighs at most `side`."""
        return max(s for s in accumulate(after, initial=0) if s <= side)

    def through(line, place):
        return line[place] + run(line[:place][::-1]) + run(line[place + 1 :])

    crossings, apart, aside = [], [], []
    for i, x in enumerate(columns):
        for j, y in enumerate(rows):
            upright = through([load[x, r] for r in rows], j)
            level = through([load[c, y] for c in columns], i)
            if (x, y) in load:
                crossings.append(min(upright, level))
            else:
                apart.append(upright)
                aside.append(level)
    # a gap is there for rows of the plane where this column has no location, also outside of all rows
    for x in columns:
        mine = [load[x, r] for r in rows if (x, r) in load]
        apart += [run(mine[:cut][::-1]) + run(mine[cut:]) for cut in range(len(mine) + 1)]
    for y in rows:
        mine = [load[c, y] for c in columns if (c, y) in load]
        aside += [run(mine[:cut][::-1]) + run(mine[cut:]) for cut in range(len(mine) + 1)]
    return min(sum(weights), 2 * side + max([*crossings, min(max(apart), max(aside))]))
