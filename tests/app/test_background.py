"""Work beside the page: it reports, stops, keeps, and does not go on for nobody."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from kanon_engine import InvalidInput, Progress
from pages._shared import tasks as background
from pages._shared.sweeps import coarse_to_fine
from pages._shared.tasks import DEFECT, KEPT, Task, TaskFailed, Tasks
from tests.app.visit import ROOT, open_tab, run, visit

WAIT = 60


def report(done: float) -> Progress:
    return Progress(done, 7, 3, "counting")


class Endless:
    """Work that goes on until it is told to stop; its result is how."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def __call__(self, task: Task) -> str:
        while not task.asked():
            task.report(report(0.5))
            self.begun.set()
            time.sleep(0.001)
        return "the best so far" if task.asked() == "stop" else "nothing"


def test_result_and_last_report():
    task = Task(lambda task: [task.report(report(done)) for done in (0.1, 0.9)])
    assert task.result() == [None, None]
    assert task.wait(WAIT)
    assert not task.running
    assert task.progress == report(0.9)
    assert task.seconds == task.seconds > 0


def test_stop_keeps_the_result():
    work = Endless()
    task = Task(work)
    assert work.begun.wait(WAIT)
    assert task.running
    task.stop()
    assert task.result() == "the best so far"
    assert task.stopped == "asked"


def test_errors_are_kept_and_raised_each_time():
    def work(task):
        raise InvalidInput("No.")

    task = Task(work)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="No"):
            task.result()


@pytest.mark.parametrize("error", [ZeroDivisionError("a defect"), SystemExit(1)])
def test_a_defect_is_one_sentence_and_the_log_has_its_traceback(error, caplog):
    def divided_by_nothing(task):
        raise error

    task = Task(divided_by_nothing)
    for _ in range(2):
        with pytest.raises(TaskFailed, match=f"^{DEFECT}$"):
            task.result()
    assert "in divided_by_nothing\n" in caplog.text
    assert f"{type(error).__name__}: {error}" in caplog.text
    assert len(caplog.records) == 1


def test_what_failed_is_tried_again_when_a_person_asks():
    tasks = Tasks()
    first = tasks.begin("page", "a", lambda task: 1 / 0)
    assert first.wait(WAIT)
    assert tasks.begin("page", "a", Endless()) is first
    tasks.try_again("a")
    again = tasks.begin("page", "a", lambda task: "found")
    assert again.result() == "found"
    tasks.try_again("a")
    assert tasks.begin("page", "a", Endless()) is again


def test_work_that_nobody_looks_at_stops(monkeypatch):
    monkeypatch.setattr(background, "LEFT_ALONE", 0.2)
    work = Endless()
    task = Task(work)
    assert work.begun.wait(WAIT)
    assert task.result() == "the best so far"
    assert task.stopped == "unwatched"


def test_a_look_keeps_work_alive(monkeypatch):
    monkeypatch.setattr(background, "LEFT_ALONE", 1.0)
    tasks = Tasks()
    task = tasks.begin("page", "a", Endless())
    for _ in range(15):
        assert not task.wait(0.1)
        tasks.keep_alive()
    task.stop()
    assert task.result()


def test_work_that_nobody_wants_is_ended_and_not_stopped():
    work = Endless()
    task = Task(work)
    assert work.begun.wait(WAIT)
    task.stop()
    task.end()
    assert task.asked() == "end"
    assert task.wait(WAIT)


def test_another_mark_in_the_same_place_ends_the_first():
    tasks = Tasks()
    first = tasks.begin("page", "a", Endless())
    assert tasks.begin("page", "a", Endless()) is first
    second = tasks.begin("page", "b", Endless())
    assert first.wait(WAIT)
    assert first.result() == "nothing"
    assert second.running
    anew = tasks.begin("page", "a", Endless())
    assert anew is not first
    assert second.wait(WAIT)
    tasks.leave("page")
    assert anew.wait(WAIT)
    assert tasks.running() == []


def test_what_another_place_wants_goes_on():
    tasks = Tasks()
    shared = tasks.begin("left", "a", Endless())
    assert tasks.begin("right", "a", Endless()) is shared
    other = tasks.begin("left", "b", Endless())
    assert shared.running
    assert tasks.begin("right", "a", Endless()) is shared
    for task in (shared, other):
        task.stop()
        task.result()


def test_a_finished_result_is_kept_when_its_place_is_used_otherwise():
    tasks = Tasks()
    first = tasks.begin("page", "a", lambda task: "found")
    assert first.wait(WAIT)
    tasks.begin("page", "b", lambda task: "other").wait(WAIT)
    assert tasks.begin("page", "a", Endless()) is first


def test_only_so_many_results_are_kept():
    tasks = Tasks()
    first = tasks.begin("page", 0, lambda task: 0)
    for number in range(1, KEPT + 2):
        tasks.begin("page", number, lambda task: 0).wait(WAIT)
    assert tasks.begin("page", 0, lambda task: 0) is not first


def test_begun_again_it_knows_what_was_before():
    tasks = Tasks()
    first = tasks.begin("page", "a", Endless())
    first.stop()
    again = tasks.begin_again("page", "a", first.result(), lambda task: "better")
    assert again is not first
    assert tasks.before("a") == "the best so far"
    assert tasks.begin("page", "a", Endless()) is again
    assert again.result() == "better"
    tasks.forget(again)
    assert tasks.before("a") is None


def test_coarse_to_fine_is_spread_from_the_beginning():
    order = coarse_to_fine(25)
    assert sorted(order) == list(range(25))
    assert sorted(order[:4]) == [0, 8, 16, 24]


def test_a_server_that_ends_stops_its_work():
    code = (
        "from pages._shared.tasks import Task\n"
        "def work(task):\n"
        "    while not task.asked(): pass\n"
        "    print('stopped', flush=True)\n"
        "Task(work)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=WAIT)
    assert (ended.returncode, ended.stdout) == (0, "stopped\n"), ended.stderr


def test_computing_the_steps_can_be_stopped_and_begun_again(monkeypatch):
    app, wait = visit("labels"), background.wait_for

    def stopped(task, words, *others, **settings):
        if words == "Computing the steps …":
            task.stop()
        wait(task, words, *others, **settings)

    monkeypatch.setattr(background, "wait_for", stopped)
    open_tab(app, "labels", "How it works")
    assert app.info[0].value == background.STOPPED
    monkeypatch.setattr(background, "wait_for", wait)
    app.button(key="labels_steps_again").click()
    run(app)
    assert not app.info
    assert app.button(key="labels_Next").disabled is False


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, []), (0.8, ["Making groups …"])])
def test_a_spinner_is_shown_for_a_wait_of_more_than_a_moment(monkeypatch, seconds, shown):
    spinner, words = st.spinner, []
    monkeypatch.setattr(st, "spinner", lambda text, **settings: (words.append(text), spinner(text, **settings))[1])

    def page(seconds):
        import time

        from pages._shared.tasks import Task, wait_for

        wait_for(Task(lambda task: time.sleep(seconds)), "Making groups …")

    AppTest.from_function(page, args=(seconds,), default_timeout=WAIT).run()
    assert words == shown


def test_parts_that_ended_stand_above_the_one_at_work():
    def page():
        import time

        import streamlit as st

        from pages._shared.tasks import SHORT, Task, wait_for

        def work(task):
            task.finished, task.part = ["One (2.0 s)", "Two (3.0 s)"], "Running attack 3 of 6"
            time.sleep(2 * SHORT)
            task.stop()

        place = st.empty()
        place.empty = lambda: None  # else nothing is left of the wait
        wait_for(Task(work), "Reviewing …", place, stop="stop", give_up=True)

    app = AppTest.from_function(page, default_timeout=WAIT).run()
    assert [element.value for element in app.caption] == ["One (2.0 s)  \nTwo (3.0 s)  \nRunning attack 3 of 6 …"]
