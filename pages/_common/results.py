"""Cached engine calls. Keys are content digests and parameters, and nothing outlives the visit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

import kanon_engine as kanon


@dataclass(frozen=True)
class Choice:
    """What a person picked: an algorithm with its options, and a seed."""

    algorithm: kanon.Algorithm
    options: tuple[tuple[str, Any], ...]
    seed: int = 0


def standard(algorithm: kanon.Algorithm, seed: int = 0) -> Choice:
    """An algorithm with its default options."""
    return Choice(algorithm, tuple((option.name, option.default) for option in algorithm.options), seed)


def generalized(instance: Any, k: int, choice: Choice) -> kanon.Generalization:
    """The verified result, computed once a visit."""
    return _generalized(instance, instance.digest, k, choice.algorithm.name, choice.options, choice.seed)


@st.cache_resource(scope="session", max_entries=200, show_spinner="Making groups and checking them …")
def _generalized(_instance: Any, digest: str, k: int, name: str, options: Any, seed: int) -> kanon.Generalization:
    return kanon.generalize(_instance, k, name, seed=seed, **dict(options))
