"""Labels with record counts: items that may be grouped in any way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.io.counts import Counted
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.run import Outcome, Run
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.wishes import (
    checked_sets,
    conflict_pairs,
    large_clique,
    merged_numbers,
    require_no_contradiction,
    require_room,
)
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen, length_of, require_total, second_counts, unique_ids, whole_numbers


@dataclass(frozen=True)
class LabelDetails:
    """How the labels went into bins, one after another; bin c is class c."""

    order: np.ndarray  # (n,) int32: all labels, as positions, in the order in which they were placed
    alone: int  # this many first labels of `order` weigh at least k each and have their own bins 0, 1, …
    # the labels `order[alone:placed]` then filled one bin after another by next fit: a bin is closed as soon as it
    # holds k
    placed: int
    # (n - placed,) int32: the bin that each label of `order[placed:]`, too little for a bin of its own, was added to,
    # in that order
    leftover_classes: np.ndarray
    threshold: int  # the weight that every bin had to reach


@dataclass(frozen=True)
class BinDetails:
    """How the labels went into bins other than by next fit; bin c is class c, numbered as they were opened."""

    order: np.ndarray  # (n,) int32: all labels, as positions, in the order in which they were placed
    threshold: int  # the weight that every bin had to reach: k, or less where the result is relaxed
    method: str  # what made this packing, in words


@dataclass(frozen=True, eq=False, repr=False)
class Labels(Shown):
    """Labels without an order, such as names or diagnoses (Du et al. 2009, section 4).

    Parameters
    ----------
    names : (n,) text or whole numbers, unique
    counts : (n,) whole numbers > 0. Records with each label.
    columns : mapping of str to (n,) whole numbers >= 0, optional
        Other counts of each label, such as households, for `Minimum`.
    unit : str. What the counts count.
    together : sets of names. The labels of each set stay in one class; sets that share a label become one.
    apart : sets of names. No two labels of a set may share a class.
    class_names : str or list of str
        "number"; "largest", every class is named by its most common label; or a list of names, the first of which goes
        to the heaviest class.
    notes : tuple of str. How the data was read, and anything unusual.
    reading : mapping. How the data was read, to read it again.
    counted : Counted, optional. What a reader took for the weights.

    Raises
    ------
    InvalidInput
        No labels, a duplicate or missing name, a count below 1, fractional or missing, a set of fewer than two labels
        or with an unknown label, or a duplicate class name.

    >>> labels = Labels(["flu", "cold", "gout"], [5, 9, 1], unit="patients")
    >>> labels.total, len(labels), labels.weights.tolist()
    (15, 3, [5, 9, 1])
    """

    names: np.ndarray
    counts: np.ndarray
    columns: Mapping[str, np.ndarray] = field(default_factory=dict, kw_only=True, repr=False)
    unit: str = field(default="records", kw_only=True)
    together: tuple[tuple[Any, ...], ...] = field(default=(), kw_only=True)
    apart: tuple[tuple[Any, ...], ...] = field(default=(), kw_only=True)
    class_names: str | tuple[str, ...] = field(default="number", kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    reading: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False)
    counted: Counted | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        count = length_of(self.counts, "counts")
        if count == 0:
            raise InvalidInput("There are no labels; give at least one.")
        names = unique_ids(self.names, count, "labels")
        places = [f"label {name}" for name in names]
        counts = whole_numbers(self.counts, "counts", 1, places)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "columns", second_counts(self.columns, places))
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "together", checked_sets(self.together, names, "together", "label"))
        object.__setattr__(self, "apart", checked_sets(self.apart, names, "apart", "label"))
        object.__setattr__(self, "class_names", naming(self.class_names))

    @property
    def ids(self) -> np.ndarray:
        """The names, which identify labels as ids identify areas and points."""
        return self.names

    def _facts(self) -> dict[str, object]:
        return {"labels": len(self), self.unit: self.total}

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def weights(self) -> np.ndarray:
        return self.counts

    @cached_property
    def digest(self) -> str:
        return content_digest(**self.parts)

    @property
    def parts(self) -> dict[str, Any]:
        """Names, counts and unit, with constraints and columns if there are any; not the file."""
        plain = {"together": (), "apart": (), "class_names": "number", "columns": {}}
        nondefault = {name: getattr(self, name) for name, none in plain.items() if getattr(self, name) != none}
        return {"names": self.names, "counts": self.counts, "unit": self.unit, **nondefault}

    @cached_property
    def total(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def descending(self) -> np.ndarray:
        """(n,) int64: positions from the most common label to the least, equal counts in their given order."""
        return frozen(np.argsort(-self.counts, kind="stable"))

    @cached_property
    def descending_sums(self) -> np.ndarray:
        """(n + 1,) int64: weight of the i most common labels together, for i = 0 … n."""
        return frozen(np.concatenate([[0], np.cumsum(self.counts[self.descending])]))

    @cached_property
    def item_of(self) -> np.ndarray:
        """(n,) int64: the position in `items` of each label."""
        return frozen(merged_numbers(len(self), self._places(self.together)))

    @cached_property
    def items(self) -> Labels:
        """What algorithms pack: labels that stay together count as one; the same labels if none do."""
        if not self.together:
            return self
        members = [self.names[group].tolist() for group in members_of(self.item_of)]
        used = {str(name) for name in self.names}
        joint_names = [" + ".join(map(str, names)) for names in members]
        names = [
            group[0] if len(group) == 1 or text in used else text
            for group, text in zip(members, joint_names, strict=True)
        ]
        conflicts = [{names[self.item_of[place]] for place in rule} for rule in self._places(self.apart)]
        counts = np.bincount(self.item_of, self.counts).astype(np.int64)  # exact: totals stay below 2^53
        rules = tuple(tuple(rule) for rule in conflicts if len(rule) > 1)
        return Labels(names, counts, unit=self.unit, apart=rules)  # type: ignore[arg-type]

    @cached_property
    def conflicts(self) -> tuple[tuple[int, int], ...]:
        """Pairs of positions, the lesser first, that may not share a class."""
        return conflict_pairs(self._places(self.apart))

    def _places(self, sets: Iterable[Iterable[Any]]) -> list[list[int]]:
        place = {name: number for number, name in enumerate(self.names.tolist())}
        return [[place[name] for name in members] for members in sets]

    @cached_property
    def clique(self) -> tuple[int, ...]:
        return large_clique(len(self), self.conflicts)

    def label(self, position: int) -> str:
        return str(self.names[position])

    def named_classes(self, assignment: np.ndarray) -> list[str] | None:
        """The names of classes by `class_names`; None if they are only numbered."""
        if self.class_names == "number":
            return None
        return named_classes(self.class_names, self.names, self.counts, assignment)

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` if any of these holds; without labels kept apart, only the first can.

        - All labels together weigh less than k.
        - Two labels kept apart must also stay together.
        - A label and all that may share its class weigh less than k together.
        - c labels of which no two may share a class need c classes, which weigh at least c k.
        """
        require_total(self.total, k, self.unit)
        require_no_contradiction(self.apart, dict(zip(self.names.tolist(), self.item_of.tolist(), strict=True)))
        items = self.items
        if not items.conflicts:
            return
        company = [items.total] * len(items)
        for one, other in items.conflicts:
            company[one] -= int(items.counts[other])
            company[other] -= int(items.counts[one])
        lonely = min(range(len(items)), key=company.__getitem__)
        if company[lonely] < k:
            raise Infeasible(
                f"{items.label(lonely)} and all labels that may share its group hold {company[lonely]:,} {self.unit} "
                f"in total, fewer than k = {k:,}; lower k to {company[lonely]:,} or less, or keep fewer labels apart."
            )
        require_room([items.label(place) for place in items.clique], items.total, k, ("labels", self.unit))


RULES = ("number", "largest")


def naming(value: Any) -> str | tuple[str, ...]:
    """A rule of `RULES` or a tuple of distinct names; otherwise raises `InvalidInput`."""
    if isinstance(value, str) and value in RULES:
        return value
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise InvalidInput(
            f"The names of the groups are {value!r}; choose {' or '.join(RULES)}, or give a list of names."
        )
    names = tuple(str(name).strip() for name in value)
    if "" in names or len(set(names)) < len(names):
        raise InvalidInput("Two names of groups are identical, or one is empty; give every group its own name.")
    return names


def named_classes(rule: str | tuple[str, ...], names: np.ndarray, counts: np.ndarray, assignment: Any) -> list[str]:
    """The name of each class.

    "number" is Group 1, 2, …; "largest" is the most common label of the class and the number of others; given names go
    to the classes from the heaviest down, and classes without a name are numbered.

    >>> labels, counts = np.array(["flu", "cold", "gout"]), np.array([5, 9, 1])
    >>> named_classes("largest", labels, counts, np.array([0, 1, 0])), named_classes(("A",), labels, counts, [0, 1, 0])
    (['flu and 1 other', 'cold'], ['Group 1', 'A'])
    """
    classes = np.asarray(assignment)
    weights = np.bincount(classes, counts)
    result = [f"Group {number + 1}" for number in range(len(weights))]
    if rule == "largest":
        order = np.lexsort((np.arange(len(counts)), -counts))
        firsts = order[np.unique(classes[order], return_index=True)[1]]
        for number, others in enumerate((np.bincount(classes) - 1).tolist()):
            more = f" and {others:,} other{'s' * (others > 1)}" if others else ""
            result[number] = f"{names[firsts[number]]}{more}"
    elif rule != "number":
        for name, number in zip(rule, np.argsort(-weights, kind="stable").tolist(), strict=False):
            result[number] = name
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Constraints around any algorithm: labels that stay together become one item before it, and labels again after it.
# ---------------------------------------------------------------------------------------------------------------------


HANDLE_CONFLICTS = ("near-optimal", "exact")  # the algorithms that can keep labels apart


def constrained(name: str, algorithm: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """The algorithm for labels with constraints; without any, it is called directly.

    Its result refers to the items it was given: positions in `details` and in the witness of a bound are those of
    `labels.items`. Keeping labels together makes every lower bound on the items one on the labels, and every ratio to
    the optimum one to the optimum that keeps them together.

    Raises `InvalidInput`: the algorithm cannot keep labels apart; or it cuts an order, and labels must stay together.
    """

    @wraps(algorithm)
    def run_it(labels: Labels, k: int, run: Run, **options: Any) -> Outcome:
        if labels.together and name == "ordered":
            raise InvalidInput(
                "The algorithm “ordered” cuts ordered labels into intervals and cannot keep chosen labels together; "
                "choose another algorithm, or remove that rule."
            )
        items = labels.items
        if items.conflicts and name not in HANDLE_CONFLICTS:
            raise InvalidInput(
                f"The algorithm {name} cannot keep labels apart; choose {' or '.join(HANDLE_CONFLICTS)}, or remove "
                "that rule."
            )
        outcome = algorithm(items, k, run, **options)
        if items is labels:
            return outcome
        return replace(outcome, assignment=outcome.assignment[labels.item_of])

    return run_it


def item_view(labels: Labels, g: Generalization) -> tuple[Labels, Generalization]:
    """The items and their classes, for code that reads `details`."""
    items = labels.items
    if items is labels:
        return labels, g
    assignment = np.zeros(len(items), dtype=np.int32)
    assignment[labels.item_of] = g.assignment
    return items, replace(g, assignment=assignment)
