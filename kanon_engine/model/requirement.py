"""What every class must satisfy besides its weight of at least k."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.model.diversity import Closeness, Diversity
from kanon_engine.model.instance import Instance
from kanon_engine.shown import Shown
from kanon_engine.validate import LARGEST_TOTAL, told

Holds = Callable[[np.ndarray], bool]  # whether the items at these positions, as one class, satisfy what is required
MERGED = ", then merged as long as one fails a requirement"  # behind what a result's details say of its method


class Requirement(Protocol):
    """A demand on each class by itself, which merging keeps: two classes that satisfy it satisfy it as one.

    So a connected whole that does not satisfy it has no partition that does; and classes that are merged as long as one
    of them fails end in classes that satisfy it, at worst in that whole. A weight of at least k is such a demand.
    """

    def require_known(self, instance: Instance) -> None:
        """Raise `InvalidInput` where the instance does not tell what is asked."""

    def holds(self, instance: Instance, members: np.ndarray) -> bool:
        """Whether a class of the items at these positions satisfies it."""

    def missing(self, instance: Instance, members: np.ndarray) -> str:
        """What these items lack, as "5 households, fewer than 10"."""

    def lacking_of_all(self, instance: Instance, members: np.ndarray) -> str:
        """What every choice of these items lacks, however many are left out; "" where that is not known."""


@dataclass(frozen=True)
class Minimum(Shown):
    """At least so much of a second count in every class.

    Parameters
    ----------
    column : str
        A name in the instance's `columns`.
    m : int
        Least sum of that column in a class, at least 1.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> path = kanon.Regions(range(4), [5, 5, 5, 5], [(0, 1), (1, 2), (2, 3)], columns={"homes": [3, 1, 2, 2]})
    >>> kanon.generalize(path, 5, "tree-split").class_weights.tolist()
    [5, 5, 5, 5]
    >>> g = kanon.generalize(path, 5, "tree-split", require=[Minimum("homes", 3)])
    >>> g.class_weights.tolist(), g.lower_bound, g.guarantee
    ([10, 10], 10, None)
    """

    column: str
    m: int

    def __post_init__(self) -> None:
        try:
            least = operator.index(self.m)
        except TypeError:
            least = 0
        if isinstance(self.m, bool | np.bool_) or not 1 <= least < LARGEST_TOTAL:
            message = f"The minimum of a column is {told(self.m)}; it must be a whole number of at least 1."
            raise InvalidInput(message, parameter="require", value=self.m)
        if not isinstance(self.column, str):
            message = f"The column of a minimum is {told(self.column)}; give its name."
            raise InvalidInput(message, parameter="require", value=self.column)
        object.__setattr__(self, "m", least)

    def require_known(self, instance: Instance) -> None:
        """Raise `InvalidInput` where the instance has no such column."""
        if self.column not in instance.columns:
            listing = ", ".join(instance.columns) or "none"
            message = f"There is no second count {self.column!r} to have a minimum; the columns are: {listing}."
            raise InvalidInput(message, parameter="require", value=self.column)

    def holds(self, instance: Instance, members: np.ndarray) -> bool:
        """Whether these items have enough of the column together."""
        return int(instance.columns[self.column][members].sum()) >= self.m

    def missing(self, instance: Instance, members: np.ndarray) -> str:
        """What these items have and what they need."""
        have = int(instance.columns[self.column][members].sum())
        return f"{have:,} {self.column}, fewer than the minimum of {self.m:,}"

    def lacking_of_all(self, instance: Instance, members: np.ndarray) -> str:
        """What all of them lack: fewer items have no more."""
        return "" if self.holds(instance, members) else self.missing(instance, members)


REQUIREMENTS = (Minimum, Diversity, Closeness)  # those that `verification` can check by itself


def all_hold(required: Iterable[Requirement], instance: Instance) -> Holds:
    """Whether the items at given positions, as one class, satisfy all of these."""
    listed = tuple(required)

    def holds(members: np.ndarray) -> bool:
        return all(requirement.holds(instance, members) for requirement in listed)

    return holds


def checked_requirements(require: Any, instance: Instance, complete: bool = True) -> tuple[Requirement, ...]:
    """The requirements as a tuple, or an error.

    Parameters
    ----------
    require : iterable of Requirement, or one
    instance : Regions, Points, Labels, Table or MetricSpace
    complete : bool
        Whether every item is in a class, and none can be left out.

    Raises
    ------
    InvalidInput
        What is no requirement, or one that the instance does not tell.
    Infeasible
        A connected whole that does not satisfy one, so that no partition of it does; where items can be left out, one
        of which no choice satisfies it.
    """
    given = (require,) if isinstance(require, REQUIREMENTS) else require
    known = " or ".join(kind.__name__ for kind in REQUIREMENTS)
    if isinstance(given, str) or not isinstance(given, Iterable):
        message = f"The requirements are {told(require)}; give a list of {known}."
        raise InvalidInput(message, parameter="require", value=require)
    checked = tuple(given)
    for requirement in checked:
        if not isinstance(requirement, REQUIREMENTS):
            message = f"{told(requirement)} is no requirement that can be checked; give a list of {known}."
            raise InvalidInput(message, parameter="require", value=requirement)
        requirement.require_known(instance)
        for part in _wholes(instance):
            if complete:
                lacking = "" if requirement.holds(instance, part) else requirement.missing(instance, part)
            else:
                lacking = requirement.lacking_of_all(instance, part)
            if lacking:
                raise Infeasible(_too_little(lacking, instance, part), parameter="require", value=requirement)
    return checked


def _wholes(instance: Instance) -> list[np.ndarray]:
    """The positions of each part that can be one class at most: all items, where they do not lie in separate parts."""
    components = getattr(instance, "components", None)
    if components is None:
        return [np.arange(len(instance))]
    return [np.flatnonzero(components == part) for part in range(int(components.max()) + 1)]


def _too_little(missing: str, instance: Instance, part: np.ndarray) -> str:
    if len(part) == len(instance):
        return f"All together there are {missing}; ask for less."
    where = f"{instance.label(int(part[0]))} borders no other area and has"
    if len(part) > 1:
        where = f"The {len(part):,} areas around {instance.label(int(part[0]))} border no other area and have"
    return f"{where} {missing}; ask for less, or join separate parts."
