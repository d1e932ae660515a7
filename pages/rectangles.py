"""GPS points: rectangles that tile their bounding box."""

from __future__ import annotations

import streamlit as st

from kanon_engine.plot import class_sizes_figure
from kanon_engine.rectangles.plot import rectangles_figure
from pages._rectangles.reading import (
    FORM,
    borders,
    choose_layers,
    number_of_points,
    restore_reading,
    study_area_of,
    suggest_snap,
)
from pages._shared.controls import choose_algorithm, choose_k
from pages._shared.data import choose_file, read_file, show_understood, show_weights
from pages._shared.entry import begin_page
from pages._shared.files import atlas
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project
from pages._shared.publish import show_downloads, show_release_elsewhere
from pages._shared.result import find_answer, show_headline
from pages._shared.scenarios import write_link
from pages._shared.stage import (
    compared_figures,
    find_compared,
    group_table,
    selected_class,
    show_compared,
    show_groups,
    show_result,
)
from pages._shared.steps import show_how
from pages._shared.sweeps import show_what_if
from pages._shared.tasks import stay_awake

TABS = tabs_of("Map")

notice = begin_page("rectangles")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("rectangles")
with controls:
    file = choose_file("rectangles", notice)
wanted = restore_project(file, project, restore_reading, FORM.unasked)
data = read_file(file, FORM, notice)
with controls:
    k = choose_k(data)
    suggest_snap(data.instance, k)
    question = choose_algorithm(data, k)
    layers = choose_layers()
    show_understood(data)
offer_project(saved, wanted, file, data, question)

write_link(data, question, TABS)
show_weights(data)
found = find_answer(data, question, notice)
points, g = data.instance, found.g
show_headline(data, found)
around = {"background": atlas(), "area": study_area_of(points)}
shown = around | layers

with show_tabs("rectangles", TABS) as tab:
    match tab:
        case "Map":
            drawn = rectangles_figure(points, g, selected=selected_class(g), **shown)
            show_result(data, g, drawn, class_sizes_figure(points, g))
        case "What if":
            show_what_if(data, question)
        case "How it works":
            show_how(points, g)
        case "Compare":
            pair = find_compared(data, question, found)
            show_compared(data, pair, compared_figures(pair, rectangles_figure, borders, **shown))
        case "Groups":
            show_groups(data, g, group_table(data, g, number_of_points))
        case "Publish":
            show_downloads(data, g, **around)
            show_release_elsewhere(data, g, file.asked)
stay_awake()
