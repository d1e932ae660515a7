"""What is released as it is: values that one record only has, columns that tell who somebody is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.io.roles import NEARLY_ALL, QUASI_IDENTIFIERS, named_identifier, plain_name
from kanon_engine.release.released import shown_column
from kanon_engine.tables.audit.finding import DROP, MINOR, NOTABLE, QUASI, ROUND, SERIOUS, Finding, Mend
from kanon_engine.tables.audit.view import View, sizes_of

FEWEST_RANGES = 3
FEW_RANGES = 12


def value_findings(view: View, name: str) -> Iterator[Finding]:
    """Of one kept column."""
    present = shown_column(view.frame[name]).notna().to_numpy()
    once = int((sizes_of(view.codes[name])[present] == 1).sum())
    unit = view.table.unit
    own = "a value of its own" if once == 1 else "values of their own"
    have = "has" if once == 1 else "have"
    mends = tuple(remedies(view, name))
    if named_identifier(name) or (once >= NEARLY_ALL * len(view) > 1 and not view.numeric(name)):
        yield Finding(
            "identifier",
            SERIOUS,
            f"“{name}” looks like an identifier: {once:,} of the {unit} {have} {own} in it.",
            (name,),
            max(once, 1),
            "Who knows it finds the record, and everything else that the record says.",
            (Mend(DROP, name), *(mend for mend in mends if mend.action != DROP)),
        )
    elif once:
        yield Finding(
            "single values",
            SERIOUS if once >= NEARLY_ALL * len(view) > 1 else NOTABLE,
            f"{once:,} of the {unit} {have} {own} in “{name}”, which is released as it is.",
            (name,),
            once,
            "Who knows such a value of a person finds the record, and everything else that it says.",
            mends,
        )
    if view.ranges(name) is None:
        sensitive, known = name not in view.others, plain_name(name) in QUASI_IDENTIFIERS
        reason = "It is no quasi-identifier, so k does not cover it; make it one if others could know it."
        if known:
            reason = "It is called as what others know of people, and k does not cover it."
        if sensitive:
            reason = "It is what the release is about; k alone does not hide it."
        yield Finding(
            "unchanged",
            NOTABLE if known and not sensitive else MINOR,
            f"“{name}” is released unchanged.",
            (name,),
            len(view),
            reason,
            (Mend(DROP, name),) if sensitive else (Mend(QUASI, name), Mend(DROP, name)),
        )


def remedies(view: View, name: str) -> Iterator[Mend]:
    """For a kept column whose values single people out, best first."""
    wider = _wider(view, name)
    if wider is not None:
        yield Mend(ROUND, name, wider)
    if name in view.others:
        yield Mend(QUASI, name)
    yield Mend(DROP, name)


def _wider(view: View, name: str) -> tuple[Any, Any] | None:
    """Where a range begins and the width of all, so that no range holds one record; of a dozen where none does."""
    had = view.ranges(name)
    if had is not None:
        return (had[0], next(width for width in round_widths(had[1]) if width > had[1]))
    if not view.numeric(name):
        return None
    numbers = pd.to_numeric(view.frame[name]).dropna().to_numpy(dtype=float)
    spread = float(np.ptp(numbers)) if len(numbers) else 0.0
    if not (math.isfinite(spread) and spread / 10_000 > 0):  # the smallest numbers have no ten thousandth
        return None
    least = 1.0 if (numbers == np.floor(numbers)).all() else 0.0
    for width in round_widths(max(spread / 10_000, least + least * 1e-9)):
        _, counts = np.unique(np.floor(numbers / width), return_counts=True)
        if len(counts) < FEWEST_RANGES:
            break
        if counts.min() > 1:
            return (0, width)
    return (0, next(width for width in round_widths(spread / FEW_RANGES) if width >= max(least, spread / FEW_RANGES)))


def round_widths(least: float) -> Iterator[Any]:
    """1, 2 or 5 times a power of ten, ascending, from about this on.

    Example
    -------
    >>> from itertools import islice
    >>> list(islice(round_widths(30), 5)), list(islice(round_widths(0.015), 3))
    ([50, 100, 200, 500, 1000], [0.02, 0.05, 0.1])
    """
    power = math.floor(math.log10(least))
    while True:
        for base in (1, 2, 5):
            width = base * 10**power if power >= 0 else base / 10**-power
            if width >= least:
                yield width
        power += 1
