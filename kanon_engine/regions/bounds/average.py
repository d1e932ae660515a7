"""How many classes each part of the map can hold by counting, and what they weigh on average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.requirement import Minimum
from kanon_engine.regions.instance import Regions
from kanon_engine.search.parts import sums_of


def class_room(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> np.ndarray:
    """(parts,) int64: the most classes of each part: W / k, or by a minimum m of a second count C / m, rounded down.

    Parameters
    ----------
    regions : Regions
        Every connected part reaches k and every minimum.
    k : int
    minima : sequence of Minimum

    Example
    -------
    >>> path = Regions("abc", [4, 4, 4], [(0, 1), (1, 2)], columns={"homes": [1, 2, 1]})
    >>> class_room(path, 4).tolist(), class_room(path, 4, [Minimum("homes", 2)]).tolist()
    ([3], [2])
    """
    most: np.ndarray = regions.component_weights // k
    for minimum in minima:
        most = np.minimum(most, sums_of(regions.columns[minimum.column], regions.components) // minimum.m)
    return most


def average_classes(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> np.ndarray:
    """(parts,) int64: the least possible weight of the largest class of each part, by its average class.

    Proof: docs/proofs/regions/bounds.md, average class.
    """
    room = class_room(regions, k, minima)
    averages: np.ndarray = -(-regions.component_weights // room)
    return averages
