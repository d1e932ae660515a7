"""What to count in records stored elsewhere: their location and columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.model.known import get_family
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records import Records, Tuples, count, sql_of_count, tuples
from kanon_engine.records.address import Address
from kanon_engine.records.source import NoAnswer
from pages._shared.controls import begin_k
from pages._shared.entry import stop_page
from pages._shared.form import UNIT, Control
from pages._shared.records import File
from pages._shared.tasks import PATIENCE, Task, in_turn, once, show_work, tasks
from pages._shared.widgets import given, text_in
from pages._shared.wording import escaped, on_page


@dataclass(frozen=True)
class ElsewhereQuestion:
    """What the user wants to count."""

    address: str
    table: str | None  # of a database
    # the choice in each field; fields without a parameter of `records.count` are what is counted
    columns: tuple[tuple[Control, tuple[str, ...]], ...] = ()
    unit: str | None = None  # the word for a record

    @property
    def place(self) -> ElsewhereQuestion:
        """Where the records are, without what to count."""
        return replace(self, columns=(), unit=None)

    @property
    def by(self) -> str | tuple[str, ...] | list[str]:
        """What is counted, as an argument for `count`."""
        unassigned = [(field, names) for field, names in self.columns if not field.parameter]
        names = [name for _, columns in unassigned for name in columns]
        if any(field.kind == "columns" for field, _ in unassigned):
            return names
        return names[0] if len(names) == 1 else tuple(names)

    @property
    def options(self) -> dict[str, Any]:
        return {field.parameter: list(names) for field, names in self.columns if field.parameter and names}

    @property
    def words(self) -> str:
        names = dict.fromkeys(name for _, columns in self.columns for name in columns)
        return f"Counting the records by {', '.join(names)}"


def names_in(field: Control, key: str, columns: Sequence[str]) -> tuple[str, ...]:
    """The column or columns picked in a field."""
    value = field.value(key, columns)
    return (value,) if isinstance(value, str) else value or ()


# ---------------------------------------------------------------------------------------------------------------------
# Which records on the server a visitor may count: all on the visitor's own machine, otherwise those listed.
#
# A file that a visitor uploads is the visitor's. Records stored elsewhere are read with the rights of the server. A
# page
# that took any path or address from anybody would expose the server's files and databases. A release of such records
# is a new file on the server: reading rights are not writing rights, so folders for releases are listed separately.
# ---------------------------------------------------------------------------------------------------------------------


VARIABLE = "KANON_RECORDS"  # folders and addresses that pages may count, separated by semicolons
RELEASES = "KANON_RELEASES"  # folders that pages may write releases into, separated by semicolons
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")  # set by a proxy


@dataclass(frozen=True)
class Permission:
    """What pages may count, and where they may write releases of it.

    >>> Permission(named=("postgresql://reader@db/births",)).refusal("postgresql://reader@db/deaths")
    'This server counts only what its setting KANON_RECORDS lists: postgresql://reader@db/births.'
    """

    anything: bool = False  # whatever the server itself may read and write
    named: tuple[str, ...] = ()  # otherwise these addresses, these files, and the contents of these folders
    releases: tuple[str, ...] = ()  # then releases go into these folders

    def __bool__(self) -> bool:
        return self.anything or bool(self.named)

    def refusal(self, address: str) -> str:
        """Why this may not be counted; "" if it may.

        An address must match a listed one exactly, because its query can name a path. For a path, its resolved
        target counts.
        """
        if self.anything or address in self.named:
            return ""
        if not _is_address(address) and any(_within(address, one) for one in self.named if not _is_address(one)):
            return ""
        return f"This server counts only what its setting {VARIABLE} lists: {', '.join(self.named)}."

    def folders(self, address: str) -> tuple[str, ...]:
        """Folders into which records of this address may be released: those that do not hold the records themselves.

        >>> Permission(named=("births.csv",), releases=("/", "/no/such/folder")).folders("births.csv")
        ('/',)
        """
        return tuple(one for one in self.releases if _is_folder(one) and not _within(one, address))

    def release_refusal(self, address: str, destination: str) -> str:
        """Why records of this address may not be released into this file; "" if they may.

        For a file, its resolved location counts. Without a file: whether there is any folder for one.
        """
        folders = self.folders(address)
        if self.anything or (folders and not destination) or any(_within(destination, one) for one in folders):
            return ""
        if not folders:
            return (
                f"This server writes no release of these records: its setting {RELEASES} lists no folder for such "
                "releases."
            )
        return f"This server writes only into the folders that its setting {RELEASES} lists: {', '.join(folders)}."


def permission() -> Permission:
    """What this visitor may count, and where a release of it may be written."""
    if VARIABLE in os.environ:
        return Permission(named=_listed(VARIABLE), releases=_listed(RELEASES))
    return Permission(anything=_alone())


def _listed(variable: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, os.environ.get(variable, "").split(";"))))


def is_local(bound: str | None, visitor: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a visit comes from a browser on the server's machine, as far as a server can tell.

    Parameters
    ----------
    bound : The address that the server listens on; None for all of the machine's.
    visitor : That of the visitor; None on the same machine.
    headers : Of the visit. They reveal a foreign page or a proxy.

    >>> own = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}
    >>> is_local("localhost", None, own), is_local(None, None, own), is_local("localhost", None, own | {"Via": "1.1 x"})
    (True, False, False)
    """
    hosts = [f"//{headers.get('Host', '')}", headers.get("Origin", "")]
    return (
        bound in LOOPBACK
        and visitor is None
        and all(_host(address) in LOOPBACK for address in hosts)
        and not any(headers.get(name) for name in PASSED_ON)
    )


def _alone() -> bool:
    bound = st.get_option("server.address")
    return is_local(None if bound is None else str(bound), st.context.ip_address, st.context.headers)


def _is_address(text: str) -> bool:
    try:
        return Address.of(text) is not None
    except InvalidInput:  # one that contains a password
        return True


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _within(path: str, folder: str) -> bool:
    try:
        return Path(path).resolve().is_relative_to(Path(folder).resolve())
    except (OSError, ValueError, RuntimeError):
        return False


# ---------------------------------------------------------------------------------------------------------------------
# The user states location and columns, sees the SQL, and has the records counted in the background.
# ---------------------------------------------------------------------------------------------------------------------


TITLE = "Records stored elsewhere …"
LEAD = "kanon counts the records in their folder or database. Only the counts are read."
WHERE = "Folder, file or address"
WHERE_HELP = (
    "A folder of CSV or Parquet files, one such file of any size, a SQLite or DuckDB file, or the address of a "
    "database. Never enter a password here: the computer that runs kanon takes it from its environment "
    "variable KANON_PASSWORD or from its keyring (password store)."
)
TABLE = "Table"
LOOK = "Read the columns"
SQL = "SQL for counting"
LOOKING = "Reading the columns"
COUNT = "Count the records"
STOP = "Stop counting"
OTHERS = "Count other records"
NO_ANSWER = "The database is not responding; ask the person who runs this server."


@dataclass(frozen=True)
class Asking:
    """How the page asks for records stored elsewhere."""

    family: str
    fields: Sequence[Control]  # the columns to ask for
    count: Callable[
        [Records, ElsewhereQuestion, ProgressCallback], Any
    ]  # ``count(records, asked, progress)`` counts them
    of: str = ""  # distinguishes it from other counts of the family; "" if there is only one
    more: Callable[[], object] = lambda: None  # draws what else is next to the fields

    @property
    def key(self) -> str:
        return f"{self.family}_elsewhere"

    @property
    def entry(self) -> str:
        """The session key of what is to be counted."""
        return f"{self.key}_asked{self.of}"


def choose_elsewhere(family: str, allowed: Permission, notice: DeltaGenerator, fields: Sequence[Control]) -> File:
    """Records that were counted where they are stored. Until they are, the page asks or shows progress, and stops."""
    question, (instance, records) = count_elsewhere(Asking(family, fields, _instance), allowed, notice)
    place = st.container()
    return File(family, question.address, b"", instance.digest, place, counted=instance, asked=question, tuples=records)


def count_elsewhere(asking: Asking, allowed: Permission, notice: DeltaGenerator) -> tuple[ElsewhereQuestion, Any]:
    """The user's request, and what was counted. Until then, the page asks or shows progress, and stops."""
    question: ElsewhereQuestion | None = st.session_state.get(asking.entry)
    refused = "" if question is None else escaped(allowed.refusal(question.address))
    if question is None or refused:
        _ask(asking, allowed, notice, refused)
    task = tasks().begin(asking.key, (asking.count, question), partial(_count, question, asking.count))
    task.wait(PATIENCE)
    if task.running:
        with notice.container():
            st.subheader(get_family(asking.family).page.heading)
            _show_progress(question.words, task, f"{asking.family}_stop_count")
    try:
        counts = task.result()
    except kanon.KanonError as error:
        tasks().forget(task)
        forget_question(asking)
        _ask(asking, allowed, notice, told_of(error), by_choice=isinstance(error, SearchEnded))
    st.button(
        OTHERS, icon=":material/edit:", key=f"{asking.family}_count_others", on_click=forget_question, args=(asking,)
    )
    return question, counts


def forget_question(asking: Asking) -> None:
    """The user wants something else: ask again."""
    st.session_state.pop(asking.entry, None)


def fields_of(family: str) -> tuple[Control, ...]:
    """Of the columns by which the family's items are counted; none if they are only read."""
    columns = get_family(family).reader.counted
    return (
        () if columns is None or columns.joined else tuple(Control("", title, usual=None) for title in columns.titles)
    )


def show_sql(question: ElsewhereQuestion, sql: partial[Any], of: Hashable) -> None:
    """The statements that ``sql(records)`` gives, each below its purpose; written once per visit."""

    def write() -> list[tuple[str, str]]:
        with Records.open(question.address, question.table) as records:
            return list(sql(records))

    for what, statement in once(write, of=(sql.func.__name__, of), most=8, words="Writing the SQL …"):
        st.caption(escaped(what))
        st.code(statement, language="sql", wrap_lines=True)


def columns_of(place: ElsewhereQuestion, slot: str) -> Task:
    """In the background: the column names of records. Most engines know them at once."""
    task = tasks().begin(slot, ("columns", place), partial(_columns, place))
    task.wait(PATIENCE)
    return task


def told_of(error: kanon.KanonError) -> str:
    """What is wrong, as Markdown; with hosts and ports only for those who may enter any address."""
    return NO_ANSWER if isinstance(error, NoAnswer) and not permission().anything else on_page(error)


def leave_elsewhere(family: str) -> None:
    """The user wants other data: a running count ends."""
    tasks().leave(f"{family}_elsewhere")


def _ask(
    asking: Asking, allowed: Permission, notice: DeltaGenerator, problem: str = "", *, by_choice: bool = False
) -> NoReturn:
    """Fields for location and columns, and the button that counts; the page stops here.

    If a count did not finish, the page says why, unless the user stopped it.
    """
    with notice.container():
        st.subheader(get_family(asking.family).page.heading)
        st.markdown(LEAD)
        if by_choice:
            st.info(problem, icon=":material/stop_circle:")
        elif problem:
            st.error(problem, icon=":material/error:")
        place = _choose_place(asking.key, allowed)
        if place is not None:
            _choose_columns(asking, place)
        asking.more()
    stop_page()


def _choose_place(key: str, allowed: Permission) -> ElsewhereQuestion | None:
    """Where the records are; None until the user asks to read their columns."""

    def look() -> None:
        address = text_in(f"{key}_address")
        st.session_state[f"{key}_looked"] = address and ElsewhereQuestion(address, text_in(f"{key}_table"))

    with st.form(f"{key}_place", border=False):  # typed text has arrived when the button is pressed
        where, table, button = st.columns([5, 2, 2], vertical_alignment="bottom")
        where.text_input(WHERE, key=f"{key}_address", help=WHERE_HELP, persist_state="session")
        table.text_input(TABLE, placeholder="of a database", key=f"{key}_table", persist_state="session")
        button.form_submit_button(LOOK, key=f"{key}_look", on_click=look, width="stretch")
    if allowed.named:
        listed = escaped(", ".join(allowed.named))
        st.caption(f"The setting {VARIABLE} of this server lists what may be counted: {listed}.")
    place: ElsewhereQuestion | None = st.session_state.get(f"{key}_looked")
    refused = "" if place is None else allowed.refusal(place.address)
    if refused:
        st.error(escaped(refused), icon=":material/block:")
        return None
    return place


def _choose_columns(asking: Asking, place: ElsewhereQuestion) -> None:
    """The columns to count, the SQL sent to the engine, and the start button."""
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
            field.draw(f"{key}_by_{number}", columns)
    with row[-1]:
        UNIT.draw(f"{key}_unit")

    def asked() -> ElsewhereQuestion:
        selected = [names_in(field, f"{key}_by_{number}", columns) for number, field in enumerate(fields)]
        return replace(place, columns=tuple(zip(fields, selected, strict=True)), unit=UNIT.value(f"{key}_unit"))

    question = asked()
    if not all(field.parameter or names for field, names in question.columns):
        return
    with st.expander(SQL):
        show_sql(question, partial(sql_of_count, by=question.by, **question.options), replace(question, unit=None))

    def begin() -> None:
        st.session_state[asking.entry] = asked()
        begin_k(asking.family)

    st.button(COUNT, type="primary", key=f"{key}_count", on_click=begin)


def _show_progress(words: str, task: Task, stop: str = "") -> NoReturn:
    """The progress of the work, with a button of this key that ends it; the page stops here."""
    show_work(words, task, stop, STOP)
    stop_page()


def _instance(records: Records, question: ElsewhereQuestion, progress: ProgressCallback) -> tuple[Any, Tuples | None]:
    """What is counted; for a table also the tuples, from which it is rebuilt when its columns change."""
    unit = given(unit=question.unit)
    if isinstance(question.by, list):
        records_by_tuple = tuples(records, question.by, progress, **question.options)
        return records_by_tuple.table(question.by, **unit, **question.options), records_by_tuple
    return count(records, question.by, progress=progress, **unit, **question.options), None


def _count(
    question: ElsewhereQuestion, counting: Callable[[Records, ElsewhereQuestion, ProgressCallback], Any], task: Task
) -> Any:
    def work(progress: ProgressCallback) -> Any:
        with Records.open(question.address, question.table) as records:
            return counting(records, question, progress)

    return in_turn(task, work, "Counting was stopped before it started.")


def _columns(place: ElsewhereQuestion, task: Task) -> list[str]:
    with Records.open(place.address, place.table) as records:
        return list(records.columns)
