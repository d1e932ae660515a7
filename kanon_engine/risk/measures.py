"""Figures for the risk of a release, and of the records as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import family_of
from kanon_engine.model.measure import Measure
from kanon_engine.model.words import free_name
from kanon_engine.release.released import Released
from kanon_engine.risk.diversity import diversity_measures
from kanon_engine.risk.population import journalist_measures, uniques_measures, weighted_measures
from kanon_engine.risk.sample import sample_measures
from kanon_engine.validate import told

THRESHOLD = 0.2  # ARX's default of the highest risk


def measures(
    released: Released,
    *,
    population_sizes: Any = None,
    population: int | None = None,
    threshold: float = THRESHOLD,
    sampling_weights: Any = None,
    whole: pd.DataFrame | None = None,
) -> tuple[Measure, ...]:
    """Every measure of risk, each with its formula and source.

    Parameters
    ----------
    released : Of any family, records or groups with counts.
    population_sizes : (m,) whole numbers, optional
        How many people of the population are in each class, including those in the release, in the order of
        `released.sizes`. Without them the journalist risk is not known.
    population : int, optional
        Size of the population that the release is a random sample of. Without it, population uniques are not
        estimated.
    threshold : Risk above which a record counts as at risk.
    sampling_weights : (rows,) numbers of at least 1, optional
        How many people of the population each record of a row represents. Adds two more measures.
    whole : DataFrame, optional
        The records that the values of a class are compared with; if None, the release as its reader has it.

    Returns
    -------
    tuple of Measure
        Sizes of classes, prosecutor, journalist and marketer risk, uniques, and for each sensitive column its
        diversity; see docs/risk.md.

    Raises
    ------
    InvalidInput
        Not one population size per class, or one below the size of its class; a population smaller than the release;
        weights below 1; a threshold that is not a share.

    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "illness": ["flu", "cold", "flu", "flu"]})
    >>> release = Released(people, ("age",), ("illness",), k=2)
    >>> found = {one.key: one for one in measures(release, population_sizes=[8, 5])}
    >>> found["k-reached"].value, found["journalist-highest"].words, found["distinct-l:illness"].value
    (2, '1 in 5 (20 %)', 1)
    """
    if not 0 < threshold <= 1:
        raise InvalidInput(f"The risk threshold is {told(threshold)}; give a share above 0 and at most 1.")
    sizes = None if population_sizes is None else _population_sizes(released, population_sizes)
    if population is not None and population < released.records:
        raise InvalidInput(
            f"The population has {population:,} people, fewer than the {released.records:,} in the release; "
            "give a larger number."
        )
    result = [
        *sample_measures(released, threshold),
        *journalist_measures(released, sizes, threshold),
        *uniques_measures(released, population),
    ]
    if sampling_weights is not None:
        result += weighted_measures(released, _sampling_weights(released, sampling_weights))
    for column in released.sensitive:
        result += diversity_measures(released, column, whole)
    return tuple(result)


def _population_sizes(released: Released, values: Any) -> np.ndarray:
    """(m,) int64, each at least the size of its class."""
    sizes = np.asarray(values)
    if sizes.shape != released.sizes.shape:
        raise InvalidInput(
            f"There are {len(sizes):,} population sizes for {len(released.sizes):,} groups; give one per group."
        )
    small = np.flatnonzero(~(sizes >= released.sizes))
    if len(small):
        size, place = released.sizes[small[0]], int(small[0])
        raise InvalidInput(
            f"Group {place + 1:,} has {size:,} {released.unit} in the release and {sizes[place]:,} people in the "
            "population; the population must include those in the release."
        )
    return sizes.astype(np.int64)


def _sampling_weights(released: Released, values: Any) -> np.ndarray:
    """(rows,) float64 of at least 1."""
    weights = np.asarray(values, dtype=float)
    if weights.shape != (len(released.frame),):
        raise InvalidInput(
            f"There are {weights.size:,} sampling weights for {len(released.frame):,} rows; give one per row."
        )
    if not (np.isfinite(weights) & (weights >= 1)).all():
        raise InvalidInput("A sampling weight is below 1 or missing; each record represents at least itself.")
    return weights


PLACE, COUNT = "place", "count"


def raw(instance: Any, *, sensitive: Sequence[str] = ()) -> Released:
    """What everyone would see if the instance were released as it is: its `measures` are the risk before a release.

    For a table, its quasi-identifiers and sensitive columns. Otherwise each area with anyone in it, each distinct
    point, each label, or each distinct record of a metric space, with the number that it represents.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    sensitive : Columns of a table, or of what else is known about the points of a metric space.

    Raises
    ------
    InvalidInput : A sensitive column that does not exist.

    >>> import kanon_engine as kanon
    >>> raw(kanon.Points([(0, 0), (1, 0), (1, 0)], [2, 1, 4], unit="people")).sizes.tolist()
    [2, 5]
    >>> [one.words for one in measures(raw(kanon.Labels("abc", [5, 4, 1])))][1:4]
    ['1', '3.33 in 3 groups', '1 in 1 (100 %)']
    """
    sensitive, family = tuple(sensitive), family_of(instance)
    records = None if family.release is None else family.release.records
    further = getattr(instance, "frame", pd.DataFrame(index=range(len(instance))))
    quasi = () if records is None else tuple(instance.quasi_identifiers)
    columns = list(dict.fromkeys((*quasi, *sensitive)))
    lacking = [name for name in columns if name not in further.columns]
    if lacking:
        raise InvalidInput(f"There is no column {lacking[0]!r} in the data; choose an existing column, or none.")
    if records is not None:
        frame = instance.frame[columns].iloc[records.rows(instance)].reset_index(drop=True)
        return Released(frame, quasi, sensitive, unit=instance.unit)
    attribute = {"rectangles": "locations", "labels": "names"}.get(family.name, "ids")
    places = _distinct(instance) if family.name == "clusters" else getattr(instance, attribute)
    frame = further[list(sensitive)].reset_index(drop=True)
    place, count = free_name(PLACE, sensitive), free_name(COUNT, sensitive)
    frame = frame.assign(**{place: places, count: instance.weights})
    frame = frame[frame[count] > 0].reset_index(drop=True)
    return Released(frame, (place,), sensitive, unit=instance.unit, counts=count)


def _distinct(space: Any) -> np.ndarray:
    """(n,) Equal for two records at distance 0 from each other: identical in all columns."""
    if space.metric == "precomputed":
        same: np.ndarray = (space.points == 0).argmax(axis=1)
        return same
    columns = pd.DataFrame(space.points)
    return columns.groupby(list(columns.columns), dropna=False).ngroup().to_numpy()
