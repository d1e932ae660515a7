"""A person's drawing: points, areas with borders, labels or rows, as plain data that becomes an instance."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.rectangles.instance import Points
from kanon_engine.regions.display_map import positions
from kanon_engine.regions.instance import Regions
from kanon_engine.tables.instance import Table, record_rows
from kanon_engine.teaching.studies.beat import MOST

FARTHEST = 1_000  # largest distance of a coordinate from 0
HEAVIEST = 1_000_000
ROOM = 2  # distance at which areas without places are drawn

Item = tuple[float, float, int]  # x, y, weight


@dataclass(frozen=True)
class Draft:
    """A drawn instance.

    >>> draft = Draft.of("labels", [(0, 0, 9), (0, 0, 5)])
    >>> draft.instance().counts.tolist(), Draft.of_text("labels", draft.text) == draft
    ([9, 5], True)
    """

    family: str
    items: tuple[Item, ...] = ()  # tuple of (x, y, weight): points, areas or labels; labels have no place
    edges: tuple[tuple[int, int], ...] = ()  # borders of areas, each once with the smaller position first
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()  # rows of a table

    @classmethod
    def of(cls, family: str, items: Iterable[Any], edges: Iterable[Any] = ()) -> Draft:
        """Build a draft from numbers that a person entered, or raise `InvalidInput`."""
        try:
            rows = tuple((float(x), float(y), _whole(weight)) for x, y, weight in items)
            pairs = {(min(a, b), max(a, b)) for a, b in ((_whole(a), _whole(b)) for a, b in edges)}
        except (TypeError, ValueError, OverflowError):
            raise InvalidInput(
                "Each item needs three numbers: two for its position, and a whole number for its weight."
            ) from None
        if len(rows) > MOST:
            raise InvalidInput(f"{len(rows):,} items are too many to draw; take at most {MOST:,}.", value=len(rows))
        least = 0 if family == "regions" else 1
        for x, y, weight in rows:
            if not (math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= FARTHEST):
                raise InvalidInput(
                    f"An item is at ({x:g}, {y:g}); keep both numbers between −{FARTHEST:,} and {FARTHEST:,}."
                )
            if not least <= weight <= HEAVIEST:
                raise InvalidInput(f"A weight is {weight:,}; give a weight from {least} to {HEAVIEST:,}.", value=weight)
        for a, b in pairs:
            if a == b or not (a >= 0 and b < len(rows)):
                raise InvalidInput(
                    f"There is no border {a + 1}-{b + 1}; give two different areas, numbered 1 to {len(rows)}."
                )
        return cls(family, rows, tuple(sorted(pairs)))

    @classmethod
    def of_text(cls, family: str, text: str) -> Draft:
        """Parse the output of `text`, or raise `InvalidInput`."""
        try:
            content = json.loads(text)
            items, edges = content["items"], content["edges"]
        except (ValueError, TypeError, KeyError):
            raise InvalidInput("This is not a drawing.") from None
        return cls.of(family, items, edges)

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> Draft:
        """Build a draft of a table; rows with a missing value are left out."""
        whole = frame.dropna()
        if len(whole) > MOST:
            raise InvalidInput(f"{len(whole):,} rows are too many; take at most {MOST:,}.", value=len(whole))
        rows = tuple(tuple(row) for row in whole.astype(object).to_numpy().tolist())
        return cls("tables", columns=tuple(map(str, whole.columns)), rows=rows)

    @classmethod
    def of_instance(cls, instance: Any) -> Draft:
        """A draft of an instance; areas are placed by their shapes or, without shapes, by their borders."""
        if isinstance(instance, Table):
            return cls.of_frame(instance.frame[list(instance.quasi_identifiers)].iloc[record_rows(instance)])
        if isinstance(instance, Labels):
            return cls.of("labels", [(0.0, 0.0, count) for count in instance.counts.tolist()])
        if isinstance(instance, Regions):
            return cls.of("regions", zip(*_spots(instance).T, instance.weights.tolist(), strict=True), instance.edges)
        family, xy = ("rectangles", instance.xy) if isinstance(instance, Points) else ("clusters", instance.points)
        return cls.of(family, zip(*xy.T, instance.weights.tolist(), strict=True))

    @property
    def text(self) -> str:
        """The draft as one line."""
        return json.dumps({"items": self.items, "edges": self.edges})

    @property
    def frame(self) -> pd.DataFrame:
        """The draft as a table to edit."""
        if self.family == "tables":
            return pd.DataFrame(list(self.rows), columns=list(self.columns))
        weights = [item[2] for item in self.items]
        if self.family == "labels":
            return pd.DataFrame({"count": pd.Series(weights, dtype="int64")})
        places = np.array([item[:2] for item in self.items], dtype=float).reshape(-1, 2)
        return pd.DataFrame({"x": places[:, 0], "y": places[:, 1], "weight": pd.Series(weights, dtype="int64")})

    @property
    def borders(self) -> str:
        """Borders of areas as a line to edit, counted from 1.

        >>> Draft.of("regions", [(0, 0, 1), (1, 0, 2)], [(1, 0)]).borders
        '1-2'
        """
        return ", ".join(f"{a + 1}-{b + 1}" for a, b in self.edges)

    def edited(self, frame: pd.DataFrame) -> Draft:
        """Apply a person's edits of `frame`; drop rows that lack a number, and borders of removed areas."""
        if self.family == "tables":
            return Draft.of_frame(frame)
        whole = frame.dropna()
        place = {old: new for new, old in enumerate(whole.index)}
        edges = [(place[a], place[b]) for a, b in self.edges if a in place and b in place]
        if self.family == "labels":
            return Draft.of("labels", [(0.0, 0.0, count) for count in whole["count"]])
        return Draft.of(self.family, whole[["x", "y", "weight"]].itertuples(index=False), edges)

    def bordered(self, line: str) -> Draft:
        """Replace the borders, in the format of `borders`."""
        pairs = []
        for part in line.replace(";", ",").split(","):
            if part.strip():
                ends = re.fullmatch(r"\s*([0-9]{1,9})\s*[-–]\s*([0-9]{1,9})\s*", part)
                if ends is None:
                    raise InvalidInput(
                        f"“{part.strip()}” is not a border; write the numbers of two areas, such as 1-2.", value=part
                    )
                pairs.append(tuple(int(end) - 1 for end in ends.groups()))
        return Draft.of(self.family, self.items, pairs)

    def counted(self, line: str) -> Draft:
        """Replace the labels by those in a line of numbers.

        >>> Draft("labels").counted("1, 5 9;5").frame["count"].tolist()
        [1, 5, 9, 5]
        """
        words = line.replace(",", " ").replace(";", " ").split()
        wrong = next((word for word in words if not re.fullmatch(r"[0-9]{1,9}", word)), None)
        if wrong is not None:
            raise InvalidInput(f"“{wrong}” is not a count; write whole numbers separated by spaces.", value=wrong)
        return Draft.of("labels", [(0.0, 0.0, int(word)) for word in words])

    def instance(self) -> Any:
        """The instance, or `InvalidInput` if nothing is drawn yet."""
        if not self.items and not self.rows:
            raise InvalidInput("Nothing is drawn yet.")
        if self.family == "tables":
            return Table(self.frame, list(self.columns))
        names = np.array([str(number + 1) for number in range(len(self.items))])
        weights = np.array([item[2] for item in self.items])
        xy = np.array([item[:2] for item in self.items], dtype=float)
        if self.family == "labels":
            return Labels(names, weights)
        if self.family == "regions":
            return Regions(names, weights, np.array(self.edges, dtype=np.int64).reshape(-1, 2))
        return Points(xy, weights) if self.family == "rectangles" else MetricSpace(xy, counts=weights)


def emptied(draft: Draft) -> Draft:
    """The draft without items; a table keeps its columns."""
    return replace(draft, items=(), edges=(), rows=())


def _whole(value: Any) -> int:
    if isinstance(value, bool) or int(value) != value:
        raise ValueError(value)
    return int(value)


def _spots(regions: Regions) -> np.ndarray:
    """(n, 2) float64: whole numbers, no two areas at the same place."""
    xy = positions(regions)
    if regions.geometry is not None:
        inside = regions.geometry.representative_point()
        xy = np.column_stack([inside.x, inside.y])
    distances = np.sqrt(((xy[:, None] - xy[None]) ** 2).sum(axis=2))
    nearest = distances[distances > 0].min(initial=np.inf)
    scale = ROOM / nearest if np.isfinite(nearest) else 1.0
    spots = np.round((xy - xy.min(axis=0)) * scale)
    return spots if len(np.unique(spots, axis=0)) == len(spots) else xy - xy.min(axis=0)
