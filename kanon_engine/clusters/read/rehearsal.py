"""What a worker tries of records before files of strangers come; see `kanon_engine.io.worker`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kanon_engine.clusters.read import read_records
from kanon_engine.io.worker import Scene


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """A reader with arguments and settings for each try, on small files of every kind."""
    for table in tables:
        yield read_records, (table,), {"drop_missing": True}
    for metric in ("haversine", "euclidean", "gower", "hamming"):
        yield read_records, (tables[0], ["lon", "lat"], metric), {"drop_missing": True}
