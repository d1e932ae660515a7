"""Pieces of SVG. Colours of words and lines are those of the page, so that they can be read on dark too."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

WIDTH, HEIGHT = 900, 620  # units of a picture; words have 20 or more of them
PALE, FAINT, MARKED = "p", "f", "m"  # colours besides the digits of the palette


def number(value: float) -> str:
    """A coordinate, in as few letters as can be.

    Example
    -------
    >>> number(3.04), number(12.25), number(-0.01)
    ('3', '12.2', '0')
    """
    text = f"{value:.1f}"
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """An element; a trailing _ of an attribute's name is left out, others are written as -.

    Example
    -------
    >>> element("rect", x=1.25, class_="a", stroke_width=2)
    '<rect x="1.2" class="a" stroke-width="2"/>'
    """
    words = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, float) else escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{words}>{content}</{tag}>" if content else f"<{tag}{words}/>"


def words_at(x: float, y: float, words: object, class_: str = "", anchor: str = "start") -> str:
    """Words on a picture; they are escaped."""
    return element(
        "text",
        escape(str(words)),
        x=float(x),
        y=float(y),
        class_=class_ or None,
        text_anchor=None if anchor == "start" else anchor,
    )


def box(x: float, y: float, width: float, height: float, **attributes: object) -> str:
    """A rectangle."""
    return element("rect", x=float(x), y=float(y), width=float(width), height=float(height), **attributes)


def item(name: str, label: str, *parts: str) -> str:
    """Something that can be chosen; the label is what is said of it where a person points at it."""
    return element("g", "".join(parts), data_item=name, data_label=label)


def told(label: str, *parts: str) -> str:
    """Something that is said where a person points at it, and that is never chosen."""
    return element("g", "".join(parts), data_label=label)


def svg(label: str, *parts: str, width: float = WIDTH, height: float = HEIGHT) -> str:
    """The whole picture; the label is what a screen reader says of it."""
    inside = "".join(parts) + '<g class="over"></g>'
    return element("svg", inside, viewBox=f"0 0 {number(width)} {number(height)}", role="group", aria_label=label)


def path(lines: Iterable[np.ndarray], closed: bool = False) -> str:
    """The d of a path along some lines, in whole units and relative steps.

    Example
    -------
    >>> path([np.array([(0.2, 1), (5, 1), (5, 1.3), (7, 4)])])
    'M0 1l5 0 2 3'
    """
    written = []
    for line in lines:
        corners = np.rint(line).astype(int)
        moved = np.diff(corners, axis=0)
        steps = moved[(moved != 0).any(axis=1)]
        if closed and len(steps) and (corners[0] == corners[-1]).all():
            steps = steps[:-1]
        if len(steps):
            x, y = corners[0].tolist()
            written.append(f"M{x} {y}l" + " ".join(f"{dx} {dy}" for dx, dy in steps.tolist()) + ("z" if closed else ""))
    return "".join(written)
