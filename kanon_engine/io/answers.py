"""Answers of a worker: values as `verification.codec` writes them, with the numbers of arrays as separate bytes.

Bytes, because a table of a million rows would take seconds as JSON; never pickle. Types that the codec does not have,
such as tables and shapes, are records by name, made of lists and arrays. Reading an answer never runs code from it: it
makes values, arrays, the types in `MAKERS`, and instances of the families through their own checks.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from kanon_engine import errors
from kanon_engine.errors import KanonError
from kanon_engine.io.counts import Counted
from kanon_engine.io.limits import limits
from kanon_engine.model.known import FAMILIES
from kanon_engine.validate import told
from kanon_engine.verification.codec import Decoder, Record, Unreadable, encode, has_sides, parse_json

TEXT = pa.large_string()
NUMBERS = re.compile(r"[<|][biuf]\d+")  # types of arrays
VIEWED = re.compile(r"<[mM]8\[\w+\]|<U\d+")
EXTENSION = re.compile(r"[A-Za-z]\w*(\[[\w:+\-/,= ]*\])?(\[pyarrow\])?")  # column types that pandas knows by name
DEEPEST = 100  # nested values
SYSTEM = re.compile(r"[A-Za-z_]+:\w+|[A-Z_0-9]+\[.*|\{.*", re.DOTALL)  # a name, WKT or PROJJSON
REACHING = re.compile(r"grids|PARAMETERFILE|parameter_?file|\+init|PROJ-based", re.IGNORECASE)
SPECIAL: dict[type, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    str: (str, str),
    datetime.date: (datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.datetime: (datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.time: (datetime.time.isoformat, datetime.time.fromisoformat),
    decimal.Decimal: (str, decimal.Decimal),
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
}
READ = {kind.__name__: read for kind, (_, read) in SPECIAL.items()}
PLAIN_ERRORS: dict[str, type[KanonError]] = {
    error.__name__: error
    for error in (errors.InvalidInput, errors.Infeasible, errors.UnknownAlgorithm, errors.SearchEnded)
}
LONGEST_MESSAGE = 100_000  # characters; a sentence may list the columns of a wide table
LONGEST_PART = 1_000
MOST_REMEDIES = 10
LARGEST_NUMBER = 2**63


def reaches_files(system: str) -> bool:
    """Whether the text of a coordinate system names files, such as grid shift files."""
    return REACHING.search(system) is not None


# ------------------------------------------------------------------------------------------------------------ writing


def answer_of(value: Any) -> tuple[Any, bytes]:
    parts: list[Any] = []
    head = encode(value, special=True, convert=_record, data=lambda array: parts.append(array.packed()))
    return head, b"".join(parts)


def error_answer(error: KanonError) -> dict[str, Any]:
    """One of our errors, with its parts, as JSON values."""
    parts = [
        [way.words[:LONGEST_PART], way.parameter, _encoded_value(way.value), way.more]
        for way in error.remedy[:MOST_REMEDIES]
    ]
    answer = {"type": type(error).__name__, "message": error.message[:LONGEST_MESSAGE], "remedy": parts}
    answer |= {"parameter": error.parameter[:LONGEST_PART], "value": _encoded_value(error.value)}
    if isinstance(error, errors.CertificateError):
        answer |= {"check": error.check, "detail": error.detail}
    return answer | ({"choices": list(error.choices)} if isinstance(error, errors.ChoiceNeeded) else {})


def _encoded_value(value: Any) -> Any:
    """A value as it is if it is small and plain, else as text."""
    plain = value is None or type(value) in (bool, float) or (type(value) is int and abs(value) < LARGEST_NUMBER)
    return value if plain else value[:LONGEST_PART] if isinstance(value, str) else told(value)


def _record(value: Any) -> Record | None:
    """The record of a value whose type the codec does not have."""
    kind = type(value)
    if kind in (tuple, Record):
        return None
    if kind is list:
        return Record("list", {"entries": tuple(value)})
    if kind in SPECIAL:
        return Record(kind.__name__, {"text": SPECIAL[kind][0](value)})
    if isinstance(value, Mapping):
        has_text_keys = all(type(key) is str for key in value)
        return None if has_text_keys else Record("pairs", {"entries": tuple(value.items())})
    if isinstance(value, np.ndarray):
        return None if value.dtype.kind in "biuf" else _array(value)
    if isinstance(value, pd.DataFrame):
        columns = tuple(_column(value.iloc[:, place]) for place in range(value.shape[1]))
        shapes = getattr(value, "active_geometry_name", None)
        content = {"names": tuple(value.columns), "columns": columns, "index": value.index, "shapes": shapes}
        return Record("frame", content)
    if isinstance(value, pd.Series):
        return Record("series", {"column": _column(value), "name": value.name, "index": value.index})
    if isinstance(value, pd.RangeIndex):
        return Record("range", {"start": value.start, "stop": value.stop, "step": value.step})
    if isinstance(value, pd.Index):
        return Record("index", {"column": _column(value.to_series()), "name": value.name})
    if is_dataclass(value) and kind in _instances().values():
        return Record(kind.__name__, {field.name: getattr(value, field.name) for field in fields(value) if field.init})
    if value is pd.NA or value is pd.NaT or isinstance(value, pd.Timestamp | pd.Timedelta):
        return Record("one", {"of": pd.Series([value], dtype="boolean" if value is pd.NA else None)})
    if isinstance(value, np.generic):
        return Record("one", {"of": np.array([value])})
    if hasattr(value, "geom_type"):
        import geopandas

        return Record("one", {"of": geopandas.GeoSeries([value])})
    raise TypeError(f"the process that reads files cannot return a {kind.__name__}")


def _instances() -> dict[str, type]:
    """The classes that an answer can hold, by name."""
    kinds = (kind for family in FAMILIES.values() for kind in (family.instance, *family.reader.holds))
    return {kind.__name__: kind for kind in (Counted, *kinds)}


def _array(array: np.ndarray) -> Record:
    if array.dtype.kind in "MmU":
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        return Record(
            "viewed", {"kind": little.dtype.str, "array": little.view("<u4" if little.dtype.kind == "U" else "<i8")}
        )
    if array.ndim != 1:
        raise TypeError(f"the process that reads files cannot return an array of objects with {array.ndim} dimensions")
    values = array.tolist()
    kind, *others = set(map(type, values)) - {type(None)} or {str}
    if kind in SPECIAL and not others:
        write, _ = SPECIAL[kind]
        try:
            texts = pa.array([None if value is None else write(value) for value in values], TEXT)
            return Record("texts", {"of": kind.__name__, "column": _buffers(texts)})
        except (pa.ArrowException, UnicodeError):  # half a surrogate pair, as JSON allows
            pass
    return Record("objects", {"entries": tuple(values)})


def _buffers(column: Any) -> tuple[Any, ...]:
    """Length and buffers of an Arrow array, without parts of a larger one."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if column.offset or column.get_total_buffer_size() > column.nbytes + 64:  # a slice
        column = pa.concat_arrays([column])
    return (len(column), *(None if one is None else np.frombuffer(one, np.uint8) for one in column.buffers()))


def _column(series: pd.Series) -> Any:
    dtype: Any = series.dtype
    if isinstance(dtype, np.dtype):
        return series.to_numpy()
    if isinstance(dtype, pd.CategoricalDtype):
        names = _column(series.cat.categories.to_series())
        codes = series.cat.codes.to_numpy()
        return Record("categories", {"names": names, "codes": codes, "ordered": bool(dtype.ordered)})
    if isinstance(dtype, pd.IntervalDtype):
        left, right = (_column(pd.Series(side)) for side in (series.array.left, series.array.right))
        return Record("intervals", {"left": left, "right": right, "closed": dtype.closed})
    if dtype.name == "geometry":
        import shapely

        crs = series.crs  # type: ignore[attr-defined]
        system = None if crs is None else crs.srs if SYSTEM.fullmatch(crs.srs) else crs.to_wkt()
        column = _buffers(pa.array(shapely.to_wkb(series.to_numpy()), pa.large_binary()))
        return Record("shapes", {"column": column, "system": system})
    if isinstance(dtype, pd.StringDtype):
        kind = {"storage": dtype.storage, "nan": dtype.na_value is not pd.NA}
        try:
            column = _buffers(pa.array(series.array, TEXT))
        except (pa.ArrowException, UnicodeError):  # half a surrogate pair
            column = tuple(series.astype(object).where(series.notna(), None))
        return Record("text", kind | {"column": column})
    column = pa.array(series)
    _, expected = _extension(str(dtype))
    return Record(
        "extension", {"kind": str(dtype), "column": _buffers(getattr(column, "storage", column).cast(expected))}
    )


# ------------------------------------------------------------------------------------------------------------ reading


def head_of(content: Any) -> dict[str, Any]:
    """The head of an answer; Unreadable if it is not one."""
    head = parse_json(bytes(content))
    if not isinstance(head, dict):
        raise Unreadable("the first part of a process's answer is not a JSON object")
    return head


def value_of(head: Any, body: memoryview) -> Any:
    """The value of an answer; only known types are made, whatever it says."""
    return _AnswerDecoder(body).value(head, DEEPEST)


def error_of(head: Any) -> KanonError:
    """The error of an answer; every part is shortened to fit a sentence."""
    message, parameter = str(head["message"])[:LONGEST_MESSAGE], str(head["parameter"])[:LONGEST_PART]
    remedy = []
    for *words, value, more in head["remedy"][:MOST_REMEDIES]:
        what, which = (str(part)[:LONGEST_PART] for part in words)
        remedy.append(errors.Remedy(what, which, _encoded_value(value), str(more)[:LONGEST_PART]))
    if head["type"] == "ChoiceNeeded":
        choices = tuple(str(choice) for choice in head["choices"])
        return errors.ChoiceNeeded(message, parameter, choices, remedy=remedy)
    if head["type"] == "CertificateError":
        return errors.CertificateError(str(head["check"])[:LONGEST_PART], str(head["detail"])[:LONGEST_MESSAGE])
    kind = PLAIN_ERRORS.get(head["type"], errors.InvalidInput)
    return kind(message, parameter=parameter, value=_encoded_value(head["value"]), remedy=remedy)


class _AnswerDecoder(Decoder):
    """Arrays from the bytes of an answer in the order of writing, and the values that records name."""

    sequence = tuple

    def __init__(self, body: memoryview) -> None:
        super().__init__(special=True)
        self.body, self.makers = body, MAKERS | _instances()

    def array(self, kind: Any, shape: Any, data: Any) -> np.ndarray:
        if not isinstance(kind, str) or not NUMBERS.fullmatch(kind) or not has_sides(shape, len(self.body)):
            raise Unreadable("it holds an array of a type or shape that is not allowed")
        dtype = np.dtype(kind)
        size = math.prod(shape) * dtype.itemsize
        part, self.body = self.body[:size], self.body[size:]
        return np.frombuffer(part, dtype).reshape(shape).copy()

    def record(self, name: Any, content: dict[str, Any]) -> Any:
        return READ[name](content["text"]) if name in READ else self.makers[name](**content)


def _viewed(kind: str, array: np.ndarray) -> np.ndarray:
    """Times from whole numbers, text from its code points."""
    texts = array.dtype == np.uint32 and array.max(initial=0) <= sys.maxunicode
    if not VIEWED.fullmatch(kind) or not (texts if kind[1] == "U" else array.dtype == np.int64):
        raise Unreadable("it holds times or text of an unknown type")
    return array.view(kind)


def _texts(of: str, column: Sequence[Any]) -> np.ndarray:
    texts, read = _from_buffers(TEXT, *column).to_numpy(zero_copy_only=False), READ[of]
    return np.array([None if one is None else read(one) for one in texts], dtype=object) if read is not str else texts


def _from_buffers(kind: pa.DataType, length: int, *buffers: Any) -> Any:
    """An Arrow array, fully validated."""
    column = pa.Array.from_buffers(kind, length, [None if one is None else pa.py_buffer(one) for one in buffers])
    column.validate(full=True)
    return column


def _frame(names: Sequence[Any], columns: Sequence[Any], index: pd.Index, shapes: Any) -> Any:
    frame = pd.DataFrame(dict(enumerate(_same_length(columns, index))), index=pd.RangeIndex(len(index)))
    frame.index, frame.columns = index, pd.Index(list(names))
    if shapes is None:
        return frame
    import geopandas

    return geopandas.GeoDataFrame(frame, geometry=shapes)


def _series(column: Any, name: Any, index: pd.Index) -> Any:
    (values,) = _same_length([column], index)
    if getattr(column.dtype, "name", "") == "geometry":
        import geopandas

        return geopandas.GeoSeries(values, index=index, name=name)
    series = pd.Series(values, name=name)
    series.index = index
    return series


def _same_length(columns: Sequence[Any], index: pd.Index) -> Sequence[Any]:
    """Columns for pandas, with objects not turned into text; pandas would repeat a column that is too short."""
    if any(column.shape != index.shape for column in columns):
        raise Unreadable("the columns of a table are not of the same length")
    return [pd.Series(column, dtype=object) if column.dtype == object else column for column in columns]


def _range(start: int, stop: int, step: int) -> pd.RangeIndex:
    index = pd.RangeIndex(start, stop, step)
    if len(index) > limits().rows:
        raise Unreadable("a table has more rows than the limit")
    return index


def _shapes(column: Sequence[Any], system: str | None) -> Any:
    import geopandas
    from pyproj import CRS

    if system is not None and (not SYSTEM.fullmatch(system) or reaches_files(system)):
        raise Unreadable("it names a coordinate system that refers to other files")
    crs = None if system is None else CRS.from_user_input(system)
    with np.errstate(invalid="ignore"):  # the reader refuses coordinates that are not numbers
        wkb = _from_buffers(pa.large_binary(), *column).to_numpy(zero_copy_only=False)
        return geopandas.array.from_wkb(wkb, crs=crs)


def _text(storage: str, nan: bool, column: Sequence[Any]) -> Any:
    dtype: Any = pd.StringDtype(storage, na_value=np.nan if nan else pd.NA)
    if column and type(column[0]) is int:
        return dtype.__from_arrow__(_from_buffers(TEXT, *column))
    return pd.array([None if value is None else str(value) for value in column], dtype=dtype)


def _extension(kind: str) -> tuple[Any, pa.DataType]:
    """The pandas column type of this name, and the Arrow type that stores it."""
    dtype = pd.api.types.pandas_dtype(kind) if EXTENSION.fullmatch(kind) else None
    if not hasattr(dtype, "__from_arrow__"):
        raise Unreadable("it holds a column of an unknown type")
    empty = pa.array(pd.Series([], dtype=dtype))
    stored = getattr(empty, "storage", empty).type
    if not pa.types.is_primitive(stored) and stored not in (pa.string(), pa.large_string(), pa.binary()):
        raise Unreadable("it holds a column of an unknown type")
    return dtype, stored


def _extended(kind: str, column: Sequence[Any]) -> Any:
    dtype, stored = _extension(kind)
    return dtype.__from_arrow__(_from_buffers(stored, *column))


def _index(column: Any, name: Any = None) -> pd.Index:
    return pd.Index(column, dtype=object if column.dtype == object else None, name=name)


MAKERS: dict[str, Callable[..., Any]] = {
    "list": lambda entries: list(entries),
    "pairs": lambda entries: dict(entries),
    "one": lambda of: of[0],
    "viewed": _viewed,
    "texts": _texts,
    "objects": lambda entries: np.fromiter(entries, dtype=object, count=len(entries)),
    "frame": _frame,
    "series": _series,
    "range": _range,
    "index": _index,
    "categories": lambda names, codes, ordered: pd.Categorical.from_codes(codes, _index(names), ordered=ordered),
    "intervals": lambda left, right, closed: pd.arrays.IntervalArray.from_arrays(left, right, closed),
    "text": _text,
    "extension": _extended,
    "shapes": _shapes,
}
