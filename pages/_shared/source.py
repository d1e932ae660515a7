"""Where the data comes from: a sample or a person's own file, and what was understood of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.registry import family_named
from pages._shared.catalogue import Sample, samples
from pages._shared.controls import begin_k
from pages._shared.link import begin, forget_link, linked, misread, one_of
from pages._shared.number_field import chosen
from pages._shared.room import Room
from pages._shared.upload import keep_upload
from pages._shared.wording import escaped, on_page

OWN = "own-file"
NEEDS_FILE = (
    "This link needs the file “{}”. Choose it in the sidebar, and all else that the link says is applied. A link holds "
    "nothing of what is in a file, so kanon cannot tell whether yours is the same one."
)
LONGEST_LINK = 8_000  # characters; a server refuses addresses of some tens of thousands


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
    link : mapping
        What the address bar says of it besides its name.
    place : str
        With what the keys of the widgets begin that say how a person's own file is read; "" for a sample.
    """

    instance: Any
    k: int
    title: str
    origin: str
    link: Mapping[str, str] = field(default_factory=dict)
    place: str = ""


def read_sample(sample: Sample) -> Any:
    """The instance of a sample, read once for all visits."""
    return _sample(sample.family, sample.key)


@st.cache_resource(max_entries=30, show_spinner="Reading the sample …")
def _sample(family: str, key: str) -> Any:
    sample = samples(family)[key]
    return family_named(family).reader.function(sample.path, **sample.options)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Reading the file …")
def _upload(family: str, digest: str, name: str, settings: str, _data: Any, _settings: Mapping[str, Any]) -> Any:
    return family_named(family).reader.function(_data, filename=name, **_settings)


def _from_sample(room: Room, sample: Sample) -> Data | None:
    instance, link = read_sample(sample), {}
    if room.columns is not None:
        name = sample.path.name

        def changed(settings: Mapping[str, Any], words: str) -> Any:
            return _upload(room.family, sample.key, name, words, sample.path, settings) if words else instance

        try:
            settings, words = room.columns(sample.key, name, sample.path, sample.options, changed)
            instance = changed(settings, words)
        except kanon.KanonError as error:
            ways = "Correct the columns in the sidebar, or choose other data."
            st.session_state[f"{room.family}_problem"] = on_page(error), ways
            return None
        fits = len(quote(words)) <= LONGEST_LINK
        link = {"columns": words} if words and fits else {}
        if not fits:
            st.caption("The address bar has no room for these changes of columns, so a link leaves them out.")
    return Data(instance, sample.k, sample.title, f"{sample.source}. Licence: {sample.licence}.", link)


def pick_data(room: Room) -> Data | None:
    """The data picker in the sidebar; None while there is nothing to work on, with the reason shown."""
    known = samples(room.family)
    titles = {name: sample.title for name, sample in known.items()} | {OWN: "Your own file …"}
    key = begin(room.family, "sample", next(iter(titles)), one_of(titles), lambda name: f"“{titles[name]}”")

    def begin_anew() -> None:
        picked = known.get(st.session_state[key])
        begin_k(room.family, None if picked is None else picked.k)
        forget_link(room.family)
        st.session_state.pop(f"{room.family}_selected", None)

    picked = st.selectbox(
        "Data",
        [OWN, *known],
        format_func=titles.__getitem__,
        key=key,
        on_change=begin_anew,
        persist_state="session",
    )
    if picked in known:
        return _from_sample(room, known[picked])
    return _own_file(room)


def _own_file(room: Room) -> Data | None:
    reader = room.about.reader
    note = f"{reader.files} It stays on this machine and is forgotten when you leave."
    held = keep_upload("Your file", reader.endings, f"{room.family}_upload", note, lambda: begin_k(room.family))
    if held is None:
        st.caption(note)
        return None
    name, data = held
    meant = linked(room.family, "file")
    if meant not in (None, name):
        misread(room.family, f"It was made with the file “{meant}”, and this is “{name}”.")
    digest = kanon.content_digest(data=data)
    unread = st.session_state.setdefault("_unread", set())
    understood = st.container()
    rows = _preview(digest, name, data)
    place = digest[:8] if room.columns is not None else f"{room.family}_{digest[:8]}"
    try:
        settings: dict[str, Any] = {}
        words = ""
        if rows is not None and room.columns is not None:
            read = lambda settings, words: _upload(room.family, digest, name, words, data, settings)  # noqa: E731
            settings, words = room.columns(place, name, data, None, read)
        elif rows is not None:
            with st.expander("Correct how it is read", expanded=digest in unread):
                st.dataframe(rows, hide_index=True, height=140)
                settings = room.settings(place, [str(column) for column in rows.columns])
            words = repr(sorted((key, _name_of(value)) for key, value in settings.items()))
        instance = _upload(room.family, digest, name, words, data, settings)
    except kanon.KanonError as error:
        if digest not in unread:  # once more, with what can be corrected in view
            unread.add(digest)
            st.rerun()
        sentence = on_page(error)
        what = "how it is read" if room.columns is None else "the columns"
        ways = f"Correct {what} in the sidebar, or choose" if rows is not None else "Choose"
        sentence = sentence if name in sentence else f"{name}: {sentence}"
        st.session_state[f"{room.family}_problem"] = sentence, f"{ways} another file or a sample."
        if isinstance(error, kanon.ChoiceNeeded):
            st.session_state[f"{room.family}_asked"] = place, error.parameter, error.choices
        return None
    total = f"{room.family}_own_total"
    other = st.session_state.get(total) not in (None, instance.total)
    if other and chosen(f"{room.family}_k") not in st.session_state:  # other counts: k begins anew
        begin_k(room.family)
    st.session_state[total] = instance.total
    understood.caption(" ".join(escaped(note) for note in instance.notes[:3]))
    return Data(instance, room.first_k(instance), name, "Your own file.", {"file": name}, place)


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _preview(digest: str, name: str, _data: bytes) -> pd.DataFrame | None:
    """The first rows; None where there are none to show, and the family's reader says why, or reads it all the same."""
    try:
        return kanon.preview(_data, name)
    except kanon.KanonError:
        return None


def _name_of(value: Any) -> str:
    return kanon.content_digest(value=value)


def show_nothing_yet(room: Room) -> None:
    """What stands on the page while there is no data: the problem, or what to do."""
    st.subheader(room.about.page.heading)
    problem = st.session_state.pop(f"{room.family}_problem", None)
    if problem:
        sentence, ways = problem
        st.error(escaped(sentence), icon=":material/error:")
        st.markdown(ways)
    else:
        st.markdown(room.about.page.lead)
        file = linked(room.family, "file")
        if file is not None and st.session_state[f"{room.family}_sample"] == OWN:
            st.warning(NEEDS_FILE.format(escaped(file)), icon=":material/link:")
        else:
            sample = ", or one of the samples" if samples(room.family) else ""
            st.info(f"Choose a file in the sidebar to begin{sample}.")


def show_understood(data: Data) -> None:
    """What was understood of the data and what was odd."""
    with st.expander("What was understood"):
        for note in data.instance.notes:
            st.markdown(f"- {escaped(note)}")
        st.caption(data.origin)
