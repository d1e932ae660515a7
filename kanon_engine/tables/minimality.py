"""Minimality: what follows because an algorithm would have released more if the sensitive values had allowed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import MINIMALITY, Attacked
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.requirement import Closeness, Diversity, exact
from kanon_engine.model.values import value_words
from kanon_engine.release import require_result_of
from kanon_engine.shown import Shown
from kanon_engine.tables.downcoding import children_of
from kanon_engine.tables.instance import BoxDetails, IntervalDetails, Table
from kanon_engine.validate import told
from kanon_engine.verification.table_costs import are_numbers, distance, is_diverse

MOST_OF_ONE = 5_000  # worlds of the classes that are cut together
MOST = 60_000  # of all classes: some 5 s
COLUMNS = ["group", "known", "column", "value", "people", "attacker's belief from the group alone", "belief", "certain"]

Class = tuple[np.ndarray, np.ndarray, np.ndarray]


def minimality(
    table: Table, g: Generalization, *, demands: Sequence[Demand] | None = None, k: int | None = None
) -> Attacked:
    """People for whom belief in a sensitive value exceeds the promise because of what the algorithm did not do.

    Guarantee: beliefs are exact shares of all ways in which people can have the values of their groups and no cut that
    the algorithm considers is possible (docs/proofs/release/minimality.md).

    Parameters
    ----------
    g : Made from the table.
    demands : The requirements on sensitive columns; those of the result if not given.
    k : The least records of a group; that of the result if not given.

    Returns
    -------
    Attacked
        found: people whose belief in some value rises above 1 / l (of closeness to certainty) and above its share of
        their group. Not run where no group could be examined in full and nobody was found.

    The paper's first example: two people q1 and five q2, at most half of a group may have HIV. Had the two not both
    had it, q1 and q2 would have been shown.

    >>> import kanon_engine as kanon
    >>> from kanon_engine.tables.minimality import AtMost
    >>> people = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 5, "ill": ["HIV"] * 2 + ["none"] * 5})
    >>> table = kanon.Table(people, ["q"])
    >>> found = minimality(table, kanon.generalize(table, 7, "k-optimize"), demands=[AtMost("ill", "HIV", 0.5)], k=2)
    >>> found.verdict, found.found, found.evidence[["known", "value", "belief", "certain"]].values.tolist()
    ('does not survive', 2, [['q1', 'HIV', 1.0, True]])
    """
    require_result_of(table, g)
    least = g.k if k is None else k
    required = [one for one in (g.require if demands is None else demands) if isinstance(one, Demand)]
    records = int(table.weights[g.assignment >= 0].sum())
    if not required:
        if g.options.get("metric") == "CM":
            return MINIMALITY.not_run(
                "The metric CM uses the class label in a way that this attack does not cover; not run."
            )
        words = (
            f"The algorithm uses no sensitive values, so knowing the algorithm reveals no more about {records:,} "
            f"{table.unit} than their groups do."
        )
        nothing = {"required of sensitive columns": "nothing"}
        return MINIMALITY.ran(0, records, table.unit, words, nothing, pd.DataFrame(columns=COLUMNS))
    if not isinstance(g.details, BoxDetails | IntervalDetails):
        return MINIMALITY.not_run(
            "The attack does not cover cell suppression with requirements on sensitive columns; not run."
        )
    if records < table.total:
        left = table.total - records
        return MINIMALITY.not_run(f"{left:,} {table.unit} are left out and could have any values; not run.")
    rows, searched, skipped = [], 0, 0
    for column in dict.fromkeys(one.column for one in required):
        column_demands = [one for one in required if one.column == column]
        evidence, searched_here, broken = _of_column(table, g, column, column_demands, least)
        rows += evidence
        searched, skipped = searched + searched_here, skipped + broken
    return _judged(
        table, g, pd.DataFrame(rows, columns=COLUMNS), searched, skipped, len({one.column for one in required})
    )


def _of_column(
    table: Table, g: Generalization, column: str, demands: Sequence[Demand], k: int
) -> tuple[list[tuple[Any, ...]], int, int]:
    """Rows of evidence; groups that were examined in full; groups for which the algorithm's rule does not hold."""
    codes, domain = table.sensitive(column)
    whole = np.bincount(codes, table.weights, len(domain)).astype(np.int64).tolist()
    questions = [question(one, domain, whole) for one in demands]
    cache: dict[Vector, bool] = {}

    def holds(counts: Vector) -> bool:
        if counts not in cache:
            cache[counts] = all(satisfies(counts) for satisfies in questions)
        return cache[counts]

    classes = [_class(table, members, codes, len(domain)) for members in members_of(g.assignment, g.classes)]
    rows: list[tuple[Any, ...]] = []
    full, untrue, left = 0, 0, MOST
    for block, sides in _blocks(table, g, classes, k):
        people = [_people(classes[group], class_sides) for group, class_sides in zip(block, sides, strict=True)]
        if not people[0].sides:
            full += len(block)
            continue
        true = -1
        for group, one in zip(block, people, strict=True):
            true &= allowed(one, [tuple(row) for row in classes[group][2].tolist()], holds)
        if true:
            untrue += len(block)
            continue
        most = min(MOST_OF_ONE, left)
        try:
            posteriors, work = beliefs(people, holds, most)
        except TooMany:
            left -= most
            continue
        left -= work
        full += len(block)
        for group, one, belief in zip(block, people, posteriors, strict=True):
            rows += _exposed(table, group, classes[group], one, belief, column, domain, demands)
    return rows, full, untrue


def _blocks(
    table: Table, g: Generalization, classes: Sequence[Class], k: int
) -> list[tuple[list[int], list[list[tuple[tuple[int, ...], ...]]]]]:
    """Classes that are cut together, and for each the sides of all finer releases; smallest first."""
    if not isinstance(g.details, BoxDetails):  # cuts are of all classes
        cuts = shared_cuts(table, g, [(codes, sizes) for codes, sizes, _ in classes], k)
        return [(list(range(len(classes))), [[cut[group] for cut in cuts] for group in range(len(classes))])]
    order = sorted(range(len(classes)), key=lambda group: int(classes[group][1].sum()))
    return [([group], [class_cuts(table, g, classes[group][0], classes[group][1], k)]) for group in order]


def _class(table: Table, members: np.ndarray, codes: np.ndarray, values: int) -> Class:
    """The distinct tuples of a class, the count of each, and how many of them really have each sensitive value."""
    tuples, numbers = np.unique(table.codes[members], axis=0, return_inverse=True)
    true = np.zeros((len(tuples), values), dtype=np.int64)
    np.add.at(true, (numbers.reshape(-1), codes[members]), table.weights[members])
    return tuples, true.sum(axis=1), true


def _people(contents: Class, sides: list[tuple[tuple[int, ...], ...]]) -> People:
    _, sizes, true = contents
    return People(tuple(sizes.tolist()), tuple(true.sum(axis=0).tolist()), tuple(sides))


def _exposed(
    table: Table,
    group: int,
    contents: Class,
    people: People,
    belief: list[list[Fraction]],
    column: str,
    domain: Sequence[Any],
    demands: Sequence[Demand],
) -> list[tuple[Any, ...]]:
    size = sum(people.sizes)
    result = []
    for at, shares in enumerate(belief):
        cells = ", ".join(
            value_words(values[code]) for values, code in zip(table.domains, contents[0][at].tolist(), strict=True)
        )
        for value, share in enumerate(shares):
            before = Fraction(people.counts[value], size)
            if share > before and any(_above(share, one, domain[value]) for one in demands):
                row = group + 1, cells, column, value_words(domain[value]), people.sizes[at]
                result.append((*row, float(before), float(share), share == 1))
    return result


def _above(share: Fraction, demand: Demand, value: Any) -> bool:
    watched = not isinstance(demand, AtMost) or value == demand.value
    return watched and (share > limit(demand) or share == 1)


def _judged(
    table: Table, g: Generalization, evidence: pd.DataFrame, searched: int, untrue: int, columns: int
) -> Attacked:
    groups = g.classes * columns
    people = evidence.drop_duplicates(["group", "known"])["people"].sum()
    exposed, of = int(people), table.total
    certain = int(evidence[evidence["certain"].astype(bool)].drop_duplicates(["group", "known"])["people"].sum())
    figures = {
        "groups examined in full": f"{searched:,} of {groups:,}",
        "groups that the algorithm could have cut": f"{untrue:,}",
        "value certain": f"{certain:,}",
    }
    if exposed:
        words = (
            "An attacker who knows which cuts the algorithm did not make can become surer of a sensitive value than "
            f"the requirement allows, for {exposed:,} of {of:,} {table.unit}; for {certain:,} of these, the attacker "
            "can become certain."
        )
    elif searched + untrue < groups:
        left = groups - searched - untrue
        return MINIMALITY.not_run(
            f"{left:,} of {groups:,} groups were not examined in full because there are too many ways to match their "
            "people to the values. In the other groups nobody is exposed."
        )
    else:
        words = (
            f"For each of {of:,} {table.unit}, an attacker's belief in a sensitive value stays within what the "
            "requirement allows."
        )
    return MINIMALITY.ran(exposed, of, table.unit, words, figures, evidence)


# ---------------------------------------------------------------------------------------------------------------------
# Requirements on a sensitive column as questions about the counts of its values.
# ---------------------------------------------------------------------------------------------------------------------


Counts = Sequence[int]


@dataclass(frozen=True)
class AtMost(Shown):
    """No class has more than a share of its records with one sensitive value ((α, k)-anonymity).

    Parameters
    ----------
    column : str
    value : The value that is sensitive; others are not.
    share : float. α, above 0 and below 1.

    References
    ----------
    R. Wong, J. Li, A. Fu, K. Wang, "(α, k)-Anonymity: An Enhanced k-Anonymity Model", KDD 2006.
    """

    column: str
    value: Any
    share: float

    def __post_init__(self) -> None:
        if not isinstance(self.share, int | float) or not 0 < self.share < 1:
            raise InvalidInput(f"The share is {told(self.share)}; give a number above 0 and below 1.")


Demand = Diversity | Closeness | AtMost


def question(demand: Demand, domain: Sequence[Any], whole: Counts) -> Callable[[Counts], bool]:
    """Whether a class with these counts of the values of the domain satisfies a demand.

    Parameters
    ----------
    domain : The values of the column.
    whole : How often the whole table has each of them.

    >>> question(Diversity("ill", 2), ["flu", "gout"], [3, 1])([2, 0])
    False
    >>> question(AtMost("ill", "HIV", 0.5), ["HIV", "none"], [2, 5])([1, 1])
    True
    """
    if isinstance(demand, AtMost):
        place, share = list(domain).index(demand.value), exact(demand.share)
        return lambda counts: counts[place] <= share * sum(counts)
    if isinstance(demand, Closeness):
        most, ordered = exact(demand.t), are_numbers(domain)
        return lambda counts: distance(dict(enumerate(counts)), whole, ordered) <= most
    return lambda counts: is_diverse(demand, sorted(filter(None, counts), reverse=True))


def limit(demand: Demand) -> Fraction:
    """The belief in a value above which somebody is exposed: 1 / l, α; only certainty for closeness."""
    if isinstance(demand, AtMost):
        return exact(demand.share)
    return Fraction(1) if isinstance(demand, Closeness) else 1 / exact(demand.l)


# ---------------------------------------------------------------------------------------------------------------------
# The finer releases that an algorithm would have made of the same classes, had they satisfied what is required.
# ---------------------------------------------------------------------------------------------------------------------


Sides = tuple[tuple[int, ...], ...]


def class_cuts(table: Table, g: Generalization, codes: np.ndarray, sizes: np.ndarray, k: int) -> list[Sides]:
    """Cuts of one class in one column that leave k on every side: all of them, or for Mondrian those at the median.

    Parameters
    ----------
    g : Of boxes.
    codes : (t, q) int. The different tuples of the class.
    sizes : (t,) int. How many records have each.
    """
    cuts: dict[Sides, None] = {}
    for column, name in enumerate(table.quasi_identifiers):
        values = codes[:, column]
        tree = table.tree(name)
        if tree is not None:
            low, high = (int(end) for end in tree.smallest(values.min(), values.max()))
            children = children_of(tree, low, high) if low < high else []
            choices = [[(values >= one) & (values <= other) for one, other in children]]
        elif g.algorithm == "mondrian":
            order = np.argsort(values, kind="stable")
            median = values[order][int(np.searchsorted(sizes[order].cumsum(), sizes.sum() / 2))]
            choices = [[left, ~left] for left in (values <= median, values < median)]
        else:
            choices = [[values < at, values >= at] for at in np.unique(values)[1:].tolist()]
        for sides in choices:
            parts = tuple(tuple(np.flatnonzero(side).tolist()) for side in sides if side.any())
            if len(parts) > 1 and all(sizes[list(side)].sum() >= k for side in parts):
                cuts[parts] = None
    return list(cuts)


def shared_cuts(
    table: Table, g: Generalization, classes: list[tuple[np.ndarray, np.ndarray]], k: int
) -> list[list[Sides]]:
    """One more cut of a column for all classes, which leaves k on every side: for each its sides of every class."""
    details: Any = g.details
    cuts: dict[tuple[Sides, ...], None] = {}
    for column, parts in _cuts(table, details):
        sides = []
        for codes, _ in classes:
            values = codes[:, column]
            inside = [np.flatnonzero((values >= low) & (values <= high)) for low, high in parts]
            rest = [np.flatnonzero((values < parts[0][0]) | (values > parts[-1][1]))]
            sides.append(tuple(tuple(side.tolist()) for side in (*inside, *rest) if len(side)))
        cut = any(len(pieces) > 1 for pieces in sides)
        enough = all(
            sizes[list(side)].sum() >= k for (_, sizes), pieces in zip(classes, sides, strict=True) for side in pieces
        )
        if cut and enough:
            cuts[tuple(sides)] = None
    return [list(one) for one in cuts]


def _cuts(table: Table, details: Any) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Column and parts of one of its intervals, for each way to cut one."""
    for column, name in enumerate(table.quasi_identifiers):
        tree, start = table.tree(name), 0
        for interval in details.intervals[name]:
            stop = start + len(interval) - 1
            if tree is not None:
                if start < stop:
                    yield column, children_of(tree, start, stop)
            else:
                yield from ((column, [(start, at - 1), (at, stop)]) for at in range(start + 1, stop + 1))
            start = stop + 1


# ---------------------------------------------------------------------------------------------------------------------
# All ways in which sensitive values can lie among the people of classes, and which of them an algorithm would release.
#
# The names are those of docs/proofs/release/minimality.md.
# ---------------------------------------------------------------------------------------------------------------------


Vector = tuple[int, ...]
CUTS = 8  # this many finer releases make a world count for one more


@dataclass(frozen=True)
class People:
    """What is known about the people of one class."""

    sizes: tuple[int, ...]  # how many people have each tuple of quasi-identifiers in it
    counts: Vector  # how often the class has each sensitive value
    # for each finer release the tuples on each side, where it cuts the class
    sides: tuple[tuple[tuple[int, ...], ...], ...]


class TooMany(Exception):
    """There are more worlds than are examined."""


def worlds(sizes: Sequence[int], counts: Vector) -> Iterator[tuple[Vector, ...]]:
    """For each tuple how many of its people have each value, in every way.

    >>> list(worlds([1, 2], (2, 1)))
    [((0, 1), (2, 0)), ((1, 0), (1, 1))]
    """
    if not sizes:
        yield ()
        return
    for first in vectors(sizes[0], counts):
        rest = tuple(have - used for have, used in zip(counts, first, strict=True))
        for others in worlds(sizes[1:], rest):
            yield (first, *others)


def vectors(size: int, most: Vector) -> Iterator[Vector]:
    """Whole numbers with this sum, none above `most`."""
    if not most:
        if size == 0:
            yield ()
        return
    for first in range(max(0, size - sum(most[1:])), min(size, most[0]) + 1):
        for rest in vectors(size - first, most[1:]):
            yield (first, *rest)


def ways(world: Sequence[Vector]) -> int:
    """In how many ways the people can have these values."""
    return prod(factorial(sum(vector)) // prod(map(factorial, vector)) for vector in world)


def allowed(people: People, world: Sequence[Vector], holds: Callable[[Vector], bool]) -> int:
    """The finer releases, as bits, whose sides of this class all satisfy what is required."""
    bits = 0
    for number, sides in enumerate(people.sides):
        summed = (tuple(map(sum, zip(*(world[at] for at in side), strict=True))) for side in sides)
        if all(map(holds, summed)):
            bits |= 1 << number
    return bits


def beliefs(
    block: Sequence[People], holds: Callable[[Vector], bool], most: int
) -> tuple[list[list[list[Fraction]]], int]:
    """For each class, tuple and value the share of people who have it, over all worlds that fit the release.

    A world fits if no finer release satisfies in all classes what is required. Each way in which people can have values
    counts the same.

    Parameters
    ----------
    block : The classes that finer releases cut together; one class where each is cut by itself.
    holds : Whether a class with these counts satisfies what is required.
    most : int
        Worlds of all classes together that are examined one by one; with many finer releases each counts for more.

    Returns
    -------
    beliefs, worlds : And how many worlds of single classes were examined.

    Wong, Fu, Wang and Pei: two people q1, five q2, two of these seven have HIV, and at most half of a class may.

    >>> wong = People((2, 5), (2, 5), (((0,), (1,)),))
    >>> beliefs([wong], lambda own: 2 * own[0] <= sum(own), 100)[0][0][0]
    [Fraction(1, 1), Fraction(0, 1)]
    """
    work = 0
    tables: list[dict[int, int]] = []
    shares: list[dict[int, list[list[int]]]] = []
    for people in block:
        weights: dict[int, int] = {}
        sums: dict[int, list[list[int]]] = {}
        for world in worlds(people.sizes, people.counts):
            work += 1 + len(people.sides) // CUTS
            if work > most:
                raise TooMany
            bits, many = allowed(people, world, holds), ways(world)
            weights[bits] = weights.get(bits, 0) + many
            tallies = sums.setdefault(bits, [[0] * len(people.counts) for _ in people.sizes])
            for row, vector in zip(tallies, world, strict=True):
                for value, count in enumerate(vector):
                    row[value] += many * count
        tables.append(weights)
        shares.append(sums)
    result = []
    for number, people in enumerate(block):
        others = _together([table for at, table in enumerate(tables) if at != number])
        fitting = {bits: sum(weight for rest, weight in others.items() if not bits & rest) for bits in tables[number]}
        total = sum(tables[number][bits] * many for bits, many in fitting.items())
        result.append(
            [
                [
                    Fraction(
                        sum(many * shares[number][bits][at][value] for bits, many in fitting.items()), total * size
                    )
                    if total
                    else Fraction()
                    for value in range(len(people.counts))
                ]
                for at, size in enumerate(people.sizes)
            ]
        )
    return result, work


def _together(tables: Sequence[dict[int, int]]) -> dict[int, int]:
    """Ways of several classes together by the finer releases that all of them allow; without classes one way."""
    combined = {-1: 1}
    for table in tables:
        after: dict[int, int] = {}
        for bits, many in combined.items():
            for other, ways_of in table.items():
                after[bits & other] = after.get(bits & other, 0) + many * ways_of
        combined = after
    return combined
