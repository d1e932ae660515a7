"""How public records are shown to a person: one line in a terminal, a small table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import fields

LONGEST = 60  # characters of a fact
MOST_LISTED = 6


class Shown:
    """A dataclass that shows its main facts.

    `_repr_html_` is the table that a notebook shows. `__repr__` is the same on one line, for a dataclass that is made
    with ``repr=False``. Text from a file is shortened, without terminal control characters, and with HTML escaped.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, repr=False)
    ... class Box(Shown):
    ...     size: int
    ...     name: str
    >>> Box(3, "<b>\\x1b[31mred")
    <Box: size 3, name <b> [31mred>
    >>> Box(3, "<b>")._repr_html_()
    '<table><caption>Box</caption><tr><th>size</th><td>3</td></tr><tr><th>name</th><td>&lt;b&gt;</td></tr></table>'
    """

    def _facts(self) -> dict[str, object]:
        """The main facts; the fields, unless a class defines others."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.repr}  # type: ignore[arg-type]

    def __repr__(self) -> str:
        facts = (f"{plain(name)} {plain(value)}" for name, value in self._facts().items())
        return f"<{type(self).__name__}: {', '.join(facts)}>"

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th>{html.escape(plain(name))}</th><td>{html.escape(plain(value))}</td></tr>"
            for name, value in self._facts().items()
        )
        return f"<table><caption>{type(self).__name__}</caption>{''.join(rows)}</table>"


def plain(value: object) -> str:
    """A value on one short line.

    >>> plain(12000), plain(0.25), plain(("age", "sex")), plain("a\\nb")
    ('12,000', '0.25', 'age, sex', 'a b')
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = listed(value) if isinstance(value, tuple | list) else str(value)
    visible = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * LONGEST]).strip()
    return visible if len(visible) <= LONGEST and len(text) <= 4 * LONGEST else f"{visible[: LONGEST - 2]} …"


def listed(values: Iterable[object]) -> str:
    """The first of some values, and the number of the others.

    >>> listed("abc"), listed("abcdefgh")
    ('a, b, c', 'a, b, c, d, e, f and 2 more')
    """
    every = [str(value) for value in values]
    more = len(every) - MOST_LISTED
    return ", ".join(every[:MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")
