"""What a release of a table is still useful for: the same figures from the records and from their release.

A released cell represents a range of values. Users of the release do not know which of them a record has,
and here each is assumed to be equally likely. Records that are left out are not in the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import is_code
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.measure import Measure, short
from kanon_engine.model.values import Value, is_number
from kanon_engine.model.words import counted, number_text
from kanon_engine.release import require_releasable
from kanon_engine.shown import Shown
from kanon_engine.tables.instance import Table, record_rows, too_many
from kanon_engine.tables.words import released_ranges


@dataclass(frozen=True, eq=False, repr=False)
class Utility(Shown):
    """The quasi-identifiers before and after."""

    # records, released: how many there are, and how many are not left out
    records: int
    released: int
    # one row per column: column, values (of its domain), ranges (that are shown), values_a_cell (how many values a
    # released cell represents, on average), possible (the same in words, in years or days for dates), difference (total
    # variation: the least share of records that would have to change their value to turn what the release says of this
    # column into what the table has)
    columns: pd.DataFrame
    # one row per column of quantities (not of zip codes) and figure: column, figure ("mean", "10 %", … for quantiles),
    # before, after
    numbers: pd.DataFrame
    # one row per pair of columns: first, second, before, after: Cramér's V, from 0 where one column reveals nothing
    # about the other to 1 where it reveals all
    pairs: pd.DataFrame
    queries: Queries
    accuracy: Accuracy

    def _facts(self) -> dict[str, object]:
        return {
            "records": self.records,
            "released": self.released,
            "largest difference in a column": float(self.columns["difference"].max()),
            "median error of a query": self.queries.median,
            "accuracy": self.accuracy.words,
        }


def utility(table: Table, g: Generalization, *, seed: int = 0) -> Utility:
    """What is lost: marginals, associations, means and quantiles, range queries and a classifier, before and after.

    `g`: made from this table. `seed`: for the random queries and the classifier's parts.
    Raises `InvalidInput`: not a table, or a result of a different one.

    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [30, 31, 40, 44], "sex": list("ffmm")})
    >>> table = Table(people, ["age", "sex"])
    >>> found = utility(table, kanon.generalize(table, 2, "k-optimize"))
    >>> found.columns[["column", "ranges", "values_a_cell", "difference"]].values.tolist()
    [['age', 2, 2.0, 0.0], ['sex', 2, 1.0, 0.0]]
    >>> found.pairs.values.tolist()
    [['age', 'sex', 1.0, 1.0]]
    """
    if not isinstance(table, Table):
        raise InvalidInput(f"What a release loses is only computed for tables, not for {type(table).__name__}.")
    if g.instance_digest != table.digest:
        raise InvalidInput("This result was made from a different table, or from the same table read in another way.")
    require_releasable(g)
    spread = Spread(table, g)
    return Utility(
        records=table.total,
        released=spread.released,
        columns=columns_frame(spread),
        numbers=numbers_frame(spread),
        pairs=pairs_frame(spread),
        queries=query_errors(spread, seed),
        accuracy=accuracy(spread, seed),
    )


QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
MEAN = "mean"


def columns_frame(spread: Spread) -> pd.DataFrame:
    """One row per column: column, values, ranges, values_a_cell, possible, difference."""
    rows = []
    for place, (name, each, values) in enumerate(spread.detail):
        ranges = len(np.unique(spread.ranges[:, place], axis=0))
        difference = float(np.abs(spread.before(place) - spread.after(place)).sum() / 2)
        rows.append((name, values, ranges, each, spread.possible[place], round(difference, 12)))
    return pd.DataFrame(rows, columns=["column", "values", "ranges", "values_a_cell", "possible", "difference"])


def numbers_frame(spread: Spread) -> pd.DataFrame:
    """One row per column of quantities and figure: column, figure, before, after; missing values do not count."""
    rows = []
    for place, (name, domain) in enumerate(zip(spread.table.quasi_identifiers, spread.table.domains, strict=True)):
        there = np.array([value is not None for value in domain])
        present = [value for value in domain if value is not None]
        if len(present) < 2 or not all(map(is_number, present)) or is_code(name):
            continue
        values = np.array(present, dtype=float)
        order = np.argsort(values, kind="stable")
        sides = [figures(values[order], shares[there][order]) for shares in (spread.before(place), spread.after(place))]
        names = [MEAN, *(f"{100 * share:.0f} %" for share in QUANTILES)]
        rows += [(name, figure, *pair) for figure, pair in zip(names, zip(*sides, strict=True), strict=True)]
    return pd.DataFrame(rows, columns=["column", "figure", "before", "after"]).astype({"before": float, "after": float})


def figures(values: np.ndarray, shares: np.ndarray) -> list[float]:
    """Mean and quantiles; a quantile is the least value that its share is not above.

    >>> figures(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.25, 0.25]))
    [1.75, 1.0, 1.0, 1.0, 2.0, 3.0]
    """
    total = shares.sum()
    if not total > 0:
        return [float("nan")] * (1 + len(QUANTILES))
    reached = np.cumsum(shares) / total
    places = np.minimum(np.searchsorted(reached, np.array(QUANTILES) - 1e-9), len(values) - 1)
    return [float(values @ shares / total), *values[places].tolist()]


MOST_PARTS = 20  # longer domains are divided into this many parts, with about as many records each


def pairs_frame(spread: Spread) -> pd.DataFrame:
    """One row per pair of columns: first, second, before, after.

    Domains of more than 20 values are cut into 20 parts in order, the same before and after, because V grows with the
    number of cells where records are few.
    """
    table = spread.table
    counts = [
        np.bincount(codes, table.weights, len(domain))
        for codes, domain in zip(table.codes.T, table.domains, strict=True)
    ]
    parts = list(map(parts_of, counts))
    shares = [shares_of(spread.ranges[:, place], part) for place, part in enumerate(parts)]
    rows = []
    for one, other in combinations(range(len(parts)), 2):
        wide = int(parts[other].max()) + 1
        numbers = parts[one][table.codes[:, one]] * wide + parts[other][table.codes[:, other]]
        before = np.bincount(numbers, table.weights, (int(parts[one].max()) + 1) * wide).reshape(-1, wide)
        after = (shares[one] * spread.weights[:, None]).T @ shares[other]
        names = table.quasi_identifiers[one], table.quasi_identifiers[other]
        rows.append((*names, round(cramers_v(before), 12), round(cramers_v(after), 12)))
    return pd.DataFrame(rows, columns=["first", "second", "before", "after"]).astype({"before": float, "after": float})


def parts_of(counts: np.ndarray) -> np.ndarray:
    """(size,): which part of the domain each value is in, of which so many records have each.

    >>> parts_of(np.array([1, 2, 1])).tolist()
    [0, 1, 2]
    """
    if len(counts) <= MOST_PARTS:
        return np.arange(len(counts))
    middle = np.cumsum(counts) - counts / 2
    part = (middle / counts.sum() * MOST_PARTS).astype(np.int64).clip(0, MOST_PARTS - 1)
    return np.unique(part, return_inverse=True)[1].reshape(-1)


def shares_of(ranges: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """(m, parts): how much of each class's range is in each part."""
    inside = np.zeros((len(parts) + 1, int(parts.max()) + 1))
    inside[np.arange(1, len(parts) + 1), parts] = 1
    upto = np.cumsum(inside, axis=0)
    first, last = ranges.T
    shares: np.ndarray = (upto[last + 1] - upto[first]) / (last - first + 1)[:, None]
    return shares


def cramers_v(counts: np.ndarray) -> float:
    """Cramér's V of a table of counts; 0 where a column has one value.

    >>> cramers_v(np.array([[5, 0], [0, 3]])), cramers_v(np.array([[2, 2], [2, 2]])), cramers_v(np.array([[4, 4]]))
    (1.0, 0.0, 0.0)
    """
    counts = counts[counts.sum(axis=1) > 1e-9][:, counts.sum(axis=0) > 1e-9].astype(float)
    if min(counts.shape) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi = float(((counts - expected) ** 2 / expected).sum())
    return min(float(np.sqrt(chi / (counts.sum() * (min(counts.shape) - 1)))), 1.0)


ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
UNITS_OF_DAYS = ((365.2425, "years"), (30.436875, "months"), (1.0, "days"))
MOST_GAPS = 2  # whole numbers of which more are missing than there are of them are counted by their range
COUNT = 1_000
MOST_COLUMNS = 3
LEAST_SHARE = 0.001  # of all records: errors are relative to at least this, because small counts are always far off


@dataclass(frozen=True, eq=False, repr=False)
class Queries(Shown):
    """How far answers from a release are off.

    A query asks how many records lie in a range of one, two or three columns, each drawn at random; the ends of a range
    are the values of two records drawn at random. Its error is how far the answer from the release is off, divided by
    the true answer, or by a thousandth of all records where that is more.
    """

    frame: pd.DataFrame  # one row per query: columns (names), true (records), told (by the release), error

    @property
    def mean(self) -> float:
        return float(self.frame["error"].mean())

    @property
    def median(self) -> float:
        return float(self.frame["error"].median())

    @property
    def ninth(self) -> float:
        """The value that nine in ten errors do not exceed."""
        return float(self.frame["error"].quantile(0.9))

    def _facts(self) -> dict[str, object]:
        return {"queries": len(self.frame), "median error": self.median, "mean error": self.mean}


def query_errors(spread: Spread, seed: int) -> Queries:
    """Draw queries, and answer each from the records and from the release."""
    table = spread.table
    chance = np.random.default_rng(seed)
    distinct, counts, _ = table.tuples
    weights, upto = counts.sum(axis=1), np.cumsum(table.weights)
    rows = []
    for _ in range(COUNT):
        wide = int(chance.integers(1, min(MOST_COLUMNS, len(table.quasi_identifiers)) + 1))
        places = np.sort(chance.choice(len(table.quasi_identifiers), wide, replace=False))
        two = np.searchsorted(upto, chance.integers(0, table.total, 2), side="right")  # the rows of two records
        ends = np.sort(table.codes[two][:, places], axis=0)
        inside = ((distinct[:, places] >= ends[0]) & (distinct[:, places] <= ends[1])).all(axis=1)
        true = int(weights[inside].sum())
        estimate = answer(spread, places, ends)
        error = abs(estimate - true) / max(true, LEAST_SHARE * table.total)
        rows.append((", ".join(table.quasi_identifiers[place] for place in places), true, estimate, error))
    return Queries(pd.DataFrame(rows, columns=["columns", "true", "told", "error"]))


def answer(spread: Spread, places: np.ndarray, ends: np.ndarray) -> float:
    """How many records the release puts between these ends in these columns."""
    low, high = spread.ranges[:, places, 0], spread.ranges[:, places, 1]
    common = np.minimum(high, ends[1]) - np.maximum(low, ends[0]) + 1
    shares = np.maximum(common, 0) / spread.widths[:, places]
    return float(spread.weights @ shares.prod(axis=1))


PARTS = 3
LEAST = 60  # records, two thirds of which train a tree
LEAST_LEAF = 20
NO_LABEL = "no column is the class label"
NO_LIBRARY = "scikit-learn is not installed; install it with python -m pip install scikit-learn"
ONE_LABEL = "all records have one class label"
TOO_MANY = "there are too many records to train a model on"
TOO_FEW = f"fewer than {LEAST} records are released"


@dataclass(frozen=True, repr=False)
class Accuracy(Shown):
    """The share of records whose class label a decision tree predicts, learned from other records."""

    # before, after: from the values of the quasi-identifiers, and from what the release shows of them. The tree is
    # trained on two thirds and tested on the third, three times
    before: float | None
    after: float | None
    baseline: float | None  # without any column: always the most common label
    reason: str = ""  # why there is none; "" where there is one

    @property
    def words(self) -> str:
        """In one line."""
        if self.before is None or self.after is None or self.baseline is None:
            return self.reason
        return (
            f"{self.before:.1%} before, {self.after:.1%} after, {self.baseline:.1%} by always predicting the most "
            "common label"
        )


def accuracy(spread: Spread, seed: int) -> Accuracy:
    """Of a decision tree, before and after."""
    table = spread.table
    if table.class_label is None:
        return Accuracy(None, None, None, NO_LABEL)
    if len(np.unique(table.labels[spread.g.assignment >= 0])) < 2:
        return Accuracy(None, None, None, ONE_LABEL)
    if spread.released < LEAST:
        return Accuracy(None, None, None, TOO_FEW)
    if too_many(table):
        return Accuracy(None, None, None, TOO_MANY)
    try:
        from sklearn.model_selection import KFold, cross_val_score
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        return Accuracy(None, None, None, NO_LIBRARY)
    tree = DecisionTreeClassifier(min_samples_leaf=LEAST_LEAF, random_state=seed)
    parts = KFold(PARTS, shuffle=True, random_state=seed)
    rows = record_rows(table)  # a tree is trained on records, some of them identical
    classes, labels = spread.g.assignment[rows], table.labels[rows]
    ranges = spread.ranges[classes[classes >= 0]].reshape(spread.released, -1)

    def score(features: np.ndarray, labels: np.ndarray) -> float:
        return float(cross_val_score(tree, features, labels, cv=parts, n_jobs=1).mean())

    return Accuracy(
        before=score(table.codes[rows], labels),
        after=score(ranges, labels[classes >= 0]),
        baseline=float(np.bincount(labels).max() / table.total),
    )


class Spread:
    """A table and its release.

    `ranges`: (m, q, 2) int64. What each class shows. `weights`: (m,) float64. Records of each class.
    """

    def __init__(self, table: Table, g: Generalization) -> None:
        self.table, self.g = table, g
        self.ranges = released_ranges(table, g)
        self.weights = g.class_weights.astype(float)
        self.released = int(g.class_weights.sum())

    @cached_property
    def widths(self) -> np.ndarray:
        """(m, q): how many values each class's cells represent."""
        widths: np.ndarray = self.ranges[:, :, 1] - self.ranges[:, :, 0] + 1
        return widths

    @cached_property
    def detail(self) -> list[tuple[str, float, int]]:
        """(name, values that a released cell represents on average, values of its domain) of each column.

        >>> import kanon_engine as kanon
        >>> table = Table(pd.DataFrame({"age": [30, 31, 40, 44], "sex": list("ffmm")}), ["age", "sex"])
        >>> Spread(table, kanon.generalize(table, 2, "k-optimize")).detail
        [('age', 2.0, 4), ('sex', 1.0, 2)]
        """
        averages = (self.weights @ self.widths / self.released).tolist()
        return list(zip(self.table.quasi_identifiers, averages, map(len, self.table.domains), strict=True))

    @cached_property
    def possible(self) -> list[str]:
        """What a released cell of each column leaves possible on average, of all that the column has.

        >>> import kanon_engine as kanon
        >>> born = ["1990-01-01", "1994-01-01", "2003-01-01", "2010-01-01"]
        >>> table = Table(pd.DataFrame({"born": born, "pay": [9, 30, 70, 99]}), ["born", "pay"])
        >>> Spread(table, kanon.generalize(table, 2)).possible
        ['5.5 of 20 years', 'a range of 25 (of 90)']
        """
        words = []
        for place, (name, shown, of) in enumerate(self.detail):
            scale = None if shown == 1 or is_code(name) else scale_of(self.table.domains[place])
            if scale is None:
                digits = 0 if shown.is_integer() else 1  # 1.0 is not quite exact
                words.append(f"{shown:,.{digits}f} of {counted(of, 'value')}")
                continue
            numbers, days = scale
            low, high = numbers[self.ranges[:, place]].T
            average, whole = float(self.weights @ (high - low) / self.released), float(numbers[-1] - numbers[0])
            words.append(span_of_days(average + 1, whole + 1) if days else span_of_numbers(average, whole))
        return words

    def before(self, place: int) -> np.ndarray:
        """The share of records with each value of a column."""
        counts = np.bincount(self.table.codes[:, place], self.table.weights, len(self.table.domains[place]))
        return counts / self.table.total

    def after(self, place: int) -> np.ndarray:
        """The same, according to the release."""
        each = self.weights / self.widths[:, place] / self.released
        steps = np.zeros(len(self.table.domains[place]) + 1)
        np.add.at(steps, self.ranges[:, place, 0], each)
        np.add.at(steps, self.ranges[:, place, 1] + 1, -each)
        return np.maximum(np.cumsum(steps[:-1]), 0)  # rounding can leave a little less than nothing


def scale_of(domain: Sequence[Value]) -> tuple[np.ndarray, bool] | None:
    """Where values lie on a scale, as (n,) float64, and whether it counts days; None if their number says as much.

    A missing value, which comes last, lies where the value before it does.

    >>> scale_of(["2023-12-31", "2024-01-02"]), scale_of([1.5, 30, None])
    ((array([19722., 19724.]), True), (array([ 1.5, 30. , 30. ]), False))
    >>> scale_of([17, 18, 20]), scale_of(["f", "m"])
    (None, None)
    """
    present = [value for value in domain if value is not None]
    if len(present) < 2 or None in domain[:-1]:
        return None
    if all(map(is_number, present)):
        days, numbers = False, np.array(present, dtype=float)
        if all(isinstance(value, int) for value in present) and numbers[-1] - numbers[0] <= MOST_GAPS * len(present):
            return None
    elif ISO_DATE.fullmatch(str(present[0])) and {isinstance(one, str) and len(one) for one in present} == {10}:
        try:
            days, numbers = True, np.array(present, dtype="datetime64[D]").astype(float)
        except ValueError:  # other text, or no such day, such as February 30
            return None
    else:
        return None
    if (np.diff(numbers) < 0).any():  # a person's own order
        return None
    return np.append(numbers, numbers[-1:].repeat(len(domain) - len(present))), days


def span_of_days(days: float, of: float) -> str:
    """A number of days, and of how many, in the largest unit that the first one has two of.

    >>> span_of_days(8875, 36890), span_of_days(0.5, 365)
    ('24.3 of 101 years', '0.5 of 365 days')
    """
    length, unit = next((entry for entry in UNITS_OF_DAYS if days >= 2 * entry[0]), UNITS_OF_DAYS[-1])
    return f"{number_text(days / length, 3)} of {number_text(of / length, 3)} {unit}"


def span_of_numbers(span: float, of: float) -> str:
    """The width of a range, and of what.

    >>> span_of_numbers(1200.04, 98000)
    'a range of 1,200 (of 98,000)'
    """
    return f"a range of {number_text(span, 3)} (of {number_text(of, 3)})"


SPREAD = "A released cell represents each value of its range equally."
QUERIES = (
    "1,000 random questions “how many records are in these ranges?” about one to three columns: |released − true| "
    "divided by the true count, or by a thousandth of all records if that is larger."
)


def error_words(share: float) -> str:
    """The error of a count, in percent.

    >>> error_words(0.0142), error_words(0.06518)
    ('1.42 %', '6.52 %')
    """
    return f"{number_text(100 * share, 3)} %"


def measured(table: Table, g: Generalization) -> tuple[Measure, ...]:
    """Queries, columns, means, associations and a classifier, before and after."""
    return tuple(_measures(utility(table, g)))


def _measures(result: Utility) -> Iterator[Measure]:
    for row in result.columns.to_dict("records"):
        yield Measure(
            f"difference-{row['column']}",
            f"“{row['column']}”: distribution",
            float(row["difference"]),
            f"on average, a released cell leaves {row['possible']} possible; {number_text(100 * row['difference'], 3)} "
            "% of records would have to change to match the table's distribution",
            "The share of records whose value would have to change to give the same distribution as in the table.",
            f"Total variation distance. {SPREAD}",
        )
    for key, title, value in (
        ("query-median", "Median error of a count of records", result.queries.median),
        ("query-ninth", "90th percentile of the error of a count of records", result.queries.ninth),
    ):
        meaning = "How far a count in the release is from the same count in the table."
        yield Measure(key, title, value, error_words(value), meaning, QUERIES)
    for row in result.numbers[result.numbers["figure"] == MEAN].to_dict("records"):
        yield Measure(
            f"mean-{row['column']}",
            f"“{row['column']}”: mean",
            float(row["after"] - row["before"]),
            f"{short(row['before'])} before, {short(row['after'])} after",
            "The mean in the table, and in the release if each value of a released range is equally likely.",
            SPREAD,
        )
    if len(result.pairs):
        worst = max(result.pairs.to_dict("records"), key=lambda row: abs(row["after"] - row["before"]))
        yield Measure(
            "association",
            "Pair of columns whose association changes the most",
            float(worst["after"] - worst["before"]),
            f"{worst['before']:.3g} before, {worst['after']:.3g} after, between “{worst['first']}” and "
            f"“{worst['second']}”",
            "How much one column reveals about the other, from 0 to 1.",
            f"Cramér's V. {SPREAD}",
        )
    after = result.accuracy.after
    yield Measure(
        "classifier",
        "Predicting the class label",
        after,
        result.accuracy.words if after is not None else f"not computed: {result.accuracy.reason}",
        "The share of records whose class label a decision tree, trained on other records, predicts correctly.",
        "Decision tree, trained on two thirds and tested on the remaining third, three times.",
    )
