"""Tables of records: intervals of columns, or hidden cells."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from kanon_engine.tables import LIMIT
from kanon_engine.tables.instance import too_many
from kanon_engine.tables.plot import columns_figure, sizes_figure
from pages._shared.controls import begin_option, choose_algorithm, choose_k
from pages._shared.data import choose_file, show_understood
from pages._shared.entry import begin_page
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project
from pages._shared.publish import show_downloads, show_release_elsewhere
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import find_compared, show_compared, show_groups, show_result, sides
from pages._shared.sweeps import show_what_if
from pages._shared.tasks import certificate_of, stay_awake
from pages._shared.wording import escaped
from pages._tables.before_after import GROUP_HINT, show_records
from pages._tables.demands import choose_demands
from pages._tables.editor import FIELDS, read_as, read_table, restore_columns, settle_roles, show_columns_of_counts
from pages._tables.released import show_audit, show_released
from pages._tables.result import group_table, meaning, result_figure, show_run, table_headline

TABS = tabs_of("Columns", "Released table")
PAPER_KS = (5, 10, 25, 50, 100, 250, 500, 1000)

notice = begin_page("tables")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("tables")
with controls:
    file = choose_file("tables", notice, FIELDS)
    wanted = restore_project(file, project, restore_columns)
    data = read_table(file, notice)
    k = choose_k(data)
    begin_option("tables", LIMIT, 0)  # nobody is left out: then the search is short, and no limit is one click away
    demands = choose_demands(data)
    question = choose_algorithm(data, k, demands)
    show_understood(data)
offer_project(saved, wanted, file, data, question)

write_link(data, question, TABS)
show_columns_of_counts(file, data)
found = find_answer(data, question, notice)
found = replace(found, g=read_as(data.instance, found.g))
table, g = data.instance, found.g
show_headline(data, found, table_headline(table, g, certificate_of(table, g).proof), meaning(g))

with show_tabs("tables", TABS) as tab:
    match tab:
        case "Columns":
            figure = result_figure(table, g)
            if figure is None:
                show_records(table, g)
            else:
                show_result(data, g, figure, sizes_figure(table, g), hint=GROUP_HINT)
        case "What if":
            show_what_if(data, question, sorted({k for k in (*PAPER_KS, question.k) if k <= table.total}))
        case "How it works":
            show_run(table, found)
        case "Compare":
            pair = find_compared(data, question, found)
            show_compared(data, pair, [columns_figure(table, one, number, narrow=True) for one, number in sides(pair)])
        case "Groups":
            show_groups(data, g, group_table(table, g))
        case "Released table":
            show_released(table, g)
        case "Publish":
            if settle_roles(file):
                show_audit(file, table, g)
                if why := too_many(table):
                    st.info(escaped(why), icon=":material/info:")
                show_downloads(data, g, without=("release",) if why else ())
                show_release_elsewhere(data, g, file.asked)
stay_awake()
