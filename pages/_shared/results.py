"""Results, computed once a visit beside the page. Keys are content digests and parameters; all ends with the visit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.registry import family_named
from pages._shared.background import Listen, Task
from pages._shared.tasks import tasks

PATIENCE = 0.8  # seconds that a page waits for a result before it shows the quick one


@dataclass(frozen=True)
class Choice:
    """What a person picked: an algorithm with its options, and a seed."""

    algorithm: kanon.Algorithm
    options: tuple[tuple[str, Any], ...]
    seed: int = 0


@dataclass(frozen=True)
class Answer:
    """What can be shown now.

    Attributes
    ----------
    g : Generalization
        Verified: the result, or the best that is at hand while the search for it goes on.
    task : Task
        The search.
    mark : tuple
        Its key.
    choice : Choice
        What is searched with.
    waiting : bool
        Whether this is not yet the search's result.
    """

    g: kanon.Generalization
    task: Task
    mark: tuple[Any, ...]
    choice: Choice
    waiting: bool = False


def standard(algorithm: kanon.Algorithm) -> Choice:
    """An algorithm with its default options."""
    return Choice(algorithm, tuple((option.name, option.default) for option in algorithm.options))


def default_choice(family: str) -> Choice:
    """The algorithm with which a page begins."""
    return standard(family_named(family).algorithm(None))


def alike(algorithm: kanon.Algorithm, choice: Choice) -> Choice:
    """An algorithm with the chosen values of the options that both have, and the default of all others."""
    same = {option.name: value for option, (_, value) in zip(choice.algorithm.options, choice.options, strict=True)}
    known = set(choice.algorithm.options)
    options = tuple((one.name, same[one.name] if one in known else one.default) for one in algorithm.options)
    return Choice(algorithm, options, choice.seed)


def quick_choice(choice: Choice) -> Choice:
    """The algorithm of the same family that answers at once, under the same conditions."""
    family = family_named(choice.algorithm.family)
    quick = alike(family.algorithm(family.quick), choice)
    options = dict(quick.options) | dict(family.quick_options)
    return Choice(quick.algorithm, tuple(options.items()), quick.seed)


def begin_search(place: str, instance: Any, k: int, choice: Choice) -> Task:
    """The search for this result, which begins now unless it did before; the one that was in this place ends."""
    mark = (instance.digest, k, choice)
    return tasks().begin(place, mark, _search(instance, k, choice, None))


def answer(place: str, instance: Any, k: int, choice: Choice) -> Answer:
    """The result; or, when it takes longer, the quick algorithm's or the stopped search's, while the search goes on.

    Raises
    ------
    KanonError
        As `generalize`.
    """
    mark = (instance.digest, k, choice)
    task = begin_search(place, instance, k, choice)
    quick = quick_choice(choice)
    if choice == quick:
        with st.spinner("Making groups and checking them …"):
            task.wait()
    elif not task.wait(PATIENCE):
        g = tasks().before(mark) or answer(f"{place}_quick", instance, k, quick).g
        return Answer(g, task, mark, choice, waiting=True)
    return Answer(task.result(), task, mark, choice)


def search_again(place: str, instance: Any, found: Answer) -> None:
    """Begin a stopped search anew; what it found before is not lost."""
    tasks().begin_again(place, found.mark, found.g, _search(instance, found.g.k, found.choice, found.g))


def _search(
    instance: Any, k: int, choice: Choice, before: kanon.Generalization | None
) -> Callable[[Listen], kanon.Generalization]:
    def work(listen: Listen) -> kanon.Generalization:
        options = dict(choice.options)
        g = kanon.generalize(instance, k, choice.algorithm.name, seed=choice.seed, progress=listen, **options)
        return g if before is None or g.status != "stopped" or g.cost <= before.cost else before

    return work
