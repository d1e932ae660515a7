"""Work of an engine beside the page: it waits for its turn, says how far it is, and can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

import kanon_engine as kanon
from kanon_engine.errors import SearchEnded
from kanon_engine.model.run import ProgressCallback
from kanon_engine.processes.nursery import Slots
from pages._shared.background import Task
from pages._shared.tasks import tasks
from pages._shared.wording import QUEUED, escaped

POLL = 0.7  # seconds between two looks at the work
PATIENCE = 0.8  # seconds that a page waits before it shows progress
SLOTS = Slots(2)  # an engine uses all cores of the computer for one count
BEGINS = "Beginning"
Found = TypeVar("Found")


def in_turn(task: Task, work: Callable[[ProgressCallback], Found], stopped: str) -> Found:
    """What `work` returns, which is given whom to report to; runs beside the page.

    Raises
    ------
    SearchEnded
        With the words of `stopped`, where somebody stopped it while it waited.
    """

    def heard(progress: kanon.Progress) -> bool:
        task.report(progress)
        return not task.asked()

    def wait(waiting: bool) -> bool:
        task.queued(waiting)
        return not task.asked()

    with SLOTS.one(wait) as mine:
        if not mine:
            raise SearchEnded(stopped)
        return work(heard)


def show_work(words: str, task: Task, stop: str = "", label: str = "") -> None:
    """How far the work is, and a button of the key `stop` that ends it; the page is drawn anew when it is over.

    Where there are no words, the engine says what it is doing.
    """
    st.fragment(_follow, run_every=POLL)(words, task, stop, label)


def _follow(words: str, task: Task, stop: str, label: str) -> None:
    tasks().keep_alive()
    if not task.running:
        st.rerun()
    doing = escaped(words or (task.progress.message if task.progress else BEGINS))
    line, button = st.columns([5, 2], vertical_alignment="center")
    if task.waiting:
        line.caption(f"{doing}. {QUEUED}.")
    else:
        line.caption(f"{doing} … {task.seconds:,.0f} s")
        done = task.progress.done if task.progress else 0.0
        if done > 0:  # some engines cannot say how far they are
            line.progress(done)
    if stop:
        halted = bool(task.stopped)
        button.button("Stopping …" if halted else label, key=stop, on_click=task.stop, disabled=halted, width="stretch")
