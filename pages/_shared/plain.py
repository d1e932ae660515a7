"""The page of a family without parts of its own: all of it is made from its `FAMILY`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from kanon_engine.model.family import Family
from kanon_engine.plot import class_sizes_figure
from pages._shared.controls import choose_k_and_algorithm
from pages._shared.data import choose_file, read_file, show_understood, show_weights
from pages._shared.entry import begin_page
from pages._shared.form import plain_form
from pages._shared.link import show_tabs, tabs_of
from pages._shared.picture import plain_figure
from pages._shared.publish import show_downloads
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import (
    find_compared,
    group_table,
    selected_class,
    show_compared,
    show_groups,
    show_result,
    sides,
)
from pages._shared.steps import show_how
from pages._shared.sweeps import show_what_if
from pages._shared.tasks import stay_awake

TABS = tabs_of("Picture")


def show_page(family: Family) -> None:
    notice = begin_page(family.name)
    with st.sidebar:
        file = choose_file(family.name, notice)
        controls = st.container()
    data = read_file(file, plain_form(family.reader), notice)
    with controls:
        question = choose_k_and_algorithm(data)
        show_understood(data)

    write_link(data, question, TABS)
    show_weights(data)
    answer = find_answer(data, question, notice)
    instance, g = data.instance, answer.g
    show_headline(data, answer)

    with show_tabs(family.name, TABS) as tab:
        match tab:
            case "Picture":
                figure = plain_figure(family, instance, g, selected_class(g))
                show_result(data, g, figure, class_sizes_figure(instance, g))
            case "What if":
                show_what_if(data, question)
            case "How it works":
                show_how(instance, g)
            case "Compare":
                pair = find_compared(data, question, answer)
                show_compared(data, pair, [plain_figure(family, instance, one, number) for one, number in sides(pair)])
            case "Groups":
                show_groups(data, g, group_table(data, g))
            case "Publish":
                show_downloads(data, g)
    stay_awake()


# ---------------------------------------------------------------------------------------------------------------------
# The page of each family: a file of its name if it has parts of its own, otherwise the generic one.
# ---------------------------------------------------------------------------------------------------------------------


PAGES = Path(__file__).parents[1]


def page_of(family: Family) -> st.Page:
    icon = f":material/{family.page.icon}:"
    file = PAGES / f"{family.name}.py"
    if file.is_file():
        return st.Page(file, title=family.page.title, icon=icon)

    def show_plain() -> None:

        show_page(family)

    return st.Page(show_plain, title=family.page.title, icon=icon, url_path=family.name)
