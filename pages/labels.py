"""Names, diagnoses and other labels without an order: bins."""

from __future__ import annotations

import streamlit as st

from kanon_engine.labels.plot import bins_figure
from kanon_engine.plot import class_sizes_figure
from pages._labels.every_k import choose_every_k, show_every_k
from pages._labels.reading import FORM, choose_rules, restore_rules
from pages._shared.controls import choose_k_and_algorithm
from pages._shared.data import choose_file, read_file, show_understood, show_weights
from pages._shared.entry import begin_page
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project
from pages._shared.publish import show_downloads, show_release_elsewhere
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import (
    chosen_items,
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

TABS = tabs_of("Bins")

notice = begin_page("labels")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("labels")
with controls:
    file = choose_file("labels", notice)
wanted = restore_project(file, project, restore_rules)
data = read_file(file, FORM, notice)
with controls:
    question = choose_k_and_algorithm(data)
    data = choose_rules(data, file, notice)
    show_understood(data)
offer_project(saved, wanted, file, data, question)

write_link(data, question, TABS)
show_weights(data)
found = find_answer(data, question, notice)
labels, g = data.instance, found.g
show_headline(data, found)

with show_tabs("labels", TABS) as tab:
    match tab:
        case "Bins":
            shown = bins_figure(labels, g, selected=selected_class(g))
            show_result(data, g, shown, class_sizes_figure(labels, g), chosen=chosen_items(data, g))
        case "What if":
            if choose_every_k():
                show_every_k(labels, question)
            else:
                show_what_if(data, question)
        case "How it works":
            show_how(labels, g)
        case "Compare":
            pair = find_compared(data, question, found)
            show_compared(data, pair, [bins_figure(labels, one, selected=number) for one, number in sides(pair)])
        case "Groups":
            show_groups(data, g, group_table(data, g))
        case "Publish":
            show_downloads(data, g)
            show_release_elsewhere(data, g, file.asked)
stay_awake()
