"""The kd-tree cut after cut: which line leaves what on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.step import Step
from kanon_engine.rectangles import ALGORITHMS
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree.selection_kernels import class_weight
from kanon_engine.rectangles.steps.cuts import ask_line, cut_steps, merged_step, uncut_step
from kanon_engine.rectangles.steps.lines import Line, Lines
from kanon_engine.rectangles.steps.tilings import Tiling
from kanon_engine.stepping import carried

CHOSEN = {
    "balanced": "the line with the heaviest lighter side; where x and y differ by less than a 64th of the weight, the "
    "one across the longer side",
    "longest-side": "the line across the longer side with the heaviest lighter side",
    "cyclic": "the line with the heaviest lighter side across the axis whose turn it is",
    "least-overfull": "the line after which the largest group on either side can be smallest",
}
PROMPTS = {
    "balanced": "The outlined rectangle is cut next, as evenly as a line can. Where?",
    "longest-side": "The outlined rectangle is cut across its longer side, as evenly as a line can. Where?",
    "cyclic": "The outlined rectangle is cut across the axis whose turn it is, as evenly as a line can. Where?",
    "least-overfull": "The outlined rectangle is cut so that the largest group on either side can be smallest. Where?",
}


def steps(points: Points, g: Generalization) -> Iterator[Step]:
    """The bounding box, every cut, and that no line is left; with a requirement, what is merged then.

    The tree is grown again, which takes no longer than before.

    Parameters
    ----------
    points : Points
    g : Generalization
        A result of `kd-tree`.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = Points([(0, 0), (1, 0), (2, 0), (3, 0)])
    >>> for step in steps(line, kanon.generalize(line, 2, "kd-tree")):
    ...     print(step.inequality.text)
    total ≥ k: 4 ≥ 2
    lighter side ≥ k: 2 ≥ 2
    lighter side of the best line < k: 1 < 2
    """
    grown = ALGORITHMS[g.algorithm].function(points, g.k, Run(g.seed), **g.options)
    details: Any = grown.details
    rule = g.options["cut"]
    numbers = carried(grown.assignment, g.assignment)
    tiling = Tiling(points, details.rectangles, details.splits, grown.assignment, numbers)

    def as_good(line: Line, made: Line) -> bool:
        if line.axis != made.axis or line.lighter != made.lighter:
            return False
        return rule != "least-overfull" or worse_side(line, g.k) == worse_side(made, g.k)

    lines = Lines(points, g.options["snap"])
    yield from cut_steps(
        points, g, tiling, CHOSEN[rule], partial(ask_line, lines=lines, as_good=as_good, prompt=PROMPTS[rule])
    )
    last = uncut_step(points, g, tiling, lines)
    yield last
    if g.classes < len(details.rectangles):
        yield merged_step(points, g, last.state)


def worse_side(line: Line, k: int) -> int:
    """The least possible largest group of the worse side of a line."""
    return max(int(class_weight(line.low, k)), int(class_weight(line.high, k)))
