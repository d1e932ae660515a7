"""A user's own file of areas, read in steps: each starts with a good guess and can be changed at any time."""

from __future__ import annotations

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
from kanon_engine.model.known import get_family
from kanon_engine.model.run import ProgressCallback
from kanon_engine.plot.colors import ASH, BLUE
from kanon_engine.plot.maps import borders_of
from kanon_engine.plot.scene import polyline
from kanon_engine.project import Project
from kanon_engine.records import Records
from kanon_engine.records.count import code_counts
from kanon_engine.regions.columns import ONE
from kanon_engine.regions.contiguity import NO_BORDER
from kanon_engine.regions.read import match_codes
from pages._shared.controls import begin_k
from pages._shared.data import COUNTS_IN_LINK, ELSEWHERE, first_rows
from pages._shared.elsewhere import TITLE, Asking, ElsewhereQuestion, count_elsewhere, leave_elsewhere, permission
from pages._shared.files import choose_sheet, chosen_sheet, outlines
from pages._shared.form import UNIT, Control, Form, ReadingStep, rows, show_notes
from pages._shared.link import linked
from pages._shared.picture import picture
from pages._shared.records import File, column_names
from pages._shared.tasks import once
from pages._shared.widgets import given
from pages._shared.wording import CONTROLS, PICKED, escaped, on_page

SHOWN = 8  # codes listed in a line
SYSTEMS = {
    "EPSG:4326": "longitude and latitude, WGS 84",
    "EPSG:4269": "longitude and latitude, NAD83",
    "EPSG:3857": "Web Mercator, meters",
    "EPSG:5070": "US Albers equal area, meters",
    **{f"EPSG:{26900 + zone}": f"NAD83 / UTM zone {zone}N, meters" for zone in range(10, 20)},
    **{f"EPSG:{32600 + zone}": f"WGS 84 / UTM zone {zone}N, meters" for zone in (30, 31, 32, 33)},
    "EPSG:3035": "Europe LAEA, meters",
    "EPSG:27700": "British National Grid, meters",
}


def _one_of(parameter: str, *values: str, words: str = "", kind: str = "radio") -> Control:
    """Radio buttons; the first value is the reader's default."""
    return Control(parameter, words, None, kind, tuple((value, PICKED[parameter, value]) for value in values))


WEIGHTS = Control(
    "weight",
    help="The column with each area's count. Without such a column, each area can count as 1.",
    choices=((ONE, PICKED["weight", ONE]),),
)
SECOND = Control(
    "counts",
    f"{CONTROLS['counts']} (optional)",
    "A second file, joined by the codes of the areas. It has one row per area with its count, or one row per record.",
    "file",
)
AREA_ID = Control("id", help="Zip codes keep their leading zeros.")
CODES = Control("counts_id", help="The column with the codes of the areas, as in the first file.")
COLUMN = Control("counts_column", help="The column with the count of each area.", kind="counts")
UNMATCHED = Control("unmatched", kind="flag")
JOINED = (
    _one_of("repeated", "refuse", "add"),
    _one_of("missing_counts", "refuse", "zero", "drop"),
)
HIDDEN = _one_of("hidden", "refuse", "zero", "largest", "leave-out")
MORE_COUNTS = Control(
    "columns",
    help="Other counts per area, such as cases, so that you can require enough of them in every group.",
    kind="columns",
)
SYSTEM = Control(
    "crs",
    "",
    "Needed if the file states no coordinate system or a wrong one. Check under “1: Shapes” that the shapes are in the "
    "right place.",
    "choice",
    tuple((name, f"{name} ({words})") for name, words in SYSTEMS.items()),
    "as stated in the file",
)


def _more_settings(file: File) -> dict[str, Any]:
    """The notes on odd counts, and on a second table with its columns."""
    key, second = file.key, _counts(file)
    settings: dict[str, Any] = given(columns=MORE_COUNTS.value(f"{key}_columns", _all_columns(file)))
    if file.asked is not None and UNIT.value(f"{key}_unit") is None:
        settings["unit"] = file.asked.unit
    if HIDDEN.value(f"{key}_hidden") == "largest":
        settings["hidden_most"] = st.session_state.get(f"{key}_hidden_most")
    if second is None:
        return settings
    unmatched = "drop" if UNMATCHED.value(f"{key}_unmatched") else "refuse"
    # the counts are not in this file, so no column of it is the weight
    settings |= given(counts=second, counts_id=_code_column(file), unmatched=unmatched) | {"weight": None}
    if file.counts is None:
        columns = _second_columns(file)
        column = COLUMN.value(f"{key}_counts_column", columns)
        settings |= {"per_record": True} if column == ROWS else given(counts_column=column)
        settings |= given(counts_sheet=_counts_sheet(file))
        settings |= given(**{one.parameter: one.value(f"{key}_{one.parameter}") for one in JOINED})
    return settings


def restore_reading(file: File, project: Project) -> None:
    """Reading settings that a project spells differently from the widgets."""
    if file.key:
        st.session_state[f"{file.key}_unmatched"] = project.reading.get("unmatched") == "drop"


def second_files(file: File) -> dict[str, tuple[str, bytes]]:
    """Name and content of the file with the counts, if there is one."""
    upload = _uploaded(file)
    return {} if upload is None else {"counts": upload}


def _uploaded(file: File) -> tuple[str, bytes] | None:
    """Name and content of a second file; None if the counts come from elsewhere."""
    upload: tuple[str, bytes] | None = None
    if file.key and file.counts is None:
        upload = st.session_state.get(f"{file.key}_counts_uploaded")
    return upload


def _counts(file: File) -> Source | None:
    """The second table: a file, or records stored elsewhere."""
    upload = _uploaded(file)
    return file.counts if upload is None else Source.open(upload[1], upload[0])


def _counts_sheet(file: File) -> str | None:
    upload = _uploaded(file)
    return None if upload is None else chosen_sheet(f"{file.key}_counts_sheet", *upload)


def _code_column(file: File) -> str | None:
    """The column with the codes, in a second file or in records stored elsewhere."""
    if file.asked is not None:
        return str(file.asked.by)
    column: str | None = CODES.value(f"{file.key}_counts_id", _second_columns(file))
    return column


def _understood(file: File, regions: kanon.Regions) -> str:
    """One line: file, areas, codes, counts and how they were joined, system, total."""
    reading = regions.reading
    codes = f"codes from {reading['id']}" if reading.get("id") else "areas without codes, numbered"
    parts = [file.words, f"{len(regions):,} areas", codes]
    second = _uploaded(file)
    if file.counts is not None:
        parts.append(f"records of {file.counts.name} counted, joined by {_code_column(file)}")
    elif second is not None:
        column, sheet = reading.get("counts_column"), reading.get("counts_sheet")
        where = f"{second[0]} (sheet “{sheet}”)" if sheet else second[0]
        what = f"counts from {column} of {where}" if column else f"rows of {where} counted"
        parts.append(f"{what}, joined by {reading.get('counts_id')}")
    else:
        weight = reading.get("weight")
        parts.append(
            "each area counted as one" if weight == ONE and ONE not in file.columns else f"counts from {weight}"
        )
    parts += [f"with {name}" for name in regions.columns]
    system = getattr(regions.geometry, "crs", None)
    parts += ["no coordinate system" if system is None else system.name] if regions.geometry is not None else []
    return " · ".join([*parts, f"{regions.total:,} {regions.unit}"])


def _show_shapes(file: File, regions: kanon.Regions | None, is_open: bool) -> None:
    if not is_open:
        return
    left, right = st.columns([3, 2])
    with left:
        show_shapes(file)
    with right:
        st.dataframe(file.rows, hide_index=True, height=220)
        show_notes(file, regions)


def _choose_counts(file: File, regions: kanon.Regions | None, is_open: bool) -> None:
    """The source of the counts: this file, a second one that is joined, or records stored elsewhere."""
    key = file.key
    left, right = st.columns(2)
    with left:
        if file.counts is None:
            WEIGHTS.draw(f"{key}_weight", file.columns)
        UNIT.draw(f"{key}_unit")
    with right:
        upload = None
        if file.counts is None:
            SECOND.draw(f"{key}_counts")
            upload = _uploaded(file)
            if upload is None and permission():
                st.button(
                    TITLE,
                    icon=":material/database_search:",
                    key=f"{key}_elsewhere",
                    on_click=request_record_counts,
                    args=(file,),
                )
    if upload is not None:
        with left:
            choose_sheet(f"{key}_counts_sheet", *upload, CONTROLS["counts_sheet"])
            columns = _second_columns(file)
            CODES.draw(f"{key}_counts_id", columns)
            COLUMN.draw(f"{key}_counts_column", columns)
    if upload is not None or file.counts is not None:
        with right:
            _show_join(file)
            UNMATCHED.draw(f"{key}_unmatched")
            for control in JOINED if file.counts is None else ():
                control.draw(f"{key}_{control.parameter}")


def _second_columns(file: File) -> list[str]:
    upload = _uploaded(file)
    if upload is None:
        return []
    name, content = upload
    return column_names(first_rows(kanon.content_digest(data=content), name, content, _counts_sheet(file)))


def _show_join(file: File) -> None:
    ids = AREA_ID.value(f"{file.key}_id", file.columns), _code_column(file)
    try:
        second, sheet = _counts(file), _counts_sheet(file)
        result = once(
            match_codes,
            file.content,
            ids[0],
            counts=second,
            counts_id=ids[1],
            filename=file.name,
            counts_sheet=sheet,
            of=(file.digest, kanon.content_digest(second=second), ids, sheet),
            most=8,
            words="Comparing the codes …",
        )
    except kanon.KanonError as error:
        st.caption(on_page(error))
        return
    st.markdown(
        f"**{escaped(str(result['id']))}** joined with **{escaped(result['counts_id'])}**: {result['matched']:,} areas "
        f"have a row."
    )
    without = "Areas without a row" if file.counts is None else "Areas without a record (count as 0)"
    for words, codes in (
        (without, result["missing"]),
        ("Codes in several rows", result["doubled"]),
        ("Codes that match no area", result["unknown"]),
    ):
        if codes:
            listed = ", ".join(codes[:SHOWN]) + (" …" if len(codes) > SHOWN else "")
            st.caption(escaped(f"{words}: {len(codes):,} ({listed})"))
    if result["blank"]:
        st.caption(f"{'Rows' if file.counts is None else 'Records'} without a code: {result['blank']:,}")


def _choose_odd(file: File, regions: kanon.Regions | None, is_open: bool) -> None:
    """Fractional counts, hidden counts, and second counts."""
    key = file.key
    left, right = st.columns(2)
    with left:
        for control in (ROUNDED, HIDDEN):
            control.draw(f"{key}_{control.parameter}")
        st.number_input(
            CONTROLS["hidden_most"],
            min_value=0,
            max_value=10**9 - 1,
            value=None,
            key=f"{key}_hidden_most",
            disabled=HIDDEN.value(f"{key}_hidden") != "largest",
            help="If a rule hides counts of 1 to 10, the largest hidden count is 10.",
            persist_state="session",
        )
    with right:
        MORE_COUNTS.draw(f"{key}_columns", _all_columns(file))
        notes = [] if regions is None else [note for note in regions.notes if "round" in note or "hidden" in note]
        for note in notes:
            st.caption(escaped(note))
        if regions is not None and not notes:
            st.caption("All counts are whole numbers, and none is hidden.")


def _all_columns(file: File) -> list[str]:
    """Of both files; a project can name columns of a second file that is not loaded yet."""
    columns = [*_second_columns(file), *file.columns]
    if not second_files(file):
        columns += st.session_state.get(f"{file.key}_columns") or []
    return list(dict.fromkeys(columns))


def _show_place(file: File, regions: kanon.Regions | None) -> None:
    for note in () if regions is None else regions.notes:
        if NO_BORDER in note or "coordinate" in note:
            st.caption(escaped(note))


def _show_shapes_unread(file: File, regions: kanon.Regions | None, step: str) -> None:
    """Until there is a result, its place is free."""
    if regions is None and step not in ("", SHAPES):
        show_shapes(file)


ROUNDED = _one_of("rounding", "refuse", "nearest")
SHAPES = "1: Shapes"
FORM = Form(
    (
        ReadingStep(SHAPES, draw=_show_shapes),
        ReadingStep(
            "2: Codes",
            (
                AREA_ID,
                Control("county", help="Groups can be named after counties under “Publish”."),
                Control("merge_duplicates", help="Treats rows with the same code as pieces of one area.", kind="flag"),
            ),
            beside=rows(180),
            parameters=("name",),
        ),
        ReadingStep(
            "3: Counts",
            (WEIGHTS, UNIT),
            draw=_choose_counts,
            parameters=(
                *("counts", "counts_sheet", "counts_id", "counts_column", "per_record"),
                *("unmatched", "repeated", "missing_counts"),
            ),
        ),
        ReadingStep("4: Unusual counts", (ROUNDED, HIDDEN), draw=_choose_odd, parameters=("hidden_most", "columns")),
        ReadingStep(
            "5: Neighbors and location",
            (
                _one_of("contiguity", "rook", "queen", words="Areas are neighbors if they share", kind="row"),
                _one_of("islands", "attach", "separate"),
            ),
            (SYSTEM,),
            _show_place,
        ),
    ),
    _understood,
    _more_settings,
    ("name", "layer"),
    _show_shapes_unread,
)


# ---------------------------------------------------------------------------------------------------------------------
# The shapes of a file, before anything is counted
# ---------------------------------------------------------------------------------------------------------------------


SHAPES_HEIGHT = 300
DETAIL = 1 / 800  # of the larger side: smaller details are invisible
SURROUNDINGS = 0.4  # of the sides: how much of the surroundings is shown


def show_shapes(file: File) -> None:
    """Draw the shapes, with state borders if their location is known."""
    try:
        system = crs_name(SYSTEM.value(f"{file.key}_crs"))
    except kanon.InvalidInput as error:
        st.caption(on_page(error))
        return
    try:
        figure, words = once(
            _shapes_figure, file, system, of=(file.digest, system), most=6, words="Drawing the shapes …"
        )
    except kanon.KanonError:
        st.caption("This file has no shapes to show.")
        return
    picture(figure, key=f"{file.key}_shapes", height=SHAPES_HEIGHT, filename="shapes")
    st.caption(escaped(words))


def _shapes_figure(file: File, crs: str | None) -> tuple[go.Figure, str]:
    frame, _ = read_shapes(file.content, filename=file.name)
    shapes = frame.geometry
    if crs is not None:
        shapes = shapes.set_crs(crs, allow_override=True)
    has_system = shapes.crs is not None and (shapes.crs.is_geographic or shapes.crs.is_projected)
    degrees = shapes.crs is None and bool((np.abs(shapes.total_bounds) <= (180, 90, 180, 90)).all())
    system = shapes.crs.name if has_system else "probably longitude and latitude" if degrees else "unknown"
    drawn = shapes.to_crs(4326) if has_system else shapes
    west, south, east, north = drawn.total_bounds
    simple = drawn.simplify(max(east - west, north - south) * DETAIL).to_numpy()
    traces = [polyline(borders_of(simple), BLUE, 1)]
    if (has_system or degrees) and np.isfinite([west, south, east, north]).all():
        wide, high = SURROUNDINGS * (east - west) + 0.5, SURROUNDINGS * (north - south) + 0.5
        frame = shapely.box(west - wide, south - high, east + wide, north + high)
        land = shapely.intersection(outlines().geometry.to_numpy(), frame)
        traces.insert(0, polyline(borders_of(land[~shapely.is_empty(land)]), ASH, 1))
    figure = go.Figure(traces)
    stretch = 1 / np.cos(np.radians((south + north) / 2)) if has_system or degrees else 1
    figure.update_layout(showlegend=False, margin={"l": 0, "r": 0, "t": 0, "b": 0}, dragmode="pan")
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x", scaleratio=float(np.clip(stretch, 1, 8)))
    return figure, f"{len(shapes):,} shapes. Coordinate system: {system}."


# ---------------------------------------------------------------------------------------------------------------------
# Counts of a user's own records, which stay in their folder or database
# ---------------------------------------------------------------------------------------------------------------------


CUSTOM_COUNTS = "regions_own_counts_{}"  # the session key that says whether the user wants them
COUNT_RECORDS = "Count your own records"
BACK_TO_FILE = "Back to the file's counts"
COUNT_RECORDS_HELP = (
    "Count your records in these areas. They stay in their folder or database; only the number per area is read."
)
SHARED_OPTIONS = ("id", "columns")  # those of a sample's reading settings that also hold for other counts


def with_record_counts(file: File, notice: DeltaGenerator) -> File:
    """The areas of a file with counts of records stored elsewhere, if the user wants these.

    Until they are counted, the page asks or shows progress, and stops.
    """
    allowed = permission()
    if not allowed or (file.sample is None and file.rows is None):
        return file
    key = CUSTOM_COUNTS.format(file.digest)
    if key not in st.session_state and linked("regions", COUNTS_IN_LINK) == ELSEWHERE:  # the link requests it
        request_record_counts(file)
    if not st.session_state.get(key):
        return file
    columns = get_family("regions").reader.counted
    (title,) = () if columns is None else columns.titles
    field = Control(
        "",
        title,
        f"The column with the codes of the areas, as in {file.name}; leading zeros may be missing.",
        usual=None,
    )
    asking = Asking("regions", (field,), _count_codes, f"_{file.digest}", lambda: _offer_way_back(file))
    question, counts = count_elsewhere(asking, allowed, notice)
    _offer_way_back(file)
    return replace(file if file.sample is None else _opened_sample(file), counts=counts, asked=question)


def offer_record_counts(file: File) -> None:
    """A button for a sample, if records may be counted; for a file it is in the steps."""
    if file.sample is not None and file.counts is None and permission():
        st.button(
            COUNT_RECORDS,
            icon=":material/database_search:",
            key="regions_anew",
            help=COUNT_RECORDS_HELP,
            on_click=request_record_counts,
            args=(file,),
        )


def request_record_counts(file: File) -> None:
    st.session_state[CUSTOM_COUNTS.format(file.digest)] = True


def _offer_way_back(file: File) -> None:
    def go_back() -> None:
        st.session_state[CUSTOM_COUNTS.format(file.digest)] = False
        leave_elsewhere("regions")
        begin_k("regions", None if file.sample is None else file.sample.k)

    st.button(BACK_TO_FILE, icon=":material/undo:", key="regions_counts_of_file", on_click=go_back)


def _count_codes(records: Records, question: ElsewhereQuestion, progress: ProgressCallback) -> Any:
    return code_counts(records, str(question.by), progress)


def _opened_sample(file: File) -> File:
    """A sample as a file with editable reading settings, which start with the sample's."""
    sample, state = file.sample, st.session_state
    if sample is None:
        return file
    digest = kanon.content_digest(sample=sample.key)
    opened = replace(file, digest=digest, rows=first_rows(digest, file.name, sample.path.read_bytes()))
    key = f"regions_{digest[:8]}"
    if f"{key}_unasked" not in state:
        state[f"{key}_unasked"] = {name: value for name, value in sample.options.items() if name == "name" and value}
        state[f"{key}_codes_are_public"] = True
        for name in SHARED_OPTIONS:
            if name in sample.options:
                state[f"{key}_{name}"] = sample.options[name]
    return opened
