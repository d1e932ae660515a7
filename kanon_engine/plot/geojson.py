"""GeoJSON that many figures share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


class GeoJson(dict[str, Any]):
    """A GeoJSON object that is built once and never changed.

    Plotly copies a figure's content again and again; copies of this object are the object itself. Its digest names
    it, so that a page sends the same geometry to a browser only once.

    Parameters
    ----------
    content
        The GeoJSON object.
    digest
        Names the content; when left out, it is computed from it.
    """

    def __init__(self, content: Mapping[str, Any], digest: str | None = None) -> None:
        super().__init__(content)
        self.digest = digest or hashlib.sha256(json.dumps(self).encode()).hexdigest()

    def __deepcopy__(self, memo: dict[int, Any]) -> GeoJson:
        return self
