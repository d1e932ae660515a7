"""Many k beside the page: rows are shown as they come, kept for the visit, and a stopped sweep goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.words import counted
from kanon_engine.sweep import row_of, table_of
from kanon_engine.workers.search import Search
from pages._shared.background import Task
from pages._shared.results import Choice, key_of, request_for
from pages._shared.tasks import tasks
from pages._shared.wording import QUEUED, doing, on_page

POINTS = 24
POLL = 1.0  # seconds between two looks
MOST_SECONDS = 20  # for each run; a row says when it ended so
STOP = "Stop and keep what is there"
Rows = dict[Any, pd.DataFrame | kanon.KanonError]


def spread_of_k(instance: Any, k: int) -> list[int]:
    """About two dozen k from one item's share to half of all, evenly on a logarithmic scale, and the current one."""
    lowest = max(1, instance.total // (5 * len(instance)))
    highest = max(lowest, instance.total // 2)
    values = np.unique(np.geomspace(lowest, highest, POINTS).round().astype(np.int64))
    return sorted({*values.tolist(), *([k] if k <= instance.total else [])})


def coarse_to_fine(count: int) -> list[int]:
    """The numbers below `count`, so that any beginning of the list is spread over all of them.

    Example
    -------
    >>> coarse_to_fine(9)
    [0, 8, 4, 2, 6, 1, 3, 5, 7]
    """
    return sorted(range(count), key=lambda number: -(number & -number) if number else -count)


def show_sweep(
    family: str,
    instance: Any,
    k: int,
    choices: list[Choice],
    draw: Callable[[pd.DataFrame], None],
    ks: list[int] | None = None,
) -> None:
    """Run every choice at these k or at two dozen, with progress and a stop, and draw the table of what is there."""
    if not choices:
        tasks().leave(f"{family}_sweep")
        st.info("Pick an algorithm to see its line.")
        return
    ks = ks or spread_of_k(instance, k)
    rows: Rows = st.session_state.setdefault("_what_if_rows", {})  # the visit keeps them
    runs = [(value, choice) for choice in choices for value in ks]
    missing = [run for run in runs if key_of(instance, *run) not in rows]
    task = None
    if missing:
        fine = [(ks[number], choice) for choice in choices for number in coarse_to_fine(len(ks))]
        order = sorted(fine, key=lambda run: run[0] != k)  # the current k first
        key = ("sweep", instance.digest, tuple(order))
        task = tasks().begin(f"{family}_sweep", key, lambda task: _fill(instance, order, rows, task))
    every = POLL if task is not None and task.running else None
    # a fragment also where nothing runs any more, so that the picture stays where it is
    st.fragment(_follow, run_every=every)(family, instance, task, every is not None, runs, rows, draw)


def _follow(
    family: str,
    instance: Any,
    task: Task | None,
    ran: bool,
    runs: list[tuple[int, Choice]],
    rows: Rows,
    draw: Callable[[pd.DataFrame], None],
) -> None:
    tasks().keep_alive()
    running = task is not None and task.running
    if ran and not running:
        st.rerun()
    ready = sum(key_of(instance, *run) in rows for run in runs)
    with st.container(key=f"search-of-{family}_sweep"):
        words, button = st.columns([5, 2], vertical_alignment="center", gap="small")
        if task is None:
            words.caption(f"Each of {counted(len(runs), 'run')} had at most {MOST_SECONDS} s.")
        elif running:
            words.caption(f"{ready} of {len(runs)} are there. {_now(task)}")
            words.progress(ready / len(runs))
            label, halted = "Stopping …" if task.stopped else STOP, bool(task.stopped)
            button.button(label, key=f"{family}_stop", on_click=task.stop, disabled=halted, width="stretch")
        else:
            words.caption(f"Stopped: {ready} of {len(runs)} are there.{_reason(task)}")
            if button.button("Go on", key=f"{family}_go_on", width="stretch"):
                tasks().forget(task)
                st.rerun()
    _draw(instance, runs, rows, draw)


def _now(task: Task) -> str:
    """What the sweep is at."""
    if task.waiting:
        return f"{QUEUED}."
    return f"Now {task.part}{f': {doing(task.progress.message)}' if task.progress else ''}."


def _reason(task: Task) -> str:
    """Why runs are missing, where nobody stopped them; a defect is not kept to itself."""
    try:
        task.result()
    except kanon.SearchEnded as end:
        return f" {on_page(end)}"
    return ""


def _fill(instance: Any, runs: list[tuple[int, Choice]], rows: Rows, task: Task) -> None:
    """Compute what is missing. A run that was stopped is no row: it would be worse than its algorithm.

    Raises
    ------
    SearchEnded
        When all is done: the last reason why a run had no result. That is no row either, for it can be tried again.
    """
    failed = None
    with Search(instance, task) as search:
        for k, choice in runs:
            key, title = key_of(instance, k, choice), choice.algorithm.title
            if key in rows:
                continue
            task.part, task.progress = f"{title}, k = {k:,}", None
            try:
                g, _ = search.run(request_for(k, choice, MOST_SECONDS))
            except kanon.SearchEnded as end:
                failed = end
            except kanon.Infeasible:
                rows[key] = table_of([row_of(title, k, None)])
            except kanon.KanonError as error:
                rows[key] = error
            else:
                if g.status != "stopped" or not task.asked():
                    rows[key] = table_of([row_of(title, k, g)])
            if task.asked():
                return
    if failed is not None:
        raise failed


def _draw(instance: Any, runs: list[tuple[int, Choice]], rows: Rows, draw: Callable[[pd.DataFrame], None]) -> None:
    found = [rows[key_of(instance, *run)] for run in runs if key_of(instance, *run) in rows]
    for words in sorted({on_page(one) for one in found if isinstance(one, kanon.KanonError)}):
        st.warning(words, icon=":material/error:")
    frames = [one for one in found if isinstance(one, pd.DataFrame)]
    if frames:
        draw(pd.concat(frames, ignore_index=True))
