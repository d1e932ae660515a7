"""The map of a grouping on paper, as PNG, SVG and PDF; drawn without a browser."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import geopandas
import numpy as np
import shapely

from kanon_engine.model.words import cut
from kanon_engine.plot.colors import GRAY, INK, LINE, SILVER, palette
from kanon_engine.plot.drawing import empty_figure
from kanon_engine.regions.display_map import display_map, on_earth, to_mercator, together
from kanon_engine.regions.release import dissolved

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions
    from kanon_engine.regions.release import CoarseShapes


PAGE = (11.0, 8.5)  # inches
DPI = 200
LETTER = 0.62  # width of a wide letter or a digit, in parts of its size
MOST_LISTED = 120  # groups in the list next to the map
BORDERS = ((200, 1.1), (500, 0.6), (np.inf, 0.35))  # up to this many groups, width of their borders in points
TITLES = ((18, 68), (12, 100))  # size in points, and how many letters fit


@dataclass(frozen=True, eq=False)
class PrintMap:
    """The content of the page."""

    # title, statement: what is shown, and what is guaranteed
    title: str
    statement: str
    notes: tuple[str, ...]  # below the map: date, source
    names: Sequence[str]  # of the groups
    sizes: Sequence[str]  # how large each of them is
    colors: np.ndarray  # (groups,) int: so that neighbors differ
    plane: PaperPlane
    date: datetime.date  # of the publication


def drawn(content: PrintMap) -> dict[str, bytes]:
    """The map by its endings, png, svg and pdf; nothing in it reveals when, where and by which versions it was made."""
    day = datetime.datetime.combine(content.date, datetime.time(), datetime.UTC)
    formats: dict[str, dict[str, Any]] = {
        "png": {"Software": None},
        "svg": {"Date": content.date.isoformat(), "Creator": "kanon", "Title": content.title},
        "pdf": {"CreationDate": day, "Creator": "kanon", "Producer": None, "Title": content.title},
    }
    images = {}
    with empty_figure(DPI, PAGE) as figure:
        fill(figure, content)
        for ending, metadata in formats.items():
            target = io.BytesIO()
            figure.savefig(target, format=ending, metadata=metadata)
            images[ending] = target.getvalue()
    return images


def fill(figure: Figure, content: PrintMap) -> None:
    """Draw the whole page on an empty figure of its size."""
    size, most = next(one for one in TITLES if len(content.title) <= one[1] or one == TITLES[-1])
    figure.text(0.035, 0.945, cut(content.title, most), size=size, weight="bold", color=INK, va="baseline")
    figure.text(0.035, 0.912, cut(content.statement, 150), size=10, color=INK, va="baseline")
    for place, note in enumerate(reversed(content.notes)):
        figure.text(0.035, 0.022 + 0.019 * place, cut(note, 170), size=8, color=GRAY, va="baseline")
    bottom = 0.035 + 0.019 * len(content.notes) + (0.06 if content.plane.meters else 0)
    width = 0.66
    axes = figure.add_axes((0.035, bottom, width, 0.89 - bottom))
    axes.set_axis_off()
    _draw_groups(axes, content)
    draw_labels(axes, content.plane.groups, content.names)
    side = figure.add_axes((0.045 + width, bottom, 0.92 - width, 0.89 - bottom))
    side.set_axis_off()
    side.set_xlim(0, 1)
    side.set_ylim(0, 1)
    top = draw_legend(side, len(content.plane.areas) > 0)
    if len(content.names) <= MOST_LISTED:
        list_groups(side, content.names, content.sizes, top)
    else:
        words = f"Names and sizes of all {len(content.names):,}\ngroups are in groups.csv."
        side.text(0, top - 0.03, words, size=8, color=INK, va="top")
    if content.plane.meters:
        draw_scale(axes)


def _draw_groups(axes: Axes, content: PrintMap) -> None:
    from matplotlib.collections import LineCollection, PathCollection

    plane = content.plane
    shades = np.array(palette(int(content.colors.max(initial=0)) + 1))[content.colors]
    thin = next(width for most, width in BORDERS if len(plane.groups) <= most)
    paths = [_path(shape) for shape in plane.groups]
    axes.add_collection(PathCollection(paths, facecolors=shades, edgecolors="none"))
    if len(plane.areas):
        axes.add_collection(LineCollection(list(plane.areas), colors=SILVER, linewidths=0.25))
    axes.add_collection(PathCollection(paths, facecolors="none", edgecolors=LINE, linewidths=thin))
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
    corners, ring = shapely.get_coordinates(rings, return_index=True)
    codes = np.full(len(corners), Path.LINETO, dtype=np.uint8)
    codes[np.diff(ring, prepend=-1) > 0] = Path.MOVETO
    codes[np.diff(ring, append=len(rings)) > 0] = Path.CLOSEPOLY
    return Path(corners, codes)


def width_of(text: str, size: float) -> float:
    """About how wide a text is at most, in points."""
    return LETTER * size * len(text)


SIZES = (11.0, 9.0, 7.5, 6.0, 5.0)  # of numbers, in points
NAME_SIZE = 6.5


def draw_labels(axes: Axes, groups: np.ndarray, names: Sequence[str]) -> None:
    """The number of each group at a point inside it, its name below where there is room; larger groups first."""
    boxes = np.empty((0, 4))  # filled by words, in points

    def take(middle: np.ndarray, width: float, height: float) -> bool:
        """Reserve a rectangle if it is free."""
        nonlocal boxes
        half = np.array([width, height]) / 2 + 0.8
        low, high = middle - half, middle + half
        if ((boxes[:, :2] < high) & (boxes[:, 2:] > low)).all(axis=1).any():
            return False
        boxes = np.vstack([boxes, np.concatenate([low, high])])
        return True

    west, east = axes.get_xlim()
    scale = float(axes.get_window_extent().width / (east - west) * 72 / axes.figure.dpi)  # points per unit
    circles = [_roomiest(shape) for shape in groups]
    later = []
    for place in sorted(range(len(circles)), key=lambda place: -circles[place][1]):
        center, radius = circles[place]
        text, reach = str(place + 1), radius * scale
        at = center * scale
        fits = next((size for size in SIZES if np.hypot(width_of(text, size), size) <= 2 * reach), None)
        for size in (fits, SIZES[-1]):
            if size is not None and take(at, width_of(text, size), size):
                _write_label(axes, center, text, size, "bold")
                later.append((place, at, size, reach))
                break
    for place, at, size, reach in later:
        lines = _wrapped(names[place])
        width = max(width_of(line, NAME_SIZE) for line in lines)
        height = NAME_SIZE * 1.15 * len(lines)
        below = at - (0, (size + height) / 2 + 2)
        if names[place] == f"Group {place + 1}" or width > 3 * reach or height + size > 2 * reach:
            continue
        if take(below, width, height):
            _write_label(axes, below / scale, "\n".join(lines), NAME_SIZE, "normal")


def _write_label(axes: Axes, at: np.ndarray, text: str, size: float, weight: str) -> None:
    """Dark letters with a light halo, which stand out against borders."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=1.6, foreground="white", alpha=0.75)]
    style: dict[str, Any] = {"size": size, "weight": weight, "color": INK, "linespacing": 1.05}
    axes.text(float(at[0]), float(at[1]), text, path_effects=halo, ha="center", va="center", **style)


def _roomiest(shape: Any) -> tuple[np.ndarray, float]:
    """The middle and the radius of about the largest circle in a shape's largest part."""
    parts = shapely.get_parts(shape)
    parts = parts[shapely.area(parts) > 0]
    if not len(parts):
        return np.zeros(2), 0.0
    largest = parts[np.argmax(shapely.area(parts))]
    line = shapely.maximum_inscribed_circle(largest, tolerance=np.sqrt(shapely.area(largest)) / 40)
    return shapely.get_coordinates(line)[0], float(shapely.length(line))


def _wrapped(name: str) -> list[str]:
    """A name in at most two lines."""
    lines = [""]
    for word in name.replace(" + ", " +\N{NO-BREAK SPACE}").split(" "):
        if len(lines) == 1 and len(lines[0]) + len(word) > 12 and lines[0]:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


# ---------------------------------------------------------------------------------------------------------------------
# Next to and below the map: the meaning of lines and colors, a list of groups, scale and north
# ---------------------------------------------------------------------------------------------------------------------


BARS = tuple(step * 10.0**power for power in range(-3, 5) for step in (1, 2, 5))  # lengths of scale bars
MILE = 1_609.344  # meters


def draw_legend(side: Axes, areas: bool) -> float:
    """The meaning of lines and colors; returns where it ends."""
    from matplotlib.patches import Rectangle

    side.text(0, 0.985, "Legend", size=10, weight="bold", color=INK, va="center")
    shades = palette(4)
    for place, shade in enumerate(shades):
        side.add_patch(Rectangle((0.035 * place, 0.94), 0.035, 0.018, facecolor=shade, edgecolor=LINE, linewidth=0.8))
    side.text(0.17, 0.949, "groups; neighbors differ in color", size=8, color=INK, va="center")
    top = 0.92
    if areas:
        side.plot([0, 0.14], [top, top], color=SILVER, linewidth=0.6)
        side.text(0.17, top, "borders of areas within a group", size=8, color=INK, va="center")
        top -= 0.028
    side.text(0, top, "1, 2, 3", size=8, weight="bold", color=INK, va="center")
    side.text(0.17, top, "number of the group", size=8, color=INK, va="center")
    return top - 0.03


def list_groups(side: Axes, names: Sequence[str], sizes: Sequence[str], top: float) -> None:
    """Number, name and size of every group, in one column or two."""
    count = len(names)
    columns = 1 if count <= 32 else 2
    rows = -(-count // columns)
    step = min(0.03, top / rows)
    size = min(8.0, step * 400)
    width = (1 - 0.06 * (columns - 1)) / columns
    letters = int(side.get_position().width * width * PAGE[0] * 72 / (LETTER * 0.92 * size))
    for place, (name, size_text) in enumerate(zip(names, sizes, strict=True)):
        column, row = divmod(place, rows)
        left, y = column * (width + 0.06), top - step * (row + 0.5)
        number = left + LETTER * size * len(str(count)) / (side.get_position().width * PAGE[0] * 72)
        words = cut(
            "" if name == f"Group {place + 1}" else name, max(4, letters - len(size_text) - len(str(count)) - 3)
        )
        side.text(number, y, str(place + 1), size=size, weight="bold", color=INK, ha="right", va="center")
        side.text(number + 0.02, y, words, size=size, color=INK, va="center")
        side.text(left + width, y, size_text, size=size, color=INK, ha="right", va="center")


def draw_scale(axes: Axes) -> None:
    """A bar in kilometers and one in miles, and an arrow to the north, below the map."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    figure: Any = axes.figure
    low, high = axes.get_xlim()
    box = axes.get_position()
    for row, (unit, meters) in enumerate((("km", 1_000.0), ("mi", MILE))):
        bar = max((length for length in BARS if length * meters <= (high - low) / 5), default=None)
        if bar is not None:
            x, y = box.x0, box.y0 - 0.012 - 0.02 * row
            end = x + bar * meters / (high - low) * box.width
            ticks = [y - 0.004, y + 0.004]
            for xs, ys in (([x, end], [y, y]), ([x, x], ticks), ([end, end], ticks)):
                figure.add_artist(Line2D(xs, ys, color=INK, linewidth=1.4, transform=figure.transFigure))
            figure.text(end + 0.006, y, f"{bar:,g} {unit}", size=8, color=INK, va="center")
    x, y, tall, wide = box.x0 + 0.33, box.y0 - 0.03, 0.032, 0.032 * 0.28
    arrow = [(x, y + tall), (x - wide, y), (x, y + tall * 0.25), (x + wide, y)]
    figure.add_artist(Polygon(arrow, closed=True, facecolor=INK, edgecolor=INK, transform=figure.transFigure))
    figure.text(x + wide + 0.006, y + tall / 2, "N", size=10, weight="bold", color=INK, va="center")


WIDEST = 3_000_000.0  # meters: on a wider map no single scale is true everywhere


@dataclass(frozen=True, eq=False)
class PaperPlane:
    """Shapes on paper."""

    groups: np.ndarray  # (classes,) array of polygons and multipolygons
    # (lines, 2, 2): borders between the areas of a group, as segments; none if the areas are not public
    areas: np.ndarray
    meters: bool  # whether the unit is a meter and north is up, so that a scale and an arrow are true


def on_plane(regions: Regions, g: Generalization, coarse: CoarseShapes | None) -> PaperPlane:
    """The groups on paper: as these squares of a grid, or simplified, with the borders of areas."""
    if coarse is None:
        display = display_map(regions)
        groups = np.array(dissolved(display.shapes[display.place], g))
        lost = shapely.is_empty(groups)  # too small for the display, or nearer to a pole than it reaches
        if lost.any():
            groups[lost] = np.array(dissolved(on_earth(regions.geometry), g))[lost]
        points, pairs = display.border_points, display.border_pairs
        one, other = pairs.T
        inside = (other >= 0) & (g.assignment[one] == g.assignment[other])
        segments = np.stack([points[:-1], points[1:]], axis=1)[inside[:-1] & inside[1:]].astype(float)
        segments = segments[np.isfinite(segments).all(axis=(1, 2))]
        georeferenced = display.placed
    else:
        groups, segments = coarse.shapes, np.empty((0, 2, 2))
        crs = None if regions.geometry is None else regions.geometry.crs
        georeferenced = crs is not None
        groups = together(geopandas.GeoSeries(groups, crs=crs).to_crs(4326).to_numpy()) if georeferenced else groups
    project, meters = _projection(groups, georeferenced, coarse is None)
    return PaperPlane(shapely.transform(groups, project), project(segments.reshape(-1, 2)).reshape(-1, 2, 2), meters)


def _projection(
    shapes: np.ndarray, georeferenced: bool, displayed: bool
) -> tuple[Callable[[np.ndarray], np.ndarray], bool]:
    """From longitude and latitude to the plane, and whether that is in meters with north up."""
    if not georeferenced:  # the display puts shapes without a place on the equator
        return (to_mercator if displayed else np.asarray), False
    import pyproj

    west, south, east, north = shapely.total_bounds(shapes)
    center = f"+proj=laea +lat_0={(south + north) / 2} +lon_0={(west + east) / 2} +datum=WGS84 +units=m"
    there = pyproj.Transformer.from_crs("EPSG:4326", center, always_xy=True)

    def project(xy: np.ndarray) -> np.ndarray:
        return np.column_stack(there.transform(xy[:, 0], xy[:, 1]))

    corners = project(np.array([[west, south], [east, south], [west, north], [east, north]]))
    if not np.isfinite(corners).all() or np.ptp(corners, axis=0).max() > WIDEST:
        return to_mercator, False
    return project, True
