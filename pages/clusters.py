"""Clusters: records around centers, which are published instead of them."""

from __future__ import annotations

import streamlit as st

from kanon_engine.clusters.plot import clusters_figure
from kanon_engine.model.generalization import members_of
from kanon_engine.plot import class_sizes_figure
from pages._clusters.reading import UNASKED, chosen_reading, restore_reading, show_steps
from pages._clusters.result import choose_layers, cluster_headline, cluster_table, compared_clusters
from pages._clusters.tabs import show_beside, show_radius, show_what_if_clusters
from pages._shared.controls import choose_k_and_algorithm
from pages._shared.data import choose_file, read_file
from pages._shared.downloads import show_downloads
from pages._shared.entry import begin_page
from pages._shared.groups import selected_class, show_groups
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project, tell_changes
from pages._shared.reading_steps import show_counted, show_understood
from pages._shared.result import find_answer, show_headline
from pages._shared.results import certificate_of
from pages._shared.scenarios import write_link
from pages._shared.stage import find_compared, show_compared, show_result
from pages._shared.tasks import stay_awake

TABS = tabs_of("Picture", "Circle or rectangle")

notice = begin_page("clusters")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("clusters")
with controls:
    file = choose_file("clusters", notice)
wanted = restore_project(file, project, restore_reading, UNASKED)
data = read_file(file, chosen_reading, notice, show_steps)
with controls:
    question = choose_k_and_algorithm(data)
    layers = choose_layers(data.instance)
    show_understood(data)
offer_project(saved, file, data, question)
tell_changes(saved, wanted, file)

write_link(data, question, TABS)
show_counted(data)
found = find_answer(data, question, notice)
space, g = data.instance, found.g
show_headline(data, found, cluster_headline(space, g, certificate_of(space, g).proof))

drawn, what_if, how, compare, groups, beside, publish = show_tabs("clusters", TABS)
if drawn.open:
    with drawn:
        figure = clusters_figure(space, g, selected_class(g), **layers)
        show_result(data, g, figure, class_sizes_figure(space, g))
if what_if.open:
    with what_if:
        show_what_if_clusters(data, question)
if how.open:
    with how:
        show_radius(space, g, question.choice.algorithm, **layers)
if compare.open:
    with compare:
        pair = find_compared(data, question, found)
        show_compared(data, pair, compared_clusters(pair, **layers))
if groups.open:
    with groups:
        show_groups(data, g, cluster_table(data, g, members_of(g.assignment, g.classes)))
if beside.open:
    with beside:
        show_beside(data, g, **layers)
if publish.open:
    with publish:
        show_downloads(data, g)
stay_awake()
