"""Risk relative to a population: journalist and marketer risk, and estimates of who is unique in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import numbers_in
from kanon_engine.io.names import plain_name
from kanon_engine.model.measure import Measure
from kanon_engine.model.words import listed
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.matching import Candidates, Match, fits_of, matches
from kanon_engine.risk.population_uniques import ClassSizes, Estimate, chosen, pitman, slide_negative_binomial, zayatz
from kanon_engine.risk.sample import EL_EMAM, NOTHING, fewest_safe, individual_risk
from kanon_engine.risk.words import average_chance, chance, decimal, of_all, percent
from kanon_engine.validate import require_known_name, whole_numbers

NO_SIZES = "not known: requires a table of the population, or the number of its people in each group"
NO_POPULATION = "not known: requires the size of the population that the records are a sample of"
ESTIMATES = {
    "Zayatz": (
        zayatz,
        "Assumes that group sizes have the same distribution in the population as in the sample; tends to "
        "overestimate.",
        "N / n · f₁ · P(F = 1 | f = 1), hypergeometric; N: people in the population, f₁: groups of one record. "
        "L. Zayatz, Bureau of the Census RR-91/08, 1991",
    ),
    "Pitman": (
        pitman,
        "Assumes that people outside the sample follow Pitman's sampling formula; meant for samples of at most 10 %.",
        "Γ(θ + 1) / Γ(θ + α) Nᵅ, with maximum likelihood estimates of θ and α. N. Hoshino, Journal of Official "
        "Statistics 17, 2001",
    ),
    "SNB": (
        slide_negative_binomial,
        "Assumes that the size of a group in the population is 1 plus a negative binomial number.",
        "K β^α, K by Shlosser. G. Chen, S. Keller-McNulty, Journal of Official Statistics 14, 1998",
    ),
}
RULE = "F. Dankar, K. El Emam, A. Neisa, T. Roffey, BMC Medical Informatics and Decision Making 12:66, 2012; as in ARX"


def journalist_measures(released: Released, population: np.ndarray | None, threshold: float) -> Iterator[Measure]:
    """Risk from someone who has a table of the population but does not know whether a person is in the release.

    Parameters
    ----------
    population : (m,) int64 or None. People of the population in each class, including those in the release.
    """
    nonempty = released.sizes > 0
    f, n, unit = released.sizes[nonempty], released.records, released.unit
    highest = average = above = None
    why = NO_SIZES if population is None else NOTHING
    if population is not None and n:
        everybody = population[nonempty]
        highest = 1 / int(everybody.min())
        average = float((f / everybody).sum()) / n
        above = int(f[threshold < 1 / everybody].sum())
    yield Measure(
        "journalist-highest",
        "Highest journalist risk",
        highest,
        why if highest is None else chance(round(1 / highest)),
        "Largest chance that someone picks a person's record, knowing only that the person is in the population.",
        f"max 1 / Fⱼ over the groups j of the release, where Fⱼ is their number of people in the population. {EL_EMAM}",
    )
    yield Measure(
        "journalist-average",
        "Average journalist risk",
        average,
        why if average is None else average_chance(average),
        "The same chance as in “Highest journalist risk”, averaged over the released records.",
        f"1 / n Σ fⱼ / Fⱼ. {EL_EMAM}",
    )
    yield Measure(
        "journalist-above",
        f"Records with a journalist risk above {decimal(threshold)}",
        None if above is None else above / n,
        why if above is None else of_all(above, n, unit),
        f"Share of {unit} in groups with fewer than {fewest_safe(threshold):,} people in the population.",
        f"Σ fⱼ over groups with 1 / Fⱼ > {decimal(threshold)}, divided by n. {EL_EMAM}",
    )
    # no population is smaller than the release, so this is the highest that the risk can be
    share = len(f) / n if average is None and n else average
    against = ", if the release were the whole population" if average is None else ""
    yield Measure(
        "marketer",
        "Marketer risk",
        share,
        NOTHING if share is None else percent(share) + against,
        f"Share of {unit} identified correctly when all of them are linked to a table of the population.",
        "1 / n Σ fⱼ / Fⱼ; with m groups, this is m / n if every Fⱼ = fⱼ. F. Dankar, K. El Emam, PAIS 2010",
    )


def uniques_measures(released: Released, population: int | None) -> Iterator[Measure]:
    """How many are unique in the population, by three estimators, and the one that a rule chooses.

    Parameters
    ----------
    released : Taken as a random sample.
    population : How many people the population has.
    """
    sample = ClassSizes.of(released.sizes)
    estimates: dict[str, Estimate] = {}
    for name, (estimator, meaning, source) in ESTIMATES.items():
        if population is not None and sample.records:
            estimates[name] = estimator(sample, population)
        yield _estimated(f"population-uniques-{name.lower()}", name, estimates.get(name), population, meaning, source)
    rule = None
    if population is not None and estimates:
        rule = chosen(sample, population, estimates["Zayatz"], estimates["Pitman"], estimates["SNB"])
    yield _estimated(
        "population-uniques",
        "by the decision rule" if rule is None else f"by the decision rule: {rule.estimator}",
        rule,
        population,
        "Pitman's estimate for a sample of at most 10 %, otherwise the smaller of the two other estimates. This is "
        "only a guess, because no estimator is good everywhere.",
        RULE,
    )


def _estimated(
    key: str, name: str, estimate: Estimate | None, population: int | None, meaning: str, source: str
) -> Measure:
    """The share of the population, or why there is none."""
    title = f"Population uniques, estimated ({name})"
    if estimate is None or population is None:
        return Measure(key, title, None, NO_POPULATION if population is None else NOTHING, meaning, source)
    if estimate.uniques is None:
        return Measure(key, title, None, f"none: {estimate.why}", meaning, source)
    share = estimate.uniques / population
    words = f"{percent(share)}: about {round(estimate.uniques):,} of {population:,}"
    return Measure(key, title, share, words, meaning, source)


def weighted_measures(released: Released, weights: np.ndarray) -> Iterator[Measure]:
    """The risk of records that each represent several people, by their sampling weights.

    Parameters
    ----------
    weights : (rows,) numbers of at least 1. How many people of the population each record of a row represents.
    """
    totals = np.bincount(released.classes, weights=released.weights * weights, minlength=len(released.sizes))
    nonempty = released.sizes > 0
    f = released.sizes[nonempty]
    risks = individual_risk(f, totals[nonempty])
    n, unit = released.records, released.unit
    source = "E(1 / F), F negative binomial with p = fⱼ / Σ weights. R. Benedetti, L. Franconi, NTTS 1998; sdcMicro"
    yield Measure(
        "individual-highest",
        "Highest individual risk",
        float(risks.max()) if n else None,
        decimal(float(risks.max())) if n else NOTHING,
        "Largest chance of picking a person's record, if the sampling weights say how many people match the record.",
        source,
    )
    expected = float((risks * f).sum())
    yield Measure(
        "expected-identified",
        "Expected re-identifications",
        expected,
        f"{decimal(expected)} of {n:,} {unit}" + (f" ({percent(expected / n)})" if n else ""),
        f"The number of {unit} that are expected to be identified correctly if someone tries to identify all of them.",
        f"Σ fⱼ {source}",
    )


# ---------------------------------------------------------------------------------------------------------------------
# How many people of a population each class of a release represents, from a table of that population.
# ---------------------------------------------------------------------------------------------------------------------


COUNTS = ("count", "counts", "people", "persons", "inhabitants", "population")
NUMBERS = ("group", "count")  # columns that only number or count the groups that records are in
MOST_SHOWN = 60  # characters of a cell in a sentence


def population_sizes_of(
    released: Released, population: pd.DataFrame, match: Sequence[Match] = (), counts: str | None = None
) -> np.ndarray:
    """For each class of a release, how many people of a population fit what it shows.

    A person who fits several classes, because ranges overlap or a cell shows “any”, counts in each of them: the sizes
    then sum to more than the population. If a cell is ambiguous, everyone whom it can represent counts, because a
    reader of the release cannot rule them out. A person without a value in a column fits only what can represent a
    missing one.

    In the order of `released.sizes`.

    Parameters
    ----------
    released : Records or groups.
    population : DataFrame
        One row per person, or per several with a column that says how many; including those in the release.
        match : Columns that correspond under different names; those with the same name are found.
    counts : str, optional
        The column that says how many people a row represents. If None, one named count, counts, people, persons,
        inhabitants or population; if there is none, each row is one person.

    Raises
    ------
    InvalidInput
        A column that does not exist, a quasi-identifier that the table lacks, invalid counts; a class with more records
        than people, because the table then does not cover the population of the release.

    Complexity
    ----------
    A bit for each pair of different people and different classes.

    >>> release = Released(pd.DataFrame({"age": ["≤ 39", "≤ 39", "30–49"]}), ("age",))
    >>> population_sizes_of(release, pd.DataFrame({"age": [17, 35, 44, 60], "people": [5, 2, 4, 9]})).tolist()
    [7, 6]
    """
    if not isinstance(population, pd.DataFrame):
        raise InvalidInput(
            f"The population is a {type(population).__name__}; give a DataFrame with one row per person."
        )
    table = population.reset_index(drop=True)
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        raise InvalidInput(
            f"Two columns of the population are named {table.columns[table.columns.duplicated()][0]!r}; rename one."
        )
    column = counts_column(table, released, match) if counts is None else counts
    people = _people(table, column)
    used = _matched(released, table.drop(columns=[] if column is None else [column]), match)
    sizes = _fitting(released, table, people, used)
    _require_population(released, sizes)
    return sizes


def counts_column(population: pd.DataFrame, released: Released, match: Sequence[Match] = ()) -> str | None:
    """The column that says how many people a row represents, by its name; None if each row is one person."""
    in_use = {*released.quasi_identifiers, *(name for one in match for name in one.outside)}
    candidates = [str(name) for name in population.columns if plain_name(name) in COUNTS and str(name) not in in_use]
    # a wrong guess would change every risk, so a person has to decide
    if len(candidates) > 1:
        raise InvalidInput(
            f"The population has several columns that may say how many people a row represents: {listed(candidates)}; "
            "remove all but one.",
            parameter="population_count",
        )
    return candidates[0] if candidates else None


def people_of(population: pd.DataFrame, released: Released, match: Sequence[Match], counts: str | None) -> int:
    """How many people the table has."""
    column = counts_column(population, released, match) if counts is None else counts
    return int(_people(population, column).sum())


def _people(table: pd.DataFrame, column: str | None) -> np.ndarray:
    """(rows,) int64: how many people each row represents."""
    if column is None:
        return np.ones(len(table), dtype=np.int64)
    require_known_name(list(table.columns), column, "people of the population")
    numbers = numbers_in(table[column]).to_numpy(dtype=np.float64, na_value=np.nan)
    return whole_numbers(numbers, f"counts “{column}” of the population", 0)


def _matched(released: Released, table: pd.DataFrame, declared: Sequence[Match]) -> tuple[Match, ...]:
    """Matches that cover all quasi-identifiers, and nothing else."""
    names = released.quasi_identifiers
    for one in declared:
        strangers = [name for name in one.released if name not in names]
        if strangers:
            raise InvalidInput(
                f"{strangers[0]!r} is not a quasi-identifier of the release, and people in the population are matched "
                f"only by quasi-identifiers; match one of {listed(list(names))}."
            )
    if not names:
        return ()
    counts = [] if released.counts is None else [released.counts]
    reduced = replace(released, frame=released.frame[[*names, *counts]], sensitive=(), sums=())
    used = matches(reduced, table, declared)
    covered = [name for name in names if any(name in one.released for one in used)]
    lacking = [name for name in names if name not in covered]
    optional = released.groups_leave or set(lacking) <= set(NUMBERS)
    # a column that distinguishes no groups is not needed to count their people
    if lacking and not (optional and len(released.sizes_of(released.sets(covered))) == len(released.sizes)):
        raise InvalidInput(
            f"The population has no column for {listed(lacking)}, which distinguishes groups of the release; give a "
            f"table that has it, or say which column corresponds to it, in the form {lacking[0]}=COLUMN."
        )
    return used


def _fitting(released: Released, table: pd.DataFrame, people: np.ndarray, used: Sequence[Match]) -> np.ndarray:
    sizes = np.zeros(len(released.sizes), dtype=np.int64)
    if not used or not len(released.frame):
        return sizes + people.sum()
    candidates = Candidates.of([fits_of(released, table, one) for one in used])
    often = np.zeros(int(candidates.kinds.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(often, candidates.kinds, people)
    totals = np.zeros(candidates.count, dtype=np.int64)
    for block, mask in candidates.blocks():
        totals += often[block] @ mask
    sizes[released.classes] = totals[candidates.classes]
    return sizes


def _require_population(released: Released, sizes: np.ndarray) -> None:
    small = np.flatnonzero(sizes < released.sizes)
    if not len(small):
        return
    row = released.frame.iloc[int(np.argmax(released.classes == small[0]))]
    cells: list[Any] = [f"{name} {str(row[name])[:MOST_SHOWN]}" for name in released.quasi_identifiers]
    raise InvalidInput(
        f"In {len(small):,} of {len(sizes):,} groups the release has more {released.unit} than the table of the "
        f"population has people; the first ({', '.join(cells)}) has {int(released.sizes[small[0]]):,} in "
        f"the release and {int(sizes[small[0]]):,} in the table. The table does not cover the whole population: give a "
        "table of all of it, or none."
    )
