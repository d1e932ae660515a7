"""What groups tell of a sensitive column: how many values, how evenly, how far from all records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.release.released import compared_column
from kanon_engine.tables.audit.finding import CLOSENESS, DIVERSITY, DROP, MINOR, NOTABLE, SERIOUS, Finding, Mend
from kanon_engine.tables.audit.view import View, is_numeric
from kanon_engine.tables.domain import column_values
from kanon_engine.verification.table_costs import are_numbers

FAR = 0.5  # t from which a group is told


@dataclass(frozen=True)
class SensitiveFigures:
    """What the groups of a release tell of one column.

    Attributes
    ----------
    column : str
    l : int
        Fewest different values in a group (distinct l-diversity).
    entropy_l : float
        e to the least entropy of a group: as many values, were they equally frequent.
    t : float
        Farthest that the values of a group are from those of the whole table, left out records included: of numbers
        the earth mover's distance over their order, else half the sum of differences of shares
        (Li, Li, Venkatasubramanian 2007).
    constant_groups, constant_records : int
        Groups in which all have the same value, and how many records these hold.
    """

    column: str
    l: int  # noqa: E741 - the name that the field has for it
    entropy_l: float
    t: float
    constant_groups: int
    constant_records: int


def diversity_of(view: View, name: str) -> SensitiveFigures:
    """Of one kept column; a missing value is a value, in the order the last."""
    values, table, ordered = numbered(view.frame[name], view.table.frame[name])
    one_each = np.ones(len(values), dtype=np.int64)
    return figures_of(name, view.groups, values, one_each, np.bincount(table) / len(table), ordered)


def figures_of(
    name: str, groups: np.ndarray, values: np.ndarray, counts: np.ndarray, whole: np.ndarray, ordered: bool
) -> SensitiveFigures:
    """Of a column whose values are numbers from 0.

    Parameters
    ----------
    name : str
    groups, values, counts : (n,) int arrays
        The group and the value of a row, and for how many records it stands.
    whole : (m,) float array
        The share of each value in all records.
    ordered : bool
        Whether values have an order, which is that of their numbers.
    """
    count = len(whole)
    sizes = np.bincount(groups, weights=counts)
    cells, place = np.unique(groups * count + values, return_inverse=True)  # the values that each group has
    members = np.bincount(place.reshape(-1), weights=counts)
    own, value = cells // count, cells % count
    distinct = np.bincount(own)
    share = members / sizes[own]
    entropy = np.bincount(own, weights=-share * np.log(share))
    same = distinct == 1
    return SensitiveFigures(
        name,
        int(distinct.min()),
        round(float(np.exp(entropy.min())), 6),
        round(max(distances(own, value, share, whole, ordered)), 6),
        int(same.sum()),
        int(sizes[same].sum()),
    )


def numbered(released: pd.Series, whole: pd.Series) -> tuple[np.ndarray, np.ndarray, bool]:
    """Of each released record and of each of the whole the number of its value, and whether these are numbers.

    Numbers, also those among objects or categories, are in their order; a missing value is the last.
    """
    both = pd.concat([released, whole]).astype(whole.dtype)
    ordered = is_numeric(both)
    if not ordered and are_numbers(cells := column_values(both)):
        both, ordered = pd.Series(cells, dtype=object), True
    else:
        both = compared_column(both)
    numbers, known = pd.factorize(both, sort=ordered)
    numbers = np.where(numbers < 0, len(known), numbers).astype(np.int64)
    return numbers[: len(released)], numbers[len(released) :], ordered


def distances(own: np.ndarray, value: np.ndarray, share: np.ndarray, overall: np.ndarray, ordered: bool) -> list[float]:
    """t of each group; `own`, `value` and `share` are the values that groups have, sorted by group.

    Example
    -------
    >>> whole = np.array([0.5, 0.25, 0.25])
    >>> own, value, share = np.array([0, 1, 1]), np.array([0, 1, 2]), np.array([1.0, 0.5, 0.5])
    >>> distances(own, value, share, whole, ordered=False), distances(own, value, share, whole, ordered=True)
    ([0.5, 0.5], [0.375, 0.375])
    """
    found = []
    ends = np.flatnonzero(np.diff(own)) + 1
    for numbers, shares in zip(np.split(value, ends), np.split(share, ends), strict=True):
        if len(overall) == 1:
            found.append(0.0)
        elif ordered:
            difference = -overall
            difference[numbers] += shares
            found.append(float(np.abs(np.cumsum(difference)).sum()) / (len(overall) - 1))
        else:  # what the group has too much of is what it has too little of
            found.append(float(np.maximum(shares - overall[numbers], 0).sum()))
    return found


def diversity_findings(view: View, found: SensitiveFigures) -> Iterator[Finding]:
    """Groups in which everybody has the same value, or nearly other shares than all."""
    name, unit = found.column, view.table.unit
    if not view.codes[name].any():
        return
    if found.constant_groups:
        one = found.constant_groups == 1
        groups = "1 group has" if one else f"{found.constant_groups:,} groups have"
        yield Finding(
            "constant groups",
            SERIOUS if name in view.sensitive else NOTABLE,
            f"{groups} one value of “{name}” only: {found.constant_records:,} of the {unit}.",
            (name,),
            found.constant_records,
            "Who knows that a person is in such a group knows the value, though nobody is found in it.",
            (Mend(DIVERSITY, name, (2,)), Mend(DROP, name)),
        )
    elif found.t > FAR and name in view.sensitive:
        yield Finding(
            "skewed groups",
            MINOR,
            f"The shares of “{name}” in a group are up to {found.t:.2f} away from those of all {unit} (t).",
            (name,),
            len(view),
            "Who knows that a person is in such a group can guess the value much better than before.",
            (Mend(CLOSENESS, name, (FAR,)), Mend(DROP, name)),
        )
