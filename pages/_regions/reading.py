"""A person's own file of areas, read in steps: each has a good guess already, and can be changed at any time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import shapely
import streamlit as st
from plotly import graph_objects as go
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.io.coordinates import crs_name
from kanon_engine.io.counts import ROWS
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.source import Source
from kanon_engine.model.family import TABLES
from kanon_engine.model.known import family_named
from kanon_engine.model.run import ProgressCallback
from kanon_engine.project import Project
from kanon_engine.records import Records
from kanon_engine.records.count import code_counts
from kanon_engine.regions.columns import ONE
from kanon_engine.regions.read import match_codes
from pages._shared.controls import begin_k
from pages._shared.counting import TITLE, Asking, count_elsewhere, leave_elsewhere
from pages._shared.data import COUNTS_IN_LINK, ELSEWHERE, first_rows
from pages._shared.files import choose_sheet, choose_upload, chosen_sheet, outlines
from pages._shared.link import linked
from pages._shared.picture import picture
from pages._shared.reading_steps import Step, show_reading
from pages._shared.records import File, column_names
from pages._shared.sources import Asked, Field, permission
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
            st.button(
                TITLE, icon=":material/database_search:", key=f"{key}_elsewhere", on_click=want_own_counts, args=(file,)
            )
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


# ---------------------------------------------------------------------------------------------------------------------
# The shapes of a file as they lie, before anything is counted
# ---------------------------------------------------------------------------------------------------------------------


SHAPES_HEIGHT = 300
AS_FILE = "as the file says"
DETAIL = 1 / 800  # of the larger side: what is smaller cannot be seen
SURROUNDINGS = 0.4  # of the sides: how much of the surroundings is shown


def show_shapes(file: File, crs: str | None) -> None:
    """Draw the shapes, with the borders of states where it is known where they lie."""
    try:
        system = crs_name(crs)
    except kanon.InvalidInput as error:
        st.caption(on_page(error))
        return
    try:
        figure, words = _shapes_figure(file.digest, system, file)
    except kanon.KanonError:
        st.caption("This file has no shapes to show.")
        return
    picture(figure, key=f"{file.key}_shapes", height=SHAPES_HEIGHT, filename="shapes")
    st.caption(escaped(words))


@st.cache_data(scope="session", max_entries=6, show_spinner="Drawing the shapes …")
def _shapes_figure(digest: str, crs: str | None, _file: File) -> tuple[go.Figure, str]:
    frame, _ = read_shapes(_file.content, filename=_file.name)
    shapes = frame.geometry
    if crs is not None:
        shapes = shapes.set_crs(crs, allow_override=True)
    known = shapes.crs is not None and (shapes.crs.is_geographic or shapes.crs.is_projected)
    degrees = shapes.crs is None and bool((np.abs(shapes.total_bounds) <= (180, 90, 180, 90)).all())
    system = shapes.crs.name if known else "longitude and latitude, as it seems" if degrees else "not known"
    drawn = shapes.to_crs(4326) if known else shapes
    west, south, east, north = drawn.total_bounds
    traces = [_border_line(drawn.simplify(max(east - west, north - south) * DETAIL).to_numpy(), "#2f6f8f", 1)]
    if (known or degrees) and np.isfinite([west, south, east, north]).all():
        wide, high = SURROUNDINGS * (east - west) + 0.5, SURROUNDINGS * (north - south) + 0.5
        frame = shapely.box(west - wide, south - high, east + wide, north + high)
        land = shapely.intersection(outlines().geometry.to_numpy(), frame)
        traces.insert(0, _border_line(land[~shapely.is_empty(land)], "#b9bfc6", 1))
    figure = go.Figure(traces)
    stretch = 1 / np.cos(np.radians((south + north) / 2)) if known or degrees else 1
    figure.update_layout(showlegend=False, margin={"l": 0, "r": 0, "t": 0, "b": 0}, dragmode="pan")
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x", scaleratio=float(np.clip(stretch, 1, 8)))
    return figure, f"{len(shapes):,} shapes. Coordinate system: {system}."


def _border_line(shapes: Any, color: str, width: int) -> go.Scatter:
    """The borders of shapes as one line with gaps."""
    rings = shapely.get_parts(shapely.get_rings(shapely.get_parts(shapes)))
    points, owner = shapely.get_coordinates(rings, return_index=True)
    gaps = np.flatnonzero(np.diff(owner)) + 1
    x, y = (np.insert(points[:, side], gaps, np.nan) for side in (0, 1))
    return go.Scatter(x=x, y=y, mode="lines", line={"color": color, "width": width}, hoverinfo="skip")


# ---------------------------------------------------------------------------------------------------------------------
# Counts of a person's own records, which stay where they live
# ---------------------------------------------------------------------------------------------------------------------


COUNT_OWN = "Count your own records"
BACK_TO_FILE = "Back to the counts of the file"
COUNT_OWN_HELP = (
    "In these areas. They stay where they live, in a folder or a database, and only the number in each area is taken."
)
KEPT_OPTIONS = ("id", "columns")  # of what a sample says of its reading, what holds for other counts too


def with_own_counts(file: File, notice: DeltaGenerator) -> File:
    """The areas of a file with the counts of records where they live, if the person wants these.

    Until they are counted, the page asks or shows progress, and stops.
    """
    allowed = permission()
    if not allowed or (file.sample is None and file.rows is None):
        return file
    if not _wants_own_counts(file):
        return file
    (title,) = _code_titles()
    field = Field(title, f"As it stands in {file.name}, where zeros in front may be missing.")
    asking = Asking("regions", (field,), _code_counts, f"_{file.digest}", lambda: _offer_way_back(file))
    asked, counts = count_elsewhere(asking, allowed, notice)
    _offer_way_back(file)
    return replace(file if file.sample is None else _opened_sample(file), counts=counts, asked=asked)


def offer_own_counts(file: File) -> None:
    """A button on a sample, where records may be counted; that of a file stands in its steps."""
    if file.sample is not None and file.counts is None and permission():
        st.button(
            COUNT_OWN,
            icon=":material/database_search:",
            key="regions_anew",
            help=COUNT_OWN_HELP,
            on_click=want_own_counts,
            args=(file,),
        )


def want_own_counts(file: File) -> None:
    """The person wants to count records for these areas."""
    st.session_state[_own_counts_key(file)] = True


def _wants_own_counts(file: File) -> bool:
    """Whether the person wants it, or the link that opened the page."""
    if _own_counts_key(file) not in st.session_state and linked("regions", COUNTS_IN_LINK) == ELSEWHERE:
        want_own_counts(file)
    return bool(st.session_state.get(_own_counts_key(file)))


def _own_counts_key(file: File) -> str:
    return f"regions_own_counts_{file.digest}"


def _offer_way_back(file: File) -> None:
    st.button(BACK_TO_FILE, icon=":material/undo:", key="regions_counts_of_file", on_click=_go_back, args=(file,))


def _go_back(file: File) -> None:
    st.session_state[_own_counts_key(file)] = False
    leave_elsewhere("regions")
    begin_k("regions", None if file.sample is None else file.sample.k)


def _code_titles() -> tuple[str, ...]:
    columns = family_named("regions").reader.counted
    return () if columns is None else columns.titles


def _code_counts(records: Records, asked: Asked, progress: ProgressCallback) -> Any:
    return code_counts(records, str(asked.by), progress)


def _opened_sample(file: File) -> File:
    """A sample as a file whose reading can be changed; it begins with that of the sample."""
    sample, state = file.sample, st.session_state
    if sample is None:
        return file
    digest = kanon.content_digest(sample=sample.key)
    opened = replace(file, digest=digest, rows=first_rows(digest, file.name, sample.path.read_bytes()))
    key = f"regions_{digest[:8]}"
    if f"{key}_unasked" not in state:
        state[f"{key}_unasked"] = {name: value for name, value in sample.options.items() if name == "name" and value}
        state[f"{key}_codes_are_public"] = True
        for name in KEPT_OPTIONS:
            if name in sample.options:
                state[f"{key}_{name}"] = sample.options[name]
    return opened
