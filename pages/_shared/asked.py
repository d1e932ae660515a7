"""What a person wants of records where they live: where these are, and which columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st


@dataclass(frozen=True)
class Field:
    """Which columns of the records a person is asked for.

    Attributes
    ----------
    title, help : str
    option : str
        Of `kanon_engine.records.count`, that takes these columns, or none; "" where the records are counted by them.
    several : bool
        Whether it takes as many columns as a person likes.
    """

    title: str
    help: str = ""
    option: str = ""
    several: bool = False


@dataclass(frozen=True)
class Asked:
    """What a person wants to have counted.

    Attributes
    ----------
    address : str
    table : str or None
        Of a database.
    columns : tuple of (Field, columns)
    unit : str or None
        What a record is called.
    """

    address: str
    table: str | None
    columns: tuple[tuple[Field, tuple[str, ...]], ...] = ()
    unit: str | None = None

    @property
    def place(self) -> Asked:
        """Where the records are, and nothing of what is wanted of them."""
        return replace(self, columns=(), unit=None)

    @property
    def by(self) -> str | tuple[str, ...] | list[str]:
        """What is counted, as `count` takes it."""
        counted = [(field, names) for field, names in self.columns if not field.option]
        names = [name for _, own in counted for name in own]
        if any(field.several for field, _ in counted):
            return names
        return names[0] if len(names) == 1 else tuple(names)

    @property
    def options(self) -> dict[str, Any]:
        """Of `count`, columns by option; none that is empty."""
        return {field.option: list(names) for field, names in self.columns if field.option and names}

    @property
    def words(self) -> str:
        """What is being done."""
        names = dict.fromkeys(name for _, own in self.columns for name in own)
        return f"Counting the records by {', '.join(names)}"


def pick_field(field: Field, columns: Sequence[str], key: str) -> tuple[str, ...]:
    """A widget for the columns of a field, and what is picked in it; those of other records are forgotten."""
    held = st.session_state.get(key)
    help = field.help or None
    if field.several:
        kept = [name for name in held or () if name in columns]
        if kept != held:
            st.session_state[key] = kept
        st.multiselect(field.title, columns, key=key, help=help, persist_state="session")
    else:
        if held not in columns:
            st.session_state[key] = None
        st.selectbox(field.title, columns, index=None, key=key, help=help, persist_state="session")
    return picked_field(field, key)


def picked_field(field: Field, key: str) -> tuple[str, ...]:
    """What is picked there."""
    held = st.session_state[key]
    return tuple(held) if field.several else () if held is None else (held,)
