"""Released cells, each spread evenly over the values that it stands for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.tables.instance import Table
from kanon_engine.tables.shown_ranges import shown_ranges


class Spread:
    """A table, and what is released of it.

    Attributes
    ----------
    table : Table
    g : Generalization
    ranges : (m, q, 2) int64
        What each class shows.
    weights : (m,) float64
        Records of each class.
    released : int
    """

    def __init__(self, table: Table, g: Generalization) -> None:
        self.table, self.g = table, g
        self.ranges = shown_ranges(table, g)
        self.weights = g.class_weights.astype(float)
        self.released = int(g.class_weights.sum())

    @cached_property
    def widths(self) -> np.ndarray:
        """(m, q): for how many values each class's cells stand."""
        widths: np.ndarray = self.ranges[:, :, 1] - self.ranges[:, :, 0] + 1
        return widths

    def before(self, place: int) -> np.ndarray:
        """The share of records with each value of a column."""
        counts = np.bincount(self.table.codes[:, place], minlength=len(self.table.domains[place]))
        return counts / len(self.table)

    def after(self, place: int) -> np.ndarray:
        """The same, as the release tells it."""
        each = self.weights / self.widths[:, place] / self.released
        steps = np.zeros(len(self.table.domains[place]) + 1)
        np.add.at(steps, self.ranges[:, place, 0], each)
        np.add.at(steps, self.ranges[:, place, 1] + 1, -each)
        return np.maximum(np.cumsum(steps[:-1]), 0)  # rounding can leave a little less than nothing
