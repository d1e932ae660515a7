"""What kanon is, with one finished result."""

import streamlit as st

from kanon_engine.regions.plot import regions_map
from pages._common.catalogue import samples
from pages._common.checked import certificate_of
from pages._common.entry import enter_page
from pages._common.picture import picture
from pages._common.results import answer, default_choice
from pages._common.search_line import show_search
from pages._common.sentence import BADGES, sentence
from pages._common.source import read_sample
from pages._common.tasks import stay_awake

PAGES = (
    ("regions", "pages/regions.py", "Zip codes", "Areas with counts become connected groups on a map."),
    ("rectangles", "pages/rectangles.py", "GPS points", "Points become rectangles that hold enough records each."),
    ("labels", "pages/labels.py", "Labels", "Names or diagnoses are put together in groups of enough records."),
    ("tables", "pages/tables.py", "Tables", "Values of columns become intervals until no record stands alone."),
)

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
    for _, path, title, text in PAGES:
        st.page_link(path, label=f"**{title}**: {text}", icon=":material/arrow_forward:")
    st.caption("Begin with a sample or load your own file. Nothing leaves this machine.")

with example:
    sample = next(iter(samples("regions").values()))
    regions = read_sample(sample)
    found = answer("regions", regions, sample.k, default_choice("regions"))  # as "Zip codes" begins, where it goes on
    st.markdown(f"##### {sample.title}, k = {sample.k:,}")
    proof = certificate_of(regions, found.g).proof
    st.markdown(f"{sentence(found.g, regions.unit, proof)} {BADGES[proof]}")
    show_search("regions", regions, found, narrow=True)
    picture(regions_map(regions, found.g), key="home_picture", height=430)
    st.caption(sample.source)

stay_awake()
