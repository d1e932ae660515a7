"""Names that a person gives to groups of areas; they stay with the groups for the visit, whatever k is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.regions.group_names import GivenName, given_name, group_names, kept_names, read_given_names
from kanon_engine.regions.package import counties_for, county_source
from pages._shared.records import Data
from pages._shared.upload import choose_upload
from pages._shared.wording import escaped, on_page

HELP = "Click a name to write your own. An empty one brings the name that kanon made back."


def given_names(data: Data) -> tuple[GivenName, ...]:
    """All that the person gave to groups of these data in this visit."""
    found: tuple[GivenName, ...] = st.session_state.get(_key(data), ())
    return found


def names_of(data: Data, g: kanon.Generalization, codes_are_public: bool) -> list[str]:
    """What the groups of this result are called."""
    counties = counties_for(data.instance, named_after(data))
    return group_names(
        data.instance, g.assignment, codes_are_public=codes_are_public, counties=counties, given=given_names(data)
    )


def named_after(data: Data) -> str:
    """What groups are called after that nobody gave a name: "place" or "county"."""
    said: str = st.session_state.get(f"{_key(data)}_after") or "place"
    return said if data.instance.counties is not None else "place"


def choose_named_after(data: Data) -> None:
    """Asked where the counties of areas are known."""
    if data.instance.counties is None:
        return
    unit = escaped(data.instance.unit)
    said = {"place": f"the place with most of its {unit}", "county": f"the county that most of its {unit} are in"}
    st.radio(
        "Call each group after",
        list(said),
        format_func=said.__getitem__,
        key=f"{_key(data)}_after",
        persist_state="session",
        horizontal=True,
        help=f"Each area counts for one county: {county_source(data.instance)}.",
    )


def edit_names(data: Data, g: kanon.Generalization, codes_are_public: bool) -> None:
    """A table of the groups, in which names are written; below it, names of an earlier grouping from a file."""
    key = f"regions_names_{g.digest[:12]}_{codes_are_public}_{named_after(data)}"
    before = f"{key}_before"  # the table shows these with what was written since; it must not change below an editor
    if key not in st.session_state or before not in st.session_state:
        st.session_state[before] = given_names(data), names_of(data, g, codes_are_public)
    earlier, names = st.session_state[before]
    unit = data.instance.unit.capitalize()
    table = pd.DataFrame({"Group": range(1, g.classes + 1), "Name": names, unit: g.class_weights})

    def take() -> None:
        _take(data, g, earlier, st.session_state[key]["edited_rows"])

    st.data_editor(
        table,
        key=key,
        hide_index=True,
        disabled=["Group", unit],
        on_change=take,
        height=245,
        column_config={
            "Group": st.column_config.NumberColumn(width="small"),
            "Name": st.column_config.TextColumn(help=HELP, max_chars=80),
            unit: st.column_config.NumberColumn(format="localized", width="small"),
        },
    )
    st.caption(f"{HELP} Your names stay with the group that holds most of the same {escaped(data.instance.unit)}.")
    with st.expander("Names of an earlier grouping"):
        _take_file(data)


def _take(data: Data, g: kanon.Generalization, earlier: tuple[GivenName, ...], edited: Mapping[Any, Any]) -> None:
    """What was written takes the place of the names that these groups would have kept."""
    kept = kept_names(data.instance, g.assignment, earlier)
    written = {int(row): str(cells["Name"] or "") for row, cells in edited.items() if "Name" in cells}
    gone = {kept[number] for number in written if number in kept}
    mine = [
        given_name(data.instance, np.flatnonzero(g.assignment == number), name)
        for number, name in written.items()
        if name.strip()
    ]
    st.session_state[_key(data)] = (*(one for one in earlier if one.name not in gone), *mine)


def _take_file(data: Data) -> None:
    """Names from the names.csv of an internal package, or from a table of one's own."""
    chosen = choose_upload(
        "names.csv",
        ["csv", "txt"],
        f"{_key(data)}_file",
        "In each line a name, the code of an area and, if you like, its weight, as in names.csv of the internal files.",
    )
    taken = f"{_key(data)}_taken"
    if chosen is None or st.session_state.get(taken) == chosen:
        return
    try:
        found = read_given_names(data.instance, chosen[1])
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return
    st.session_state[taken] = chosen
    put_names(data, found)
    st.rerun()


def put_names(data: Data, given: tuple[GivenName, ...]) -> None:
    """Exactly these are given."""
    st.session_state[_key(data)] = given
    for key in [key for key in st.session_state if str(key).startswith("regions_names_")]:
        del st.session_state[key]


def _key(data: Data) -> str:
    """Codes of other data are other areas, though they may be spelled alike."""
    return f"regions_given_{data.key or st.session_state['regions_sample']}"
