"""Records of one's own among clusters: the nearest of those that a record lies in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.released import shown_centers
from kanon_engine.errors import InvalidInput
from kanon_engine.io.coordinates import numbers_of
from kanon_engine.release.placing import BLANK, Placed

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine.model.generalization import Generalization


def placed(space: MetricSpace, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """Center, radius and count in place of coordinates: of the clusters whose circle holds a record, the nearest's.

    Centers and radii are those that leave, so that everybody finds the same cluster.
    """
    if not space.free:
        raise InvalidInput(
            f"With the metric {space.metric} no center that leaves tells which cluster a further record is in; "
            "cluster the records themselves, or take numbers or places."
        )
    if len(by) != len(space.names):
        raise InvalidInput(f"Name the columns of the records that hold {', '.join(space.names)}, in this order.")
    values = np.column_stack([numbers_of(records[name])[0] for name in by])
    there = np.isfinite(values).all(axis=1)
    reasons = np.where(there, "outside of all clusters", BLANK).astype(object)
    if space.metric == "haversine":
        on_globe = there & (np.abs(values) <= (180, 90)).all(axis=1)
        reasons[there & ~on_globe] = "no longitude and latitude"
        there = on_globe
    shown = shown_centers(space, g)
    classes = np.full(len(values), -1, dtype=np.int64)
    if there.any():
        own = MetricSpace(values[there] / space.units, space.metric)
        best = np.full(len(own), np.inf)
        nearest = np.full(len(own), -1, dtype=np.int64)
        for number, (center, radius) in enumerate(zip(shown.centers, shown.radii.tolist(), strict=True)):
            apart = own.from_center(center)
            closer = (apart <= radius) & (apart < best)
            best[closer], nearest[closer] = apart[closer], number
        classes[there] = nearest
    reasons[classes >= 0] = ""
    radius_name = "radius" + (f"_{space.measure}" if space.measure else "")
    columns = {"group": list(range(1, g.classes + 1)), radius_name: shown.radii.tolist()}
    columns |= {f"center_{name}": list(told) for name, told in shown.columns.items()}
    return Placed(classes, reasons, tuple(by), columns | {"count": g.class_weights.tolist()})
