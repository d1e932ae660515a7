"""The tab "Publish" of areas: one package that may be released, and separate internal files."""

from __future__ import annotations

import datetime
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.words import counted
from kanon_engine.regions.group_sums import group_sums
from kanon_engine.regions.package import Publication, outputs
from kanon_engine.release.released import PER
from pages._regions.groups import choose_name_source, edit_names, given_names, named_after
from pages._shared.publish import PUBLISHABLE, show_downloads, show_files, warn_of_others
from pages._shared.records import ASK, PUBLIC, WHY, Data, codes_are_public, codes_key, offer_review
from pages._shared.tasks import Task, run_on_request, want
from pages._shared.widgets import pick_from
from pages._shared.wording import escaped

SLOT = "regions_package"


def show_publish(data: Data, g: kanon.Generalization) -> None:
    """One question, titles, names, and a button that makes the package; below it the single files."""
    offer_review(data.family)
    warn_of_others(data.instance, g)
    left, right = st.columns(2, gap="medium")
    with left:
        public = _ask_about_codes(data)
        decided = _ask_for_words(data, g, bool(public))
    with right:
        if public:
            choose_name_source(data)
        edit_names(data, g, bool(public))
    with left:
        _ask_for_package(data, g, decided, possible=public is not None)
    package = st.container()
    with st.expander("Single files"):
        if not public:
            st.caption("These files have no exact borders because the codes of the areas are not stated to be public.")
        # the picture outlines areas; until the question is answered, the shapes have exact borders, too
        without = {True: (), False: ("picture",), None: ("shapes", "picture")}[public]
        show_downloads(data, g, without=without, warn=False, codes_are_public=bool(public))
    if public is not None:
        with package:  # last, because it may wait
            _show_package(data, g, decided)


def _ask_about_codes(data: Data) -> bool | None:
    key = codes_key(data)
    if key not in st.session_state and codes_are_public(data) is not None:
        st.session_state[key] = True
    answer: bool | None = pick_from(st.radio, ASK, PUBLIC, key, index=None)
    st.caption(WHY)
    return answer


def _ask_for_words(data: Data, g: kanon.Generalization, public: bool) -> Publication:
    """Title, source and date of the map, and which second counts are released."""
    key = data.key or "regions"
    title = st.text_input(
        "Title", placeholder=f"{counted(g.classes, 'group')} of at least {g.k:,} {data.instance.unit}",
        key=f"{key}_title", max_chars=200, persist_state="session",
    )  # fmt: skip
    words, day = st.columns([2, 1])
    source = words.text_input(
        "Source of the data", value="" if data.key else data.origin[:200], key=f"{key}_source_{data.origin[:40]}",
        max_chars=200, persist_state="session",
    )  # fmt: skip
    date = day.date_input("Date", value="today", key=f"{key}_date", persist_state="session")
    carry, rates = _ask_for_counts(data, g, key)
    return Publication(
        date if isinstance(date, datetime.date) else datetime.date.today(),
        codes_are_public=public,
        title=title,
        source=source,
        carry=carry,
        rates=rates,
        given=given_names(data),
        named_after=named_after(data),
    )


def _ask_for_counts(data: Data, g: kanon.Generalization, key: str) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Second counts whose sums are released, and rates between them."""
    sums = group_sums(data.instance, g)
    if not sums:
        return (), ()
    free = [column for column, total in sums.items() if not total.reason]
    words = "Counts to add up for each group"
    carry = st.multiselect(words, free, key=f"{key}_carry", persist_state="session") if free else []
    for column in sums:
        if sums[column].reason:
            st.caption(f"“{escaped(column)}” cannot be released: {escaped(sums[column].reason)}")
    if not carry:
        return (), ()
    rates = st.multiselect(
        "Rates",
        list(permutations([data.instance.unit, *carry], 2)),
        format_func=lambda pair: f"{pair[0]} per {PER:,} {pair[1]}",
        key=f"{key}_rates",
        persist_state="session",
    )
    return tuple(carry), tuple(rates)


def _ask_for_package(data: Data, g: kanon.Generalization, decided: Publication, possible: bool) -> None:
    key = _package_key(data, g, decided)
    st.button(
        "Make the package",
        type="primary",
        key="regions_make_package",
        disabled=not possible,
        on_click=want,
        args=(SLOT, key),
        help="Makes one file with tables, shapes, a printable map and a README, and another file with the internal "
        "files.",
    )
    if not possible:
        st.caption("Answer the question about the codes first.")


def _package_key(data: Data, g: kanon.Generalization, decided: Publication) -> tuple[str, ...]:
    """What the package depends on, including how the file was read: two readings of one instance can differ in that."""
    return "package", g.digest, repr(data.instance.reading), repr(decided)


def _show_package(data: Data, g: kanon.Generalization, decided: Publication) -> None:
    key, words = _package_key(data, g, decided), "Making the package: tables, shapes, a printable map …"
    files = partial(outputs, data.instance, g, decided)

    def make(task: Task) -> list[str | bytes]:
        made: list[str | bytes] = []
        for file in files():
            task.require_wanted()
            made.append(file.make())
        return made

    contents = run_on_request(SLOT, key, make, words)
    if contents is None:
        return
    for heading, file, content in zip((PUBLISHABLE, "Internal"), files(), contents, strict=True):
        st.markdown(f"##### {heading}")
        show_files(g, [replace(file, make=partial(bytes, content))], data.instance)
