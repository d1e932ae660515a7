"""Homogeneity and skewness: what a person's group reveals about a sensitive value, without finding a record."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import Attack, Attacked
from kanon_engine.model.tree import Tree
from kanon_engine.model.values import Value, column_values, is_number, value_words
from kanon_engine.model.words import listed
from kanon_engine.release.audit_figures import distances
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.risk.attacks.matching import present

HOMOGENEITY = Attack(
    "homogeneity",
    "Homogeneity and skewness",
    "Someone knows which group a person is in, and reads the sensitive values of that group.",
    "A. Machanavajjhala and others, l-Diversity, TKDD 2007, sections 2 and 3 (homogeneity, negative disclosure); "
    "N. Li, T. Li, S. Venkatasubramanian, t-Closeness, ICDE 2007 (skewness, similarity; t is the earth mover's "
    "distance over the order of numbers, or half the sum of differences); J. Cao, P. Karras, PVLDB 2012 (relative "
    "belief); Q. Zhang and others, ICDE 2007 (ranges of numbers)",
)
SURE = "a value is certain"
ROSE = "belief in a value rises too much"
FAR = "t is too large"
BRANCH = "all values are in one branch of the tree"
NEAR = "all numbers are close together"
LACKS = "a value that is common overall is missing"

CHANCE = 0.05  # chance that any of all groups of random records is beyond its limit of t
LETTERS = 4  # common first letters from which words look similar
ROUNDING = 1e-9  # of differences of shares


def homogeneity(released: Released, knowledge: Knowledge | None = None) -> Attacked:
    """Groups that reveal more about a sensitive value than `Limits` allow.

    Before the release, belief in a value is its share of all released records; afterwards, its share of the group. A
    column in which everyone has the same value reveals nothing new about anyone.

    A group is exposed if a value is certain; if belief in one rises too much, absolutely or relatively; if t is too
    large; if all its values are in one branch of a tree, or its numbers close together; or if it lacks a value that
    many have. Groups with fewer records than there are words are far from all records, whatever they contain: if random
    records would on average exceed the limit of t, the limit is instead what none of as many random groups reaches with
    a probability of 95 % (C. McDiarmid, On the Method of Bounded Differences, 1989).

    Not run if no column is sensitive, or the release has no records.

    Parameters
    ----------
    knowledge : `limits`, and `trees` of sensitive columns.

    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "ill": ["flu", "cold", "flu", "flu"]})
    >>> found = homogeneity(Released(people, ("age",), ("ill",), k=2))
    >>> found.verdict, found.found, found.evidence.values.tolist()
    ('does not survive', 2, [['≥ 40', 2, 'ill', 'flu', 0.75, 1.0, True, 'a value is certain']])
    """
    if not released.sensitive:
        return HOMOGENEITY.not_run(
            "No column of the release is marked sensitive; mark those that reveal something about a person."
        )
    if not released.records:
        return HOMOGENEITY.not_run("The release has no records, so it reveals nothing about anyone.")
    assumed = Knowledge() if knowledge is None else knowledge
    for name in assumed.trees:
        if name not in released.sensitive:
            raise InvalidInput(
                f"A tree is given for {name!r}, which is not a sensitive column; choose from "
                f"{', '.join(released.sensitive)}."
            )
    released = present(released)
    beliefs = {name: _belief(released, name, assumed.limits, assumed.trees.get(name)) for name in released.sensitive}
    exposed = np.logical_or.reduce([one.exposed for one in beliefs.values()])
    constant = np.logical_or.reduce([one.certain for one in beliefs.values()])
    sizes, records = released.sizes, released.records
    inside, total = int(sizes[exposed].sum()), int(constant.sum())
    largest = max(beliefs.values(), key=lambda one: float(one.gain.max(initial=0)))
    at = int(largest.gain.argmax()) if len(largest.gain) else 0
    gain = float(largest.gain.max(initial=0))
    reasons = dict.fromkeys(reason for one in beliefs.values() for reason in one.reasons)
    by_reason = {
        reason: int(np.logical_or.reduce([one.reasons[reason] for one in beliefs.values()]).sum()) for reason in reasons
    }
    figures = {
        "groups": f"{len(sizes):,}",
        "groups in which a value is certain": f"{total:,}",
        "records in groups in which a value is certain": f"{int(sizes[constant].sum()):,}",
        "largest rise in belief": f"{gain:.3f}",
        **{f"t of “{name}”": f"{one.farthest:.3f}" for name, one in beliefs.items()},
        **{
            f"groups in which {reason}": f"{count:,}" for reason, count in by_reason.items() if count and reason != SURE
        },
        **{
            f"expected number of random groups in which belief in a value of “{name}” rises too much": (
                f"{one.by_chance:.2g}"
            )
            for name, one in beliefs.items()
        },
    }
    rise = f"An attacker's belief that a person has a particular value rises by at most {gain:.2f}"
    if len(largest.gain) and gain > 0:
        before, after = largest.prior[at], largest.posterior[at]
        rise += f", for “{largest.name}” = “{largest.words[at]}”: from {before:.2f} to {after:.2f}"
    why = "; ".join(f"in {count:,}, {reason}" for reason, count in by_reason.items() if count)
    alike = [name for name, one in beliefs.items() if one.everybody]
    same = f" Everybody in the release has the same value of {listed(alike)}." if alike else ""
    questions = "".join(f" {one.question}" for one in beliefs.values() if one.question)
    return HOMOGENEITY.ran(
        inside,
        records,
        released.unit,
        f"{int(exposed.sum()):,} of {len(sizes):,} groups reveal too much{f' ({why})' if why else ''}; they hold "
        f"{inside:,} of {records:,} {released.unit}. {rise}. {assumed.limits.written()}{questions}{same}",
        figures,
        _evidence(released, beliefs),
    )


@dataclass(frozen=True)
class _Belief:
    """For each group: the value whose belief rises most, the belief before and after, and what reveals too much."""

    name: str
    words: list[str]
    prior: np.ndarray
    posterior: np.ndarray
    reasons: dict[str, np.ndarray]
    by_chance: float
    farthest: float
    everybody: bool
    question: str

    @property
    def gain(self) -> np.ndarray:
        return self.posterior - self.prior

    @property
    def certain(self) -> np.ndarray:
        return self.reasons[SURE]

    @property
    def exposed(self) -> np.ndarray:
        return np.logical_or.reduce(list(self.reasons.values()))  # type: ignore[no-any-return]


def _belief(released: Released, name: str, limits: Limits, tree: Tree | None) -> _Belief:
    codes, values, ordered = _numbered(released.frame[name])
    groups, count = released.classes, len(values)
    cells, numbers = np.unique(groups * count + codes, return_inverse=True)
    records = np.bincount(numbers.reshape(-1), weights=released.weights)
    cells, records = cells[records > 0], records[records > 0]
    group, value = cells // count, cells % count
    overall = np.bincount(value, weights=records, minlength=count) / max(released.records, 1)
    share = records / released.sizes[group]
    before = overall[value]
    gain = share - before
    much = (gain >= limits.rise - ROUNDING) & (gain > 0)
    many = (share >= limits.reach - ROUNDING) & (share >= limits.times * before - ROUNDING) & (gain > 0)
    rose = much | many
    # in each group first the values that rise too much, then the largest rise
    order = np.lexsort((-gain, ~rose, group))
    best = order[np.flatnonzero(np.diff(group[order], prepend=-1))]  # every group has a value
    several = np.bincount(group) > 1
    t = distances(group, value, share, overall, ordered)
    from_t = np.full(len(t), limits.t) if ordered else _limits_of_t(released.sizes, overall, limits.t)
    common = overall >= limits.absent - ROUNDING
    has = np.bincount(group, weights=common[value])
    words = list(map(value_words, values))
    reasons = {
        SURE: ~several & (before[best] < 1),
        ROSE: rose[best],
        FAR: t > from_t + ROUNDING,
        BRANCH: several & (_in_branch(name, group, value, values, tree) if tree is not None else False),
        NEAR: several & (_near(group, value, values, limits.apart) if ordered else False),
        LACKS: has < common.sum(),
    }
    question = _question(name, group, value, words) if tree is None and not ordered else ""
    at = value[best]
    return _Belief(
        name,
        [words[code] for code in at.tolist()],
        overall[at],
        share[best],
        reasons,
        _by_chance(released.sizes, overall, limits),
        float(t.max()),
        count == 1,
        question,
    )


def _limits_of_t(sizes: np.ndarray, overall: np.ndarray, limit: float) -> np.ndarray:
    """(groups,) float: the limit of t for words, which random records do not reach by chance."""
    from scipy.stats import binom

    limits = np.full(len(sizes), limit)
    for size in np.unique(sizes[sizes < len(overall)]).tolist():
        # the mean deviation of a binomial number is that of De Moivre: 2 (m + 1) (1 - p) P(m + 1), m = floor(size p)
        least = np.floor(size * overall) + 1
        expected = float((least * (1 - overall) * binom.pmf(least, size, overall)).sum() / size)
        if expected > limit:
            limits[sizes == size] = expected + np.sqrt(np.log(len(sizes) / CHANCE) / (2 * size))
    return limits


def _by_chance(sizes: np.ndarray, overall: np.ndarray, limits: Limits) -> float:
    """In how many groups of random records belief in a value would rise too much, each value counted separately."""
    from scipy.stats import binom

    kinds, many = np.unique(sizes, return_counts=True)
    size = kinds[:, None]
    reached = np.maximum(limits.reach, limits.times * overall)
    least = np.ceil(size * np.minimum(overall + limits.rise, reached) - ROUNDING)
    return float((binom.sf(least - 1, size, overall) * (overall < 1) * many[:, None]).sum())


def _in_branch(name: str, group: np.ndarray, value: np.ndarray, values: list[Value], tree: Tree) -> np.ndarray:
    """(groups,) bool: whether all values of a group are in one tree node that does not hold the whole release."""
    places = {value_words(one): place for place, one in enumerate(tree.values)}
    lacking = [one for one in values if one is not None and value_words(one) not in places]
    if lacking:
        raise InvalidInput(f"The tree of {name!r} lacks “{value_words(lacking[0])}”; add a row for it.")
    codes = np.array([places.get(value_words(one), -1) for one in values])
    low, high = codes[value], codes[value]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    least, most = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
    first, last = tree.smallest(np.maximum(least, 0), np.maximum(most, 0))
    inside = codes[codes >= 0]
    return np.asarray((least >= 0) & ((first > inside.min(initial=len(tree))) | (last < inside.max(initial=-1))))


def _near(group: np.ndarray, value: np.ndarray, values: list[Value], limit: float) -> np.ndarray:
    """(groups,) bool: whether the numbers of a group, none of them missing, are within a share of the range of all."""
    numbers = np.array([np.nan if one is None else float(one) for one in values])  # type: ignore[arg-type]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    least, most = (end.reduceat(numbers[value], starts) for end in (np.minimum, np.maximum))
    whole = np.nanmax(numbers) - np.nanmin(numbers)
    return np.asarray(most - least <= limit * whole)  # a comparison with NaN is false


def _question(name: str, group: np.ndarray, value: np.ndarray, words: list[str]) -> str:
    """The question whether words that begin the same have similar meanings, which a tree would say; "" without such."""
    heads: dict[str, int] = {}
    whole = _head(words)
    for members in np.split(value, np.flatnonzero(np.diff(group)) + 1):
        head = _head([words[code] for code in members.tolist()]) if len(members) > 1 else ""
        if head and head != whole:
            heads[head] = heads.get(head, 0) + 1
    if not heads:
        return ""
    head, count = max(heads.items(), key=lambda one: one[1])
    groups = "1 group" if count == 1 else f"{count:,} groups"
    return (
        f"In {groups} all values of “{name}” begin with “{head}”: are they similar in meaning? Give a tree for "
        f"“{name}” to decide this."
    )


def _head(words: list[str]) -> str:
    """The first word that all share, or at least some common first letters; otherwise nothing."""
    texts = [text.casefold() for text in words]
    first = {text.split(" ")[0] for text in texts}
    if len(first) == 1:
        return first.pop()
    # what the first and last in sorted order have in common, all have
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(texts), max(texts), strict=False))
    head = "".join(letter for letter, _ in pairs)
    return head if len(head) >= LETTERS else ""


def _numbered(column: pd.Series) -> tuple[np.ndarray, list[Value], bool]:
    """The number of each value, in order if all are numbers; a missing one counts as a value, the last."""
    cells = column_values(column)
    distinct = [value for value in dict.fromkeys(cells) if value is not None]
    ordered = bool(distinct) and all(is_number(value) for value in distinct)
    values: list[Value] = [*(sorted(distinct) if ordered else distinct), *([None] if None in cells else [])]  # type: ignore[type-var]
    place = {value: code for code, value in enumerate(values)}
    return np.array([place[value] for value in cells], dtype=np.int64), values, ordered


def _evidence(released: Released, beliefs: dict[str, _Belief]) -> pd.DataFrame:
    """One row per group and column that reveals too much: what the group shows, records, column, value, belief."""
    columns = list(released.quasi_identifiers)
    first = np.zeros(len(released.sizes), dtype=np.int64)
    first[released.classes[::-1]] = np.arange(len(released.classes))[::-1]
    parts = []
    for name, one in beliefs.items():
        exposed = np.flatnonzero(one.exposed)
        part = released.frame[columns].iloc[first[exposed]].reset_index(drop=True)
        details = {
            "records": released.sizes[exposed],
            "sensitive": name,
            "value": [one.words[at] for at in exposed.tolist()],
            "before": one.prior[exposed],
            "after": one.posterior[exposed],
            "certain": one.certain[exposed],
            "why": [", ".join(why for why, mask in one.reasons.items() if mask[at]) for at in exposed.tolist()],
        }
        parts.append(pd.concat([part, pd.DataFrame(details, index=part.index)], axis=1))
    return pd.concat(parts, ignore_index=True)
