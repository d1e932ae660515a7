"""The values of the chosen columns, row by row, and which rows have none that is possible."""

from __future__ import annotations

import numpy as np
import pandas as pd

from kanon_engine.clusters.distances import LARGEST
from kanon_engine.clusters.read.columns import Chosen
from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.cells import typed
from kanon_engine.io.coordinates import numbers_of

LISTED = 5  # bad rows that a message names


def numbers_in_rows(
    frame: pd.DataFrame, chosen: Chosen, where: str, drop: bool
) -> tuple[pd.DataFrame, np.ndarray, tuple[str, ...]]:
    """The values as the metric takes them, which rows are left out, and what was odd.

    Raises
    ------
    InvalidInput
        A column of words in a space of numbers; rows without a possible value, unless they are to be dropped.
    """
    if chosen.metric in ("hamming", "gower"):
        made = {name: typed(frame[name]) for name in chosen.names}
        values = pd.DataFrame({name: column for name, (column, _, _) in made.items()})
        return values, np.zeros(len(frame), dtype=bool), tuple(note for _, _, notes in made.values() for note in notes)
    columns, commas = {}, False
    for name, numeric in zip(chosen.names, chosen.numeric, strict=True):
        columns[name], continental = numbers_of(frame[name])
        commas |= continental
        if not numeric and 2 * np.isnan(columns[name]).sum() > len(frame):
            raise InvalidInput(
                f"Column {name!r} of {where} holds words, and distances of the metric {chosen.metric} are of numbers",
                remedy=[Remedy("leave it out"), Remedy("choose the metric gower, which takes numbers and words")],
            )
    values = pd.DataFrame(columns)
    notes: tuple[str, ...] = ("Commas were read as decimal points.",) if commas else ()
    limits = [360.0, 90.0] if chosen.metric == "haversine" else [LARGEST] * len(chosen.names)
    wrong = values.isna().to_numpy() | (np.abs(values.to_numpy()) > limits)
    bad = np.asarray(wrong.any(axis=1))
    if bad.any():
        notes += (_bad_rows(frame, chosen, where, wrong, drop),)
    return values, bad, notes


def _bad_rows(frame: pd.DataFrame, chosen: Chosen, where: str, wrong: np.ndarray, drop: bool) -> str:
    rows = np.flatnonzero(wrong.any(axis=1))
    listing = "; ".join(f"row {row + 1}: {_reason(frame, chosen, row, wrong)}" for row in rows[:LISTED].tolist())
    listing += "; …" if len(rows) > LISTED else ""
    if drop and len(rows) < len(frame):
        return f"Left out because a value is missing or not possible: {len(rows):,} of {len(frame):,} rows ({listing})."
    ways = [Remedy("correct them"), *([] if drop else [Remedy("leave them out", "drop_missing", True)])]
    raise InvalidInput(f"{where} lacks a value in {len(rows):,} of {len(frame):,} rows ({listing})", remedy=ways)


def _reason(frame: pd.DataFrame, chosen: Chosen, row: int, wrong: np.ndarray) -> str:
    name = chosen.names[int(np.argmax(wrong[row]))]
    cell = frame[name].iloc[row]
    if pd.isna(cell) or not str(cell).strip():
        return f"{name} is missing"
    return f"{name} is {str(cell)[:30]!r}, which is no possible number"
