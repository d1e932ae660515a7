"""A Plotly figure on a page that keeps its zoom while the result changes.

`st.plotly_chart` builds a new chart whenever its figure changes. This component stays, and sends only what differs.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import plotly
import streamlit as st
from plotly import graph_objects as go
from plotly.io.json import to_json_plotly
from plotly.offline import get_plotlyjs
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.model.family import Family
from kanon_engine.plot import class_sizes_figure
from kanon_engine.plot.colors import BLUE, GRAY, GREEN, LINE, ORANGE, PURPLE, SILVER, SKY, VERMILION

RETRIES = Path(__file__).with_name("retries.js")
FETCHED = Path(__file__).with_name("fetched.js")  # needs the one above
REST = Path(__file__).with_name("rest.js")
PRESENT = Path(__file__).with_name("present.js")
_FOLDER = Path(__file__).parent / "picture_component"
_SCRIPTS = ("store.js", "theme.js", "picture.js")
_COLORS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, SILVER)  # of a figure's traces that set none


def joined(*scripts: Path) -> str:
    """The scripts as one, with Python's colors in front."""
    palette = {"BLUE": BLUE, "GRAY": GRAY, "LINE": LINE, "VERMILION": VERMILION, "COLORS": _COLORS}
    texts = (path.read_text(encoding="utf-8") for path in scripts)
    return "\n".join([f"const PALETTE = {json.dumps(palette)};", *texts])


_component = st.components.v2.component(
    "kanon_picture",
    js=joined(RETRIES, FETCHED, REST, PRESENT, *(_FOLDER / name for name in _SCRIPTS)),
    css=(_FOLDER / "picture.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # plotly.js puts its styles into the page's head, where a shadow root would not see them
)


@dataclass(frozen=True)
class PictureEvent:
    """A click on something in a picture; every click has another serial."""

    serial: int
    class_number: int | None
    x: float | str | None
    lets_go: bool = True  # whether it releases a class that is already chosen
    item: int | None = None  # the position of the clicked item, if the picture knows it


@dataclass(frozen=True)
class Rest:
    """The height from the upper edge of a picture to the bottom of the window."""

    below: int = 0  # pixels reserved for what is below the picture
    # least, most: minimum and maximum in pixels
    least: int = 320
    most: int = 4_000


Height = int | Rest


class Drawing(Protocol):
    """A picture that a page draws in its own way."""

    def draw(self, *, key: str, height: Height, filename: str, together: str) -> PictureEvent | None:
        """Show it; arguments and return value are those of `picture`."""


def picture(
    figure: go.Figure | Drawing, *, key: str, height: Height = 520, filename: str = "kanon", together: str = ""
) -> PictureEvent | None:
    """Show a figure, and return the click that caused this run of the page, if any.

    Parameters
    ----------
    figure
        Any figure, or a picture that a page draws in its own way. A trace's `customdata` has the class number of each
        item, or rows that begin with it.
        A big GeoJSON is a `kanon_engine.plot.maps.GeoJson`; then it is sent once, by its digest.
    key : The same key keeps element, zoom and pan.
    height : In pixels, or the rest of the window; the width is that of the column.
    filename : Of the PNG that the user can download, without extension.
    together : Maps and planes with the same word here show the same part: moving one moves all.
    """
    if not isinstance(figure, go.Figure):
        return figure.draw(key=key, height=height, filename=filename, together=together)
    if not runtime.exists():  # a page run as a plain script has no browser to show it in
        return None
    spec = picture_spec(figure)
    shelf = PartShelf(key, together or key)
    parts = take_parts(spec["data"], shelf)
    layout = spec["layout"]
    # The view is reset only with another geometry.
    layout.setdefault("uirevision", shelf.view)
    text = to_json_plotly(spec)
    data = {
        "figure": text,
        "digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        "parts": parts,
        "plotly": shelf.plotly_url(),
        "height": height_value(height),
        "label": _label(layout, filename),
        "filename": filename,
        "presents": presented_value(key),
        "together": together,
    }
    event = _component(key=key, data=data, on_event_change=_nothing).event
    if event is None:
        return None
    return PictureEvent(serial=event["serial"], class_number=event["class_number"], x=event["x"])


def picture_name(g: kanon.Generalization, internal: bool) -> str:
    """The file name of a downloaded picture; it says whether the picture shows more than a release may."""
    return f"kanon-{g.family}-{g.algorithm.replace(' ', '-')}-k{g.k}{'-internal' if internal else ''}"


def height_value(height: Height) -> int | dict[str, int]:
    """As a component's browser side takes it."""
    return asdict(height) if isinstance(height, Rest) else height


def presented_value(key: str) -> str:
    """The key if a picture can be presented alone below the sentence of its page; empty if it cannot."""
    return key if key.endswith("_picture") and not key.startswith("home_") else ""


def picture_spec(figure: go.Figure) -> dict[str, Any]:
    """Return the figure as plain data, without the theme and size that the page gives it."""
    spec: dict[str, Any] = figure.to_dict()
    layout = spec["layout"]
    for name in ("template", "width", "height"):  # the page's theme and size replace them
        layout.pop(name, None)
    return spec


def _label(layout: dict[str, Any], otherwise: str) -> str:
    title = layout.get("title", {}).get("text") or otherwise
    return re.sub(r"<[^>]*>", " ", title).strip()


def _nothing() -> None:
    """Streamlit returns only those events that have a callback."""


# ---------------------------------------------------------------------------------------------------------------------
# The large parts of a figure that many results share: served by digest, so that a browser requests each once.
# ---------------------------------------------------------------------------------------------------------------------


_SHARED = ("geojson", "locations", "lat", "lon", "x", "y")  # what rarely changes with k
_LARGE = 20_000  # bytes; below it, a request of its own costs more than it saves
_MAX_GEOMETRIES = 4


class PartShelf:
    """Files of this session that one picture's browser side may fetch. They are dropped with the session."""

    def __init__(self, key: str, view: str = "") -> None:
        self._key = key
        self.view = view  # changes with the geometry that is shown

    def put(self, digest: str, content: bytes, mimetype: str = "application/json") -> str:
        # Streamlit has no public way to serve bytes for a visit: static files and the routes of an `st.App` outlive it,
        # and a component's arguments go through the web socket again with every run.
        files = runtime.get_instance().media_file_mgr
        coordinates = f"kanon_picture.{self._key}.{digest}"
        # The name is part of the file's identity, because for large files only samples of the content are.
        address = files.add(content, mimetype, coordinates, file_name=digest)
        base = str(st.get_option("server.baseUrlPath") or "").strip("/")
        return f"/{base}{address}" if base else address

    def plotly_url(self) -> str:
        """Return the address of plotly.js from the installed Python package."""
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
    encoded[digest] = content  # last, so that the first is the least recently used
    while len(encoded) > _MAX_GEOMETRIES:
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


# ---------------------------------------------------------------------------------------------------------------------
# The picture of a result on a page without a picture of its own.
# ---------------------------------------------------------------------------------------------------------------------


def plain_figure(family: Family, instance: Any, g: kanon.Generalization, selected: int | None = None) -> go.Figure:
    """The family's own picture, or the sizes of the groups if it has none."""
    if family.picture is None:
        return class_sizes_figure(instance, g)
    return family.picture(instance, g, selected=selected)
