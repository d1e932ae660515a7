"""What is proven of ratios beside those of Figure 7: the remark after Theorem 10, hard instances, lines."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.teaching.studies.figure7 import FOURTH, limits, observations, overfull_ratios, remark
from kanon_engine.teaching.studies.plot import figure7, with_limits
from tests.compiled import compiled_only
from tests.oracles.bins import least_largest_bin

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("epsilon", [0.25, 0.5, 1.0])
def test_the_remark_follows_from_theorem_10(epsilon):
    rng = np.random.default_rng(round(4 * epsilon))
    sharper = 0
    for _ in range(20):
        counts = rng.integers(1, 12, rng.integers(2, 8)).tolist()
        k = int(rng.integers(1, min(12, sum(counts)) + 1))
        found = remark(kanon.Labels(range(len(counts)), counts), k, epsilon)
        assert found.optimum == least_largest_bin(counts, k)
        assert found.holds
        assert found.theorem == (1 + epsilon) * (found.optimum + k)
        assert found.remark == 2 * (1 + epsilon) * found.optimum
        sharper += found.theorem < found.remark
    assert sharper > 0


def test_limits_are_those_of_the_theorems():
    assert [limit.ratio for limit in limits(0.5)] == [4 / 3, 2, 2.5, 3, 3]
    assert [limit.ratio for limit in limits(1)][-1] == 4


@compiled_only
def test_lines_are_drawn_at_the_limits_and_inside_the_axis():
    frame = overfull_ratios(kanon.Labels(range(8), [9, 8, 7, 5, 4, 3, 2, 2]), seeds=[0])
    plain, figure = figure7(frame), with_limits(figure7(frame), 0.5)
    heights = {shape.y0 for shape in figure.layout.shapes} - {shape.y0 for shape in plain.layout.shapes}
    assert heights == {4 / 3, 2, 2.5, 3}
    assert figure.layout.yaxis.range[1] > 3
    words = " ".join(note.text for note in figure.layout.annotations)
    assert "Fold (Theorem 7)" in words
    assert "scheme with ε = 0.5 (Theorem 10)" in words


def test_the_fourth_observation_is_told_of_each_variant():
    frame = overfull_ratios(kanon.Labels(range(8), [9, 8, 7, 5, 4, 3, 2, 2]), seeds=[0])
    told = [one for one in observations(frame) if one.name.startswith(FOURTH)]
    assert len(told) == 4
    for one in told:
        rows = frame[frame["variant"] == one.name.rpartition(", ")[2]]
        assert f"largest is {rows['overfull_ratio'].max():.3f}" in one.sentence
        assert one.holds == (rows["overfull_ratio"].mean() < 2)
