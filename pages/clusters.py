"""Clusters: records around centers that are published in their place."""

from __future__ import annotations

import streamlit as st

from kanon_engine.clusters.plot import clusters_figure, neighbors
from kanon_engine.plot import class_sizes_figure
from pages._clusters.reading import FORM
from pages._clusters.result import (
    choose_layers,
    cluster_headline,
    cluster_table,
    show_radius,
    show_rectangles_comparison,
    show_what_if_clusters,
)
from pages._shared.controls import choose_k_and_algorithm
from pages._shared.data import choose_file, read_file, show_understood, show_weights
from pages._shared.entry import begin_page
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project
from pages._shared.publish import show_downloads
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import compared_figures, find_compared, selected_class, show_compared, show_groups, show_result
from pages._shared.tasks import certificate_of, stay_awake

TABS = tabs_of("Picture", "Circle or rectangle")

notice = begin_page("clusters")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("clusters")
with controls:
    file = choose_file("clusters", notice)
wanted = restore_project(file, project, unasked=FORM.unasked)
data = read_file(file, FORM, notice)
with controls:
    question = choose_k_and_algorithm(data)
    layers = choose_layers(data.instance)
    show_understood(data)
offer_project(saved, wanted, file, data, question)

write_link(data, question, TABS)
show_weights(data)
found = find_answer(data, question, notice)
space, g = data.instance, found.g
show_headline(data, found, cluster_headline(space, g, certificate_of(space, g).proof))

with show_tabs("clusters", TABS) as tab:
    match tab:
        case "Picture":
            figure = clusters_figure(space, g, selected_class(g), **layers)
            show_result(data, g, figure, class_sizes_figure(space, g))
        case "What if":
            show_what_if_clusters(data, question)
        case "How it works":
            show_radius(space, g, question.choice.algorithm, **layers)
        case "Compare":
            pair = find_compared(data, question, found)
            show_compared(data, pair, compared_figures(pair, clusters_figure, neighbors, **layers))
        case "Groups":
            show_groups(data, g, cluster_table(data, g))
        case "Circle or rectangle":
            show_rectangles_comparison(data, g, **layers)
        case "Publish":
            show_downloads(data, g)
stay_awake()
