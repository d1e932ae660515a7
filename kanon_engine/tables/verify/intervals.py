"""The independent check of column intervals: what they induce, what it costs, the bound."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import IntervalDetails, Table
from kanon_engine.tables.verify.weights import equal_tuples, records_in
from kanon_engine.verification.check import COST, Check
from kanon_engine.verification.requirements import judge

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

SCALE, PARTS = 10**6, 100
EXACT_FLOATS, EXACT_SUMS = 1 << 53, 1 << 62


def verify_intervals(table: Table, g: Generalization) -> Iterator[Check]:
    """Every claim of a result whose details are `IntervalDetails`; see `kanon_engine.verification.verify`."""
    details: IntervalDetails = g.details
    form = (
        isinstance(details.intervals, Mapping)
        and all(
            type(parts) is tuple and all(type(part) is tuple for part in parts) for parts in details.intervals.values()
        )
        and details.cuts.dtype == np.int32
        and details.curve.dtype == np.int64
        and details.cuts.shape[1:] == (2,)
        and details.curve.shape[1:] == (3,)
        and type(details.suppressed) is type(details.nodes) is int
    )
    yield Check("details form", form, f"{len(details.cuts):,} cuts, {len(details.curve):,} points of the curve.")
    joined = {name: tuple(value for part in parts for value in part) for name, parts in details.intervals.items()}
    whole = tuple(joined) == tuple(table.quasi_identifiers) and all(
        _same(values, domain) for values, domain in zip(joined.values(), table.domains, strict=True)
    )
    whole = whole and all(len(part) > 0 for parts in details.intervals.values() for part in parts)
    yield Check("intervals", whole, "the intervals of each column hold its values once each and in order.")
    edges = [np.cumsum([len(part) for part in parts])[:-1] for parts in details.intervals.values()]
    listed = [[column, int(edge)] for column, own in enumerate(edges) for edge in own]
    yield Check("cuts", details.cuts.tolist() == listed, f"{len(listed):,} intervals begin after the first.")

    stray = [(name, words) for name, parts in details.intervals.items() for words in _strays(table, name, parts)]
    words = f"{stray[0][1]} of {stray[0][0]} is no group of its hierarchy" if stray else "each is a group of its tree"
    yield Check("hierarchies", not stray, f"{len(table.trees):,} columns have a hierarchy; {words}.")

    boxes = np.column_stack([np.searchsorted(own, table.codes[:, column], "right") for column, own in enumerate(edges)])
    shown, box = np.unique(boxes, axis=0, return_inverse=True)
    box = box.reshape(-1)
    sizes = records_in(table, box)
    good = kept_boxes(table, g, box, sizes)
    kept = good[box]
    expected = np.where(kept, (np.cumsum(good) - 1)[box], -1)
    right = np.array_equal(g.assignment, expected)
    yield Check("assignment", right, f"{len(shown):,} sets of records share their intervals, numbered in their order.")
    left_out = int(table.weights[~kept].sum())
    limit = g.options["suppression_limit"]
    lacking = ", or such as lack what is required," if g.require else ""
    found = f"fewer than {g.k:,}{lacking} share the intervals of {left_out:,} records."
    yield Check("suppressed", details.suppressed == left_out, found)
    yield Check(
        "suppression limit", limit is None or left_out <= limit, f"{left_out:,} records are left out, allowed: {limit}."
    )

    yield weights_check(table, g)
    cost = cost_of(table, g, box, sizes, good, int((losses_of(table, g, edges) * table.weights)[kept].sum()))
    yield Check(COST, g.cost == cost, f"the {g.options['metric']} cost is {cost:,}, the result says {g.cost:,}.")
    yield _bound(table, g)
    yield _curve(g)
    yield Check("guarantee formula", g.guarantee is None, "nothing is promised but the bound.")


def _strays(table: Table, name: str, parts: tuple[tuple, ...]) -> Iterator[str]:
    """The intervals that are no node of the column's tree, where it has one."""
    tree = table.tree(name)
    end = 0
    for part in parts:
        start, end = end, end + len(part)
        if tree is not None and not ((tree.starts[:, start] == start) & (tree.ends[:, start] == end - 1)).any():
            yield f"{part[0]} … {part[-1]}"


def weights_check(table: Table, g: Generalization) -> Check:
    """Only the loss metric weighs columns, and only quasi-identifiers; no sum of losses is too large to be exact."""
    named, metric = weights_of(g), g.options["metric"]
    good = set(named) <= set(table.quasi_identifiers) and (not named or metric == "LM")
    most = _most_lost(table, g) if metric == "LM" else 0
    good = good and most <= EXACT_FLOATS and most * table.total <= EXACT_SUMS
    return Check("weights", good, f"{len(named):,} columns are weighed in the metric {metric}.")


def _same(values: tuple, domain: tuple) -> bool:
    return len(values) == len(domain) and all(
        type(one) is type(other) and one == other for one, other in zip(values, domain, strict=True)
    )


def weights_of(g: Generalization) -> dict[str, Fraction]:
    """What the loss of the columns weighs that a person gave a weight."""
    text = g.options["weights"]
    pairs = [part.rsplit("=", 1) for part in text.split(",")] if text else []
    return {name.strip(): Fraction(number) for name, number in pairs}


def steps_of(table: Table, g: Generalization) -> list[int]:
    """What a step of its domain costs a record in an interval, by column, in the loss metric.

    A column's weight divided by its gaps, in whole numbers of the smallest part that all columns share. There are at
    most `SCALE` parts for weights of 1, or `PARTS` for each gap of a column with twice as many gaps; where more would
    be needed, each step is rounded to whole parts.
    """
    weights, gaps = weights_of(g), [max(1, len(domain) - 1) for domain in table.domains]
    most = PARTS * max(gaps) if max(gaps) >= 2 * SCALE else SCALE
    exact, scale = math.lcm(*gaps) <= most, min(math.lcm(*gaps), most)
    asked = [weights.get(name, Fraction(1)) for name in table.quasi_identifiers]
    finer = math.lcm(*((one * scale / gap if exact else one).denominator for one, gap in zip(asked, gaps, strict=True)))
    return [round(one * scale * finer / gap) for one, gap in zip(asked, gaps, strict=True)]


def _most_lost(table: Table, g: Generalization) -> int:
    """What a record loses that is left out."""
    return sum(step * (len(domain) - 1) for step, domain in zip(steps_of(table, g), table.domains, strict=True))


def losses_of(table: Table, g: Generalization, edges: list[np.ndarray]) -> np.ndarray:
    """(n,) loss of a record of each row, if kept, by the first and last values that occur in its intervals; else 0."""
    losses = np.zeros(len(table), dtype=np.int64)
    if g.options["metric"] != "LM":
        return losses
    for column, (own, step) in enumerate(zip(edges, steps_of(table, g), strict=True)):
        codes = table.codes[:, column].astype(np.int64)
        part = np.searchsorted(own, codes, "right")
        least, most = np.full(len(own) + 1, len(table.domains[column])), np.zeros(len(own) + 1, dtype=np.int64)
        np.minimum.at(least, part, codes)
        np.maximum.at(most, part, codes)
        losses += step * (most - least)[part]
    return losses


def kept_boxes(table: Table, g: Generalization, box: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(m,) bool: the sets of records that share their intervals, at least k, and satisfy what is required."""
    kept = sizes >= g.k
    if g.require:
        holds = judge(table, g.require)
        members = np.split(np.argsort(box, kind="stable"), np.cumsum(np.bincount(box))[:-1])
        kept &= [bool(enough) and holds(own.tolist()) for enough, own in zip(kept, members, strict=True)]
    return kept  # type: ignore[no-any-return]


def cost_of(table: Table, g: Generalization, box: np.ndarray, sizes: np.ndarray, kept: np.ndarray, loss: int) -> int:
    """The cost by the metric's definition; `box` numbers the sets of records that share their intervals."""
    metric, few = g.options["metric"], int(sizes[~kept].sum())
    large = sizes[kept].tolist()
    if metric == "DM":
        return sum(size * size for size in large) + table.total * few
    if metric == "AVG":
        return sum(large) - g.k * len(large) + few
    if metric == "CM":
        return _outvoted(table, box, kept) + few
    return loss + _most_lost(table, g) * few


def _outvoted(table: Table, group: np.ndarray, kept: np.ndarray) -> int:
    """Records in groups that are kept without the commonest label of their group."""
    label = np.asarray(table.labels)
    counts = np.zeros((int(group.max()) + 1, int(label.max()) + 1), dtype=np.int64)
    np.add.at(counts, (group, label), table.weights)
    return int((counts.sum(axis=1) - counts.max(axis=1))[kept].sum())


def _bound(table: Table, g: Generalization) -> Check:
    """Nobody is better off than in the finest generalization, where only equal tuples are together."""
    _, group, sizes = equal_tuples(table)
    metric = g.options["metric"]
    if metric == "DM":
        value = sum(size * max(size, g.k) for size in sizes.tolist())
    elif metric == "AVG":
        value = sum(max(size - g.k, 0) for size in sizes.tolist())
    elif metric == "CM":
        value = _outvoted(table, group, sizes > 0)
    else:
        finest = [np.unique(column)[1:] for column in table.codes.T]
        value = int((losses_of(table, g, finest) * table.weights).sum())
    if g.bound_kind == "solver":
        named = (
            g.bound_name == "search tree" and g.bound_witness == () and g.details.nodes > 0 and g.lower_bound > value
        )
        return Check("bound witness", named, f"{g.lower_bound:,} stands on the word of the search, {value:,} is sure.")
    named = g.bound_name == "finest generalization" and g.bound_witness == ()
    good = named and value == g.lower_bound
    return Check(
        "bound witness", good, f"the finest generalization gives {value:,}, the result says {g.lower_bound:,}."
    )


def _curve(g: Generalization) -> Check:
    """Nodes and bounds never fall, costs never rise; the end is the result."""
    curve = g.details.curve
    if len(curve) == 0:
        return Check("curve", False, "the curve has no point.")
    steps = np.diff(curve, axis=0)
    good = bool((steps[:, 0] > 0).all() and (steps[:, 1] <= 0).all() and (steps[:, 2] >= 0).all())
    good = good and curve[0, 0] >= 0 and bool((curve[:, 2] <= curve[:, 1]).all())
    good = good and curve[-1, 1:].tolist() == [g.cost, g.lower_bound]
    nodes = int(curve[-1, 0]) if g.algorithm == "k-optimize" else 0
    good = good and g.details.nodes == nodes
    good = good and not curve[-1, 0] > g.options.get("restarts", curve[-1, 0]) + 1
    return Check("curve", good, f"the curve ends at a cost of {g.cost:,} and a bound of {g.lower_bound:,}.")
