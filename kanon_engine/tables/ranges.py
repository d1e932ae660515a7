"""What ranges of numbers are called."""

from __future__ import annotations

import re

LABEL = re.compile(r"(−?[\d.]+)(?:–| to under )(−?[\d.]+)")


def range_name(low: float, width: float, whole: bool) -> str:
    """What a range of numbers is called, by its first and last number where all are whole.

    Example
    -------
    >>> range_name(17, 5, True), range_name(17, 1, True), range_name(0, 0.5, False)
    ('17–21', '17', '0 to under 0.5')
    """
    if not whole:
        return f"{shown(low)} to under {shown(low + width)}"
    return shown(low) if width == 1 else f"{shown(low)}–{shown(low + width - 1)}"


def shown(number: float) -> str:
    """A number as people write it.

    Example
    -------
    >>> shown(17), shown(-2.50), shown(0.1 + 0.2)
    ('17', '−2.5', '0.3')
    """
    text = str(number) if isinstance(number, int) else f"{number:.10g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def joined(first: str, last: str) -> str | None:
    """The name of what reaches from one range to another; None where these are no ranges.

    Example
    -------
    >>> joined("17–21", "22–26"), joined("0 to under 0.5", "1 to under 1.5"), joined("Masters", "Doctorate")
    ('17–26', '0 to under 1.5', None)
    >>> joined("80–84", "≥ 85"), joined("≤ 19", "20–24")
    ('≥ 80', '≤ 24')
    """
    low, high = LABEL.fullmatch(first), LABEL.fullmatch(last)
    if low and last.startswith("≥ "):
        return f"≥ {low[1]}"
    if high and first.startswith("≤ "):
        return f"≤ {high[2]}" if "–" in last else f"under {high[2]}"
    if low is None or high is None:
        return None
    return f"{low[1]}–{high[2]}" if "–" in last else f"{low[1]} to under {high[2]}"
