"""Tables as pictures: a row a record, of which some can be chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from kanon_engine.lessons.drawing import box, element, item, words_at


def drawn_table(
    title: str,
    frame: pd.DataFrame,
    left: float,
    top: float,
    widths: Sequence[float],
    *,
    height: float = 46,
    name: Callable[[int], str] | None = None,
    fill: Callable[[int], str | None] | None = None,
) -> str:
    """A table with its heading.

    Parameters
    ----------
    widths : sequence of float
        Of the columns.
    height : float
        Of a row.
    name : function, optional
        The name of a row, where rows are chosen.
    fill : function, optional
        The colour of a row.
    """
    whole = sum(widths)
    starts = [left + 12 + sum(widths[:number]) for number in range(len(widths))]
    parts = [words_at(left, top - 14, title, "strong")]
    parts += [words_at(x, top + 28, column, "dim") for x, column in zip(starts, frame.columns, strict=True)]
    for place, row in enumerate(frame.astype(str).itertuples(index=False)):
        y = top + 42 + place * height
        shade = fill(place) if fill else None
        back = box(left, y, whole, height - 6, class_=None if shade else "cell", fill=shade, rx=6)
        ink = "onfill" if shade else ""
        cells = "".join(words_at(x, y + height / 2 + 4, cell, ink) for x, cell in zip(starts, row, strict=True))
        label = f"Row {place + 1}: " + ", ".join(map(str, row))
        parts.append(item(name(place), label, back, cells) if name else back + cells)
    return element("g", "".join(parts))
