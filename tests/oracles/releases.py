"""What a small release tells of its people, by going through them one by one; nothing from the engine.

A grouping is a list with the group of each person. A release shows of each group one set of values a column. Rows are
the true values of people, a tuple each.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

HALF = Fraction(1, 2)


def members(grouping):
    """Group → its people."""
    found = {}
    for person, group in enumerate(grouping):
        found.setdefault(group, []).append(person)
    return found


def keeps_k(grouping, k):
    """Each group has k people."""
    return min(Counter(grouping).values()) >= k


def tells_little(grouping, values):
    """No group makes a value certain, and none raises belief in one by a half."""
    overall = Counter(values)
    for people in members(grouping).values():
        own = Counter(values[person] for person in people)
        if len(own) < 2:
            return False
        if any(Fraction(n, len(people)) - Fraction(overall[value], len(values)) >= HALF for value, n in own.items()):
            return False
    return True


def fits(row, shown):
    """Whether a person can have what a group shows."""
    return all(value in words for value, words in zip(row, shown, strict=True))


def links_to_enough(rows, grouping, shown, values, k):
    """Each person fits k records that do not all have one value, and each record fits k people."""
    for row in rows:
        possible = [person for person, group in enumerate(grouping) if fits(row, shown[group])]
        if len(possible) < k or len({values[person] for person in possible}) < 2:
            return False
    return all(sum(fits(row, shown[group]) for row in rows) >= k for group in set(grouping))


def parts_have_enough(groupings, k):
    """Who share their groups in all groupings are k or more."""
    return min(Counter(zip(*groupings, strict=True)).values()) >= k


def values_stay_open(groupings, values, shared):
    """Of each shared person two values occur in all of the groups.

    groupings, values: one list a release, each with the group or the value of each person, None for who is not in it.
    """
    for person in shared:
        possible = [
            {own[other] for other, group in enumerate(grouping) if group is not None and group == grouping[person]}
            for grouping, own in zip(groupings, values, strict=True)
        ]
        if len(set.intersection(*possible)) < 2:
            return False
    return True


def differences_stay_open(first, second, k):
    """No difference of two releases is of fewer than k records or of one value: in no group, nor of all together.

    first, second: group → its values.
    """
    whole = [[value for own in one.values() for value in own] for one in (first, second)]
    for ours, theirs in [(first[group], second[group]) for group in set(first) & set(second)] + [tuple(whole)]:
        for more in (Counter(ours) - Counter(theirs), Counter(theirs) - Counter(ours)):
            if more and (sum(more.values()) < k or len(more) == 1):
                return False
    return True


def records_stay_open(rows, releases, k):
    """Of each person k records that fit, in each release, have a value that occurs among those that fit in all others.

    releases: (grouping, shown, values) each; grouping and values of the records of this release.
    """
    for row in rows:
        own = [
            [value for group, value in zip(grouping, values, strict=True) if fits(row, shown[group])]
            for grouping, shown, values in releases
        ]
        both = set.intersection(*map(set, own))
        if len(both) < 2 or min(sum(value in both for value in records) for records in own) < k:
            return False
    return True


def orders(values):
    """Every different order of some values."""
    return sorted(set(permutations(values)))


def beliefs(groups, cuts, values, holds):
    """(person, value) → share of all ways in which people can have the values of their group and no cut is possible.

    groups: lists of people, which cuts are of together. cuts: each the lists of people on its sides.
    """
    seen, total = Counter(), 0
    for chosen in product(*(orders([values[person] for person in people]) for people in groups)):
        world = {
            person: value
            for people, own in zip(groups, chosen, strict=True)
            for person, value in zip(people, own, strict=True)
        }
        if any(all(holds([world[person] for person in side]) for side in sides) for sides in cuts):
            continue
        total += 1
        seen.update(world.items())
    return {key: Fraction(many, total) for key, many in seen.items()}


def raises_no_belief(groups, cuts, values, holds, limit):
    """No belief is above the value's share of the group and above the limit, and the truth is one of the ways."""
    if any(all(holds([values[person] for person in side]) for side in sides) for sides in cuts):
        return False
    found = beliefs(groups, cuts, values, holds)
    for people in groups:
        own = Counter(values[person] for person in people)
        for person, value in product(people, own):
            belief = found.get((person, value), Fraction())
            if belief > Fraction(own[value], len(people)) and (belief > limit or belief == 1):
                return False
    return True


def one_of_each(nodes, leaves, size):
    """The nodes strictly inside a shown one in which a group of this size has a record for certain.

    nodes: sets of leaves, of a tree. leaves: the shown node, the smallest that holds the group.
    """
    inside = [node for node in nodes if node < leaves]
    open_still = set(inside)
    for count in range(1, min(size, len(leaves)) + 1):
        for have in combinations(sorted(leaves), count):
            if not any(set(have) <= node for node in inside):
                open_still -= {node for node in open_still if not node & set(have)}
    return open_still
