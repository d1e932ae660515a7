"""What a project keeps of a person's work on groups of areas: rules, locks, moves and names; saved, and made again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.wishes import named_sets
from kanon_engine.project import OTHERS, ByHand, Project, groups_digest, replayed
from kanon_engine.regions.group_names import names_for
from kanon_engine.regions.moves import unlocked_wishes
from pages._regions.hands import moved_words
from pages._regions.locks import held, locks, put_locks
from pages._regions.names import given_names, put_names
from pages._regions.wishes import KINDS, put_sets
from pages._shared.by_hand import Change, changes_of, forget_changes, record
from pages._shared.project import first_time, tell_unfit
from pages._shared.records import Data, Question
from pages._shared.results import Answer, key_of
from pages._shared.wording import on_page

MADE = "regions_replayed"


def sets_of(data: Data) -> dict[str, list[list[str]]]:
    """What is wished of the areas besides the locks."""
    found = unlocked_wishes(data.instance, held(data))
    return {name: [list(_texts(members)) for members in sets] for name, sets in found.items() if sets}


def by_hand_of(data: Data, question: Question) -> ByHand:
    """Locks, moves and names."""
    kept = held(data)
    changes = changes_of(key_of(data.instance, question.k, question.choice))
    steps = () if changes is None else tuple(changes.steps[: changes.done])
    return ByHand(
        tuple(map(_texts, kept)),
        tuple(_texts(own) for own in locks(data) if own not in kept),
        tuple(change.move for change in steps),
        tuple((one.name, tuple(one.records)) for one in given_names(data)),
        groups_digest(steps[-1].g) if steps else "",
    )


def restore_rules(data: Data, project: Project | None) -> None:
    """Put rules, locks and names of a project into the page, once for these areas."""
    if project is None or not first_time(project, "rules", data.instance.digest):
        return
    for kind in KINDS:
        sets = project.reading.get(kind)
        put_sets(data, kind, sets if isinstance(sets, tuple) else ())
    st.session_state[f"{data.rules}_prefix"] = 0
    ids, hands = data.instance.ids, project.by_hand
    try:
        kept, since = (named_sets(sets, ids, "in a locked group", "area", 1) for sets in (hands.held, hands.locked))
        put_locks(data, (*kept, *since), kept)
    except kanon.InvalidInput as error:
        put_locks(data, (), ())
        tell_unfit(project, f"Nothing is locked. {error}")
    try:
        put_names(data, names_for(data.instance, hands.names))
    except kanon.InvalidInput as error:
        tell_unfit(project, f"The names of groups are left out. {error}")


def replay(data: Data, question: Question, found: Answer, project: Project | None) -> None:
    """Make the moves of a project, once its search has ended; where one no longer fits, those before it stay."""
    if project is None or not project.by_hand.moves or found.waiting or found.ended or not _asks(project, question):
        return
    if first_time(project, "moves", found.key):
        st.session_state[MADE] = (found.key, *_moves(data.instance, found, project))
    key, made, problem = st.session_state.get(MADE, (None, 0, ""))
    changes = changes_of(found.key)
    if problem and key == found.key and made == (len(changes.steps) if changes else 0):
        st.warning(problem, icon=":material/block:")


def _moves(regions: kanon.Regions, found: Answer, project: Project) -> tuple[int, str]:
    """How many moves were made, and what is wrong with the next one, or with the groups after all of them."""
    forget_changes(found.key)
    g, made = found.g, 0
    for move in project.by_hand.moves:
        try:
            after = replayed(regions, g, move, made + 1)
        except kanon.KanonError as error:
            return made, on_page(error)
        moved = {*move.items}
        places = [place for place, name in enumerate(regions.ids.tolist()) if str(name) in moved]
        record(found.key, g, Change(after, moved_words(regions, after, places, move.to is None), move))
        g, made = after, made + 1
    return made, "" if project.by_hand.groups in ("", groups_digest(g)) else OTHERS


def _asks(project: Project, question: Question) -> bool:
    choice = question.choice
    asked = question.k, choice.algorithm.name, dict(choice.options), choice.seed, choice.require
    return asked == (project.k, project.algorithm, dict(project.options), project.seed, project.require)


def _texts(ids: Iterable[Any]) -> tuple[str, ...]:
    return tuple(map(str, ids))
