"""The findings of an audit, their fixes, and findings on single columns: l, entropy and t, values of one record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kanon_engine.io.names import NEARLY_ALL, QUASI_IDENTIFIERS, has_identifier_name, plain_name
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.words import listed, number_text
from kanon_engine.release.sets import Column, Counted
from kanon_engine.shown import Shown

MOST_COLUMNS = 20  # columns whose combinations are checked

# ---------------------------------------------------------------------------------------------------------------------
# One finding of an audit, and its fixes.
# ---------------------------------------------------------------------------------------------------------------------


SERIOUS, NOTABLE, MINOR = "serious", "notable", "minor"
SEVERITIES = (SERIOUS, NOTABLE, MINOR)  # worst first
QUASI, DROP, ROUND, GROUP, PUBLIC = "quasi-identifier", "drop", "round", "group", "public"
DIVERSITY, CLOSENESS = "diversity", "closeness"
ACTIONS = {
    QUASI: "make {} a quasi-identifier",
    DROP: "leave {} out",
    ROUND: "put {} into ranges",
    GROUP: "group {} by ",
    PUBLIC: "say that the values of {} are public",
    DIVERSITY: "require at least {1:g} different values of {0} in every group",
    CLOSENESS: "require the distribution of {0} in every group to be within {1:g} (t) of that in the whole table",
}
WAYS = {"dates": "month, quarter and year", "characters": "first characters"}  # of hierarchies that kanon makes


@dataclass(frozen=True)
class Mend(Shown):
    """One change of a column's role or of the requirements on groups."""

    # "quasi-identifier": make it one. "drop": leave it out. "round": put its numbers into ranges. "group": make a
    # hierarchy of its values (`grow`). "public": its order is the one in the file, and public. "diversity",
    # "closeness": require this of every group
    action: str
    column: str
    # for "round" the start of one range and the width of all; for "group" how, as in `grow`; for "diversity" l, for
    # "closeness" t
    value: tuple[Any, ...] | None = None
    distinct: int | None = None  # for "round" of a sensitive column: how many different ranges every group must have

    @property
    def words(self) -> str:
        """The fix in words.

        >>> Mend(ROUND, "income", (0, 500)).words, Mend(DROP, "name").words
        ('put “income” into ranges of 500', 'leave “name” out')
        >>> Mend(ROUND, "stay", (0, 5), 2).words
        'put “stay” into ranges of 5 and require at least 2 different ranges in every group'
        >>> Mend(GROUP, "born", ("dates",)).words
        'group “born” by month, quarter and year'
        """
        words = ACTIONS[self.action].format(listed([self.column]), *(self.value or ()))
        words += f" of {number_text(self.value[1])}" if self.action == ROUND and self.value else ""
        words += WAYS[self.value[0]] if self.action == GROUP and self.value else ""
        if self.distinct:
            words += f" and require at least {self.distinct:,} different ranges in every group"
        return words

    @property
    def requirement(self) -> Diversity | Closeness | None:
        """The requirement on every group for `generalize`; None for a fix without one.

        >>> Mend(DIVERSITY, "illness", (2,)).requirement
        Diversity(column='illness', l=2, kind='distinct', c=None)
        """
        if self.distinct:
            return Diversity(self.column, self.distinct)
        if self.action == DIVERSITY and self.value:
            return Diversity(self.column, self.value[0])
        return Closeness(self.column, self.value[0]) if self.action == CLOSENESS and self.value else None


@dataclass(frozen=True, repr=False)
class Finding(Shown):
    """One finding on what would be released."""

    # "below k", "joined", "constant groups", "skewed groups", "single values", "identifier", "unchanged", "extremes" or
    # "special uniques"
    kind: str
    # "serious": it may find or expose a person. "notable": it can, together with other knowledge. "minor": to know
    severity: str
    what: str  # the finding, a sentence
    columns: tuple[str, ...]
    records: int  # the number of records that it applies to
    reason: str  # why it matters, a sentence
    remedy: tuple[Mend, ...] = ()  # fixes, each sufficient by itself, best first


# ---------------------------------------------------------------------------------------------------------------------
# The input of an audit.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class View:
    """A release as its reader sees it, and the records that it was made from, as counts."""

    rows: Counted  # what would be released
    before: Counted  # all records as they were; if these are not available, what would be released
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...]  # the columns that are released as they are
    sensitive: tuple[str, ...]  # those of them that reveal something about a person, without the class label
    k: int
    unit: str = "records"
    label: str | None = None  # the class label, if it is kept
    public: tuple[str, ...] = ()  # quasi-identifiers whose values do not come from a file of records
    ranges: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)  # the start of one range, and the width of all
    groups: Mapping[str, str] = field(default_factory=dict)  # by what columns without a hierarchy can be grouped
    diverse: tuple[str, ...] = ()  # the columns of which every group was required to have several values

    @property
    def others(self) -> tuple[str, ...]:
        """Kept columns that are neither sensitive nor the class label: others may know them."""
        return tuple(name for name in self.kept if name not in self.sensitive and name != self.label)

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The kept columns whose combinations are checked, starting with those that others may know."""
        return (*self.others, *(name for name in self.kept if name not in self.others))[:MOST_COLUMNS]


def records(count: int, unit: str) -> str:
    """The number, as the start of a sentence.

    >>> records(1, "records"), records(1200, "people")
    ('1 of the records is', '1,200 of the people are')
    """
    return f"{count:,} of the {unit} {'is' if count == 1 else 'are'}"


# ---------------------------------------------------------------------------------------------------------------------
# What groups reveal about a sensitive column: how many values, how evenly, how far from all records.
# ---------------------------------------------------------------------------------------------------------------------


FAR = 0.5  # t above which a group is reported
CLOSE = 0.3  # t that is proposed, which is also the limit of the attack “Homogeneity and skewness”


@dataclass(frozen=True)
class SensitiveFigures:
    """What the groups of a release reveal about one column."""

    column: str
    # fewest different values in a group (distinct l-diversity)
    l: int  # noqa: E741 - the standard name in the literature
    entropy_l: float  # e to the least entropy of a group: the number of values if they were equally frequent
    # the greatest distance of a group's values from those of the whole table, with records left out: for numbers the
    # earth mover's distance over their order, else half the sum of differences of shares (Li, Li, Venkatasubramanian
    # 2007)
    t: float
    # constant_groups, constant_records: groups in which all records have the same value, and their number of records
    constant_groups: int
    constant_records: int


def diversity_of(view: View, name: str) -> SensitiveFigures:
    """Figures of one kept column; a missing value is a value, the last in order.

    If the sets come in parts, the worst of all, and the sums over all.
    """
    column, counts = view.before.values(name)
    occurring = counts > 0
    shares, rank, ordered = counts[occurring] / counts.sum(), np.cumsum(occurring) - 1, column.numbers is not None
    parts = [
        figures_of(name, sets, rank[cells.places_in(column, counts, codes, name)], often, shares, ordered)
        for sets, cells, codes, often in view.rows.cells(view.quasi_identifiers, name)
    ]
    return SensitiveFigures(
        name,
        min(one.l for one in parts),
        min(one.entropy_l for one in parts),
        max(one.t for one in parts),
        sum(one.constant_groups for one in parts),
        sum(one.constant_records for one in parts),
    )


def figures_of(
    name: str, groups: np.ndarray, values: np.ndarray, counts: np.ndarray, whole: np.ndarray, ordered: bool
) -> SensitiveFigures:
    """Figures of a column whose values are numbered from 0.

    Parameters
    ----------
    groups, values, counts : (n,) int. The group and the value of a row, and the number of records it represents.
    whole : (m,) float. The share of each value in all records.
    ordered : Whether values are ordered, by their numbers.
    """
    count = len(whole)
    sizes = np.bincount(groups, weights=counts)
    cells, place = np.unique(groups * count + values, return_inverse=True)  # the values that each group has
    members = np.bincount(place.reshape(-1), weights=counts)
    group, value = cells // count, cells % count
    distinct = np.bincount(group)
    share = members / sizes[group]
    entropy = np.bincount(group, weights=-share * np.log(share))
    same = distinct == 1
    return SensitiveFigures(
        name,
        int(distinct.min()),
        round(float(np.exp(entropy.min())), 6),
        round(float(distances(group, value, share, whole, ordered).max()), 6),
        int(same.sum()),
        int(sizes[same].sum()),
    )


def distances(
    group: np.ndarray, value: np.ndarray, share: np.ndarray, overall: np.ndarray, ordered: bool
) -> np.ndarray:
    """t of each group; `group`, `value` and `share` are the values that groups have, sorted by group, then by value.

    Complexity: O((n + m) log m) for n values of groups and m values of the table.

    >>> whole = np.array([0.5, 0.25, 0.25])
    >>> group, value, share = np.array([0, 1, 1]), np.array([0, 1, 2]), np.array([1.0, 0.5, 0.5])
    >>> distances(group, value, share, whole, ordered=False), distances(group, value, share, whole, ordered=True)
    (array([0.5, 0.5]), array([0.375, 0.375]))
    """
    starts, count = np.flatnonzero(np.diff(group, prepend=-1)), len(overall)
    if count == 1:
        return np.zeros(len(starts))
    if not ordered:  # a group's excess over the table equals its deficit
        return np.asarray(np.add.reduceat(np.maximum(share - overall[value], 0), starts))
    # From one value of a group to its next, the group's cumulative share is constant and the table's rises. The area
    # between them is a rectangle minus the area below the table's up to where they cross, then the other way round.
    cumulative = np.cumsum(overall)
    area = np.concatenate([[0.0], np.cumsum(cumulative)])
    reached = np.cumsum(share)
    reached -= np.repeat(reached[starts] - share[starts], np.diff(np.append(starts, len(group))))
    end = np.append(value[1:], count)
    end[starts[1:] - 1] = count
    cross = np.clip(np.searchsorted(cumulative, reached, side="right"), value, end)
    between = reached * (2 * cross - value - end) + area[value] + area[end] - 2 * area[cross]
    total = area[value[starts]] + np.add.reduceat(between, starts)
    return np.asarray(np.maximum(total, 0) / (count - 1))


def diversity_findings(view: View, figures: SensitiveFigures) -> Iterator[Finding]:
    """Groups in which everyone has the same value, or whose shares differ much from the table's."""
    name, unit = figures.column, view.unit
    if np.count_nonzero(view.rows.values(name)[1]) < 2:
        return
    if figures.constant_groups:
        one = figures.constant_groups == 1
        groups = "1 group has" if one else f"{figures.constant_groups:,} groups have"
        hold = "this group has" if one else "these groups have"
        yield Finding(
            "constant groups",
            SERIOUS if name in view.sensitive else NOTABLE,
            f"{groups} only one value of “{name}”; {hold} {figures.constant_records:,} of the {unit}.",
            (name,),
            figures.constant_records,
            "Anyone who knows that a person is in such a group knows the value without finding the person's record.",
            (Mend(DIVERSITY, name, (2,)), Mend(DROP, name)),
        )
    elif figures.t > FAR and name in view.sensitive:
        close = _closeness(view, name)
        yield Finding(
            "skewed groups",
            MINOR,
            f"In at least one group, the distribution of “{name}” differs by {number_text(figures.t, 3)} (t, from 0 to "
            f"1) from the distribution among all {unit}.",
            (name,),
            view.rows.total,
            "Anyone who knows that a person is in such a group can guess the person's value much better than before.",
            (Mend(CLOSENESS, name, (close,)), Mend(DROP, name)) if close else (Mend(DROP, name),),
        )


def _closeness(view: View, name: str) -> float:
    """CLOSE, or a smaller t if a group in which everyone has the same value could be within it; two decimals."""
    column, counts = view.before.values(name)
    shares = counts[counts > 0] / counts.sum()
    values = np.arange(len(shares))
    same = distances(values, values, np.ones(len(shares)), shares, column.numbers is not None)
    return min(CLOSE, (math.ceil(round(100 * float(same.min()), 6)) - 1) / 100)


# ---------------------------------------------------------------------------------------------------------------------
# Columns released as they are: values that only one record has, columns that identify people.
# ---------------------------------------------------------------------------------------------------------------------


FEWEST_RANGES = 3
FEW_RANGES = 12


def value_findings(view: View, name: str) -> Iterator[Finding]:
    """The findings on one kept column."""
    column, counts = view.rows.values(name)
    once, total, unit = int((counts[:-1] == 1).sum()), view.rows.total, view.unit
    have = "has" if once == 1 else "have"
    mends = tuple(remedies(view, name))
    if has_identifier_name(name) or (once >= NEARLY_ALL * total > 1 and column.numbers is None):
        yield Finding(
            "identifier",
            SERIOUS,
            f"“{name}” looks like an identifier: {once:,} of the {unit} {have} a value that no other record has.",
            (name,),
            max(once, 1),
            "Anyone who knows a person's value can find the person's record and read everything else in it.",
            (Mend(DROP, name), *(mend for mend in mends if mend.action != DROP)),
        )
    elif once:
        yield Finding(
            "single values",
            SERIOUS if once >= NEARLY_ALL * total > 1 else NOTABLE,
            f"{once:,} of the {unit} {have} a value of “{name}” that no other record has.",
            (name,),
            once,
            "Anyone who knows that a person has such a value can find the person's record and read everything else in "
            "it." + too_few_ranges(view, mends),
            mends,
        )
    if name not in view.ranges:
        sensitive, is_quasi_name = name not in view.others, plain_name(name) in QUASI_IDENTIFIERS
        reason = (
            "This column is not a quasi-identifier, so k does not protect it; make it one if others could know its "
            "values."
        )
        if is_quasi_name:
            reason = "Its name suggests something that others know about people, and k does not protect this column."
        if sensitive:
            reason = "k alone does not hide the values of this column; leave it out if the release does not need it."
        yield Finding(
            "unchanged",
            NOTABLE if is_quasi_name and not sensitive else MINOR,
            f"“{name}” is released unchanged.",
            (name,),
            total,
            reason,
            (Mend(DROP, name),) if sensitive else (Mend(QUASI, name), Mend(DROP, name)),
        )


NUMBER = r"(−?\d[\d.]*(?:e[+−-]?\d+)?)"


def too_few_ranges(view: View, mends: tuple[Mend, ...]) -> str:
    """A sentence if some groups have only one range of a sensitive column after a fix; else ""."""
    mend = next((one for one in mends if one.distinct), None)
    if mend is None or mend.value is None:
        return ""
    size, affected = mend.value[1] / view.ranges.get(mend.column, (0, 1))[1], 0  # in numbers of `_numbers`
    for sets, cells, codes, often in view.rows.cells(view.quasi_identifiers, mend.column):
        numbers = _numbers(view, mend.column, cells)
        if numbers is None:  # in a part where all are missing
            numbers = np.full(len(cells.cells), np.nan)
        ranges = np.floor(np.append(numbers, np.nan) / size)  # a missing value is a value
        distinct = np.unique(np.column_stack([sets, np.nan_to_num(ranges, nan=-np.inf)[codes]]), axis=0)
        one_range = np.bincount(distinct[:, 0].astype(np.int64)) == 1
        affected += int(often[one_range[sets]].sum())
    if not affected:
        return ""
    return (
        f" In ranges of {number_text(mend.value[1])}, {affected:,} of the {view.unit} would be in a group with only "
        "one range, so such groups must become larger."
    )


def remedies(view: View, name: str) -> Iterator[Mend]:
    """Fixes for a kept column whose values single people out, best first.

    Ranges can leave a group with one value of a sensitive column, which is worse, so they come with a requirement.
    """
    wider = _wider(view, name)
    if wider is not None:
        yield Mend(ROUND, name, wider, None if name in (*view.others, *view.diverse) else 2)
    if name in view.others:
        yield Mend(QUASI, name)
    yield Mend(DROP, name)


def _wider(view: View, name: str) -> tuple[Any, Any] | None:
    """The start of one range and the width of all, so that no range holds one record; else about a dozen ranges.

    A column in ranges gets ranges that unite whole ones, because the numbers in these are not known, or None.
    """
    column, often = view.rows.values(name)
    numbers = _numbers(view, name, column)
    if numbers is None:
        return None
    there = (often[:-1] > 0) & ~np.isnan(numbers)
    numbers, often = numbers[there], often[:-1][there]
    begin, unit = view.ranges.get(name, (0, 1))
    spread = float(np.ptp(numbers)) if len(numbers) else 0.0
    if not (math.isfinite(spread) and spread / 10_000 > 0):  # the smallest floats have no ten-thousandth
        return None
    least = 1.0 if (numbers == np.floor(numbers)).all() else 0.0
    for width in round_widths(2 if name in view.ranges else max(spread / 10_000, least + least * 1e-9)):
        ranges, place = np.unique(np.floor(numbers / width), return_inverse=True)
        if len(ranges) < FEWEST_RANGES:
            break
        if np.bincount(place, often).min() > 1:
            return (begin, unit * width)
    if name in view.ranges:
        return None
    return (0, next(width for width in round_widths(spread / FEW_RANGES) if width >= max(least, spread / FEW_RANGES)))


def _numbers(view: View, name: str, column: Column) -> np.ndarray | None:
    """The numbers of a column, or where it is in ranges the number of each, from 0 for the first; None for others."""
    if name not in view.ranges:
        return None if column.numbers is None else np.array(column.numbers, dtype=np.float64)
    begin, width = view.ranges[name]
    found = [re.search(NUMBER, text) for text in column.texts]
    starts = [math.nan if one is None else float(one[1].replace("−", "-")) for one in found]
    places: np.ndarray = np.round((np.array(starts) - begin) / width)
    return places


def round_widths(least: float) -> Iterator[Any]:
    """1, 2 or 5 times a power of ten, ascending, starting at about this value.

    >>> from itertools import islice
    >>> list(islice(round_widths(30), 5)), list(islice(round_widths(0.015), 3))
    ([50, 100, 200, 500, 1000], [0.02, 0.05, 0.1])
    """
    power = math.floor(math.log10(least))
    while True:
        for base in (1, 2, 5):
            width = base * 10**power if power >= 0 else base / 10**-power
            if width >= least:
                yield width
        power += 1
