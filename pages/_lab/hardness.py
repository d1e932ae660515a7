"""Why it is hard: a problem that is known to be hard, carried over to groups of at least k, and back."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.words import counted
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.model import Carried, Reduction
from pages._lab.by_hand import choose_groups, fault_of, show_groups_by_hand
from pages._lab.sides import choose_reduction, sides, size_of
from pages._shared.picture import Rest, picture
from pages._shared.wording import doing, escaped, on_page

LISTED = 40  # instances of a source that are offered
OWN = "your own"
BELOW = 60  # pixels for what explains the construction
FORTH, BACK, HAND = "Solve the source, carry it over", "Group the target, carry it back", "Group by hand"


def show_hardness() -> None:
    """Choose a reduction, an instance and a direction; see both sides."""
    reduction, source = _choose_source()
    if source is None:
        return
    way = st.segmented_control(
        "What to do",
        [FORTH, BACK, HAND],
        default=FORTH,
        required=True,
        key="lab_way",
        label_visibility="collapsed",
        persist_state="session",
    )
    text = reduction.source.text(source)
    carried = _carried(reduction.name, text)
    solution, assignment = None, None
    if way == FORTH:
        solution = _solution(reduction.name, text)
        assignment = None if solution is None else reduction.forth(source, carried, solution)
        words = _told_forth(reduction, carried, assignment)
    elif way == BACK:
        assignment = _decided(reduction.name, text)
        solution = None if assignment is None else reduction.back(source, carried, assignment)
        words = _told_back(carried, assignment)
    else:
        groups, picked = choose_groups(reduction, carried)
        words = fault_of(reduction, carried, groups)
        if not words:
            solution, words = reduction.back(source, carried, groups), _told_back(carried, groups)
    st.markdown(escaped(words))
    left, right = sides(reduction, carried)
    with left:
        picture(reduction.source.picture(source, solution), key="lab_source", height=Rest(below=BELOW))
    with right:
        if way == HAND:
            show_groups_by_hand(reduction, source, carried, groups, picked)
        else:
            picture(reduction.picture(source, carried, assignment), key="lab_target", height=Rest(below=BELOW))
    with st.expander("How the construction works, and its parts"):
        st.markdown(f"{reduction.how}\n\n**What it shows.** {reduction.claim} *{reduction.theorem}.*")
        st.dataframe(_gadget_table(carried), hide_index=True, key="lab_gadgets")


def _choose_source() -> tuple[Reduction, Any]:
    """A reduction and an instance of its source; None where what was written is none."""
    first, second, third = st.columns([3, 2, 3], vertical_alignment="bottom")
    reduction = choose_reduction(first, "hardness")
    name, problem = reduction.name, reduction.source
    listed = [OWN, *_listed(name)]
    picked = second.selectbox(
        "Instance of the source", listed, key=f"lab_hardness_picked_{name}", persist_state="session"
    )
    own = picked == OWN
    text = third.text_input(
        f"{problem.title}, as text",
        value=problem.example if own else picked,
        key=f"lab_hardness_text_{name}_{picked}",
        help=problem.asks,
        disabled=not own,
    )
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


@st.cache_resource(max_entries=40, show_spinner="Carrying it over …")
def _carried(name: str, text: str) -> Carried:
    reduction = reduction_named(name)
    return reduction.build(reduction.source.parse(text))


@st.cache_resource(max_entries=40, show_spinner="Solving the source …")
def _solution(name: str, text: str) -> Any:
    problem = reduction_named(name).source
    return problem.solve(problem.parse(text))


@st.cache_resource(max_entries=40, show_spinner="Grouping the target …")
def _decided(name: str, text: str) -> np.ndarray | None:
    return reduction_named(name).decide(_carried(name, text))


def _told_forth(reduction: Reduction, carried: Carried, assignment: np.ndarray | None) -> str:
    if assignment is None:
        return f"The source has no solution. So, by the reduction, there are no {size_of(carried)}."
    fault = reduction.fault(carried, assignment)
    if fault:
        return f"The source has a solution, and carried over it fails: {doing(fault)}"
    return f"The source has a solution. Carried over it becomes {_counted_again(carried, assignment)}"


def _told_back(carried: Carried, assignment: np.ndarray | None) -> str:
    if assignment is None:
        return f"All possibilities were looked at. There are no {size_of(carried)}, so the source has no solution."
    return f"Here are {_counted_again(carried, assignment)} Carried back they solve the source."


def _counted_again(carried: Carried, assignment: np.ndarray) -> str:
    """Only of classes without a fault."""
    return f"{counted(int(assignment.max()) + 1, 'group')}. Counted again, they are {size_of(carried)}."


def _gadget_table(carried: Carried) -> pd.DataFrame:
    """The parts of a target."""
    rows = [(one.name, one.kind, one.stands_for, len(one.items)) for one in carried.gadgets]
    return pd.DataFrame(rows, columns=["Part", "Kind", "Stands for", "Items"])
