"""Lessons of five minutes, each with questions that are answered by doing; every figure in them is a result."""

from __future__ import annotations

from kanon_engine.errors import InvalidInput
from kanon_engine.lessons.lesson import Lesson
from kanon_engine.model.lazy import Lazy

TITLES = {
    "linking": "The linking attack",
    "overfull": "k and the overfull ratio",
    "zip-codes": "Why zip codes are not numbers",
    "greedy": "Greedy, optimum, bound",
    "local-cuts": "One cut for all, or local cuts",
    "beyond": "What k-anonymity does not protect",
}
"""The title of every lesson by its name, in the order in which they are taken."""

_LESSONS = {
    "linking": Lazy("kanon_engine.lessons.linking:lesson"),
    "overfull": Lazy("kanon_engine.lessons.overfull:lesson"),
    "zip-codes": Lazy("kanon_engine.lessons.zip_codes:lesson"),
    "greedy": Lazy("kanon_engine.lessons.greedy:lesson"),
    "local-cuts": Lazy("kanon_engine.lessons.local:lesson"),
    "beyond": Lazy("kanon_engine.lessons.beyond:lesson"),
}


def lesson_named(name: str) -> Lesson:
    """Build a lesson from the samples; the same every time.

    Raises
    ------
    InvalidInput
        No such lesson, or the samples are not there.
    """
    if name not in TITLES:
        raise InvalidInput(f"There is no lesson {name!r}; choose from {', '.join(TITLES)}.")
    built: Lesson = _LESSONS[name](name, TITLES[name])
    return built


def lessons() -> tuple[Lesson, ...]:
    """Build all of them."""
    return tuple(map(lesson_named, TITLES))
