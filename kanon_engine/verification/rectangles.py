"""The claims of a certificate of rectangles: the tiling, its cuts, the points in it, the bound, the ceiling."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import accumulate
from operator import add
from typing import Any, NamedTuple

from . import arrays
from .checkable import CHECKED, PARTLY, Entry
from .codec import Array
from .core import MINIMUM, Budget, Check, Instance, Maker, Option, TooMuch, bound_check, details_checks, require_names
from .labels import least_sum

LARGEST_CLASS = WHOLE = True
REQUIREMENTS = MINIMUM
SNAP = {"snap": Option("number", least=1e-12, optional=True)}
ALGORITHMS = {
    "balanced-kd-tree": Maker(SNAP),
    "kd-tree": Maker({"cut": Option("choice", ("balanced", "longest-side", "cyclic", "least-overfull")), **SNAP}),
    "exact": Maker({"guillotine": Option("flag"), **SNAP}, searches=True),
}
RECORDS = {"RectangleDetails": {"rectangles": ("<f8", 4), "splits": ("<f8", 3), "cut": str}}
CHECKABLE = {
    "RectangleDetails": {
        "rectangles": Entry(
            CHECKED, "the rectangles tile the bounding box, and every point is in the rectangle of its class"
        ),
        "splits": Entry(CHECKED, "made one after another, the cuts produce the rectangles"),
        "cut": Entry(
            CHECKED,
            "the rule that was chosen with the option `cut`; the name of the algorithm if there is no such option",
        ),
    },
    "rectangles": {
        "cut": Entry(
            PARTLY,
            "the certificate names the rule that was chosen; whether each cut follows it is not checked, but the "
            "guarantee holds for every rule",
        ),
        "guillotine": Entry(
            PARTLY,
            "if requested, the rectangles are made by cuts from side to side; either way, the bound is "
            "valid for all tilings",
        ),
        "snap": Entry(
            CHECKED,
            "all lines are on this grid, the outer sides are as close to the points as the grid allows, and no line is "
            "on a point",
        ),
    },
}
FINEST = 2.0**50  # lines of a grid between 0 and the farthest coordinate that floats can distinguish
Box = Sequence[float]  # west, south, east, north


def weights(parts: Mapping[str, Any]) -> Array:
    """How many records lie at each point."""
    return parts["weights"]  # type: ignore[no-any-return]


def require_form(parts: Mapping[str, Any]) -> None:
    """ValueError unless the parts are points of the plane with counts of at least 1."""
    counts, xy = parts["weights"].numbers, parts["xy"]
    require_names(parts, "ids", len(counts))
    if xy.kind != "<f8" or xy.shape != (len(counts), 2):
        raise ValueError("the points do not have two coordinates each")
    if not all(abs(value) < math.nextafter(math.inf, 0) for row in xy.rows for value in row):
        raise ValueError("a coordinate is not finite, or is the largest number that can be stored")
    if min(counts) < 1:
        raise ValueError("a point has no records")


class Lines(NamedTuple):
    """Points by their vertical lines (columns), horizontal lines (rows) and locations, each numbered from low to high.

    `x` and `y` are the coordinates of the lines, `columns` and `rows` the lines that the locations lie on.
    """

    x: Any
    y: Any
    column: Any
    row: Any
    location: Any
    columns: Any
    rows: Any

    def loads(self, counts: Any) -> Any:
        """How many records lie at each location."""
        return arrays.sums_of(self.location, counts, len(self.columns))


def _lines(x: Any, y: Any, column: Any, row: Any) -> Lines:
    count = arrays.greatest(row) + 1
    if len(x) == len(column):  # no two points share a column
        return Lines(x, y, column, row, column, arrays.places(len(x)), row[arrays.order([column])])
    sites, location = arrays.ranked(column * count + row)
    return Lines(x, y, column, row, location, sites // count, sites % count)


def lines_of(xy: Array) -> Lines:
    """The lines through points."""
    (x, column), (y, row) = map(arrays.ranked, xy.columns)
    return _lines(x, y, column, row)


def checks(instance: Instance, g: Any) -> Iterator[Check]:
    """Every claim specific to rectangles."""
    yield from details_checks(g, list(RECORDS))
    details, counts, snap = g.details, instance.weights.column, g.options["snap"]
    uncut = g.options.get("guillotine") is False and details.splits.shape[0] == 0
    yield _rectangle_form(g, uncut)
    sides, cuts = details.rectangles.columns, details.splits.rows
    lines = lines_of(instance.parts["xy"])
    if snap is not None:
        yield _grid(lines, sides, snap)
    box = bounding_box(lines) if snap is None else grid_box(lines, snap)
    yield tiling(sides, box)
    yield _contents(instance.parts["xy"].columns, g.assignment.column, sides, box)
    first = arrays.replaced(lines.columns, lines.location, g.assignment.column)
    detail = f"at each of {len(first):,} locations, all points are in the same class."
    yield Check("locations", arrays.equal(first[lines.location], g.assignment.column), detail)
    yield _cuts(details.rectangles.rows, cuts, box, uncut and g.classes > 1)
    yield bound_check(g, BOUNDS, lines, counts, g.k)
    if g.require:
        yield Check("guarantee formula", g.guarantee is None, "no guarantee is proven where rectangles were merged.")
        return
    most = ceiling(lines if snap is None else _snapped(lines, snap), counts, g.k)
    yield Check("guarantee formula", g.guarantee == most, f"a rectangle that cannot be cut weighs at most {most:,}.")


def _rectangle_form(g: Any, uncut: bool) -> Check:
    """One rectangle per class, with finite sides, and one cut fewer, by the rule that the option names."""
    details = g.details
    cuts, count = details.splits.shape[0], details.rectangles.shape[0]
    good = details.cut == g.options.get("cut", g.algorithm) and count == g.classes
    good = good and cuts == (0 if uncut else g.classes - 1)
    if good:
        finite = [arrays.total((side > -math.inf) & (side < math.inf)) for side in details.rectangles.columns]
        whole = all(number.is_integer() for column in details.splits.columns[:2] for number in column.tolist())
        good = whole and min(finite) == g.classes
    return Check("rectangles", good, f"{cuts:,} cuts by the rule “{details.cut}” make {count:,} rectangles.")


# ---------------------------------------------------------------------------------------------------------------------
# The bounding box, and lines on a grid
# ---------------------------------------------------------------------------------------------------------------------


def bounding_box(lines: Lines) -> Box:
    """The smallest box; a side moves out by one step where the next smaller number is a coordinate too."""
    tops = []
    for values in (lines.x, lines.y):
        tight = len(values) > 1 and math.nextafter(values[-2], math.inf) == values[-1]
        tops.append(math.nextafter(values[-1], math.inf) if tight else float(values[-1]))
    return float(lines.x[0]), float(lines.y[0]), *tops


def grid_box(lines: Lines, snap: float) -> Box:
    """The smallest box on the grid that no point touches."""
    sides = []
    for sign, end in ((1, 0), (-1, -1)):
        for values in (lines.x, lines.y):
            value = sign * float(values[end])
            line = math.floor(value / snap)
            while line * snap >= value:
                line -= 1
            sides.append(sign * line * snap + 0.0)
    return sides


def _grid(lines: Lines, sides: Sequence[Any], snap: float) -> Check:
    """Whether every side is a multiple of the grid's size, and no point's coordinate."""
    most = snap * FINEST
    farthest = max(abs(float(values[end])) for values in (lines.x, lines.y) for end in (0, -1))
    if farthest > most:
        return Check("grid", False, f"a grid of {snap:.10g} is too fine for coordinates as large as {farthest:.10g}.")
    on_grid = all(
        arrays.total((side > -2 * most) & (side < 2 * most)) == len(side)
        and arrays.equal(arrays.nearest_whole(side / snap) * snap, side)
        for side in sides
    )
    axes = (set(lines.x.tolist()), set(lines.y.tolist()))
    clear = all(values.isdisjoint(side.tolist()) for values, side in zip(axes * 2, sides))
    detail = f"the coordinates of all sides are multiples of {snap:.10g}, and none is the coordinate of a point."
    return Check("grid", on_grid and clear, detail)


def _snapped(lines: Lines, snap: float) -> Lines:
    """Treat points as on one line where no multiple of the grid's size fits between them."""
    numbers = []
    for values in (lines.x, lines.y):
        low, high = values[:-1], values[1:]
        separate, multiple = arrays.filled(len(low), False), arrays.floored(low / snap)
        for step in range(3):  # the quotient may be rounded
            line = (multiple + step) * snap
            separate = separate | ((low < line) & (line < high))
        numbers.append(arrays.concatenated([arrays.column([0]), arrays.running_sums(arrays.where(separate, 1, 0))]))
    column, row = numbers[0][lines.column], numbers[1][lines.row]
    x, y = (arrays.places(arrays.greatest(axis) + 1) for axis in (column, row))
    return _lines(x, y, column, row)


# ---------------------------------------------------------------------------------------------------------------------
# The tiling and its cuts
# ---------------------------------------------------------------------------------------------------------------------


def tiling(sides: Sequence[Any], box: Box) -> Check:
    """Whether the rectangles cover the box once everywhere.

    A function that vanishes far below is the double sum of its mixed differences, and for a rectangle those are +1, -1,
    -1, +1 at its corners. So the rectangles cover the box exactly once if and only if their signed corners, added up,
    leave the signed corners of the box.
    """
    count = len(sides[0])
    corners, spans = [], []
    for low, high, least, most in zip(sides[:2], sides[2:], box[:2], box[2:]):
        if least == most:  # a box without extent: no rectangle has any either
            if arrays.total((low == least) & (high == least)) < count:
                return Check("tiling", False, "a rectangle extends beyond the bounding box.")
            corners += [arrays.filled(count, 0), arrays.filled(count, 1)]
            spans.append(2)
            continue
        flat = arrays.rows_where(~(low < high))
        if len(flat):
            return Check("tiling", False, f"rectangle {int(flat[0]) + 1} has no extent.")
        distinct, place = arrays.ranked(arrays.concatenated([low, high]))
        if distinct[0] != least or distinct[-1] != most:
            return Check("tiling", False, "the rectangles do not span the bounding box.")
        corners += [place[:count], place[count:]]
        spans.append(len(distinct))
    west, east, south, north = corners
    width, height = spans
    keys = arrays.concatenated([y * width + x for y in (south, north) for x in (west, east)])
    signs = arrays.concatenated([arrays.filled(count, sign) for sign in (1, -1, -1, 1)])
    distinct, place = arrays.ranked(keys)
    sums = arrays.sums_of(place, signs, len(distinct))
    left = dict(zip(distinct[sums != 0].tolist(), sums[sums != 0].tolist()))
    top = (height - 1) * width
    expected = {0: 1, width - 1: -1, top: -1, top + width - 1: 1}
    return Check("tiling", left == expected, f"{count:,} rectangles cover the bounding box without overlap.")


def _contents(xy: Sequence[Any], classes: Any, sides: Sequence[Any], box: Box) -> Check:
    """Rectangles do not overlap, so a point in its own rectangle is in no other."""
    inside = arrays.filled(len(classes), True)
    for values, low, high, most in zip(xy, sides[:2], sides[2:], box[2:]):
        high = high[classes]
        inside = inside & (low[classes] <= values) & ((values < high) | ((values == high) & (high == most)))
    count = arrays.total(inside)
    return Check(
        "contents", count == len(classes), f"{count:,} of {len(classes):,} points lie in their class's rectangle."
    )


def _cuts(rectangles: Sequence[Any], splits: Sequence[Any], box: Box, uncut: bool) -> Check:
    """Replay the cuts from the box: each splits an existing rectangle, and the result's rectangles are left.

    Where there are no cuts, no sequence of cuts from side to side may make the rectangles.
    """
    if uncut:
        return Check("cuts", not can_be_cut(rectangles), "cuts from side to side cannot make the rectangles.")
    boxes = {0: tuple(box)}
    for number, (part, axis, line) in enumerate(splits):
        mine = boxes.pop(int(part), None)
        if mine is None or axis not in (0, 1) or not mine[int(axis)] < line < mine[int(axis) + 2]:
            return Check("cuts", False, f"cut {number + 1} does not split a rectangle.")
        low, high = list(mine), list(mine)
        low[int(axis) + 2] = high[int(axis)] = line
        boxes[2 * number + 1], boxes[2 * number + 2] = tuple(low), tuple(high)
    same = sorted(boxes.values()) == sorted(rectangles)
    return Check("cuts", same, f"{len(splits):,} cuts make the rectangles from the bounding box.")


def can_be_cut(rectangles: Sequence[Sequence[float]]) -> bool:
    """Whether repeated cuts along lines that cross no rectangle separate all of them; the rectangles are a tiling.

    A line across an axis crosses none where all that begin below it end at it or below.
    """
    waiting = [list(rectangles)]
    while waiting:
        part = waiting.pop()
        for axis in range(2):
            part.sort(key=lambda row: row[axis])
            reach = accumulate((row[axis + 2] for row in part), max)
            cut = next((place for place, (row, end) in enumerate(zip(part[1:], reach), 1) if end <= row[axis]), None)
            if cut:
                waiting += [part[:cut], part[cut:]]
                break
        else:
            if len(part) > 1:
                return False
    return True


# ---------------------------------------------------------------------------------------------------------------------
# The ceiling
# ---------------------------------------------------------------------------------------------------------------------


def ceiling(lines: Lines, counts: Any, k: int) -> int:
    """The most that a rectangle may weigh if no line cuts it into two parts of weight >= k.

    On both sides of some vertical line its points weigh at most s < k, and so they do on both sides of some horizontal
    line. What is left lies on the vertical line, in a run that falls into a part below the horizontal line, the
    crossing, and a part above it, each part at most s; and likewise on the horizontal line. So no rectangle exceeds 2 s
    + the lesser of both runs at its crossing.
    """
    loads = lines.loads(counts)
    side = 0 if arrays.least(loads) >= k else k - 1 - (k - 1) % math.gcd(*set(loads.tolist()))
    vertical, vertical_gap = _runs(lines.columns, lines.rows, loads, side)
    horizontal, horizontal_gap = _runs(lines.rows, lines.columns, loads, side)
    crossing: int = arrays.greatest(arrays.minimum(vertical, horizontal))
    return min(arrays.total(loads), 2 * side + max(crossing, min(vertical_gap, horizontal_gap)))


def _runs(line: Any, along: Any, loads: Any, side: int) -> tuple[Any, int]:
    """The heaviest run through each location with at most `side` before and after it; the heaviest around a gap.

    Alone on its line, a location is all of both; only the others are looked at.
    """
    number = arrays.sums_of(line, arrays.filled(len(line), 1), arrays.greatest(line) + 1)
    shared = number[line] > 1
    light = loads[~shared & (loads <= side)]
    gap = arrays.greatest(light) if len(light) else 0
    rows = arrays.rows_where(shared)
    if len(rows) == 0:
        return loads, gap
    rows = rows[arrays.order([line[rows], along[rows]])]
    sorted_loads, on = loads[rows], line[rows]
    back = _reach(sorted_loads, on, side)
    ahead = _reach(sorted_loads[::-1], on[::-1], side)[::-1]
    # back[i] is the heaviest run within `side` that ends with i, ahead[i] that begins with i
    same, none = on[1:] == on[:-1], arrays.column([0])
    before = arrays.concatenated([none, arrays.where(same, back[:-1], 0)])
    after = arrays.concatenated([arrays.where(same, ahead[1:], 0), none])
    # a gap has a location on one side at least, and maybe on the other
    gap = max(gap, arrays.greatest(back + after), arrays.greatest(before + ahead))
    return arrays.replaced(loads, rows, before + sorted_loads + after), gap


def _reach(loads: Any, line: Any, side: int) -> Any:
    """Weight of the longest run of a line that ends at each location and weighs at most `side`."""
    totals = arrays.concatenated([arrays.column([0]), arrays.running_sums(loads)])
    upto = totals[1:]
    first = arrays.insertion(totals, upto - side, "left")  # the first place from which the weight is at most `side`
    start = arrays.run_starts(arrays.changes([line]))
    return upto - totals[arrays.maximum(first, start)]


# ---------------------------------------------------------------------------------------------------------------------
# Lower bounds: what a witness proves; None where it is no witness
# ---------------------------------------------------------------------------------------------------------------------

SHARE = 1 << 128  # what shares are counted in
MOST_RECTANGLES = 3240**2  # of a set, up to which all are weighed: those of 80 columns and as many rows
GROUPED_UP_TO = 200_000  # points that lie no farther in than the first and the last line that leaves k on both sides


class Cells(NamedTuple):
    """Column, row and cell of each point where only useful lines count: those with weight >= k on both sides.

    Every side inside a tiling has a whole class on either side of its line, so it lies on a useful one. Where many
    points lie below or above all useful lines of an axis, and there are some, every location is a cell.
    """

    column: Any
    row: Any
    cell: Any
    counts: Any
    location: Any

    def loads(self) -> Any:
        """How many records each cell holds; 0 for a number that no cell has."""
        return arrays.sums_of(self.cell, self.counts, arrays.greatest(self.cell) + 1)

    def table(self) -> list[list[int]]:
        """How many records lie in each row of each column."""
        return table_of(self.column, self.row, self.counts)


def table_of(column: Any, row: Any, counts: Any) -> list[list[int]]:
    """How many records lie in each row of each column."""
    wide, high = arrays.greatest(column) + 1, arrays.greatest(row) + 1
    sums = arrays.sums_of(column * high + row, counts, wide * high).tolist()
    return [sums[first : first + high] for first in range(0, wide * high, high)]


def cells_of(lines: Lines, counts: Any, k: int) -> Cells:
    """The cells of points."""
    column, row = useful_ranks(lines.column, counts, k), useful_ranks(lines.row, counts, k)
    wide, high = arrays.greatest(column), arrays.greatest(row)
    outside = arrays.rows_where((column == 0) | (column == wide) | (row == 0) | (row == high))
    if len(outside) > GROUPED_UP_TO and (wide > 0 or high > 0):
        return Cells(lines.column, lines.row, lines.location, counts, lines.location)
    grouped = arrays.ranked(column[outside] * (high + 1) + row[outside])[1] + len(lines.columns)
    return Cells(column, row, arrays.replaced(lines.location, outside, grouped), counts, lines.location)


def useful_ranks(line: Any, counts: Any, k: int) -> Any:
    """How many useful lines lie below each point."""
    sums = arrays.sums_of(line, counts, arrays.greatest(line) + 1)
    below = arrays.running_sums(sums)[:-1]
    useful = arrays.where((below >= k) & (below <= arrays.total(sums) - k), 1, 0)
    return arrays.concatenated([arrays.column([0]), arrays.running_sums(useful)])[line]


def _every_class(lines: Lines, counts: Any, k: int, witness: list[int]) -> int | None:
    return k if witness == [] else None


def _heaviest_cell(lines: Lines, counts: Any, k: int, witness: list[int], single: bool) -> int | None:
    """All points of a cell lie in one class; it is a single location or several."""
    (place,), cells = witness, cells_of(lines, counts, k)
    if not 0 <= place < len(cells.cell):
        return None
    members = cells.cell == cells.cell[place]
    locations = cells.location[members]
    fits = (arrays.least(locations) == arrays.greatest(locations)) == single
    return arrays.total(counts[members]) if fits else None


def _loads(lines: Lines, counts: Any, k: int) -> Any:
    """How many records each cell holds."""
    every = cells_of(lines, counts, k).loads()
    return every[every > 0]


def _least_sum(lines: Lines, counts: Any, k: int, witness: list[int]) -> int | None:
    """A class weighs the sum of some cells."""
    (least,) = witness
    return least if no_sum_between(_loads(lines, counts, k), k, least) else None


def _average_class(lines: Lines, counts: Any, k: int, witness: list[int]) -> int | None:
    """A class still weighs the least sum where every cell weighs that at most."""
    (least,) = witness
    loads = _loads(lines, counts, k)
    if not no_sum_between(loads, k, least):
        return None
    return -(-arrays.total(loads) // (arrays.total(arrays.minimum(loads, least)) // least))


def _locations_per_class(lines: Lines, counts: Any, k: int, witness: list[int]) -> int | None:
    """A number of classes hold a heavy cell; every other needs several of the other cells."""
    excluded, least = witness
    loads = _loads(lines, counts, k)
    if not 0 <= excluded < len(loads) or not no_sum_between(loads, k, least):
        return None
    rest: list[int] = sorted(loads.tolist(), reverse=True)[excluded:]
    needed = sum(upto < least for upto in accumulate(rest)) + 1
    return -(-arrays.total(loads) // (excluded + len(rest) // needed))


def no_sum_between(loads: Any, k: int, least: int) -> bool:
    """Whether no sum of some loads is in k … least - 1; also False where finding out takes too much work."""
    if least <= k:
        return least == k
    unit = math.gcd(*set(loads.tolist()))
    first = -(-k // unit) * unit  # the first that can be such a sum
    return least <= first or least <= (least_sum(loads.tolist(), k) or 0)


def _least_rectangle(lines: Lines, counts: Any, k: int, witness: list[int]) -> int | None:
    """One of the points is in no lighter rectangle of weight k or more."""
    (place,) = witness
    cells = cells_of(lines, counts, k)
    if not 0 <= place < len(cells.cell) or too_many_rectangles(cells):
        return None
    return lightest(cells.table(), k)[int(cells.column[place])][int(cells.row[place])]


def _shares_of_rectangles(lines: Lines, counts: Any, k: int, witness: list[int]) -> int | None:
    cells = cells_of(lines, counts, k)
    return None if witness or too_many_rectangles(cells) else shares(cells.table(), k)


def too_many_rectangles(cells: Cells) -> bool:
    """Whether there are more rectangles of whole columns and rows than are weighed."""
    sides = arrays.greatest(cells.column) + 1, arrays.greatest(cells.row) + 1
    return bool(math.prod(side * (side + 1) // 2 for side in sides) > MOST_RECTANGLES)


def _strips(table: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[list[int]]]]:
    """For every first column, and all runs of columns from there, the sums of the lowest rows: none, one, two …"""
    for first in range(len(table)):
        sums = accumulate(table[first:], lambda strip, column: list(map(add, strip, column)))
        yield first, [[0, *accumulate(strip)] for strip in sums]


def lightest(table: Sequence[Sequence[int]], k: int) -> list[list[int]]:
    """For every column and row the least weight >= k of a rectangle of whole columns and rows that holds both."""
    total = sum(map(sum, table))
    least = [[total] * len(table[0]) for _ in table]
    for first, strips in _strips(table):
        reaching = least[0]  # least over all ends from the column's own on
        for column in range(len(table) - 1, first - 1, -1):
            around = _lightest_runs(strips[column - first], k, total)
            reaching = around if column == len(table) - 1 else list(map(min, reaching, around))
            least[column] = list(map(min, least[column], reaching))
    return least


def _lightest_runs(upto: Sequence[int], k: int, total: int) -> list[int]:
    """For every row the least weight >= k of a run of rows that holds it; the total where none does.

    A run that begins at a row and ends as soon as it reaches k is the lightest from there; it is waiting as long as it
    ends above the row. Of those that end no higher the last to begin is lengthened up to the row.
    """
    result: list[int] = []
    ends: list[int] = []
    waiting: list[tuple[int, int]] = []  # weights and ends, the lightest first
    end, reached = 0, 0
    for row in range(len(upto) - 1):
        while end < len(upto) and upto[end] - upto[row] < k:
            end += 1
        ends.append(end)
        if end < len(upto):
            heappush(waiting, (upto[end] - upto[row], end))
        while waiting and waiting[0][1] <= row + 1:
            heappop(waiting)
        while reached <= row and ends[reached] <= row + 1:
            reached += 1
        best = waiting[0][0] if waiting else total
        result.append(min(best, upto[row + 1] - upto[reached - 1]) if reached else best)
    return result


def shares(table: Sequence[Sequence[int]], k: int) -> int:
    """The lightest rectangle that weighs no less than the average of as many classes as the cells' shares allow.

    A point's share of a class is at most its weight over that of its lightest rectangle.
    """
    inside: Counter[int] = Counter()
    for column, rectangles in zip(table, lightest(table, k)):
        for weight, rectangle in zip(column, rectangles):
            inside[rectangle] += weight
    classes = sum(-(-weight * SHARE // rectangle) for rectangle, weight in inside.items()) // SHARE  # rounded up
    return min(map(min, lightest(table, -(-sum(inside.values()) // classes))))


BOUNDS: dict[str, Callable[..., int | None]] = {
    "k": _every_class,
    "heaviest location": partial(_heaviest_cell, single=True),
    "points that no cut can split": partial(_heaviest_cell, single=False),
    "least sum": _least_sum,
    "average class": _average_class,
    "locations per class": _locations_per_class,
    "least rectangle": _least_rectangle,
    "shares of rectangles": _shares_of_rectangles,
}
MINUTES: dict[str, int] = {}


# ---------------------------------------------------------------------------------------------------------------------
# All tilings of few points, where a solver reports the bound
# ---------------------------------------------------------------------------------------------------------------------

MOST = 60  # columns or rows
WORK = 300_000  # rectangles examined, in all tries together


def better_exists(instance: Instance, g: Any) -> bool | None:
    """Whether rectangles tile the bounding box that are all below the claimed bound; None if there are too many to try.

    Tilings are built from below: the lowest free place, the leftmost of these, is the corner of some rectangle, and
    every one that it could be is tried. How high each column is filled tells what is left, so what was found
    impossible to fill is remembered. Only lines with k on both sides count, as in `Cells`.
    """
    lines, counts = lines_of(instance.parts["xy"]), instance.weights.column
    column, row = useful_ranks(lines.column, counts, g.k), useful_ranks(lines.row, counts, g.k)
    wide, high = arrays.greatest(column) + 1, arrays.greatest(row) + 1
    if max(wide, high) > MOST:
        return None
    k, cap, budget, impossible = g.k, g.lower_bound - 1, Budget(WORK), set()
    table = table_of(column, row, counts)
    columns = accumulate(table, lambda strip, other: list(map(add, strip, other)), initial=[0] * high)
    sums = [[0, *accumulate(strip)] for strip in columns]

    def fills(filled: tuple[int, ...]) -> bool:
        """Whether rectangles of k to the cap fill what is left above these heights."""
        low = min(filled)
        if low == high:
            return True
        if filled in impossible:
            return False
        left = right = filled.index(low)
        while right < wide and filled[right] == low:
            right += 1
            for top in range(low + 1, high + 1):
                budget.spend(1)
                weight = sums[right][top] - sums[left][top] - sums[right][low] + sums[left][low]
                if weight > cap:
                    break
                if weight >= k and fills((*filled[:left], *[top] * (right - left), *filled[right:])):
                    return True
        impossible.add(filled)
        return False

    try:
        return fills((0,) * wide)
    except TooMuch:
        return None
