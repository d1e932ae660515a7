"""The map of a grouping on paper, as PNG, SVG and PDF; drawn without a browser."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from kanon_engine.model.words import cut
from kanon_engine.plot.colouring import palette
from kanon_engine.plot.drawing import empty_figure
from kanon_engine.regions.package.print_map.labels import label
from kanon_engine.regions.package.print_map.legend import draw_legend, draw_scale, list_groups
from kanon_engine.regions.package.print_map.plane import Plane
from kanon_engine.regions.package.print_map.style import AREA, BORDER, DARK, DPI, GREY, PAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LISTED = 120  # groups in the list beside the map
BORDERS = ((200, 1.1), (500, 0.6), (np.inf, 0.35))  # up to so many groups, width of their borders in points
TITLES = ((18, 68), (12, 100))  # size in points, and how many letters fit


@dataclass(frozen=True, eq=False)
class PrintMap:
    """What stands on the page.

    Attributes
    ----------
    title, statement : str
        What is shown, and what is promised of it.
    notes : tuple of str
        Below the map: date, source.
    names : list of str
        Of the groups.
    sizes : list of str
        How large each of them is.
    colours : (groups,) int array
        So that neighbours differ.
    plane : Plane
    date : date
        Of the publication.
    """

    title: str
    statement: str
    notes: tuple[str, ...]
    names: Sequence[str]
    sizes: Sequence[str]
    colours: np.ndarray
    plane: Plane
    date: datetime.date


def drawn(content: PrintMap) -> dict[str, bytes]:
    """The map by its endings: png, svg and pdf."""
    with empty_figure(DPI, PAGE) as figure:
        fill(figure, content)
        return {ending: _saved(figure, ending, content) for ending in ("png", "svg", "pdf")}


def _saved(figure: Figure, ending: str, content: PrintMap) -> bytes:
    """With nothing in it that tells when, where and by which versions it was made."""
    day = datetime.datetime.combine(content.date, datetime.time(), datetime.UTC)
    told: dict[str, dict[str, Any]] = {
        "png": {"Software": None},
        "svg": {"Date": content.date.isoformat(), "Creator": "kanon", "Title": content.title},
        "pdf": {"CreationDate": day, "Creator": "kanon", "Producer": None, "Title": content.title},
    }
    target = io.BytesIO()
    figure.savefig(target, format=ending, metadata=told[ending])
    return target.getvalue()


def fill(figure: Figure, content: PrintMap) -> None:
    """Draw the whole page on an empty figure of its size."""
    size, most = next(one for one in TITLES if len(content.title) <= one[1] or one == TITLES[-1])
    figure.text(0.035, 0.945, cut(content.title, most), size=size, weight="bold", color=DARK, va="baseline")
    figure.text(0.035, 0.912, cut(content.statement, 150), size=10, color=DARK, va="baseline")
    for place, note in enumerate(reversed(content.notes)):
        figure.text(0.035, 0.022 + 0.019 * place, cut(note, 170), size=8, color=GREY, va="baseline")
    bottom = 0.035 + 0.019 * len(content.notes) + (0.06 if content.plane.metres else 0)
    width = 0.66
    axes = figure.add_axes((0.035, bottom, width, 0.89 - bottom))
    axes.set_axis_off()
    _draw_groups(axes, content)
    label(axes, content.plane.groups, content.names)
    side = figure.add_axes((0.045 + width, bottom, 0.92 - width, 0.89 - bottom))
    side.set_axis_off()
    side.set_xlim(0, 1)
    side.set_ylim(0, 1)
    top = draw_legend(side, len(content.plane.areas) > 0)
    if len(content.names) <= MOST_LISTED:
        list_groups(side, content.names, content.sizes, top)
    else:
        words = f"Names and sizes of all {len(content.names):,}\ngroups are in groups.csv."
        side.text(0, top - 0.03, words, size=8, color=DARK, va="top")
    if content.plane.metres:
        draw_scale(axes)


def _draw_groups(axes: Axes, content: PrintMap) -> None:
    from matplotlib.collections import LineCollection, PathCollection

    plane = content.plane
    shades = np.array(palette(int(content.colours.max(initial=0)) + 1))[content.colours]
    thin = next(width for most, width in BORDERS if len(plane.groups) <= most)
    paths = [_path(shape) for shape in plane.groups]
    axes.add_collection(PathCollection(paths, facecolors=shades, edgecolors="none"))
    if len(plane.areas):
        axes.add_collection(LineCollection(list(plane.areas), colors=AREA, linewidths=0.25))
    axes.add_collection(PathCollection(paths, facecolors="none", edgecolors=BORDER, linewidths=thin))
    west, south, east, north = shapely.total_bounds(plane.groups)
    axes.set_aspect("equal")
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    axes.margins(0.01)
    axes.set_anchor("N")
    axes.apply_aspect()


def _path(shape: Any) -> Any:
    """All rings of a shape as one path, whose holes stay empty."""
    from matplotlib.path import Path

    rings = shapely.get_rings(shapely.get_parts(shape))
    if not len(rings):
        return Path(np.zeros((0, 2)))
    kept = [shapely.get_coordinates(ring) for ring in rings]
    codes = []
    for corners in kept:
        own = np.full(len(corners), Path.LINETO, dtype=np.uint8)
        own[0], own[-1] = Path.MOVETO, Path.CLOSEPOLY
        codes.append(own)
    return Path(np.concatenate(kept), np.concatenate(codes))
