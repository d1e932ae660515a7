"""What an engine spills to the disk works, and is cleared: by its own run, or by the next one if that was killed."""

import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.records import Records
from kanon_engine.records.engines.duckdb import PREFIX, DuckDB, Spilled


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of its own for what is temporary."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_an_engine_with_little_memory_spills_and_clears(place, tmp_path):
    path = tmp_path / "n.parquet"
    numbers = np.random.default_rng(1).permutation(600_000)
    pd.DataFrame({"n": numbers, "m": numbers % 7}).to_parquet(path)
    seen = []
    with Records.open(path, memory="12MB", threads=1) as records:
        ordered = records.table.order_by("n")
        records.engine.write(
            ordered, tmp_path / "out.parquet", lambda _: seen.append(any(place.glob(f"{PREFIX}*/*.tmp")))
        )
    assert any(seen)
    assert pd.read_parquet(tmp_path / "out.parquet")["n"].tolist() == list(range(600_000))
    assert not list(place.iterdir())


def test_an_engine_that_does_not_start_leaves_nothing(place):
    with pytest.raises(InvalidInput, match="cannot start"):
        DuckDB("no memory")
    assert not list(place.iterdir())


def test_what_a_killed_run_left_is_cleared_and_what_runs_is_left_alone(place):
    code = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from kanon_engine.records.engines.duckdb import Spilled\n"
        "print(Spilled().path, flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    left = place / other.stdout.readline().strip()
    (left / "spilled.tmp").write_text("of others")
    (place / "kanon-else").mkdir()
    (place / f"{PREFIX}link").symlink_to(place / "kanon-else")
    mine = Spilled()
    assert (left / "spilled.tmp").exists()
    other.kill()
    other.communicate()
    again = Spilled()
    assert not left.exists()
    assert mine.path.is_dir()
    assert (place / "kanon-else").is_dir()
    for folder in (mine, again):
        assert folder.path.stat().st_mode & 0o777 == 0o700
        folder.remove()
    assert not list(place.glob(f"{PREFIX}[!l]*"))
