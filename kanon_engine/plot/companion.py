"""Two results as two pictures beside each other: what either takes over from the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.comparison import Comparison
from kanon_engine.model.generalization import Generalization
from kanon_engine.plot.colouring import joint_colours

CHANGED = "in another group"


@dataclass(frozen=True, eq=False)
class Companion:
    """What the picture of a result takes over where another one stands beside it.

    Attributes
    ----------
    colours : (m,) int64 array
        Of each class its place in the palette, which it shares with the class that corresponds.
    top : float
        Weight / k where the scale of fullness ends in both pictures.
    changed : (n,) bool array
        The items that are marked: those in another class.
    """

    colours: np.ndarray
    top: float
    changed: np.ndarray


def companions(
    results: tuple[Generalization, Generalization],
    found: Comparison,
    borders: tuple[np.ndarray, np.ndarray],
    top: float | None = None,
) -> tuple[Companion, Companion]:
    """What each of two pictures takes over.

    Parameters
    ----------
    results : pair of Generalization
    found : Comparison
        Of these two.
    borders : pair of (e, 2) int arrays
        Of either result the pairs of its classes that border each other; those with -1 do not count.
    top : float, optional
        Weight / k where the scale of fullness ends; that of the largest class of both when None.
    """
    end = max(float(g.overfull_ratio) for g in results) if top is None else top
    one, other = (Companion(colours, end, found.changed) for colours in joint_colours(found, *borders))
    return one, other
