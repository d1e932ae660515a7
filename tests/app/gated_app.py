"""The app, where recombine waits until the file exists that KANON_TEST_GATE names."""

import os
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from kanon_engine.registry import FAMILIES  # noqa: E402
from kanon_engine.workers import search  # noqa: E402
from tests.app.gate import gated  # noqa: E402

if "KANON_TEST_GATE" in os.environ:  # not where it is only looked through for examples
    algorithms = FAMILIES["regions"].algorithms
    if "behind a gate" not in algorithms["recombine"].source:
        search.APART = False
        algorithms["recombine"] = gated(Path(os.environ["KANON_TEST_GATE"]).exists)  # type: ignore[index]
    st.set_page_config(layout="wide")
    st.session_state["_entered"] = True
    st.navigation([st.Page(ROOT / "pages" / "regions.py", title="Zip codes")], position="top").run()
