"""Points from a file: the only parser of the family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import ChoiceNeeded, InvalidInput, Remedy
from kanon_engine.io.confined import confined
from kanon_engine.io.coordinates import is_degrees
from kanon_engine.io.counts import ROWS, Candidates, counts_of, refuse_unreadable_counts, thousands_told
from kanon_engine.io.frames import has_shapes, read_frame
from kanon_engine.io.roles import CERTAIN, plain, unit_of
from kanon_engine.io.source import TABLES, Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.read.positions import bad_rows, geometry_name, positions_of
from kanon_engine.rectangles.read.projection import pole_notes, projected, recentred
from kanon_engine.validate import known_column

SHAPES = ("json", "geopackage", "flatgeobuf", "zip", "shapefile")


@confined("file")
@lists_sheets(file="sheet")
def read_points(
    file: Any,
    x: str | None = None,
    y: str | None = None,
    weight: str | None = None,
    *,
    id: str | None = None,
    filename: str | None = None,
    layer: str | None = None,
    drop_bad: bool = False,
    per_record: bool | None = None,
    unit: str | None = None,
    crs: str | None = None,
    project: str | None = None,
    sheet: str | int | None = None,
) -> Points:
    """Points from CSV, Parquet, Excel, GeoJSON, GeoPackage, GeoParquet, FlatGeobuf or a zipped shapefile.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
    x, y : str, optional
        Columns of longitude or x, and of latitude or y; columns with a usual name when None. In a file with shapes its
        points are taken unless columns are chosen, or unless its shapes are no points.
    weight : str, optional
        Column of counts. When None, a column that is clearly named like one (population, count, …) is taken; without
        one, every row is one record.
    id : str, optional
        Column of unique ids; the number of the row, from 1, when None.
    filename : str, optional
        What to call the file in sentences.
    layer : str, optional
        Layer of a file with several.
    drop_bad : bool
        Leave rows without a possible position out, and say how many, instead of refusing the file.
    per_record : bool, optional
        True: every row is one record, whatever the columns are called.
    unit : str, optional
        What the weights count; when None, what the column's name says, "records" where rows are counted.
    crs : str, optional
        The coordinate system of the coordinates, where the file does not say it.
    project : str, optional
        The coordinate system to cut in, as "EPSG:5070", or "utm" for the best zone of Universal Transverse Mercator.
        The points are kept in it, sides are in its metres; shapes in downloads are longitude and latitude again.
    sheet : str or int, optional
        Which sheet of a workbook, by its name or its number from 1; the first that fits when None, with a note.

    Returns
    -------
    Points
        `notes` say what was understood and what was left out. Coordinates stay as they are in the file unless they are
        projected. Longitudes from 0° to 360° are understood as -180° to 180°; where points lie on both sides of the
        180th meridian, those beyond it count on, from 180° to 360°.

    Raises
    ------
    InvalidInput
        Another kind of file, an unknown column, impossible positions, weights that are no counts, ids twice, an unfit
        coordinate system.
    """
    source = with_sheet(Source.open(file, filename), sheet, (x, y, weight, id))
    frame, notes = _frame(source, layer)
    columns = [str(column) for column in frame.columns if column != geometry_name(frame)]
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise InvalidInput(f"{source.name} has two columns called {twice[0]!r}; rename one of them.")
    taken = [x, y, id]
    if weight is not None and per_record:
        raise InvalidInput(f"Where every row is one record, there is no count column; leave out {weight!r}.")
    if weight is None and not per_record:
        weight, more = _guessed_weight(frame[columns], source.name, taken, per_record)
        notes += more
    unit = unit or ("records" if weight is None else unit_of(weight))
    places = positions_of(frame, columns, x, y, crs, source.name)
    bad = np.asarray(places.bad.any(axis=1))
    notes += places.notes
    if bad.any():
        notes += (bad_rows(places, source.name, drop_bad),)
    weights = np.ones(len(frame), dtype=np.int64)
    if weight is not None:
        known_column(columns, weight, "weight")
        counts = frame[weight].astype(object).where(~bad, 0) if bad.any() else frame[weight]
        notes += tuple(thousands_told(frame[weight]))
        weights = counts_of(counts, f"column {weight}", source.name)
        empty = int(((weights == 0) & ~bad).sum())
        if empty:
            notes += (f"Left out because they have 0 {unit}: {empty:,} of {len(frame):,} points.",)
    kept = ~bad & (weights > 0)
    if not kept.any():
        raise InvalidInput(f"{source.name} has no point with a position and {unit}; check column {weight}.")
    ids: Any = np.arange(1, len(frame) + 1)[kept] if id is None else _ids(frame, columns, id, kept)
    xy, oddities = places.xy[kept], _oddities(places.xy[kept], places.crs)
    xy, system, whereabouts = _where_to_cut(xy, places.crs, project)
    candidates = Candidates(frame[columns], source.name, "weight", [*taken, *places.names])
    return Points(
        xy,
        weights[kept],
        ids,
        system,
        unit=unit,
        notes=(_summary(xy, weights[kept], weight, unit, places.names, source.counts), *notes, *whereabouts, *oddities),
        reading={"reader": "read_points", "x": x, "y": y, "weight": weight, "id": id, "layer": layer}
        | {"drop_bad": drop_bad, "per_record": weight is None, "unit": unit, "crs": crs, "project": project}
        | source.sheet_read(),
        counted=candidates.rows("point") if weight is None else candidates.column(weight, rows=True),
    )


def _guessed_weight(
    frame: pd.DataFrame, where: str, taken: list[str | None], per_record: bool | None
) -> tuple[str | None, tuple[str, ...]]:
    """The column that clearly says how many records a point stands for, and a note; None for one record a point.

    Raises
    ------
    ChoiceNeeded
        Several could, or one may, as the visits of a patient or of a place: nobody can tell.
    """
    candidates = Candidates(frame, where, "weight", taken)
    found = candidates.best_named(rows=per_record is None, worst=3)
    if found is None and per_record is False:
        raise candidates.ask(rows=False)
    if found is None:
        refuse_unreadable_counts(frame, where, taken)
        return None, ()
    if per_record is None and CERTAIN.fullmatch(plain(found)) is None:
        raise ChoiceNeeded(
            f"Column {found} of {where} may say how many records a point stands for",
            "weight",
            (found, ROWS),
            remedy=(Remedy("choose it", "weight"), Remedy("say that each point is one record", "per_record", True)),
        )
    return found, (f"The counts were taken from column {found}, for its name.",)


def _frame(source: Source, layer: str | None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if source.kind in SHAPES or has_shapes(source):
        from kanon_engine.io.geofile import read_shapes

        return read_shapes(source, layer)
    if source.kind in TABLES:
        return read_frame(source)
    raise source.refuse("a CSV, Parquet, Excel, GeoJSON or GeoPackage file")


def _where_to_cut(
    xy: np.ndarray, crs: str | None, project: str | None
) -> tuple[np.ndarray, str | None, tuple[str, ...]]:
    """The coordinates that rectangles are made of, their system, and sentences about both."""
    if project is not None:
        return projected(xy, crs, project)
    if not is_degrees(crs):
        return xy, crs, ()
    poles = pole_notes(xy)
    xy, notes = recentred(xy)
    return xy, crs, notes + poles


def _ids(frame: pd.DataFrame, columns: list[str], id: str, kept: np.ndarray) -> list[Any]:
    values = frame[known_column(columns, id, "id")][kept]
    if pd.api.types.is_integer_dtype(values):
        whole: list[Any] = values.tolist()
        return whole
    return [None if pd.isna(value) else str(value).strip() for value in values]


def _summary(
    xy: np.ndarray, weights: np.ndarray, weight: str | None, unit: str, names: tuple[str, str], counts: str
) -> str:
    whence = "were counted" if weight == counts else f"from column {weight}"
    total = f"{int(weights.sum()):,} {unit} {whence}" if weight else f"each counted as one of the {unit}"
    return f"{len(xy):,} points at {names[0]}, {names[1]}; {total}."


def _oddities(xy: np.ndarray, crs: str | None) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    shared = int((np.diff(np.sort(xy[:, 0] + 1j * xy[:, 1])) == 0).sum())
    if shared:
        notes += (f"At the coordinates of another point: {shared:,} points; those stay together.",)
    origin = int((xy == 0).all(axis=1).sum())
    if origin and is_degrees(crs):
        notes += (f"At 0°, 0°, where missing positions often end up: {origin:,} points.",)
    return notes
