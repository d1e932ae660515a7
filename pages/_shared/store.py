"""What searches of this visit found: whoever asks the same again has it at once, and it may serve another k."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

import streamlit as st

import kanon_engine as kanon

MOST_ITEMS = 1_000_000  # of all results together
Pair = tuple[kanon.Generalization, kanon.Certificate]


class Store:
    """Results with their certificates, by what was asked; of stopped searches none, for asked again they find more."""

    def __init__(self) -> None:
        self._pairs: dict[Hashable, Pair] = {}
        self._lock = threading.Lock()  # searches beside the page put theirs

    def put(self, key: Hashable, g: kanon.Generalization, certificate: kanon.Certificate) -> None:
        """Keep a result; those that were put first make room."""
        if g.status == "stopped":
            return
        with self._lock:
            self._pairs.pop(key, None)
            self._pairs[key] = g, certificate
            items = sum(len(one.assignment) for one, _ in self._pairs.values())
            while items > MOST_ITEMS and len(self._pairs) > 1:
                first, _ = self._pairs.pop(next(iter(self._pairs)))
                items -= len(first.assignment)

    def get(self, key: Hashable) -> Pair | None:
        """The result of this key, if it is there."""
        return self._pairs.get(key)

    def all(self) -> list[tuple[Any, Pair]]:
        """All there are."""
        with self._lock:
            return list(self._pairs.items())


def visit_store() -> Store:
    """That of this visit."""
    if "_store" not in st.session_state:
        st.session_state["_store"] = Store()
    kept: Store = st.session_state["_store"]
    return kept
