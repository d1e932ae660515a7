"""What each column of the data is, and what becomes of it in a release."""

from __future__ import annotations

from typing import Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.release.released import Released
from kanon_engine.report.review import Role

GENERALIZED, AS_IS, NOTHING = "generalized", "as it is", "nothing"


def roles_of(instance: Any, g: Generalization, released: Released) -> tuple[Role, ...]:
    """One line a column: of a table all its columns, of other data what the release shows.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Generalization
        Made from this instance.
    released : Released
        What leaves of it.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> from kanon_engine.release.made import released_of
    >>> table = kanon.Table(pd.DataFrame({"age": [30, 30, 41, 41], "name": list("abcd")}), ["age"])
    >>> g = kanon.generalize(table, 2)
    >>> [(role.column, role.role, role.released) for role in roles_of(table, g, released_of(table, g))]
    [('age', 'quasi-identifier', 'generalized'), ('name', 'other', 'nothing')]
    """
    shown = [str(name) for name in released.frame.columns]
    frame = getattr(instance, "frame", None)
    known = [str(name) for name in frame.columns] if frame is not None else []
    columns = dict.fromkeys([*known, *shown])
    return tuple(Role(name, _role(name, released), _released(name, shown, released)) for name in columns)


def _role(name: str, released: Released) -> str:
    if name in released.quasi_identifiers:
        return "quasi-identifier"
    if name in released.sensitive:
        return "sensitive"
    if name == released.counts or name in released.sums:
        return "count"
    return "derived" if name in released.derived else "other"


def _released(name: str, shown: list[str], released: Released) -> str:
    if name not in shown:
        return NOTHING
    return GENERALIZED if name in released.quasi_identifiers else AS_IS
