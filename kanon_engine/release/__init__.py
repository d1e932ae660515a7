"""What leaves the engine as files: groups without items, and the crosswalk that stays inside.

Groups are numbered from 1, as people see them; class c of a `Generalization` is group c + 1.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization

if TYPE_CHECKING:
    import geopandas


def require_releasable(g: Generalization) -> None:
    """Raise `InvalidInput` for a relaxed result: its groups may be lighter than k."""
    if g.status == "relaxed":
        raise InvalidInput(
            f"This result of {g.algorithm} is not k-anonymous: its groups need not reach k = {g.k:,}, so no release "
            f"can be made from it; choose another algorithm."
        )


def groups_frame(instance: Any, g: Generalization) -> pd.DataFrame:
    """One row a group: group, weight, unit, items, overfull_ratio (weight / k); nothing in it speaks of a single item.

    Where the instance names its classes, the column `name` follows `group`; "largest" puts one label of each there.

    Parameters
    ----------
    instance : Regions, Points or Labels
    g : Generalization
        Made from this instance.

    Returns
    -------
    DataFrame

    Raises
    ------
    InvalidInput
        The result is relaxed.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [5, 4, 1])
    >>> groups_frame(labels, kanon.generalize(labels, 5, "fold")).values.tolist()
    [[1, 5, 'records', 1, 1.0], [2, 5, 'records', 2, 1.0]]
    """
    require_releasable(g)
    names = instance.named_classes(g.assignment) if hasattr(instance, "named_classes") else None
    return pd.DataFrame(
        {
            "group": np.arange(1, g.classes + 1),
            **({} if names is None else {"name": names}),
            "weight": g.class_weights,
            "unit": instance.unit,
            "items": np.bincount(g.assignment[g.assignment >= 0], minlength=g.classes),
            "overfull_ratio": g.class_weights / g.k,
        }
    )


def crosswalk_frame(instance: Any, g: Generalization) -> pd.DataFrame:
    """The group of each item, sorted by the item's id, so that the order of the file is not in it.

    Internal: whoever holds it can undo the release.

    Parameters
    ----------
    instance : Regions, Points, Labels or Table
    g : Generalization
        Made from this instance.

    Returns
    -------
    DataFrame
        id, group (missing for what is left out); whole numbers first, then text.

    Raises
    ------
    InvalidInput
        The result is relaxed.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(["b", "a", "c"], [5, 4, 1])
    >>> crosswalk_frame(labels, kanon.generalize(labels, 5, "fold")).values.tolist()
    [['a', 2], ['b', 1], ['c', 2]]
    """
    require_releasable(g)
    ids = instance.ids.tolist()
    order = sorted(range(len(ids)), key=lambda place: (isinstance(ids[place], str), ids[place]))
    groups = pd.Series(g.assignment[order] + 1)
    left_out = groups == 0
    if left_out.any():
        groups = groups.astype("Int32").mask(left_out)
    return pd.DataFrame({"id": [ids[place] for place in order], "group": groups})


def geopackage(frame: geopandas.GeoDataFrame) -> bytes:
    """A frame with shapes as the bytes of a GeoPackage.

    Parameters
    ----------
    frame : GeoDataFrame
        From a family's `shapes_frame`.

    Raises
    ------
    InvalidInput
        It cannot be written, for there is too little memory.
    """
    return _written(frame, "GPKG", promote_to_multi=True)


def geojson(frame: geopandas.GeoDataFrame) -> bytes:
    """A frame with shapes as the bytes of a GeoJSON file.

    Parameters
    ----------
    frame : GeoDataFrame
        From a family's `shapes_frame`.

    Raises
    ------
    InvalidInput
        It cannot be written, for there is too little memory.
    """
    return _written(frame, "GeoJSON")


def _written(frame: geopandas.GeoDataFrame, driver: str, **form: Any) -> bytes:
    """In memory, so that no full or read-only disk is in the way."""
    import pyogrio

    target = io.BytesIO()
    try:
        pyogrio.write_dataframe(frame, target, driver=driver, layer="groups", **form)
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, pyogrio.errors.FeatureError) as error:
        raise InvalidInput(
            f"The groups cannot be written as {driver}, most likely for want of memory; write groups without shapes "
            f"as CSV, or free memory and try again."
        ) from error
    return target.getvalue()
