"""Which columns of a person's own records leave with their groups, and that none of them says where a record is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.coordinates import numbers_of
from kanon_engine.model.words import cell_text
from kanon_engine.validate import known_column

NEARLY_ALL, SEVERAL = 0.9, 10  # share of equal cells, and different ones, from which a column is another's copy
SHORT = 2  # letters of a code that many texts hold by chance
ALONG = 0.999  # correlation with a coordinate from which a column is one


def own_roles(
    columns: Sequence[str],
    raw: Sequence[str],
    quasi_identifiers: Sequence[str],
    keep: Sequence[str],
    sensitive: Sequence[str],
) -> tuple[list[str], list[str]]:
    """The other quasi-identifiers, and what is kept, the sensitive columns with it; each named once.

    Parameters
    ----------
    columns : sequence of str
        All that the records have.
    raw : sequence of str
        Those that say where a record is.
    quasi_identifiers, keep, sensitive : sequences of str
        As in `apply`.

    Raises
    ------
    InvalidInput
        A column that is not there, has two roles, or says where a record is.
    """
    roles = {"quasi-identifiers": quasi_identifiers, "columns to keep": keep, "sensitive columns": sensitive}
    for what, names in roles.items():
        if isinstance(names, str):
            raise InvalidInput(f"The {what} are {names!r}; give a list of columns.")
        for name in map(str, names):
            known_column(list(columns), name, what)
            if name in raw:
                raise InvalidInput(
                    f"{name!r} is what groups leave in place of, so it never leaves itself; leave it out of the {what}."
                )
    others = list(dict.fromkeys(map(str, quasi_identifiers)))
    kept = list(dict.fromkeys([*map(str, keep), *map(str, sensitive)]))
    both = [name for name in kept if name in others]
    if both:
        raise InvalidInput(f"{both[0]!r} is named as a quasi-identifier and as a column to keep; choose one of both.")
    return others, kept


def require_no_copy(frame: pd.DataFrame, raw: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a column that would release what the groups stand for, as it is or written in another way."""
    for other in raw:
        own, words = _plain_cells(frame[other]), _words(frame[other])
        numbers, _ = numbers_of(frame[other])
        for name in names:
            there = _plain_cells(frame[name])
            both = (own != "") & (there != "")
            if not both.any():
                continue
            same = own[both] == there[both]
            several = len(set(own[both])) > SEVERAL
            if same.all() or (several and same.mean() > NEARLY_ALL):
                told = "holds the same values as"
            elif several and _holds(_words(frame[name])[both], words[both]):
                told = "has in it the values of"
            elif several and _follows(numbers_of(frame[name])[0][both], numbers[both]):
                told = "rises and falls with"
            else:
                continue
            raise InvalidInput(f"{name!r} {told} {other!r}, so it would release where records are; leave it out.")


def _holds(texts: np.ndarray, parts: np.ndarray) -> bool:
    """Whether nearly all texts hold their part, as 06604-1234 holds 6604; parts of a letter or two say nothing."""
    held = [len(part) > SHORT and part in text for text, part in zip(texts, parts, strict=True)]
    return float(np.mean(held)) > NEARLY_ALL


def _follows(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether nearly all are numbers that go along a line, as a coordinate that was rounded or projected does."""
    both = np.isfinite(values) & np.isfinite(others)
    one, other = values[both], others[both]
    if both.mean() <= NEARLY_ALL or len(np.unique(one)) <= SEVERAL or not (one.std() and other.std()):
        return False
    return bool(abs(np.corrcoef(one / np.abs(one).max(), other / np.abs(other).max())[0, 1]) > ALONG)


def _words(column: pd.Series) -> np.ndarray:
    """(n,) object: cells in small letters, without zeros in front and behind a decimal point."""
    return _by_value(column, lambda texts: [text.casefold().removesuffix(".0").lstrip("0") for text in texts])


def _plain_cells(column: pd.Series) -> np.ndarray:
    """(n,) object: cells in small letters, all that can be read as a number in one way of writing; "" for none."""

    def plain(texts: list[str]) -> list[str]:
        numbers, _ = numbers_of(pd.Series(texts, dtype=object))
        pairs = zip(texts, numbers.tolist(), strict=True)
        return [text.casefold() if np.isnan(number) else repr(number) for text, number in pairs]

    return _by_value(column, plain)


def _by_value(column: pd.Series, words: Callable[[list[str]], list[str]]) -> np.ndarray:
    """(n,) object: a word for the text of each cell, made once for equal cells where these have one type."""
    if pd.api.types.is_object_dtype(column):  # 1 and True are equal there
        return np.array(words([cell_text(value) for value in column]), dtype=object)
    codes, values = pd.factorize(column, use_na_sentinel=False)
    made = words([cell_text(value) for value in pd.Series(values).astype(object)])
    return np.array(made, dtype=object)[codes]
