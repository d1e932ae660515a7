"""Intervals of numbers in words, ended at round numbers, so that no record's own number stands at an end."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal, localcontext

from kanon_engine.tables.ranges import shown

Number = int | float
DIGITS = 400  # enough for every float and for whole numbers of any table


def limit_between(low: Number, high: Number, rare: tuple[bool, bool] = (False, False), whole: bool = True) -> Number:
    """The roundest number above `low` and not above `high`: a cut between two neighbouring values.

    Parameters
    ----------
    low, high : number
        Values that occur, low < high, and none between them.
    rare : pair of bool
        Whether one record only has `low`, or `high`: that value is then not named by the cut.
    whole : bool
        Whether all values are whole numbers, so that the interval below a cut c ends at c − 1.

    Returns
    -------
    number
        Whole numbers as int. Between neighbours of which one is rare it may be a fraction.

    Example
    -------
    >>> limit_between(38, 61), limit_between(38, 39), limit_between(38, 39, (True, False)), limit_between(0.12, 0.47)
    (50, 39, 38.5, 0.4)
    >>> limit_between(-7, 3), limit_between(17, 40, (False, True)), limit_between(99, 104, (True, True))
    (0, 20, 102)
    """
    with localcontext() as context:
        context.prec = DIGITS
        below, above = Decimal(str(low)), Decimal(str(high))
        power = max(below.adjusted(), above.adjusted()) + 1
        while True:
            for step in (Decimal(1).scaleb(power), Decimal(5).scaleb(power - 1), Decimal(2).scaleb(power - 1)):
                last = (above / step).to_integral_value(ROUND_FLOOR) * step
                for cut in (last, last - step):
                    if below < cut <= above and _names_none(cut, below, above, rare, whole):
                        return int(cut) if cut == cut.to_integral_value() else float(cut)
            power -= 1


def _names_none(cut: Decimal, low: Decimal, high: Decimal, rare: tuple[bool, bool], whole: bool) -> bool:
    """Whether neither the cut nor, of whole numbers, the end below it is a rare value."""
    ends_at_low = whole and cut == cut.to_integral_value() and cut - 1 == low
    return not (rare[1] and cut == high) and not (rare[0] and ends_at_low)


def limit_words(low: Number | None, high: Number | None, whole: bool) -> str:
    """The numbers from `low` to below `high`; None where there is no limit.

    Example
    -------
    >>> limit_words(None, 40, True), limit_words(40, 60, True), limit_words(60, None, True)
    ('≤ 39', '40–59', '≥ 60')
    >>> limit_words(None, 0.4, False), limit_words(38.5, 60, True), limit_words(-10, 0, True)
    ('under 0.4', '38.5 to under 60', '−10 to −1')
    """
    if low is None:
        return (
            "not missing" if high is None else f"≤ {shown(high - 1)}" if _ends(high, whole) else f"under {shown(high)}"
        )
    if high is None:
        return f"≥ {shown(low)}"
    if not (_ends(low, whole) and _ends(high, whole)):
        return f"{shown(low)} to under {shown(high)}"
    return f"{shown(low)}{' to ' if low < 0 else '–'}{shown(high - 1)}"


def _ends(number: Number, whole: bool) -> bool:
    return whole and isinstance(number, int)


def number_words(parts: Sequence[Sequence[Number]], counts: Sequence[Sequence[int]]) -> list[str]:
    """What each interval of a column of numbers is called.

    Parameters
    ----------
    parts : sequence of sequences of numbers
        The values that occur in each interval, in order.
    counts : the same shape
        How many records have each.

    Returns
    -------
    list of str
        A value that several records have is called itself where it is alone; all else ends at round numbers, and the
        outermost intervals are open.

    Example
    -------
    >>> number_words([[17, 18, 38], [40], [41, 117]], [[3, 1, 1], [9], [4, 1]])
    ['≤ 39', '40', '≥ 41']
    """
    whole = all(isinstance(value, int) for part in parts for value in part)
    cuts: list[Number | None] = [None]
    for place in range(len(parts) - 1):
        rare = counts[place][-1] == 1, counts[place + 1][0] == 1
        cuts.append(limit_between(parts[place][-1], parts[place + 1][0], rare, whole))
    cuts.append(None)
    return [
        shown(part[0]) if len(part) == 1 and count[0] > 1 else limit_words(cuts[place], cuts[place + 1], whole)
        for place, (part, count) in enumerate(zip(parts, counts, strict=True))
    ]
