"""The gallery of the first page: for each family a small finished picture, and links to continue."""

from __future__ import annotations

from typing import Any

import streamlit as st
from plotly import graph_objects as go
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.model.family import Family
from kanon_engine.model.words import counted
from pages._shared.data import OWN, sample_instance
from pages._shared.files import Sample, samples, stored_answer
from pages._shared.picture import Rest, picture, plain_figure
from pages._shared.plain import page_of
from pages._shared.result import BADGES
from pages._shared.results import algorithm_title, answer, default_choice, quick_choice
from pages._shared.tasks import Store, made_beside, visit_store
from pages._shared.wording import escaped, on_page

HEIGHT = Rest(below=92, least=210, most=600)
_CSS = """
<style>
  .block-container h3 {font-size: clamp(1.2rem, 2vw, 1.7rem); padding: 0 0 0.4rem 0}
  .block-container [class*="st-key-finished-"] {min-height: 18rem}
  .block-container [class*="st-key-question-"] {min-height: 6rem; gap: 0.25rem}
</style>
"""


def show_cards(families: list[Family], across: int = 5) -> list[DeltaGenerator]:
    """Question and links of each family, drawn at once; and the place for its picture."""
    st.html(_CSS)
    slots = []
    for begin in range(0, len(families), across):
        for column, family in zip(st.columns(across, gap="medium"), families[begin : begin + across], strict=False):
            with column:
                slots.append(_card(family))
    return slots


def _card(family: Family) -> DeltaGenerator:
    page = page_of(family)
    with st.container(key=f"question-{family.name}"):
        st.page_link(page, label=f"**{family.page.title}**")
        st.markdown(family.page.line)
    if st.button("Your own file …", key=f"home_own_{family.name}", icon=":material/upload_file:", width="stretch"):
        st.session_state[f"{family.name}_sample"] = OWN
        st.switch_page(page)
    return st.container(key=f"finished-{family.name}")


def fill(family: Family, slot: DeltaGenerator) -> None:
    """The stored answer for the family's first sample, else the quick one, as a picture and in numbers."""
    sample = next(iter(samples(family.name).values()), None)
    if sample is None:
        return
    with slot:
        try:
            instance, g, proof = _finished(sample)
        except kanon.KanonError as end:
            st.error(on_page(end), icon=":material/error:")
            return
        stored = stored_answer(family.name, instance.digest)
        small = thumbnail(plain_figure(family, instance, g))
        picture(small, key=f"home_{family.name}_picture", height=HEIGHT, filename=sample.title)
        least, most = int(g.class_weights.min()), int(g.class_weights.max())
        groups = counted(g.classes, "group")
        st.caption(
            f"{escaped(sample.title)}, k = {g.k:,}: {groups} of {least:,} to {most:,} {instance.unit}. "
            f"Found {'earlier ' if g is stored else ''}by {algorithm_title(g)}. {BADGES[proof]}",
            help=f"{sample.source}. License: {sample.license}.",
        )


def thumbnail(figure: go.Figure) -> go.Figure:
    """A picture without the words that do not fit; hovering still shows them."""
    figure.layout.annotations = ()
    figure.update_layout(title={"text": None}, showlegend=False, margin=dict.fromkeys("lrtb", 0))
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        axis.update(title={"text": None}, showticklabels=False, showgrid=False, zeroline=False)
    return figure.update_traces(showscale=False, selector={"type": "choroplethmap"})


def _finished(sample: Sample) -> tuple[Any, kanon.Generalization, str]:
    """A sample, its stored result if that passes the check, else the quick algorithm's, and how its bound is proven.

    It is checked or computed once for all visits, in the background, so that a click on the page acts meanwhile.
    """
    family, results, store = sample.family, _of_all_visits(), visit_store()
    if family not in results:
        words = "Checking the stored result …"
        instance, g = made_beside(f"home_{family}", ("home", family), lambda task: _stored(sample, store), words)
        if g is None:
            choice = quick_choice(default_choice(family))
            g = answer(f"home_{family}_search", instance, sample.k, choice).g
        results[family] = instance, g, store.certificate(instance, g).proof
    return results[family]


def _stored(sample: Sample, store: Store) -> tuple[Any, kanon.Generalization | None]:
    """A sample and its stored result, checked; None if there is none or a check failed."""
    instance = sample_instance(sample.family, sample.key)
    g = stored_answer(sample.family, instance.digest)
    if g is None or g.k != sample.k:
        return instance, None
    try:
        store.certificate(instance, g)
    except kanon.CertificateError:
        return instance, None
    return instance, g


@st.cache_resource
def _of_all_visits() -> dict[str, tuple[Any, kanon.Generalization, str]]:
    return {}
