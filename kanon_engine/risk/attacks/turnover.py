"""Insertion and withdrawal: what two releases of one table reveal about those who came or left between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.model.values import plain_value, value_words
from kanon_engine.release.released import Released, displayed_codes
from kanon_engine.risk.attacks.matching import present


@dataclass(frozen=True)
class Difference:
    """Records that one of two releases has beyond the other, among those that show the same."""

    where: str
    release: str  # the one that has them
    records: int
    certain: dict[str, str]  # column → the one value that all of them have

    @property
    def whose(self) -> str:
        """As a person reads it."""
        many = "1 record" if self.records == 1 else f"{self.records:,} records"
        return f"{many} only in “{self.release}”, {self.where}"


def turnover(
    first: Released, second: Released, k: int, keys: tuple[pd.Series, pd.Series] | None = None
) -> list[Difference]:
    """Differences that fewer than k records make, or records that all have one sensitive value.

    Guarantee: wherever two releases show the same in all quasi-identifiers, every difference of the numbers of their
    sensitive values is examined. Anyone known to have come, or to have left, is one of these records. Unless `keys` say
    more, as few came and left as the numbers allow. If no group reveals anything, for example because the groups
    differ, the releases are compared as a whole; a difference then counts if all of it is in one of them.

    Parameters
    ----------
    keys : Whose record each row is.

    References
    ----------
    J. Byun, Y. Sohn, E. Bertino, N. Li, "Secure Anonymization for Incremental Datasets", SDM 2006; X. Xiao, Y. Tao,
    "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets", SIGMOD 2007.

    >>> march = Released(pd.DataFrame({"age": ["≤ 39"] * 2, "ill": ["flu", "cold"]}), ("age",), ("ill",), name="March")
    >>> april = pd.DataFrame({"age": ["≤ 39"] * 3, "ill": ["cold", "HIV", "flu"]})
    >>> turnover(march, Released(april, ("age",), ("ill",), name="April"), 2)
    [Difference(where='age ≤ 39', release='April', records=1, certain={'ill': 'HIV'})]
    """
    if keys is None:
        first, second = present(first), present(second)
    both = (first, second)
    by = [name for name in first.quasi_identifiers if name in second.quasi_identifiers]
    return list(_differences(both, by, k, keys)) or list(_differences(both, [], k, keys, alone=True))


def _differences(
    both: tuple[Released, Released],
    by: Sequence[str],
    k: int,
    keys: tuple[pd.Series, pd.Series] | None,
    alone: bool = False,
) -> Iterator[Difference]:
    """For shared groups, the records that one release has beyond the other; `alone` if the other has none beyond it."""
    sensitive = [name for name in both[0].sensitive if name in both[1].sensitive]
    stacked = pd.concat([one.frame[[*by, *sensitive]].astype(object) for one in both], ignore_index=True)
    side = np.repeat([0, 1], [len(one.frame) for one in both])
    weights = np.concatenate([one.weights for one in both])
    group = Released(stacked, tuple(by)).classes
    count = int(group.max(initial=-1)) + 1
    shared = np.logical_and(*(np.bincount(group[side == at], minlength=count) > 0 for at in (0, 1)))
    gained = {name: _gained(group, displayed_codes(stacked[name]), side, weights, count) for name in sensitive}
    if not gained:
        gained = {"": _gained(group, np.zeros(len(group), dtype=np.int64), side, weights, count)}
    moved = None if keys is None else _moved(group, side, keys, count)
    rows = np.unique(group, return_index=True)[1]
    for at in np.flatnonzero(shared).tolist():
        for release in (0, 1):
            more = {name: by_release[release].get(at, {}) for name, by_release in gained.items()}
            less = any(by_release[1 - release].get(at) for by_release in gained.values())
            # each sensitive column shows a number of changed records; at least the largest of these have changed
            least = max(sum(values.values()) for values in more.values())
            people = least if moved is None else int(moved[release][at])
            if least == 0 or people == 0 or (alone and less):
                continue
            certain = {
                name: value_words(plain_value(stacked[name].iloc[row]))
                for name, values in more.items()
                if name and len(values) == 1 and sum(values.values()) == people
                for row in values
            }
            if people < k or certain:
                cells = [f"{name} {value_words(plain_value(stacked[name].iloc[rows[at]]))}" for name in by]
                yield Difference(", ".join(cells) or "in all groups combined", both[release].name, people, certain)


def _gained(
    group: np.ndarray, codes: np.ndarray, side: np.ndarray, weights: np.ndarray, count: int
) -> tuple[dict[int, dict[int, int]], dict[int, dict[int, int]]]:
    """For each release: group → a row with the value → how many records more than the other has this value."""
    width = int(codes.max(initial=-1)) + 1
    cells, rows, numbers = np.unique(group * width + codes, return_index=True, return_inverse=True)
    net = np.zeros(len(cells), dtype=np.int64)
    np.add.at(net, numbers.reshape(-1), np.where(side == 1, weights, -weights))
    gains: tuple[dict[int, dict[int, int]], dict[int, dict[int, int]]] = ({}, {})
    for at in np.flatnonzero(net).tolist():
        gains[int(net[at] > 0)].setdefault(int(cells[at] // width), {})[int(rows[at])] = abs(int(net[at]))
    return gains


def _moved(group: np.ndarray, side: np.ndarray, keys: tuple[pd.Series, pd.Series], count: int) -> list[np.ndarray]:
    """For each release, how many people of each group are not in that group in the other."""
    people = pd.factorize(pd.concat(keys, ignore_index=True).astype(object), use_na_sentinel=False)[0]
    pairs = group * (int(people.max(initial=-1)) + 1) + people
    return [
        np.bincount(group[side == at][~np.isin(pairs[side == at], pairs[side != at])], minlength=count) for at in (0, 1)
    ]
