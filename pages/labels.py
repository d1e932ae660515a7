"""Names, diagnoses and other labels without an order: bins."""

from __future__ import annotations

import streamlit as st

from kanon_engine.labels.plot import bins_figure
from kanon_engine.model.generalization import members_of
from kanon_engine.plot import class_sizes_figure
from pages._labels.every_k import choose_every_k, show_every_k
from pages._labels.reading import choose_rules, chosen_reading, restore_rules, show_steps
from pages._shared.compare import sides
from pages._shared.controls import choose_k_and_algorithm
from pages._shared.data import choose_file, read_file
from pages._shared.downloads import show_downloads
from pages._shared.entry import begin_page
from pages._shared.groups import chosen_items, group_table, heaviest, selected_class, show_groups
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project, tell_changes
from pages._shared.reading_steps import show_counted, show_understood
from pages._shared.releasing import show_release_elsewhere
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import find_compared, show_compared, show_result
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
data = read_file(file, chosen_reading, notice, show_steps)
with controls:
    question = choose_k_and_algorithm(data)
    data = choose_rules(data, notice)
    show_understood(data)
offer_project(saved, file, data, question)
tell_changes(saved, wanted, file)

write_link(data, question, TABS)
show_counted(data)
found = find_answer(data, question, notice)
labels, g = data.instance, found.g
show_headline(data, found)

bins, what_if, how, compare, groups, publish = show_tabs("labels", TABS)
if bins.open:
    with bins:
        shown = bins_figure(labels, g, selected=selected_class(g))
        show_result(data, g, shown, class_sizes_figure(labels, g), chosen=chosen_items(data, g))
if what_if.open:
    with what_if:
        if choose_every_k():
            show_every_k(labels, question)
        else:
            show_what_if(data, question)
if how.open:
    with how:
        show_how(labels, g)
if compare.open:
    with compare:
        pair = find_compared(data, question, found)
        show_compared(data, pair, [bins_figure(labels, one, selected=number) for one, number in sides(pair)])
if groups.open:
    with groups:
        members = members_of(g.assignment, g.classes)
        show_groups(data, g, group_table(data, g, members, [heaviest(labels, part) for part in members]))
if publish.open:
    with publish:
        show_downloads(data, g)
        show_release_elsewhere(data, g, file.asked)
stay_awake()
