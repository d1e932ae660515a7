"""What the visit knows of another k that is better than what is shown, or a slightly smaller one with a group more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.sweep import Question, one_more, serves, slightly_smaller, told
from kanon_engine.workers.search import Search
from pages._shared.controls import put_algorithm, put_k
from pages._shared.results import Answer, Choice, alike, certificates, keep, key_of, quick_choice, request_for
from pages._shared.tasks import Task, tasks, visit_store
from pages._shared.wording import escaped, on_page

POLL = 0.7  # seconds between two looks at a search for one group more
ASK = "One group more?"
HELP = "Looks whether a slightly smaller k allows one group more."
LOOKING = "Looking whether a slightly smaller k allows one group more …"
NONE = "No slightly smaller k was found that allows one group more."


@dataclass(frozen=True)
class Hint:
    """A sentence beside a result, and a button."""

    words: str
    label: str = ""  # of the button; "" for none
    act: Callable[..., None] | None = None  # what the button does
    arguments: tuple[Any, ...] = ()  # with what
    help: str | None = None

    def show_button(self, place: DeltaGenerator, slot: str) -> None:
        """The button, if there is one."""
        if self.label:
            place.button(
                self.label,
                key=f"{slot}_hint",
                help=self.help,
                on_click=self.act,
                args=self.arguments,
                width="stretch",
            )


def hint_at(slot: str, instance: Any, answer: Answer) -> Hint | None:
    """The best that can be said of another k; None where there is nothing."""
    own, key = answer.g, _one_more_key(instance, answer)
    known = list(_known(instance, answer))
    better = min(
        (one for one in known if one[2].cost < own.cost and int(one[2].class_weights.min()) >= own.k),
        key=lambda one: (one[2].cost, abs(one[0] - own.k), -one[2].classes),
        default=None,
    )
    looked = tasks().found(key)
    more = None if looked is None else looked[0]
    if more is not None and (better is None or more.cost <= better[2].cost):
        return Hint(told(own, more), f"Show k = {more.k:,}", put_k, (own.family, more.k))
    if better is not None:
        k, choice, g = better
        words = (
            f"What {_label(choice, answer.choice)} found for k = {k:,} serves k = {own.k:,} too and is better: "
            f"its largest group holds {g.cost:,} {escaped(instance.unit)}."
        )
        return Hint(words, f"Show k = {k:,}", _go_to, (own.family, choice, k))
    if tasks().works(key):
        return Hint(LOOKING)
    reason = tasks().failure(key)
    if reason is not None:
        return Hint(on_page(reason))
    if looked is not None:
        return Hint(NONE)
    if slightly_smaller(instance, own):
        return Hint("", ASK, _look, (slot, instance, answer), HELP)
    return _proven(own, known)


def follow_one_more(slot: str, instance: Any, answer: Answer) -> None:
    """Draw the page anew when the search for one group more ends, if one goes on."""
    key = _one_more_key(instance, answer)

    def look() -> None:
        tasks().keep_alive()
        if not tasks().works(key):
            st.rerun()

    if tasks().works(key):
        st.fragment(look, run_every=POLL)()


def _known(instance: Any, answer: Answer) -> Iterator[tuple[int, Choice, kanon.Generalization]]:
    """What the visit found in these data under the same conditions, with any effort, and what serves other k."""
    asked = answer.choice
    if not serves(instance, asked.algorithm, dict(asked.options)):
        return
    for key, (g, _) in visit_store().all():
        digest, k, choice = key
        if digest != instance.digest or choice.algorithm.kind != asked.algorithm.kind:
            continue
        same = (asked, alike(choice.algorithm, asked), quick_choice(asked))
        if _without_effort(choice) in map(_without_effort, same) and serves(
            instance, choice.algorithm, dict(choice.options)
        ):
            yield k, choice, g


def _without_effort(choice: Choice) -> Choice:
    return replace(choice, options=tuple((name, value) for name, value in choice.options if name != "effort"))


def _proven(own: kanon.Generalization, known: list[tuple[int, Choice, kanon.Generalization]]) -> Hint | None:
    """A higher bound, which was proven for a smaller k."""
    higher = [one for one in known if one[0] < own.k and one[2].bound_kind == "checked"]
    best = max(higher, key=lambda one: one[2].lower_bound, default=None)
    if best is None or best[2].lower_bound <= own.lower_bound:
        return None
    return Hint(f"No grouping can do better than {best[2].lower_bound:,}, as is proven for k = {best[0]:,}.")


def _one_more_key(instance: Any, answer: Answer) -> tuple[Any, ...]:
    return ("one more", *key_of(instance, answer.g.k, answer.choice))


def _look(slot: str, instance: Any, answer: Answer) -> None:
    """Begin to look for one group more."""
    store, kept = visit_store(), certificates()

    def work(task: Task) -> tuple[kanon.Generalization | None]:
        with Search(instance, task, False) as search:

            def made(question: Question, k: int) -> kanon.Generalization:
                options = tuple(question.options.items())
                choice = Choice(question.algorithm, options, question.seed, question.require)
                g, certificate = search.run(request_for(k, choice))
                keep(kept, instance, g, certificate)
                store.put(key_of(instance, k, choice), g, certificate)
                return g

            return (one_more(instance, answer.g, made),)

    tasks().begin(f"{slot}_one_more", _one_more_key(instance, answer), work)


def _label(choice: Choice, asked: Choice) -> str:
    """An algorithm by its title, and its effort where that is another than was asked for."""
    effort = dict(choice.options).get("effort")
    other = effort is not None and effort != dict(asked.options).get("effort")
    return choice.algorithm.title + (f" at effort {effort:g}" if other else "")


def _go_to(family: str, choice: Choice, k: int) -> None:
    """Ask for this k and this algorithm with its options."""
    put_algorithm(family, choice.algorithm, dict(choice.options))
    put_k(family, k)
