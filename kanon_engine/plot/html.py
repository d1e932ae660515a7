"""A figure as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_engine.plot.style import asks_nobody

if TYPE_CHECKING:
    from plotly import graph_objects as go

# A page opened from a file has no origin, and Chromium refuses it the module that draws maps if that is a blob: the map
# would stay empty without a word. The same module as a data address is allowed.
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
    """The figure with all that draws it, for a browser without a network, served or opened from a file."""
    config = {"displaylogo": False, "showSendToCloud": False}
    page: str = asks_nobody(figure).to_html(include_plotlyjs=True, config=config)
    return page.replace("<body>", f"<body>{_MAPS_FROM_FILES}", 1)
