"""Numbers and names of groups on the map, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from kanon_engine.regions.package.print_map.style import DARK, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZES = (11.0, 9.0, 7.5, 6.0, 5.0)  # of numbers, in points
NAME_SIZE = 6.5


def label(axes: Axes, groups: np.ndarray, names: Sequence[str]) -> None:
    """The number of each group at a point inside it, its name below where there is room; larger groups first."""
    taken = _Taken()
    scale = _points_per_unit(axes)
    circles = [_roomiest(shape) for shape in groups]
    later = []
    for place in sorted(range(len(circles)), key=lambda place: -circles[place][1]):
        centre, radius = circles[place]
        text, reach = str(place + 1), radius * scale
        at = centre * scale
        fits = next((size for size in SIZES if np.hypot(width_of(text, size), size) <= 2 * reach), None)
        for size in (fits, SIZES[-1]):
            if size is not None and taken.take(at, width_of(text, size), size):
                _write(axes, centre, text, size, "bold")
                later.append((place, at, size, reach))
                break
    for place, at, size, reach in later:
        lines = _wrapped(names[place])
        width = max(width_of(line, NAME_SIZE) for line in lines)
        height = NAME_SIZE * 1.15 * len(lines)
        below = at - (0, (size + height) / 2 + 2)
        if names[place] == f"Group {place + 1}" or width > 3 * reach or height + size > 2 * reach:
            continue
        if taken.take(below, width, height):
            _write(axes, below / scale, "\n".join(lines), NAME_SIZE, "normal")


def _write(axes: Axes, at: np.ndarray, text: str, size: float, weight: str) -> None:
    """Dark letters with a light halo, which stand out on borders."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=1.6, foreground="white", alpha=0.75)]
    style: dict[str, Any] = {
        "size": size,
        "weight": weight,
        "color": DARK,
        "ha": "center",
        "va": "center",
        "linespacing": 1.05,
    }
    axes.text(float(at[0]), float(at[1]), text, path_effects=halo, **style)


class _Taken:
    """Rectangles that words fill, in points."""

    def __init__(self) -> None:
        self.boxes = np.empty((0, 4))

    def take(self, middle: np.ndarray, width: float, height: float) -> bool:
        """Take this room, if it is free."""
        half = np.array([width, height]) / 2 + 0.8
        low, high = middle - half, middle + half
        if ((self.boxes[:, :2] < high) & (self.boxes[:, 2:] > low)).all(axis=1).any():
            return False
        self.boxes = np.vstack([self.boxes, np.concatenate([low, high])])
        return True


def _roomiest(shape: Any) -> tuple[np.ndarray, float]:
    """The middle and the radius of about the largest circle in a shape's largest part."""
    parts = shapely.get_parts(shape)
    parts = parts[shapely.area(parts) > 0]
    if not len(parts):
        return np.zeros(2), 0.0
    largest = parts[np.argmax(shapely.area(parts))]
    line = shapely.maximum_inscribed_circle(largest, tolerance=np.sqrt(shapely.area(largest)) / 40)
    return shapely.get_coordinates(line)[0], float(shapely.length(line))


def _points_per_unit(axes: Axes) -> float:
    box = axes.get_window_extent()
    low, high = axes.get_xlim()
    return float(box.width / (high - low) * 72 / axes.figure.dpi)


def _wrapped(name: str) -> list[str]:
    """A name in at most two lines."""
    lines = [""]
    for word in name.replace(" + ", " +\N{NO-BREAK SPACE}").split(" "):
        if len(lines) == 1 and len(lines[0]) + len(word) > 12 and lines[0]:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
