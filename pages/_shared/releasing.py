"""The tab "Publish" of records that live elsewhere: they leave as one new file there, with groups in place of places.

Only this visit holds where that is. It is in no link and no project, for both travel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.errors import SearchEnded
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import enumerated
from kanon_engine.records import PushedRelease, Records, release, sql_of_release
from kanon_engine.records.release import require_free
from kanon_engine.release.publication import outputs
from kanon_engine.tables.release import kept_columns, sensitive_columns
from pages._shared.counting import LOOKING, PATIENCE, columns_of, in_turn, show_work, told_of
from pages._shared.downloads import remembering
from pages._shared.records import Data
from pages._shared.sources import RELEASES, Asked, Field, permission, pick_field, picked_field
from pages._shared.tasks import Task, tasks
from pages._shared.widgets import picked_text
from pages._shared.wording import escaped, on_page

HEADING = "Your records where they live"
LEAD = "One new file on the computer that runs kanon, with a row for each record that is in a group."
GROUPS = "It shows groups in place of {raw}, and the columns that you name. All others stay where they are."
VALUES = "It shows {raw} generalized, and the columns that you name. All others stay where they are."
NONE_LEAVES = "No file of this result may be published, so no records leave with its groups. Each file says why."
QUASI = Field(
    "Others may know",
    "Age, for instance. They leave unchanged, and sets of records are counted over the groups and these together.",
    several=True,
)
SENSITIVE = Field(
    "Sensitive columns", "What tells something about a person, as an illness. They leave unchanged.", several=True
)
KEEP = Field("Columns to keep", "Others that leave unchanged.", several=True)
FIELDS = {"quasi": QUASI, "sensitive": SENSITIVE, "keep": KEEP}
FILE = "File that is written"
FILE_HELP = "Its name ends in .csv or .parquet. A file that is there already is never replaced."
SQL = "The SQL that releases"
WRITE = "Write the release"
STOP = "Stop the release"
STOPPED = "The release was stopped. Nothing was written."
READ_AGAIN = "It was read again, record by record, and holds what was meant."


@dataclass(frozen=True)
class Leaving:
    """What leaves of records where they live."""

    asked: Asked  # what was counted
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    keep: tuple[str, ...]
    destination: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """All that leave beside what groups show."""
        return (*self.quasi_identifiers, *self.keep, *self.sensitive)


def show_release_elsewhere(data: Data, g: kanon.Generalization, asked: Asked | None, **said: Any) -> None:
    """Which columns leave, the SQL, and a button that writes them into a new file; what came of it.

    Parameters
    ----------
    asked : What was counted where it lives; where it is None, nothing is shown.
    **said : What the family's release asks.
    """
    if asked is None or g.status == "relaxed":
        return
    st.markdown(f"##### {HEADING}")
    refused = permission().release_refusal(asked.address, "")
    if refused or not any(file.publishable for file in outputs(data.instance, g)):
        st.caption(escaped(refused) or NONE_LEAVES)
        return
    raw = _raw(data.instance, asked)
    st.markdown(f"{LEAD} {(VALUES if _is_table(data) else GROUPS).format(raw=escaped(enumerated(raw)))}")
    columns = columns_of(asked.place, f"{g.family}_release_look")
    if columns.running:
        show_work(LOOKING, columns)
        return
    try:
        leaving = _choose_columns(data, asked, [name for name in columns.result() if name not in raw])
        _show_sql(data, raw, leaving())
    except kanon.KanonError as error:
        tasks().forget(columns)
        st.error(told_of(error), icon=":material/error:")
        return
    _choose_file(data, g, leaving, said)
    begun: tuple[Asked, Task] | None = st.session_state.get(f"{g.family}_release_begun")
    if begun is not None and begun[0] == asked:
        _show_begun(g.family, begun[1])


def _choose_columns(data: Data, asked: Asked, columns: list[str]) -> Callable[[], Leaving]:
    """Widgets for which of the other columns leave, each in one role, and what is picked in them whenever it is asked.

    The columns of a table that others may know are generalized.
    """
    table = data.instance if _is_table(data) else None
    kept = [] if table is None else kept_columns(table)
    told = [] if table is None else list(sensitive_columns(table, kept))
    key = f"{data.family}_{kanon.content_digest(base=data.base, kept=kept, told=told)[:8]}_release"
    st.session_state.setdefault(f"{key}_sensitive", told)
    st.session_state.setdefault(f"{key}_keep", [name for name in kept if name not in told])
    fields = {"sensitive": SENSITIVE, "keep": KEEP} if table is not None else FIELDS
    taken: list[str] = []
    for (role, field), place in zip(fields.items(), st.columns(3), strict=False):
        with place:
            taken += pick_field(field, [name for name in columns if name not in taken], f"{key}_{role}")

    def leaving() -> Leaving:
        picked = {role: picked_field(field, f"{key}_{role}") for role, field in fields.items()}
        return Leaving(asked, picked.get("quasi", ()), picked["sensitive"], picked["keep"])

    return leaving


def _show_sql(data: Data, raw: tuple[str, ...], leaving: Leaving) -> None:
    with st.expander(SQL):
        for what, sql in _sql(leaving.asked.place, raw, leaving.columns, data.instance.digest, data.instance):
            st.caption(escaped(what))
            st.code(sql, language="sql", wrap_lines=True)


def _choose_file(data: Data, g: kanon.Generalization, leaving: Callable[[], Leaving], said: Mapping[str, Any]) -> None:
    """Where it is written, and the button that begins; what is refused is told then."""
    key = f"{g.family}_release"

    def begin() -> None:
        wanted = replace(leaving(), destination=picked_text(f"{key}_file") or "")
        st.session_state[f"{key}_problem"] = problem = _problem(wanted)
        if not problem:
            number = st.session_state[f"{key}_number"] = st.session_state.get(f"{key}_number", 0) + 1
            work = partial(_release, wanted, data.instance, g, said, remembering(data.instance, g))
            task = tasks().begin(key, ("released", g.family, number), work)
            task.wait(PATIENCE)
            st.session_state[f"{key}_begun"] = wanted.asked, task

    with st.form(f"{key}_form", border=False):  # what is typed is there when the button is pressed
        where, button = st.columns([5, 2], vertical_alignment="bottom")
        where.text_input(
            FILE, placeholder="/folder/release.parquet", key=f"{key}_file", help=FILE_HELP, persist_state="session"
        )
        busy = tasks().works(("released", g.family, st.session_state.get(f"{key}_number")))
        button.form_submit_button(
            WRITE, type="primary", key=f"{key}_write", on_click=begin, disabled=busy, width="stretch"
        )
    allowed = permission()
    if allowed.named:
        folders = ", ".join(allowed.folders(leaving().asked.address))
        st.caption(f"{RELEASES} on this server names where it may be written: {escaped(folders)}.")
    if problem := st.session_state.get(f"{key}_problem"):
        st.warning(problem, icon=":material/warning:")


def _problem(wanted: Leaving) -> str:
    """Why it cannot be written there, as Markdown; "" where it can."""
    if not wanted.destination:
        return "Name the file first."
    allowed, address = permission(), wanted.asked.address
    refused = allowed.refusal(address) or allowed.release_refusal(address, wanted.destination)
    if refused:
        return escaped(refused)
    try:
        require_free(Path(wanted.destination), wanted.asked.address)
    except kanon.KanonError as error:
        return on_page(error)
    return ""


def _show_begun(family: str, task: Task) -> None:
    """How far it is; when it is over, what was written, or why nothing was."""
    if task.running:
        show_work("", task, f"{family}_stop_release", STOP)
        return
    try:
        made: PushedRelease = task.result()
    except SearchEnded:
        st.info(STOPPED, icon=":material/stop_circle:")
        return
    except kanon.KanonError as error:
        st.error(told_of(error), icon=":material/error:")
        return
    st.success(f"Written: {escaped(str(made.path))}. {READ_AGAIN}", icon=":material/check:")
    if made.below.records:
        st.warning(escaped(made.sentence), icon=":material/group_remove:")
    else:
        st.markdown(escaped(made.sentence))
    for note in made.notes:
        st.caption(escaped(note))


def _release(
    wanted: Leaving,
    instance: Any,
    g: kanon.Generalization,
    said: Mapping[str, Any],
    remember: Callable[[], None],
    task: Task,
) -> PushedRelease:
    """Write it; runs beside the page."""
    asked = wanted.asked

    def work(heard: ProgressCallback) -> PushedRelease:
        # a path stays one, so that nothing is written among the records themselves
        source = nullcontext(asked.address) if asked.table is None else Records.open(asked.address, asked.table)
        with source as records:
            return release(
                records,
                instance,
                g,
                Path(wanted.destination).absolute(),
                by=() if isinstance(instance, kanon.Table) else _raw(instance, asked),
                quasi_identifiers=wanted.quasi_identifiers,
                keep=wanted.keep,
                sensitive=wanted.sensitive,
                progress=heard,
                **said,
            )

    made = in_turn(task, work, STOPPED)
    remember()
    return made


@st.cache_data(scope="session", max_entries=8, show_spinner="Writing the SQL …")
def _sql(
    place: Asked, raw: tuple[str, ...], columns: tuple[str, ...], digest: str, _instance: Any
) -> list[tuple[str, str]]:
    with Records.open(place.address, place.table) as records:
        return list(sql_of_release(records, raw, columns, instance=_instance))


def _raw(instance: Any, asked: Asked) -> tuple[str, ...]:
    """The columns that say where a record is."""
    if isinstance(instance, kanon.Table):
        return tuple(map(str, instance.quasi_identifiers))
    return (asked.by,) if isinstance(asked.by, str) else tuple(asked.by)


def _is_table(data: Data) -> bool:
    return isinstance(data.instance, kanon.Table)
