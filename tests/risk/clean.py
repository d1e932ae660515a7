"""Releases with certificates that keep every stated rule, each rule by brute force (`tests/oracles/releases.py`).

A kind of clean release is a function from a generator of random numbers to `Clean`; `KINDS` says which attacks can run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd

import kanon_engine as kanon
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.risk.attacks.published import Published, total
from tests.oracles import downcoding, releases, sums

ILLS = ["asthma", "cold", "diabetes", "flu"]
WORLDS = 3_000  # that brute force goes through for one release
HALF = Limits(t=1, rise=0.5, reach=1, absent=1, apart=0)  # what `releases.tells_little` counts
TWO = kanon.Diversity("ill", 2)


@dataclass(frozen=True)
class Clean:
    """A release, what attackers have, and the same releases as they look to somebody without their certificates.

    Attributes
    ----------
    released : Released
    knowledge : Knowledge
        With the certificates of it and of another release, and a list of people.
    alone : Knowledge or None
        The other release as it left, and a list of who is in both.
    forbidden : int
        Cuts that k allows and the diversity does not: what minimality reasons from.
    """

    released: Released
    knowledge: Knowledge
    alone: Knowledge | None = None
    forbidden: int = 0


def cuts(rng):
    """Cuts that are the same for everybody, under a diversity that may forbid more of them; two results of one table.

    Brute force over all ways in which people can have the values of their groups.
    """
    while True:
        frame, k = _few_tuples(rng)
        first = _made(rng, frame, k, ["k-optimize", "hill-climb"], suppression_limit=0, require=[TWO])
        second = _made(rng, frame, k + int(rng.integers(1, 5)), ["k-optimize", "hill-climb"], suppression_limit=0)
        if first is None or second is None:
            continue
        found = _checked(rng, first, second, *(_of_cuts(*one) for one in (first, second)))
        further = further_cuts(*first)
        if found is not None and _cannot_cut(first, groups_of(*first), further):
            return replace(found, forbidden=len(further))


def years(rng):
    """The same of two years: some have left, others have come; a column tells who is in both."""
    while True:
        everybody, k = _few_tuples(rng)
        gone = rng.permutation(len(everybody))[: int(rng.integers(k, k + 5))]
        stay = everybody.drop(gone)
        first = _made(rng, everybody, k, ["k-optimize", "hill-climb"], suppression_limit=0, require=[TWO])
        second = _made(rng, stay, k, ["k-optimize", "hill-climb"], suppression_limit=0)
        if first is None or second is None:
            continue
        found = _checked(rng, first, second, *(_of_cuts(*one) for one in (first, second)))
        further = further_cuts(*first)
        if found is not None and _cannot_cut(first, groups_of(*first), further):
            return replace(found, forbidden=len(further))


def _few_tuples(rng):
    """Some people of few ages and towns, and a k that cuts one age or town off where the values allow it."""
    k = int(rng.integers(2, 4))
    kinds = [(age, town) for age in (20, 30, 40) for town in (1, 2)]
    chosen = [kinds[at] for at in rng.permutation(len(kinds))[: int(rng.integers(2, 5))]]
    rows = [kind for kind in chosen for _ in range(int(rng.integers(k, k + 2)))]
    frame = pd.DataFrame(rows, columns=["age", "town"])
    values = rng.permutation(ILLS)[: int(rng.integers(2, 5))]
    return frame.assign(ill=rng.choice(values, len(frame)), who=range(len(frame))), k


def _made(rng, frame, k, algorithms, **options):
    """A table and one result of it, or None where it is too small for k or a value lacks."""
    if len(frame) < k or frame["ill"].nunique() < 2:
        return None
    names = [name for name in frame.columns if name not in ("ill", "who")]
    table = kanon.Table(frame, names, trees={name: TREE for name in names if name.startswith("place")})
    return table, kanon.generalize(table, k, str(rng.choice(algorithms)), **options)


def _rows(table):
    return [tuple(row) for row in table.frame[list(table.quasi_identifiers)].to_numpy().tolist()]


def _of_cuts(table, g):
    """Group → for each column the values of its interval."""
    shown = {}
    for row, group in zip(_rows(table), g.assignment.tolist(), strict=True):
        shown[group] = [
            next(set(interval) for interval in g.details.intervals[name] if value in interval)
            for name, value in zip(table.quasi_identifiers, row, strict=True)
        ]
    return shown


def groups_of(table, g):
    """The people of each group, the groups in order."""
    found = releases.members(g.assignment.tolist())
    return [found[group] for group in sorted(found)]


def further_cuts(table, g):
    """One more cut of a column that divides a group and leaves k on every side of every group, as lists of people."""
    rows, found = _rows(table), []
    for column, name in enumerate(table.quasi_identifiers):
        for interval in g.details.intervals[name]:
            for at in interval[1:]:
                sides = []
                for people in groups_of(table, g):
                    inside = rows[people[0]][column] in interval
                    first = [person for person in people if inside and rows[person][column] < at]
                    sides += [first, [person for person in people if person not in first]]
                sides = [side for side in sides if side]
                if len(sides) > g.classes and all(len(side) >= g.k for side in sides):
                    found.append(sides)
    return found


def _cannot_cut(made, groups, further):
    """Whether brute force can go through all ways, and in them no belief rises."""
    values = made[0].frame["ill"].tolist()
    many = 1
    for people in groups:
        many *= len(releases.orders([values[person] for person in people])) if len(people) < 9 else WORLDS + 1
    return many <= WORLDS and releases.raises_no_belief(
        groups, further, values, lambda own: len(set(own)) > 1, Fraction(1, 2)
    )


PLACES = {"north": ["n1", "n2", "n3"], "east": ["e1", "e2", "e3"], "south": ["s1", "s2", "s3"]}
TREE = kanon.Tree.from_levels([(leaf, node, "all") for node, leaves in PLACES.items() for leaf in leaves])
NODES = [frozenset(leaves) for leaves in PLACES.values()]
LEAVES = frozenset().union(*NODES)
EVERY = [LEAVES, *NODES, *(frozenset([leaf]) for leaf in LEAVES)]


def trees(rng):
    """Groups that are cut one by one along trees whose nodes have three children, under a diversity."""
    while True:
        k = int(rng.integers(2, 4))
        count, columns = int(rng.integers(2 * k, 13)), int(rng.integers(1, 3))
        frame = pd.DataFrame({f"place {at}": rng.choice(sorted(LEAVES), count) for at in range(columns)})
        frame = frame.assign(ill=rng.choice(ILLS, count), who=range(count))
        first = _made(rng, frame, k, ["mondrian"], require=[TWO])
        second = _made(rng, frame, k + int(rng.integers(1, 4)), ["mondrian"])
        if first is None or second is None:
            continue
        shown = _of_nodes(*first)
        hides = any(len(words) > 1 for own in shown.values() for words in own)
        tells = any(
            releases.one_of_each(EVERY, frozenset(words), len(people))
            for people in groups_of(*first)
            for words in shown[int(first[1].assignment[people[0]])]
        )
        if not hides or tells:
            continue
        found = _checked(rng, first, second, shown, _of_nodes(*second))
        further = [_partings(first[0], first[1].k, people) for people in groups_of(*first)]
        alike = zip(groups_of(*first), further, strict=True)
        if found is not None and all(_cannot_cut(first, [people], own) for people, own in alike):
            return replace(found, forbidden=sum(map(len, further)))


def _smallest(leaves):
    return min((node for node in EVERY if set(leaves) <= node), key=len)


def _of_nodes(table, g):
    """Group → for each column the leaves of the smallest node that holds its people."""
    rows = _rows(table)
    return {
        group: [set(_smallest([rows[person][column] for person in people])) for column in range(len(rows[0]))]
        for group, people in releases.members(g.assignment.tolist()).items()
    }


def _partings(table, k, people):
    """The parting of a group along the children of a node, for each column, where each part has k."""
    rows, found = _rows(table), []
    for column in range(len(rows[0])):
        node = _smallest([rows[person][column] for person in people])
        below = NODES if node == LEAVES else [frozenset([leaf]) for leaf in node]
        sides = [[person for person in people if rows[person][column] in child] for child in below]
        sides = [side for side in sides if side]
        if len(sides) > 1 and all(len(side) >= k for side in sides):
            found.append(sides)
    return found


def stars(rng):
    """The fewest stars of a few records; brute force over all originals of the release."""
    while True:
        k, columns = int(rng.integers(2, 4)), int(rng.integers(1, 3))
        count = int(rng.integers(2 * k - columns, 7 if columns == 1 else 5))
        frame = pd.DataFrame({f"c{at}": rng.integers(0, 3, count) for at in range(columns)})
        if any(frame[name].nunique() < 3 for name in frame):
            continue
        frame = frame.assign(ill=rng.choice(ILLS, count), who=range(count))
        first = _made(rng, frame, k, ["cell-suppression"])
        second = _made(rng, frame, min(k + 1, count), ["hill-climb"], suppression_limit=0)
        if first is None or second is None or first[1].status != "optimal":
            continue
        table, g = first
        hidden = g.details.stars[g.assignment]
        shown = {
            group: [
                set(range(3)) if star else {value} for star, value in zip(hidden[at], _rows(table)[at], strict=True)
            ]
            for at, group in enumerate(g.assignment.tolist())
        }
        found = _checked(rng, first, second, shown, _of_cuts(*second))
        if found is None or not hidden.any():
            continue
        lines = np.where(hidden, downcoding.STAR, table.frame[list(table.quasi_identifiers)].to_numpy())
        if not downcoding.certain(tuple(sorted(map(tuple, lines.tolist()))), [3] * columns, k):
            return found


def _checked(rng, first, second, *shown):
    """Both releases with what attackers have, or None where linking, homogeneity or composition finds somebody."""
    (table, g), (other, h) = first, second
    k = min(g.k, h.k)
    rows, values = _rows(table), table.frame["ill"].tolist()
    groupings = [g.assignment.tolist(), h.assignment.tolist()]
    if not releases.keeps_k(groupings[0], g.k) or not releases.tells_little(groupings[0], values):
        return None
    if not releases.links_to_enough(rows, groupings[0], shown[0], values, g.k):
        return None
    who = [made.frame["who"].tolist() for made in (table, other)]
    both, everybody = sorted(set(who[0]) & set(who[1])), sorted(set(who[0]) | set(who[1]))
    places = [[own.index(person) for person in both] for own in who]
    theirs = [[own[at] for at in place] for own, place in zip(groupings, places, strict=True)]
    if not releases.parts_have_enough(theirs, k):
        return None
    kept = [values, other.frame["ill"].tolist()]
    of = [
        [
            [dict(zip(own, said, strict=True)).get(person) for person in everybody]
            for own, said in zip(who, told, strict=True)
        ]
        for told in (groupings, kept)
    ]
    if not releases.values_stay_open(*of, [everybody.index(person) for person in both]):
        return None
    shared = [rows[at] for at in places[0]]
    if not releases.records_stay_open(shared, list(zip(groupings, shown, kept, strict=True)), k):
        return None
    if not releases.differences_stay_open(*(_values_shown(*made) for made in (first, second)), k):
        return None
    people = _named(rng, table)
    knowledge = Knowledge(
        people,
        everybody=bool(rng.integers(2)),
        instance=table,
        result=g,
        other_results=((other, h),),
        person="who" if len(both) < len(everybody) else None,
        totals=_totals(rng, groupings) if len(both) == len(everybody) else (),
        limits=HALF,
    )
    made = [released_of(*one, ["ill"], ["ill"]) for one in (first, second)]
    listed = people[people["name"].isin([f"person {own}" for own in both])]
    return Clean(made[0], knowledge, Knowledge(listed, others=(made[1],)))


def _values_shown(table, g):
    """What records show → their values."""
    made = released_of(table, g, ["ill"])
    return made.frame.groupby(list(made.quasi_identifiers))["ill"].apply(list).to_dict()


def _named(rng, table):
    """Everybody under a name, in random order."""
    named = table.frame[list(table.quasi_identifiers)].assign(name=[f"person {own}" for own in table.frame["who"]])
    return named.sample(frac=1, random_state=int(rng.integers(1 << 30))).reset_index(drop=True)


def _totals(rng, groupings):
    """How many have some pairs of groups together, which the groupings tell already."""
    cells = list(zip(*groupings, strict=True))
    chosen = {cell for cell in set(cells) if rng.integers(2)}
    items = [at for at, cell in enumerate(cells) if cell in chosen]
    return (total("some groups", items, len(cells)),) if items else ()


def counts(rng):
    """Groups of labels, another grouping of them and a total: no sum that follows has some and fewer than k.

    Brute force over all tables of whole numbers with these sums.
    """
    while True:
        count, k = int(rng.integers(4, 7)), int(rng.integers(3, 6))
        weights = rng.integers(1, 6, count)
        if weights.sum() < k:
            continue
        labels = kanon.Labels([f"label {at}" for at in range(count)], weights)
        results = [kanon.generalize(labels, k + int(more), "fold") for more in rng.integers(0, 3, 2)]
        given = total("some", np.flatnonzero(rng.integers(0, 2, count)), count)
        published = [*(Published("groups", g.assignment, True) for g in results), given]
        first, second = results
        if (given.classes >= 0).any() and _sums_hide(published, weights, first.k):
            return Clean(
                released_of(labels, first),
                Knowledge(instance=labels, result=first, other_results=((labels, second),), totals=(given,)),
            )


def _sums_hide(published, weights, k):
    """Whether no part that some groups have in common, nor several, is told to have some and fewer than k."""
    choices, numbers = np.unique(np.column_stack([one.classes for one in published]), axis=0, return_inverse=True)
    parts = np.bincount(numbers.reshape(-1), weights).astype(int)
    rows = [
        set(np.flatnonzero(side == number).tolist())
        for one, side in zip(published, choices.T, strict=True)
        for number in np.unique(side)
        if number >= 0 or one.rest
    ]
    tables = list(sums.tables(rows, [int(parts[list(row)].sum()) for row in rows], len(parts)))
    return not any(
        sum(parts[at] for at in own) > 0 and max(sum(table[at] for at in own) for table in tables) < k
        for size in range(1, len(parts) + 1)
        for own in combinations(range(len(parts)), size)
    )


# kind of clean release → what makes it, and the attacks that run on it
TABLES = ("linking", "homogeneity", "composition", "differencing", "minimality", "downcoding")
KINDS = {
    "cuts for everybody": (cuts, TABLES),
    "two years": (years, TABLES),
    "groups along trees": (trees, TABLES),
    "the fewest stars": (stars, TABLES),
    "counts of labels": (counts, ("linking", "differencing")),
}
