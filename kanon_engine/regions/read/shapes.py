"""The shapes of areas: what is refused, what is repaired, and who borders whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.io.crs import crs_name
from kanon_engine.io.limits import limits, passed
from kanon_engine.model.words import number_text
from kanon_engine.regions.read.area_ids import counted, some
from kanon_engine.regions.read.contiguity import Contiguity, contiguity
from kanon_engine.regions.read.islands import attach_parts

if TYPE_CHECKING:
    import geopandas

POLYGONS = (3, 6)  # shapely's type numbers of Polygon and MultiPolygon
CONTIGUITIES = ("rook", "queen")


def checked_shapes(
    geometry: geopandas.GeoSeries, ids: Sequence[Any], where: str, crs: str | None = None
) -> tuple[geopandas.GeoSeries, list[str]]:
    """Valid, flat polygons with a known system where possible, and notes on what was changed.

    Raises
    ------
    InvalidInput
        A shape that is missing, empty or no polygon; it names the area.
    """
    notes = []
    shapes = shapely.force_2d(geometry.to_numpy())
    for bad, problem in (
        (shapely.is_missing(shapes), "has no shape"),
        (shapely.is_empty(shapes), "has an empty shape"),
        (
            ~shapely.is_missing(shapes) & ~np.isin(shapely.get_type_id(shapes), (*POLYGONS, 7)),
            "is no area but a {kind}",
        ),
        (_endless(shapes), "has a coordinate that is no number"),
    ):
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            kind = shapes[first].geom_type if shapes[first] is not None else ""
            more = f" (as are {bad.sum() - 1:,} more)" if bad.sum() > 1 else ""
            raise InvalidInput(
                f"In {where} the area {ids[first]} {problem.format(kind=kind)}{more}; "
                f"load polygons, and leave out what has none."
            )
    invalid = np.flatnonzero(~shapely.is_valid(shapes))
    if len(invalid):
        shapes = repaired(shapes)
        names = some([ids[place] for place in invalid.tolist()])
        notes.append(f"{counted(len(invalid), 'area')} had a shape that crosses itself, which was repaired: {names}.")
    for place in np.flatnonzero(~np.isin(shapely.get_type_id(shapes), POLYGONS)).tolist():
        pieces = [piece for piece in shapely.get_parts(shapes[place]) if piece.geom_type in ("Polygon", "MultiPolygon")]
        shapes[place] = shapely.union_all(pieces)
    flat = np.flatnonzero(shapely.area(shapes) == 0).tolist()
    if flat:
        raise InvalidInput(f"In {where} the area {ids[flat[0]]} has a shape without any ground; correct it.")
    shapes = type(geometry)(shapes, crs=geometry.crs)
    if crs is not None:
        notes.append(_said(shapes, crs))
        shapes = shapes.set_crs(crs_name(crs), allow_override=True)
    several = int((shapely.get_num_geometries(shapes.to_numpy()) > 1).sum())
    if several:
        notes.append(f"{counted(several, 'area')} {'consists' if several == 1 else 'consist'} of several pieces.")
    return _placed(shapes, notes), notes


def repaired(shapes: np.ndarray) -> np.ndarray:
    """The shapes, valid where they were not; empty where one had no ground."""
    valid, broken = shapes.copy(), ~shapely.is_valid(shapes)
    valid[broken] = shapely.make_valid(shapes[broken], method="structure", keep_collapsed=False)
    return valid


def _said(shapes: geopandas.GeoSeries, crs: str) -> str:
    """What a person said of the coordinate system, against what the file says."""
    named = "which the file does not name" if shapes.crs is None else f"though the file says “{shapes.crs.name}”"
    return f"The coordinates were taken as {crs_name(crs)}, as was asked, {named}."


def _endless(shapes: np.ndarray) -> np.ndarray:
    """(n,) bool: shapes with a coordinate that is not finite."""
    points, owner = shapely.get_coordinates(shapes, return_index=True)
    return np.isin(np.arange(len(shapes)), owner[~np.isfinite(points).all(axis=1)])


def _placed(shapes: geopandas.GeoSeries, notes: list[str]) -> geopandas.GeoSeries:
    """The shapes with their coordinate system, guessed where the file does not name it."""
    bounds = shapes.total_bounds
    if shapes.crs is None and (np.abs(bounds) <= (180, 90, 180, 90)).all():
        notes.append(
            "The file names no coordinate system; its coordinates were taken as longitude and latitude (WGS 84)."
        )
        return shapes.set_crs(4326)
    if shapes.crs is not None and not (shapes.crs.is_geographic or shapes.crs.is_projected):
        notes.append(f"The coordinate system “{shapes.crs.name}” is not one of the Earth's surface and was set aside.")
        shapes = shapes.set_crs(None, allow_override=True)
    if shapes.crs is None:
        notes.append(
            "The file names no coordinate system; its coordinates were taken as a plane, "
            "so the map has no place on Earth."
        )
    elif shapes.crs.is_geographic and not (np.abs(bounds) <= (360, 90.001, 360, 90.001)).all():
        raise InvalidInput(
            f"The file says that its coordinates are longitudes and latitudes, but they reach "
            f"{np.abs(bounds).max():,.0f}; correct its coordinate system."
        )
    elif not _on_earth(shapes):
        raise InvalidInput(
            f"The coordinates lie outside of the file's coordinate system, “{shapes.crs.name}”; correct the system."
        )
    return shapes


def _on_earth(shapes: geopandas.GeoSeries) -> bool:
    """Whether the corners of the map have a longitude and a latitude."""
    corners = shapely.points(shapes.total_bounds.reshape(2, 2))
    return bool(np.isfinite(type(shapes)(corners, crs=shapes.crs).to_crs(4326).total_bounds).all())


def borders(
    geometry: geopandas.GeoSeries, labels: Sequence[str], kind: str, islands: str
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Edges by contiguity, the part of them that joins islands, and notes on both."""
    found = contiguity(geometry.to_numpy(), kind)
    most = limits().borders + 20 * len(geometry)
    if len(found.edges) > most:
        pairs = f"has {len(found.edges):,} pairs of areas that border each other"
        raise passed("The map", pairs, f"{most:,}", "load one whose areas do not overlap")
    notes = misfit_notes(found, geometry, labels)
    if islands != "attach":
        return found.edges, np.empty((0, 2), dtype=np.int64), notes
    added, joins = joined(geometry, found.edges, labels)
    return np.vstack([found.edges, added]), added, notes + joins


def joined(geometry: geopandas.GeoSeries, edges: np.ndarray, labels: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The edges that attach separate parts, and one sentence each, for nobody should overlook one."""
    added, distances = attach_parts(geometry, edges)
    return added, [
        f"{labels[a]} and {labels[b]} have no common border but were joined, for they connect separate parts "
        + (f"and lie {length(distance, geometry.crs is not None)} apart." if distance > 0 else "and touch.")
        for (a, b), distance in zip(added.tolist(), distances.tolist(), strict=True)
    ]


def misfit_notes(found: Contiguity, geometry: geopandas.GeoSeries, labels: Sequence[str]) -> list[str]:
    if not len(found.misfits):
        return []
    width = length(found.tolerance * metres_per_unit(geometry), geometry.crs is not None)
    names = some([labels[place] for place in found.misfits], 3)
    areas = counted(len(found.misfits), "area")
    across = int(found.inexact.sum())
    joined = f" {counted(across, 'pair')} of areas border each other only there." if across else ""
    return [
        f"The shapes of {areas} do not fit those of their neighbours exactly, with overlaps or "
        f"with gaps narrower than {width} ({names}); areas that meet there count as neighbours, those further apart do "
        f"not.{joined}"
    ]


def metres_per_unit(geometry: geopandas.GeoSeries) -> float:
    if geometry.crs is None:
        return 1.0
    return 111_320.0 if geometry.crs.is_geographic else float(geometry.crs.axis_info[0].unit_conversion_factor)


def length(metres: float, known_unit: bool = True) -> str:
    """A length for a sentence.

    Example
    -------
    >>> length(1234.5), length(12.3), length(0.0812)
    ('1.2 km', '12 m', '0.081 m')
    """
    if not known_unit:
        return f"{number_text(metres, 3)} units"
    return f"{metres / 1000:,.1f} km" if metres >= 1000 else f"{metres:,.0f} m" if metres >= 10 else f"{metres:.2g} m"
