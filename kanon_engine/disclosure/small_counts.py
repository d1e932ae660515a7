"""The small counts that follow from everything that is published, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.disclosure.equations import PEOPLE, Derived, Equations, equations_of
from kanon_engine.disclosure.figures import Figures, Meaning

COLUMNS = ("count", "without", "where", "low", "high", "exact")


@dataclass(frozen=True, eq=False)
class Small:
    """Counts of at least 1 and below a number that figures show."""

    # count, without (a part that is subtracted from it, or nothing), where, low, high, exact: one row for each that is
    # shown. Internal
    evidence: pd.DataFrame
    left: int  # counts that were not examined in full, because too many are linked
    contradiction: bool  # whether no counts produce all these figures

    @property
    def sentence(self) -> str:
        """The first of them.

        >>> Small(pd.DataFrame([("cases", "", "group 1 of now", 3, 3, True)], columns=COLUMNS), 0, False).sentence
        '“cases” is 3 in group 1 of now'
        """
        first: dict[str, Any] = dict(zip(COLUMNS, self.evidence[list(COLUMNS)].iloc[0].tolist(), strict=True))
        what = f"“{first['count']}”" + (f" without “{first['without']}”" if first["without"] else "")
        size = f"{first['low']:,}" if first["exact"] else f"from {first['low']:,} to {first['high']:,}"
        return f"{what} is {size} in {first['where']}"


def small_counts(
    published: Sequence[Figures],
    meanings: Mapping[str, Meaning],
    least: int,
    *,
    parts: Mapping[str, str] | None = None,
    people: bool = True,
) -> Small:
    """Counts from 1 to `least` - 1 that follow from figures; see `Equations.derived`.

    Parameters
    ----------
    published, meanings : As for `equations_of`.
    parts : Counts that are taken as parts of others, besides those in `meanings`.
    people : Whether the first count is examined by itself.
    """
    equations = equations_of(published, meanings).with_parts(parts or {})
    search = equations.derived(least, people=people)
    unit = published[0].people[-1]
    rows = [
        (
            unit if one.count == PEOPLE else one.count,
            unit if one.less == PEOPLE else one.less,
            _place(published, equations, one),
            one.low,
            one.high,
            one.low == one.high,
        )
        for one in search.found
    ]
    return Small(pd.DataFrame(rows, columns=list(COLUMNS)), search.left, search.contradiction)


def possible_parts(published: Sequence[Figures], counts: Sequence[str], unsaid: Collection[str]) -> dict[str, str]:
    """Each count without a stated whole, and the least count that is nowhere below it.

    Parameters
    ----------
    counts : What may be a part or a whole.
    unsaid : Those without a stated whole.

    >>> frame = pd.DataFrame({"weight": [99], "hosp": [75], "dead": [72]})
    >>> release = Figures("release", frame, (frozenset("a"),), ("1",), ("weight", "people"), "weight")
    >>> possible_parts([release], ["people", "hosp", "dead"], ["hosp", "dead"])
    {'hosp': 'people', 'dead': 'hosp'}
    """
    sums: dict[str, list[np.ndarray]] = {name: [] for name in counts}
    for one in published:
        for name, series in sums.items():
            column = one.weights if name == PEOPLE else name
            cells = one.frame[column] if column in one.frame.columns else pd.Series(np.nan, index=one.frame.index)
            series.append(pd.to_numeric(cells, errors="coerce").to_numpy(dtype=float))
    values = {name: np.concatenate(series) for name, series in sums.items()}
    order = sorted(values, key=lambda name: (name == PEOPLE, np.nansum(values[name])))
    wholes = {}
    for place, part in enumerate(order):
        if part not in unsaid:
            continue
        for whole in order[place + 1 :]:
            both = ~np.isnan(values[part]) & ~np.isnan(values[whole])
            if both.any() and (values[part][both] <= values[whole][both]).all():
                wholes[part] = whole
                break
    return {name: wholes[name] for name in counts if name in wholes}


def _place(published: Sequence[Figures], equations: Equations, one: Derived) -> str:
    """Where the atoms are, by rows of the releases."""
    inside: dict[tuple[int, int], set[int]] = {}
    for atom, cells in enumerate(equations.atoms):
        for cell in cells:
            inside.setdefault(cell, set()).add(atom)
    members = set(one.atoms)
    for cell, atoms in inside.items():
        if atoms == members:
            return _row(published, cell)
    first = equations.atoms[one.atoms[0]]
    nearest = [
        min((cell for cell in first if cell[0] == number), key=lambda cell: len(inside[cell]))
        for number in sorted({number for number, _ in first})
    ]
    words = [_row(published, cell) for cell in nearest]
    together = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    if len(members) > 1:
        return f"{len(members)} parts of groups combined (the first of these parts is in {together})"
    return f"the part that {together} share" if len(words) > 1 else f"the rest of {together}"


def _row(published: Sequence[Figures], cell: tuple[int, int]) -> str:
    one = published[cell[0]]
    return one.labels[cell[1]] if len(published) == 1 else f"{one.labels[cell[1]]} of {one.name}"
