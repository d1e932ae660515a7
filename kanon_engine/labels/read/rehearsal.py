"""What a worker tries of labels before files of strangers come; see `kanon_engine.io.worker`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kanon_engine.io.worker import Scene
from kanon_engine.labels.read import read_labels

CENSUS = b"SMITH          1.006  1.006      1\nJOHNSON        0.810  1.816      2\n"


def rehearsal(shapes: Sequence[bytes], tables: Sequence[bytes]) -> Iterator[Scene]:
    """A reader with arguments and settings for each try, on small files of every kind."""
    for data in (tables[0], tables[-2]):
        yield read_labels, (data, "kind"), {"per_record": True}
    yield read_labels, (CENSUS,), {"together": b"SMITH,JOHNSON\n"}
