"""The certificate of a result, made once a visit."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon

KEPT = 200
Certificates = dict[tuple[str, str], kanon.Certificate]


def certificates() -> Certificates:
    """Those of this visit, by the digests of instance and result."""
    kept: Certificates = st.session_state.setdefault("_certificates", {})
    return kept


def certificate_of(instance: Any, g: kanon.Generalization) -> kanon.Certificate:
    """Every check of a verified result, with what it found in words, and whose word the bound is."""
    kept, key = certificates(), (instance.digest, g.digest)
    if key not in kept:
        keep(kept, instance, g, kanon.verify(instance, g))
    return kept[key]


def keep(kept: Certificates, instance: Any, g: kanon.Generalization, certificate: kanon.Certificate) -> None:
    """Put a certificate to the others; those that were there longest make room."""
    kept[instance.digest, g.digest] = certificate
    for key in list(kept)[:-KEPT]:
        kept.pop(key, None)
