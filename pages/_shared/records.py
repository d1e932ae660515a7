"""Records that pass together from one part of a page to the next."""

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
    """The user's choice of data before it is read; records stored elsewhere are already counted."""

    family: str
    name: str
    content: Path | bytes
    digest: str  # of the content; of a sample, its key
    notes: DeltaGenerator  # the slot in the sidebar for how the data were read
    sample: Sample | None = None  # None for a user's own data
    rows: pd.DataFrame | None = None  # the first rows of a user's own file; None if there are none to show
    # Points, Labels or Table made from records stored elsewhere, then without content; otherwise None
    counted: Any = None
    # how many records stored elsewhere have each code; they are counted for the areas in the content
    counts: Source | None = None
    asked: ElsewhereQuestion | None = None  # which records stored elsewhere were counted for `counted` or `counts`
    tuples: Tuples | None = None  # for a table in `counted`: the source of other tables with the same columns
    sheet: str | None = None  # the sheet of a workbook to read; None if there is no choice

    @property
    def key(self) -> str:
        """The key prefix of the widgets that say how a file is read; "" if there are none."""
        as_it_is = self.sample is not None and self.counts is None
        return "" if as_it_is or self.counted is not None else f"{self.family}_{self.short}"

    @property
    def short(self) -> str:
        """The identity of a file and its sheet."""
        return self.digest[:8] + ("" if self.sheet is None else f"_{content_digest(sheet=self.sheet)[:8]}")

    @property
    def words(self) -> str:
        return self.name if self.sheet is None else f"{self.name} (sheet “{self.sheet}”)"

    @property
    def columns(self) -> list[str]:
        """The columns of a user's own file that the user can choose."""
        return column_names(self.rows)


def column_names(rows: pd.DataFrame | None) -> list[str]:
    return [] if rows is None else [str(column) for column in rows.columns]


@dataclass(frozen=True)
class Data:
    """The data that a page works on."""

    family: str
    instance: Any  # Regions, Points, Labels, Table or MetricSpace
    k: int  # an initial k
    origin: str  # for the user: its source and license
    link: Mapping[str, str] = field(default_factory=dict)  # its address bar parameters besides its name
    key: str = ""  # same as the `File`'s
    rules: str = ""  # the prefix of the session keys with requirements on groups besides k
    base: str = ""  # the digest of the instance as read, before any requirements on its groups
    asked: tuple[str, ...] = ()  # the session keys with requirements on groups besides k
    travels: bool = True  # whether the address bar may hold more than its name


@dataclass(frozen=True)
class Question:
    """What the user asks of the data."""

    k: int
    choice: Choice  # the algorithm
    promise: DeltaGenerator  # the slot in the sidebar for the algorithm's guarantee


# ---------------------------------------------------------------------------------------------------------------------
# The last result of each page in this visit, for the page Review.
# ---------------------------------------------------------------------------------------------------------------------


_RESULTS, _FILES, _FAILING = "_reviewable_results", "_reviewable_files", "_failing_rules"
REVIEW, CHOSEN = "pages/review.py", "review_of"  # the page, and its session key for the reviewed release
ANSWERS = "review_answers"  # the session key for a project whose answers the page Review has not shown yet


@dataclass(frozen=True, eq=False)
class Reviewable:
    """A result with its full provenance."""

    data: Data
    g: kanon.Generalization
    files: Mapping[str, Path | bytes]  # name and content of each file that was read
    project: Project | None  # the file from which `kanon run` makes the same result; None if the page saves none

    def inputs(self) -> dict[str, bytes]:
        return {name: one.read_bytes() if isinstance(one, Path) else one for name, one in self.files.items()}


def remember_result(data: Data, g: kanon.Generalization) -> None:
    st.session_state.setdefault(_RESULTS, {})[data.family] = data, g


def remember_files(family: str, files: Mapping[str, Path | bytes], project: Project) -> None:
    """Record that a page read these files and asks this question."""
    st.session_state.setdefault(_FILES, {})[family] = dict(files), project


def forget_files(family: str) -> None:
    """Record that this page shows no file."""
    st.session_state.get(_FILES, {}).pop(family, None)


def reviewable() -> dict[str, Reviewable]:
    """The last result of each family's page, by family."""
    results, files = st.session_state.get(_RESULTS, {}), st.session_state.get(_FILES, {})
    return {family: Reviewable(data, g, *files.get(family, ({}, None))) for family, (data, g) in results.items()}


def remember_failing(g: kanon.Generalization, rules: int) -> None:
    """Record how many stated rules do not hold for this result, according to the page Review."""
    st.session_state.setdefault(_FAILING, {})[g.digest] = rules


def failing_rules(g: kanon.Generalization) -> int:
    """How many stated rules do not hold for this result; 0 if it was not reviewed in this visit."""
    count: int = st.session_state.get(_FAILING, {}).get(g.digest, 0)
    return count


def offer_review(family: str) -> None:
    """A link to the page where an officer reviews and signs what this family's page shows."""
    if st.button("Review and sign this release", icon=":material/fact_check:", key=f"{family}_review"):
        st.session_state[CHOSEN] = family
        st.switch_page(REVIEW)


# ---------------------------------------------------------------------------------------------------------------------
# Whether anybody can look up the areas' codes: asked once, on whichever page comes first.
# ---------------------------------------------------------------------------------------------------------------------


ASK = "Are the codes of these areas public knowledge?"
PUBLIC = {
    True: "Yes: anybody can look them up, like zip codes, counties and census tracts",
    False: "No: they represent addresses, households, sites or patients",
}
WHY = (
    "Yes: the package lists each group's codes, names groups after places and keeps exact borders. No: a list or a "
    "border would reveal who is in a group, so groups are numbered, and their shapes are grid squares."
)


def codes_are_public(data: Data) -> bool | None:
    """The user's answer; None if not asked yet. Samples are of zip codes, counties and tracts."""
    answer: bool | None = st.session_state.get(codes_key(data), None if data.key else True)
    return answer


def codes_key(data: Data) -> str:
    """The session key of the answer."""
    return f"{data.key or 'regions'}_codes_are_public"
