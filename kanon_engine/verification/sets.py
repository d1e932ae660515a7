"""The independent check of sets of items that people want together or apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kanon_engine.verification.check import Check


def sets_kept(
    classes: Mapping[Any, int], together: Sequence[Sequence[Any]], apart: Sequence[Sequence[Any]], items: str
) -> Iterator[Check]:
    """A check for each kind of sets that there is; `classes` has the class of each name.

    Example
    -------
    >>> [check.detail for check in sets_kept({"flu": 0, "cold": 1}, [("flu", "cold")], [], "labels")]
    ['1 set of labels stays together; sets parted: 1.']
    """
    if together:
        parted = sum(len({classes[name] for name in own}) > 1 for own in together)
        words = "sets of {} stay" if len(together) > 1 else "set of {} stays"
        found = f"{len(together):,} {words.format(items)} together; sets parted: {parted:,}."
        yield Check("together", not parted, found)
    if apart:
        met = sum(len({classes[name] for name in own}) < len(set(own)) for own in apart)
        words = "sets of {} are" if len(apart) > 1 else "set of {} is"
        found = f"{len(apart):,} {words.format(items)} kept apart; sets with two in one class: {met:,}."
        yield Check("apart", not met, found)
