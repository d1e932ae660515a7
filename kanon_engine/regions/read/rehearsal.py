"""What a worker tries of areas before files of strangers come; see `kanon_engine.io.rehearsal`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kanon_engine.io.rehearsal import Scene
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.read import read_regions
from kanon_engine.regions.read.edge_list import read_edges
from kanon_engine.regions.read.join import match_codes
from kanon_engine.regions.read.sets_by_column import sets_by_column
from kanon_engine.regions.read.zip_counties import counties
from kanon_engine.regions.read.zip_places import places


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """A reader with arguments and settings for each try, on small files of every kind."""
    places(), counties()  # for later no file can be opened
    first, second, *_ = shapes
    counts = b"id,count\na,1\nb,2\nc,3\n"
    yield read_regions, (first, "count", "id"), {"merge_duplicates": True}
    yield read_regions, (first, "count"), {"contiguity": "queen", "islands": "separate"}
    yield read_regions, (second,), {"counts": counts, "id": "id", "merge_duplicates": True}
    listed = {"counts": b"id,count\nx,5\ny,6\nz,7\n"}
    yield read_regions, (b"a,b\nx,y\ny,z\n",), listed
    yield read_regions, (b"a,b\nx,y\ny,z\n",), {**listed, "together": b"x,y\n", "apart": b"x,z\n", "barriers": b"x,y\n"}
    yield match_codes, (first, "id"), {"counts": b"id,count\na,1\nb,2\nc,3\n"}
    areas = Regions(np.array(["a", "b"]), np.ones(2, int), np.array([[0, 1]]), reading={"id": "id"})
    yield sets_by_column, (areas, first, "count"), {}
    yield sets_by_column, (areas, b"id,county\na,x\nb,x\n", "county"), {}
    yield read_edges, (b"2\na 1\nb\nb 1\na\n",), {}
