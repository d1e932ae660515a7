"""Many k beside the page: rows are shown as they come, kept for the visit, and a stopped sweep goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from pages._shared.background import Listen, Task
from pages._shared.results import Choice
from pages._shared.tasks import tasks
from pages._shared.wording import doing, on_page

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
    runs = [(choice, value) for choice in choices for value in ks]
    missing = [run for run in runs if _mark(instance, run) not in rows]
    task = None
    if missing:
        fine = [(choice, ks[number]) for choice in choices for number in coarse_to_fine(len(ks))]
        order = sorted(fine, key=lambda run: run[1] != k)  # the current k first
        mark = ("sweep", instance.digest, tuple(order))
        task = tasks().begin(f"{family}_sweep", mark, lambda listen: _fill(instance, order, rows, listen))
    every = POLL if task is not None and task.running else None
    # a fragment also where nothing runs any more, so that the picture stays where it is
    st.fragment(_follow, run_every=every)(family, instance, task, every is not None, runs, rows, draw)


def _follow(
    family: str,
    instance: Any,
    task: Task | None,
    ran: bool,
    runs: list[tuple[Choice, int]],
    rows: Rows,
    draw: Callable[[pd.DataFrame], None],
) -> None:
    tasks().look()
    running = task is not None and task.running
    if ran and not running:
        st.rerun()
    ready = sum(_mark(instance, run) in rows for run in runs)
    with st.container(key=f"search-of-{family}_sweep"):
        words, button = st.columns([5, 2], vertical_alignment="center", gap="small")
        if task is None:
            words.caption(f"Each of {len(runs)} runs had at most {MOST_SECONDS} s.")
        elif running:
            now = f" Now {doing(task.progress.message)}." if task.progress else ""
            words.caption(f"{ready} of {len(runs)} are there.{now}")
            words.progress(ready / len(runs))
            label, halted = "Stopping …" if task.stopped else STOP, bool(task.stopped)
            button.button(label, key=f"{family}_stop", on_click=task.stop, disabled=halted, width="stretch")
        else:
            task.result()  # a defect is not kept to itself
            words.caption(f"Stopped: {ready} of {len(runs)} are there.")
            if button.button("Go on", key=f"{family}_go_on", width="stretch"):
                tasks().forget(task)
                st.rerun()
    _draw(instance, runs, rows, draw)


def _mark(instance: Any, run: tuple[Choice, int]) -> tuple[Any, ...]:
    choice, k = run
    return instance.digest, k, choice


def _fill(instance: Any, runs: list[tuple[Choice, int]], rows: Rows, listen: Listen) -> None:
    """Compute what is missing. A run that was stopped is no row: it would be worse than its algorithm."""
    for choice, k in runs:
        mark = _mark(instance, (choice, k))
        if mark in rows:
            continue
        named = {choice.algorithm.title: (choice.algorithm.name, dict(choice.options))}
        goes_on = True

        def report(progress: kanon.Progress) -> bool:
            nonlocal goes_on
            goes_on = listen(progress)
            return goes_on

        try:
            row = kanon.sweep(instance, [k], named, seed=choice.seed, time_limit=MOST_SECONDS, progress=report)
        except kanon.KanonError as error:
            rows[mark] = error
            continue
        if goes_on or row["status"].iloc[0] != "stopped":
            rows[mark] = row
        if not goes_on:
            return


def _draw(instance: Any, runs: list[tuple[Choice, int]], rows: Rows, draw: Callable[[pd.DataFrame], None]) -> None:
    found = [rows[_mark(instance, run)] for run in runs if _mark(instance, run) in rows]
    for words in sorted({on_page(one) for one in found if isinstance(one, kanon.KanonError)}):
        st.warning(words, icon=":material/error:")
    frames = [one for one in found if isinstance(one, pd.DataFrame)]
    if frames:
        draw(pd.concat(frames, ignore_index=True))
