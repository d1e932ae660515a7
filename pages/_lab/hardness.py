"""Why it is hard: a known hard problem, reduced to groups of at least k, and back."""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.model.words import counted
from kanon_engine.teaching.reductions import REDUCTIONS, reduction_named
from kanon_engine.teaching.reductions.model import Carried, Reduction, WrongAnswer, broken
from pages._shared.link import begin, one_of
from pages._shared.picture import Rest, picture
from pages._shared.results import default_choice, objective_of_choice
from pages._shared.tasks import once
from pages._shared.wording import doing, escaped, on_page

LISTED = 40  # offered instances of a source
OWN = "your own"
BELOW = 60  # pixels of the explanation of the construction
FORTH = "Solve the original problem, translate its solution"
BACK = "Solve the new problem, translate its groups back"
HAND = "Group by hand"
WAYS = {"forth": FORTH, "back": BACK, "by-hand": HAND}  # by their names in a link
TERMS = (
    "**k**: the smallest weight that a group may have. **K**: the highest cost allowed, for example the weight of the "
    "largest group. **Graph**: points (vertices), some of them joined by lines (edges). **Polynomial**: with a number "
    "of steps that grows no faster than a power of the size of the data. **NP-complete**, **NP-hard**: a polynomial "
    "algorithm for such a problem would also solve thousands of others, for which none was ever found. **P = NP**: the "
    "unlikely case that such an algorithm exists."
)


def show_hardness(link: dict[str, Any]) -> None:
    """Choose a reduction, an instance and a direction; see both sides."""
    reduction, source = _choose_source(link)
    if source is None:
        return
    way = st.segmented_control(
        "What to do",
        list(WAYS.values()),
        required=True,
        key=begin("lab", "way", FORTH, lambda text: WAYS[one_of(WAYS)(text)]),
        label_visibility="collapsed",
        persist_state="session",
    )
    link["way"] = next(name for name, words in WAYS.items() if words == way)
    text = reduction.source.text(source)
    carried = _carried(reduction.name, text)
    solution, assignment = None, None
    if way == FORTH:
        solution = _solution(reduction.name, text)
        assignment = None if solution is None else reduction.forth(source, carried, solution)
        words = _describe_forward(reduction, carried, assignment)
    elif way == BACK:
        assignment = _decided(reduction.name, text)
        solution = None if assignment is None else reduction.back(source, carried, assignment)
        words = _describe_back(carried, assignment)
    else:
        groups, selected = choose_groups(reduction, carried)
        words = fault_of(reduction, carried, groups)
        if not words:
            solution, words = reduction.back(source, carried, groups), _describe_back(carried, groups)
    st.markdown(escaped(words))
    left, right = sides(reduction, carried)
    with left:
        picture(reduction.source.picture(source, solution), key="lab_source", height=Rest(below=BELOW))
    with right:
        if way == HAND:
            show_groups_by_hand(reduction, source, carried, groups, selected)
        else:
            picture(reduction.picture(source, carried, assignment), key="lab_target", height=Rest(below=BELOW))
    with st.expander("The construction and its parts"):
        st.markdown(f"{reduction.how}\n\n**What it shows.** {reduction.claim} *{reduction.theorem}.*")
        st.caption(TERMS)
        rows = [(one.name, one.kind, one.stands_for, len(one.items)) for one in carried.gadgets]
        table = pd.DataFrame(rows, columns=["Part", "Kind", "Purpose", "Items"])
        st.dataframe(table, hide_index=True, key="lab_gadgets")


def _choose_source(link: dict[str, Any]) -> tuple[Reduction, Any]:
    """A reduction and an instance of its source; None if the text is not an instance."""
    first, second, third = st.columns([3, 2, 3], vertical_alignment="bottom")
    reduction = choose_reduction(first, "hardness")
    name, problem = reduction.name, reduction.source
    link["reduction"] = name
    listed = [OWN, *_listed(name)]
    choice = second.selectbox(
        "Example of the original problem", listed, key=f"lab_hardness_picked_{name}", persist_state="session"
    )
    is_custom = choice == OWN
    text = third.text_input(
        f"{problem.title}, as text",
        key=begin(
            "lab", "source", problem.example if is_custom else choice, str, key=f"lab_hardness_text_{name}_{choice}"
        ),
        help=problem.asks,
        disabled=not is_custom,
        persist_state="session",
    )
    link["source"] = text
    st.caption(escaped(problem.asks))
    try:
        return reduction, problem.parse(text)
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return reduction, None


@st.cache_data(show_spinner=False)
def _listed(name: str) -> list[str]:
    problem = reduction_named(name).source
    return [problem.text(instance) for instance in islice(problem.tiny(), LISTED)]


@st.cache_resource(max_entries=40, show_spinner="Building the new problem …")
def _carried(name: str, text: str) -> Carried:
    reduction = reduction_named(name)
    return reduction.build(reduction.source.parse(text))


@st.cache_resource(max_entries=40, show_spinner="Solving the original problem …")
def _solution(name: str, text: str) -> Any:
    problem = reduction_named(name).source
    return problem.solve(problem.parse(text))


@st.cache_resource(max_entries=40, show_spinner="Solving the new problem …")
def _decided(name: str, text: str) -> np.ndarray | None:
    return reduction_named(name).decide(_carried(name, text))


def _describe_forward(reduction: Reduction, carried: Carried, assignment: np.ndarray | None) -> str:
    if assignment is None:
        return f"The original problem has no solution. By the reduction, there is therefore no {size_of(carried)}."
    fault = reduction.fault(carried, assignment)
    if fault:
        return (
            f"The original problem has a solution, but its translation does not solve the new problem: {doing(fault)}"
        )
    return f"The original problem has a solution. For the new problem, it becomes {_recount(carried, assignment)}"


def _describe_back(carried: Carried, assignment: np.ndarray | None) -> str:
    if assignment is None:
        return (
            f"All possibilities were examined. There is no {size_of(carried)}, so the original problem has no solution."
        )
    return f"Here are {_recount(carried, assignment)} Translated back, these groups solve the original problem."


def _recount(carried: Carried, assignment: np.ndarray) -> str:
    """Call only with classes without a fault."""
    return f"{counted(int(assignment.max()) + 1, 'group')}. A recount shows a {size_of(carried)}."


# ---------------------------------------------------------------------------------------------------------------------
# Grouping the target of a reduction by hand: items picked in the picture become a group.
# ---------------------------------------------------------------------------------------------------------------------


SLOT = "lab_by_hand"
PICK = "Click items in the picture, or choose them here"
ALONE = "An item gets a group of its own if it reaches k by itself and any other item would make its group too heavy."


def choose_groups(reduction: Reduction, carried: Carried) -> tuple[np.ndarray, list[int]]:
    """The groups made so far, with buttons to make more, and the items picked for the next."""
    state = _state(carried)
    assignment, selected = state["assignment"], state["picked"]
    names = _names(carried)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        free = [item for item in range(len(names)) if assignment[item] < 0]
        st.session_state[f"{SLOT}_choice"] = [item for item in selected if item in free]
        st.multiselect(
            PICK, free, format_func=lambda item: names[item], key=f"{SLOT}_choice", on_change=_choose, width="stretch"
        )
        weight = int(sum(carried.instance.weights[item] for item in selected))
        st.button(f"Make a group of {weight:,}", on_click=_join, disabled=not selected, key=f"{SLOT}_join")
        alone = [item for item in _only_alone(reduction, carried) if assignment[item] < 0]
        if alone:
            words = f"Make {counted(len(alone), 'one-item group')}"
            st.button(words, on_click=_make, args=([[item] for item in alone],), help=ALONE, key=f"{SLOT}_alone")
        st.button("Undo", on_click=_undo, disabled=not state["past"], key=f"{SLOT}_undo")
        st.button("Start over", on_click=_clear, disabled=not state["past"], key=f"{SLOT}_clear")
    return assignment, selected


def fault_of(reduction: Reduction, carried: Carried, assignment: np.ndarray) -> str:
    """What is still wrong with the groups; "" if they satisfy k and the threshold."""
    left = int((assignment < 0).sum())
    if left:
        return f"{counted(left, 'item')} of {len(assignment):,} {'is' if left == 1 else 'are'} in no group yet."
    return doing(reduction.fault(carried, assignment))


def show_groups_by_hand(
    reduction: Reduction, source: Any, carried: Carried, assignment: np.ndarray, selected: list[int]
) -> None:
    """The target with groups and picked items; a click on an item picks or releases it."""
    preview = assignment.copy()
    preview[selected] = assignment.max() + 1
    event = picture(reduction.picture(source, carried, preview), key=f"{SLOT}_picture", height=Rest())
    if event is not None and event.class_number is not None:
        _toggle(int(event.class_number))
        st.rerun()


def _only_alone(reduction: Reduction, carried: Carried) -> list[int]:
    """Items of weight k that exceed the threshold with any other, if it limits the largest group's weight."""
    if not objective_of_choice(default_choice(reduction.family)).is_largest_class:
        return []
    weights = carried.instance.weights
    items: list[int] = np.flatnonzero((weights >= carried.k) & (weights + weights.min() > carried.threshold)).tolist()
    return items


def _state(carried: Carried) -> dict[str, Any]:
    """The groups made by hand for this target."""
    state: dict[str, Any] | None = st.session_state.get(SLOT)
    if state is None or state["digest"] != carried.instance.digest:
        state = {
            "digest": carried.instance.digest,
            "assignment": np.full(len(carried.instance), -1, dtype=np.int32),
            "picked": [],
            "past": [],
        }
        st.session_state[SLOT] = state
    return state


def _names(carried: Carried) -> list[str]:
    """Every item by its id, with its part."""
    parts: dict[int, str] = {}
    for gadget in carried.gadgets:
        for item in gadget.items:
            parts.setdefault(item, gadget.name)
    return [f"{name} ({parts[item]})" if item in parts else str(name) for item, name in enumerate(carried.instance.ids)]


def _choose() -> None:
    st.session_state[SLOT]["picked"] = list(st.session_state[f"{SLOT}_choice"])


def _toggle(item: int) -> None:
    state = st.session_state[SLOT]
    if state["assignment"][item] >= 0:
        return
    state["picked"] = [one for one in state["picked"] if one != item] + ([item] if item not in state["picked"] else [])


def _join() -> None:
    _make([st.session_state[SLOT]["picked"]])


def _make(groups: list[list[int]]) -> None:
    state = st.session_state[SLOT]
    state["past"].append(state["assignment"].copy())
    for number, items in enumerate(groups, state["assignment"].max() + 1):
        state["assignment"][items] = number
    state["picked"] = []


def _undo() -> None:
    state = st.session_state[SLOT]
    state["assignment"], state["picked"] = state["past"].pop(), []


def _clear() -> None:
    st.session_state.pop(SLOT)


# ---------------------------------------------------------------------------------------------------------------------
# The chosen reduction, and its source next to its target.
# ---------------------------------------------------------------------------------------------------------------------


def choose_reduction(place: DeltaGenerator, slot: str) -> Reduction:
    """The choice of a reduction, drawn in this slot."""
    key = begin("lab", "reduction", next(iter(REDUCTIONS)), one_of(REDUCTIONS), key=f"lab_{slot}_reduction")
    name = place.selectbox(
        "Reduction",
        list(REDUCTIONS),
        format_func=lambda name: REDUCTIONS[name].title,
        key=key,
        persist_state="session",
    )
    return reduction_named(name)


def sides(reduction: Reduction, carried: Carried) -> tuple[DeltaGenerator, DeltaGenerator]:
    """A column for the source and one for the target, each with its name."""
    left, right = st.columns([2, 3])
    left.caption(f"Original problem, known to be hard: {escaped(reduction.source.title)}")
    right.caption(f"New problem, built from the original problem: a {escaped(size_of(carried))}")
    return left, right


def size_of(carried: Carried) -> str:
    """The target's question in words."""
    most = "" if carried.most is None else f"at most {carried.most:,} "
    items = counted(len(carried.instance), "item")
    return f"grouping of {items} into {most}groups of at least {carried.k:,} at a cost of at most {carried.threshold:,}"


# ---------------------------------------------------------------------------------------------------------------------
# Break a reduction: change one part of it, and find the smallest source whose answers differ.
# ---------------------------------------------------------------------------------------------------------------------


WHY = (
    "A reduction turns each example of a problem known to be hard, the original problem, into a grouping problem, the "
    "new problem. It is correct if both problems always have the same answer. Each change listed below alters one part "
    "of the reduction, which is then no longer correct. kanon tries small examples, the smallest first, until the two "
    "answers differ. Both answers are exact, and every solution is recounted."
)


def show_breaking(link: dict[str, Any]) -> None:
    """Choose a change; see the smallest source on which it fails."""
    st.caption(WHY)
    first, second, third = st.columns([3, 4, 1], vertical_alignment="bottom")
    reduction = choose_reduction(first, "breaking")
    name, mutations = reduction.name, {mutation.name: mutation for mutation in reduction.mutations}
    chosen = second.selectbox(
        "Change",
        list(mutations),
        format_func=lambda name: mutations[name].sentence,
        key=begin("lab", "change", next(iter(mutations)), one_of(mutations), key=f"lab_breaking_change_{name}"),
        persist_state="session",
    )
    link |= {"reduction": name, "change": chosen}
    request = f"{name} {chosen}"
    if third.button("Break it", type="primary", width="stretch", key="lab_break"):
        st.session_state["lab_broken"] = request
    if st.session_state.get("lab_broken") == request:
        words = "Looking for the smallest example on which the two problems have different answers …"
        _show(reduction, *once(_found, name, chosen, of=(name, chosen), most=100, words=words))


def _found(name: str, mutation: str) -> tuple[WrongAnswer | None, float]:
    start = time.perf_counter()
    return broken(reduction_named(name), mutation), time.perf_counter() - start


def _show(reduction: Reduction, example: WrongAnswer | None, seconds: float) -> None:
    if example is None:
        st.info(
            f"In {seconds:.1f} s, no example was found that shows the fault: with this change, the original problem "
            "and the new problem had the same answer on every example tried."
        )
        return
    yes, no = ("has a solution", "has no solution")
    st.markdown(
        f"#### The original problem “{escaped(reduction.source.text(example.source))}” "
        f"{yes if example.of_source else no}; the new problem {yes if example.of_target else no}.\n\n"
        f"Found in {seconds:.1f} s."
    )
    left, right = sides(reduction, example.carried)
    with left:
        picture(reduction.source.picture(example.source, example.solution), key="lab_broken_source", height=Rest())
    with right:
        picture(
            reduction.picture(example.source, example.carried, example.assignment),
            key="lab_broken_target",
            height=Rest(),
        )
