"""What kanon is, with one finished result."""

import streamlit as st

from kanon_engine.errors import SearchEnded
from kanon_engine.registry import FAMILIES
from pages._shared.catalogue import samples
from pages._shared.checked import certificate_of
from pages._shared.data import read_sample
from pages._shared.entry import enter_page
from pages._shared.headline import BADGES, headline
from pages._shared.navigation import page_of
from pages._shared.picture import picture
from pages._shared.plain_figure import plain_figure
from pages._shared.results import answer, default_choice
from pages._shared.search_line import show_search
from pages._shared.tasks import stay_awake
from pages._shared.wording import escaped

enter_page()
words, example = st.columns([5, 6], gap="large")

with words:
    st.header("See what k-anonymity costs, and prove what you release.")
    st.markdown(
        "Records about people are safer when nobody stands alone: every group in a release should hold **at least k** "
        "of them. Larger groups hide more and tell less. kanon makes groups of at least k, keeps the largest one "
        "small, and tells you how close to the best possible it came. Every group and every size is checked by code "
        "that shares nothing with the code that made it. A bound that rests on a search’s word alone is marked as such."
    )
    for family in FAMILIES.values():
        label = f"**{family.page.title}**: {family.page.line}"
        st.page_link(page_of(family), label=label, icon=":material/arrow_forward:")
    st.caption("Begin with a sample or load your own file. Nothing leaves this machine.")

with example:
    first = next(iter(FAMILIES.values()))
    sample = next(iter(samples(first.name).values()))
    instance = read_sample(sample)
    st.markdown(f"##### {sample.title}, k = {sample.k:,}")
    try:  # as its page begins, where it goes on
        found = answer(first.name, instance, sample.k, default_choice(first.name))
    except SearchEnded as end:
        st.error(escaped(str(end)), icon=":material/error:")
    else:
        proof = certificate_of(instance, found.g).proof
        st.markdown(f"{headline(found.g, instance.unit, proof)} {BADGES[proof]}")
        show_search(first.name, instance, found, narrow=True)
        picture(plain_figure(first, instance, found.g), key="home_picture", height=430)
        st.caption(sample.source)

stay_awake()
