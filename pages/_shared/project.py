"""A project file: saved from a page, and opened again once the files that it names are chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.project import Project, project_from
from kanon_engine.registry import family_named
from pages._shared.number_field import forget_number, minimum_key, put_number
from pages._shared.records import Data, File, Question
from pages._shared.upload import choose_upload
from pages._shared.wording import escaped, on_page

OPEN = "Open a project file"
SAVE = "Save the project"
HELP = (
    "A project file names your files and keeps how they are read, k, the algorithm with its options, and the rules. It "
    "holds nothing of what is in them. “kanon run” makes the same groups from it."
)
Restore = Callable[[File, Project], None]


def open_project(family: str) -> tuple[Project | None, DeltaGenerator]:
    """The project that a person opened, if it is one, and the place for what is said of it and to save one."""
    with st.expander("Project file"):
        upload = choose_upload(OPEN, ("toml",), f"{family}_project", HELP)
        place = st.container()
    if upload is None:
        return None, place
    try:
        project = project_from(upload[1])
    except kanon.KanonError as error:
        place.error(on_page(error), icon=":material/error:")
        return None, place
    if project.family != family:
        page = family_named(project.family).page.title
        place.warning(f"This project belongs to the page “{page}”.", icon=":material/swap_horiz:")
        return None, place
    named = " and ".join(f"“{escaped(name)}”" for name in map(_name, project.files))
    place.caption(f"The project works on {named}. Its settings hold once you have chosen the data.")
    return project, place


def restore_project(file: File, project: Project | None, restore: Restore) -> None:
    """Give the page what a project says, once for each project and file; `restore` does so for how a file is read."""
    if project is None or _name(project.file) != file.name:
        return
    key, now = f"{file.family}_restored", (project.to_toml(), file.digest)
    if st.session_state.get(key) == now:
        return
    st.session_state[key] = now
    family = file.family
    put_number(f"{family}_k", project.k)
    put_number(f"{family}_seed", project.seed)
    st.session_state[f"{family}_algorithm"] = project.algorithm
    for option in family_named(family).algorithm(project.algorithm).options:
        name, value = f"{family}_{option.name}", project.options[option.name]
        if option.kind in ("number", "integer"):
            put_number(name, value)
        else:
            st.session_state[name] = value
    for column, _ in st.session_state.get(f"{family}_minima", ()):
        forget_number(minimum_key(family, column))
    st.session_state[f"{family}_minima"] = tuple(project.minimum.items())
    if file.sample is None:
        restore(file, project)


def offer_project(
    place: DeltaGenerator, file: File, data: Data, question: Question, more: Mapping[str, tuple[str, bytes]]
) -> None:
    """A button that saves what the page shows; `more` holds the name and content of each further file by its role."""
    own = kanon.content_digest(data=file.content.read_bytes()) if isinstance(file.content, Path) else file.digest
    digests = {file.name: own} | {name: kanon.content_digest(data=content) for name, content in more.values()}
    reading = {name: value for name, value in data.instance.reading.items() if name != "reader" and value is not None}
    reading |= {role: name for role, (name, _) in more.items()} | _sets(data)
    project = Project(
        data.family,
        file.name,
        question.k,
        question.choice.algorithm.name,
        dict(question.choice.options),
        question.choice.seed,
        reading,
        {one.column: one.m for one in question.choice.require if isinstance(one, kanon.Minimum)},
        digests,
    )
    place.download_button(
        SAVE,
        project.to_toml(),
        "project.toml",
        "application/toml",
        key=f"{data.family}_save_project",
        on_click="ignore",
    )


def _sets(data: Data) -> dict[str, list[list[str]]]:
    """The sets of items that the data stand under: from files, and of groups that are locked."""
    parameters = family_named(data.family).reader.parameters
    names = [one.name for one in parameters if one.kind == "file" and not one.again]
    found = {name: [[str(item) for item in own] for own in getattr(data.instance, name)] for name in names}
    return {name: sets for name, sets in found.items() if sets}


def tell_changes(
    place: DeltaGenerator, project: Project | None, file: File, more: Mapping[str, tuple[str, bytes]]
) -> None:
    """Say which of the files is another than when the project was saved, or is still to be chosen."""
    if project is None or _name(project.file) != file.name:
        return
    own = {project.file: file.content} if isinstance(file.content, bytes) else {}
    for role, (name, content) in more.items():
        wanted = project.reading.get(role)
        if isinstance(wanted, str) and _name(wanted) == name:
            own[wanted] = content
        elif isinstance(wanted, str):
            place.warning(f"The project was saved with “{escaped(_name(wanted))}”, and this is “{escaped(name)}”.")
    for sentence in project.changed(own):
        place.warning(escaped(sentence), icon=":material/difference:")


def _name(path: str) -> str:
    """A browser tells names of files, and no folders."""
    return path.rpartition("/")[2]
