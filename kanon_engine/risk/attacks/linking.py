"""Linking: an outside table with names, joined with a release on their shared columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from kanon_engine.disclosure.cells import Fits
from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import Attack, Attacked, exact_interval
from kanon_engine.model.values import plain_value, value_words
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.hashed import Hashed, hashed
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.matching import Candidates, Match, fits_of, matches, present
from kanon_engine.risk.attacks.row_order import MOST, ORDERS, RowOrder, row_order
from kanon_engine.risk.attacks.voters import people_list

LINKING = Attack(
    "linking",
    "Linking with an outside table",
    "An outside table with names is joined with the release on their shared columns.",
    "L. Sweeney, k-Anonymity, 2002; K. El Emam, F. Dankar, Protecting Privacy Using k-Anonymity, JAMIA 2008 (the "
    "highest probability is 1 / candidates); interval of C. Clopper, E. Pearson, 1934",
)
RULE = (
    "The release survives if nobody on the list is identified, everybody on the list who fits any record fits at least "
    "k records, nobody's sensitive value is certain, and the rows are not in the order of the list."
)
HASHES = "Each column of the list is also compared as hashes (md5, SHA-1 and SHA-2, without salt)"
COMPARED = (
    "The order of the rows is compared with the order of the list. If all rows of a group are next to each other, "
    "their order within the group is not compared."
)


def linking(released: Released, knowledge: Knowledge) -> Attacked:
    """For each named person, which released records can be theirs.

    The attacker knows that the people on the list are in the release. A person whom c records fit is each of them with
    probability 1 / c; if all of these have one sensitive value, that value is certain.

    Not run if there is neither a table nor data to make one from, if it shares no column with the release, or if
    nobody in it fits any record.

    Parameters
    ----------
    knowledge : `outside`, `name`, `match`, `everybody`; or `instance`, from which a list is made, and `seed`.

    Complexity
    ----------
    A bit for each pair of different people and different released rows.

    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "ill": ["flu", "cold", "flu", "flu"]})
    >>> voters = pd.DataFrame({"name": ["Ada", "Ben"], "age": [36, 47]})
    >>> found = linking(Released(people, ("age",), ("ill",), k=2), Knowledge(voters))
    >>> found.verdict, found.evidence.values.tolist()
    ('does not survive', [['Ben', 2, 0.5, 'flu']])
    """
    synthetic = knowledge.outside is None
    people = people_list(knowledge.outside, knowledge.name, knowledge.instance, knowledge.seed)
    if people is None:
        return LINKING.not_run("There is no outside table with names; give one.")
    outside, name = people
    hashes = [] if synthetic else hashed(present(released), outside)
    try:
        used = matches(released, outside.drop(columns=name), knowledge.match, births=True, year=knowledge.year)
    except InvalidInput as error:
        if knowledge.match or not (synthetic or hashes):
            raise
        if synthetic:
            return LINKING.not_run(str(error))
        used = ()
    if not len(outside):
        return LINKING.not_run("The outside table is empty; give one with people.")
    if not released.records:
        return LINKING.not_run("The release has no records, so there is nothing to link with.")
    release = present(released)
    links = _linked(release, outside, used, hashes, lacking=not synthetic, seed=None if synthetic else knowledge.seed)
    if not (links.records > 0).any():
        columns = ", ".join(match.written() for match in used)
        return LINKING.not_run(
            f"No record fits any of the {len(outside):,} people on the list when joined on {columns}. These people are "
            "not in the release, or values are written differently. Give a list of people in the release, or other "
            "columns."
        )
    pairs = [*(one.joined for one in used), *(one.joined for one in hashes)]
    return _told(released, outside[name], pairs, links, synthetic, knowledge.everybody)


@dataclass(frozen=True)
class _Linked:
    """What the link reveals about each person."""

    records: np.ndarray  # (people,) int64: how many records can be theirs
    # (people,) int64: the fewest people that any of these can belong to; 0 if no record fits
    rivals: np.ndarray
    # mapping of column to list: the one sensitive value of all these records; None if there are several
    certain: dict[str, list[str | None]]
    lone: int  # records that fit only one person on the list
    hashed: int  # people who are found by a hash
    compared: bool  # whether the order of the rows was compared with that of the list
    order: RowOrder | None  # if the rows are in the order of the list


def _linked(
    released: Released,
    outside: pd.DataFrame,
    used: tuple[Match, ...],
    hashes: Sequence[Hashed],
    lacking: bool,
    seed: int | None,
) -> _Linked:
    """What is found by shared columns, by hashes, and, if there is a seed for it, by the order of rows."""
    every = [fits_of(released, outside, match, lacking) for match in used]
    candidates = Candidates.of([*every, *([] if used else [_nothing(released, outside)])])
    people, classes = candidates.people, candidates.count
    sizes = np.bincount(candidates.classes, weights=released.weights, minlength=classes).astype(np.int64)
    rivals = np.zeros(classes, dtype=np.int64)
    for block, mask in candidates.blocks():
        rivals += people[block] @ mask
    values = {name: _ends(released.frame[name], candidates) for name in released.sensitive}
    records, fewest = np.zeros(len(people), dtype=np.int64), np.zeros(len(people), dtype=np.int64)
    # different starts, so that nobody without a record has a certain value
    least = {name: np.full(len(people), -1, dtype=np.int64) for name in values}
    most = {name: np.full(len(people), -2, dtype=np.int64) for name in values}
    for block, mask in candidates.blocks():
        person, possible = np.nonzero(mask)
        starts = np.flatnonzero(np.diff(person, prepend=-1))
        if len(starts) == 0:
            continue
        there = block.start + person[starts]
        records[there] = np.add.reduceat(sizes[possible], starts)
        fewest[there] = np.minimum.reduceat(rivals[possible], starts)
        for name, (low, high, _) in values.items():
            least[name][there] = np.minimum.reduceat(low[possible], starts)
            most[name][there] = np.maximum.reduceat(high[possible], starts)
    certain = {}
    for name, (_, _, words) in values.items():
        alone = (least[name] == most[name]).tolist()
        unique = [words[code] if sure else None for code, sure in zip(least[name].tolist(), alone, strict=True)]
        certain[name] = [unique[kind] for kind in candidates.kinds.tolist()]
    of_people, of_rows = records[candidates.kinds], fewest[candidates.kinds]
    alone = (rivals == 1)[candidates.classes]
    person, row = _pairs(hashes)
    shared = np.bincount(row, minlength=len(alone))
    alone[row[shared[row] == 1]] = True
    hit = np.unique(person)
    of_people[hit] = np.bincount(person, released.weights[row], minlength=len(outside))[hit]
    of_rows[hit] = len(outside)
    np.minimum.at(of_rows, person, shared[row])
    for name, unique in certain.items():
        for one, value in _only(person, released.frame[name].iloc[row]):
            unique[one] = value
    pairs = len(candidates.kinds) * len(candidates.classes)
    compared = bool(used) and seed is not None and released.counts is None and pairs <= MOST
    order = row_order(released, candidates, seed or 0) if compared else None
    return _Linked(of_people, of_rows, certain, int(released.weights[alone].sum()), len(hit), compared, order)


def _pairs(hashes: Sequence[Hashed]) -> tuple[np.ndarray, np.ndarray]:
    """People and rows that a hash links, each pair once."""
    pairs = [np.column_stack([one.people, one.rows]) for one in hashes]
    distinct = np.unique(np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs]), axis=0)
    return distinct[:, 0], distinct[:, 1]


def _only(person: np.ndarray, values: pd.Series) -> Iterator[tuple[int, str | None]]:
    """Each person, and the one value of all their rows; None if there are several."""
    codes, categories = pd.factorize(values.astype(object), use_na_sentinel=False)
    least = pd.Series(codes).groupby(person).min()
    most = pd.Series(codes).groupby(person).max()
    for one, low, high in zip(least.index.tolist(), least.tolist(), most.tolist(), strict=True):
        yield one, value_words(plain_value(categories[low])) if low == high else None


def _nothing(released: Released, outside: pd.DataFrame) -> Fits:
    """For tables that share no column: no row fits anyone."""
    rows, people = np.zeros(len(released.frame), dtype=np.int64), np.zeros(len(outside), dtype=np.int64)
    return Fits(rows, people, np.zeros((1, 1), dtype=bool))


def _ends(column: pd.Series, candidates: Candidates) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """For each class the least and the greatest code of a sensitive value, and what the codes represent."""
    codes, values = pd.factorize(column.astype(object), use_na_sentinel=False)
    low = np.full(candidates.count, len(values), dtype=np.int64)
    high = np.full(candidates.count, -1, dtype=np.int64)
    np.minimum.at(low, candidates.classes, codes)
    np.maximum.at(high, candidates.classes, codes)
    return low, high, [value_words(plain_value(value)) for value in values]


def _told(
    released: Released, names: pd.Series, pairs: Sequence[str], links: _Linked, synthetic: bool, everybody: bool
) -> Attacked:
    """What was found, in words."""
    k, count = released.k, len(names)
    there = links.records > 0
    fewest = np.where(there, np.minimum(links.records, links.rivals) if everybody else links.records, 0)
    identified, near = fewest == 1, there & (fewest < k)
    certain_masks = {name: np.array([value is not None for value in values]) for name, values in links.certain.items()}
    certain = np.logical_or.reduce([np.zeros(count, dtype=bool), *certain_masks.values()])
    row_by_order = np.full(count, -1) if links.order is None else links.order.rows
    exposed = near | identified | certain | (row_by_order >= 0)
    evidence = pd.DataFrame({"name": names.to_numpy(), "records": links.records})
    evidence["probability"] = np.divide(1.0, fewest, out=np.zeros(count), where=there)
    for name, values in links.certain.items():
        evidence[f"certain {name}"] = pd.Series(values, dtype=object)
    if links.order is not None:
        evidence["row inferred from the order"] = pd.Series(row_by_order + 1, dtype="Int64").mask(row_by_order < 0)
    evidence = evidence[exposed].sort_values(["records", "name"], kind="stable", ignore_index=True)
    columns = ", ".join(pairs)
    sensitive = [f"for {int(mask.sum()):,}, “{name}” is certain" for name, mask in certain_masks.items()]
    figures = {
        "people on the list": f"{count:,}",
        "with a record that fits": f"{int(there.sum()):,}",
        "identified with certainty": f"{int(identified.sum()):,}",
        f"above 1/{k:,}": f"{int(near.sum()):,}",
        **{f"“{name}” certain": f"{int(mask.sum()):,}" for name, mask in certain_masks.items()},
        "fewest records that fit any one person": f"{int(fewest[there].min()):,}" if there.any() else "none",
        "records that fit only one person on the list": f"{links.lone:,}",
        "joined on": columns,
    }
    list_words = "A synthetic list of people in the data, with their true values," if synthetic else "A list of people"
    further = "" if synthetic else f" {HASHES}.{f' {COMPARED}' if links.compared else ''}"
    of_all = "; the list contains everyone who can be in the release" if everybody else ""
    outcome = ", ".join(
        [
            f"{int(identified.sum()):,} are identified with certainty",
            f"{int(near.sum()):,} fit fewer than k = {k:,} records",
            *sensitive,
            *([f"{links.hashed:,} are linked because the release has hashes of their values"] if links.hashed else []),
            *([f"{int((~there).sum()):,} fit no record"] if not there.all() else []),
        ]
    )
    ordered = ""
    if links.order is not None:
        ordered = (
            f" The rows are in the order of the list: going through both in order, {links.order.people:,} people can "
            f"be matched to rows that fit them. In {ORDERS:,} random orders, at most {links.order.by_chance:,} people "
            "can."
        )
    attacked = LINKING.ran(
        int(exposed.sum()),
        count,
        "people",
        f"Of {count:,} people on the list, {outcome}.{ordered} {RULE}",
        figures,
        evidence,
    )
    how = (
        f"{list_words} is joined with the release on {columns}{of_all}. The attacker knows that these people are in "
        "the release."
    )
    run_on_all = everybody or (synthetic and count == released.records)
    interval = attacked.interval if run_on_all else exact_interval(attacked.found, count)
    return replace(attacked, knowledge=f"{how}{further}", interval=interval)
