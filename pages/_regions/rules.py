"""What is asked of groups besides k: the fold "More rules"."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.project import Project
from pages._regions.kept import restore_rules
from pages._regions.locks import show_locks
from pages._regions.minima import choose_minima, link_of
from pages._regions.wishes import KINDS, begin_wishes, choose_wishes, link_of_wishes, with_rules
from pages._shared.data import show_problem
from pages._shared.records import Data, File
from pages._shared.wording import on_page

ASKED = (*KINDS, "prefix", "locks", "held")


def choose_rules(
    data: Data, file: File, notice: DeltaGenerator, project: Project | None = None
) -> tuple[Data, tuple[kanon.Minimum, ...]]:
    """The data with what is asked of them, and the minima of their second counts; a project begins with its own.

    Where the rules make no sense, the page says why and stops.
    """
    rules = f"{data.family}_{data.instance.digest[:16]}"
    data = replace(data, rules=rules, asked=tuple(f"{rules}_{name}" for name in ASKED))
    begin_wishes(data)
    restore_rules(data, project)
    with st.expander("More rules"):
        minima = choose_minima(data)
        choose_wishes(data, file)
        show_locks(data)
        link, said = link_of_wishes(data)
        if said:
            st.caption(said)
    asked = {"minima": link_of(tuple((one.column, one.m) for one in minima))} if minima else {}
    try:
        return replace(data, instance=with_rules(data), link={**data.link, **link, **asked}), minima
    except kanon.KanonError as error:
        show_problem(data.family, on_page(error), "Correct it under “More rules” in the sidebar.", notice)
