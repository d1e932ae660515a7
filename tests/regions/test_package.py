"""The package of a grouping: every file in it is opened and searched for what may not leave."""

from __future__ import annotations

import csv
import datetime
import getpass
import io
import re
import sqlite3
import struct
import zipfile
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import pypdf
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.regions.group_names import custom_name
from kanon_engine.regions.package import Publication, internal_package, package, quality
from kanon_engine.regions.print_map import on_plane
from kanon_engine.regions.release import coarse_shapes, dissolved
from kanon_engine.release.formats import archive
from tests.cli.command import kanon as command
from tests.cli.command import refused
from tests.sentences import SUM_FROM_1_TO_10, THERE_IS_NO_SECOND_COUNT

ROOT = Path(__file__).parents[2]
DC = ROOT / "sample_data" / "dc_zcta2010.zip"
DAY = datetime.date(2031, 4, 5)
TITLE = "<&> $\\alpha$ 10 %"
MACHINE = ("/home", "/root/", "/tmp", "/usr", "site-packages", str(ROOT), getpass.getuser() + "@")
MACHINE += ("matplotlib", "pyogrio", "numpy", "numba", "GDAL ", "Python/", "tree-split", "assignment", "digest")


def squares(side=7, crs="EPSG:32618"):
    """Areas at coordinates, with counts, codes and names that are found again if they leave."""
    rng = np.random.default_rng(6)
    counts = rng.integers(10_007, 99_991, side * side)
    counts[3] = 400_009  # a group of its own
    corners = [(431_017.3 + 913.7 * x, 4_512_033.9 + 877.1 * y) for y in range(side) for x in range(side)]
    shapes = geopandas.GeoSeries([shapely.box(x, y, x + 913.7, y + 877.1) for x, y in corners], crs=crs)
    edges = [(y * side + x, y * side + x + 1) for y in range(side) for x in range(side - 1)]
    edges += [(y * side + x, y * side + x + side) for y in range(side - 1) for x in range(side)]
    ids = [f"Q{7_000 + number}" for number in range(side * side)]
    names = [f"Town{number // 5} {code}" for number, code in enumerate(ids)]
    columns = {
        "cases": rng.integers(10_103, 10_997, side * side),
        "hidden": rng.integers(200_003, 899_981, side * side),
    }
    return kanon.Regions(ids, counts, edges, shapes, unit="people", names=names, columns=columns)


@pytest.fixture(scope="module")
def made():
    regions = squares()
    return regions, kanon.generalize(regions, 200_000, "tree-split")


@pytest.fixture(scope="module")
def packed(made):
    """The files of the same publication, with and without public codes."""
    regions, g = made
    named = custom_name(regions, np.flatnonzero(g.assignment == 1), "=Old, “town” $\\frac{$ & <b> $x$")
    rates = (("cases", "people"), ("people", "cases"))
    decided = {
        public: Publication(DAY, public, TITLE, "Census", ("cases",), rates, (named,)) for public in (True, False)
    }
    return decided, {public: package(regions, g, own) for public, own in decided.items()}


@pytest.fixture
def undrawn(monkeypatch):
    """No map is drawn, for a test that reads others of the files."""
    nothing = dict.fromkeys(("pdf", "svg", "png"), b"")
    monkeypatch.setattr("kanon_engine.regions.package.drawn", lambda _content: nothing)


def opened(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        assert file.testzip() is None
        return {name: file.read(name) for name in file.namelist()}


def chunks(content: bytes):
    place = 8
    while place < len(content):
        length, kind = struct.unpack(">I4s", content[place : place + 8])
        yield kind.decode(), content[place + 8 : place + 8 + length]
        place += 12 + length


def readable(name: str, content: bytes) -> tuple[str, str]:
    """The words and figures that somebody who opens the file reads, and all else that is in it."""
    raw = content.decode("latin-1")
    if name.endswith(".csv"):
        return "\n".join(cell for row in csv.reader(io.StringIO(content.decode())) for cell in row), ""
    if name.endswith((".txt", ".json")):
        return content.decode("utf-8"), ""
    if name.endswith(".svg"):
        text = content.decode("utf-8")
        return re.sub(r'\b(d|transform|clip-path|x|y|id|style|xlink:href)="[^"]*"', "", text), text
    if name.endswith(".gpkg"):
        store = sqlite3.connect(":memory:")
        store.deserialize(content)
        tables = [table for (table,) in store.execute("select name from sqlite_master where type = 'table'")]
        rows = [
            row
            for table in tables
            if not table.startswith("rtree")
            for row in store.execute(f'select * from "{table}"')
        ]
        cells = [str(cell) for row in rows for cell in row if not isinstance(cell, bytes)]
        sql = [str(text) for (text,) in store.execute("select sql from sqlite_master")]
        told = re.sub(r'AUTHORITY\["EPSG","\d+"\]', "", "\n".join(cells))
        return told, "\n".join([*sql, raw])
    if name.endswith(".pdf"):
        reader = pypdf.PdfReader(io.BytesIO(content))
        assert reader.xmp_metadata is None
        streams = [zlib.decompressobj().decompress(found).decode("latin-1") for found in _streams(content)]
        return "\n".join([str(reader.metadata), *(page.extract_text() for page in reader.pages)]), "\n".join(
            [*streams, raw]
        )
    assert name.endswith(".png")
    assert {kind for kind, _ in chunks(content)} == {"IHDR", "pHYs", "IDAT", "IEND"}  # pixels alone
    return "", ""


def _streams(content: bytes):
    for match in re.finditer(rb"FlateDecode.*?stream\r?\n", content, re.DOTALL):
        end = content.index(b"endstream", match.end())
        yield content[match.end() : end]


def numbers_in(text: str) -> set[int]:
    return {
        int(found.replace(",", "")) for found in re.findall(r"(?<![\d.,#-])\d{1,3}(?:,\d{3})+|(?<![\d.,#-])\d+", text)
    }


@pytest.mark.parametrize("public", [False, True])
def test_no_file_tells_a_single_area_or_the_machine(made, packed, public):
    regions, g = made
    company = np.bincount(g.assignment)[g.assignment] > 1
    assert not company.all()
    files = opened(packed[1][public])
    assert set(files) == {"README.txt", "groups.csv", "groups.gpkg", "map.pdf", "map.svg", "map.png"} | (
        {"codes.csv"} if public else set()
    )
    secret = {int(count) for column in (regions.weights, regions.columns["cases"]) for count in column[company]}
    secret |= set(regions.columns["hidden"].tolist())
    secret |= {int(regions.columns["hidden"][g.assignment == number].sum()) for number in range(g.classes)}
    today = datetime.datetime.now(datetime.UTC)
    for name, content in files.items():
        told, hidden = readable(name, content)
        everything = told + hidden
        assert numbers_in(told) & secret == set(), name
        assert not [count for count in secret if f"{count:,}" in everything], name
        assert not [word for word in MACHINE if word.lower() in everything.lower()], name
        for word in (regions.digest, g.digest, "hidden", today.strftime("%Y-%m-%d"), today.strftime("%Y%m%d")):
            assert word not in everything, (name, word)
        codes = [code for code in regions.ids if re.search(rf"\b{code}\b", everything)]
        assert codes == [] or public, name
        assert "Town" not in everything or public, name
    assert not public or "Town" in files["groups.csv"].decode()


def test_what_the_leak_test_looks_for_is_found_where_it_is(made, packed):
    regions, g = made
    publishable = opened(packed[1][True])
    for name in ("groups.csv", "groups.gpkg", "map.svg", "map.pdf"):
        assert numbers_in(readable(name, publishable[name])[0]) >= set(g.class_weights.tolist()), name
    files = opened(internal_package(regions, g, Publication(DAY)))
    assert set(files) == {"README.txt", "crosswalk.csv", "certificate.json"}
    assert files["README.txt"].startswith(b"INTERNAL: do not publish")
    assert all(code in readable("crosswalk.csv", files["crosswalk.csv"])[0] for code in regions.ids)
    assert "tree-split" in readable("certificate.json", files["certificate.json"])[0]
    kanon.verify(regions, kanon.Generalization.from_json(files["certificate.json"]))


@pytest.mark.parametrize("public", [False, True])
def test_borders_leave_only_where_codes_are_public(made, packed, public):
    regions, g = made
    files = opened(packed[1][public])
    frame = geopandas.read_file(io.BytesIO(files["groups.gpkg"]))
    assert frame.crs == regions.geometry.crs
    own = {tuple(xy) for xy in np.round(shapely.get_coordinates(regions.geometry), 3).tolist()}
    told = {tuple(xy) for xy in np.round(shapely.get_coordinates(frame.geometry), 3).tolist()}
    if public:
        assert told <= own
        assert np.allclose(frame.area, np.bincount(g.assignment) * 913.7 * 877.1)
    else:
        assert not told & own
        assert (np.array(sorted(told)) % 500 == 0).all()
        assert "squares with sides of 500 meters" in files["README.txt"].decode().replace("\n", " ")


def test_the_tables_say_what_the_groups_hold(made, packed):
    regions, g = made
    files = opened(packed[1][True])
    frame = pd.read_csv(io.BytesIO(files["groups.csv"]))
    assert list(frame) == [
        "group",
        "name",
        "people",
        "areas",
        "cases",
        "cases per 1,000 people",
        "people per 1,000 cases",
    ]
    assert frame["people"].tolist() == g.class_weights.tolist()
    assert frame["areas"].tolist() == np.bincount(g.assignment).tolist()
    cases = [int(regions.columns["cases"][g.assignment == number].sum()) for number in range(g.classes)]
    assert frame["cases"].tolist() == cases
    assert np.allclose(frame["cases per 1,000 people"], np.array(cases) * 1_000 / g.class_weights, atol=0.005)
    assert frame["name"][1] == "'=Old, “town” $\\frac{$ & <b> $x$"  # no spreadsheet runs it
    shapes = geopandas.read_file(io.BytesIO(files["groups.gpkg"]))
    assert shapes["name"][1] == "=Old, “town” $\\frac{$ & <b> $x$"
    assert shapes["cases"].tolist() == cases
    codes = pd.read_csv(io.BytesIO(files["codes.csv"]))
    assert dict(zip(codes["code"], codes["group"], strict=True)) == dict(
        zip(regions.ids, g.assignment + 1, strict=True)
    )
    text = files["README.txt"].decode().replace("\n", " ")
    assert f"{g.cost:,} people" in text
    assert "In 1 group, all cases come from a single area, so the sum is that area's own count." in text
    assert "1 of" in text
    assert "single area" in text


@pytest.mark.usefixtures("undrawn")
def test_a_sum_that_is_too_small_keeps_its_column_inside(made):
    regions, g = made
    few = np.where(g.assignment == 2, 0, 50)
    few[np.flatnonzero(g.assignment == 2)[0]] = 4
    regions = replace(regions, columns={"cases": few})
    g = replace(g, instance_digest=regions.digest).sealed()
    with pytest.raises(InvalidInput, match=rf"{SUM_FROM_1_TO_10} in “cases”, which is too small to publish"):
        package(regions, g, Publication(DAY, carry=("cases",)))
    with pytest.raises(InvalidInput, match="'cases' is not one of them; the sums are: people"):
        package(regions, g, Publication(DAY, rates=(("cases", "people"),)))
    with pytest.raises(InvalidInput, match=f"{THERE_IS_NO_SECOND_COUNT} 'homes'"):
        package(regions, g, Publication(DAY, carry=("homes",)))
    assert "cases" not in opened(package(regions, g, Publication(DAY)))["groups.csv"].decode()


@pytest.mark.usefixtures("undrawn")
def test_a_minimum_is_told_where_its_sums_are():
    regions = squares()
    g = kanon.generalize(regions, 200_000, "tree-split", require=kanon.Minimum("cases", 9_000))
    told = opened(package(regions, g, Publication(DAY, carry=("cases",))))["README.txt"].decode()
    assert "at least 9,000 cases" in told.replace("\n", " ")
    told = opened(package(regions, g, Publication(DAY)))["README.txt"].decode()
    assert "9,000" not in told


@pytest.mark.usefixtures("undrawn")
def test_a_rate_of_two_columns_with_one_name_is_that_of_the_weights(made):
    regions, g = made
    regions = replace(regions, columns={"people": regions.columns["cases"], "cases": regions.columns["hidden"]})
    g = replace(g, instance_digest=regions.digest).sealed()
    content = package(regions, g, Publication(DAY, carry=("people", "cases"), rates=(("cases", "people"),)))
    frame = pd.read_csv(io.BytesIO(opened(content)["groups.csv"]))
    assert list(frame)[2:] == ["people", "areas", "people (count)", "cases", "cases per 1,000 people"]
    assert np.allclose(frame["cases per 1,000 people"], frame["cases"] * 1_000 / frame["people"], atol=0.005)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("reading", "words"),
    [
        ({"hidden": "largest"}, "so a group can hold fewer than stated."),
        ({"hidden": "zero"}, "so a group can hold more than stated."),
        ({"hidden": "leave-out"}, "are in no group."),
        ({"rounding": "nearest"}, "were rounded, so"),
    ],
)
def test_the_readme_tells_which_counts_were_not_told(made, reading, words):
    regions, g = made
    told = opened(package(replace(regions, reading=reading), g, Publication(DAY)))["README.txt"].decode()
    assert words in told.replace("\n", " ")
    assert words not in opened(package(regions, g, Publication(DAY)))["README.txt"].decode().replace("\n", " ")


@pytest.mark.usefixtures("undrawn")
def test_one_group_is_told_in_the_singular(made):
    regions, _ = made
    g = kanon.generalize(regions, int(regions.weights.sum()), "tree-split")
    told = opened(package(regions, g, Publication(DAY)))["README.txt"].decode()
    assert told.startswith("1 group of at least ")
    assert "49 areas are joined into 1 connected group." in told


def test_the_bytes_are_the_same_whenever_they_are_made(made, packed, monkeypatch):
    regions, g = made
    decided = packed[0][True]
    first = packed[1][True], internal_package(regions, g, decided)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert (package(regions, g, decided), internal_package(regions, g, decided)) == first
    other = opened(package(regions, g, replace(decided, date=DAY + datetime.timedelta(1))))
    changed = {name for name, content in opened(first[0]).items() if other[name] != content}
    assert changed == {"README.txt", "groups.gpkg", "map.pdf", "map.svg", "map.png"}
    assert {entry.date_time for entry in zipfile.ZipFile(io.BytesIO(first[0])).infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert archive({"a": "1"}) == archive({"a": b"1"})


def test_a_result_that_is_not_what_it_claims_is_not_packed(made):
    regions, g = made
    with pytest.raises(CertificateError):
        package(regions, replace(g, k=g.k + 1).sealed(), Publication(DAY))


def test_areas_without_shapes_have_a_package_of_tables():
    regions = replace(squares(), geometry=None)
    g = kanon.generalize(regions, 200_000, "tree-split")
    assert set(opened(package(regions, g, Publication(DAY, True)))) == {"README.txt", "groups.csv", "codes.csv"}


def test_a_bound_that_is_an_areas_count_is_not_told():
    path = kanon.Regions("abcd", [700, 50, 900, 60], [(0, 1), (1, 2), (2, 3)], unit="people")
    g = kanon.generalize(path, 700, "tree-split")
    assert g.bound_name in ("heaviest area", "light set")
    assert g.lower_bound in (900, 950, 960)
    certificate = kanon.verify(path, g)
    worse = replace(g, cost=g.cost + 45)
    assert f"{g.lower_bound:,}" not in quality(path, worse, certificate)
    assert "above the best possible" in quality(path, worse, certificate)
    assert "No grouping of this kind can do better." in quality(path, replace(g, lower_bound=g.cost), certificate)


def test_coarse_shapes_are_whole_squares_and_every_group_has_one():
    rng = np.random.default_rng(3)
    for crs in (None, "EPSG:4326"):
        xy = rng.uniform((-72.9, 41.0), (-72.1, 41.9), (60, 2))
        cells = shapely.voronoi_polygons(shapely.multipoints(xy), extend_to=shapely.box(-73, 41, -72, 42), ordered=True)
        frame = geopandas.GeoDataFrame(
            {"population": rng.integers(1, 50, 60)}, geometry=list(shapely.get_parts(cells)), crs=crs
        )
        regions = kanon.Regions.from_frame(frame)
        g = kanon.generalize(regions, 20, "tree-split")
        coarse = coarse_shapes(regions, g)
        assert (shapely.area(coarse.shapes) > 0).all()
        assert shapely.is_valid(coarse.shapes).all()
        steps = shapely.get_coordinates(coarse.shapes) / coarse.side
        assert np.allclose(steps, np.round(steps), atol=1e-6)
        assert shapely.area(coarse.shapes).sum() == pytest.approx(shapely.area(shapely.union_all(coarse.shapes)))


@pytest.mark.usefixtures("undrawn")
def test_squares_on_which_areas_lie_are_not_called_anything_else():
    shapes = geopandas.GeoSeries([shapely.box(x, 0, x + 1_000, 1_000) for x in range(0, 6_000, 1_000)], crs=3035)
    row = kanon.Regions("abcdef", [1] * 6, [(place, place + 1) for place in range(5)], shapes)
    g = kanon.generalize(row, 2, "tree-split")
    own = dissolved(shapes.to_numpy(), g)
    assert shapely.equals(coarse_shapes(row, g).shapes, own).all()
    told = opened(package(row, g, Publication(DAY)))["README.txt"].decode().replace("\n", " ")
    assert "squares with sides of 1000 meters, which reveal borders only to within about that length" in told
    assert "no border" not in told


@pytest.mark.parametrize("missing", [None, shapely.Polygon()])
def test_areas_without_a_shape_are_drawn_nowhere(missing):
    shapes = [shapely.box(x, 50, x + 1, 51) for x in range(100, 106)]
    shapes[0] = shapes[2] = shapes[3] = missing
    row = kanon.Regions("abcdef", [1] * 6, [(place, place + 1) for place in range(5)], geopandas.GeoSeries(shapes))
    g = kanon.generalize(row, 2, "tree-split")
    assert g.assignment.tolist() == [0, 0, 1, 1, 2, 2]
    coarse = coarse_shapes(row, g)
    assert coarse.side == 1
    assert [shape.bounds for shape in coarse.shapes[[0, 2]]] == [(101, 50, 102, 51), (104, 50, 106, 51)]
    assert coarse.shapes[1].is_empty
    assert {"groups.gpkg", "map.png"} < set(opened(package(row, g, Publication(DAY))))


def test_a_group_too_small_for_any_square_leaves_the_others_where_they_are():
    widths = [1.0] * 4 + [0.001, 1.0, 1.0]  # the smallest square has a side of 0.01
    ends = 100.0 + np.cumsum([0.0, *widths])
    shapes = geopandas.GeoSeries([shapely.box(a, 0, b, 1) for a, b in pairwise(ends)])
    line = kanon.Regions(range(7), [1] * 7, [(place, place + 1) for place in range(6)], geometry=shapes)
    g = kanon.generalize(line, 1, "tree-split")
    coarse = coarse_shapes(line, g)
    assert g.classes == 7
    middles = shapely.get_coordinates(shapely.centroid(coarse.shapes))[:, 0]
    expected = shapely.get_coordinates(shapely.centroid(shapes.to_numpy()))[:, 0]
    assert np.abs(middles - expected[[np.flatnonzero(g.assignment == number)[0] for number in range(7)]]).max() < 0.5


def test_the_map_of_words_that_mean_something_to_a_drawing_library(packed):
    files = opened(packed[1][True])
    text = pypdf.PdfReader(io.BytesIO(files["map.pdf"])).pages[0].extract_text()
    assert TITLE in text
    assert "k = 200,000 people" in text
    assert "2031-04-05" in text
    assert " km" in text
    assert " mi" in text
    assert "N" in text.split()


def test_without_a_place_on_earth_there_is_no_scale():
    regions = squares(crs=None)
    g = kanon.generalize(regions, 200_000, "tree-split")
    files = opened(package(regions, g, Publication(DAY, False)))
    text = pypdf.PdfReader(io.BytesIO(files["map.pdf"])).pages[0].extract_text()
    assert " km" not in text
    assert "N" not in text.split()
    assert not on_plane(regions, g, None).meters


@pytest.mark.parametrize("field", ["title", "source"])
def test_words_that_are_too_long_are_refused(field):
    with pytest.raises(InvalidInput, match=rf"The {field} has 201 characters; use at most 200"):
        Publication(DAY, **{field: "x" * 201})


ASKED = ["regions", DC, "-k", 20_001, "--algorithm", "tree-split"]


@pytest.mark.usefixtures("undrawn")
def test_the_command_writes_both_packages(tmp_path):
    names = tmp_path / "names.csv"
    names.write_text("name,id\nCapitol Hill,20003\n")
    out, inside = tmp_path / "out.zip", tmp_path / "inside.zip"
    result = command(*ASKED, "--package", out, "--internal-package", inside, "--codes-are-public", "--source", "Census",
                     "--date", "2031-04-05", "--group-names", names, "--title", "Washington")  # fmt: skip
    assert result.exit_code == 0, result.output
    files = opened(out.read_bytes())
    assert "Washington\n==========\nDate: 2031-04-05\nSource of the data: Census" in files["README.txt"].decode()
    assert "Capitol Hill" in files["groups.csv"].decode()
    assert {"crosswalk.csv", "certificate.json", "names.csv"} < set(opened(inside.read_bytes()))
    assert f"{out} (may be published)" in result.stderr
    assert f"{inside} (internal)" in result.stderr
    again = opened(inside.read_bytes())["names.csv"]
    assert again.decode().splitlines()[1].startswith("Capitol Hill,20003,")


def test_the_command_asks_for_what_it_needs(tmp_path):
    out = tmp_path / "out.zip"
    assert refused(command(*ASKED, "--package", out, "--date", "5 April")).startswith("The date is '5 April'")
    assert "write one count, a slash and the count to divide by" in refused(
        command(*ASKED, "--package", out, "--rates", "cases")
    )
    lonely = command(*ASKED, "--title", "Washington")
    assert lonely.exit_code == 2
    assert "--package" in lonely.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("undrawn")
def test_line_breaks_in_a_unit_and_a_column_break_no_line_of_the_texts():
    shapes = geopandas.GeoSeries([shapely.box(x, 0, x + 1, 1) for x in range(4)], crs=4326)
    odd, unit = "ca\nses\u2029s", "pe\nople\u2028x"
    row = kanon.Regions("abcd", [20] * 4, [(0, 1), (1, 2), (2, 3)], shapes, unit=unit, columns={odd: [20] * 4})
    g = kanon.generalize(row, 40, "tree-split", require=kanon.Minimum(odd, 20))
    files = opened(package(row, g, Publication(DAY, carry=(odd,))))
    text = files["README.txt"].decode()
    assert text.startswith("2 groups of at least 40 pe ople x\n===")
    assert "with ca ses s" in " ".join(text.split("\n"))
    assert not {"\u2028", "\u2029"} & {*text}
    assert "\npe\nople" not in text
