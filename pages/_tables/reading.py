"""A table from a sample or a person's own file, with the columns that the person wants."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from pages._shared.controls import first_k
from pages._shared.data import counted_data, own_data, sample_data, show_problem, tell_notes, tell_unread
from pages._shared.reading_steps import LONGEST, counted_line
from pages._shared.records import Data, File
from pages._shared.sources import Field
from pages._shared.wording import escaped, on_page
from pages._tables.editor import choose_columns, key_of, offer_columns, open_editor, read_columns


def read_table(file: File, notice: DeltaGenerator) -> Data:
    """The data of a file; where it cannot be read with these columns, the page says why and stops."""
    known = file.sample is not None or file.rows is not None or file.tuples is not None
    try:
        settings, text = choose_columns(file) if known else ({}, "")
        table = read_columns(file, settings, text)
    except kanon.KanonError as error:
        if file.sample is None and file.tuples is None:
            tell_unread(file, error, notice, "the columns", lambda: offer_columns(file))
        show_problem("tables", on_page(error), "Correct the columns in the sidebar, or choose other data.", notice)
    if file.tuples is not None:
        return counted_data(replace(file, counted=table))
    if file.sample is None:
        tell_notes(file, table)
        return own_data(file, table, first_k(table))
    fits = len(quote(text)) <= LONGEST
    if not fits:
        st.caption("The address bar has no room for these changes of columns, so a link leaves them out.")
    return sample_data(file.sample, table, {"columns": text} if text and fits else {})


def read_as(table: kanon.Table, g: kanon.Generalization) -> kanon.Generalization:
    """The result, found for the same cells and orders, with what is said now of what leaves and what is public."""
    same = kanon.content_digest(reading=g.reading) == kanon.content_digest(reading=table.reading)
    return g if same else replace(g, reading=table.reading).sealed()


def show_counted_columns(file: File, data: Data) -> None:
    """What was counted in a person's own file, and which of its columns could be linked; the editor is a click away."""
    counted = data.instance.counted
    if counted is None or not file.key:
        return
    linkable = ", ".join(data.instance.quasi_identifiers)
    line = counted_line("tables", f"Counted: {counted.words}. Columns that could be linked: {linkable}.")
    line.button("change", type="tertiary", key=f"{data.key}_change", on_click=open_editor, args=(key_of(file),))
    if counted.doubt:
        st.warning(escaped(counted.doubt), icon=":material/warning:")


# ---------------------------------------------------------------------------------------------------------------------
# Which columns of records where they live a table is counted by.
# ---------------------------------------------------------------------------------------------------------------------


FIELDS = (
    Field(
        "Columns that could be linked",
        "What somebody could also know from other data, as age, sex and zip code. They are generalized.",
        several=True,
    ),
    Field(
        "Sensitive columns",
        "What tells something about a person, as an illness. They are released unchanged. All other columns are left "
        "where they are.",
        "sensitive",
        several=True,
    ),
)
