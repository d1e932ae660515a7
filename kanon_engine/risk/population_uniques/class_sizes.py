"""How many classes of a sample have which size: all that estimators of population uniques look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """The classes of a sample by their size.

    Attributes
    ----------
    sizes : (d,) int64
        Sizes that occur, ascending, each at least 1.
    counts : (d,) int64
        How many classes have each.

    Example
    -------
    >>> own = ClassSizes.of([1, 1, 3, 0])
    >>> own.records, own.classes, own.uniques, own.having(2)
    (5, 3, 2, 0)
    """

    sizes: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, classes: object) -> ClassSizes:
        """From the size of each class; empty ones do not count."""
        own = np.asarray(classes, dtype=np.int64)
        return cls(*np.unique(own[own > 0], return_counts=True))

    @cached_property
    def records(self) -> int:
        """n."""
        return int((self.sizes * self.counts).sum())

    @cached_property
    def classes(self) -> int:
        """u."""
        return int(self.counts.sum())

    @property
    def uniques(self) -> int:
        """Classes of one record."""
        return self.having(1)

    def having(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.counts[self.sizes == size].sum())
