"""The tab "How it works": section 2.2 of the paper at one width, which a person chooses."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.gather.attempt import Attempt, attempt
from kanon_engine.clusters.nearest import Nearest, nearest
from kanon_engine.clusters.plot.attempt import attempt_figure
from kanon_engine.model.words import number_text
from pages._shared.picture import Rest, picture
from pages._shared.wording import escaped

MOST_POINTS = 40_000  # for which a person waits
STOPS = 41
TOO_MANY = "These are too many points to try a width while you wait; choose fewer."


def show_radius(space: kanon.MetricSpace, g: kanon.Generalization) -> None:
    """A slider over widths, what the method does at this one, and why it fails where it does."""
    if len(space) > MOST_POINTS:
        st.info(TOO_MANY)
        return
    found = _nearest(space.digest, g.k, space)
    widths = _widths(space, found)
    measure = f" {space.measure}".rstrip()
    chosen = st.select_slider(
        "How far a record may be from its center",
        widths,
        value=_first(widths, float(found.rho.max())),
        format_func=lambda width: f"{number_text(width)}{measure}",
        key=f"clusters_width_{space.digest[:8]}_{g.k}",
        help="The paper's 2R. Below some width there is no clustering; above it the greedy centers need not be the "
        "best ones, so that a larger width can fail where a smaller one works.",
    )
    tried = _attempt(space.digest, g.k, chosen, found)
    st.markdown(escaped(_sentence(space, g.k, tried)))
    picture(attempt_figure(space, g.k, tried), key="clusters_attempt", height=Rest())


def _widths(space: kanon.MetricSpace, found: Nearest) -> list[float]:
    """From where every attempt fails to where one center is enough, by equal factors."""
    positive = found.rho[found.rho > 0]
    if not len(positive):
        return [0.0, 1.0]
    low, high = float(np.median(positive)), float(space.distances(0).max())
    stops = np.geomspace(low, max(high, 1.01 * low), STOPS)
    return sorted({0.0, float(found.rho.max()), *(float(f"{stop:.4g}") for stop in stops)})


def _first(widths: list[float], failing: float) -> float:
    """The first that may work: each record has k within it."""
    return next((width for width in widths if width >= failing), widths[-1])


def _sentence(space: kanon.MetricSpace, k: int, tried: Attempt) -> str:
    measure = f" {space.measure}".rstrip()
    width = f"{number_text(tried.width)}{measure}"
    centers = f"{len(tried.centers):,} greedy center{'s' * (len(tried.centers) != 1)}, each farther than {width} from "
    begin = f"{centers}the others. "
    if tried.succeeded:
        return (
            f"{begin}A flow gives each {k:,} {space.unit} within {width}: this works, and no record is farther from its "
            "center."
        )
    if len(tried.witness) == 1:
        return (
            f"{begin}It fails: around {space.label(int(tried.witness[0]))} there are fewer than {k:,} {space.unit} within "
            f"{width}. So in every clustering two records of a cluster are farther apart."
        )
    need = k * len(tried.witness)
    return (
        f"{begin}It fails: {len(tried.witness):,} of them need {need:,} {space.unit} together, and fewer are within "
        f"{width} of one of them. So in every clustering two records of a cluster are farther apart than {width}, and "
        f"some radius is above {number_text(math.nextafter(tried.width / 2, 0))}{measure}."
    )


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _nearest(digest: str, k: int, _space: kanon.MetricSpace) -> Nearest:
    return nearest(_space, k)


@st.cache_resource(scope="session", max_entries=60, show_spinner="Trying this width …")
def _attempt(digest: str, k: int, width: float, _found: Nearest) -> Attempt:
    return attempt(_found, width)
