"""The claims of a generalized table's certificate: which records look the same, what that costs, the bound.

A result has the same intervals of each column for everybody, a box for each class, or hidden cells. What classes cost,
their requirements besides k, and the least they can cost are in `table_costs`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, combinations, product
from typing import Any

from . import arrays
from .checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry
from .codec import Array
from .core import (
    COST,
    WITNESS,
    Budget,
    Check,
    Instance,
    Maker,
    Option,
    Requirement,
    TooMuch,
    bound_check,
    details_checks,
)
from .table_costs import (
    BOUNDS,
    LARGEST_COST,
    LARGEST_LOSS,
    Demand,
    Groups,
    Judge,
    Table,
    box_spans,
    column_weights,
    cost_of,
    interval_spans,
    is_node,
    largest_boxes,
    most_hidden,
    penalty_of,
    steps_of,
)

LARGEST_CLASS, WHOLE = False, True
METRICS = ("DM", "CM", "AVG", "LM")
_METRIC = {"metric": Option("choice", METRICS), "weights": Option("weights", optional=True)}
_LIMIT = {"suppression_limit": Option("integer", least=0, optional=True)}
_SEARCH = {
    "upper_bound": Option("integer", least=0, optional=True),
    "threads": Option("integer", least=1, greatest=64),
}
ALGORITHMS = {
    "k-optimize": Maker({**_METRIC, **_LIMIT, **_SEARCH}, searches=True),
    "hill-climb": Maker({**_METRIC, **_LIMIT, "restarts": Option("integer", least=0, greatest=1_000_000_000)}),
    "mondrian": Maker({**_METRIC, "relaxed": Option("flag")}),
    "local-cuts": Maker({**_METRIC, "rounds": Option("integer", least=0, greatest=100_000_000)}),
    "exact": Maker(_METRIC, searches=True),
    "cell-suppression": Maker(searches=True),
}
BOXES = ("mondrian", "local-cuts", "exact")
RECORDS = {
    "IntervalDetails": {
        "intervals": dict, "cuts": ("<i4", 2), "suppressed": int, "nodes": int, "curve": ("<i8", 3),
    },
    "BoxDetails": {"low": ("<i4", None), "high": ("<i4", None), "rounds": int, "curve": ("<i8", 3)},
    "CellDetails": {"stars": ("|b1", None), "suppressed": int, "nodes": int},
}  # fmt: skip
MINUTES = {"nearest company": 10}  # how long it may take for 30,000 different records where NumPy is missing
MOST_RECORDS = 2**31 - 1  # squares of class sizes, and their sums, stay below 2^62

_CURVE = (
    "costs never rise, bounds never fall, and the last entry is the result; whether earlier entries are true cannot be "
    "checked"
)
CHECKABLE = {
    "IntervalDetails": {
        "intervals": Entry(CHECKED, "the intervals hold every value once and form the classes"),
        "cuts": Entry(CHECKED, "where the intervals begin"),
        "suppressed": Entry(CHECKED, "recomputed"),
        "curve": Entry(PARTLY, _CURVE),
        "nodes": Entry(
            PARTLY,
            "the last count in `curve`, or 0 for the hill climber; how many nodes of the search tree there were cannot "
            "be checked",
        ),
    },
    "BoxDetails": {
        "low": Entry(CHECKED, "every record is in the box of its class, and no two boxes overlap"),
        "high": Entry(CHECKED, "checked like `low`"),
        "rounds": Entry(
            PARTLY, "the last count in `curve`; this count is not above the number of rounds that was requested"
        ),
        "curve": Entry(PARTLY, _CURVE),
    },
    "CellDetails": {
        "stars": Entry(CHECKED, "exactly the columns in which the records of a class differ"),
        "suppressed": Entry(CHECKED, "recomputed"),
        "nodes": Entry(
            PARTLY,
            "this number is above 0 if the solver reports the bound; how many nodes of the search tree there were "
            "cannot be checked",
        ),
    },
    "tables": {
        "metric": Entry(CHECKED, "the cost is recomputed with this metric"),
        "suppression_limit": Entry(
            PARTLY,
            "at most this many records are left out; a higher limit also passes the check if the bound holds for it",
        ),
        "upper_bound": Entry(UNCHECKED, f"{STEERS}; the search restarts if this upper bound was too low"),
        "relaxed": Entry(PARTLY, "without this option, no two boxes overlap; with it, boxes can overlap but need not"),
        "rounds": Entry(
            PARTLY,
            "no round in `curve` has a number above this limit; whether more rounds followed cannot be checked",
        ),
        "weights": Entry(CHECKED, "the loss is recomputed with these weights; other metrics do not use weights"),
        "threads": Entry(UNCHECKED, "how the work was split among several cores cannot be retraced"),
        "restarts": Entry(
            PARTLY,
            "no descent in `curve` has a number above the number of restarts plus one; whether more descents "
            "followed cannot be checked",
        ),
    },
}


def weights(parts: Mapping[str, Any]) -> Array:
    """How many records each row represents."""
    first, *_ = parts["cells"].values()
    return parts["weights"] if "weights" in parts else Array("<i8", (len(first),), [1] * len(first))


def require_form(parts: Mapping[str, Any]) -> None:
    """ValueError unless the parts are a table: full columns, cells in their domains, hierarchies of these."""
    cells, names, label = parts["cells"], parts["quasi_identifiers"], parts["class_label"]
    counts = weights(parts).numbers
    if min(counts) < 1 or sum(counts) > MOST_RECORDS or any(len(column) != len(counts) for column in cells.values()):
        raise ValueError("a column does not have one value per row, or rows represent too few or too many records")
    if not all(set(map(type, column)) <= {str, int, float, bool, type(None)} for column in cells.values()):
        raise ValueError("a cell is neither text nor a number")
    if not names or len(set(names)) < len(names) or label in names or not {*names, label} - {None} <= set(cells):
        raise ValueError("a quasi-identifier or the class label is not a column, or is given twice")
    for name in names:
        domain = parts["orders"][name]
        if len(set(domain)) < len(domain) or not set(cells[name]) <= set(domain) or any(one != one for one in domain):
            raise ValueError(f"the domain of {name!r} lacks a value or holds a value twice")
    for name, tree in parts.get("trees", {}).items():
        values, levels = tree.fields["values"], tree.fields["levels"]
        good = name in names and _same(values, parts["orders"][name]) and levels and len(set(levels[-1])) == 1
        if tree.name != "Tree" or not good or any(len(words) != len(values) for words in levels):
            raise ValueError(f"the hierarchy of {name!r} does not fit its domain")


def _same(values: Sequence[Any], domain: Sequence[Any]) -> bool:
    return len(values) == len(domain) and all(type(a) is type(b) and a == b for a, b in zip(values, domain))


# ---------------------------------------------------------------------------------------------------------------------
# What is required of classes besides k
# ---------------------------------------------------------------------------------------------------------------------

DIGITS = 6  # decimals that a required number may have


def _diversity(instance: Instance, g: Any, required: Any) -> Check:
    """At least l different values in each class, or as good as l."""
    least, share, recursive = required.l, required.c, required.kind == "recursive"
    good = required.kind in ("distinct", "recursive", "entropy") and 1 < least <= 1_000_000
    good = good and (type(least) is int) == (required.kind != "entropy" or least == int(least))
    good = good and round(least, DIGITS) == least and (share is not None) == recursive
    if recursive:
        good = good and 0 < share <= 1_000 and round(share, DIGITS) == share
    return _demanded(instance, g, required, f"{required.kind} diversity of {least:g} in {required.column!r}", good)


def _closeness(instance: Instance, g: Any, required: Any) -> Check:
    """Each class is distributed like all records of the table, including those left out."""
    good = 0 <= required.t <= 1 and round(required.t, DIGITS) == required.t
    return _demanded(instance, g, required, f"closeness of {required.t:g} in {required.column!r}", good)


def _demanded(instance: Instance, g: Any, required: Any, what: str, good: bool) -> Check:
    """Whether every class has what can be required of a sensitive column."""
    parts = instance.parts
    if not good:
        return Check("requirement", False, f"{what} cannot be required.")
    if required.column not in parts["cells"] or required.column in parts["quasi_identifiers"]:
        return Check("requirement", False, f"the instance has no sensitive column {required.column!r}.")
    met = Demand(instance, required).met(arrays.column(g.assignment.numbers), g.classes)
    failing = met.count(False)
    return Check("requirement", failing == 0, f"{failing:,} of {g.classes:,} classes lack {what}.")


REQUIREMENTS = {  # a column may have any name
    "Diversity": Requirement({"column": None, "l": (int, float), "kind": str, "c": (float, type(None))}, _diversity),
    "Closeness": Requirement({"column": None, "t": float}, _closeness),
}


# ---------------------------------------------------------------------------------------------------------------------
# The checks
# ---------------------------------------------------------------------------------------------------------------------


def checks(instance: Instance, g: Any) -> Iterator[Check]:
    """Every claim specific to tables."""
    kind = {"cell-suppression": "CellDetails", **dict.fromkeys(BOXES, "BoxDetails")}.get(g.algorithm, "IntervalDetails")
    yield from details_checks(g, [kind])
    table, retained = Table(instance), [str(name) for name in g.reading.get("keep") or ()]
    raw = [name for name in retained if name in table.names or name not in instance.parts["cells"]]
    words = (
        f"{raw[0]} cannot be released unchanged" if raw else f"released unchanged: {', '.join(retained) or 'nothing'}"
    )
    yield Check("kept columns", not raw, f"{words}; the quasi-identifiers are generalized.")
    yield from {"CellDetails": _cells, "BoxDetails": _boxes, "IntervalDetails": _intervals}[kind](instance, g, table)


def _priced(
    table: Table, g: Any, groups: Groups, retained: Any, spans: Iterator[Any], left_out: int
) -> Iterator[Check]:
    """What classes and left-out records cost by the metric, and the bound on that."""
    # only the loss metric weighs columns, and only quasi-identifiers; no sum of losses is too large to be exact
    weight_of, metric = column_weights(g.options["weights"]), g.options["metric"]
    most = penalty_of(table, g) if metric == "LM" else 0
    good = set(weight_of) <= set(table.names) and (metric == "LM" or not weight_of)
    good = good and most <= LARGEST_LOSS and most * table.total <= LARGEST_COST
    yield Check("weights", good, f"{len(weight_of):,} columns have weights in the metric {metric}.")
    cost = cost_of(table, g, groups, retained, spans) + penalty_of(table, g) * left_out
    yield Check(COST, g.cost == cost, f"the {metric} cost is {cost:,}, and the result says {g.cost:,}.")
    yield _bound(table, g)


def _bound(table: Table, g: Any) -> Check:
    """The argument that needs no search, for this kind and metric; a solver reports more than it proves."""
    name = _bound_name(g)
    if g.bound_kind == "checked":
        fits = name in ("fewest stars", "nearest company") or not g.bound_witness
        return bound_check(g, {name: BOUNDS[name]} if fits else {}, table, g)
    good, searched = g.bound_witness == [], "search tree" if g.algorithm == "k-optimize" else "exact search"
    if g.record != "BoxDetails":
        good = good and g.details.nodes > 0
    detail = f"{g.lower_bound:,} is reported by the solver."
    if g.record != "CellDetails":
        value = BOUNDS[name](table, g, [])
        good, detail = good and g.lower_bound > value, f"{detail[:-1]}, and {value:,} is proven without the solver."
    return Check(WITNESS, None if good and g.bound_name == searched else False, detail)


def _bound_name(g: Any) -> str:
    """The bound that needs no search, for the kind of result and its metric."""
    if g.record == "CellDetails":
        return "fewest stars"
    metric = g.options["metric"]
    if g.record == "IntervalDetails":
        return "finest generalization"
    if metric == "LM":
        return "nearest company"
    if g.options.get("relaxed"):
        return "sizes alone"
    return "finest generalization" if metric == "CM" else "equal tuples together"


def _curve(g: Any, good: bool) -> Check:
    """How a search got there: steps and bounds never fall, costs never rise, the end is the result."""
    rows = g.details.curve.rows
    for (steps, cost, bound), (step, less, more) in zip(rows, rows[1:]):
        good = good and steps < step and less <= cost and bound <= more
    good = good and rows[0][0] >= 0 and all(bound <= cost for _, cost, bound in rows)
    detail = f"the curve ends at a cost of {g.cost:,} and a bound of {g.lower_bound:,}."
    return Check("curve", good and rows[-1][1:] == (g.cost, g.lower_bound), detail)


def _everyone(table: Table, g: Any) -> Check:
    left_out = arrays.total(table.records[g.assignment.column < 0])
    return Check("everyone in a class", left_out == 0, f"{left_out:,} records are in no class.")


# Intervals


def _intervals(instance: Instance, g: Any, table: Table) -> Iterator[Check]:
    """The same intervals for everybody; records that share them with too few are left out."""
    details = g.details
    runs = list(details.intervals.values())
    form = all(type(parts) is list and all(type(part) is list for part in parts) for parts in runs)
    detail = f"there are {len(details.cuts.rows):,} cuts and {len(details.curve.rows):,} points on the curve."
    yield Check("form of the result's details", form, detail)
    values = [[value for part in parts for value in part] for parts in runs]
    whole = list(details.intervals) == table.names and all(map(_same, values, table.domains)) and all(map(all, runs))
    yield Check("intervals", whole, "the intervals of each column hold each of its values once and in order.")
    ends = [list(accumulate(map(len, parts))) for parts in runs]
    cuts = [(column, end) for column, inner in enumerate(ends) for end in inner[:-1]]
    yield Check(
        "cuts", details.cuts.rows == cuts, f"there are {len(cuts):,} intervals besides the first one of each column."
    )
    stray = [
        f"{part[0]} … {part[-1]} of {table.names[column]}"
        for column, nodes in table.nodes.items()
        for part, end in zip(runs[column], ends[column])
        if not is_node(nodes, end - len(part), end - 1)
    ]
    words = (
        f"{stray[0]} is not a group in the hierarchy of the column"
        if stray
        else "each interval of such a column is a group in its hierarchy"
    )
    yield Check("hierarchies", not stray, f"{len(table.nodes):,} columns have a hierarchy; {words}.")

    edges = [arrays.column(inner[:-1]) for inner in ends]
    groups = table.alike(_interval_numbers(table, edges))
    retained = Judge(instance, g).kept(groups)
    number = arrays.where(retained, arrays.running_sums(arrays.where(retained, 1, 0)) - 1, -1)
    right = arrays.equal(g.assignment.column, number[groups.number])
    detail = f"there are {len(groups.sizes):,} sets of records with the same intervals, numbered in order."
    yield Check("assignment", right, detail)
    left_out, limit = arrays.total(groups.sizes[~retained]), g.options["suppression_limit"]
    lacking = " or in groups that fail a requirement" if g.require else ""
    detail = f"{left_out:,} records are in groups of fewer than {g.k:,}{lacking}."
    yield Check("suppressed", details.suppressed == left_out, detail)
    allowed = "any number" if limit is None else f"at most {limit:,}"
    detail = f"{left_out:,} records are left out; {allowed} may be left out."
    yield Check("suppression limit", limit is None or left_out <= limit, detail)
    yield from _priced(table, g, groups, retained, interval_spans(table, edges), left_out)
    last = max((row[0] for row in details.curve.rows[-1:]), default=-1)
    consistent = details.nodes == (last if g.algorithm == "k-optimize" else 0)
    yield _curve(g, last >= 0 and consistent and last <= g.options.get("restarts", last) + 1)
    yield Check("guarantee formula", g.guarantee is None, "there is no guarantee; only a bound is proven.")


def _interval_numbers(table: Table, edges: Sequence[Any]) -> Iterator[Any]:
    """For each column, the number of each row's interval."""
    for (places, rank), starts in zip(table.ranked, edges):
        yield arrays.insertion(starts, places, "right")[rank]


# Boxes


def _boxes(instance: Instance, g: Any, table: Table) -> Iterator[Check]:
    """A box for each class: who is in it, that no two meet."""
    details, classes, shape = g.details, arrays.column(g.assignment.numbers), (g.classes, len(table.names))
    form = details.low.shape == details.high.shape == shape
    yield Check("form of the result's details", form, f"there are {shape[0]:,} boxes of {shape[1]} columns.")
    yield _everyone(table, g)
    ends = list(zip(details.low.columns, details.high.columns))
    valid = inside = True
    for (low, high), codes, domain in zip(ends, table.codes, table.domains):
        valid = valid and arrays.least(low) >= 0 and arrays.greatest(high) < len(domain)
        inside = inside and arrays.total((low[classes] <= codes) & (codes <= high[classes])) == len(codes)
    yield Check("records in boxes", inside and valid, "every record lies in the box of its class.")
    runs = {column: set(zip(*(end.tolist() for end in ends[column]))) for column in table.nodes}
    good = all(is_node(nodes, *run) for column, nodes in table.nodes.items() for run in runs[column])
    yield Check("nodes of trees", good, f"{len(table.nodes):,} columns show only words of a hierarchy.")
    boxes = list(zip(details.low.rows, details.high.rows))
    ordered = all(map(tuple.__lt__, boxes, boxes[1:]))
    yield Check("order of boxes", ordered, "no two classes look the same, and they are numbered in order.")
    if not g.options.get("relaxed"):
        yield Check("boxes apart", not boxes_meet(boxes), "no two boxes overlap.")
    groups = table.grouped(classes, g.classes)
    yield from _priced(table, g, groups, groups.sizes > 0, box_spans(table, groups), 0)
    last = [row[0] for row in details.curve.rows[-1:]]
    yield _curve(g, last == [details.rounds] and details.rounds <= g.options.get("rounds", 0))
    ceiling = None
    if g.algorithm != "exact" and not (g.require or table.nodes or g.options.get("relaxed")):
        ceiling = largest_boxes(g.options["metric"], table.equal.sizes, len(table.names), g.k)
    words = "nothing" if ceiling is None else f"a cost of at most {ceiling:,}"
    yield Check("guarantee formula", g.guarantee == ceiling, f"the theorem promises {words}.")


def boxes_meet(boxes: list[Any]) -> bool:
    """Whether two boxes have values in common; those on both sides of a cut of some column are not compared.

    A box has the first and the last place of every column, each as a tuple.
    """
    stack = [boxes]
    while stack:
        some = stack.pop()
        for column in range(len(some[0][0])):
            parts = _overlapping(some, column)
            if len(parts) > 1:
                stack += [part for part in parts if len(part) > 1]
                break
        else:
            sides = [[arrays.column(values) for values in zip(*(box[side] for box in some))] for side in (0, 1)]
            for low, high in some:
                meet = arrays.filled(len(some), True)
                for lows, highs, first, last in zip(*sides, low, high):
                    meet = meet & (lows <= last) & (highs >= first)
                if arrays.total(meet) > 1:
                    return True
    return False


def _overlapping(boxes: list[Any], column: int) -> list[list[Any]]:
    """The boxes, divided where a cut of a column separates them."""
    parts: list[list[Any]] = []
    reach = -1
    for box in sorted(boxes, key=lambda box: box[0][column]):
        if box[0][column] > reach:
            parts.append([])
        parts[-1].append(box)
        reach = max(reach, box[1][column])
    return parts


# Hidden cells


def _cells(instance: Instance, g: Any, table: Table) -> Iterator[Check]:
    """What classes show, and how many cells they hide."""
    details, shape = g.details, (g.classes, len(table.names))
    form = details.stars.shape == shape and details.nodes >= 0
    yield Check(
        "form of the result's details", form, f"stars “*” are given for {shape[0]:,} classes and {shape[1]} columns."
    )
    yield _everyone(table, g)
    groups, stars = table.grouped(arrays.column(g.assignment.numbers), g.classes), details.stars.columns
    ends = table.ends(groups)
    agree = all(arrays.total((low != high) & ~star) == 0 for (low, high), star in zip(ends, stars))
    yield Check("equal records", agree, "the records of each class agree on every column without a star.")
    needed = all(arrays.total((low == high) & star) == 0 for (low, high), star in zip(ends, stars))
    yield Check("no needless stars", needed, "the records of each class differ on every column with a star.")
    visible = [arrays.where(star, -1, low).tolist() for (low, _), star in zip(ends, stars)]
    different = len(set(zip(*visible)))
    detail = f"{g.classes:,} classes show {different:,} different rows."
    yield Check("different classes", different == g.classes, detail)
    cells = sum(arrays.total(groups.sizes[star]) for star in stars)
    yield Check("suppressed", details.suppressed == cells, f"{cells:,} cells are suppressed.")
    yield Check(COST, g.cost == cells, f"{cells:,} cells are suppressed, and the result says {g.cost:,}.")
    yield _bound(table, g)
    if g.require:
        yield Check("guarantee formula", g.guarantee is None, "there is no guarantee with requirements besides k.")
        return
    rare, ceiling = most_hidden(table.equal.sizes, arrays.greatest(table.records) > 1, len(table.names), g.k)
    yield Check(
        "guarantee formula", g.guarantee == ceiling, f"with {rare:,} rare records, the guarantee is {ceiling:,}."
    )


# ---------------------------------------------------------------------------------------------------------------------
# All solutions of a small table, where a bound is reported by the solver
# ---------------------------------------------------------------------------------------------------------------------


def better_exists(instance: Instance, g: Any) -> bool | None:
    """Whether a solution costs less than the claimed bound; None or TooMuch where that is not decided."""
    if g.record == "CellDetails":
        return _fewer_cells(instance, g)
    return (_better_boxes if g.record == "BoxDetails" else _better_intervals)(instance, g)


MOST_CUTS = 12  # of all columns together
CUT_WORK = 6_000_000  # sets of cuts, times rows and the overhead of each set
OVERHEAD = 1_000
JUDGED = 8  # times as much where classes are judged by their sensitive values
DEEPEST = 600  # values of a single column
PAIRS = 30_000_000  # pairs of values, times numbers of records left out
NEVER = 1 << 60


def _better_intervals(instance: Instance, g: Any) -> bool:
    """Cuts between values that occur are enough because no metric looks at the others.

    One column is solved by dynamic programming over the ends of its intervals, several by looking at every set of cuts;
    so is one where more than k is required. A column with a tree may have its nodes as intervals, and no others.
    """
    parts, rows = instance.parts, len(instance.weights.numbers)
    values = [len(set(parts["cells"][name])) for name in parts["quasi_identifiers"]]
    if len(values) == 1 and not g.require:
        return _better_column(instance, g, values[0])
    cuts, work = sum(values) - len(values), (rows + OVERHEAD) * (JUDGED if g.require else 1)
    if cuts > MOST_CUTS or work << cuts > CUT_WORK:
        raise TooMuch
    table, judge, limit = Table(instance), Judge(instance, g), g.options["suppression_limit"]
    sets = []
    for column, (occurring, _) in enumerate(table.ranked):
        places, allowed = occurring.tolist(), table.intervals(column)
        every = [cut for count in range(len(places)) for cut in combinations(range(1, len(places)), count)]
        good = [cut for cut in every if allowed.keys() >= set(zip((0, *cut), (*cut, len(places))))]
        sets.append([arrays.column([places[start] for start in cut]) for cut in good])
    for edges in product(*sets):
        groups = table.alike(_interval_numbers(table, edges))
        retained = judge.kept(groups)
        left_out = arrays.total(groups.sizes[~retained])
        if limit is None or left_out <= limit:
            cost = cost_of(table, g, groups, retained, interval_spans(table, edges))
            if cost + penalty_of(table, g) * left_out < g.lower_bound:
                return True
    return False


def _better_column(instance: Instance, g: Any, count: int) -> bool:
    """The least cost of the first values with each number of records left out, value after value."""
    limit, total, k, metric = g.options["suppression_limit"], sum(instance.weights.numbers), g.k, g.options["metric"]
    tracked = limit is not None and limit < total
    width = limit + 1 if tracked else 1
    if count > DEEPEST or count**2 * width > PAIRS:
        raise TooMuch
    table = Table(instance)
    (occurring, rank), step = table.ranked[0], steps_of(table, g)[0] if metric == "LM" else 0
    places, allowed, lost_each = occurring.tolist(), table.intervals(0), penalty_of(table, g)
    labels: list[Counter[int]] = [Counter() for _ in places]
    for place, label, records in zip(rank.tolist(), table.labels.tolist(), table.records.tolist()):
        labels[place][label] += records
    least = [arrays.concatenated([arrays.filled(1, 0), arrays.filled(width - 1, NEVER)])]
    for end in range(1, count + 1):
        best = arrays.filled(width, NEVER)
        tally: Counter[int] = Counter()
        size = most = 0  # records from start to end, and those with their most common label
        for start in reversed(range(end)):
            for label, records in labels[start].items():
                tally[label] += records
                size, most = size + records, max(most, tally[label])
            shift = size if tracked else 0
            if (start, end) not in allowed:
                continue
            if size >= k:
                span = places[end - 1] - places[start]
                cost = {"DM": size * size, "AVG": size - k, "CM": size - most, "LM": step * span * size}[metric]
                best = arrays.minimum(best, least[start] + cost)
            elif shift < width:
                moved = least[start][: width - shift] + size * lost_each
                best = arrays.minimum(best, arrays.concatenated([arrays.filled(shift, NEVER), moved]))
        least.append(best)
    return bool(arrays.least(least[-1]) < g.lower_bound)


MOST_BOXES = 3_000
MOST_STEPS = 200_000


def _better_boxes(instance: Instance, g: Any) -> bool:
    """Boxes by their ends among the values that occur, nodes where a column has a tree.

    The first record that is in no box yet goes into each box that holds it and meets no chosen box.
    """
    table, judge, budget = Table(instance), Judge(instance, g), Budget(MOST_STEPS)
    sizes = (
        len(occurring) ** (1 if column in table.nodes else 2) for column, (occurring, _) in enumerate(table.ranked)
    )
    if max(sizes) > 2 * MOST_BOXES:
        raise TooMuch
    ends = [
        [run for (start, end), run in table.intervals(column).items() if start < end]
        for column in range(len(table.names))
    ]
    if math.prod(map(len, ends)) > MOST_BOXES:
        raise TooMuch
    masks = [
        {(low, high): (low <= codes) & (codes <= high) for low, high in runs} for codes, runs in zip(table.codes, ends)
    ]
    boxes = []
    for box in product(*ends):
        inside = masks[0][box[0]]
        for mask, run in zip(masks[1:], box[1:]):
            inside = inside & mask[run]
        rows = arrays.rows_where(inside).tolist()
        groups = table.alike([arrays.where(inside, 0, 1)])
        if rows and judge.kept(groups)[0]:
            cost = cost_of(table, g, groups, arrays.places(len(groups.sizes)) == 0, box_spans(table, groups))
            boxes.append((cost, box, sum(1 << row for row in rows)))
    boxes.sort(key=lambda one: one[0])
    every = len(table.labels)
    holding = [[box for box in boxes if box[2] >> row & 1] for row in range(every)]
    stack: list[Any] = [((), 0, 0)]  # boxes, the rows in them, what they cost
    while stack:
        chosen, covered, cost = stack.pop()
        budget.spend(1)
        if covered == (1 << every) - 1:
            return True
        first = (~covered & covered + 1).bit_length() - 1
        for price, box, inside in holding[first]:
            if cost + price >= g.lower_bound or inside & covered:
                continue
            if all(any(a > d or c > b for (a, b), (c, d) in zip(box, other)) for other in chosen):
                stack.append(((*chosen, box), covered | inside, cost + price))
    return False


MOST = 60  # rows with hidden cells
WORK = 200_000  # rows put into a group, in all tries together


def _fewer_cells(instance: Instance, g: Any) -> bool | None:
    """Groups of k to 2k - 2 + w records are enough, where no row represents more than w.

    Dividing a larger group into parts of k or more hides no more. A remaining row gets every such group, and the rest
    is divided likewise. What proved impossible with a number of cells is remembered. Requirements besides k make
    nothing cheaper and are ignored: None where fewer cells suffice without them.
    """
    if len(instance.weights.numbers) > MOST:
        raise TooMuch
    table = Table(instance)
    kinds = Counter(zip(*(column.tolist() for column in (*table.codes, table.records))))
    rows, copies = zip(*sorted(kinds.items()))
    largest, budget = 2 * g.k - 2 + max(row[-1] for row in rows), Budget(WORK)
    failed: dict[tuple[int, ...], int] = {}

    def divided(left: tuple[int, ...], count: int, cells: int) -> bool:
        """Whether the remaining rows, of `count` records, can be grouped with at most this many cells hidden."""
        if count == 0:
            return cells >= 0
        if cells < 0 or count < g.k or failed.get(left, -1) >= cells:
            return False
        first = next(row for row, number in enumerate(left) if number)
        remaining = list(left)
        remaining[first] -= 1
        for rest, size, price in groups(remaining, first, rows[first][-1], rows[first][:-1], frozenset(), cells):
            if divided(rest, count - size, cells - price):
                return True
        failed[left] = cells
        return False

    def groups(left: list[int], row: int, size: int, values: Any, stars: frozenset[int], cells: int) -> Iterator[Any]:
        """What is left after each group, its size and its price."""
        budget.spend(1)
        if size >= g.k:
            yield tuple(left), size, size * len(stars)
        for other in range(row, len(left)):
            larger = size + rows[other][-1]
            if left[other] and larger <= largest:
                wider = stars | {place for place, value in enumerate(values) if value != rows[other][place]}
                if max(larger, g.k) * len(wider) <= cells:
                    left[other] -= 1
                    yield from groups(left, other, larger, values, wider, cells)
                    left[other] += 1

    fewer = divided(copies, table.total, g.lower_bound - 1)
    return None if fewer and g.require else fewer
