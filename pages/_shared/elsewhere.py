"""Records where they live: a person says where and which columns, sees the SQL, and has them counted beside the page.

Only this visit holds what a person enters here. It is in no link and no project, for both travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.errors import SearchEnded
from kanon_engine.records import Records, count, sql_of_count
from kanon_engine.registry import family_named
from kanon_engine.workers.slots import Slots
from pages._shared.background import Task
from pages._shared.controls import begin_k
from pages._shared.entry import stop_page
from pages._shared.permission import VARIABLE, Permission
from pages._shared.records import File
from pages._shared.tasks import tasks
from pages._shared.widgets import given, pick_unit, picked_text
from pages._shared.wording import QUEUED, escaped, on_page

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
COUNT = "Count the records"
STOP = "Stop counting"
OTHERS = "Count other records"
POLL = 0.7  # seconds between two looks at a count
PATIENCE = 0.8  # seconds that a page waits before it shows progress
SLOTS = Slots(2)  # an engine uses all cores of the computer for one count


@dataclass(frozen=True)
class Field:
    """Which columns of the records a person is asked for.

    Attributes
    ----------
    title, help : str
    option : str
        Of `kanon_engine.records.count`, that takes these columns, or none; "" where the records are counted by them.
    several : bool
        Whether it takes as many columns as a person likes.
    """

    title: str
    help: str = ""
    option: str = ""
    several: bool = False


@dataclass(frozen=True)
class Asked:
    """What a person wants to have counted.

    Attributes
    ----------
    address : str
    table : str or None
        Of a database.
    columns : tuple of (Field, columns)
    unit : str or None
        What a record is called.
    """

    address: str
    table: str | None
    columns: tuple[tuple[Field, tuple[str, ...]], ...] = ()
    unit: str | None = None

    @property
    def by(self) -> str | tuple[str, ...] | list[str]:
        """What is counted, as `count` takes it."""
        counted = [(field, names) for field, names in self.columns if not field.option]
        names = [name for _, own in counted for name in own]
        if any(field.several for field, _ in counted):
            return names
        return names[0] if len(names) == 1 else tuple(names)

    @property
    def options(self) -> dict[str, Any]:
        """Of `count`, columns by option; none that is empty."""
        return {field.option: list(names) for field, names in self.columns if field.option and names}

    @property
    def words(self) -> str:
        """What is being done."""
        names = dict.fromkeys(name for _, own in self.columns for name in own)
        return f"Counting the records by {', '.join(names)}"


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
    task = tasks().begin(f"{key}_look", ("columns", place), partial(_columns, place))
    task.wait(PATIENCE)
    if task.running:
        _show_progress("Looking at the columns", task)
    try:
        columns = task.result()
    except kanon.KanonError as error:
        tasks().forget(task)
        st.error(on_page(error), icon=":material/error:")
        return
    row = st.columns(len(fields) + 1)
    for number, (field, place_of) in enumerate(zip(fields, row, strict=False)):
        with place_of:
            _pick(field, columns, f"{key}_by_{number}")
    with row[-1]:
        pick_unit(key)

    def asked() -> Asked:
        picked = [_picked(field, f"{key}_by_{number}") for number, field in enumerate(fields)]
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


def _pick(field: Field, columns: list[str], key: str) -> None:
    """A widget for the columns of a field; those of other records are forgotten."""
    held = st.session_state.get(key)
    help = field.help or None
    if field.several:
        kept = [name for name in held or () if name in columns]
        if kept != held:
            st.session_state[key] = kept
        st.multiselect(field.title, columns, key=key, help=help, persist_state="session")
        return
    if held not in columns:
        st.session_state[key] = None
    st.selectbox(field.title, columns, index=None, key=key, help=help, persist_state="session")


def _picked(field: Field, key: str) -> tuple[str, ...]:
    held = st.session_state[key]
    return tuple(held) if field.several else () if held is None else (held,)


def _show_progress(words: str, task: Task, stop: str = "") -> NoReturn:
    """How far the work is, with a button of this key that ends it; the page is drawn anew when it is over."""
    st.fragment(_follow, run_every=POLL)(words, task, stop)
    stop_page()


def _follow(words: str, task: Task, stop: str) -> None:
    tasks().keep_alive()
    if not task.running:
        st.rerun()
    line, button = st.columns([5, 2], vertical_alignment="center")
    if task.waiting:
        line.caption(f"{escaped(words)}. {QUEUED}.")
    else:
        line.caption(f"{escaped(words)} … {task.seconds:,.0f} s")
        done = task.progress.done if task.progress else 0.0
        if done > 0:  # some engines cannot say how far they are
            line.progress(done)
    if stop:
        halted = bool(task.stopped)
        button.button("Stopping …" if halted else STOP, key=stop, on_click=task.stop, disabled=halted, width="stretch")


def _count(asked: Asked, task: Task) -> Any:
    """The instance; runs beside the page."""

    def heard(progress: kanon.Progress) -> bool:
        task.report(progress)
        return not task.asked()

    def wait(waiting: bool) -> bool:
        task.queued(waiting)
        return not task.asked()

    with SLOTS.one(wait) as mine:
        if not mine:
            raise SearchEnded("Counting was stopped before it began.")
        with Records.open(asked.address, asked.table) as records:
            return count(records, asked.by, progress=heard, **given(unit=asked.unit), **asked.options)


def _columns(place: Asked, task: Task) -> list[str]:
    with Records.open(place.address, place.table) as records:
        return list(records.columns)


@st.cache_data(scope="session", max_entries=8, show_spinner="Writing the SQL …")
def _sql(asked: Asked) -> list[tuple[str, str]]:
    with Records.open(asked.address, asked.table) as records:
        return list(sql_of_count(records, asked.by, **asked.options))
