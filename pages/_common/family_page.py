"""A family's page from top to bottom: data, k and algorithm in the sidebar; sentence, picture and tabs beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.figures import class_sizes_figure
from pages._common.controls import pick_algorithm, pick_comparison, pick_k
from pages._common.downloads import show_downloads
from pages._common.entry import enter_page
from pages._common.link import show_link
from pages._common.picture import picture
from pages._common.results import Choice, generalized
from pages._common.room import Draw, Room, class_table
from pages._common.sentence import BOUNDS, sentence
from pages._common.source import pick_data, show_nothing_yet, show_understood
from pages._common.what_if import show_what_if

TABS = ("Groups", "What if", "How it works", "Download")
PICTURE_HEIGHT = 430


def show(room: Room) -> None:
    """Draw the page."""
    enter_page()
    _take_wanted_k(room.family)
    with st.sidebar:
        data = pick_data(room)
        if data is None:
            k = choice = other = None
        else:
            k = pick_k(room.family, data.instance, data.k)
            choice = pick_algorithm(room.family)
            other = pick_comparison(room.family, k, choice)
            draw = room.view(room.family)
            show_understood(data)
    if data is None or k is None or choice is None:
        show_nothing_yet(room)
        return
    show_link(room.family, _link(room.family, k, choice, other))
    g = _result(data.instance, k, choice)
    if g is None:
        return
    if other is None:
        figure = _one(room, data.instance, g, draw)
    else:
        figure = _two(room, data.instance, g, other, draw)
    _tabs(room, data.instance, g, choice, figure)


def _link(family: str, k: int, choice: Choice, other: tuple[int, Choice] | None) -> dict[str, Any]:
    """What the address bar says."""
    values = {"sample": st.session_state[f"{family}_sample"], "k": k, "algorithm": choice.algorithm.name}
    values |= dict(choice.options) | {"seed": choice.seed}
    if other is not None:
        values["compare"] = st.session_state[f"{family}_compare"]
        if values["compare"] == "another-k":
            values["other_k"] = other[0]
    return values


def _take_wanted_k(family: str) -> None:
    """A click on a k in "What if" becomes the k of the controls, before they are drawn."""
    wanted = st.session_state.pop(f"{family}_wanted_k", None)
    if wanted is not None:
        st.session_state[f"{family}_k"] = wanted


def _result(instance: Any, k: int, choice: Choice) -> kanon.Generalization | None:
    """The verified result; when there is none, the reason is on the page."""
    try:
        return generalized(instance, k, choice)
    except kanon.Infeasible as error:
        st.error(f"**No grouping is possible.** {error}", icon=":material/block:")
    except kanon.KanonError as error:
        st.error(str(error), icon=":material/error:")
    return None


def _headline(instance: Any, g: kanon.Generalization) -> None:
    checks = "\n".join(f"- **{check.name}**: {check.detail}" for check in kanon.verify(instance, g).checks)
    words, badge = st.columns([7, 1], vertical_alignment="center")
    words.markdown(f"#### {sentence(g, instance.unit)}")
    with badge.popover("Checked ✓", width="stretch", help="Every claim was checked by code that shares nothing with the algorithm."):
        reason = BOUNDS.get(g.bound_name, g.bound_name)
        st.markdown(f"The bound {g.lower_bound:,}: {reason}.")
        st.markdown(checks)


def _one(room: Room, instance: Any, g: kanon.Generalization, draw: Draw) -> Any:
    _headline(instance, g)
    selected = _selected(room, g)
    figure = draw(instance, g, selected)
    left, right = st.columns([7, 3])
    with left:
        event = picture(figure, key=f"{room.family}_picture", height=PICTURE_HEIGHT, filename=_filename(room, g))
    with right:
        picture(class_sizes_figure(instance, g), key=f"{room.family}_sizes", height=PICTURE_HEIGHT)
    _follow_click(room, event)
    return figure


def _two(room: Room, instance: Any, g: kanon.Generalization, other: tuple[int, Choice], draw: Draw) -> Any:
    _headline(instance, g)
    second = _result(instance, *other)
    figure = draw(instance, g, _selected(room, g))
    left, right = st.columns(2)
    with left:
        st.markdown(f"**{_title(g)}**: {g.classes:,} groups, largest {g.cost:,}")
        event = picture(figure, key=f"{room.family}_picture", height=PICTURE_HEIGHT - 40, filename=_filename(room, g))
    if second is not None:
        with right:
            st.markdown(f"**{_title(second)}**: {second.classes:,} groups, largest {second.cost:,}")
            other_figure = draw(instance, second, None)
            picture(other_figure, key=f"{room.family}_second", height=PICTURE_HEIGHT - 40, filename=_filename(room, second))
        st.markdown(_difference(g, second, instance.unit))
    _follow_click(room, event)
    return figure


def _title(g: kanon.Generalization) -> str:
    titles = {algorithm.name: algorithm.title for algorithm in kanon.algorithms(g.family)}
    return f"{titles[g.algorithm]}, k = {g.k:,}"


def _difference(g: kanon.Generalization, second: kanon.Generalization, unit: str) -> str:
    groups = second.classes - g.classes
    cost = second.cost - g.cost
    return (
        f"The second has {abs(groups):,} {'more' if groups > 0 else 'fewer'} groups"
        if groups
        else "The second has as many groups"
    ) + (
        f", and its largest holds {abs(cost):,} {unit} {'more' if cost > 0 else 'less'}."
        if cost
        else ", and its largest is the same size."
    )


def _filename(room: Room, g: kanon.Generalization) -> str:
    return f"kanon-{room.family}-{g.algorithm}-k{g.k}"


def _selected(room: Room, g: kanon.Generalization) -> int | None:
    selected = st.session_state.get(f"{room.family}_selected")
    return selected if selected is not None and selected < g.classes else None


def _follow_click(room: Room, event: Any) -> None:
    """A click on a group selects it, a click on the selected group lets it go."""
    if event is None or event.class_number is None or event.class_number < 0:
        return
    key = f"{room.family}_selected"
    st.session_state[key] = None if st.session_state.get(key) == event.class_number else event.class_number
    st.rerun()


def _tabs(room: Room, instance: Any, g: kanon.Generalization, choice: Choice, figure: Any) -> None:
    groups, what_if, steps, download = st.tabs(TABS, key=f"{room.family}_tab", on_change="rerun")
    if groups.open:
        with groups:
            _groups(room, instance, g)
    if what_if.open:
        with what_if:
            (room.what_if or show_what_if)(room.family, instance, g.k, choice)
    if steps.open:
        with steps:
            _steps(room, instance, g)
    if download.open:
        with download:
            show_downloads(room.family, room.downloads(instance, g), g, figure)


def _groups(room: Room, instance: Any, g: kanon.Generalization) -> None:
    table = class_table(room, instance, g)
    state = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"{room.family}_groups_{g.digest[:12]}",
        column_config={
            "× k": st.column_config.NumberColumn(format="%.2f", help="Size of the group divided by k."),
            instance.unit.capitalize(): st.column_config.NumberColumn(format="localized"),
        },
        alt="The groups with their size, number of items and contents",
    )
    rows = state.selection.rows
    key = f"{room.family}_selected"
    picked = f"{room.family}_picked_row"
    if rows != st.session_state.get(picked, []):
        st.session_state[picked] = rows
        st.session_state[key] = rows[0] if rows else None
        st.rerun()
    if (selected := _selected(room, g)) is not None:
        st.caption(f"Group {selected + 1} stands out in the picture. Click it again to let it go.")


def _steps(room: Room, instance: Any, g: kanon.Generalization) -> None:
    count, show_step = room.steps(instance, g)
    step = st.slider("Step", 0, count, count, key=f"{room.family}_step_{g.digest[:12]}") if count else 0
    figure, words = show_step(step)
    st.markdown(words)
    picture(figure, key=f"{room.family}_steps", height=PICTURE_HEIGHT)
