"""The line under the headline: which algorithm it was, or how far the search is, with a button to end it."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kanon_engine.io.limits import MORE, limits
from kanon_engine.model.words import number_text
from pages._shared.anytime import offer_curve, show_small
from pages._shared.compare import algorithm_title
from pages._shared.costs import objective_of, objective_of_choice
from pages._shared.other_k import follow_one_more, hint_at
from pages._shared.results import Answer, search_again
from pages._shared.tasks import tasks
from pages._shared.wording import QUEUED, doing, escaped

POLL = 0.7  # seconds between two looks at a search
STOP = "Stop and keep the best so far"
AGAIN = "Search again"
WHY = {
    "left alone": "Nobody looked for some minutes, so the search stopped",
    "asked": "You stopped the search",
    "limit": "The search reached its limit of time and stopped",
}


def show_search(slot: str, instance: Any, found: Answer, narrow: bool = False) -> None:
    """One line of constant height. While a search runs it follows it, and draws the page anew when it ends.

    Parameters
    ----------
    slot : str
        That of the search; also begins the keys of the buttons.
    instance
    found : Answer
    narrow : bool
        Few words, for half a page.
    """
    with st.container(key=f"search-of-{slot}"):
        if found.changed:
            st.caption(found.changed)
        elif found.waiting:  # also where it ended since: then the page is drawn anew at once
            st.fragment(_follow, run_every=POLL)(slot, found, narrow)
        else:
            _over(slot, instance, found, narrow)


def _follow(slot: str, found: Answer, narrow: bool) -> None:
    task = found.task
    tasks().keep_alive()
    if not task.running or task.improvements > found.improvements:
        st.rerun()
    words, small, curve, button = _places(narrow, small=True)
    words.caption(_meanwhile(found, narrow))
    words.progress(min(max(task.progress.done if task.progress else 0.0, 0.0), 1.0))
    if not narrow:
        show_small(small, found)
        offer_curve(curve, slot, found)
    button.button(
        "Stopping …" if task.stopped else "Stop" if narrow else STOP,
        key=f"{slot}_stop_search",
        help=STOP if narrow else None,
        on_click=task.stop,
        disabled=bool(task.stopped),
        width="stretch",
    )


def _places(narrow: bool, small: bool = False) -> tuple[DeltaGenerator, ...]:
    """For words, the small curve, the button for the large one, and the button of the search."""
    shares = [5, 2] if narrow else [14, 4, 2, 7] if small else [18, 2, 7]
    words, *others = st.columns(shares, vertical_alignment="center", gap="small")
    return (words, *[words] * (3 - len(others)), *others)


def _meanwhile(found: Answer, narrow: bool) -> str:
    """What is shown, and what is being done about it."""
    title, report = found.choice.algorithm.title, found.task.progress
    what = _at_hand(found, narrow)
    if found.task.waiting:
        return f"{what}. {title} was asked for a better one. {QUEUED}."
    if report is None:
        return f"{what}. {title} begins …"
    best, bound, noun = report.best, report.lower_bound or 0, objective_of_choice(found.choice).noun
    if noun == objective_of(found.g).noun:  # what is shown may be better than what the search has so far
        best, bound = min(found.g.cost, found.g.cost if best is None else best), max(bound, found.g.lower_bound)
    so_far = "" if best is None else f"{noun} {number_text(best)} so far"
    if best is not None and best == bound and objective_of_choice(found.choice).is_largest_class:
        if found.g.cost == best:
            return f"{what}, with the smallest {noun} that is possible. {title} still makes the others smaller."
        least = number_text(best)
        return f"{what}. {title} has the smallest {noun} that is possible, {least}. It still makes the others smaller."
    if narrow:
        return f"{what}. {title} goes on: {so_far or doing(report.message)}."
    end = f": {so_far}, never below {number_text(bound)}." if so_far else "."
    return f"{what}. {title} is looking for a better one, {doing(report.message)}{end}"


def _at_hand(found: Answer, narrow: bool) -> str:
    """What is shown in place of the search's result."""
    if found.own:
        return "The best so far"
    if _earlier(found) is not None:
        return "The stopped search's best"
    return "Quick answer" if narrow else f"{algorithm_title(found.g)}'s quick answer"


def _earlier(found: Answer) -> Any:
    """What a stopped search for the same result found, or None."""
    return tasks().before(found.key)


def _over(slot: str, instance: Any, found: Answer, narrow: bool) -> None:
    task, title = found.task, found.choice.algorithm.title
    took = f"{max(task.seconds, found.g.seconds):,.1f} s"  # one that was found before takes no time
    words, _, curve, button = _places(narrow)
    whole = not found.ended and found.g.status != "stopped" and not task.stopped
    hint = hint_at(slot, instance, found) if whole and not narrow else None
    alone = whole and (hint is None or not hint.label)
    if not narrow and len(task.history) > 1:
        offer_curve(button if alone else curve, slot, found, in_words=alone)
    if whole:
        words.caption(f"Found by {title} in {took}. {'' if hint is None else hint.words}")
        if hint is not None:
            hint.show_button(button, slot)
            follow_one_more(slot, instance, found)
        return
    if found.ended:
        words.caption(f"{_at_hand(found, narrow)}. {escaped(found.ended)}")
    else:
        why = WHY.get(task.stopped, "The search stopped")
        more = f" For more than {limits().search_seconds / 60:,.0f} minutes, {MORE}." if task.stopped == "limit" else ""
        end = "the best so far." if narrow else f"this is the best that {title} had."
        words.caption(f"{why} after {took}: {end}{more}")
    button.button(
        AGAIN,
        key=f"{slot}_search_again",
        help="Begin the search anew and let it run to its end.",
        on_click=search_again,
        args=(slot, instance, found.g.k, found.choice, _earlier(found) if found.ended else found.g),
        width="stretch",
    )
