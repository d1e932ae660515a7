"""What a worker tries of points before files of strangers come; see `kanon_engine.io.worker`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kanon_engine.io.worker import Scene
from kanon_engine.rectangles.read import read_points
from kanon_engine.rectangles.read.study_area import study_area


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """A reader with arguments and settings for each try, on small files of every kind."""
    yield study_area, (shapes[0],), {}
    yield read_points, (shapes[0],), {}  # no points: it says so
    for project in (None, "utm", "EPSG:5070"):
        yield read_points, (tables[0], "lon", "lat"), {"project": project, "drop_bad": True, "per_record": True}
