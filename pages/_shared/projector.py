"""Words and figures that can be read from the back of a room."""

from __future__ import annotations

from typing import Any

from plotly import graph_objects as go

LARGER = 1.6
USUAL = 12  # points of plotly's own font


def large_text(container: str) -> str:
    """A style for the words in the container of this key."""
    inside = f".st-key-{container}"
    return (
        f"<style>{inside} [data-testid='stMarkdownContainer'] p {{font-size: {LARGER}rem; line-height: 1.3}} "
        f"{inside} button [data-testid='stMarkdownContainer'] p {{font-size: 1.2rem}}</style>"
    )


def enlarged(figure: go.Figure) -> go.Figure:
    """A copy with every font larger.

    Example
    -------
    >>> enlarged(go.Figure(layout={"title": {"text": "a", "font": {"size": 10}}})).layout.title.font.size
    16
    """
    spec = _enlarged(figure.to_plotly_json(), inside=False)
    large = go.Figure(spec)
    if large.layout.font.size is None:
        large.layout.font.size = round(USUAL * LARGER)
    return large


def _enlarged(part: Any, *, inside: bool) -> Any:
    if isinstance(part, dict):
        return {key: _size(key, value, inside) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_enlarged(one, inside=False) for one in part]
    return part


def _size(key: str, value: Any, inside: bool) -> Any:
    if inside and key == "size" and isinstance(value, int | float):
        return round(value * LARGER)
    return _enlarged(value, inside="font" in key)
