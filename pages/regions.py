"""Zip codes and other areas: connected groups."""

from __future__ import annotations

from functools import partial

import streamlit as st

from kanon_engine.plot import class_sizes_figure
from pages._regions.area_map import area_map, borders, choose_layers
from pages._regions.by_hand import HINT, by_hand_of, follow_area, replay, selected_areas_of, sets_of, show_bar
from pages._regions.groups import area_names, choose_compactness, names_of, show_compactness, show_members
from pages._regions.publish import show_publish
from pages._regions.reading import FORM, offer_record_counts, restore_reading, second_files, with_record_counts
from pages._regions.rules import choose_rules, offer_to_take_back, show_crossings
from pages._shared.controls import choose_algorithm, choose_k
from pages._shared.data import choose_file, read_file, show_understood, show_weights
from pages._shared.entry import begin_page
from pages._shared.link import show_tabs, tabs_of
from pages._shared.project import offer_project, open_project, restore_project
from pages._shared.publish import show_release_elsewhere
from pages._shared.records import codes_are_public
from pages._shared.result import find_answer, show_headline
from pages._shared.results import with_changes
from pages._shared.scenarios import write_link
from pages._shared.stage import (
    chosen_items,
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

notice = begin_page("regions")
with st.sidebar:
    controls = st.container()
    project, saved = open_project("regions")
with controls:
    file = with_record_counts(choose_file("regions", notice), notice)
wanted = restore_project(file, project, restore_reading, FORM.unasked)
data = read_file(file, FORM, notice)
with controls:
    k = choose_k(data)
    data, minima = choose_rules(data, file, notice, wanted)
    question = choose_algorithm(data, k, minima)
    prices = st.container()
    layers = choose_layers()
    show_understood(data, partial(offer_record_counts, file))
more, hands = second_files(file), by_hand_of(data, question)
offer_project(saved, wanted, file, data, question, more, roles=("counts",), sets=sets_of(data), by_hand=hands)

write_link(data, question, TABS)
show_weights(data)
found = find_answer(data, question, notice, offer_to_take_back)
replay(data, question, found, wanted)
found = with_changes(found)
regions, g = data.instance, found.g
show_headline(data, found)
with prices:
    choose_compactness(data, question)
show_crossings(regions, g)

with show_tabs("regions", TABS) as tab:
    match tab:
        case "Map":
            with st.container():  # a separate slot, so that the map below keeps its place and the focus
                show_bar(data, found)
            shown = area_map(
                regions, g, selected=selected_class(g), selected_areas=selected_areas_of(regions), **layers
            )
            sizes = class_sizes_figure(regions, g)
            chosen = chosen_items(data, g)
            show_result(data, g, shown, sizes, chosen=chosen, hint=HINT, internal=False, follow=follow_area)
        case "What if":
            show_what_if(data, question)
        case "How it works":
            show_how(regions, g)
        case "Compare":
            pair = find_compared(data, question, found)
            figures = compared_figures(pair, area_map, borders, shaded=False, **layers)
            show_compared(data, pair, figures, internal=False)
        case "Groups":
            names = names_of(data, g, codes_are_public(data) is not False)  # on the page all areas have their names
            show_groups(data, g, group_table(data, g, area_names, names))
            show_members(regions, g)
            show_compactness(regions, g)
        case "Publish":
            show_publish(data, g)
            show_release_elsewhere(data, g, file.asked, codes_are_public=bool(codes_are_public(data)))
stay_awake()
