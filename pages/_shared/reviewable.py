"""The results that the pages of this visit showed last, for the page that reviews them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project import Project
from pages._shared.records import Data

_RESULTS, _FILES = "_reviewable_results", "_reviewable_files"
REVIEW, CHOSEN = "pages/review.py", "review_of"  # the page, and where it keeps what is reviewed


@dataclass(frozen=True, eq=False)
class Reviewable:
    """A result, and all that tells where it comes from.

    Attributes
    ----------
    data : Data
    g : Generalization
    files : mapping
        Name and content of each file that was read.
    project : Project or None
        What `kanon run` makes the same result from; None of a page that saves none.
    """

    data: Data
    g: kanon.Generalization
    files: Mapping[str, Path | bytes]
    project: Project | None

    def inputs(self) -> dict[str, bytes]:
        """The content of each file."""
        return {name: one.read_bytes() if isinstance(one, Path) else one for name, one in self.files.items()}


def remember_result(data: Data, g: kanon.Generalization) -> None:
    """A page shows this now."""
    st.session_state.setdefault(_RESULTS, {})[data.family] = data, g


def remember_files(family: str, files: Mapping[str, Path | bytes], project: Project) -> None:
    """A page read these files, and asks this of them."""
    st.session_state.setdefault(_FILES, {})[family] = dict(files), project


def forget_files(family: str) -> None:
    """What this page shows is of no file."""
    st.session_state.get(_FILES, {}).pop(family, None)


def reviewable() -> dict[str, Reviewable]:
    """What each family's page showed last, by family."""
    results, files = st.session_state.get(_RESULTS, {}), st.session_state.get(_FILES, {})
    return {family: Reviewable(data, g, *files.get(family, ({}, None))) for family, (data, g) in results.items()}


def offer_review(family: str) -> None:
    """The way to the page where an officer reviews and signs what this family's page shows."""
    if st.button("Review and sign this release", icon=":material/fact_check:", key=f"{family}_review"):
        st.session_state[CHOSEN] = family
        st.switch_page(REVIEW)
