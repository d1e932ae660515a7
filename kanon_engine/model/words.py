"""Words that sentences of all families share."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """A number and what it counts.

    Example
    -------
    >>> counted(1, "area"), counted(1200, "area")
    ('1 area', '1,200 areas')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"
