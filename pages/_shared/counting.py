"""Records where they live: a person says where and which columns, sees the SQL, and has them counted beside the page.

Only this visit holds what a person enters here. It is in no link and no project, for both travel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.errors import SearchEnded
from kanon_engine.model.known import family_named
from kanon_engine.model.run import ProgressCallback
from kanon_engine.processes.nursery import Slots
from kanon_engine.records import Records, Tuples, count, sql_of_count, tuples
from kanon_engine.records.source import NoAnswer
from pages._shared.controls import begin_k
from pages._shared.entry import stop_page
from pages._shared.records import File
from pages._shared.sources import VARIABLE, Asked, Field, Permission, permission, pick_field, picked_field
from pages._shared.tasks import Task, tasks
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
LOOKING = "Looking at the columns"
COUNT = "Count the records"
STOP = "Stop counting"
OTHERS = "Count other records"
NO_ANSWER = "The database does not answer; ask the person who runs this server."


@dataclass(frozen=True)
class Asking:
    """How a person is asked for records where they live."""

    family: str
    fields: Sequence[Field]  # which columns are asked for
    count: Callable[[Records, Asked, ProgressCallback], Any]  # ``count(records, asked, progress)`` counts them
    of: str = ""  # tells it from other counts of the family; "" where there is one alone
    more: Callable[[], object] = lambda: None  # draws what else stands beside the fields

    @property
    def key(self) -> str:
        """With what the keys of the widgets begin."""
        return f"{self.family}_elsewhere"

    @property
    def entry(self) -> str:
        """The entry of the session that holds what is to be counted."""
        return f"{self.key}_asked{self.of}"


def choose_elsewhere(family: str, allowed: Permission, notice: DeltaGenerator, fields: Sequence[Field]) -> File:
    """Records that were counted where they live. Until they are, the page asks or shows progress, and stops."""
    asked, (instance, held) = count_elsewhere(Asking(family, fields, _instance), allowed, notice)
    place = st.container()
    return File(family, asked.address, b"", instance.digest, place, counted=instance, asked=asked, tuples=held)


def count_elsewhere(asking: Asking, allowed: Permission, notice: DeltaGenerator) -> tuple[Asked, Any]:
    """What a person asked for, and what was counted. Until it is, the page asks or shows progress, and stops."""
    asked: Asked | None = st.session_state.get(asking.entry)
    refused = "" if asked is None else escaped(allowed.refusal(asked.address))
    if asked is None or refused:
        _ask(asking, allowed, notice, refused)
    task = tasks().begin(asking.key, (asking.count, asked), partial(_count, asked, asking.count))
    task.wait(PATIENCE)
    if task.running:
        with notice.container():
            st.subheader(family_named(asking.family).page.heading)
            _show_progress(asked.words, task, f"{asking.family}_stop_count")
    try:
        found = task.result()
    except kanon.KanonError as error:
        tasks().forget(task)
        forget_asked(asking)
        _ask(asking, allowed, notice, told_of(error), by_choice=isinstance(error, SearchEnded))
    st.button(
        OTHERS, icon=":material/edit:", key=f"{asking.family}_count_others", on_click=forget_asked, args=(asking,)
    )
    return asked, found


def forget_asked(asking: Asking) -> None:
    """The person wants something else, and is asked again."""
    st.session_state.pop(asking.entry, None)


def fields_of(family: str) -> tuple[Field, ...]:
    """Of the columns that the family's items are counted by; none where they are only read."""
    columns = family_named(family).reader.counted
    return () if columns is None or columns.joined else tuple(map(Field, columns.titles))


def columns_of(place: Asked, slot: str) -> Task:
    """Beside the page: the names of the columns of records. Most engines know them at once."""
    task = tasks().begin(slot, ("columns", place), partial(_columns, place))
    task.wait(PATIENCE)
    return task


def told_of(error: kanon.KanonError) -> str:
    """What is wrong, as Markdown; of hosts and ports only to whoever may enter any address."""
    return NO_ANSWER if isinstance(error, NoAnswer) and not permission().anything else on_page(error)


def leave_elsewhere(family: str) -> None:
    """The person wants other data: a count that still runs ends."""
    tasks().leave(f"{family}_elsewhere")


def _ask(
    asking: Asking, allowed: Permission, notice: DeltaGenerator, problem: str = "", *, by_choice: bool = False
) -> NoReturn:
    """Fields for where and what, and the button that counts; the page stops here.

    What kept a count from its end is a problem, unless the person chose so.
    """
    with notice.container():
        st.subheader(family_named(asking.family).page.heading)
        st.markdown(LEAD)
        if by_choice:
            st.info(problem, icon=":material/stop_circle:")
        elif problem:
            st.error(problem, icon=":material/error:")
        looked = _choose_place(asking.key, allowed)
        if looked is not None:
            _choose_columns(asking, looked)
        asking.more()
    stop_page()


def _choose_place(key: str, allowed: Permission) -> Asked | None:
    """Where the records are; None until the person has asked for a look at them."""

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


def _choose_columns(asking: Asking, place: Asked) -> None:
    """Which columns are counted, what that sends to the engine, and the button that begins."""
    key, fields = asking.key, asking.fields
    task = columns_of(place, f"{key}_look")
    if task.running:
        _show_progress(LOOKING, task)
    try:
        columns = task.result()
    except kanon.KanonError as error:
        tasks().forget(task)
        st.error(told_of(error), icon=":material/error:")
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
        st.session_state[asking.entry] = asked()
        begin_k(asking.family)

    st.button(COUNT, type="primary", key=f"{key}_count", on_click=begin)


def _show_progress(words: str, task: Task, stop: str = "") -> NoReturn:
    """How far the work is, with a button of this key that ends it; the page stops here."""
    show_work(words, task, stop, STOP)
    stop_page()


def _instance(records: Records, asked: Asked, progress: ProgressCallback) -> tuple[Any, Tuples | None]:
    """What is counted; of a table also the tuples, of which it is made anew when its columns change."""
    unit = given(unit=asked.unit)
    if isinstance(asked.by, list):
        held = tuples(records, asked.by, progress, **asked.options)
        return held.table(asked.by, **unit, **asked.options), held
    return count(records, asked.by, progress=progress, **unit, **asked.options), None


def _count(asked: Asked, counting: Callable[[Records, Asked, ProgressCallback], Any], task: Task) -> Any:
    """What counting gives; runs beside the page."""

    def work(heard: ProgressCallback) -> Any:
        with Records.open(asked.address, asked.table) as records:
            return counting(records, asked, heard)

    return in_turn(task, work, "Counting was stopped before it began.")


def _columns(place: Asked, task: Task) -> list[str]:
    with Records.open(place.address, place.table) as records:
        return list(records.columns)


@st.cache_data(scope="session", max_entries=8, show_spinner="Writing the SQL …")
def _sql(asked: Asked) -> list[tuple[str, str]]:
    with Records.open(asked.address, asked.table) as records:
        return list(sql_of_count(records, asked.by, **asked.options))


# ---------------------------------------------------------------------------------------------------------------------
# Work of an engine beside the page: it waits for its turn, says how far it is, and can be stopped.
# ---------------------------------------------------------------------------------------------------------------------


POLL = 0.7  # seconds between two looks at the work
PATIENCE = 0.8  # seconds that a page waits before it shows progress
SLOTS = Slots(2)  # an engine uses all cores of the computer for one count
BEGINS = "Beginning"
Found = TypeVar("Found")


def in_turn(task: Task, work: Callable[[ProgressCallback], Found], stopped: str) -> Found:
    """What `work` returns, which is given whom to report to; runs beside the page.

    Raises
    ------
    SearchEnded
        With the words of `stopped`, where somebody stopped it while it waited.
    """

    def heard(progress: kanon.Progress) -> bool:
        task.report(progress)
        return not task.asked()

    def wait(waiting: bool) -> bool:
        task.queued(waiting)
        return not task.asked()

    with SLOTS.one(wait) as mine:
        if not mine:
            raise SearchEnded(stopped)
        return work(heard)


def show_work(words: str, task: Task, stop: str = "", label: str = "") -> None:
    """How far the work is, and a button of the key `stop` that ends it; the page is drawn anew when it is over.

    Where there are no words, the engine says what it is doing.
    """
    st.fragment(_follow, run_every=POLL)(words, task, stop, label)


def _follow(words: str, task: Task, stop: str, label: str) -> None:
    tasks().keep_alive()
    if not task.running:
        st.rerun()
    doing = escaped(words or (task.progress.message if task.progress else BEGINS))
    line, button = st.columns([5, 2], vertical_alignment="center")
    if task.waiting:
        line.caption(f"{doing}. {QUEUED}.")
    else:
        line.caption(f"{doing} … {task.seconds:,.0f} s")
        done = task.progress.done if task.progress else 0.0
        if done > 0:  # some engines cannot say how far they are
            line.progress(done)
    if stop:
        halted = bool(task.stopped)
        button.button("Stopping …" if halted else label, key=stop, on_click=task.stop, disabled=halted, width="stretch")
