"""The tasks of one visit: what runs, in which place of the page, and what is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from pages._shared.background import Task

KEPT = 200  # results of a visit
HEARTBEAT = 30.0  # seconds between two looks where nothing on the page is waiting


class Tasks:
    """Tasks by what they compute, one at a time in each place of the page."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task] = {}
        self._places: dict[str, Hashable] = {}
        self._before: dict[Hashable, Any] = {}
        self._lock = threading.RLock()  # for a moment, two runs of a page may overlap

    def begin(self, place: str, mark: Hashable, work: Callable[[Task], Any]) -> Task:
        """The task of this mark, begun now unless it is there; what else runs here is ended and forgotten."""
        with self._lock:
            self._leave(place, mark)
            self._places[place] = mark
            task = self._tasks.pop(mark, None) or Task(work)
            self._tasks[mark] = task  # last, so that the first is the one unused for longest
            over = [old for old, one in self._tasks.items() if not one.running]
            for old in over[: max(0, len(self._tasks) - KEPT)]:
                self._forget(old)
        task.look()
        return task

    def begin_again(self, place: str, mark: Hashable, before: Any, work: Callable[[Task], Any]) -> Task:
        """The task of this mark, anew; `before` is what to show meanwhile."""
        with self._lock:
            self._forget(mark)
            self._before[mark] = before
            return self.begin(place, mark, work)

    def before(self, mark: Hashable) -> Any:
        """What an earlier, stopped task of this mark found, or None."""
        return self._before.get(mark)

    def leave(self, place: str) -> None:
        """Nothing is wanted in this place any more; what runs for it alone is ended and forgotten."""
        with self._lock:
            self._leave(place, None)

    def forget(self, task: Task) -> None:
        """The next that asks for what it computes begins anew."""
        with self._lock:
            for mark in [mark for mark, one in self._tasks.items() if one is task]:
                self._forget(mark)

    def running(self) -> list[Task]:
        """All that work now."""
        with self._lock:
            return [task for task in self._tasks.values() if task.running]

    def look(self) -> None:
        """Somebody is there."""
        for task in self.running():
            task.look()

    def _leave(self, place: str, mark: Hashable | None) -> None:
        old = self._places.pop(place, None)
        if old is None or old == mark or old in self._places.values():
            return
        task = self._tasks.get(old)
        if task is not None and task.running:
            task.end()
            self._forget(old)

    def _forget(self, mark: Hashable) -> None:
        self._tasks.pop(mark, None)
        self._before.pop(mark, None)


def tasks() -> Tasks:
    """Those of this visit."""
    if "_tasks" not in st.session_state:
        st.session_state["_tasks"] = Tasks()
    found: Tasks = st.session_state["_tasks"]
    return found


def stay_awake() -> None:
    """Call last on every page: what runs goes on as long as a page is open, also where nothing shows it."""
    if tasks().running():
        st.fragment(tasks().look, run_every=HEARTBEAT)()
