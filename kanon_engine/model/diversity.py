"""What a table's records must show in a sensitive column: diversity and closeness of every class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.shown import Shown
from kanon_engine.validate import told
from kanon_engine.verification.table_costs import are_numbers, distance, is_diverse

KINDS = ("distinct", "entropy", "recursive")
DIGITS = 6  # decimals that are kept of a number
MOST = 1_000_000  # different values that can be asked for
LARGEST_C = 1_000


@dataclass(frozen=True)
class Diversity(Shown):
    """At least l different values of a sensitive column in every class, or as good as l.

    Two classes that satisfy it satisfy it as one: docs/proofs/tables/requirements.md. A missing value is a value.

    Parameters
    ----------
    column : str
        A column of the table's frame that is no quasi-identifier.
    l : int or float
        A whole number of at least 2; for the kind "entropy" any number above 1.
    kind : str
        "distinct": at least l different values. "entropy": the entropy of the values is at least log(l). "recursive":
        the commonest value has fewer records than c times all but the l - 1 commonest values together.
    c : float, optional
        Above 0 and at most 1,000; for the kind "recursive" alone. Six decimals are kept of it, and of l.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", TKDD
    2007, Definitions 3.1 to 3.3.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> people = pd.DataFrame({"age": [30, 30, 41, 44], "illness": ["flu", "flu", "gout", "flu"]})
    >>> table = kanon.Table(people, ["age"])
    >>> Diversity("illness", 2).holds(table, [0, 1]), Diversity("illness", 2).holds(table, [1, 2])
    (False, True)
    >>> Diversity("illness", 1.7, "entropy").holds(table, [0, 1, 2, 3])  # as good as 1.75 equally common values
    True
    >>> Diversity("illness", 2, "recursive", c=3).holds(table, [0, 1, 2, 3])  # 3 < 3 times 1 is false
    False
    """

    column: str
    l: int | float  # noqa: E741  # the field's name for it
    kind: str = "distinct"
    c: float | None = None

    def __post_init__(self) -> None:
        _require_name(self.column, "a diversity")
        if self.kind not in KINDS:
            message = f"The kind of a diversity is {told(self.kind)}; choose one of {', '.join(KINDS)}."
            raise InvalidInput(message, parameter="require", value=self.kind)
        least = _number(self.l)
        entropy = self.kind == "entropy"
        if least is None or not 1 < least <= MOST or not (entropy or least == int(least)):
            wanted = "a number above 1" if entropy else "a whole number of at least 2"
            message = f"The l of a diversity is {told(self.l)}; it must be {wanted}, and at most {MOST:,}."
            raise InvalidInput(message, parameter="require", value=self.l)
        object.__setattr__(self, "l", int(least) if least == int(least) else least)
        share = None if self.c is None else _number(self.c)
        if self.kind != "recursive" and self.c is not None:
            message = f"The kind {self.kind!r} of diversity has no c; leave it out, or choose “recursive”."
            raise InvalidInput(message, parameter="require", value=self.c)
        if self.kind == "recursive" and (share is None or not 0 < share <= LARGEST_C):
            message = f"The c of recursive diversity is {told(self.c)}; give a number above 0, at most {LARGEST_C:,}."
            raise InvalidInput(message, parameter="require", value=self.c)
        object.__setattr__(self, "c", share)

    def require_known(self, instance: Any) -> None:
        """Raise `InvalidInput` where the instance has no such column."""
        _require_sensitive(instance, self.column)

    def holds(self, instance: Any, members: np.ndarray) -> bool:
        """Whether the values of these records are diverse enough."""
        return is_diverse(self, _counts(instance, self.column, members))

    def missing(self, instance: Any, members: np.ndarray) -> str:
        """What these records have and what they need."""
        own = _counts(instance, self.column, members)
        different = self._different(own)
        if len(own) < self.l:
            return f"{different}, fewer than {self.l:,}"
        if self.kind == "entropy":
            return f"{different}, as diverse as {effective(own):.4g} equally common ones, fewer than {self.l:,}"
        rest = sum(own[int(self.l) - 1 :])
        return (
            f"{own[0]:,} records with the commonest “{self.column}”, which is not below {self.c:g} times the {rest:,} "
            f"without the {int(self.l) - 1:,} commonest"
        )

    def lacking_of_all(self, instance: Any, members: np.ndarray) -> str:
        """What every choice of these records lacks: enough different values; "" where they have these.

        Where recursive (c, l)-diversity holds with m values, the commonest is below c (m - l + 1) times itself.
        """
        own = _counts(instance, self.column, members)
        fewest = math.ceil(self.l) + (math.floor(1 / exact(self.c)) if self.kind == "recursive" else 0)
        return "" if len(own) >= fewest else f"{self._different(own)}, fewer than {fewest:,}"

    def _different(self, own: list[int]) -> str:
        return f"{len(own):,} different value{'s' * (len(own) != 1)} of “{self.column}”"


@dataclass(frozen=True)
class Closeness(Shown):
    """In every class a sensitive column is distributed as in the whole table, within t.

    The distance is the earth mover's, from 0 to 1: between numbers by their order, from each to the next different one
    that occurs in the table the same step; between other values 1. The whole table is all its records, those that a
    release leaves out too. A missing value is a value, behind all numbers. Two classes that satisfy it satisfy it as
    one: docs/proofs/tables/requirements.md.

    Parameters
    ----------
    column : str
        A column of the table's frame that is no quasi-identifier.
    t : float
        From 0 to 1; six decimals are kept of it.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007.

    Example
    -------
    The paper's Table 3: the distance of {3, 4, 5} from {3, …, 11} is 0.375, that of {6, 8, 11} is 0.167.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> salaries = pd.DataFrame({"zip": [1, 1, 1, 2, 2, 2, 3, 3, 3], "salary": [3, 4, 5, 6, 8, 11, 7, 9, 10]})
    >>> table = kanon.Table(salaries, ["zip"])
    >>> Closeness("salary", 0.375).holds(table, [0, 1, 2]), Closeness("salary", 0.374).holds(table, [0, 1, 2])
    (True, False)
    >>> Closeness("salary", 0.167).holds(table, [3, 4, 5]), Closeness("salary", 0.166).holds(table, [3, 4, 5])
    (True, False)
    """

    column: str
    t: float

    def __post_init__(self) -> None:
        _require_name(self.column, "a closeness")
        most = _number(self.t)
        if most is None or not 0 <= most <= 1:
            message = f"The t of a closeness is {told(self.t)}; it must be a number from 0 to 1."
            raise InvalidInput(message, parameter="require", value=self.t)
        object.__setattr__(self, "t", most)

    def require_known(self, instance: Any) -> None:
        """Raise `InvalidInput` where the instance has no such column."""
        _require_sensitive(instance, self.column)

    def holds(self, instance: Any, members: np.ndarray) -> bool:
        """Whether the values of these records are distributed as in the whole table, within t."""
        return self._distance(instance, members) <= exact(self.t)

    def missing(self, instance: Any, members: np.ndarray) -> str:
        """How far these records are, and how far they may be."""
        far = float(self._distance(instance, members))
        return f"a distance of {far:.4g} from the whole table's distribution of “{self.column}”, above {self.t:g}"

    def lacking_of_all(self, instance: Any, members: np.ndarray) -> str:
        """Nothing: the whole table is as close to itself as can be."""
        return ""

    def _distance(self, instance: Any, members: np.ndarray) -> Fraction:
        codes, domain = instance.sensitive(self.column)
        own, everybody = (
            np.bincount(codes[some], instance.weights[some], len(domain)).astype(np.int64).tolist()
            for some in (members, slice(None))
        )
        return distance(dict(enumerate(own)), everybody, are_numbers(domain))


def exact(number: Any) -> Fraction:
    """The number that is written, not the float that stands for it.

    Example
    -------
    >>> exact(0.3)
    Fraction(3, 10)
    """
    return Fraction(repr(number))


def effective(own: list[int]) -> float:
    """How many equally common values have the entropy of these counts.

    Example
    -------
    >>> effective([2, 2, 2]), round(effective([4, 1, 1]), 3)
    (3.0, 2.381)
    """
    size = sum(own)
    return round(math.exp(math.log(size) - math.fsum(count * math.log(count) for count in own) / size), 9)


def _require_name(column: Any, what: str) -> None:
    if not isinstance(column, str):
        message = f"The column of {what} is {told(column)}; give its name."
        raise InvalidInput(message, parameter="require", value=column)


def _number(value: Any) -> float | None:
    """A number with as many decimals as are kept, or None for what is none."""
    if isinstance(value, bool | np.bool_ | str):
        return None
    try:
        number = round(float(value), DIGITS)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _require_sensitive(instance: Any, column: str) -> None:
    """The instance is a table with such a column, which is no quasi-identifier."""
    if not hasattr(instance, "sensitive"):
        message = f"There are no records here with a column {column!r}; only tables have diversity and closeness."
        raise InvalidInput(message, parameter="require", value=column)
    instance.sensitive(column)


def _counts(instance: Any, column: str, members: np.ndarray) -> list[int]:
    """How often each value that occurs in these records does, in descending order."""
    codes, _ = instance.sensitive(column)
    own = np.bincount(codes[members], instance.weights[members]).astype(np.int64)
    return sorted(own[own > 0].tolist(), reverse=True)
