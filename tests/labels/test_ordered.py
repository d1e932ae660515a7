"""Intervals against brute force over all cuts, the three orders, and what is said when there is no order."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels import ordered_kernels
from tests.compiled import compiled_only
from tests.corruption import failed, passes
from tests.labels.samples import labels_of, small_instances
from tests.oracles import labels as oracle
from tests.oracles.intervals import best_intervals

pytestmark = pytest.mark.kernels


@compiled_only
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
    with pytest.raises(kanon.InvalidInput, match=f"Label 2 is called .*{name}.* not a number"):
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


def sealed_with(g, classes, counts, **claims):
    """The same result with other classes, and with all that follows from them."""
    assignment = np.array(classes, dtype=np.int32)
    weights = np.bincount(assignment, weights=counts).astype(np.int64)
    cost = int(weights.max())
    status = "optimal" if cost == g.lower_bound else "feasible"
    return replace(g, assignment=assignment, class_weights=weights, cost=cost, status=status, **claims).sealed()


def test_classes_that_are_no_intervals_are_refused():
    labels = labels_of([5] * 6)
    g = kanon.generalize(labels, 10, "ordered")
    assert failed(labels, sealed_with(g, [0, 1, 2, 0, 1, 2], labels.counts)) == "intervals"
    order = np.array([0, 3, 1, 4, 2, 5], dtype=np.int32)
    other = replace(g.details, order=order)
    assert failed(labels, sealed_with(g, [0, 1, 2, 0, 1, 2], labels.counts, details=other)) == "order"


def test_another_order_than_that_of_the_option_is_refused():
    labels = kanon.Labels(["9", "10", " 2.5", "-1e1"], [4, 3, 2, 1])
    for by in ("given", "number", "name"):
        g = kanon.generalize(labels, 5, "ordered", by=by)
        for other in {"given", "number", "name"} - {by}:
            assert failed(labels, replace(g, options={"by": other}).sealed()) == "order"
            renamed = replace(g.details, method=f"the best intervals by {other} order")
            assert failed(labels, replace(g, details=renamed).sealed()) == "method"


@compiled_only
def test_intervals_that_are_not_the_best_are_refused():
    """Every partition into intervals passes exactly where its largest class is the least."""
    for counts, k in small_instances(60, seed=12):
        labels = labels_of(counts)
        g = kanon.generalize(labels, k, "ordered")
        for cuts in range(1 << len(counts) - 1):
            classes = np.cumsum([0, *(cuts >> np.arange(len(counts) - 1) & 1)])
            if np.bincount(classes, weights=counts).min() >= k:
                other = sealed_with(g, classes, counts)
                assert passes(labels, other) == (other.cost == g.cost), (counts, k, classes)
