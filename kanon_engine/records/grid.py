"""Places counted in the cells of a grid, when there are more places than can be fetched.

No cut divides a cell, and no record lies on the wrong side of a cut: docs/proofs/records/grid.md.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.source import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir

FARTHEST = 2.0**50  # cells between 0 and any coordinate: their numbers and middles are exact


def gridded(records: Records, by: tuple[str, str], size: float) -> Records:
    """The same records, each at the middle of its cell; without a position if it has no numeric one.

    Parameters
    ----------
    by : The columns of x and y.
    size : Side of a cell, a power of two in the unit of the coordinates; cells start at its multiples.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from kanon_engine.records.counted import counted
    >>> path = Path(tempfile.mkdtemp()) / "places.csv"
    >>> _ = path.write_text("x,y\\n0.1,-0.1\\n0.2,-0.2\\n0.25,0\\n")
    >>> counted(gridded(Records.open(path), ("x", "y"), 0.25), ["x", "y"]).values.tolist()
    [[0.125, -0.125, 2.0], [0.375, 0.125, 1.0]]
    """
    table = records.table
    middles = {name: _middle(_number(table[name]), size) for name in by}
    return replace(records, table=table.mutate(**middles))


def grid_size(records: Records, by: tuple[str, str], most: int, progress: ProgressCallback | None = None) -> float:
    """The smallest power of two for which at most `most` cells hold records.

    Raises
    ------
    InvalidInput : No record has a position.
    SearchEnded : `progress` returned False.

    Complexity
    ----------
    One pass over the records for each halving, from a grid of which at most `most` cells are in reach.
    """
    low, high = _reach(records, by, progress)
    farthest = max(abs(value) for value in (*low, *high))
    least = math.ceil(math.log2(farthest / FARTHEST)) if farthest else 0
    power = least
    # the cells in the box are an upper limit for those with records, and cost no pass
    while _cells(low, high, 2.0**power) > most:
        power += 1
    # halve as long as the cells that hold records can still be fetched
    while power > least and _occupied(records, by, 2.0 ** (power - 1), most, progress) <= most:
        power -= 1
    return 2.0**power


def _cells(low: list[float], high: list[float], size: float) -> int:
    """The number of cells in the box, with records or without."""
    return math.prod(math.floor(b / size) - math.floor(a / size) + 1 for a, b in zip(low, high, strict=True))


def _reach(records: Records, by: tuple[str, str], progress: ProgressCallback | None) -> tuple[list[float], list[float]]:
    table = _placed(records, by)
    ends = {f"{end}_{axis}": getattr(table[f"kanon_{axis}"], end)() for axis in range(2) for end in ("min", "max")}
    extremes = records.engine.run(table.aggregate(**ends), progress, "Finding the range of the coordinates").iloc[0]
    if extremes.isna().any():
        raise InvalidInput(f"No record of {records.name} has a position in {by[0]} and {by[1]}; choose other columns.")
    return [float(extremes[f"min_{axis}"]) for axis in range(2)], [float(extremes[f"max_{axis}"]) for axis in range(2)]


def _occupied(records: Records, by: tuple[str, str], size: float, most: int, progress: ProgressCallback | None) -> int:
    """The number of cells with records, counted up to one more than `most`."""
    table = _placed(records, by)
    cells = table.select(*(_cell(table[f"kanon_{axis}"], size).name(f"cell_{axis}") for axis in range(2))).distinct()
    some = cells.limit(most + 1)
    counts = records.engine.run(some.aggregate(cells=some.count()), progress, f"Counting cells of size {size:g}")
    return int(counts["cells"].iloc[0])


def _placed(records: Records, by: tuple[str, str]) -> ir.Table:
    """The coordinates of the records that have both."""
    import ibis

    table = records.table
    numbers = table.select(*(_number(table[name]).name(f"kanon_{axis}") for axis, name in enumerate(by)))
    return numbers.filter(ibis.and_(*(numbers[name].notnull() for name in numbers.columns)))


def _number(column: ir.Value) -> ir.Value:
    """The column as finite float64, missing if a cell is not such a number."""
    import ibis

    number = column.cast("float64") if column.type().is_numeric() else column.try_cast("float64")
    return ibis.ifelse(number.abs() <= 1e300, number, ibis.null("float64"))  # NaN never passes, however it compares


def _cell(number: ir.Value, size: float) -> ir.Value:
    """The cell's number; a power of two scales without rounding."""
    return _scaled(number, size).floor().cast("int64")


def _middle(number: ir.Value, size: float) -> ir.Value:
    return _scaled((_cell(number, size) * 2 + 1).cast("float64"), 2 / size)


def _scaled(number: ir.Value, size: float) -> ir.Value:
    """The number divided by a power of two, using only whole numbers: engines read 0.25 as a decimal number."""
    return number / int(size) if size >= 1 else number * int(1 / size)
