"""What a page found: the headline with its proof, above the stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.model.known import family_named
from kanon_engine.model.words import number_text
from pages._shared.background import TaskFailed
from pages._shared.checked import certificate_of
from pages._shared.controls import put_k, show_promise
from pages._shared.entry import end_notice, stop_page
from pages._shared.headline import BADGE_HELP, BADGES, headline
from pages._shared.link import show_misread
from pages._shared.number_field import mistakes, put_number
from pages._shared.records import Data, Question
from pages._shared.results import Answer, Choice, answer, search_again
from pages._shared.reviewable import remember_result
from pages._shared.search_line import AGAIN, show_search
from pages._shared.tabs import COMPARE, is_open
from pages._shared.tasks import tasks
from pages._shared.wording import escaped, on_page


def find_answer(
    data: Data,
    question: Question,
    notice: DeltaGenerator,
    offer: Callable[[Data, kanon.KanonError], None] = lambda data, error: None,
) -> Answer:
    """The result, or the best that is at hand; where there is none, the page says why, `offer` ways out, and stops."""
    if mistakes():
        notice.empty()
        _show_mistakes(data)
        stop_page()
    show_misread(data.family)
    if not is_open(data.family, COMPARE):
        tasks().leave(second_slot(data.family))
    show_promise(data, question)
    found, refused = _tried(data.family, data.instance, question.k, question.choice)
    end_notice(data.family, notice)
    if found is None:
        _offer_feasible_k(data, question.k)
        if refused is not None:
            offer(data, refused)
        stop_page()
    st.session_state[_served(data.family)] = question.k
    if not found.waiting and not found.ended:  # otherwise it is another algorithm's
        show_promise(data, question, found.g)
    return found


def show_headline(data: Data, found: Answer, words: str | None = None) -> None:
    """What was found and how good it is, in a family's own words or in those for the largest group; checks; search."""
    g = found.g
    remember_result(data, g)
    certificate = certificate_of(data.instance, g)
    checks = "\n".join(f"- **{check.name}**: {escaped(check.detail)}" for check in certificate.checks)
    proof = certificate.proof
    with st.container(key=f"headline-of-{data.family}"):
        left, badge = st.columns([7, 1], vertical_alignment="center")
    left.markdown(f"#### {headline(g, data.instance.unit, proof) if words is None else words}")
    with badge.popover(BADGES[proof], width="stretch", help=BADGE_HELP[proof]):
        reason = family_named(data.family).bounds[g.bound_name]
        st.markdown(f"The bound {number_text(g.lower_bound)}: {reason}.")
        st.markdown(checks)
    show_search(data.family, data.instance, found)


def second_slot(family: str) -> str:
    """The slot of the search for what the result is compared with."""
    return f"{family}_second"


def try_answer(slot: str, instance: Any, k: int, choice: Choice) -> Answer | None:
    """What can be shown now; when there is nothing, the reason is on the page."""
    return _tried(slot, instance, k, choice)[0]


def _tried(slot: str, instance: Any, k: int, choice: Choice) -> tuple[Answer | None, kanon.KanonError | None]:
    """What can be shown now; or what cannot be, which is then on the page."""
    try:
        return answer(slot, instance, k, choice), None
    except kanon.Infeasible as error:
        st.error(f"**No grouping is possible.** {on_page(error)}", icon=":material/block:")
        return None, error
    except (kanon.SearchEnded, TaskFailed) as end:
        st.error(escaped(str(end)), icon=":material/error:")
        st.button(AGAIN, key=f"{slot}_search_again", on_click=search_again, args=(slot, instance, k, choice))
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return None, error
    return None, None


def _offer_feasible_k(data: Data, k: int) -> None:
    """A way out for a k above the total."""
    total = data.instance.total
    if k > total > 0:
        st.button(f"Lower k to {total:,}", on_click=put_k, args=(data.family, total))


def _served(family: str) -> str:
    """The session's entry for the last k that had a result."""
    return f"{family}_k_served"


def _show_mistakes(data: Data) -> None:
    """What is shown instead of a result that would not be that of the numbers in the fields."""
    for mistake in mistakes():
        st.error(escaped(mistake.message), icon=":material/error:")
        before, value = mistake.before or "an empty field", st.session_state[mistake.key]
        if mistake.key == f"{data.family}_k":  # the one before may be larger than all there is
            value = min(st.session_state.get(_served(data.family), value), data.instance.total)
            before = f"{value:,}"
        st.button(f"Go back to {before}", key=f"{mistake.key}_back", on_click=put_number, args=(mistake.key, value))
