"""What a worker tries of tables before files of strangers come; see `kanon_engine.io.worker`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kanon_engine.io.worker import Scene
from kanon_engine.tables.read import read_table
from kanon_engine.tables.read.columns import columns_frame
from kanon_engine.tables.read.hierarchy import read_hierarchy


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """A reader with arguments and settings for each try, on small files of every kind."""
    for data in (tables[0], tables[-2]):
        yield read_table, (data,), {}
        yield columns_frame, (data,), {}
    yield read_hierarchy, (b"a;A;*\nb;B;*\n",), {}
    ranges = {"bins": {"count": 5}, "hierarchies": {"kind": b"a;*\nb;*\n"}}
    yield read_table, (tables[0], ["count", "kind"]), ranges
