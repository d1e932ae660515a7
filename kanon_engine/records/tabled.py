"""Counted tuples in memory, of which a table can be made in one way and then in another, without counting again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.records.counted import in_order
from kanon_engine.tables.instance import Table
from kanon_engine.tables.read import read_table

READER = "records.count"
TABLE_OPTIONS = (  # of `read_table`
    *("class_label", "orders", "hierarchies", "trees", "order_only", "grow", "top", "bottom", "bins"),
    *("sensitive", "keep", "dates"),
)


@dataclass(frozen=True, eq=False)
class Tuples:
    """The distinct tuples of some columns of records, and how many records have each.

    Attributes
    ----------
    name : str
        Of the records, for sentences.
    frame : DataFrame
        As `counted` gives it: the columns, then the counts.
    """

    name: str
    frame: pd.DataFrame

    @property
    def source(self) -> Source:
        """The same as a table in memory, as readers take it."""
        return Source(b"", self.name, table=self.frame, counts=self.frame.columns[-1])

    def table(self, by: Sequence[str], *, unit: str = "records", **options: Any) -> Table:
        """The table that `count` makes with this list and these options, where the tuples have its columns.

        Parameters
        ----------
        by : list of str
            The quasi-identifiers.
        unit : str
            What a record is.
        **options
            As `count` has them for a table.

        Raises
        ------
        InvalidInput
            A column that was not counted, an option that `count` does not have.

        Example
        -------
        >>> tuples = Tuples("people", pd.DataFrame({"zip": [1, 1, 2], "age": [7, 8, 7], "records": [5, 1, 2]}))
        >>> tuples.table(["zip"]).weights.tolist(), tuples.table(["age"], unit="people").weights.tolist()
        ([6, 2], [7, 1])
        """
        names = columns_to_count(list(self.frame.columns[:-1]), by, options)
        missing = [name for name in names if name not in self.frame.columns[:-1]]
        if missing:
            raise InvalidInput(f"The records of {self.name} were not counted by {missing[0]}; count them again by it.")
        source = self._only(names).source
        table = read_table(source, list(by), weight=source.counts, unit=unit, **options)
        kept = {name: value for name, value in table.reading.items() if name in (*TABLE_OPTIONS, "unit")}
        object.__setattr__(table, "reading", {"reader": READER, "by": list(by), **kept})
        return table

    def _only(self, names: Sequence[str]) -> Tuples:
        """The tuples of these columns, as they would be counted."""
        counts = self.frame.columns[-1]
        if list(names) == list(self.frame.columns[:-1]):
            return self
        sums = self.frame.groupby(list(names), dropna=False, sort=False, observed=True)[counts].sum().reset_index()
        return Tuples(self.name, in_order(sums, names))


def columns_to_count(columns: Sequence[str], by: Sequence[str], options: dict[str, Any]) -> tuple[str, ...]:
    """The quasi-identifiers of a table, and the other columns that its options name."""
    require_known(options, TABLE_OPTIONS, "tuples are counted")
    for name in ("sensitive", "keep"):
        if isinstance(options.get(name), str):
            raise InvalidInput(f"The columns of {name} are {options[name]!r}; give a list.")
    label = options.get("class_label")
    grown = (options.get("grow") or {}).values()
    others = [*options.get("sensitive", ()), *options.get("keep", ()), *([label] if label else [])]
    others += [name for name in grown if name in columns]
    return tuple(dict.fromkeys([*by, *others]))


def require_known(options: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse an option that is none there."""
    unknown = sorted(set(options) - set(known))
    if unknown:
        way_out = f"the options are: {', '.join(known)}" if known else "leave it out"
        raise InvalidInput(f"{unknown[0]!r} means nothing where {where}; {way_out}.")
