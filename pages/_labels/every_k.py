"""The tab "What if" for labels: every k at once as in the paper's Figure 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.plot.export import browser_found, drawn
from kanon_engine.release.formats import csv_text
from kanon_engine.teaching.studies.figure7 import (
    FOURTH,
    NEAR_OPTIMAL,
    VARIANTS,
    distances,
    observations,
    overfull_ratios,
    sub_range_maxima,
)
from kanon_engine.teaching.studies.plot import figure7, with_limits
from pages._shared.picture import Rest, picture
from pages._shared.records import Question
from pages._shared.tasks import PATIENCE, Task, once, show_work, tasks
from pages._shared.widgets import pick_from
from pages._shared.wording import SOME_K, WHICH_K, escaped, on_page

SHOWN = [*VARIANTS, NEAR_OPTIMAL]
ORDERS = (1, 5, 20)
WORST = "Worst-case guarantees"
WORST_HELP = (
    "The ratios that algorithms guarantee, relative to the best possible result, and the ratio that no fast algorithm "
    "can beat unless P = NP, which few experts believe. Below the picture you see how far the ratios of these labels "
    "are from the worst case."
)
WORDS = {
    "variant": "Algorithm and order",
    "k_from": "From k",
    "k_to": "to k",
    "overfull_ratio": "Largest ÷ k",
    "floor": "Lower bound",
    "k": "reached at k",
    "classes": "Groups",
}
FROM_BEST = {
    "variant": "Algorithm and order",
    "mean_ratio_to_bound": "Mean of largest group ÷ bound",
    "largest_ratio_to_bound": "Maximum of largest group ÷ bound",
    "bound_at_k": "reached at k",
    "optimal_share": "Share proven optimal",
}


def choose_every_k() -> bool:
    words, key = {"some": SOME_K, "every": "every k (the paper's Figure 7)"}, "labels_which_k"
    return bool(pick_from(st.segmented_control, WHICH_K, words, key, default="some", required=True) == "every")


def show_every_k(labels: kanon.Labels, question: Question) -> None:
    """The paper's Figure 7 for these labels, its numbers and files."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        orders = st.segmented_control(
            "Number of random orders", ORDERS, default=5, required=True, key="labels_orders", persist_state="session"
        )
        show_limits = st.toggle(WORST, key="labels_limits", help=WORST_HELP, persist_state="session")
    first = question.choice.seed
    try:
        table = _ratios(labels, tuple(range(first, first + int(orders or 1))))
    except kanon.KanonError as error:
        st.warning(on_page(error))
        return
    if table is None:
        return
    if table.empty:
        st.info("Nothing was computed; choose “Continue” to see the lines.")
        return
    figure = figure7(table, unit=labels.unit, k=question.k)
    if show_limits:
        with_limits(figure)
    picture(figure, key="labels_figure7", height=Rest(), filename="kanon-figure7")
    st.caption(
        f"The lines cover every k from {int(table['k'].min()):,}, the count of the most common label, to "
        f"{int(table['k'].max()):,}, which leaves two groups. Each point shows the worst k of a small range. At each "
        "dotted line, k becomes too large for the algorithm Near-optimal to keep its number of groups: there is one "
        "fewer group, and the largest group suddenly grows."
    )
    if show_limits:
        for observation in observations(table):  # the fourth: real labels are far from the worst case
            if observation.name.startswith(FOURTH):
                holds = "holds" if observation.holds else "does not hold"
                st.markdown(f"{escaped(observation.name)}: **{holds}**. {escaped(observation.sentence)}")
    _tables(table)
    _downloads(labels, table, figure)


def _tables(table: pd.DataFrame) -> None:
    whole = dict.fromkeys(("From k", "to k", "reached at k"), st.column_config.NumberColumn(format="localized"))
    ratios = dict.fromkeys(
        ("Largest ÷ k", "Lower bound", *list(FROM_BEST.values())[1:3]), st.column_config.NumberColumn(format="%.4f")
    )
    shares = {
        FROM_BEST["optimal_share"]: st.column_config.NumberColumn(
            format="percent", help="Share of the values of k at which the result is proven to be the best possible."
        )
    }
    st.dataframe(
        distances(table)[list(FROM_BEST)].rename(columns=FROM_BEST),
        hide_index=True,
        key="labels_distances",
        column_config=whole | ratios | shares,
    )
    st.dataframe(
        sub_range_maxima(table)[list(WORDS)].rename(columns=WORDS),
        hide_index=True,
        key="labels_figure7_table",
        column_config=whole | ratios,
    )


def _downloads(labels: kanon.Labels, table: pd.DataFrame, figure: Any) -> None:
    """The picture and its numbers: internal, because group sizes at very many k reveal sums of single counts."""
    name = f"kanon-figure7-{labels.digest[:8]}"
    files: list[tuple[str, str, str, Callable[[], str | bytes]]] = [
        ("Worst k in each range (CSV)", "maxima.csv", "text/csv", lambda: csv_text(sub_range_maxima(table))),
        ("Every k (CSV)", "every-k.csv", "text/csv", lambda: csv_text(table)),
    ]
    if browser_found():
        files.append(("Figure (PNG)", "figure.png", "image/png", lambda: drawn(figure)))
    for column, (label, ending, mime, make) in zip(st.columns(3), files, strict=False):
        key = f"labels_{label}"
        column.download_button(label, make, f"{name}-{ending}", mime, key=key, on_click="ignore")
    st.caption(
        "Keep these internal unless the counts are public: group sizes at so many values of k reveal the counts of "
        "single labels."
    )


def _ratios(labels: kanon.Labels, seeds: tuple[int, ...]) -> pd.DataFrame | None:
    """The rows of all variants, or of those that a stopped computation finished; None while it runs."""
    # finished variants stay, so that “Continue” computes only the others
    tables: dict[str, pd.DataFrame] = once(dict, of=(labels.digest, seeds))

    def work(task: Task) -> None:
        for number, variant in enumerate(SHOWN):
            if variant not in tables and not task.asked():

                def report(progress: kanon.Progress, number: int = number) -> bool:
                    task.report(replace(progress, done=(number + progress.done) / len(SHOWN)))
                    return not task.asked()

                table = overfull_ratios(labels, seeds=seeds, progress=report, variants=[variant])
                if not task.asked():
                    tables[variant] = table

    if len(tables) < len(SHOWN):
        task = tasks().begin("labels_overfull", ("overfull", labels.digest, seeds), work)
        task.wait(PATIENCE)
        if task.running:
            show_work("", task, "labels_overfull_stop", "Stop and keep the results so far")
            return None
        task.result()
        if len(tables) < len(SHOWN):
            st.button("Continue", key="labels_overfull_go_on", on_click=tasks().forget, args=(task,))
    return (
        pd.concat([tables[variant] for variant in SHOWN if variant in tables], ignore_index=True)
        if tables
        else pd.DataFrame()
    )
