"""Entry point: ``streamlit run app.py``."""

import streamlit as st

st.set_page_config(page_title="kanon", page_icon=":material/groups:", layout="wide", initial_sidebar_state="expanded")

st.navigation(
    [
        st.Page("pages/home.py", title="Home", icon=":material/home:", default=True),
        st.Page("pages/regions.py", title="Zip codes", icon=":material/map:"),
        st.Page("pages/rectangles.py", title="GPS points", icon=":material/location_on:"),
        st.Page("pages/labels.py", title="Labels", icon=":material/label:"),
    ],
    position="top",
).run()
