"""The tasks of one visit: what runs, in which slot of the page, and what is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from kanon_engine.errors import KanonError
from pages._shared.background import Task

KEPT = 200  # results of a visit
HEARTBEAT = 30.0  # seconds between two looks where nothing on the page is waiting


class Tasks:
    """Tasks by what they compute, one at a time in each slot of the page."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task] = {}
        self._slots: dict[str, Hashable] = {}
        self._before: dict[Hashable, Any] = {}
        self._lock = threading.RLock()  # for a moment, two runs of a page may overlap

    def begin(self, slot: str, key: Hashable, work: Callable[[Task], Any]) -> Task:
        """The task of this key, begun now unless it is there; what else runs here is ended and forgotten."""
        with self._lock:
            self._leave(slot, key)
            self._slots[slot] = key
            task = self._tasks.pop(key, None) or Task(work)
            self._tasks[key] = task  # last, so that the first is the one unused for longest
            over = [old for old, one in self._tasks.items() if not one.running]
            for old in over[: max(0, len(self._tasks) - KEPT)]:
                self._forget(old)
        task.keep_alive()
        return task

    def begin_again(self, slot: str, key: Hashable, before: Any, work: Callable[[Task], Any]) -> Task:
        """The task of this key, anew; `before` is what to show meanwhile."""
        with self._lock:
            self._forget(key)
            self._before[key] = before
            return self.begin(slot, key, work)

    def before(self, key: Hashable) -> Any:
        """What an earlier, stopped task of this key found, or None."""
        return self._before.get(key)

    def found(self, key: Hashable) -> Any:
        """What the task of this key found; None where there is none, it still works, or it found nothing."""
        task = self._tasks.get(key)
        if task is None or task.running:
            return None
        try:
            return task.result()
        except KanonError:
            return None

    def failure(self, key: Hashable) -> KanonError | None:
        """Why the task of this key found nothing; None where there is none, it still works, or it found something."""
        task = self._tasks.get(key)
        if task is None or task.running:
            return None
        try:
            task.result()
        except KanonError as error:
            return error
        return None

    def try_again(self, key: Hashable) -> None:
        """Forget the task of this key if it found nothing, so that the next that asks for it begins anew."""
        if self.failure(key) is not None:
            self._forget(key)

    def works(self, key: Hashable) -> bool:
        """Whether there is a task of this key that goes on."""
        task = self._tasks.get(key)
        return task is not None and task.running

    def leave(self, slot: str) -> None:
        """Nothing is wanted in this slot any more; what runs for it alone is ended and forgotten."""
        with self._lock:
            self._leave(slot, None)

    def forget(self, task: Task) -> None:
        """The next that asks for what it computes begins anew."""
        with self._lock:
            for key in [key for key, one in self._tasks.items() if one is task]:
                self._forget(key)

    def running(self) -> list[Task]:
        """All that work now."""
        with self._lock:
            return [task for task in self._tasks.values() if task.running]

    def keep_alive(self) -> None:
        """Somebody is there."""
        for task in self.running():
            task.keep_alive()

    def _leave(self, slot: str, key: Hashable | None) -> None:
        old = self._slots.pop(slot, None)
        if old is None or old == key or old in self._slots.values():
            return
        task = self._tasks.get(old)
        if task is not None and task.running:
            task.end()
            self._forget(old)

    def _forget(self, key: Hashable) -> None:
        self._tasks.pop(key, None)
        self._before.pop(key, None)


def tasks() -> Tasks:
    """Those of this visit."""
    if "_tasks" not in st.session_state:
        st.session_state["_tasks"] = Tasks()
    found: Tasks = st.session_state["_tasks"]
    return found


def stay_awake() -> None:
    """Call last on every page: what runs goes on as long as a page is open, also where nothing shows it."""
    if tasks().running():
        st.fragment(tasks().keep_alive, run_every=HEARTBEAT)()
