"""The properties of every instance, whatever its family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from kanon_engine.io.counts import Counted


class Instance(Protocol):
    """Items with weights, validated once and never changed."""

    @property
    def ids(self) -> np.ndarray:
        """(n,) text or whole numbers, unique."""

    @property
    def weights(self) -> np.ndarray:
        """(n,) int64: records at each item."""

    @property
    def columns(self) -> Mapping[str, np.ndarray]:
        """Name → (n,) int64 >= 0: second counts of each item."""

    @property
    def unit(self) -> str:
        """What the weights count."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How the data was interpreted when it was read, and what was unusual."""

    @property
    def reading(self) -> Mapping[str, Any]:
        """How the data was read, so that it can be read again."""

    @property
    def counted(self) -> Counted | None:
        """The numbers that a reader used as weights."""

    @property
    def digest(self) -> str:
        """SHA-256 over ids, weights and structure; not over the file."""

    @property
    def total(self) -> int:
        """Sum of all weights."""

    def __len__(self) -> int: ...

    def label(self, position: int) -> str:
        """The name of the item at a position, for a person."""

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` if it is immediately clear that there is no solution."""
