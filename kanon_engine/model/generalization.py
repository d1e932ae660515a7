"""The one result type of every algorithm."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.objective import Cost
from kanon_engine.model.serialize import content_digest, fields_of, parsed
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen
from kanon_engine.verification.codec import encode

Status = Literal["optimal", "feasible", "stopped", "relaxed"]

FORMAT = "kanon generalization 1"


@dataclass(frozen=True, eq=False, repr=False)
class Generalization(Shown):
    """A partition of an instance into classes, with all claims about it.

    The constructor does not check its content; `kanon_engine.generalize` does.
    """

    family: str
    algorithm: str
    options: Mapping[str, Any]  # every option of the run
    seed: int
    k: int
    assignment: np.ndarray  # (n,) int32: class of each item in the instance's own order, 0 … m-1; -1 = left out
    class_weights: np.ndarray  # (m,) int64: in the instance's unit
    cost: Cost  # what the run minimized: the largest class weight, or what its family's objective counts
    lower_bound: Cost  # proven for this instance: no solution costs less
    # bound_name, bound_kind, bound_witness: the argument that proves it, "checked" or "solver", and the data for a
    # check (see `kanon_engine.model.objective.Bound`)
    bound_name: str
    bound_kind: str
    bound_witness: tuple[int, ...]
    guarantee: Cost | None  # proven ceiling on `cost` for this run
    status: Status  # "optimal", "feasible", "stopped" or "relaxed"
    seconds: float  # wall time of the algorithm
    instance_digest: str
    details: Any  # the family's own record
    reading: Mapping[str, Any] = field(default_factory=dict)  # how the instance was read from its file
    require: tuple[Any, ...] = ()  # the requirements on every class besides a weight of at least k
    digest: str = ""  # over all other fields

    def __post_init__(self) -> None:
        for name in ("assignment", "class_weights"):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, frozen(value))
        if is_dataclass(self.details) and not isinstance(self.details, type):
            arrays = {name: value for name, value in vars(self.details).items() if isinstance(value, np.ndarray)}
            changed = {name: frozen(value) for name, value in arrays.items() if value.flags.writeable}
            if changed:
                object.__setattr__(self, "details", replace(self.details, **changed))

    def _facts(self) -> dict[str, object]:
        return {
            "family": self.family,
            "algorithm": self.algorithm,
            "k": self.k,
            "groups": self.classes,
            "cost": self.cost,
            "lower bound": self.lower_bound,
            "status": self.status,
        }

    @property
    def classes(self) -> int:
        return len(self.class_weights)

    @property
    def overfull_ratio(self) -> float:
        return max(np.asarray(self.class_weights).tolist(), default=0) / self.k

    @property
    def gap(self) -> float:
        """cost / lower_bound - 1; 0 when they are equal, infinite when only the bound is 0."""
        if self.cost == self.lower_bound:
            return 0.0
        return self.cost / self.lower_bound - 1 if self.lower_bound else math.inf

    def content_digest(self) -> str:
        """The digest of all fields except `digest`; results from before `require` keep theirs."""
        content = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "digest"}
        if content["require"] == ():
            del content["require"]
        return content_digest(**content)

    def sealed(self) -> Generalization:
        """The same result with the digest of its content."""
        return replace(self, digest=self.content_digest())

    def to_json(self) -> str:
        """The whole result as JSON text; internal like a crosswalk, because it holds the assignment."""
        content = {entry.name: encode(getattr(self, entry.name)) for entry in fields(self)}
        return json.dumps({"format": FORMAT} | content, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Generalization:
        """Read the output of `to_json`; `InvalidInput` for anything else. Its claims are not checked here."""
        content = parsed(text)
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise InvalidInput(
                f"This file is not a kanon certificate (its “format” is not “{FORMAT}”); choose another."
            )
        content.setdefault("require", [])
        content.pop("audit", None)  # stored next to the result
        return cls(**fields_of(cls, content))


def members_of(assignment: np.ndarray, classes: int | None = None) -> list[np.ndarray]:
    """The positions in each class, ascending.

    Parameters
    ----------
    assignment : (n,) int. Class of each item, 0 … m - 1; -1 for an item in none.
    classes : Number of classes, of which the last may be empty; up to the largest number if None.

    >>> [own.tolist() for own in members_of(np.array([1, 0, 1, -1]))]
    [[1], [0, 2]]
    """
    count = int(assignment.max(initial=-1)) + 1 if classes is None else classes
    order = np.argsort(assignment, kind="stable")
    ends = np.searchsorted(assignment[order], np.arange(count + 1)).tolist()
    return [order[begin:end] for begin, end in pairwise(ends)]
