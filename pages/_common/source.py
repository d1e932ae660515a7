"""Where the data comes from: a sample or a person's own file, and what was understood of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

import kanon_engine as kanon
from pages._common.catalogue import Sample, samples
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


@st.cache_resource(max_entries=30, show_spinner="Reading the sample …")
def _sample(family: str, key: str, _room: Room) -> Any:
    sample = samples(family)[key]
    return _room.read(sample.path, sample.path.name, **sample.options)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Reading the file …")
def _upload(family: str, digest: str, name: str, settings: str, _data: bytes, _settings: dict[str, Any], _room: Room) -> Any:
    return _room.read(_data, name, **_settings)


def default_data(room: Room) -> Data:
    """The family's first sample."""
    return _from_sample(room, next(iter(samples(room.family).values())))


def _from_sample(room: Room, sample: Sample) -> Data:
    instance = _sample(room.family, sample.key, room)
    return Data(instance, sample.k, sample.title, f"{sample.source}. Licence: {sample.licence}.")


def pick_data(room: Room) -> Data | None:
    """The data picker in the sidebar; None while there is nothing to work on, with the reason shown."""
    known = samples(room.family)
    key = f"{room.family}_sample"

    def forget_k() -> None:
        picked = known.get(st.session_state[key])
        if picked is not None:
            st.session_state[f"{room.family}_k"] = picked.k
        st.session_state.pop(f"{room.family}_selected", None)

    picked = st.selectbox(
        "Data",
        [*known, OWN],
        format_func=lambda name: known[name].title if name in known else "Your own file …",
        key=key,
        on_change=forget_k,
        bind="query-params",
        persist_state="session",
    )
    if picked in known:
        return _from_sample(room, known[picked])
    return _own_file(room)


def _own_file(room: Room) -> Data | None:
    kept = f"{room.family}_file"
    with st.expander("Your file", expanded=kept not in st.session_state):
        file = st.file_uploader("File", type=list(room.upload_types), help=room.upload_help, key=f"{room.family}_upload")
        st.caption(f"{room.upload_help} It stays on this machine and is forgotten when you close the page.")
        if file is not None:
            st.session_state[kept] = (file.name, file.getvalue())
        settings = room.settings(room.family)
    if kept not in st.session_state:
        st.info("Choose a file in the sidebar to begin, or go back to a sample.")
        return None
    name, data = st.session_state[kept]
    digest = kanon.content_digest(data=data)
    try:
        words = repr(sorted(settings.items(), key=lambda entry: entry[0]))
        instance = _upload(room.family, digest, name, words, data, settings, room)
    except kanon.KanonError as error:
        st.error(f"**{name}**: {error}")
        return None
    return Data(instance, max(1, instance.total // 20), name, "Your own file.")


def show_understood(data: Data) -> None:
    """What was understood of the data and what was odd."""
    with st.expander("What was understood"):
        for note in data.instance.notes:
            st.markdown(f"- {note}")
        st.caption(data.origin)
