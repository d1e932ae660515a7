"""Every algorithm for labels on random instances of up to 9 labels: between the optimum and what it promises."""

import re
from fractions import Fraction

import numpy as np
import pytest

import kanon_engine as kanon
from tests import compiled
from tests.oracles import label_packings
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels

# what each theorem promises, times the optimum (Theorem 10 adds k); epsilon is at its default, 1/2
RATIOS = {"two-approximation": Fraction(2), "five-halves": Fraction(5, 2), "fold": Fraction(3), "spread": Fraction(3)}
RATIOS |= {
    "scheme": Fraction(3, 2),
    "relaxed-scheme": Fraction(3, 2),
    "near-optimal": Fraction(2),
    "exact": Fraction(1),
}
NUMBER = 100 if not compiled.COMPILED else 1_000 if compiled.THOROUGH else 60
OF_INTERVALS = {"ordered"}  # its optimum is another one


def test_between_optimum_and_promise():
    names = [algorithm.name for algorithm in kanon.algorithms("labels") if algorithm.name not in OF_INTERVALS]
    assert set(names) <= set(RATIOS)
    generator = np.random.default_rng(2026)
    worst = dict.fromkeys(names, Fraction(0))
    for counts, k in label_packings.small_instances(generator, NUMBER):
        optimum, _ = oracle.optimum(counts, k)
        labels = kanon.Labels(range(len(counts)), counts)
        for name in names:
            g = kanon.generalize(labels, k, name)
            relaxed = name == "relaxed-scheme"
            assert g.lower_bound <= optimum, (name, counts, k)
            assert relaxed or optimum <= g.cost, (name, counts, k)
            assert g.guarantee is None or g.cost <= g.guarantee, (name, counts, k)
            promised = RATIOS[name] * (optimum + k * (name == "scheme"))
            assert g.cost <= promised, (name, counts, k)
            worst[name] = max(worst[name], Fraction(g.cost, optimum))
    assert worst["fold"] > worst["two-approximation"] > 1


def test_the_words_of_the_guarantees_are_those_tested():
    words = {algorithm.name: algorithm.guarantee for algorithm in kanon.algorithms("labels")}
    assert words["five-halves"].startswith("5/2 times the best possible")
    assert words["two-approximation"].startswith("2 times the best possible")
    assert re.match(r"\(1 \+ epsilon\) × \(best possible \+ k\)", words["scheme"])
    assert re.match(r"\(1 \+ epsilon\) × best possible", words["relaxed-scheme"])
