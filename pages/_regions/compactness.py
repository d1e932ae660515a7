"""How much shorter borders are worth, as a choice with its price beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.nearness import percent
from pages._regions.groups import border_of, roundness
from pages._shared.number_field import mistakes, put_number
from pages._shared.records import Data, Question
from pages._shared.results import Choice, begin_search, key_of, search_again
from pages._shared.tasks import tasks
from pages._shared.typed_numbers import in_field
from pages._shared.widgets import put_in_widget
from pages._shared.wording import on_page

OPTION = "compactness"
SETTINGS = (0.0, 0.3, 1.0, 3.0)
POLL = 1.0  # seconds between two looks at searches
HELP = (
    "0: only the sizes of groups count. 1: a hundredth less of all borders is worth a hundredth more of the largest "
    "group. Below each stands what it led to: the largest group, the borders between groups, and the Polsby–Popper of "
    "the least compact group, where a circle has 1."
)


def choose_compactness(data: Data, question: Question) -> None:
    """Some settings of the option, each with what it cost where that was searched; the others can be searched."""
    if OPTION not in dict(question.choice.options) or mistakes():
        return
    fold = st.expander("Compactness", key=f"{data.family}_prices_fold", on_change="rerun")
    if not fold.open:  # lengths of borders take a while on large maps
        return
    with fold:
        key, widget = f"{data.family}_{OPTION}", f"{data.family}_{OPTION}_setting"
        now = float(dict(question.choice.options)[OPTION])
        put_in_widget(widget, now)
        settings = sorted({*SETTINGS, now})
        choices = {setting: _with(question.choice, setting) for setting in settings}
        st.radio(
            "What shorter borders are worth",
            settings,
            format_func=in_field,
            captions=[_price(data, question.k, choice) for choice in choices.values()],
            key=widget,
            on_change=lambda: put_number(key, st.session_state[widget]),
            help=HELP,
        )
        _search_others(data, question, choices)


def _with(choice: Choice, setting: float) -> Choice:
    options = tuple((name, setting if name == OPTION else value) for name, value in choice.options)
    return replace(choice, options=options)


def _price(data: Data, k: int, choice: Choice) -> str:
    """What this setting led to, in a line."""
    key = key_of(data.instance, k, choice)
    g = tasks().found(key)
    if g is not None:
        return price(data.instance, g)
    if tasks().works(key):
        return "searching …"
    reason = tasks().failure(key)
    return "not searched" if reason is None else f"no result: {on_page(reason)}"


def price(regions: kanon.Regions, g: kanon.Generalization) -> str:
    """Largest group, borders and least compact group of a result."""
    borders, round_ = border_of(regions, g.digest, g), roundness(regions, g.digest, g)
    words = [f"largest {g.class_weights.max():,}"]
    if borders is not None:
        far = borders.kilometres
        words.append(f"{percent(borders.share)} of borders" if far is None else f"{far:,.0f} km")
    if round_ is not None and not np.isnan(round_).all():
        words.append(f"worst {np.nanmin(round_):.2f}")
    ended = "; the search was ended early, so there may be better" if g.status == "stopped" else ""
    return ", ".join(words) + ended


def _search_others(data: Data, question: Question, choices: dict[float, Choice]) -> None:
    """A button that searches the settings without a price, one after the other as there is room, and a look at them."""
    keys = {setting: key_of(data.instance, question.k, choice) for setting, choice in choices.items()}
    asked: dict[str, Any] = st.session_state.setdefault(f"{data.family}_prices", {})
    for slot in [slot for slot, key in asked.items() if key not in keys.values()]:  # of another question
        tasks().leave(slot)
        del asked[slot]
    missing = [setting for setting, key in keys.items() if tasks().found(key) is None and not tasks().works(key)]
    now = float(dict(question.choice.options)[OPTION])

    def search() -> None:
        for setting in missing:
            slot = f"{data.family}_price_{setting}"
            asked[slot] = keys[setting]
            begin = begin_search if tasks().failure(keys[setting]) is None else search_again
            begin(slot, data.instance, question.k, choices[setting])

    others = [setting for setting in missing if setting != now]
    if others:
        st.button("Search the others", key=f"{data.family}_search_prices", on_click=search)
    working = len(_working(data))
    if working:
        st.fragment(_look, run_every=POLL)(data, working)


def _look(data: Data, before: int) -> None:
    """Draw the page anew when a search ended."""
    tasks().keep_alive()
    if len(_working(data)) != before:
        st.rerun()


def _working(data: Data) -> set[Any]:
    """The keys of the searches for prices that go on."""
    asked: dict[str, Any] = st.session_state.get(f"{data.family}_prices", {})
    return {key for key in asked.values() if tasks().works(key)}
