"""An instance as JSON that a reader needs nothing of ours for: exactly what its digest covers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from kanon_engine.registry import family_of

FORMAT = "kanon instance 1"


def instance_text(instance: Any) -> str:
    """An instance as JSON: format, family, digest, and `parts`, all values that the digest is made of.

    Numbers, text, lists, true, false and null are themselves, a float as Python's repr writes it. An array is
    ``{"array": "<i8", "shape": […], "data": […]}``, a mapping ``{"mapping": {…}}``, a record ``{"record": name,
    "fields": {…}}``, as in a certificate, and a float that JSON has no word for ``{"float": "nan"}``. Shapes of areas,
    names and how the data were read are not in it. It holds the data themselves, so that it stays inside.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace

    Returns
    -------
    str
        ASCII, keys sorted, one part a line, a newline at the end.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> content = json.loads(instance_text(kanon.Labels(["a", "b"], [3, 2])))
    >>> content["family"], content["parts"]["counts"]
    ('labels', {'array': '<i8', 'data': [3, 2], 'shape': [2]})
    """
    head = {"format": FORMAT, "family": family_of(instance).name, "digest": instance.digest}
    lines = [f" {json.dumps(name)}: {_line(value)}" for name, value in sorted(instance.parts.items())]
    opened = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items())
    return f'{{\n{opened},\n"parts": {{\n' + ",\n".join(lines) + "\n}\n}\n"


def _line(value: Any) -> str:
    return json.dumps(_plain(value), sort_keys=True, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value that `json.dumps` takes."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            return _plain(value.tolist())
        little = value.dtype.newbyteorder("<").str
        return {"array": little, "shape": list(value.shape), "data": [_plain(one) for one in value.ravel().tolist()]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else repr(value)}
    if isinstance(value, Mapping):
        return {"mapping": {key: _plain(entry) for key, entry in value.items()}}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"record": type(value).__name__, "fields": content}
    return value
