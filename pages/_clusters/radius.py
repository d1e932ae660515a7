"""The tab "How it works": the run step by step, and section 2.2 of the paper at any width."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.gather_flow import Attempt, attempt
from kanon_engine.clusters.nearest import Nearest, nearest
from kanon_engine.model.words import number_text
from kanon_engine.teaching.clusters import attempt_words
from kanon_engine.teaching.clusters.picture import attempt_figure, widths_to_try
from pages._shared.picture import Rest, picture
from pages._shared.steps import show_how
from pages._shared.wording import escaped

RUN, WIDTH = "Step by step", "Any width"
BY_WIDTH = ("gather", "center", "gather-outliers", "center-outliers")
MOST_POINTS = 40_000  # for which a person waits
TOO_MANY = "These are too many points to try a width while you wait; choose fewer."
HELP = (
    "The paper's 2R. Each greedy center marks the points within this width; a flow then gives each center k of them. "
    "Below some width there is no clustering at all. Above it the greedy centers need not be the best ones, so that a "
    "larger width can fail where a smaller one works."
)


def show_radius(space: kanon.MetricSpace, g: kanon.Generalization, algorithm: kanon.Algorithm, **layers: Any) -> None:
    """The run step by step; of the algorithms that try widths any width too."""
    if algorithm.name in BY_WIDTH:
        shown = st.segmented_control(
            "Shown", [RUN, WIDTH], default=RUN, key="clusters_how", required=True, label_visibility="collapsed"
        )
        if shown == WIDTH:
            _show_width(space, g, **layers)
            return
    show_how(space, g, **layers)


def _show_width(space: kanon.MetricSpace, g: kanon.Generalization, **layers: Any) -> None:
    """A slider over widths, what the method does at this one, and why it fails where it does."""
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


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _nearest(digest: str, k: int, _space: kanon.MetricSpace) -> Nearest:
    return nearest(_space, k)


@st.cache_resource(scope="session", max_entries=60, show_spinner="Trying this width …")
def _attempt(digest: str, k: int, width: float, _found: Nearest) -> Attempt:
    return attempt(_found, width)
