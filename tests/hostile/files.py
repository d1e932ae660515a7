"""Files that reach past themselves, take too much, or are broken: some by hand, the others by a seed.

    cases(canaries, seed=0, mutations=600)

Those by hand name the canaries: a file with a secret, a file that must not appear, and an address that must not be
asked. The others are good files of every kind with bytes changed.
"""

from __future__ import annotations

import io
import json
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import shapely


@dataclass(frozen=True)
class Canaries:
    """What a file must not reach: paths and an address, as text."""

    secret: str
    written: str
    address: str


@dataclass(frozen=True)
class Case:
    """One hostile file."""

    name: str
    filename: str
    data: bytes


def cases(canaries: Canaries, seed: int = 0, mutations: int = 0) -> Iterator[Case]:
    """All files by hand, then so many mutations of good files."""
    for kind, made in (
        ("links", links(canaries)),
        ("crs", systems(canaries)),
        ("zip", zips(canaries)),
        ("gpkg", geopackages(canaries)),
        ("excel", workbooks(canaries)),
        ("parquet", parquets(canaries)),
        ("json", jsons()),
        ("text", texts(canaries)),
        ("magic", magics()),
    ):
        for name, filename, data in made:
            yield Case(f"{kind}: {name}", filename, data)
    rng = np.random.default_rng(seed)
    good = sorted(good_files().items())
    for number in range(mutations):
        filename, data = good[number % len(good)]
        yield Case(f"mutation {number} of {filename}", filename, mutated(data, rng))


Made = Iterator[tuple[str, str, bytes]]


def feature(geometry: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": {"id": "a", "population": 5} | properties, "geometry": geometry}


def square(x: float = 0, y: float = 0, side: float = 1) -> dict[str, Any]:
    ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
    return {"type": "Polygon", "coordinates": [ring]}


def collection(*features: Any, **more: Any) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": list(features)} | more).encode()


def packed(method: int = zipfile.ZIP_STORED, **files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------- links to elsewhere


def links(canaries: Canaries) -> Made:
    """GDAL's own languages, alone and hidden in JSON."""
    secret, address = canaries.secret, canaries.address
    sources = (secret, f"/vsicurl/{canaries.address}a.csv", f"/vsizip/{secret}", f"CSV:{secret}")
    for place, source in enumerate(sources):
        vrt = (
            f'<OGRVRTDataSource><OGRVRTLayer name="x"><SrcDataSource>{source}</SrcDataSource>'
            f"<SrcLayer>secret</SrcLayer></OGRVRTLayer></OGRVRTDataSource>"
        )
        yield f"vrt {place}", "a.vrt", vrt.encode()
        yield f"vrt as geojson {place}", "a.geojson", vrt.encode()
        yield f"vrt in json {place}", "a.geojson", collection(feature(square(), note=vrt))
        yield f"vrt after json {place}", "a.geojson", collection(feature(square())) + vrt.encode()
        yield f"vrt in zip {place}", "a.zip", packed(**{"a.geojson": vrt.encode()})
        yield (
            f"vrt before json {place}",
            "a.geojson",
            b'{"type":"FeatureCollection","x":"' + vrt.encode().replace(b'"', b"'") + b'","features":[]}',
        )
    vacuum = f"VACUUM INTO '{canaries.written}'"
    yield (
        "vrt that writes",
        "a.geojson",
        (
            '{"type":"FeatureCollection","features":[],"x":"<OGRVRTDataSource><OGRVRTLayer name=\'x\'><SrcDataSource>'
            f"{secret}</SrcDataSource><SrcSQL dialect='SQLITE'>{vacuum}</SrcSQL></OGRVRTLayer></OGRVRTDataSource>\"}}"
        ).encode(),
    )
    for name, text in (
        ("gdalg", json.dumps({"type": "gdal_streamed_alg", "command_line": f"gdal vector pipeline ! read {secret}"})),
        ("gdalg features", json.dumps({"type": "gdal_streamed_alg", "x": "FeatureCollection",
                                       "command_line": f"gdal vector pipeline ! read {canaries.address}"})),
        ("wfs", f"<OGRWFSDataSource><URL>{canaries.address}</URL></OGRWFSDataSource>"),
        ("oapif", json.dumps({"type": "FeatureCollection", "features": [], "openapi": "3.0.0", "links": [
            {"rel": "next", "type": "application/geo+json", "href": canaries.address}], "numberMatched": 9})),
        ("stac", json.dumps({"type": "FeatureCollection", "stac_version": "1.0.0", "features": [
            feature(square()) | {"stac_version": "1.0.0", "assets": {"a": {"href": canaries.address}}}]})),
        ("esri", json.dumps({"displayFieldName": "a", "fieldAliases": {}, "geometryType": "esriGeometryPolygon",
                             "url": canaries.address, "features": [{"attributes": {}, "geometry": {"rings": []}}]})),
        ("gml", f'<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml" xsi:schemaLocation="{address}">'
                f'<gml:featureMember xlink:href="{address}"/></gml:FeatureCollection>'),
        ("kml", f"<kml><NetworkLink><Link><href>{canaries.address}</href></Link></NetworkLink></kml>"),
        ("entity", f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file://{canaries.secret}">]><kml>&b;</kml>'),
        ("gdal wms", f"<GDAL_WMS><Service><ServerUrl>{canaries.address}</ServerUrl></Service></GDAL_WMS>"),
        ("path", canaries.secret),
        ("address", canaries.address),
    ):  # fmt: skip
        yield name, "a.geojson", text.encode()
        yield f"{name} as csv", "a.csv", text.encode()


def systems(canaries: Canaries) -> Made:
    """Coordinate systems that name a file or an address."""
    reaching = f"+proj=longlat +ellps=clrk66 +nadgrids={canaries.secret} +no_defs"
    entries: dict[str, Any] = {
        "link": {"type": "link", "properties": {"href": canaries.address, "type": "proj4"}},
        "link to a file": {"type": "link", "properties": {"href": f"file://{canaries.secret}", "type": "ogcwkt"}},
        "url": {"type": "url", "properties": {"url": canaries.address}},
        "capitals": {"type": "LINK", "properties": {"href": canaries.address}},
        "name": {"type": "name", "properties": {"name": canaries.address}},
        "name of a file": {"type": "name", "properties": {"name": canaries.secret}},
        "grids": {"type": "name", "properties": {"name": reaching}},
        "init": {"type": "name", "properties": {"name": f"+init={canaries.secret}:a"}},
        "opengis": {"type": "name", "properties": {"name": f"http://www.opengis.net/def/crs/{canaries.address}"}},
        "number": {"type": "EPSG", "properties": {"code": 10**30}},
        "text": "EPSG:4326",
        "list": [1, 2],
        "deep": {"type": "link", "properties": {"a": {"b": {"href": canaries.address}}}},
    }
    for name, entry in entries.items():
        data = collection(feature(square()), crs=entry)
        yield name, "a.geojson", data
        yield (
            f"{name}, escaped",
            "a.geojson",
            data.replace(b'"crs"', b'"cr\\u0073"').replace(b'"link"', b'"\\u006cink"'),
        )
        yield f"{name}, of a feature", "a.geojson", collection(feature(square()) | {"crs": entry})
        topology = {"type": "Topology", "arcs": [[[0, 0], [1, 0], [1, 1], [0, 0]]], "crs": entry}
        topology["objects"] = {"a": {"type": "Polygon", "arcs": [[0]], "crs": entry}}
        yield f"{name}, of a topology", "a.topojson", json.dumps(topology).encode()
    base = 'GEOGCS["x",DATUM["x",SPHEROID["x",6378206,294]{}],PRIMEM["Greenwich",0],UNIT["degree",0.0174]{}]'
    for name, wkt in (
        ("grids", base.format("", f',EXTENSION["PROJ4","{reaching}"]')),
        ("datum grids", base.format(f',EXTENSION["PROJ4_GRIDS","{canaries.secret}"]', "")),
        ("address", base.format("", f',AUTHORITY["{canaries.address}","1"]')),
        ("deep", "GEOGCS[" * 20_000),
        ("long", f'GEOGCS["{"x" * 1_000_000}"]'),
        ("path", canaries.secret),
        ("init", f"+init={canaries.secret}:a"),
    ):
        parts = shapefile()
        yield f"prj of {name}", "a.zip", packed(**parts | {"a.prj": wkt.encode()})
        yield f"cpg of {name}", "a.zip", packed(**parts | {"a.cpg": wkt.encode()[:1000]})


# --------------------------------------------------------------------------------------------------- kinds of archives


@cache
def zeros() -> bytes:
    """16 MB of them in a few bytes, by a compressor that then forgets, so that they can be repeated."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(bytes(2**24)) + compressor.flush(zlib.Z_FULL_FLUSH)


def bomb(name: str, size: int, told: int) -> bytes:
    """A zip of zeros almost without end."""
    content = zeros() * (size // 2**24) + b"\x03\x00"
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, 0, len(content), told, len(name), 0) + name.encode()
    central = b"PK\1\2" + struct.pack(
        "<HHHHHHIIIHHHHHII", 20, 20, 0, 8, 0, 0, 0, len(content), told, len(name), 0, 0, 0, 0, 0, 0
    )
    central += name.encode()
    start = len(local) + len(content)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), start, 0)
    return local + content + central + end


def zips(canaries: Canaries) -> Made:
    parts = shapefile()
    yield "four gigabytes", "a.zip", bomb("a.geojson", 2**32 - 2**24, 2**32 - 2**24)
    yield "four gigabytes, told as few", "a.zip", bomb("a.geojson", 2**32 - 2**24, 1000)
    yield "four gigabytes of workbook", "a.xlsx", bomb("xl/workbook.xml", 2**32 - 2**24, 2**32 - 2**24)
    yield "workbook told as small", "a.xlsx", bomb("xl/workbook.xml", 2**32 - 2**24, 1000)
    yield "many entries", "a.zip", packed(**{f"{i}.txt": b"" for i in range(20_000)})
    yield "many shapefiles", "a.zip", packed(**{f"{i}.geojson": b"{}" for i in range(2_000)})
    yield "up the tree", "a.zip", packed(**{f"../../../../{canaries.written}": b"x", "../a.geojson": collection()})
    yield "absolute", "a.zip", packed(**{canaries.written + ".geojson": collection(feature(square()))})
    yield "in itself", "a.zip", packed(**{"a.zip": packed(**{"a.zip": packed(**parts)})})
    yield "called geojson", "a.zip", packed(**{"a.geojson": packed(**parts)})
    for ending in (".shp", ".shx", ".dbf", ".prj", ".cpg"):
        yield f"without {ending}", "a.zip", packed(**{name: data for name, data in parts.items() if ending not in name})
        yield (
            f"empty {ending}",
            "a.zip",
            packed(**{name: b"" if ending in name else data for name, data in parts.items()}),
        )
        yield (
            f"cut {ending}",
            "a.zip",
            packed(**{name: data[: len(data) // 2] if ending in name else data for name, data in parts.items()}),
        )
    shp, shx, dbf = (bytearray(parts[f"a{ending}"]) for ending in (".shp", ".shx", ".dbf"))
    struct.pack_into(">i", shp, 104, 2**30)
    yield "long record", "a.zip", packed(**parts | {"a.shp": bytes(shp)})
    struct.pack_into(">i", shx, 100, 2**30)
    yield "far record", "a.zip", packed(**parts | {"a.shx": bytes(shx)})
    struct.pack_into("<i", dbf, 4, 2**31 - 1)
    yield "many rows told", "a.zip", packed(**parts | {"a.dbf": bytes(dbf)})
    shp = bytearray(parts["a.shp"])
    struct.pack_into("<ii", shp, 100 + 8 + 36, 2**30, 2**30)
    yield "many rings told", "a.zip", packed(**parts | {"a.shp": bytes(shp)})
    with_link = io.BytesIO()
    with zipfile.ZipFile(with_link, "w") as archive:
        entry = zipfile.ZipInfo("a.geojson")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, canaries.secret)
    yield "link", "a.zip", with_link.getvalue()
    good = packed(zipfile.ZIP_DEFLATED, **{"a.geojson": collection(feature(square())) * 20})
    broken = bytearray(good)
    broken[60:90] = b"\xff" * 30
    yield "broken stream", "a.zip", bytes(broken)
    for method in (1, 6, 9, 12, 14, 93, 99):
        changed = bytearray(good)
        struct.pack_into("<H", changed, changed.index(b"PK\3\4") + 8, method)
        struct.pack_into("<H", changed, changed.index(b"PK\1\2") + 10, method)
        yield f"method {method}", "a.zip", bytes(changed)


def geopackages(canaries: Canaries) -> Made:
    def changed(*statements: str) -> bytes:
        connection = sqlite3.connect(":memory:")
        connection.deserialize(good_files()["a.gpkg"])
        connection.execute("PRAGMA writable_schema = on")
        for name in ("IsEmpty", "MinX", "MinY", "MaxX", "MaxY"):  # what the triggers of its index call
            connection.create_function(f"ST_{name}", 1, lambda shape: 1)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        return connection.serialize()

    contents = (
        "insert into gpkg_contents (table_name, data_type, identifier, srs_id) values ('{0}', 'features', '{0}', 4326)"
    )
    column = "insert into gpkg_geometry_columns values ('{0}', 'geom', 'POLYGON', 4326, 0, 0)"

    def view(text: str) -> bytes:
        drop = ("delete from gpkg_contents", "delete from gpkg_geometry_columns", "delete from gpkg_extensions")
        return changed(*drop, f"create view v as {text}", contents.format("v"), column.format("v"))

    forever = "with recursive n(i) as (select 1 union all select i + 1 from n) "
    yield "recursive view", "a.gpkg", view(forever + "select n.i as fid, a.geom from n, a where n.i < 1")
    yield "endless view", "a.gpkg", view(forever + "select n.i as fid, a.geom from n, a")
    yield "view of itself", "a.gpkg", view("select fid, geom from v")
    yield "large blob", "a.gpkg", view("select 1 as fid, zeroblob(900000000) as geom")
    yield "many blobs", "a.gpkg", view(forever + "select i as fid, zeroblob(10000000) as geom from n")
    yield "extension", "a.gpkg", view(f"select 1 as fid, load_extension('{canaries.secret}') as geom")
    yield "file", "a.gpkg", view(f"select 1 as fid, readfile('{canaries.secret}') as geom")
    yield "written file", "a.gpkg", view(f"select 1 as fid, writefile('{canaries.written}', 'x') as geom")
    yield "ogr", "a.gpkg", view(f"select ogr_layer_extent('{canaries.secret}') as fid, 1 as geom")
    yield "geocode", "a.gpkg", view(f"select 1 as fid, ogr_geocode('{canaries.address}') as geom")
    for module in (
        f"VirtualOGR('{canaries.secret}')",
        f"VirtualText('{canaries.secret}')",
        f"csv(filename='{canaries.secret}')",
    ):
        sql = f"insert into sqlite_master values ('table', 'w', 'w', 0, 'CREATE VIRTUAL TABLE w USING {module}')"
        yield (
            f"virtual {module.split('(')[0]}",
            "a.gpkg",
            changed(
                sql.replace(f"'{canaries.secret}'", f"''{canaries.secret}''"), contents.format("w"), column.format("w")
            ),
        )
    yield (
        "trigger",
        "a.gpkg",
        changed(f"create trigger t after insert on a begin select load_extension('{canaries.secret}'); end"),
    )
    yield "no table", "a.gpkg", changed(contents.format("gone"), column.format("gone"))
    yield "many layers", "a.gpkg", changed(*(contents.format(f"l{i}") for i in range(3000)))
    grids = canaries.secret
    wkt = f'GEOGCS["x",DATUM["x",SPHEROID["x",6378206,294],EXTENSION["PROJ4_GRIDS","{grids}"]],UNIT["degree",0.01]]'
    yield "grids", "a.gpkg", changed(f"update gpkg_spatial_ref_sys set definition = '{wkt}', organization = 'x'")
    yield (
        "log",
        "a.gpkg",
        good_files()["a.gpkg"].replace(b"SQLite format 3\0\x10\0\1\1", b"SQLite format 3\0\x10\0\2\2"),
    )
    yield "wide", "a.gpkg", changed(*(f"alter table a add column c{i}" for i in range(1500)))
    yield "no shapes", "a.gpkg", changed("update a set geom = null")
    yield "broken shapes", "a.gpkg", changed("update a set geom = x'4750000300000000ffffffffffffffff'")


def workbooks(canaries: Canaries) -> Made:
    book = openpyxl.Workbook()
    book.active.append(["name", "count"])
    book.active.append(["a", 1])
    file = io.BytesIO()
    book.save(file)
    good = file.getvalue()
    book.active["XFD1048576"] = "x"
    far = io.BytesIO()
    book.save(far)
    yield "far cell", "a.xlsx", far.getvalue()

    def with_part(part: str, data: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(good)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        return packed(zipfile.ZIP_DEFLATED, **files | {part: data})

    sheet = "xl/worksheets/sheet1.xml"
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha" * 10}">' for i in range(12))
    outside = f'<!ENTITY l SYSTEM "file://{canaries.secret}"><!ENTITY m SYSTEM "{canaries.address}">'
    rows = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
    row = '<row r="{0}"><c r="A{0}" t="{1}"><v>{2}</v></c></row>'
    for part in ("xl/workbook.xml", sheet, "xl/sharedStrings.xml", "xl/styles.xml", "[Content_Types].xml"):
        yield f"laughs in {part}", "a.xlsx", with_part(part, f"<!DOCTYPE a [{laughs}]><a>&l11;</a>".encode())
        yield f"entities in {part}", "a.xlsx", with_part(part, f"<!DOCTYPE a [{outside}]><a>&l;&m;</a>".encode())
        yield f"no {part}", "a.xlsx", with_part(part, b"")
        yield f"half of {part}", "a.xlsx", with_part(part, b"<a><b")
        yield f"deep {part}", "a.xlsx", with_part(part, b"<a>" * 200_000)
    for name, entry in (
        ("number", ("n", "1e999")),
        ("long number", ("n", "9" * 100_000)),
        ("date", ("d", "99999-99-99T00:00:00")),
        ("string that is not there", ("s", "999999999")),
        ("error", ("e", "#REF!")),
        ("word as number", ("n", "abc")),
        ("formula", ("str", f"=WEBSERVICE({canaries.address})")),
    ):
        text = row.format(1, "inlineStr", "") + row.format(2, *entry)
        yield name, "a.xlsx", with_part(sheet, rows.format(text).encode())
    yield "row numbers", "a.xlsx", with_part(sheet, rows.format(row.format(10**15, "n", 1)).encode())
    yield "cell names", "a.xlsx", with_part(sheet, rows.format('<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>').encode())
    yield "chart alone", "a.xlsx", with_part("[Content_Types].xml", b'<Types xmlns="x"/>')


def parquets(canaries: Canaries) -> Made:
    def written(table: Any, **options: Any) -> bytes:
        file = io.BytesIO()
        pq.write_table(table, file, **options)
        return file.getvalue()

    def geo(metadata: Any, **columns: Any) -> bytes:
        text = metadata if isinstance(metadata, bytes) else json.dumps(metadata).encode()
        return written(pa.table(columns).replace_schema_metadata({"geo": text}))

    yield "sixty million rows", "a.parquet", long_parquet()
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_900_000, dtype=np.int32)), pa.array(["x" * 100_000]))
    yield "one long text", "a.parquet", written(pa.table({"name": texts, "other": texts}), compression="zstd")
    yield "lists", "a.parquet", written(pa.table({"name": [[1], [2, 3]], "count": [1, 2]}))
    yield "lists alone", "a.parquet", written(pa.table({"name": [[1], [2, 3]]}))
    yield "records", "a.parquet", written(pa.table({"name": [{"a": 1}], "count": [1]}))
    yield "maps", "a.parquet", written(pa.table({"name": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))}))
    yield "bytes", "a.parquet", written(pa.table({"name": [b"\xff"], "count": [1]}))
    yield "nothing", "a.parquet", written(pa.table({"name": pa.nulls(3)}))
    yield "no columns", "a.parquet", written(pa.table({}))
    yield "no rows", "a.parquet", written(pa.table({"name": pa.array([], pa.string())}))
    yield "wide", "a.parquet", written(pa.table({f"c{i}": [1] for i in range(5_000)}))
    yield "names twice", "a.parquet", written(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    yield "dates", "a.parquet", written(pa.table({"name": pa.array([2**62], pa.timestamp("us")), "count": [1]}))
    yield "durations", "a.parquet", written(pa.table({"name": pa.array([2**62], pa.duration("us")), "count": [1]}))
    yield "zones", "a.parquet", written(pa.table({"name": pa.array([0], pa.timestamp("us", "../../etc/passwd"))}))
    yield "decimals", "a.parquet", written(pa.table({"name": pa.array([1]).cast(pa.decimal128(38, 0)), "count": [1]}))
    yield "large counts", "a.parquet", written(pa.table({"name": ["a"], "count": pa.array([2**64 - 1], pa.uint64())}))
    index = json.dumps({"index_columns": ["gone"], "columns": [{"name": 1}], "pandas_version": "9"}).encode()
    yield "index", "a.parquet", written(pa.table({"name": ["a"]}).replace_schema_metadata({"pandas": index}))
    yield (
        "pickle",
        "a.parquet",
        written(
            pa.table({"name": ["a"]}).replace_schema_metadata({"ARROW:schema": b"\x80\x04" + canaries.secret.encode()})
        ),
    )
    box = shapely.to_wkb(shapely.box(0, 0, 1, 1))
    column = {"encoding": "WKB", "geometry_types": []}
    for name, metadata in (
        ("broken", b"{"),
        ("empty", {}),
        ("number", b"5"),
        ("deep", b"[" * 50_000),
        ("another column", {"version": "1.0.0", "primary_column": "gone", "columns": {"gone": column}}),
        ("crs", {"version": "1.0.0", "primary_column": "g", "columns": {"g": column | {"crs": canaries.address}}}),
        (
            "crs file",
            {
                "version": "1.0.0",
                "primary_column": "g",
                "columns": {"g": column | {"crs": f"+init={canaries.secret}:a"}},
            },
        ),
        ("encoding", {"version": "1.0.0", "primary_column": "g", "columns": {"g": {"encoding": "point"}}}),
        ("columns list", {"version": "1.0.0", "primary_column": "g", "columns": ["g"]}),
    ):
        yield f"geo {name}", "a.parquet", geo(metadata, g=[box], population=[5])
    good = {"version": "1.0.0", "primary_column": "g", "columns": {"g": column}}
    yield "broken shapes", "a.parquet", geo(good, g=[b"\1\3\0\0\0\xff\xff\xff\xff"], population=[5])
    yield "shapes of text", "a.parquet", geo(good, g=["POINT (0 0)"], population=[5])
    yield "no shapes", "a.parquet", geo(good, g=pa.array([None], pa.binary()), population=[5])


@cache
def long_parquet() -> bytes:
    file = io.BytesIO()
    part = pa.table({"lon": np.zeros(10_000_000), "lat": np.zeros(10_000_000)})
    with pq.ParquetWriter(file, part.schema, compression="zstd") as writer:
        for _ in range(6):
            writer.write_table(part, row_group_size=10_000_000)
    return file.getvalue()


def jsons() -> Made:
    """Shapes that are hard to read, to repair or to compare."""
    turns = 2 * np.pi * np.arange(3000) * 1499 / 3000
    star = [[float(np.cos(turn)), float(np.sin(turn))] for turn in turns]
    yield "star", "a.geojson", collection(feature({"type": "Polygon", "coordinates": [[*star, star[0]]]}))
    yield "equal squares", "a.geojson", collection(*(feature(square(), id=f"{i}") for i in range(1000)))
    yield "squares in squares", "a.geojson", collection(*(feature(square(0, 0, 1 + i), id=f"{i}") for i in range(1000)))
    combs = []
    for number in range(60):
        teeth = [[x + 0.001 * number, y] for x in range(400) for y in ((0, 1) if x % 2 else (1, 0))]
        combs.append(
            feature({"type": "Polygon", "coordinates": [[*teeth, [400, -1], [0, -1], teeth[0]]]}, id=f"{number}")
        )
    yield "combs", "a.geojson", collection(*combs)
    holes = [square(0, 0, 100)["coordinates"][0]]
    holes += [square(x / 2 + 0.1, y / 2 + 0.1, 0.3)["coordinates"][0] for x in range(190) for y in range(190)]
    yield "holes", "a.geojson", collection(feature({"type": "Polygon", "coordinates": holes}))
    yield "far islands", "a.geojson", collection(*(feature(square(3 * i, 0), id=f"{i}") for i in range(3000)))
    nested: Any = {"type": "Point", "coordinates": [0, 0]}
    for _ in range(400):
        nested = {"type": "GeometryCollection", "geometries": [nested]}
    yield "collections", "a.geojson", collection(feature(nested))
    yield (
        "many points",
        "a.geojson",
        collection(feature({"type": "MultiPoint", "coordinates": [[i % 360 - 180, i % 90] for i in range(300_000)]})),
    )
    for name, value in (("small", 1e-320), ("large", 1.7e308), ("endless", float("inf")), ("none", float("nan"))):
        yield (
            f"{name} coordinates",
            "a.geojson",
            collection(feature(square(0, 0, value)), feature(square(5, 5), id="b")),
        )
    for name, geometry in (
        ("no geometry", None),
        ("empty polygon", {"type": "Polygon", "coordinates": []}),
        ("texts", {"type": "Polygon", "coordinates": [["a", "b"]]}),
        ("one corner", {"type": "Polygon", "coordinates": [[[0, 0]]]}),
        ("unclosed", {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]]]}),
        ("a number", 5),
        ("unknown", {"type": "Sphere", "coordinates": [[0, 0]]}),
        ("line", {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}),
    ):
        yield name, "a.geojson", collection(feature(geometry))
    yield "wide", "a.geojson", collection(feature(square(), **{f"c{i}": i for i in range(3000)}))
    yield (
        "mixed values",
        "a.geojson",
        collection(*(feature(square(i), v=v) for i, v in enumerate([1, "a", [1], {"b": 2}, None]))),
    )
    yield "large numbers", "a.geojson", collection(feature(square(), population=10**400, id=10**30))
    yield "half a character", "a.geojson", collection(feature(square(), id="x")).replace(b'"x"', b'"\\ud800"')
    yield "deep lists", "a.geojson", b'{"type":"FeatureCollection","features":' + b"[" * 100_000
    yield "deep objects", "a.geojson", b'{"type":"Feature","a":' * 100_000
    yield "deep other", "a.json", b'{"a":' * 100_000
    yield "broken text", "a.geojson", collection(feature(square(), id="x")).replace(b'"x"', b'"\xff\xfe"')
    arcs = {
        "type": "Topology",
        "objects": {"a": {"type": "Polygon", "arcs": [[999999999]]}},
        "arcs": [[[0, 0], [1, 1]]],
    }
    yield "arcs beyond", "a.topojson", json.dumps(arcs).encode()
    arcs["transform"] = {"scale": [0, "x"], "translate": [1e308, None]}
    yield "transform", "a.topojson", json.dumps(arcs).encode()
    yield (
        "many objects",
        "a.topojson",
        json.dumps(
            {
                "type": "Topology",
                "objects": {f"{i}": {"type": "Point", "coordinates": [0, 0]} for i in range(5000)},
                "arcs": [],
            }
        ).encode(),
    )


def texts(canaries: Canaries) -> Made:
    yield "equal headers", "a.csv", b",".join([b"name"] * 3000) + b"\n" + b",".join([b"1"] * 3000)
    yield "commas", "a.csv", b"," * 100_000 + b"\n" + b"," * 100_000
    yield "commas once", "a.csv", b"name,count\na" + b"," * 1_000_000
    yield "headers that count", "a.csv", b",".join(b"a.%d" % i if i % 2 else b"a" for i in range(3000)) + b"\n1"
    yield "long line", "a.csv", b"name,count\n" + b"x" * 20_000_000 + b",1\n"
    yield "open quote", "a.csv", b'name,count\n"a,1\n' + b"b,2\n" * 100_000
    yield "quotes", "a.csv", b'"' * 1_000_001
    yield "no text", "a.csv", bytes(range(1, 256)) * 1000
    yield "zeros later", "a.csv", b"name,count\n" + b"a,1\n" * 2000 + b"\0" * 1000
    yield "line ends", "a.csv", b"name,count\r\r\n\n\ra,1\r" * 1000
    yield "spaces", "a.csv", b"a" + b"  b" * 50_000 + b"\n" + b"1" + b"  2" * 50_000
    yield "long numbers", "a.csv", b"name,count\na," + b"9" * 1_000_000 + b"\n"
    yield "grouped numbers", "a.csv", b'name,count\na,"' + b"1,000" * 200_000 + b'x"\n'
    yield "odd numbers", "a.csv", b"name,count\na,1e400\nb,-0\nc,nan\nd,inf\ne,0x1\n"
    yield "formulas", "a.csv", f"name,count\n=cmd|' /C calc'!A0,1\n@SUM(1),2\n+{canaries.address},3\n".encode()
    yield "lines", "a.csv", b"name\n" + b"a\n" * 2_100_000
    yield "different lines", "a.csv", b"name,count\n" + b"".join(b"n%d,1\n" % i for i in range(300_000))
    yield "hierarchy", "a.csv", b"".join(b"v%d;%d;*\n" % (i, i % 7) for i in range(200_000))
    yield "wide hierarchy", "a.csv", b"".join(b"v%d" % i + b";a" * 900 + b"\n" for i in range(300))
    yield "utf-16 cut", "a.csv", "name,count\na,1\n".encode("utf-16")[:-1]
    yield "utf-7", "a.csv", b"name,count\n+AGE-,1\n"
    yield "marks", "a.csv", b"\xef\xbb\xbf" * 1000 + b"name,count\na,1\n"
    yield "gal", "a.gal", b"3\na 1\nb\nb 999999999999999999999\na\n"
    yield "gal that promises", "a.gal", b"0 999999999 x y\na 1\nb\n"
    yield "gal of itself", "a.gal", b"1\na 1\na\n"
    yield "edges", "a.csv", b"a,b\n" + b"".join(b"%d,%d\n" % (i, j) for i in range(500) for j in range(i))
    yield "census", "a.txt", b"SMITH 1.006 1.006 1\n" * 5 + b"X 9e999 1 2\n"
    yield "positions", "a.csv", b"name,lon,lat\na,1e308,1e-320\nb,-180,90\nc,181,nan\n"
    yield "equal positions", "a.csv", b"lon,lat\n" + b"0,0\n" * 300_000
    yield "words as positions", "a.csv", b"lon,lat\n" + b"12 34 56,N45 67\n" * 1000


def magics() -> Made:
    for name, data in (
        ("empty", b""),
        ("spaces", b" \n\t" * 1000),
        ("one byte", b"\x00"),
        ("zip head", b"PK\3\4"),
        ("zip end", b"PK\5\6" + bytes(18)),
        ("parquet head", b"PAR1"),
        ("parquet ends", b"PAR1" + struct.pack("<I", 2**31 - 1) + b"PAR1"),
        ("flatgeobuf head", b"fgb\3fgb\0" + struct.pack("<I", 2**31)),
        ("sqlite head", b"SQLite format 3\0"),
        ("shapefile head", b"\0\0\x27\x0a" + bytes(96)),
        ("gzip", b"\x1f\x8b\x08\x00" + bytes(50)),
        ("elf", b"\x7fELF" + bytes(100)),
        ("pdf", b"%PDF-1.7"),
        ("pickle", b"\x80\x04cos\nsystem\n(S'true'\ntR."),
        ("brace", b"{"),
        ("bracket", b"["),
        ("null", b"null"),
    ):
        yield name, "a.bin", data


# --------------------------------------------------------------------------------------------------------- good files


@cache
def shapefile() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        areas().to_file(Path(folder, "a.shp"))
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def areas() -> geopandas.GeoDataFrame:
    places = [shapely.box(x, y, x + 1, y + 1) for x in range(4) for y in range(3)]
    columns = {
        "id": [f"0{i}" for i in range(12)],
        "population": range(10, 22),
        "name": [f"town {i}" for i in range(12)],
    }
    return geopandas.GeoDataFrame(columns, geometry=places, crs=4326)


@cache
def good_files() -> dict[str, bytes]:
    """One small file of every kind, by name."""
    frame = areas()
    table = pd.DataFrame({"name": [f"n{i}" for i in range(40)], "count": range(1, 41), "lon": np.linspace(-80, -70, 40),
                          "lat": np.linspace(40, 45, 40), "sex": ["m", "f"] * 20, "age": range(20, 60)})  # fmt: skip
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("gpkg", "fgb", "geojson"):
            frame.to_file(Path(folder, f"a.{ending}"))
        frame.to_parquet(Path(folder, "shapes.parquet"))
        table.to_parquet(Path(folder, "table.parquet"))
        table.to_excel(Path(folder, "table.xlsx"), index=False)
        for path in Path(folder).iterdir():
            files[path.name] = path.read_bytes()
    files["a.zip"] = packed(zipfile.ZIP_DEFLATED, **shapefile())
    files["stored.zip"] = packed(**shapefile())
    files["table.csv"] = table.to_csv(index=False).encode()
    files["table.tsv"] = table.to_csv(index=False, sep="\t").encode("utf-16")
    files["edges.gal"] = b"3\na 1\nb\nb 2\na c\nc 1\nb\n"
    arcs = [[[1, 0], [1, 1]], [[1, 1], [0, 1], [0, 0], [1, 0]], [[1, 0], [2, 0], [2, 1], [1, 1]]]
    shapes = [
        {"type": "Polygon", "arcs": [[0, 1]], "properties": {"id": "06001", "population": 1}},
        {"type": "Polygon", "arcs": [[2, -1]], "properties": {"id": "06002", "population": 2}},
    ]
    objects = {"areas": {"type": "GeometryCollection", "geometries": shapes}}
    files["a.topojson"] = json.dumps({"type": "Topology", "arcs": arcs, "objects": objects}).encode()
    return files


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """A few bytes changed, a part cut out, doubled, cleared or moved."""
    content = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        start = int(rng.integers(0, len(content)))
        end = min(len(content), start + int(rng.integers(1, 1 + max(2, len(content) // 8))))
        way = int(rng.integers(0, 7))
        if way == 0:
            for place in rng.integers(0, len(content), int(rng.integers(1, 12))):
                content[place] = int(rng.integers(0, 256))
        elif way == 1:
            content[start] ^= 1 << int(rng.integers(0, 8))
        elif way == 2 and end - start < len(content):
            del content[start:end]
        elif way == 3:
            content[start:start] = content[start:end]
        elif way == 4:
            content[start:end] = bytes([int(rng.choice([0, 255]))]) * (end - start)
        elif way == 5 and start > 8:
            del content[start:]
        else:
            value = int(rng.choice([2**31 - 1, 2**32 - 1, 2**16, 10**6]))
            content[start : start + 4] = struct.pack("<I", value)
    return bytes(content) or b"\x00"
