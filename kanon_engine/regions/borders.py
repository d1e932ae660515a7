"""How long the common borders of neighbouring areas are."""

from __future__ import annotations

import numpy as np
import shapely

from kanon_engine.regions.instance import Regions


def border_lengths(regions: Regions) -> np.ndarray:
    """Length of the common border of each pair of neighbours, the mean being 1.

    Areas that are joined across water, or meet in a point, share no border: 0. Without shapes every border counts 1.

    Parameters
    ----------
    regions : Regions

    Returns
    -------
    (e,) float64 array
        In the order of `regions.edges`.

    Example
    -------
    >>> border_lengths(Regions("abc", [1, 1, 1], [(0, 1), (1, 2)])).tolist()
    [1.0, 1.0]
    """
    ones = np.ones(len(regions.edges))
    if regions.geometry is None or not len(ones):
        return ones
    outlines = shapely.boundary(np.asarray(regions.geometry, dtype=object))
    lengths = shapely.length(shapely.intersection(outlines[regions.edges[:, 0]], outlines[regions.edges[:, 1]]))
    return lengths / lengths.mean() if lengths.any() else ones
