"""Intervals against brute force over all cuts, the three orders, and what is said when there is no order."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels import ordered_kernels
from tests.labels.samples import labels_of, small_instances
from tests.oracles import labels as oracle
from tests.oracles.intervals import best_intervals


def test_no_other_cuts_are_better():
    for counts, k in small_instances(500, seed=11):
        g = kanon.generalize(labels_of(counts), k, "ordered")
        found = g.cost, int((g.class_weights**2).sum())
        assert found == best_intervals(counts, k), (counts, k)
        assert (np.diff(g.assignment) >= 0).all()
        assert oracle.optimum(counts, k)[0] <= g.cost <= g.guarantee <= 2 * (k - 1) + max(counts)


def test_optimal_is_not_said_of_intervals_alone():
    """Cut in this order, 8, 8, 2, 2 must stay together for k = 10; in any grouping 10 and 10 are possible."""
    g = kanon.generalize(labels_of([8, 8, 2, 2]), 10, "ordered")
    assert (g.cost, g.lower_bound, g.status) == (20, 10, "feasible")
    assert kanon.generalize(labels_of([8, 2, 8, 2]), 10, "ordered").status == "optimal"


@pytest.mark.parametrize("h", [9, 40])
def test_the_ceiling_is_attained(h):
    g = kanon.generalize(labels_of([9, h, 9]), 10, "ordered")
    assert g.cost == g.guarantee == 18 + h


def test_orders():
    labels = kanon.Labels(["9", "10", " 2.5", "-1e1"], [4, 3, 2, 1])
    expected = {"given": [0, 1, 2, 3], "number": [3, 2, 0, 1], "name": [2, 3, 1, 0]}
    for by, order in expected.items():
        g = kanon.generalize(labels, 5, "ordered", by=by)
        assert g.details.order.tolist() == order
        assert (np.diff(g.assignment[order]) >= 0).all()


def test_large_whole_numbers_keep_their_order():
    labels = kanon.Labels([2**60 + 1, 2**60, "7"], [1, 1, 1])
    assert kanon.generalize(labels, 1, "ordered", by="number").details.order.tolist() == [2, 1, 0]


@pytest.mark.parametrize("name", ["unknown", "nan", "1_000", "12-14", "٣ years"])
def test_a_name_that_is_no_number_is_named(name):
    labels = kanon.Labels(["17", name], [5, 5])
    with pytest.raises(kanon.InvalidInput, match=f"Label 2 is called .*{name}.* no number"):
        kanon.generalize(labels, 5, "ordered", by="number")


def test_with_no_effort_left_the_cuts_are_still_as_small():
    for counts, k in small_instances(200, seed=2):
        prefix = np.concatenate([[0], np.cumsum(counts)])
        cap = ordered_kernels.least_cap(prefix, k, k, int(prefix[-1]))
        ends = np.empty(len(counts), dtype=np.int64)
        sums = np.diff(prefix[ends[: ordered_kernels.even_cuts(prefix, k, cap, 0, ends)]], prepend=0)
        assert cap == best_intervals(counts, k)[0] == sums.max()
        assert k <= sums.min()
        assert sums.sum() == sum(counts)
