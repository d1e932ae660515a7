"""near-optimal beside prtpy's covering algorithms and bin completion: cost, labels left over, time.

python -m pytest tests/benchmarks/test_labels.py

Needs the extra `bench`. prtpy's covering algorithms make bins of at least k and leave the rest out; here what is left
over goes onto the lightest bin, so that the costs can be compared. Bin completion packs all labels into the fewest bins
of a capacity, here the optimum; its bins may stay below k. It is exponential and so runs on a few labels alone.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import kanon_engine as kanon
from tests.labels.every_k import near_optimal_costs

NAMES = Path(__file__).parents[2] / "sample_data" / "names_1990"
FILES = {"dist.female.first": 42_342, "dist.male.first": 41_709, "dist.all.last": 38_790}  # values of k in Figure 7


def test_every_k_of_the_paper_is_certified_optimal(capsys):
    near_optimal_costs(kanon.Labels("abcd", [3, 2, 2, 2]), np.array([2]))  # compile
    lines = []
    for file, expected in FILES.items():
        labels = kanon.read_labels(NAMES / file)
        ks = np.arange(int(labels.counts.max()), labels.total // 2 + 1)
        start = perf_counter()
        costs, bounds = near_optimal_costs(labels, ks)
        seconds = perf_counter() - start
        lines.append(f"{file:18} {int((costs == bounds).sum()):6,} of {len(ks):6,} k optimal in {seconds:.2f} s")
        assert len(ks) == expected
        assert (costs == bounds).mean() >= (0.999 if "male.first" in file else 1)
        assert (costs == bounds).all() or "dist.male" in file
    print_lines(capsys, lines)


def test_beside_covering(capsys):
    covering = pytest.importorskip("prtpy").covering
    from prtpy import BinnerKeepingContents

    lines = []
    for file, k in [("dist.female.first", 2_700), ("dist.male.first", 3_400), ("dist.male.first", 20_000)]:
        labels = kanon.read_labels(NAMES / file)
        counts = labels.counts.tolist()
        kanon.generalize(labels, k)
        start = perf_counter()
        g = kanon.generalize(labels, k)
        lines.append(row(file, k, "near-optimal", g.classes, g.cost, 0, perf_counter() - start))
        assert g.status == "optimal"
        for name in "decreasing", "twothirds", "threequarters":
            start = perf_counter()
            _, bins = getattr(covering, name)(BinnerKeepingContents(), k, list(counts))
            seconds = perf_counter() - start
            sums = sorted(sum(members) for members in bins)
            left = labels.total - sum(sums)
            labels_left = len(counts) - sum(len(members) for members in bins)
            cost = max(sums[-1], sums[0] + left)
            lines.append(row(file, k, f"prtpy {name}", len(sums), cost, labels_left, seconds))
            assert sums[0] >= k
            assert g.cost <= cost
    print_lines(capsys, lines)


def test_beside_bin_completion(capsys):
    prtpy = pytest.importorskip("prtpy")
    rng = np.random.default_rng(0)
    lines = []
    for n in 10, 12, 14:
        counts = rng.integers(100, 1000, n).tolist()
        labels, k = kanon.Labels(range(n), counts), 1_200
        start = perf_counter()
        g = kanon.generalize(labels, k, "exact")
        lines.append(row(f"{n} labels", k, "exact", g.classes, g.cost, 0, perf_counter() - start))
        start = perf_counter()
        bins = prtpy.pack(algorithm=prtpy.packing.bin_completion, binsize=g.cost, items=counts)
        below = sum(sum(members) < k for members in bins)
        name = f"prtpy bin_completion ({below} below k)"
        lines.append(row(f"{n} labels", k, name, len(bins), max(map(sum, bins)), 0, perf_counter() - start))
        assert g.status == "optimal"
        assert len(bins) <= g.classes
        assert sorted(count for members in bins for count in members) == sorted(counts)
    print_lines(capsys, lines)


def row(name, k, algorithm, classes, cost, left, seconds):
    return (
        f"{name:18} k = {k:6,} {algorithm:34} {classes:3} classes, cost {cost:6,}, {left:3} left over, {seconds:.3f} s"
    )


def print_lines(capsys, lines):
    with capsys.disabled():
        print("\n" + "\n".join(lines))  # noqa: T201
