"""The picture of one width of section 2.2: greedy centers, circles of that width, the flow, and why it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from plotly import graph_objects as go

from kanon_engine.clusters.gather.attempt import Attempt
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest
from kanon_engine.clusters.plot.steps import MOST_CIRCLES, circles_figure, view_of_state
from kanon_engine.clusters.steps.widths import state_of
from kanon_engine.model.words import counted, number_text
from kanon_engine.plot.atlas import Atlas
from kanon_engine.plot.style import styled

if TYPE_CHECKING:
    import geopandas

STEPS = 40


def widths_to_try(found: Nearest, count: int = STEPS) -> list[float]:
    """Widths for a slider, of six digits: from where half of the points have k records near to twice where all have.

    Example
    -------
    >>> from kanon_engine.clusters.nearest import nearest
    >>> widths_to_try(nearest(MetricSpace([[0], [1], [2], [8], [9]]), 2), 3)
    [1.0, 1.41421, 2.0]
    """
    high = 2 * float(found.rho.max())
    low = max(float(np.median(found.rho)), high / 1_000)
    if high == 0:
        return [0.0]
    return list(dict.fromkeys(float(f"{width:.6g}") for width in np.geomspace(low, high, count)))


def attempt_figure(
    found: Nearest,
    made: Attempt,
    *,
    background: Atlas | geopandas.GeoDataFrame | None = None,
    tiles: bool = False,
) -> go.Figure:
    """Circles of the width around the greedy centers; orange where together they lack records.

    Where points are few, a thick line leads from each center to the points that the flow gives it, a thin one to those
    that it marked. Where distances are true in no plane, there are no circles.

    Parameters
    ----------
    found : Nearest
    made : Attempt
        Of these points.
    background : Atlas or GeoDataFrame, optional
        Land, water and places, or outlines of one's own; only on a map.
    tiles : bool
        Draw over street map tiles, which are loaded from the network; only on a map.
    """
    space = found.space
    state = state_of(space, made)
    words = [_words(found, made, int(place)) for place in state.places]
    view = view_of_state(space, state)
    figure = circles_figure(space, view, state, words, background=background, tiles=tiles)
    return styled(
        figure,
        _title(space, made, min(len(words), MOST_CIRCLES), view.kind == "view"),
        uirevision=f"attempt {space.digest}",  # another width keeps zoom and position
    )


def _words(found: Nearest, made: Attempt, place: int) -> str:
    space = found.space
    at = np.flatnonzero(made.centers == place)
    given = int(space.weights[made.sent == at[0]].sum()) if len(at) else 0
    return f"point {space.label(place)}<br>the flow gives it points with {given:,} {space.unit}"


def _title(space: MetricSpace, made: Attempt, drawn: int, flat: bool) -> str:
    width = f"{number_text(made.width)} {space.measure}".rstrip()
    many = len(made.centers) > MOST_CIRCLES
    title = f"{counted(len(made.centers), 'greedy center')}, more than {width} apart{f'; {drawn:,} drawn' * many}"
    if flat:
        return f"{title}<br>A view in two dimensions: distances are not true, and circles are not drawn"
    return f"{title}; circles of that radius{', orange: too few ' + space.unit if not made.succeeded else ''}"
