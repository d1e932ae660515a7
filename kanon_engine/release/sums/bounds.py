"""The least and the most that an atom can weigh, by linear programs whose answers are proven in fractions.

The names are those of docs/proofs/release/sums.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

FINEST = 10_000  # denominators that prices are rounded to
NEAR = 1e-6


class Program:
    """Tables of real numbers not below 0 with the sums that are published.

    Parameters
    ----------
    rows : sequence of int arrays
        The atoms of each sum.
    totals : sequence of int
        What is published.
    atoms : int
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
        """A proven ceiling on the atom in tables of whole numbers, and a table in which it is as large as can be."""
        prices, table = self._solved(atom, -1.0)
        return math.floor(self._proven(prices, atom, 1)), table

    def least(self, atom: int) -> tuple[int, np.ndarray]:
        """A proven floor on the atom, and a table in which it is as small as can be."""
        prices, table = self._solved(atom, 1.0)
        return max(0, math.ceil(-self._proven(prices, atom, -1))), table

    def _solved(self, atom: int, sign: float) -> tuple[np.ndarray, np.ndarray]:
        from scipy.optimize import linprog

        costs = np.zeros(self.atoms)
        costs[atom] = sign
        found = linprog(costs, A_eq=self.matrix, b_eq=np.array(self.totals, dtype=float), method="highs")
        if found.x is None:  # the solver gives up: prices of 0 prove what they prove
            return np.zeros(len(self.rows)), np.zeros(self.atoms)
        return -found.eqlin.marginals, found.x

    def _proven(self, prices: np.ndarray, atom: int, sign: int) -> Fraction:
        """What prices of the sums prove: `sign` · atom is never above it (Theorem 2).

        Prices are rounded to fractions, and where an atom is then not paid for, one of its sums pays what lacks.
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
