"""The tab "How it works": the run step by step, and section 2.2 of the paper at any width."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.gather_flow import Attempt, attempt
from kanon_engine.clusters.nearest import Nearest, nearest
from kanon_engine.clusters.plot import clusters_figure, shares_figure
from kanon_engine.model.words import number_text
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.teaching.clusters import attempt_words
from kanon_engine.teaching.clusters.picture import attempt_figure, widths_to_try
from kanon_engine.teaching.studies.shapes import (
    Beside,
    has_rectangles,
    mean_radius,
    rectangles_beside,
    smallest_circles,
)
from kanon_engine.verification.clusters import cost_of
from pages._shared.picture import Rest, picture
from pages._shared.records import Data, Question
from pages._shared.results import Choice, alike
from pages._shared.steps import show_how
from pages._shared.sweeps import BELOW, LEAST, show_sweep, show_what_if
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


# ---------------------------------------------------------------------------------------------------------------------
# The tab "Circle or rectangle": the same points in clusters and in kd rectangles.
# ---------------------------------------------------------------------------------------------------------------------


NEEDS_TWO = (
    "Rectangles are made of two columns of numbers, or of longitude and latitude. Choose two columns, or look at the "
    "page “GPS points”."
)
WHAT = (
    "A rectangle may be long and thin: then its points are far from each other although it holds few. Below, the "
    "smallest circle around the points of each rectangle is compared with that of each cluster."
)


def show_beside(data: Data, g: kanon.Generalization, **layers: Any) -> None:
    """Both pictures, and what they cost in the same coin: smallest circles."""
    space = data.instance
    if not has_rectangles(space):
        st.info(NEEDS_TWO)
        return
    other = _rectangles(space.digest, g.k, space)
    own = _circles(g.digest, space, g)
    st.markdown(_sentence(space, g, own, other), help=WHAT)
    known = {name: value for name, value in layers.items() if name in ("tiles", "background")}
    left, right = st.columns(2)
    with left:
        picture(clusters_figure(space, g, **layers), key="clusters_beside", height=Rest(below=130))
    with right:
        picture(rectangles_figure(other.points, other.g, **known), key="clusters_rectangles", height=Rest(below=130))
    st.dataframe(_table(space, g, own, other), hide_index=True, key="clusters_beside_table")


def _sentence(space: kanon.MetricSpace, g: kanon.Generalization, own: np.ndarray, other: Beside) -> str:
    measure = f" {space.measure}".rstrip()
    circle, rectangle = (f"{number_text(float(radii.max()))}{measure}" for radii in (own, other.radii))
    out = space.total - int(g.class_weights.sum())
    more = " Rectangles leave nobody out." if out else ""
    return (
        f"In the widest cluster records are within **{circle}** of a center, in the widest of {other.g.classes:,} kd "
        f"rectangles within **{rectangle}**. The largest cluster holds {int(g.class_weights.max()):,} {space.unit}, "
        f"the largest rectangle {int(other.g.class_weights.max()):,}.{more}"
    )


def _table(space: kanon.MetricSpace, g: kanon.Generalization, own: np.ndarray, other: Beside) -> pd.DataFrame:
    measure = f" ({space.measure})" if space.measure else ""
    rows = [("Clusters", g, own), ("kd rectangles", other.g, other.radii)]
    return pd.DataFrame(
        {
            "": [words for words, _, _ in rows],
            "Groups": [one.classes for _, one, _ in rows],
            f"Largest ({space.unit})": [int(one.class_weights.max()) for _, one, _ in rows],
            f"Widest smallest circle, radius{measure}": [float(radii.max()) for _, _, radii in rows],
            f"Mean radius of a record's circle{measure}": [
                mean_radius(radii, one.class_weights) for _, one, radii in rows
            ],
        }
    )


@st.cache_resource(scope="session", max_entries=4, show_spinner="Cutting rectangles …")
def _rectangles(digest: str, k: int, _space: kanon.MetricSpace) -> Beside:
    return rectangles_beside(_space, k)


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def _circles(digest: str, _space: kanon.MetricSpace, _g: kanon.Generalization) -> np.ndarray:
    """Radii of the smallest circles of the clusters, so that like is compared with like."""
    return smallest_circles(_space, _g.assignment)


# ---------------------------------------------------------------------------------------------------------------------
# The tab "What if" for clusters: the cost against k, or against the share of records that may be left out.
# ---------------------------------------------------------------------------------------------------------------------


SHARES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
AGAINST = {"k": "another k", "share": "leaving some out"}


def show_what_if_clusters(data: Data, question: Question) -> None:
    """Which of both, and its picture."""
    against = st.segmented_control(
        "Against",
        list(AGAINST),
        default="k",
        required=True,
        format_func=AGAINST.__getitem__,
        key="clusters_against",
        label_visibility="collapsed",
        persist_state="session",
    )
    if against == "k":
        show_what_if(data, question, measure=_measure(data, question.choice))
        return
    chosen = leaving_out(question.choice)
    choice = alike(chosen, question.choice)
    runs = [_at(choice, share) for share in SHARES]
    lines = Shares(data, question, choice)
    show_sweep(data, question.k, runs, lines.draw, ks=[question.k], label=label_of_share)


def _measure(data: Data, choice: Choice) -> str:
    """The unit of the cost: that of distances where it is one."""
    measure: str = data.instance.measure
    return measure if cost_of(choice.algorithm.name, dict(choice.options)) == "radius" else ""


def leaving_out(choice: Choice) -> kanon.Algorithm:
    """The algorithm that was chosen where it leaves records out, else the one with the same cost that does."""
    if any(option.name == "epsilon" for option in choice.algorithm.options):
        return choice.algorithm
    cellular = cost_of(choice.algorithm.name, dict(choice.options)) == "cellular"
    name = "r-cellular-outliers" if cellular else "gather-outliers"
    return next(own for own in kanon.algorithms("clusters") if own.name == name)


def _at(choice: Choice, share: float) -> Choice:
    return replace(choice, options=tuple({**dict(choice.options), "epsilon": share}.items()))


def label_of_share(choice: Choice) -> str:
    """What rows call it: the share, as it can be read back."""
    return repr(dict(choice.options)["epsilon"])


@dataclass(frozen=True)
class Shares:
    """What is drawn of the runs."""

    data: Data
    question: Question
    choice: Choice  # the algorithm that leaves records out

    def draw(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> None:
        """The picture and the numbers."""
        rows = table.assign(share=table["algorithm"].astype(float)).sort_values("share")
        figure = shares_figure(rows, self.choice.algorithm, _measure(self.data, self.choice))
        picture(figure, key="clusters_shares_picture", height=Rest(BELOW, LEAST))
        words, numbers = st.columns([5, 2], vertical_alignment="top")
        words.caption(
            f"{self.choice.algorithm.title} at k = {self.question.k:,}: how much smaller clusters become when the "
            "records that lie farthest out are not published."
        )
        shown = rows[["share", "cost", "lower_bound", "classes", "seconds"]].set_axis(
            ["Share that may be left out", "Cost", "Never below", "Clusters", "Seconds"], axis=1
        )
        with numbers.popover("The numbers as a table"):
            st.dataframe(shown, hide_index=True, key="clusters_shares_table")
