"""Least costs of tables in boxes, over all partitions of the records, the plain way."""

from collections import Counter


def node(tree, low, high):
    """The smallest node (first and last position) that holds both; the range itself without a tree."""
    if tree is None:
        return low, high
    return min((run for run in tree if run[0] <= low and run[1] >= high), key=lambda run: run[1] - run[0])


def box(rows, trees):
    """First and last position of each column that these rows may show."""
    return [node(tree, min(column), max(column)) for column, tree in zip(zip(*rows, strict=True), trees, strict=True)]


def meet(one, other):
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(one, other, strict=True))


def class_cost(rows, labels, everybody, prices, k, metric, trees):
    """What these rows cost as one class; nodes are as wide as all rows reach, each step at its column's price."""
    size = len(rows)
    if metric == "DM":
        return size * size
    if metric == "AVG":
        return size - k
    if metric == "CM":
        return size - max(Counter(labels).values())
    loss = 0
    for column, (low, high) in enumerate(box(rows, trees)):
        inside = [row[column] for row in everybody if low <= row[column] <= high]
        loss += prices[column] * (max(inside) - min(inside))
    return size * loss


def partitions(items):
    """All partitions of a list."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for part in partitions(rest):
        yield [[first], *part]
        for place in range(len(part)):
            yield [*part[:place], [first, *part[place]], *part[place + 1 :]]


def everywhere(members):
    """Every class is allowed."""
    return True


def least(rows, labels, prices, k, metric, trees, allowed=everywhere, apart=True):
    """The least cost of boxes that hold at least k and are allowed; where they lie apart, equal rows are together."""
    items = sorted(set(rows)) if apart else list(range(len(rows)))
    members = {one: [place for place, row in enumerate(rows) if one in (row, place)] for one in items}
    best = None
    for partition in partitions(items):
        parts = [[place for one in part for place in members[one]] for part in partition]
        if any(len(part) < k or not allowed(part) for part in parts):
            continue
        boxes = [box([rows[place] for place in part], trees) for part in parts]
        if apart and any(meet(one, other) for place, one in enumerate(boxes) for other in boxes[:place]):
            continue
        cost = sum(
            class_cost([rows[p] for p in part], [labels[p] for p in part], rows, prices, k, metric, trees)
            for part in parts
        )
        best = cost if best is None else min(best, cost)
    return best


def allowed_cut(rows, k):
    """Whether a cut of some column leaves k rows on both sides."""
    return any(
        k <= sum(value < at for value in column) <= len(rows) - k
        for column in zip(*rows, strict=True)
        for at in set(column)
    )
