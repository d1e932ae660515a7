"""How many people of a population each class of a release stands for, from a table of that population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import numbers_in
from kanon_engine.io.roles import listed, plain_name
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.matching import Candidates, Match, fits_of, matches
from kanon_engine.validate import known_column, whole_numbers

COUNTS = ("count", "counts", "people", "persons", "inhabitants", "population")
NUMBERS = ("group", "count")  # columns that only number or count the groups that records are in
MOST_SHOWN = 60  # characters of a cell in a sentence


def population_sizes_of(
    released: Released, population: pd.DataFrame, match: Sequence[Match] = (), counts: str | None = None
) -> np.ndarray:
    """For each class of a release, how many people of a population fit what it shows.

    Whoever fits several classes, as those of ranges that overlap or of a cell that shows “any”, counts in each of them:
    the sizes then sum to more than the population. Where a cell leaves open what it stands for, everybody counts whom
    it can stand for, as whoever looks at the release cannot rule them out. Whoever has no value in a column fits only
    what can stand for a missing one.

    Parameters
    ----------
    released : Released
        Records or groups.
    population : DataFrame
        One row a person, or a row for several with a column that says how many; those of the release among them.
    match : sequence of Match
        Columns that tell the same under different names; those of one name are found.
    counts : str, optional
        The column that says for how many people a row stands; where it is None, one that is called count, counts,
        people, persons, inhabitants or population, and each row is one person where none is.

    Returns
    -------
    (m,) int64
        In the order of `released.sizes`.

    Raises
    ------
    InvalidInput
        A column that is not there, a quasi-identifier that the table does not tell, counts that are none; a class with
        more records than people, for then the table is not of the population that the release is of.

    Complexity
    ----------
    A bit for each pair of different people and different classes.

    Example
    -------
    >>> release = Released(pd.DataFrame({"age": ["≤ 39", "≤ 39", "30–49"]}), ("age",))
    >>> population_sizes_of(release, pd.DataFrame({"age": [17, 35, 44, 60], "people": [5, 2, 4, 9]})).tolist()
    [7, 6]
    """
    if not isinstance(population, pd.DataFrame):
        raise InvalidInput(f"The population is a {type(population).__name__}; give a DataFrame with one row a person.")
    table = population.reset_index(drop=True)
    table.columns = [str(name) for name in table.columns]
    if not table.columns.is_unique:
        raise InvalidInput(
            f"Two columns of the population are called {table.columns[table.columns.duplicated()][0]!r}; rename one."
        )
    column = counts_column(table, released, match) if counts is None else counts
    people = _people(table, column)
    used = _matched(released, table.drop(columns=[] if column is None else [column]), match)
    sizes = _fitting(released, table, people, used)
    _require_population(released, sizes)
    return sizes


def counts_column(population: pd.DataFrame, released: Released, match: Sequence[Match] = ()) -> str | None:
    """The column that says for how many people a row stands, by its name; None where each row is one person.

    Raises
    ------
    InvalidInput
        Several columns are called so.
    """
    taken = {*released.quasi_identifiers, *(name for one in match for name in one.outside)}
    found = [str(name) for name in population.columns if plain_name(name) in COUNTS and str(name) not in taken]
    if len(found) > 1:
        raise InvalidInput(
            f"The population has several columns that may say for how many people a row stands: {listed(found)}; "
            "leave all but one out.",
            parameter="population_count",
        )
    return found[0] if found else None


def people_of(population: pd.DataFrame, released: Released, match: Sequence[Match], counts: str | None) -> int:
    """How many people the table has."""
    column = counts_column(population, released, match) if counts is None else counts
    return int(_people(population, column).sum())


def _people(table: pd.DataFrame, column: str | None) -> np.ndarray:
    """(rows,) int64: for how many people each row stands."""
    if column is None:
        return np.ones(len(table), dtype=np.int64)
    known_column(list(table.columns), column, "people of the population")
    numbers = numbers_in(table[column]).to_numpy(dtype=np.float64, na_value=np.nan)
    return whole_numbers(numbers, f"counts “{column}” of the population", 0)


def _matched(released: Released, table: pd.DataFrame, given: Sequence[Match]) -> tuple[Match, ...]:
    """Matches that tell all quasi-identifiers, and nothing else."""
    names = released.quasi_identifiers
    for one in given:
        strangers = [name for name in one.released if name not in names]
        if strangers:
            raise InvalidInput(
                f"{strangers[0]!r} is no quasi-identifier of the release, by which people of the population are found; "
                f"match one of {listed(list(names))}."
            )
    if not names:
        return ()
    counts = [] if released.counts is None else [released.counts]
    own = replace(released, frame=released.frame[[*names, *counts]], sensitive=(), sums=())
    used = matches(own, table, given)
    told = [name for name in names if any(name in one.released for one in used)]
    lacking = [name for name in names if name not in told]
    beside = released.groups_leave or set(lacking) <= set(NUMBERS)
    if lacking and not (beside and len(released.sizes_of(released.sets(told))) == len(released.sizes)):
        raise InvalidInput(
            f"The population has no column for {listed(lacking)}, by which groups of the release are told apart; give "
            f"a table that has it, or say which column tells the same, as {lacking[0]}=COLUMN."
        )
    return used


def _fitting(released: Released, table: pd.DataFrame, people: np.ndarray, used: Sequence[Match]) -> np.ndarray:
    sizes = np.zeros(len(released.sizes), dtype=np.int64)
    if not used or not len(released.frame):
        return sizes + people.sum()
    candidates = Candidates.of([fits_of(released, table, one) for one in used])
    often = np.zeros(int(candidates.kinds.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(often, candidates.kinds, people)
    found = np.zeros(candidates.count, dtype=np.int64)
    for block, mask in candidates.blocks():
        found += often[block] @ mask
    sizes[released.classes] = found[candidates.classes]
    return sizes


def _require_population(released: Released, sizes: np.ndarray) -> None:
    small = np.flatnonzero(sizes < released.sizes)
    if not len(small):
        return
    row = released.frame.iloc[int(np.argmax(released.classes == small[0]))]
    shown: list[Any] = [f"{name} {str(row[name])[:MOST_SHOWN]}" for name in released.quasi_identifiers]
    raise InvalidInput(
        f"In {len(small):,} of {len(sizes):,} groups the release has more {released.unit} than the table of the "
        f"population has people, in the first ({', '.join(shown)}) {int(released.sizes[small[0]]):,} and "
        f"{int(sizes[small[0]]):,}; it is not the population that these are of: give a table of all of it, or none."
    )
