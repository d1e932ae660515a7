"""What a certificate of grouped numbers claims: runs of neighbors on the line, and the average run."""

from kanon_engine.verification import arrays
from kanon_engine.verification.checkable import CHECKED, UNCHECKED, Entry
from kanon_engine.verification.codec import Array
from kanon_engine.verification.core import MINIMUM, Check, Maker, Option, bound_check, details_checks

LARGEST_CLASS = WHOLE = True
REQUIREMENTS = MINIMUM
ALGORITHMS = {"runs": Maker({"even": Option("flag")})}
RECORDS = {"Runs": {"starts": ("<i8",)}}
CHECKABLE = {
    "Runs": {"starts": Entry(CHECKED, "where the class changes along the line")},
    "toys": {"even": Entry(UNCHECKED, "bound and ceiling hold for either value")},
}
MINUTES = {}


def weights(parts):
    """Each number is one record."""
    count = len(parts["values"].column)
    return Array("<i8", (count,), [1] * count)


def require_form(parts):
    """ValueError unless the parts are whole numbers."""
    if parts["values"].kind != "<i8" or len(parts["values"].shape) != 1:
        raise ValueError("the numbers are no column of whole numbers")


def checks(instance, g):
    """Every claim that only numbers make."""
    values = instance.parts["values"].column
    yield from details_checks(g, ["Runs"])
    starts = arrays.rows_where(arrays.changes([g.assignment.column[arrays.order([values])]])).tolist()
    yield Check("runs", starts == g.details.starts.numbers, f"{g.classes:,} classes are {len(starts):,} runs.")
    yield bound_check(g, BOUNDS, len(values), g.k)
    yield Check("guarantee formula", g.guarantee == 2 * g.k - 1, f"the ceiling proven is {2 * g.k - 1:,}.")


def better_exists(instance, g):
    """None: no algorithm reports a bound that it cannot prove."""


def _average_run(count, k, witness):
    return -(-count // (count // k)) if witness == [] else None


BOUNDS = {"average run": _average_run}
