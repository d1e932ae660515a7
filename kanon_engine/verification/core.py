"""The checks of every family's certificate: its form, its classes, its figures, its digest.

An instance is what its digest covers, by name (`parts`); a certificate is the fields of its JSON, both as `codec` reads
them. A family is a module of this package with

    LARGEST_CLASS whether the cost is the weight of the largest class; else items may be left out, and `checks` yields
                  the check `COST`
    WHOLE         whether costs are whole numbers; floats otherwise
    ALGORITHMS    who may have made a result: name → `Maker`
    RECORDS       records of details: name → {field: what it is}, see `fits`
    REQUIREMENTS  what can be required of classes besides k: name of the record → `Requirement`
    weights       (parts): how many records each item represents, an `Array`
    require_form  (parts): ValueError unless they are an instance of the family
    checks        (instance, g): every claim that only this family makes, as `Check` after `Check`
    better_exists (instance, g): whether some solution is below a bound that a solver reports; None or `TooMuch` where
                  that is not decided
    BOUNDS        name of a bound → function of what the family gives it, and of the witness, to what that proves
    MINUTES       name of a bound that may take minutes where NumPy is missing → how many
    CHECKABLE     what a certificate checks of fields of its records and of options, see `checkable`

`g` holds the fields of the certificate as attributes, arrays as `codec.Array`; besides `g.classes`, their number,
`g.least`, what every class must weigh, and `g.record`, the name of the details' record, whose fields are `g.details`.
"""

from __future__ import annotations

import html
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from . import arrays
from .codec import MALFORMED, Array, Record, content_digest, decode, listed, parse_json

STATUSES = ("optimal", "feasible", "stopped", "relaxed")
COST, WITNESS, EXHAUSTIVE = "cost", "bound witness", "exhaustive check"  # names of checks
LARGEST_TOTAL = 2**53  # of all weights
LONGEST_TEXT = 10_000


class Check(NamedTuple):
    """One claim, and whether it holds; None where it is not checked, with the reason in `detail`."""

    name: str
    passed: bool | None
    detail: str

    def _repr_html_(self) -> str:
        """The table that a notebook shows."""
        cells = ((name, printable(str(value))) for name, value in self._asdict().items())
        rows = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in cells)
        return f"<table><caption>Check</caption>{rows}</table>"


def printable(text: str) -> str:
    """Text without the characters that control a terminal."""
    return text if text.isprintable() else ascii(text)


class Option(NamedTuple):
    """The values that an option of an algorithm may have.

    Its kind is "choice", "flag", "integer", "number", or "weights": numbers for some columns, as "age=2.0, sex=1.0".
    """

    kind: str
    choices: tuple[str, ...] = ()
    least: float = -math.inf
    greatest: float = math.inf
    optional: bool = False  # whether it may be None

    def allows(self, value: Any) -> bool:
        """Whether a certificate may have this value."""
        if value is None:
            return self.optional
        if self.kind == "choice":
            return type(value) is str and value in self.choices
        if self.kind == "flag":
            return type(value) is bool
        if self.kind == "weights":
            return type(value) is str and value == _weights_text(value)
        if self.kind == "integer":
            proper = type(value) is int or (type(value) is float and value.is_integer())
        else:
            proper = type(value) in (int, float) and float(value) == value and math.isfinite(value)
        return proper and self.least <= value <= self.greatest


def _weights_text(text: str) -> str:
    """Weights of columns as they are written."""
    pairs = [(name.strip(), float(number)) for name, _, number in (part.rpartition("=") for part in text.split(","))]
    if not all(name and 0 <= weight <= 1e6 for name, weight in pairs):
        raise ValueError("a weight of a column must be a number from 0 to 1,000,000")
    return ", ".join(f"{name}={weight!r}" for name, weight in dict(pairs).items())


class Maker(NamedTuple):
    """What a result may claim about the algorithm that made it."""

    options: Mapping[str, Option] = {}
    searches: bool = False  # whether its lower bound may be one that a solver reports
    relaxed: bool = False  # whether its classes may be lighter than k


class Instance(NamedTuple):
    """What was generalized; `columns` are second counts."""

    family: str
    parts: Mapping[str, Any]
    digest: str
    weights: Array
    columns: Mapping[str, Array]


class Requirement(NamedTuple):
    """What can be required of every class: the fields of its record, and the check."""

    form: Mapping[str, Any]
    check: Callable[[Instance, Any, Any], Check]


class Verdict(NamedTuple):
    """All checks, up to and including the first that failed."""

    checks: list[Check]
    failed: Check | None

    @property
    def proof(self) -> str:
        """How the lower bound is proven: "checked", recomputed, or "solver", only reported by the solver."""
        outcomes = {check.name: check.passed for check in self.checks}
        return "solver" if outcomes.get(WITNESS) is None and EXHAUSTIVE not in outcomes else "checked"


# ---------------------------------------------------------------------------------------------------------------------
# Reading
# ---------------------------------------------------------------------------------------------------------------------


def read_certificate(text: str | bytes) -> dict[str, Any]:
    """The fields of a certificate; no claim is checked."""
    content = parse_json(text)
    if not isinstance(content, dict) or content.pop("format", None) != "kanon generalization 1":
        raise ValueError("this is not a kanon certificate")
    content.pop("audit", None)  # stored along with the result
    content.setdefault("require", [])
    return {name: decode(value) for name, value in content.items()}


def read_instance(text: str | bytes, families: Mapping[str, Any]) -> Instance:
    """The instance in a file; ValueError where it is not one, or its digest is not the one in the file."""
    content = parse_json(text)
    if set(content) != {"format", "family", "digest", "parts"} or content["format"] != "kanon instance 1":
        raise ValueError("this is not a kanon instance")
    family = families[content["family"]]
    parts = {name: decode(value, special=True) for name, value in content["parts"].items()}
    instance = instance_of(content["family"], family, parts, content_digest(parts))
    if instance.digest != content["digest"]:
        raise ValueError("the digest of the instance differs from the digest in its file")
    for counts in (instance.weights, *instance.columns.values()):
        numbers = counts.numbers
        good = counts.kind in ("<i4", "<i8") and len(numbers) == len(instance.weights.numbers) > 0
        if not good or min(numbers) < 0 or sum(numbers) >= LARGEST_TOTAL:
            raise ValueError(
                "an item does not have one whole number of at least 0 as its count, or the counts sum to 2^53 or more"
            )
    family.require_form(parts)
    return instance


def instance_of(name: str, family: Any, parts: Mapping[str, Any], digest: str) -> Instance:
    """An instance of parts that are known to be valid, with their digest."""
    return Instance(name, parts, digest, family.weights(parts), parts.get("columns", {}))


def require_names(parts: Mapping[str, Any], names: str, count: int, sets: Sequence[str] = ()) -> None:
    """ValueError unless every item has a unique name, and sets of items use these names."""
    every = listed(parts[names])
    unique = set(every)
    if len(unique) < count or len(every) != count or not {str, int} >= set(map(type, unique)):
        raise ValueError("not every item has a unique name")
    if not all(unique.issuperset(members) for kind in sets for members in parts.get(kind, [])):
        raise ValueError("a set lists an item that does not exist")


# ---------------------------------------------------------------------------------------------------------------------
# Forms
# ---------------------------------------------------------------------------------------------------------------------

RESULT: dict[str, Any] = {
    "family": str, "algorithm": str, "options": dict, "seed": int, "k": int, "assignment": ("<i4",),
    "class_weights": ("<i8",), "cost": (int, float), "lower_bound": (int, float), "bound_name": str,
    "bound_kind": str, "bound_witness": list, "guarantee": (int, float, type(None)), "status": str, "seconds": float,
    "instance_digest": str, "details": None, "reading": dict, "require": list, "digest": str,
}  # fmt: skip


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind: a type, one of several types, an array, None for anything.

    An array is ("<i4",) in one dimension, ("<i4", 2) in rows of two, ("<i4", None) in rows of any length.
    """
    if kind is None:
        return True
    if isinstance(value, Array):
        form = (value.kind, *value.shape[1:])
        return isinstance(kind, tuple) and len(form) == len(kind) and all(a in (None, b) for a, b in zip(kind, form))
    if isinstance(value, str) and not (value.isprintable() and len(value) <= LONGEST_TEXT):
        return False
    return type(value) in (kind if isinstance(kind, tuple) else (kind,))


def has_form(fields: Mapping[str, Any], form: Mapping[str, Any]) -> bool:
    """Whether a record has exactly these fields, each of the right kind."""
    return set(fields) == set(form) and all(fits(fields[name], kind) for name, kind in form.items())


def _sensible(g: Any, family: Any) -> bool:
    """Whether numbers are in range and words are known."""
    costs = [value for value in (g.cost, g.lower_bound, g.guarantee) if value is not None]
    numbers = g.k >= 1 and g.seed >= 0 and math.isfinite(g.seconds) and g.seconds >= 0
    numbers = numbers and {int if family.WHOLE else float} == set(map(type, costs)) and all(map(math.isfinite, costs))
    words = g.status in STATUSES and g.bound_kind in ("checked", "solver")
    witness = all(type(place) is int for place in g.bound_witness)
    return bool(numbers and words and witness and _simple([g.options, g.reading]))


def _simple(value: Any) -> bool:
    """Whether a value holds no array and no record."""
    if isinstance(value, (dict, list)):
        return all(map(_simple, value.values() if isinstance(value, dict) else value))
    return value is None or isinstance(value, (str, int, float))


# ---------------------------------------------------------------------------------------------------------------------
# The checks
# ---------------------------------------------------------------------------------------------------------------------


def result_of(content: Mapping[str, Any], family: Any) -> SimpleNamespace:
    """The fields of a certificate as attributes; the details' fields are None where they have another form."""
    g, details = SimpleNamespace(**content), content["details"]
    g.classes = len(g.class_weights.numbers)
    g.record = details.name if isinstance(details, Record) else type(details).__name__
    formed = isinstance(details, Record) and has_form(details.fields, family.RECORDS.get(details.name, {}))
    g.details = SimpleNamespace(**details.fields) if formed else None
    return g


def verdict(instance: Instance | None, content: Mapping[str, Any], families: Mapping[str, Any]) -> Verdict:
    """Check every claim of a certificate against its instance, up to the first that is false.

    Without an instance its claims are only compared with each other.
    """
    passed: list[Check] = []
    try:
        for check in _checks(instance, content, families):
            if check.passed is False:
                return Verdict(passed, check)
            passed.append(check)
    except MALFORMED as error:
        detail = f"a field has the wrong form ({type(error).__name__}: {error})."
        return Verdict(passed, Check("form", False, detail))
    return Verdict(passed, None)


def _checks(instance: Instance | None, content: Mapping[str, Any], families: Mapping[str, Any]) -> Iterator[Check]:
    family: Any = families.get(content["family"])
    family_name = content["family"] if instance is None else instance.family
    same_family = family is not None and content["family"] == family_name
    yield Check(
        "family",
        same_family,
        f"the result is of family {content['family']}, and the instance is of family {family_name}.",
    )
    maker = family.ALGORITHMS.get(content["algorithm"])
    yield Check("algorithm", maker is not None, f"the result was made by {content['algorithm']}.")
    if instance is not None:
        same = content["instance_digest"] == instance.digest
        detail = "the result was made from this instance." if same else "the result was made from a different instance."
        yield Check("instance", same, detail)
    g: Any = result_of(content, family) if has_form(content, RESULT) else None
    detail = "numbers are whole and not too large, and the status and the kind of bound are among the valid ones."
    yield Check("form", g is not None and _sensible(g, family), detail)
    yield Check("options", _proper(g, maker), f"every option of {g.algorithm} has a valid value.")
    trusted = g.bound_kind == "checked" or maker.searches
    yield Check("bound kind", trusted, f"the bound is of kind “{g.bound_kind}”, and the algorithm is {g.algorithm}.")
    yield Check(
        "status",
        g.status != "relaxed" or maker.relaxed,
        f"the status is {g.status}, and the algorithm is {g.algorithm}.",
    )
    yield from _classes(instance, family, g)
    if instance is not None:
        yield from _against_instance(instance, family, g)
    if family.LARGEST_CLASS:
        largest = max(g.class_weights.numbers)
        yield Check(COST, g.cost == largest, f"the largest class weighs {largest:,}, and the result says {g.cost:,}.")
    yield from _figures(g)
    if instance is not None and g.bound_kind == "solver":
        try:
            better = family.better_exists(instance, g)
        except TooMuch:
            better = None
        if better is not None:
            detail = f"all solutions were examined; {'one' if better else 'none'} costs less than"
            yield Check(EXHAUSTIVE, not better, f"{detail} {number_text(g.lower_bound)}.")
    # results from before there were requirements keep their digest
    covered = {name: value for name, value in content.items() if name != "digest" and (name != "require" or value)}
    same = content_digest(covered) == g.digest
    yield Check("digest", same, "the digest covers every field, including seed and options.")


def _proper(g: Any, maker: Maker) -> bool:
    try:
        complete = set(g.options) == set(maker.options)
        return complete and all(option.allows(g.options[name]) for name, option in maker.options.items())
    except MALFORMED:
        return False


def _against_instance(instance: Instance, family: Any, g: Any) -> Iterator[Check]:
    """The requirements, the claims of the family alone, and for the largest class the simple bound."""
    for required in g.require:
        requirement: Requirement | None = family.REQUIREMENTS.get(required.name)
        if requirement is None or not has_form(required.fields, requirement.form):
            yield Check("requirement", False, f"{required.name} cannot be required of classes of {g.family}.")
        else:
            yield requirement.check(instance, g, SimpleNamespace(**required.fields))
    cost_is_checked = family.LARGEST_CLASS
    for check in family.checks(instance, g):
        cost_is_checked = cost_is_checked or check.name == COST
        yield check
    if not cost_is_checked:
        yield Check(COST, False, f"no check of {g.family} recomputes the cost.")
    if family.LARGEST_CLASS:
        total = sum(g.class_weights.numbers)
        simple = max(g.least, arrays.greatest(instance.weights.column), -(-total // (total // g.least)))
        formula = "max(k, heaviest item, ceil(W / floor(W / k))) for the total weight W"
        detail = f"{formula} is {simple:,}, and the result says {g.lower_bound:,}."
        yield Check("simple bound", g.lower_bound >= simple, detail)


def _classes(instance: Instance | None, family: Any, g: Any) -> Iterator[Check]:
    """Every item is in one class or left out where that is allowed, and every class is heavy enough."""
    classes, fewest = g.assignment.column, 0 if family.LARGEST_CLASS else -1
    items = len(classes) if instance is None else len(instance.weights.column)
    good = len(classes) == items and g.classes >= 1
    good = good and arrays.least(classes) >= fewest and arrays.greatest(classes) < g.classes
    sizes = sums_by_class(g, arrays.filled(items, 1)) if good else []
    left_out = items - sum(sizes)
    some = f"{left_out:,} {'item is' if left_out == 1 else 'items are'} left out"
    words = some if left_out else "no item is left out"
    detail = f"{items:,} items are in {g.classes:,} classes, no class is empty, and {words}."
    if len(classes) != items:
        detail = f"{len(classes):,} items are assigned, but there are {items:,}."
    yield Check("partition", good and min(sizes) > 0, detail)
    sums = g.class_weights.numbers if instance is None else sums_by_class(g, instance.weights.column)
    detail = f"the {g.classes:,} class weights sum to {sum(sums):,}."
    yield Check("class weights", sums == g.class_weights.numbers, detail)
    g.least = g.details.threshold if g.status == "relaxed" else g.k
    detail = f"the smallest class weighs {min(sums):,}, and k is {g.k:,}."
    if g.status == "relaxed":
        reached = f"classes had to reach only {g.least:,}, and no release can be made from this result."
        detail += f" This is NOT k-anonymous: {reached}"
    yield Check("feasibility", min(sums) >= g.least, detail)


def sums_by_class(g: Any, values: Any) -> list[int]:
    """The sum of a column of whole numbers in each class; items that are left out count in none."""
    assignment = g.assignment.column
    if arrays.least(assignment) < 0:
        assignment, values = assignment[assignment >= 0], values[assignment >= 0]
    return arrays.sums_of(assignment, values, g.classes).tolist()  # type: ignore[no-any-return]


def _minimum(instance: Instance, g: Any, required: Any) -> Check:
    """At least m of a second count in every class."""
    if required.column not in instance.columns:
        return Check("requirement", False, f"the instance has no second count {required.column!r}.")
    least = min(sums_by_class(g, instance.columns[required.column].column))
    detail = f"the smallest sum of {required.column} in a class is {least:,}, and the minimum is {required.m:,}."
    return Check("requirement", least >= required.m >= 1, detail)


MINIMUM = {"Minimum": Requirement({"column": None, "m": int}, _minimum)}  # a column may have any name


def _figures(g: Any) -> Iterator[Check]:
    cost, bound = number_text(g.cost), number_text(g.lower_bound)
    yield Check("lower bound", g.lower_bound <= g.cost, f"the proven bound is {bound}, and the cost is {cost}.")
    if g.guarantee is not None:
        detail = f"the cost {cost} is at most the guaranteed {number_text(g.guarantee)}."
        yield Check("guarantee", g.cost <= g.guarantee, detail)
    optimal = g.cost == g.lower_bound
    agrees = optimal == (g.status == "optimal") or g.status == "relaxed"
    detail = f"the status is {g.status}, and cost and bound are {'equal' if optimal else 'different'}."
    yield Check("status", agrees, detail)


def number_text(value: float) -> str:
    """A cost or a bound: a whole number in full, any other to seven digits."""
    if isinstance(value, int) or abs(value) >= 1e7:
        return f"{value:,.0f}"
    return f"{value:,.7g}"


# ---------------------------------------------------------------------------------------------------------------------
# Shared by several families
# ---------------------------------------------------------------------------------------------------------------------


def details_checks(g: Any, names: Sequence[str]) -> Iterator[Check]:
    """Whether the details are a record of one of these names, with the fields of that record."""
    yield Check("details", g.record in names, f"the details are of the type {g.record}.")
    yield Check("form of the result's details", g.details is not None, "every field of the details has the right form.")


def bound_check(g: Any, bounds: Mapping[str, Callable[..., Any]], *arguments: Any) -> Check:
    """What the result's argument proves from its witness, or that a solver reports the bound."""
    if g.bound_kind == "solver":
        proper = g.bound_name == "exact search" and g.bound_witness == []
        return Check(WITNESS, None if proper else False, f"{number_text(g.lower_bound)} is reported by the solver.")
    try:
        value = bounds[g.bound_name](*arguments, g.bound_witness)
    except MALFORMED:  # no argument has this name, or its witness has another form
        value = None
    if value is None:
        return Check(WITNESS, False, f"there is no bound {g.bound_name!r} with the witness {g.bound_witness}.")
    detail = f"“{g.bound_name}” gives {number_text(value)}, and the result says {number_text(g.lower_bound)}."
    return Check(WITNESS, value == g.lower_bound, detail)


def sets_words(sets: Sequence[Any]) -> str:
    return f"{len(sets):,} {'sets' if len(sets) > 1 else 'set'}"


def set_checks(parts: Mapping[str, Any], names: str, items: str, g: Any) -> Iterator[Check]:
    """Sets of items that stay together, and sets of which no two may share a class."""
    together, separate = parts.get("together", []), parts.get("apart", [])
    if together or separate:
        class_of = dict(zip(listed(parts[names]), g.assignment.numbers))
    if together:
        parted = sum(len({class_of[name] for name in members}) > 1 for members in together)
        detail = f"in {sets_words(together)}, all {items} must share a class; sets in which they do not: {parted:,}."
        yield Check("together", parted == 0, detail)
    if separate:
        met = sum(len({class_of[name] for name in members}) < len(set(members)) for members in separate)
        detail = f"in {sets_words(separate)}, no two {items} may share a class; sets in which two do: {met:,}."
        yield Check("apart", met == 0, detail)


def most_classes(upto: Sequence[int], k: int, excluded: int, middle: int) -> int:
    """How many classes of k there are at most: those of the heaviest items, and the others lack weight or items.

    `upto` has 0 and the running sums of weights in descending order. So many of the heaviest are excluded, and of those
    behind the middle only the weight counts.
    """
    by_weight = (upto[-1] - upto[excluded]) // k
    lacking = k - (upto[-1] - upto[middle])  # what those up to the middle add to all behind it
    fewest = bisect_left(upto, upto[excluded] + lacking) - excluded
    return excluded + (min(by_weight, (middle - excluded) // fewest) if lacking > 0 else by_weight)


def merge_overlapping(sets: Iterable[Iterable[Any]]) -> list[set[Any]]:
    """Sets that share an element as one."""
    merged: list[set[Any]] = []
    for members in map(set, sets):
        near = [other for other in merged if other & members]
        merged = [other for other in merged if not other & members] + [members.union(*near)]
    return merged


class Budget:
    """How much work a check may do, counted the same way in both forms, so that it ends on any witness."""

    def __init__(self, work: int) -> None:
        self.left = work

    def spend(self, work: int) -> None:
        """TooMuch where no work is left."""
        self.left -= work
        if self.left < 0:
            raise TooMuch


class TooMuch(ValueError):
    """A check has used up its work: a witness that needs this much proves nothing, and no solutions are examined."""
