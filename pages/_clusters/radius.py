"""The tab "How it works": section 2.2 of the paper at one width, or the steps of section 3.1."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.gather.attempt import Attempt, attempt
from kanon_engine.clusters.nearest import Nearest, nearest
from kanon_engine.clusters.plot.attempt import attempt_figure, attempt_words, widths_to_try
from kanon_engine.clusters.plot.steps import step_figure
from kanon_engine.clusters.r_cellular.steps import Step, cellular_steps
from kanon_engine.model.words import number_text
from pages._shared.picture import Rest, picture
from pages._shared.steps import choose_step, show_algorithm, show_step
from pages._shared.wording import escaped

BY_WIDTH = ("gather", "center", "gather-outliers", "center-outliers")
MOST_POINTS = 40_000  # for which a person waits
TOO_MANY = "These are too many points to try a width while you wait; choose fewer."
HELP = (
    "The paper's 2R. Each greedy center marks the points within this width; a flow then gives each center k of them. "
    "Below some width there is no clustering at all. Above it the greedy centers need not be the best ones, so that a "
    "larger width can fail where a smaller one works."
)


def show_radius(space: kanon.MetricSpace, g: kanon.Generalization, algorithm: kanon.Algorithm, **layers: Any) -> None:
    """A slider over widths, what the method does at this one, and why it fails where it does."""
    if g.algorithm == "r-cellular":
        steps = _steps(g.digest, space, g)
        step = steps[choose_step(g, len(steps) - 1)]
        show_step("clusters", step_figure(space, g, step, **layers), f"{step.sentence} Cost {number_text(step.cost)}.")
        return
    if algorithm.name not in BY_WIDTH:
        show_algorithm(algorithm)
        return
    if len(space) > MOST_POINTS:
        st.info(TOO_MANY)
        return
    found = _nearest(space.digest, g.k, space)
    widths = widths_to_try(found)
    measure = f" {space.measure}".rstrip()
    first = next((width for width in widths if width >= float(found.rho.max())), widths[-1])
    chosen = widths[0]
    if len(widths) > 1:
        chosen = st.select_slider(
            "How far a record may be from its center",
            widths,
            value=first,
            format_func=lambda width: f"{number_text(width)}{measure}",
            key=f"clusters_width_{space.digest[:8]}_{g.k}",
            help=HELP,
        )
    tried = _attempt(space.digest, g.k, chosen, found)
    st.markdown(escaped(attempt_words(found, tried)))
    known = {name: value for name, value in layers.items() if name in ("tiles", "background")}
    picture(attempt_figure(found, tried, **known), key="clusters_attempt", height=Rest())


@st.cache_resource(scope="session", max_entries=2, show_spinner="Taking the steps again …")
def _steps(digest: str, _space: kanon.MetricSpace, _g: kanon.Generalization) -> tuple[Step, ...]:
    return cellular_steps(_space, _g)


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _nearest(digest: str, k: int, _space: kanon.MetricSpace) -> Nearest:
    return nearest(_space, k)


@st.cache_resource(scope="session", max_entries=60, show_spinner="Trying this width …")
def _attempt(digest: str, k: int, width: float, _found: Nearest) -> Attempt:
    return attempt(_found, width)
