"""Which atoms published sums give exactly: a rank test modulo a prime, proven over the rational numbers.

The names are those of docs/proofs/release/sums.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, isqrt, lcm

import numpy as np

PRIMES = (2_147_483_647, 2_147_483_629, 2_147_483_587)  # products of two residues stay in int64
LARGEST = 8_000_000  # entries of the matrix of one component


def determined(rows: Sequence[np.ndarray], atoms: int) -> np.ndarray | None:
    """Which atoms have the same value in all real tables with the same sums (Theorem 1).

    Parameters
    ----------
    rows : sequence of int arrays
        The atoms of each published sum, each atom once.
    atoms : int
        How many there are.

    Returns
    -------
    (atoms,) bool array, or None where the matrix has more than `LARGEST` entries.

    Complexity
    ----------
    O(rank · rows · atoms) at most, in steps of whole rows.

    Example
    -------
    Three pairs of three atoms tell each, four pairs around a square tell none:

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
            found = np.zeros(atoms, dtype=bool)
            found[pivots[alone]] = True
            return found
    return None  # fractions too large for all primes: nothing is claimed


def _reduced(matrix: np.ndarray, prime: int) -> tuple[np.ndarray, np.ndarray]:
    """The nonzero rows of the reduced echelon form modulo a prime, and the pivot of each; in place."""
    pivots: list[int] = []
    done: list[int] = []
    closed = np.iinfo(np.int64).max
    counts = (matrix != 0).sum(axis=1)
    by_column = (matrix != 0).sum(axis=0)  # of the rows as they came: only steers which pivot is taken
    for _ in range(len(matrix)):
        own = int(counts.argmin())
        used = counts[own] > 0
        counts[own] = closed
        if not used:
            continue
        places = np.flatnonzero(matrix[own])
        pivot = int(places[by_column[places].argmin()])
        inverse = pow(int(matrix[own, pivot]), -1, prime)
        matrix[own, places] = matrix[own, places] * inverse % prime
        others = np.flatnonzero(matrix[:, pivot])
        others = others[others != own]
        if len(others):
            block = np.ix_(others, places)
            matrix[block] = (matrix[block] - matrix[others, pivot][:, None] * matrix[own, places]) % prime
            still = others[counts[others] < closed]
            counts[still] = (matrix[still] != 0).sum(axis=1)
        pivots.append(pivot)
        done.append(own)
    return matrix[done], np.array(pivots, dtype=np.int64)


def _is_null_space(matrix: np.ndarray, reduced: np.ndarray, pivots: np.ndarray, prime: int) -> bool:
    """Whether the echelon form, read as fractions, has the rows of the matrix in it over the rational numbers too.

    Every row of the matrix is the combination of echelon rows that its entries at the pivots name; this is checked in
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
    """The fraction with least numerator and denominator that is this residue; None where both are not small."""
    most = isqrt(prime // 2)
    before, value = (prime, 0), (residue, 1)
    while value[0] > most:
        quotient = before[0] // value[0]
        before, value = value, (before[0] - quotient * value[0], before[1] - quotient * value[1])
    up, down = value if value[1] > 0 else (-value[0], -value[1])
    return (up, down) if 0 < down <= most and gcd(up, down) == 1 else None
