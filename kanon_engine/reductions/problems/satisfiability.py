"""3-satisfiability: can variables be set so that each clause of at most three literals has a true one?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations, product

from kanon_engine.errors import InvalidInput
from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Problem

Clause = tuple[int, ...]
MOST_TIMES = 3  # that a literal may stand in clauses
MOST_CLAUSES = {1: 6, 2: 5, 3: 3}  # of the tiny formulas, by their number of variables
LARGEST = 6  # variables, and clauses twice as many, that a person may type


@dataclass(frozen=True)
class Formula:
    """Clauses of literals: i for the variable i, -i for its complement, variables from 1.

    Attributes
    ----------
    variables : int
    clauses : tuple of tuples of int
        Each of one to three literals, of different variables.

    Raises
    ------
    InvalidInput
        No variable or one that is not there, a clause of no literal or of more than three, a variable twice in a
        clause, or a literal in more than three clauses.

    Example
    -------
    >>> Formula(2, ((1, -2), (2,))).holds((True, True))
    True
    """

    variables: int
    clauses: tuple[Clause, ...]

    def __post_init__(self) -> None:
        if self.variables < 1:
            raise InvalidInput("There is no variable; give clauses, as in 1 -2; 2 3.")
        times: dict[int, int] = {}
        for clause in self.clauses:
            said = " ".join(str(literal) for literal in clause)
            if not 1 <= len(clause) <= 3:
                raise InvalidInput(f"The clause “{said}” has {len(clause)} literals; it may have one, two or three.")
            if not all(1 <= abs(literal) <= self.variables for literal in clause):
                raise InvalidInput(f"The clause “{said}” names a variable that is none of 1 to {self.variables}.")
            if len({abs(literal) for literal in clause}) < len(clause):
                raise InvalidInput(f"The clause “{said}” has a variable twice; name each once.")
            for literal in clause:
                times[literal] = times.get(literal, 0) + 1
                if times[literal] > MOST_TIMES:
                    raise InvalidInput(f"The literal {literal} is in more than three clauses.")

    def holds(self, setting: tuple[bool, ...]) -> bool:
        """Whether each clause has a literal that is true under this setting of the variables."""
        return all(any(setting[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in self.clauses)


def parse(text: str) -> Formula:
    """Clauses of a line such as "1 -2; 2 3", a minus for a complement; "4: 1 -2" says that there are 4 variables.

    Example
    -------
    >>> parse("1 -2; 2 3").variables, parse("4: 1 -2").clauses
    (3, ((1, -2),))
    """
    head, colon, rest = text.rpartition(":")
    clauses = []
    for part in filter(str.strip, rest.split(";")):
        words = part.replace(",", " ").split()
        for word in words:
            if not re.fullmatch(r"-?[1-9][0-9]{0,2}", word):
                raise InvalidInput(f"“{word}” is no literal; write 2 for the second variable, -2 for its complement.")
        clauses.append(tuple(int(word) for word in words))
    if colon and not re.fullmatch(r"\s*[0-9]{1,3}\s*", head):
        raise InvalidInput(f"“{head.strip()}” is no number of variables; begin as in 4: 1 -2.")
    variables = int(head) if colon else max((abs(one) for clause in clauses for one in clause), default=0)
    if variables > LARGEST or len(clauses) > 2 * LARGEST:
        raise InvalidInput(f"{LARGEST} variables and {2 * LARGEST} clauses are the most here.")
    return Formula(variables, tuple(clauses))


def text(instance: Formula) -> str:
    """The line that `parse` reads."""
    clauses = "; ".join(" ".join(str(literal) for literal in clause) for clause in instance.clauses)
    return f"{instance.variables}: {clauses}"


def solve(instance: Formula) -> tuple[bool, ...] | None:
    """A setting of the variables that makes every clause true, or None; variable after variable by backtracking.

    Example
    -------
    >>> solve(parse("1 -2; 2")), solve(parse("1; -1"))
    ((True, True), None)
    """

    def extended(setting: tuple[bool, ...]) -> tuple[bool, ...] | None:
        for clause in instance.clauses:
            known = [abs(literal) <= len(setting) for literal in clause]
            true = (setting[abs(one) - 1] == (one > 0) for one, there in zip(clause, known, strict=True) if there)
            if all(known) and not any(true):
                return None
        if len(setting) == instance.variables:
            return setting
        for value in (True, False):
            found = extended((*setting, value))
            if found is not None:
                return found
        return None

    return extended(())


def check(instance: Formula, solution: tuple[bool, ...]) -> bool:
    """Whether it sets every variable, and makes every clause true."""
    return len(solution) == instance.variables and instance.holds(solution)


def tiny() -> Iterator[Formula]:
    """Formulas of up to 3 variables: fewer variables first, then fewer clauses.

    Of those that differ only in the names of variables, and in which value of a variable is called true, one is told.

    Example
    -------
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
        renamings = [
            {
                clause: tuple(
                    sorted(
                        (signs[abs(one) - 1] * names[abs(one) - 1] * (1 if one > 0 else -1) for one in clause), key=abs
                    )
                )
                for clause in every
            }
            for names in permutations(range(1, variables + 1))
            for signs in product((-1, 1), repeat=variables)
        ]
        level: set[tuple[Clause, ...]] = {()}
        for count in range(most + 1):
            yield from (Formula(variables, clauses) for clauses in sorted(level))
            if count < most:
                grown = {tuple(sorted((*clauses, one))) for clauses in level for one in every}
                grown = {clauses for clauses in grown if _rare(clauses)}
                level = {min(tuple(sorted(new[one] for one in clauses)) for new in renamings) for clauses in grown}


def _rare(clauses: tuple[Clause, ...]) -> bool:
    """Whether no literal is in more than three clauses."""
    literals = [literal for clause in clauses for literal in clause]
    return all(literals.count(literal) <= MOST_TIMES for literal in literals)


SATISFIABILITY = Problem(
    name="3-satisfiability",
    title="3-satisfiability",
    asks="Can the variables be set so that each clause has a true literal?",
    tiny=tiny,
    solve=solve,
    check=check,
    parse=parse,
    text=text,
    example="1 2 -3; -1 3; -2 3; -1 -2",
    picture=Lazy("kanon_engine.reductions.plot.sources:formula_figure"),
)
