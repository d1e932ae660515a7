"""What is proven of clusterings before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.model.words import number_text

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

PROMISES: dict[str, Callable[[MetricSpace, int, Mapping[str, Any]], str]] = {}  # by algorithm, before a run


def promise(
    space: MetricSpace, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None
) -> str:
    """The ceiling on the cost: of a run a number, before it how far from the best possible it can be."""
    words = PROMISES[algorithm](space, k, options) if algorithm in PROMISES else "none"
    if g is not None and g.guarantee is not None:
        return f"at most {number_text(g.guarantee)}: {words}"
    return words
