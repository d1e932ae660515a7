"""Break a reduction: change one part of it, and the smallest source is found where the answers differ."""

from __future__ import annotations

import time

import streamlit as st

from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.model import Reduction, WrongAnswer, broken
from pages._lab.sides import choose_reduction, sides
from pages._shared.picture import Rest, picture
from pages._shared.wording import escaped

WHY = (
    "A reduction is right where source and target always answer alike. Each of these changes of one part spoils that: "
    "an instance where the answers differ is searched for among small sources, the smallest first. Both answers are "
    "exact, and every solution is counted again."
)


def show_breaking() -> None:
    """Choose a change; see the smallest source that it is wrong on."""
    st.caption(WHY)
    first, second, third = st.columns([3, 4, 1], vertical_alignment="bottom")
    reduction = choose_reduction(first, "breaking")
    name, known = reduction.name, {mutation.name: mutation for mutation in reduction.mutations}
    chosen = second.selectbox(
        "Change",
        list(known),
        format_func=lambda name: known[name].sentence,
        key=f"lab_breaking_change_{name}",
        persist_state="session",
    )
    asked = f"{name} {chosen}"
    if third.button("Break it", type="primary", width="stretch", key="lab_break"):
        st.session_state["lab_broken"] = asked
    if st.session_state.get("lab_broken") == asked:
        _show(reduction, *_found(name, chosen))


@st.cache_resource(max_entries=100, show_spinner="Looking for the smallest source that it is wrong on …")
def _found(name: str, mutation: str) -> tuple[WrongAnswer | None, float]:
    start = time.perf_counter()
    return broken(reduction_named(name), mutation), time.perf_counter() - start


def _show(reduction: Reduction, found: WrongAnswer | None, seconds: float) -> None:
    if found is None:
        st.info(f"None of the small sources tells the change from the construction, after {seconds:.1f} s.")
        return
    yes, no = ("has a solution", "has none")
    st.markdown(
        f"#### “{escaped(reduction.source.text(found.source))}” {yes if found.of_source else no}; what it becomes "
        f"{yes if found.of_target else no}.\n\nFound in {seconds:.1f} s."
    )
    left, right = sides(reduction, found.carried)
    with left:
        picture(reduction.source.picture(found.source, found.solution), key="lab_broken_source", height=Rest())
    with right:
        picture(
            reduction.picture(found.source, found.carried, found.assignment), key="lab_broken_target", height=Rest()
        )
