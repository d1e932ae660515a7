"""Groups changed by hand: areas are clicked, moved or locked, and every change is verified at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.words import counted, enumerated
from kanon_engine.project import OTHERS, ByHand, Move, Project, groups_digest, replayed
from kanon_engine.regions.moves import moved, unlocked_wishes
from pages._regions.groups import given_names
from pages._regions.rules import add_set, locked_groups, locked_sets, put_locks, sets_fixed_in_search, unlock
from pages._shared.picture import PictureEvent
from pages._shared.project import first_time
from pages._shared.records import Data, Question
from pages._shared.results import Answer, Change, changes_of, forget_changes, key_of, record, step
from pages._shared.stage import follow_click, select_class, selected_class
from pages._shared.wording import escaped, on_page

PICKED, SEVERAL, REFUSED, TURN = "regions_picked", "regions_several", "regions_refused", "regions_turn"
NEW = -1  # among the groups to which areas can move
MOST_NAMED = 3
RULES = {"together": "Keep together", "apart": "Keep apart", "barriers": "Barrier around these areas"}
HINT = "Click an area to move it or see its group."


def selected_areas_of(regions: kanon.Regions) -> tuple[int, ...]:
    digest, places = st.session_state.get(PICKED, ("", ()))
    return places if digest == regions.digest else ()


def pick(g: kanon.Generalization, places: Sequence[int]) -> None:
    st.session_state[PICKED] = (g.instance_digest, tuple(places))
    st.session_state.pop(REFUSED, None)


def follow_area(g: kanon.Generalization, event: PictureEvent | None) -> None:
    """A click on an area picks it and shows its group alone; another click releases both.

    While picking several, a click adds an area to the others or removes it.
    """
    if event is None or event.item is None:
        follow_click(g, event)
        return
    digest, before = st.session_state.get(PICKED, ("", ()))
    before = before if digest == g.instance_digest else ()
    there = event.item in before
    if st.session_state.get(SEVERAL):
        others = tuple(place for place in before if place != event.item)
        pick(g, others if there and event.lets_go else (*others, event.item))
        select_class(g, None)
    elif there and event.lets_go and selected_class(g) == event.class_number:
        pick(g, ())
        select_class(g, None)
    else:
        pick(g, (event.item,))
        select_class(g, event.class_number if event.class_number in range(g.classes) else None)
    st.rerun()


def show_bar(data: Data, answer: Answer) -> None:
    """Buttons for the picked areas and their group; none if there is nothing to do."""
    regions, g, changes = data.instance, answer.g, changes_of(answer.key)
    areas = selected_areas_of(regions)
    if not (areas or changes or locked_sets(data) or st.session_state.get(SEVERAL)):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="regions_hands"):
        if areas:
            st.markdown(_selection_words(regions, g, areas), width="content")
            _choose_group(data, answer, areas)
            _lock_button(data, g, areas)
        st.toggle(
            "Pick several",
            key=SEVERAL,
            persist_state="session",
            on_change=select_class,
            args=(g, None),
            help="While this is on, each click picks one more area.",
        )
        if changes is not None:
            for words, by, left in (("Undo", -1, changes.done), ("Redo", 1, len(changes.steps) - changes.done)):
                st.button(
                    words, key=f"regions_{words.lower()}", on_click=step, args=(answer.key, by), disabled=not left
                )
        if len(areas) > 1:
            with st.popover("Add a rule …", key="regions_picked_rule"):
                ids = regions.ids[list(areas)].tolist()
                for kind, words in RULES.items():
                    st.button(words, key=f"regions_picked_{kind}", on_click=add_set, args=(data, kind, ids))
        if locked_sets(data) != sets_fixed_in_search(data):
            count = len(locked_sets(data))
            keeping = f"Search again and keep {counted(count, 'locked group')}"
            words = keeping if count else "Search again with nothing locked"
            help, locked = "All other groups are rebuilt.", locked_sets(data)
            args = data, locked, locked
            st.button(words, key="regions_search_keeping", on_click=put_locks, args=args, help=help)
    refused = st.session_state.get(REFUSED)
    if refused is not None and refused[0] == (g.digest, areas):
        st.warning(refused[1], icon=":material/block:")


def _selection_words(regions: kanon.Regions, g: kanon.Generalization, areas: Sequence[int]) -> str:
    places = list(areas)
    classes = sorted({*g.assignment[places].tolist()})
    groups = f"group{'s' * (len(classes) > 1)} {enumerated([f'{group + 1:,}' for group in classes])}"
    words = f"{regions.weights[places].sum():,} {escaped(regions.unit)}, {groups}"
    return f"**{escaped(_area_labels(regions, places))}**: {words}"


def _area_labels(regions: kanon.Regions, places: Sequence[int]) -> str:
    few = len(places) <= MOST_NAMED
    return enumerated([regions.label(place) for place in places]) if few else f"{len(places):,} areas"


def targets(regions: kanon.Regions, g: kanon.Generalization, areas: Sequence[int]) -> list[int]:
    """The groups next to the picked areas, and the groups of some of them."""
    inside = np.zeros(len(regions), dtype=bool)
    inside[list(areas)] = True
    crossing = regions.edges[inside[regions.edges].sum(axis=1) == 1]
    neighbors = {*g.assignment[crossing[~inside[crossing]]].tolist()}
    sources = {*g.assignment[inside].tolist()}
    return sorted(group for group in neighbors | sources if group >= 0 and sources != {group})


def _choose_group(data: Data, answer: Answer, areas: Sequence[int]) -> None:
    """A list of groups to which the areas can move, each with its resulting weight."""
    regions, g = data.instance, answer.g
    places, shut = list(areas), locked_groups(data, g)
    # a locked group gives no area away
    if shut & {*g.assignment[places].tolist()}:
        return
    weights, groups = regions.weights[places], g.assignment[places]
    words = {
        group: f"group {group + 1:,}: {g.class_weights[group]:,} → "
        f"{g.class_weights[group] + weights[groups != group].sum():,}"
        for group in targets(regions, g, areas)
        if group not in shut
    }
    words[NEW] = f"a new group of {weights.sum():,}"
    turn = st.session_state.get(TURN, 0)
    key = f"regions_move_{turn}_{g.digest[:8]}_{hash(tuple(places))}"

    def move() -> None:
        if turn == st.session_state.get(TURN, 0):  # Streamlit may report a choice again with the next click
            st.session_state[TURN] = turn + 1
            _move(data, answer, areas, st.session_state.get(key))

    st.selectbox(
        "Move to",
        list(words),
        index=None,
        format_func=words.__getitem__,
        key=key,
        on_change=move,
        placeholder="Move to …",
        label_visibility="collapsed",
        width=230,
    )


def _move(data: Data, answer: Answer, areas: Sequence[int], to: int | None) -> None:
    """Move the areas; if that is not possible, say so and change nothing."""
    regions, g, places = data.instance, answer.g, list(areas)
    if to is None:
        return
    try:
        result = moved(regions, g, regions.ids[places].tolist(), None if to == NEW else to)
    except (kanon.InvalidInput, kanon.Infeasible) as error:
        # shown only while the same areas of the same result are picked
        st.session_state[REFUSED] = ((g.digest, tuple(areas)), on_page(error))
        return
    words = moved_words(regions, result, places, to == NEW)
    record(answer.key, g, Change(result, words, _move_in_project(regions, g, places, to)))
    pick(result, ())


def moved_words(regions: kanon.Regions, result: kanon.Generalization, places: Sequence[int], new: bool) -> str:
    where = f"group {int(result.assignment[places[0]]) + 1:,}"
    return f"{escaped(_area_labels(regions, places))} moved to {'the new ' * new}{where}"


def _move_in_project(regions: kanon.Regions, g: kanon.Generalization, places: Sequence[int], to: int) -> Move:
    """A move as a project stores it: a group is identified by an area that stays in it, if one does."""
    items = tuple(map(str, regions.ids[list(places)].tolist()))
    if to == NEW:
        return Move(items)
    there = np.flatnonzero(g.assignment == to)
    staying = there[~np.isin(there, list(places))]
    return Move(items, str(regions.ids[(staying if len(staying) else there)[0]]))


def _lock_button(data: Data, g: kanon.Generalization, areas: Sequence[int]) -> None:
    groups = {*g.assignment[list(areas)].tolist()}
    if len(groups) != 1:
        return
    (group,) = groups
    members = tuple(data.instance.ids[g.assignment == group].tolist())
    locked: tuple[Any, ...] = (put_locks, (data, (*locked_sets(data), members), sets_fixed_in_search(data)))
    word, (act, arguments) = (
        ("Unlock", (unlock, (data, members))) if group in locked_groups(data, g) else ("Lock", locked)
    )
    st.button(
        f"{word} group {group + 1:,}",
        key="regions_lock",
        on_click=act,
        args=arguments,
        help="A locked group stays as it is: nothing is moved into or out of it, and the next search keeps it.",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Rules, locks, moves and names of a project: saved and restored
# ---------------------------------------------------------------------------------------------------------------------


REPLAYED = "regions_replayed"


def sets_of(data: Data) -> dict[str, list[list[str]]]:
    """The wishes for the areas besides the locks."""
    wishes = unlocked_wishes(data.instance, sets_fixed_in_search(data))
    return {name: [list(_texts(members)) for members in sets] for name, sets in wishes.items() if sets}


def by_hand_of(data: Data, question: Question) -> ByHand:
    fixed_sets = sets_fixed_in_search(data)
    changes = changes_of(key_of(data.instance, question.k, question.choice))
    steps = () if changes is None else tuple(changes.steps[: changes.done])
    return ByHand(
        tuple(map(_texts, fixed_sets)),
        tuple(_texts(members) for members in locked_sets(data) if members not in fixed_sets),
        tuple(change.move for change in steps),
        tuple((one.name, tuple(one.records)) for one in given_names(data)),
        groups_digest(steps[-1].g) if steps else "",
    )


def replay(data: Data, question: Question, answer: Answer, project: Project | None) -> None:
    """Make the moves of a project once its search has ended; if one no longer fits, those before it stay."""
    if project is None or not project.by_hand.moves or answer.waiting or answer.ended or not _asks(project, question):
        return
    if first_time(project, "moves", answer.key):
        st.session_state[REPLAYED] = (answer.key, *_replay_moves(data.instance, answer, project))
    key, count, problem = st.session_state.get(REPLAYED, (None, 0, ""))
    changes = changes_of(answer.key)
    if problem and key == answer.key and count == (len(changes.steps) if changes else 0):
        st.warning(problem, icon=":material/block:")


def _replay_moves(regions: kanon.Regions, answer: Answer, project: Project) -> tuple[int, str]:
    """The number of moves made, and what is wrong with the next one, or with the groups after all of them."""
    forget_changes(answer.key)
    g, count = answer.g, 0
    for move in project.by_hand.moves:
        try:
            after = replayed(regions, g, move, count + 1)
        except kanon.KanonError as error:
            return count, on_page(error)
        moved = {*move.items}
        places = [place for place, name in enumerate(regions.ids.tolist()) if str(name) in moved]
        record(answer.key, g, Change(after, moved_words(regions, after, places, move.to is None), move))
        g, count = after, count + 1
    return count, "" if project.by_hand.groups in ("", groups_digest(g)) else OTHERS


def _asks(project: Project, question: Question) -> bool:
    choice = question.choice
    settings = question.k, choice.algorithm.name, dict(choice.options), choice.seed, choice.require
    return settings == (project.k, project.algorithm, dict(project.options), project.seed, project.require)


def _texts(ids: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(str, ids))
