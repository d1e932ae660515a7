"""Text in lines of a given width, by the widths of the letters of a font."""

from __future__ import annotations

from functools import cache

from kanon_engine.report.fonts import font_file

SLACK = 0.995  # widths in the file are rounded


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """The text in lines that are no wider than this; a word that is wider is broken.

    Parameters
    ----------
    text : str
    font : str
        Its style, as `font_file` has it.
    size, width : float
        In the same unit.

    Example
    -------
    >>> wrapped("one two\\nthree unbrokenword", "M", 10, 60)
    ['one two', 'three', 'unbrokenw', 'ord']
    >>> wrapped("made-in-Zug", "M", 10, 60)
    ['made-in-', 'Zug']
    """
    widths, most = _widths(font), width * SLACK / size
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0.0
        for word in paragraph.split(" "):
            wide = _wide(word, widths)
            gap = widths[" "] if line else 0.0
            if used + gap + wide <= most:
                line, used = f"{line} {word}" if line else word, used + gap + wide
                continue
            lines += [line] if line else []
            *whole, line = _broken(word, widths, most)
            lines += whole
            used = _wide(line, widths)
        lines.append(line)
    return lines


def first_that_fits(text: str, font: str, size: float, width: float) -> str:
    """The text, or what of it fits on a line and an ellipsis.

    Example
    -------
    >>> first_that_fits("unbrokenword", "M", 10, 60), first_that_fits("word", "M", 10, 60)
    ('unbroken…', 'word')
    """
    widths = _widths(font)
    most = width * SLACK / size
    return text if _wide(text, widths) <= most else _broken(text, widths, most - widths["…"])[0].rstrip() + "…"


def _broken(word: str, widths: dict[str, float], most: float) -> list[str]:
    """A word in parts that fit, each of a letter at least, broken after a hyphen where it has one."""
    parts, used = [""], 0.0
    for letter in word:
        wide = _wide(letter, widths)
        if parts[-1] and used + wide > most:
            whole, hyphen, rest = parts[-1].rpartition("-")
            parts[-1:] = [whole + hyphen, rest] if hyphen else [rest, ""]
            used = _wide(parts[-1], widths)
        parts[-1] += letter
        used += wide
    return parts


def _wide(text: str, widths: dict[str, float]) -> float:
    """Its width in parts of the size; a letter that the font lacks is as wide as it is high."""
    return sum(widths.get(letter, 1.0) for letter in text)


@cache
def _widths(font: str) -> dict[str, float]:
    """Letter → its width in parts of the size."""
    from fontTools.ttLib import TTFont

    with TTFont(font_file(font), lazy=True) as file:
        unit, advances = file["head"].unitsPerEm, file["hmtx"].metrics
        return {chr(code): advances[name][0] / unit for code, name in file.getBestCmap().items()}
