"""Values to JSON and back: arrays, tuples and the families' records keep their types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.validate import frozen

# record name → module that defines it; nothing else is ever built from a file
RECORDS = {
    "TreeDetails": "kanon_engine.regions.instance",
    "RectangleDetails": "kanon_engine.rectangles.instance",
    "LabelDetails": "kanon_engine.labels.instance",
    "BinDetails": "kanon_engine.labels.instance",
    "IntervalDetails": "kanon_engine.tables.instance",
    "CellDetails": "kanon_engine.tables.instance",
}


def encoded(value: Any) -> Any:
    """A value that `json.dumps` takes."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"array": value.dtype.str, "shape": list(value.shape), "data": value.ravel().tolist()}
    if isinstance(value, Mapping):
        return {"mapping": {key: encoded(entry) for key, entry in value.items()}}
    if isinstance(value, list | tuple):
        return [encoded(entry) for entry in value]
    if is_dataclass(value):
        content = {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
        return {"record": type(value).__name__, "fields": content}
    return value


def decoded(value: Any) -> Any:
    """The inverse of `encoded`; sequences come back as tuples, arrays read-only."""
    if isinstance(value, list):
        return tuple(decoded(entry) for entry in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        dtype = np.dtype(value["array"])
        if dtype.kind not in "iufb":
            raise InvalidInput(f"The file holds an array of type {dtype}; only numbers are expected, it was edited.")
        return frozen(np.array(value["data"], dtype=dtype).reshape(value["shape"]))
    if "mapping" in value:
        return {key: decoded(entry) for key, entry in value["mapping"].items()}
    if value.get("record") not in RECORDS:
        raise InvalidInput(f"The file holds a record {value.get('record')!r} that kanon does not know; it was edited.")
    record = getattr(import_module(RECORDS[value["record"]]), value["record"])
    return record(**{key: decoded(entry) for key, entry in value["fields"].items()})
