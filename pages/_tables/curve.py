"""The tab "How it works" of tables: what the algorithm does, and its curve, live while it searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from kanon_engine.model.nearness import percent
from kanon_engine.plot import curve_figure
from kanon_engine.tables.instance import BoxDetails, IntervalDetails
from pages._shared.anytime import rows_of
from pages._shared.costs import objective_of, objective_of_choice
from pages._shared.picture import Rest, picture
from pages._shared.results import Answer
from pages._tables.headline import MEANINGS, any_groups

POLL = 1.0


def show_curve(found: Answer) -> None:
    """Words, and best and bound over nodes; while the search goes on, over seconds."""
    algorithm = found.choice.algorithm
    st.markdown(algorithm.how or algorithm.summary)
    if found.waiting:
        st.fragment(_live, run_every=POLL)(found)
        return
    details: Any = found.g.details
    noun = objective_of(found.g).noun
    if isinstance(details, IntervalDetails | BoxDetails) and len(details.curve) > 1:
        along, count = _counted(details)
        best = "boxes" if isinstance(details, BoxDetails) else "such cuts"
        end = f"Where the lines meet, no {best} are better. " if found.g.status == "optimal" else ""
        words = f"{count:,} {along} were looked at. " if count else ""
        st.caption(f"{words}{end}{any_groups(found.g)}{MEANINGS.get(str(found.g.options.get('metric')), '')}")
        _draw(details.curve, along, noun)
    elif len(found.task.history) > 1:
        _draw(rows_of(found), "seconds", noun)
    else:
        meaning = MEANINGS.get(str(found.g.options.get("metric")), "")
        st.caption(f"It found its answer at once, so there is no curve to show. {any_groups(found.g)}{meaning}")


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
    less = percent(1 - bound / best)
    return f" Best so far {best:,.0f}; nothing costs less than {bound:,.0f}, so at most {less} can still be gained."


def _draw(rows: np.ndarray, along: str, noun: str) -> None:
    picture(curve_figure(rows, along, noun.capitalize()), key="tables_curve", height=Rest(), filename="kanon-search")
