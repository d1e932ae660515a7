"""The balanced kd-tree: the cuts of its first tree, and what each new cutting of the heaviest changed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.model.step import Inequality, Step, changed_between
from kanon_engine.model.words import counted
from kanon_engine.rectangles import ALGORITHMS
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.snap import grid_of
from kanon_engine.rectangles.steps import BoxState
from kanon_engine.rectangles.steps.cuts import ask_line, cut_steps, merged_step, uncut_step
from kanon_engine.rectangles.steps.kd_tree import worse_side
from kanon_engine.rectangles.steps.lines import Line, Lines
from kanon_engine.rectangles.steps.tilings import Tiling
from kanon_engine.stepping import carried_back

MOST = 50  # new cuttings that are told; of more the first and the last
CHOSEN = "a line after which the largest group on either side can be smallest"
PROMPT = "The outlined rectangle is cut so that the largest group on either side can be smallest. Where?"


def steps(points: Points, g: Generalization) -> Iterator[Step]:
    """The cuts of the first tree, then each tree with some rectangles cut anew, up to the result.

    The algorithm is run again and listened to.

    Parameters
    ----------
    points : Points
    g : Generalization
        A result of `balanced-kd-tree`.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = Points([(x, 0) for x in range(10)])
    >>> for step in steps(line, kanon.generalize(line, 3)):
    ...     print(step.inequality.text)
    total ≥ k: 10 ≥ 3
    lighter side ≥ k: 4 ≥ 3
    lighter side ≥ k: 3 ≥ 3
    lighter side of the best line < k: 2 < 3
    """
    trees = _trees(points, g)
    numbers = carried_back([*(made.assignment for made in trees), g.assignment])[:-1]
    snap = g.options["snap"]
    cells = points if snap is None else grid_of(points, snap).points
    bound = lower_bound(cells, g.k).value
    first: Any = trees[0].details
    tiling = Tiling(points, first.rectangles, first.splits, trees[0].assignment, numbers[0])

    def as_good(line: Line, made: Line) -> bool:
        return max(bound, worse_side(line, g.k)) == max(bound, worse_side(made, g.k))

    lines = Lines(points, snap)
    yield from cut_steps(points, g, tiling, CHOSEN, partial(ask_line, lines=lines, as_good=as_good, prompt=PROMPT))
    uncut = uncut_step(points, g, tiling, lines)
    yield uncut
    before: BoxState = uncut.state
    for made, own in zip(trees[1:], numbers[1:], strict=True):
        state = _state(points, made, own)
        changed = changed_between(before.assignment, state.assignment)
        told = _told(points, before, state, changed)
        least = Inequality(int(state.weights.max()), "≥", bound, "largest group ≥ proven bound")
        yield Step(state, changed, told, least)
        before = state
    if g.classes < len(np.unique(trees[-1].assignment)):
        yield merged_step(points, g, before)


def _trees(points: Points, g: Generalization) -> list[Outcome]:
    """The first tree, the better ones that were found, and what the algorithm returned."""
    found: list[Outcome] = []

    def heard(said: Progress) -> bool:
        if said.solution is not None:
            made = said.solution()
            if not found or not np.array_equal(made.assignment, found[-1].assignment):
                del found[MOST:]
                found.append(made)
        return True

    last = ALGORITHMS[g.algorithm].function(points, g.k, Run(g.seed, None, heard), **g.options)
    if not found or not np.array_equal(found[-1].assignment, last.assignment):
        found.append(last)
    return found


def _state(points: Points, made: Outcome, numbers: np.ndarray) -> BoxState:
    details: Any = made.details
    tiling = Tiling(points, details.rectangles, details.splits, made.assignment, numbers)
    return tiling.after(len(details.splits), 0, 0)


def _told(points: Points, before: BoxState, state: BoxState, changed: np.ndarray) -> str:
    old, new = int(before.weights.max()), int(state.weights.max())
    return (
        f"The heaviest rectangle is cut anew with its neighbours: {counted(len(changed), 'point')} changed the group, "
        f"and the largest holds {new:,} {points.unit} where it was {old:,}."
    )
