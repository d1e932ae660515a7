"""Many k, many algorithms: one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from kanon_engine.errors import Infeasible, InvalidInput, SearchEnded
from kanon_engine.model.bound import Cost
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_of
from kanon_engine.model.requirement import REQUIREMENTS, Requirement
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.reuse import Question, serves
from kanon_engine.validate import checked_seed, positive_k

COLUMNS = {
    "algorithm": "str",
    "k": "int64",
    "cost": "Int64",
    "lower_bound": "Int64",
    "overfull_ratio": "Float64",
    "classes": "Int64",
    "status": "str",
    "seconds": "Float64",
    "made_for": "int64",
}
NO_FIGURES = ("infeasible", "no result")  # the search of the latter ended before it found one
UNSOLVED = (*NO_FIGURES, "relaxed")  # no solutions for their k
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
    reuse: bool = True,
    store: list[Generalization] | None = None,
) -> pd.DataFrame:
    """Run every algorithm at every k; each result is verified as in `generalize`.

    Where what the algorithm made for a larger k `serves` a smaller one and is better than its own, the row of the
    smaller k is that of the better one, and says so in `made_for`: then no cost and no bound falls as k grows.

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
    reuse : bool
        False: every row is what the algorithm finds for this very k.
    store : list of Generalization, optional
        Results from before. Those that answer the same question (instance, algorithm, options, seed, requirements) are
        verified and not computed again, and serve smaller k. What is computed now is added.

    Returns
    -------
    DataFrame
        A row an algorithm and k, in that order: algorithm (the label), k, cost, lower_bound, overfull_ratio, classes,
        status, seconds, made_for. An infeasible k is a row with status "infeasible" and empty figures; so is one
        whose search ended before it found anything, with status "no result". `generalize` with k = made_for makes a
        row's groups again; that is another k only where a larger one serves.

    Raises
    ------
    CertificateError
        A result of the store claims what is not true.

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
    checked = {label: family.algorithm(name).checked_options(options) for label, (name, options) in named.items()}
    values = [positive_k(k) for k in ks]
    required = (require,) if isinstance(require, REQUIREMENTS) else require
    required = tuple(required) if isinstance(required, Iterable) else required
    kept = [] if store is None else store

    rows: list[dict[str, Any]] = []
    listener = _Listener(progress, len(named) * len(values))
    for label, (name, _) in named.items():
        question = Question(instance, family.algorithm(name), checked[label], checked_seed(seed), required)
        answers = question.answers(kept)
        own: list[dict[str, Any]] = []
        for k in values:
            listener.run = f"{label}, k = {k:,}"
            g, status = answers.get(k), ""
            if g is None:
                g, status = _made(question, k, time_limit, listener)
            if g is not None and g.status != "stopped" and k not in answers:
                answers[k] = g
                kept.append(g)
            own.append(row_of(label, k, g, status))
            if not listener.after(len(rows) + len(own), own[-1].get("cost"), own[-1].get("lower_bound")):
                break
        if reuse and serves(instance, question.algorithm, question.options):
            known = own + [row_of(label, k, g) for k, g in answers.items()]
            own = [_serving(known, row["k"]) or row for row in own]
        rows += own
        if listener.stopped:
            break
    return table_of(rows)


def _made(
    question: Question, k: int, time_limit: float | None, listener: _Listener
) -> tuple[Generalization | None, str]:
    """The answer for this k, or None and the status of a row without one."""
    try:
        return question.answer(k, time_limit=time_limit, progress=listener.during), ""
    except Infeasible:
        return None, "infeasible"
    except SearchEnded:
        return None, "no result"


def served(table: pd.DataFrame) -> pd.DataFrame:
    """For each k the row whose largest class is the smallest of those that serve it: made for this k or a larger one.

    For rows of one instance under the same conditions, where a larger k `serves` a smaller one. A class of at least
    k' > k holds at least k: so every solution for k' is one for k, the least cost does not fall when k grows, and a
    lower bound for a smaller k bounds every larger one. So both lines of the k that are served never fall.

    Parameters
    ----------
    table : DataFrame
        From `sweep`.

    Returns
    -------
    DataFrame
        The same columns, with the k that is served, and `made_by`: the algorithm that made the row, for the k in
        `made_for`. Of equals the one for the least k comes first, then the one with the most classes. What is optimal
        for a larger k is "feasible" where the bound does not prove more. Relaxed rows, whose classes need not reach
        their k, serve none. A k that nothing serves keeps a row of its own.

    Example
    -------
    >>> row = {"algorithm": "fold", "lower_bound": 4, "overfull_ratio": 1.0, "classes": 2, "status": "feasible"}
    >>> costs = {3: 8, 4: 6, 5: 7}
    >>> made = table_of([{**row, "k": k, "made_for": k, "cost": cost, "seconds": 0.0} for k, cost in costs.items()])
    >>> served(made)[["k", "cost", "made_for"]].values.tolist()
    [[3, 6, 4], [4, 6, 4], [5, 7, 5]]
    """
    made: list[dict[str, Any]] = [{**row, "made_by": row["algorithm"]} for row in table.to_dict(orient="records")]  # type: ignore[dict-item]
    first = {row["k"]: row for row in reversed(made)}
    rows = [_serving(made, k) or first[k] for k in sorted(first)]
    types = COLUMNS | {"made_by": "str"}
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def _serving(rows: list[dict[str, Any]], k: int) -> dict[str, Any] | None:
    """The best of these rows for k, as a row of k; None where none serves it."""
    solved = [row for row in rows if row["made_for"] >= k and row["status"] not in UNSOLVED]
    if not solved:
        return None
    best = min(solved, key=lambda row: (row["cost"], row["made_for"], -row["classes"]))
    bound = max(row["lower_bound"] for row in rows if row["k"] <= k and row["status"] not in NO_FIGURES)
    status = best["status"]
    if best["cost"] == bound:
        status = "optimal"
    elif status == "optimal":
        status = "feasible"
    return best | {"k": k, "lower_bound": bound, "overfull_ratio": best["cost"] / k, "status": status}


def row_of(label: str, k: int, g: Generalization | None, status: str = "infeasible") -> dict[str, Any]:
    """The row of one run; without a result with this status and no figures."""
    if g is None:
        return {"algorithm": label, "k": k, "status": status, "made_for": k}
    return {column: getattr(g, column) for column in COLUMNS if column != "made_for"} | {
        "algorithm": label,
        "made_for": k,
    }


def table_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows as the table that `sweep` returns; costs are whole where all of them are."""
    whole = all(isinstance(row.get(name, 0), int) for row in rows for name in COSTS)
    types = COLUMNS if whole else COLUMNS | dict.fromkeys(COSTS, "Float64")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)


class _Listener:
    """Makes the reports of single runs to reports of the whole, and remembers that one was answered with stop."""

    def __init__(self, progress: ProgressCallback | None, runs: int) -> None:
        self.run = ""
        self._progress, self._runs, self._ready, self.stopped = progress, runs, 0, False

    def during(self, report: Progress) -> bool:
        done = (self._ready + report.done) / self._runs
        return self._tell(Progress(done, report.best, report.lower_bound, f"{self.run}: {report.message}"))

    def after(self, ready: int, cost: Cost | None, bound: Cost | None) -> bool:
        self._ready = ready
        return not self.stopped and self._tell(Progress(ready / self._runs, cost, bound, self.run))

    def _tell(self, report: Progress) -> bool:
        if self._progress is not None and self._progress(report) is False:
            self.stopped = True
        return not self.stopped
