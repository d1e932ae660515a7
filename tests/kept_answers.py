"""Pages and commands, and what tests compare them with, search once for the same answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.known import FAMILIES
from kanon_engine.workers import search


def remembering(algorithm: Algorithm) -> Algorithm:
    """The algorithm, which does not search again for the same request: the contract is that it finds the same."""
    known: dict[tuple[Any, ...], Any] = {}

    def remembered(instance: Any, k: int, run: Any, **options: Any) -> Any:
        asked = instance.digest, k, run.seed, *sorted(options.items())
        if asked in known and run.time_limit is None and run.goes_on(0, None, None, "asking what is known"):
            return known[asked]
        outcome = algorithm.function(instance, k, run, **options)
        if not run.stopped:
            known[asked] = outcome
        return outcome

    return replace(algorithm, function=remembered)


@pytest.fixture(scope="package", autouse=True)
def answers_are_kept() -> Iterator[None]:
    """Every algorithm of every family remembers what it found; it searches in this process, not in a worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "APART", False)
        for family in FAMILIES.values():
            for name, algorithm in family.algorithms.items():
                patch.setitem(family.algorithms, name, remembering(algorithm))
        yield
