"""A project file: saved from a page, and reopened once the files that it names are chosen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.io.counts import ROWS
from kanon_engine.model.known import get_family
from kanon_engine.project import ByHand, Project, project_from, reading_of
from pages._shared.controls import put_question
from pages._shared.files import choose_upload, sheet_key, sheets_in
from pages._shared.records import ANSWERS, Data, File, Question, forget_files, remember_files
from pages._shared.wording import escaped, on_page

OPEN = "Open a project file"
SAVE = "Save the project"
RESTORED, UNFIT = "{}_restored", "unfit"
HELP = (
    "A project file stores the names of your files, how they are read, k, the algorithm with its options, rules, and "
    "your changes by hand. The only contents of your files that it stores are column names, the names or codes in "
    "these rules and changes, and the values of a column whose order or hierarchy you set. “kanon run” makes the same "
    "groups from it."
)
NO_FILE = (
    "A project cannot be saved for these data: a project file says where its data come from, so it would reveal where "
    "your records are stored."
)
Restore = Callable[[File, Project], None]


def open_project(family: str) -> tuple[Project | None, DeltaGenerator]:
    """The project that the user opened, if it is valid, and the slot for notes on it and for saving one."""

    def begin_anew() -> None:
        st.session_state.pop(RESTORED.format(family), None)

    with st.expander("Project file"):
        upload = choose_upload(OPEN, ("toml",), f"{family}_project", HELP, begin_anew)
        place = st.container()
    if upload is None:
        return None, place
    try:
        project = project_from(upload[1])
    except kanon.KanonError as error:
        place.error(on_page(error), icon=":material/error:")
        return None, place
    if project.family != family:
        page = get_family(project.family).page.title
        place.warning(f"This project belongs to the page “{page}”.", icon=":material/swap_horiz:")
        return None, place
    files = " and ".join(f"“{escaped(name)}”" for name in map(_name, project.files))
    place.caption(f"The project uses {files}. Its settings apply once you choose the data.")
    return project, place


def first_time(project: Project, part: str, of: Hashable) -> bool:
    """Whether a part of the project is still to be restored for these data; from now on it counts as restored."""
    done: set[Hashable] = st.session_state.setdefault(RESTORED.format(project.family), set())
    now = repr(project), part, of
    if now in done:
        return False
    done.add(now)
    return True


def tell_unfit(project: Project, problem: str) -> None:
    """Say that a part of the project does not fit the data, as long as the project is open."""
    first_time(project, UNFIT, problem)


def restore_project(
    file: File, project: Project | None, more: Restore = lambda file, project: None, unasked: Sequence[str] = ()
) -> Project | None:
    """Load a project's settings into the page, once for each project and file.

    Parameters
    ----------
    more : ``more(file, project)`` restores what only this page has.
    unasked : Parameters of the reader without a widget on the page.

    Returns
    -------
    Project or None : The project, if it is for this file.
    """
    if project is None or file.asked is not None or _name(project.file) != file.name:
        return None
    _restore_sheet(file, project)
    if not first_time(project, "question", file.digest):
        return project
    put_question(project)
    st.session_state[ANSWERS] = project
    if file.sample is None:
        _restore_reading(file, project, unasked)
    more(file, project)
    return project


def _restore_sheet(file: File, project: Project) -> None:
    """Select the sheet that a project names, before its other reading settings."""
    if file.sheet is None or not isinstance(file.content, bytes) or not first_time(project, "sheet", file.digest):
        return
    sheets, _ = sheets_in(file.name, file.content)
    target = project.meant.get("sheet", file.sheet)
    target = sheets[0] if target == 1 else target
    if target not in sheets:
        tell_unfit(project, f"This workbook has no sheet “{target}”, which the project needs; choose a sheet.")
    elif target != file.sheet:
        st.session_state[sheet_key(file.family, file.digest)] = target
        st.rerun()


def _restore_reading(file: File, project: Project, unasked: Sequence[str]) -> None:
    """Put each parameter of the reader into the widget of its name; one that the project does not name is guessed."""
    state, reader = st.session_state, get_family(file.family).reader
    reading = project.meant
    for parameter in reader.parameters:
        key = f"{file.key}_{parameter.name}"
        value = None if parameter.kind in ("file", "files") else reading.get(parameter.name)
        if value is None:
            state.pop(key, None)
        else:
            state[key] = list(value) if isinstance(value, tuple) else value
    if reading.get("per_record"):
        second = reader.parameter("counts_column")  # if there is a second file, its rows are meant
        target = second or next(one for one in reader.parameters if one.kind == "counts")
        state[f"{file.key}_{target.name}"] = ROWS
    state[f"{file.key}_unasked"] = {name: reading[name] for name in unasked if name in reading}


def offer_project(
    place: DeltaGenerator,
    opened: Project | None,
    file: File,
    data: Data,
    question: Question,
    more: Mapping[str, tuple[str, bytes]] = MappingProxyType({}),
    *,
    roles: Sequence[str] = (),
    sets: Mapping[str, Any] | None = None,
    by_hand: ByHand | None = None,
) -> None:
    """A button that saves what the page shows, and a note on what differs from the project opened for this file.

    Parameters
    ----------
    more : Name and content of each further file by its role.
    roles : Those for which the page has a field.
    sets : Wishes for items by kind, if not all that apply to the data.
    """
    if file.asked is not None:
        forget_files(data.family)
        place.caption(NO_FILE)
        return
    digest = kanon.content_digest(data=file.content.read_bytes()) if isinstance(file.content, Path) else file.digest
    digests = {file.name: digest} | {name: kanon.content_digest(data=content) for name, content in more.values()}
    file_names = {role: name for role, (name, _) in more.items()}
    settings = vars(question.choice.question(question.k, file.name)) | {
        "reading": reading_of(data.instance, file_names, sets)
    }
    project = Project(**settings, digests=digests, by_hand=by_hand or ByHand())
    files = {file.name: file.content} | dict(more.values())
    remember_files(data.family, files, project)
    place.download_button(
        SAVE,
        project.to_toml(),
        "project.toml",
        "application/toml",
        key=f"{data.family}_save_project",
        on_click="ignore",
    )
    if opened is not None:
        _tell_changes(place, opened, file, more, roles)


def _tell_changes(
    place: DeltaGenerator,
    project: Project,
    file: File,
    more: Mapping[str, tuple[str, bytes]],
    roles: Sequence[str],
) -> None:
    """Which files differ from those when the project was saved, and which parts of the project were ignored."""
    contents = {project.file: file.content} if isinstance(file.content, bytes) else {}
    for role, (name, content) in more.items():
        file_name = project.reading.get(role)
        if isinstance(file_name, str) and _name(file_name) == name:
            contents[file_name] = content
        elif isinstance(file_name, str):
            place.warning(f"The project was saved with “{escaped(_name(file_name))}”, but this is “{escaped(name)}”.")
    for parameter in get_family(project.family).reader.parameters:
        file_name = project.reading.get(parameter.name)
        if parameter.kind == "file" and isinstance(file_name, str) and parameter.name not in roles:
            what = f"“{escaped(_name(file_name))}” ({parameter.name})"
            place.warning(f"The project also names {what}, for which this page has no field, so that file is ignored.")
    for sentence in project.changed(contents):
        place.warning(escaped(sentence), icon=":material/difference:")
    for saved, part, problem in sorted(st.session_state.get(RESTORED.format(project.family), ()), key=repr):
        if part == UNFIT and saved == repr(project):
            place.warning(escaped(problem), icon=":material/block:")


def _name(path: str) -> str:
    """A browser reveals file names, not folders."""
    return path.rpartition("/")[2]
