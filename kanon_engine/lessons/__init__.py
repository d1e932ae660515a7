"""Lessons of five minutes, each with questions that are answered by doing; every figure in them is a result."""

from __future__ import annotations

from kanon_engine.errors import InvalidInput
from kanon_engine.lessons.lesson import Lesson
from kanon_engine.model.lazy import Lazy

LESSONS: dict[str, Lazy] = {
    "linking": Lazy("kanon_engine.lessons.linking:lesson"),
    "overfull": Lazy("kanon_engine.lessons.overfull:lesson"),
    "zip-codes": Lazy("kanon_engine.lessons.zip_codes:lesson"),
    "greedy": Lazy("kanon_engine.lessons.greedy:lesson"),
    "local-cuts": Lazy("kanon_engine.lessons.local:lesson"),
    "beyond": Lazy("kanon_engine.lessons.beyond:lesson"),
}
"""Every lesson by its name, in the order in which they are taken."""


def lesson_named(name: str) -> Lesson:
    """Build a lesson from the samples; the same every time.

    Raises
    ------
    InvalidInput
        No such lesson, or the samples are not there.
    """
    if name not in LESSONS:
        raise InvalidInput(f"There is no lesson {name!r}; choose from {', '.join(LESSONS)}.")
    built: Lesson = LESSONS[name]()
    return built


def lessons() -> tuple[Lesson, ...]:
    """Build all of them."""
    return tuple(map(lesson_named, LESSONS))
