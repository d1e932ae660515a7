"""The certificate of a result, made once a visit."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon


def certificate_of(instance: Any, g: kanon.Generalization) -> kanon.Certificate:
    """Every check of a verified result, with what it found in words, and whose word the bound is."""
    return _certificate(instance, g, instance.digest, g.digest)


@st.cache_resource(scope="session", max_entries=50, show_spinner=False)
def _certificate(_instance: Any, _g: kanon.Generalization, digest: str, content: str) -> kanon.Certificate:
    return kanon.verify(_instance, _g)
