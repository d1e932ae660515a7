"""The independent check of suppressed cells: what classes show, what it costs, the bound."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.tables.verify.weights import equal_tuples, records_in
from kanon_engine.verification.check import COST, Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


def verify_cells(table: Table, g: Generalization) -> Iterator[Check]:
    """Every claim of a result whose details are `CellDetails`; see `kanon_engine.verification.verify`."""
    details: CellDetails = g.details
    columns = len(table.quasi_identifiers)
    form = (
        isinstance(details.stars, np.ndarray)
        and details.stars.dtype == np.bool_
        and details.stars.shape == (g.classes, columns)
        and type(details.suppressed) is type(details.nodes) is int
        and details.nodes >= 0
    )
    yield Check("details form", form, f"there are stars or none for {g.classes:,} classes and {columns} columns.")
    left_out = int(table.weights[g.assignment < 0].sum())
    yield Check("everyone in a class", left_out == 0, f"{left_out:,} records are in no class.")

    shown = [np.unique(table.codes[g.assignment == number], axis=0) for number in range(g.classes)]
    differ = np.array([(values != values[0]).any(axis=0) for values in shown])
    agree = not (differ & ~details.stars).any()
    yield Check("equal records", bool(agree), "the records of each class agree on every column without a star.")
    needed = not (details.stars & ~differ).any()
    yield Check("needed stars", bool(needed), "the records of each class differ on every column with a star.")
    rows = {
        tuple(-1 if star else code for star, code in zip(stars, values[0].tolist(), strict=True))
        for stars, values in zip(details.stars.tolist(), shown, strict=True)
    }
    yield Check(
        "different classes", len(rows) == g.classes, f"{g.classes:,} classes show {len(rows):,} different rows."
    )

    sizes = records_in(table, g.assignment, g.classes).tolist()
    cells = sum(size * sum(stars) for size, stars in zip(sizes, details.stars.tolist(), strict=True))
    yield Check("suppressed", details.suppressed == cells, f"{cells:,} cells are suppressed.")
    yield Check(COST, g.cost == cells, f"{cells:,} cells are suppressed, the result says {g.cost:,}.")
    yield _bound(table, g)
    yield _guarantee(table, g)


def _bound(table: Table, g: Generalization) -> Check:
    if g.bound_kind == "solver":
        named = g.bound_name == "exact search" and g.bound_witness == () and g.details.nodes > 0
        return Check("bound witness", named, f"{g.lower_bound:,} stands on the word of a search.")
    named = g.bound_name == "fewest stars" and len(g.bound_witness) == 1
    if not named or not 0 <= g.bound_witness[0] <= len(table.quasi_identifiers):
        return Check("bound witness", False, f"no bound is called {g.bound_name!r} with the witness {g.bound_witness}.")
    value = int((_fewest_stars(table, g.k, g.bound_witness[0]) * table.weights).sum())
    return Check(
        "bound witness", value == g.lower_bound, f"“{g.bound_name}” gives {value:,}, the result says {g.lower_bound:,}."
    )


def _fewest_stars(table: Table, k: int, depth: int) -> np.ndarray:
    """For each row the fewest cells of a record without which k look the same; `depth` + 1 if so many are not enough.

    In any solution a record and at least k - 1 others show its values in the columns that it keeps, so k records
    match it there: it pays at least this much.
    """
    codes, number, copies = equal_tuples(table)
    columns = range(codes.shape[1])
    fewest = np.full(len(codes), depth + 1, dtype=np.int64)
    for stars in range(depth + 1):
        open_ones = fewest > depth
        if not open_ones.any():
            break
        for kept in combinations(columns, len(columns) - stars):
            alike = _alike(codes[:, list(kept)])
            common = np.zeros(len(codes), dtype=np.int64)
            np.add.at(common, alike, copies)
            fewest[open_ones & (common[alike] >= k)] = stars
    return fewest[number]


def _alike(codes: np.ndarray) -> np.ndarray:
    """(t,) int64 numbers below t, the same for equal rows."""
    number = np.zeros(len(codes), dtype=np.int64)
    below = 1
    for column in codes.T:
        number = number * (int(column.max()) + 1) + column
        below *= int(column.max()) + 1
        if below > 1 << 31:
            number, below = np.unique(number, return_inverse=True)[1].astype(np.int64), len(codes)
    return np.unique(number, return_inverse=True)[1].astype(np.int64)


def _guarantee(table: Table, g: Generalization) -> Check:
    """q R for the R records with fewer than k - 1 equals, where these are none or at least k; else q (2 k - 1).

    In a table where a row stands for several records, all of the rarest other tuple join them instead. Nothing is
    promised where more than k is required.
    """
    if g.require:
        return Check("guarantee formula", g.guarantee is None, "nothing is promised where more than k is required.")
    copies = equal_tuples(table)[2]
    rare = most = int(copies[copies < g.k].sum())
    if 0 < rare < g.k:
        most = rare + int(copies[copies >= g.k].min()) if int(table.weights.max()) > 1 else 2 * g.k - 1
    ceiling = most * len(table.quasi_identifiers)
    return Check("guarantee formula", g.guarantee == ceiling, f"{rare:,} rare records give {ceiling:,}.")
