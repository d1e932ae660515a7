"""The page of errata: every correction is shown with its counterexample, and says live whether the claim holds."""

from __future__ import annotations

import pytest

from kanon_engine.teaching.studies.errata import ERRATA
from tests.app.visit import open_app, open_tab, run


def opened(number=0):
    app = open_tab(open_app("learn"), "learn", "Where papers are wrong")
    app.selectbox(key="learn_correction").set_value(number)
    return run(app)


SOME = [pytest.param(number, marks=[pytest.mark.thorough] * (number % 5 > 0)) for number in range(len(ERRATA))]


@pytest.mark.parametrize("number", SOME)
def test_a_correction_is_shown_with_its_counterexample(number):
    app, entry = opened(number), ERRATA[number]
    assert not app.exception
    assert [box.value for box in app.warning] == ["The claim is false here."]
    assert not app.success
    assert app.table[0].value["Actual value"].tolist() == [row.found for row in entry.play().rows]


def test_the_verdict_follows_the_number():
    number = next(place for place, entry in enumerate(ERRATA) if entry.begin == "Theorem 4:")
    app = opened(number)
    slider = next(one for one in app.slider if one.key == f"learn_correction_{number}")
    assert slider.label == "Number of people at the only point"
    slider.set_value(6)
    run(app)
    assert [box.value for box in app.success] == ["The claim is true here."]
    assert not app.warning
    assert app.table[0].value["Actual value"].tolist()[0] == "6"
