"""Areas from files: shapes with counts, shapes and a table of counts, or a list of borders and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.confined import confined
from kanon_engine.io.coordinates import names_a_file
from kanon_engine.io.counts import Inexact
from kanon_engine.io.frames import has_shapes, read_frame, same_sets_notes, sets_in
from kanon_engine.io.geofile import SHAPES, WANTED, read_rows, read_shapes
from kanon_engine.io.roles import data_columns
from kanon_engine.io.source import TABLES, Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.io.worker import Scene
from kanon_engine.io.zip_codes import counties, places
from kanon_engine.model.wishes import KEPT, checked_sets
from kanon_engine.regions.area_table import AreaTable, one_of
from kanon_engine.regions.columns import ONE, aligned, column_ids, county_column, without_id
from kanon_engine.regions.contiguity import looks_like_edges, read_edges
from kanon_engine.regions.instance import WISHES, Regions
from kanon_engine.validate import require_known_name

OF_SECOND = {
    "counts_id": "A column of ids is set for a second table",
    "counts_column": "A column of counts is set for a second table",
    "per_record": "Whether rows are records can be stated only for a second table",
    "unmatched": "Rows that match no area can be left out only if they are in a second table",
    "repeated": "Rows with the same id can be added up only if they are in a second table",
    "missing_counts": "What to do with areas without a count can be set only for a second table",
    "counts_sheet": "A sheet is set for a second table",
}


@confined("file", "counts", "edges", "together", "apart", "barriers")
@lists_sheets(file="sheet", counts="counts_sheet", edges="edges_sheet")
def read_regions(
    file: Any,
    weight: str = "population",
    id: str | None = None,
    contiguity: str = "rook",
    islands: str = "attach",
    *,
    counts: Any = None,
    counts_id: str | None = None,
    counts_column: str | None = None,
    per_record: bool | None = None,
    edges: Any = None,
    name: str | None = None,
    county: str | None = None,
    unit: str | None = None,
    layer: str | None = None,
    filename: str | None = None,
    merge_duplicates: bool = False,
    unmatched: str = "refuse",
    repeated: str = "refuse",
    columns: Sequence[str] | None = None,
    rounding: str = "refuse",
    hidden: str = "refuse",
    hidden_most: int | None = None,
    crs: str | None = None,
    together: Any = None,
    apart: Any = None,
    barriers: Any = None,
    missing_counts: str = "refuse",
    sheet: str | int | None = None,
    counts_sheet: str | int | None = None,
    edges_sheet: str | int | None = None,
) -> Regions:
    """Areas with their counts and neighbors.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
        Shapes: a zipped shapefile, GeoPackage, GeoJSON, TopoJSON, FlatGeobuf or GeoParquet file. Or, without shapes, a
        list of borders (CSV with two columns of ids, .gal) together with `counts`, or a table of counts together with
        `edges`.
    weight : str
        Column of the file that holds the counts. If there is no column "population", one with a clearly similar name is
        used, and a note says so. "one" counts each area as one, unless a column has that name.
    id : Column of the ids; if None, one with a usual name (zip, GEOID, fips, …), otherwise row numbers. A note says
    which.
    contiguity : str
        "rook": areas with a common border of positive length are neighbors; "queen": a common point is enough.
    islands : str
        "attach" joins each separate part to its nearest neighbor and notes every join; "separate" leaves it alone.
        Without shapes distances are unknown, so separate parts stay separate, with a note.
    counts : path, bytes, readable object or DataFrame, optional
        A second table (CSV, Parquet, Excel), joined by id, with counts or with one row per record.
    counts_id, counts_column : Its columns, guessed by their names when None.
    per_record : bool, optional
        True: each row of `counts` is one record; False: it has a column of counts; None: a column whose name suggests
        counts is used, and rows are records only if there is none and ids repeat as those of records do.
    edges : path, bytes, readable object or DataFrame, optional. A list of borders, used instead of contiguity.
    name : Column of the areas' names.
    county : str, optional
        Column of the county that each area lies in, for names of groups; if None, one with a usual name or, for zip
        codes, the county that contains the Census Bureau's point of each.
    unit : str, optional
        What the weights count; when None, what the column's name says: "people", "cases", …, or the name itself;
        "records" if rows are counted.
    layer : Which of several layers of a file, or files of a zip.
    filename : How sentences refer to uploaded bytes.
    merge_duplicates : Whether rows with the same id are pieces of one area; they must then agree on its weight.
    unmatched : "refuse" or "drop" rows of `counts` that belong to no area, or have no id.
    repeated : "refuse" an id in several rows of `counts`, or "add" its rows up.
    columns : Columns of second counts, for `Minimum`: of `counts` or, if it has none of that name, of the file.
    rounding : str
        "refuse" counts that are not whole numbers, or round them to the "nearest"; a note says how many and how far.
    hidden : str
        Counts such as <5, * and empty cells: "refuse" them, take each as "zero" or as the "largest" count that it may
        represent, or "leave-out" their areas.
    hidden_most : The largest count that a mark without a number may represent.
    crs : Coordinate system of the shapes, such as "EPSG:4326", if the file does not state it or states a wrong one.
    together, apart, barriers : sets of ids, or path or bytes of a CSV with a set in each line, optional
        Areas that stay in one class, areas of which no two share a class, sets whose border no class crosses unless it
        must; see `Regions`.
    missing_counts : str
        Areas without a row in `counts`: "refuse" them, count each as "zero", or "drop" them, so that no group reaches
        across them. If rows or counted records are records, an area without any holds zero, and no decision is needed.
    sheet, counts_sheet, edges_sheet : str or int, optional
        Which sheet of a workbook, by its name or its number from 1; if None, the first that fits, with a note.

    Raises
    ------
    InvalidInput : One sentence: what is wrong, where, what to do.
    ChoiceNeeded
        It is unclear which column is meant, or what to do with a code in several rows or an area without a row.

    >>> path = read_regions(b"a,b\\nx,y\\ny,z\\n", counts=b"id,count\\nx,5\\ny,6\\nz,7\\n")
    >>> path.ids.tolist(), path.weights.tolist(), path.edges.tolist()
    (['x', 'y', 'z'], [5, 6, 7], [[0, 1], [1, 2]])
    """
    one_of(unmatched, ("refuse", "drop"), "unmatched")
    one_of(repeated, ("refuse", "add"), "repeated")
    one_of(missing_counts, ("refuse", "zero", "drop"), "missing_counts")
    if names_a_file(crs):
        raise InvalidInput(f"{crs!r} {names_a_file(crs)}; give one such as “EPSG:4326”.", parameter="crs", value=crs)
    inexact, more = Inexact(rounding, hidden, hidden_most), _names(columns)
    settings: dict[str, Any] = {
        "contiguity": contiguity,
        "islands": islands,
        "layer": layer,
        "merge_duplicates": merge_duplicates,
    }
    settings |= {"unmatched": unmatched, "counts_id": None, "counts_column": None, "per_record": None}
    # the default weight and ONE are not columns that a sheet must have
    requested = (id, name, county, None if weight in ("population", ONE) else weight, *(more if counts is None else ()))
    source = with_sheet(Source.open(file, filename), sheet, requested)
    if counts is not None:
        counts = with_sheet(Source.open(counts), counts_sheet, (counts_id, counts_column), "counts_sheet")
        settings |= counts.sheet_read("counts_sheet")
    if edges is not None:
        edges = with_sheet(Source.open(edges), edges_sheet, parameter="edges_sheet")
        settings |= edges.sheet_read("edges_sheet")
    elif edges_sheet is not None:
        raise InvalidInput(
            "A sheet is set for a list of borders, but there is no list",
            parameter="edges_sheet",
            value=edges_sheet,
            remedy=(Remedy("give one", "edges"), Remedy("leave this out")),
        )
    settings |= source.sheet_read()
    decided = inexact.given | ({"repeated": repeated} if repeated != "refuse" else {})
    decided |= ({"columns": list(more)} if more else {}) | ({"crs": crs} if crs is not None else {})
    table, edges = _table(source, id, name, layer, edges, counts)
    table.inexact = inexact
    column = None
    if counts is None:
        of_second: dict[str, Any] = {"counts_id": counts_id, "counts_column": counts_column, "per_record": per_record}
        of_second |= {"missing_counts": missing_counts, "counts_sheet": counts_sheet}
        _refuse_without_second(of_second | {"unmatched": unmatched, "repeated": repeated})
        column = table.take_weights(weight, merge_duplicates, more)
    elif weight != "population":
        raise InvalidInput(
            f"The counts come from a second table, and {weight!r} is also set as a column of counts of {source.name}",
            parameter="weight",
            value=weight,
            remedy=(
                Remedy("choose the column of the second table", "counts_column"),
                Remedy("leave one of the two out"),
            ),
        )
    else:
        # the counts are in the second table, so the rows need not agree on one
        table.merge_duplicates(merge_duplicates, None)
        settings["counts_id"], settings["counts_column"] = table.join_counts(
            counts, counts_id, counts_column, unmatched, per_record, repeated, more, missing_counts
        )
        settings["per_record"] = settings["counts_column"] is None
        # an area without records holds zero; only a missing row of counts needed a decision
        decided |= {} if settings["per_record"] else {"missing_counts": missing_counts}
    county = county_column(table.frame, county, source.name, (table.id,))
    settings |= {"weight": column or weight, "id": table.id, "name": table.name}
    settings |= {} if county is None else {"county": county}
    regions = Regions(**table.fields(edges, unit, {"reader": "read_regions"} | settings | decided))
    return with_wishes(regions, together, apart, barriers)


def _table(
    source: Source, id: str | None, name: str | None, layer: str | None, edges: Any, counts: Any
) -> tuple[AreaTable, Any]:
    """One row per area, and the borders if they come from a list."""
    shaped = source.kind in SHAPES or has_shapes(source)
    bordered = edges is not None or (not shaped and looks_like_edges(source))
    if shaped or (source.kind == "parquet" and not bordered):
        frame, notes = read_shapes(source, layer)
    elif source.kind not in TABLES:
        raise source.refuse(WANTED)
    elif edges is not None:
        frame, notes = read_frame(source)
    elif counts is None and not bordered:
        raise InvalidInput(
            f"{source.name} is a table without shapes",
            remedy=(Remedy(f"load {WANTED}"), Remedy("give a list of borders", "edges")),
        )
    elif counts is None:
        give = Remedy("give the areas' counts", "counts")
        raise InvalidInput(f"{source.name} lists borders but no counts", remedy=give)
    else:
        pairs, ids = read_edges(source)
        return AreaTable(pd.DataFrame({"id": ids}), source.name, ids, None, None, [], open=True), pairs
    table = AreaTable.of(frame, source.name, id, name)
    table.notes += notes
    return table, edges if edges is None else read_edges(edges)[0]


def _names(columns: Any) -> tuple[str, ...]:
    """Names of second counts, each once."""
    if columns is None:
        return ()
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
        raise InvalidInput(f"The columns are {columns!r}; give a list of names.", parameter="columns", value=columns)
    return tuple(dict.fromkeys(columns))


def _refuse_without_second(settings: dict[str, Any]) -> None:
    """Raise `InvalidInput` for settings of a second table if there is none."""
    for name, value in settings.items():
        if value not in (None, "refuse"):
            raise InvalidInput(
                f"{OF_SECOND[name]}, but there is no second table",
                parameter=name,
                value=value,
                remedy=(Remedy("give one", "counts"), Remedy("leave this out")),
            )


def with_wishes(regions: Regions, together: Any = None, apart: Any = None, barriers: Any = None) -> Regions:
    """The same areas with these wishes replacing their own; None keeps a wish.

    Parameters
    ----------
    together, apart, barriers : sets of ids, or path, bytes or readable object
        See `Regions`; a file is a CSV in which every line is a set of ids. Leading zeros may be lost in it.

    Returns
    -------
    Regions : Its `reading` and `notes` state the wishes.

    >>> line = Regions(["01001", "01002", "01003"], [5, 9, 1], [(0, 1), (1, 2)])
    >>> wished = with_wishes(line, together=b"1001, 1002\\n")
    >>> wished.together, wished.notes[0]
    ((('01001', '01002'),), '1 set of areas stays together.')
    """
    parsed: dict[str, Any] = {}
    notes: list[str] = []
    for name, value in (("together", together), ("apart", apart), ("barriers", barriers)):
        if value is not None:
            what, least = WISHES[name]
            padded, note = _aligned(regions, sets_in(value), KEPT.get(what, what))
            parsed[name] = checked_sets(padded, regions.ids, what, "area", least)
            notes += [note] if note else []
    if not parsed:
        return regions
    notes = same_sets_notes(parsed, "area") + notes
    return replace(regions, notes=(*regions.notes, *notes), reading={**regions.reading, **parsed}, **parsed)


def _aligned(regions: Regions, sets: Any, what: str) -> tuple[Any, str | None]:
    """Lists of ids, converted to the areas' own ids if that is unambiguous; other values are unchanged."""
    if not isinstance(sets, list | tuple) or not all(
        isinstance(members, list | tuple | set | frozenset) for members in sets
    ):
        return sets, None
    lists = [list(members) for members in sets]
    ids, listed, note = aligned(
        regions.ids.tolist(), [one for members in lists for one in members], f"the areas {what}"
    )
    id_of = dict(zip(ids, regions.ids.tolist(), strict=True))
    iterator = iter(listed)
    return [[id_of.get(next(iterator), one) for one in members] for members in lists], note


def sets_by_column(regions: Regions, file: Any, column: str, *, filename: str | None = None) -> list[list[Any]]:
    """The ids of the areas that have the same value in a column; areas without a value are in no set.

    Parameters
    ----------
    regions : Read from this file by `read_regions`.
    file : path, bytes or readable object
    filename : How sentences refer to bytes.

    Raises
    ------
    InvalidInput : There is no such column, or the areas have no ids from the file.

    >>> line = Regions(["01", "02", "03"], [5, 9, 1], [(0, 1), (1, 2)], reading={"id": "zip"})
    >>> sets_by_column(line, b"zip,county\\n01,A\\n02,B\\n03,A\\n", "county", filename="zips.csv")
    [['01', '03'], ['02']]
    """
    if regions.reading.get("id") is None:
        raise InvalidInput(
            "The ids of the areas are not from a column of their file; choose a column of ids so that the areas can "
            "be found in the file."
        )
    reading = regions.reading
    rows = _ids_with_values(
        file, reading["id"], column, reading.get("layer"), sheet=reading.get("sheet", 1), filename=filename
    )
    ids, listed, _ = aligned(regions.ids.tolist(), [name for name, _ in rows], "the file")
    id_of = dict(zip(ids, regions.ids.tolist(), strict=True))
    groups: dict[str, dict[Any, None]] = {}  # an area of several rows is listed once
    for name, (_, value) in zip(listed, rows, strict=True):
        if name in id_of and value:
            groups.setdefault(value, {})[id_of[name]] = None
    return [list(members) for members in groups.values()]


@confined("file")
def _ids_with_values(
    file: Any, id: str, column: str, layer: str | None, *, sheet: str | int, filename: str | None = None
) -> list[tuple[str | int, str]]:
    """Id and value of each row, the value as text and "" if there is none."""
    source = with_sheet(Source.open(file, filename), sheet)
    frame, _ = read_rows(source, layer)
    columns = data_columns(frame)
    names = column_ids(frame[require_known_name(columns, id, f"columns of {source.name}")], source.name)
    values = frame[require_known_name(columns, column, f"columns of {source.name}")]
    texts = values.astype(str).str.strip().where(values.notna(), "").tolist()
    return list(zip(names, texts, strict=True))


@confined("file", "counts")
def match_codes(
    file: Any,
    id: str | None = None,
    *,
    counts: Any,
    counts_id: str | None = None,
    layer: str | None = None,
    filename: str | None = None,
    counts_sheet: str | int | None = None,
) -> dict[str, Any]:
    """Which ids of shapes appear in a table of counts.

    Parameters
    ----------
    file, id, counts, counts_id, layer, filename, counts_sheet : As in `read_regions`; the file has shapes.

    Returns
    -------
    dict
        "id" and "counts_id", the columns; "matched", how many areas have a row; and lists of ids: "missing", areas
        without a row; "doubled", with several; "unknown", rows of no area; "blank", how many rows or counted records
        have no id.
    """
    source = Source.open(file, filename)
    second = with_sheet(Source.open(counts), counts_sheet, (counts_id,), "counts_sheet")
    table = AreaTable.of(read_shapes(source, layer)[0], source.name, id, None)
    rows_of = read_frame(second)[0]
    key = table.key_in(rows_of, counts_id, second.name)
    blank = without_id(rows_of[key])
    ids, codes, _ = aligned(table.ids, column_ids(rows_of[key][~blank], second.name), second.name)
    rows, area_ids = Counter(codes), set(ids)
    return {
        "id": table.id,
        "counts_id": key,
        "matched": sum(value in rows for value in area_ids),
        "missing": sorted(area_ids - rows.keys()),
        "doubled": sorted(value for value, many in rows.items() if many > 1),
        "unknown": sorted(rows.keys() - area_ids),
        "blank": int(rows_of[second.counts][blank].sum() if second.counts else blank.sum()),
    }


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """What a worker tries before it reads other people's files, see `kanon_engine.io.worker`: readers with
    arguments."""
    places(), counties()  # because no file can be opened later
    first, second, *_ = shapes
    counts = b"id,count\na,1\nb,2\nc,3\n"
    yield read_regions, (first, "count", "id"), {"merge_duplicates": True}
    yield read_regions, (first, "count"), {"contiguity": "queen", "islands": "separate"}
    yield read_regions, (second,), {"counts": counts, "id": "id", "merge_duplicates": True}
    listed = {"counts": b"id,count\nx,5\ny,6\nz,7\n"}
    yield read_regions, (b"a,b\nx,y\ny,z\n",), listed
    yield read_regions, (b"a,b\nx,y\ny,z\n",), {**listed, "together": b"x,y\n", "apart": b"x,z\n", "barriers": b"x,y\n"}
    yield match_codes, (first, "id"), {"counts": b"id,count\na,1\nb,2\nc,3\n"}
    areas = Regions(np.array(["a", "b"]), np.ones(2, int), np.array([[0, 1]]), reading={"id": "id"})
    yield sets_by_column, (areas, first, "count"), {}
    yield sets_by_column, (areas, b"id,county\na,x\nb,x\n", "county"), {}
    yield read_edges, (b"2\na 1\nb\nb 1\na\n",), {}
