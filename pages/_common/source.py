"""Where the data comes from: a sample or a person's own file, and what was understood of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from pages._common.catalogue import Sample, samples
from pages._common.link import begin, one_of
from pages._common.readers import READERS
from pages._common.room import Room

OWN = "own-file"


@dataclass(frozen=True)
class Data:
    """What a page works on.

    Attributes
    ----------
    instance : Regions, Points or Labels
    k : int
        A k to begin with.
    title, origin : str
        For the person: what it is, and where it comes from under which licence.
    """

    instance: Any
    k: int
    title: str
    origin: str


def read_sample(sample: Sample) -> Any:
    """The instance of a sample, read once for all visits."""
    return _sample(sample.family, sample.key)


@st.cache_resource(max_entries=30, show_spinner="Reading the sample …")
def _sample(family: str, key: str) -> Any:
    sample = samples(family)[key]
    return READERS[family](sample.path, **sample.options)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Reading the file …")
def _upload(family: str, digest: str, name: str, settings: str, _data: bytes, _settings: dict[str, Any]) -> Any:
    return READERS[family](_data, filename=name, **_settings)


def _from_sample(sample: Sample) -> Data:
    return Data(read_sample(sample), sample.k, sample.title, f"{sample.source}. Licence: {sample.licence}.")


def pick_data(room: Room) -> Data | None:
    """The data picker in the sidebar; None while there is nothing to work on, with the reason shown."""
    known = samples(room.family)
    key = begin(room.family, "sample", next(iter(known)), one_of([*known, OWN]))

    def forget_k() -> None:
        picked = known.get(st.session_state[key])
        if picked is not None:
            st.session_state[f"{room.family}_k"] = picked.k
        else:
            st.session_state.pop(f"{room.family}_k", None)
        st.session_state.pop(f"{room.family}_selected", None)

    picked = st.selectbox(
        "Data",
        [*known, OWN],
        format_func=lambda name: known[name].title if name in known else "Your own file …",
        key=key,
        on_change=forget_k,
        persist_state="session",
    )
    if picked in known:
        return _from_sample(known[picked])
    return _own_file(room)


def _own_file(room: Room) -> Data | None:
    kept = f"{room.family}_file"
    with st.expander("Your file", expanded=True):
        file = st.file_uploader("File", type=list(room.upload_types), key=f"{room.family}_upload")
        st.caption(f"{room.upload_help} The file stays on this machine and is forgotten when you leave.")
        if file is not None and (file.name, file.file_id) != st.session_state.get(kept, ((),))[0]:
            st.session_state[kept] = (file.name, file.file_id), file.getvalue()
            st.session_state.pop(f"{room.family}_k", None)
        if kept not in st.session_state:
            return None
        (name, _), data = st.session_state[kept]
        digest = kanon.content_digest(data=data)
        try:
            rows = _preview(digest, name, data)
            st.dataframe(rows, hide_index=True, height=140)
            settings = room.settings(room.family, [str(column) for column in rows.columns])
            words = repr(sorted((key, _name_of(value)) for key, value in settings.items()))
            instance = _upload(room.family, digest, name, words, data, settings)
        except kanon.KanonError as error:
            st.session_state[f"{room.family}_problem"] = f"**{name}**: {error}"
            return None
    return Data(instance, max(1, instance.total // 20), name, "Your own file.")


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _preview(digest: str, name: str, _data: bytes) -> pd.DataFrame:
    return kanon.preview(_data, name)


def _name_of(value: Any) -> str:
    return kanon.content_digest(value=value)


def show_nothing_yet(room: Room) -> None:
    """What stands on the page while there is no data: the problem, or what to do."""
    st.subheader(room.title)
    problem = st.session_state.pop(f"{room.family}_problem", None)
    if problem:
        st.error(f"{problem} You can correct how it is read in the sidebar, choose another file, or a sample.")
    else:
        st.markdown(room.lead)
        st.info("Choose a file in the sidebar to begin, or one of the samples.")


def show_understood(data: Data) -> None:
    """What was understood of the data and what was odd."""
    with st.expander("What was understood"):
        for note in data.instance.notes:
            st.markdown(f"- {note}")
        st.caption(data.origin)
