"""A family's page from top to bottom: data, k and algorithm in the sidebar; sentence, picture and tabs beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import kanon_engine as kanon
from pages._shared.checked import certificate_of
from pages._shared.compare import difference, same_heights, title
from pages._shared.controls import choose_k, pick_algorithm, pick_comparison, pick_k, promise_words
from pages._shared.costs import measured
from pages._shared.counted import show_asked, show_counted
from pages._shared.downloads import show_downloads
from pages._shared.entry import enter_page
from pages._shared.groups import follow_click, selected_class, show_groups
from pages._shared.link import begin_link, show_link, show_misread, was_shown
from pages._shared.number_field import begin_fields, mistakes, put_number
from pages._shared.picture import picture
from pages._shared.results import Answer, Choice, answer, begin_search
from pages._shared.room import Draw, Room
from pages._shared.search_line import show_search
from pages._shared.sentence import BADGE_HELP, BADGES, sentence
from pages._shared.source import Data, pick_data, show_nothing_yet, show_understood
from pages._shared.steps import show_steps
from pages._shared.tasks import stay_awake, tasks
from pages._shared.what_if import show_what_if
from pages._shared.wording import escaped, on_page

TABS = ("Groups", "What if", "How it works", "Download")
PICTURE_HEIGHT = 430
FIRST = "The very first time this takes some seconds longer, while the algorithms are made ready for this computer."


def show(room: Room) -> None:
    """Draw the page."""
    enter_page()
    begin_link(room.family)
    begin_fields()
    notice = _first_notice(room)
    with st.sidebar:
        data = pick_data(room)
        if data is None:
            k = choice = other = None
        else:
            k = pick_k(room.family, data.instance, data.k)
            if room.prepare is not None:
                room.prepare(data.instance, k)
            choice, promised = pick_algorithm(room.family)
            other = pick_comparison(room.family, k, choice)
            draw = room.view(room.family)
            data = _ruled(room, data)
            if data is not None:
                show_understood(data)
    if data is None or k is None or choice is None:
        notice.empty()
        if was_shown(room.family):
            show_link(room.family, {"sample": st.session_state[f"{room.family}_sample"]})
        show_nothing_yet(room)
        show_asked(room.family)
        return
    if mistakes():
        notice.empty()
        _show_mistakes()
        stay_awake()
        return
    show_link(room.family, _link(room.family, k, choice, other) | dict(data.link))
    show_misread(room.family)
    second = f"{room.family}_second"
    if other is None:
        tasks().leave(second)
    else:  # both at the same time
        begin_search(second, data.instance, *other)
    promised.caption(promise_words(data.instance, k, choice), unsafe_allow_html=True)
    found = _answer(room.family, data.instance, k, choice)
    if found is not None and not found.waiting:
        promised.caption(promise_words(data.instance, k, choice, found.g), unsafe_allow_html=True)
    notice.empty()
    st.session_state[f"{room.family}_noticed"] = True
    show_counted(room, data)
    if found is None:
        _offer_feasible_k(room.family, data.instance, k)
        return
    if other is None:
        _one(room, data.instance, found, draw)
    else:
        _two(room, data.instance, found, other, draw)
    _tabs(room, data.instance, found, choice)
    stay_awake()


def _first_notice(room: Room) -> Any:
    """What stands on the page until there is a first result; a place that is always there, so that nothing moves."""
    notice = st.empty()
    if not st.session_state.get(f"{room.family}_noticed"):
        with notice.container():
            st.subheader(room.about.page.heading)
            st.markdown(f"Reading the data and making groups …\n\n{FIRST}")
    return notice


def _ruled(room: Room, data: Data) -> Data | None:
    """The data with the rules that the person wrote; None where they make no sense, which is then on the page."""
    if room.rules is None:
        return data
    try:
        return replace(data, instance=room.rules(room.family, data.instance))
    except kanon.KanonError as error:
        st.session_state[f"{room.family}_problem"] = on_page(error), "Correct the rules in the sidebar."
        return None


def _link(family: str, k: int, choice: Choice, other: tuple[int, Choice] | None) -> dict[str, Any]:
    """What the address bar says."""
    values = {"sample": st.session_state[f"{family}_sample"], "k": k, "algorithm": choice.algorithm.name}
    values |= dict(choice.options) | {"seed": choice.seed}
    if other is not None:
        values["compare"] = st.session_state[f"{family}_compare"]
        if values["compare"] == "another-k":
            values["other_k"] = other[0]
    return values


def _show_mistakes() -> None:
    """What stands in place of a result that would not be that of the numbers in the fields."""
    for mistake in mistakes():
        st.error(escaped(mistake.sentence), icon=":material/error:")
        st.button(
            f"Go back to {mistake.before or 'an empty field'}",
            key=f"{mistake.key}_back",
            on_click=put_number,
            args=(mistake.key, st.session_state[mistake.key]),
        )


def _answer(place: str, instance: Any, k: int, choice: Choice) -> Answer | None:
    """What can be shown now; when there is nothing, the reason is on the page."""
    try:
        return answer(place, instance, k, choice)
    except kanon.Infeasible as error:
        st.error(f"**No grouping is possible.** {on_page(error)}", icon=":material/block:")
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
    return None


def _offer_feasible_k(family: str, instance: Any, k: int) -> None:
    """A way out for a k above the total."""
    if k > instance.total > 0:
        st.button(
            f"Lower k to {instance.total:,}",
            on_click=choose_k,
            args=(family, instance.total),
        )


def _headline(room: Room, instance: Any, g: kanon.Generalization) -> None:
    certificate = certificate_of(instance, g)
    checks = "\n".join(f"- **{check.name}**: {check.detail}" for check in certificate.checks)
    proof = certificate.proof
    with st.container(key=f"sentence-of-{room.family}"):
        words, badge = st.columns([7, 1], vertical_alignment="center")
    said = sentence(g, instance.unit, proof) if room.sentence is None else room.sentence(instance, g, proof)
    words.markdown(f"#### {said}")
    with badge.popover(BADGES[proof], width="stretch", help=BADGE_HELP[proof]):
        reason = room.about.bounds[g.bound_name]
        st.markdown(f"The bound {g.lower_bound:,}: {reason}.")
        st.markdown(checks)


def _one(room: Room, instance: Any, found: Answer, draw: Draw) -> None:
    g = found.g
    _headline(room, instance, g)
    show_search(room.family, instance, found)
    figure = draw(instance, g, selected_class(room.family, g))
    left, right = st.columns([7, 3])
    with left:
        event = picture(figure, key=f"{room.family}_picture", height=PICTURE_HEIGHT, filename=_filename(room, g))
    with right:
        picture(room.sizes(instance, g), key=f"{room.family}_sizes", height=PICTURE_HEIGHT)
    follow_click(room.family, g, event)


def _two(room: Room, instance: Any, found: Answer, other: tuple[int, Choice], draw: Draw) -> None:
    g = found.g
    _headline(room, instance, g)
    left, right = st.columns(2)
    figure = draw(instance, g, selected_class(room.family, g))
    with right:
        second = _answer(f"{room.family}_second", instance, *other)
        if second is not None:
            other_figure = draw(instance, second.g, None)
            if room.about.cost.by_largest:
                same_heights([figure, other_figure], max(g.cost, second.g.cost))
            _half(room, instance, second, other_figure, "second")
    with left:
        event = _half(room, instance, found, figure, "picture")
    if second is not None:
        st.markdown(difference(g, second.g, instance.unit))
    follow_click(room.family, g, event)


def _half(room: Room, instance: Any, found: Answer, figure: Any, name: str) -> Any:
    """One of two pictures with its own line."""
    g = found.g
    st.markdown(f"**{title(g)}**: {g.classes:,} groups, {measured(g)}")
    place = room.family if name == "picture" else f"{room.family}_{name}"
    show_search(place, instance, found, narrow=True)
    key = f"{room.family}_{name}"
    return picture(figure, key=key, height=PICTURE_HEIGHT - 80, filename=_filename(room, g))


def _filename(room: Room, g: kanon.Generalization) -> str:
    """Of what the picture's camera takes."""
    return f"kanon-{room.family}-{g.algorithm}-k{g.k}{'-internal' if room.exact_picture else ''}"


def _tabs(room: Room, instance: Any, found: Answer, choice: Choice) -> None:
    g = found.g
    titles = [*TABS, *(title for title, _ in room.more)]
    groups, what_if, steps, download, *others = st.tabs(titles, key=f"{room.family}_tab", on_change="rerun")
    if groups.open:
        with groups:
            show_groups(room, instance, g)
    if what_if.open:
        with what_if:
            (room.what_if or show_what_if)(room.family, instance, g.k, choice)
    if steps.open:
        with steps:
            if room.how is None:
                show_steps(room, instance, g, PICTURE_HEIGHT)
            else:
                room.how(instance, found)
    if download.open:
        with download:
            show_downloads(room, instance, g)
    for tab, (_, draw) in zip(others, room.more, strict=True):
        if tab.open:
            with tab:
                draw(instance, g)
