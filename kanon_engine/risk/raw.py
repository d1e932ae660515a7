"""The records as they are before anything is generalized, to compare a release with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import Released

PLACE, COUNT = "place", "count"


def raw(instance: Any, *, k: int = 1, sensitive: Sequence[str] = ()) -> Released:
    """What everybody would see, were the instance released as it is.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    k : int
        What is asked of the release.
    sensitive : sequence of str
        Columns of a table, or of what else is known of the points of a metric space.

    Returns
    -------
    Released
        Of a table its quasi-identifiers and sensitive columns; of areas each with somebody in it, of points each
        distinct place, of labels each label, of a metric space each distinct record, with how many they stand for.

    Raises
    ------
    InvalidInput
        A sensitive column that is not there.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> raw(kanon.Points([(0, 0), (1, 0), (1, 0)], [2, 1, 4], unit="people")).sizes.tolist()
    [2, 5]
    """
    from kanon_engine.clusters.instance import MetricSpace
    from kanon_engine.labels.instance import Labels
    from kanon_engine.rectangles.instance import Points
    from kanon_engine.tables.instance import Table
    from kanon_engine.tables.one_by_one import expanded

    sensitive = tuple(sensitive)
    if isinstance(instance, Table):
        quasi = tuple(instance.quasi_identifiers)
        columns = dict.fromkeys((*quasi, *sensitive))
        lacking = [name for name in columns if name not in instance.frame.columns]
        if not lacking:
            return Released(expanded(instance).frame[list(columns)], quasi, sensitive, k, instance.unit)
    else:
        further = instance.frame if isinstance(instance, MetricSpace) else pd.DataFrame(index=range(len(instance)))
        lacking = [name for name in sensitive if name not in further.columns]
    if lacking:
        raise InvalidInput(f"There is no column {lacking[0]!r} in the data; name one that is there, or none.")
    if isinstance(instance, Points):
        places: Any = instance.locations
    elif isinstance(instance, Labels):
        places = instance.names
    elif isinstance(instance, MetricSpace):
        places = _distinct(instance)
    else:
        places = instance.ids
    frame = further[list(sensitive)].reset_index(drop=True)
    place, count = free_name(PLACE, sensitive), free_name(COUNT, sensitive)
    frame = frame.assign(**{place: places, count: instance.weights})
    frame = frame[frame[count] > 0].reset_index(drop=True)
    return Released(frame, (place,), sensitive, k, instance.unit, counts=count)


def free_name(name: str, taken: Collection[str]) -> str:
    """This name, or a longer one that no column has.

    Example
    -------
    >>> free_name("count", ["age"]), free_name("count", ["count"])
    ('count', 'count_')
    """
    while name in taken:
        name += "_"
    return name


def _distinct(space: Any) -> np.ndarray:
    """(n,) Equal where two records are at no distance from each other: the same in all columns."""
    if space.metric == "precomputed":
        same: np.ndarray = (space.points == 0).argmax(axis=1)
        return same
    columns = pd.DataFrame(space.points)
    return columns.groupby(list(columns.columns), dropna=False).ngroup().to_numpy()
