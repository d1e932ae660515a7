"""A figure as PNG, where a Chromium is found."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly import graph_objects as go


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


def browser_found() -> bool:
    """Whether a browser that `png` can use is on the path."""
    return any(shutil.which(name) for name in BROWSERS)


def png(figure: go.Figure, width: int = 1200, height: int = 700) -> bytes | None:
    """The picture, or None where no browser can be started to draw it; nothing is loaded from a network.

    Parameters
    ----------
    figure : Figure
    width, height : int
        In CSS pixels; the picture has twice as many each way.
    """
    import kaleido
    from choreographer.errors import BrowserFailedError, ChromeNotFoundError

    opts = {"format": "png", "width": width, "height": height, "scale": 2}
    try:
        return kaleido.calc_fig_sync(figure, opts=opts, kopts={"mathjax": False})  # else it fetches MathJax from a CDN
    except (ChromeNotFoundError, BrowserFailedError):
        return None
