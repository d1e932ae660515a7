"""The map or plot of a release, as SVG without a script: drawn from the release, not from points or raw values."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.plot.drawing import empty_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FINER = rb"(\.\d\d)\d+"  # invisible digits: a hundredth of a point is enough
DPI = 72  # one point per unit, as in SVG


def release_picture_svg(instance: Any, g: Generalization, **surroundings: Any) -> bytes | None:
    """The picture of a release, or None if nothing may be drawn; the same bytes for the same release.

    For areas a map of the groups, for points their rectangles, for labels bars, for clusters circles around the
    released centers, for a table a histogram of what each quasi-identifier shows. `surroundings` are what the family's
    release `asks`: for areas `codes_are_public`, without which borders are squares of a grid. None for a result that
    may not be released (rectangles without a grid, a relaxed result), areas without shapes, or a family without one.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcd", [3, 2, 2, 4])
    >>> release_picture_svg(labels, kanon.generalize(labels, 5)).startswith(b"<?xml")
    True
    """
    release = get_family(g.family).release
    if release is None or release.print_picture is None or g.status == "relaxed":
        return None
    with empty_figure(DPI) as figure:
        drawn = release.print_picture(figure, instance, g, **release.asked(surroundings))
        return _saved(figure) if drawn else None


def _saved(figure: Figure) -> bytes:
    """Without anything that reveals when and by which versions it was made."""
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
