"""All classes of a narrow part of the map made anew at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.regions.frontier import classes_between, order_of
from kanon_engine.regions.frontier.refutation import part_of
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.search.parts import parts_of, sums_of

NARROW = 10  # the widest frontier
AREAS = 500  # the largest part
STATES, ALIKE = 2_000, 4  # kept after an area, and of those that are alike
ROUNDS = 5  # at most; in each four times as many of both are kept
FINENESS = 1_000  # a cap that stays open is raised by this part of it


def narrowed(
    graph: Graph,
    k: int,
    label: np.ndarray,
    bound: int,
    work: int,
    generator: np.random.Generator,
    admits: Callable[[np.ndarray, np.ndarray], bool],
    goes_on: Callable[[float, int], bool],
) -> tuple[np.ndarray, int]:
    """Classes with a smaller largest one, by bisection over caps along a frontier with a beam; and a bound on it.

    Parts of the map with a frontier of more than `NARROW` areas stay as they are. A cap that is refuted without a beam
    raises the bound, by the search's word.

    Parameters
    ----------
    graph : Graph
    k : int
    label : (n,) int64 array
        Connected classes of weight >= k.
    bound : int
        No largest class is below it.
    work : int
        What all questions may take together, in ways to add an area to a state.
    generator : Generator
    admits : callable
        ``admits(members, labels)``: whether these areas may be classes so.
    goes_on : callable
        ``goes_on(share, largest)``: asked before each question, with the share of the work that is done.

    Returns
    -------
    labels : (n,) int64 array
    bound : int

    Example
    -------
    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([3, 1, 1, 4]))
    >>> generator, yes = np.random.default_rng(0), lambda *_: True
    >>> narrowed(path, 3, np.zeros(4, np.int64), 4, 10**6, generator, yes, yes)
    (array([0, 0, 1, 1]), 5)
    """
    label, spent, n = label.copy(), 0, len(label)
    part_number = parts_of(np.column_stack([np.repeat(np.arange(n), np.diff(graph.start)), graph.neighbours]), n)
    for number in range(int(part_number.max()) + 1):
        members = np.flatnonzero(part_number == number)
        part = part_of(graph, members)[0]
        if not 1 < len(members) <= AREAS or _largest(part, label[members]) <= bound:
            continue
        order = order_of(part)
        if order.width > NARROW:
            continue
        own, low, going = label[members], bound, True
        for more in (4**number for number in range(ROUNDS)):
            least = low  # caps below are left for the next round
            while going and least < (largest := _largest(part, own)) and spent < work:
                going = goes_on(spent / work, largest)
                if not going:
                    break
                cap = (least + largest - 1) // 2
                answer = classes_between(
                    part,
                    k,
                    cap,
                    limit=STATES * more,
                    beam=True,
                    order=order,
                    generator=generator,
                    chain=ALIKE * more,
                    most=work - spent,
                )
                spent += answer.states + 1
                if answer.labels is not None and admits(members, answer.labels):
                    own = answer.labels
                elif answer.verdict == "impossible":
                    low = least = cap + 1
                else:
                    least = cap + max(1, cap // FINENESS)
        label[members] = own + n
        bound = max(bound, low)
    return np.unique(label, return_inverse=True)[1].astype(np.int64), bound


def _largest(part: Graph, own: np.ndarray) -> int:
    return int(sums_of(part.weights, own).max())
