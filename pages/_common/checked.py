"""The checks of a result, made once a visit."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon


def checks_of(instance: Any, g: kanon.Generalization) -> tuple[kanon.Check, ...]:
    """Every check of a verified result, with what it found in words."""
    return _checks(instance, g, instance.digest, g.digest)


@st.cache_resource(scope="session", max_entries=50, show_spinner=False)
def _checks(_instance: Any, _g: kanon.Generalization, digest: str, content: str) -> tuple[kanon.Check, ...]:
    return kanon.verify(_instance, _g).checks
