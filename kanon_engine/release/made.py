"""The release of a result of any family as its reader sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.words import free_name
from kanon_engine.release import require_result_of
from kanon_engine.release.released import Released


def released_of(
    instance: Any,
    g: Generalization,
    keep: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    **surroundings: Any,
) -> Released:
    """The released data of a result: the records of a table, the groups of any other family.

    The result is assumed to be verified. Records of clusters are listed one by one if columns of them are kept,
    although a release shows each such column separately: so no consequence of it is missed.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Made from this instance.
    keep : sequence of str, optional
        Columns that are released as they are: of a table; of areas the second counts whose sums are released. If None,
        those that were listed when the data were read.
    sensitive : Which of them reveal something about a person, as for `kanon.audit`.
    **surroundings : What the family's release `asks`: for areas `codes_are_public`.

    Raises
    ------
    InvalidInput : A result that must not be released, or of different data; a column that cannot be kept.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [5, 4, 1])
    >>> release = released_of(labels, kanon.generalize(labels, 5, "fold"))
    >>> release.frame.values.tolist(), release.meanings["group"]
    ([[1, 5], [2, 5]], {1: ('a',), 2: ('b', 'c')})
    """
    require_result_of(instance, g)
    release = get_family(g.family).release
    if release is None or release.released is None:
        require_no_columns(get_family(g.family).items, keep, sensitive)
        return groups_released(instance, g)
    released: Released = release.released(instance, g, keep, sensitive, **release.asked(surroundings))
    return released


def groups_released(
    instance: Any,
    g: Generalization,
    columns: Mapping[str, Any] | None = None,
    sums: Mapping[str, np.ndarray] | None = None,
    meanings: Mapping[str, Mapping[Any, Sequence[Any]]] | None = None,
) -> Released:
    """One row per group: its number, other columns that distinguish it, its weight, and sums of second counts.

    Parameters
    ----------
    columns : mapping of str to (m,) array-like, optional. They distinguish groups, besides their numbers.
    sums : mapping of str to (m,) int, optional
    meanings : As in `Released`.
    """
    labels, summed = dict(columns or {}), dict(sums or {})
    columns_of_groups = {"group": np.arange(1, g.classes + 1), **labels, "weight": g.class_weights}
    for name, values in summed.items():
        columns_of_groups[free_name(name, columns_of_groups)] = values
    return Released(
        pd.DataFrame(columns_of_groups),
        ("group", *labels),
        k=g.k,
        unit=instance.unit,
        counts="weight",
        sums=tuple(list(columns_of_groups)[2 + len(labels) :]),
        left_out=int(instance.total) - int(g.class_weights.sum()),
        meanings=dict(meanings or {}),
    )


def require_no_columns(items: str, keep: Sequence[str] | None, sensitive: Sequence[str] | None) -> None:
    """Raise `InvalidInput` if columns are listed for items that are not released one by one."""
    requested = [*(keep or ()), *(sensitive or ())]
    if requested:
        raise InvalidInput(
            f"No column of {items} can be kept, because {items} are not released one by one; leave out "
            f"{requested[0]!r}."
        )


# ---------------------------------------------------------------------------------------------------------------------
# Data on single items that must not be in a released table.
# ---------------------------------------------------------------------------------------------------------------------


def id_in(frame: pd.DataFrame, ids: Iterable[Any], allowed: Iterable[Any] = ()) -> str:
    """Where the id of an item appears among words, in words; "" if none does.

    Numbers are not checked: a count or the number of a group can equal an id by chance.

    >>> id_in(pd.DataFrame({"group": [1], "name": ["06604"]}), ["06604", "06605"])
    'the code “06604”, in “name”'
    """
    private = {str(name) for name in ids} - {str(name) for name in allowed}
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]) and str(frame[name].dtype) != "geometry":
            code = next((cell for cell in frame[name] if isinstance(cell, str) and cell in private), None)
            if code is not None:
                return f"the code “{code}”, in “{name}”"
    return ""
