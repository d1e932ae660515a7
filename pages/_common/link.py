"""The address bar: a link reproduces the view, and a page that one comes back to is as it was left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import streamlit as st


def begin(family: str, name: str, default: Any, parse: Callable[[str], Any]) -> str:
    """Give a widget its first value, from the link that opened the page or else the default.

    Parameters
    ----------
    family, name : str
        The widget's key is ``family_name``, the parameter in the address bar `name`.
    default
    parse : callable
        Text of the address bar → value, or ValueError, which falls back to the default.

    Returns
    -------
    str
        The widget's key. Its value is in the session state, so the widget itself takes no default.
    """
    key = f"{family}_{name}"
    if key not in st.session_state:
        st.session_state[key] = default
        if not st.session_state.get(f"{family}_shown") and name in st.query_params:
            with suppress(ValueError):
                st.session_state[key] = parse(st.query_params[name])
    return key


def one_of(choices: Iterable[Any]) -> Callable[[str], Any]:
    """A parser that takes only these values."""
    known = {str(choice): choice for choice in choices}

    def parse(text: str) -> Any:
        if text not in known:
            raise ValueError(text)
        return known[text]

    return parse


def whole(minimum: int) -> Callable[[str], int]:
    """A parser of whole numbers of at least `minimum`, as large as a browser keeps exact."""

    def parse(text: str) -> int:
        value = int(text)
        if not minimum <= value < 2**53:
            raise ValueError(text)
        return value

    return parse


def show_link(family: str, values: dict[str, Any]) -> None:
    """Write what is on the page into the address bar."""
    st.session_state[f"{family}_shown"] = True
    wanted = {name: str(value) for name, value in values.items()}
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
