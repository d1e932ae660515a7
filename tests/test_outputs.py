"""Files on a full disk or in a folder that is read-only: one sentence, and nothing half-written."""

import errno
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import geopandas
import pyogrio
import pytest
import shapely
from kaleido.errors import KaleidoError
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.cli.files import write_files
from kanon_engine.plot import export as pictures
from kanon_engine.release.formats import written
from tests.cli.command import CASES, refused
from tests.cli.command import kanon as command

GROUPS = geopandas.GeoDataFrame({"group": [1]}, geometry=[shapely.box(0, 0, 1, 1)], crs="EPSG:4326")
FULL = OSError(errno.ENOSPC, "No space left on device")


def no_temporary_files(*_arguments, **_settings):
    raise FULL


def raising(error):
    def fail(*_arguments, **_settings):
        raise error

    return fail


@pytest.mark.parametrize("ending", ["gpkg", "geojson"])
def test_shapes_need_no_temporary_file(ending, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", no_temporary_files)
    monkeypatch.setattr(tempfile, "mkstemp", no_temporary_files)
    again = pyogrio.read_dataframe(written(GROUPS, ending))
    assert again.group.tolist() == [1]
    assert again.geometry[0].equals(shapely.box(0, 0, 1, 1))
    assert written(GROUPS, ending).count(b"pyogrio") == 0


@pytest.mark.parametrize("ending", ["gpkg", "geojson"])
def test_shapes_that_cannot_be_written_are_told(ending, monkeypatch):
    monkeypatch.setattr(pyogrio, "write_dataframe", raising(pyogrio.errors.DataSourceError("sqlite3_exec failed")))
    with pytest.raises(kanon.InvalidInput, match=r"^The groups cannot be written as G.*CSV.*\.$"):
        written(GROUPS, ending)


def test_where_one_file_fails_none_appears(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"

    def half():
        raise FULL

    with pytest.raises(
        kanon.InvalidInput, match=r"other\.csv cannot be written \(No space left on device\); make room"
    ):
        write_files({one: lambda: b"whole", other: half})
    assert not list(tmp_path.iterdir())


def test_a_folder_that_refuses_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", raising(OSError(errno.EROFS, "Read-only file system")))
    with pytest.raises(kanon.InvalidInput, match=r"a\.csv cannot be written \(Read-only file system\); write to a"):
        write_files({tmp_path / "a.csv": lambda: b""})


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "no folder").write_text("")
    with pytest.raises(kanon.InvalidInput, match=r"a\.csv cannot be written \(Not a directory\)"):
        write_files({tmp_path / "no folder" / "a.csv": lambda: b""})


@pytest.mark.parametrize(
    ("name", "flag", "ending"),
    [
        ("points", "--out", ".gpkg"),
        ("points", "--out", ".geojson"),
        ("points", "--out", ".csv"),
        ("points", "--certificate", ".json"),
    ],
)
def test_a_command_on_a_full_disk(name, flag, ending, tmp_path, monkeypatch):
    out = tmp_path / f"out{ending}"

    def full(path, content):
        with open(path, "wb") as file:
            file.write(content[:10])
        raise FULL

    monkeypatch.setattr(Path, "write_bytes", full)
    sentence = refused(command(*CASES[name], flag, out))
    assert (
        sentence == f"{out} cannot be written (No space left on device); make room there, or write to another folder."
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_a_limit_of_the_size_of_files(tmp_path):
    """The system's own refusal, in a process that may write 4 kB."""
    out = tmp_path / "out.gpkg"
    result = subprocess.run(
        [sys.executable, "-m", "kanon_engine", *map(str, CASES["points"]), "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=Path(__file__).parent.parent,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert result.returncode == 1, result.stderr
    assert result.stderr == f"{out} cannot be written (File too large); make room there, or write to another folder.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [KaleidoError(525, "axis scaling"), FULL])
def test_a_picture_that_cannot_be_drawn_is_told(error, monkeypatch):
    monkeypatch.setattr("kaleido.calc_fig_sync", raising(error))
    with pytest.raises(kanon.InvalidInput, match=r"^The browser cannot draw this picture as PNG.*HTML instead\.$"):
        pictures.png(go.Figure())


def test_no_browser_is_no_empty_file(monkeypatch):
    monkeypatch.setattr(pictures, "png", lambda _figure: None)
    with pytest.raises(kanon.InvalidInput, match="Chromium could not be started"):
        pictures.drawn(None)
