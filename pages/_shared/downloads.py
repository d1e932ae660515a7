"""The tab "Publish": files that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import streamlit as st

from kanon_engine import Generalization, Intersection, intersect
from kanon_engine.release.publication import Output, outputs
from pages._shared.compare import title
from pages._shared.records import Data, offer_review
from pages._shared.result import NOT_ANONYMOUS
from pages._shared.wording import escaped

FORMULAS = (
    "In CSV and Excel files, text that a spreadsheet would take for a formula (it begins with =, +, − or @) has an "
    "apostrophe in front. Numbers stay numbers."
)


def show_downloads(
    data: Data, g: Generalization, *, without: Sequence[str] = (), warn: bool = True, **surroundings: Any
) -> None:
    """A button a file, each with what is in it and what is not; what may be published first.

    Parameters
    ----------
    without : Keys of outputs that are not offered.
    warn : Whether to say what this release and those that left before tell together, and to lead to the review.
    **surroundings : Further arguments of `kanon_engine.release.publication.outputs`.
    """
    files = [file for file in outputs(data.instance, g, **surroundings) if file.key not in without]
    if g.status == "relaxed":
        st.error(f"**{NOT_ANONYMOUS}**", icon=":material/block:")
    if warn:
        offer_review(data.family)
        warn_of_others(data.instance, g)
    for heading, publishable in (("May be published", True), ("Stays inside", False)):
        mine = [file for file in files if file.publishable == publishable]
        if mine:
            st.markdown(f"##### {heading}")
            for _, alike in groupby(mine, key=lambda file: (file.key, file.contents)):
                show_files(g, list(alike), data.instance)
    st.caption(FORMULAS)


def _released(instance: Any) -> dict[str, Generalization]:
    """The releases of these data that left in this visit, by their digest."""
    everything: dict[str, dict[str, Generalization]] = st.session_state.setdefault("_left", {})
    return everything.setdefault(instance.digest, {})


def released_in_visit(instance: Any) -> list[Generalization]:
    """The releases of these data that left in this visit."""
    return list(_released(instance).values())


def remembering(instance: Any, g: Generalization) -> Callable[[], None]:
    """What is to be called, from any thread, when a release of this result has left."""
    return partial(_released(instance).__setitem__, g.digest, g)


def warn_of_others(instance: Any, g: Generalization) -> None:
    """What this release and each that left before tell together."""
    others = [other for other in _released(instance).values() if not np.array_equal(other.assignment, g.assignment)]
    for other in others:
        found = _together(instance, g, other, g.digest, other.digest)
        words = f"In this visit another release of these data left ({title(other)}). {escaped(found.sentence)}"
        if found.exposed or len(found.counts):
            st.warning(words, icon=":material/join_inner:")
        else:
            st.info(words, icon=":material/join_inner:")
    if len(others) > 1:
        st.caption("Each pair was looked at. Three releases can tell more than any two of them.")


@st.cache_resource(scope="session", max_entries=50, show_spinner="Looking at what both releases tell together …")
def _together(
    _instance: Any, _g: Generalization, _other: Generalization, digest: str, other_digest: str
) -> Intersection:
    return intersect(_instance, _g, _other)


def show_files(g: Generalization, files: Sequence[Output], instance: Any) -> None:
    """A button for each file that holds the same, with what is in them. A release that leaves is remembered."""
    remember = remembering(instance, g)

    def make(file: Output) -> str | bytes:
        content = file.make()
        if file.publishable:
            remember()
        return content

    left, right = st.columns([1, 3], vertical_alignment="center")
    for file in files:
        left.download_button(
            file.label,
            partial(make, file),
            f"kanon-{g.family}-k{g.k}-{file.ending}",
            file.mime,
            key=f"{g.family}_{file.label}",
            on_click="ignore",
            width="stretch",
        )
    right.markdown(escaped(files[0].contents))
