"""Names, diagnoses and other labels without an order: bins."""

from __future__ import annotations

import streamlit as st

from kanon_engine.labels.plot import bins_figure, packing_figure
from kanon_engine.labels.plot.steps import packing_steps
from kanon_engine.plot import class_sizes_figure
from pages._labels.every_k import choose_every_k, show_every_k
from pages._labels.reading import choose_reading
from pages._labels.rules import choose_rules
from pages._shared.controls import choose_k_and_algorithm, write_link
from pages._shared.data import choose_file, read_file
from pages._shared.downloads import show_downloads
from pages._shared.entry import begin_page
from pages._shared.groups import group_table, heaviest, members_of, selected_class, show_groups
from pages._shared.result import find_answer, find_second, result_tabs, show_headline, show_pictures
from pages._shared.steps import choose_step, show_step
from pages._shared.tasks import stay_awake
from pages._shared.understood import show_counted, show_understood
from pages._shared.what_if import show_what_if

notice = begin_page("labels")
with st.sidebar:
    file = choose_file("labels", notice)
    data = read_file(file, choose_reading, notice)
    question = choose_k_and_algorithm(data)
    data = choose_rules(data, notice)
    show_understood(data)

write_link(data, question)
show_counted(data)
found = find_answer(data, question, notice)
labels, g = data.instance, found.g
show_headline(data, g)
answers = [found, *find_second(data, question)]
bins = [bins_figure(labels, one.g, selected=selected_class(one.g)) for one in answers]
show_pictures(data, answers, bins, class_sizes_figure(labels, g))

groups, what_if, how, download = result_tabs("labels")
if groups.open:
    with groups:
        members = members_of(g)
        show_groups(data, g, group_table(data, g, members, [heaviest(labels, part) for part in members]))
if what_if.open:
    with what_if:
        if choose_every_k():
            show_every_k(labels, question)
        else:
            show_what_if(data, question)
if how.open:
    with how:
        step = choose_step(g, len(packing_steps(labels, g)) - 1)
        show_step("labels", *packing_figure(labels, g, step))
if download.open:
    with download:
        show_downloads(data, g)
stay_awake()
