"""The independent check of boxes: who is in them, that they do not meet, what they cost, the bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import BoxDetails, Table
from kanon_engine.tables.verify.box_bounds import bound_of
from kanon_engine.tables.verify.intervals import steps_of, weights_check
from kanon_engine.tables.verify.weights import equal_tuples, records_in
from kanon_engine.verification.check import COST, Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

BLOCK = 2_000_000  # pairs of boxes that are compared at once


def verify_boxes(table: Table, g: Generalization) -> Iterator[Check]:
    """Every claim of a result whose details are `BoxDetails`; see `kanon_engine.verification.verify`."""
    details: BoxDetails = g.details
    shape = (g.classes, len(table.quasi_identifiers))
    form = (
        all(type(ends) is np.ndarray and ends.dtype == np.int32 for ends in (details.low, details.high))
        and details.low.shape == details.high.shape == shape
        and type(details.rounds) is int
        and details.curve.dtype == np.int64
        and details.curve.shape[1:] == (3,)
    )
    yield Check("details form", form, f"{shape[0]:,} boxes of {shape[1]} columns.")
    left_out = int(table.weights[g.assignment < 0].sum())
    yield Check("everyone in a class", left_out == 0, f"{left_out:,} records are in no class.")
    low, high = details.low[g.assignment], details.high[g.assignment]
    inside = ((low <= table.codes) & (table.codes <= high)).all()
    sizes = np.array([len(domain) for domain in table.domains])
    known = (details.low >= 0).all() and (details.high < sizes).all()
    yield Check("records in boxes", bool(inside and known), "every record lies in the box of its class.")
    yield _nodes(table, details)
    rows = np.hstack([details.low, details.high])
    ordered = len(rows) == 1 or bool((rows[1:] != rows[:-1]).any(axis=1).all() and _ascending(rows))
    yield Check("order of boxes", ordered, "no two classes show the same, and they are numbered in their order.")
    if not g.options.get("relaxed"):
        apart = _apart(details.low, details.high)
        yield Check("boxes apart", apart, "no values lie in two boxes.")

    yield weights_check(table, g)
    cost = box_cost(table, g)
    yield Check(COST, g.cost == cost, f"the {g.options['metric']} cost is {cost:,}, the result says {g.cost:,}.")
    yield _bound(table, g)
    yield _curve(g)
    ceiling = _ceiling(table, g)
    words = "nothing" if ceiling is None else f"at most {ceiling:,}"
    yield Check("guarantee formula", g.guarantee == ceiling, f"the theorem promises {words}.")


def _ascending(rows: np.ndarray) -> bool:
    """Whether rows that differ stand in lexicographic order."""
    differ = rows[1:] != rows[:-1]
    first = differ.argmax(axis=1)
    places = np.arange(len(first))
    return bool((rows[1:][places, first] > rows[:-1][places, first]).all())


def _nodes(table: Table, details: BoxDetails) -> Check:
    """Where a column has a tree, every class shows one of its nodes."""
    good = True
    for column, name in enumerate(table.quasi_identifiers):
        tree = table.tree(name)
        if tree is not None:
            runs = set(zip(details.low[:, column].tolist(), details.high[:, column].tolist(), strict=True))
            good = good and runs <= set(map(tuple, tree.nodes.tolist()))
    return Check("nodes of trees", good, f"{len(table.trees):,} columns show words of a hierarchy alone.")


def _apart(low: np.ndarray, high: np.ndarray) -> bool:
    """Whether no two boxes have a tuple of values in common."""
    many, columns = low.shape
    block = max(1, BLOCK // many)
    for begin in range(0, many, block):
        end = min(begin + block, many)
        meet = np.ones((end - begin, many), dtype=bool)
        for column in range(columns):
            meet &= low[begin:end, column, None] <= high[None, :, column]
            meet &= high[begin:end, column, None] >= low[None, :, column]
        if int(meet.sum()) != end - begin:
            return False
    return True


def box_cost(table: Table, g: Generalization) -> int:
    """The cost by the metric's definition, from the classes of the records alone."""
    sizes = records_in(table, g.assignment, g.classes)
    metric = g.options["metric"]
    if metric == "DM":
        return sum(size * size for size in sizes.tolist())
    if metric == "AVG":
        return table.total - g.k * g.classes
    if metric == "CM":
        votes = np.zeros((g.classes, int(table.labels.max()) + 1), dtype=np.int64)
        np.add.at(votes, (g.assignment, table.labels), table.weights)
        return table.total - int(votes.max(axis=1).sum())
    total = 0
    for column, (name, step) in enumerate(zip(table.quasi_identifiers, steps_of(table, g), strict=True)):
        codes = table.codes[:, column].astype(np.int64)
        least, most = np.full(g.classes, len(table.domains[column])), np.full(g.classes, -1)
        np.minimum.at(least, g.assignment, codes)
        np.maximum.at(most, g.assignment, codes)
        if (tree := table.tree(name)) is not None:
            least, most = _occurring(codes, *_smallest(tree.nodes, least, most))
        total += step * int((sizes * (most - least)).sum())
    return total


def _smallest(nodes: np.ndarray, least: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the nodes (first and last position) that hold the positions from `least` to `most` the smallest."""
    holds = (nodes[:, 0] <= least[:, None]) & (nodes[:, 1] >= most[:, None])
    own = np.where(holds, nodes[:, 1] - nodes[:, 0], np.inf).argmin(axis=1)
    return nodes[own, 0], nodes[own, 1]


def _occurring(codes: np.ndarray, least: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last value from `least` to `most` that occurs in the table."""
    known = np.unique(codes)
    return known[np.searchsorted(known, least)], known[np.searchsorted(known, most, "right") - 1]


def _bound(table: Table, g: Generalization) -> Check:
    """No boxes cost less; relaxed ones may take equal records apart."""
    if g.bound_kind == "solver":
        value = bound_of(table, g)[1]
        named = g.bound_name == "exact search" and g.bound_witness == () and g.lower_bound > value
        return Check("bound witness", named, f"{g.lower_bound:,} stands on the word of the search, {value:,} is sure.")
    name, value = bound_of(table, g)
    good = (g.bound_name, g.bound_witness, g.lower_bound) == (name, (), value)
    return Check("bound witness", good, f"“{name}” gives {value:,}, the result says {g.lower_bound:,}.")


def _curve(g: Generalization) -> Check:
    """Rounds never fall, costs never rise; the end is the result."""
    curve = g.details.curve
    if len(curve) == 0:
        return Check("curve", False, "the curve has no point.")
    steps = np.diff(curve, axis=0)
    good = bool((steps[:, 0] > 0).all() and (steps[:, 1] <= 0).all() and (steps[:, 2] >= 0).all())
    good = good and curve[0, 0] >= 0 and bool((curve[:, 2] <= curve[:, 1]).all())
    good = good and curve[-1].tolist() == [g.details.rounds, g.cost, g.lower_bound]
    good = good and g.details.rounds <= g.options.get("rounds", 0)
    return Check("curve", good, f"the curve ends at a cost of {g.cost:,} and a bound of {g.lower_bound:,}.")


def _ceiling(table: Table, g: Generalization) -> int | None:
    """Where no more cut leaves k on both sides, a class has at most 2 q (k - 1) + m records."""
    if g.algorithm == "exact" or g.require or table.trees or g.options.get("relaxed"):
        return None
    commonest, total = int(equal_tuples(table)[2].max()), table.total
    largest = min(2 * table.codes.shape[1] * (g.k - 1) + commonest, total)
    if g.options["metric"] == "DM":
        return total * largest
    return total - g.k * math.ceil(total / largest) if g.options["metric"] == "AVG" else None
