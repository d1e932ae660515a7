"""Which release is reviewed: a result that a page showed, or a sample to try it with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from pages._shared.compare import algorithm_title, title

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES, family_named
from kanon_engine.model.words import counted
from kanon_engine.rectangles.kd_tree import suggested_snap
from pages._shared.data import read_sample, sample_data
from pages._shared.entry import stop_page
from pages._shared.files import Sample, samples
from pages._shared.records import CHOSEN, Reviewable, reviewable
from pages._shared.results import Choice, answer, default_choice, quick_choice
from pages._shared.wording import escaped

SAMPLE = "sample "


def choose_release() -> Reviewable:
    """What a person picks; the result that was shown last to begin with, else the first sample."""
    shown = reviewable()
    tried = {f"{SAMPLE}{name}": one for name in FAMILIES if (one := next(iter(samples(name).values()), None))}
    words = {name: _words(one) for name, one in reversed(shown.items())}
    words |= {name: f"Sample: {one.title}" for name, one in tried.items()}
    if st.session_state.get(CHOSEN) not in words:
        st.session_state[CHOSEN] = next(iter(words))
    picked = st.selectbox(
        "Release", list(words), format_func=words.__getitem__, key=CHOSEN, persist_state="session",
        help="What a page showed last in this visit, or a sample. Choose k and the algorithm on that page.",
    )  # fmt: skip
    return shown[picked] if picked in shown else _tried(tried[picked])


def _words(one: Reviewable) -> str:
    return f"{family_named(one.g.family).page.title}: {', '.join(one.files) or 'data'}, {title(one.g)}"


def _tried(sample: Sample) -> Reviewable:
    """The quick answer on a sample."""
    instance = read_sample(sample)
    choice = _releasable(instance, sample.k, quick_choice(default_choice(sample.family)))
    try:
        g = answer(f"review_{sample.family}", instance, sample.k, choice).g
    except kanon.KanonError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        stop_page()
    return Reviewable(sample_data(sample, instance), g, {sample.path.name: sample.path}, None)


def _releasable(instance: Any, k: int, choice: Choice) -> Choice:
    """Of points, cut on a grid: other rectangles may not leave."""
    if not isinstance(instance, kanon.Points):
        return choice
    return replace(
        choice, options=tuple((dict(choice.options) | {"snap": _size(instance, instance.digest, k)}).items())
    )


@st.cache_data(max_entries=10, show_spinner=False)
def _size(_points: kanon.Points, digest: str, k: int) -> float:
    return suggested_snap(_points, k)


def show_release(one: Reviewable) -> None:
    """What is reviewed, in a line."""
    g, data = one.g, one.data
    st.caption(
        f"{escaped(', '.join(one.files) or 'Data of this visit')}: {counted(g.classes, 'group')} of at least {g.k:,} "
        f"{escaped(data.instance.unit)}, found by {algorithm_title(g)}. {escaped(data.origin)}"
    )
