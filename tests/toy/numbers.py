"""A whole family in two modules, this and its verifier: numbers on a line, grouped in runs of neighbors."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from plotly import graph_objects as go

from kanon_engine.errors import InvalidInput
from kanon_engine.io.counts import Counted
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.model.algorithm import Algorithm, Lazy
from kanon_engine.model.family import UNIT, Family, Page, Reader, Release
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.setting import Setting
from kanon_engine.release import groups_frame
from kanon_engine.release.publication import groups_offered
from kanon_engine.validate import require_known_name, require_total
from tests.toy import verifier


@dataclass(frozen=True)
class Runs:
    """The rank at which each run begins."""

    starts: np.ndarray


@dataclass(frozen=True, eq=False)
class Numbers:
    values: np.ndarray
    unit: str = "records"
    notes: tuple = ()
    reading: dict = field(default_factory=dict)
    counted: Counted | None = None

    def __len__(self):
        return len(self.values)

    @cached_property
    def ids(self):
        return np.arange(1, len(self) + 1)

    @cached_property
    def weights(self):
        return np.ones(len(self), dtype=np.int64)

    @property
    def parts(self):
        return {"values": self.values, "unit": self.unit}

    @cached_property
    def digest(self):
        return content_digest(**self.parts)

    @property
    def total(self):
        return len(self)

    def label(self, position):
        return str(self.values[position])

    def require_feasible(self, k):
        require_total(self.total, k, self.unit)


def read_numbers(file, column=None, *, filename=None, unit=None):
    source = Source.open(file, filename)
    frame, notes = read_frame(source)
    column = require_known_name(list(frame.columns), column or frame.columns[-1], "numbers")
    try:
        values = frame[column].astype(np.int64).to_numpy()
    except ValueError:
        raise InvalidInput(f"Column {column} of {source.name} holds what is no whole number; correct it.") from None
    reading = {"reader": "read_numbers", "column": column, "unit": unit}
    counted = Counted(f"each row of {source.name} as one record")
    return Numbers(values, unit or "records", (f"{len(values):,} numbers.", *notes), reading, counted)


def lower_bound(numbers, k):
    return Bound(-(-len(numbers) // (len(numbers) // k)), "average run")


def runs(numbers, k, run, *, even):
    """As many runs as can be; the last takes what is left over unless they are to be even."""
    count = len(numbers) // k
    run.goes_on(1.0, None, None, "cutting")
    starts = np.arange(count) * len(numbers) // count if even else np.arange(count) * k
    assignment = np.empty(len(numbers), dtype=np.int32)
    ranks = np.argsort(np.argsort(numbers.values, kind="stable"))
    assignment[:] = np.searchsorted(starts, ranks, "right") - 1
    return Outcome(assignment, Runs(starts), 2 * k - 1)


def files(numbers, g):
    return [groups_offered(g, "How many numbers each run has.", True, lambda: groups_frame(numbers, g))]


def picture(numbers, g, selected=None):
    chosen = g.assignment == selected if selected is not None else g.assignment >= 0
    return go.Figure(go.Scatter(x=numbers.values[chosen], y=g.assignment[chosen], mode="markers"))


EVEN = Setting("even", "Whether the runs are as equal as can be.", "flag", default=True)
FAMILY = Family(
    name="toys",
    instance=Numbers,
    items="numbers",
    algorithms={
        "runs": Algorithm(
            "runs", "Runs", "Cuts the line.", "2k − 1", "a test", "O(n log n)", (EVEN,), family="toys", function=runs
        )
    },
    default="runs",
    quick="runs",
    lower_bound=lower_bound,
    verifier=verifier,
    records=(Runs,),
    bounds={"average run": "no more runs fit, and the largest is at least their average"},
    promise=lambda numbers, k, algorithm, options, g=None: f"at most {2 * k - 1:,}",
    reader=Reader(
        Lazy(f"{__name__}:read_numbers"),
        "toys",
        (Setting("column", "Column of the numbers.", "column"), UNIT),
    ),
    release=Release(Lazy(f"{__name__}:files"), Lazy(f"{__name__}:picture"), lambda numbers, g: ("Dots.", False)),
    picture=picture,
    page=Page("Toys", "toys", "Numbers become runs.", "Numbers on a line", "Load numbers."),
)
