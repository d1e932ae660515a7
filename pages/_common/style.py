"""Less empty space than Streamlit leaves, so that controls, sentence and picture fit on one screen."""

import streamlit as st

_CSS = """
<style>
  .block-container {padding: 4rem 2rem 1rem 2rem; max-width: 1700px}
  section[data-testid="stSidebar"] [data-testid="stSidebarHeader"] {height: 1.5rem; min-height: 0; padding-bottom: 0}
  section[data-testid="stSidebar"] [data-testid="stSidebarUserContent"] {padding-bottom: 1rem}
  section[data-testid="stSidebar"] [data-testid="stVerticalBlock"] {gap: 0.55rem}
  section[data-testid="stSidebar"] [data-testid="stCaptionContainer"] {line-height: 1.35}
  .block-container h4 {padding: 0; font-size: 1.32rem; line-height: 1.3}
  .block-container h5 {padding: 0.2rem 0}
</style>
"""


def apply_style() -> None:
    """Call first on every page."""
    st.html(_CSS)
