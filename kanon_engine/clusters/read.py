"""Records from a file: the only parser of the family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.clusters.distances import LARGEST, METRICS
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.cells import describe_bad_cell, describe_bad_rows, typed
from kanon_engine.io.confined import confined
from kanon_engine.io.coordinates import coordinate_columns, in_degrees, numbers_of
from kanon_engine.io.frames import frame_with_columns
from kanon_engine.io.names import guesses
from kanon_engine.io.roles import Column, Counts, Roles, resolve
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import lists_sheets, with_sheet
from kanon_engine.io.worker import Scene
from kanon_engine.model.setting import weights_in
from kanon_engine.model.words import listed
from kanon_engine.validate import require_known_name, told

ROLES: Roles = {"weight": Counts(), "id": Column()}
SCALES = ("none", "standard", "range")


@confined("file")
@lists_sheets(file="sheet")
def read_records(
    file: Any,
    columns: Sequence[str] | None = None,
    metric: str | None = None,
    *,
    scale: str | None = None,
    column_weights: Mapping[str, float] | str | None = None,
    weight: str | None = None,
    per_record: bool | None = None,
    id: str | None = None,
    keep: Sequence[str] | None = None,
    filename: str | None = None,
    drop_missing: bool = False,
    unit: str | None = None,
    sheet: str | int | None = None,
) -> MetricSpace:
    """Records in a metric space from CSV, Parquet or Excel.

    Parameters
    ----------
    file : path, bytes, readable object or DataFrame
    columns : sequence of str, optional
        What distances are computed from. When None: longitude and latitude where there are such columns, else all that
        others may know about a record and all measures; names and codes of records are left out.
    metric : str, optional
        "euclidean", "haversine", "hamming" or "gower". When None: haversine for longitude and latitude, euclidean for
        numbers, gower for numbers and words.
    scale : str, optional
        Of a euclidean space: "standard" divides each column by its standard deviation, "range" by the difference of its
        largest and smallest value, "none" takes the numbers as they are. When None: "standard" where there are several
        columns.
    column_weights : mapping of column to number, or text as "age=2, sex=1", optional
        Weights of columns; 1 if not given.
    weight : str, optional
        Column of counts: how many records a row represents. Every row is one record when None, because a count may be
        just another measure.
    per_record : True, or None: every row is one record, unless `weight` is given.
    id : Column of unique ids; the number of the row, from 1, when None.
    keep : Columns that a release shows for each cluster, such as an illness.
    filename : What to call the file in sentences.
    drop_missing : bool
        Leave out rows with missing or invalid values, and say how many, instead of refusing the file. For gower and
        hamming a missing value is as far as possible from all others.
    unit : What the weights count.
    sheet : Which sheet of a workbook, by its name or its number from 1; the first that fits when None, with a note.

    Returns
    -------
    MetricSpace : `notes` say how the file was read and what was left out.

    Raises
    ------
    InvalidInput
        Another kind of file, an unknown column, words where numbers are needed, weights that are not counts,
        repeated ids.

    >>> space = read_records(b"age,place,illness\\n30,1,flu\\n32,1,flu\\n40,9,cold\\n", ["age", "place"], scale="none")
    >>> space.metric, space.names, space.points.tolist()
    ('euclidean', ('age', 'place'), [[30.0, 1.0], [32.0, 1.0], [40.0, 9.0]])
    """
    source = Source.open(file, filename)
    if scale is not None and scale not in SCALES:
        raise InvalidInput(f"The scale is {told(scale)}; choose one of {', '.join(SCALES)}.")
    if metric is not None and (metric not in METRICS or metric == "precomputed"):
        raise InvalidInput(f"The metric is {told(metric)}; choose one of euclidean, haversine, hamming, gower.")
    keep_columns, requested = _names(keep, "columns to keep"), _names(columns, "columns")
    needed = [*requested, *keep_columns, *(n for n in (weight, id) if n)]
    source = with_sheet(source, sheet, needed)
    frame, notes = frame_with_columns(source, needed)
    available = [str(name) for name in frame.columns]
    for name in keep_columns:
        require_known_name(available, name, "columns to keep")
    roles = resolve(frame, ROLES, {"weight": weight, "id": id}, source.name, per_record=per_record)
    excluded = [*keep_columns, *roles.columns.values()]
    chosen = chosen_columns(frame, None if columns is None else requested, metric, excluded, source.name)
    values, bad, more = numbers_in_rows(frame, chosen, source.name, drop_missing)
    weights, unit, weight_notes = roles.weights(bad, unit, "rows")
    # a row with a count of 0 represents nobody
    inside = ~bad & (weights > 0)
    if not inside.any():
        raise InvalidInput(f"No row of {source.name} has all values and a count of {unit} above 0; check the columns.")
    values = values[inside].reset_index(drop=True)
    factors = _column_weights(column_weights, chosen)
    factors_text = ", ".join(f"{name}={value!r}" for name, value in factors.items())
    points, units, scaled = _scaled(values, chosen, scale, factors)
    further = pd.DataFrame({name: typed(frame[name])[0][inside].to_numpy() for name in keep_columns})
    weights_inside = weights[inside]
    summary = (
        f"{len(values):,} records"
        if weight is None
        else f"{len(values):,} rows with {int(weights_inside.sum()):,} {unit}"
    )
    return MetricSpace(
        points,
        chosen.metric,
        weights=[factors.get(name, 1.0) for name in chosen.names] if chosen.metric in ("hamming", "gower") else None,
        units=units,
        counts=weights_inside,
        ids=roles.ids(inside),
        names=chosen.names,
        frame=further if keep_columns else None,
        unit=unit,
        notes=(
            f"{summary}, compared by {METRIC_PHRASES[chosen.metric]} in {_listed(chosen.names)}.",
            *scaled,
            *chosen.notes,
            *roles.notes,
            *notes,
            *more,
            *weight_notes,
        ),
        reading={"reader": "read_records", "columns": None if columns is None else tuple(chosen.names)}
        | {"metric": metric, "scale": scale, "column_weights": factors_text or None, "weight": weight}
        | {
            "per_record": per_record,
            "id": id,
            "keep": tuple(keep_columns) or None,
            "drop_missing": drop_missing,
            "unit": unit,
        }
        | source.sheet_read(),
        counted=roles.counted(*chosen.names, *keep_columns, id),
    )


METRIC_PHRASES = {
    "euclidean": "straight-line distance",
    "haversine": "distance on the globe",
    "hamming": "the number of differences",
    "gower": "the mean difference",
}


def _names(names: Any, what: str) -> tuple[str, ...]:
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidInput(f"The {what} are {told(names)}; give a list of names.")
    result = tuple(str(name) for name in names)
    twice = [name for name in result if result.count(name) > 1]
    if twice:
        raise InvalidInput(f"Column {twice[0]!r} is listed twice in the {what}; list it once.")
    return result


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def _column_weights(requested: Any, chosen: Chosen) -> dict[str, float]:
    weights = {}
    for name, value in weights_in(requested):
        if not 0 < value <= 1e6:
            raise InvalidInput(
                f"The weights of columns are {told(requested)}; write a number above 0 for each, such as “age=2, "
                "sex=1”.",
                parameter="column_weights",
                value=requested,
            )
        weights[require_known_name(list(chosen.names), name, "weights of columns")] = value
    if weights and chosen.metric == "haversine":
        raise InvalidInput(
            "Longitude and latitude cannot be weighted; leave out the weights.", parameter="column_weights"
        )
    return weights


def _scaled(
    values: pd.DataFrame, chosen: Chosen, scale: str | None, factors: Mapping[str, float]
) -> tuple[pd.DataFrame, list[float] | None, tuple[str, ...]]:
    """The points, the divisors of their columns, and a sentence about them."""
    if chosen.metric != "euclidean":
        if scale not in (None, "none"):
            raise InvalidInput(
                f"Only the metric euclidean scales columns; leave out the scale {scale!r}.", parameter="scale"
            )
        return values, None, ()
    # a scale of a single column would change no cluster
    scale = scale or ("standard" if len(chosen.names) > 1 else "none")
    units = np.ones(len(chosen.names))
    if scale == "standard" and len(values) > 1:
        units = values.to_numpy(np.float64).std(axis=0, ddof=1)
    elif scale == "range":
        units = np.ptp(values.to_numpy(np.float64), axis=0)
    constant = tuple(name for name, unit in zip(chosen.names, units.tolist(), strict=True) if not unit > 0)
    # a constant column adds nothing to any distance; its divisor only must not be 0
    units[~(units > 0)] = 1.0
    units /= [factors.get(name, 1.0) for name in chosen.names]
    notes = {
        "none": (),
        "standard": ("Every column was divided by its standard deviation, so that all columns count equally.",),
        "range": ("Every column was divided by its range, so that all columns count equally.",),
    }[scale]
    if constant:
        notes += (f"Columns with only one value: {_listed(constant)}.",)
    return pd.DataFrame(values / units), units.tolist(), notes


@dataclass(frozen=True)
class Chosen:
    names: tuple[str, ...]
    metric: str
    numeric: tuple[bool, ...]  # which of the columns hold numbers
    notes: tuple[str, ...]


def chosen_columns(
    frame: pd.DataFrame, columns: Sequence[str] | None, metric: str | None, excluded: Sequence[str | None], where: str
) -> Chosen:
    """The columns that a person chose, or the best guess, and the metric that fits them.

    Raises `InvalidInput`: an unknown column, no suitable column, longitude without latitude.

    >>> rows = pd.DataFrame({"id": ["a1", "b2", "c3"], "age": ["30", "31", "30"], "sex": ["f", "m", "f"]})
    >>> found = chosen_columns(rows, None, None, [], "people.csv")
    >>> found.names, found.metric
    (('age', 'sex'), 'gower')
    """
    available = [str(name) for name in frame.columns]
    free = [name for name in available if name not in excluded]
    notes: tuple[str, ...] = ()
    if columns is not None:
        names = tuple(require_known_name(available, name, "columns") for name in columns)
        both = next((name for name in names if name in excluded), None)
        if both is not None:
            raise InvalidInput(f"Column {both!r} was chosen both for distances and for another role; give it only one.")
    elif metric in (None, "haversine") and (place := _place(free, where, metric)) is not None:
        names = place
        notes = (f"The columns {listed(names)} were chosen by their names.",)
    else:
        names = _guessed(frame[free], where)
        notes = (f"No columns were given, so these were used: {listed(names)}.",)
    if not names:
        raise InvalidInput("There is no column to compute distances from; give at least one.")
    if metric == "haversine" and len(names) != 2:
        raise InvalidInput(f"There are {len(names)} columns; haversine takes two, longitude and latitude.")
    numeric = tuple(_numbers(frame[name]) for name in names)
    if metric == "haversine" and not in_degrees(*names) and in_degrees(*names[::-1]):
        names = names[::-1]
    if metric is None:
        degrees = len(names) == 2 and (in_degrees(*names) or in_degrees(*names[::-1]))
        if degrees and not in_degrees(*names):
            names = names[::-1]
        metric = "haversine" if degrees else "euclidean" if all(numeric) else "gower"
    return Chosen(names, metric, numeric, notes)


def _place(free: Sequence[str], where: str, metric: str | None) -> tuple[str, str] | None:
    """Longitude and latitude; None where no columns have such names."""
    try:
        x, y = coordinate_columns(free, None, None, where)
    except InvalidInput:
        if metric == "haversine":
            raise
        return None
    return (x, y) if in_degrees(x, y) or metric == "haversine" else None


def _guessed(frame: pd.DataFrame, where: str) -> tuple[str, ...]:
    """What others may know about a record, and measures."""
    values = pd.DataFrame({name: typed(frame[name])[0] for name in frame.columns})
    roles = guesses(values)
    names = tuple(
        str(name)
        for name, guess in roles.items()
        if guess.role == "quasi-identifier" or (guess.asked and _numbers(frame[name]))
    )
    if not names:
        listing = ", ".join(map(str, frame.columns)) or "none"
        raise InvalidInput(
            f"No column of {where} looks like a measurement or like a fact that others may know; choose the columns "
            f"yourself from: {listing}."
        )
    return names


def _numbers(column: pd.Series) -> bool:
    values = typed(column)[0]
    return pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)


def numbers_in_rows(
    frame: pd.DataFrame, chosen: Chosen, where: str, drop: bool
) -> tuple[pd.DataFrame, np.ndarray, tuple[str, ...]]:
    """The values as the metric uses them, which rows are left out, and notes on unusual values.

    Raises
    ------
    InvalidInput
        A column of words in a space of numbers; rows with missing or invalid values, unless they are to be dropped.
    """
    if chosen.metric in ("hamming", "gower"):
        converted = {name: typed(frame[name]) for name in chosen.names}
        values = pd.DataFrame({name: column for name, (column, _, _) in converted.items()})
        return (
            values,
            np.zeros(len(frame), dtype=bool),
            tuple(note for _, _, notes in converted.values() for note in notes),
        )
    columns, commas = {}, False
    for name, numeric in zip(chosen.names, chosen.numeric, strict=True):
        columns[name], continental = numbers_of(frame[name])
        commas |= continental
        # some bad cells are rows to leave out; mostly words mean that column or metric is wrong
        if not numeric and 2 * np.isnan(columns[name]).sum() > len(frame):
            raise InvalidInput(
                f"Column {name!r} of {where} holds words, but the metric {chosen.metric} needs numbers",
                remedy=[Remedy("leave it out"), Remedy("choose the metric gower, which takes numbers and words")],
            )
    values = pd.DataFrame(columns)
    notes: tuple[str, ...] = ("Commas were read as decimal points.",) if commas else ()
    limits = [360.0, 90.0] if chosen.metric == "haversine" else [LARGEST] * len(chosen.names)
    wrong = values.isna().to_numpy() | (np.abs(values.to_numpy()) > limits)
    bad = np.asarray(wrong.any(axis=1))
    if not bad.any():
        return values, bad, notes

    def reason(row: int) -> str:
        name = chosen.names[int(np.argmax(wrong[row]))]
        return describe_bad_cell(name, frame[name].iloc[row], "which is not a valid number")

    out = f"{int(bad.sum()):,} of {len(frame):,} rows ({describe_bad_rows(bad, reason)})"
    if not drop or bad.all():
        ways = [Remedy("correct them"), *([] if drop else [Remedy("leave them out", "drop_missing", True)])]
        raise InvalidInput(f"{where} has missing or invalid values in {out}", remedy=ways)
    return values, bad, (*notes, f"Left out because a value is missing or not valid: {out}.")


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """What a worker runs before it gets untrusted files: a reader with arguments and settings, see `io.worker`."""
    for table in tables:
        yield read_records, (table,), {"drop_missing": True}
    for metric in ("haversine", "euclidean", "gower", "hamming"):
        yield read_records, (tables[0], ["lon", "lat"], metric), {"drop_missing": True}
