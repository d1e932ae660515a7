"""Recodings of tables side by side: cuts of whole columns, boxes, and full-domain levels of a hierarchy."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import generalize
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.model.values import value_words
from kanon_engine.tables.instance import Table
from kanon_engine.tables.words import released_ranges

KS = (5, 10, 25, 50, 100, 250)
ALGORITHMS = ("k-optimize", "mondrian", "local-cuts")
COLUMNS = {
    "table": "str",
    "algorithm": "str",
    "metric": "str",
    "k": "int64",
    "dm": "int64",
    "average": "float64",
    "loss": "float64",
    "groups": "int64",
    "lower_bound": "Int64",
    "bound": "str",
    "status": "str",
    "seconds": "float64",
}


@dataclass(frozen=True)
class FullDomain:
    """How to run anjana, which needs different library versions than kanon."""

    python: Path  # the interpreter of an environment that has it
    hierarchies: Mapping[str, Path]  # mapping of column to Path: ARX files, one line per value with its levels


def compare_recodings(
    tables: Mapping[str, Table],
    ks: Sequence[int] = KS,
    algorithms: Sequence[str] = ALGORITHMS,
    *,
    seconds: float | None = None,
    others: Mapping[str, FullDomain] | None = None,
    progress: ProgressCallback | None = None,
) -> pd.DataFrame:
    """Every algorithm on every table at every k, with nobody left out.

    Algorithms with a metric are run for DM; local cuts for LM too.

    Parameters
    ----------
    seconds : For each run; its result at that time counts, with status "stopped".
    others : Tables on which anjana is also run.
    progress : Called with `Progress`; returns False to stop: the table holds the finished runs.

    Returns
    -------
    DataFrame
        table, algorithm, metric, k, dm (sum of the squares of group sizes), average (size of a group), loss (of all
        cells, the mean of (values that it represents - 1) / (values of the domain - 1)), groups, lower_bound and bound
        (of the metric, and its proof; missing for anjana), status, seconds.
    """
    runs: list[tuple[str, str, str, int]] = []
    for name in tables:
        for k in ks:
            for algorithm in algorithms:
                runs += [(name, algorithm, metric, k) for metric in ("DM", "LM")[: 1 + (algorithm == "local-cuts")]]
            if name in (others or {}):
                runs.append((name, "anjana", "none", k))
    rows: list[dict[str, Any]] = []
    for number, (name, algorithm, metric, k) in enumerate(runs):
        table = tables[name]
        key: dict[str, Any] = {"table": name, "algorithm": algorithm, "metric": metric, "k": k}
        if algorithm == "anjana":
            other = (others or {})[name]
            frame, values, elapsed = full_domain(table, k, other.python, other.hierarchies)
            sizes = frame.groupby(list(frame.columns), dropna=False).size().to_numpy()
            rows.append(key | figures(table, sizes, values) | {"bound": "", "status": "feasible", "seconds": elapsed})
        else:
            options: dict[str, Any] = {"suppression_limit": 0} if algorithm == "k-optimize" else {}
            g = generalize(table, k, algorithm, time_limit=seconds, metric=metric, **options)
            outcome = {"lower_bound": g.lower_bound, "bound": g.bound_name, "status": g.status, "seconds": g.seconds}
            rows.append(key | figures(table, g.class_weights, widths(table, g)) | outcome)
        report = Progress((number + 1) / len(runs), None, None, f"{name}, {algorithm} for {metric}, k = {k:,}")
        if progress is not None and progress(report) is False:
            break
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def widths(table: Table, g: Generalization) -> np.ndarray:
    """(records, q): the number of domain values that each released cell represents."""
    ranges = released_ranges(table, g)
    each: np.ndarray = (ranges[:, :, 1] - ranges[:, :, 0] + 1)[g.assignment[g.assignment >= 0]]
    return each


def figures(table: Table, sizes: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    """DM, average group, loss and number of groups, from group sizes and the numbers of values of cells.

    >>> table = Table(pd.DataFrame({"age": [1, 2, 3, 3]}), ["age"])
    >>> figures(table, np.array([2, 2]), np.array([[2], [2], [1], [1]]))
    {'dm': 8, 'average': 2.0, 'loss': 0.25, 'groups': 2}
    """
    # a column of a single value loses nothing; its divisor only must not be 0
    domain = np.array([max(len(each) - 1, 1) for each in table.domains])
    sizes = np.asarray(sizes, dtype=np.int64)
    return {
        "dm": int((sizes**2).sum()),
        "average": float(sizes.mean()),
        "loss": float(((values - 1) / domain).mean()),
        "groups": len(sizes),
    }


def generated_tables(seed: int = 0, records: int = 10_000) -> dict[str, Table]:
    """Two reproducible tables: one with related columns, one with unrelated columns.

    >>> [(name, len(table), len(table.quasi_identifiers)) for name, table in generated_tables(records=100).items()]
    [('related', 100, 5), ('unrelated', 100, 5)]
    """
    chance = np.random.default_rng(seed)
    age = chance.gamma(6, 7, records).round().clip(16, 95).astype(int)
    school = (chance.normal(6, 2, records) - (age > 60)).round().clip(0, 12).astype(int)
    income = (np.exp(chance.normal(0.1 * school, 0.5)) * 10).round().clip(0, 99).astype(int)
    town = chance.zipf(1.5, records).clip(1, 40)
    children = chance.poisson(np.clip((age - 20) / 20, 0, 2)).clip(0, 8)
    related = {"age": age, "school": school, "income": income, "town": town, "children": children}
    sizes = {"a": 60, "b": 20, "c": 10, "d": 5, "e": 2}
    unrelated = {name: chance.integers(0, size, records) for name, size in sizes.items()}
    frames = {"related": pd.DataFrame(related), "unrelated": pd.DataFrame(unrelated)}
    return {name: Table(frame, list(frame.columns)) for name, frame in frames.items()}


# ---------------------------------------------------------------------------------------------------------------------
# anjana, which puts each whole column on one level of its hierarchy, run in its own environment.
# ---------------------------------------------------------------------------------------------------------------------


SCRIPT = """
import sys, time
from pathlib import Path
import pandas as pd
from anjana.anonymity import k_anonymity
folder, k = Path(sys.argv[1]), int(sys.argv[2])
data = pd.read_csv(folder / "data.csv", dtype=str, keep_default_na=False)
levels = {
    name: dict(pd.read_csv(folder / f"{place}.csv", dtype=str, keep_default_na=False, header=None))
    for place, name in enumerate(data.columns)
}
began = time.perf_counter()
made = k_anonymity(data, [], list(data.columns), k, 0, levels)
(folder / "seconds.txt").write_text(str(time.perf_counter() - began))
made[list(data.columns)].to_csv(folder / "made.csv", index=False)
"""


def full_domain(
    table: Table, k: int, python: Path, hierarchies: Mapping[str, Path]
) -> tuple[pd.DataFrame, np.ndarray, float]:
    """The result of anjana on a table, with nobody left out.

    Parameters
    ----------
    python : An interpreter that has anjana.
    hierarchies : mapping of column to Path. ARX files of all quasi-identifiers.

    Returns
    -------
    frame : DataFrame
        The records as they would be released.
    values : (n, q) int64
        The number of domain values that each cell represents.
    seconds : float
        The time of its own work.

    Raises
    ------
    InvalidInput : A column without a hierarchy, a missing value in it, or a failure of anjana.
    """
    words = {
        name: [value_words(value) for value in domain]
        for name, domain in zip(table.quasi_identifiers, table.domains, strict=True)
    }
    with tempfile.TemporaryDirectory(prefix="kanon-") as directory:
        folder = Path(directory)
        levels = {}
        for place, (name, domain_words) in enumerate(words.items()):
            if name not in hierarchies:
                raise InvalidInput(
                    f"anjana needs a hierarchy of {name!r}; give a hierarchy for every quasi-identifier."
                )
            levels[name] = _levels(name, hierarchies[name], domain_words)
            levels[name].to_csv(folder / f"{place}.csv", index=False, header=False)
        cells = {
            name: np.array(domain_words, dtype=object)[table.codes[:, place]]
            for place, (name, domain_words) in enumerate(words.items())
        }
        pd.DataFrame(cells).to_csv(folder / "data.csv", index=False)
        done = subprocess.run(
            [str(python), "-c", SCRIPT, str(folder), str(k)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            message = (done.stderr.strip() or "nothing").splitlines()[-1]
            raise InvalidInput(f"anjana failed at k = {k:,} with the message: {message:.200}")
        frame = pd.read_csv(folder / "made.csv", dtype=str, keep_default_na=False)
        seconds = float((folder / "seconds.txt").read_text())
    values = np.column_stack([_values_per_cell(levels[name], frame[name]) for name in words])
    return frame, values, seconds


def _levels(name: str, path: Path, domain_words: list[str]) -> pd.DataFrame:
    """The lines of an ARX hierarchy for the values of a domain, in order."""
    lines = pd.read_csv(path, sep=";", header=None, dtype=str, keep_default_na=False).drop_duplicates(0).set_index(0)
    lacking = [word for word in domain_words if word not in lines.index]
    if lacking:
        raise InvalidInput(f"The hierarchy of {name!r} lacks the value {lacking[0]!r}.")
    levels: pd.DataFrame = lines.loc[domain_words].reset_index()
    return levels


def _values_per_cell(levels: pd.DataFrame, column: pd.Series) -> np.ndarray:
    """The number of values of each cell: those with its word on the one level that contains the whole column."""
    words = set(column)
    level = next((place for place in levels.columns if words <= set(levels[place])), None)
    if level is None:
        raise InvalidInput(
            f"No level of the hierarchy of {column.name!r} contains all values that anjana released for this column."
        )
    counts = levels[level].value_counts()
    values: np.ndarray = column.map(counts).to_numpy(dtype=np.int64)
    return values
