"""Areas of a file or a sample with the counts of a person's own records, which stay where they live."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records import Records
from kanon_engine.records.count import code_counts
from kanon_engine.registry import family_named
from pages._shared.asked import Asked, Field
from pages._shared.controls import begin_k
from pages._shared.data import COUNTS, ELSEWHERE, first_rows
from pages._shared.elsewhere import Asking, count_elsewhere, leave_elsewhere
from pages._shared.link import linked
from pages._shared.permission import permission
from pages._shared.records import File

ANEW = "Count your own records"
BACK = "Back to the counts of the file"
HELP = (
    "In these areas. They stay where they live, in a folder or a database, and only the number in each area is taken."
)
KEPT = ("id", "columns")  # of what a sample says of its reading, what holds for other counts too


def with_own_counts(file: File, notice: DeltaGenerator) -> File:
    """The areas of a file with the counts of records where they live, if the person wants these.

    Until they are counted, the page asks or shows progress, and stops.
    """
    allowed = permission()
    if not allowed or (file.sample is None and file.rows is None):
        return file
    if not _wanted(file):
        return file
    (title,) = _titles()
    field = Field(title, f"As it stands in {file.name}, where zeros in front may be missing.")
    asking = Asking("regions", (field,), _codes, f"_{file.digest}", lambda: _offer_way_back(file))
    asked, counts = count_elsewhere(asking, allowed, notice)
    _offer_way_back(file)
    return replace(file if file.sample is None else _opened(file), counts=counts, asked=asked)


def offer_own_counts(file: File) -> None:
    """A button on a sample, where records may be counted; that of a file stands in its steps."""
    if file.sample is not None and file.counts is None and permission():
        st.button(ANEW, icon=":material/database_search:", key="regions_anew", help=HELP, on_click=want, args=(file,))


def want(file: File) -> None:
    """The person wants to count records for these areas."""
    st.session_state[_entry(file)] = True


def _wanted(file: File) -> bool:
    """Whether the person wants it, or the link that opened the page."""
    if _entry(file) not in st.session_state and linked("regions", COUNTS) == ELSEWHERE:
        want(file)
    return bool(st.session_state.get(_entry(file)))


def _entry(file: File) -> str:
    return f"regions_own_counts_{file.digest}"


def _offer_way_back(file: File) -> None:
    st.button(BACK, icon=":material/undo:", key="regions_counts_of_file", on_click=_go_back, args=(file,))


def _go_back(file: File) -> None:
    st.session_state[_entry(file)] = False
    leave_elsewhere("regions")
    begin_k("regions", None if file.sample is None else file.sample.k)


def _titles() -> tuple[str, ...]:
    columns = family_named("regions").reader.counted
    return () if columns is None else columns.titles


def _codes(records: Records, asked: Asked, progress: ProgressCallback) -> Any:
    return code_counts(records, str(asked.by), progress)


def _opened(file: File) -> File:
    """A sample as a file whose reading can be changed; it begins with that of the sample."""
    sample, state = file.sample, st.session_state
    if sample is None:
        return file
    digest = kanon.content_digest(sample=sample.key)
    opened = replace(file, digest=digest, rows=first_rows(digest, file.name, sample.path.read_bytes()))
    key = f"regions_{digest[:8]}"
    if f"{key}_unasked" not in state:
        state[f"{key}_unasked"] = {name: value for name, value in sample.options.items() if name == "name" and value}
        state[f"{key}_codes_are_public"] = True
        for name in KEPT:
            if name in sample.options:
                state[f"{key}_{name}"] = sample.options[name]
    return opened
