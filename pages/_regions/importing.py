"""A person's own file of areas, read in steps: each has a good guess already, and can be changed at any time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.io.counted import ROWS
from kanon_engine.io.source import Source
from kanon_engine.model.family import TABLES
from kanon_engine.project import Project
from kanon_engine.regions.read.area_table import match_codes
from kanon_engine.regions.read.columns import ONE
from pages._regions.elsewhere import want
from pages._regions.preview import AS_FILE, show_shapes
from pages._shared.data import first_rows
from pages._shared.elsewhere import TITLE
from pages._shared.permission import permission
from pages._shared.reading_steps import Step, show_reading
from pages._shared.records import File, column_names
from pages._shared.sheets import choose_sheet, chosen_sheet
from pages._shared.upload import choose_upload
from pages._shared.widgets import (
    GUESS,
    forget_unknown,
    given,
    pick_column,
    pick_counts,
    pick_unit,
    picked_column,
    picked_text,
)
from pages._shared.wording import (
    AREA_ID,
    COUNTS,
    COUNTS_COLUMN,
    COUNTS_ID,
    COUNTS_SHEET,
    COUNTY,
    DROP_COUNTS,
    FILE_SYSTEM,
    HIDDEN_COUNTS,
    HIDDEN_MOST,
    ISLANDS,
    MERGE,
    MISSING_COUNTS,
    PICKED,
    REPEATED,
    ROUNDING,
    SECOND_COUNTS,
    WEIGHT,
    escaped,
    on_page,
)

UNASKED = ("name", "layer")  # of the reader's parameters
SHOWN = 8  # codes that a line lists
SYSTEMS = {
    "EPSG:4326": "longitude and latitude, WGS 84",
    "EPSG:4269": "longitude and latitude, NAD83",
    "EPSG:3857": "Web Mercator, metres",
    "EPSG:5070": "US Albers equal area, metres",
    **{f"EPSG:{26900 + zone}": f"NAD83 / UTM zone {zone}N, metres" for zone in range(10, 20)},
    **{f"EPSG:{32600 + zone}": f"WGS 84 / UTM zone {zone}N, metres" for zone in (30, 31, 32, 33)},
    "EPSG:3035": "Europe LAEA, metres",
    "EPSG:27700": "British National Grid, metres",
}


def chosen_reading(file: File) -> dict[str, Any]:
    """The reader's arguments that a person chose in the steps; all else the reader guesses."""
    key, state = file.key, st.session_state
    if file.rows is None:
        return {}
    hidden = state.get(f"{key}_hidden")
    second = _second_file(file)
    unit = picked_text(f"{key}_unit") or (file.asked and file.asked.unit)
    return second | given(
        weight=None if second else picked_column(f"{key}_weight", [*file.columns, ONE]),
        id=picked_column(f"{key}_id", file.columns),
        merge_duplicates=state.get(f"{key}_merge_duplicates"),
        contiguity=state.get(f"{key}_contiguity"),
        islands=state.get(f"{key}_islands"),
        unit=unit,
        rounding=state.get(f"{key}_rounding"),
        hidden=hidden,
        hidden_most=state.get(f"{key}_hidden_most") if hidden == "largest" else None,
        columns=tuple(state.get(f"{key}_columns") or ()) or None,
        crs=_column(f"{key}_crs"),
    )


def restore_reading(file: File, project: Project) -> None:
    """What a project says of the reading in other words than the widgets."""
    if file.key:
        st.session_state[f"{file.key}_unmatched"] = project.reading.get("unmatched") == "drop"


def second_files(file: File) -> dict[str, tuple[str, bytes]]:
    """Name and content of the file with the counts, where there is one."""
    upload = _uploaded(file)
    return {} if upload is None else {"counts": upload}


def _uploaded(file: File) -> tuple[str, bytes] | None:
    """Name and content of a second file; None where the counts come from elsewhere."""
    upload: tuple[str, bytes] | None = None
    if file.key and file.counts is None:
        upload = st.session_state.get(f"{file.key}_counts_uploaded")
    return upload


def _counts(file: File) -> Source | None:
    """The second table: a file, or records that live elsewhere."""
    upload = _uploaded(file)
    return file.counts if upload is None else Source.open(upload[1], upload[0])


def _counts_sheet(file: File) -> str | None:
    """Which sheet is read of a second file that is a workbook."""
    upload = _uploaded(file)
    return None if upload is None else chosen_sheet(f"{file.key}_counts_sheet", *upload)


def _second_file(file: File) -> dict[str, Any]:
    """The reader's arguments that speak of a second table."""
    key, counts = file.key, _counts(file)
    if counts is None:
        return {}
    unmatched = "drop" if st.session_state.get(f"{key}_unmatched") else "refuse"
    told = given(counts=counts, counts_id=_code_column(file), unmatched=unmatched)
    if file.counts is not None:
        return told
    counted = _column(f"{key}_counts_column")
    return told | given(
        counts_sheet=_counts_sheet(file),
        repeated=st.session_state.get(f"{key}_repeated"),
        missing_counts=st.session_state.get(f"{key}_missing_counts"),
        **({"per_record": True} if counted == ROWS else {"counts_column": counted}),
    )


def _code_column(file: File) -> str | None:
    """The column with the codes, of a second file or of records that live elsewhere."""
    return _column(f"{file.key}_counts_id") if file.asked is None else str(file.asked.by)


def _column(key: str) -> str | None:
    picked = st.session_state.get(key)
    return None if picked in (None, GUESS, AS_FILE) else str(picked)


def show_steps(file: File, regions: kanon.Regions | None, error: kanon.KanonError | None) -> None:
    """How a file of areas is read, in steps."""
    if file.rows is None:
        return
    words = "" if regions is None else _understood(file, regions)
    strip, seen = show_reading(file, regions, error, STEPS, words)
    if regions is None and seen not in ("", STEPS[0].name):  # as long as there is no result, its place is free
        with strip:
            show_shapes(file, _column(f"{file.key}_crs"))


def _understood(file: File, regions: kanon.Regions) -> str:
    """One line: file, areas, codes, counts and how they were joined, system, total."""
    reading = regions.reading
    codes = f"codes from {reading['id']}" if reading.get("id") else "areas numbered"
    parts = [file.words, f"{len(regions):,} areas", codes]
    second = _uploaded(file)
    if file.counts is not None:
        parts.append(f"records of {file.counts.name} counted, joined by {_code_column(file)}")
    elif second is not None:
        counted, sheet = reading.get("counts_column"), reading.get("counts_sheet")
        where = f"{second[0]} (sheet “{sheet}”)" if sheet else second[0]
        what = f"counts from {counted} of {where}" if counted else f"rows of {where} counted"
        parts.append(f"{what}, joined by {reading.get('counts_id')}")
    else:
        weight = reading.get("weight")
        parts.append("each area counted as one" if _is_one(file, weight) else f"counts from {weight}")
    parts += [f"with {name}" for name in regions.columns]
    system = getattr(regions.geometry, "crs", None)
    parts += ["no coordinate system" if system is None else system.name] if regions.geometry is not None else []
    return " · ".join([*parts, f"{regions.total:,} {regions.unit}"])


def _show_shapes(file: File, regions: kanon.Regions | None, seen: bool) -> None:
    if not seen:
        return
    left, right = st.columns([3, 2])
    with left:
        show_shapes(file, _column(f"{file.key}_crs"))
    with right:
        st.dataframe(file.rows, hide_index=True, height=220)
        for note in () if regions is None else regions.notes[:6]:
            st.caption(escaped(note))


def _choose_codes(file: File, regions: kanon.Regions | None, seen: bool) -> None:
    left, right = st.columns(2)
    forget_unknown(f"{file.key}_id", file.columns)
    forget_unknown(f"{file.key}_county", file.columns)
    with left:
        pick_column(AREA_ID, file.columns, f"{file.key}_id", "Zip codes keep their leading zeros.")
        pick_column(COUNTY, file.columns, f"{file.key}_county", "Groups can be called after it, under “Publish”.")
        st.checkbox(
            MERGE, key=f"{file.key}_merge_duplicates", help="They are pieces of one area.", persist_state="session"
        )
    right.dataframe(file.rows, hide_index=True, height=180)


def _choose_counts(file: File, regions: kanon.Regions | None, seen: bool) -> None:
    """The counts are in this file, in a second one that is joined, or those of records that live elsewhere."""
    key = file.key
    left, right = st.columns(2)
    forget_unknown(f"{key}_weight", [*file.columns, ONE])
    with left:
        if file.counts is None:
            pick_column(
                WEIGHT,
                [*file.columns, *([] if ONE in file.columns else [ONE])],
                f"{key}_weight",
                "The column with the count of each area. Without one, each area can count as one.",
                shown=lambda name: PICKED["weight", ONE] if _is_one(file, name) else name,
            )
        pick_unit(key)
    if file.counts is not None:
        with right:
            _show_join(file)
            st.checkbox(DROP_COUNTS, key=f"{key}_unmatched", persist_state="session")
        return
    with right:
        help = "Joined by the code of each area: one row an area with its count, or one row a record."
        upload = choose_upload(f"{COUNTS} (optional)", TABLES, f"{key}_counts", help)
        if upload is None and permission():
            st.button(TITLE, icon=":material/database_search:", key=f"{key}_elsewhere", on_click=want, args=(file,))
    if upload is None:
        return
    columns = _second_columns(file, upload)
    for field in ("counts_id", "counts_column"):
        forget_unknown(f"{key}_{field}", columns)
    with left:
        choose_sheet(f"{key}_counts_sheet", *upload, COUNTS_SHEET)
        pick_column(COUNTS_ID, columns, f"{key}_counts_id", "The code as it stands in the first file.")
        pick_counts(COUNTS_COLUMN, columns, key, "counts_column", "The column with the count of each area.")
    with right:
        _show_join(file)
        st.checkbox(DROP_COUNTS, key=f"{key}_unmatched", persist_state="session")
        _pick(REPEATED, ("refuse", "add"), f"{key}_repeated", "repeated")
        _pick(MISSING_COUNTS, ("refuse", "zero", "drop"), f"{key}_missing_counts", "missing_counts")


def _second_columns(file: File, upload: tuple[str, bytes]) -> list[str]:
    """The columns of a second file, of the sheet that is read."""
    name, content = upload
    return column_names(first_rows(kanon.content_digest(data=content), name, content, _counts_sheet(file)))


def _is_one(file: File, weight: str | None) -> bool:
    """Whether each area counts as one, and no column of that name is meant."""
    return weight == ONE and ONE not in file.columns


def _show_join(file: File) -> None:
    """How the codes of both tables match."""
    ids = _column(f"{file.key}_id"), _code_column(file)
    try:
        second = _counts(file)
        found = _matched(file.digest, kanon.content_digest(second=second), ids, _counts_sheet(file), file, second)
    except kanon.KanonError as error:
        st.caption(on_page(error))
        return
    st.markdown(
        f"**{escaped(str(found['id']))}** joined with **{escaped(found['counts_id'])}**: {found['matched']:,} areas "
        f"have a row."
    )
    without = "Areas without a row" if file.counts is None else "Areas without a record, which count as 0"
    for words, codes in (
        (without, found["missing"]),
        ("Codes in several rows", found["doubled"]),
        ("Codes of no area", found["unknown"]),
    ):
        if codes:
            listed = ", ".join(codes[:SHOWN]) + (" …" if len(codes) > SHOWN else "")
            st.caption(escaped(f"{words}: {len(codes):,} ({listed})"))
    if found["blank"]:
        st.caption(f"{'Rows' if file.counts is None else 'Records'} without a code: {found['blank']:,}")


@st.cache_data(scope="session", max_entries=8, show_spinner="Comparing the codes …")
def _matched(
    digest: str, other: str, ids: tuple[str | None, str | None], sheet: str | None, _file: File, _second: Source | None
) -> Mapping[str, Any]:
    found: dict[str, Any] = match_codes(
        _file.content, ids[0], counts=_second, counts_id=ids[1], filename=_file.name, counts_sheet=sheet
    )
    return found


def _choose_odd(file: File, regions: kanon.Regions | None, seen: bool) -> None:
    """Counts that are no whole numbers, hidden counts, and second counts."""
    key = file.key
    left, right = st.columns(2)
    with left:
        _pick(ROUNDING, ("refuse", "nearest"), f"{key}_rounding", "rounding")
        _pick(HIDDEN_COUNTS, ("refuse", "zero", "largest", "leave-out"), f"{key}_hidden", "hidden")
        st.number_input(
            HIDDEN_MOST,
            min_value=0,
            max_value=10**9 - 1,
            value=None,
            key=f"{key}_hidden_most",
            disabled=st.session_state.get(f"{key}_hidden") != "largest",
            help="A rule that hides counts of 1 to 10 leaves 10 as the largest.",
            persist_state="session",
        )
    columns = _all_columns(file)
    chosen = st.session_state.get(f"{key}_columns") or []
    if not second_files(file):  # a project can name columns of a file that is still to come
        columns = list(dict.fromkeys([*columns, *chosen]))
    elif not {*chosen} <= {*columns}:
        st.session_state[f"{key}_columns"] = [name for name in chosen if name in columns]
    with right:
        st.multiselect(
            SECOND_COUNTS,
            columns,
            key=f"{key}_columns",
            help="What else is counted in each area, as cases, so that every group can be asked to hold enough of it.",
            persist_state="session",
        )
        told = [] if regions is None else [note for note in regions.notes if "round" in note or "hidden" in note]
        for note in told:
            st.caption(escaped(note))
        if regions is not None and not told:
            st.caption("All counts are whole numbers, and none is hidden.")


def _all_columns(file: File) -> list[str]:
    upload = _uploaded(file)
    if upload is None:
        return file.columns
    return list(dict.fromkeys([*_second_columns(file, upload), *file.columns]))


def _choose_place(file: File, regions: kanon.Regions | None, seen: bool) -> None:
    """Who borders whom, and where the areas lie."""
    key = file.key
    left, right = st.columns(2)
    with left:
        st.radio(
            "Neighbours share",
            ["rook", "queen"],
            format_func={"rook": "a border", "queen": "a border or a corner"}.__getitem__,
            key=f"{key}_contiguity",
            horizontal=True,
            persist_state="session",
        )
        _pick(ISLANDS, ("attach", "separate"), f"{key}_islands", "islands")
    with right:
        said = _column(f"{key}_crs")
        pick_column(
            FILE_SYSTEM,
            [*SYSTEMS, *([said] if said is not None and said not in SYSTEMS else [])],
            f"{key}_crs",
            "Where the file does not say it, or says a wrong one. Look under “1 Shapes” whether they lie where they "
            "should.",
            none=AS_FILE,
            shown=lambda name: f"{name} ({SYSTEMS[name]})" if name in SYSTEMS else name,
        )
        for note in () if regions is None else regions.notes:
            if "joined, for they connect" in note or "coordinate" in note:
                st.caption(escaped(note))


def _pick(words: str, choices: tuple[str, ...], key: str, parameter: str) -> None:
    """One of a parameter's choices."""
    st.radio(
        words,
        choices,
        format_func=lambda choice: PICKED.get((parameter, choice), choice),
        key=key,
        persist_state="session",
    )


STEPS = (
    Step("1 Shapes", (), _show_shapes),
    Step("2 Codes", ("id", "merge_duplicates", "name", "county"), _choose_codes),
    Step(
        "3 Counts",
        (
            *("weight", "counts", "counts_sheet", "counts_id", "counts_column", "per_record"),
            *("unmatched", "repeated", "missing_counts"),
        ),
        _choose_counts,
    ),
    Step("4 Odd counts", ("rounding", "hidden", "hidden_most", "columns"), _choose_odd),
    Step("5 Neighbours and place", ("islands", "contiguity", "crs", "unit"), _choose_place),
)
