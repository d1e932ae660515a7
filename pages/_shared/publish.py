"""The tab "Publish": files made on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine import Generalization, intersect
from kanon_engine.errors import SearchEnded
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import enumerated
from kanon_engine.records import PushedRelease, Records, release, sql_of_release
from kanon_engine.records.release import require_free
from kanon_engine.release.formats import dotted
from kanon_engine.release.publication import Output, outputs
from kanon_engine.release.reread import PIECES
from kanon_engine.tables.release import kept_columns, sensitive_columns
from pages._shared.elsewhere import (
    LOOKING,
    RELEASES,
    ElsewhereQuestion,
    columns_of,
    names_in,
    permission,
    show_sql,
    told_of,
)
from pages._shared.form import Control
from pages._shared.records import Data, offer_review
from pages._shared.result import NOT_ANONYMOUS
from pages._shared.results import title
from pages._shared.tasks import PATIENCE, Task, in_turn, once, show_work, tasks
from pages._shared.widgets import text_in
from pages._shared.wording import escaped, on_page

PUBLISHABLE = "May be published after your review"
COMPARING = "Computing what both releases reveal together …"
FORMULAS = (
    "In CSV and Excel files, text that a spreadsheet would read as a formula (starting with =, +, − or @) gets an "
    "apostrophe in front. Numbers stay numbers. CSV files are in UTF-8. Excel can show dashes and accents wrongly "
    "if you open the CSV file directly; take the Excel file, or use Data › From Text/CSV."
)


def show_downloads(
    data: Data, g: Generalization, *, without: Sequence[str] = (), warn: bool = True, **surroundings: Any
) -> None:
    """A button per file, each with what is in it and what is not; publishable files first.

    Parameters
    ----------
    without : Keys of outputs to omit.
    warn : Whether to say what this release and earlier ones reveal together, and to link to the review.
    **surroundings : Further arguments of `kanon_engine.release.publication.outputs`.
    """
    files = [file for file in outputs(data.instance, g, **surroundings) if file.key not in without]
    if g.status == "relaxed":
        st.error(f"**{NOT_ANONYMOUS}**", icon=":material/block:")
    if warn:
        offer_review(data.family)
        warn_of_others(data.instance, g)
    for heading, publishable in ((PUBLISHABLE, True), ("Internal", False)):
        mine = [file for file in files if file.publishable == publishable]
        if mine:
            st.markdown(f"##### {heading}")
            for _, alike in groupby(mine, key=lambda file: (file.key, file.contents)):
                show_files(g, list(alike), data.instance)
    st.caption(FORMULAS)


def _released(instance: Any) -> dict[str, Generalization]:
    """The releases of these data made in this visit, by digest."""
    everything: dict[str, dict[str, Generalization]] = st.session_state.setdefault("_left", {})
    return everything.setdefault(instance.digest, {})


def released_in_visit(instance: Any) -> list[Generalization]:
    return list(_released(instance).values())


def remembering(instance: Any, g: Generalization) -> Callable[[], None]:
    """A function to call, from any thread, when this result has been released."""
    return partial(_released(instance).__setitem__, g.digest, g)


def warn_of_others(instance: Any, g: Generalization) -> None:
    """What this release and each earlier one reveal together."""
    others = [other for other in _released(instance).values() if not np.array_equal(other.assignment, g.assignment)]
    for other in others:
        overlap = once(intersect, instance, g, other, of=(g.digest, other.digest), most=50, words=COMPARING)
        words = f"Another release of these data was made in this session ({title(other)}). {escaped(overlap.sentence)}"
        if overlap.exposed or len(overlap.counts):
            st.warning(words, icon=":material/join_inner:")
        else:
            st.info(words, icon=":material/join_inner:")
    if len(others) > 1:
        st.caption("Each pair was checked. Three releases can reveal more than any two of them.")


def show_files(g: Generalization, files: Sequence[Output], instance: Any) -> None:
    """A button for each file with the same contents, and a description. A release is remembered."""
    remember = remembering(instance, g)

    def make(file: Output) -> str | bytes:
        content = file.make()
        if file.publishable:
            remember()
        return content

    left, right = st.columns([1, 3], vertical_alignment="center")
    for file in files:
        left.download_button(
            file.label,
            partial(make, file),
            f"kanon-{g.family}-k{g.k}-{file.ending}",
            file.mime,
            key=f"{g.family}_{file.label}",
            on_click="ignore",
            width="stretch",
        )
    right.markdown(escaped(files[0].contents))


# ---------------------------------------------------------------------------------------------------------------------
# The tab "Publish" of records stored elsewhere: released as one new file there, with groups in place of places.
# ---------------------------------------------------------------------------------------------------------------------


HEADING = "Release records where they are stored"
LEAD = "kanon writes one new file on the computer that runs it, with a row for each record in a group."
GROUPS = "The file shows groups in place of {raw}, and the columns that you select. All other columns are left out."
VALUES = "The file shows {raw} generalized, and the columns that you select. All other columns are left out."
NONE_LEAVES = (
    "No file of this result may be published, so records cannot be released with the groups of this result. The "
    "descriptions of the files say why."
)
QUASI = Control(
    "",
    "Columns that others may know",
    "For example, age. These columns are released unchanged. Records with the same group and the same values in "
    "these columns are counted as one set.",
    "columns",
)
SENSITIVE = Control(
    "",
    "Sensitive columns",
    "Columns that reveal something about a person, such as an illness. Released unchanged.",
    "columns",
)
KEEP = Control("", "Columns to keep", "Other columns to release unchanged.", "columns")
FIELDS = {"quasi": QUASI, "sensitive": SENSITIVE, "keep": KEEP}
FILE = "Output file"
FILE_HELP = f"The file name must end in {dotted(PIECES)}. An existing file is never replaced."
SQL = "SQL for the release"
WRITE = "Write the release"
STOP = "Stop the release"
STOPPED = "The release was stopped. Nothing was written."
READ_AGAIN = "The file was read back, record by record, and has the intended contents."


@dataclass(frozen=True)
class ReleaseForm:
    """What is released of records stored elsewhere."""

    asked: ElsewhereQuestion  # what was counted
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    keep: tuple[str, ...]
    destination: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.quasi_identifiers, *self.keep, *self.sensitive)


def show_release_elsewhere(
    data: Data, g: kanon.Generalization, question: ElsewhereQuestion | None, **surroundings: Any
) -> None:
    """The columns to release, the SQL, a button that writes them into a new file, and the outcome.

    Parameters
    ----------
    asked : What was counted where it is stored; if None, nothing is shown.
    **said : Arguments of the family's release.
    """
    if question is None or g.status == "relaxed":
        return
    st.markdown(f"##### {HEADING}")
    refused = permission().release_refusal(question.address, "")
    if refused or not any(file.publishable for file in outputs(data.instance, g)):
        st.caption(escaped(refused) or NONE_LEAVES)
        return
    raw = _raw(data.instance, question)
    st.markdown(f"{LEAD} {(VALUES if _is_table(data) else GROUPS).format(raw=escaped(enumerated(raw)))}")
    columns = columns_of(question.place, f"{g.family}_release_look")
    if columns.running:
        show_work(LOOKING, columns)
        return
    try:
        leaving = _choose_columns(data, question, [name for name in columns.result() if name not in raw])
        with st.expander(SQL):
            released_columns = leaving().columns
            sql = partial(sql_of_release, by=raw, columns=released_columns, instance=data.instance)
            show_sql(question, sql, (question.place, raw, released_columns, data.instance.digest))
    except kanon.KanonError as error:
        tasks().forget(columns)
        st.error(told_of(error), icon=":material/error:")
        return
    _choose_file(data, g, leaving, surroundings)
    started: tuple[ElsewhereQuestion, Task] | None = st.session_state.get(f"{g.family}_release_begun")
    if started is not None and started[0] == question:
        _show_progress_or_result(g.family, started[1])


def _choose_columns(data: Data, question: ElsewhereQuestion, columns: list[str]) -> Callable[[], ReleaseForm]:
    """Widgets for the other columns to release, each in one role, and a function that gives the current choice.

    In a table, columns that others may know are generalized.
    """
    table = data.instance if _is_table(data) else None
    retained = [] if table is None else kept_columns(table)
    sensitive = [] if table is None else list(sensitive_columns(table, retained))
    key = f"{data.family}_{kanon.content_digest(base=data.base, kept=retained, told=sensitive)[:8]}_release"
    st.session_state.setdefault(f"{key}_sensitive", sensitive)
    st.session_state.setdefault(f"{key}_keep", [name for name in retained if name not in sensitive])
    fields = {"sensitive": SENSITIVE, "keep": KEEP} if table is not None else FIELDS
    used: list[str] = []
    for (role, field), place in zip(fields.items(), st.columns(3), strict=False):
        with place:
            left = [name for name in columns if name not in used]
            field.draw(f"{key}_{role}", left)
            used += names_in(field, f"{key}_{role}", left)

    def leaving() -> ReleaseForm:
        selected = {role: names_in(field, f"{key}_{role}", columns) for role, field in fields.items()}
        return ReleaseForm(question, selected.get("quasi", ()), selected["sensitive"], selected["keep"])

    return leaving


def _choose_file(
    data: Data, g: kanon.Generalization, leaving: Callable[[], ReleaseForm], surroundings: Mapping[str, Any]
) -> None:
    """The output path and the start button; a refusal is shown after the click."""
    key = f"{g.family}_release"

    def begin() -> None:
        form = replace(leaving(), destination=text_in(f"{key}_file") or "")
        st.session_state[f"{key}_problem"] = problem = _problem(form)
        if not problem:
            number = st.session_state[f"{key}_number"] = st.session_state.get(f"{key}_number", 0) + 1
            work = partial(_release, form, data.instance, g, surroundings, remembering(data.instance, g))
            task = tasks().begin(key, ("released", g.family, number), work)
            task.wait(PATIENCE)
            st.session_state[f"{key}_begun"] = form.asked, task

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
        st.caption(f"The setting {RELEASES} of this server lists where releases may be written: {escaped(folders)}.")
    if problem := st.session_state.get(f"{key}_problem"):
        st.warning(problem, icon=":material/warning:")


def _problem(form: ReleaseForm) -> str:
    """Why it cannot be written there, as Markdown; "" if it can."""
    if not form.destination:
        return "Enter a file name first."
    allowed, address = permission(), form.asked.address
    refused = allowed.refusal(address) or allowed.release_refusal(address, form.destination)
    if refused:
        return escaped(refused)
    try:
        require_free(Path(form.destination), form.asked.address)
    except kanon.KanonError as error:
        return on_page(error)
    return ""


def _show_progress_or_result(family: str, task: Task) -> None:
    """The progress; at the end, what was written, or why nothing was."""
    if task.running:
        show_work("", task, f"{family}_stop_release", STOP)
        return
    try:
        pushed: PushedRelease = task.result()
    except SearchEnded:
        st.info(STOPPED, icon=":material/stop_circle:")
        return
    except kanon.KanonError as error:
        st.error(told_of(error), icon=":material/error:")
        return
    st.success(f"Written: {escaped(str(pushed.path))}. {READ_AGAIN}", icon=":material/check:")
    if pushed.below.records:
        st.warning(escaped(pushed.sentence), icon=":material/group_remove:")
    else:
        st.markdown(escaped(pushed.sentence))
    for note in pushed.notes:
        st.caption(escaped(note))


def _release(
    form: ReleaseForm,
    instance: Any,
    g: kanon.Generalization,
    surroundings: Mapping[str, Any],
    remember: Callable[[], None],
    task: Task,
) -> PushedRelease:
    question = form.asked

    def work(progress: ProgressCallback) -> PushedRelease:
        # keep it a path, so that nothing is written among the records themselves
        source = (
            nullcontext(question.address) if question.table is None else Records.open(question.address, question.table)
        )
        with source as records:
            return release(
                records,
                instance,
                g,
                Path(form.destination).absolute(),
                by=() if isinstance(instance, kanon.Table) else _raw(instance, question),
                quasi_identifiers=form.quasi_identifiers,
                keep=form.keep,
                sensitive=form.sensitive,
                progress=progress,
                **surroundings,
            )

    pushed = in_turn(task, work, STOPPED)
    remember()
    return pushed


def _raw(instance: Any, question: ElsewhereQuestion) -> tuple[str, ...]:
    if isinstance(instance, kanon.Table):
        return tuple(map(str, instance.quasi_identifiers))
    return (question.by,) if isinstance(question.by, str) else tuple(question.by)


def _is_table(data: Data) -> bool:
    return isinstance(data.instance, kanon.Table)
