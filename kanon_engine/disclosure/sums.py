"""What published sums of any kind reveal about their atoms: groups, totals, earlier releases.

Atoms are the parts that no sum divides. The names are those of docs/proofs/release/sums.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm

import numpy as np

MOST_WORK = 60_000_000  # total entries of linear programs: about 20 s


@dataclass(frozen=True, eq=False)
class Told:
    """What sums reveal about each atom."""

    # low, high: (m,) int64: the least and the most in the atom, over all tables of whole numbers not below 0 with these
    # sums; -1 if `high` was not computed, because the atom can have `enough` or is in no sum
    low: np.ndarray
    high: np.ndarray
    linear: np.ndarray  # (m,) bool: the sums alone give it, whatever is known about signs
    left: int  # atoms in components that were too large to be examined in full

    @property
    def exact(self) -> np.ndarray:
        """(m,) bool: low and high are equal."""
        return np.asarray(self.low == self.high)


def told(rows: Sequence[np.ndarray], weights: np.ndarray, enough: int | None = None, exact: bool = True) -> Told:
    """What sums reveal about atoms.

    Guarantee: an atom is `linear` if and only if it is a combination of the sums. `low` and `high` are proven by prices
    in fractions. An atom in any set of atoms that the sums show to have less than `enough` has a `high` below `enough`:
    docs/proofs/release/sums.md.

    Parameters
    ----------
    rows : The atoms of each published sum, each atom once.
    weights : (m,) int64 array
        Weights of the atoms, which determine the sums; if not `known`, any table with these sums.
        enough : Atoms that can weigh this much are not examined further.
        exact : Whether atoms weigh what `weights` says, so that those of `enough` need not be examined.

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
    for members, numbers in _components(rows, atoms):
        place = {atom: at for at, atom in enumerate(members.tolist())}
        inner = [np.array([place[atom] for atom in rows[number].tolist()], dtype=np.int64) for number in numbers]
        fixed = determined(inner, len(members))
        if fixed is None:
            left += len(members)
            fixed = np.zeros(len(members), dtype=bool)
        linear[members] = fixed
        sure = members[fixed]
        low[sure] = high[sure] = weights[sure]
        open_ones = np.ones(len(members), dtype=bool) if enough is None or not exact else weights[members] < enough
        open_ones &= ~fixed
        if not open_ones.any():
            continue
        size = sum(map(len, inner))
        program = Program(inner, [int(weights[members][row].sum()) for row in inner], len(members))
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
            low[members[at]], high[members[at]] = program.least(at)[0], most
    return Told(low, high, linear, left)


def _different(rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Each set of atoms once, none empty."""
    distinct = {tuple(np.sort(np.asarray(row, dtype=np.int64)).tolist()): None for row in rows}
    return [np.array(row, dtype=np.int64) for row in distinct if row]


def _components(rows: Sequence[np.ndarray], atoms: int) -> list[tuple[np.ndarray, list[int]]]:
    """The atoms and the sums of each connected component; atoms in no sum are in none."""
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


def atoms_of(groupings: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The atoms of groupings of the same items.

    Parameters
    ----------
    groupings : sequence of (n,) int. The class of each item, -1 for what a grouping leaves out.

    Returns
    -------
    choices : (m, groupings) int array
        The classes of each atom, in lexicographic order.
    numbers : (n,) int64 array
        The atom of each item.

    >>> choices, numbers = atoms_of([np.array([0, 0, 1]), np.array([-1, 0, 0])])
    >>> choices.tolist(), numbers.tolist()
    ([[0, -1], [0, 0], [1, 0]], [0, 1, 2])
    """
    columns = np.column_stack(groupings)
    choices, numbers = np.unique(columns, axis=0, return_inverse=True)
    return choices, numbers.reshape(-1)


def class_rows(choices: np.ndarray) -> list[np.ndarray]:
    """The atoms of each class of each grouping; what one leaves out is also a class, because the total is known.

    >>> [row.tolist() for row in class_rows(np.array([[0, -1], [0, 0], [1, 0]]))]
    [[0, 1], [2], [0], [1, 2]]
    """
    return [np.flatnonzero(side == number) for side in choices.T for number in np.unique(side).tolist()]


# ---------------------------------------------------------------------------------------------------------------------
# The least and the most that an atom can weigh, by linear programs whose answers are proven in fractions.
#
# The names are those of docs/proofs/release/sums.md.
# ---------------------------------------------------------------------------------------------------------------------


FINEST = 10_000  # denominators that prices are rounded to
NEAR = 1e-6


class Program:
    """Tables of real numbers not below 0 with the published sums.

    Parameters
    ----------
    rows : The atoms of each sum.
    totals : The published values.
    """

    def __init__(self, rows: Sequence[np.ndarray], totals: Sequence[int], atoms: int) -> None:
        from scipy.sparse import csr_array

        self.rows, self.totals, self.atoms = rows, [int(total) for total in totals], atoms
        ends = np.cumsum([0, *map(len, rows)])
        places = np.concatenate(rows) if len(rows) else np.zeros(0, dtype=np.int64)
        self.matrix = csr_array((np.ones(len(places)), places, ends), shape=(len(rows), atoms))
        self.of: list[list[int]] = [[] for _ in range(atoms)]
        for number, row in enumerate(rows):
            for atom in row.tolist():
                self.of[atom].append(number)

    def most(self, atom: int) -> tuple[int, np.ndarray]:
        """A proven upper bound on the atom in tables of whole numbers, and a table with the largest possible atom."""
        prices, table = self._solved(atom, -1.0)
        return math.floor(self._proven(prices, atom, 1)), table

    def least(self, atom: int) -> tuple[int, np.ndarray]:
        """A proven lower bound on the atom, and a table with the atom as small as possible."""
        prices, table = self._solved(atom, 1.0)
        return max(0, math.ceil(-self._proven(prices, atom, -1))), table

    def _solved(self, atom: int, sign: float) -> tuple[np.ndarray, np.ndarray]:
        from scipy.optimize import linprog

        costs = np.zeros(self.atoms)
        costs[atom] = sign
        solution = linprog(costs, A_eq=self.matrix, b_eq=np.array(self.totals, dtype=float), method="highs")
        if solution.x is None:  # the solver gives up: prices of 0 prove what they prove
            return np.zeros(len(self.rows)), np.zeros(self.atoms)
        return -solution.eqlin.marginals, solution.x

    def _proven(self, prices: np.ndarray, atom: int, sign: int) -> Fraction:
        """The bound that prices of the sums prove: `sign` · atom is never above it (Theorem 2).

        Prices are rounded to fractions; if an atom is then not paid for, one of its sums pays the difference.
        """
        exact = [
            Fraction(float(price)).limit_denominator(FINEST) if abs(price) > NEAR else Fraction() for price in prices
        ]
        paid = {atom: Fraction(-sign)}
        for price, row in zip(exact, self.rows, strict=True):
            if price:
                for one in row.tolist():
                    paid[one] = paid.get(one, Fraction()) + price
        for one in sorted(paid):
            lacking = -paid[one]
            if lacking > 0:
                number = min(self.of[one], key=lambda row: (self.totals[row], row))
                exact[number] += lacking
                for other in self.rows[number].tolist():
                    paid[other] = paid.get(other, Fraction()) + lacking
        return sum((price * total for price, total in zip(exact, self.totals, strict=True) if price), Fraction())


# ---------------------------------------------------------------------------------------------------------------------
# Which atoms published sums give exactly: a rank test modulo a prime, proven over the rational numbers.
#
# The names are those of docs/proofs/release/sums.md.
# ---------------------------------------------------------------------------------------------------------------------


PRIMES = (2_147_483_647, 2_147_483_629, 2_147_483_587)  # products of two residues stay in int64
LARGEST = 8_000_000  # entries of the matrix of one component


def determined(rows: Sequence[np.ndarray], atoms: int) -> np.ndarray | None:
    """Which atoms have the same value in all real tables with the same sums (Theorem 1).

    Returns
    -------
    (atoms,) bool array, or None where the matrix has more than `LARGEST` entries.

    Complexity
    ----------
    O(rank · rows · atoms) at most, in steps of whole rows.

    Three pairs of three atoms determine each, four pairs around a square determine none:

    >>> determined([np.array([0, 1]), np.array([1, 2]), np.array([0, 2])], 3).tolist()
    [True, True, True]
    >>> determined([np.array([0, 1]), np.array([1, 2]), np.array([2, 3]), np.array([0, 3])], 4).tolist()
    [False, False, False, False]
    """
    if len(rows) * atoms > LARGEST:
        return None
    matrix = np.zeros((len(rows), atoms), dtype=np.int64)
    for number, row in enumerate(rows):
        matrix[number, row] = 1
    for prime in PRIMES:
        reduced, pivots = _reduced(matrix.copy(), prime)
        if _is_null_space(matrix, reduced, pivots, prime):
            alone = (reduced != 0).sum(axis=1) == 1
            mask = np.zeros(atoms, dtype=bool)
            mask[pivots[alone]] = True
            return mask
    return None  # fractions too large for all primes: nothing is claimed


def _reduced(matrix: np.ndarray, prime: int) -> tuple[np.ndarray, np.ndarray]:
    """The nonzero rows of the reduced echelon form modulo a prime, and the pivot of each; in place."""
    pivots: list[int] = []
    done: list[int] = []
    closed = np.iinfo(np.int64).max
    counts = (matrix != 0).sum(axis=1)
    by_column = (matrix != 0).sum(axis=0)  # of the rows as they came: only steers which pivot is taken
    for _ in range(len(matrix)):
        pivot_row = int(counts.argmin())
        used = counts[pivot_row] > 0
        counts[pivot_row] = closed
        if not used:
            continue
        places = np.flatnonzero(matrix[pivot_row])
        pivot = int(places[by_column[places].argmin()])
        inverse = pow(int(matrix[pivot_row, pivot]), -1, prime)
        matrix[pivot_row, places] = matrix[pivot_row, places] * inverse % prime
        others = np.flatnonzero(matrix[:, pivot])
        others = others[others != pivot_row]
        if len(others):
            block = np.ix_(others, places)
            matrix[block] = (matrix[block] - matrix[others, pivot][:, None] * matrix[pivot_row, places]) % prime
            still = others[counts[others] < closed]
            counts[still] = (matrix[still] != 0).sum(axis=1)
        pivots.append(pivot)
        done.append(pivot_row)
    return matrix[done], np.array(pivots, dtype=np.int64)


def _is_null_space(matrix: np.ndarray, reduced: np.ndarray, pivots: np.ndarray, prime: int) -> bool:
    """Whether the echelon form, read as fractions, also spans the rows of the matrix over the rational numbers.

    Every row of the matrix is the combination of echelon rows given by its entries at the pivots; this is checked in
    whole numbers.
    """
    values, places = np.unique(reduced, return_inverse=True)
    fractions = [_fraction(int(value), prime) for value in values]
    if any(entry is None for entry in fractions):
        return False
    scale = lcm(*(entry[1] for entry in fractions if entry is not None))
    if scale > 1 << 20:
        return False
    whole = np.array([entry[0] * (scale // entry[1]) for entry in fractions if entry is not None], dtype=np.int64)
    echelon = whole[places.reshape(reduced.shape)]
    if int(np.abs(echelon).max(initial=0)) * max(matrix.shape) >= 1 << 62:
        return False
    return bool((matrix[:, pivots] @ echelon == scale * matrix).all())


def _fraction(residue: int, prime: int) -> tuple[int, int] | None:
    """The fraction with least numerator and denominator that is this residue; None unless both are small."""
    most = isqrt(prime // 2)
    before, value = (prime, 0), (residue, 1)
    while value[0] > most:
        quotient = before[0] // value[0]
        before, value = value, (before[0] - quotient * value[0], before[1] - quotient * value[1])
    up, down = value if value[1] > 0 else (-value[0], -value[1])
    return (up, down) if 0 < down <= most and gcd(up, down) == 1 else None
