"""The fewest suppressed cells: over all partitions of the rows, and over all sets of open patterns; nothing clever."""

from itertools import combinations, product


def partitions(rows):
    """Every partition of a list into non-empty lists."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for place in range(len(parts)):
            yield [*parts[:place], [first, *parts[place]], *parts[place + 1 :]]


def bad_columns(rows):
    """The paper's a(S): columns on which the rows differ."""
    return sum(len(set(column)) > 1 for column in zip(*rows, strict=True))


def by_partitions(rows, k, weights=None):
    """Section 2: the least sum of |S| a(S) over all partitions into sets of at least k; rows may weigh several."""
    weighed = list(zip(rows, [1] * len(rows) if weights is None else weights, strict=True))
    return min(
        sum(size * bad_columns([row for row, _ in part]) for size, part in zip(sizes, parts, strict=True))
        for parts in partitions(weighed)
        if min(sizes := [sum(weight for _, weight in part) for part in parts]) >= k
    )


def matches(row, pattern):
    return all(sign in ("*", value) for value, sign in zip(row, pattern, strict=True))


def patterns(rows):
    """Every pattern that a row matches."""
    found = {
        tuple("*" if star else value for value, star in zip(row, stars, strict=True))
        for row in rows
        for stars in product((False, True), repeat=len(row))
    }
    return sorted(found, key=str)


def by_open_sets(rows, k):
    """Section 4: for every set of open patterns the cheapest attachment with k rows or more at each of them."""
    useful = [pattern for pattern in patterns(rows) if sum(matches(row, pattern) for row in rows) >= k]
    best = None
    for size in range(1, len(rows) // k + 1):
        for opened in combinations(useful, size):
            cost = _cheapest(tuple(rows), opened, k)
            if cost is not None and (best is None or cost < best):
                best = cost
    return best


def _cheapest(rows, opened, k):
    """Least cost over all ways to attach each row; states are how many rows each pattern still lacks."""
    states = {(k,) * len(opened): 0}
    for row in rows:
        after = {}
        for lacking, cost in states.items():
            for place, pattern in enumerate(opened):
                if matches(row, pattern):
                    state = (*lacking[:place], max(lacking[place] - 1, 0), *lacking[place + 1 :])
                    paid = cost + pattern.count("*")
                    if paid < after.get(state, paid + 1):
                        after[state] = paid
        states = after
    return states.get((0,) * len(opened))


def vertex_cover(edges):
    """The least number of vertices that touch every edge."""
    vertices = sorted({end for edge in edges for end in edge})
    for size in range(len(vertices) + 1):
        for chosen in combinations(vertices, size):
            if all(set(edge) & set(chosen) for edge in edges):
                return size
    raise AssertionError
