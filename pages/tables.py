"""Tables of records: intervals of columns, or hidden cells."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from kanon_engine.tables import LIMIT
from kanon_engine.tables.instance import too_many
from kanon_engine.tables.plot import columns_figure, sizes_figure
from pages._shared.compare import sides
from pages._shared.controls import begin_option, choose_algorithm, choose_k
from pages._shared.data import choose_file
from pages._shared.downloads import show_downloads
from pages._shared.entry import begin_page
from pages._shared.groups import show_groups
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project, tell_changes
from pages._shared.reading_steps import show_understood
from pages._shared.releasing import show_release_elsewhere
from pages._shared.result import find_answer, show_headline
from pages._shared.results import certificate_of
from pages._shared.scenarios import write_link
from pages._shared.stage import find_compared, show_compared, show_result
from pages._shared.sweeps import show_what_if
from pages._shared.tasks import stay_awake
from pages._shared.wording import escaped
from pages._tables.demands import choose_demands
from pages._tables.editor import restore_columns, settle_roles
from pages._tables.reading import FIELDS, read_as, read_table, show_counted_columns
from pages._tables.released import show_audit, show_released
from pages._tables.result import group_table, result_figure, show_run, table_headline

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
    data, demands = choose_demands(data)
    question = choose_algorithm(data, k, demands)
    show_understood(data)
offer_project(saved, file, data, question)
tell_changes(saved, wanted, file)

write_link(data, question, TABS)
show_counted_columns(file, data)
found = find_answer(data, question, notice)
found = replace(found, g=read_as(data.instance, found.g))
table, g = data.instance, found.g
show_headline(data, found, table_headline(table, g, certificate_of(table, g).proof))

columns, what_if, how, compare, groups, released, publish = show_tabs("tables", TABS)
if columns.open:
    with columns:
        figure, hint = result_figure(table, g), "Tick a group under Groups to see it here."
        show_result(data, g, figure, sizes_figure(table, g), hint=hint)
if what_if.open:
    with what_if:
        show_what_if(data, question, sorted({k for k in (*PAPER_KS, question.k) if k <= table.total}))
if how.open:
    with how:
        show_run(table, found)
if compare.open:
    with compare:
        pair = find_compared(data, question, found)
        show_compared(data, pair, [columns_figure(table, one, number, narrow=True) for one, number in sides(pair)])
if groups.open:
    with groups:
        show_groups(data, g, group_table(table, g))
if released.open:
    with released:
        show_released(table, g)
if publish.open:
    with publish:
        if settle_roles(file):
            show_audit(file, table, g)
            if why := too_many(table):
                st.info(escaped(why), icon=":material/info:")
            show_downloads(data, g, without=("release",) if why else ())
            show_release_elsewhere(data, g, file.asked)
stay_awake()
