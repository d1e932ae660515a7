"""Fifty seeded lists of label counts, of eight kinds, and the five k at which each is packed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

UNIFORM = [(1, 1_001), (1, 1_001), (50_000, 100_001), (500_000, 1_000_001), (500_000, 1_000_001), (1, 10_000_001)]
FEW = [([7, 11, 13], 60), ([4], 9), ([6, 10, 15], 40), ([101, 103, 107], 25), ([999, 1000, 1001], 30), ([35, 50], 33)]
POWERS = [(2, 1, 10, 4), (3, 0, 8, 6), (2, 5, 6, 10), (5, 0, 5, 8), (3, 3, 7, 9), (10, 0, 4, 12)]


def lists() -> Iterator[tuple[str, np.ndarray]]:
    """(name, counts): Zipf, Pareto, uniform with 20, 40 and 300 labels, ties, few sizes, powers."""
    for place, n in enumerate([30, 60, 100, 200, 300, 500]):
        about = np.random.default_rng(100 + place).uniform(0.9, 1.1, n)
        yield f"Zipf {n}", (1_000 * n / np.arange(1, n + 1) ** (0.8 + 0.1 * place) * about).astype(int) + 1
    for place, n in enumerate([20, 40, 60, 100, 200, 300]):
        shares = np.random.default_rng(200 + place).pareto(1.1 + 0.3 * place, n)
        yield f"Pareto {n}", (1_000 * (1 + shares)).astype(int)
    for place in range(7):
        yield "uniform 20", np.random.default_rng(300 + place).integers(5_000_000, 10_000_001, 20)
    for place in range(7):
        yield "uniform 40", np.random.default_rng(400 + place).integers(500_000, 1_000_001, 40)
    for place, (low, high) in enumerate(UNIFORM):
        yield "uniform 300", np.random.default_rng(500 + place).integers(low, high, 300)
    for place, n in enumerate([30, 50, 80, 120, 200, 300]):
        sizes = np.random.default_rng(650 + place).integers(100, 1_000, n // 4)
        yield f"ties {n}", np.random.default_rng(600 + place).choice(sizes, n)
    for sizes, times in FEW:
        yield f"{sizes} x {times}", np.repeat(sizes, times)
    for place, (base, first, sizes, most) in enumerate(POWERS):
        times = [np.random.default_rng(700 + 10 * place + i).integers(1, most + 1) for i in range(sizes)]
        yield f"powers of {base}", np.repeat([base ** (first + i) for i in range(sizes)], times)


def values_of_k(counts: np.ndarray) -> dict[str, int]:
    """As many groups as 2, 3 or 4 where the last record decides, about ten groups, and twice the heaviest label."""
    total, heaviest = int(counts.sum()), int(counts.max())
    few = {f"W/{groups}": total // groups for groups in (2, 3, 4)}
    return {**few, "W/10.5": int(total / 10.5), "2 max": min(2 * heaviest, total)}
