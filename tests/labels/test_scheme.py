"""Theorem 10 against brute force, at several epsilon; its reductions; its refusal and its report."""

from fractions import Fraction

import numpy as np
import pytest

import kanon_engine as kanon
from tests.compiled import SHARE, compiled_only
from tests.oracles import label_packings
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels


def solved(counts, k, **options):
    return kanon.generalize(kanon.Labels(range(len(counts)), counts), k, "scheme", **options)


def check(counts, k, epsilon):
    g = solved(counts, k, epsilon=epsilon)
    optimum, _ = oracle.optimum(counts, k)
    assert optimum <= g.cost <= g.guarantee, (counts, k, epsilon)
    assert g.cost <= (1 + Fraction(str(epsilon))) * (optimum + k), (counts, k, epsilon)
    return g


@compiled_only
def test_all_small_multisets():
    methods = {check(counts, k, 0.5).details.method for counts, k in label_packings.multisets(5, 5)}
    assert len(methods) == 2


@pytest.mark.thorough(one_in=2)
@compiled_only
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0])
def test_random_instances(epsilon):
    generator = np.random.default_rng(11)
    methods = {
        check(counts, k, epsilon).details.method
        for counts, k in label_packings.small_instances(generator, 120 // SHARE)
    }
    assert len(methods) == 2


def test_fold_is_optimal_where_the_theorem_says_so():
    """Labels below k of at least k in all and one of 3 k: 30, not 33 as when the leftover bin is merged elsewhere."""
    g = solved([30, 6, 6, 3], 10)
    assert (g.cost, g.status) == (30, "optimal")


def test_two_heavy_labels_do_not_share_a_bin():
    """The paper's reduction makes 100 and 101 into 10 and 11, of which a bin could hold two: 201 instead of 105."""
    counts = [100, 101, 103, 3, 3, 2]
    g = check(counts, 10, 0.5)
    assert g.cost == oracle.optimum(counts, 10)[0] == 105
    assert g.classes == 3


def test_light_bins_are_merged():
    """Four labels of 7 at k = 10 with epsilon 0.5: of the types with two bins 7 + 7 twice, no bin of 7 alone."""
    g = check([7, 7, 7, 7], 10, 0.5)
    assert g.class_weights.tolist() == [14, 14]


def test_too_many_types_are_refused_before_the_work_begins():
    reports = []
    counts = np.linspace(200, 990, 60).astype(int)
    with pytest.raises(kanon.InvalidInput, match=r"60 labels are large .* steps.* larger epsilon"):
        solved(counts, 1_000, epsilon=0.1, progress=reports.append)
    assert reports == []


def test_the_size_of_the_enumeration_is_told_before_it_starts():
    reports = []
    solved([9, 9, 7, 7, 5, 4], 10, progress=reports.append)
    assert reports[0].done == 0
    assert "steps" in reports[0].message


def test_a_stop_leaves_fold():
    g = solved([9, 9, 7, 7, 5, 4], 10, progress=lambda report: False)
    assert (g.cost, g.status) == (g.guarantee, "stopped")


@pytest.mark.parametrize("epsilon", [0, -1, 1.5, "x"])
def test_other_values_of_epsilon_are_refused(epsilon):
    with pytest.raises(kanon.InvalidInput, match="epsilon"):
        solved([5, 5], 5, epsilon=epsilon)
