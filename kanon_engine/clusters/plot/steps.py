"""A step of r-cellular clustering as a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from plotly import graph_objects as go

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.plot import clusters_figure
from kanon_engine.clusters.r_cellular.steps import Step
from kanon_engine.model.generalization import Generalization


def step_figure(space: MetricSpace, g: Generalization, step: Step, **settings: Any) -> go.Figure:
    """The clusters of a step, of which some may share points: lines lead to the first one that has a point.

    Parameters
    ----------
    space : MetricSpace
    g : Generalization
        The result at the end of the steps.
    step : Step
    **settings
        Of `clusters_figure`.
    """
    centers, members = step.centers, step.members
    if (centers < 0).any():  # the result itself
        return clusters_figure(space, g, **settings)
    labels = np.full(len(space), -1, dtype=np.int32)
    radii = np.zeros(len(members))
    for number in range(len(members) - 1, -1, -1):
        labels[members[number]] = number
        radii[number] = space.distances(int(centers[number]), members[number]).max()
    shown = space.points[centers] if space.free else np.zeros((len(centers), 0))
    details = replace(g.details, places=centers.astype(np.int64), centers=shown, radii=radii)
    weights = np.array([space.weights[own].sum() for own in members], dtype=np.int64)
    made = replace(g, assignment=labels, class_weights=weights, details=details)
    return clusters_figure(space, made, **settings)
