"""A figure as PNG, if Chromium is installed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from kanon_engine.errors import InvalidInput
from kanon_engine.plot.scene import asks_nobody

if TYPE_CHECKING:
    from plotly import graph_objects as go


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


def browser_found() -> bool:
    """Whether a browser that `png` can use is on the path."""
    return any(shutil.which(name) for name in BROWSERS)


def png(figure: go.Figure, width: int = 1200, height: int = 700) -> bytes | None:
    """The picture, or None if no browser can be started to draw it; nothing is loaded from a network.

    Parameters
    ----------
    width, height : In CSS pixels; the picture has twice as many in each direction.

    Raises
    ------
    InvalidInput : The browser starts but cannot draw it: coordinates too far apart or too close, or a full disk.
    """
    import kaleido
    from choreographer.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError
    from kaleido.errors import JavascriptError, KaleidoError

    opts = {"format": "png", "width": width, "height": height, "scale": 2}
    try:
        return kaleido.calc_fig_sync(
            asks_nobody(figure), opts=opts, kopts={"mathjax": False}
        )  # otherwise it fetches MathJax from a CDN
    except (ChromeNotFoundError, BrowserFailedError):
        return None
    except (BrowserClosedError, JavascriptError, KaleidoError) as error:
        raise InvalidInput("The browser cannot draw this picture as PNG; save it as HTML instead.") from error
    except OSError as error:
        raise InvalidInput(
            f"The browser cannot draw this picture as PNG ({error.strerror or type(error).__name__}) because it needs "
            f"space in the folder of temporary files; save it as HTML instead."
        ) from error


def drawn(figure: go.Figure) -> bytes:
    """The picture as PNG, for download; if no browser can be started, an error instead of an empty file."""
    content = png(figure)
    if content is None:
        raise InvalidInput(
            "The browser Chromium could not be started to draw the PNG; save the picture as HTML instead."
        )
    return content


# ---------------------------------------------------------------------------------------------------------------------
# A figure as one HTML file.
# ---------------------------------------------------------------------------------------------------------------------


# A page opened from a file has no origin, so Chromium blocks the module that draws maps if it is a blob, and the map
# stays empty without an error. The same module as a data URL is allowed.
_MAPS_FROM_FILES = """<script>
if (location.protocol === "file:") {
  const sources = new WeakMap(), plainUrl = URL.createObjectURL, PlainBlob = Blob;
  window.Blob = class extends PlainBlob {
    constructor(parts, options) {
      super(parts, options);
      if (options && options.type === "text/javascript") sources.set(this, parts.join(""));
    }
  };
  URL.createObjectURL = (made) => sources.has(made)
    ? "data:text/javascript;charset=utf-8," + encodeURIComponent(sources.get(made)) : plainUrl.call(URL, made);
}
</script>"""


def html(figure: go.Figure) -> str:
    """The figure with all that it needs, for a browser without a network, served or opened from a file."""
    config = {"displaylogo": False, "showSendToCloud": False}
    page: str = asks_nobody(figure).to_html(include_plotlyjs=True, config=config)
    return page.replace("<body>", f"<body>{_MAPS_FROM_FILES}", 1)
