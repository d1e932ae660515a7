"""Theorem 11 against brute force; a relaxed result says what it is, and nothing can be released from it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.release import crosswalk_frame, groups_frame
from pages._shared.result import NOT_ANONYMOUS, headline
from tests.compiled import compiled_only
from tests.oracles import label_packings
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels


def solved(counts, k, **options):
    labels = kanon.Labels(range(len(counts)), counts)
    return labels, kanon.generalize(labels, k, "relaxed-scheme", **options)


@pytest.fixture(scope="module")
def below_k():
    labels, g = solved([8, 7, 5, 4, 4, 2], 10)
    assert sorted(g.class_weights.tolist()) == [8, 10, 12]
    return labels, g


@pytest.mark.thorough(one_in=2)
@compiled_only
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 1.0])
def test_both_sides_of_the_theorem(epsilon):
    generator = np.random.default_rng(12)
    below = 0
    for counts, k in label_packings.small_instances(generator, 120):
        _, g = solved(counts, k, epsilon=epsilon)
        share = Fraction(str(epsilon))
        assert g.class_weights.min() >= g.details.threshold >= (1 - share) * k, (counts, k)
        assert g.cost <= (1 + share) * oracle.optimum(counts, k)[0], (counts, k)
        assert g.lower_bound <= oracle.optimum(counts, g.details.threshold)[0] <= g.cost <= g.guarantee, (counts, k)
        assert g.status == "relaxed"
        below += int(g.class_weights.min() < k)
    assert epsilon < 0.5 or below > 0


def test_certificate_and_sentence_say_that_it_is_not_k_anonymous(below_k):
    labels, g = below_k
    details = {check.name: check.detail for check in kanon.verify(labels, g).checks}
    assert "NOT k-anonymous" in details["feasibility"]
    assert "had to reach only 5" in details["feasibility"]
    assert headline(g, labels.unit, "checked").startswith(f":red[**{NOT_ANONYMOUS}")


@pytest.mark.parametrize("frame", [groups_frame, crosswalk_frame])
def test_no_release_can_be_made(below_k, frame):
    with pytest.raises(kanon.InvalidInput, match="no release"):
        frame(*below_k)


def test_passing_it_off_as_something_else_is_refused(below_k):
    labels, g = below_k
    lower = replace(g.details, threshold=g.details.threshold - 1)
    for bad in (
        replace(g, status="feasible"),
        replace(g, algorithm="scheme"),
        replace(g, algorithm="scheme", status="feasible"),
        replace(g, details=lower),
        replace(g, details=replace(g.details, threshold=g.k)),
        replace(g, options={"epsilon": 0.4}),
        replace(g, lower_bound=g.lower_bound + 1),
        replace(g, k=g.k + 1),
    ):
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, bad.sealed())


def test_a_feasible_result_is_not_relaxed_either():
    labels, g = solved([5, 5, 5, 5], 10)
    assert g.class_weights.min() >= 10
    with pytest.raises(kanon.CertificateError, match="relaxed"):
        kanon.verify(labels, replace(g, status="optimal" if g.cost == g.lower_bound else "feasible").sealed())
