"""Composition: several releases of overlapping people, each of them k-anonymous, intersected person by person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import BROKEN, NOT_RUN, Attack, Attacked, exact_interval
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.values import plain_value, value_words
from kanon_engine.release.released import Released
from kanon_engine.release.sets import joined
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.matching import Candidates, fits_of, matches, present
from kanon_engine.risk.attacks.turnover import Difference, turnover
from kanon_engine.risk.attacks.voters import people_list

COMPOSITION = Attack(
    "composition",
    "Composition of several releases",
    "Someone knows who is in several releases, finds each person's group in every one of them, and keeps only what is "
    "possible in all of them. The differences between releases are searched for people who joined or left in between.",
    "S. Ganta, S. Kasiviswanathan, A. Smith, Composition Attacks and Auxiliary Information in Data Privacy, KDD 2008",
)
RULE = (
    "The release survives if at least k people or records remain possible for everybody, and every difference between "
    "two releases has at least k records and more than one sensitive value. In addition, no sensitive value may become "
    "certain, or more than {belief:g} likely, only because releases are combined."
)

BLOCK = 2_000  # people
ROUNDING = 1e-9  # of beliefs


def composition(released: Released, knowledge: Knowledge) -> Attacked:
    """People who are in several releases, or came or left between them, and what remains of their groups together.

    With results and their data (`result`, `other_results`), or with a crosswalk, it is known who is in all of them: a
    person is left with those who share every group. With only releases (`others`), a list of people says who is in all:
    a person is left with the records whose unchanged columns occur among the candidates in every release. Either way, a
    sensitive value is certain if no other is possible in all releases, and others are as likely as `joint_beliefs`
    says. The differences of two releases reveal those who are in only one of them (`turnover`); this needs neither a
    list nor `person`.

    Not run with one release, or if nothing shows who is in several and no difference reveals anyone.

    Parameters
    ----------
    knowledge : Knowledge
        `result`, `instance` and `other_results`, with `person` or `crosswalk` where these are of different tables; or
        `others`, with one of these or `outside`, `name`, `match`. Of `limits` the belief.

    >>> one = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "ill": ["flu", "cold", "flu", "gout"]})
    >>> two = pd.DataFrame({"age": ["≤ 35", "≤ 35", "≥ 36", "≥ 36"], "ill": ["flu", "gout", "cold", "mumps"]})
    >>> first, second = (Released(frame, ("age",), ("ill",), k=2) for frame in (one, two))
    >>> voters = pd.DataFrame({"name": ["Ada"], "age": [38]})
    >>> found = composition(first, Knowledge(voters, others=(second,)))
    >>> found.verdict, found.evidence.values.tolist()
    ('does not survive', [['Ada', 1, 'cold']])
    """
    if knowledge.result is not None and knowledge.other_results:
        return _of_results(released, knowledge, knowledge.result)
    others = [one for one in knowledge.others if not one.meanings.get("group")]  # groupings of items: differencing
    if others:
        every = [released, *others]
        k = min(one.k for one in every)
        keys = _keys_of_releases(every, knowledge)
        differ = [
            difference
            for one, other in combinations(range(len(every)), 2)
            for difference in turnover(every[one], every[other], k, None if keys is None else (keys[one], keys[other]))
        ]
        if keys is None:
            return _with_differences(_of_releases(released, replace(knowledge, others=tuple(others))), differ, k)
        records = [_Records(one.frame, one.classes, one.k) for one in every]
        people = _of_identified_people(records, keys, released.sensitive, knowledge.limits.belief)
        return _with_differences(people, differ, k)
    return COMPOSITION.not_run("There is only one release; give others that contain the same people.")


@dataclass(frozen=True)
class _Records:
    """The records that one release was made from, or shows."""

    frame: pd.DataFrame
    groups: np.ndarray  # (n,) int64: the group of each, -1 for what is left out
    k: int

    @property
    def classes(self) -> int:
        return int(self.groups.max(initial=-1)) + 1


@dataclass(frozen=True)
class _Left:
    """What is left of each shared person: how many people or records, and values that are certain or likely now."""

    people: pd.Series
    count: np.ndarray
    light: np.ndarray
    certain: dict[str, np.ndarray]
    likely: dict[str, np.ndarray]  # “flu (0.95)”
    limit: float
    large: int = 0  # people whose groups are too large to weigh


def _of_results(released: Released, knowledge: Knowledge, result: Generalization) -> Attacked:
    pairs = [(knowledge.instance, result), *knowledge.other_results]
    releases = [get_family(g.family).release for _, g in pairs]
    looking = [release.records for release in releases if release is not None and release.records is not None]
    if len(looking) < len(pairs):
        return COMPOSITION.not_run(
            "These groups show no single records; differencing covers what several groupings reveal together."
        )
    records = []
    for record_release, (table, g) in zip(looking, pairs, strict=True):
        rows = record_release.rows(table)
        records.append(_Records(table.frame.iloc[rows].reset_index(drop=True), g.assignment[rows], g.k))
    same = len({table.digest for table, _ in pairs}) == 1
    if knowledge.crosswalk is None and same:
        keys: list[pd.Series] | None = [pd.Series(np.arange(len(one.frame))) for one in records]
    else:
        keys = _keys([one.frame for one in records], knowledge)
    if keys is None:
        people = COMPOSITION.not_run(
            "The releases come from different tables; name the column that identifies each person, or give a crosswalk."
        )
    else:
        people = _of_identified_people(records, keys, released.sensitive, knowledge.limits.belief)
    # releases of the same table contain the same people, so nobody joined or left
    if same:
        return people
    k = min(one.k for one in records)
    visible: list[tuple[Released, pd.Series | None]] = []
    for number, (record_release, pair, made_of) in enumerate(zip(looking, pairs, records, strict=True), start=1):
        inside, cells = made_of.groups >= 0, record_release.cells(*pair)
        frame = cells.iloc[made_of.groups[inside]].reset_index(drop=True)
        sensitive = [name for name in released.sensitive if name in made_of.frame.columns]
        frame[sensitive] = made_of.frame.loc[inside, sensitive].reset_index(drop=True)
        one = Released(frame, tuple(cells.columns), tuple(sensitive), made_of.k, name=f"release {number}")
        visible.append((one, None if keys is None else keys[number - 1][inside]))
    differ = [
        difference
        for (one, ours), (other, theirs) in combinations(visible, 2)
        for difference in turnover(one, other, k, None if ours is None or theirs is None else (ours, theirs))
    ]
    return _with_differences(people, differ, k)


def _keys_of_releases(every: Sequence[Released], knowledge: Knowledge) -> list[pd.Series] | None:
    """What identifies people in releases of records: a crosswalk, or a column that all of them show."""
    if any(one.counts is not None for one in every):
        if knowledge.crosswalk is not None:
            raise InvalidInput(
                "A release has groups but no records, so a crosswalk cannot link records to people; leave the "
                "crosswalk out."
            )
        return None
    return _keys([one.frame for one in every], knowledge)


def _of_identified_people(
    records: Sequence[_Records], keys: Sequence[pd.Series], sensitive: Sequence[str], limit: float
) -> Attacked:
    """What is left of people whose records are known."""
    shared = reduce(lambda one, other: one[one.isin(other)], keys[1:], keys[0])
    places = [pd.Index(series).get_indexer(shared) for series in keys]
    groups = np.column_stack([one.groups[at] for one, at in zip(records, places, strict=True)])
    there: np.ndarray = np.asarray((groups >= 0).all(axis=1))
    if not there.any():
        return COMPOSITION.not_run("Nobody is in all of these releases, so together they reveal nothing about anyone.")
    # + 1 because `joined` takes no negative numbers, and -1 is a record that was left out
    cells = joined(list(groups.T + 1), len(groups))
    count = np.where(there, np.bincount(cells, minlength=1)[cells], 0)
    k = min(one.k for one in records)
    certain, likely = {}, {}
    for name in sensitive:
        if all(name in one.frame.columns for one in records):
            certain[name], likely[name] = _newly_revealed(name, records, groups, there, limit)
    left = _Left(shared.reset_index(drop=True), count, there & (count < k), certain, likely, limit)
    figures = {
        "releases": f"{len(records):,}",
        "shared people": f"{len(shared):,}",
        "in every release": f"{int(there.sum()):,}",
        "alone": f"{int((count == 1).sum()):,}",
    }
    return _told(left, k, figures, "people in the same groups of all releases", exact=True)


def _with_differences(people: Attacked, differ: Sequence[Difference], k: int) -> Attacked:
    """What is revealed about people in all releases, and about those in one of two."""
    if not differ:
        return people
    count = sum(one.records for one in differ)
    sure = sum(one.records for one in differ if one.certain)
    rows = [
        {"person": one.whose, "left": one.records, **{f"certain {name}": value for name, value in one.certain.items()}}
        for one in differ
    ]
    summary = f"{differ[0].whose[0].upper()}{differ[0].whose[1:]}"
    many = f"{count:,} {'record' if count == 1 else 'records'}"
    words = (
        f"Differences between two releases reveal {many}, in sets with fewer than k = {k:,} records or only one "
        "sensitive value; "
        f"for {sure:,} of these records a sensitive value is certain. The first set: {summary}."
    )
    exposed, of = people.found + count, people.of + count
    low, high = people.interval
    return replace(
        people,
        verdict=BROKEN,
        found=exposed,
        of=of,
        unit="people",
        interval=(exposed / of, exposed / of)
        # without a sample of people, the share is exact
        if people.verdict == NOT_RUN or low == high
        else exact_interval(exposed, of),
        sentence=f"{words} {people.sentence}",
        figures={**people.figures, "records shown to have come or left": f"{count:,}"},
        evidence=pd.concat([pd.DataFrame(rows), people.evidence], ignore_index=True),
    )


def _keys(frames: Sequence[pd.DataFrame], knowledge: Knowledge) -> list[pd.Series] | None:
    """What identifies people in each of some frames: the crosswalk, or a column that all of them have."""
    if knowledge.crosswalk is not None:
        return _crossed([len(frame) for frame in frames], knowledge.crosswalk)
    person = knowledge.person
    if person is None or not all(person in frame.columns for frame in frames):
        return None
    for frame in frames:
        if not frame[person].is_unique:
            raise InvalidInput(f"A value of {person!r} occurs twice in one table, so it does not identify a person.")
    return [frame[person] for frame in frames]


def _crossed(sizes: Sequence[int], crosswalk: pd.DataFrame) -> list[pd.Series]:
    """For each release, the crosswalk row of each record, from 1; a number of its own for every other record."""
    if crosswalk.shape[1] != len(sizes):
        raise InvalidInput(
            f"The crosswalk has {crosswalk.shape[1]:,} columns for {len(sizes):,} releases; give one column per "
            "release, in the same order."
        )
    keys, others = [], 0
    for size, name in zip(sizes, crosswalk.columns, strict=True):
        rows = pd.to_numeric(crosswalk[name], errors="coerce")
        people = np.flatnonzero(rows.notna())
        positions = rows.dropna().to_numpy()
        if (
            crosswalk[name].notna().sum() > len(positions)
            or ((positions % 1 != 0) | (positions < 1) | (positions > size)).any()
        ):
            raise InvalidInput(
                f"Column {name!r} of the crosswalk has an entry that is not a row from 1 to {size:,}; correct it."
            )
        if len(np.unique(positions)) < len(positions):
            raise InvalidInput(
                f"Column {name!r} of the crosswalk lists a row twice, so it is unclear whose row that is; correct it."
            )
        # negative and different in every release: whoever the crosswalk does not list matches nobody
        key = -1 - others - np.arange(size)
        key[positions.astype(np.int64) - 1] = people + 1
        keys.append(pd.Series(key))
        others += size
    return keys


def _newly_revealed(
    name: str, records: Sequence[_Records], groups: np.ndarray, there: np.ndarray, limit: float
) -> np.ndarray:
    """(2, people) object: the one value that all groups of a person have, if no single group reveals it; and the value
    that they make more likely than the limit, if no single group does; otherwise None."""
    every = pd.concat([one.frame[name].astype(object) for one in records], ignore_index=True)
    codes, values = pd.factorize(every, use_na_sentinel=False)
    words, tables, begin = _words(values), [], 0
    for one in records:
        codes_of_one, begin = codes[begin : begin + len(one.groups)], begin + len(one.groups)
        inside = one.groups >= 0
        cells = one.groups[inside].astype(np.int64) * len(values) + codes_of_one[inside]
        tables.append(np.bincount(cells, minlength=one.classes * len(values)).reshape(one.classes, len(values)))
    prior = np.sum([table.sum(axis=0) for table in tables], axis=0)
    prior = prior / prior.sum()
    kinds = joined(list(groups[there].T), int(there.sum()))
    ways, people = groups[there][np.unique(kinds, return_index=True)[1]], np.bincount(kinds)
    by_way = np.full((2, len(ways)), None, dtype=object)
    for at, (way, shared) in enumerate(zip(ways.tolist(), people.tolist(), strict=True)):
        counts = np.array([table[group] for table, group in zip(tables, way, strict=True)])
        least = counts.min(axis=0)
        some = least > 0
        if some.sum() == 1 and ((counts > 0).sum(axis=1) > 1).all():
            by_way[0, at] = words[some.argmax()]
        if (least >= limit * shared).any():  # otherwise no value can be that likely
            beliefs = np.zeros(len(values))
            beliefs[some] = joint_beliefs(counts[:, some], counts.sum(axis=1).tolist(), prior[some], shared)
            by_way[1, at] = _above(beliefs, counts / counts.sum(axis=1, keepdims=True), words, limit)
    revealed = np.full((2, len(groups)), None, dtype=object)
    revealed[:, there] = by_way[:, kinds]
    return revealed


def _above(beliefs: np.ndarray, alone: np.ndarray, words: np.ndarray, limit: float) -> str | None:
    """The value that is now more likely than the limit, and its belief; None if one is certain, or was so before."""
    best = int(beliefs.argmax())
    if beliefs[best] <= limit + ROUNDING or alone[:, best].max() > limit or np.count_nonzero(beliefs) == 1:
        return None
    return f"{words[best]} ({beliefs[best]:.3g})"


def _of_releases(released: Released, knowledge: Knowledge) -> Attacked:
    every = [present(one) for one in (released, *knowledge.others)]
    shared = [name for name in every[0].kept if all(name in one.kept for one in every)]
    if not all(len(one.frame) for one in every):
        return COMPOSITION.not_run("A release has no records, so it reveals nothing about anyone.")
    if not shared:
        return COMPOSITION.not_run(
            "No column is released unchanged in all of the releases, so their records cannot be compared."
        )
    people = people_list(knowledge.outside, knowledge.name, knowledge.instance, knowledge.seed)
    if people is None:
        return COMPOSITION.not_run("Nothing shows who is in all of these releases; give a list of people with names.")
    outside, name = people
    rest = outside.drop(columns=name)
    declared = [[match for match in knowledge.match if set(match.released) <= set(one.frame.columns)] for one in every]
    # by the columns that are compared afterwards nobody is linked
    candidates = [
        Candidates.of(
            [
                fits_of(one, rest, match, knowledge.outside is not None)
                for match in matches(one, rest, entry, births=True, year=knowledge.year)
            ]
        )
        for one, entry in zip(every, declared, strict=True)
    ]
    stacked = pd.concat([one.frame[shared].astype(object) for one in every], ignore_index=True)
    # one number per combination of values in these columns, and a row for each number
    signature = joined([pd.factorize(stacked[name], use_na_sentinel=False)[0] for name in shared], len(stacked))
    rows = np.unique(signature, return_index=True)[1]
    sensitive = [column for column in shared if all(column in one.sensitive for one in every)]
    k, count = min(one.k for one in every), len(outside)
    number = int(signature.max(initial=-1)) + 1
    left, alone = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    certain = {column: np.full(count, None, dtype=object) for column in sensitive}
    tables = []
    begin = 0
    for one, entry in zip(every, candidates, strict=True):
        codes, begin = signature[begin : begin + len(one.frame)], begin + len(one.frame)
        tables.append(_counted(entry, codes, one.weights, number))
    of = {column: pd.factorize(stacked[column].iloc[rows], use_na_sentinel=False) for column in sensitive}
    for place in range(0, count, BLOCK):
        block = slice(place, min(place + BLOCK, count))
        counts = [
            np.asarray(table[entry.kinds[block]].toarray()) for entry, table in zip(candidates, tables, strict=True)
        ]
        possible = np.logical_and.reduce([one > 0 for one in counts])
        left[block] = np.min([(one * possible).sum(axis=1) for one in counts], axis=0)
        alone[block] = np.min([one.sum(axis=1) for one in counts], axis=0)
        for column, (codes, values) in of.items():
            single = np.logical_or.reduce([_sure(one > 0, codes, len(values)) >= 0 for one in counts])
            together = _sure(possible, codes, len(values))
            sure = (together >= 0) & ~single
            certain[column][block][sure] = _words(values)[together[sure]]
    likely, large = _likely_records(candidates, tables, of, signature, every, knowledge.limits.belief)
    if not (left > 0).any():
        return COMPOSITION.not_run(
            f"None of the {count:,} people on the list can be in all of these releases: the releases contain different "
            "people, or the values are written differently; give a list of people in the releases."
        )
    # whom one release alone leaves below k is not exposed by the combination
    light = (left > 0) & (left < k) & (alone >= k)
    figures = {
        "releases": f"{len(every):,}",
        "people on the list": f"{count:,}",
        "possible in every release": f"{int((left > 0).sum()):,}",
        "compared by": ", ".join(shared),
    }
    people_of_list = outside[name].reset_index(drop=True)
    remainder = _Left(people_of_list, left, light, certain, likely, knowledge.limits.belief, large)
    return _told(remainder, k, figures, "records that are possible in every release", exact=False)


def _likely_records(
    candidates: Sequence[Candidates],
    tables: Sequence[Any],
    of: dict[str, tuple[np.ndarray, Any]],
    signature: np.ndarray,
    every: Sequence[Released],
    limit: float,
) -> tuple[dict[str, np.ndarray], int]:
    """The likely values of `_newly_revealed` by column, of records alone; and people with groups that are too large."""
    weights = np.concatenate([one.weights for one in every])
    prior = np.bincount(signature, weights=weights) / weights.sum()
    ways, kinds = np.unique(np.column_stack([one.kinds for one in candidates]), axis=0, return_inverse=True)
    kinds = kinds.reshape(-1)
    likely = {column: np.full(len(ways), None, dtype=object) for column in of}
    words = {column: _words(values) for column, (_, values) in of.items()}
    large = np.zeros(len(ways), dtype=bool)
    for at, way in enumerate(ways.tolist() if of else []):
        rows = [table[[kind]] for table, kind in zip(tables, way, strict=True)]
        common = reduce(np.intersect1d, [row.indices for row in rows])
        if len(common) < 2:
            continue
        counts = np.array([row[:, common].toarray()[0] for row in rows])
        sizes = [int(row.sum()) for row in rows]
        large[at] = min(*sizes, int(counts.min(axis=0).sum())) > LARGEST
        if large[at]:
            continue
        beliefs = joint_beliefs(counts, sizes, prior[common], None)
        for column, (codes, values) in of.items():
            shares = [np.bincount(codes[row.indices], row.data, len(values)) / row.sum() for row in rows]
            together = np.bincount(codes[common], beliefs, len(values))
            likely[column][at] = _above(together, np.array(shares), words[column], limit)
    return {column: values[kinds] for column, values in likely.items()}, int(large[kinds].sum())


def _counted(candidates: Candidates, codes: np.ndarray, weights: np.ndarray, number: int) -> Any:
    """(kinds, signatures) sparse: how many records of each signature can be a person's."""
    from scipy.sparse import csr_array, vstack

    per_class = csr_array((weights, (candidates.classes, codes)), shape=(candidates.count, number))
    return vstack([csr_array(mask.astype(np.int64)) @ per_class for _, mask in candidates.blocks()], format="csr")


def _words(values: Any) -> np.ndarray:
    """(v,) object: values as a person reads them."""
    words = np.empty(len(values), dtype=object)
    words[:] = [value_words(plain_value(value)) for value in values]
    return words


def _sure(possible: np.ndarray, codes: np.ndarray, count: int) -> np.ndarray:
    """The one value that each person's possible signatures have, -1 if they have several or none."""
    least = np.where(possible, codes, count).min(axis=1, initial=count)
    most = np.where(possible, codes, -1).max(axis=1, initial=-1)
    return np.where(least == most, most, -1)


def _told(left: _Left, k: int, figures: dict[str, str], whose: str, exact: bool) -> Attacked:
    certain, likely = (
        {name: np.array([value is not None for value in values], dtype=bool) for name, values in revealed.items()}
        for revealed in (left.certain, left.likely)
    )
    exposed = np.logical_or.reduce([left.light, *certain.values(), *likely.values()])
    count, exposed_count = len(exposed), int(exposed.sum())
    light = int(left.light.sum())
    evidence = pd.DataFrame({"person": left.people, "left": left.count})
    for name, values in left.certain.items():
        evidence[f"certain {name}"] = pd.Series(values, dtype=object)
    for name, mask in likely.items():
        if mask.any():
            evidence[f"likely {name}"] = pd.Series(left.likely[name], dtype=object)
    below = f"{light:,} ({light / count:.1%})" if count else "0"
    sure = [
        f"; for {int(mask.sum()):,}, “{name}” is certain, but only when the releases are combined"
        for name, mask in certain.items()
    ]
    sure += [
        f"; for {int(mask.sum()):,}, a value of “{name}” is more than {left.limit:g} likely, but only when the "
        "releases are combined"
        for name, mask in likely.items()
        if mask.any()
    ]
    rule = RULE.format(belief=left.limit)
    if left.large:
        many = "1 person" if left.large == 1 else f"{left.large:,} people"
        rule += (
            f" Likely values were not computed for {many} with more than {LARGEST:,} possible records in every release."
        )
    people = "people in all releases" if exact else "people on the list"
    attacked = COMPOSITION.ran(
        exposed_count,
        count,
        people,
        f"Of {count:,} {people}, {below} are left with fewer than k = {k:,} {whose}{''.join(sure)}. " + rule,
        {
            **figures,
            f"below k = {k:,}": below,
            **{f"“{name}” certain": f"{int(m.sum()):,}" for name, m in certain.items()},
            **{f"“{name}” above {left.limit:g}": f"{int(m.sum()):,}" for name, m in likely.items()},
        },
        evidence[exposed].sort_values("left", kind="stable", ignore_index=True),
    )
    return attacked if exact else replace(attacked, interval=exact_interval(exposed_count, count))


LARGEST = 1_000  # people who can be in all groups, where it is not known how many are


def joint_beliefs(counts: np.ndarray, sizes: Sequence[int], prior: np.ndarray, shared: int | None) -> np.ndarray:
    """How likely each value is for a person who is in all of these groups.

    The values of all people are drawn from `prior`, one by one. It is known how many records of each group have each
    value, and that `shared` people are in all groups; if None, each number from 1 on is equally likely beforehand. What
    other groups reveal about these people is not considered.

    Guarantee: exact except for rounding.

    Parameters
    ----------
    counts : (releases, v) int64. How many records of the person's group have each value.
    sizes : (releases,) ints. How many records each group has, including those with other values.
    prior : (v,) float64. The share of each value, above 0.
    shared : How many people are in all of these groups, including the person.

    Returns
    -------
    (v,) float64 : 0 everywhere where the groups cannot have so many people in common.

    Complexity
    ----------
    v² times the square of the number of people who can be in all groups.

    References
    ----------
    S. Ganta, S. Kasiviswanathan, A. Smith, "Composition Attacks and Auxiliary Information in Data Privacy", KDD 2008,
    for the attack; the belief is Bayes' rule.

    >>> groups = np.array([[4, 2], [4, 2]])  # of flu and cold; each of the groups has four others
    >>> joint_beliefs(groups, [10, 10], np.array([0.4, 0.4]), 1)
    array([0.8, 0.2])
    """
    least = counts.min(axis=0)
    most = int(min(least.sum(), *sizes)) if shared is None else shared
    if not 0 < most <= least.sum():
        return np.zeros(len(prior))
    terms = [_term(counts[:, at], prior[at], most) for at in range(len(prior))]
    before = list(accumulate(terms, lambda one, other: _product(one, other, most), initial=np.zeros(1)))
    after = list(accumulate(terms[::-1], lambda one, other: _product(one, other, most), initial=np.zeros(1)))[::-1]
    many = np.arange(1, most + 1)
    ways = _filled(before[-1], most)[1:]
    weights = ways + gammaln(many + 1) + sum(gammaln(size - many + 1) for size in sizes)
    weights = weights if shared is None else np.where(many == shared, weights, -np.inf)
    weights = np.exp(weights - weights.max())
    beliefs = np.zeros(len(prior))
    for at, term in enumerate(terms):
        with np.errstate(divide="ignore"):
            weighted_term = np.log(np.arange(len(term))) + term
        people = _filled(_product(_product(before[at], weighted_term, most), after[at + 1], most), most)[1:]
        beliefs[at] = (weights * np.exp(people - ways, where=weights > 0, out=np.zeros(most)) / many).sum()
    return beliefs / weights.sum()


def _term(counts: np.ndarray, prior: float, most: int) -> np.ndarray:
    """(x + 1,) float64: log of the number of ways in which x shared people have a value, weighted by its share."""
    people = np.arange(min(int(counts.min()), most) + 1)
    others = gammaln(counts[:, None] - people + 1).sum(axis=0)
    return -(len(counts) - 1) * np.log(prior) * people - gammaln(people + 1) - others


def _product(one: np.ndarray, other: np.ndarray, most: int) -> np.ndarray:
    """The product of two polynomials, given by the logs of their coefficients, up to the power `most`."""
    one, other = (one, other) if len(one) >= len(other) else (other, one)
    product = np.full(min(len(one) + len(other) - 1, most + 1), -np.inf)
    for power, value in enumerate(other[: most + 1].tolist()):
        if value > -np.inf:
            rest = product[power : power + len(one)]
            np.logaddexp(rest, one[: len(rest)] + value, out=rest)
    return product


def _filled(one: np.ndarray, most: int) -> np.ndarray:
    return np.concatenate([one, np.full(most + 1 - len(one), -np.inf)])
