"""Break a reduction: the smallest source that it answers wrongly."""

from __future__ import annotations

from itertools import islice
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.reductions.model import Difference, Mutation, Reduction

SOURCES = 1000  # that are tried before a construction is said to stand


def broken(reduction: Reduction, mutation: str | None, limit: int = SOURCES) -> Difference | None:
    """The first of the source's tiny instances where source and target differ.

    Every answer of “yes” is checked: the solution by the source's problem, the classes against k and the threshold.

    Parameters
    ----------
    reduction : Reduction
    mutation : str or None
        Name of one of its mutations; None for the construction as it is.
    limit : int
        How many sources are tried.

    Returns
    -------
    Difference or None
        None where all answers are the same.

    Raises
    ------
    InvalidInput
        No mutation has this name.

    Example
    -------
    >>> from kanon_engine.reductions import reduction_named
    >>> reduction = reduction_named("matching-to-paths")
    >>> found = broken(reduction, "no connector")
    >>> reduction.source.text(found.source), found.of_source, found.of_target
    ('1: 1 1 1', True, False)
    >>> broken(reduction, None, limit=10) is None
    True
    """
    change = None if mutation is None else mutation_named(reduction, mutation)
    for source in islice(reduction.source.tiny(), limit):
        difference = difference_at(reduction, source, change)
        if difference is not None:
            return difference
    return None


def difference_at(reduction: Reduction, source: Any, mutation: Mutation | None) -> Difference | None:
    """Whether this source is answered wrongly, and how."""
    carried = reduction.build(source, None if mutation is None else mutation.name)
    solution, assignment = reduction.source.solve(source), reduction.decide(carried)
    if solution is not None and not reduction.source.check(source, solution):
        raise InvalidInput(f"{solution} does not solve {reduction.source.text(source)}; the search for it is wrong.")
    if assignment is not None and (fault := reduction.fault(carried, assignment)):
        raise InvalidInput(f"The classes of {reduction.source.text(source)} are wrong: {fault}")
    if (solution is None) == (assignment is None):
        return None
    return Difference(source, mutation, solution is not None, assignment is not None, solution, carried, assignment)


def mutation_named(reduction: Reduction, name: str) -> Mutation:
    """The mutation of this name, or `InvalidInput` with a list."""
    for mutation in reduction.mutations:
        if mutation.name == name:
            return mutation
    known = ", ".join(mutation.name for mutation in reduction.mutations)
    raise InvalidInput(f"{reduction.title} has no mutation {name!r}; choose one of {known}.")
