"""Caps are narrowed down against answers that are known, in order and with the effort that is left."""

import pytest

from kanon_engine.model.run import Run
from kanon_engine.search import solvers
from kanon_engine.search.solvers import CapSearch


class Oracle:
    """Solutions are their own largest class; every cap from `least` on has one, and hard caps take effort."""

    def __init__(self, least, needs=None, words=("impossible", "found", "open")):
        self.least, self.needs, self.words, self.asked = least, needs or {}, words, []

    def __call__(self, cap, effort, goes_on):
        assert goes_on() in (True, False)
        self.asked.append((cap, effort))
        needed = self.needs.get(cap, 0.0)
        if needed > effort:
            return self.words[2], None, effort
        return (self.words[1], cap, needed) if cap >= self.least else (self.words[0], None, needed)


def searched(oracle, run=None, low=10, best=50, budget=4.0):
    search = CapSearch(run or Run(), low, budget, "asking")
    return search, search.narrow(best, lambda solution: solution, oracle)


@pytest.mark.parametrize("least", range(10, 51))
def test_the_least_is_found_and_proven(least):
    oracle = Oracle(least)
    search, found = searched(oracle)
    assert (found, search.low) == (least, least)
    assert oracle.asked[0][0] == 49  # the first question is whether the known one can be bettered at all
    assert len(oracle.asked) <= 7
    assert len({cap for cap, _ in oracle.asked}) == len(oracle.asked)


def test_nothing_is_asked_where_the_bound_is_met():
    reports = []
    oracle = Oracle(10)
    assert searched(oracle, Run(progress=reports.append), low=50)[1] == 50
    assert oracle.asked == reports == []


def test_open_questions_are_asked_again_with_more_effort():
    oracle = Oracle(30, needs={29: 0.9, 30: 0.9})
    search, found = searched(oracle)
    assert (found, search.low) == (30, 30)
    first = solvers.FIRST_EFFORT
    assert {effort for cap, effort in oracle.asked if cap == 29} == {first, 4 * first}


def test_used_up_effort_leaves_a_gap():
    search, found = searched(Oracle(30, needs=dict.fromkeys(range(20, 40), 100.0)))
    assert search.low == 20
    assert 40 <= found < 50
    assert search.left <= 0


def test_what_is_too_large_is_not_asked_for_ever():
    oracle = Oracle(30, needs=dict.fromkeys(range(60), 100.0), words=("", "", "too large"))
    search, found = searched(oracle, Run(time_limit=1e6))
    assert (found, search.low) == (50, 10)
    assert len(oracle.asked) == 6  # one round


def test_reports_and_a_stop():
    reports = []
    run = Run(progress=lambda report: reports.append(report) or len(reports) < 4)
    search, found = searched(Oracle(30), run)
    assert run.stopped
    assert search.low <= 30 <= found
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    assert reports[0].done == 0.5
    assert {report.message for report in reports} == {"asking"}
    assert all(report.lower_bound <= 30 <= report.best for report in reports)
