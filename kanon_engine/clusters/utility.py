"""What clusters lose: how far records are from what stands for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.model.generalization import members_of
from kanon_engine.model.measure import Measure, short
from kanon_engine.model.words import number_text

if TYPE_CHECKING:
    from kanon_engine.clusters.instance import MetricSpace
    from kanon_engine.model.generalization import Generalization


def utility(space: MetricSpace, g: Generalization) -> tuple[Measure, ...]:
    """Radii, distances to centers, and the share of squares that is lost."""
    radii, weights = g.details.radii, g.class_weights
    mean = float(radii @ weights / weights.sum())
    apart = float(_distances(space, g) @ space.weights[g.assignment >= 0] / weights.sum())
    unit = f" {space.measure}" if space.measure else ""
    return (
        Measure(
            "radius-largest",
            "Largest radius",
            float(radii.max()),
            f"{short(float(radii.max()))}{unit}",
            "No record is farther from its center.",
            "Largest distance of a record from the center of its cluster, as found.",
        ),
        Measure(
            "radius-of-record",
            f"Radius of the cluster, on average over {space.unit}",
            mean,
            f"{short(mean)}{unit}",
            "How large the cluster is that one of them is in, on average.",
            f"Radii weighted by {space.unit}.",
        ),
        Measure(
            "distance-mean",
            "Distance to the center",
            apart,
            f"{short(apart)}{unit} on average",
            "How far the center is from a record that it stands for, on average.",
            f"Distances weighted by {space.unit}.",
        ),
        _squares(space, g),
    )


def _distances(space: MetricSpace, g: Generalization) -> np.ndarray:
    """(r,) float64: of each point that is not left out, from its center as it was found."""
    found = np.zeros(len(space))
    for own, place, center in zip(
        members_of(g.assignment, g.classes), g.details.places.tolist(), g.details.centers, strict=True
    ):
        found[own] = space.between(own, [place])[:, 0] if place >= 0 else space.from_center(center, own)
    return found[g.assignment >= 0]


def _squares(space: MetricSpace, g: Generalization) -> Measure:
    """SSE / SST, around means; of places on the globe by their chords through it."""
    title, meaning = "Squares lost", "0 % where clusters tell all of a record's place, 100 % where they tell nothing."
    source = (
        "SSE / SST: squared distances to the means of clusters over those to the mean of all (Domingo-Ferrer, "
        "Mateo-Sanz 2002); on the globe of chords."
    )
    spots = space.embedding if space.free else None
    if spots is None:
        words = f"not worked out: the metric {space.metric} has no means"
        return Measure("squares-lost", title, None, words, meaning, source)
    inside = g.assignment >= 0
    within = sum(_around(spots[own], space.weights[own]) for own in members_of(g.assignment, g.classes))
    total = _around(spots[inside], space.weights[inside])
    share = within / total if total > 0 else 0.0
    return Measure("squares-lost", title, share, f"{number_text(round(100 * share, 9), 4)} %", meaning, source)


def _around(spots: np.ndarray, weights: np.ndarray) -> float:
    """Sum of squared distances to the mean."""
    if not len(spots):
        return 0.0
    mean = weights @ spots / weights.sum()
    return float(weights @ ((spots - mean) ** 2).sum(axis=1))
