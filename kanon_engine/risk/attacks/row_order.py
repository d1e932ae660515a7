"""Rows in the order of a list: whether the position on a list reveals whose each row of a release is."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.release.released import Released, displayed_codes
from kanon_engine.risk.attacks.matching import Candidates

ORDERS = 19  # random orders that the order of the release is compared with
DEVIATIONS = 5  # standard deviations above their mean from which an order is not chance
KINDS = 256  # kinds of people that are processed together
MOST = 2_000_000_000  # pairs of a person and a row


@dataclass(frozen=True)
class RowOrder:
    """A longest matching of people with rows that fit them, both in their order."""

    rows: np.ndarray  # (people,) int64: the row matched with each person, -1 if none
    by_chance: int  # the most people that are matched in a random order

    @property
    def people(self) -> int:
        """How many are matched with a row."""
        return int((self.rows >= 0).sum())


def row_order(released: Released, candidates: Candidates, seed: int = 0) -> RowOrder | None:
    """How people match rows, if the rows are in the order of the list by more than chance.

    As many people as possible are matched with a row that fits them, both in their order (a longest common
    subsequence). The rows count as in the order of the list if these are more than in each of 19 random orders, and at
    least five standard deviations above their mean, or five people if the deviation is below one. Columns by which the
    rows are sorted are not evidence: rows that show the same in them only change places with each other. So an order
    within groups of adjacent rows is not found.

    None if chance explains the order.

    Parameters
    ----------
    released : One row per record.
    candidates : Which rows can be whose, people in the order of the list.
    seed : For the random orders.

    Complexity
    ----------
    Twenty times people × rows / 64.

    References
    ----------
    H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.

    >>> import pandas as pd
    >>> from kanon_engine.disclosure.cells import fits
    >>> towns = pd.Series(list("abcdeabdcebadce") * 2)
    >>> release = Released(pd.DataFrame({"town": towns}), ("town",), k=5)
    >>> row_order(release, Candidates.of([fits(towns, towns)])).people
    30
    >>> row_order(release, Candidates.of([fits(towns, towns[::-1].reset_index(drop=True))]))
    """
    parts = _sorted_parts(released)
    rng = np.random.default_rng(seed)
    longest = _longest(candidates, np.arange(len(parts)))
    lengths = []
    for _ in range(ORDERS):
        lengths.append(_longest(candidates, np.lexsort((rng.random(len(parts)), parts))))
        if lengths[-1] >= longest:
            return None
    if longest < np.mean(lengths) + DEVIATIONS * max(float(np.std(lengths, ddof=1)), 1.0):
        return None
    return RowOrder(_beside(candidates), max(lengths))


def _longest(candidates: Candidates, order: np.ndarray) -> int:
    """How many people are matched with rows in this order."""
    (last,) = deque(_ways(candidates, order), maxlen=1)
    return len(order) - last.bit_count()


def _ways(candidates: Candidates, order: np.ndarray) -> Iterator[int]:
    """After each person, a bit per row: 0 if one more person is matched up to it than up to the row before."""
    fitting = _fitting(candidates, order)
    way = every = (1 << len(order)) - 1
    yield way
    for kind in candidates.kinds.tolist():
        fits = way & fitting[kind]
        way = ((way + fits) | (way - fits)) & every
        yield way


def _fitting(candidates: Candidates, order: np.ndarray) -> list[int]:
    """For each kind of people, a bit for each row that fits it."""
    bitmaps = []
    for _, mask in candidates.blocks():
        for start in range(0, len(mask), KINDS):
            fitting = mask[start : start + KINDS, candidates.classes[order]]
            bitmaps += [
                int.from_bytes(row.tobytes(), "little") for row in np.packbits(fitting, axis=1, bitorder="little")
            ]
    return bitmaps


def _beside(candidates: Candidates) -> np.ndarray:
    """(people,) int64: the row matched with each, in one of the longest matchings."""
    ways = list(_ways(candidates, np.arange(len(candidates.classes))))
    rows = np.full(len(candidates.kinds), -1, dtype=np.int64)
    person, row = len(candidates.kinds), len(candidates.classes)
    while person and row:
        if ways[person] >> (row - 1) & 1:
            row -= 1
            continue
        person -= 1
        if ways[person] >> (row - 1) & 1:
            row -= 1
            rows[person] = row
    return rows


def _sorted_parts(released: Released) -> np.ndarray:
    """(rows,) int64: equal for adjacent rows that show the same in all columns by which the rows are sorted.

    A column sorts the rows of each part if equal values are adjacent and have two rows each on average.
    """
    parts = np.zeros(len(released.frame), dtype=np.int64)
    columns = [displayed_codes(released.frame[name]) for name in released.frame.columns]
    before = -1
    while before != parts[-1]:
        before = parts[-1]
        for codes in columns:
            runs = np.cumsum(np.r_[0, (np.diff(parts) != 0) | (np.diff(codes) != 0)])
            pairs = len(np.unique(parts * (int(codes.max()) + 1) + codes))
            if runs[-1] + 1 == pairs <= len(runs) / 2:
                parts = runs
    return parts
