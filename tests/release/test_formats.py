"""Files of each kind: the same bytes always, read again from their bytes, refused where one differs."""

import hashlib
import io
import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import geopandas
import numpy as np
import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.project.recipe import Leaving
from kanon_engine.release.formats import FORMATS, written
from kanon_engine.release.publication import outputs
from kanon_engine.release.reread import Claim, groups_claim, reread
from tests.sentences import RUN_IT_AS_A_FORMULA

ROOT = Path(__file__).parents[2]
LABELS = kanon.Labels(["flu", "cold", "gout"], [5, 4, 1])
RESULT = kanon.generalize(LABELS, 5, "fold")


def hostile():
    """Cells that files like to change."""
    frame = pd.DataFrame(
        {
            "group": [1, 2, 3],
            "name": ["=cmd|' /C calc'!A0", None, 'a,"b"\r\nc'],
            "=head": [1.5, np.nan, 1 / 3],
            "mixed": [30, "*", "-5"],
            "day": pd.to_datetime(["2020-01-01"] * 3),
            "yes": [True, False, True],
            "long": [2**60, 1, 2],
            "longer": [2**70, 1, 2],
            "zip": ["06604", "006", "1e5"],
            "words": ["2020-01-01", "2020-01-02", "true"],
        }
    )
    shapes = [shapely.box(0, 0, 1 / 3, 1), shapely.box(1, 0, 2, 1), shapely.MultiPolygon([shapely.box(2, 0, 3, 1)])]
    return geopandas.GeoDataFrame(frame, geometry=shapes, crs="EPSG:4326")


@pytest.mark.parametrize("ending", FORMATS)
def test_a_file_is_read_again_as_it_was(ending):
    frame = hostile()
    reread(written(frame, ending), ending, frame, LABELS, RESULT)


def test_no_spreadsheet_runs_a_cell():
    frame = hostile()
    sheet = openpyxl.load_workbook(io.BytesIO(written(frame, "xlsx"))).worksheets[0]
    rows = list(sheet.iter_rows())
    assert {cell.data_type for row in rows for cell in row} <= {"s", "n", "b"}
    assert rows[0][2].value == "'=head"
    assert rows[1][1].value == "'=cmd|' /C calc'!A0"
    assert [row[8].value for row in rows[1:]] == ["06604", "006", "1e5"]
    with pytest.raises(kanon.InvalidInput, match=RUN_IT_AS_A_FORMULA):
        written(frame, "xlsx", formulas="refuse")
    assert pq.read_table(io.BytesIO(written(frame, "parquet"))).to_pylist()[0]["name"].startswith("=cmd")


@pytest.mark.parametrize(
    ("cell", "said"), [("x" * 40_000, "more than Excel can hold"), ("\x00", "a character that Excel cannot hold")]
)
def test_what_excel_cannot_hold_is_told(cell, said):
    with pytest.raises(kanon.InvalidInput, match=said):
        written(pd.DataFrame({"note": [cell]}), "xlsx")


def test_a_file_tells_nobody_and_no_time():
    frame = hostile()
    with zipfile.ZipFile(io.BytesIO(written(frame, "xlsx"))) as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not any(word in file.read("docProps/core.xml").decode() for word in ("openpyxl", "created", "modified"))
    store = sqlite3.connect(":memory:")
    store.deserialize(written(frame, "gpkg"))
    assert store.execute("select last_change from gpkg_contents").fetchall() == [("1980-01-01T00:00:00.000Z",)]
    assert not pq.read_table(io.BytesIO(written(frame, "parquet"))).schema.metadata


def test_shapes_are_needed_where_a_file_holds_them():
    plain = pd.DataFrame({"group": [1]})
    for ending in ("gpkg", "geojson"):
        with pytest.raises(kanon.InvalidInput, match="There are no shapes"):
            written(plain, ending)
    with pytest.raises(kanon.InvalidInput, match="choose csv, parquet"):
        written(plain, "xls")


SAME = """
import hashlib
from kanon_engine.project.recipe import Leaving
from kanon_engine.release.formats import FORMATS, written
from kanon_engine.release.formats import FORMATS
from tests.release.test_formats import hostile
print(*(hashlib.sha256(written(hostile(), ending)).hexdigest() for ending in FORMATS))
"""


def test_the_same_bytes_in_every_process():
    own = [hashlib.sha256(written(hostile(), ending)).hexdigest() for ending in FORMATS]
    other = os.environ | {"OPENPYXL_LXML": "False"}  # it writes otherwise where lxml is installed
    done = subprocess.run([sys.executable, "-c", SAME], cwd=ROOT, env=other, capture_output=True, text=True, check=True)
    assert done.stdout.split() == own


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("ending", FORMATS)
def test_another_content_is_refused(ending):
    frame = hostile()
    changes = {
        "cell": lambda made: made.assign(group=[1, 2, 4]),
        "text": lambda made: made.assign(zip=["6604", "006", "1e5"]),
        "order": lambda made: made.iloc[::-1].reset_index(drop=True),
        "row": lambda made: made.iloc[:2],
        "column": lambda made: made.assign(id=["flu", "cold", "gout"]),
        "name": lambda made: made.rename(columns={"zip": "id"}),
    }
    if ending in ("gpkg", "geojson"):
        changes["shape"] = lambda made: made.set_geometry(made.geometry.translate(1e-6))
    for change in changes.values():
        content = written(change(frame), ending)
        with pytest.raises(kanon.CertificateError, match="file read again"):
            reread(content, ending, frame, LABELS, RESULT)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("ending", FORMATS)
def test_changed_bytes_are_refused_or_change_nothing_that_is_read(ending):
    frame = hostile()
    content = written(frame, ending)
    rng = np.random.default_rng(7)
    refused = 0
    for place in rng.choice(len(content), 40, replace=False).tolist():
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        try:
            reread(bytes(changed), ending, frame, LABELS, RESULT)
        except kanon.CertificateError:
            refused += 1
    assert refused >= (10 if ending in ("csv", "geojson") else 1)


def test_more_in_a_file_than_its_table_is_refused():
    frame = hostile()
    store = sqlite3.connect(":memory:")
    store.deserialize(written(frame, "gpkg"))
    store.execute("create table crosswalk as select 1 as id")
    store.commit()
    with pytest.raises(kanon.CertificateError):
        reread(store.serialize(), "gpkg", frame, LABELS, RESULT)
    book = openpyxl.load_workbook(io.BytesIO(written(frame, "xlsx")))
    book.create_sheet("crosswalk")
    target = io.BytesIO()
    book.save(target)
    with pytest.raises(kanon.CertificateError):
        reread(target.getvalue(), "xlsx", frame, LABELS, RESULT)


def test_sets_that_the_certificate_does_not_have_are_refused():
    claim = groups_claim(RESULT)
    right = pd.DataFrame({"group": [1, 2], "weight": [5, 5]})
    reread(written(right, "csv"), "csv", right, LABELS, RESULT, claim)
    wrong = [right.assign(weight=[6, 4]), right.iloc[:1], right.assign(group=[1, 3]), right[["group"]]]
    for frame in wrong:
        with pytest.raises(kanon.CertificateError):
            reread(written(frame, "csv"), "csv", frame, LABELS, RESULT, claim)
    small = Claim(("group",), {("1",): 4, ("2",): 6}, "weight", 5)
    light = right.assign(weight=[4, 6])
    with pytest.raises(kanon.CertificateError, match="below 5"):
        reread(written(light, "csv"), "csv", light, LABELS, RESULT, small)


def test_single_items_and_digests_are_refused():
    for column in (["flu", "Group 2"], [LABELS.digest, ""], ["x", f"see {RESULT.digest}"]):
        frame = pd.DataFrame({"group": [1, 2], "weight": [5, 5], "about": column})
        for ending in ("csv", "parquet", "xlsx"):
            with pytest.raises(kanon.CertificateError, match="it holds"):
                reread(written(frame, ending), ending, frame, LABELS, RESULT, groups_claim(RESULT))
    points = kanon.Points(np.random.default_rng(1).uniform(0, 10, (60, 2)))
    g = kanon.generalize(points, 5, "kd-tree")
    groups = next(one for one in outputs(points, g) if one.ending == "groups.csv")
    frame = pd.read_csv(io.BytesIO(groups.make()))
    with pytest.raises(kanon.CertificateError, match="the coordinate of a point"):
        reread(written(frame, "csv"), "csv", frame, points, g)


def test_a_release_that_is_not_the_certificates_is_not_offered(monkeypatch):
    people = pd.DataFrame({"age": [1, 1, 2, 2, 9, 9], "sex": list("fmfmfm"), "name": list("abcdef")})
    table = kanon.Table(people, ["age", "sex"])
    g = kanon.generalize(table, 2, "cell-suppression")
    files = {one.ending: one for one in outputs(table, g)}
    assert {"release.csv", "release.parquet", "release.xlsx", "groups.csv", "groups.xlsx"} <= set(files)
    good = [files[name].make() for name in ("release.csv", "release.parquet", "release.xlsx")]
    assert all(good)
    raw = people[["age", "sex"]]
    monkeypatch.setattr("kanon_engine.tables.release.released_frame", lambda *_given: raw)
    for name in ("release.csv", "release.parquet", "release.xlsx"):
        with pytest.raises(kanon.CertificateError, match="file read again"):
            files[name].make()


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_what_a_review_or_a_recipe_makes_is_read_again_too(monkeypatch, ending):
    people = pd.DataFrame({"age": [1, 1, 2, 2, 9, 9], "sex": list("fmfmfm")})
    table = kanon.Table(people, ["age", "sex"])
    g = kanon.generalize(table, 2, "cell-suppression")
    assert list(Leaving((ending,)).files(table, g, None)) == [f"release.{ending}"]
    monkeypatch.setattr("kanon_engine.tables.release.released_frame", lambda *_given: people)
    with pytest.raises(kanon.CertificateError, match="file read again"):
        Leaving((ending,)).files(table, g, None)


def test_a_code_in_what_a_recipe_makes_is_refused(monkeypatch):
    names = pd.DataFrame({"group": [1, 2], "weight": [5, 5], "name": ["flu", "rest"]})

    monkeypatch.setattr("kanon_engine.project.recipe.release", lambda *_given, **_said: names)
    with pytest.raises(kanon.CertificateError, match="flu"):
        Leaving(("csv",)).files(LABELS, RESULT, None)
