"""Pieces of SVG for lessons: shapes and words, tables, planes and maps."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape

import numpy as np
import pandas as pd
import shapely

import kanon_engine as kanon
from kanon_engine.plot.colors import class_colors
from kanon_engine.regions.instance import Regions
from kanon_engine.teaching.studies import sample

WIDTH, HEIGHT = 900, 620  # units of a picture; text is at least 20 units high
PALE, FAINT, MARKED = "p", "f", "m"  # colors besides the digits of the palette


def number(value: float) -> str:
    """A coordinate in as few characters as possible.

    >>> number(3.04), number(12.25), number(-0.01)
    ('3', '12.2', '0')
    """
    text = f"{value:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """An element; a trailing _ in an attribute's name is dropped, other ones become -.

    >>> element("rect", x=1.25, class_="a", stroke_width=2)
    '<rect x="1.2" class="a" stroke-width="2"/>'
    """
    words = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, float) else escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{words}>{content}</{tag}>" if content else f"<{tag}{words}/>"


def words_at(x: float, y: float, words: object, class_: str = "", anchor: str = "start") -> str:
    """Text on a picture; it is escaped."""
    return element(
        "text",
        escape(str(words)),
        x=float(x),
        y=float(y),
        class_=class_ or None,
        text_anchor=None if anchor == "start" else anchor,
    )


def box(x: float, y: float, width: float, height: float, **attributes: object) -> str:
    """A rectangle."""
    return element("rect", x=float(x), y=float(y), width=float(width), height=float(height), **attributes)


def item(name: str, label: str, *parts: str) -> str:
    """Something that can be chosen; the label is its hover text."""
    return element("g", "".join(parts), data_item=name, data_label=label)


def told(label: str, *parts: str) -> str:
    """Something with hover text that cannot be chosen."""
    return element("g", "".join(parts), data_label=label)


def svg(label: str, *parts: str, width: float = WIDTH, height: float = HEIGHT) -> str:
    """The whole picture; the label is for screen readers."""
    inside = "".join(parts) + '<g class="over"></g>'
    return element("svg", inside, viewBox=f"0 0 {number(width)} {number(height)}", role="group", aria_label=label)


def path(lines: Iterable[np.ndarray], closed: bool = False) -> str:
    """The d attribute of a path along some lines, in whole units and relative steps.

    >>> path([np.array([(0.2, 1), (5, 1), (5, 1.3), (7, 4)])])
    'M0 1l5 0 2 3'
    """
    pieces = []
    for line in lines:
        corners = np.rint(line).astype(int)
        moved = np.diff(corners, axis=0)
        steps = moved[(moved != 0).any(axis=1)]
        if closed and len(steps) and (corners[0] == corners[-1]).all():
            steps = steps[:-1]
        if len(steps):
            x, y = corners[0].tolist()
            pieces.append(f"M{x} {y}l" + " ".join(f"{dx} {dy}" for dx, dy in steps.tolist()) + ("z" if closed else ""))
    return "".join(pieces)


def drawn_table(
    title: str,
    frame: pd.DataFrame,
    left: float,
    top: float,
    widths: Sequence[float],
    *,
    height: float = 46,
    name: Callable[[int], str] | None = None,
    fill: Callable[[int], str | None] | None = None,
) -> str:
    """A table with its heading.

    Parameters
    ----------
    widths : Widths of the columns.
    height : Height of a row.
    name : The name of a row, if rows can be chosen.
    fill : The color of a row.
    """
    whole = sum(widths)
    starts = [left + 12 + sum(widths[:number]) for number in range(len(widths))]
    parts = [words_at(left, top - 14, title, "strong")]
    parts += [words_at(x, top + 28, column, "dim") for x, column in zip(starts, frame.columns, strict=True)]
    for place, row in enumerate(frame.astype(str).itertuples(index=False)):
        y = top + 42 + place * height
        shade = fill(place) if fill else None
        back = box(left, y, whole, height - 6, class_=None if shade else "cell", fill=shade, rx=6)
        ink = "onfill" if shade else ""
        cells = "".join(words_at(x, y + height / 2 + 4, cell, ink) for x, cell in zip(starts, row, strict=True))
        label = f"Row {place + 1}: " + ", ".join(map(str, row))
        parts.append(item(name(place), label, back, cells) if name else back + cells)
    return element("g", "".join(parts))


# ---------------------------------------------------------------------------------------------------------------------
# A table of two columns as a plane: a dot for each pair of values, groups as boxes.
# ---------------------------------------------------------------------------------------------------------------------


AGE, SCHOOL = "age", "education"
LEFT, TOP, RIGHT, BOTTOM = 150, 10, 890, 560
TICKS = 3  # every third age and education is labeled


@cache
def ages_and_schools() -> kanon.Table:
    """The records of Adult with ages in five-year ranges and educations in order; salaries are kept."""
    return sample("adult-coarse", quasi_identifiers=[AGE, SCHOOL])


@dataclass(frozen=True)
class Box:
    """A group: positions of ages and of educations, including the last ones."""

    ages: tuple[int, int]
    schools: tuple[int, int]


@dataclass(frozen=True, eq=False)
class DotPlane:
    """Positions of ages (left to right) and educations (bottom to top) in a picture."""

    table: kanon.Table  # with two quasi-identifiers

    @cached_property
    def counts(self) -> np.ndarray:
        """(ages, schools) int64: records of each pair."""
        columns, rows = map(len, self.table.domains)
        flat = np.bincount(self.table.codes[:, 0] * rows + self.table.codes[:, 1], minlength=columns * rows)
        return flat.reshape(columns, rows)

    def x(self, position: float) -> float:
        """The left edge of an age."""
        return LEFT + (RIGHT - LEFT) * position / len(self.table.domains[0])

    def y(self, position: float) -> float:
        """The lower edge of an education."""
        return BOTTOM - (BOTTOM - TOP) * position / len(self.table.domains[1])

    def held(self, box: Box) -> int:
        """Records in a box."""
        (west, east), (south, north) = box.ages, box.schools
        return int(self.counts[west : east + 1, south : north + 1].sum())

    def corners(self, box: Box) -> dict[str, float]:
        """A box as the attributes of a rectangle."""
        left, top = self.x(box.ages[0]), self.y(box.schools[1] + 1)
        return {"x": left, "y": top, "width": self.x(box.ages[1] + 1) - left, "height": self.y(box.schools[0]) - top}

    def words(self, box: Box) -> str:
        """The ages and educations of a box, in words."""
        ages, schools = self.table.domains
        first, last = (str(ages[place]).split("–") for place in box.ages)
        low, high = (str(schools[place]) for place in box.schools)
        years = f"{first[0]}–{last[-1]}" if len(last) > 1 else f"{first[0]} and older"
        return f"ages {years}, {low if low == high else f'{low} to {high}'}"

    def ground(self) -> str:
        """Dots sized by the number of records, and the names of ages and educations."""
        counts = self.counts
        largest = min(self.x(1) - self.x(0), self.y(0) - self.y(1)) / 2
        scale = largest / np.sqrt(counts.max())
        dots = [
            element(
                "circle",
                cx=self.x(age + 0.5),
                cy=self.y(school + 0.5),
                r=max(1.0, float(np.sqrt(counts[age, school]) * scale)),
            )
            for age, school in np.argwhere(counts > 0).tolist()
        ]
        names = [
            words_at(self.x(place + 0.5), BOTTOM + 26, name, "dim", "middle")
            for place, name in list(enumerate(self.table.domains[0]))[::TICKS]
        ]
        names += [
            words_at(LEFT - 8, self.y(place + 0.5) + 7, name, "dim", "end")
            for place, name in list(enumerate(self.table.domains[1]))[::TICKS]
        ]
        frame = element("rect", x=LEFT, y=TOP, width=RIGHT - LEFT, height=BOTTOM - TOP, class_="axis")
        title = words_at((LEFT + RIGHT) / 2, BOTTOM + 54, "age", "strong", "middle")
        return element("g", "".join(dots), class_="dots") + "".join(names) + frame + title

    def upright(self, position: int, class_: str = "cut") -> str:
        """A line before an age, through the whole plane."""
        return element("path", d=f"M{number(self.x(position))} {TOP}V{BOTTOM}", class_=class_)

    def level(self, position: int, class_: str = "cut") -> str:
        """A line below an education, through the whole plane."""
        return element("path", d=f"M{LEFT} {number(self.y(position))}H{RIGHT}", class_=class_)


def boxes_of(g: kanon.Generalization) -> list[Box]:
    """The boxes of a result, by class."""
    corners = zip(g.details.low.tolist(), g.details.high.tolist(), strict=True)
    return [Box((low[0], high[0]), (low[1], high[1])) for low, high in corners]


def spans(cuts: list[int], length: int) -> list[tuple[int, int]]:
    """The first and last position of each part that cuts make.

    >>> spans([2, 3], 5)
    [(0, 1), (2, 2), (3, 4)]
    """
    edges = [0, *cuts, length]
    return [(first, last - 1) for first, last in itertools.pairwise(edges)]


FINE = 2.5  # units of a picture: smaller bends are left out


@dataclass(frozen=True, eq=False)
class Sheet:
    """Areas in a rectangle of a picture."""

    areas: Regions  # with geometry in degrees
    # left, top, width, height: the drawing area; areas keep their proportions and are centered
    left: float
    top: float
    width: float
    height: float

    @cached_property
    def shapes(self) -> np.ndarray:
        """(n,) polygons in picture units, y downward."""
        assert self.areas.geometry is not None
        degrees = np.asarray(self.areas.geometry.array)
        west, south, east, north = shapely.total_bounds(degrees)
        narrow = np.cos(np.radians((south + north) / 2))
        scale = min(self.width / ((east - west) * narrow), self.height / (north - south))
        left = self.left + (self.width - (east - west) * narrow * scale) / 2
        top = self.top + (self.height - (north - south) * scale) / 2

        def placed(xy: np.ndarray) -> np.ndarray:
            return np.column_stack([left + (xy[:, 0] - west) * narrow * scale, top + (north - xy[:, 1]) * scale])

        flat = shapely.transform(degrees, placed)
        return shapely.coverage_simplify(flat, FINE)

    def area_paths(self) -> list[str]:
        """The d attribute of each area's path."""
        return [path(_rings(shape), closed=True) for shape in self.shapes.tolist()]

    def filled(self, colors: str, label: Callable[[int], str], name: Callable[[int], str] | None = None) -> str:
        """All areas in color, one letter per area as in `LessonState.fills`; with a name they can be chosen."""
        drawn = []
        for place, (d, color) in enumerate(zip(self.area_paths(), colors, strict=True)):
            shape = element("path", d=d, class_=f"c{color}")
            drawn.append(item(name(place), label(place), shape) if name else told(label(place), shape))
        return element("g", "".join(drawn), class_="area")

    def outlines(self, assignment: np.ndarray, class_: str = "border") -> str:
        """Thick lines around the classes; areas of class -1 have none."""
        classes = [self.shapes[assignment == number] for number in range(int(assignment.max()) + 1)]
        lines = [ring for shapes in classes for ring in _rings(shapely.coverage_union_all(shapes))]
        return element("path", d=path(lines, closed=True), class_=class_)

    def middle(self, place: int) -> tuple[float, float]:
        """A point within an area."""
        point = shapely.point_on_surface(self.shapes[place])
        return float(point.x), float(point.y)


def group_colors(areas: Regions, assignment: np.ndarray) -> str:
    """The color of each area's class, one digit per area; neighboring classes have different ones."""
    numbers = class_colors(areas.edges, assignment, int(assignment.max()) + 1)
    return "".join(str(numbers[number]) for number in assignment.tolist())


def _rings(shape: shapely.Geometry) -> list[np.ndarray]:
    return [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(shape))]
