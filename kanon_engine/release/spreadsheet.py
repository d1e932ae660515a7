"""Tables as CSV text, with cells that a spreadsheet would run as a formula made harmless or refused."""

from __future__ import annotations

import re

import pandas as pd

from kanon_engine.errors import InvalidInput

FORMULAS = ("escape", "refuse")
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ESCAPE = "'"  # a spreadsheet takes what follows for text


def csv_text(frame: pd.DataFrame, formulas: str = "escape") -> str:
    """A table as CSV that no spreadsheet runs.

    Parameters
    ----------
    frame : DataFrame
    formulas : str
        What happens to text that a spreadsheet may take for a formula (it begins with =, +, -, @, a tab or a line
        break): "escape" puts an apostrophe in front, also where apostrophes stand before it already, "refuse" raises.
        Headers count too. Numbers are never touched, nor is text that is nothing but a number, such as "-5".

    Raises
    ------
    InvalidInput
        Another word for `formulas`; a formula where these are refused.

    Example
    -------
    >>> csv_text(pd.DataFrame({"@name": ["=1+1", "Ada", "-5"], "change": [-2.5, 0.0, 1.0]})).splitlines()
    ["'@name,change", "'=1+1,-2.5", 'Ada,0.0', '-5,1.0']
    """
    return str(harmless(frame, formulas).to_csv(index=False, lineterminator="\n"))


def harmless(frame: pd.DataFrame, formulas: str = "escape") -> pd.DataFrame:
    """A table with an apostrophe in front of text, names of columns too, that a spreadsheet may take for a formula.

    Raises
    ------
    InvalidInput
        As `csv_text` does.
    """
    if formulas not in FORMULAS:
        raise InvalidInput(f"What to do with formulas is {formulas!r}; choose one of {', '.join(FORMULAS)}.")
    plain = frame.copy()
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        if pd.api.types.is_numeric_dtype(column):
            continue
        risky = column.map(is_formula if formulas == "refuse" else _is_escaped).to_numpy(dtype=bool)
        if not risky.any():
            continue
        if formulas == "refuse":
            raise _refused(str(column[risky].iloc[0]), f"in column {str(name)!r}")
        values = column.astype(object).mask(risky, column.map(lambda value: f"{ESCAPE}{value}"))
        plain.isetitem(place, values.array)
    risky_names = [str(name) for name in frame.columns if is_formula(name)]
    if risky_names and formulas == "refuse":
        raise _refused(risky_names[0], "as the name of a column")
    if formulas == "escape":
        names = [f"{ESCAPE}{name}" if _is_escaped(name) else name for name in frame.columns]
        plain.columns = pd.Index(names, dtype=object)
    return plain


def is_formula(value: object) -> bool:
    """Whether a spreadsheet may take a cell for a formula.

    Example
    -------
    >>> [is_formula(value) for value in ("=A1", "-5", "-5+A1", "−5 to 2", "", -5, None)]
    [True, False, True, False, False, False, False]
    """
    return isinstance(value, str) and value.startswith(STARTS) and NUMBER.fullmatch(value) is None


def _is_escaped(value: object) -> bool:
    """Whether a cell gets an apostrophe: a formula, and one that has apostrophes already, so that both stay two."""
    return isinstance(value, str) and is_formula(value.lstrip(ESCAPE))


def _refused(text: str, where: str) -> InvalidInput:
    return InvalidInput(
        f"“{text[:40]}” stands {where}; a spreadsheet may run it as a formula. Correct it, or have formulas escaped."
    )


def unescaped(frame: pd.DataFrame) -> pd.DataFrame:
    """A table as it was before `csv_text` put apostrophes in front of what a spreadsheet takes for formulas.

    Example
    -------
    >>> unescaped(pd.DataFrame({"'@name": ["'=1+1", "''=1+1", "'tis"]})).to_dict("list")
    {'@name': ['=1+1', "'=1+1", "'tis"]}
    """
    plain = frame.copy()
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            plain.isetitem(place, column.map(_unescaped).array)
    plain.columns = pd.Index([_unescaped(name) for name in frame.columns], dtype=object)
    return plain


def _unescaped(value: object) -> object:
    return value[1:] if isinstance(value, str) and value.startswith(ESCAPE) and _is_escaped(value) else value
