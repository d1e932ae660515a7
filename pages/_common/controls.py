"""k and algorithm pickers, in the sidebar."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from pages._common.results import Choice


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
    exact, slider = f"{family}_k", f"{family}_k_slider"
    place = st.container()
    k = st.number_input(
        "k exactly",
        min_value=1,
        max_value=2**53 - 1,
        value=default,
        step=1,
        key=exact,
        bind="query-params",
        persist_state="session",
        help=f"Every group will hold at least this many {instance.unit}.",
    )
    values = sorted({*stops(instance.total, len(instance)), int(k)})
    st.session_state[slider] = int(k)

    def follow() -> None:
        st.session_state[exact] = st.session_state[slider]

    if len(values) > 1:
        place.select_slider(
            f"k: least {instance.unit} in a group", values, key=slider, format_func=lambda value: f"{value:,}", on_change=follow
        )
    return int(k)


def pick_algorithm(family: str) -> Choice:
    """An algorithm with its guarantee and source in words, and its options."""
    known = {algorithm.name: algorithm for algorithm in kanon.algorithms(family)}
    name = st.selectbox(
        "Algorithm",
        list(known),
        format_func=lambda name: known[name].title,
        key=f"{family}_algorithm",
        bind="query-params",
        persist_state="session",
    )
    chosen = known[name]
    st.caption(f"{chosen.summary} Largest group: at most {chosen.guarantee}. *{chosen.source}*")
    with st.expander("Options"):
        options = tuple((option.name, _widget(family, option)) for option in chosen.options)
        seed = st.number_input(
            "Seed of everything random",
            min_value=0,
            value=0,
            key=f"{family}_seed",
            bind="query-params",
            persist_state="session",
        )
    return Choice(chosen, options, int(seed))


def _widget(family: str, option: kanon.Option) -> Any:
    words = option.name.replace("_", " ").capitalize()
    bound: dict[str, Any] = {
        "key": f"{family}_{option.name}",
        "help": option.help,
        "bind": "query-params",
        "persist_state": "session",
    }
    if option.kind == "choice":
        place = option.choices.index(option.default)
        return st.selectbox(words, option.choices, index=place, **bound)
    if option.kind == "flag":
        return st.checkbox(words, option.default, **bound)
    whole = option.kind == "integer"
    return st.number_input(words, option.minimum, option.maximum, option.default, 1 if whole else None, **bound)


def pick_comparison(family: str, k: int, choice: Choice) -> tuple[int, Choice] | None:
    """A second algorithm, or a second k, to stand beside the first."""
    others = {algorithm.name: algorithm for algorithm in kanon.algorithms(family) if algorithm != choice.algorithm}
    picked = st.selectbox(
        "Compare with",
        ["none", "another k", *others],
        format_func=lambda name: others[name].title if name in others else name,
        key=f"{family}_compare",
        bind="query-params",
        persist_state="session",
    )
    if picked == "none":
        return None
    if picked in others:
        options = tuple((option.name, option.default) for option in others[picked].options)
        return k, Choice(others[picked], options, choice.seed)
    other = st.number_input(
        "The other k",
        min_value=1,
        value=2 * k,
        key=f"{family}_other_k",
        bind="query-params",
        persist_state="session",
    )
    return int(other), choice
