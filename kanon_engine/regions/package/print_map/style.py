"""Measures and colours of the printed map."""

from __future__ import annotations

PAGE = (11.0, 8.5)  # inches
DPI = 200
DARK, GREY, BORDER, AREA = "#22262b", "#5b6066", "#33373d", "#8a9097"
LETTER = 0.62  # width of a wide letter or a digit, in parts of its size


def width_of(text: str, size: float) -> float:
    """About how wide a text is at most, in points."""
    return LETTER * size * len(text)
