"""The app, where three searches wait until the file exists that KANON_TEST_GATE names."""

import os
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from kanon_engine.model.known import FAMILIES  # noqa: E402
from kanon_engine.workers import search  # noqa: E402
from pages._shared import files  # noqa: E402
from tests.app.gate import gated  # noqa: E402

GATED = {"regions": "recombine", "rectangles": "balanced-kd-tree", "tables": "local-cuts"}
TITLES = {"regions": "Zip codes", "rectangles": "GPS points", "tables": "Tables"}

if "KANON_TEST_GATE" in os.environ:  # not where it is only looked through for examples
    search.APART = False
    files._stored_answers = lambda family: {}
    is_open = Path(os.environ["KANON_TEST_GATE"]).exists
    for family, name in GATED.items():
        algorithms = FAMILIES[family].algorithms
        if "behind a gate" not in algorithms[name].source:
            algorithms[name] = gated(is_open, family, name)  # type: ignore[index]
    st.set_page_config(layout="wide")
    st.session_state["_entered"] = True
    pages = [st.Page(ROOT / "pages" / f"{family}.py", title=title) for family, title in TITLES.items()]
    st.navigation(pages, position="top").run()
