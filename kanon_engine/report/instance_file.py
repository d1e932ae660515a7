"""An instance as JSON that a reader needs nothing of ours for: exactly what its digest covers."""

from __future__ import annotations

import json
from typing import Any

from kanon_engine.model.known import family_of
from kanon_engine.verification.codec import encode

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
    return json.dumps(encode(value, special=True), sort_keys=True, allow_nan=False)
