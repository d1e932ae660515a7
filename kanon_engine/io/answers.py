"""What a worker sends back: JSON for what is small, Arrow and plain numbers for columns and shapes; never pickle.

Reading an answer runs nothing of what it says: it makes values, arrays and frames of known types, and instances of the
families, and what was counted, through their own checks.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from kanon_engine import errors
from kanon_engine.errors import KanonError
from kanon_engine.validate import told

if TYPE_CHECKING:
    import geopandas

SYSTEM = re.compile(r"[A-Za-z_]+:\w+|[A-Z_0-9]+\[.*|\{.*", re.DOTALL)  # a name, WKT or PROJJSON
REACHING = re.compile(r"grids|PARAMETERFILE|parameter_?file|\+init|PROJ-based", re.IGNORECASE)
SPECIAL: dict[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "datetime": (datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "decimal": (decimal.Decimal, str, decimal.Decimal),
    "bytes": (bytes, lambda value: base64.b64encode(value).decode(), base64.b64decode),
}
PLAIN_ERRORS: dict[str, type[KanonError]] = {
    error.__name__: error
    for error in (errors.InvalidInput, errors.Infeasible, errors.UnknownAlgorithm, errors.SearchEnded)
}
PART = struct.Struct("<Q")
LONGEST_MESSAGE = 100_000  # characters; a sentence may list the columns of a wide table
LONGEST_PART = 1_000
MOST_REMEDIES = 10
LARGEST_NUMBER = 2**63


def reaches_files(system: str) -> bool:
    """Whether the text of a coordinate system names files, as grids of shifts do."""
    return REACHING.search(system) is not None


# ------------------------------------------------------------------------------------------------------------ writing


def answer_of(value: Any) -> tuple[Any, bytes]:
    """A value as what JSON can hold, and the columns beside it as bytes."""
    parts: list[Any] = []
    head = _written(value, parts)
    return head, b"".join(piece for part in parts for piece in (PART.pack(len(part)), part))


def error_answer(error: KanonError) -> dict[str, Any]:
    """An error of ours, with its parts, as what JSON can hold."""
    parts = [
        [way.words[:LONGEST_PART], way.parameter, _told_value(way.value), way.more]
        for way in error.remedy[:MOST_REMEDIES]
    ]
    answer = {"type": type(error).__name__, "message": error.message[:LONGEST_MESSAGE], "remedy": parts}
    answer |= {"parameter": error.parameter[:LONGEST_PART], "value": _told_value(error.value)}
    if isinstance(error, errors.CertificateError):
        answer |= {"check": error.check, "detail": error.detail}
    return answer | ({"choices": list(error.choices)} if isinstance(error, errors.ChoiceNeeded) else {})


def _told_value(value: Any) -> Any:
    """A value as it is where it is small and plain, in words otherwise."""
    plain = value is None or type(value) in (bool, float) or (type(value) is int and abs(value) < LARGEST_NUMBER)
    return value if plain else value[:LONGEST_PART] if isinstance(value, str) else told(value)


def _written(value: Any, parts: list[Any]) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [_written(entry, parts) for entry in value]
    if kind is tuple:
        return {"tuple": [_written(entry, parts) for entry in value]}
    if isinstance(value, Mapping):
        return {"mapping": [[_written(key, parts), _written(entry, parts)] for key, entry in value.items()]}
    if isinstance(value, pd.DataFrame):
        return {"frame": _frame_written(value, parts)}
    if isinstance(value, pd.Series):
        return {"series": _series_written(value, parts)}
    if isinstance(value, np.ndarray):
        return _array_written(value, parts)
    if isinstance(value, np.generic):
        return {"scalar": _array_written(np.array([value]), parts)}
    if is_dataclass(value) and kind in _instances().values():
        return {"instance": kind.__name__, "fields": _fields_written(value, parts)}
    if value is pd.NA:
        return {"missing": "NA"}
    if value is pd.NaT:
        return {"missing": "NaT"}
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return {"moment": _series_written(pd.Series([value]), parts)}
    for name, (special, write, _) in SPECIAL.items():
        if kind is special:
            return {name: write(value)}
    if hasattr(value, "geom_type"):
        import shapely

        return {"shape": base64.b64encode(shapely.to_wkb(value)).decode()}
    raise TypeError(f"an answer cannot hold a {kind.__name__}")


def _instances() -> dict[str, type]:
    """The classes that an answer can hold, by name."""
    from kanon_engine.io.counted import Counted
    from kanon_engine.registry import FAMILIES
    from kanon_engine.tables.tree import Tree

    return {kind.__name__: kind for kind in (Counted, Tree, *(family.instance for family in FAMILIES.values()))}


def _fields_written(instance: Any, parts: list[Any]) -> Any:
    return [[field.name, _written(getattr(instance, field.name), parts)] for field in fields(instance) if field.init]


def _array_written(array: np.ndarray, parts: list[Any]) -> dict[str, Any]:
    if array.dtype.kind in "biufMm":
        parts.append(np.ascontiguousarray(array).tobytes())
        return {"array": array.dtype.str, "shape": list(array.shape)}
    values = array.ravel().tolist()
    shape = {"shape": list(array.shape)}
    if array.dtype.kind == "U" or all(value is None or type(value) is str for value in values):
        try:
            column = pa.array(values, pa.large_string())
        except (pa.ArrowException, UnicodeError):  # half a character, as JSON allows
            pass
        else:
            parts.append(_arrow(column))
            return {"texts": array.dtype.str} | shape
    return {"objects": [_written(value, parts) for value in values]} | shape


def _arrow(column: Any) -> Any:
    sink = pa.BufferOutputStream()
    table = pa.table({"column": column})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _frame_written(frame: pd.DataFrame, parts: list[Any]) -> dict[str, Any]:
    return {
        "names": [_written(name, parts) for name in frame.columns],
        "columns": [_column_written(frame.iloc[:, place], parts) for place in range(frame.shape[1])],
        "index": _index_written(frame.index, parts),
        "shapes": getattr(frame, "active_geometry_name", None),
    }


def _series_written(series: pd.Series, parts: list[Any]) -> dict[str, Any]:
    column = _column_written(series, parts)
    return {"column": column, "name": _written(series.name, parts), "index": _index_written(series.index, parts)}


def _index_written(index: pd.Index, parts: list[Any]) -> Any:
    if type(index) is pd.RangeIndex:
        return [index.start, index.stop, index.step]
    return {"column": _column_written(index.to_series(), parts), "name": _written(index.name, parts)}


def _column_written(series: pd.Series, parts: list[Any]) -> Any:
    dtype: Any = series.dtype
    if isinstance(dtype, np.dtype):
        return {"numpy": _array_written(series.to_numpy(), parts)}
    if isinstance(dtype, pd.CategoricalDtype):
        codes = _array_written(series.cat.codes.to_numpy(), parts)
        categories = _column_written(series.cat.categories.to_series(), parts)
        return {"categories": categories, "codes": codes, "ordered": bool(dtype.ordered)}
    if dtype.name == "geometry":
        import shapely

        parts.append(_arrow(pa.array(shapely.to_wkb(series.to_numpy()), pa.large_binary())))
        crs = series.crs  # type: ignore[attr-defined]
        system = None if crs is None else crs.srs if SYSTEM.fullmatch(crs.srs) else crs.to_wkt()
        return {"shapes": system}
    if isinstance(dtype, pd.StringDtype):
        try:
            parts.append(_arrow(pa.array(series.array, pa.large_string())))
        except (pa.ArrowException, UnicodeError):  # half a character
            return {"text list": series.astype(object).where(series.notna(), None).tolist()} | _text_kind(dtype)
        return {"text": True} | _text_kind(dtype)
    parts.append(_arrow(pa.array(series)))
    return {"arrow": "ArrowDtype" if isinstance(dtype, pd.ArrowDtype) else str(dtype)}


def _text_kind(dtype: pd.StringDtype) -> dict[str, Any]:
    return {"storage": dtype.storage, "nan": dtype.na_value is not pd.NA}


# ------------------------------------------------------------------------------------------------------------ reading


def value_of(head: Any, body: memoryview) -> Any:
    """The value of an answer; whatever it says, only known types are made."""
    return _Reader(body).value(head)


def error_of(head: Any) -> KanonError:
    """The error of an answer; every part is cut to what a sentence can hold."""
    message, parameter = str(head["message"])[:LONGEST_MESSAGE], str(head["parameter"])[:LONGEST_PART]
    remedy = [_remedy_of(*entry) for entry in head["remedy"][:MOST_REMEDIES]]
    if head["type"] == "ChoiceNeeded":
        choices = tuple(str(choice) for choice in head["choices"])
        return errors.ChoiceNeeded(message, parameter, choices, remedy=remedy)
    if head["type"] == "CertificateError":
        return errors.CertificateError(str(head["check"])[:LONGEST_PART], str(head["detail"])[:LONGEST_MESSAGE])
    kind = PLAIN_ERRORS.get(head["type"], errors.InvalidInput)
    return kind(message, parameter=parameter, value=_told_value(head["value"]), remedy=remedy)


def _remedy_of(words: Any, parameter: Any, value: Any, more: Any) -> errors.Remedy:
    words, parameter, more = (str(part)[:LONGEST_PART] for part in (words, parameter, more))
    return errors.Remedy(words, parameter, _told_value(value), more)


class _Reader:
    def __init__(self, body: memoryview) -> None:
        self.body, self.place = body, 0

    def part(self) -> memoryview:
        """The next part, in the order of writing."""
        (size,) = PART.unpack(self.body[self.place : self.place + PART.size])
        self.place += PART.size + size
        if self.place > len(self.body):
            raise ValueError("an answer ends within a column")
        return self.body[self.place - size : self.place]

    def value(self, head: Any) -> Any:
        if head is None or isinstance(head, bool | int | float | str):
            return head
        if isinstance(head, list):
            return [self.value(entry) for entry in head]
        (kind, content), *_ = head.items()
        if kind == "tuple":
            return tuple(self.value(entry) for entry in content)
        if kind == "mapping":
            return {self.value(key): self.value(entry) for key, entry in content}
        if kind == "frame":
            return self.frame(content)
        if kind in ("series", "moment"):
            series = self.series(content)
            return series if kind == "series" else series.iloc[0]
        if kind in ("array", "texts", "objects"):
            return self.array(head)
        if kind == "scalar":
            return self.array(content)[0]
        if kind == "instance":
            cls = _instances()[content]
            return cls(**{str(name): self.value(entry) for name, entry in head["fields"]})
        if kind == "missing":
            return {"NA": pd.NA, "NaT": pd.NaT}[content]
        if kind == "shape":
            import shapely

            return shapely.from_wkb(base64.b64decode(content))
        return SPECIAL[kind][2](content)

    def array(self, head: Mapping[str, Any]) -> np.ndarray:
        shape = tuple(int(length) for length in head["shape"])
        if "array" in head:
            return np.frombuffer(self.part(), dtype=_plain_dtype(head["array"])).reshape(shape).copy()
        if "texts" in head:
            values = self.arrow().to_numpy(zero_copy_only=False)
            return values.astype(object if head["texts"][1:2] == "O" else np.str_).reshape(shape)
        array = np.empty(len(head["objects"]), dtype=object)
        array[:] = [self.value(entry) for entry in head["objects"]]
        return array.reshape(shape)

    def arrow(self) -> Any:
        """The next column, which is checked whole."""
        table = pa.ipc.open_stream(pa.py_buffer(self.part())).read_all()
        table.validate(full=True)
        return table.column("column")

    def frame(self, head: Mapping[str, Any]) -> Any:
        names = [self.value(name) for name in head["names"]]
        columns: Sequence[Any] = [self.column(entry) for entry in head["columns"]]
        index = self.index(head["index"])
        frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(len(index)))
        frame.index, frame.columns = index, pd.Index(names)
        if head["shapes"] is None:
            return frame
        import geopandas

        return geopandas.GeoDataFrame(frame, geometry=head["shapes"])

    def series(self, head: Mapping[str, Any]) -> Any:
        values, name, index = self.column(head["column"]), self.value(head["name"]), self.index(head["index"])
        if "shapes" in head["column"]:
            import geopandas

            return geopandas.GeoSeries(values, index=index, name=name)
        series = pd.Series(values, name=name)
        series.index = index
        return series

    def index(self, head: Any) -> pd.Index:
        if isinstance(head, list):
            start, stop, step = (int(value) for value in head)
            return pd.RangeIndex(start, stop, step)
        values, name = self.column(head["column"]), self.value(head["name"])
        return pd.Index(values, dtype=object if isinstance(values, pd.Series) else None, name=name)

    def column(self, head: Mapping[str, Any]) -> Any:
        if "numpy" in head:
            array = self.array(head["numpy"])
            # pandas would take an array of objects for one of text
            return pd.Series(array, dtype=object) if array.dtype == object else array
        if "shapes" in head:
            return self.shapes(head["shapes"])
        if "codes" in head:
            codes = self.array(head["codes"])
            categories = pd.Index(self.column(head["categories"]))
            return pd.Categorical.from_codes(codes, categories, ordered=bool(head["ordered"]))
        if "storage" in head:
            dtype: Any = pd.StringDtype(head["storage"], na_value=np.nan if head["nan"] else pd.NA)
            if "text list" in head:
                return pd.array([None if value is None else str(value) for value in head["text list"]], dtype=dtype)
            return dtype.__from_arrow__(self.arrow())
        column = self.arrow()
        dtype = pd.ArrowDtype(column.type) if head["arrow"] == "ArrowDtype" else _extension(head["arrow"])
        return dtype.__from_arrow__(column)

    def shapes(self, system: str | None) -> geopandas.array.GeometryArray:
        import geopandas
        from pyproj import CRS

        if system is not None and (not SYSTEM.fullmatch(system) or reaches_files(system)):
            raise ValueError("an answer names a coordinate system that reaches past it")
        crs = None if system is None else CRS.from_user_input(system)
        with np.errstate(invalid="ignore"):  # coordinates that are no number are the reader's to refuse
            return geopandas.array.from_wkb(self.arrow().to_numpy(zero_copy_only=False), crs=crs)


def _plain_dtype(text: str) -> np.dtype:
    if not re.fullmatch(r"[<>|=][biuf]\d+|[<>][mM]8\[\w+\]", text):
        raise ValueError("an answer holds an array of an unknown type")
    return np.dtype(text)


def _extension(text: str) -> Any:
    if not re.fullmatch(r"[A-Za-z]\w*(\[[\w:+\-/, ]*\])?", text):
        raise ValueError("an answer holds a column of an unknown type")
    dtype = pd.api.types.pandas_dtype(text)
    if not hasattr(dtype, "__from_arrow__"):
        raise ValueError("an answer holds a column of an unknown type")
    return dtype
