"""What published sums of any kind tell of the atoms that they are made of: groups, totals, earlier releases.

Atoms are the parts that no sum divides. The names are those of docs/proofs/release/sums.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kanon_engine.release.sums.bounds import NEAR, Program
from kanon_engine.release.sums.exact import determined

MOST_WORK = 60_000_000  # entries of linear programs, all together: some 20 s


@dataclass(frozen=True, eq=False)
class Told:
    """What sums tell of each atom.

    Attributes
    ----------
    low, high : (m,) int64 arrays
        Every table of whole numbers not below 0 with these sums has this much in the atom, at least and at most; -1
        where `high` was not worked out, since the atom can have `enough` or is in no sum.
    linear : (m,) bool array
        The sums alone give it, whatever is known of signs.
    left : int
        Atoms in components that were too large to be looked at in full.
    """

    low: np.ndarray
    high: np.ndarray
    linear: np.ndarray
    left: int

    @property
    def exact(self) -> np.ndarray:
        """(m,) bool: low and high are equal."""
        return np.asarray(self.low == self.high)


def told(rows: Sequence[np.ndarray], weights: np.ndarray, enough: int | None = None, known: bool = True) -> Told:
    """What sums tell of atoms.

    Guarantee: an atom is `linear` if and only if it is a combination of the sums. `low` and `high` are proven by prices
    in fractions. An atom that is in any set of atoms of which the sums tell that it has less than `enough` has a `high`
    below `enough`: docs/proofs/release/sums.md.

    Parameters
    ----------
    rows : sequence of int arrays
        The atoms of each published sum, each atom once.
    weights : (m,) int64 array
        What the atoms weigh, so that the sums are theirs; where it is not `known`, any table that has the sums.
    enough : int, optional
        Atoms that can weigh so much are not looked at further.
    known : bool
        Whether atoms weigh what `weights` says, so that those of `enough` need no look.

    Example
    -------
    A column of 12 and 3 in two rows, of which one has 11 and the other 4; the first cell has at least 8:

    >>> rows = [np.array([0, 2]), np.array([1, 3]), np.array([0, 1]), np.array([2, 3])]
    >>> found = told(rows, np.array([9, 2, 3, 1]))
    >>> found.low.tolist(), found.high.tolist(), found.exact.tolist()
    ([8, 0, 1, 0], [11, 3, 4, 3], [False, False, False, False])
    """
    atoms = len(weights)
    rows = _different(rows)
    low, high = np.zeros(atoms, dtype=np.int64), np.full(atoms, -1, dtype=np.int64)
    linear = np.zeros(atoms, dtype=bool)
    left, work = 0, 0
    for own, numbers in _components(rows, atoms):
        place = {atom: at for at, atom in enumerate(own.tolist())}
        inner = [np.array([place[atom] for atom in rows[number].tolist()], dtype=np.int64) for number in numbers]
        given = determined(inner, len(own))
        if given is None:
            left += len(own)
            given = np.zeros(len(own), dtype=bool)
        linear[own] = given
        sure = own[given]
        low[sure] = high[sure] = weights[sure]
        open_ones = np.ones(len(own), dtype=bool) if enough is None or not known else weights[own] < enough
        open_ones &= ~given
        if not open_ones.any():
            continue
        size = sum(map(len, inner))
        program = Program(inner, [int(weights[own][row].sum()) for row in inner], len(own))
        for at in np.flatnonzero(open_ones).tolist():
            if not open_ones[at]:
                continue
            if work > MOST_WORK:
                left += int(open_ones.sum())
                break
            work += 2 * size
            most, table = program.most(at)
            if enough is not None and most >= enough:
                open_ones &= table < enough - NEAR
                open_ones[at] = False
                continue
            open_ones[at] = False
            low[own[at]], high[own[at]] = program.least(at)[0], most
    return Told(low, high, linear, left)


def _different(rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Each set of atoms once, none empty."""
    found = {tuple(np.sort(np.asarray(row, dtype=np.int64)).tolist()): None for row in rows}
    return [np.array(row, dtype=np.int64) for row in found if row]


def _components(rows: Sequence[np.ndarray], atoms: int) -> list[tuple[np.ndarray, list[int]]]:
    """The atoms and the sums of each part that hangs together; atoms in no sum are in none."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not rows:
        return []
    heads = np.repeat(np.arange(len(rows)), [len(row) for row in rows]) + atoms
    size = atoms + len(rows)
    graph = coo_array((np.ones(len(heads), dtype=np.int8), (heads, np.concatenate(rows))), shape=(size, size))
    _, names = connected_components(graph, directed=False)
    members: dict[int, list[int]] = {}
    for atom, name in enumerate(names[:atoms].tolist()):
        members.setdefault(name, []).append(atom)
    sums: dict[int, list[int]] = {}
    for number, name in enumerate(names[atoms:].tolist()):
        sums.setdefault(name, []).append(number)
    return [(np.array(members[name], dtype=np.int64), numbers) for name, numbers in sums.items()]
