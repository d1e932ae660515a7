"""The headline of a clustering: number of clusters, distance of records from their centers, and how good that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.gather_flow import attempt
from kanon_engine.clusters.left_out import most_left_out
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.plot import clusters_figure, shares_figure
from kanon_engine.clusters.release import OF_SHAPES, clusters_frame
from kanon_engine.clusters.squares import information_loss
from kanon_engine.model.requirement import UNKNOWN, best_possible, by_word, percent_up, within_words
from kanon_engine.model.words import free_name, number_text
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.teaching.clusters import attempt_words
from kanon_engine.teaching.clusters.picture import attempt_figure, widths_to_try
from kanon_engine.teaching.studies.shapes import (
    Beside,
    compare_with_rectangles,
    has_rectangles,
    mean_radius,
    smallest_circles,
)
from kanon_engine.verification.clusters import cost_of
from pages._shared.files import atlas
from pages._shared.picture import Rest, picture
from pages._shared.records import Data, Question
from pages._shared.results import Choice, alike, objective_of
from pages._shared.stage import group_table
from pages._shared.steps import show_how
from pages._shared.sweeps import BELOW, LEAST, show_sweep, show_what_if
from pages._shared.tasks import once
from pages._shared.widgets import pick_colors, pick_tiles, pick_view
from pages._shared.wording import escaped


def cluster_headline(space: kanon.MetricSpace, g: kanon.Generalization, proof: str) -> str:
    """The result and its quality as Markdown, for verified results only; `proof` is the certificate's."""
    sizes, unit = g.class_weights, escaped(space.unit)
    least, most = int(sizes.min()), int(sizes.max())
    clusters = f"{g.classes:,} cluster{'s' * (g.classes != 1)}"
    headline = f"{clusters} of {least:,} {unit}." if least == most else f"{clusters} of {least:,} to {most:,} {unit}."
    out = space.total - int(sizes.sum())
    left_out = f" {out:,} {unit} are left out ({percent_up(out / space.total)})." if out else ""
    return f"{headline}{left_out} {cost_words(space, g)} {nearness(space, g, proof)}"


def cost_words(space: kanon.MetricSpace, g: kanon.Generalization) -> str:
    measure, cost = f" {space.measure}".rstrip(), cost_of(g.algorithm, g.options)
    if cost == "radius":
        return f"No record is farther than {above(g.cost)}{measure} from its center."
    if cost == "squares":
        lost = above(information_loss(space, g))
        return f"The sum of squared distances to the cluster means is {above(g.cost)}, an information loss of {lost} %."
    radius = above(math.fsum((g.details.radii * g.class_weights).tolist()) / int(g.class_weights.sum()))
    with_setup = ", setup costs included" if g.options.get("facility_cost") else ""
    return f"A record's cluster has a radius of {radius}{measure} on average ({above(g.cost)} in total{with_setup})."


def above(value: float) -> str:
    """A distance rounded up to four digits.

    >>> above(1.07384), below(0.897219), above(23456.7), above(3.0)
    ('1.074', '0.8972', '23,460', '3')
    """
    return _rounded(value, ROUND_CEILING)


def below(value: float) -> str:
    """A bound rounded down to four digits."""
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: float, way: str) -> str:
    return number_text(float(Context(4, way).create_decimal(Decimal(f"{value:.12g}"))))


def nearness(space: kanon.MetricSpace, g: kanon.Generalization, proof: str) -> str:
    """How close the cost is to the best possible, and whether that was checked."""
    objective = objective_of(g)
    solution = f"{objective.solution}{_limits(space, g)}"
    if g.status == "optimal":
        return f"No {solution} {objective.less}: {best_possible(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    measure = f" {space.measure}".rstrip() if cost_of(g.algorithm, g.options) == "radius" else ""
    bound = f"{below(g.lower_bound)}{measure}"
    near = f"this result is {within_words(g.gap)} the best possible{by_word(proof)}"
    return f"No {solution} can do better than {bound}; {near}."


def _limits(space: kanon.MetricSpace, g: kanon.Generalization) -> str:
    """The clusterings that the result is compared with, if options exclude some."""
    limits = []
    if space.free and g.options.get("centers") == "input":
        limits.append("around points of the file")
    if g.options.get("max_clusters") is not None:
        limits.append(f"of at most {g.options['max_clusters']:,} clusters")
    if "epsilon" in g.options:
        most = most_left_out(space, g.options["epsilon"])
        limits.append(f"that leaves out at most {most:,} {space.unit}" if most else "of all records")
    return "".join(f" {words}" for words in limits)


# ---------------------------------------------------------------------------------------------------------------------
# The table of clusters: centers and radii as released, with the columns that the user chose to show.
# ---------------------------------------------------------------------------------------------------------------------


CONTENTS = "Center"


def cluster_table(data: Data, g: kanon.Generalization) -> pd.DataFrame:
    """One row per cluster: size, radius, center, and the values of the columns to show."""
    space = data.instance
    released = once(clusters_frame, space, g, of=g.digest)
    table = group_table(data, g).drop(columns="Contents")
    radius = next(name for name in released.columns if name.startswith("radius"))
    table[f"Radius ({space.measure})" if space.measure else "Radius"] = released[radius]
    contents = released.iloc[:, list(released.columns).index(radius) + 1 :]
    labels = [*(f"{CONTENTS}: {name}" for name in space.names), *map(str, contents.columns[len(space.names) :])]
    for place, label in enumerate(labels):
        table[free_name(label, [*table.columns, *OF_SHAPES])] = contents.iloc[:, place]
    return table


# ---------------------------------------------------------------------------------------------------------------------
# Options of the cluster picture.
# ---------------------------------------------------------------------------------------------------------------------


def choose_layers(space: kanon.MetricSpace) -> dict[str, Any]:
    with st.expander("Picture"):
        layers: dict[str, Any] = {"color_by": pick_colors("clusters")}
        if space.metric == "haversine":
            layers |= {"tiles": pick_tiles("clusters"), "background": atlas()}
    return layers


# ---------------------------------------------------------------------------------------------------------------------
# The tab "How it works": the run step by step, and section 2.2 of the paper at any width.
# ---------------------------------------------------------------------------------------------------------------------


RUN, WIDTH = "Step by step", "Any width"
BY_WIDTH = ("gather", "center", "gather-outliers", "center-outliers")
MOST_POINTS = 40_000  # while the user waits
TOO_MANY = "There are too many points to try a width while you wait; choose data with fewer points."
HELP = (
    "This distance is the width, 2R in the paper. Centers are chosen one by one, each the first point that is not "
    "within the width of an earlier one. Then each center is assigned k records within the width, if that is possible "
    "(computed as a network flow). Below a certain width, no clustering exists. Above that width, these centers may "
    "not be the best, so a larger width can fail where a smaller one works."
)


def show_radius(space: kanon.MetricSpace, g: kanon.Generalization, algorithm: kanon.Algorithm, **layers: Any) -> None:
    """The run step by step; for algorithms that try widths, also any single width."""
    if algorithm.name in BY_WIDTH and pick_view("Shown", {RUN: RUN, WIDTH: WIDTH}, "clusters_how") == WIDTH:
        _show_width(space, g, **layers)
        return
    show_how(space, g, **layers)


def _show_width(space: kanon.MetricSpace, g: kanon.Generalization, **layers: Any) -> None:
    """A slider over widths, what the method does at this one, and why it fails where it does."""
    if len(space) > MOST_POINTS:
        st.info(TOO_MANY)
        return
    nearest_items = once(nearest, space, g.k, of=(space.digest, g.k))
    widths = widths_to_try(nearest_items)
    measure = f" {space.measure}".rstrip()
    first = next((width for width in widths if width >= float(nearest_items.rho.max())), widths[-1])
    chosen = widths[0]
    if len(widths) > 1:
        chosen = st.select_slider(
            "Maximum distance of a record from its center",
            widths,
            value=first,
            format_func=lambda width: f"{number_text(width)}{measure}",
            key=f"clusters_width_{space.digest[:8]}_{g.k}",
            help=HELP,
        )
    tried = once(attempt, nearest_items, chosen, of=(space.digest, g.k, chosen), most=60, words="Trying this width …")
    st.markdown(escaped(attempt_words(nearest_items, tried)))
    base_layers = {name: value for name, value in layers.items() if name in ("tiles", "background")}
    picture(attempt_figure(nearest_items, tried, **base_layers), key="clusters_attempt", height=Rest())


# ---------------------------------------------------------------------------------------------------------------------
# The tab "Circle or rectangle": the same points in clusters and in kd rectangles.
# ---------------------------------------------------------------------------------------------------------------------


NEEDS_TWO = (
    "Rectangles need two columns of numbers, or longitude and latitude. Choose two columns, or open the page “GPS "
    "points”."
)
WHAT = (
    "A rectangle may be long and thin, so even a few points in it can be far apart. Below, the smallest "
    "circle around each rectangle's points is compared with the smallest circle around each cluster's points."
)


def show_rectangles_comparison(data: Data, g: kanon.Generalization, **layers: Any) -> None:
    """Both pictures, compared by the same measure: smallest circles."""
    space = data.instance
    if not has_rectangles(space):
        st.info(NEEDS_TWO)
        return
    other = once(compare_with_rectangles, space, g.k, of=(space.digest, g.k), words="Cutting rectangles …")
    radii = once(smallest_circles, space, g.assignment, of=g.digest)
    st.markdown(_sentence(space, g, radii, other), help=WHAT)
    base_layers = {name: value for name, value in layers.items() if name in ("tiles", "background")}
    left, right = st.columns(2)
    with left:
        picture(clusters_figure(space, g, **layers), key="clusters_beside", height=Rest(below=130))
    with right:
        picture(
            rectangles_figure(other.points, other.g, **base_layers), key="clusters_rectangles", height=Rest(below=130)
        )
    st.dataframe(_table(space, g, radii, other), hide_index=True, key="clusters_beside_table")


def _sentence(space: kanon.MetricSpace, g: kanon.Generalization, circles: np.ndarray, other: Beside) -> str:
    measure = f" {space.measure}".rstrip()
    circle, rectangle = (f"{number_text(float(radii.max()))}{measure}" for radii in (circles, other.radii))
    out = space.total - int(g.class_weights.sum())
    more = " Rectangles leave no record out." if out else ""
    return (
        f"In the widest cluster, all records are within **{circle}** of one center. In the widest of "
        f"{other.g.classes:,} rectangles cut by a kd-tree, all records are within **{rectangle}** of one center. The "
        f"largest cluster holds {int(g.class_weights.max()):,} {space.unit}, and the largest rectangle "
        f"{int(other.g.class_weights.max()):,}.{more}"
    )


def _table(space: kanon.MetricSpace, g: kanon.Generalization, circles: np.ndarray, other: Beside) -> pd.DataFrame:
    measure = f" ({space.measure})" if space.measure else ""
    rows = [("Clusters", g, circles), ("Rectangles (kd-tree)", other.g, other.radii)]
    return pd.DataFrame(
        {
            "": [words for words, _, _ in rows],
            "Groups": [one.classes for _, one, _ in rows],
            f"Largest ({space.unit})": [int(one.class_weights.max()) for _, one, _ in rows],
            f"Largest radius of a group's circle{measure}": [float(radii.max()) for _, _, radii in rows],
            f"Mean radius of the circle around a record's group{measure}": [
                mean_radius(radii, one.class_weights) for _, one, radii in rows
            ],
        }
    )


# ---------------------------------------------------------------------------------------------------------------------
# The tab "What if" for clusters: the cost against k, or against the share of records that may be left out.
# ---------------------------------------------------------------------------------------------------------------------


SHARES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
AGAINST = {"k": "another k", "share": "share of records left out"}


def show_what_if_clusters(data: Data, question: Question) -> None:
    if pick_view("Against", AGAINST, "clusters_against") == "k":
        show_what_if(data, question, measure=_measure(data, question.choice))
        return
    choice = alike(leaving_out(question.choice), question.choice)
    runs = [choice.with_options(epsilon=share) for share in SHARES]
    lines = Shares(data, question, choice)
    show_sweep(data, question.k, runs, lines.draw, ks=[question.k], label=label_of_share)


def _measure(data: Data, choice: Choice) -> str:
    """The unit of the cost: that of distances if the cost is a distance."""
    measure: str = data.instance.measure
    return measure if cost_of(choice.algorithm.name, dict(choice.options)) == "radius" else ""


def leaving_out(choice: Choice) -> kanon.Algorithm:
    """The chosen algorithm if it leaves records out, otherwise the one with the same cost that does."""
    if any(option.name == "epsilon" for option in choice.algorithm.options):
        return choice.algorithm
    cellular = cost_of(choice.algorithm.name, dict(choice.options)) == "cellular"
    name = "r-cellular-outliers" if cellular else "gather-outliers"
    return next(algorithm for algorithm in kanon.algorithms("clusters") if algorithm.name == name)


def label_of_share(choice: Choice) -> str:
    """The label in rows: the share, in a form that can be parsed back."""
    return repr(dict(choice.options)["epsilon"])


@dataclass(frozen=True)
class Shares:
    """The table drawn from the runs."""

    data: Data
    question: Question
    choice: Choice  # the algorithm that leaves records out

    def draw(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> None:
        rows = table.assign(share=table["algorithm"].astype(float)).sort_values("share")
        figure = shares_figure(rows, self.choice.algorithm, _measure(self.data, self.choice))
        picture(figure, key="clusters_shares_picture", height=Rest(BELOW, LEAST))
        words, numbers = st.columns([5, 2], vertical_alignment="top")
        words.caption(
            f"{self.choice.algorithm.title} at k = {self.question.k:,}: how much clusters shrink when the farthest "
            "records are not published."
        )
        summary = rows[["share", "cost", "lower_bound", "classes", "seconds"]].set_axis(
            ["Share that may be left out", "Cost", "Lower bound", "Clusters", "Seconds"], axis=1
        )
        with numbers.popover("Numbers as a table"):
            st.dataframe(summary, hide_index=True, key="clusters_shares_table")
