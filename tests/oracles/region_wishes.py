"""Brute force for maps with minima and wishes; imports nothing from the engine."""

from itertools import combinations

from tests.oracles.regions import connected


def best(weights, edges, k, minima=(), together=(), apart=(), blocks=None):
    """Smallest possible largest class over all partitions that keep everything, or None.

    Minima are pairs (values, least); sets hold positions; no class leaves one of the blocks, where some are given.
    """
    n = len(weights)

    def allowed(members):
        return (
            sum(weights[v] for v in members) >= k
            and all(sum(values[v] for v in members) >= least for values, least in minima)
            and all(members.isdisjoint(own) or members.issuperset(own) for own in together)
            and all(len(members.intersection(own)) < 2 for own in apart)
            and (blocks is None or any(members <= own for own in blocks))
            and connected(members, edges)
        )

    usable = [
        frozenset(members)
        for size in range(1, n + 1)
        for members in combinations(range(n), size)
        if allowed(set(members))
    ]
    found = {frozenset(): 0}

    def solve(rest):
        if rest not in found:
            options = [
                max(sum(weights[v] for v in own), tail)
                for own in usable
                if min(rest) in own and own <= rest and (tail := solve(rest - own)) is not None
            ]
            found[rest] = min(options, default=None)
        return found[rest]

    return solve(frozenset(range(n)))


def blocks_of(weights, edges, k, minima=(), together=(), apart=(), barriers=()):
    """The sets of areas that no class leaves: the definition, one join after another; and the blocks that were left."""
    n = len(weights)
    side = [tuple(v in own for own in barriers) for v in range(n)]
    blocks = pieces(range(n), [(a, b) for a, b in edges if side[a] == side[b]])
    held = pieces(range(n), [(own[0], v) for own in map(list, together) for v in own[1:]])
    demands = [(weights, k), *minima]
    left = []

    def stands(own):
        classes = max([1, *(len(own.intersection(rivals)) for rivals in apart)])
        enough = all(sum(values[v] for v in own) >= classes * least for values, least in demands)
        return enough and all(own.isdisjoint(bundle) or own.issuperset(bundle) for bundle in held)

    def touch(own, other):
        return any((a in own and b in other) or (b in own and a in other) for a, b in edges)

    def rank(own):
        return sum(weights[v] for v in own), min(own)

    def distance(own, other):
        """How many blocks from one to what the first must stay together with, not through the first."""
        goals = [bundle - own for bundle in held if not own.isdisjoint(bundle)]
        goals = [goal for goal in goals if goal]
        if not goals:
            return 0
        seen, level, steps = [other], [other], 0
        while level:
            if any(not one.isdisjoint(goal) for one in level for goal in goals):
                return steps
            level = [two for two in blocks if two not in [*seen, own] and any(touch(one, two) for one in level)]
            seen += level
            steps += 1
        return n

    while True:
        weak = [own for own in blocks if not stands(own) and any(touch(own, other) for other in blocks if other != own)]
        if not weak or not barriers:
            return blocks, left
        own = min(weak, key=rank)
        near = [other for other in blocks if other != own and touch(own, other)]
        whole = lambda other: any(len(bundle) > 1 and other <= bundle for bundle in held)  # noqa: E731
        partner = min(near, key=lambda one: (distance(own, one), whole(one), not stands(own | one), rank(one)))
        left.append(own)
        blocks = [other for other in blocks if other not in (own, partner)] + [own | partner]


def pieces(vertices, edges):
    """The connected parts, as sets."""
    parts = [{v} for v in vertices]
    for a, b in edges:
        one, other = (next(part for part in parts if v in part) for v in (a, b))
        if one is not other:
            parts = [part for part in parts if part is not one and part is not other] + [one | other]
    return parts
