"""The exact search: its start, and the tiling that it found, cut by cut or rectangle by rectangle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted
from kanon_engine.rectangles.exact import best_cuts
from kanon_engine.rectangles.grid import grid_of
from kanon_engine.rectangles.instance import Points
from kanon_engine.teaching.rectangles import (
    MOST_CUTS,
    CutLines,
    OfferedLine,
    RectanglesState,
    Tiling,
    cut_steps,
    line_question,
    result_state,
)
from kanon_engine.teaching.step import Inequality, Step, StepQuestion, spans

FEW = 12  # points of a rectangle up to which a question tries all cuts on both sides of a line
CHOSEN = "one of the cuts that lead to the result"


def exact_steps(points: Points, g: Generalization) -> Iterator[Step]:
    """The cuts that make the result, or its rectangles one by one if no cuts do; then the proof.

    The search considers all rectangles of a grid at once, so its own order would show nothing.

    >>> import kanon_engine as kanon
    >>> pinwheel = Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, 2, 1, 1, 1, 1])
    >>> g = kanon.generalize(pinwheel, 2, "exact", guillotine=False)
    >>> [len(step.state.boxes) for step in exact_steps(pinwheel, g)]
    [1, 1, 2, 3, 4, 5, 5]
    """
    steps_of = _by_cuts if len(g.details.splits) == g.classes - 1 else _by_tiles
    yield from steps_of(points, g)
    state = result_state(points, g)
    if g.cost == g.lower_bound:
        why = f"The largest of these {counted(g.classes, 'group')} is proven to be as small as possible."
    else:
        why = (
            f"The largest group holds at least {g.lower_bound:,} in any solution. Whether it can be below "
            f"{g.cost:,} is unknown."
        )
    decided = Inequality(g.cost, "≥", g.lower_bound, "largest group ≥ proven bound")
    yield Step(state, why, decided)


def _by_cuts(points: Points, g: Generalization) -> Iterator[Step]:
    tiling = Tiling(points, g.details, g.assignment, g.assignment)
    lines = CutLines(points, g.options["snap"])

    def ask(tiling: Tiling, number: int) -> StepQuestion | None:
        part = int(tiling.parents[number])
        members = tiling.members(part)
        if len(members) > FEW or g.require:
            return None
        cap = int(tiling.weights[tiling.leaf_of[np.unique(g.assignment[members])]].max())
        every = lines.across(members)
        right = [line for line in every if _divides(lines.points, members, line, g.k, cap)]
        prompt = f"After which cut of the outlined rectangle can all groups stay at {cap:,} or below?"
        return line_question(every, right, tiling.boxes[part], prompt)

    yield from cut_steps(points, g, tiling, CHOSEN, ask)


def _divides(points: Points, members: np.ndarray, line: OfferedLine, k: int, cap: int) -> bool:
    """Whether cuts can divide both sides of a line into groups between k and the cap."""
    if line.lighter < k:
        return False
    above = points.xy[members, line.axis] >= line.at
    for side in (members[~above], members[above]):
        grid = grid_of(Points(points.xy[side], points.weights[side]), k, None)
        if best_cuts(grid, k, cap, False) is None:
            return False
    return True


def _by_tiles(points: Points, g: Generalization) -> Iterator[Step]:
    """One rectangle after another of a tiling that no cuts from side to side make."""
    bare = np.full(len(points), -1, dtype=np.int32)
    one, no_cuts = np.full(1, -1, dtype=np.int64), g.details.splits[:0]
    whole = RectanglesState(bare, points.box[None, :], np.array([points.total]), one, no_cuts, one)
    why = (
        f"All {points.total:,} {points.unit} are in one rectangle. Cuts from side to side cannot make the "
        "rectangles of the result."
    )
    yield Step(whole, why, Inequality(points.total, "≥", g.k, "total ≥ k"))
    most = points.total // g.k
    room = StepQuestion(
        f"Each group needs at least k {points.unit}. How many groups can there be at most?",
        (),
        (most,),
        1,
        2 * most + 1,
    )
    for first, stop in spans(g.classes, MOST_CUTS):
        assignment = np.where(g.assignment < stop, g.assignment, -1).astype(np.int32)
        boxes, weights = g.details.rectangles[:stop], g.class_weights[:stop]
        state = RectanglesState(assignment, boxes, weights, np.arange(stop), no_cuts, np.full(stop, -1, dtype=np.int64))
        weight = f"{int(weights[first:].min()):,}" if stop - first == 1 else f"{int(weights[first:].min()):,} or more"
        numbers = f"Rectangle {stop:,}" if stop - first == 1 else f"Each of the rectangles {first + 1:,} to {stop:,}"
        why = f"{numbers} of {g.classes:,} holds {weight} {points.unit}."
        least = Inequality(int(weights[first:].min()), "≥", g.k, "weight ≥ k")
        yield Step(state, why, least, room if first == 0 else None)
