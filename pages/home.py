"""What kanon is, and a finished result of each page."""

import streamlit as st

from kanon_engine.model.known import FAMILIES
from pages._home.ahead import prepare
from pages._home.gallery import fill, show_cards
from pages._shared.entry import enter_page
from pages._shared.tasks import stay_awake

enter_page()
st.subheader(
    "kanon puts records about people into groups of at least k, a number that you choose, so that nobody stands alone, "
    "and proves how close each grouping is to the best possible."
)
st.caption("Start with a sample or your own file. Your data stay on this machine.")
families = list(FAMILIES.values())
for family, slot in zip(families, show_cards(families), strict=True):
    fill(family, slot)
prepare()
stay_awake()
