"""What a worker tries before files of strangers come: every reader of every family has then read something."""

import pytest

from kanon_engine.io.answers import answer_of
from kanon_engine.io.worker import scenes
from kanon_engine.model.known import FAMILIES


@pytest.mark.usefixtures("here")
def test_every_reader_reads_something():
    read, projected = set(), set()
    for reader, arguments, settings in scenes():
        try:
            answer_of(reader(*arguments, **settings))
        except ValueError:  # not every reader takes every file
            continue
        read.add(f"{reader.__module__}:{reader.__qualname__}")
        projected.add(settings.get("project"))
    readers = {reader.path for family in FAMILIES.values() for reader in (family.reader.function, *family.reader.also)}
    called = {"kanon_engine.labels.read:with_rules", "kanon_engine.regions.read:with_wishes"}
    assert readers - called <= read  # those are called by their family's reader
    assert projected >= {"utm", "EPSG:5070"}
