"""Many k, many algorithms: one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd

from kanon_engine.errors import Infeasible, InvalidInput, KanonError, SearchEnded
from kanon_engine.generalize import generalize, verify
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_of, get_family
from kanon_engine.model.objective import Cost
from kanon_engine.model.requirement import REQUIREMENTS, Requirement
from kanon_engine.model.run import Progress, ProgressCallback
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
NO_FIGURES = ("infeasible", "no result")  # in the latter the search ended before it found a result
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

    If the algorithm's result for a larger k `serves` a smaller one and is better than its own, the row of the smaller k
    shows the better one, and says so in `made_for`: then no cost and no bound falls as k grows.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    ks : iterable of int
    algorithms : iterable of names, or mapping of label to (name, options), optional
        The family's default algorithm when None.
    require, seed, time_limit : As in `generalize`; the time limit is for each single run.
    progress : callable, optional
        Called with `Progress` during and after each run; returns False to stop: the table then holds the runs so far,
        the last one with the best that it had found.
    reuse : False: every row is the algorithm's result for exactly this k.
    store : list of Generalization, optional
        Earlier results. Those that answer the same question (instance, algorithm, options, seed, requirements) are
        verified and not recomputed, and serve smaller k. New results are added.

    Returns
    -------
    DataFrame
        One row per algorithm and k, in that order: algorithm (the label), k, cost, lower_bound, overfull_ratio,
        classes, status, seconds, made_for. An infeasible k is a row with status "infeasible" and empty figures; so is
        one whose search ended before it found anything, with status "no result". `generalize` with k = made_for repeats
        a row's groups; that is another k only if a larger one serves.

    Raises
    ------
    CertificateError : A result of the store makes a false claim.

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
    entries = dict(algorithms) if isinstance(algorithms, Mapping) else {name: (name, {}) for name in algorithms}
    for label, entry in entries.items():
        if not isinstance(entry, tuple | list) or len(entry) != 2 or not isinstance(entry[1], Mapping):
            raise InvalidInput(
                f"The entry of {label!r} is {entry!r}; give a pair of an algorithm's name and its options."
            )
    checked = {label: family.algorithm(name).checked_options(options) for label, (name, options) in entries.items()}
    values = [positive_k(k) for k in ks]
    required = (require,) if isinstance(require, REQUIREMENTS) else require
    required = tuple(required) if isinstance(required, Iterable) else required
    stored = [] if store is None else store

    rows: list[dict[str, Any]] = []
    listener = _Listener(progress, len(entries) * len(values))
    for label, (name, _) in entries.items():
        question = SweepQuestion(instance, family.algorithm(name), checked[label], checked_seed(seed), required)
        answers = question.answers(stored)
        runs: list[dict[str, Any]] = []
        for k in values:
            listener.run = f"{label}, k = {k:,}"
            g, status = answers.get(k), ""
            if g is None:
                g, status = _made(question, k, time_limit, listener)
            if g is not None and g.status != "stopped" and k not in answers:
                answers[k] = g
                stored.append(g)
            runs.append(row_of(label, k, g, status))
            if not listener.after(len(rows) + len(runs), runs[-1].get("cost"), runs[-1].get("lower_bound")):
                break
        if reuse and serves(instance, question.algorithm, question.options):
            candidates = runs + [row_of(label, k, g) for k, g in answers.items()]
            runs = [_serving(candidates, row["k"]) or row for row in runs]
        rows += runs
        if listener.stopped:
            break
    return table_of(rows)


def _made(
    question: SweepQuestion, k: int, time_limit: float | None, listener: _Listener
) -> tuple[Generalization | None, str]:
    """The answer for this k, or None and the status of a row without one."""
    try:
        return question.answer(k, time_limit=time_limit, progress=listener.during), ""
    except Infeasible:
        return None, "infeasible"
    except SearchEnded:
        return None, "no result"


def served(table: pd.DataFrame) -> pd.DataFrame:
    """For each k the row with the smallest largest class of those that serve it: made for this k or a larger one.

    For rows of one instance under the same conditions, if a larger k `serves` a smaller one. A class of at least
    k' > k holds at least k: so every solution for k' is one for k, the least cost does not fall when k grows, and a
    lower bound for a smaller k bounds every larger one. So both lines of the k that are served never fall.

    `table`: from `sweep`.

    Returns
    -------
    DataFrame
        The same columns, with the served k, and `made_by`: the algorithm that made the row, for the k in `made_for`.
        Among equals the one for the least k comes first, then the one with the most classes. A result that is optimal
        for a larger k is "feasible" if the bound does not prove more. Relaxed rows, whose classes need not reach their
        k, serve none. A k that nothing serves keeps its own row.

    >>> row = {"algorithm": "fold", "lower_bound": 4, "overfull_ratio": 1.0, "classes": 2, "status": "feasible"}
    >>> costs = {3: 8, 4: 6, 5: 7}
    >>> made = table_of([{**row, "k": k, "made_for": k, "cost": cost, "seconds": 0.0} for k, cost in costs.items()])
    >>> served(made)[["k", "cost", "made_for"]].values.tolist()
    [[3, 6, 4], [4, 6, 4], [5, 7, 5]]
    """
    runs: list[dict[str, Any]] = [{**row, "made_by": row["algorithm"]} for row in table.to_dict(orient="records")]  # type: ignore[dict-item]
    first = {row["k"]: row for row in reversed(runs)}
    rows = [_serving(runs, k) or first[k] for k in sorted(first)]
    types = COLUMNS | {"made_by": "str"}
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def _serving(rows: list[dict[str, Any]], k: int) -> dict[str, Any] | None:
    """The best of these rows for k, as a row of k; None if none serves it."""
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
    """The row of one run; if it has no result, a row with this status and no figures."""
    if g is None:
        return {"algorithm": label, "k": k, "status": status, "made_for": k}
    figures = {column: getattr(g, column) for column in COLUMNS if column != "made_for"}
    return figures | {"algorithm": label, "made_for": k}


def table_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows as the table that `sweep` returns; costs are whole numbers if all of them are."""
    whole = all(isinstance(row.get(name, 0), int) for row in rows for name in COSTS)
    types = COLUMNS if whole else COLUMNS | dict.fromkeys(COSTS, "Float64")
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(types)


class _Listener:
    """Turns the reports of single runs into reports of the whole, and remembers if one was answered with stop."""

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


# ---------------------------------------------------------------------------------------------------------------------
# Earlier results: which of them answer a question again, and when one for a larger k serves a smaller one.
# ---------------------------------------------------------------------------------------------------------------------


def serves(instance: Any, algorithm: Algorithm, options: Mapping[str, Any]) -> bool:
    """Whether a result for a larger k serves every smaller one, and a bound for a smaller k every larger one.

    This holds if only the size of the largest class counts: a class of at least k' > k holds at least k, whatever else
    is required of it, and its weight does not depend on k. It does not hold for other costs; for the largest class
    weighed against borders or sums; for relaxed results, whose classes need not reach their k; or for areas with
    barriers, which give way to one k but not to another.

    >>> from kanon_engine.regions import ALGORITHMS, Regions
    >>> areas = Regions("ab", [1, 1], [(0, 1)])
    >>> [serves(areas, ALGORITHMS["recombine"], {"compactness": shorter}) for shorter in (0.0, 0.5)]
    [True, False]
    """
    alone = family_of(instance).objective(algorithm.name, options).alone
    return alone and "relaxed" not in algorithm.claims and not getattr(instance, "barriers", ())


@dataclass(frozen=True)
class SweepQuestion:
    """All arguments of `generalize` except k."""

    instance: Any
    algorithm: Algorithm
    options: Mapping[str, Any]  # every option
    seed: int
    require: Any  # tuple of Requirement

    def answer(self, k: int, **limits: Any) -> Generalization:
        """The result for this k; limits (of time, a listener) and errors are those of `generalize`."""
        settings = {"require": self.require, "seed": self.seed, **self.options}
        return generalize(self.instance, k, self.algorithm.name, **settings, **limits)

    def answers(self, results: Iterable[Generalization]) -> dict[int, Generalization]:
        """Those of these results that `generalize` would find again for this question, by their k; each is verified.

        A stopped run does not count: without the limit that ended it, it finds another result.

        Raises `CertificateError`: one that claims to answer this question is false.
        """
        question = self.instance.digest, self.algorithm.name, dict(self.options), self.seed, self.require
        results_by_k = {}
        for g in results:
            origin = g.instance_digest, g.algorithm, dict(g.options), g.seed, g.require
            if origin == question and g.status != "stopped":
                verify(self.instance, g)
                results_by_k[g.k] = g
        return results_by_k


# ---------------------------------------------------------------------------------------------------------------------
# A slightly smaller k may allow one more group: this is reported only if such a grouping was found.
# ---------------------------------------------------------------------------------------------------------------------


SLIGHT = Fraction(1, 50)  # share of k: the most that it is lowered
WORTH = 4  # and at most this part of the share of groups that one more group is
TRIES, FEW = 6, 3  # searches; FEW if each takes as long as the result's own search
ROUND = 500  # k is rounded to powers of ten of which at least this many make k
MOST_ITEMS = 3_000
EFFORT, EFFORT_OF = 0.1, 30  # of a search with this option; on many items the latter, divided by their number


def slightly_smaller(instance: Any, g: Generalization) -> list[int]:
    """Round values of k just below that of a result, at which weight alone would allow one more group; largest first.

    Empty if the result's cost is not only the largest class, if it is relaxed, was stopped or changed by hand, or has
    too many items.

    30 of weight 100 in 2 groups; 3 groups are possible up to 1,000, which is 1 % below.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels([str(i) for i in range(30)], [100] * 30)
    >>> slightly_smaller(labels, kanon.generalize(labels, 1_010))
    [1000, 995, 990]
    """
    family = get_family(g.family)
    whole = g.algorithm in family.algorithms and g.status in ("optimal", "feasible")
    if not whole or len(instance) > MOST_ITEMS or not family.objective(g.algorithm, g.options).alone:
        return []
    share = min(SLIGHT, Fraction(1, WORTH * g.classes))
    low, high = g.k - int(g.k * share), min(g.k - 1, instance.total // (g.classes + 1))
    step = 1
    while step * 10 * ROUND <= g.k:
        step *= 10
    first, last = high // step, -(-low // step)
    if first < last:
        return []
    brief = any(option.name == "effort" for option in family.algorithm(None).options)
    tries = min(TRIES if brief else FEW, first - last + 1)
    intervals = max(tries - 1, 1)
    return [step * (first - (first - last) * number // intervals) for number in range(tries)]


def cheap_question(instance: Any, g: Generalization) -> SweepQuestion:
    """The search by the family's default algorithm with little effort, under the conditions of a result."""
    family = get_family(g.family)
    current, algorithm = family.algorithm(g.algorithm), family.algorithm(None)
    if current.kind != algorithm.kind:
        algorithm = current
    shared = {option.name for option in algorithm.options if option in current.options}
    options = algorithm.checked_options({name: g.options[name] for name in shared})
    if "effort" in options:
        options["effort"] = min(options["effort"], EFFORT, round(max(EFFORT_OF / len(instance), EFFORT / 10), 3))
    return SweepQuestion(instance, algorithm, options, g.seed, g.require)


def one_more(
    instance: Any, g: Generalization, answer: Callable[[SweepQuestion, int], Generalization] = SweepQuestion.answer
) -> Generalization | None:
    """A result for a slightly smaller k with more groups and no larger largest one; None if none was found.

    A few cheap searches look for it, so finding none proves nothing. It is a result like any other: verified, and
    repeated by `generalize` with its k, algorithm, options and seed.

    Parameters
    ----------
    instance : Regions, Points or Labels
    answer : ``answer(question, k)``: the verified result, or a `KanonError`.

    Three groups of 1,000 do not exist, because two labels have 499; three of 999 do.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [500, 500, 500, 500, 499, 499])
    >>> g = kanon.generalize(labels, 1_000)
    >>> told(g, one_more(labels, g))
    'k = 999 instead of 1,000 allows one more group: 3 groups, the largest 1,000 instead of 1,499.'
    """
    ks = slightly_smaller(instance, g)
    if not ks:
        return None
    question = cheap_question(instance, g)
    for k in ks:
        try:
            candidate = answer(question, k)
        except KanonError:  # nothing was found for this k under all wishes, or the search ended
            continue
        if candidate.status != "stopped" and candidate.classes > g.classes and candidate.cost <= g.cost:
            return candidate
    return None


def told(g: Generalization, better: Generalization) -> str:
    """A sentence on what a slightly smaller k allows, or on a result that was found for it and also holds at k."""
    number = better.classes - g.classes
    more = "one more group" if number == 1 else f"{number:,} more groups"
    sentence = f"k = {better.k:,} instead of {g.k:,} allows {more}"
    if int(better.class_weights.min()) >= g.k:
        sentence = f"The result found for k = {better.k:,} has {more} and also serves k = {g.k:,}"
    largest = f"the largest {better.cost:,}" + (f" instead of {g.cost:,}" if better.cost < g.cost else "")
    return f"{sentence}: {better.classes:,} groups, {largest}."
