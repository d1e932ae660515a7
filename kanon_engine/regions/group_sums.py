"""Second counts of areas summed for groups, and rates between them, as far as they may be released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import LEAST, PER

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


@dataclass(frozen=True, eq=False)
class GroupSums:
    """A second count, summed for each class."""

    column: str
    sums: np.ndarray  # (classes,) int64
    least: int  # a sum from 1 to below this is not released
    alone: int  # how many sums are those of a single area

    @property
    def small(self) -> int:
        """How many sums are too small to release."""
        return int(((self.sums > 0) & (self.sums < self.least)).sum())

    @property
    def told_alone(self) -> str:
        """A warning about sums that are a single area's own count; "" if there are none."""
        if not self.alone:
            return ""
        groups = "1 group" if self.alone == 1 else f"{self.alone:,} groups"
        return f"In {groups}, all {self.column} come from a single area, so the sum is that area's own count."

    @property
    def reason(self) -> str:
        """Why the column stays inside; "" if it may be released."""
        if not self.small:
            return ""
        groups = "1 group has" if self.small == 1 else f"{self.small:,} groups have"
        return (
            f"{groups} a sum from 1 to {self.least - 1:,} in “{self.column}”, which is too small to publish; require a "
            f"minimum of {self.least:,} for this column, or leave it out."
        )


def group_sums(regions: Regions, g: Generalization) -> dict[str, GroupSums]:
    """Every second count of the areas, summed.

    Sums are small if below k, when k itself is small; otherwise by the CMS rule for cells. One small sum keeps the
    whole column inside, because a single gap could be filled from a total known elsewhere.

    >>> import kanon_engine as kanon
    >>> line = kanon.Regions("abc", [30, 20, 30], [(0, 1), (1, 2)], columns={"cases": [11, 2, 30]})
    >>> g = kanon.generalize(line, 30, "tree-split")
    >>> sums = group_sums(line, g)["cases"]
    >>> sorted(sums.sums.tolist()), sums.reason
    ([11, 32], '')
    """
    result = {}
    for column, values in regions.columns.items():
        sums = np.zeros(g.classes, dtype=np.int64)
        np.add.at(sums, g.assignment, values)
        alone = int((np.bincount(g.assignment[values > 0], minlength=g.classes) == 1).sum())
        result[column] = GroupSums(column, sums, min(g.k, LEAST), alone)
    return result


def carried_frame(
    regions: Regions, g: Generalization, carry: Sequence[str], rates: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """The sums of these columns, and rates per 1,000 between two of them, or of one to the weight by its unit.

    `carry`: second counts. `rates`: what is divided by what; each is carried, or the unit.
    Raises `InvalidInput`: there is no such column, a sum is too small to release, or a rate needs a column whose sums
        are not released.
    """
    sums = group_sums(regions, g)
    columns: dict[str, np.ndarray] = {}
    for column in carry:
        if column not in sums:
            listing = ", ".join(sums) or "none"
            raise InvalidInput(f"There is no second count {column!r} to sum; the second counts are: {listing}.")
        if sums[column].reason:
            raise InvalidInput(sums[column].reason)
        columns[column] = sums[column].sums
    available = columns | {regions.unit: np.asarray(g.class_weights)}
    result: dict[str, np.ndarray] = dict(columns)
    for above, below in rates:
        missing = next((name for name in (above, below) if name not in available), None)
        if missing is not None:
            raise InvalidInput(
                f"A rate needs sums that are released, and {missing!r} is not one of them; the sums are: "
                f"{', '.join(available)}."
            )
        if above == below:
            raise InvalidInput(f"A rate of {above!r} to itself has no meaning; choose two different counts.")
        whole = available[below].astype(float)
        rate = np.full(g.classes, np.nan)
        np.divide(available[above] * PER, whole, out=rate, where=whole > 0)
        result[rate_name(above, below)] = np.round(rate, 2)
    return pd.DataFrame(result, index=range(g.classes))


def rate_name(above: str, below: str) -> str:
    """Name of a rate between two counts.

    >>> rate_name("cases", "people")
    'cases per 1,000 people'
    """
    return f"{above} per {PER:,} {below}"
