"""The editor of a table's columns, for samples and for a user's own file: roles, orders, ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.io.names import ROLES
from kanon_engine.io.ordered import TEXT
from kanon_engine.model.values import value_words
from kanon_engine.project import Project
from kanon_engine.tables.read_columns import columns_frame
from pages._shared.controls import first_k
from pages._shared.data import (
    counted_line,
    data_of_counts,
    read_content,
    read_sample,
    sample_data,
    show_problem,
    tell_notes,
    tell_unread,
    uploaded_data,
)
from pages._shared.form import UNIT as UNIT_FIELD
from pages._shared.form import Control
from pages._shared.link import LONGEST_LINK, linked, misread, read_json
from pages._shared.project import tell_unfit
from pages._shared.records import Data, File
from pages._shared.tasks import once
from pages._shared.widgets import given, put_in_widget
from pages._shared.wording import escaped, on_page, shortened
from pages._tables.draft import (
    CHOICES,
    KEEPABLE,
    OPENED,
    RANGES,
    UNIT,
    Columns,
    ColumnsDraft,
    as_text,
    changed,
    changes,
    drafted,
    from_guess,
    from_settings,
    from_text,
    is_kept,
    mended,
    reader_settings,
    row_of,
    with_orders,
)
from pages._tables.order import edit_order

OPEN = "tables_columns_open"  # the key of the columns whose editor is open
DRAFT = "tables_columns_draft"
BUTTON, CHANGED = "Columns: roles, order, ranges", "Columns: changed by you"
GUESSED, SAMPLED, COUNTED_SO = "Reset to the guess", "Reset to the sample", "Reset to the columns used for counting"
ROLE_HELP = (
    "identifier: left out. quasi-identifier: could be linked with other data, so it is generalized. sensitive, class "
    "label, other: left out of the release unless “Keep” is selected. count: how many records the row represents."
)
MOST_ROWS = 60  # columns at a time: each has two widgets
ROWS_SEEN, ROWS_HEIGHT = 6, 440  # more columns than this scroll, in pixels
KEEP_HELP = "Quasi-identifiers are always generalized, and identifiers always left out."


def choose_columns(file: File) -> tuple[dict[str, Any], str]:
    """A button that opens the editor, for a sample or a user's own file.

    Returns
    -------
    settings : dict
        The reader's arguments.
    text : str
        The user's changes, for the address bar; "" for none.

    Raises `KanonError`: no table can be read with these columns.
    """
    key = key_of(file)
    if key not in st.session_state:
        st.session_state[key] = ""
        text = linked("tables", "columns")
        if file.sample is not None and text is not None:
            try:
                st.session_state[key] = as_text(from_text(as_text(read_json(text))))
            except ValueError:
                misread(
                    "tables",
                    f"The columns “{shortened(text)}” cannot be used here, so the columns of the sample are shown.",
                )
    date = st.session_state.pop(f"{file.key}_dates", None)  # from a button below the error
    if date is not None:
        _put_date(file, *str(date).rsplit("=", 1))
    text = str(st.session_state[key])
    st.button(
        CHANGED if text else BUTTON,
        key=f"{key}_button",
        icon=":material/view_column:",
        on_click=open_editor,
        args=(key,),
        width="stretch",
    )
    if st.session_state.get(OPEN) == key:
        _editor(file)
    if not text:
        return _given(file), ""
    return reader_settings(changed(_base(file), from_text(text))), text


def restore_columns(file: File, project: Project) -> None:
    """Put a project's column settings into the editor."""
    try:
        text = as_text(changes(_base(file), from_settings(project.reading)))
        from_text(text)
    except (kanon.KanonError, ValueError, AttributeError, TypeError):
        tell_unfit(project, "The project's column settings do not fit this file; choose new ones under “Columns”.")
        return
    st.session_state[key_of(file)] = text
    roles_confirmed().add(key_of(file))


def key_of(file: File) -> str:
    return f"tables_columns_{file.digest if file.sample is not None else file.short}"


def columns_now(file: File) -> Columns:
    return changed(_base(file), from_text(str(st.session_state[key_of(file)])))


def mend_columns(file: File, mend: kanon.Mend) -> None:
    """Apply one step that an audit proposes, as if it had been done in the editor."""
    profile = column_profile(file)
    order = row_of(profile, mend.column)["order"]
    st.session_state[key_of(file)] = as_text(changes(_base(file), mended(columns_now(file), mend, order)))


def _put_date(file: File, name: str, format: str) -> None:
    """The dates of a column are in this format."""
    now = columns_now(file)
    columns = now | {"dates": now["dates"] | {name: format}}
    st.session_state[key_of(file)] = as_text(changes(_base(file), columns))


def roles_confirmed() -> set[str]:
    """The keys of the columns whose roles the user or a project confirmed."""
    keys: set[str] = st.session_state.setdefault("_tables_roles_confirmed", set())
    return keys


def read_columns(file: File, settings: Mapping[str, Any], text: str) -> Any:
    """The table with these columns, or `KanonError`."""
    if file.tuples is None:
        if file.sample is not None and not text:
            return read_sample(file.sample)
        if not text and key_of(file) in roles_confirmed():  # then the roles are a person's, no longer guesses
            return read_content(file, reader_settings(_base(file)), "confirmed")
        return read_content(file, settings, text)
    if not text:
        return file.counted
    # identifiers are left out, because tuples contain only the selected columns
    options = {name: value for name, value in settings.items() if name not in ("quasi_identifiers", "identifiers")}
    make, by = file.tuples.table, settings["quasi_identifiers"]
    return once(make, by, of=(file.digest, text), words="Reading the counts …", **options)


def column_profile(file: File) -> pd.DataFrame:
    dates = from_text(str(st.session_state.get(key_of(file), ""))).get("dates", {})
    formats = {name: format for name, format in dates.items() if format is not None}
    content = file.content if file.tuples is None else file.tuples.source
    of, words = (key_of(file), *formats.items()), "Reading the columns …"
    return once(columns_frame, content, file.name, formats, file.sheet, of=of, most=8, words=words)


def _given(file: File) -> dict[str, Any]:
    """The reader's arguments for a sample or a count; for a file, seemingly sensitive columns, not released."""
    if file.sample is not None:
        return dict(file.sample.options)
    if file.tuples is not None:
        reading = given(**{name: value for name, value in file.counted.reading.items() if name not in ("reader", "by")})
        return reading | {"quasi_identifiers": file.counted.reading["by"]}
    profile = column_profile(file)
    sensitive = profile.loc[profile["role"] == "sensitive", "column"].tolist()
    return {"sensitive": sensitive, "keep": []} if sensitive else {}


def _base(file: File) -> Columns:
    guessed = file.sample is None and file.tuples is None
    return from_guess(column_profile(file)) if guessed else from_settings(_given(file))


def open_editor(key: str) -> None:
    """Draw the editor of these columns from the next run on."""
    st.session_state[OPEN] = key
    st.session_state[OPENED] = st.session_state.get(OPENED, 0) + 1
    st.session_state.pop(DRAFT, None)


def _close() -> None:
    st.session_state.pop(OPEN, None)
    st.session_state.pop(DRAFT, None)


@st.dialog("Columns", width="large", on_dismiss=_close)
def _editor(file: File) -> None:
    """It stays open when the page is redrawn because a search ended."""
    key, profile, base = key_of(file), column_profile(file), _base(file)
    if DRAFT not in st.session_state:
        now = changed(base, from_text(st.session_state[key]))
        st.session_state[DRAFT] = drafted(profile, now)
    draft: ColumnsDraft = st.session_state[DRAFT]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _edit_roles(profile, draft, CHOICES if file.tuples is None else ROLES)
        unit = st.text_input("What each row represents", draft.unit, help=UNIT_FIELD.help)
    roles, keep = draft.roles, draft.keep
    with right:
        _choose_dates(file, profile)
        edit_order(profile, roles, draft)
    use, reset, cancel, _ = st.columns([3, 3, 2, 6])
    if use.button("Use these settings", type="primary", key="tables_columns_use", width="stretch"):
        try:
            columns = with_orders(profile, roles, draft) | {"roles": roles, "keep": keep, "unit": unit.strip() or UNIT}
            columns["dates"] = columns_now(file)["dates"]
            text = as_text(changes(base, columns))
            read_columns(file, reader_settings(columns) if text else _given(file), text)
        except kanon.KanonError as error:
            st.error(on_page(error), icon=":material/error:")
        else:
            roles_confirmed().add(key)
            _finish(key, text)
    back = SAMPLED if file.sample is not None else GUESSED if file.tuples is None else COUNTED_SO
    if reset.button(back, key="tables_columns_reset", width="stretch"):
        _finish(key, "")
    if cancel.button("Cancel", key="tables_columns_cancel", width="stretch"):
        _finish(key, st.session_state[key])


def _choose_dates(file: File, profile: pd.DataFrame) -> None:
    """The format of each column of ambiguous dates; the editor then shows the resulting dates."""
    for row in profile[profile["formats"].map(len) > 0].to_dict("records"):
        name, widget = str(row["column"]), f"tables_dates_{row['column']}"
        put_in_widget(widget, row["date"] or None)

        def take(name: str = name, widget: str = widget) -> None:
            if st.session_state[widget] is not None:
                _put_date(file, name, st.session_state[widget])
                st.session_state.pop(DRAFT, None)

        st.segmented_control(f"Format of the dates of “{name}”", [*row["formats"], TEXT], key=widget, on_change=take)


def _finish(key: str, text: str) -> None:
    st.session_state[key] = text
    _close()
    st.rerun()


def _edit_roles(profile: pd.DataFrame, draft: ColumnsDraft, choices: Sequence[str]) -> None:
    """A row for each column: its name, values and reason, its role, and whether it is released unchanged."""
    st.caption(
        "Choose the role of each column. Select “Keep” to release a column unchanged.", help=f"{ROLE_HELP} {KEEP_HELP}"
    )
    entries = profile.to_dict("records")
    if len(entries) > MOST_ROWS:
        pages = [f"{first + 1}–{min(first + MOST_ROWS, len(entries))}" for first in range(0, len(entries), MOST_ROWS)]
        page = pages.index(st.selectbox("Columns", pages, key="tables_roles_page"))
        entries = entries[page * MOST_ROWS :][:MOST_ROWS]
    opened = st.session_state[OPENED]
    with st.container(height=ROWS_HEIGHT if len(entries) > ROWS_SEEN else "content", border=True):
        for entry in entries:
            name = str(entry["column"])
            words, role, keep = st.columns([5, 3, 1.4], vertical_alignment="center")
            role_key, keep_key = f"tables_role_{opened}_{name}", f"tables_keep_{opened}_{name}"
            st.session_state.setdefault(role_key, draft.roles[name])
            st.session_state.setdefault(keep_key, draft.keep[name])
            chosen = role.selectbox(
                f"Role of {name}",
                choices,
                format_func=partial(_role_words, kept=st.session_state[keep_key]),
                key=role_key,
                label_visibility="collapsed",
                filter_mode=None,
            )
            if chosen in ("identifier", "quasi-identifier"):
                keep.checkbox("Keep", key=f"{keep_key}_never", disabled=True)
            else:
                draft.keep[name] = keep.checkbox("Keep", key=keep_key)
            draft.roles[name] = chosen
            reason = f"It {entry['reason']}." if chosen == entry["role"] else "You chose this."
            values = _examples(list(entry["order"]))
            words.markdown(f"**{escaped(name)}**  \n:small[{escaped(f'{values}. {reason}')}]")
            warning = _singling_out(entry) if draft.keep[name] and chosen in KEEPABLE else ""
            if warning and draft.ways[name] != RANGES:
                words.markdown(warning)


def _role_words(role: str, kept: bool) -> str:
    return "other (left out)" if role == "other" and not kept else role


def _singling_out(entry: Mapping[Any, Any]) -> str:
    """A warning if most records have a value that no other record has, for a column that is kept; else ""."""
    counts = [count for value, count in zip(entry["order"], entry["counts"], strict=True) if value is not None]
    once, total = counts.count(1), sum(entry["counts"])
    if 2 * once <= total:
        return ""
    fix = " or put it into ranges on the tab “Publish”" if entry["numbers"] else ""
    return (
        f":orange[:material/warning:] :small[{once:,} of {total:,} values occur once: anyone who knows a person's "
        f"value finds the record. Clear “Keep”{fix}.]"
    )


def _examples(values: list[Any]) -> str:
    """How many values there are, and some of them."""
    if len(values) <= 4:
        return ", ".join(value_words(value)[:20] for value in values)
    first = ", ".join(value_words(value)[:20] for value in values[:3])
    return f"{len(values):,} values from {first} to {value_words(values[-1])[:20]}"


# ---------------------------------------------------------------------------------------------------------------------
# Before any release: the role of each column, for the user to confirm if it was guessed.
# ---------------------------------------------------------------------------------------------------------------------


def settle_roles(file: File) -> bool:
    """Whether the roles are settled; if guessed, they are shown with their reasons and two buttons."""
    if not file.key or key_of(file) in roles_confirmed():
        return True
    st.markdown("**Before any release: are these roles right?** So far they are guessed.")
    show_roles(file)
    row = st.container(horizontal=True)
    key = key_of(file)
    row.button("These roles are right", type="primary", key=f"{key}_right", on_click=roles_confirmed().add, args=(key,))
    row.button("Change them", key=f"{key}_other", on_click=open_editor, args=(key,))
    return False


def offer_columns(file: File) -> None:
    """The columns of a file that cannot be read as a table yet, and a button to set their roles."""
    try:
        column_profile(file)
    except kanon.KanonError:  # there are none, and the page already says so
        return
    show_roles(file)
    key = key_of(file)
    st.button("Set the columns' roles", type="primary", key=f"{key}_say", on_click=open_editor, args=(key,))


def show_roles(file: File) -> None:
    st.dataframe(_roles(file), hide_index=True, key="tables_guessed_roles", alt="Assumed role of each column")


def _roles(file: File) -> pd.DataFrame:
    """One row per column: its role, whether it is released, and why."""
    columns, rows = columns_now(file), []
    for row in column_profile(file).to_dict("records"):
        name = str(row["column"])
        role, guess = columns["roles"].get(name, "other"), row["role"]
        is_released = is_kept(columns, name)
        released = "generalized" if role == "quasi-identifier" else "unchanged" if is_released else "left out"
        reason = f"It {row['reason']}." if role == guess else "You chose this."
        if row["asked"] and role == guess:
            reason += " To release it, set its role."
        rows.append((name, role, released, reason))
    return pd.DataFrame(rows, columns=["Column", "Role", "Released", "Why"])


# ---------------------------------------------------------------------------------------------------------------------
# A table from a sample or a user's own file, with the chosen columns.
# ---------------------------------------------------------------------------------------------------------------------


def read_table(file: File, notice: DeltaGenerator) -> Data:
    """The data of a file; if it cannot be read with these columns, the page says why and stops."""
    has_columns = file.sample is not None or file.rows is not None or file.tuples is not None
    try:
        settings, text = choose_columns(file) if has_columns else ({}, "")
        table = read_columns(file, settings, text)
    except kanon.KanonError as error:
        if file.sample is None and file.tuples is None:
            tell_unread(file, error, notice, "the columns", lambda: offer_columns(file))
        show_problem("tables", on_page(error), "Correct the columns in the sidebar, or choose other data.", notice)
    if file.tuples is not None:
        return data_of_counts(replace(file, counted=table))
    if file.sample is None:
        tell_notes(file, table)
        return uploaded_data(file, table, first_k(table))
    fits = len(quote(text)) <= LONGEST_LINK
    if not fits:
        st.caption("These column changes are too long for the address bar, so a link omits them.")
    return sample_data(file.sample, table, {"columns": text} if text and fits else {})


def read_as(table: kanon.Table, g: kanon.Generalization) -> kanon.Generalization:
    """The result for the same cells and orders, with the current settings of released and public columns."""
    same = kanon.content_digest(reading=g.reading) == kanon.content_digest(reading=table.reading)
    return g if same else replace(g, reading=table.reading).sealed()


def show_columns_of_counts(file: File, data: Data) -> None:
    """What was counted in a user's own file, and which of its columns could be linked; a button opens the editor."""
    summary = data.instance.counted
    if summary is None or not file.key:
        return
    linkable = ", ".join(data.instance.quasi_identifiers)
    roles = _roles(file)
    left_out = roles[roles["Released"] == "left out"]
    is_identifier = left_out["Role"] == "identifier"
    words = f"Counted: {summary.words}. Columns that could be linked with other data: {linkable}."
    for what, names in {
        "Left out as identifiers": left_out.loc[is_identifier, "Column"],
        "Left out unless you keep them": left_out.loc[~is_identifier, "Column"],
    }.items():
        words += f" {what}: {', '.join(names)}." if len(names) else ""
    line = counted_line("tables", words)
    line.button(
        "Change columns",
        type="tertiary",
        icon=":material/edit:",
        key=f"{data.key}_change",
        on_click=open_editor,
        args=(key_of(file),),
    )
    if summary.doubt:
        st.warning(escaped(summary.doubt), icon=":material/warning:")


# ---------------------------------------------------------------------------------------------------------------------
# The columns by which records stored elsewhere are counted for a table.
# ---------------------------------------------------------------------------------------------------------------------


FIELDS = (
    Control(
        "",
        "Columns that could be linked with other data",
        "Columns that others could know from other data, such as age, sex and zip code. These are generalized.",
        "columns",
    ),
    Control(
        "sensitive",
        "Sensitive columns",
        "Columns that reveal something about a person, such as an illness. These columns are released "
        "unchanged. Columns in neither of the two lists are left out.",
        "columns",
    ),
)
