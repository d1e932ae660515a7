"""Algorithms that do what a search must not do; they are known to a nursery of their own and to its tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.verification.core import Maker

PLAIN = FAMILIES["labels"].algorithms["two-approximation"]


def counting(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    """Reports until it is told to stop."""
    done = 0
    while run.goes_on(min(done / 1000, 1), labels.total, k, f"counting to {done}"):
        done += 1
        time.sleep(0.01)
    return replace(PLAIN.function(labels, k, run, **options), guarantee=None)


def showing(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    """Reports a solution until it is told to stop."""
    outcome = replace(PLAIN.function(labels, k, run, **options), guarantee=None)
    while run.goes_on(0.5, labels.total, k, "showing", lambda: outcome):
        time.sleep(0.01)
    return outcome


def silent(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    """Never reports, and never ends."""
    while True:
        time.sleep(0.01)


def hungry(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    """Takes all the memory that there is."""
    taken = []
    while True:
        taken.append(bytearray(1 << 24))


def crashing(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    os.abort()


def broken(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    raise ZeroDivisionError("what the file says")


def refusing(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    raise kanon.InvalidInput("These labels are not for me.")


def lying(labels: kanon.Labels, k: int, run: Any, **options: Any) -> Any:
    """Claims that one class is of other items."""
    outcome = PLAIN.function(labels, k, run, **options)
    return replace(outcome, assignment=outcome.assignment * 0, cost=1)


FUNCTIONS: tuple[Callable[..., Any], ...] = (counting, showing, silent, hungry, crashing, broken, refusing, lying)
ODD = {
    function.__name__: replace(PLAIN, name=function.__name__, title=function.__name__.capitalize(), function=function)
    for function in FUNCTIONS
}


def main(control: int) -> None:
    """A nursery of searches that knows them."""
    from kanon_engine.workers import searching

    FAMILIES["labels"].algorithms.update(ODD)  # type: ignore[attr-defined]
    FAMILIES["labels"].verifier.ALGORITHMS.update(dict.fromkeys(ODD, Maker()))
    searching.main(control)
