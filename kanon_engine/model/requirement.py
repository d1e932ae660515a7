"""Requirements on every class besides a weight of at least k."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.model.instance import Instance
from kanon_engine.model.words import counted
from kanon_engine.shown import Shown
from kanon_engine.validate import LARGEST_TOTAL, told
from kanon_engine.verification.table_costs import are_numbers, distance, is_diverse

KINDS = ("distinct", "entropy", "recursive")
DIGITS = 6  # decimals that are kept for a number
MOST = 1_000_000  # different values that can be required
LARGEST_C = 1_000


@dataclass(frozen=True)
class Diversity(Shown):
    """At least l different values of a sensitive column in every class, or as good as l.

    Two classes that satisfy it also satisfy it when merged: docs/proofs/tables/requirements.md. A missing value is a
    value.

    Parameters
    ----------
    column : str. A column of the table's frame that is not a quasi-identifier.
    l : int or float. A whole number of at least 2; for the kind "entropy" any number above 1.
    kind : str
        "distinct": at least l different values. "entropy": the entropy of the values is at least log(l). "recursive":
        the most common value has fewer records than c times all but the l - 1 most common values together.
    c : float, optional
        Above 0 and at most 1,000; only for the kind "recursive". Six decimals of it, and of l, are kept.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", TKDD
    2007, Definitions 3.1 to 3.3.

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
    l: int | float  # noqa: E741  # the standard name in the literature
    kind: str = "distinct"
    c: float | None = None

    def __post_init__(self) -> None:
        _require_name(self.column, "a diversity")
        if self.kind not in KINDS:
            raise _unfit(f"The kind of diversity is {told(self.kind)}; choose one of {', '.join(KINDS)}.", self.kind)
        least = _real(self.l)
        entropy = self.kind == "entropy"
        if least is None or not 1 < least <= MOST or not (entropy or least == int(least)):
            condition = "a number above 1" if entropy else "a whole number of at least 2"
            raise _unfit(
                f"The l of a diversity requirement is {told(self.l)}; it must be {condition}, and at most {MOST:,}.",
                self.l,
            )
        object.__setattr__(self, "l", int(least) if least == int(least) else least)
        share = None if self.c is None else _real(self.c)
        if self.kind != "recursive" and self.c is not None:
            raise _unfit(f"The kind {self.kind!r} of diversity has no c; leave c out, or choose “recursive”.", self.c)
        if self.kind == "recursive" and (share is None or not 0 < share <= LARGEST_C):
            raise _unfit(
                f"The c of recursive diversity is {told(self.c)}; give a number above 0, at most {LARGEST_C:,}.", self.c
            )
        object.__setattr__(self, "c", share)

    def require_known(self, instance: Any) -> None:
        _require_sensitive(instance, self.column)

    def holds(self, instance: Any, members: np.ndarray) -> bool:
        return is_diverse(self, _counts(instance, self.column, members))

    def missing(self, instance: Any, members: np.ndarray) -> str:
        counts = _counts(instance, self.column, members)
        different = self._different(counts)
        if len(counts) < self.l:
            return f"{different}, fewer than {self.l:,}"
        if self.kind == "entropy":
            return (
                f"{different}, which are only as diverse as {effective(counts):.4g} equally common values, fewer than "
                f"{self.l:,}"
            )
        rest = sum(counts[int(self.l) - 1 :])
        others = f"{counted(rest, 'record')} that {'does' if rest == 1 else 'do'} not have {_most_common(self)}"
        return (
            f"{counts[0]:,} records with the most common value of “{self.column}”, at least {self.c:g} times "
            f"as many as the {others}"
        )

    def lacking_of_all(self, instance: Any, members: np.ndarray) -> str:
        """What every choice of these records lacks: enough different values; "" if they have these.

        If recursive (c, l)-diversity holds with m values, the most common is below c (m - l + 1) times itself.
        """
        counts = _counts(instance, self.column, members)
        fewest = math.ceil(self.l) + (math.floor(1 / exact(self.c)) if self.kind == "recursive" else 0)
        return "" if len(counts) >= fewest else f"{self._different(counts)}, fewer than {fewest:,}"

    def _different(self, counts: list[int]) -> str:
        return f"{len(counts):,} different value{'s' * (len(counts) != 1)} of “{self.column}”"


@dataclass(frozen=True)
class Closeness(Shown):
    """In every class a sensitive column is distributed as in the whole table, within t.

    The distance is the earth mover's, from 0 to 1: between numbers by their order, with equal steps from each to the
    next one that occurs in the table; between other values 1. The whole table is all its records, including those that
    a release leaves out. A missing value is a value, after all numbers. Two classes that satisfy it also satisfy it
    when merged: docs/proofs/tables/requirements.md.

    Parameters
    ----------
    column : str. A column of the table's frame that is not a quasi-identifier.
    t : float. From 0 to 1; six decimals of it are kept.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity", ICDE 2007.

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
        most = _real(self.t)
        if most is None or not 0 <= most <= 1:
            raise _unfit(
                f"The t of a closeness requirement is {told(self.t)}; it must be a number from 0 to 1.", self.t
            )
        object.__setattr__(self, "t", most)

    def require_known(self, instance: Any) -> None:
        _require_sensitive(instance, self.column)

    def holds(self, instance: Any, members: np.ndarray) -> bool:
        return self._distance(instance, members) <= exact(self.t)

    def missing(self, instance: Any, members: np.ndarray) -> str:
        far = float(self._distance(instance, members))
        return f"a distance of {far:.4g} from the whole table's distribution of “{self.column}”, above {self.t:g}"

    def lacking_of_all(self, instance: Any, members: np.ndarray) -> str:
        return ""  # the whole table has distance 0 from itself

    def _distance(self, instance: Any, members: np.ndarray) -> Fraction:
        codes, domain = instance.sensitive(self.column)
        counts, everybody = (
            np.bincount(codes[some], instance.weights[some], len(domain)).astype(np.int64).tolist()
            for some in (members, slice(None))
        )
        return distance(dict(enumerate(counts)), everybody, are_numbers(domain))


def _most_common(one: Diversity) -> str:
    """The l − 1 most common values, after a mention of the most common one."""
    return "that value" if one.l == 2 else f"the {int(one.l) - 1:,} most common values"


def _unfit(message: str, value: Any) -> InvalidInput:
    return InvalidInput(message, parameter="require", value=value)


def exact(number: Any) -> Fraction:
    """The number as it is written, not the float that represents it.

    >>> exact(0.3)
    Fraction(3, 10)
    """
    return Fraction(repr(number))


def effective(counts: list[int]) -> float:
    """The number of equally common values with the entropy of these counts.

    >>> effective([2, 2, 2]), round(effective([4, 1, 1]), 3)
    (3.0, 2.381)
    """
    size = sum(counts)
    return round(math.exp(math.log(size) - math.fsum(count * math.log(count) for count in counts) / size), 9)


def _require_name(column: Any, what: str) -> None:
    if not isinstance(column, str):
        raise _unfit(f"The column of {what} is {told(column)}; give its name.", column)


def _real(value: Any) -> float | None:
    """A number with the kept decimals, or None for anything else."""
    if isinstance(value, bool | np.bool_ | str):
        return None
    try:
        number = round(float(value), DIGITS)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _require_sensitive(instance: Any, column: str) -> None:
    if not hasattr(instance, "sensitive"):
        raise _unfit(
            f"Diversity and closeness of {column!r} can be required only of tables, and these data are not a table.",
            column,
        )
    instance.sensitive(column)


def _counts(instance: Any, column: str, members: np.ndarray) -> list[int]:
    """The number of each value in these records, in descending order."""
    codes, _ = instance.sensitive(column)
    totals = np.bincount(codes[members], instance.weights[members]).astype(np.int64)
    return sorted(totals[totals > 0].tolist(), reverse=True)


# ---------------------------------------------------------------------------------------------------------------------
# Any requirement, and whether classes satisfy it
# ---------------------------------------------------------------------------------------------------------------------


Holds = Callable[[np.ndarray], bool]  # whether the items at these positions, as one class, satisfy the requirements
MERGED = "; groups that failed a requirement were then merged with others"  # follows the method in a result's details


class Requirement(Protocol):
    """A demand on each single class that merging preserves: two classes that satisfy it also satisfy it when merged.

    So if a connected whole does not satisfy it, no partition does; and merging classes as long as one of them fails
    ends with classes that satisfy it, at worst with that whole. A weight of at least k is such a demand.
    """

    def require_known(self, instance: Instance) -> None:
        """Raise `InvalidInput` if the instance lacks the data for it."""

    def holds(self, instance: Instance, members: np.ndarray) -> bool:
        """Whether a class of the items at these positions satisfies it."""

    def missing(self, instance: Instance, members: np.ndarray) -> str:
        """What these items lack, as "5 households, fewer than 10"."""

    def lacking_of_all(self, instance: Instance, members: np.ndarray) -> str:
        """What every choice of these items lacks, however many are left out; "" if that is not known."""


@dataclass(frozen=True)
class Minimum(Shown):
    """A least sum of a second count in every class.

    Parameters
    ----------
    column : str. A name in the instance's `columns`.
    m : int. Least sum of that column in a class, at least 1.

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
            raise _unfit(f"The minimum of a column is {told(self.m)}; it must be a whole number of at least 1.", self.m)
        _require_name(self.column, "a minimum")
        object.__setattr__(self, "m", least)

    def require_known(self, instance: Instance) -> None:
        if self.column not in instance.columns:
            listing = ", ".join(instance.columns) or "none"
            raise _unfit(
                f"There is no second count {self.column!r} for a minimum; the second counts are: {listing}.",
                self.column,
            )

    def holds(self, instance: Instance, members: np.ndarray) -> bool:
        return int(instance.columns[self.column][members].sum()) >= self.m

    def missing(self, instance: Instance, members: np.ndarray) -> str:
        have = int(instance.columns[self.column][members].sum())
        return f"{have:,} {self.column}, fewer than the minimum of {self.m:,}"

    def lacking_of_all(self, instance: Instance, members: np.ndarray) -> str:
        # fewer items cannot have more
        return "" if self.holds(instance, members) else self.missing(instance, members)


REQUIREMENTS = (Minimum, Diversity, Closeness)  # those that `verification` can check on its own


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
    complete : Whether every item is in a class, and none can be left out.

    Raises
    ------
    InvalidInput : Something that is not a requirement, or one that the instance lacks the data for.
    Infeasible
        A connected whole that does not satisfy one, so that no partition of it does; if items can be left out, a whole
        of which no choice of items satisfies it.
    """
    requirements = (require,) if isinstance(require, REQUIREMENTS) else require
    kinds = " or ".join(kind.__name__ for kind in REQUIREMENTS)
    if isinstance(requirements, str) or not isinstance(requirements, Iterable):
        raise _unfit(f"The requirements are {told(require)}; give a list of {kinds}.", require)
    checked, part_of = tuple(requirements), getattr(instance, "components", None)
    # the largest possible classes: the separate parts, or else all items
    every = np.zeros(len(instance)) if part_of is None else part_of
    wholes = [np.flatnonzero(every == part) for part in range(int(every.max(initial=0)) + 1)]
    for requirement in checked:
        if not isinstance(requirement, REQUIREMENTS):
            raise _unfit(
                f"{told(requirement)} is not a requirement that can be checked; give a list of {kinds}.", requirement
            )
        requirement.require_known(instance)
        for part in wholes:
            if complete:
                lacking = "" if requirement.holds(instance, part) else requirement.missing(instance, part)
            else:
                lacking = requirement.lacking_of_all(instance, part)
            if lacking:
                raise Infeasible(_too_little(lacking, instance, part), parameter="require", value=requirement)
    return checked


def _too_little(missing: str, instance: Instance, part: np.ndarray) -> str:
    if len(part) == len(instance):
        return f"In total, the data have {missing}; require less."
    where = f"{instance.label(int(part[0]))} borders no other area and has"
    if len(part) > 1:
        where = f"The set of {len(part):,} areas around {instance.label(int(part[0]))} borders no other area and has"
    return f"{where} {missing}; require less, or join the separate parts of the map."


# ---------------------------------------------------------------------------------------------------------------------
# Diversity and closeness, written by and for a person.
# ---------------------------------------------------------------------------------------------------------------------


CLOSENESS = "closeness"
FORMS = "3, 3:entropy, 2:recursive:3 or 0.3:closeness"


def demand_text(one: Diversity | Closeness) -> str:
    """The demand on a column, without the column's name.

    >>> demand_text(Diversity("disease", 3)), demand_text(Diversity("disease", 2.5, "entropy"))
    ('3', '2.5:entropy')
    >>> demand_text(Diversity("disease", 2, "recursive", 3)), demand_text(Closeness("income", 0.3))
    ('2:recursive:3', '0.3:closeness')
    """
    if isinstance(one, Closeness):
        return f"{_number(one.t)}:{CLOSENESS}"
    if one.kind == "distinct":
        return _number(one.l)
    return f"{_number(one.l)}:{one.kind}" + ("" if one.c is None else f":{_number(one.c)}")


def demand_of(column: str, text: str) -> Diversity | Closeness:
    """The demand from the output of `demand_text`, or `InvalidInput`.

    >>> demand_of("disease", "2:recursive:3"), demand_of("income", "0.3:closeness")
    (Diversity(column='disease', l=2, kind='recursive', c=3.0), Closeness(column='income', t=0.3))
    """
    first, *rest = (part.strip() for part in text.split(":"))
    kind, *more = rest or ["distinct"]
    try:
        if kind not in (*KINDS, CLOSENESS) or len(more) != (kind == "recursive"):
            raise ValueError(text)
        number, c = float(first), float(more[0]) if more else None
    except ValueError:
        raise _unfit(f"{told(text)} is not a demand on the column {column!r}; write it as {FORMS}.", text) from None
    return Closeness(column, number) if kind == CLOSENESS else Diversity(column, number, kind, c)


def demand_words(one: Diversity | Closeness, name: str | None = None) -> str:
    """The demand on every group in words; `name` is the column's name in a sentence.

    >>> demand_words(Diversity("disease", 3))
    'at least 3 different values of “disease”'
    >>> demand_words(Diversity("disease", 2.5, "entropy"))
    'values of “disease” at least as diverse as 2.5 equally common values'
    >>> demand_words(Diversity("ill", 2, "recursive", 3))
    'fewer than 3 times as many records with the most common value of “ill” as records without that value'
    >>> demand_words(Closeness("income", 0.3))
    'a distribution of “income” within 0.3 of the distribution in the whole table'
    """
    column = one.column if name is None else name
    if isinstance(one, Closeness):
        return f"a distribution of “{column}” within {_number(one.t)} of the distribution in the whole table"
    if one.kind == "distinct":
        return f"at least {one.l:,} different values of “{column}”"
    if one.kind == "entropy":
        return f"values of “{column}” at least as diverse as {_number(one.l)} equally common values"
    fewer = f"fewer than {_number(one.c)} times as many records"
    return f"{fewer} with the most common value of “{column}” as records without {_most_common(one)}"


def demands_in(require: Iterable[Any]) -> list[Diversity | Closeness]:
    """The requirements on sensitive columns."""
    return [one for one in require if isinstance(one, Diversity | Closeness)]


def _number(value: Any) -> str:
    return f"{value:.15g}"


# ---------------------------------------------------------------------------------------------------------------------
# How close a cost is to the best possible, in words that never overstate it.
# ---------------------------------------------------------------------------------------------------------------------


UNKNOWN = "It is not known how far this result is from the best possible."


def within_words(gap: float) -> str:
    """How far a cost is from its bound, in words that precede "the best possible".

    >>> within_words(0.0241), within_words(1.5)
    ('within 2.5 % of', 'at most 2.5 times')
    """
    return f"within {percent_up(gap)} of" if gap < 1 else f"at most {math.ceil(10 * gap + 10 - 1e-9) / 10:,.1f} times"


def best_possible(proof: str) -> str:
    """The words for an optimum.

    >>> best_possible("checked"), best_possible("solver")
    ('proven best possible', 'best possible (reported by the solver, not re-checked)')
    """
    return "proven best possible" if proof == "checked" else f"best possible{by_word(proof)}"


def by_word(proof: str) -> str:
    """A remark on a claim that was not checked; "" for a checked one."""
    return "" if proof == "checked" else " (reported by the solver, not re-checked)"


def percent_up(share: float) -> str:
    """A share in words, never rounded down to nothing and never overstated.

    >>> percent_up(0.0241), percent_up(0.00001), percent_up(1.5)
    ('2.5 %', '0.1 %', '150 %')
    """
    tenths = -(-share * 1000 // 1)
    return f"{tenths / 10:.1f} %" if tenths < 200 else f"{-(-share * 100 // 1):.0f} %"
