"""Steps of algorithms, studies, reductions and lessons: all that explains, on top of the engine.

Only pages and commands import it. A further family enters its functions into `STEPS` and `PICTURES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Lazy
from kanon_engine.model.generalization import Generalization

if TYPE_CHECKING:
    from plotly import graph_objects as go

    from kanon_engine.teaching.step import Question, Step

# family → algorithm → ``steps(instance, g)``
STEPS: dict[str, dict[str, Lazy]] = {
    "regions": {
        "recombine": Lazy("kanon_engine.teaching.regions.recombine:recombine_steps"),
        "exact": Lazy("kanon_engine.teaching.step:incumbents"),
        "tree-split": Lazy("kanon_engine.teaching.regions:tree_split_steps"),
        "general-graph": Lazy("kanon_engine.teaching.regions:general_graph_steps"),
    },
    "rectangles": {
        "balanced-kd-tree": Lazy("kanon_engine.teaching.rectangles:balanced_kd_tree_steps"),
        "kd-tree": Lazy("kanon_engine.teaching.rectangles:kd_tree_steps"),
        "exact": Lazy("kanon_engine.teaching.rectangles.exact:exact_steps"),
    },
    "labels": {
        "near-optimal": Lazy("kanon_engine.teaching.labels:near_optimal_steps"),
        "spread": Lazy("kanon_engine.teaching.labels.approximation:spread_steps"),
        "two-approximation": Lazy("kanon_engine.teaching.labels.approximation:two_approximation_steps"),
        "scheme": Lazy("kanon_engine.teaching.labels.approximation:scheme_steps"),
        "relaxed-scheme": Lazy("kanon_engine.teaching.labels.approximation:relaxed_scheme_steps"),
        "five-halves": Lazy("kanon_engine.teaching.labels.approximation:five_halves_steps"),
        "fold": Lazy("kanon_engine.teaching.labels.approximation:fold_steps"),
        "exact": Lazy("kanon_engine.teaching.labels:exact_steps"),
        "ordered": Lazy("kanon_engine.teaching.labels:ordered_steps"),
    },
    "tables": {
        "k-optimize": Lazy("kanon_engine.teaching.tables.k_optimize:k_optimize_steps"),
        "hill-climb": Lazy("kanon_engine.teaching.tables.hill_climb:hill_climb_steps"),
        "mondrian": Lazy("kanon_engine.teaching.tables.boxes:mondrian_steps"),
        "local-cuts": Lazy("kanon_engine.teaching.tables.boxes:local_cuts_steps"),
        "exact": Lazy("kanon_engine.teaching.tables.boxes:exact_steps"),
        "cell-suppression": Lazy("kanon_engine.teaching.tables.cell_suppression:cell_suppression_steps"),
    },
    "clusters": {
        "gather": Lazy("kanon_engine.teaching.clusters:gather_steps"),
        "center": Lazy("kanon_engine.teaching.clusters:center_steps"),
        "gather-outliers": Lazy("kanon_engine.teaching.clusters:gather_outliers_steps"),
        "center-outliers": Lazy("kanon_engine.teaching.clusters:center_outliers_steps"),
        "cellular": Lazy("kanon_engine.teaching.clusters.cellular:cellular_steps"),
        "r-cellular": Lazy("kanon_engine.teaching.clusters.cellular:r_cellular_steps"),
        "r-cellular-outliers": Lazy("kanon_engine.teaching.clusters.cellular:r_cellular_outliers_steps"),
        "mdav": Lazy("kanon_engine.teaching.clusters.mdav:mdav_steps"),
        "v-mdav": Lazy("kanon_engine.teaching.clusters.mdav:v_mdav_steps"),
        "exact": Lazy("kanon_engine.teaching.clusters.cellular:exact_steps"),
    },
}

# family → ``step_figure(instance, g, step, asked=None, **layers)``
PICTURES: dict[str, Lazy] = {
    "regions": Lazy("kanon_engine.teaching.regions.picture:step_figure"),
    "rectangles": Lazy("kanon_engine.teaching.rectangles.picture:step_figure"),
    "labels": Lazy("kanon_engine.teaching.labels.picture:step_figure"),
    "tables": Lazy("kanon_engine.teaching.tables.picture:step_figure"),
    "clusters": Lazy("kanon_engine.teaching.clusters.picture:step_figure"),
}


def has_steps(g: Generalization) -> bool:
    """Whether `steps` can tell the run of this result."""
    return g.algorithm in STEPS.get(g.family, {})


def steps(instance: Any, g: Generalization) -> Iterator[Step]:
    """The run of a result as `Step` after step, the same every time; the last state is the result.

    Parameters
    ----------
    instance : instance of g

    Raises
    ------
    InvalidInput
        Its algorithm has no steps; see `has_steps`.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [3, 2, 4])
    >>> *_, last = steps(labels, kanon.generalize(labels, 5, "fold"))
    >>> last.why
    '4 records are left over, too few for a group; they join the lightest, group 1.'
    """
    if not has_steps(g):
        known = ", ".join(STEPS.get(g.family, {})) or "none"
        raise InvalidInput(f"{g.algorithm!r} cannot be followed step by step; of {g.family} these can: {known}.")
    told: Iterator[Step] = STEPS[g.family][g.algorithm](instance, g)
    return told


def step_figure(
    instance: Any, g: Generalization, step: Step, asked: Question | None = None, **layers: Any
) -> go.Figure:
    """Draw the state of a step, with what changed.

    Parameters
    ----------
    instance : instance of g
    step : Of `steps`.
    asked : Its choices are marked, so that one can be picked in the picture: `customdata` is the position of each.
    **layers : What else the family's picture takes.
    """
    figure: go.Figure = PICTURES[g.family](instance, g, step, asked, **layers)
    return figure
