"""3-satisfiability → gathering at radius 1 (Aggarwal et al., section 2.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations, product

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.words import counted
from kanon_engine.teaching.reductions.model import (
    Carried,
    Gadget,
    Reduction,
    SourceProblem,
    decided,
    up_to_names,
)

K = 7  # the smallest r for which the proof holds
APART = 3.0  # between two variables in a picture


def build(source: Formula, mutation: str | None = None) -> Carried:
    """Two points and five others for each variable, a point for each clause, k = 7 and a radius of 1."""
    k = K + {"k is 6": -1, "r is 6": -1, "k is 8": 1}.get(mutation or "", 0)
    others = (
        K
        - 2
        + {"each variable has only four extra points": -1, "r is 6": -1, "each variable has six extra points": 1}.get(
            mutation or "", 0
        )
    )
    radius = {"the largest radius allowed is 0": 0, "the largest radius allowed is 2": 2}.get(mutation or "", 1)
    gadgets, places, edges = [], [], []
    ids: list[str] = []
    for variable in range(source.variables):
        true, false = len(ids), len(ids) + 1
        ids += [f"x{variable + 1} true", f"x{variable + 1} false"]
        middle = APART * variable
        places += [(middle - 0.7, 0.0), (middle + 0.7, 0.0)]
        if mutation != "each variable's points “true” and “false” are not joined":
            edges.append((true, false))
        for number in range(others):
            edges.append((true, len(ids)))
            if mutation != "each variable's extra points are joined only to its point “true”":
                edges.append((false, len(ids)))
            ids.append(f"x{variable + 1} extra {number + 1}")
            places.append((middle + 0.35 * (number - (others - 1) / 2), -1.0))
        name = f"variable x{variable + 1}"
        chosen = f"x{variable + 1} is true if the first point is a center, and false if the second point is a center"
        gadgets.append(Gadget(f"points for the values true and false of {name}", "value", chosen, (true, false)))
        points = tuple(range(false + 1, len(ids)))
        gadgets.append(
            Gadget(
                f"extra points of {name}",
                "extra point",
                "a variable and its clauses have too few points for two groups, one around its point “true” and "
                "one around its point “false”",
                points,
            )
        )
    centers = {name: place for place, name in enumerate(ids)}
    for number, clause in enumerate(source.clauses):
        points = tuple(range(len(ids), len(ids) + (2 if mutation == "each clause has two points" else 1)))
        for point in points:
            for literal in clause[1:] if mutation == "the first literal of each clause is left out" else clause:
                true = literal > 0 or mutation == "the word “not” is ignored in clauses"
                edges.append((centers[f"x{abs(literal)} {'true' if true else 'false'}"], point))
            ids.append(f"clause {number + 1}" + " again" * (point > points[0]))
            across = APART * (source.variables - 1) * (number + 0.5) / len(source.clauses)
            places.append((across, 1.5 + point - points[0]))
        literals = " or ".join(f"{'' if literal > 0 else 'not '}x{abs(literal)}" for literal in clause)
        gadgets.append(Gadget(f"clause {number + 1}", "clause", f"the clause demands: {literals}", points))
    space = MetricSpace(_distances(len(ids), edges), "precomputed", ids=ids)
    return Carried(space, k, radius, tuple(gadgets), np.array(places))


def _distances(count: int, edges: list[tuple[int, int]]) -> np.ndarray:
    """(n, n) lengths of shortest paths; n if there is none, so that it is still a metric."""
    ends = np.array(edges).reshape(-1, 2).T
    graph = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(count, count))
    lengths = shortest_path(graph.tocsr(), directed=False, unweighted=True)
    return np.where(np.isinf(lengths), float(count), lengths)


def forth(source: Formula, carried: Carried, solution: tuple[bool, ...]) -> np.ndarray:
    """A class for each variable, with the clauses whose first true literal is of that variable."""
    size = (len(carried.instance) - len(source.clauses)) // source.variables
    owners = [
        next(abs(literal) - 1 for literal in clause if solution[abs(literal) - 1] == (literal > 0))
        for clause in source.clauses
    ]
    return np.array([*np.repeat(np.arange(source.variables), size), *owners], dtype=np.int32)


def read(source: Formula, carried: Carried, assignment: np.ndarray) -> tuple[bool, ...]:
    """A variable is true if the class of its others is within 1 of its point for true."""
    within = carried.instance.between(np.arange(len(carried.instance))) <= carried.threshold
    values = [gadget.items for gadget in carried.gadgets if gadget.kind == "value"]
    others = [gadget.items for gadget in carried.gadgets if gadget.kind == "extra point"]
    owners = assignment[[members[0] for members in others]]
    return tuple(
        bool(within[true, assignment == owner].all()) for (true, _), owner in zip(values, owners.tolist(), strict=True)
    )


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """The class that is too small or too wide, with one of its points; "" if the classes meet k and the threshold."""
    if name := carried.unassigned(assignment):
        return f"A point of the part “{name}” is in no group."
    distances = carried.instance.between(np.arange(len(carried.instance)))
    for members in members_of(assignment):
        of = carried.gadget_of(int(members[0])).name if len(members) else "none"
        if len(members) < carried.k:
            points = counted(len(members), "point")
            return f"The group with a point of the part “{of}” has {points}, below k = {carried.k}."
        radius = float(distances[:, members].max(axis=1).min())
        if radius > carried.threshold:
            return (
                f"The group with a point of the part “{of}” has a radius of {radius:g}, but at most "
                f"{carried.threshold:g} is allowed."
            )
    return ""


# ---------------------------------------------------------------------------------------------------------------------
# 3-satisfiability: can variables be set so that each clause of at most three literals has a true one?
# ---------------------------------------------------------------------------------------------------------------------


Clause = tuple[int, ...]
MOST_TIMES = 3  # clauses that a literal may be in
MOST_CLAUSES = {1: 6, 2: 5, 3: 3}  # of the tiny formulas, by number of variables
LARGEST = 6  # variables, and twice as many clauses, that a person may enter


@dataclass(frozen=True)
class Formula:
    """Clauses of literals: i for the variable i, -i for its complement, variables from 1.

    >>> Formula(2, ((1, -2), (2,))).holds((True, True))
    True
    """

    variables: int
    clauses: tuple[Clause, ...]  # each of one to three literals, of different variables

    def __post_init__(self) -> None:
        if self.variables < 1:
            raise InvalidInput("There is no variable; give clauses, for example 1 -2; 2 3.")
        times = Counter(literal for clause in self.clauses for literal in clause)
        for clause in self.clauses:
            literals = " ".join(str(literal) for literal in clause)
            if not 1 <= len(clause) <= 3:
                raise InvalidInput(f"The clause “{literals}” has {len(clause)} literals; give one, two or three.")
            if not all(1 <= abs(literal) <= self.variables for literal in clause):
                raise InvalidInput(
                    f"The clause “{literals}” uses a variable that is not numbered 1 to {self.variables}."
                )
            if len({abs(literal) for literal in clause}) < len(clause):
                raise InvalidInput(
                    f"The clause “{literals}” uses a variable twice; use each variable only once in a clause."
                )
            for literal in clause:
                if times[literal] > MOST_TIMES:
                    raise InvalidInput(
                        f"The literal {literal} is in {times[literal]} clauses; use each literal in at most three."
                    )

    def holds(self, setting: tuple[bool, ...]) -> bool:
        """Whether each clause has a true literal under this setting of the variables."""
        return all(any(setting[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in self.clauses)


def parse(text: str) -> Formula:
    """Parse clauses from a line such as "1 -2; 2 3", a minus for a complement; "4: 1 -2" has 4 variables.

    >>> parse("1 -2; 2 3").variables, parse("4: 1 -2").clauses
    (3, ((1, -2),))
    """
    head, colon, rest = text.rpartition(":")
    clauses = []
    for part in filter(str.strip, rest.split(";")):
        words = part.replace(",", " ").split()
        for word in words:
            if not re.fullmatch(r"-?[1-9][0-9]{0,2}", word):
                raise InvalidInput(
                    f"“{word}” is not a literal; write 2 for the second variable, or -2 for “not” that variable."
                )
        clauses.append(tuple(int(word) for word in words))
    if colon and not re.fullmatch(r"\s*[0-9]{1,3}\s*", head):
        raise InvalidInput(
            f"“{head.strip()}” cannot be the number of variables; begin with that number, for example 4: 1 -2."
        )
    variables = int(head) if colon else max((abs(one) for clause in clauses for one in clause), default=0)
    if variables > LARGEST or len(clauses) > 2 * LARGEST:
        raise InvalidInput(f"At most {LARGEST} variables and {2 * LARGEST} clauses are allowed.")
    return Formula(variables, tuple(clauses))


def text(instance: Formula) -> str:
    """The line that `parse` reads."""
    clauses = "; ".join(" ".join(str(literal) for literal in clause) for clause in instance.clauses)
    return f"{instance.variables}: {clauses}"


def solve(instance: Formula) -> tuple[bool, ...] | None:
    """A setting of the variables that makes every clause true, or None; by backtracking.

    >>> solve(parse("1 -2; 2")), solve(parse("1; -1"))
    ((True, True), None)
    """

    def settings(setting: tuple[bool, ...]) -> Iterator[tuple[bool, ...]]:
        for clause in instance.clauses:
            is_set = [abs(literal) <= len(setting) for literal in clause]
            true = (setting[abs(one) - 1] == (one > 0) for one, there in zip(clause, is_set, strict=True) if there)
            if all(is_set) and not any(true):
                return
        if len(setting) == instance.variables:
            yield setting
            return
        for value in (True, False):
            yield from settings((*setting, value))

    return next(settings(()), None)


def check(instance: Formula, solution: tuple[bool, ...]) -> bool:
    """Whether it sets every variable and makes every clause true."""
    return len(solution) == instance.variables and instance.holds(solution)


def tiny() -> Iterator[Formula]:
    """Formulas of up to 3 variables: fewer variables first, then fewer clauses.

    Of those that differ only in variable names, or in which value of a variable is called true, one is given.

    >>> from itertools import islice
    >>> [text(instance) for instance in islice(tiny(), 5)]
    ['1: ', '1: -1', '1: -1; -1', '1: -1; 1', '1: -1; -1; -1']
    """
    for variables, most in MOST_CLAUSES.items():
        every = [
            tuple(sign * one for sign, one in zip(signs, chosen, strict=True))
            for size in range(1, min(variables, 3) + 1)
            for chosen in combinations(range(1, variables + 1), size)
            for signs in product((-1, 1), repeat=size)
        ]
        renamed = [
            {
                literal: side * sign * new
                for old, (sign, new) in enumerate(zip(signs, names, strict=True), 1)
                for side, literal in ((1, old), (-1, -old))
            }
            for names in permutations(range(1, variables + 1))
            for signs in product((-1, 1), repeat=variables)
        ]
        images = [{clause: tuple(sorted((new[one] for one in clause), key=abs)) for clause in every} for new in renamed]
        for level in up_to_names(every, images, most, _rare):
            yield from (Formula(variables, clauses) for clauses in level)


def _rare(clauses: tuple[Clause, ...]) -> bool:
    """Whether no literal is in more than three clauses."""
    return max(Counter(literal for clause in clauses for literal in clause).values()) <= MOST_TIMES


SATISFIABILITY = SourceProblem.of(
    "3-satisfiability", "formula_figure", tiny=tiny, solve=solve, check=check, parse=parse, text=text
)

TO_CLUSTERS = Reduction.of(
    "satisfiability-to-gather",
    "items_figure",
    source=SATISFIABILITY,
    family="clusters",
    build=build,
    forth=forth,
    read=read,
    decide=partial(decided, algorithm="exact", cost="radius", centers="input"),
    fault=fault,
)
