"""k and algorithm pickers, in the sidebar."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from pages._common.costs import by_largest
from pages._common.link import begin, one_of, whole
from pages._common.results import Choice, alike, default_choice

LARGEST_K = 2**53 - 1
NO_ALGORITHM = {"none": "nothing", "another-k": "another k"}


def stops(total: int, items: int) -> list[int]:
    """Sensible values of k for a data set: 1, 2, 5, 10 … and 11, from a fraction of an item to half of all.

    Example
    -------
    >>> stops(742, 742)
    [2, 5, 10, 11, 20, 50, 100, 200]
    """
    lowest, highest = max(2, total // (5 * items)), max(2, total // 2)
    steps = sorted({base * 10**power for base in (1, 2, 5) for power in range(16)} | {11})
    return [step for step in steps if lowest <= step <= highest] or [lowest]


def pick_k(family: str, instance: Any, default: int) -> int:
    """k as a slider with stops and as an exact number; both show the same value."""
    exact, slider = begin(family, "k", default, whole(1)), f"{family}_k_slider"
    marks = stops(instance.total, len(instance))
    words, help = f"k: least {instance.unit} in a group", f"Every group will hold at least this many {instance.unit}."
    slides = len({*marks, st.session_state[exact]}) > 1
    place = st.container()
    k = int(
        st.number_input(
            "k exactly",
            min_value=1,
            max_value=LARGEST_K,
            step=1,
            key=exact,
            persist_state="session",
            help=None if slides else help,
            label_visibility="collapsed" if slides else "visible",
        )
    )
    st.session_state[slider] = k

    def follow() -> None:
        st.session_state[exact] = st.session_state[slider]

    if slides:
        values = sorted({*marks, k})
        shown = "{:,}".format
        place.select_slider(words, values, key=slider, format_func=shown, on_change=follow, help=help)
    return k


def pick_algorithm(family: str) -> Choice:
    """An algorithm with its guarantee and source in words, and its options."""
    known = {algorithm.name: algorithm for algorithm in kanon.algorithms(family)}
    name = st.selectbox(
        "Algorithm",
        list(known),
        format_func=lambda name: known[name].title,
        key=begin(family, "algorithm", default_choice(family).algorithm.name, one_of(known)),
        persist_state="session",
    )
    chosen = known[name]
    plain = chosen.guarantee.startswith("none") or not by_largest(family)
    promise = "**Guarantee**:" if plain else "**Largest group at most**"
    st.caption(f"{chosen.summary}<br>{promise} {chosen.guarantee}. *{chosen.source}.*", unsafe_allow_html=True)
    with st.expander("Options"):
        options = tuple((option.name, _widget(family, option)) for option in chosen.options)
        seed = st.number_input(
            "Seed of everything random",
            min_value=0,
            max_value=LARGEST_K,
            step=1,
            key=begin(family, "seed", 0, whole(0)),
            persist_state="session",
        )
    return Choice(chosen, options, int(seed))


def _widget(family: str, option: kanon.Option) -> Any:
    words = option.name.replace("_", " ").capitalize()

    def parse(text: str) -> Any:
        if option.kind == "flag":
            return option.checked({"True": True, "False": False}.get(text, text))
        return option.checked({"number": float, "integer": int}.get(option.kind, str)(text))

    key = begin(
        family, option.name, option.checked(option.default), one_of(option.choices) if option.choices else parse
    )
    if option.kind == "choice":
        return st.selectbox(words, option.choices, key=key, help=option.help, persist_state="session")
    if option.kind == "flag":
        return st.checkbox(words, key=key, help=option.help, persist_state="session")
    if option.kind == "weights":
        shown = "age=2, sex=1"
        return st.text_input(words, key=key, help=option.help, placeholder=shown, persist_state="session") or None
    number = int if option.kind == "integer" else float
    least, most = (None if limit is None else number(limit) for limit in (option.minimum, option.maximum))
    form = "%g" if number is float else None
    kept: dict[str, Any] = {"key": key, "help": option.help, "format": form, "persist_state": "session"}
    if option.default is None:
        return st.number_input(words, least, most, None, **kept)  # None: the field can be emptied
    return st.number_input(words, least, most, **kept)


def pick_comparison(family: str, k: int, choice: Choice) -> tuple[int, Choice] | None:
    """A second algorithm, or a second k, to stand beside the first."""
    others = {algorithm.name: algorithm for algorithm in kanon.algorithms(family) if algorithm != choice.algorithm}
    choices = [*NO_ALGORITHM, *others]
    key = begin(family, "compare", "none", one_of(choices))
    if st.session_state[key] not in choices:  # the algorithm compared with has become the first
        st.session_state[key] = "none"
    picked = st.selectbox(
        "Compare with",
        choices,
        format_func=lambda name: others[name].title if name in others else NO_ALGORITHM[name],
        key=key,
        persist_state="session",
    )
    if picked == "none":
        return None
    if picked in others:
        return k, alike(others[picked], choice)
    other = st.number_input(
        "The other k",
        min_value=1,
        max_value=LARGEST_K,
        step=1,
        key=begin(family, "other_k", min(2 * k, LARGEST_K), whole(1)),
        persist_state="session",
    )
    return int(other), choice
