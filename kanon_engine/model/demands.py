"""Diversity and closeness as a person writes and reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.diversity import KINDS, Closeness, Diversity
from kanon_engine.validate import told

CLOSENESS = "closeness"
FORMS = "3, 3:entropy, 2:recursive:3 or 0.3:closeness"


def demand_text(one: Diversity | Closeness) -> str:
    """What is asked of a column, without its name.

    Example
    -------
    >>> demand_text(Diversity("disease", 3)), demand_text(Diversity("disease", 2.5, "entropy"))
    ('3', '2.5:entropy')
    >>> demand_text(Diversity("disease", 2, "recursive", 3)), demand_text(Closeness("income", 0.3))
    ('2:recursive:3', '0.3:closeness')
    """
    if isinstance(one, Closeness):
        return f"{_number(one.t)}:{CLOSENESS}"
    if one.kind == "distinct":
        return _number(one.l)
    return f"{_number(one.l)}:{one.kind}" + ("" if one.c is None else f":{_number(one.c)}")


def demand_of(column: str, text: str) -> Diversity | Closeness:
    """What `demand_text` writes, or `InvalidInput`.

    Example
    -------
    >>> demand_of("disease", "2:recursive:3"), demand_of("income", "0.3:closeness")
    (Diversity(column='disease', l=2, kind='recursive', c=3.0), Closeness(column='income', t=0.3))
    """
    first, *rest = (part.strip() for part in text.split(":"))
    kind, *more = rest or ["distinct"]
    try:
        if kind not in (*KINDS, CLOSENESS) or len(more) != (kind == "recursive"):
            raise ValueError(text)
        number, c = float(first), float(more[0]) if more else None
    except ValueError:
        message = f"{told(text)} asks for nothing of the column {column!r}; write it as {FORMS}."
        raise InvalidInput(message, parameter="require", value=text) from None
    return Closeness(column, number) if kind == CLOSENESS else Diversity(column, number, kind, c)


def demand_words(one: Diversity | Closeness, name: str | None = None) -> str:
    """What every group has, in words; `name` is the column as it can stand in a sentence.

    Example
    -------
    >>> demand_words(Diversity("disease", 3))
    'at least 3 different values of “disease”'
    >>> demand_words(Diversity("disease", 2.5, "entropy"))
    'values of “disease” at least as diverse as 2.5 equally common ones'
    >>> demand_words(Diversity("disease", 3, "recursive", 2))
    'fewer records of its commonest “disease” than 2 times those of all but its 2 commonest'
    >>> demand_words(Closeness("income", 0.3))
    'a distribution of “income” within 0.3 of the whole table’s'
    """
    column = one.column if name is None else name
    if isinstance(one, Closeness):
        return f"a distribution of “{column}” within {_number(one.t)} of the whole table’s"
    if one.kind == "distinct":
        return f"at least {one.l:,} different values of “{column}”"
    if one.kind == "entropy":
        return f"values of “{column}” at least as diverse as {_number(one.l)} equally common ones"
    beyond = "that one" if one.l == 2 else f"its {int(one.l) - 1:,} commonest"
    share = _number(one.c)
    return f"fewer records of its commonest “{column}” than {share} times those of all but {beyond}"


def demands_in(require: Iterable[Any]) -> list[Diversity | Closeness]:
    """Those of requirements that are about sensitive columns."""
    return [one for one in require if isinstance(one, Diversity | Closeness)]


def _number(value: Any) -> str:
    return f"{value:.15g}"
