"""What every instance has, whatever its family."""

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
        """Name → (n,) int64 >= 0: what else is counted at each item."""

    @property
    def unit(self) -> str:
        """What the weights count."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was understood and what was odd when the data was read."""

    @property
    def reading(self) -> Mapping[str, Any]:
        """How the data was read, to read it again."""

    @property
    def counted(self) -> Counted | None:
        """What a reader took for the weights."""

    @property
    def digest(self) -> str:
        """SHA-256 over ids, weights and structure; not over the file."""

    @property
    def total(self) -> int:
        """Sum of all weights."""

    def __len__(self) -> int: ...

    def label(self, position: int) -> str:
        """What a person calls the item at a position."""

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` where it is seen at once that there is no solution."""
