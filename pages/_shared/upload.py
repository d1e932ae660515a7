"""A file that a person uploaded, for the whole visit: Streamlit forgets it when another page opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from kanon_engine.io.limits import in_words


def choose_upload(
    words: str, types: Iterable[str], key: str, help: str, when_changed: Callable[[], object] | None = None
) -> tuple[str, bytes] | None:
    """Name and content of the chosen file; `when_changed` is called when it was chosen or taken away."""
    uploaded = f"{key}_uploaded"

    def take() -> None:
        file = st.session_state.get(key)
        if file is None:
            st.session_state.pop(uploaded, None)
        else:
            st.session_state[uploaded] = file.name, file.getvalue()
        if when_changed is not None:
            when_changed()

    file = st.file_uploader(words, type=list(types), key=key, on_change=take, help=help)
    if file is None:
        st.caption(in_words())
    if file is None and uploaded in st.session_state:
        st.button(
            f"Forget {st.session_state[uploaded][0]}", icon=":material/close:", key=f"{key}_forget", on_click=take
        )
    return st.session_state.get(uploaded)
