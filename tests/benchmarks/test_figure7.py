"""How many times faster Figure 7 is than one plain Python pass for each k, both measured in this run.

    python -m pytest tests/benchmarks/test_figure7.py

The plain pass is timed at a sample of k and scaled to all of them.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.packing import packing_order
from kanon_engine.teaching.studies.figure7 import VARIANTS, overfull_ratios
from tests.oracles.labels import one_pass

NAMES = Path(__file__).parents[2] / "sample_data" / "names_1990"
FILES = ("dist.female.first", "dist.male.first", "dist.all.last")
SAMPLE = 40  # values of k that the plain pass is timed at, for each variant


@pytest.fixture(scope="module")
def compiled():
    overfull_ratios(kanon.Labels("abcd", [3, 2, 2, 2]))


def plain_seconds(labels, rows, variant):
    """Seconds of a plain pass for every k of a variant: measured at a sample, scaled up; the costs must agree."""
    algorithm, order = VARIANTS[variant]
    counts = labels.counts[packing_order(labels, order, np.random.default_rng(0))].tolist()
    # at the most common label's own count that label stands alone, which the plain pass does not know
    sample = rows.iloc[np.linspace(1, len(rows) - 1, SAMPLE).astype(int)]
    start = perf_counter()
    passes = [one_pass(counts, k, algorithm == "spread") for k in sample["k"].tolist()]
    seconds = (perf_counter() - start) / SAMPLE * len(rows)
    assert passes == list(zip(sample["cost"], sample["classes"], strict=True)), variant
    return seconds


def test_all_k_of_the_three_files(compiled, capsys):
    lines, sums = [], np.zeros(3)
    for file in FILES:
        labels = kanon.read_labels(NAMES / file)
        start = perf_counter()
        frame = overfull_ratios(labels, variants=VARIANTS)
        fast = perf_counter() - start
        plain = sum(plain_seconds(labels, rows, variant) for variant, rows in frame.groupby("variant"))
        lines.append((file, len(frame), fast, plain))
        sums += lines[-1][1:]
    with capsys.disabled():
        for name, rows, fast, plain in [*lines, ("all", *sums)]:
            words = f"{rows:8,.0f} values of k in {fast:5.2f} s, plain {plain:6.1f} s: {plain / fast:5.0f} times faster"
            print(f"\n{name:20} {words}", end="")  # noqa: T201
