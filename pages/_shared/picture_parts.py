"""The large parts of a figure that many results share: served under their digest, so that a browser asks once."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

import numpy as np
import plotly
import streamlit as st
from plotly.io.json import to_json_plotly
from plotly.offline import get_plotlyjs
from streamlit import runtime

_SHARED = ("geojson", "locations", "lat", "lon", "x", "y")  # what seldom changes with k
_LARGE = 20_000  # bytes; below it, a request of its own costs more than it saves
_GEOMETRIES_KEPT = 4


class PartShelf:
    """Files of this session that one picture's browser side may fetch. They leave the server with the session."""

    def __init__(self, key: str, view: str = "") -> None:
        self._key = key
        self.view = view  # another one where another geometry is shown

    def put(self, digest: str, content: bytes, mimetype: str = "application/json") -> str:
        """Offer `content` and return its address."""
        # Streamlit has no public way to serve bytes for a visit: static files and the routes of an `st.App` outlive it,
        # and what a component is given goes through the web socket again with every run.
        files = runtime.get_instance().media_file_mgr
        coordinates = f"kanon_picture.{self._key}.{digest}"
        # The name enters the file's identity, which for large files rests on samples of the content alone.
        address = files.add(content, mimetype, coordinates, file_name=digest)
        base = str(st.get_option("server.baseUrlPath") or "").strip("/")
        return f"/{base}{address}" if base else address

    def plotly_url(self) -> str:
        """Return the address of plotly.js as it stands in the installed Python package."""
        return self.put(f"plotly-{plotly.__version__}", _plotly_script(), "text/javascript")


def take_parts(traces: list[dict[str, Any]], shelf: PartShelf) -> dict[str, str]:
    """Replace large shared values in `traces` by `{"part": digest}`; return digest -> address."""
    addresses: dict[str, str] = {}
    for trace in traces:
        for name in _SHARED:
            value = trace.get(name)
            part = _geometry(value) if name == "geojson" else _array(value)
            if part is None:
                continue
            digest, content = part
            addresses[digest] = shelf.put(digest, content)
            trace[name] = {"part": digest}
            if name == "geojson":
                shelf.view = f"{shelf.view}.{digest}"
    return addresses


def _geometry(value: Any) -> tuple[str, bytes] | None:
    if not isinstance(value, dict):
        return None
    digest = getattr(value, "digest", None)
    if digest is None:
        content = json.dumps(value, separators=(",", ":")).encode()
        return hashlib.sha256(content).hexdigest(), content
    encoded: dict[str, bytes] = st.session_state.setdefault("_picture_geometries", {})
    content = encoded.pop(digest, b"") or json.dumps(value, separators=(",", ":")).encode()
    encoded[digest] = content  # last, so that the first is the one unused for longest
    while len(encoded) > _GEOMETRIES_KEPT:
        del encoded[next(iter(encoded))]
    return digest, content


def _array(value: Any) -> tuple[str, bytes] | None:
    if isinstance(value, dict) and len(value.get("bdata", "")) >= _LARGE:
        content = json.dumps(value).encode()
    elif isinstance(value, list | tuple | np.ndarray) and len(value) * 8 >= _LARGE:
        content = to_json_plotly(value).encode()
    else:
        return None
    return hashlib.sha256(content).hexdigest(), content


@functools.cache
def _plotly_script() -> bytes:
    return get_plotlyjs().encode()
