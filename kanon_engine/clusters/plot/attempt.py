"""The picture of one width of section 2.2: greedy centers, circles of that width, the flow, and why it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from plotly import graph_objects as go

from kanon_engine.clusters.gather.attempt import Attempt
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.nearest import Nearest, pairs_within
from kanon_engine.clusters.plot.circles import globe_circles, plane_circles
from kanon_engine.clusters.plot.layers import INK, SPOKE, add_centers, add_line, add_points
from kanon_engine.clusters.plot.view import view_of
from kanon_engine.model.words import counted, number_text
from kanon_engine.plot.atlas import Atlas
from kanon_engine.plot.ground import CAPTION, add_places, around, map_figure
from kanon_engine.plot.marks import FEW_POINTS, marks_of, most_of
from kanon_engine.plot.paths import Outline, joined
from kanon_engine.plot.plane import plane_figure
from kanon_engine.plot.shading import Shading
from kanon_engine.plot.style import VERMILION, styled

if TYPE_CHECKING:
    import geopandas

MOST_CIRCLES = 2_000
ENOUGH, SHORT = "#92cbf0", "#ea9f6a"  # told apart by colour-blind readers
SEE_THROUGH = 0.3
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


def attempt_words(found: Nearest, made: Attempt) -> str:
    """Whether a width succeeds, or why it fails, in one sentence.

    Example
    -------
    >>> from kanon_engine.clusters.gather.attempt import attempt
    >>> from kanon_engine.clusters.nearest import nearest
    >>> found = nearest(MetricSpace([[1], [0], [2], [8], [9]]), 2)
    >>> attempt_words(found, attempt(found, 1.0))
    'Width 1 succeeds: each of 2 centers gets 2 records within it, and all others are within it of a center.'
    >>> attempt_words(found, attempt(found, 0.5))
    'Width 0.5 fails: point 0 has 1 record within it, and needs 2.'
    """
    space, k = found.space, found.k
    width = f"Width {number_text(made.width)} {space.measure}".rstrip()
    if made.succeeded:
        return (
            f"{width} succeeds: each of {counted(len(made.centers), 'center')} gets {k:,} {space.unit} within it, and "
            f"all others are within it of a center."
        )
    near = np.unique(pairs_within(space, made.witness, made.width)[1])
    held = int(space.weights[near].sum())
    unit = space.unit.removesuffix("s") if held == 1 else space.unit
    if len(made.witness) == 1:
        return (
            f"{width} fails: point {space.label(int(made.witness[0]))} has {held:,} {unit} within it, and needs {k:,}."
        )
    return (
        f"{width} fails: {len(made.witness):,} centers, pairwise farther apart, have {held:,} {unit} within it, and "
        f"need {k:,} each."
    )


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
    short = np.isin(made.centers, made.witness)
    alone = made.witness[~np.isin(made.witness, made.centers)]  # without k records near, and no center
    order = np.concatenate([np.flatnonzero(~short)[: max(0, MOST_CIRCLES - int(short.sum()))], np.flatnonzero(short)])
    order = order[-MOST_CIRCLES:]
    places = np.concatenate([made.centers[order], alone]).astype(np.int64)
    lacks = np.concatenate([short[order], np.ones(len(alone), dtype=bool)])
    shown = np.zeros((0, 0)) if not space.free else space.points[places]
    radii = np.full(len(places), made.width)
    view = view_of(space, ClusterDetails(places, shown, radii, np.zeros((0, 0)), np.zeros((0, 3))))
    outlines: list[Outline] = [[] for _ in places]
    if view.kind != "view":
        outlines = (globe_circles if view.kind == "map" else plane_circles)(view.centers, radii)
    shades = Shading(lacks.astype(float), -0.5, 1.5, [(0, ENOUGH), (0.5, ENOUGH), (0.5, SHORT), (1, SHORT)], None)
    words = [_words(found, made, int(place)) for place in places]
    many = len(space) > FEW_POINTS
    dots = marks_of(view.points, view.box, many)
    classes = np.full(len(places), -1)
    extent = np.vstack([view.points, *(ring for outline in outlines for (ring, *_) in outline)])
    failing = view.centers[lacks]
    seen = np.vstack([most_of(view.points, space.weights, view.box), failing])
    if view.kind == "map":
        figure = map_figure(outlines, shades, classes, words, extent, seen, background, tiles, SEE_THROUGH)
        add_points(figure, view, dots, INK)
    else:
        figure = plane_figure(outlines, shades, classes, words, dots, [], view.axes, SEE_THROUGH)
    figure.update_traces(showlegend=False)
    if not many:
        given = made.sent >= 0
        for chosen, owner, colour, width in ((~given, made.marked, SPOKE, 0.5), (given, made.sent, INK, 1.5)):
            members = np.flatnonzero(chosen)
            lines = np.full((len(members), 3, 2), np.nan)
            lines[:, 0], lines[:, 1] = view.points[members], view.points[made.centers[owner[members]]]
            add_line(figure, view, lines.reshape(-1, 2), colour, width)
    add_centers(figure, view, np.arange(len(places)), words)
    add_line(
        figure,
        view,
        joined([ring for at in np.flatnonzero(lacks) for part in outlines[at] for ring in part]),
        VERMILION,
        2,
    )
    if isinstance(background, Atlas) and view.kind == "map" and not tiles:
        add_places(figure, around(background, extent), seen)
        figure.data[-1].showlegend = False
    return styled(
        figure,
        _title(space, made, len(places), view.kind == "view"),
        margin={"l": 10, "r": 10, "t": 45, "b": CAPTION if figure.layout.annotations else 10},
        showlegend=False,
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
