"""The page of each family: a file of its name where it has parts of its own, else the one that needs none."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from kanon_engine.model.family import Family

PAGES = Path(__file__).parents[1]


def page_of(family: Family) -> st.Page:
    """For the navigation, and to link to."""
    icon = f":material/{family.page.icon}:"
    file = PAGES / f"{family.name}.py"
    if file.is_file():
        return st.Page(file, title=family.page.title, icon=icon)

    def show_plain() -> None:
        from pages._shared.plain import show_page  # not loaded for the navigation alone

        show_page(family)

    return st.Page(show_plain, title=family.page.title, icon=icon, url_path=family.name)
