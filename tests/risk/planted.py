"""Releases with one leak planted in each.

A kind of leak is a function from a generator of random numbers to (Released, Knowledge); `KINDS` says which attack must
find it. `clean` makes releases without certificates that no attack may break, by plain counting; those with
certificates are in `tests/risk/clean.py`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd

import kanon_engine as kanon
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.risk.attacks.published import total

ILLS = ["asthma", "cold", "diabetes", "flu", "gout"]
RARE = "HIV"
HALF = Limits(t=1, rise=0.5, reach=1, absent=1, apart=0)  # what `_keeps_rules` counts
QUASI_IDENTIFIERS = ("age", "zip")


def clean(rng):
    """A release, another of the same people in larger groups, and a list of people who are in both."""
    k = int(rng.integers(2, 7))
    people = _people(rng, k)
    while not (_keeps_rules(people, "cell", k) and _keeps_rules(people, "wide", k) and _parts_keep(people, k)):
        people = _people(rng, k)
    frame = pd.DataFrame(people)
    released, other = _shown(frame, "cell", k), _shown(frame, "wide", k)
    return released, Knowledge(_list(rng, frame), others=(other,), limits=HALF)


def _groups(people, side):
    groups = {}
    for row in people:
        groups.setdefault(row[side], []).append(row["ill"])
    return groups


def _keeps_rules(people, side, k):
    """Counted plainly: k, two values in each group, and belief in none rises by a half."""
    overall = Counter(row["ill"] for row in people)
    for ills in _groups(people, side).values():
        own = Counter(ills)
        rise = max(count / len(ills) - overall[ill] / len(people) for ill, count in own.items())
        if len(ills) < k or len(own) < 2 or rise >= 0.5:
            return False
    return True


def _parts_keep(people, k):
    """Counted plainly: of each person at least k records and two values are possible in both releases."""
    cells, wides = _groups(people, "cell"), _groups(people, "wide")
    for row in people:
        both = set(cells[row["cell"]]) & set(wides[row["wide"]])
        left = min(sum(ill in both for ill in ills) for ills in (cells[row["cell"]], wides[row["wide"]]))
        if len(both) < 2 or left < k:
            return False
    return True


def _people(rng, k):
    """Records with what is true of them, and the cells of two releases; those of one are parts of the other's."""
    rows = []
    number = 0
    for decade in range(2, 2 + int(rng.integers(2, 5))):
        for town in range(int(rng.integers(1, 4))):
            size = int(rng.integers(max(k, 2), 2 * k + 3))
            ills = rng.permutation(ILLS).tolist()
            kinds = int(rng.integers(2, len(ILLS) + 1))
            for place in range(size):
                number += 1
                age = 10 * decade + int(rng.integers(0, 10))
                rows.append(
                    {
                        "name": f"person {number}",
                        "age": age,
                        "zip": f"476{town}{int(rng.integers(0, 10))}",
                        "ill": ills[place % kinds],
                        "cell": f"{10 * decade}–{10 * decade + 9}|476{town}*",
                        "wide": f"{20 * (decade // 2)}–{20 * (decade // 2) + 19}|476**",
                    }
                )
    return rows


def _shown(people, side, k):
    """The release of these records, sorted by what it shows."""
    cells = people[side].str.split("|", expand=True)
    frame = pd.DataFrame({"age": cells[0], "zip": cells[1], "ill": people["ill"]})
    return Released(frame.sort_values(list(frame)).reset_index(drop=True), QUASI_IDENTIFIERS, ("ill",), k=k)


def _list(rng, people):
    """Everybody and some strangers, in random order."""
    known = people[["name", "age", "zip"]]
    far = pd.DataFrame({"name": ["stranger"], "age": [int(rng.integers(20, 60))], "zip": ["99999"]})
    return pd.concat([known, far]).sample(frac=1, random_state=int(rng.integers(1 << 30))).reset_index(drop=True)


def singled_out(rng):
    """One record is alone in its group."""
    released, knowledge = clean(rng)
    return _with_group(rng, released, knowledge, 1)


def below_k(rng):
    """A group has fewer than k records."""
    released, knowledge = clean(rng)
    return _with_group(rng, released, knowledge, int(rng.integers(1, released.k)))


def _with_group(rng, released, knowledge, size):
    """A group far from all others, of some people of the list."""
    more = pd.DataFrame({"age": "90–99", "zip": "1234*", "ill": rng.choice(ILLS, size)})
    ages = rng.integers(90, 100, size)
    people = pd.DataFrame({"name": [f"old {at}" for at in range(size)], "age": ages, "zip": "12345"})
    return _with_rows(released, more), replace(knowledge, outside=pd.concat([knowledge.outside, people]), others=())


def _with_rows(released, more):
    return replace(released, frame=pd.concat([released.frame, more], ignore_index=True))


def joined_column(rng):
    """A column that is released as it is, and that the list has too, finds one record of a group."""
    released, knowledge = clean(rng)
    jobs = np.full(len(released.frame), "clerk", dtype=object)
    at = int(rng.integers(len(jobs)))
    jobs[at] = "mayor"
    frame = released.frame.assign(job=jobs)
    low, high = map(int, frame.at[at, "age"].split("–"))
    mayor = {"name": "the mayor", "age": int(rng.integers(low, high + 1)), "zip": frame.at[at, "zip"].replace("*", "3")}
    people = pd.concat([knowledge.outside.assign(job="clerk"), pd.DataFrame([mayor | {"job": "mayor"}])])
    return replace(released, frame=frame), replace(knowledge, outside=people, others=())


def constant_group(rng):
    """All of a group have the same value."""
    released, knowledge = clean(rng)
    frame = released.frame.copy()
    frame.loc[released.classes == rng.integers(len(released.sizes)), "ill"] = rng.choice(ILLS)
    return replace(released, frame=frame), replace(knowledge, others=())


def skewed_group(rng):
    """A value that is rare elsewhere has nine tenths of a group."""
    released, knowledge = clean(rng)
    size = 10 * int(rng.integers(1, 3))
    more = pd.DataFrame({"age": "90–99", "zip": "1234*", "ill": [RARE] * (size - size // 10) + ["cold"] * (size // 10)})
    rest = [released.frame] * (1 + 4 * size // len(released.frame))  # so that the value is rare
    return _with_rows(replace(released, frame=pd.concat(rest, ignore_index=True)), more), replace(knowledge, others=())


def common_value(rng):
    """Two releases of one person whose groups have one value in common."""
    released, knowledge = clean(rng)
    k = released.k
    first = pd.DataFrame({"age": "90–94", "zip": "1234*", "ill": [RARE, *rng.choice(ILLS[:2], k)]})
    second = pd.DataFrame({"age": "≥ 88", "zip": "123**", "ill": [RARE, *rng.choice(ILLS[2:], k)]})
    person = pd.DataFrame({"name": ["target"], "age": [int(rng.integers(90, 95))], "zip": ["12345"]})
    others = (_with_rows(knowledge.others[0], second),)
    return _with_rows(released, first), replace(
        knowledge, outside=pd.concat([knowledge.outside, person]), others=others
    )


def crossing_groups(rng):
    """Two results of overlapping tables: fewer than k of the shared people have the same two groups."""
    while True:
        n, k = int(rng.integers(20, 40)), int(rng.integers(3, 6))
        everybody = pd.DataFrame({"who": range(n), "age": rng.integers(20, 80, n), "pay": rng.integers(1, 60, n)})
        order = rng.permutation(n)
        frames = [everybody.iloc[order[: 3 * n // 4]], everybody.iloc[order[n // 4 :]]]
        tables = [kanon.Table(frame, ["age", "pay"]) for frame in frames]
        results = [kanon.generalize(table, k, "mondrian") for table in tables]
        groups = [dict(zip(f["who"], g.assignment.tolist(), strict=True)) for f, g in zip(frames, results, strict=True)]
        cells = Counter((groups[0][who], groups[1][who]) for who in set(groups[0]) & set(groups[1]))
        if min(cells.values()) < k:
            knows = Knowledge(
                instance=tables[0], result=results[0], other_results=((tables[1], results[1]),), person="who"
            )
            return released_of(tables[0], results[0], []), knows


def difference_of_totals(rng):
    """The sum of a group without one light item is known too."""
    k = int(rng.integers(5, 20))
    count = int(rng.integers(4, 12))
    weights = rng.integers(k, 3 * k, count)
    own = int(rng.integers(count))
    weights[own] = rng.integers(1, k)
    labels = kanon.Labels([f"label {at}" for at in range(count)], weights)
    result = kanon.generalize(labels, k, "fold")
    rest = np.flatnonzero(result.assignment == result.assignment[own])
    totals = (total("without one", rest[rest != own], count),)
    return released_of(labels, result), Knowledge(instance=labels, result=result, totals=totals)


def lone_hidden_cell(rng):
    """A cell of 1 to 10 is hidden, alone in its row of a table of counts with totals."""
    counts = rng.integers(11, 60, (3, 3))
    row, column = rng.integers(0, 3, 2)
    counts[row, column] = rng.integers(1, 11)
    lines = [(f"row {at}", f"column {to}", counts[at, to]) for at in range(3) for to in range(3)]
    lines += [(f"row {at}", "Total", counts[at].sum()) for at in range(3)]
    frame = pd.DataFrame(lines, columns=["sex", "age", "cases"])
    frame["cases"] = frame["cases"].astype(float).mask(frame.index == 3 * row + column)
    return Released(frame, ("sex", "age"), k=11, counts="cases"), Knowledge()


def group_left_whole(rng):
    """Two people have one value alone and all others another: a group that two values forbid to cut says so."""
    others = int(rng.integers(3, 12))
    frame = pd.DataFrame({"q": [1, 1, *[2] * others], "ill": [RARE, RARE, *[str(rng.choice(ILLS))] * others]})
    table = kanon.Table(frame.sample(frac=1, random_state=int(rng.integers(1 << 30))), ["q"])
    result = kanon.generalize(table, 2, "mondrian", require=[kanon.Diversity("ill", 2)])
    return released_of(table, result, ["ill"], ["ill"]), Knowledge(instance=table, result=result)


def cut_left_out(rng):
    """The same where cuts are for everybody: another column is cut, and no value but theirs occurs twice in a group."""
    k = int(rng.integers(3, 6))
    rows = [(1, 1)] * 2 + [(2, 1)] * k + [(3, 2)] * k
    ills = [RARE, RARE, *rng.permutation(ILLS)[:k], *rng.permutation(ILLS)[:k]]
    frame = pd.DataFrame(rows, columns=["q", "r"]).assign(ill=ills)
    table = kanon.Table(frame.sample(frac=1, random_state=int(rng.integers(1 << 30))), ["q", "r"])
    algorithm = str(rng.choice(["k-optimize", "hill-climb"]))
    result = kanon.generalize(table, 2, algorithm, suppression_limit=0, require=[kanon.Diversity("ill", 2)])
    return released_of(table, result, ["ill"], ["ill"]), Knowledge(instance=table, result=result)


def odd_cycle(rng):
    """A light item, and two others: the sum of each two of the three is known, so each of them is."""
    k = int(rng.integers(5, 20))
    count = int(rng.integers(4, 12))
    weights = rng.integers(k, 3 * k, count)
    own, one, other = rng.permutation(count)[:3].tolist()
    weights[own] = rng.integers(1, k)
    labels = kanon.Labels([f"label {at}" for at in range(count)], weights)
    result = kanon.generalize(labels, k, "fold")
    pairs = ([own, one], [own, other], [one, other])
    totals = tuple(total(f"pair {number}", items, count) for number, items in enumerate(pairs, start=1))
    return released_of(labels, result), Knowledge(instance=labels, result=result, totals=totals)


def star_over_two(rng):
    """One of k people differs from the others in a column of two values, which is hidden for it."""
    k = int(rng.integers(2, 5))
    towns = np.repeat([f"town {at}" for at in range(int(rng.integers(1, 4)))], k)
    sex = np.full(len(towns), "f", dtype=object)
    sex[int(rng.integers(len(towns)))] = "m"
    table = kanon.Table(pd.DataFrame({"town": towns, "sex": sex}), ["town", "sex"])
    result = kanon.generalize(table, k, "cell-suppression")
    return released_of(table, result, []), Knowledge(instance=table, result=result)


def node_over_two(rng):
    """A group shows a node of two children: somebody is in each."""
    k = int(rng.integers(2, 6))
    tree = kanon.Tree.from_levels([("a", "A", "all"), ("b", "A", "all"), ("c", "B", "all"), ("d", "B", "all")])
    places = ["a", "b", *rng.choice(["a", "b"], k - 2), *rng.choice(["c", "d"], k)]
    table = kanon.Table(pd.DataFrame({"place": rng.permutation(places)}), ["place"], trees={"place": tree})
    result = kanon.generalize(table, k, "mondrian")
    return released_of(table, result, []), Knowledge(instance=table, result=result)


def ends_of_a_range(rng):
    """A group shows a range of an order that is known: somebody is at each end."""
    k = int(rng.integers(3, 6))
    steps = list(range(int(rng.integers(k, 2 * k))))
    table = kanon.Table(pd.DataFrame({"step": rng.permutation(steps)}), ["step"], orders={"step": steps})
    result = kanon.generalize(table, k, "mondrian")
    return released_of(table, result, []), Knowledge(instance=table, result=result)


# kind of leak → the attack that must find it, and what makes it
KINDS = {
    "a record alone in its group": ("linking", singled_out),
    "a group below k": ("linking", below_k),
    "a released column that the list has": ("linking", joined_column),
    "a constant group": ("homogeneity", constant_group),
    "a skewed group": ("homogeneity", skewed_group),
    "one value in common": ("composition", common_value),
    "groups that cross": ("composition", crossing_groups),
    "a difference of totals": ("differencing", difference_of_totals),
    "a hidden cell alone in its row": ("differencing", lone_hidden_cell),
    "sums around an odd cycle": ("differencing", odd_cycle),
    "a group that was not cut": ("minimality", group_left_whole),
    "a cut that was not made for everybody": ("minimality", cut_left_out),
    "a star over two values": ("downcoding", star_over_two),
    "a node over two": ("downcoding", node_over_two),
    "both ends of a range": ("downcoding", ends_of_a_range),
}
