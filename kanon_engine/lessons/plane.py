"""A table of two columns as a plane: a dot for each pair of values, groups as boxes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

import kanon_engine as kanon
from kanon_engine.lessons.drawing import element, number, words_at
from kanon_engine.studies.samples import sample

AGE, SCHOOL = "age", "education"
LEFT, TOP, RIGHT, BOTTOM = 150, 10, 890, 560
TICKS = 3  # every third age and education has its name


@cache
def ages_and_schools() -> kanon.Table:
    """The records of Adult with ages in ranges of five years and educations in their order; salaries are kept."""
    return sample("adult-coarse", quasi_identifiers=[AGE, SCHOOL])


@dataclass(frozen=True)
class Box:
    """A group: positions of ages and of educations, the last ones included."""

    ages: tuple[int, int]
    schools: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Plane:
    """Where ages (from left to right) and educations (from below) lie in a picture.

    Attributes
    ----------
    table : Table
        Of two quasi-identifiers.
    """

    table: kanon.Table

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
        """As the attributes of a rectangle."""
        left, top = self.x(box.ages[0]), self.y(box.schools[1] + 1)
        return {
            "x": left,
            "y": top,
            "width": self.x(box.ages[1] + 1) - left,
            "height": self.y(box.schools[0]) - top,
        }

    def words(self, box: Box) -> str:
        """Which ages and educations a box holds."""
        ages, schools = self.table.domains
        first, last = (str(ages[place]).split("–") for place in box.ages)
        low, high = (str(schools[place]) for place in box.schools)
        years = f"{first[0]}–{last[-1]}" if len(last) > 1 else f"{first[0]} and older"
        return f"ages {years}, {low if low == high else f'{low} to {high}'}"

    def ground(self) -> str:
        """Dots as large as there are records, and the names of ages and educations."""
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
        """A line before an age, through everything."""
        return element("path", d=f"M{number(self.x(position))} {TOP}V{BOTTOM}", class_=class_)

    def level(self, position: int, class_: str = "cut") -> str:
        """A line below an education, through everything."""
        return element("path", d=f"M{LEFT} {number(self.y(position))}H{RIGHT}", class_=class_)


def boxes_of(g: kanon.Generalization) -> list[Box]:
    """The boxes of a result with boxes, by class."""
    found = zip(g.details.low.tolist(), g.details.high.tolist(), strict=True)
    return [Box((low[0], high[0]), (low[1], high[1])) for low, high in found]


def spans(cuts: list[int], length: int) -> list[tuple[int, int]]:
    """What cuts make of so many positions, each from its first to its last.

    Example
    -------
    >>> spans([2, 3], 5)
    [(0, 1), (2, 2), (3, 4)]
    """
    edges = [0, *cuts, length]
    return [(first, last - 1) for first, last in itertools.pairwise(edges)]
