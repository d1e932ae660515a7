"""Homogeneity and skewness: what the group that somebody is in tells of a sensitive value, without finding a record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.io.roles import listed
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.attacked import BROKEN, SURVIVES, Attacked, not_run, of_everybody
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.matching import present
from kanon_engine.tables.audit.diversity import distances
from kanon_engine.tables.domain import column_values, is_number, value_words

TITLE = "Homogeneity and skewness"
KNOWLEDGE = "Somebody knows which group a person is in, and reads the sensitive values of that group."
SOURCE = (
    "A. Machanavajjhala and others, l-Diversity, TKDD 2007, section 2; N. Li, T. Li, S. Venkatasubramanian, "
    "t-Closeness, ICDE 2007 (skewness; t is the earth mover's distance, over the order of numbers, else half the sum "
    "of differences)"
)
SHIFT = 0.5  # of belief in a value, from which a group is told


def homogeneity(released: Released, knowledge: Knowledge | None = None) -> Attacked:
    """Groups in which a sensitive value is certain, or belief in one rises by more than a half.

    Before the release belief in a value is its share of all released records, afterwards its share of the group. A
    column in which everybody has the same value tells nothing new of anybody.

    Parameters
    ----------
    released : Released
    knowledge : Knowledge, optional
        Nothing of it is needed.

    Returns
    -------
    Attacked
        Not run where no column is sensitive, and of a release without records.

    Example
    -------
    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "ill": ["flu", "cold", "flu", "flu"]})
    >>> found = homogeneity(Released(people, ("age",), ("ill",), k=2))
    >>> found.verdict, found.found, found.evidence.values.tolist()
    ('does not survive', 2, [['≥ 40', 2, 'ill', 'flu', 0.75, 1.0, True]])
    """
    if not released.sensitive:
        why = "No column of the release is named as sensitive; name those that tell something about a person."
        return not_run("homogeneity", TITLE, KNOWLEDGE, why, SOURCE)
    if not released.records:
        return not_run("homogeneity", TITLE, KNOWLEDGE, "The release has no records, so it tells of nobody.", SOURCE)
    released = present(released)
    beliefs = {name: _belief(released, name) for name in released.sensitive}
    certain = {name: one.certain for name, one in beliefs.items()}
    skewed = {name: one.gain > SHIFT for name, one in beliefs.items()}
    exposed = np.logical_or.reduce([*certain.values(), *skewed.values()])
    constant = np.logical_or.reduce(list(certain.values()))
    sizes, records = released.sizes, released.records
    held, total = int(sizes[exposed].sum()), int(constant.sum())
    largest = max(beliefs.values(), key=lambda one: float(one.gain.max(initial=0)))
    at = int(largest.gain.argmax()) if len(largest.gain) else 0
    gain = float(largest.gain.max(initial=0))
    figures = {
        "groups": f"{len(sizes):,}",
        "groups in which a value is certain": f"{total:,}",
        "records in them": f"{int(sizes[constant].sum()):,}",
        "largest rise of belief": f"{gain:.3f}",
        **{f"t of “{name}”": f"{one.farthest:.3f}" for name, one in beliefs.items()},
    }
    rise = f"The largest rise of belief in a value is {gain:.2f}"
    if len(largest.gain) and gain > 0:
        before, after = largest.prior[at], largest.posterior[at]
        rise += f": that “{largest.name}” is “{largest.words[at]}”, from {before:.2f} to {after:.2f}"
    alike = [name for name, one in beliefs.items() if one.everybody]
    same = f" Everybody in the release has the same {listed(alike)}." if alike else ""
    return of_everybody(
        "homogeneity",
        TITLE,
        KNOWLEDGE,
        SOURCE,
        BROKEN if exposed.any() else SURVIVES,
        held,
        records,
        released.unit,
        f"{total:,} of {len(sizes):,} groups make a sensitive value certain. {int(exposed.sum()):,} do so or raise "
        f"belief in one by more than {SHIFT:g}, with {held:,} of {records:,} {released.unit}. {rise}. It survives "
        f"where no group does.{same}",
        figures,
        _evidence(released, beliefs),
    )


@dataclass(frozen=True)
class _Belief:
    """Of each group: the value that belief in rises most, the belief before and afterwards, whether it is certain."""

    name: str
    words: list[str]
    prior: np.ndarray
    posterior: np.ndarray
    certain: np.ndarray
    farthest: float
    everybody: bool

    @property
    def gain(self) -> np.ndarray:
        return self.posterior - self.prior


def _belief(released: Released, name: str) -> _Belief:
    codes, values, ordered = _numbered(released.frame[name])
    groups, count = released.classes, len(values)
    cells, numbers = np.unique(groups * count + codes, return_inverse=True)
    held = np.bincount(numbers.reshape(-1), weights=released.weights)
    cells, held = cells[held > 0], held[held > 0]
    own, value = cells // count, cells % count
    overall = np.bincount(value, weights=held, minlength=count) / max(released.records, 1)
    share = held / released.sizes[own]
    gain = share - overall[value]
    order = np.lexsort((-gain, own))
    best = order[np.flatnonzero(np.diff(own[order], prepend=-1))]  # every group has a value
    posterior, prior = share[best], overall[value[best]]
    sure = (np.bincount(own) == 1) & (prior < 1)
    words = [value_words(values[code]) for code in value[best].tolist()]
    farthest = max(distances(own, value, share, overall, ordered))
    return _Belief(name, words, prior, posterior, sure, farthest, count == 1)


def _numbered(column: pd.Series) -> tuple[np.ndarray, list[object], bool]:
    """The number of each value, in order where all are numbers; a missing one is a value, the last."""
    cells = column_values(column)
    known = [value for value in dict.fromkeys(cells) if value is not None]
    ordered = bool(known) and all(is_number(value) for value in known)
    values: list[object] = [*(sorted(known) if ordered else known), *([None] if None in cells else [])]  # type: ignore[type-var]
    place = {value: code for code, value in enumerate(values)}
    return np.array([place[value] for value in cells], dtype=np.int64), values, ordered


def _evidence(released: Released, beliefs: dict[str, _Belief]) -> pd.DataFrame:
    """One row a group and column that tells too much: what the group shows, records, column, value, belief."""
    columns = list(released.quasi_identifiers)
    first = np.zeros(len(released.sizes), dtype=np.int64)
    first[released.classes[::-1]] = np.arange(len(released.classes))[::-1]
    parts = []
    for name, one in beliefs.items():
        exposed = np.flatnonzero(one.certain | (one.gain > SHIFT))
        part = released.frame[columns].iloc[first[exposed]].reset_index(drop=True)
        told = {
            "records": released.sizes[exposed],
            "sensitive": name,
            "value": [one.words[at] for at in exposed.tolist()],
            "before": one.prior[exposed],
            "after": one.posterior[exposed],
            "certain": one.certain[exposed],
        }
        parts.append(pd.concat([part, pd.DataFrame(told, index=part.index)], axis=1))
    return pd.concat(parts, ignore_index=True)
