"""How all pictures look: one size for the words on them, and numbers with commas."""

from __future__ import annotations

from typing import Any

from plotly import graph_objects as go

from kanon_engine.plot.colors import CLEAR, TEXT, TITLE, WHITE

COUNT = ",d"  # 3,000 and not 3k
# Plotly's own "white-bg" names a server of fonts; MapLibre draws names with fonts of the machine where none is named.
_PLAIN_MAP: dict[str, Any] = {
    "version": 8,
    "sources": {"none": {"type": "geojson", "data": {"type": "Point", "coordinates": [0, 0]}}},
    "layers": [{"id": "white", "type": "background", "paint": {"background-color": WHITE}}],
}


def styled(figure: go.Figure, title: str, **layout: Any) -> go.Figure:
    """Finish a figure: its title, this layout, and the sizes of words. It is clear where nothing is drawn.

    >>> figure = styled(go.Figure(go.Bar(y=[1])), "One bar", xaxis={"title": "Bars"})
    >>> figure.layout.title.text, figure.layout.xaxis.title.font.size, figure.layout.xaxis.tickfont.size
    ('One bar', 14, 14)
    """
    words = {"font_size": TEXT, "hoverlabel_font_size": TEXT, "legend_font_size": TEXT, "title_font_size": TITLE}
    figure.update_layout(title_text=title, paper_bgcolor=CLEAR, plot_bgcolor=CLEAR, **words)
    figure.update_layout(layout)
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.update(title_font_size=TEXT, tickfont_size=TEXT, automargin=True)
    return figure.update_annotations(font_size=TEXT)


def whole_ticks(length: float, most: int) -> int | None:
    """The distance of ticks on a short axis of whole numbers, which plotly would mark at fractions."""
    return 1 if length <= most else None


def asks_nobody(figure: go.Figure) -> go.Figure:
    """The figure, for a file: its map, if it has one without tiles, asks no server for fonts."""
    if figure.layout.map.style != "white-bg":
        return figure
    return go.Figure(figure).update_layout(map={"style": _PLAIN_MAP})
