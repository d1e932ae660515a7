"""What stands on the stage: the picture of a result with the sizes of its groups, or the pictures of two results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.model.words import counted, number_text
from pages._shared.compare import Pair, compared, difference, figures_table, pairs_table, same_heights, title
from pages._shared.groups import follow_click, show_selected
from pages._shared.picture import Drawing, PictureEvent, Rest, picture, picture_name, show_picture
from pages._shared.records import Data, Question
from pages._shared.result import second_slot, show_search, try_answer
from pages._shared.results import Answer, objective_of
from pages._shared.scenarios import Scenario, choose_comparison, show_scenarios
from pages._shared.tasks import tasks
from pages._shared.wording import escaped

LINE = 56  # pixels of two lines below a picture
BESIDE = Rest(least=280)  # of two pictures side by side
CLICK = "Click a group to see it alone."


def show_result(
    data: Data,
    g: kanon.Generalization,
    figure: go.Figure | Drawing,
    sizes: go.Figure,
    *,
    chosen: pd.DataFrame | None = None,
    hint: str = CLICK,
    internal: bool = True,
    follow: Callable[[kanon.Generalization, PictureEvent | None], None] = follow_click,
) -> None:
    """The picture of the result with the sizes of its groups.

    Parameters
    ----------
    chosen : What the group holds that stands out; it takes the place of the sizes.
    hint : How a person makes a group stand out.
    internal : Whether the picture shows more than a release may, so that what its camera takes is internal.
    follow : What a click does.
    """
    left, right = st.columns([7, 3])
    with left:
        event = show_picture(figure, key=f"{data.family}_picture", height=Rest(), filename=picture_name(g, internal))
    with right:
        if chosen is None:
            picture(sizes, key=f"{data.family}_sizes", height=Rest(below=LINE))
        show_selected(g, hint)
        if chosen is not None:
            weights = st.column_config.NumberColumn(format="localized", width="small")
            columns = {chosen.columns[-1]: weights}
            st.dataframe(chosen, hide_index=True, key=f"{data.family}_chosen", column_config=columns)
    follow(g, event)


def find_compared(data: Data, question: Question, found: Answer) -> Pair | None:
    """The result and what a person compares it with; where that has no result, the page says why."""
    slot = second_slot(data.family)
    left, right, aside = st.columns([8, 7, 3], vertical_alignment="bottom")
    with aside:
        show_scenarios(data, found)
    with left:
        second = choose_comparison(data, question)
    if isinstance(second, Scenario):
        tasks().leave(slot)
        g, words = second.named.g, f"{escaped(second.named.name)} ({title(second.named.g)})"
    else:
        other = None if second is None else try_answer(slot, data.instance, *second)
        if other is None:
            return None
        with right:
            show_search(slot, data.instance, other, narrow=True)
        g, words = other.g, title(other.g)
    differing = compared((found.g.digest, g.digest), found.g, g, data.instance)
    return Pair(data.instance, (found.g, g), (title(found.g), words), differing)


def show_compared(
    data: Data, pair: Pair | None, figures: Sequence[go.Figure | Drawing], *, internal: bool = True
) -> None:
    """Two pictures that move together, each with its own line, and what differs as a line and as tables."""
    if pair is None:
        return
    first, second = pair.results
    plotted = [figure for figure in figures if isinstance(figure, go.Figure)]
    if objective_of(first).is_largest_class:  # else bars are no groups
        same_heights(plotted, max(first.cost, second.cost))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(difference(pair), width="stretch")
        with st.popover("As a table", type="tertiary", key=f"{data.family}_difference"):
            _show_tables(data, pair)
    events = []
    places = zip(st.columns(2), pair.results, pair.titles, figures, ("first", "second"), strict=True)
    for column, g, words, figure, place in places:
        with column:
            with st.container(key=f"title-of-{data.family}_{place}"):  # one line, so that both maps are as high
                st.markdown(f"**{words}**: {counted(g.classes, 'group')}, {objective_of(g).noun} {number_text(g.cost)}")
            key, name = f"{data.family}_{place}", picture_name(g, internal)
            together = f"{data.family}_compared"
            events.append(show_picture(figure, key=key, height=BESIDE, filename=name, together=together))
    follow_click(first, events[0])
    follow_click(first, _of_the_first(pair, events[1]))


def _of_the_first(pair: Pair, event: PictureEvent | None) -> PictureEvent | None:
    """A click on a group of the second result, as one on the group of the first that corresponds."""
    partners = pair.found.partners[1]
    if event is None or event.class_number not in range(len(partners)):
        return None
    return replace(event, class_number=int(partners[event.class_number]))  # -1 is no group


def _show_tables(data: Data, pair: Pair) -> None:
    numbers = st.column_config.NumberColumn(format="localized")
    for name, table in (("figures", figures_table(pair)), ("pairs", pairs_table(pair))):
        formats = {column: numbers for column in table.columns if column}
        key = f"{data.family}_difference_{name}"
        st.dataframe(table, hide_index=True, key=key, column_config=formats, placeholder="")
    st.caption("Groups correspond so that as few as possible are in another group.")
