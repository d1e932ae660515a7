"""The fonts of the PDF and of the picture, and which letters they can write."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

INSTEAD = "□"
RIGHT_TO_LEFT = ("R", "AL", "AN")
FILES = {"": "DejaVuSans.ttf", "B": "DejaVuSans-Bold.ttf", "I": "DejaVuSans-Oblique.ttf", "M": "DejaVuSansMono.ttf"}
LONGEST = 6  # names of scripts that are told


def font_file(style: str) -> Path:
    """The file of a font that comes with matplotlib, so that every machine writes with the same; see `FILES`."""
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / FILES[style]


def written(text: str) -> str:
    """The text with a □ for each letter that these fonts cannot write, or not in the right order.

    >>> written("Zürich ≤ 39, 東京")
    'Zürich ≤ 39, □□'
    """
    return "".join(letter if letter == "\n" or _writable(letter) else INSTEAD for letter in text)


def missing_words(text: str) -> str:
    """A sentence that names the scripts, as Unicode calls them, of letters that cannot be written; "" where all can.

    >>> missing_words("Genève"), missing_words("東京 and مرحبا")[:62]
    ('', 'Letters of some scripts cannot be written here (Arabic, Cjk). ')
    """
    missing = {letter for letter in set(text) if letter != "\n" and not _writable(letter)}
    if not missing:
        return ""
    scripts = sorted({unicodedata.name(letter, "other signs").split()[0].capitalize() for letter in missing})
    more = len(scripts) - LONGEST
    told = ", ".join(scripts[:LONGEST]) + (f" and {more:,} more" if more > 0 else "")
    return (
        f"Letters of some scripts cannot be written here ({told}). A {INSTEAD} stands for each; report.html has them."
    )


@cache
def _letters() -> frozenset[int]:
    """What all of the fonts can write."""
    from fontTools.ttLib import TTFont

    known = []
    for style in FILES:
        with TTFont(font_file(style), lazy=True) as font:
            known.append(set(font.getBestCmap()))
    return frozenset(set.intersection(*known))


@cache
def _writable(letter: str) -> bool:
    return ord(letter) in _letters() and unicodedata.bidirectional(letter) not in RIGHT_TO_LEFT
