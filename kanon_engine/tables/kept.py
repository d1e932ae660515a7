"""Columns that a release shows unchanged: named by a person, and none that gives a generalized column away."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.roles import identifies, listed
from kanon_engine.tables.domain import column_values
from kanon_engine.validate import known_column


def require_keepable(
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    keep: Sequence[str],
    raw: Mapping[str, pd.Series] | None = None,
) -> None:
    """Refuse to release a quasi-identifier's own values.

    Parameters
    ----------
    frame : DataFrame
    quasi_identifiers, keep : sequences of str
    raw : mapping of column to Series, optional
        The numbers of quasi-identifiers that were put into ranges.

    Raises
    ------
    InvalidInput
        A column that is not there, is a quasi-identifier, or holds the same values as one.
    """
    for name in keep:
        known_column(list(frame.columns), name, "columns to keep")
        if name in quasi_identifiers:
            raise InvalidInput(f"{name!r} is a quasi-identifier, so it is released generalized; leave it out of these.")
        values = column_values(frame[name])
        for other in quasi_identifiers:
            same = any(
                column_values(column) == values for column in (frame[other], (raw or {}).get(other, frame[other]))
            )
            if same and frame[other].nunique(dropna=False) > 1:
                raise InvalidInput(
                    f"{name!r} holds the same values as the quasi-identifier {other!r}, so it would release them as "
                    "they are; leave it out, or make it a quasi-identifier."
                )


def kept_notes(
    frame: pd.DataFrame, quasi_identifiers: Sequence[str], keep: Sequence[str], ranges: Collection[str] = ()
) -> tuple[str, ...]:
    """What is released unchanged or in ranges, and what a reader of it could learn from that; in sentences.

    Example
    -------
    >>> people = pd.DataFrame({"age": [1, 1, 2, 2], "child": [1, 1, 0, 0], "flu": [1, 0, 1, 0]})
    >>> kept_notes(people, ["age"], ["child", "flu"])[1]
    'Who knows “child” knows “age” too, which is generalized: in this file each value goes with one of that column.'
    """
    told = {name: [other for other in quasi_identifiers if tells(frame[name], frame[other])] for name in keep}
    return known_notes(keep, {name for name in keep if identifies(frame[name])}, told, ranges)


def known_notes(
    keep: Sequence[str], identifying: Collection[str], told: Mapping[str, Sequence[str]], ranges: Collection[str] = ()
) -> tuple[str, ...]:
    """`kept_notes` of columns of which it is known what they tell.

    Parameters
    ----------
    keep : sequence of str
    identifying : collection of str
        Those with a value of their own in nearly every row.
    told : mapping of str to sequence of str
        The quasi-identifiers of which one value goes with each value of a column.
    ranges : collection of str
        Columns that were put into ranges.
    """
    if not keep:
        return ("No column is released unchanged.",)
    notes = [f"{kept_words(keep, ranges)}."]
    for name in keep:
        if name in identifying:
            notes.append(f"“{name}” has a value of its own in nearly every row: who knows it finds the person.")
        elif told[name]:
            notes.append(
                f"Who knows “{name}” knows {listed(told[name])} too, which is generalized: in this file each value "
                "goes with one of that column."
            )
    return tuple(notes)


def kept_words(keep: Sequence[str], ranges: Collection[str]) -> str:
    """Which columns are released without being generalized, and which of them in ranges; at least one.

    Example
    -------
    >>> kept_words(["flu", "pay"], ["pay"])
    'Released unchanged: “flu”; in ranges: “pay”'
    """
    unchanged = [name for name in keep if name not in ranges]
    put = [name for name in keep if name in ranges]
    words = ([f"unchanged: {listed(unchanged)}"] if unchanged else []) + ([f"in ranges: {listed(put)}"] if put else [])
    return f"Released {'; '.join(words)}"


def tells(column: pd.Series, other: pd.Series) -> bool:
    """Whether each value of a column goes with one value of the other, which has several."""
    keys, values = column.astype("string").fillna(""), other.astype("string").fillna("")
    return values.nunique() > 1 and int(values.groupby(keys.to_numpy()).nunique().max()) == 1
