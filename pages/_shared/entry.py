"""What every page does first, and last."""

from __future__ import annotations

import runpy
from typing import NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kanon_engine.folders import APP
from kanon_engine.model.known import get_family
from pages._shared.link import begin_link
from pages._shared.tasks import stay_awake
from pages._shared.widgets import begin_fields

FIRST = "The first time, this can take a minute longer, while the algorithms are compiled for this computer."

# Less empty space than Streamlit's default.
_CSS = """
<style>
  .block-container {padding: 4rem 2rem 1rem 2rem; max-width: 1700px}
  [data-testid="stElementContainer"]:has(> [data-testid="stHtml"] > script:only-child) {display: none}
  section[data-testid="stSidebar"] [data-testid="stSidebarHeader"] {height: 1.5rem; min-height: 0; padding-bottom: 0}
  section[data-testid="stSidebar"] [data-testid="stSidebarUserContent"] {padding-bottom: 1rem}
  section[data-testid="stSidebar"] [data-testid="stVerticalBlock"] {gap: 0.3rem}
  section[data-testid="stSidebar"] [data-testid="stCaptionContainer"] {line-height: 1.35}
  .block-container h4 {padding: 0; font-size: 1.32rem; line-height: 1.3}
  [class*="st-key-headline-of-"] em {font-style: normal}
  .block-container h2 {font-size: clamp(1.5rem, 2.6vw, 2.25rem)}
  :is(header a, [data-testid="stPageLink"] a, [data-testid="stElementToolbar"] button,
    [data-testid="stDataFrame"] canvas):focus-visible,
    :is([data-testid="stCheckbox"], [data-testid="stRadio"]) label:has(input:focus-visible) {
    outline: 2px solid currentColor; outline-offset: 1px}
  :is([data-testid="stElementToolbar"], [data-testid="stElementToolbar"] *):focus-within {opacity: 1; z-index: 2}
  :is([data-testid="stPageLink"], [class*="st-key-tables_mend_"] button) p {white-space: normal; overflow: visible}
  [data-testid="stMultiSelectTagsContainer"] [data-tag] {background: transparent; border: 1px solid; color: inherit}
  [data-testid="stMultiSelectTagsContainer"] [data-tag] * {color: inherit}
  section[data-testid="stSidebar"] [data-tag] {height: auto}
  :is(section[data-testid="stSidebar"] [data-tag], [data-testid="stFileUploaderDropzoneInstructions"]) span {
    white-space: normal}
  [data-testid^="stBaseButton-primary"] {color: light-dark(white, black)}
  [data-test-script-state="notRunning"] [class*="st-key-reading-of-"] {display: none}
  .block-container h5 {padding: 0.2rem 0}
  .block-container [data-testid="stMarkdownContainer"]:has(h5) {margin-bottom: -0.5rem}
  .block-container [class*="st-key-search-of-"] {min-height: 2.8rem; max-height: 2.8rem; justify-content: center;
    overflow-anchor: none}
  .block-container [class*="st-key-search-of-"] [data-testid="stVerticalBlock"] {gap: 0.2rem}
  .block-container [class*="st-key-search-of-"] [data-testid="stCaptionContainer"] {margin: 0}
  .block-container [class*="st-key-search-of-"] [data-testid="stCaptionContainer"] p {margin: 0; line-height: 1.25}
  .block-container [class*="st-key-search-of-"] [data-stale="true"] {opacity: 1}
  .block-container [class*="st-key-headline-of-"] [data-stale="true"] {transition: opacity 0.2s 0.5s}
  .block-container [class*="st-key-headline-of-"] {min-height: 3.4rem}
  .block-container [class*="st-key-headline-of-tables"] {min-height: 5.2rem}
  @media (min-width: 641px) {
    [class*="st-key-title-of-"] p {white-space: nowrap; overflow: hidden; text-overflow: ellipsis}
    .block-container [class*="_counted"] {flex-wrap: nowrap}
    .block-container [class*="_counted"] > :first-child {flex-shrink: 1; min-width: 0}
  }
  @media (min-width: 1800px) and (min-height: 900px) {
    html {font-size: 118%}
  }
  @media print {
    :is(header, section[data-testid="stSidebar"], [role="tablist"]) {display: none}
    .block-container {padding: 0}
    .block-container [class*="st-key-search-of-"] {min-height: 0}
    .block-container [data-testid="stHorizontalBlock"]:has(.kanon-picture) {flex-direction: column}
    .block-container [data-testid="stColumn"] {width: 100%}
  }
  @media (max-width: 640px) {
    .block-container {padding-left: 1rem; padding-right: 1rem}
    .block-container h4 {font-size: 1.05rem}
    [class*="st-key-headline-of-"] [data-testid="stPopover"] button {min-height: 2rem; padding: 0.1rem 0.75rem}
    [class*="st-key-search-of-"] [data-testid="stHorizontalBlock"] {flex-wrap: nowrap}
    [class*="st-key-steps-of-"] [data-testid="stColumn"] {min-width: 0; flex: 0 0 3rem}
    [class*="st-key-steps-of-"] [data-testid="stColumn"]:nth-child(2) {flex: 1 0 calc(100% - 9rem)}
    [class*="st-key-steps-of-"] [data-testid="stColumn"]:nth-child(5) {flex: 1 0 calc(100% - 9rem)}
    [class*="st-key-steps-of-"] button {padding: 0.25rem}
    [class*="st-key-steps-of-"] button p {display: none}
    [data-testid="stElementToolbar"] {top: 0.25rem}
    [class*="st-key-search-of-"] [data-testid="stColumn"] {min-width: 0}
    [class*="st-key-search-of-"] [data-testid="stColumn"]:has(img, [data-testid="stPopover"]) {display: none}
    [class*="st-key-search-of-"] button * {white-space: normal; font-size: 0.85rem; line-height: 1.15}
    [class*="st-key-search-of-"] button {padding: 0.2rem 0.4rem}
    [class*="st-key-search-of-"] p {font-size: 0.75rem; line-height: 1.25}
    [class*="st-key-headline-of-"] p {font-size: 0.85rem; line-height: 1.35}
    [class*="st-key-headline-of-tables"] :is(h4 em, p, p span) {font-size: 0.75rem !important; line-height: 1.25}
    [class*="st-key-headline-of-tables"] h4 em {display: block; font-weight: 400}
    [class*="st-key-headline-of-tables"] :is(p em, [data-testid="stHeaderActionElements"]) {display: none}
    [data-testid="stTabs"] [role="tablist"] {flex-wrap: wrap; row-gap: 0}
    .block-container [class*="st-key-search-of-"] {min-height: 6rem; max-height: none}
    .block-container [class*="st-key-search-of-"][class*="_second"] {min-height: 2.8rem}
  }
</style>
"""

# Streamlit adds an entry to the browser's history for each changed setting, and pages do not follow these entries. With
# one entry for each page, Back leaves it at once. Each document that a reader opens is such a page.
_ONE_ENTRY = """
<script>
  if (!history.kanonOneEntry) {
    const { pushState, replaceState } = history;
    history.pushState = function (state, title, url) {
      const next = new URL(url ?? "", location.href);
      const opened = new URLSearchParams(location.search).get("page");
      const sameDocument = opened === null || opened === next.searchParams.get("page");
      const samePage = next.pathname === location.pathname && sameDocument;
      return (samePage ? replaceState : pushState).call(history, state, title, url);
    };
    history.kanonOneEntry = true;
  }
</script>
"""

# In a presentation only the picture and the sentence above it are visible. A page without one looks as usual.
_PRESENTED = """
<style>
  html[data-kanon-presents]:has(.presented) {
    :is(header, section[data-testid="stSidebar"], [data-testid="stTabs"] > div > [role="tablist"]) {display: none}
    [data-testid="stMain"] :is([data-testid="stElementContainer"], [data-testid="stColumn"],
      [data-testid="stLayoutWrapper"]):not(:has(h4, .presented)) {display: none}
    .block-container {padding: 1.2rem 2rem 1rem; max-width: none}
    .block-container h4 {font-size: clamp(1.4rem, 2.5vw, 3.2rem); line-height: 1.25}
    .block-container [data-testid="stMarkdownContainer"]:has(h4) {margin-bottom: 0.5rem}
    .block-container h4 [data-testid="stHeaderActionElements"] {display: none}
    [data-testid="stVerticalBlock"], [data-testid="stHorizontalBlock"] {gap: 0 !important}
    [role="tabpanel"] {padding: 0}
    .presented {font-size: clamp(1.1rem, 1.5vw, 2rem)}
    .presented .modebar {display: none}
  }
  .kanon-leave {position: absolute; right: 0; top: 0; z-index: 3; padding: 0.3rem 0.8rem; font: inherit;
    color: inherit; cursor: pointer; border: 1px solid; border-radius: 0.4rem; opacity: 0.8;
    background: var(--st-background-color)}
  .kanon-leave:is(:hover, :focus-visible) {opacity: 1; outline: 2px solid; outline-offset: 1px}
</style>
"""

# The stage starts high up, because the picture takes the rest of the window.
_STAGE = """
<style>
  .block-container {padding-top: 3.75rem}
  .block-container [data-testid="stVerticalBlock"] {gap: 0.5rem}
  .block-container [role="tabpanel"] {padding-top: 0.5rem}
</style>
"""


def enter_page() -> None:
    """Call first on every page.

    If the first request to a new server is for a page, Streamlit takes the folder `pages` for an app of its
    older kind and runs the page without app.py. Then app.py runs here; after its `st.navigation`, Streamlit
    handles pages correctly.
    """
    if not st.session_state.get("_entered"):
        runpy.run_path(str(APP / "app.py"))
        st.stop()
    st.html(_CSS)
    st.html(_ONE_ENTRY, unsafe_allow_javascript=True)


def enter_stage() -> None:
    """Call first on a page without a family whose picture takes the rest of the window's height."""
    enter_page()
    st.html(_STAGE)
    begin_fields()


def begin_page(family: str) -> DeltaGenerator:
    """Call first on a family's page, and `stay_awake` last.

    Returns
    -------
    DeltaGenerator : The slot above the result. Until a first result it shows the current activity.
    """
    enter_stage()
    st.html(_PRESENTED)
    begin_link(family)
    notice = st.empty()
    if not st.session_state.get(f"{family}_noticed"):
        with notice.container():
            st.subheader(get_family(family).page.heading)
            with st.container(key=f"reading-of-{family}"):
                st.markdown(f"Reading the data and making groups …\n\n{FIRST}")
    return notice


def stop_page() -> NoReturn:
    """Stop the page as it is; searches continue."""
    stay_awake()
    st.stop()
