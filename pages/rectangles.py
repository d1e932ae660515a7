"""GPS points: rectangles that tile their bounding box."""

from __future__ import annotations

import streamlit as st

from kanon_engine.model.generalization import members_of
from kanon_engine.model.words import counted
from kanon_engine.plot import class_sizes_figure
from kanon_engine.rectangles.plot import rectangles_figure
from pages._rectangles.picture import choose_layers, compared_maps, study_area_of, suggest_snap
from pages._rectangles.reading import UNASKED, chosen_reading, restore_reading, show_steps
from pages._shared.controls import choose_algorithm, choose_k
from pages._shared.data import choose_file, read_file
from pages._shared.downloads import show_downloads
from pages._shared.entry import begin_page
from pages._shared.files import atlas
from pages._shared.groups import group_table, selected_class, show_groups
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

TABS = tabs_of("Map")

notice = begin_page("rectangles")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("rectangles")
with controls:
    file = choose_file("rectangles", notice)
wanted = restore_project(file, project, restore_reading, UNASKED)
data = read_file(file, chosen_reading, notice, show_steps)
with controls:
    k = choose_k(data)
    suggest_snap(data.instance, k)
    question = choose_algorithm(data, k)
    layers = choose_layers()
    show_understood(data)
offer_project(saved, file, data, question)
tell_changes(saved, wanted, file)

write_link(data, question, TABS)
show_counted(data)
found = find_answer(data, question, notice)
points, g = data.instance, found.g
show_headline(data, found)
around = {"background": atlas(), "area": study_area_of(points)}
shown = around | layers

map_, what_if, how, compare, groups, publish = show_tabs("rectangles", TABS)
if map_.open:
    with map_:
        drawn = rectangles_figure(points, g, selected=selected_class(g), **shown)
        show_result(data, g, drawn, class_sizes_figure(points, g))
if what_if.open:
    with what_if:
        show_what_if(data, question)
if how.open:
    with how:
        show_how(points, g)
if compare.open:
    with compare:
        pair = find_compared(data, question, found)
        show_compared(data, pair, compared_maps(pair, **shown))
if groups.open:
    with groups:
        members = members_of(g.assignment, g.classes)
        show_groups(data, g, group_table(data, g, members, [counted(len(part), "point") for part in members]))
if publish.open:
    with publish:
        show_downloads(data, g, **around)
        show_release_elsewhere(data, g, file.asked)
stay_awake()
