"""The tab "How it works" of tables: the run step by step, or best and bound as it went; live while it searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.requirement import percent_up
from kanon_engine.plot import curve_figure
from kanon_engine.tables.instance import BoxDetails, IntervalDetails
from pages._shared.anytime import rows_of
from pages._shared.costs import objective_of, objective_of_choice
from pages._shared.picture import Rest, picture
from pages._shared.results import Answer
from pages._shared.steps import show_how
from pages._tables.headline import MEANINGS, any_groups

POLL = 1.0
STEPS, CURVE = "Step by step", "Best and bound"


def show_run(table: kanon.Table, found: Answer) -> None:
    """While the search goes on, words and its curve over seconds; then its steps, or its curve over what it counts."""
    algorithm = found.choice.algorithm
    if found.waiting:
        st.markdown(algorithm.how or algorithm.summary)
        st.fragment(_live, run_every=POLL)(found)
        return
    view, rows = STEPS, _own_rows(found.g)
    if rows is not None or len(rows_of(found)) > 1:
        view = st.segmented_control(
            "Run", [STEPS, CURVE], default=STEPS, required=True, key="tables_run", label_visibility="collapsed"
        )
    if view == STEPS:
        if meant := _meant(found.g):
            st.caption(meant)
        show_how(table, found.g)
    else:
        st.markdown(algorithm.how or algorithm.summary)
        _show_curve(found, rows)


def _own_rows(g: kanon.Generalization) -> np.ndarray | None:
    """Best and bound over what the search counted, as the result has them; None where it has no two."""
    details: Any = g.details
    kept = isinstance(details, IntervalDetails | BoxDetails) and len(details.curve) > 1
    return details.curve if kept else None


def _meant(g: kanon.Generalization) -> str:
    """What groups of any kind cost at least, and what the cost counts."""
    return f"{any_groups(g)}{MEANINGS.get(str(g.options.get('metric')), '')}"


def _show_curve(found: Answer, rows: np.ndarray | None) -> None:
    """Over what the search counted; over seconds where there are no such rows."""
    noun, details = objective_of(found.g).noun, found.g.details
    if rows is None:
        _draw(rows_of(found), "seconds", noun)
        return
    along, count = _counted(details)
    best = "boxes" if isinstance(details, BoxDetails) else "such cuts"
    end = f"Where the lines meet, no {best} are better. " if found.g.status == "optimal" else ""
    words = f"{count:,} {along} were looked at. " if count else ""
    st.caption(f"{words}{end}{_meant(found.g)}")
    _draw(rows, along, noun)


def _counted(details: IntervalDetails | BoxDetails) -> tuple[str, int]:
    """What the first column of the curve counts, and how many there were."""
    if isinstance(details, BoxDetails):
        return "neighbourhoods", details.rounds
    return "nodes" if details.nodes else "steps", details.nodes


def _live(found: Answer) -> None:
    if not found.task.running:
        st.rerun()
    st.caption(f"The search goes on, for {found.task.seconds:,.0f} s now.{_gap(found)}")
    _draw(rows_of(found), "seconds", objective_of_choice(found.choice).noun)


def _gap(found: Answer) -> str:
    """How far best and bound are apart."""
    if not found.task.history:
        return ""
    _, best, bound = found.task.history[-1]
    if not bound > 0:  # also where none is known
        return f" Best so far: {best:,.0f}."
    less = percent_up(1 - bound / best)
    return f" Best so far {best:,.0f}; nothing costs less than {bound:,.0f}, so at most {less} can still be gained."


def _draw(rows: np.ndarray, along: str, noun: str) -> None:
    picture(curve_figure(rows, along, noun.capitalize()), key="tables_curve", height=Rest(), filename="kanon-search")
