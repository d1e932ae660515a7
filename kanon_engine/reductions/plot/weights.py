"""3-Partition and Partition as blocks."""

from __future__ import annotations

from plotly import graph_objects as go

from kanon_engine.reductions.plot.stacks import stacks_figure
from kanon_engine.reductions.problems.halves import Numbers
from kanon_engine.reductions.problems.three_partition import Weights


def groups_figure(instance: Weights, solution: tuple[tuple[int, ...], ...] | None = None) -> go.Figure:
    """Each weight, or of a solution each group, with B as a line.

    Parameters
    ----------
    instance : Weights
    solution : tuple of tuples of int, optional
    """
    columns = [str(place + 1) for place in range(len(instance.weights))]
    for number, group in enumerate(solution or ()):
        for place in group:
            columns[place] = f"group {number + 1}"
    return stacks_figure(columns, instance.weights, [f"{one}" for one in instance.weights], {"B": instance.bound})


def halves_figure(instance: Numbers, solution: tuple[int, ...] | None = None) -> go.Figure:
    """Each number, or of a solution the two halves, with half of all as a line.

    Parameters
    ----------
    instance : Numbers
    solution : tuple of int, optional
    """
    columns = [str(place + 1) for place in range(len(instance.numbers))]
    if solution is not None:
        columns = ["this half" if place in solution else "the other" for place in range(len(instance.numbers))]
    return stacks_figure(columns, instance.numbers, [f"{one}" for one in instance.numbers], {"S": instance.half})
