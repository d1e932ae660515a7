"""A person's own records, into which the groups of a result are put: what each column is, and what is below k."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.apply import OwnRelease, apply
from kanon_engine.model.family import TABLES
from kanon_engine.model.known import family_named
from kanon_engine.project.recipe import Leaving
from pages._review.uploads import table_of
from pages._shared.entry import stop_page
from pages._shared.reviewable import Reviewable
from pages._shared.upload import choose_upload
from pages._shared.wording import escaped, on_page

KEY = "review_own"
LEAST = 5
TOGETHER = "Generalize all of these columns together"
TOGETHER_HELP = (
    "Then every set of records that show the same in them holds at least as many as you ask for. A group stays as it "
    "is or becomes “any”; other columns are put into ranges."
)
HELP = (
    "One row a person, with a column that says where. Groups take the place of that column; only columns that you name "
    "leave. The file stays on this machine."
)


def choose_own(chosen: Reviewable, public: bool | None) -> tuple[OwnRelease | None, Leaving, str]:
    """The records as they would leave, what leaves, and the digest of their file."""
    groups = Leaving(codes_are_public=public)
    family = family_named(chosen.g.family)
    if family.releases_records or family.release is None or family.release.placed is None:
        st.caption("The release holds the records themselves.")
        return None, groups, ""
    st.caption(HELP)
    upload = choose_upload("Your records", TABLES, KEY, HELP)
    if upload is None:
        return None, groups, ""
    records = table_of(upload)
    records.columns = [str(name) for name in records.columns]
    columns = list(records.columns)
    by = _choose_place(chosen.data.instance, columns)
    rest = [name for name in columns if name not in by]
    quasi = st.multiselect("Others may know of a person", rest, key=f"{KEY}_quasi")
    sensitive = st.multiselect("Sensitive", [name for name in rest if name not in quasi], key=f"{KEY}_sensitive")
    least = int(st.number_input("Least records of a group", 1, max(1, len(records)), LEAST, key=f"{KEY}_k"))
    leaving = replace(groups, own=upload[0], by=tuple(by), quasi_identifiers=tuple(quasi), sensitive=tuple(sensitive),
                      k=least)  # fmt: skip
    digest = kanon.content_digest(data=upload[1])
    try:
        own = _placed(chosen.g.digest, digest, repr(leaving), chosen, records, leaving)
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        stop_page()
    _tell(own)
    return own, leaving, digest


@st.cache_resource(scope="session", max_entries=8, show_spinner="Putting the groups into your records …")
def _placed(
    result: str, file: str, told: str, _chosen: Reviewable, _records: pd.DataFrame, _leaving: Leaving
) -> OwnRelease:
    return apply(
        _chosen.data.instance, _chosen.g, _records, _leaving.by, quasi_identifiers=_leaving.quasi_identifiers,
        sensitive=_leaving.sensitive, k=_leaving.k, **_leaving.said,
    )  # fmt: skip


def choose_together(own: OwnRelease | None) -> bool:
    """Whether all columns that others may know are generalized together; asked where sets of records are below k."""
    if own is None or not own.below.records:
        return False
    return st.checkbox(TOGETHER, key=f"{KEY}_together", help=TOGETHER_HELP, persist_state="session")


def _choose_place(instance: Any, columns: list[str]) -> list[str]:
    """The columns that say where a record is: one with codes or labels, or one for each coordinate."""
    if isinstance(instance, kanon.Points):
        names: tuple[str, ...] = ("x or longitude", "y or latitude")
    elif isinstance(instance, kanon.MetricSpace):
        names = tuple(map(str, instance.names))
    else:
        names = ("the code or label",)
    return [str(st.selectbox(f"Column of {escaped(name)}", columns, key=f"{KEY}_by_{name}")) for name in names]


def _tell(own: OwnRelease) -> None:
    """What was put right, what was left out, and how many records are below k over all columns."""
    for note in own.notes:
        st.caption(escaped(note))
    if own.unmatched.records:
        st.warning(escaped(own.unmatched.sentence), icon=":material/person_off:")
    st.caption(escaped(own.sentence))
