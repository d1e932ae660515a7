"""The contract of steps: every algorithm tells its run the same way twice, and ends at the certified result."""

from dataclasses import replace

import numpy as np
import pytest
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.teaching.step import changed_between
from tests.test_contract import CASES, rebuilt

MOST = 250
DRAWN = 5  # of the steps of a case; the families' own tests look at all


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize(("algorithm", "instance", "k"), CASES)
def test_every_run_is_told_step_by_step(algorithm, instance, k):
    g, before = kanon.generalize(instance, k, algorithm.name, seed=5), instance.digest
    steps = list(teaching.steps(instance, g))
    assert 1 <= len(steps) <= MOST
    assert np.array_equal(steps[-1].state.assignment, g.assignment)
    last = None
    for step in steps:
        assert np.array_equal(step.changed, changed_between(last, step.state.assignment))
        assert step.why.endswith((".", "?", "!"))
        assert step.inequality is None or step.inequality.holds, step.inequality
        last = step.state.assignment
    for step in steps[1:]:
        assert_can_be_asked(step.question)
    assert steps[0].question is None  # nothing is there yet to look at
    assert rebuilt(instance).digest == before

    again = list(teaching.steps(instance, g))
    assert [step.text for step in again] == [step.text for step in steps]
    assert [step.question for step in again] == [step.question for step in steps]
    assert all(np.array_equal(*(one.state.assignment for one in pair)) for pair in zip(steps, again, strict=True))


def test_a_result_by_hand_has_no_steps():
    labels = kanon.Labels("abc", [3, 2, 4])
    by_hand = replace(kanon.generalize(labels, 5, "fold"), algorithm="by-hand")
    assert not teaching.has_steps(by_hand)
    with pytest.raises(kanon.InvalidInput, match="'by-hand' cannot be followed .* near-optimal, spread, "):
        teaching.steps(labels, by_hand)


def assert_can_be_asked(question):
    if question is None:
        return
    assert question.prompt.endswith("?")
    assert question.answers
    if question.choices:
        assert len(set(question.choices)) == len(question.choices) > 1
        assert set(question.answers) <= set(range(len(question.choices)))
    else:
        assert question.low < question.high
        assert all(question.low <= answer <= question.high for answer in question.answers)


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize(("algorithm", "instance", "k"), CASES)
def test_every_state_is_drawn_and_every_choice_can_be_picked(algorithm, instance, k):
    g = kanon.generalize(instance, k, algorithm.name, seed=5)
    steps = list(teaching.steps(instance, g))
    for number in {round(place) for place in np.linspace(0, len(steps) - 1, DRAWN)}:
        asked = steps[number + 1].question if number + 1 < len(steps) else None
        figure = teaching.step_figure(instance, g, steps[number], asked)
        assert isinstance(figure, go.Figure)
        assert figure.layout.title.text
        if asked is not None and asked.choices:
            assert set(asked.answers) <= picked(figure) <= set(range(len(asked.choices)))


def picked(figure):
    """What a click can say: the numbers that `customdata` holds."""
    found = set()
    for trace in figure.data:
        data = [] if trace.customdata is None else np.asarray(trace.customdata, dtype=object)
        found |= {row if np.isscalar(row) else row[0] for row in data}
    return found
