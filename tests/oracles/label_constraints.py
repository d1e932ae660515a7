"""Brute force for labels with constraints; nothing here comes from the engine."""

from __future__ import annotations


def partitions(count):
    """Every partition of 0 … count - 1 as a list of lists."""
    if count == 0:
        yield []
        return
    for smaller in partitions(count - 1):
        for place in range(len(smaller)):
            yield [[*group, count - 1] if place == number else group for number, group in enumerate(smaller)]
        yield [*smaller, [count - 1]]


def allowed(groups, together, apart):
    """Whether sets stay in one group and no two labels of a set kept apart share one."""
    group_of = {item: number for number, group in enumerate(groups) for item in group}
    whole = all(len({group_of[item] for item in members}) == 1 for members in together)
    return whole and all(len({group_of[item] for item in members}) == len(set(members)) for members in apart)


def optimum(counts, k, together=(), apart=()):
    """The least possible largest class, or None where there is no partition."""
    best = None
    for groups in partitions(len(counts)):
        weights = [sum(counts[item] for item in group) for group in groups]
        if min(weights) >= k and allowed(groups, together, apart) and (best is None or max(weights) < best):
            best = max(weights)
    return best


def random_instance(generator, most=7):
    """Counts, k, sets that stay together, sets kept apart."""
    n = int(generator.integers(2, most + 1))
    counts = generator.integers(1, 12, n).tolist()
    k = int(generator.integers(1, sum(counts) // 2 + 2))

    def sets(number):
        sizes = generator.integers(2, min(n, 3) + 1, int(generator.integers(0, number)))
        return [tuple(generator.choice(n, size, replace=False).tolist()) for size in sizes.tolist()]

    return counts, k, sets(2), sets(3)
