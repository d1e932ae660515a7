"""Entry point: ``streamlit run app.py``."""

from pathlib import Path

import streamlit as st
from streamlit.elements import exception

from kanon_engine.errors import InvalidInput
from kanon_engine.io.confined import NURSERY as READERS
from kanon_engine.io.limits import limits
from kanon_engine.model.known import FAMILIES
from kanon_engine.workers.search import NURSERY as SEARCHES
from pages._shared.plain import page_of
from pages._shared.tasks import DEFECT, freeze_imports

# Our own file: browsers would fetch the picture of a named icon from the network.
ICON = Path(__file__).parent / "pages" / "_shared" / "icon.svg"
st.set_page_config(page_title="kanon", page_icon=ICON, layout="wide")

# Streamlit has no other way to choose what is shown if a page, fragment or callback raises an unexpected error.
exception._GENERIC_UNCAUGHT_EXCEPTION_TEXT = DEFECT  # type: ignore[misc]
st.session_state["_entered"] = True
try:
    limits()
except InvalidInput as error:
    st.error(str(error))
    st.stop()
READERS.warm()
page = st.navigation(
    [
        st.Page("pages/home.py", title="Home", icon=":material/home:", default=True),
        *(page_of(family) for family in FAMILIES.values()),
        st.Page("pages/review.py", title="Review", icon=":material/fact_check:"),
        st.Page("pages/learn.py", title="Learn", icon=":material/school:"),
        st.Page("pages/lab.py", title="Lab", icon=":material/science:"),
        st.Page("pages/docs.py", title="Documentation", icon=":material/menu_book:"),
    ],
    position="top",
)
try:
    page.run()
finally:
    SEARCHES.warm()  # after the page, which needs no search if the answer came with the sample
    freeze_imports()
