"""The map or plot that leaves, as SVG without a script: drawn from the release, not from points or raw values."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.plot.drawing import empty_figure
from kanon_engine.report.picture.areas import draw_areas
from kanon_engine.report.picture.bars import draw_bars
from kanon_engine.report.picture.circles import draw_circles
from kanon_engine.report.picture.rectangles import draw_rectangles
from kanon_engine.report.picture.shown import draw_shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN: dict[str, Callable[..., bool]] = {
    "regions": draw_areas,
    "rectangles": draw_rectangles,
    "labels": draw_bars,
    "tables": draw_shown,
    "clusters": draw_circles,
}
FINER = rb"(\.\d\d)\d+"  # digits that nobody sees: a hundredth of a point is enough
DPI = 72  # one point a unit, as SVG has it


def release_picture_svg(instance: Any, g: Generalization, **surroundings: Any) -> bytes | None:
    """The picture of a release, or None where nothing may be drawn; the same bytes for the same release.

    Of areas a map of the groups, of points their rectangles, of labels bars, of clusters circles around the centers
    that leave, of a table a histogram of what each quasi-identifier shows.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Generalization
        Made from this instance, and verified.
    **surroundings
        What the family's release `asks`: of areas `codes_are_public`, without which borders are squares of a grid.
        What it does not ask changes nothing.

    Returns
    -------
    bytes or None
        SVG. None of a result that may not leave (rectangles without a grid, a relaxed result), of areas without
        shapes, and of a family without a picture here.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcd", [3, 2, 2, 4])
    >>> release_picture_svg(labels, kanon.generalize(labels, 5)).startswith(b"<?xml")
    True
    """
    draw, release = DRAWN.get(g.family), family_named(g.family).release
    if draw is None or release is None or g.status == "relaxed":
        return None
    with empty_figure(DPI) as figure:
        return _saved(figure) if draw(figure, instance, g, **release.asked(surroundings)) else None


def _saved(figure: Figure) -> bytes:
    """Without anything that tells when and by which versions it was made."""
    target = io.BytesIO()
    figure.savefig(
        target,
        format="svg",
        bbox_inches="tight",
        pad_inches=0.08,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    drawn = re.sub(rb"\s*<metadata>.*?</metadata>", b"", target.getvalue(), flags=re.DOTALL)
    return re.sub(rb' d="[^"]*"', lambda path: re.sub(FINER, rb"\1", path[0]), drawn)
