"""Many k, many algorithms: one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.generalize import generalize
from kanon_engine.model.bound import Cost
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.requirement import Requirement
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.registry import family_of
from kanon_engine.validate import positive_k

COLUMNS = {
    "algorithm": "str",
    "k": "int64",
    "cost": "Int64",
    "lower_bound": "Int64",
    "overfull_ratio": "Float64",
    "classes": "Int64",
    "status": "str",
    "seconds": "Float64",
}
COSTS = ("cost", "lower_bound")


def sweep(
    instance: Any,
    ks: Iterable[int],
    algorithms: Iterable[str] | Mapping[str, tuple[str, Mapping[str, Any]]] | None = None,
    *,
    require: Iterable[Requirement] | Requirement = (),
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
) -> pd.DataFrame:
    """Run every algorithm at every k; each result is verified as in `generalize`.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    ks : iterable of int
    algorithms : iterable of names, or mapping of label to (name, options), optional
        The family's default algorithm when None.
    require, seed, time_limit
        As in `generalize`; the time limit is for each single run.
    progress : callable, optional
        Called with `Progress` during and after each run; returns False to stop: the table then holds the runs so far,
        the last one with the best that it had found.

    Returns
    -------
    DataFrame
        A row an algorithm and k, in that order: algorithm (the label), k, cost, lower_bound, overfull_ratio, classes,
        status, seconds. An infeasible k is a row with status "infeasible" and empty figures.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> table = sweep(kanon.Labels(["a", "b", "c"], [2, 2, 3]), [3, 8], ["fold"])
    >>> table[["k", "cost", "status"]].values.tolist()
    [[3, 4, 'optimal'], [8, <NA>, 'infeasible']]
    """
    family = family_of(instance)
    if algorithms is not None and (isinstance(algorithms, str) or not isinstance(algorithms, Iterable)):
        raise InvalidInput(f"The algorithms are {algorithms!r}; give a list of names.")
    if not isinstance(ks, Iterable):
        raise InvalidInput(f"The values of k are {ks!r}; give a list of whole numbers.")
    if algorithms is None:
        algorithms = [family.default]
    named = dict(algorithms) if isinstance(algorithms, Mapping) else {name: (name, {}) for name in algorithms}
    for label, entry in named.items():
        if not isinstance(entry, tuple | list) or len(entry) != 2 or not isinstance(entry[1], Mapping):
            raise InvalidInput(
                f"The entry of {label!r} is {entry!r}; give a pair of an algorithm's name and its options."
            )
    for name, options in named.values():
        family.algorithm(name).checked_options(options)
    values = [positive_k(k) for k in ks]
    required = tuple(require) if isinstance(require, Iterable) else require

    rows: list[dict[str, Any]] = []
    runs = [(label, name, options, k) for label, (name, options) in named.items() for k in values]
    listener = _Listener(progress, len(runs))
    for label, name, options, k in runs:
        listener.run = f"{label}, k = {k:,}"
        given = dict(options) | {"require": required}
        try:
            g = generalize(instance, k, name, seed=seed, time_limit=time_limit, progress=listener.during, **given)
        except Infeasible:
            g = None
        rows.append(row_of(label, k, g))
        if not listener.after(len(rows), rows[-1].get("cost"), rows[-1].get("lower_bound")):
            break
    return table_of(rows)


def served(table: pd.DataFrame) -> pd.DataFrame:
    """For each k the row whose largest class is the smallest of those that serve it: made for this k or a larger one.

    For rows of one instance under the same conditions, where nothing is weighed against the largest class and no
    barriers give way to one k and not to another. A class of at least k' > k holds at least k: so every solution for k'
    is one for k, the least cost does not fall when k grows, and a lower bound for a smaller k bounds every larger one.
    So both lines of the k that are served never fall.

    Parameters
    ----------
    table : DataFrame
        From `sweep`.

    Returns
    -------
    DataFrame
        The same columns, with the k that is served, and `made_by` and `made_for`: the algorithm and the k of the row.
        Of equals the one for the least k comes first, then the one with the most classes. What is optimal for a larger
        k is "feasible" where the bound does not prove more. Relaxed rows, whose classes need not reach their k, serve
        none. A k that nothing serves keeps a row of its own.

    Example
    -------
    >>> row = {"algorithm": "fold", "lower_bound": 4, "overfull_ratio": 1.0, "classes": 2, "status": "feasible"}
    >>> made = table_of([{**row, "k": k, "cost": cost, "seconds": 0.0} for k, cost in ((3, 8), (4, 6), (5, 7))])
    >>> served(made)[["k", "cost", "made_for"]].values.tolist()
    [[3, 6, 4], [4, 6, 4], [5, 7, 5]]
    """
    solved = table[~table["status"].isin(["infeasible", "relaxed"])]
    order = ["cost", "k", "classes"]
    best_first = solved.sort_values(order, ascending=[True, True, False], kind="stable")
    rows = []
    for k in sorted(set(table["k"].tolist())):
        serving = best_first[best_first["k"] >= k]
        row = (serving if len(serving) else table[table["k"] == k]).iloc[0].to_dict()
        row |= {"made_by": row["algorithm"], "made_for": row["k"], "k": k}
        if len(serving):
            row["overfull_ratio"] = row["cost"] / k
            row["lower_bound"] = table.loc[table["k"] <= k, "lower_bound"].max()
            if row["cost"] == row["lower_bound"]:
                row["status"] = "optimal"
            elif row["status"] == "optimal":
                row["status"] = "feasible"
        rows.append(row)
    types = COLUMNS | {"made_by": "str", "made_for": "int64"}
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def row_of(label: str, k: int, g: Generalization | None) -> dict[str, Any]:
    """The row of one run; without a result k was infeasible."""
    if g is None:
        return {"algorithm": label, "k": k, "status": "infeasible"}
    return {column: getattr(g, column) for column in COLUMNS} | {"algorithm": label}


def table_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows as the table that `sweep` returns; costs are whole where all of them are."""
    whole = all(isinstance(row.get(name, 0), int) for row in rows for name in COSTS)
    types = COLUMNS if whole else COLUMNS | dict.fromkeys(COSTS, "Float64")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)


class _Listener:
    """Makes the reports of single runs to reports of the whole, and remembers that one was answered with stop."""

    def __init__(self, progress: ProgressCallback | None, runs: int) -> None:
        self.run = ""
        self._progress, self._runs, self._ready, self._stopped = progress, runs, 0, False

    def during(self, report: Progress) -> bool:
        done = (self._ready + report.done) / self._runs
        return self._tell(Progress(done, report.best, report.lower_bound, f"{self.run}: {report.message}"))

    def after(self, ready: int, cost: Cost | None, bound: Cost | None) -> bool:
        self._ready = ready
        return not self._stopped and self._tell(Progress(ready / self._runs, cost, bound, self.run))

    def _tell(self, report: Progress) -> bool:
        if self._progress is not None and self._progress(report) is False:
            self._stopped = True
        return not self._stopped
