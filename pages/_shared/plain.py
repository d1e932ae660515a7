"""The page of a family without parts of its own: all of it is made from what its `FAMILY` says."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.io.source import Source
from kanon_engine.model.family import TABLES, Family
from kanon_engine.model.generalization import members_of
from kanon_engine.model.setting import Setting
from kanon_engine.plot import class_sizes_figure
from pages._shared.compare import sides
from pages._shared.controls import choose_k_and_algorithm
from pages._shared.data import choose_file, read_file, reading_expander
from pages._shared.downloads import show_downloads
from pages._shared.entry import begin_page
from pages._shared.files import choose_upload
from pages._shared.groups import group_table, heaviest, selected_class, show_groups
from pages._shared.link import show_tabs, tabs_of
from pages._shared.picture import plain_figure
from pages._shared.reading_steps import show_counted, show_understood
from pages._shared.records import File
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import find_compared, show_compared, show_result
from pages._shared.steps import show_how
from pages._shared.sweeps import show_what_if
from pages._shared.tasks import stay_awake
from pages._shared.widgets import given, pick_column, pick_counts
from pages._shared.wording import control_name

USUAL = "as usual"
TABS = tabs_of("Picture")


def show_page(family: Family) -> None:
    """The page, from top to bottom."""
    notice = begin_page(family.name)
    with st.sidebar:
        file = choose_file(family.name, notice)
        data = read_file(file, partial(choose_reading, family), notice)
        question = choose_k_and_algorithm(data)
        show_understood(data)

    write_link(data, question, TABS)
    show_counted(data)
    found = find_answer(data, question, notice)
    instance, g = data.instance, found.g
    show_headline(data, found)

    drawn, what_if, how, compare, groups, publish = show_tabs(family.name, TABS)
    if drawn.open:
        with drawn:
            figure = plain_figure(family, instance, g, selected_class(g))
            show_result(data, g, figure, class_sizes_figure(instance, g))
    if what_if.open:
        with what_if:
            show_what_if(data, question)
    if how.open:
        with how:
            show_how(instance, g)
    if compare.open:
        with compare:
            pair = find_compared(data, question, found)
            show_compared(data, pair, [plain_figure(family, instance, one, number) for one, number in sides(pair)])
    if groups.open:
        with groups:
            members = members_of(g.assignment, g.classes)
            show_groups(data, g, group_table(data, g, members, [heaviest(instance, part) for part in members]))
    if publish.open:
        with publish:
            show_downloads(data, g)
    stay_awake()


def choose_reading(family: Family, file: File) -> dict[str, Any]:
    """A widget for each of the reader's parameters; what is left as it is, the reader guesses."""
    settings: dict[str, Any] = {}
    if file.rows is None:
        return settings
    key, columns, parameters = file.key, file.columns, family.reader.parameters
    counted = any(parameter.kind == "counts" for parameter in parameters)
    with reading_expander(file):
        for parameter in parameters:
            if parameter.kind == "counts":
                settings |= pick_counts(control_name(parameter.name), columns, key, parameter.name, parameter.help)
            elif counted and parameter.name == "per_record":
                continue  # one of the choices above
            elif parameter.kind != "files":
                settings |= given(**{parameter.name: _reading_field(parameter, f"{key}_{parameter.name}", columns)})
    return settings


def _reading_field(parameter: Setting, key: str, columns: list[str]) -> Any:
    """What a person says of it; None for nothing."""
    words = control_name(parameter.name)
    if parameter.kind == "column":
        return pick_column(words, columns, key, parameter.help)
    if parameter.kind == "flag":
        return st.checkbox(words, key=key, help=parameter.help, persist_state="session") or None
    if parameter.kind == "choice":
        return pick_column(words, list(parameter.choices), key, parameter.help, USUAL)
    if parameter.kind == "file":
        upload = choose_upload(words, TABLES, key, parameter.help)
        return None if upload is None else Source.open(upload[1], upload[0])
    text = st.text_input(words, key=key, help=parameter.help, persist_state="session").strip()
    if not text:
        return None
    try:
        return text if parameter.parse is None else parameter.parse(text)
    except ValueError as error:
        raise kanon.InvalidInput(f"{words}: {error}") from error


# ---------------------------------------------------------------------------------------------------------------------
# The page of each family: a file of its name where it has parts of its own, else the one that needs none.
# ---------------------------------------------------------------------------------------------------------------------


PAGES = Path(__file__).parents[1]


def page_of(family: Family) -> st.Page:
    """For the navigation, and to link to."""
    icon = f":material/{family.page.icon}:"
    file = PAGES / f"{family.name}.py"
    if file.is_file():
        return st.Page(file, title=family.page.title, icon=icon)

    def show_plain() -> None:

        show_page(family)

    return st.Page(show_plain, title=family.page.title, icon=icon, url_path=family.name)
