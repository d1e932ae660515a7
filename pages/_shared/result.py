"""What a page found: the headline with its proof, the picture, one or two of them, and the tabs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from plotly import graph_objects as go
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.registry import family_named
from pages._shared.checked import certificate_of
from pages._shared.compare import difference, same_heights, title
from pages._shared.controls import put_k, show_promise
from pages._shared.costs import objective_of
from pages._shared.entry import end_notice, stop_page
from pages._shared.groups import follow_click
from pages._shared.headline import BADGE_HELP, BADGES, headline
from pages._shared.link import show_misread
from pages._shared.number_field import mistakes, put_number
from pages._shared.picture import Drawing, PictureEvent, picture, show_picture
from pages._shared.records import Data, Question
from pages._shared.results import Answer, Choice, answer, begin_search, search_again
from pages._shared.search_line import AGAIN, show_search
from pages._shared.tasks import tasks
from pages._shared.wording import escaped, on_page

TABS = ("Groups", "What if", "How it works", "Download")
PICTURE_HEIGHT = 430


def find_answer(data: Data, question: Question, notice: DeltaGenerator) -> Answer:
    """The result, or the best that is at hand; where there is none, the page says why and stops."""
    if mistakes():
        notice.empty()
        _show_mistakes()
        stop_page()
    show_misread(data.family)
    if question.second is None:
        tasks().leave(_second(data))
    else:  # both at the same time
        begin_search(_second(data), data.instance, *question.second)
    show_promise(data, question)
    found = _answer(data.family, data.instance, question.k, question.choice)
    end_notice(data.family, notice)
    if found is None:
        _offer_feasible_k(data, question.k)
        stop_page()
    if not found.waiting and not found.ended:  # otherwise it is another algorithm's
        show_promise(data, question, found.g)
    return found


def find_second(data: Data, question: Question) -> tuple[Answer, ...]:
    """What the result is compared with, if anything; where that has no result, the page says why."""
    if question.second is None:
        return ()
    found = _answer(_second(data), data.instance, *question.second)
    return () if found is None else (found,)


def show_headline(data: Data, g: kanon.Generalization, words: str | None = None) -> None:
    """What was found and how good it is, in a family's own words or in those for the largest group, and the checks."""
    certificate = certificate_of(data.instance, g)
    checks = "\n".join(f"- **{check.name}**: {check.detail}" for check in certificate.checks)
    proof = certificate.proof
    with st.container(key=f"headline-of-{data.family}"):
        left, badge = st.columns([7, 1], vertical_alignment="center")
    left.markdown(f"#### {headline(g, data.instance.unit, proof) if words is None else words}")
    with badge.popover(BADGES[proof], width="stretch", help=BADGE_HELP[proof]):
        reason = family_named(data.family).bounds[g.bound_name]
        st.markdown(f"The bound {g.lower_bound:,}: {reason}.")
        st.markdown(checks)


def show_pictures(
    data: Data,
    answers: Sequence[Answer],
    figures: Sequence[go.Figure | Drawing],
    sizes: go.Figure,
    *,
    internal: bool = True,
) -> None:
    """The picture of the result with the sizes of its groups, or the pictures of two results side by side.

    Parameters
    ----------
    data : Data
    answers : one or two of Answer
    figures : as many of Figure or Drawing
    sizes : Figure
    internal : bool
        Whether a picture shows more than a release may, so that what its camera takes is internal.
    """
    first, *others = answers
    if others:
        event = _show_two(data, answers, figures, internal)
    else:
        show_search(data.family, data.instance, first)
        left, right = st.columns([7, 3])
        with left:
            name = _filename(first.g, internal)
            event = show_picture(figures[0], key=f"{data.family}_picture", height=PICTURE_HEIGHT, filename=name)
        with right:
            picture(sizes, key=f"{data.family}_sizes", height=PICTURE_HEIGHT)
    follow_click(first.g, event)


def _show_two(
    data: Data, answers: Sequence[Answer], figures: Sequence[go.Figure | Drawing], internal: bool
) -> PictureEvent | None:
    """Two pictures, each with its own line, and what differs; what was clicked in the first."""
    g, other = answers[0].g, answers[1].g
    if objective_of(g).is_largest_class:  # else bars are no groups
        same_heights([figure for figure in figures if isinstance(figure, go.Figure)], max(g.cost, other.cost))
    events = []
    slots = (data.family, f"{data.family}_picture"), (_second(data), f"{data.family}_second")
    for column, found, figure, (slot, key) in zip(st.columns(2), answers, figures, slots, strict=True):
        with column:
            cost = f"{objective_of(found.g).noun} {found.g.cost:,}"
            st.markdown(f"**{title(found.g)}**: {found.g.classes:,} groups, {cost}")
            show_search(slot, data.instance, found, narrow=True)
            name = _filename(found.g, internal)
            events.append(show_picture(figure, key=key, height=PICTURE_HEIGHT - 80, filename=name))
    st.markdown(difference(g, other, data.instance.unit))
    return events[0]


def _filename(g: kanon.Generalization, internal: bool) -> str:
    """Of what the picture's camera takes."""
    return f"kanon-{g.family}-{g.algorithm}-k{g.k}{'-internal' if internal else ''}"


def result_tabs(family: str, *more: str) -> Sequence[Any]:
    """The tabs below the picture, four that every page has and those of its own. Only the open one need be drawn."""
    return st.tabs([*TABS, *more], key=f"{family}_tab", on_change="rerun")


def _second(data: Data) -> str:
    """The slot of the search for what the result is compared with."""
    return f"{data.family}_second"


def _answer(slot: str, instance: Any, k: int, choice: Choice) -> Answer | None:
    """What can be shown now; when there is nothing, the reason is on the page."""
    try:
        return answer(slot, instance, k, choice)
    except kanon.Infeasible as error:
        st.error(f"**No grouping is possible.** {on_page(error)}", icon=":material/block:")
    except kanon.SearchEnded as end:
        st.error(escaped(str(end)), icon=":material/error:")
        st.button(AGAIN, key=f"{slot}_search_again", on_click=search_again, args=(slot, instance, k, choice))
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
    return None


def _offer_feasible_k(data: Data, k: int) -> None:
    """A way out for a k above the total."""
    total = data.instance.total
    if k > total > 0:
        st.button(f"Lower k to {total:,}", on_click=put_k, args=(data.family, total))


def _show_mistakes() -> None:
    """What is shown instead of a result that would not be that of the numbers in the fields."""
    for mistake in mistakes():
        st.error(escaped(mistake.message), icon=":material/error:")
        st.button(
            f"Go back to {mistake.before or 'an empty field'}",
            key=f"{mistake.key}_back",
            on_click=put_number,
            args=(mistake.key, st.session_state[mistake.key]),
        )
