"""Areas as rows: ids, names and counts, from the columns of one table or joined with a second one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.counts import PER_RECORD, ROWS, Counted, Inexact, Settled, counts_of, thousands_notes
from kanon_engine.io.frames import read_frame
from kanon_engine.io.names import unit_of
from kanon_engine.io.roles import column_for, data_columns, total_row
from kanon_engine.io.source import Source
from kanon_engine.io.zip_codes import called_by_place, counties_of
from kanon_engine.model.wishes import parts_of
from kanon_engine.regions.columns import (
    ID,
    NAME,
    aligned,
    column_ids,
    count_column,
    counted,
    require_unique,
    some,
    weight_column,
    without_id,
)
from kanon_engine.regions.contiguity import CONTIGUITIES, borders, checked_shapes, joined
from kanon_engine.validate import require_known_name

ISLANDS = ("attach", "separate")
LEAST_MATCH = 0.5  # share of a column's values that must be ids of areas


@dataclass
class AreaTable:
    """What is known about the areas while a file is read."""

    frame: pd.DataFrame  # DataFrame or GeoDataFrame: one row per area
    where: str
    ids: list[Any]
    # id, weight, name: the columns that were used
    id: str | None
    name: str | None
    notes: list[str]
    weight: str | None = None
    weights: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (n,) int64
    open: bool = (
        False  # whether a second table may add areas, because the first lists only those that border another one
    )
    counted: Counted | None = None  # description of the source for people
    guessed: bool = False  # whether the column of ids was not chosen by anyone
    inexact: Inexact = field(default_factory=Inexact)  # how counts that are not whole numbers are handled
    columns: dict[str, np.ndarray] = field(default_factory=dict)  # dict of str to (n,) int64: second counts
    # areas of the file left out because their counts are hidden or missing
    left_out: set[Any] = field(default_factory=set)
    unit: str = "records"  # what the weights count

    @classmethod
    def of(cls, frame: pd.DataFrame, where: str, id: str | None, name: str | None) -> AreaTable:
        """Rows with their ids and names; ids may still be duplicated."""
        if frame.empty:
            raise InvalidInput(f"{where} holds no rows; choose a file with areas.")
        column = column_for(frame, ID, id, where)
        ids = list(range(1, len(frame) + 1)) if column is None else column_ids(frame[column], where)
        table = cls(frame, where, ids, column, column_for(frame, NAME, name, where), [], guessed=id is None)
        if column is None:
            many = f"{len(frame):,} in the order of the file"
            table.notes.append(f"No column of {where} has a name that suggests ids, so areas are numbered 1 to {many}.")
        elif id is None:
            table.notes.append(f"The ids were taken from column {column}, based on its name.")
        lengths = {len(str(value)) for value in ids if isinstance(value, int)}
        if column is not None and len(lengths) > 1 and column.lower().startswith(("zip", "zcta", "fips", "geoid")):
            table.notes.append(
                f"The ids in column {column} are numbers of different lengths; leading zeros may have been lost."
            )
        return table

    @property
    def labels(self) -> list[str]:
        """Names of the areas; ids if there are no names."""
        ids = [str(value) for value in self.ids]
        if self.name is None:
            return ids
        names = ["" if pd.isna(value) else str(value).strip() for value in self.frame[self.name]]
        unique = len(set(names)) == len(names) and all(names)
        return names if unique else [f"{name} {id}".strip() for name, id in zip(names, ids, strict=True)]

    def merge_duplicates(self, merge: bool, weight: str | None) -> None:
        """Make one area of rows with the same id, or refuse them.

        The rows must agree on the weight, which is then taken once: files repeat an area's count for each piece.
        If they differ, a count for each piece cannot be distinguished from a mistake.
        """
        if not merge:
            require_unique(
                self.ids,
                self.where,
                Remedy("merge these rows", "merge_duplicates", True, ", if they are pieces of one area"),
                Remedy("choose another column of ids", "id"),
            )
            return
        groups: dict[Any, list[int]] = {}
        for row, value in enumerate(self.ids):
            groups.setdefault(value, []).append(row)
        several = {value: rows for value, rows in groups.items() if len(rows) > 1}
        for value, rows in several.items():
            weights = [] if weight is None else self.frame[weight].iloc[rows].drop_duplicates().tolist()
            if len(weights) > 1:
                raise InvalidInput(
                    f"The rows of the id {value} in {self.where} have different weights ({some(weights)}), so the "
                    "total of the whole area is unclear; write its total into each row."
                )
        if not several:
            return
        merged = self.frame.iloc[[rows[0] for rows in groups.values()]].copy()
        if hasattr(self.frame, "geometry"):
            geometry = self.frame.geometry
            whole = {groups[value][0]: geometry.iloc[rows].make_valid().union_all() for value, rows in several.items()}
            column = geometry.name
            merged[column] = [whole.get(rows[0], geometry.iloc[rows[0]]) for rows in groups.values()]
        self.frame, self.ids = merged.reset_index(drop=True), list(groups)
        self.notes.append(
            f"{counted(len(several), 'id')} appeared in several rows, which were merged: {some(list(several))}."
        )

    def take_weights(self, weight: str, merge: bool, more: Sequence[str] = ()) -> str | None:
        """Weights from a column of the table itself, and second counts from more of them.

        Returns the column, which may be one with a similar name; None if each area counts as one.
        """
        settled, _ = self.inexact.settled(self.frame, self.where, (weight,))
        roles = weight_column(settled, weight, self.where, self.id, self.name)
        column = roles.columns["weight"]
        self.notes += roles.notes
        self.merge_duplicates(merge, column)
        count_columns = more if column is None else (column, *more)
        frame, decided = self.inexact.settled(self.frame, self.where, count_columns)
        self.weight, self.counted = column, replace(roles, frame=frame).counted(self.id, self.name)
        if column is None:
            self.weights, self.unit = np.ones(len(self.ids), dtype=np.int64), "areas"
        else:
            self.weights, self.unit = self._table_counts(frame, decided, column), unit_of(column)
        self.columns = {name: self._table_counts(frame, decided, name) for name in more}
        hidden = [decided[name].left_out for name in dict.fromkeys(count_columns) if name in decided]
        self._leave_out(np.logical_or.reduce(hidden) if hidden else np.zeros(len(self.ids), dtype=bool))
        return column

    def _table_counts(self, frame: pd.DataFrame, settled: dict[str, Settled], name: str) -> np.ndarray:
        """A column of the table itself as counts."""
        require_known_name(data_columns(frame), name, f"columns of {self.where}")
        self.notes += thousands_notes(self.frame[name])
        return self._counts(frame, settled, name, self.where, [f"area {label}" for label in self.labels])

    def _counts(
        self, frame: pd.DataFrame, settled: dict[str, Settled], name: str, where: str, places: list[str]
    ) -> np.ndarray:
        """A column of either table as counts."""
        self.inexact.refuse(frame[name], where, places)
        self.notes += settled[name].notes if name in settled else ()
        counts: np.ndarray = counts_of(frame[name], f"values of column {name}", where, 0, places)
        return counts

    def _leave_out(self, rows: np.ndarray) -> None:
        """Exclude the areas at these rows from the map."""
        if not rows.any():
            return
        if rows.all():
            raise InvalidInput(
                f"All counts of {self.where} are hidden",
                remedy=Remedy(
                    "count each hidden value as the largest number that it can represent", "hidden", "largest"
                ),
            )
        names = [self.labels[row] for row in np.flatnonzero(rows).tolist()]
        self.notes.append(f"{counted(len(names), 'area')} {_left_out(len(names))}: {some(names)}.")
        self._drop(rows)

    def _drop(self, rows: np.ndarray) -> None:
        """Take the areas at these rows off the map."""
        self.left_out |= {self.ids[row] for row in np.flatnonzero(rows).tolist()}
        remaining = ~rows
        self.ids = [value for value, keep in zip(self.ids, remaining.tolist(), strict=True) if keep]
        self.frame = self.frame[remaining].reset_index(drop=True)
        self.weights = self.weights[remaining] if len(self.weights) else self.weights
        self.columns = {name: values[remaining] for name, values in self.columns.items()}

    def join_counts(
        self,
        counts: Any,
        counts_id: str | None,
        column: str | None,
        unmatched: str,
        per_record: bool | None,
        repeated: str = "refuse",
        more: Sequence[str] = (),
        missing: str = "refuse",
    ) -> tuple[str, str | None]:
        """Weights and second counts from a second table; returns the columns that were used.

        Without a column of counts every row of the second table is one record. Records counted by kanon are described
        in the same way. Second counts missing from the second table are taken from the table itself. An area without a
        record holds none, but an area without a row in a table of counts requires a decision.
        """
        source = Source.open(counts)
        table, notes = read_frame(source)
        record_counts = source.counts if source.counts in table.columns else None
        key = self.key_in(table, counts_id, source.name)
        table = self._with_ids(table, key, source.name, record_counts, unmatched)
        as_read = table
        table, settled = self.inexact.settled(table, source.name, (column, *more))
        keys = column_ids(table[key], source.name)
        if record_counts is None:
            roles = count_column(table, column, source.name, key, keys, per_record)
            column, self.counted = roles.columns["counts_column"], roles.counted(key)
        else:
            column = None

        def second(name: str) -> np.ndarray:
            return self._counts(table, settled, name, source.name, [f"area {value}" for value in keys])

        if record_counts is not None:
            numbers = second(record_counts)
        elif column is None:
            numbers = np.ones(len(keys), dtype=np.int64)
        else:
            self._require_one_row(keys, source.name, repeated)
            numbers = second(column)
            self.notes += thousands_notes(as_read[column])
        theirs = {name: second(name) for name in more if name in table.columns}
        ours = [name for name in more if name not in theirs]
        if ours:
            frame, settled_areas = self.inexact.settled(self.frame, self.where, ours)
            self.columns = {name: self._table_counts(frame, settled_areas, name) for name in ours}
        hidden = [settled[name].left_out for name in dict.fromkeys((column, *theirs)) if name in settled]
        self.ids, texts, padded = aligned(self.ids, keys, source.name)
        if hidden:
            unknown = {text for text, out in zip(texts, np.logical_or.reduce(hidden).tolist(), strict=True) if out}
            strangers = sorted(unknown - set(self.ids))
            if strangers:
                belong = "belongs" if len(strangers) == 1 else "belong"
                self.notes.append(
                    f"{counted(len(strangers), 'id')} of {source.name} that {belong} to no area of {self.where} "
                    f"{_left_out(len(strangers))}: {some(strangers)}."
                )
            self.left_out |= set(strangers)
            self._leave_out(np.array([value in unknown for value in self.ids], dtype=bool))
            mask = [text not in self.left_out for text in texts]
            texts, numbers = [text for text, keep in zip(texts, mask, strict=True) if keep], numbers[mask]
            theirs = {name: values[mask] for name, values in theirs.items()}
        sums = _summed(numbers, texts)
        unit = "records" if column is None else unit_of(column)
        self.unit, area_ids = unit, set(self.ids)
        # a row of totals is no area; counted with the areas it would double their sum
        total = total_row(sums.index.tolist(), sums.tolist())
        if total is not None and sums.index[total] not in area_ids:
            note = f"The row “{sums.index[total]}” of {source.name} equals the sum of all others and was left out."
            self.notes.append(note)
            sums = sums.drop(sums.index[total])
        stray = [value for value in sums.index if value not in area_ids]
        # a list of borders leaves out areas that border none, so counts may add them
        if stray and self.open:
            self.ids = self.ids + stray
            self.frame = pd.DataFrame({"id": self.ids})
            self.notes.append(
                f"The list of borders does not name {counted(len(stray), 'area')} of {source.name}: {some(stray)}."
            )
            stray = []
        belong = "belongs" if len(stray) == 1 else "belong"
        if len(stray) == len(sums) > 0:
            what = f"No id in column {key} of {source.name} matches an area of {self.where} ({some(stray)})"
            raise _other_column(what, record_counts)
        if stray and unmatched != "drop":
            raise InvalidInput(
                f"{counted(len(stray), 'id')} of {source.name}, with {sums[stray].sum():,} {unit}, {belong} to no area "
                f"of {self.where} ({some(stray)})",
                remedy=(Remedy("add the areas"), Remedy("leave these rows out", "unmatched", "drop")),
            )
        if column is not None:
            self._settle_missing(sums, source.name, missing)
        self.weight = column
        self.weights = sums.reindex(self.ids, fill_value=0).to_numpy(dtype=np.int64)
        for name, values in theirs.items():
            self.columns[name] = _summed(values, texts).reindex(self.ids, fill_value=0).to_numpy(dtype=np.int64)
        self.columns = {name: self.columns[name] for name in more}
        self.notes += notes
        self.notes.append(
            f"The records of {source.name} were counted and joined by {key}."
            if record_counts
            else f"Counts come from column {column} of {source.name}, joined by {key}."
            if column is not None
            else f"The rows of {source.name} were counted as one record each and joined by {key}."
        )
        if padded:
            self.notes.append(padded)
        if stray:
            self.notes.append(
                f"{counted(len(stray), 'id')} with {sums[stray].sum():,} {unit} {belong} to no area and "
                f"{'was' if len(stray) == 1 else 'were'} left out: "
                f"{some(stray)}."
            )
        empty = [label for label, value in zip(self.labels, self.ids, strict=True) if value not in sums.index]
        if empty:
            count = "counts" if len(empty) == 1 else "count"
            areas, what = counted(len(empty), "area"), "record" if record_counts else "row"
            self.notes.append(f"{areas} without a {what} in {source.name} {count} as 0: {some(empty)}.")
        return key, column

    def _settle_missing(self, sums: pd.Series, where: str, missing: str) -> None:
        """Areas without a row in a table of counts: ask, keep them with zero, or take them off the map."""
        rows = np.array([value not in sums.index for value in self.ids], dtype=bool)
        names = [self.labels[row] for row in np.flatnonzero(rows).tolist()]
        if missing == "zero" or not names:
            return
        areas = counted(len(names), "area")
        if missing == "drop":
            was, do = ("was", "does") if len(names) == 1 else ("were", "do")
            self.notes.append(
                f"{areas} without a row in {where} {was} left out and {do} not connect other areas: {some(names)}."
            )
            self._drop(rows)
            return
        raise ChoiceNeeded(
            f"{areas} of {self.where} {'has' if len(names) == 1 else 'have'} no row in {where} ({some(names)}), which "
            "does not necessarily mean that nobody is there",
            "missing_counts",
            ("zero", "drop"),
            remedy=(
                Remedy("add the rows"),
                Remedy("count each as zero", "missing_counts", "zero"),
                Remedy("leave these areas out", "missing_counts", "drop"),
            ),
        )

    def fields(self, pairs: list[tuple[Any, Any]] | None, unit: str | None, reading: dict[str, Any]) -> dict[str, Any]:
        """The input of `Regions`: the table with checked shapes, neighbors and a summary.

        Parameters
        ----------
        pairs : Borders from a list, by id; None takes those of the shapes.
        unit : What the weights count; None takes it from the table.
        reading : How the table was read.
        """
        one_of(reading["contiguity"], CONTIGUITIES, "contiguity")
        one_of(reading["islands"], ISLANDS, "islands")
        unit = self.unit if unit is None else unit
        labels, geometry, added = self.labels, None, np.empty((0, 2), dtype=np.int64)
        attach = reading["islands"] == "attach"
        if hasattr(self.frame, "geometry"):
            shapes = self.frame.geometry.reset_index(drop=True)
            geometry, notes = checked_shapes(shapes, labels, self.where, reading.get("crs"))
            self.notes += notes
        elif reading.get("crs") is not None:
            raise InvalidInput(
                f"There are no shapes in {self.where}, so there are no coordinates to take as {reading['crs']}",
                parameter="crs",
                value=reading["crs"],
                remedy=Remedy("leave the coordinate system out"),
            )
        if pairs is None:
            edges, added, notes = borders(geometry, labels, reading["contiguity"], reading["islands"])
            self.notes += notes
        else:
            edges = self._positions(pairs)
            if geometry is not None and attach:
                added, notes = joined(geometry, edges, labels)
                edges = np.vstack([edges, added])
                self.notes += notes
        called = labels if self.name is not None else called_by_place(self.id, self.ids)
        column = reading.get("county")
        counties = counties_of(self.id, self.ids) if column is None else self.frame[column].tolist()
        parts, total = int(parts_of(edges, len(self.ids)).max()) + 1, int(self.weights.sum())
        if geometry is None and attach and parts > 1:
            self.notes.append(
                "Without shapes it is unknown which separate parts are near each other, so none were joined."
            )
        empty = int((self.weights == 0).sum())
        summary = (
            f"{counted(len(self.ids), 'area')}, "
            + ("each counted as one" if self.unit == "areas" and self.weight is None else f"{total:,} {unit}")
            + (f" from column {self.weight}" if self.weight else "")
            + (f"; {counted(empty, 'area')} without {unit}" if empty else "")
            + f"; {counted(parts, 'connected part')}"
            + (f" ({counted(len(added), 'link')} added between areas that share no border)" if len(added) else "")
            + "."
        )
        return {
            "ids": np.array(self.ids, dtype=object),
            "weights": self.weights,
            "edges": edges,
            "geometry": geometry,
            "columns": self.columns,
            "unit": unit,
            "names": None if called is None else np.array(called, dtype=object),
            "counties": None if counties is None else np.array(counties, dtype=object),
            "added_edges": added,
            "notes": (summary, *self.notes),
            "reading": reading | {"unit": unit},
            "counted": self.counted,
        }

    def _positions(self, pairs: list[tuple[Any, Any]]) -> np.ndarray:
        """Borders between ids as borders between positions; those of left-out areas are dropped."""
        listed = list(dict.fromkeys(end for pair in pairs for end in pair))
        ids, ends, note = aligned([*self.ids, *self.left_out], listed, "the list of borders")
        self.notes += [note] if note else []
        place = {value: position for position, value in enumerate(ids[: len(self.ids)])}
        end_of, excluded = dict(zip(listed, ends, strict=True)), set(ids[len(self.ids) :])
        unknown = [end for end in ends if end not in excluded and end not in place]
        if unknown:
            raise InvalidInput(
                f"The list of borders names {counted(len(unknown), 'id')} unknown to {self.where} ({some(unknown)}); "
                f"add the areas or leave these borders out."
            )
        renamed = [(end_of[a], end_of[b]) for a, b in pairs]
        positions = [(place[a], place[b]) for a, b in renamed if a not in excluded and b not in excluded]
        return np.array(positions, dtype=np.int64).reshape(-1, 2)

    def key_in(self, table: pd.DataFrame, counts_id: str | None, where: str) -> str:
        """The column of a second table that holds the ids; it can also identify the table's own ids."""
        if counts_id is None and self.guessed and (self.id is None or not _distinct(self.frame[self.id])):
            counts_id = self._match_by_values(table, where)
        try:
            return _key_column(table, counts_id, self.id, self.ids, where)
        except ChoiceNeeded as error:
            if not self.guessed:
                raise
            raise ChoiceNeeded(
                f"{error.message}; the areas' ids were taken from column {self.id} of {self.where}, based on its name",
                error.parameter,
                error.choices,
                remedy=(*error.remedy, Remedy("choose another column of ids", "id")),
            ) from None

    def _with_ids(
        self, table: pd.DataFrame, key: str, where: str, record_counts: str | None, unmatched: str
    ) -> pd.DataFrame:
        """The rows of a second table that have an id; the others are refused, or left out with a note."""
        blank = without_id(table[key])
        if not blank.any():
            return table
        lost = int(blank.sum() if record_counts is None else table[record_counts][blank].sum())
        what = f"{counted(lost, 'row' if record_counts is None else 'record')} of {where}"
        if record_counts is None and lost == 1:
            what = f"Row {int(blank.argmax()) + 1} of {where}"
        lack = f"{what} {'has' if lost == 1 else 'have'} no id in column {key}"
        if blank.all():
            raise _other_column(lack, record_counts)
        if unmatched != "drop":
            ways = Remedy("give every row an id"), Remedy("leave these rows out", "unmatched", "drop")
            raise InvalidInput(lack, remedy=ways)
        self.notes.append(f"{lack} and {'was' if lost == 1 else 'were'} left out.")
        return table[~blank].reset_index(drop=True)

    def _require_one_row(self, keys: list[Any], where: str, repeated: str) -> None:
        """Refuse a table of counts with a duplicate id, unless its rows are to be added up."""
        frequencies = pd.Series(keys, dtype=object).value_counts()
        doubled = frequencies.index[frequencies > 1].tolist()
        if doubled and repeated == "add":
            self.notes.append(
                f"{counted(len(doubled), 'id')} appeared in several rows of {where}, which were added up: "
                f"{some(doubled)}."
            )
        elif doubled:
            try:
                require_unique(keys, where, Remedy("add up the rows of each id", "repeated", "add"), PER_RECORD)
            except InvalidInput as error:
                raise ChoiceNeeded(error.message, "repeated", ("add", ROWS), remedy=error.remedy) from None

    def _match_by_values(self, table: pd.DataFrame, where: str) -> str | None:
        """If the areas have only row numbers: the two columns whose values match, one of each table.

        Row numbers of one file are unrelated to those of another, so they never match here. If they are in a column
        that the second table has too, and nothing else matches, they are kept.
        """
        candidates = {name: _distinct(self.frame[name]) for name in data_columns(self.frame)}
        candidates = {name: values for name, values in candidates.items() if len(values) == len(self.frame)}
        best, pair = 0.0, None
        for theirs in table.columns:
            values = _distinct(table[theirs])
            for name, mine in candidates.items():
                one, other, _ = aligned(mine, values, where)
                share = len(set(one) & set(other)) / max(1, len(values))
                if share > best:
                    best, pair = share, (name, str(theirs))
        if pair is None or best < LEAST_MATCH:
            if self.id is not None and any(column.lower() == self.id.lower() for column in table.columns):
                return None
            raise ChoiceNeeded(
                f"The ids of {self.where} are row numbers, and none of its columns matches a column of {where} (the "
                f"columns of {self.where} are: {', '.join(data_columns(self.frame))})",
                "id",
                tuple(candidates),
                remedy=Remedy("choose the ids", "id"),
            )
        name, theirs = pair
        self.id, self.ids = name, column_ids(self.frame[name], self.where)
        self.notes = self.notes[1:]  # the first note said where the ids come from
        self.notes.append(f"The ids were taken from column {name}, whose values match those of {theirs} in {where}.")
        return theirs


def _other_column(what: str, record_counts: str | None) -> InvalidInput:
    """The error if a column does not hold ids; for records counted by kanon it suggests counting by another column."""
    way = Remedy("choose the column with the codes of the areas", "" if record_counts else "counts_id")
    return InvalidInput(what, parameter="counts_id", remedy=way)


def _summed(numbers: np.ndarray, ids: Sequence[str]) -> pd.Series:
    """The sum of the numbers of each id, in the order of the ids."""
    return pd.Series(numbers, index=pd.Index(ids), dtype="int64").groupby(level=0, sort=False).sum()


def _left_out(count: int) -> str:
    return (
        "was left out because its counts are hidden" if count == 1 else "were left out because their counts are hidden"
    )


def _distinct(column: pd.Series) -> list[Any]:
    """The values of a column that may hold ids: none if they number the rows or are fractions."""
    values = column.dropna().unique().tolist()
    numbers = pd.to_numeric(pd.Series(values, dtype=object), errors="coerce")
    start = numbers.min()
    if start in (0, 1) and numbers.tolist() == list(range(int(start), int(start) + len(column))):
        return []
    return [] if (numbers % 1 > 0).any() else [str(value).strip() for value in values]


def _key_column(table: pd.DataFrame, requested: str | None, like: str | None, ids: list[Any], where: str) -> str:
    """The column of a second table that holds the ids: the chosen one, the one with the same name, or the one whose
    values match best."""
    if requested is None and like is not None:
        requested = next((column for column in table.columns if column.lower() == like.lower()), None)
    if requested is not None:
        return str(require_known_name(data_columns(table), requested, f"id of {where}"))
    matches = {}
    for column in table.columns:
        values = table[column].dropna().unique().tolist()
        one, other, _ = aligned(ids, values, where)
        matches[column] = len(set(one) & set(other)) / max(1, len(values))
    best = max(matches, key=lambda column: matches[column])
    if matches[best] < LEAST_MATCH:
        raise ChoiceNeeded(
            f"No column of {where} matches the ids of the areas ({some(ids, 3)}; the columns are: "
            f"{', '.join(table.columns)})",
            "counts_id",
            tuple(table.columns),
            remedy=Remedy("choose one", "counts_id"),
        )
    return best


def one_of(value: str, choices: Sequence[str], what: str) -> None:
    """Raise `InvalidInput` for a setting that is not a valid choice."""
    if value not in choices:
        raise InvalidInput(f"{what} is {value!r}; choose one of {', '.join(choices)}.", parameter=what, value=value)


def frame_fields(
    gdf: Any, weight: str, id: str | None, contiguity: str, islands: str, name: str | None, unit: str
) -> dict[str, Any]:
    """The input of `Regions`, from a GeoDataFrame of polygons; the parameters are those of `read_regions`."""
    import geopandas

    if not isinstance(gdf, geopandas.GeoDataFrame):
        raise InvalidInput(f"A {type(gdf).__name__} has no shapes; give a GeoDataFrame of polygons.")
    try:
        table = AreaTable.of(gdf, "the table", id, name)
        column = table.take_weights(weight, False)
    except InvalidInput as error:  # the remedies are those of `read_regions`, which has more parameters
        here = tuple(way for way in error.remedy if way.parameter in ("", "weight", "id"))
        error.remedy = here or (Remedy("correct the table"),) if error.remedy else ()
        raise
    reading = {"reader": "Regions.from_frame", "weight": column or weight, "id": table.id, "name": table.name}
    return table.fields(None, unit, reading | {"contiguity": contiguity, "islands": islands})
