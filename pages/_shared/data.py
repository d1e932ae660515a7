"""The source of the data: a sample or a user's own file, and how it was read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.io.confined import stopped_when
from kanon_engine.model.known import get_family
from pages._shared.controls import begin_k, first_k
from pages._shared.elsewhere import TITLE, choose_elsewhere, fields_of, leave_elsewhere, permission
from pages._shared.entry import stop_page
from pages._shared.files import Sample, choose_sheet, choose_upload, samples, sheet_key
from pages._shared.form import Control, Form
from pages._shared.link import begin, forget_link, had_result, linked, misread, one_of, show_link
from pages._shared.records import Data, File
from pages._shared.tasks import Task, made_beside, offer_again, once
from pages._shared.widgets import chosen, given, offer, offer_remedies, pick_from, widgets_are_gone
from pages._shared.wording import PICKED, escaped, on_page, shortened

OWN, ELSEWHERE = "own-file", "where-they-live"
COUNTS_IN_LINK = "counts"  # the name in a link of the source of the areas' counts
STEPS_BELOW = "the steps below"
COUNTED = "Your own records, counted where they are stored."
NEEDS_FILE = (
    "This link needs the file “{}”. Choose it to apply the rest of the link. A link holds no contents of a file, so "
    "kanon cannot check that yours is the same one."
)


def choose_file(family: str, notice: DeltaGenerator, fields: Sequence[Control] = ()) -> File:
    """A sample, a user's own file, or records stored elsewhere. Until there is one, the page asks and stops.

    Parameters
    ----------
    notice : The slot above the result.
    fields : The columns to ask for if records are stored elsewhere; if empty, the family's reader decides.
    """
    samples_by_name, allowed, fields = samples(family), permission(), fields or fields_of(family)
    sources = {OWN: "Your own file …"} | ({ELSEWHERE: TITLE} if allowed and fields else {})
    titles = {name: sample.title for name, sample in samples_by_name.items()} | sources
    key = begin(family, "sample", next(iter(titles)), one_of(titles), lambda name: f"“{titles[name]}”")

    def begin_anew() -> None:
        sample = samples_by_name.get(st.session_state[key])
        begin_k(family, None if sample is None else sample.k)
        forget_link(family)
        st.session_state.pop(f"{family}_selected", None)
        leave_elsewhere(family)

    choices = {name: titles[name] for name in (*sources, *samples_by_name)}
    choice = pick_from(st.selectbox, "Data", choices, key, on_change=begin_anew)
    if choice in samples_by_name:
        sample = samples_by_name[choice]
        return File(family, sample.path.name, sample.path, sample.key, st.container(), sample)
    if choice == ELSEWHERE:
        return choose_elsewhere(family, allowed, notice, fields)
    reader = get_family(family).reader
    note = f"{reader.files} The file stays on this machine and is forgotten when you close the page."
    key = f"{family}_upload"

    def choose() -> tuple[str, bytes] | None:
        return choose_upload("Your file", reader.endings, key, note, lambda: begin_k(family))

    if st.session_state.get(key) is None and f"{key}_uploaded" not in st.session_state:
        _ask_for_file(family, notice, note, choose)
    upload = choose()
    if upload is None:
        _ask_for_file(family, notice, note)
    name, content = upload
    expected = linked(family, "file")
    if expected not in (None, name):
        misread(family, f"The link was made with the file “{shortened(expected)}”, but this is “{name}”.")
    digest = kanon.content_digest(data=content)
    sheet = choose_sheet(sheet_key(family, digest), name, content)
    rows = first_rows(digest, name, content, sheet)
    return File(family, name, content, digest, st.container(), rows=rows, sheet=sheet)


def first_rows(digest: str, name: str, content: bytes, sheet: str | None = None) -> pd.DataFrame | None:
    """Of a user's own file; None if there are none to show, and the reader says why or reads it anyway."""
    of, words = (digest, name, sheet), "Reading the first rows …"
    return once(_first_rows, content, name, sheet, of=of, most=8, words=words)


def _first_rows(content: bytes, name: str, sheet: str | None) -> pd.DataFrame | None:
    try:
        return kanon.preview(content, name, sheet=sheet)
    except kanon.KanonError:
        return None


def read_sample(sample: Sample) -> Any:
    """The instance of a sample, read once for all visits."""
    key = ("sample", sample.family, sample.key)
    return once(_read_sample, sample, key, st.empty(), of=key)


def _read_sample(sample: Sample, key: Hashable, place: DeltaGenerator) -> Any:
    def work(task: Task) -> Any:
        return sample_instance(sample.family, sample.key)

    return made_beside(f"{sample.family}_reading", key, work, "Reading the sample …", place=place)


@st.cache_resource(max_entries=30, show_spinner=False)
def sample_instance(family: str, key: str) -> Any:
    """The same for work in the background."""
    sample = samples(family)[key]
    return get_family(family).reader.function(sample.path, **sample.options)


def read_content(file: File, settings: Mapping[str, Any], settings_key: str) -> Any:
    """The instance of a file, read once per visit.

    Parameters
    ----------
    settings : The reader's arguments.
    settings_key : The same as text, as part of the cache key.

    Raises `KanonError`: it cannot be read so. If the user stops it, the page says so and ends.
    """
    key = ("read", file.family, file.digest, file.sheet, settings_key)
    return once(_read, file, {**settings, **given(sheet=file.sheet)}, key, st.empty(), of=key)


def _read(file: File, settings: Mapping[str, Any], key: Hashable, place: DeltaGenerator) -> Any:
    def work(task: Task) -> Any:
        with stopped_when(lambda: bool(task.asked())):
            return get_family(file.family).reader.function(file.content, filename=file.name, **settings)

    slot, stop = f"{file.family}_reading", f"{file.family}_stop_reading"
    try:
        return made_beside(slot, key, work, "Reading the file …", stop, place)
    except kanon.SearchEnded:
        why = f"Reading {escaped(file.name)} was stopped."
        offer_again(why, "Read it again", f"{file.family}_read_again", key)
        stop_page()


def read_file(file: File, form: Form, notice: DeltaGenerator) -> Data:
    """The data of a file; where it cannot be read, the page says why in the slot above the result, and stops."""
    if file.sample is not None and file.counts is None:
        return sample_data(file.sample, read_sample(file.sample))
    if file.counted is not None:
        return data_of_counts(file)
    try:
        unasked = st.session_state.get(f"{file.key}_unasked", {}) if file.key else {}  # the project's further settings
        settings = {**unasked, **form.settings(file)}
        settings_key = repr(sorted((name, kanon.content_digest(value=value)) for name, value in settings.items()))
        instance = read_content(file, settings, settings_key)
    except kanon.KanonError as error:
        form.show(file, None, error)
        tell_unread(file, error, notice, STEPS_BELOW)
    form.show(file, instance, None)
    data = uploaded_data(file, instance, first_k(instance))
    if file.counts is None:
        return data
    # areas with the counts of records stored elsewhere: the link says nothing about where
    sample = file.sample
    areas = f"The areas: {file.name}." if sample is None else f"The areas: {sample.source}. License: {sample.license}."
    link = {} if sample is not None else data.link
    return replace(data, origin=f"{COUNTED} {areas}", link={**link, COUNTS_IN_LINK: ELSEWHERE})


def sample_data(sample: Sample, instance: Any, link: Mapping[str, str] | None = None) -> Data:
    origin = f"{sample.source}. License: {sample.license}."
    return Data(sample.family, instance, sample.k, origin, link or {}, base=instance.digest)


def uploaded_data(file: File, instance: Any, k: int) -> Data:
    """A user's own file that was read; if it now counts something else, k is reset."""
    total = f"{file.family}_own_total"
    other = st.session_state.get(total) not in (None, instance.total)
    if other and chosen(f"{file.family}_k") not in st.session_state:
        begin_k(file.family)
    st.session_state[total] = instance.total
    return Data(file.family, instance, k, "Your own file.", {"file": file.name}, file.key, base=instance.digest)


def data_of_counts(file: File) -> Data:
    """Records that were counted where they are stored. The link says nothing about where."""
    tell_notes(file, file.counted)
    return replace(uploaded_data(file, file.counted, first_k(file.counted)), origin=COUNTED, link={}, travels=False)


def tell_notes(file: File, instance: Any) -> None:
    """The first note on how the data were read, in the sidebar."""
    file.notes.caption(" ".join(escaped(note) for note in instance.notes[:3]))


def tell_unread(
    file: File,
    error: kanon.KanonError,
    notice: DeltaGenerator,
    what: str,
    more: Callable[[], None] = lambda: None,
) -> NoReturn:
    """Say why a file could not be read and what can be corrected, draw `more`, and stop the page."""
    if file.digest not in _unread():  # once more, with the correctable settings in view
        _unread().add(file.digest)
        st.rerun()
    words = on_page(error)
    in_steps = what == STEPS_BELOW
    where = what if in_steps else f"{what} in the sidebar"
    ways = f"Correct {where}, or choose" if file.rows is not None else "Choose"

    def offer_choices() -> None:
        more()
        if isinstance(error, kanon.ChoiceNeeded) and error.choices:
            parameter = get_family(file.family).reader.parameter(error.parameter)
            offer(file.key, error.parameter, error.choices, (parameter and parameter.asked) or "Count")
        elif in_steps:
            offer_remedies(file.key, error.remedy)

    choices = (
        {(error.parameter, choice) for choice in error.choices} if isinstance(error, kanon.ChoiceNeeded) else set()
    )
    in_second_file = error.parameter == "weight"  # which a second file can hold too
    if (choices & {*PICKED} and not in_second_file) or (choices and error.parameter == "dates"):
        words = escaped(f"{error.message}.")  # the buttons say what can be done
    words = words if file.name in error.message else f"{escaped(file.name)}: {words}"
    show_problem(file.family, words, f"{ways} another file or a sample.", notice, offer_choices)


def show_problem(
    family: str, words: str, ways: str, notice: DeltaGenerator, more: Callable[[], None] = lambda: None
) -> NoReturn:
    """Say why the data cannot be used and what to do, draw `more`, and stop the page."""
    with notice.container():
        _begin_without_result(family)
        st.error(words, icon=":material/error:")
        st.markdown(ways)
        more()
    stop_page()


def _ask_for_file(
    family: str, notice: DeltaGenerator, note: str, choose: Callable[[], object] = lambda: None
) -> NoReturn:
    """Say what the page does and needs, offer the choice, and stop."""
    file = linked(family, "file")
    with notice.container():
        _begin_without_result(family)
        st.markdown(get_family(family).page.lead)
        if file is not None:
            st.warning(NEEDS_FILE.format(escaped(file)), icon=":material/link:")
        else:
            sample = ", or one of the samples in the sidebar" if samples(family) else ""
            st.info(f"Choose a file to begin{sample}.")
        choose()
        st.caption(note)
    widgets_are_gone()
    stop_page()


def _begin_without_result(family: str) -> None:
    if had_result(family):
        show_link(family, {"sample": st.session_state[f"{family}_sample"]})
    st.subheader(get_family(family).page.heading)


def _unread() -> set[str]:
    """Digests of the files of this visit that could not be read."""
    digests: set[str] = st.session_state.setdefault("_unread", set())
    return digests


def show_understood(data: Data, more: Callable[[], object] = lambda: None) -> None:
    """How the data were read of the data and what was odd, with what `more` draws."""
    with st.expander("How the data were read"):
        for note in data.instance.notes:
            st.markdown(f"- {escaped(note)}")
        st.caption(data.origin)
        more()


def show_weights(data: Data) -> None:
    """What was counted in a user's own file, changed with one click."""
    summary = data.instance.counted
    if summary is None or not data.key:
        return
    line = counted_line(data.family, f"Counted: {summary.words}.")
    if summary.choices:  # a popover with another key is a closed one
        with line.popover("Change", type="tertiary", icon=":material/edit:", key=f"{data.key}_change_{summary.words}"):
            offer(data.key, summary.parameter, summary.choices, "What to count instead")
    if summary.doubt:
        st.warning(escaped(summary.doubt), icon=":material/warning:")


def counted_line(family: str, words: str) -> DeltaGenerator:
    """A line that starts with these words, with space for a button after them."""
    line = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{family}_counted")
    line.caption(escaped(words), width="content")
    return line
