"""Every published number as an equation over whole numbers, and the values that all solutions of these share.

The unknowns are each count in each atom, where atoms are the parts that no published cell divides. A count that is a
part of another is not above it. Totals, groupings of other releases, rates and percentages are sums and quotients of
unknowns; a rounded number is an interval. Ranges are over whole numbers, decided by OR-Tools CP-SAT.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kanon_engine.disclosure.figures import COUNT, MEASURE, PART, RATE, UNPUBLISHED, Figures, Meaning, number_of
from kanon_engine.errors import InvalidInput
from kanon_engine.search.solvers import solver_for

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, IntVar

PEOPLE = "people"  # the name of the first count here, whatever the name of its column
MOST = 2_000  # linked unknowns
EFFORT, ALL_EFFORT = 2.0, 30.0  # deterministic time of one solver call, and of all
MOST_ROUNDS = 300  # sets of atoms that are tried in one part
LARGEST = 1 << 40  # of an unknown that nothing bounds
LARGEST_SUM = 1 << 62
MOST_PASSES = 50  # times that each equation narrows its unknowns before the solver runs
Unknown = tuple[str, int]  # a count and an atom


@dataclass(frozen=True)
class Sum:
    """low ≤ a count, summed over atoms, ≤ high."""

    count: str
    atoms: tuple[int, ...]
    low: int
    high: int


@dataclass(frozen=True)
class Ratio:
    """low · bottom ≤ top ≤ high · bottom, both summed over atoms."""

    # top, bottom: counts
    top: str
    bottom: str
    atoms: tuple[int, ...]
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Derived:
    """A set of atoms in which every solution has a count from 1 to below a number."""

    count: str
    # the part that is subtracted from the count: the set is of those who are not in it; "" for the count itself
    less: str
    atoms: tuple[int, ...]
    # low, high: the exact range
    low: int
    high: int


@dataclass(frozen=True)
class EquationSearch:
    """What was derived."""

    # every single atom that is certain; for linked unknowns without one, one set of several atoms if there is one
    found: tuple[Derived, ...]
    left: int  # unknowns that were not examined in full, because too many are linked
    contradiction: bool  # whether no counts produce all these figures


@dataclass(frozen=True, eq=False)
class Equations:
    """What figures say about each count in each atom."""

    # tuple of tuples of (int, int): for each atom the release and the row of every cell that contains it
    atoms: tuple[tuple[tuple[int, int], ...], ...]
    counts: tuple[str, ...]
    parts: Mapping[str, str]  # count → the count that it is a part of
    sums: tuple[Sum, ...]
    ratios: tuple[Ratio, ...] = ()

    def with_parts(self, more: Mapping[str, str]) -> Equations:
        """The same, with counts as parts of these others."""
        return replace(self, parts={**self.parts, **more})

    @cached_property
    def wholes(self) -> tuple[tuple[str, str], ...]:
        """Every pair of a count and one that it is a part of, directly or not."""
        pairs = []
        for part in self.counts:
            whole, visited = self.parts.get(part), {part}
            while whole is not None and whole not in visited:
                pairs.append((part, whole))
                visited.add(whole)
                whole = self.parts.get(whole)
        return tuple(pairs)

    def range_of(self, count: str, atoms: Sequence[int], less: str = "") -> tuple[int, int | None]:
        """The least and the most that a count, or a count without a part of it, can be over some atoms.

        None if nothing bounds it.

        40 cases, and 43 with those of a second area:

        >>> both = Equations(((), ()), ("cases",), {}, (Sum("cases", (0,), 40, 40), Sum("cases", (0, 1), 43, 43)))
        >>> both.range_of("cases", [1])
        (3, 3)
        """
        try:
            return _System(self).range_of([(count, less, atom) for atom in atoms])
        except _Contradiction:
            raise InvalidInput(
                "No counts can produce all these figures; correct a figure, or say what its column shows."
            ) from None
        except _TooMuch:
            raise InvalidInput(
                "So many unknown counts are linked that kanon cannot determine what the figures reveal about them."
            ) from None

    def derived(self, least: int, *, people: bool = True) -> EquationSearch:
        """Sets of atoms that have from 1 to `least` - 1 of a count, or of a count without a part, in every solution.

        Guarantee: if `found` is empty, nothing is `left` and there is no contradiction, then for every set of atoms and
        every count, or count less a part of it, there is a solution with none or with at least `least`.

        Parameters
        ----------
        people : Whether the first count is examined if no other is linked with it.
        """
        try:
            return _System(self).derived(least, people)
        except _Contradiction:
            return EquationSearch((), 0, True)


def equations_of(published: Sequence[Figures], meanings: Mapping[str, Meaning]) -> Equations:
    """The equations of figures.

    Parameters
    ----------
    published : Of one or several releases; a column of the same name is the same count in all.
    meanings : Column → what it is; other columns are ignored.

    >>> import pandas as pd
    >>> from kanon_engine.disclosure.figures import meaning_of
    >>> frame = pd.DataFrame({"weight": [200], "ill": ["2.0"]})
    >>> release = Figures("release", frame, (frozenset("a"),), ("1",), ("weight",), "weight")
    >>> found = equations_of([release], {"ill": meaning_of("percent of people")})
    >>> found.derived(11).found
    (Derived(count='the numerator of “ill”', less='', atoms=(0,), low=4, high=4),)
    """
    holders: dict[Hashable, list[tuple[int, int]]] = {}
    for number, one in enumerate(published):
        for row, items in enumerate(one.cells):
            for item in items:
                holders.setdefault(item, []).append((number, row))
    atoms = {key: place for place, key in enumerate(dict.fromkeys(map(tuple, holders.values())))}
    inside: dict[tuple[int, int], list[int]] = {}
    for key, place in atoms.items():
        for cell in key:
            inside.setdefault(cell, []).append(place)
    people = {name for one in published for name in one.people} | {PEOPLE}
    visible = {name for one in published for name in one.numbers}
    usable = {
        name: meaning
        for name, meaning in meanings.items()
        if name in visible and meaning.kind not in (MEASURE, UNPUBLISHED)
    }
    counts = [PEOPLE, *(name for name, meaning in usable.items() if meaning.kind != RATE and name not in people)]

    def named(name: str, column: str) -> str:
        count = PEOPLE if name in people else name
        if count not in counts:
            raise InvalidInput(
                f"“{column}” is declared in terms of “{name}”, which is not a published count; choose one of: "
                f"{', '.join(counts)}."
            )
        return count

    parts: dict[str, str] = {}
    tops: dict[str, str] = {}
    for name, meaning in usable.items():
        if meaning.kind == PART:
            parts[name] = named(meaning.whole, name)
        elif meaning.kind == RATE:
            tops[name] = named(meaning.top, name) if meaning.top else f"the numerator of “{name}”"
            if not meaning.top:
                counts.append(tops[name])
                if meaning.share:
                    parts[tops[name]] = named(meaning.whole, name)
    for name in parts:
        _require_no_circle(name, parts)
    sums: list[Sum] = []
    ratios: list[Ratio] = []
    for number, one in enumerate(published):
        columns = {one.weights: Meaning(COUNT)} | {name: usable[name] for name in one.numbers if name in usable}
        for name, meaning in columns.items():
            for row, (value, half) in enumerate(_shown(one, name, meaning)):
                places = tuple(inside.get((number, row), ()))
                if value is None or not places:
                    continue
                if meaning.kind == RATE:
                    ends = (value - half) / meaning.per, (value + half) / meaning.per
                    ratios.append(Ratio(tops[name], named(meaning.whole, name), places, *ends))
                else:
                    count = PEOPLE if name == one.weights else name
                    sums.append(Sum(count, places, max(0, math.ceil(value - half)), math.floor(value + half)))
    return Equations(tuple(atoms), tuple(counts), parts, tuple(dict.fromkeys(sums)), tuple(dict.fromkeys(ratios)))


def _shown(one: Figures, name: str, meaning: Meaning) -> list[tuple[Fraction | None, Fraction]]:
    """For each row the number that a column shows, None if hidden, and by how much it may be rounded."""
    cells = one.frame[name].astype(object).tolist()
    numbers = [number_of(cell) for cell in cells]
    digits = max((entry[1] for entry in numbers if entry is not None), default=0)
    step = Fraction(1, 10**digits) if meaning.kind == RATE else Fraction(0)
    half = (step if meaning.step is None else meaning.step) / 2
    for cell, label, entry in zip(cells, one.labels, numbers, strict=True):
        if entry is not None and (entry[0] < 0 or (meaning.kind != RATE and entry[0].denominator > 1)):
            kind = "rate" if meaning.kind == RATE else "count"
            raise InvalidInput(
                f"“{name}” is declared as a {kind}, but shows {cell} in {label}; say what the column shows."
            )
    return [(None if entry is None else entry[0], half) for entry in numbers]


def _require_no_circle(name: str, parts: Mapping[str, str]) -> None:
    visited, whole = {name}, parts.get(name)
    while whole is not None:
        if whole in visited:
            raise InvalidInput(
                f"“{name}” is declared as a part of itself, through “{parts[name]}”; correct one of these declarations."
            )
        visited.add(whole)
        whole = parts.get(whole)


class _Contradiction(Exception):
    """No solution has all these figures."""


class _TooMuch(Exception):
    """The solver did not finish within its limits."""


@dataclass(frozen=True)
class _Row:
    """low ≤ Σ factor · unknown ≤ high; None is no bound."""

    terms: Mapping[Unknown, int]
    low: int | None
    high: int | None


@dataclass(frozen=True)
class _Entry:
    """A count in an atom, or without a part, as unknowns of one part and what is known."""

    atom: int
    terms: Mapping[Unknown, int]
    known: int

    def of(self, solution: Mapping[Unknown, int]) -> int:
        return self.known + sum(factor * solution[unknown] for unknown, factor in self.terms.items())


class _System:
    """The same equations, narrowed, and split into parts that are not linked."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        everywhere = range(len(equations.atoms))
        self.low: dict[Unknown, int] = {(count, atom): 0 for count in equations.counts for atom in everywhere}
        self.high: dict[Unknown, int | None] = dict.fromkeys(self.low)
        self.rows = [_Row({(one.count, atom): 1 for atom in one.atoms}, one.low, one.high) for one in equations.sums]
        for part, whole in equations.parts.items():
            self.rows += [_Row({(whole, atom): 1, (part, atom): -1}, 0, None) for atom in everywhere]
        for one in equations.ratios:
            for end, low, high in ((one.low, 0, None), (one.high, None, 0)):
                terms = {(one.top, atom): end.denominator for atom in one.atoms}
                for atom in one.atoms:
                    terms[one.bottom, atom] = terms.get((one.bottom, atom), 0) - end.numerator
                self.rows.append(_Row(terms, low, high))
        self.effort = 0.0
        self.settled = self._narrow()
        self.part_of = self._parts()

    def _ends(self, unknown: Unknown, factor: int) -> tuple[int | None, int | None]:
        low, high = self.low[unknown], self.high[unknown]
        if factor >= 0:
            return low * factor, None if high is None else high * factor
        return None if high is None else high * factor, low * factor

    def _narrow(self) -> bool:
        """Bounds that follow from one equation and the bounds of its other unknowns; whether all were computed."""
        of: dict[Unknown, list[int]] = {}
        for number, row in enumerate(self.rows):
            for unknown in row.terms:
                of.setdefault(unknown, []).append(number)
        queue, waiting = deque(range(len(self.rows))), set(range(len(self.rows)))
        work = MOST_PASSES * sum(len(row.terms) for row in self.rows)
        while queue and work > 0:
            number = queue.popleft()
            waiting.discard(number)
            work -= len(self.rows[number].terms)
            for unknown in self._narrowed(self.rows[number]):
                for other in of[unknown]:
                    if other not in waiting:
                        waiting.add(other)
                        queue.append(other)
        return not queue

    def _narrowed(self, row: _Row) -> list[Unknown]:
        """The unknowns of a row whose bounds it narrows."""
        ends = {unknown: self._ends(unknown, factor) for unknown, factor in row.terms.items()}
        lows, highs = [end for end, _ in ends.values()], [end for _, end in ends.values()]
        least, no_least = sum(end for end in lows if end is not None), lows.count(None)
        most, no_most = sum(end for end in highs if end is not None), highs.count(None)
        if row.low is not None and not no_most and most < row.low:
            raise _Contradiction
        if row.high is not None and not no_least and least > row.high:
            raise _Contradiction
        narrowed = []
        for unknown, (down, up) in ends.items():
            factor = row.terms[unknown]
            if not factor:
                continue
            # factor · unknown is at least `below` and at most `above`
            below = row.low - (most - (up or 0)) if row.low is not None and no_most == (up is None) else None
            above = row.high - (least - (down or 0)) if row.high is not None and no_least == (down is None) else None
            if factor < 0:
                below, above = above, below
            low = self.low[unknown] if below is None else max(self.low[unknown], -(-below // factor))
            high = self.high[unknown]
            if above is not None:
                high = above // factor if high is None else min(high, above // factor)
            if high is not None and high < low:
                raise _Contradiction
            if low != self.low[unknown] or high != self.high[unknown]:
                self.low[unknown], self.high[unknown] = low, high
                narrowed.append(unknown)
        return narrowed

    def _is_open(self, unknown: Unknown) -> bool:
        return self.low[unknown] != self.high[unknown]

    def _binds(self, row: _Row) -> bool:
        """Whether the bounds of its unknowns alone do not make it true."""
        ends = [self._ends(unknown, factor) for unknown, factor in row.terms.items()]
        least = [end for end, _ in ends if end is not None]
        most = [end for _, end in ends if end is not None]
        low = row.low is None or (len(least) == len(ends) and sum(least) >= row.low)
        high = row.high is None or (len(most) == len(ends) and sum(most) <= row.high)
        return not (low and high)

    def _parts(self) -> dict[Unknown, _Part]:
        """The part of every open unknown: linked unknowns with their equations."""
        leader = {unknown: unknown for unknown in self.low if self._is_open(unknown)}

        def root(unknown: Unknown) -> Unknown:
            while leader[unknown] != unknown:
                leader[unknown] = leader[leader[unknown]]
                unknown = leader[unknown]
            return unknown

        def join(unknowns: Sequence[Unknown]) -> None:
            for other in unknowns[1:]:
                leader[root(other)] = root(unknowns[0])

        binding = [row for row in self.rows if self._binds(row)]
        for row in binding:
            join([unknown for unknown in row.terms if unknown in leader])
        for pair in self.equations.wholes:  # a whole less its part is examined as one
            for atom in range(len(self.equations.atoms)):
                join([(count, atom) for count in pair if (count, atom) in leader])
        parts: dict[Unknown, _Part] = {}
        for unknown in leader:
            parts.setdefault(root(unknown), _Part(self)).unknowns.append(unknown)
        for row in binding:
            first = next((unknown for unknown in row.terms if unknown in leader), None)
            if first is not None:
                parts[root(first)].rows.append(row)
        return {unknown: parts[root(unknown)] for unknown in leader}

    def _entry(self, count: str, less: str, atom: int) -> _Entry:
        factors = {(count, atom): 1} | ({(less, atom): -1} if less else {})
        terms = {unknown: factor for unknown, factor in factors.items() if unknown in self.part_of}
        constant = sum(factor * self.low[unknown] for unknown, factor in factors.items() if unknown not in terms)
        return _Entry(atom, terms, constant)

    def range_of(self, counts: Sequence[tuple[str, str, int]]) -> tuple[int, int | None]:
        entries = [self._entry(*one) for one in counts]
        low = high = sum(entry.known for entry in entries)
        factors: dict[int, dict[Unknown, int]] = {}
        parts: dict[int, _Part] = {}
        for entry in entries:
            for unknown, factor in entry.terms.items():
                part = self.part_of[unknown]
                parts[id(part)] = part
                coefficients = factors.setdefault(id(part), {})
                coefficients[unknown] = coefficients.get(unknown, 0) + factor
        unbounded = False
        for key, part in parts.items():
            least, most = part.ends(factors[key])
            low += least
            unbounded |= most is None
            high += most or 0
        return low, None if unbounded else high

    def derived(self, least: int, people: bool) -> EquationSearch:
        result: list[Derived] = []
        left = 0
        for part in {id(part): part for part in self.part_of.values()}.values():
            part.require_solution(people)
        whole = {one.bottom for one in self.equations.ratios} | {one.top for one in self.equations.ratios}
        whole |= set(self.equations.parts.values())
        families = [(count, "") for count in self.equations.counts if people or count != PEOPLE or count in whole]
        families += [(whole, part) for part, whole in self.equations.wholes]
        for count, less in families:
            waiting: dict[int, tuple[_Part, list[_Entry]]] = {}
            for atom in range(len(self.equations.atoms)):
                entry = self._entry(count, less, atom)
                if entry.terms:
                    part = self.part_of[next(iter(entry.terms))]
                    waiting.setdefault(id(part), (part, []))[1].append(entry)
                elif 0 < entry.known < least:
                    result.append(Derived(count, less, (atom,), entry.known, entry.known))
            for part, entries in waiting.values():
                if part.only_people and not people:
                    continue
                try:
                    for subset in part.sets_within(entries, least):
                        low, high = self.range_of([(count, less, entry.atom) for entry in subset])
                        atoms = tuple(entry.atom for entry in subset)
                        result.append(Derived(count, less, atoms, low, least - 1 if high is None else high))
                except _TooMuch:
                    left += len(entries)
        return EquationSearch(tuple(result), left, False)


class _Part:
    """Linked unknowns, and solutions of their equations."""

    def __init__(self, system: _System) -> None:
        self.system = system
        self.unknowns: list[Unknown] = []
        self.rows: list[_Row] = []
        self.solutions: list[dict[Unknown, int]] = []

    @property
    def only_people(self) -> bool:
        return all(count == PEOPLE for count, _ in self.unknowns)

    @property
    def is_plain(self) -> bool:
        """Whether it is one unknown that may be anything between its bounds."""
        return len(self.unknowns) == 1 and self.system.settled

    def require_solution(self, people: bool) -> None:
        """Raise `_Contradiction` if there is none."""
        if self.is_plain or (self.only_people and not people):
            return
        try:
            if self._solution([]) is None:
                raise _Contradiction
        except _TooMuch:
            return

    def ends(self, factors: Mapping[Unknown, int]) -> tuple[int, int | None]:
        """The exact range of a sum of unknowns."""
        if self.is_plain:
            ((unknown, factor),) = factors.items()
            low, high = self.system._ends(unknown, factor)
            return low or 0, high  # factors of a single unknown that has no end are not below 0
        least, most = self._solution([], factors, -1), self._solution([], factors, 1)
        if least is None or most is None:
            raise _Contradiction
        low, high = (sum(factor * one[unknown] for unknown, factor in factors.items()) for one in (least, most))
        free = any(most[unknown] >= self._cap and self.system.high[unknown] is None for unknown in factors)
        return low, None if free else high

    def sets_within(self, entries: Sequence[_Entry], least: int) -> list[list[_Entry]]:
        """Sets of entries that have from 1 to `least` - 1 in every solution, as `EquationSearch` says."""
        if self.is_plain:
            ends = [(entry, self.ends(entry.terms)) for entry in entries]
            return [
                [entry]
                for entry, (low, high) in ends
                if high is not None and entry.known + low > 0 and entry.known + high < least
            ]
        light = [entry for entry in entries if not self._can([entry], least, None)]
        if not light or self._can(light, None, 0):
            return []
        alone = [[entry] for entry in light if not self._can([entry], None, 0)]
        return alone or self._smallest(self._set_of(light, least))

    def _can(self, entries: Sequence[_Entry], low: int | None, high: int | None) -> bool:
        """Whether some solution has at least `low` and at most `high` in these together."""
        constant = sum(entry.known for entry in entries)
        for solution in self.solutions:
            value = sum(entry.of(solution) for entry in entries)
            if (low is None or value >= low) and (high is None or value <= high):
                return True
        factors: dict[Unknown, int] = {}
        for entry in entries:
            for unknown, factor in entry.terms.items():
                factors[unknown] = factors.get(unknown, 0) + factor
        constraint = _Row(factors, None if low is None else low - constant, None if high is None else high - constant)
        return self._solution([constraint]) is not None

    def _set_of(self, light: Sequence[_Entry], least: int) -> list[_Entry]:
        """A set that has from 1 to `least` - 1 in every solution; empty if there is none.

        Choose a set for which this is true in all known solutions, then look for a solution in which it is not.
        """
        chosen = list(light)
        for _ in range(MOST_ROUNDS):
            if not self._can(chosen, least, None) and not self._can(chosen, None, 0):
                return chosen
            selected = self._chosen(light, least)
            if selected is None:
                return []
            chosen = selected
        raise _TooMuch

    def _chosen(self, light: Sequence[_Entry], least: int) -> list[_Entry] | None:
        from ortools.sat.python import cp_model

        model = cp_model.CpModel()
        selected = [model.new_bool_var("") for _ in light]
        for values in {tuple(entry.of(solution) for entry in light) for solution in self.solutions}:
            model.add_linear_constraint(cp_model.LinearExpr.weighted_sum(selected, values), 1, least - 1)
        solver = self._solved(model)
        return (
            None
            if solver is None
            else [entry for entry, variable in zip(light, selected, strict=True) if solver.value(variable)]
        )

    def _smallest(self, entries: Sequence[_Entry]) -> list[list[_Entry]]:
        """The same without unnecessary entries."""
        subset = list(entries)
        for entry in entries:
            rest = [other for other in subset if other is not entry]
            if rest and not self._can(rest, None, 0):
                subset = rest
        return [subset] if subset else []

    @cached_property
    def _cap(self) -> int:
        """The upper bound of unknowns without one."""
        largest = max((sum(map(abs, row.terms.values())) for row in self.rows), default=1)
        return min(LARGEST, LARGEST_SUM // max(1, largest))

    @cached_property
    def _model(self) -> tuple[CpModel, dict[Unknown, IntVar]]:
        from ortools.sat.python import cp_model

        system = self.system
        tops = {unknown: system.high[unknown] for unknown in self.unknowns}
        finite = [top for top in tops.values() if top is not None]
        if len(self.unknowns) > MOST or self._cap < 1 << 31 or max(finite, default=0) > self._cap:
            raise _TooMuch
        model = cp_model.CpModel()
        variables = {
            unknown: model.new_int_var(system.low[unknown], self._cap if top is None else top, "")
            for unknown, top in tops.items()
        }
        for row in self.rows:
            _add(model, variables, row, system)
        return model, variables

    def _solution(
        self, further: Sequence[_Row], factors: Mapping[Unknown, int] | None = None, sign: int = 1
    ) -> dict[Unknown, int] | None:
        """A solution with further equations that maximizes `sign` · a sum; None if there is none."""
        from ortools.sat.python import cp_model

        base, variables = self._model
        model = base.clone()
        copies = {unknown: model.get_int_var_from_proto_index(one.index) for unknown, one in variables.items()}
        for row in further:
            _add(model, copies, row, self.system)
        if factors is not None:
            terms = [copies[unknown] for unknown in factors]
            model.maximize(cp_model.LinearExpr.weighted_sum(terms, [sign * factor for factor in factors.values()]))
        solver = self._solved(model)
        if solver is None:
            return None
        solution = {unknown: solver.value(one) for unknown, one in copies.items()}
        self.solutions.append(solution)
        return solution

    def _solved(self, model: CpModel) -> Any:
        """The solver with its answer; None if there is none."""
        from ortools.sat.python import cp_model

        if self.system.effort > ALL_EFFORT:
            raise _TooMuch
        solver = solver_for(0, EFFORT)
        status = solver.solve(model)
        self.system.effort += solver.response_proto.deterministic_time
        if status == cp_model.INFEASIBLE:
            return None
        if status != cp_model.OPTIMAL:
            raise _TooMuch
        return solver


def _add(model: CpModel, variables: Mapping[Unknown, IntVar], row: _Row, system: _System) -> None:
    """A row as a constraint of the solver, with what is known subtracted from its bounds."""
    from ortools.sat.python import cp_model

    open_ones = [unknown for unknown in row.terms if unknown in variables]
    constant = sum(factor * system.low[unknown] for unknown, factor in row.terms.items() if unknown not in variables)
    low = -LARGEST_SUM if row.low is None else row.low - constant
    high = LARGEST_SUM if row.high is None else row.high - constant
    terms = [variables[unknown] for unknown in open_ones]
    model.add_linear_constraint(
        cp_model.LinearExpr.weighted_sum(terms, [row.terms[unknown] for unknown in open_ones]), low, high
    )
