"""What classes of a part of the map must satisfy besides k, for searches over their sets of vertices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kanon_engine.model.requirement import Minimum
from kanon_engine.regions.instance import Regions
from kanon_engine.search.set_kernels import sums_of_sets


@dataclass(frozen=True)
class Rules:
    """Minima of second counts, and wishes; vertices are positions in the part.

    Attributes
    ----------
    minima : tuple of pairs
        The counts of the vertices, and the least sum in a class.
    together, apart : tuple of tuples
        Sets of vertices of which a class holds all or none; at most one.
    """

    minima: tuple[tuple[np.ndarray, int], ...] = ()
    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def inside(cls, regions: Regions, members: np.ndarray, minima: Sequence[Minimum]) -> Rules:
        """The rules for the areas at these positions."""
        place = dict(zip(members.tolist(), range(len(members)), strict=True))

        def sets(wished: tuple[tuple[object, ...], ...]) -> tuple[tuple[int, ...], ...]:
            found = [tuple(place[v] for v in own if v in place) for own in regions.places(wished)]
            return tuple(own for own in found if len(own) > 1)

        counts = tuple((regions.columns[minimum.column][members], minimum.m) for minimum in minima)
        return cls(counts, sets(regions.together), sets(regions.apart))

    def admits(self, members: np.ndarray) -> bool:
        """Whether these vertices may be a class.

        Example
        -------
        >>> rules = Rules(minima=((np.array([1, 0, 2]), 2),), apart=((0, 2),))
        >>> rules.admits(np.array([1, 2])), rules.admits(np.array([0, 1])), rules.admits(np.array([0, 2]))
        (True, False, False)
        """
        own = set(members.tolist())
        return (
            all(int(values[members].sum()) >= least for values, least in self.minima)
            and all(own.isdisjoint(held) or own.issuperset(held) for held in self.together)
            and all(len(own.intersection(rivals)) < 2 for rivals in self.apart)
        )

    def of_all_sets(self, count: int) -> np.ndarray:
        """(2^count,) bool: the same for every set of vertices, written as the bits of its number."""
        good = np.ones(1 << count, dtype=bool)
        for values, least in self.minima:
            good &= sums_of_sets(values) >= least
        every = np.arange(1 << count)
        for own in self.together:
            held = every & sum(1 << v for v in own)
            good &= (held == 0) | (held == held[-1])
        for own in self.apart:
            held = every & sum(1 << v for v in own)
            good &= held & (held - 1) == 0  # no bit or one
        return good
