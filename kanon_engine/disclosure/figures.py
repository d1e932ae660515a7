"""Published numbers of groups: the cells that each row counts, and what each numeric column means."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import get_family
from kanon_engine.release.made import groups_released
from kanon_engine.release.released import LEAST, PER, Released
from kanon_engine.release.reread import cell_key
from kanon_engine.shown import Shown
from kanon_engine.validate import told

TOTALS = ("", "*", "total", "all", "gesamt")  # of a dimension, in any case; "" for an empty cell
VAGUE = ("", "*")  # those that may also represent a missing or hidden value
MOST_CELLS = 20_000  # of a table with totals, including those without a row
COUNT, PART, RATE, MEASURE, UNPUBLISHED = "count", "part", "rate", "measure", "not published"
MEANINGS = (
    "count; part of X; rate per 1000 of X; cases per 1000 of X; percent of X; mean of 0/1 over X; measure; "
    "not published"
)
_NUMBER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:[,\u202f\u00a0]\d{3})+)(?:\.(\d+))?(?:e[+-]?\d+)?", re.IGNORECASE)
_HIDDEN = re.compile(r"[*.–—-]*|s|x|c|n/?a|nan|none|suppressed|hidden|(?:<|≤|<=)\s*\d+", re.IGNORECASE)
_ROUNDED = re.compile(r"(.*\S)\s+rounded to (\d+(?:\.\d+)?)")
_RATE = re.compile(r"(\S.*) per (\d[\d,]*) of (\S.*)")


@dataclass(frozen=True)
class Meaning:
    """What a numeric column is."""

    kind: str  # "count", "part", "rate", "measure" or "not published"
    whole: str = ""  # the count that it is a part of, or that a rate is divided by; "" if none
    top: str = ""  # the count that a rate divides; "" if it has no column
    per: int = 1  # a rate is `per` · top / whole
    share: bool = False  # whether the numerator of a rate is a part of its denominator
    # what the numbers are rounded to; if None, for rates the last digit that the column shows
    step: Fraction | None = None


def meaning_of(text: str) -> Meaning:
    """The meaning that a person writes.

    >>> meaning_of("part of people").whole, meaning_of("percent of hosp").per
    ('people', 100)
    >>> meaning_of("cases per 1,000 of people rounded to 0.5").step
    Fraction(1, 2)
    """
    words, step = " ".join(text.split()), None
    rounded = _ROUNDED.fullmatch(words)
    if rounded and Fraction(rounded[2]) > 0:
        words, step = rounded[1], Fraction(rounded[2])
    if words in (COUNT, MEASURE, UNPUBLISHED):
        return Meaning(words, step=step)
    for start, per in (("percent of ", 100), ("mean of 0/1 over ", 1)):
        if words.startswith(start) and words != start:
            return Meaning(RATE, words.removeprefix(start), "", per, True, step)
    if words.startswith("part of "):
        return Meaning(PART, words.removeprefix("part of "), share=True, step=step)
    rate = _RATE.fullmatch(words)
    if rate and int(rate[2].replace(",", "")) > 0:
        top = "" if rate[1] == "rate" else rate[1]
        return Meaning(RATE, rate[3], top, int(rate[2].replace(",", "")), step=step)
    raise InvalidInput(
        f"{told(text)} does not describe a numeric column; write one of: {MEANINGS}. In “mean of 0/1”, 0 means no and "
        "1 means yes. For rounded numbers, add for example “rounded to 5”."
    )


def rate_meaning(column: str) -> Meaning | None:
    """The meaning of a rate with this name in a package of areas; None for any other name.

    >>> rate_meaning("cases per 1,000 people")
    Meaning(kind='rate', whole='people', top='cases', per=1000, share=False, step=None)
    """
    top, per, whole = column.partition(f" per {PER:,} ")
    return Meaning(RATE, whole, top, PER) if per and top and whole else None


def number_of(cell: Any) -> tuple[Fraction, int] | None:
    """A shown number and how many digits follow its point; None if it is not a number.

    >>> number_of("2.0 %"), number_of(1234.5), number_of("1,200"), number_of("< 11"), number_of(True)
    ((Fraction(2, 1), 1), (Fraction(2469, 2), 1), (Fraction(1200, 1), 0), None, None)
    """
    if isinstance(cell, bool | np.bool_):
        return None
    text = str(cell.item() if isinstance(cell, np.generic) else cell).strip().removesuffix("%").strip()
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = 0 if match[1] is None or "e" in text.casefold() else len(match[1])
    return Fraction(re.sub("[,\u202f\u00a0]", "", text)), digits


def shows_numbers(column: pd.Series) -> bool:
    """Whether a column holds numbers, apart from hidden cells.

    >>> [shows_numbers(pd.Series(own)) for own in ([4, 30], ["4", "<11"], ["flu 4", "30"], [True, False], [None, ""])]
    [True, True, False, False, False]
    """
    cells = column.dropna().astype(object).tolist()
    numbers = [number_of(cell) is not None for cell in cells]
    return any(numbers) and all(
        number or _HIDDEN.fullmatch(str(cell).strip()) is not None for number, cell in zip(numbers, cells, strict=True)
    )


@dataclass(frozen=True, eq=False, repr=False)
class Figures(Shown):
    """Rows of published numbers of groups, of totals, or of both."""

    name: str  # for people
    frame: pd.DataFrame  # one row per group or total
    # for each row the cells that it counts together; cells that two tables share are in both
    cells: tuple[frozenset[Hashable], ...]
    labels: tuple[str, ...]  # the name of each row for people
    people: tuple[str, ...]  # names of the first count: its column and its unit
    weights: str  # the column of the first count

    def _facts(self) -> dict[str, object]:
        return {self.name: f"{len(self.frame):,} rows", "columns": ", ".join(map(str, self.frame.columns))}

    @property
    def numbers(self) -> tuple[str, ...]:
        """Numeric columns besides the first count."""
        return tuple(str(name) for name in self.frame.columns if name != self.weights)


def figures_of(
    released: Released, instance: Any = None, g: Any = None, sums: Mapping[str, np.ndarray] | None = None
) -> Figures:
    """The numbers of a release of groups.

    Parameters
    ----------
    released : A release of groups. A row that shows one of `TOTALS` in a dimension sums over it.
    instance, g : optional
        What made it, for the items in each group; otherwise they come from `released.meanings` if every group has some,
        and without them no group shares anything with those of other releases.
    sums : Second counts of its groups that are published elsewhere.

    >>> frame = pd.DataFrame({"sex": ["f", "m", "Total"], "weight": [20, 14, 34], "deaths": [12, 11, 23]})
    >>> found = figures_of(Released(frame, ("sex",), counts="weight"))
    >>> [len(own) for own in found.cells], found.labels, found.numbers
    ([1, 1, 2], ('sex f', 'sex m', 'sex Total'), ('deaths',))
    """
    counts = str(released.counts)
    by = list(released.quasi_identifiers)
    words = released.frame[by].astype(object)
    labels = tuple(
        ", ".join(f"{name} {word_of(cell) or 'Total'}" for name, cell in zip(by, row, strict=True))
        for row in words.to_numpy().tolist()
    )
    excluded = {*by, *(name for name in released.derived if rate_meaning(name) is None)}  # such as the overfull ratio
    columns = {name: released.frame[name] for name in released.frame.columns if name not in excluded}
    count_names = (counts, *released.sums)
    numbers = {str(name): entry for name, entry in columns.items() if name in count_names or shows_numbers(entry)}
    numbers |= {name: pd.Series(values) for name, values in (sums or {}).items() if name not in numbers}
    frame = pd.DataFrame(numbers).reset_index(drop=True)
    keys = [tuple(map(word_of, row)) for row in words.to_numpy().tolist()]
    values = [frame[name].map(float_of).to_numpy(dtype=float) for name in count_names]
    inside, left_out = table_cells(keys, values)
    items = _items(released, [*keys, *left_out], instance, g)
    cells = tuple(frozenset[Hashable]().union(*(items[at] for at in entry)) for entry in inside)
    return Figures(released.name, frame, cells, labels, (counts, released.unit), counts)


def carried(instance: Any, g: Any, names: Collection[str] | None = None) -> dict[str, np.ndarray]:
    """Sums of second counts that may be published with a result, as in a package of areas.

    Parameters
    ----------
    names : collection of str, optional
        Only these, whatever they are; if None, all that were read and have no sum too small to be released.

    >>> import kanon_engine as kanon
    >>> line = kanon.Regions("abc", [30, 20, 30], [(0, 1), (1, 2)], columns={"cases": [11, 2, 30], "deaths": [1, 1, 9]})
    >>> sorted(carried(line, kanon.generalize(line, 30, "tree-split")))
    ['cases']
    """
    release = get_family(g.family).release
    if instance is None or release is None or release.package is None:
        return {}
    least, result = min(g.k, LEAST), {}
    for name, values in instance.columns.items():
        sums = np.zeros(g.classes, dtype=np.int64)
        np.add.at(sums, g.assignment[g.assignment >= 0], values[g.assignment >= 0])
        small = bool(((sums > 0) & (sums < least)).any())
        if name in names if names is not None else not small:
            result[name] = sums
    return result


def other_figures(
    released: Released, instance: Any, results: Sequence[tuple[Any, Any]], others: Sequence[Released] = ()
) -> tuple[Figures, ...]:
    """The numbers of other releases of the same items.

    Parameters
    ----------
    released : If it has second counts, the others are taken to show these; otherwise all that may be released.
    instance : What it was made from, or None.
    results : sequence of (instance, Generalization). Those from different data are ignored.
    others : Those of records are ignored.
    """
    result = []
    for place, (source, g) in enumerate(results, start=1):
        if instance is not None and source.digest == instance.digest and not get_family(g.family).releases_records:
            release = replace(groups_released(source, g), name=f"other release {place}")
            result.append(figures_of(release, source, g, carried(source, g, released.sums or None)))
    return (*result, *(figures_of(one) for one in others if one.groups_leave))


def _items(released: Released, keys: Sequence[tuple[str, ...]], instance: Any, g: Any) -> list[frozenset[Hashable]]:
    """The items of each cell by what is known about groups; if nothing is, a cell is its own item."""
    cells: list[frozenset[Hashable]] = [frozenset([(released.name, at)]) for at in range(len(keys))]
    if instance is not None and g is not None and g.classes == len(keys):
        members: list[list[str]] = [[] for _ in range(g.classes)]
        for item, number in zip(instance.ids.tolist(), g.assignment.tolist(), strict=True):
            if number >= 0:
                members[number].append(str(item))
        return list(map(frozenset, members))
    for place, name in enumerate(released.quasi_identifiers):
        by_word = {word_of(word): frozenset(map(str, items)) for word, items in released.meanings.get(name, {}).items()}
        if by_word:
            return [by_word.get(key[place], items) for key, items in zip(keys, cells, strict=True)]
    return cells


def has_totals(cells: pd.DataFrame, counts: pd.Series) -> bool:
    """Whether rows sum over a dimension of a table.

    >>> sexes, counts = pd.DataFrame({"sex": ["f", "m", None]}), pd.Series([20, 30, 50])
    >>> has_totals(sexes, counts), has_totals(sexes, pd.Series([20, 30, 14]))
    (True, False)
    """
    keys = [tuple(map(word_of, row)) for row in cells.astype(object).to_numpy().tolist()]
    values = counts.astype(object).map(float_of).to_numpy(dtype=float)
    return any(members != {at} for at, members in enumerate(table_cells(keys, [values])[0]))


def table_cells(
    keys: Sequence[tuple[str, ...]], values: Sequence[np.ndarray]
) -> tuple[list[frozenset[int]], list[tuple[str, ...]]]:
    """The cells of a table that each of its rows counts together.

    A row with one of `VAGUE` is not a total if a number in it is less than the sum of its cells.

    A cell without a row is empty, unless a total says otherwise: then every cell without a row was left out, and if a
    total exceeds its cells and all of these have rows, a value was left out with its cells.

    Parameters
    ----------
    keys : What each row shows in the dimensions.
    values : sequence of (rows,) float. Counts; NaN if hidden.

    Returns
    -------
    cells : list of frozensets of int
        For each row its cells: positions of rows, and from the number of rows on, positions in `left_out`.
    left_out : list of tuples of str
        What each left-out cell would show, "…" for a value that no row has.

    >>> table_cells([("f",), ("Total",)], [np.array([30.0, 34.0])])
    ([frozenset({0}), frozenset({0, 2})], [('…',)])
    """
    summed = _summed(keys, values)
    inside = {at: _base_rows(keys, summed, at) for at, entry in enumerate(summed) if any(entry)}
    dimensions = {
        place for at, entry in inside.items() if entry for place, is_total in enumerate(summed[at]) if is_total
    }
    totalled = [at for at in inside if all(place in dimensions for place, entry in enumerate(summed[at]) if entry)]
    if not totalled:
        return [frozenset([at]) for at in range(len(keys))], []
    cells = [set(inside[at]) if at in totalled else {at} for at in range(len(keys))]
    # totals that exceed their cells, none of which is hidden: a comparison with NaN is false
    short = [at for at in totalled if any(entry[at] > entry[sorted(cells[at])].sum() for entry in values)]
    if not short:
        return list(map(frozenset, cells)), []
    base = {key for key, entry in zip(keys, summed, strict=True) if not any(entry)}
    words_by_place = [
        [key[place] for key, entry in zip(keys, summed, strict=True) if not entry[place]]
        for place in range(len(keys[0]))
    ]
    domains = [list(dict.fromkeys(words)) for words in words_by_place]
    if prod(map(len, domains)) > MOST_CELLS:
        raise InvalidInput(
            f"The table has more than {MOST_CELLS:,} cells, including combinations that no row has; leave out a column."
        )
    left_out = [
        key
        for key in product(*domains)
        if key not in base and any(_covers(keys[at], summed[at], key) for at in totalled)
    ]
    for at in short:
        if not any(_covers(keys[at], summed[at], key) for key in left_out):
            left_out.append(tuple("…" if entry else word for word, entry in zip(keys[at], summed[at], strict=True)))
    for place, key in enumerate(left_out):
        for at in totalled:
            if _covers(keys[at], summed[at], key):
                cells[at].add(len(keys) + place)
    return list(map(frozenset, cells)), left_out


def _summed(keys: Sequence[tuple[str, ...]], values: Sequence[np.ndarray]) -> list[tuple[bool, ...]]:
    """Which dimensions each row sums over; a vague word is an ordinary value if a number is below its cells."""
    summed = [tuple(word.casefold() in TOTALS for word in key) for key in keys]
    for place, word in product(range(len(keys[0]) if keys else 0), VAGUE):
        rows = [at for at, key in enumerate(keys) if key[place] == word and summed[at][place]]
        if any(column[at] < np.nansum(column[_base_rows(keys, summed, at)]) for at in rows for column in values):
            for at in rows:
                summed[at] = (*summed[at][:place], False, *summed[at][place + 1 :])
    return summed


def _base_rows(keys: Sequence[tuple[str, ...]], summed: Sequence[tuple[bool, ...]], at: int) -> list[int]:
    return [row for row, key in enumerate(keys) if not any(summed[row]) and _covers(keys[at], summed[at], key)]


def _covers(total: tuple[str, ...], summed: tuple[bool, ...], key: tuple[str, ...]) -> bool:
    return all(is_total or word == other for word, is_total, other in zip(total, summed, key, strict=True))


def word_of(cell: Any) -> str:
    """A cell as text; the same for whole numbers of any type, and "" if empty."""
    return cell_key(cell).strip()


def float_of(cell: Any) -> float:
    number = number_of(cell)
    return float("nan") if number is None else float(number[0])
