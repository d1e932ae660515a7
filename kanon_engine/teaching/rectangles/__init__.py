"""Steps on points: the state; the kd-tree and the balanced kd-tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.model.wishes import sums_of
from kanon_engine.model.words import counted, number_text
from kanon_engine.rectangles import ALGORITHMS
from kanon_engine.rectangles.bounds import lower_bound
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree_kernels import class_weight
from kanon_engine.rectangles.snap import snap_grid
from kanon_engine.teaching.step import (
    Inequality,
    State,
    Step,
    StepQuestion,
    carried,
    carried_back,
    changed_between,
    choice,
    spans,
)


@dataclass(frozen=True)
class RectanglesState(State):
    """Rectangles that tile the bounding box, or some of a tiling."""

    boxes: np.ndarray  # (p, 4) float64: xmin, ymin, xmax, ymax
    weights: np.ndarray  # (p,) int64
    classes: np.ndarray  # (p,) int64: the class of each; -1 for one that is not finished
    splits: np.ndarray  # (s, 3) float64: the cuts that made them, as in `RectangleDetails`; none if no cuts did
    nodes: np.ndarray  # (p,) int64: the number of each box among the rectangles of these cuts
    latest: int = 0  # the number of cuts made in this step


# ---------------------------------------------------------------------------------------------------------------------
# The kd-tree cut by cut: each line and the weights on both sides.
# ---------------------------------------------------------------------------------------------------------------------


CHOSEN_LINES = {
    "balanced": "the line that leaves the most weight in the lighter part. If the lighter parts at the best vertical "
    "and at the best horizontal line differ by at most a 64th of the rectangle's weight, the line that divides the "
    "rectangle's longer side is chosen",
    "longest-side": "the line across the longer side (or across the other side if only that can be cut) that divides "
    "the weight most evenly",
    "cyclic": "the line across the axis whose turn it is (or across the other axis if only that can be cut) that "
    "divides the weight most evenly",
    "least-overfull": "the line that keeps the largest group as small as possible if all later cuts are perfectly even",
}
BALANCED_PROMPT = (
    "The outlined rectangle is cut. Which line keeps the largest group as small as possible if all later cuts are "
    "perfectly even?"
)
PROMPTS = {
    "balanced": "The outlined rectangle is cut next, as evenly as possible. Where?",
    "longest-side": "The outlined rectangle is cut across its longer side, as evenly as possible. Where?",
    "cyclic": "The outlined rectangle is cut across the axis whose turn it is, as evenly as possible. Where?",
    "least-overfull": BALANCED_PROMPT,
}


def kd_tree_steps(points: Points, g: Generalization) -> Iterator[Step]:
    """The bounding box, every cut, and the step in which no line is left; with a requirement, the merges.

    The tree is rebuilt, which takes no longer than the first time.

    >>> import kanon_engine as kanon
    >>> line = Points([(0, 0), (1, 0), (2, 0), (3, 0)])
    >>> for step in kd_tree_steps(line, kanon.generalize(line, 2, "kd-tree")):
    ...     print(step.inequality.text)
    total ≥ k: 4 ≥ 2
    lighter part ≥ k: 2 ≥ 2
    lighter part of the best line < k: 1 < 2
    """
    grown = ALGORITHMS[g.algorithm].function(points, g.k, Run(g.seed), **g.options)
    details: Any = grown.details
    rule = g.options["cut"]
    numbers = carried(grown.assignment, g.assignment)
    tiling = Tiling(points, details, grown.assignment, numbers)

    def as_good(line: OfferedLine, actual: OfferedLine) -> bool:
        if line.axis != actual.axis or line.lighter != actual.lighter:
            return False
        return rule != "least-overfull" or worse_side(line, g.k) == worse_side(actual, g.k)

    lines = CutLines(points, g.options["snap"])
    yield from cut_steps(
        points, g, tiling, CHOSEN_LINES[rule], partial(ask_line, lines=lines, as_good=as_good, prompt=PROMPTS[rule])
    )
    merges = g.classes < len(details.rectangles)
    yield uncut_step(points, g, tiling, lines, merges)
    if merges:
        yield merged_step(points, g)


def worse_side(line: OfferedLine, k: int) -> int:
    """The smallest possible largest group on the worse side of a line."""
    return max(int(class_weight(line.low, k)), int(class_weight(line.high, k)))


# ---------------------------------------------------------------------------------------------------------------------
# The balanced kd-tree: the cuts of its first tree, and the changes each time the heaviest rectangle is recut.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CUTTINGS = 50  # recuts that are shown; if there are more, the first and the last
BALANCED_LINE = "a line that keeps the largest group as small as possible if all later cuts are perfectly even"


def balanced_kd_tree_steps(points: Points, g: Generalization) -> Iterator[Step]:
    """The cuts of the first tree, then each tree with some rectangles recut, up to the result.

    The algorithm runs again with a listener.

    >>> import kanon_engine as kanon
    >>> line = Points([(x, 0) for x in range(10)])
    >>> for step in balanced_kd_tree_steps(line, kanon.generalize(line, 3)):
    ...     print(step.inequality.text)
    total ≥ k: 10 ≥ 3
    lighter part ≥ k: 4 ≥ 3
    lighter part ≥ k: 3 ≥ 3
    lighter part of the best line < k: 2 < 3
    """
    trees = _trees(points, g)
    numbers = carried_back([*(outcome.assignment for outcome in trees), g.assignment])[:-1]
    snap = g.options["snap"]
    cells = points if snap is None else snap_grid(points, snap).points
    bound = lower_bound(cells, g.k).value
    tiling = Tiling(points, trees[0].details, trees[0].assignment, numbers[0])

    def as_good(line: OfferedLine, actual: OfferedLine) -> bool:
        return max(bound, worse_side(line, g.k)) == max(bound, worse_side(actual, g.k))

    lines = CutLines(points, snap)
    yield from cut_steps(
        points, g, tiling, BALANCED_LINE, partial(ask_line, lines=lines, as_good=as_good, prompt=BALANCED_PROMPT)
    )
    merges = g.classes < len(np.unique(trees[-1].assignment))
    uncut = uncut_step(points, g, tiling, lines, merges or len(trees) > 1)
    yield uncut
    before: RectanglesState = uncut.state
    for outcome, labels in zip(trees[1:], numbers[1:], strict=True):
        tiling = Tiling(points, outcome.details, outcome.assignment, labels)
        state = tiling.after(len(tiling.splits), 0, 0)
        moved = counted(len(changed_between(before.assignment, state.assignment)), "point")
        old, new = int(before.weights.max()), int(state.weights.max())
        why = (
            f"The heaviest rectangle and its neighbors are cut again: {moved} changed groups, and the largest group "
            "holds "
            f"{new:,} {points.unit} instead of {old:,}."
        )
        yield Step(state, why, Inequality(new, "≥", bound, "largest group ≥ proven bound"))
        before = state
    if merges:
        yield merged_step(points, g)


def _trees(points: Points, g: Generalization) -> list[Outcome]:
    """The first tree, the better ones that were found, and the algorithm's return value."""
    outcomes: list[Outcome] = []

    def heard(progress: Progress) -> bool:
        if progress.solution is not None:
            outcome = progress.solution()
            if not outcomes or not np.array_equal(outcome.assignment, outcomes[-1].assignment):
                del outcomes[MOST_CUTTINGS:]
                outcomes.append(outcome)
        return True

    last = ALGORITHMS[g.algorithm].function(points, g.k, Run(g.seed, None, heard), **g.options)
    if not outcomes or not np.array_equal(outcomes[-1].assignment, last.assignment):
        outcomes.append(last)
    return outcomes


# ---------------------------------------------------------------------------------------------------------------------
# The lines that may cut a rectangle, with the weight on their low sides, and questions about them.
# ---------------------------------------------------------------------------------------------------------------------


FEW_POINTS = 60  # points of a rectangle up to which a question asks for a line, above for the axis
MOST_LINES_OFFERED = 24  # lines that a question offers
AXES = ("across x, by a vertical line", "across y, by a horizontal line")


@dataclass(frozen=True)
class OfferedLine:
    """A line across some points."""

    axis: int  # 0: cut at an x, 1: at a y
    at: float
    # low, high: the weights of both sides
    low: int
    high: int

    @property
    def lighter(self) -> int:
        """The weight of the lighter side."""
        return min(self.low, self.high)

    @property
    def words(self) -> str:
        """As in "x = 2.5"."""
        return f"{'xy'[self.axis]} = {number_text(self.at, 9)}"


class CutLines:
    """The lines that an algorithm may use: halfway between neighboring coordinates, or on a grid.

    >>> lines = CutLines(Points([(0, 0), (1, 0), (3, 0)], [2, 1, 4]), None)
    >>> [(line.words, line.low, line.high) for line in lines.across(np.arange(3))]
    [('x = 0.5', 2, 5), ('x = 2', 3, 4)]
    """

    def __init__(self, points: Points, snap: float | None) -> None:
        self.grid = None if snap is None else snap_grid(points, snap)
        self.points = points if self.grid is None else self.grid.points

    def across(self, members: np.ndarray) -> list[OfferedLine]:
        """All lines that separate these points, low ones first."""
        lines = []
        for axis in range(2):
            values, weights = self.points.xy[members, axis], self.points.weights[members]
            coordinates, ranks = np.unique(values, return_inverse=True)
            lows = np.cumsum(np.bincount(ranks, weights=weights)).astype(np.int64).tolist()
            middles = 0.5 * coordinates[:-1] + 0.5 * coordinates[1:]
            at = np.where((coordinates[:-1] < middles) & (middles < coordinates[1:]), middles, coordinates[1:])
            if self.grid is not None:
                at = self.grid.line_at(axis, at)
            lines += [
                OfferedLine(axis, place, low, lows[-1] - low) for place, low in zip(at.tolist(), lows, strict=False)
            ]
        return lines


def line_question(
    lines: list[OfferedLine], right: list[OfferedLine], box: np.ndarray, prompt: str
) -> StepQuestion | None:
    """Where to cut a rectangle: right lines and some that divide it almost as evenly; None if all are right."""
    near = sorted((line for line in lines if line not in right), key=lambda line: -line.lighter)
    half = MOST_LINES_OFFERED // 2
    offered = sorted([*right[:half], *near[:half]], key=lambda line: (line.axis, line.at))
    if not near or len({line.words for line in offered}) < len(offered):
        return None
    box_of = tuple(box.tolist())
    return choice(prompt, offered, right, lambda line: line.words, lambda line: (line.axis, line.at), box_of)


class Tiling:
    """A tree of cuts with its points.

    Parameters
    ----------
    details : RectangleDetails in which every rectangle comes from the cuts.
    assignment : (n,) int. The rectangle of each point, as numbered here.
    numbers : (n,) int. The class of each point, as numbered in the steps.
    """

    def __init__(self, points: Points, details: Any, assignment: np.ndarray, numbers: np.ndarray) -> None:
        rectangles, splits = details.rectangles, details.splits
        self.points, self.splits, self.numbers, self.rectangles = points, splits, numbers, rectangles
        self.parents = splits[:, 0].astype(np.int64)
        self.axes = splits[:, 1].astype(np.int64)
        count = 2 * len(splits) + 1
        # boxes, weights: of every intermediate rectangle, as numbered in `RectangleDetails.splits`
        self.boxes = np.empty((count, 4))
        self.boxes[0] = [*rectangles[:, :2].min(axis=0), *rectangles[:, 2:].max(axis=0)]
        for number, (parent, axis, line) in enumerate(zip(self.parents, self.axes, splits[:, 2], strict=True)):
            low, high = 2 * number + 1, 2 * number + 2
            self.boxes[low] = self.boxes[high] = self.boxes[parent]
            self.boxes[low, 2 + axis] = self.boxes[high, axis] = line
        leaf = np.setdiff1d(np.arange(count), self.parents)
        place = {tuple(box): number for number, box in enumerate(rectangles.tolist())}
        self.leaf_of = np.empty(len(rectangles), dtype=np.int64)  # the intermediate number of each rectangle
        self.leaf_of[[place[tuple(box)] for box in self.boxes[leaf].tolist()]] = leaf
        self.weights = np.zeros(count, dtype=np.int64)
        self.weights[self.leaf_of] = sums_of(points.weights, assignment)
        for number in range(len(splits) - 1, -1, -1):
            self.weights[self.parents[number]] = self.weights[2 * number + 1 : 2 * number + 3].sum()
        self.class_of = np.full(count, -1, dtype=np.int64)
        self.class_of[self.leaf_of[assignment]] = numbers
        self.own = self.leaf_of[assignment]

    def after(self, count: int, latest: int, k: int) -> RectanglesState:
        """The state after some cuts: rectangles below 2k are classes; with k = 0, all that no cut divides are."""
        there = np.setdiff1d(np.arange(2 * count + 1), self.parents[:count])
        done = (self.class_of[there] >= 0) & ((self.weights[there] < 2 * k) | (k == 0))
        classes = np.where(done, self.class_of[there], -1)
        assignment = np.where(np.isin(self.own, there[done]), self.numbers, -1).astype(np.int32)
        return RectanglesState(
            assignment, self.boxes[there], self.weights[there], classes, self.splits[:count], there, latest
        )

    def members(self, node: int) -> np.ndarray:
        """Positions of the points in an intermediate rectangle."""
        inside = np.zeros(len(self.boxes), dtype=bool)
        inside[node] = True
        for number, parent in enumerate(self.parents.tolist()):
            inside[2 * number + 1 : 2 * number + 3] |= inside[parent]
        return np.flatnonzero(inside[self.own])


# ---------------------------------------------------------------------------------------------------------------------
# A tree of cuts as steps: which rectangle is cut, where, and why.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CUTS = 190  # steps of cuts, fewer if each would hold very many points
HELD = 20_000_000  # points in all states together
LOOKED_AT = 20_000  # points up to which the lines of all rectangles are examined at the end

AsGood = Callable[[OfferedLine, OfferedLine], bool]
Ask = Callable[[Tiling, int], StepQuestion | None]


def cut_steps(points: Points, g: Generalization, tiling: Tiling, chosen: str, ask: Ask) -> Iterator[Step]:
    """The bounding box, then one cut after another."""
    unit, k = points.unit, g.k
    state = tiling.after(0, 0, k)
    why = (
        f"All {points.total:,} {unit} are in one rectangle, the smallest one around the "
        f"{counted(len(points), 'point')}."
    )
    enough = Inequality(points.total, "≥", k, "total ≥ k")
    yield Step(state, why, enough)
    for first, stop in spans(len(tiling.splits), max(2, min(MOST_CUTS, HELD // len(points)))):
        question = ask(tiling, first)
        state = tiling.after(stop, stop - first, k)
        sides = tiling.weights[2 * first + 1 : 2 * stop + 1]
        decided = Inequality(int(sides.min()), "≥", k, "lighter part ≥ k")
        yield Step(state, _of_cuts(tiling, first, stop, unit, chosen), decided, question)


def uncut_step(points: Points, g: Generalization, tiling: Tiling, lines: CutLines, more: bool) -> Step:
    """The step in which no line is left to cut along; `more` if groups change after it."""
    state = tiling.after(len(tiling.splits), 0, 0)
    best: int | None = None  # the heaviest lighter side of any line of any rectangle
    question: StepQuestion | None = None
    if len(points) <= LOOKED_AT:
        order = np.argsort(tiling.own, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(tiling.own[order])) + 1)
        best = max((line.lighter for members in groups for line in lines.across(members)), default=None)
    if best is not None and len(points) <= FEW_POINTS:
        prompt = "At this k, no more rectangles can be cut. What is the largest k at which one more could be cut?"
        question = StepQuestion(prompt, (), (best,), 1, g.k)
    none = None if best is None else Inequality(best, "<", g.k, "lighter part of the best line < k")
    why = (
        "No rectangle has a line that leaves at least k on both sides, so each rectangle is a group"
        f"{' for now' if more else ''}: {counted(len(state.boxes), 'group')}, the largest with "
        f"{int(state.weights.max()):,} {points.unit}."
    )
    return Step(state, why, none, question)


def ask_line(tiling: Tiling, number: int, lines: CutLines, as_good: AsGood, prompt: str) -> StepQuestion | None:
    """The position of the next cut if the rectangle has few points; otherwise its axis."""
    part, axis = int(tiling.parents[number]), int(tiling.axes[number])
    members = tiling.members(part)
    if len(members) > FEW_POINTS:
        box = tiling.boxes[part]
        places = tuple((side, float(box[side] / 2 + box[2 + side] / 2)) for side in range(2))
        prompt = "The outlined rectangle is cut next. Across which axis?"
        return StepQuestion(prompt, AXES, (axis,), places=places, box=tuple(box.tolist()))
    every = lines.across(members)
    low = int(tiling.weights[2 * number + 1])
    actual = next(line for line in every if (line.axis, line.low) == (axis, low))
    return line_question(every, [line for line in every if as_good(line, actual)], tiling.boxes[part], prompt)


def merged_step(points: Points, g: Generalization) -> Step:
    """The result after groups that failed a requirement were merged with others."""
    why = f"Cuts are undone because a group failed a requirement. This leaves {counted(g.classes, 'group')}."
    return Step(result_state(points, g), why)


def result_state(points: Points, g: Generalization, latest: int = 0) -> RectanglesState:
    """The rectangles of a result."""
    rectangles, splits = g.details.rectangles, g.details.splits
    if len(splits) == g.classes - 1:
        tiling = Tiling(points, g.details, g.assignment, g.assignment)
        return tiling.after(len(splits), latest, 0)
    none = np.full(g.classes, -1, dtype=np.int64)
    return RectanglesState(g.assignment, rectangles, g.class_weights, np.arange(g.classes), splits, none)


def _of_cuts(tiling: Tiling, first: int, stop: int, unit: str, chosen: str) -> str:
    count = len(tiling.splits)
    if stop - first > 1:
        sides = tiling.weights[2 * first + 1 : 2 * stop + 1]
        return f"Cuts {first + 1:,} to {stop:,} of {count:,}. The parts hold {sides.min():,} to {sides.max():,} {unit}."
    low, high = tiling.weights[2 * first + 1 : 2 * first + 3].tolist()
    axis, at = int(tiling.axes[first]), float(tiling.splits[first, 2])
    kind = f"a vertical line at x = {number_text(at)}" if axis == 0 else f"a horizontal line at y = {number_text(at)}"
    split = f"{kind} splits {low + high:,} {unit} into {low:,} and {high:,}"
    return f"Cut {first + 1:,} of {count:,}: {split}. This is {chosen}."
