"""The map of areas in groups on the page: shapes once, then a number for each area.

Plotly draws it where there are no shapes, and over a street map.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.plot import Companion
from kanon_engine.plot.colors import LINE, WHITE
from kanon_engine.regions.display_map import coverage_file, display_map
from kanon_engine.regions.group_names import group_names
from kanon_engine.regions.plot import Shades, class_shades, map_title, regions_map, without_edges
from pages._shared.files import atlas
from pages._shared.picture import (
    FETCHED,
    PRESENT,
    REST,
    RETRIES,
    Drawing,
    Height,
    PartShelf,
    PictureEvent,
    height_value,
    joined,
    presented_value,
)
from pages._shared.tasks import once
from pages._shared.widgets import pick_colors, pick_from, pick_tiles

_FOLDER = Path(__file__).parent / "map_component"
_SCRIPTS = ("pixels.js", "painter.js", "panels.js", "map.js")
_TYPES = ("u1", "u2", "u4")
_SCRIPT = joined(RETRIES, FETCHED, REST, PRESENT, *(_FOLDER / name for name in _SCRIPTS)).encode()
_SCRIPT_DIGEST = hashlib.sha256(_SCRIPT).hexdigest()

_component = st.components.v2.component(
    "kanon_area_map",
    js=joined(RETRIES, _FOLDER / "loader.js"),
    css=(_FOLDER / "map.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # a picture is found by its role on the page, whatever draws it
)


def area_map(
    regions: kanon.Regions,
    g: kanon.Generalization,
    *,
    color_by: str = "group",
    selected: int | None = None,
    tree: bool = False,
    tiles: bool = False,
    labels: str = "numbers",
    selected_areas: Sequence[int] = (),
    companion: Companion | None = None,
) -> AreaMap | go.Figure:
    """The picture of a result, with the arguments of `regions_map`.

    Its own are the kind of labels, a key of `LABELS`, and the positions of the areas that the user picked.
    """
    if regions.geometry is None or tiles:
        return regions_map(
            regions, g, color_by=color_by, selected=selected, tree=tree, tiles=tiles, companion=companion
        )
    return AreaMap(regions, g, color_by, selected, tree, tuple(selected_areas), labels, companion)


def borders(regions: kanon.Regions, g: kanon.Generalization) -> np.ndarray:
    classes: np.ndarray = g.assignment[regions.edges]
    return classes


@dataclass(frozen=True, eq=False)
class AreaMap(Drawing):
    """Areas with shapes in groups."""

    regions: kanon.Regions
    g: kanon.Generalization
    color_by: str = "group"
    selected: int | None = None
    tree: bool = False
    picked: tuple[int, ...] = ()
    labels: str = "numbers"
    companion: Companion | None = None

    def draw(self, *, key: str, height: Height, filename: str, together: str = "") -> PictureEvent | None:
        """Show it, and return the click or search that caused this run of the page, if any."""
        if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
            return None
        shapes = coverage_file(self.regions, atlas())
        shelf = PartShelf(key)
        url = shelf.put(shapes.digest, shapes.content, "application/octet-stream")
        script = shelf.put(_SCRIPT_DIGEST, _SCRIPT, "text/javascript")
        message = self.message() | {"filename": filename, "height": height_value(height), "together": together}
        digest = hashlib.sha256(json.dumps(message).encode()).hexdigest()[:16]
        data = message | {"key": key, "digest": digest, "shapes": shapes.digest, "url": url, "script": script}
        data["presents"] = presented_value(key)
        event = _component(key=key, data=data, on_event_change=_nothing).event
        if event is None or event["shapes"] != shapes.digest:  # a click may arrive after other areas were chosen
            return None
        position = int(display_map(self.regions).order[event["area"]])
        number = int(self.g.assignment[position])
        return PictureEvent(event["serial"], number, None, lets_go=not event["found"], item=position)

    def message(self) -> dict[str, Any]:
        """What the browser needs of the result besides the shapes."""
        regions, g = self.regions, self.g
        shades = self._shades()
        groups = g.assignment[display_map(regions).order] + 1  # 0: left out
        kind = next(kind for kind in _TYPES if g.classes <= np.iinfo(kind).max)
        scaled = bool(shades.ticks)
        return {
            "groups": _encoded(groups, kind),
            "type": kind,
            "classes": g.classes,
            "colors": _encoded(shades.numbers, "u1"),
            "palette": shades.palette,
            "ticks": shades.ticks,
            "note": f"{regions.unit} ÷ k",  # next to the ticks
            "ink": WHITE if scaled else LINE,
            "chosen": self.selected,
            "picked": display_map(regions).place[list(self.picked)].tolist(),
            "changed": "" if self.companion is None else _encoded(self._changed(self.companion), "u1"),
            "lines": self._lines() if self.tree else {},
            "numbered": self.labels == "numbers",
            "names": once(group_names, regions, g.assignment, codes_are_public=True, of=g.digest)
            if self.labels == "names"
            else None,
            "places": self.labels in ("numbers", "places"),
            "unit": regions.unit,
            "label": map_title(regions, g, self.color_by),
            "told": self._told(),
        }

    def _shades(self) -> Shades:
        if self.companion is not None:  # computed for the map on the left
            return class_shades(self.regions, self.g, self.color_by, self.companion)
        return once(class_shades, self.regions, self.g, self.color_by, of=(self.g.digest, self.color_by), most=20)

    def _changed(self, companion: Companion) -> np.ndarray:
        """The marked areas as one bit each, in drawing order."""
        return np.packbits(companion.changed[display_map(self.regions).order], bitorder="little")

    def _lines(self) -> dict[str, str]:
        """The spanning tree and its cuts, as pairs of areas in drawing order."""
        place = display_map(self.regions).place
        cuts = np.asarray(self.g.details.cut_edges, dtype=np.int64).reshape(-1, 2)
        remaining = without_edges(self.g.details.tree, cuts)
        return {"tree": _encoded(place[remaining], "u4"), "cut": _encoded(place[cuts], "u4")}

    def _told(self) -> str:
        weights, unit = self.g.class_weights, self.regions.unit
        return (
            f"{len(self.regions):,} areas in {self.g.classes:,} connected groups of {weights.min():,} to "
            f"{weights.max():,} {unit}. The “Groups” tab lists them."
        )


def _encoded(numbers: np.ndarray, kind: str) -> str:
    # Streamlit sends bytes inside a record as their repr.
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=f"<{kind}").tobytes()).decode()


def _nothing() -> None:
    """Streamlit returns only those events that have a callback."""


# ---------------------------------------------------------------------------------------------------------------------
# What the map shows
# ---------------------------------------------------------------------------------------------------------------------


LABELS = {
    "numbers": "Numbers and large places",
    "names": "Group names",
    "places": "Large places",
    "none": "None",
}


def choose_layers() -> dict[str, Any]:
    with st.expander("Picture"):
        color_by = pick_colors("regions")
        help = "Groups are named after the places in them. Names never overlap."
        labels = pick_from(st.selectbox, "Labels", LABELS, "regions_labels", help=help)
        tree = st.toggle("Spanning tree and its cuts", key="regions_tree_layer", persist_state="session")
        tiles = pick_tiles("regions")
    return {"color_by": color_by, "labels": labels, "tree": tree, "tiles": tiles}
