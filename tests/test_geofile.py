"""Every kind of file with shapes, as path and as bytes; and what is no such file, refused in one sentence."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from pathlib import Path

import geopandas
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.io.geofile import read_shapes
from tests.regions.grids import grid
from tests.sentences import IS_A_FILE_OF_KIND, IS_EMPTY, THERE_IS_NO_FILE


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def shapefile(folder: Path, name: str = "areas") -> dict[str, bytes]:
    grid().to_file(folder / f"{name}.shp")
    return {path.name: path.read_bytes() for path in folder.glob(f"{name}.*")}


def topojson() -> bytes:
    """Two squares with a common arc."""
    arcs = [[[1, 0], [1, 1]], [[1, 1], [0, 1], [0, 0], [1, 0]], [[1, 0], [2, 0], [2, 1], [1, 1]]]
    shapes = [
        {"type": "Polygon", "arcs": [[0, 1]], "properties": {"zip": "06001", "population": 1}},
        {"type": "Polygon", "arcs": [[2, -1]], "properties": {"zip": "06002", "population": 2}},
    ]
    objects = {"areas": {"type": "GeometryCollection", "geometries": shapes}}
    return json.dumps({"type": "Topology", "arcs": arcs, "objects": objects}).encode()


@pytest.fixture
def written(tmp_path: Path) -> dict[str, bytes]:
    """The same map in every kind of file."""
    frame = grid()
    frame.to_file(tmp_path / "a.gpkg", layer="areas")
    frame.to_file(tmp_path / "a.fgb")
    frame.to_file(tmp_path / "a.geojson")
    frame.to_parquet(tmp_path / "a.parquet")
    files = {path.suffix: path.read_bytes() for path in tmp_path.glob("a.*")}
    parts = shapefile(tmp_path)
    files["shapefile.zip"] = zipped(**{f"folder/{name}": data for name, data in parts.items()})
    files["geojson.zip"] = zipped(
        **{"a.geojson": files[".geojson"], "__MACOSX/a.geojson": b"{}", "read me.txt": b"hello"}
    )
    return files


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("kind", [".gpkg", ".fgb", ".geojson", ".parquet", "shapefile.zip", "geojson.zip"])
def test_same_map_from_every_kind(written: dict[str, bytes], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "named wrongly.bin"
    path.write_bytes(written[kind])
    for file in (written[kind], path, io.BytesIO(written[kind])):
        frame, notes = read_shapes(file)
        frame = frame.sort_values("zip")
        assert frame["zip"].tolist() == grid()["zip"].tolist()
        assert frame["population"].tolist() == grid()["population"].tolist()
        assert frame.geometry.geom_equals(grid().geometry, align=False).all()
        assert frame.crs == "EPSG:4326"
        assert notes == ()


def test_topojson() -> None:
    frame, _ = read_shapes(topojson())
    assert frame["zip"].tolist() == ["06001", "06002"]
    assert frame.geometry.area.tolist() == [1, 1]


def test_bare_shapefile_with_its_siblings(tmp_path: Path) -> None:
    shapefile(tmp_path)
    assert read_shapes(tmp_path / "areas.shp")[0]["zip"].tolist() == grid()["zip"].tolist()


def test_layers_and_files_are_chosen_by_name(tmp_path: Path) -> None:
    grid(2, 2).to_file(tmp_path / "a.gpkg", layer="small")
    grid(3, 3).to_file(tmp_path / "a.gpkg", layer="large")
    with pytest.raises(
        InvalidInput, match=r"a\.gpkg has several layers with shapes \(.*large.*\); choose one with the parameter layer"
    ):
        read_shapes(tmp_path / "a.gpkg")
    with pytest.raises(InvalidInput, match=r"has no layer 'huge'; it has: "):
        read_shapes(tmp_path / "a.gpkg", "huge")
    frame, notes = read_shapes(tmp_path / "a.gpkg", "large")
    assert len(frame) == 9
    assert notes == ("a.gpkg has 2 layers with shapes; “large” was read.",)
    both = zipped(**shapefile(tmp_path, "one"), **shapefile(tmp_path, "two"))
    with pytest.raises(
        InvalidInput, match="several files with shapes \\(one, two\\); choose one with the parameter layer"
    ):
        read_shapes(both)
    assert len(read_shapes(both, "two")[0]) == 12


def database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a)")
    return connection.serialize()


PIPELINE = (
    b'{"type": "gdal_streamed_alg", "command_line": "gdal vector pipeline ! read a.shp", "x": "FeatureCollection"}'
)
VRT = b"<OGRVRTDataSource><OGRVRTLayer name='x'><SrcDataSource>a.shp</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"

REFUSED = {
    "pdf": (b"%PDF-1.7 ...", f"it {IS_A_FILE_OF_KIND} “pdf”; load a zipped shapefile, GeoPackage"),
    "picture": (b"\x89PNG\r\n\x1a\n....", f"it {IS_A_FILE_OF_KIND} “picture”; load"),
    "text": (b"zip,population\n06001,5\n", f"it {IS_A_FILE_OF_KIND} “text”; load"),
    "vrt": (VRT, f"it {IS_A_FILE_OF_KIND} “text”; load"),
    "empty": (b"  \n", f"it {IS_EMPTY}"),
    "broken zip": (b"PK\x03\x04 and then nothing", f"it {IS_A_FILE_OF_KIND} “broken zip”"),
    "zip without shapes": (
        zipped(**{"notes.txt": b"hello"}),
        "it holds no shapefile or other file with shapes, only notes.txt",
    ),
    "zip with a vrt": (zipped(**{"a.vrt": VRT}), "it holds no shapefile or other file with shapes, only a.vrt"),
    "zip with a false shp": (
        zipped(**{"a.shp": VRT, "a.shx": b"", "a.dbf": b""}),
        "it holds a .shp file that is not a shapefile",
    ),
    "zip with a false geojson": (zipped(**{"a.geojson": VRT}), f"a.geojson in it {IS_A_FILE_OF_KIND} “text”"),
    "pipeline": (PIPELINE, "it is a list of steps for the map library GDAL and names other files"),
    "broken json": (b'{"type": "Feature', "it is broken JSON"),
    "cut geojson": (b'{"type": "FeatureCollection", "features": [{"type": "Feature", ', "it cannot be read as GeoJSON"),
    "other json": (b'{"people": 5}', "it is JSON but neither GeoJSON nor TopoJSON"),
    "no features": (b'{"type": "FeatureCollection", "features": []}', "it holds no shapes"),
    "database": (database(), "it is an SQLite database but not a GeoPackage"),
    "cut flatgeobuf": (b"fgb\x03fgb\x00....", "it cannot be read as FlatGeobuf"),
    "bare shp": (
        b"\x00\x00\x27\x0a" + bytes(96),
        "it is one file of a shapefile, which consists of several; zip the .shp",
    ),
}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_sentence(name: str) -> None:
    data, sentence = REFUSED[name]
    with pytest.raises(InvalidInput) as caught:
        read_shapes(data, filename="it")
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).endswith((".", "instead."))
    assert "\n" not in str(caught.value)
    assert "/tmp" not in str(caught.value)


def test_shapefile_without_its_table(tmp_path: Path) -> None:
    parts = shapefile(tmp_path)
    del parts["areas.dbf"]
    with pytest.raises(InvalidInput, match=r"lacks the \.dbf of the shapefile; keep all its files together"):
        read_shapes(zipped(**parts))


def test_parquet_without_shapes(tmp_path: Path) -> None:
    grid().drop(columns="geometry").to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=r"a\.parquet is a Parquet file without shapes"):
        read_shapes(tmp_path / "a.parquet")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for address in ("nowhere.geojson", "https://example.org/a.geojson", "/vsicurl/https://example.org/a.geojson"):
        with pytest.raises(InvalidInput, match=THERE_IS_NO_FILE):
            read_shapes(address)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_shapes(tmp_path)


def test_password(tmp_path: Path) -> None:
    data = bytearray(zipped(**{"a.geojson": b"{}"}))
    for place in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[place] |= 1  # the flag of an encrypted entry
    with pytest.raises(InvalidInput, match="cannot be unpacked; zip it again, without a password"):
        read_shapes(bytes(data))


def test_heights_are_dropped() -> None:
    frame = grid(1, 1)
    frame["geometry"] = frame.geometry.force_3d(7)
    assert not read_shapes(frame.to_json().encode())[0].has_z.any()
    assert isinstance(read_shapes(frame.to_json().encode())[0], geopandas.GeoDataFrame)
