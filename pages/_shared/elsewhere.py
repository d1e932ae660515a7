"""Records where they live: a person says where and which columns, sees the SQL, and has them counted beside the page.

Only this visit holds what a person enters here. It is in no link and no project, for both travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records import Records, count, sql_of_count
from kanon_engine.registry import family_named
from pages._shared.asked import Asked, Field, pick_field, picked_field
from pages._shared.background import Task
from pages._shared.controls import begin_k
from pages._shared.engine_work import PATIENCE, in_turn, show_work
from pages._shared.entry import stop_page
from pages._shared.permission import VARIABLE, Permission
from pages._shared.records import File
from pages._shared.tasks import tasks
from pages._shared.widgets import given, pick_unit, picked_text
from pages._shared.wording import escaped, on_page

TITLE = "Records where they live …"
LEAD = "kanon counts the records where they are, in a folder or a database. Only the counts are taken."
WHERE = "Folder, file or address"
WHERE_HELP = (
    "A folder of CSV or Parquet files, one such file of any size, a file of SQLite or DuckDB, or the address of a "
    "database. Never write a password here: the computer that runs kanon takes it from KANON_PASSWORD in its "
    "environment, or from its keyring."
)
TABLE = "Table"
LOOK = "Look at its columns"
SQL = "The SQL that counts"
LOOKING = "Looking at the columns"
COUNT = "Count the records"
STOP = "Stop counting"
OTHERS = "Count other records"


def choose_elsewhere(family: str, allowed: Permission, notice: DeltaGenerator, fields: Sequence[Field]) -> File:
    """Records that were counted where they live. Until they are, the page asks or shows progress, and stops."""
    asked: Asked | None = st.session_state.get(_asked(family))
    refused = "" if asked is None else escaped(allowed.refusal(asked.address))
    if asked is None or refused:
        _ask(family, allowed, notice, fields, refused)
    task = tasks().begin(_slot(family), ("counted", asked), partial(_count, asked))
    task.wait(PATIENCE)
    if task.running:
        with notice.container():
            st.subheader(family_named(family).page.heading)
            _show_progress(asked.words, task, f"{family}_stop_count")
    try:
        instance = task.result()
    except kanon.KanonError as error:
        tasks().forget(task)
        st.session_state.pop(_asked(family))
        _ask(family, allowed, notice, fields, on_page(error))
    st.button(OTHERS, icon=":material/edit:", key=f"{family}_count_others", on_click=_forget, args=(family,))
    return File(family, asked.address, b"", instance.digest, st.container(), counted=instance)


def fields_of(family: str) -> tuple[Field, ...]:
    """Of the columns that the family's items are counted by; none where they are only read."""
    columns = family_named(family).reader.counted
    return () if columns is None or columns.joined else tuple(map(Field, columns.titles))


def asked_of(file: File) -> Asked | None:
    """What was counted where it lives; None of a file that is read."""
    asked: Asked | None = None if file.counted is None else st.session_state.get(_asked(file.family))
    return asked


def columns_of(place: Asked, slot: str) -> Task:
    """Beside the page: the names of the columns of records. Most engines know them at once."""
    task = tasks().begin(slot, ("columns", place), partial(_columns, place))
    task.wait(PATIENCE)
    return task


def leave_elsewhere(family: str) -> None:
    """The person wants other data: a count that still runs ends."""
    tasks().leave(_slot(family))


def _forget(family: str) -> None:
    st.session_state.pop(_asked(family), None)


def _asked(family: str) -> str:
    """The entry of the session that holds what is to be counted."""
    return f"{family}_elsewhere_asked"


def _slot(family: str) -> str:
    return f"{family}_elsewhere"


def _ask(
    family: str, allowed: Permission, notice: DeltaGenerator, fields: Sequence[Field], problem: str = ""
) -> NoReturn:
    """Fields for where and what, and the button that counts; the page stops here."""
    with notice.container():
        st.subheader(family_named(family).page.heading)
        st.markdown(LEAD)
        if problem:
            st.error(problem, icon=":material/error:")
        looked = _choose_place(family, allowed)
        if looked is not None:
            _choose_columns(family, looked, fields)
    stop_page()


def _choose_place(family: str, allowed: Permission) -> Asked | None:
    """Where the records are; None until the person has asked for a look at them."""
    key = f"{family}_elsewhere"

    def look() -> None:
        address = picked_text(f"{key}_address")
        st.session_state[f"{key}_looked"] = address and Asked(address, picked_text(f"{key}_table"))

    with st.form(f"{key}_place", border=False):  # what is typed is there when the button is pressed
        where, table, button = st.columns([5, 2, 2], vertical_alignment="bottom")
        where.text_input(WHERE, key=f"{key}_address", help=WHERE_HELP, persist_state="session")
        table.text_input(TABLE, placeholder="of a database", key=f"{key}_table", persist_state="session")
        button.form_submit_button(LOOK, key=f"{key}_look", on_click=look, width="stretch")
    if allowed.named:
        st.caption(f"{VARIABLE} on this server names what may be counted: {escaped(', '.join(allowed.named))}.")
    looked: Asked | None = st.session_state.get(f"{key}_looked")
    refused = "" if looked is None else allowed.refusal(looked.address)
    if refused:
        st.error(escaped(refused), icon=":material/block:")
        return None
    return looked


def _choose_columns(family: str, place: Asked, fields: Sequence[Field]) -> None:
    """Which columns are counted, what that sends to the engine, and the button that begins."""
    key = f"{family}_elsewhere"
    task = columns_of(place, f"{key}_look")
    if task.running:
        _show_progress(LOOKING, task)
    try:
        columns = task.result()
    except kanon.KanonError as error:
        tasks().forget(task)
        st.error(on_page(error), icon=":material/error:")
        return
    row = st.columns(len(fields) + 1)
    for number, (field, place_of) in enumerate(zip(fields, row, strict=False)):
        with place_of:
            pick_field(field, columns, f"{key}_by_{number}")
    with row[-1]:
        pick_unit(key)

    def asked() -> Asked:
        picked = [picked_field(field, f"{key}_by_{number}") for number, field in enumerate(fields)]
        return replace(place, columns=tuple(zip(fields, picked, strict=True)), unit=picked_text(f"{key}_unit"))

    wanted = asked()
    if not all(field.option or names for field, names in wanted.columns):
        return
    with st.expander(SQL):
        for what, sql in _sql(replace(wanted, unit=None)):
            st.caption(escaped(what))
            st.code(sql, language="sql", wrap_lines=True)

    def begin() -> None:
        st.session_state[_asked(family)] = asked()
        begin_k(family)

    st.button(COUNT, type="primary", key=f"{key}_count", on_click=begin)


def _show_progress(words: str, task: Task, stop: str = "") -> NoReturn:
    """How far the work is, with a button of this key that ends it; the page stops here."""
    show_work(words, task, stop, STOP)
    stop_page()


def _count(asked: Asked, task: Task) -> Any:
    """The instance; runs beside the page."""

    def work(heard: ProgressCallback) -> Any:
        with Records.open(asked.address, asked.table) as records:
            return count(records, asked.by, progress=heard, **given(unit=asked.unit), **asked.options)

    return in_turn(task, work, "Counting was stopped before it began.")


def _columns(place: Asked, task: Task) -> list[str]:
    with Records.open(place.address, place.table) as records:
        return list(records.columns)


@st.cache_data(scope="session", max_entries=8, show_spinner="Writing the SQL …")
def _sql(asked: Asked) -> list[tuple[str, str]]:
    with Records.open(asked.address, asked.table) as records:
        return list(sql_of_count(records, asked.by, **asked.options))
