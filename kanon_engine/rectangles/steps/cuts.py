"""A tree of cuts as steps: which rectangle is cut, where, and what decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Inequality, Question, Step, changed_between
from kanon_engine.model.words import counted, number_text
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.steps import BoxState
from kanon_engine.rectangles.steps.lines import FEW, Line, Lines, asked_axis, asked_line
from kanon_engine.rectangles.steps.tilings import Tiling
from kanon_engine.stepping import spans

MOST = 190  # steps of cuts, fewer where each would hold very many points
HELD = 20_000_000  # points in all states together
LOOKED_AT = 20_000  # points up to which the lines of all rectangles are looked at in the end

AsGood = Callable[[Line, Line], bool]
Ask = Callable[[Tiling, int], Question | None]


def cut_steps(points: Points, g: Generalization, tiling: Tiling, chosen: str, ask: Ask) -> Iterator[Step]:
    """The bounding box, and cut after cut.

    Parameters
    ----------
    points : Points
    g : Generalization
        Whose k the words name.
    tiling : Tiling
    chosen : str
        Which line the algorithm takes, in words.
    ask : callable
        ``ask(tiling, number)``: what is asked before the cut of this number.
    """
    unit, k = points.unit, g.k
    state = tiling.after(0, 0, k)
    why = f"All {points.total:,} {unit} lie in one rectangle, the bounding box of {counted(len(points), 'point')}."
    enough = Inequality(points.total, "≥", k, "total ≥ k")
    yield Step(state, changed_between(None, state.assignment), why, enough)
    for first, stop in spans(len(tiling.splits), max(2, min(MOST, HELD // len(points)))):
        asked = ask(tiling, first)
        before, state = state, tiling.after(stop, stop - first, k)
        changed = changed_between(before.assignment, state.assignment)
        sides = tiling.weights[2 * first + 1 : 2 * stop + 1]
        decided = Inequality(int(sides.min()), "≥", k, "lighter side ≥ k")
        yield Step(state, changed, _of_cuts(tiling, first, stop, unit, chosen), decided, asked)


def uncut_step(points: Points, g: Generalization, tiling: Tiling, lines: Lines) -> Step:
    """That no line is left to cut along."""
    before, state = tiling.after(len(tiling.splits), 0, g.k), tiling.after(len(tiling.splits), 0, 0)
    best = _best_left(tiling, lines)
    none = None if best is None else Inequality(best, "<", g.k, "lighter side of the best line < k")
    why = (
        f"No line leaves k on both sides of any rectangle, so each is a group: {counted(len(state.boxes), 'group')}, "
        f"the largest with {int(state.weights.max()):,} {points.unit}."
    )
    changed = changed_between(before.assignment, state.assignment)
    return Step(state, changed, why, none, _last(points, best, g.k))


def ask_line(tiling: Tiling, number: int, lines: Lines, as_good: AsGood, prompt: str) -> Question | None:
    """Where the next cut goes, where few points are in the rectangle; else across which axis.

    Parameters
    ----------
    as_good : callable
        ``as_good(line, made)``: whether a line is as good an answer as the one that was taken.
    prompt : str
        How it is asked for.
    """
    part, axis = int(tiling.parents[number]), int(tiling.axes[number])
    members = tiling.members(part)
    if len(members) > FEW:
        return asked_axis(axis, tiling.boxes[part])
    every = lines.across(members)
    low = int(tiling.weights[2 * number + 1])
    made = next(line for line in every if (line.axis, line.low) == (axis, low))
    return asked_line(every, [line for line in every if as_good(line, made)], tiling.boxes[part], prompt)


def merged_step(points: Points, g: Generalization, before: BoxState) -> Step:
    """The result, after groups that missed what is required were joined with others."""
    state = result_state(points, g)
    why = f"Cuts are taken back, for a group missed what is required of each: {counted(g.classes, 'group')} are left."
    return Step(state, changed_between(before.assignment, state.assignment), why)


def result_state(points: Points, g: Generalization, latest: int = 0) -> BoxState:
    """The rectangles of a result."""
    rectangles, splits = g.details.rectangles, g.details.splits
    if len(splits) == g.classes - 1:
        made = Tiling(points, rectangles, splits, g.assignment, g.assignment)
        return made.after(len(splits), latest, 0)
    none = np.full(g.classes, -1, dtype=np.int64)
    return BoxState(g.assignment, rectangles, g.class_weights, np.arange(g.classes), splits, none)


def _of_cuts(tiling: Tiling, first: int, stop: int, unit: str, chosen: str) -> str:
    count = len(tiling.splits)
    if stop - first > 1:
        sides = tiling.weights[2 * first + 1 : 2 * stop + 1]
        return f"Cuts {first + 1:,} to {stop:,} of {count:,}. The parts hold {sides.min():,} to {sides.max():,} {unit}."
    low, high = tiling.weights[2 * first + 1 : 2 * first + 3].tolist()
    axis, at = int(tiling.axes[first]), float(tiling.splits[first, 2])
    kind = f"an upright line at x = {number_text(at)}" if axis == 0 else f"a level line at y = {number_text(at)}"
    split = f"{kind} splits {low + high:,} {unit} into {low:,} and {high:,}"
    return f"Cut {first + 1:,} of {count:,}: {split}. It is {chosen}."


def _best_left(tiling: Tiling, lines: Lines) -> int | None:
    """The heaviest lighter side that a line of some rectangle has; None where there is no line, or too many points."""
    if len(tiling.points) > LOOKED_AT:
        return None
    order = np.argsort(tiling.own, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(tiling.own[order])) + 1)
    return max((line.lighter for own in groups for line in lines.across(own)), default=None)


def _last(points: Points, best: int | None, k: int) -> Question | None:
    if best is None or len(points) > FEW:
        return None
    prompt = "No line is left at this k. What is the largest k at which one of these rectangles could still be cut?"
    return Question(prompt, (), (best,), 1, k)
