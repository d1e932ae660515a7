"""Steps of algorithms, studies, reductions and lessons: everything that explains, built on the engine.

Only pages and commands import it. A new family adds its functions to `STEPS` and `PICTURES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Lazy
from kanon_engine.model.generalization import Generalization

if TYPE_CHECKING:
    from plotly import graph_objects as go

    from kanon_engine.teaching.step import Step, StepQuestion


def _steps_of(module: str, *algorithms: str) -> dict[str, Lazy]:
    """Map each algorithm to the function of a module that is named after it."""
    path = f"kanon_engine.teaching.{module}"
    return {name: Lazy(f"{path}:{name.replace('-', '_')}_steps") for name in algorithms}


# family → algorithm → ``steps(instance, g)``
STEPS: dict[str, dict[str, Lazy]] = {
    "regions": _steps_of("regions.recombine", "recombine")
    | {"exact": Lazy("kanon_engine.teaching.step:incumbents")}
    | _steps_of("regions", "tree-split", "general-graph"),
    "rectangles": _steps_of("rectangles", "balanced-kd-tree", "kd-tree") | _steps_of("rectangles.exact", "exact"),
    "labels": _steps_of("labels", "near-optimal")
    | _steps_of(
        "labels.approximation", "spread", "two-approximation", "scheme", "relaxed-scheme", "five-halves", "fold"
    )
    | _steps_of("labels", "exact", "ordered"),
    "tables": _steps_of("tables.k_optimize", "k-optimize")
    | _steps_of("tables.hill_climb", "hill-climb")
    | _steps_of("tables.boxes", "mondrian", "local-cuts", "exact")
    | _steps_of("tables.cell_suppression", "cell-suppression"),
    "clusters": _steps_of("clusters", "gather", "center", "gather-outliers", "center-outliers")
    | _steps_of("clusters.cellular", "cellular", "r-cellular", "r-cellular-outliers")
    | _steps_of("clusters.mdav", "mdav", "v-mdav")
    | _steps_of("clusters.cellular", "exact"),
}

# family → ``step_figure(instance, g, step, question=None, **layers)``
PICTURES = {family: Lazy(f"kanon_engine.teaching.{family}.picture:step_figure") for family in STEPS}


def has_steps(g: Generalization) -> bool:
    """Whether `steps` can show the run of this result."""
    return g.algorithm in STEPS.get(g.family, {})


def steps(instance: Any, g: Generalization) -> Iterator[Step]:
    """The run of a result as a series of `Step`, the same every time; the last state is the result.

    Parameters
    ----------
    instance : instance of g

    Raises
    ------
    InvalidInput : Its algorithm has no steps; see `has_steps`.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [3, 2, 4])
    >>> *_, last = steps(labels, kanon.generalize(labels, 5, "fold"))
    >>> last.why
    '4 records are left over, too few for a group; they join group 1, the lightest.'
    """
    if not has_steps(g):
        listing = ", ".join(STEPS.get(g.family, {})) or "none"
        raise InvalidInput(
            f"{g.algorithm!r} cannot be followed step by step; choose one of these algorithms of {g.family}: {listing}."
        )
    from kanon_engine.teaching.step import recorded

    return recorded(STEPS[g.family][g.algorithm](instance, g))


def step_figure(
    instance: Any, g: Generalization, step: Step, question: StepQuestion | None = None, **layers: Any
) -> go.Figure:
    """Draw the state of a step and mark what changed.

    Parameters
    ----------
    instance : instance of g
    step : Of `steps`.
    asked : A question whose choices are marked for picking in the picture: `customdata` is the position of each.
    **layers : Further arguments of the family's picture.
    """
    figure: go.Figure = PICTURES[g.family](instance, g, step, question, **layers)
    return figure
