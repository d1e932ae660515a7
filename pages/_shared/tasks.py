"""The tasks of one visit: the running ones by slot of the page, and the kept results."""

from __future__ import annotations

import atexit
import gc
import logging
import math
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine import Certificate, Generalization, Progress
from kanon_engine.errors import KanonError, SearchEnded
from kanon_engine.io.confined import stopped_when
from kanon_engine.model.run import ProgressCallback
from kanon_engine.processes.nursery import Slots
from pages._shared.wording import QUEUED, escaped, on_page

KEPT = 200  # results of a visit
HEARTBEAT = 30.0  # seconds between two polls if nothing on the page is waiting
POLL = 0.7  # seconds between two polls of the work
PATIENCE = 0.8  # seconds that a page waits for a result before it shows the best available or progress
MOMENT = 0.3  # seconds after which a waiting page can be redrawn with changed settings
STOPPED = "This was stopped, so there is no result."
SHORT = 1.0  # seconds of waiting without progress and a button to stop
Made = TypeVar("Made")


class Tasks:
    """Tasks by key, one at a time in each slot of the page."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task] = {}
        self._slots: dict[str, Hashable] = {}
        self._before: dict[Hashable, Any] = {}
        self._lock = threading.RLock()  # for a moment, two runs of a page may overlap

    def begin(self, slot: str, key: Hashable, work: Callable[[Task], Any]) -> Task:
        """The task of this key, started now unless it exists; another one in this slot is ended and forgotten."""
        with self._lock:
            self._leave(slot, key)
            self._slots[slot] = key
            task = self._tasks.pop(key, None) or Task(work)
            self._tasks[key] = task  # last, so that the first is the least recently used
            over = [old for old, one in self._tasks.items() if not one.running]
            for old in over[: max(0, len(self._tasks) - KEPT)]:
                self._forget(old)
        task.keep_alive()
        return task

    def begin_again(self, slot: str, key: Hashable, before: Any, work: Callable[[Task], Any]) -> Task:
        """Restart the task of this key; `before` is what to show meanwhile."""
        with self._lock:
            self._forget(key)
            self._before[key] = before
            return self.begin(slot, key, work)

    def before(self, key: Hashable) -> Any:
        """The result of an earlier, stopped task of this key, or None."""
        return self._before.get(key)

    def found(self, key: Hashable) -> Any:
        """The result of the task of this key; None if there is no task, it is running, or it found nothing."""
        task = self._tasks.get(key)
        return None if task is None or task.running or task.error is not None else task.result()

    def failure(self, key: Hashable) -> KanonError | None:
        """Why the task of this key found nothing; None if there is no task, it is running, or it found something."""
        task = self._tasks.get(key)
        return None if task is None else task.error

    def try_again(self, key: Hashable) -> None:
        """Forget the task of this key if it was stopped or found nothing, so that the next request restarts it."""
        task = self._tasks.get(key)
        if task is not None and (task.error is not None or task.stopped):
            self._forget(key)

    def works(self, key: Hashable) -> bool:
        task = self._tasks.get(key)
        return task is not None and task.running

    def leave(self, slot: str) -> None:
        """Nothing is needed in this slot anymore; what runs only for it is ended and forgotten."""
        with self._lock:
            self._leave(slot, None)

    def forget(self, task: Task) -> None:
        """The next request for it starts from scratch."""
        with self._lock:
            for key in [key for key, one in self._tasks.items() if one is task]:
                self._forget(key)

    def running(self) -> list[Task]:
        with self._lock:
            return [task for task in self._tasks.values() if task.running]

    def keep_alive(self) -> None:
        """A page is open."""
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
    registry: Tasks = st.session_state.setdefault("_tasks", Tasks())
    return registry


def once(make: Callable[..., Made], *arguments: Any, of: Hashable, most: int = 4, words: str = "", **more: Any) -> Made:
    """The function's value for these arguments, computed once per visit; `of` is the cache key.

    The last `most` are kept. With `words`, it is computed in the background, where Streamlit must not be called, and a
    spinner shows the words and the seconds so far. The user can stop that; then the page ends here.
    """
    place = st.empty() if words else None  # always one element, or everything below would be redrawn
    every: dict[str, dict[Hashable, Made]] = st.session_state.setdefault("_once", {})
    name = f"{make.__module__}.{make.__qualname__}"
    cache = every.setdefault(name, {})
    if of not in cache:
        compute = partial(make, *arguments, **more)
        cache[of] = _unless_stopped(name, of, compute, words, place) if words else compute()
        for old in list(cache)[:-most]:
            del cache[old]
    return cache[of]


def _unless_stopped(
    name: str, of: Hashable, make: Callable[[], Made], words: str, place: DeltaGenerator | None
) -> Made:
    """The value, made in the background. If the user stops that, the page ends with a button to try again."""

    def work(task: Task) -> Made:
        with stopped_when(lambda: bool(task.asked())):
            return make()

    key = (name, of)
    try:
        return made_beside(name, key, work, words, f"{name}_stop", place)
    except SearchEnded as end:
        offer_again(on_page(end), "Try again", f"{name}_again", key)
        stay_awake()
        st.stop()


def offer_again(why: str, words: str, button: str, key: Hashable) -> None:
    """Say why a task ended without a result, with a button that restarts it."""
    st.info(why, icon=":material/stop_circle:")
    st.button(words, key=button, on_click=tasks().try_again, args=(key,))


def stay_awake() -> None:
    """Call last on every page: running tasks continue while a page is open, even if nothing shows them."""
    if tasks().running():
        st.fragment(tasks().keep_alive, run_every=HEARTBEAT)()


def redraw_when(over: Callable[[], bool], every: float = POLL) -> None:
    """Redraw the page when this is true; running tasks continue meanwhile."""

    def look() -> None:
        tasks().keep_alive()
        if over():
            st.rerun()

    st.fragment(look, run_every=every)()


def wait_for(
    task: Task, words: str, place: DeltaGenerator | None = None, *, stop: str = "", give_up: bool = False
) -> None:
    """Wait; after a moment with these words and the seconds, after a second with progress and a button of key `stop`.

    Parameters
    ----------
    place : An `st.empty`, which is empty again after the wait. A page that does not always wait makes it always: what
        follows keeps its number, without which a browser draws it again.
    give_up : The button ends the wait, with `SearchEnded`. Otherwise the work returns its best so far.
    """
    place = st.empty() if place is None else place
    if not task.wait(MOMENT):  # a spinner for less would move the pictures below twice
        _show_wait(task, words, place, stop, give_up)
    if give_up and task.stopped:
        raise SearchEnded(STOPPED)


def _show_wait(task: Task, words: str, place: DeltaGenerator, stop: str, give_up: bool) -> None:
    with place.container(), st.spinner(words, show_time=True):
        moment = st.empty()
        line: DeltaGenerator | None = None
        while not task.wait(MOMENT) and not (give_up and task.stopped):
            tasks().keep_alive()
            if line is None and task.seconds < SHORT:
                moment.empty()  # here Streamlit ends this run if something was changed
                continue
            if line is None:
                box = moment.container()
                line = box.empty()
                if stop:
                    stop_button(box.empty(), task, stop, "Stop")
            if task.part:
                line.caption("  \n".join([*task.finished, f"{task.part} …"]))
            elif task.progress and task.progress.done > 0:
                line.progress(task.progress.done)
            else:
                line.empty()
    place.empty()


def made_beside(
    slot: str,
    key: Hashable,
    work: Callable[[Task], Made],
    words: str,
    stop: str = "",
    place: DeltaGenerator | None = None,
) -> Made:
    """What the work makes in the background while the page waits, so that a click acts meanwhile; for `once`.

    With the button's key `stop`, `wait_for` can give up. Then the task is kept: it begins again after `try_again`. If
    the work fails, the next request begins it again.
    """
    task = tasks().begin(slot, key, work)
    wait_for(task, words, place, stop=stop, give_up=bool(stop))
    if not task.stopped:
        tasks().forget(task)
    made: Made = task.result()
    return made


def stop_button(place: DeltaGenerator, task: Task, key: str, words: str, help: str | None = None) -> None:
    label, halted = "Stopping …" if task.stopped else words, bool(task.stopped)
    place.button(label, key=key, help=help, on_click=task.stop, disabled=halted, width="stretch")


def show_work(words: str, task: Task, stop: str = "", label: str = "") -> None:
    """The progress of the work, and a button of the key `stop` that ends it; the page is redrawn at the end.

    Without words, the work's own report is shown.
    """
    st.fragment(_follow, run_every=POLL)(words, task, stop, label)


def _follow(words: str, task: Task, stop: str, label: str) -> None:
    tasks().keep_alive()
    if not task.running:
        st.rerun()
    doing = escaped(words or (task.progress.message if task.progress else "Starting"))
    line, button = st.columns([5, 2], vertical_alignment="center")
    if task.waiting:
        line.caption(f"{doing}. {QUEUED}.")
    else:
        line.caption(f"{doing} … {task.seconds:,.0f} s")
        done = task.progress.done if task.progress else 0.0
        if done > 0:  # some engines cannot report progress
            line.progress(done)
    if stop:
        stop_button(button, task, stop, label)


def want(slot: str, key: Hashable) -> None:
    """Request what `run_on_request` makes; it stays until then, because typed text can arrive after it."""
    st.session_state[f"{slot}_wanted"] = True
    tasks().try_again(key)


def run_on_request(slot: str, key: Hashable, work: Callable[[Task], Made], words: str) -> Made | None:
    """The user's request, made in the background; None if there is none, or if it failed, which is reported."""
    state = st.session_state
    if not state.get(f"{slot}_wanted") and state.get(f"{slot}_made") != key:
        return None
    task = tasks().begin(slot, key, work)
    result: Made | None = None
    try:
        wait_for(task, words, stop=f"{slot}_stop_request", give_up=True)
        result = task.result()
    except SearchEnded as end:
        st.info(on_page(end), icon=":material/stop_circle:")
    except KanonError as error:
        st.error(on_page(error), icon=":material/error:")
    state[f"{slot}_made"], state[f"{slot}_wanted"] = key, False  # not where Streamlit ended this run to begin another
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Long work in the background: a thread that follows it, can stop it, and keeps its result.
# ---------------------------------------------------------------------------------------------------------------------


DEFECT = "This failed because of a defect in kanon. The server’s log has the details. Change a setting or try again."
MOST_REMEMBERED = 2_000
LEFT_ALONE = 180.0  # seconds without a poll after which work stops; hidden browser tabs poll once a minute
LOG = logging.getLogger(__name__)
_running: weakref.WeakSet[Task] = weakref.WeakSet()


class TaskFailed(KanonError):
    """Background work ended with an unexpected error; the log has it with its traceback."""


class Task:
    """Work that started when this was created.

    Parameters
    ----------
    work : callable
        ``work(task)`` makes the result and polls `asked` meanwhile, as `kanon_engine.workers.search.Search` does of
        its listener, which a task is. It runs in its own thread, where Streamlit must not be called.
    """

    def __init__(self, work: Callable[[Task], Any]) -> None:
        self.progress: Progress | None = None  # the last report
        self.stopped = ""  # why it was asked to stop: "asked", "unwatched" or "limit" (of time)
        self.waiting = False  # whether it waits for other work to end
        self.part = ""  # which part is at work, if it has several
        self.finished: list[str] = []  # a line on each part that ended, as Markdown
        self.best: tuple[Generalization, Certificate] | None = None  # the best so far of a running search
        self.improvements = 0  # how many of them so far
        self.history: list[tuple[float, float, float]] = []  # seconds, best, lower bound; NaN for unknown
        self._result: Any = None
        self.error: KanonError | None = None  # why it found nothing
        self._ended = False
        self._begun = self._looked = time.monotonic()
        self._seconds = 0.0
        self._over = threading.Event()
        _running.add(self)
        threading.Thread(target=self._run, args=(work,), name="kanon search", daemon=True).start()

    @property
    def running(self) -> bool:
        return not self._over.is_set()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begun if self.running else self._seconds

    def keep_alive(self) -> None:
        """Mark as watched; unwatched work stops."""
        self._looked = time.monotonic()

    def stop(self, why: str = "asked") -> None:
        self.stopped = self.stopped or why

    def end(self) -> None:
        """Its result is not needed: end it at once."""
        self._ended = True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it ends or the time is up; whether it ended."""
        self.keep_alive()
        return self._over.wait(seconds)

    def result(self) -> Any:
        """What the work returned, or raise its error: `TaskFailed` for one that is not a `KanonError`."""
        self._over.wait()
        if self.error is not None:
            raise self.error.with_traceback(None)
        return self._result

    def report(self, progress: Progress) -> None:
        self.progress = progress
        pair = [math.nan if value is None else float(value) for value in (progress.best, progress.lower_bound)]
        if progress.best is None or (self.history and list(self.history[-1][1:]) == pair):
            return
        if len(self.history) >= MOST_REMEMBERED:  # every other one of the older half is enough for a picture
            half = MOST_REMEMBERED // 2
            self.history = self.history[:half:2] + self.history[half:]
        self.history.append((self.seconds, pair[0], pair[1]))

    def improved(self, g: Generalization, certificate: Certificate) -> None:
        self.best = g, certificate
        self.improvements += 1

    def require_wanted(self) -> None:
        """Raise `SearchEnded` if nobody waits for the result any longer."""
        if self.asked():
            raise SearchEnded(STOPPED)

    def queued(self, waiting: bool) -> None:
        """Note whether the work is waiting for other work to end."""
        self.waiting = waiting

    def asked(self) -> str:
        """What the work should do: "" continue, "stop" with the best so far, "end" at once."""
        if time.monotonic() - self._looked > LEFT_ALONE:
            self.stop("unwatched")
        return "end" if self._ended else "stop" if self.stopped else ""

    def _run(self, work: Callable[[Task], Any]) -> None:
        try:
            self._result = work(self)
        except KanonError as error:
            self.error = error
        except BaseException as error:  # only this thread learns of it
            LOG.error("Background work failed", exc_info=error)
            self.error = TaskFailed(DEFECT)
        self._seconds = time.monotonic() - self._begun
        _running.discard(self)
        self._over.set()


_frozen = 0  # modules that were loaded when `freeze_imports` last did something


def freeze_imports() -> None:
    """Exempt what is loaded from garbage collection: Streamlit collects after every run, longer than most runs take."""
    global _frozen
    if len(sys.modules) > _frozen:
        _frozen = len(sys.modules)
        gc.collect()
        gc.freeze()


@atexit.register
def _stop_all() -> None:
    """A server that shuts down must not cut threads off in compiled code."""
    tasks = list(_running)
    for task in tasks:
        task.end()
    for task in tasks:
        task.wait(2)


SLOTS = Slots(2)  # an engine uses all cores of the computer for one count


def in_turn(task: Task, work: Callable[[ProgressCallback], Made], stopped: str) -> Made:
    """The result of an engine's work, which waits for its turn and gets a listener; runs in the background.

    Raises `SearchEnded` with the words of `stopped` if it was stopped while waiting.
    """

    def heard(progress: Progress) -> bool:
        task.report(progress)
        return not task.asked()

    def wait(waiting: bool) -> bool:
        task.queued(waiting)
        return not task.asked()

    with SLOTS.one(wait) as mine:
        if not mine:
            raise SearchEnded(stopped)
        return work(heard)


# ---------------------------------------------------------------------------------------------------------------------
# Results of this visit's searches: the same request is answered at once, and a result may satisfy another k.
# ---------------------------------------------------------------------------------------------------------------------


MOST_ITEMS = 1_000_000  # of all results together
Pair = tuple[Generalization, Certificate]


class Store:
    """Results by request, and certificates; not of stopped searches, because repeated they find more."""

    def __init__(self) -> None:
        self._pairs: dict[Hashable, Pair] = {}
        self._certificates: dict[str, Certificate] = {}
        self._lock = threading.Lock()  # background searches add theirs

    def put(self, key: Hashable, g: Generalization, certificate: Certificate) -> None:
        """Keep a result with its certificate; the oldest are dropped to make room."""
        self.certify(g, certificate)
        if g.status == "stopped":
            return
        with self._lock:
            self._pairs.pop(key, None)
            self._pairs[key] = g, certificate
            items = sum(len(one.assignment) for one, _ in self._pairs.values())
            while items > MOST_ITEMS and len(self._pairs) > 1:
                first, _ = self._pairs.pop(next(iter(self._pairs)))
                items -= len(first.assignment)

    def get(self, key: Hashable) -> Pair | None:
        return self._pairs.get(key)

    def all(self) -> list[tuple[Any, Pair]]:
        with self._lock:
            return list(self._pairs.items())

    def certify(self, g: Generalization, certificate: Certificate) -> None:
        """Keep a certificate, whatever the request was."""
        with self._lock:
            self._certificates[g.digest] = certificate
            for digest in list(self._certificates)[:-KEPT]:
                del self._certificates[digest]

    def certificate(self, instance: Any, g: Generalization) -> Certificate:
        """Every check of a verified result with its findings in words, and the kind of its bound."""
        if g.digest not in self._certificates:
            self.certify(g, kanon.verify(instance, g))
        return self._certificates[g.digest]


def visit_store() -> Store:
    store: Store = st.session_state.setdefault("_store", Store())
    return store


def certificate_of(instance: Any, g: Generalization) -> Certificate:
    return visit_store().certificate(instance, g)
