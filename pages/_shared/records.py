"""What travels together from one part of a page to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.io.source import Source
from kanon_engine.model.serialize import content_digest
from kanon_engine.project import Project
from kanon_engine.records import Tuples
from pages._shared.files import Sample
from pages._shared.results import Choice

if TYPE_CHECKING:
    from pages._shared.elsewhere import ElsewhereQuestion


@dataclass(frozen=True)
class File:
    """What a person chose to work on, before it is read; records that live elsewhere are counted by then."""

    family: str
    name: str
    content: Path | bytes
    digest: str  # of the content; of a sample, its key
    notes: DeltaGenerator  # the slot in the sidebar for what was understood
    sample: Sample | None = None  # None for what is a person's own
    rows: pd.DataFrame | None = None  # the first rows of a person's own file; None where there are none to show
    # Points, Labels or Table, or None: what was made of records that live elsewhere; there is no content then
    counted: Any = None
    # how many records that live elsewhere have each code; these are counted for the areas that stand in the content
    counts: Source | None = None
    asked: ElsewhereQuestion | None = None  # which records that live elsewhere were counted for `counted` or `counts`
    tuples: Tuples | None = None  # of a table in `counted`, what other tables of the same columns are made of
    sheet: str | None = None  # which sheet is read of a workbook; None where there is no choice

    @property
    def key(self) -> str:
        """With what the keys of the widgets begin that say how a file is read; "" where nobody chooses that."""
        as_it_is = self.sample is not None and self.counts is None
        return "" if as_it_is or self.counted is not None else f"{self.family}_{self.short}"

    @property
    def short(self) -> str:
        """What tells a file, and a sheet of it, from others."""
        return self.digest[:8] + ("" if self.sheet is None else f"_{content_digest(sheet=self.sheet)[:8]}")

    @property
    def words(self) -> str:
        return self.name if self.sheet is None else f"{self.name} (sheet “{self.sheet}”)"

    @property
    def columns(self) -> list[str]:
        """Of a person's own file, as far as a person can choose between them."""
        return column_names(self.rows)


def column_names(rows: pd.DataFrame | None) -> list[str]:
    return [] if rows is None else [str(column) for column in rows.columns]


@dataclass(frozen=True)
class Data:
    """What a page works on."""

    family: str
    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    k: int  # a k to begin with
    origin: str  # for the person: where it comes from, and under which licence
    link: Mapping[str, str] = field(default_factory=dict)  # what the address bar says of it besides its name
    key: str = ""  # as that of the `File`
    rules: str = ""  # with what the session's entries begin that say what is asked of groups besides k
    base: str = ""  # the digest of the instance as it was read, before anything was asked of its groups
    asked: tuple[str, ...] = ()  # the session's entries that hold what is asked of groups besides k
    travels: bool = True  # whether the address bar may say more of it than its name


@dataclass(frozen=True)
class Question:
    """What a person asks of the data."""

    k: int
    choice: Choice  # the algorithm
    promise: DeltaGenerator  # the slot in the sidebar for what the algorithm promises


# ---------------------------------------------------------------------------------------------------------------------
# The results that the pages of this visit showed last, for the page that reviews them.
# ---------------------------------------------------------------------------------------------------------------------


_RESULTS, _FILES = "_reviewable_results", "_reviewable_files"
REVIEW, CHOSEN = "pages/review.py", "review_of"  # the page, and where it keeps what is reviewed


@dataclass(frozen=True, eq=False)
class Reviewable:
    """A result, and all that tells where it comes from."""

    data: Data
    g: kanon.Generalization
    files: Mapping[str, Path | bytes]  # name and content of each file that was read
    project: Project | None  # what `kanon run` makes the same result from; None of a page that saves none

    def inputs(self) -> dict[str, bytes]:
        return {name: one.read_bytes() if isinstance(one, Path) else one for name, one in self.files.items()}


def remember_result(data: Data, g: kanon.Generalization) -> None:
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


# ---------------------------------------------------------------------------------------------------------------------
# Whether anybody can look up where the codes of areas are: asked once, on whichever page comes first.
# ---------------------------------------------------------------------------------------------------------------------


ASK = "Are the codes of these areas public geography?"
PUBLIC = {
    True: "Yes: anybody can look up where they are, as for zip codes, counties and census tracts",
    False: "No: they stand for addresses, households, sites or patients",
}
WHY = (
    "Yes: the package lists the codes of each group, names groups after places and keeps exact borders. No: a list or "
    "a border would tell who is in a group, so groups are numbered, and their shapes are squares of a grid."
)


def codes_are_public(data: Data) -> bool | None:
    """What the person said; None where nobody was asked yet. Samples are of zip codes, counties and tracts."""
    said: bool | None = st.session_state.get(codes_key(data), None if data.key else True)
    return said


def codes_key(data: Data) -> str:
    """What the answer is called in the session."""
    return f"{data.key or 'regions'}_codes_are_public"
