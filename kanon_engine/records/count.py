"""Make an instance from records where they live, using only their counts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.apply import unmatched_of
from kanon_engine.errors import InvalidInput
from kanon_engine.io.limits import limits, passed
from kanon_engine.io.source import Source
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.read import labels_of_records, with_rules
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.counted import (
    READER,
    TooManyValues,
    Tuples,
    columns_to_count,
    counted,
    counting,
    require_known,
)
from kanon_engine.records.grid import grid_size, gridded
from kanon_engine.records.joint import sketch
from kanon_engine.records.source import Records, opened
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.read import read_points
from kanon_engine.regions.instance import Regions
from kanon_engine.release.placing import Placed, by_code, code_notes
from kanon_engine.tables.instance import Table

LABEL_OPTIONS = ("together", "apart", "class_names")  # of `read_labels`
POINT_OPTIONS = ("drop_bad", "crs")


def count(
    source: str | Path | Records,
    by: str | Sequence[str],
    *,
    areas: Regions | None = None,
    unit: str = "records",
    progress: ProgressCallback | None = None,
    **options: Any,
) -> Labels | Regions | Points | Table:
    """An instance of records that stay where they are: only distinct values and their counts are fetched.

    Parameters
    ----------
    source : As for `Records.open`.
    by : str, pair of str or list of str
        One column makes labels, or weights for areas by their codes; two, as ``("x", "y")``, make points; a list of
        quasi-identifiers makes a table.
    areas : The areas of the codes. Codes are matched as they are written, and without leading zeros.
    unit : What a record is.
    progress : Called with a `Progress` now and then; returns False to stop.
    **options
        For labels `together`, `apart` and `class_names`, as in `kanon.read_labels`; for points `drop_bad` and `crs`, as
        in `kanon.read_points`; for a table the column options of `kanon.read_table`, such as `sensitive`, `keep`,
        `bins` and `hierarchies`: columns that are listed there are counted, too.

    Returns
    -------
    Labels
        Sorted by code points, records without a label last. The digest is that of the same records read as a file in
        this order.
    Regions : The areas with these counts as weights. `notes` say how many records have a code that no area has.
    Points
        One for each place, sorted by x, then y. If there are more places than the row limit of tables (2,000,000, times
        KANON_LIMITS), one for each cell of the finest grid within the limit; `reading["grid"]` is the size of its
        cells.
    Table : One row for each distinct tuple, sorted by its values, with the number of its records as weight.

    Raises
    ------
    InvalidInput : A column that does not exist, too many distinct values, no code of an area, invalid positions.
    SearchEnded : `progress` returned False.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,illness\\n06604,flu\\n06605,cold\\n6604,flu\\n")
    >>> labels = count(path, "illness")
    >>> labels.names.tolist(), labels.counts.tolist()
    (['cold', 'flu'], [1, 2])
    >>> areas = Regions(["06604", "06605"], [0, 0], [(0, 1)])
    >>> count(path, "zip", areas=areas).weights.tolist()
    [2, 1]
    >>> count(path, ["zip"], sensitive=["illness"]).total
    3
    """
    with opened(source) as records:
        names = (by,) if isinstance(by, str) else tuple(by)
        if isinstance(by, list) and areas is None:
            return tuples(records, by, progress, **options).table(by, unit=unit, **options)
        if len(names) == 2 and areas is None:
            return _points(records, (names[0], names[1]), unit, progress, options)
        if areas is None:
            require_known(options, LABEL_OPTIONS, "labels are counted")
        else:
            require_known(options, (), "records are counted by area")
        if len(names) != 1:
            what = "the codes of areas" if areas is not None else "labels"
            raise InvalidInput(
                f"Give one column with {what}, two with x and y, or a list of columns; {len(names)} were given."
            )
        frame = _few(records, names, progress)
        reading = {"reader": READER, "by": list(names), "unit": unit}
        if areas is None:
            labels = replace(labels_of_records(frame, names[0], frame.columns[-1], unit), reading=reading)
            return with_rules(labels, **options)
        return _weighed(areas, frame, names[0], unit, reading)


def code_counts(records: Records, by: str, progress: ProgressCallback | None = None) -> Source:
    """How many records have each code, as a second file that `kanon.read_regions` takes as `counts`.

    Raises
    ------
    InvalidInput : As `counted`; more codes than a table may have rows.

    >>> import tempfile
    >>> import kanon_engine as kanon
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,illness\\n06604,flu\\n06605,cold\\n06604,flu\\n")
    >>> with Records.open(path) as records:
    ...     counts = code_counts(records, "zip")
    >>> kanon.read_regions(b"a,b\\n06604,06605\\n", counts=counts, counts_id="zip").weights.tolist()
    [2, 1]
    """
    frame, content = _few(records, (by,), progress), io.BytesIO()
    frame.to_parquet(content, index=False)  # because only files are read in their own process
    return Source(content.getvalue(), records.name, counts=frame.columns[-1])


def sql_of_count(source: str | Path | Records, by: str | Sequence[str], **options: Any) -> tuple[tuple[str, str], ...]:
    """The queries that `count` would send to the engine, each with its purpose.

    Parameters
    ----------
    source, by : As for `count`.
    **options : Those of `count`; for a table they list columns that are counted, too.

    Returns
    -------
    tuple of (str, str) : For points, a query for a grid is also sent if there are too many places.
    """
    with opened(source) as records:
        names = (by,) if isinstance(by, str) else tuple(by)
        records.require(names, "counts")
        if isinstance(by, list):
            names = _table_columns(records, by, options)
        return (("How many records have each distinct value", records.engine.sql(counting(records, names))),)


def _weighed(areas: Regions, frame: pd.DataFrame, name: str, unit: str, reading: dict[str, Any]) -> Regions:
    counts = frame.iloc[:, -1].to_numpy()
    places, reasons, read_as = by_code(areas.ids, np.arange(len(areas)), frame[name])
    placement = Placed(places, reasons, (name,), {}, read_as=read_as)
    if not (places >= 0).any():
        raise InvalidInput(
            f"No code in {name} is the code of an area; choose the column with the codes, or other areas."
        )
    weights = np.bincount(places[places >= 0], weights=counts[places >= 0], minlength=len(areas)).astype(np.int64)
    notes = [
        f"{int(weights.sum()):,} {unit} were counted by “{name}” in {int((weights > 0).sum()):,} of {len(areas):,} "
        "areas."
    ]
    notes += code_notes(placement, counts)
    unmatched = unmatched_of(frame, placement, counts)
    for reason, often, examples in unmatched.reasons:
        listing = f", such as {', '.join(f'“{example}”' for example in examples)}" if examples else ""
        what = "no code" if reason == "blank" else "a code that no area has"
        notes.append(f"{often:,} {unit} have {what}{listing}; they are not counted.")
    return replace(
        areas,
        weights=weights,
        unit=unit,
        notes=(*notes, *areas.notes),
        reading=reading | {"areas": dict(areas.reading)},
        counted=None,
    )


def _points(
    records: Records, by: tuple[str, str], unit: str, progress: ProgressCallback | None, options: dict[str, Any]
) -> Points:
    require_known(options, POINT_OPTIONS, "places are counted")
    records.require(by, "places")
    most = limits().rows
    size = None
    try:
        frame = counted(records, by, progress, most=most)
    except TooManyValues:
        size = grid_size(records, by, most, progress)
        # too many places to fetch: count in the finest cells that can be fetched
        frame = counted(gridded(records, by, size), by, progress)
    source = Source(b"", records.name, table=frame, counts=frame.columns[-1])
    points = read_points(source, *by, weight=frame.columns[-1], unit=unit, **options)
    xy, numbers = np.unique(points.xy, axis=0, return_inverse=True)
    weights = np.bincount(numbers.ravel(), weights=points.weights).astype(np.int64)
    notes = points.notes
    left_out = int(frame.iloc[:, -1].sum()) - points.total
    if left_out:
        notes = (*notes, f"{left_out:,} {unit} have no valid position; they are not counted.")
    if size is not None:
        notes = (
            *notes,
            f"There are more than {most:,} places, so {unit} were counted in cells of {size:g} by {size:g}, each "
            "represented by its center. The lower bound applies to groups of whole cells.",
            f"If the size of a grid for the release is a multiple of {size:g}, the grid lines up with these cells.",
        )
    reading = {"reader": READER, "by": list(by), "unit": unit, "grid": size, **options}
    return Points(xy, weights, crs=points.crs, unit=unit, notes=notes, reading=reading)


def tuples(
    source: str | Path | Records, by: Sequence[str], progress: ProgressCallback | None = None, **options: Any
) -> Tuples:
    """The counts from which `count` makes a table with this list and these options, or others of the same columns."""
    with opened(source) as records:
        names = _table_columns(records, by, options)
        return Tuples(records.name, _few(records, names, progress))


def _table_columns(records: Records, by: Sequence[str], options: dict[str, Any]) -> tuple[str, ...]:
    """The columns that are counted for a table, checked to exist."""
    names = columns_to_count(records.columns, by, options)
    records.require(tuple(by), "quasi-identifiers")
    records.require(names, "columns to count")
    return names


def _few(records: Records, names: tuple[str, ...], progress: ProgressCallback | None) -> pd.DataFrame:
    """The distinct values with their counts; if there are too many, an error with their approximate number."""
    most = limits().rows
    try:
        return counted(records, names, progress, most=most)
    except TooManyValues:
        try:
            reason = f"have {sketch(records, names, progress).sentence}"
        except InvalidInput:  # the engine cannot sample
            reason = "have many distinct values"
        way_out = "choose columns with fewer values, or coarsen their values"
        raise passed(f"{' and '.join(names)} of {records.name}", reason, f"{most:,}", way_out) from None
