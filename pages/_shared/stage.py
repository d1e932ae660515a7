"""What stands on the stage: the picture of a result with the sizes of its groups, or the pictures of two results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.model.words import counted
from pages._shared.compare import difference, same_heights, title
from pages._shared.comparison import choose_comparison
from pages._shared.costs import objective_of
from pages._shared.groups import follow_click, show_selected
from pages._shared.picture import Drawing, PictureEvent, Rest, picture, show_picture
from pages._shared.records import Data, Question
from pages._shared.result import second_slot, try_answer
from pages._shared.results import Answer
from pages._shared.search_line import show_search

LINE = 56  # pixels of two lines below a picture
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
    data : Data
    g : Generalization
    figure : Figure or Drawing
    sizes : Figure
    chosen : DataFrame, optional
        What the group holds that stands out; it takes the place of the sizes.
    hint : str
        How a person makes a group stand out.
    internal : bool
        Whether the picture shows more than a release may, so that what its camera takes is internal.
    follow : callable
        What a click does.
    """
    left, right = st.columns([7, 3])
    with left:
        event = show_picture(figure, key=f"{data.family}_picture", height=Rest(), filename=_filename(g, internal))
    with right:
        if chosen is None:
            picture(sizes, key=f"{data.family}_sizes", height=Rest(below=LINE))
        show_selected(g, hint)
        if chosen is not None:
            weights = st.column_config.NumberColumn(format="localized", width="small")
            columns = {chosen.columns[-1]: weights}
            st.dataframe(chosen, hide_index=True, key=f"{data.family}_chosen", column_config=columns)
    follow(g, event)


def find_compared(data: Data, question: Question, found: Answer) -> tuple[Answer, ...]:
    """The result and what a person compares it with; where that has no result, the page says why."""
    slot = second_slot(data.family)
    left, right = st.columns([4, 5], vertical_alignment="bottom")
    with left:
        second = choose_comparison(data.family, question)
    other = None if second is None else try_answer(slot, data.instance, *second)
    if other is None:
        return ()
    with right:
        show_search(slot, data.instance, other, narrow=True)
    return found, other


def show_compared(
    data: Data, answers: Sequence[Answer], figures: Sequence[go.Figure | Drawing], *, internal: bool = True
) -> None:
    """Two pictures, each with its own line, and what differs."""
    if not answers:
        return
    first, second = (one.g for one in answers)
    if objective_of(first).is_largest_class:  # else bars are no groups
        same_heights([figure for figure in figures if isinstance(figure, go.Figure)], max(first.cost, second.cost))
    st.markdown(difference(first, second, data.instance.unit))
    events = []
    for column, g, figure, place in zip(st.columns(2), (first, second), figures, ("first", "second"), strict=True):
        with column:
            st.markdown(f"**{title(g)}**: {counted(g.classes, 'group')}, {objective_of(g).noun} {g.cost:,}")
            key, name = f"{data.family}_{place}", _filename(g, internal)
            events.append(show_picture(figure, key=key, height=Rest(), filename=name))
    follow_click(first, events[0])


def _filename(g: kanon.Generalization, internal: bool) -> str:
    """Of what the picture's camera takes."""
    return f"kanon-{g.family}-{g.algorithm.replace(' ', '-')}-k{g.k}{'-internal' if internal else ''}"
