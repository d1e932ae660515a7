"""Sets of areas, such as counties, from a column of the file that the areas were read from."""

from __future__ import annotations

from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.confined import confined
from kanon_engine.io.frames import has_shapes, read_frame
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.source import TABLES, Source
from kanon_engine.io.workbook import with_sheet
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.read.area_ids import aligned, column_ids
from kanon_engine.regions.read.columns import data_columns
from kanon_engine.validate import known_column


def sets_by_column(regions: Regions, file: Any, column: str, *, filename: str | None = None) -> list[list[Any]]:
    """The ids of the areas that have the same value in a column; areas without a value are in no set.

    Parameters
    ----------
    regions : Regions
        Read from this file by `read_regions`.
    file : path, bytes or readable object
    column : str
    filename : str, optional
        What to call bytes in sentences.

    Raises
    ------
    InvalidInput
        There is no such column, or the areas have no ids of the file's own.

    Example
    -------
    >>> line = Regions(["01", "02", "03"], [5, 9, 1], [(0, 1), (1, 2)], reading={"id": "zip"})
    >>> sets_by_column(line, b"zip,county\\n01,A\\n02,B\\n03,A\\n", "county", filename="zips.csv")
    [['01', '03'], ['02']]
    """
    if regions.reading.get("id") is None:
        raise InvalidInput("The areas have no ids of their own file; choose a column of ids to find them in it by.")
    reading = regions.reading
    rows = _pairs(file, reading["id"], column, reading.get("layer"), sheet=reading.get("sheet", 1), filename=filename)
    ids, listed, _ = aligned(regions.ids.tolist(), [name for name, _ in rows], "the file")
    known = dict(zip(ids, regions.ids.tolist(), strict=True))
    found: dict[str, dict[Any, None]] = {}  # an area of several rows is named once
    for name, (_, value) in zip(listed, rows, strict=True):
        if name in known and value:
            found.setdefault(value, {})[known[name]] = None
    return [list(members) for members in found.values()]


@confined("file")
def _pairs(
    file: Any, id: str, column: str, layer: str | None, *, sheet: str | int, filename: str | None = None
) -> list[tuple[str | int, str]]:
    """Id and value of each row, the value as text and "" where there is none."""
    source = with_sheet(Source.open(file, filename), sheet)
    frame, _ = read_frame(source) if source.kind in TABLES and not has_shapes(source) else read_shapes(source, layer)
    columns = data_columns(frame)
    names = column_ids(frame[known_column(columns, id, f"columns of {source.name}")], source.name)
    values = frame[known_column(columns, column, f"columns of {source.name}")]
    told = values.astype(str).str.strip().where(values.notna(), "").tolist()
    return list(zip(names, told, strict=True))
