"""The result of a page: the headline with its proof, above the stage."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine import Generalization
from kanon_engine.io.limits import MORE, limits
from kanon_engine.model.known import get_family
from kanon_engine.model.requirement import UNKNOWN, best_possible, by_word, percent_up, within_words
from kanon_engine.model.words import enumerated, number_text, times_k
from kanon_engine.plot import curve_figure
from kanon_engine.plot.colors import BLUE, FLOOR
from kanon_engine.sweep import SweepQuestion as Variant
from kanon_engine.sweep import one_more, serves, slightly_smaller, told
from kanon_engine.workers.search import Search
from pages._shared.controls import put_algorithm, put_k, show_promise
from pages._shared.entry import stop_page
from pages._shared.files import stored_answer
from pages._shared.link import COMPARE, is_open, show_misread
from pages._shared.picture import picture
from pages._shared.records import Data, Question, remember_result
from pages._shared.results import (
    Answer,
    Choice,
    algorithm_title,
    alike,
    answer,
    key_of,
    objective_of,
    objective_of_choice,
    quick_choice,
    request_for,
    search_again,
)
from pages._shared.tasks import POLL, Task, TaskFailed, certificate_of, redraw_when, stop_button, tasks, visit_store
from pages._shared.widgets import mistakes, put_number
from pages._shared.wording import QUEUED, doing, escaped, on_page

SERVED = "{}_k_served"  # the session key of the last k that had a result


def find_answer(
    data: Data,
    question: Question,
    notice: DeltaGenerator,
    offer: Callable[[Data, kanon.KanonError], None] = lambda data, error: None,
) -> Answer:
    """The result, or the best available; if there is none, the page says why, `offer` shows ways out, and it stops."""
    if mistakes():
        notice.empty()
        _show_mistakes(data)
        stop_page()
    show_misread(data.family)
    if not is_open(data.family, COMPARE):
        tasks().leave(second_slot(data.family))
    show_promise(data, question)
    answer, refused = try_answer(data.family, data.instance, question.k, question.choice)
    notice.empty()  # there is a result, or the reason why there is none
    st.session_state[f"{data.family}_noticed"] = True
    if answer is None:
        total = data.instance.total
        if question.k > total > 0:
            st.button(f"Lower k to {total:,}", on_click=put_k, args=(data.family, total))
        if refused is not None:
            offer(data, refused)
        stop_page()
    st.session_state[SERVED.format(data.family)] = question.k
    if not answer.waiting and not answer.ended:  # otherwise it is from another algorithm
        show_promise(data, question, answer.g)
    return answer


def show_headline(data: Data, answer: Answer, words: str | None = None, meaning: str = "") -> None:
    """The result and its quality, in a family's own words or those for the largest group; checks; search.

    `meaning` is that of the cost; it stands with the checks.
    """
    g = answer.g
    remember_result(data, g)
    certificate = certificate_of(data.instance, g)
    checks = "\n".join(f"- **{check.name}**: {escaped(check.detail)}" for check in certificate.checks)
    proof = certificate.proof
    with st.container(key=f"headline-of-{data.family}"):
        left, badge = st.columns([7, 1], vertical_alignment="center")
    left.markdown(f"#### {headline(g, data.instance.unit, proof) if words is None else words}")
    with badge.popover(BADGES[proof], width="stretch", help=BADGE_HELP[proof]):
        reason = get_family(data.family).bounds[g.bound_name]
        st.markdown(f"{meaning} The lower bound is {number_text(g.lower_bound)}: {reason}.".strip())
        st.markdown(checks)
    show_search(data.family, data.instance, answer)


def second_slot(family: str) -> str:
    """The search slot of the result to compare with."""
    return f"{family}_second"


def try_answer(slot: str, instance: Any, k: int, choice: Choice) -> tuple[Answer | None, kanon.KanonError | None]:
    """The result to show now, or the error, which is then on the page."""
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


def _show_mistakes(data: Data) -> None:
    """Shown instead of a result that would not match the numbers in the fields."""
    for mistake in mistakes():
        st.error(escaped(mistake.message), icon=":material/error:")
        before, value = mistake.before or "an empty field", st.session_state[mistake.key]
        if mistake.key == f"{data.family}_k":  # the previous k may exceed the total
            value = min(st.session_state.get(SERVED.format(data.family), value), data.instance.total)
            before = f"{value:,}"
        st.button(f"Go back to {before}", key=f"{mistake.key}_back", on_click=put_number, args=(mistake.key, value))


# ---------------------------------------------------------------------------------------------------------------------
# The headline of every result.
# ---------------------------------------------------------------------------------------------------------------------


NOT_ANONYMOUS = "Not k-anonymous: groups may be smaller than k, so this cannot be released."
BADGES = {"checked": "Checked ✓", "solver": "Bound unchecked"}
BADGE_HELP = {
    "checked": "Every claim was checked by a separate verifier, which uses no code of the algorithms.",
    "solver": "Every claim but one was checked by a separate verifier, which uses no code of the algorithms. The lower "
    "bound is reported by the program that searched (the solver): there are too many solutions to examine again. "
    "`kanon verify --rerun` repeats the search.",
}


def headline(g: Generalization, unit: str, proof: str) -> str:
    """The result and its quality as Markdown, for verified results only; `proof` is the certificate's.

    31 groups. The smallest holds 5,021 people, the largest 6,240 (1.25 × k). No grouping can do better than 6,093:
    this result is within 2.5 % of the best possible.
    """
    smallest, largest, objective = int(g.class_weights.min()), int(g.class_weights.max()), objective_of(g)
    unit = escaped(unit)
    minima = [f"{minimum.m:,} {escaped(minimum.column)}" for minimum in g.require]
    if g.classes == 1:
        sentence = f"1 group of {largest:,} {unit} ({times_k(g.overfull_ratio)})"
        sentence += f" and at least {enumerated(minima)}." if minima else "."
    else:
        requirements = f" of at least {enumerated([f'{g.k:,} {unit}', *minima])}" if minima else ""
        sentence = (
            f"{g.classes:,} groups{requirements}. The smallest holds {smallest:,} {unit}, "
            f"the largest {largest:,} ({times_k(g.overfull_ratio)})."
        )
    if not objective.is_largest_class:
        sentence += f" The cost ({objective.noun}) is {number_text(g.cost)}."
    if g.status == "relaxed":
        return f":red[**{NOT_ANONYMOUS}**] {sentence} {nearness(g, proof)}"
    return f"{sentence} {nearness(g, proof)}"


def nearness(g: Generalization, proof: str) -> str:
    """How close the cost is to the best possible, and whether that was checked."""
    objective = objective_of(g)
    if g.status == "relaxed":
        least = f"{g.details.threshold:,}"
        bound = number_text(g.lower_bound)
        return f"Groups only had to reach a size of {least}; no grouping with that minimum can do better than {bound}."
    if g.status == "optimal":
        return f"No {objective.solution} {objective.less}: {best_possible(proof)}."
    if math.isinf(g.gap):
        return UNKNOWN
    near = f"this result is within {percent_up(g.gap)} of the best possible{by_word(proof)}"
    return f"No {objective.solution} can do better than {number_text(g.lower_bound)}: {near}."


# ---------------------------------------------------------------------------------------------------------------------
# The line under the headline: the algorithm, or the search's progress with a button to end it.
# ---------------------------------------------------------------------------------------------------------------------


STOP = "Stop and keep the best so far"
LONG_COST = 10_000_000  # costs from here on are only compared with their bound while a search runs
BETWEEN = 4.0  # seconds between two pictures of improvements
AGAIN = "Search again"
WHY = {
    "unwatched": "Nobody viewed the page for several minutes, so the search stopped",
    "asked": "You stopped the search",
    "limit": "The search reached its time limit and stopped",
}


def show_search(slot: str, instance: Any, answer: Answer, narrow: bool = False) -> None:
    """One line of constant height. It follows a running search and redraws the page when the search ends.

    Parameters
    ----------
    slot : That of the search; also the prefix of the buttons' keys.
    narrow : Few words, for half a page.
    """
    with st.container(key=f"search-of-{slot}"):
        if answer.changed:
            st.caption(answer.changed)
        elif answer.waiting:  # also if it ended since: then the page is redrawn at once
            st.fragment(_follow, run_every=POLL)(slot, answer, narrow, time.monotonic())
        else:
            _over(slot, instance, answer, narrow)


def has_more_to_show(answer: Answer, seconds: float) -> bool:
    """Whether to redraw a page that was drawn these seconds ago: the search ended, or found something better.

    The first improvement is drawn at once. A browser needs up to seconds for a picture, and acts on no click meanwhile,
    so the others wait. After Stop only the result is drawn.
    """
    task = answer.task
    if not task.running:
        return True
    better = task.improvements > answer.improvements and not task.stopped
    return better and (answer.improvements == 0 or seconds >= BETWEEN)


def _follow(slot: str, answer: Answer, narrow: bool, drawn: float) -> None:
    task = answer.task
    tasks().keep_alive()
    if has_more_to_show(answer, time.monotonic() - drawn):
        st.rerun()
    words, small, curve, button = _places(narrow, small=True)
    words.caption(_meanwhile(answer, narrow) + ("" if task.waiting else f" {task.seconds:,.0f} s"))
    words.progress(min(max(task.progress.done if task.progress else 0.0, 0.0), 1.0))
    if not narrow:
        rows = rows_of(answer)
        if len(rows):
            small.html(small_curve(rows))
        offer_curve(curve, slot, answer)
    stop_button(button, task, f"{slot}_stop_search", "Stop" if narrow else STOP, STOP if narrow else None)


def _places(narrow: bool, small: bool = False) -> tuple[DeltaGenerator, ...]:
    """Slots for the words, the small curve, the button for the large one, and the search button."""
    shares = [5, 2] if narrow else [14, 4, 2, 7] if small else [18, 2, 7]
    words, *others = st.columns(shares, vertical_alignment="center", gap="small")
    return (words, *[words] * (3 - len(others)), *others)


def _meanwhile(answer: Answer, narrow: bool) -> str:
    title, report = answer.choice.algorithm.title, answer.task.progress
    what = _at_hand(answer, narrow)
    if answer.task.waiting:
        return f"{what}. {title} will look for a better one. {QUEUED}."
    if report is None:
        return f"{what}. {title} is starting …"
    best, bound, noun = report.best, report.lower_bound or 0, objective_of_choice(answer.choice).noun
    if noun == objective_of(answer.g).noun:  # the result shown may be better than the search's best so far
        best, bound = min(answer.g.cost, answer.g.cost if best is None else best), max(bound, answer.g.lower_bound)
    so_far = least = ""
    if best is not None and best >= LONG_COST and bound > 0:
        so_far = f"{within_words(best / bound - 1)} the best possible so far"
    elif best is not None:
        so_far, least = f"{noun} {number_text(best)} so far", f", lower bound {number_text(bound)}"
    if best is not None and best == bound and objective_of_choice(answer.choice).is_largest_class:
        if answer.g.cost == best:
            return f"{what}: the {noun} cannot be smaller. {title} is still reducing the other groups."
        found = f"{title} found a result whose {noun}, {number_text(best)}, cannot be smaller"
        return f"{what}. {found}, and is still reducing the other groups."
    if narrow:
        return f"{what}. {title} is still searching: {so_far or doing(report.message)}."
    end = f": {so_far}{least}." if so_far else "."
    return f"{what}. {title} is looking for a better one, {doing(report.message)}{end}"


def _at_hand(answer: Answer, narrow: bool) -> str:
    if answer.own:
        return "The best result so far"
    if tasks().before(answer.key) is not None:
        return "The stopped search's best result"
    return "Quick answer" if narrow else f"{algorithm_title(answer.g)}'s quick answer"


def _over(slot: str, instance: Any, answer: Answer, narrow: bool) -> None:
    task, title = answer.task, answer.choice.algorithm.title
    took = f"{max(task.seconds, answer.g.seconds):,.1f} s"  # a stored one takes no time
    words, _, curve, button = _places(narrow)
    whole = not answer.ended and answer.g.status != "stopped" and not task.stopped
    hint = hint_at(slot, instance, answer) if whole and not narrow else None
    alone = whole and (hint is None or not hint.label)
    if not narrow and len(task.history) > 1:
        offer_curve(button if alone else curve, slot, answer, in_words=alone)
    if whole:
        stored = answer.g is stored_answer(answer.g.family, answer.g.instance_digest)
        ended = f"Found earlier by {title} and rechecked now." if stored else f"Found by {title} in {took}."
        words.caption(f"{ended} {'' if hint is None else hint.words}")
        if hint is not None:
            if hint.label:
                key, act = f"{slot}_hint", hint.act
                button.button(hint.label, key=key, help=hint.help, on_click=act, args=hint.arguments, width="stretch")
            follow_one_more(slot, instance, answer)
        return
    if answer.ended:
        words.caption(f"{_at_hand(answer, narrow)}. {escaped(answer.ended)}")
    else:
        why = WHY.get(task.stopped, "The search stopped")
        more = (
            f" To search longer than {limits().search_seconds / 60:,.0f} minutes, {MORE}."
            if task.stopped == "limit"
            else ""
        )
        end = "this is the best result so far." if narrow else f"this is {title}'s best result so far."
        words.caption(f"{why} after {took}: {end}{more}")
    button.button(
        AGAIN,
        key=f"{slot}_search_again",
        help="Restart the search and let it finish.",
        on_click=search_again,
        args=(slot, instance, answer.g.k, answer.choice, tasks().before(answer.key) if answer.ended else answer.g),
        width="stretch",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Progress of a search: its best and its bound over time, small next to its button, large on request.
# ---------------------------------------------------------------------------------------------------------------------


WIDE, HIGH, EDGE = 132, 38, 3  # pixels of the small curve and its margin
LARGE = 720, 330  # pixels of the large one
WORDS, OVER = "Search progress", "How the search went"


def rows_of(answer: Answer) -> np.ndarray:
    """Seconds, best and bound at every change, and now or at the end."""
    rows = np.array(answer.task.history, dtype=float).reshape(-1, 3)
    if not len(rows):
        return rows
    last = rows[-1, 1:] if answer.task.running or answer.ended else (answer.g.cost, answer.g.lower_bound)
    return np.vstack([rows, [answer.task.seconds, *last]])


def small_curve(rows: np.ndarray) -> str:
    """Two step curves as a picture, with a text alternative."""
    finite = rows[:, 1:][np.isfinite(rows[:, 1:])]
    low, high = float(finite.min()), float(finite.max())
    end = max(float(rows[-1, 0]), 1e-9)

    def place(seconds: float, value: float) -> tuple[float, float]:
        up = (value - low) / (high - low) if high > low else 0.5
        return EDGE + (WIDE - 2 * EDGE) * seconds / end, HIGH - EDGE - (HIGH - 2 * EDGE) * up

    def line(column: int, look: str) -> str:
        points = [place(row[0], row[column]) for row in rows if math.isfinite(row[column])]
        if not points:
            return ""
        steps = "".join(f"H{x:.1f}V{y:.1f}" for _, (x, y) in pairwise(points))
        return f'<path d="M{points[0][0]:.1f} {points[0][1]:.1f}{steps}" fill="none" stroke-width="2" {look}/>'

    best, bound = (f"{value:,.0f}" if math.isfinite(value) else "unknown" for value in rows[-1, 1:])
    description = f"After {rows[-1, 0]:,.0f} s: best so far {best}, proven bound {bound}"
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}">'
        + line(2, f'stroke="{FLOOR}" stroke-dasharray="4 3"')
        + line(1, f'stroke="{BLUE}"')
        + "</svg>"
    )
    picture = base64.b64encode(drawn.encode()).decode()  # a page's HTML cannot contain SVG itself
    return f'<img src="data:image/svg+xml;base64,{picture}" alt="{description}" title="{description}">'


def offer_curve(place: DeltaGenerator, slot: str, answer: Answer, in_words: bool = False) -> None:
    """A button that opens the curve and its numbers; `in_words` if there is room for its name."""
    task: Task = answer.task
    if not task.history:
        return
    opened = place.popover(
        OVER if in_words else "",
        icon=":material/show_chart:",
        help=None if in_words else WORDS if task.running else OVER,
        key=f"{slot}_search_curve",
        on_change="rerun",
        width="stretch",
    )
    if not opened.open:
        return
    rows, noun = rows_of(answer), objective_of_choice(answer.choice).noun.capitalize()
    with opened, st.container(width=LARGE[0]):
        picture(curve_figure(rows, "seconds", noun), key=f"{slot}_search_curve_picture", height=LARGE[1])
        table = pd.DataFrame(rows, columns=["Seconds", f"{noun}, best so far", "Proven lower bound"])
        numbers = dict.fromkeys(table.columns[1:], st.column_config.NumberColumn(format="localized"))
        seconds = {"Seconds": st.column_config.NumberColumn(format="%.1f")}
        st.dataframe(
            table, hide_index=True, key=f"{slot}_search_curve_table", column_config=numbers | seconds, height=180
        )


# ---------------------------------------------------------------------------------------------------------------------
# A better result that the visit has for another k, or a slightly smaller k with one more group.
# ---------------------------------------------------------------------------------------------------------------------


ASK = "One more group?"
HELP = "Checks whether a slightly smaller k allows one more group."
LOOKING = "Checking whether a slightly smaller k allows one more group …"
NONE = "No slightly smaller k was found that allows one more group."


@dataclass(frozen=True)
class Hint:
    """A sentence next to a result, and a button."""

    words: str
    label: str = ""  # of the button; "" for none
    act: Callable[..., None] | None = None  # what the button does
    arguments: tuple[Any, ...] = ()  # its arguments
    help: str | None = None


def hint_at(slot: str, instance: Any, answer: Answer) -> Hint | None:
    """The best hint about another k, or None."""
    current, key = answer.g, _one_more_key(instance, answer)
    candidates = list(_known(instance, answer))
    better = min(
        (one for one in candidates if one[2].cost < current.cost and int(one[2].class_weights.min()) >= current.k),
        key=lambda one: (one[2].cost, abs(one[0] - current.k), -one[2].classes),
        default=None,
    )
    outcome = tasks().found(key)
    more = None if outcome is None else outcome[0]
    if more is not None and (better is None or more.cost <= better[2].cost):
        return Hint(told(current, more), f"Show k = {more.k:,}", put_k, (current.family, more.k))
    if better is not None:
        k, choice, g = better
        words = (
            f"The result that {_label(choice, answer.choice)} found for k = {k:,} also satisfies k = {current.k:,} "
            f"and is better: its largest group holds {g.cost:,} {escaped(instance.unit)}."
        )
        return Hint(words, f"Show k = {k:,}", _go_to, (current.family, choice, k))
    if tasks().works(key):
        return Hint(LOOKING)
    reason = tasks().failure(key)
    if reason is not None:
        return Hint(on_page(reason))
    if outcome is not None:
        return Hint(NONE)
    if slightly_smaller(instance, current):
        return Hint("", ASK, _look, (slot, instance, answer), HELP)
    return _proven(current, candidates)


def follow_one_more(slot: str, instance: Any, answer: Answer) -> None:
    """Redraw the page when a running search for one more group ends."""
    key = _one_more_key(instance, answer)
    if tasks().works(key):
        redraw_when(lambda: not tasks().works(key))


def _known(instance: Any, answer: Answer) -> Iterator[tuple[int, Choice, kanon.Generalization]]:
    """Results of the visit for these data under the same conditions, with any effort, that also satisfy other k."""
    reference = answer.choice
    if not serves(instance, reference.algorithm, dict(reference.options)):
        return
    for key, (g, _) in visit_store().all():
        digest, k, choice = key
        if digest != instance.digest or choice.algorithm.kind != reference.algorithm.kind:
            continue
        same = (reference, alike(choice.algorithm, reference), quick_choice(reference))
        if _without_effort(choice) in map(_without_effort, same) and serves(
            instance, choice.algorithm, dict(choice.options)
        ):
            yield k, choice, g


def _without_effort(choice: Choice) -> Choice:
    return replace(choice, options=tuple((name, value) for name, value in choice.options if name != "effort"))


def _proven(current: kanon.Generalization, candidates: list[tuple[int, Choice, kanon.Generalization]]) -> Hint | None:
    """A higher bound that was proven for a smaller k."""
    higher = [one for one in candidates if one[0] < current.k and one[2].bound_kind == "checked"]
    best = max(higher, key=lambda one: one[2].lower_bound, default=None)
    if best is None or best[2].lower_bound <= current.lower_bound:
        return None
    proof = f"This is proven for k = {best[0]:,}, so it also holds for every larger k."
    return Hint(f"No grouping can do better than {best[2].lower_bound:,}. {proof}")


def _one_more_key(instance: Any, answer: Answer) -> tuple[Any, ...]:
    return ("one more", *key_of(instance, answer.g.k, answer.choice))


def _look(slot: str, instance: Any, answer: Answer) -> None:
    store = visit_store()

    def work(task: Task) -> tuple[kanon.Generalization | None]:
        with Search(instance, task, False) as search:

            def made(question: Variant, k: int) -> kanon.Generalization:
                options = tuple(question.options.items())
                choice = Choice(question.algorithm, options, question.seed, question.require)
                g, certificate = search.run(request_for(k, choice))
                store.put(key_of(instance, k, choice), g, certificate)
                return g

            return (one_more(instance, answer.g, made),)

    tasks().begin(f"{slot}_one_more", _one_more_key(instance, answer), work)


def _label(choice: Choice, reference: Choice) -> str:
    """An algorithm's title, with its effort if that differs from the request."""
    effort = dict(choice.options).get("effort")
    other = effort is not None and effort != dict(reference.options).get("effort")
    return choice.algorithm.title + (f" at effort {effort:g}" if other else "")


def _go_to(family: str, choice: Choice, k: int) -> None:
    put_algorithm(family, choice.algorithm, dict(choice.options))
    put_k(family, k)
