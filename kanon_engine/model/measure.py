"""One figure about a release, with its meaning and its source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.words import number_text
from kanon_engine.shown import Shown

AREA = "Area in a cylindrical equal-area projection of the ellipsoid (EPSG:6933)."


@dataclass(frozen=True, repr=False)
class Measure(Shown):
    """One figure."""

    key: str  # its key, the same before and after: "prosecutor-highest"
    title: str  # its name for a person: "Highest risk of one record"
    value: float | int | None  # None if it cannot be computed; then `words` say why
    words: str  # the value as it is written: "0.2", "12 of 1,000 records"
    meaning: str  # one sentence on its meaning, for a person who has not read the source
    source: str  # formula and source

    def _facts(self) -> dict[str, object]:
        return {self.title: self.words}


def short(value: float) -> str:
    """A figure to four digits, or to whole numbers if it has more.

    >>> short(0.123456), short(12345.6), short(3.0)
    ('0.1235', '12,346', '3')
    """
    return number_text(value, 4)


def area_measures(
    noun: str, areas: np.ndarray | str, weights: np.ndarray, weighted_by: str, unit: str = "km²", source: str = AREA
) -> tuple[Measure, ...]:
    """The area of classes on the ground.

    Parameters
    ----------
    noun : The word for a class: "group".
    areas : The area of each class; or in words why they cannot be computed.
    weights : The weight of each class.
    counted : The unit of the weights: "people".
    """
    figures: list[tuple[float | None, str]] = [(None, areas if isinstance(areas, str) else "")] * 3
    if not isinstance(areas, str):
        values = [float(np.median(areas)), float(areas.max())]
        values += [float(areas @ weights / weights.sum())] if weights.sum() else []
        figures = [(value, f"{short(value)} {unit}") for value in values]
        figures += [(None, "not computed: all counts are 0")] if len(values) < 3 else []
    half, largest, mean = figures
    place = f"For a place in the largest {noun}, readers know only that it is somewhere within an area of this size."
    person = f"In this average, the area of a {noun} is counted once for each of its {weighted_by}."
    title = f"Area of the {noun}, averaged over {weighted_by}"
    return (
        Measure(
            "area-median", f"Area of the median {noun}", *half, f"Half of the {noun}s are no larger than this.", source
        ),
        Measure("area-largest", f"Largest area of a {noun}", *largest, place, source),
        Measure("area-of-person", title, *mean, person, f"Areas weighted by {weighted_by}. {source}"),
    )
