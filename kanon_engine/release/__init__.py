"""The engine's files: groups without items for release, and the internal crosswalk.

Groups are numbered from 1, as people see them; class c of a `Generalization` is group c + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family


def require_releasable(g: Generalization) -> None:
    """Raise `InvalidInput` for a relaxed result: its groups may be smaller than k."""
    if g.status == "relaxed":
        raise InvalidInput(
            f"This result of {g.algorithm} is not k-anonymous: its groups can be smaller than k = {g.k:,}, so no "
            "release can be made from it; choose another algorithm."
        )


def require_result_of(instance: Any, g: Generalization) -> None:
    """Raise `InvalidInput` for a result of different data, and for one that must not be released."""
    if g.instance_digest != instance.digest or len(g.assignment) != len(instance):
        raise InvalidInput("The result was made from different data, or from the same data read in another way.")
    require_releasable(g)


def release(
    instance: Any, g: Generalization, keep: Sequence[str] = (), *, codes_are_public: bool = False
) -> pd.DataFrame:
    """The release of a result: the records of a table, else groups with their sizes, and their shapes if they have any.

    The result is verified first. The frame holds no row numbers, no order of the file, no group of a single item, and
    no value that was generalized. The crosswalk and the certificate, which do, are made by
    `kanon_engine.release.crosswalk_frame` and `Generalization.to_json`.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Made from this instance.
    keep : For a table: other columns to release as they are, besides those listed when it was read.
    codes_are_public : bool
        For areas: whether anyone can look up which place each area's code stands for, as for zip codes and counties.
        Then the shapes of groups have exact borders; else they are made of squares of a grid.

    Returns
    -------
    DataFrame or GeoDataFrame
        For a table its records, generalized and sorted by their released values. For areas and points one row per group
        with its shape, for labels and for areas without shapes one row per group, for clusters one row per cluster
        with its center, its radius and, on the globe, its circle.

    Raises
    ------
    InvalidInput
        A result that must not be released: it is not k-anonymous, or the sides of its rectangles are coordinates of
        points. Columns to keep without a table, or that do not exist, or that hold a quasi-identifier's values.
    CertificateError : The result does not hold what it claims, or is of different data.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [41, 30, 30, 44], "sex": list("fmmf"), "illness": ["flu", "mumps", "flu", "flu"]})
    >>> table = kanon.Table(people, ["age", "sex"])
    >>> release(table, kanon.generalize(table, 2, "k-optimize"), ["illness"])
        age sex illness
    0    30   m     flu
    1    30   m   mumps
    2  ≥ 40   f     flu
    3  ≥ 40   f     flu
    """
    require_releasable(g)
    family = get_family(g.family)
    verify(instance, g)
    if keep and not family.releases_records:
        raise InvalidInput(
            f"No column of {family.items} can be kept, because {family.items} are not released one by one."
        )
    if family.release is None:
        raise InvalidInput(
            f"kanon does not make releases of {family.items}; do not release the result itself, only something that "
            f"you make from it and that does not show individual {family.items}."
        )
    if family.release.frame is None:
        return groups_frame(instance, g)
    surroundings = family.release.asked({"codes_are_public": codes_are_public})
    frame: pd.DataFrame = family.release.frame(instance, g, keep, **surroundings)
    return frame


def groups_frame(instance: Any, g: Generalization) -> pd.DataFrame:
    """One row per group: group, weight, unit, items, overfull_ratio (weight / k); nothing about single items.

    If the instance names its classes, the column `name` follows `group`; "largest" puts one label of each there.

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
    """The group of each item, sorted by the item's id, so that it does not reveal the order of the file.

    Internal: whoever has it can undo the release.

    Returns
    -------
    DataFrame : id, group (missing for items that are left out); whole numbers first, then text.

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
