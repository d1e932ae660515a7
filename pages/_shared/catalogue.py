"""The sample data that comes with kanon."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kanon_engine.plot.maps import Atlas

FOLDER = Path(__file__).parents[2] / "sample_data"


@dataclass(frozen=True)
class Sample:
    """One entry of sample_data/catalogue.json.

    Attributes
    ----------
    key : str
        Short name for the address bar.
    family, title : str
    path : Path
    options : dict
        Arguments of the family's reader.
    k : int
        A k that makes an interesting picture.
    source, licence : str
    """

    key: str
    family: str
    title: str
    path: Path
    options: dict[str, Any]
    k: int
    source: str
    licence: str


@cache
def samples(family: str) -> dict[str, Sample]:
    """The samples of a family by key, the default first."""
    entries = json.loads((FOLDER / "catalogue.json").read_text(encoding="utf-8"))
    return {
        entry["key"]: Sample(path=FOLDER / entry["file"], **{name: entry[name] for name in entry if name != "file"})
        for entry in entries
        if entry["family"] == family
    }


@cache
def atlas() -> Atlas:
    """Land, water, borders and places, to orient a map without a network."""
    return Atlas(FOLDER / "atlas.npz")


@cache
def outlines() -> Any:
    """A GeoDataFrame of US states, to try where shapes without a coordinate system lie."""
    import geopandas

    return geopandas.read_file(FOLDER / "us_states.geojson")
