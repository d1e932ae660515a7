"""A release made where the records are: the same as `kanon.apply`, nothing of their order, whole or not at all."""

import csv
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.io.limits import limits
from kanon_engine.records import Grouping, Records, audit, count, intersect, sql_of_release
from kanon_engine.records import release as records_release
from kanon_engine.records import rows as rows_module
from kanon_engine.records.release import apart
from tests.sentences import (
    ALREADY_EXISTS,
    EVERY_GROUP_HOLDS_AT_LEAST,
    HOLDS_THE_SAME_VALUES,
    IN_THE_FOLDER_OF_THE_RECORDS,
    IS_NEVER_RELEASED,
    MUST_END_IN_CSV_OR_PARQUET,
    NO_RECORD_IS_IN_A_GROUP,
    RUN_IT_AS_A_FORMULA,
    THERE_IS_NO_FOLDER,
)

MODULE = sys.modules["kanon_engine.records.release"]  # the name in the room is the function's
ROOT = Path(__file__).parents[2]
IDS = ["06604", "06605", "06606", "06607"]


def zips():
    return kanon.Regions(IDS, [30, 20, 20, 40], [(0, 1), (1, 2), (2, 3)], unit="people")


def people(rows=300, seed=3):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "zip": rng.choice([*IDS, "6604", "99999", ""], rows),
            "age": rng.integers(20, 60, rows).astype(str),
            "sex": rng.choice(["f", "m", ""], rows),
            "illness": rng.choice(["flu", "=cold", 'go"ut, two\nlines', "-5"], rows),
            "note": [f"remark {n}" for n in range(rows)],
        }
    )


def saved(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return path


def read(path):
    if path.suffix == ".csv":
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    return pq.read_table(path).to_pandas().astype(object).where(lambda frame: frame.notna(), "").astype(str)


@pytest.fixture
def grouped():
    regions = zips()
    return regions, kanon.generalize(regions, 50, "tree-split")


ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness"]}


@pytest.mark.thorough("Spark")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_it_is_what_apply_releases(grouped, address, ending, tmp_path):
    frame = people()
    own = kanon.apply(*grouped, frame, "zip", k=5, **ROLES)
    source = saved(frame, tmp_path / f"people.{ending}")
    made = records_release(address(source), *grouped, tmp_path / f"out.{ending}", by="zip", k=5, **ROLES)
    wanted = own.frame.astype(object).where(own.frame.notna(), "").astype(str)
    if ending == "csv":
        wanted["illness"] = wanted["illness"].replace("=cold", "'=cold")
    got = read(made.path)
    assert list(got) == list(made.columns) == list(wanted)
    assert Counter(got.itertuples(index=False, name=None)) == Counter(wanted.itertuples(index=False, name=None))
    assert made.own.tolist() == own.own.tolist()
    assert made.below == own.below
    assert made.sentence == own.sentence
    assert made.unmatched == own.unmatched
    assert made.notes == own.notes
    assert made.quasi_identifiers == own.released.quasi_identifiers


@pytest.mark.thorough("parquet")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_bytes_follow_from_the_rows_alone(grouped, address, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 64)
    monkeypatch.setattr(rows_module, "PIECE", 100)
    monkeypatch.setattr(rows_module, "BATCH", 7)
    frame = people(400)
    contents = set()
    for number in range(3):
        folder = tmp_path / f"in {number}"
        folder.mkdir()
        mixed = frame.sample(frac=1, random_state=number)
        if number == 2:  # the type that numbers of a CSV get
            mixed["age"] = mixed["age"].astype(int)
        if number:  # in files of other sizes, of other kinds
            for part, begin in enumerate(range(0, 400, 90 * number)):
                saved(mixed[begin : begin + 90 * number], folder / f"{part}.{['', 'csv', 'parquet'][number]}")
        else:
            saved(mixed, folder / "all.csv")
        target = tmp_path / f"out {number}.{ending}"
        records_release(address(folder) if number else folder, *grouped, target, by="zip", **ROLES)
        contents.add(target.read_bytes())
    assert len(contents) == 1
    assert sorted(os.listdir(tmp_path)) == [*(f"in {n}" for n in range(3)), *(f"out {n}.{ending}" for n in range(3))]


def test_nothing_of_the_source_or_the_machine_is_in_a_file(grouped, tmp_path):
    source = saved(people(), tmp_path / "people-of-1999.parquet")
    made = records_release(source, *grouped, tmp_path / "out.parquet", by="zip", **ROLES)
    content = made.path.read_bytes()
    for told in [*IDS, "99999", "remark", "people-of-1999", "note", str(tmp_path), "kanon", "pandas"]:
        assert told.encode() not in content
    file = pq.ParquetFile(made.path)
    assert list(file.metadata.metadata) == [b"ARROW:schema"]  # the names and types of the columns, which readers drop
    assert not file.schema_arrow.metadata
    assert file.schema_arrow.names == ["group", "age", "sex", "illness"]


def test_a_group_without_records_is_not_in_the_file(tmp_path):
    regions = zips()
    g = kanon.generalize(regions, 50, "tree-split")
    alone = pd.DataFrame({"zip": [regions.ids[np.flatnonzero(g.assignment == 0)[0]]] * 3})
    made = records_release(saved(alone, tmp_path / "a.csv"), regions, g, tmp_path / "o.parquet", by="zip")
    assert b"Group 2" not in made.path.read_bytes()
    assert made.records == 3


@pytest.mark.thorough("Spark")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_types_leave_as_they_are(address, ending, tmp_path):
    frame = pd.DataFrame(
        {
            "zip": ["a", "a", "b", "b"],
            "whole": pd.array([2**53 + 1, None, 3, 3], dtype="Int64"),
            "part": [0.0, -0.0, np.nan, 2.5],
            "yes": pd.array([True, None, False, False], dtype="boolean"),
            "day": pd.to_datetime(["2020-01-02T00:00:00", "2020-01-02T00:00:00", None, "2021-12-31T23:59:58"]),
        }
    )
    labels = kanon.Labels(["a", "b"], [2, 2])
    g = kanon.generalize(labels, 2)
    source = saved(frame, tmp_path / "in.parquet")
    keep = ["whole", "part", "yes", "day"]
    made = records_release(address(source), labels, g, tmp_path / f"o.{ending}", by="zip", keep=keep)
    if ending == "csv":
        assert made.path.read_text().splitlines() == [
            "group,whole,part,yes,day",
            "Group 1,9007199254740993,0.0,True,2020-01-02 00:00:00",
            "Group 1,,0.0,,2020-01-02 00:00:00",
            "Group 2,3,2.5,False,2021-12-31 23:59:58",
            "Group 2,3,,False,",
        ]
    else:
        assert pq.read_table(made.path).to_pylist()[0] == {
            "group": "Group 1",
            "whole": 2**53 + 1,
            "part": 0.0,
            "yes": True,
            "day": "2020-01-02 00:00:00",
        }


def test_points_and_their_rectangles(tmp_path):
    rng = np.random.default_rng(5)
    xy = rng.integers(0, 12, (200, 2)).astype(float)
    points = kanon.Points(xy)
    g = kanon.generalize(points, 20, "kd-tree", snap=1.0)
    frame = pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], "sex": rng.choice(["f", "m"], 200)})
    own = kanon.apply(points, g, frame, ["x", "y"], sensitive=["sex"])
    for ending in ("csv", "parquet"):
        source = saved(frame, tmp_path / f"points.{ending}")
        made = records_release(source, points, g, tmp_path / f"out.{ending}", by=["x", "y"], sensitive=["sex"])
        assert made.own.tolist() == own.own.tolist()
        assert f"{EVERY_GROUP_HOLDS_AT_LEAST} 20 of these records." in made.sentence


@pytest.mark.thorough("Spark")
def test_places_that_were_counted_in_cells_are_released_in_cells(tmp_path, address, monkeypatch):
    few = replace(limits(), rows=200)
    monkeypatch.setattr(sys.modules["kanon_engine.records.count"], "limits", lambda: few)
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.random((900, 2)) * 10, columns=["x", "y"])
    frame["sex"] = rng.choice(["f", "m"], 900)
    source = saved(frame, tmp_path / "places.csv")
    points = count(address(source), ("x", "y"))
    assert points.reading["grid"] is not None
    assert len(points) < 900
    g = kanon.generalize(points, 50, "kd-tree", snap=points.reading["grid"])
    made = records_release(address(source), points, g, tmp_path / "out.csv", by=["x", "y"], keep=["sex"])
    assert made.own.tolist() == made.population.tolist()
    assert made.unmatched.records == 0
    assert made.notes == ()
    assert "floor" in sql_of_release(source, ["x", "y"], instance=points)[0][1].lower()
    crossed = intersect(source, Grouping(points, g, ["x", "y"]), "sex", k=20)
    assert crossed.cells["weight"].sum() == 900
    assert not crossed.cells["group"].isna().any()


def test_records_that_changed_since_they_were_counted_are_told(tmp_path):
    frame = people()
    source = saved(frame, tmp_path / "people.csv")
    labels = count(source, "illness")
    g = kanon.generalize(labels, 60, "fold")
    made = records_release(source, labels, g, tmp_path / "same.csv", by="illness")
    assert made.notes == ()
    assert made.own.tolist() == made.population.tolist()
    saved(frame[2:], source)
    made = records_release(source, labels, g, tmp_path / "changed.csv", by="illness")
    assert "have changed since" in made.notes[0]
    assert "of the 300 records that the groups were made from" in made.sentence


@pytest.mark.thorough("Spark")
def test_a_table_is_released_as_in_memory(address, tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 60, 300).astype(str),
            "sex": rng.choice(["f", "m", ""], 300),
            "illness": rng.choice(["flu", "cold"], 300),
        }
    )
    source = saved(frame, tmp_path / "people.csv")
    table = kanon.read_table(source, ["age", "sex"], sensitive=["illness"])
    g = kanon.generalize(table, 10, "mondrian")
    made = records_release(address(source), table, g, tmp_path / "out.csv", sensitive=["illness"])
    wanted = kanon.release(table, g, ["illness"])
    assert Counter(read(made.path).itertuples(index=False, name=None)) == Counter(
        wanted.astype(str).itertuples(index=False, name=None)
    )
    assert made.below.records == 0
    saved(frame[1:], source)
    with pytest.raises(InvalidInput, match="not made from these records"):
        records_release(source, table, g, tmp_path / "again.csv", sensitive=["illness"])


@pytest.mark.thorough("Spark")
def test_a_counted_table_is_released(address, tmp_path):
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 60, 500).astype(str),
            "sex": rng.choice(["f", "m", "", "?"], 500),
            "zip": rng.choice(["06604", "06605", "6"], 500),
            "illness": rng.choice(["flu", "cold"], 500),
        }
    )
    source = saved(frame, tmp_path / "people.csv")
    quasi = ["age", "sex", "zip"]
    settings = {"bins": {"age": 5}, "sensitive": ["illness"]}
    table = count(address(source), quasi, **settings)
    g = kanon.generalize(table, 10, "mondrian")
    made = records_release(address(source), table, g, tmp_path / "out.csv", sensitive=["illness"])
    whole = kanon.read_table(source, quasi, **settings)
    shown = kanon.release(table, g, ["illness"]).astype(object)
    assert made.records == table.total == len(whole) == len(shown) == 500
    assert Counter(read(made.path).itertuples(index=False, name=None)) == Counter(
        shown.astype(str).itertuples(index=False, name=None)
    )
    assert made.joint.smallest >= 10
    assert f"{EVERY_GROUP_HOLDS_AT_LEAST} 10 of these records." in made.sentence


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (lambda code: code, HOLDS_THE_SAME_VALUES),
        (lambda code: code + "-1234", "contains the values of"),
        (lambda code: (code.astype(float) * 3 + 7).astype(str), "rises and falls with"),
    ],
)
@pytest.mark.parametrize("sampled", [False, True])
def test_a_copy_of_what_says_where_is_refused(column, said, sampled, tmp_path, monkeypatch):
    if sampled:
        monkeypatch.setattr("kanon_engine.records.guards.LOOKED_AT", 100)
    codes = [f"{n:05}" for n in range(6600, 6640)]
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"zip": rng.choice(codes, 400)})
    frame["again"] = column(frame["zip"])
    frame["rare"] = frame["again"].where(rng.random(400) < 0.05, "")
    regions = kanon.Regions(codes, [10] * 40, [(n, n + 1) for n in range(39)])
    g = kanon.generalize(regions, 50, "tree-split")
    source = saved(frame, tmp_path / "people.csv")
    for name in ("again", "rare"):
        with pytest.raises(InvalidInput, match=f"'{name}' {said} 'zip'"):
            records_release(source, regions, g, tmp_path / "out.csv", by="zip", keep=[name])
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize(
    ("target", "roles", "said"),
    [
        ("people.csv", {}, ALREADY_EXISTS),
        ("out.xlsx", {}, MUST_END_IN_CSV_OR_PARQUET),
        ("none/out.csv", {}, THERE_IS_NO_FOLDER),
        ("out.csv", {"keep": ["zip"]}, IS_NEVER_RELEASED),
        ("out.csv", {"keep": ["sx"]}, "'sx'"),
        ("out.csv", {"formulas": "refuse", "keep": ["illness"]}, f"may {RUN_IT_AS_A_FORMULA}"),
        ("out.csv", {"by": "sex"}, NO_RECORD_IS_IN_A_GROUP),
        ("out.csv", {"k": 0}, "k is 0"),
    ],
)
def test_what_cannot_be_is_one_sentence(grouped, target, roles, said, tmp_path):
    source = saved(people(), tmp_path / "people.csv")
    before = source.read_bytes()
    with pytest.raises(InvalidInput, match=said):
        records_release(source, *grouped, tmp_path / target, **{"by": "zip", **roles})
    assert os.listdir(tmp_path) == ["people.csv"]
    assert source.read_bytes() == before


ODD = ["a\rb", "a\nb", "\r\n", "a,b", '"', "'=x", "=x", "-1+2", " x ", "ÄÖ\u2028", "x\ty", "NULL", "NA", "1.0", "\\N"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_odd_text_leaves_as_it_is(ending, tmp_path):
    labels = kanon.Labels(["a"], [2 * len(ODD)])
    frame = pd.DataFrame({"label": "a", "odd": ODD * 2})
    source, target = saved(frame, tmp_path / "in.parquet"), tmp_path / f"out.{ending}"
    records_release(source, labels, kanon.generalize(labels, 5), target, by="label", keep=["odd"])
    escaped = {"=x": "'=x", "'=x": "''=x", "-1+2": "'-1+2", "\r\n": "'\r\n"} if ending == "csv" else {}
    wanted = Counter(escaped.get(text, text) for text in ODD * 2)
    if ending == "csv":
        with target.open(newline="", encoding="utf-8") as file:
            got = Counter(row["odd"] for row in csv.DictReader(file, strict=True))
    else:
        got = Counter(pq.read_table(target)["odd"].to_pylist())
    assert got == wanted


def test_a_release_never_lies_among_the_records(grouped, address, tmp_path):
    saved(people(), tmp_path / "people.csv")
    with pytest.raises(InvalidInput, match=f"is {IN_THE_FOLDER_OF_THE_RECORDS}"):
        records_release(address(tmp_path), *grouped, tmp_path / "out.csv", by="zip")


def test_a_file_that_came_meanwhile_is_not_replaced(grouped, tmp_path):
    source, target = saved(people(), tmp_path / "people.csv"), tmp_path / "out.csv"

    def somebody_writes(report):
        if report.message == "Writing the release":
            target.write_text("mine")

    with pytest.raises(InvalidInput, match=ALREADY_EXISTS):
        records_release(source, *grouped, target, by="zip", progress=somebody_writes)
    assert target.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv"]


@pytest.mark.parametrize("doing", ["Writing the release", "Reading the release"])
def test_a_stopped_run_leaves_nothing(grouped, doing, tmp_path):
    source = saved(people(), tmp_path / "people.csv")
    with pytest.raises(SearchEnded):
        records_release(
            source, *grouped, tmp_path / "out.csv", by="zip", progress=lambda report: doing not in report.message
        )
    assert os.listdir(tmp_path) == ["people.csv"]


def test_records_that_change_while_they_are_read_are_not_released(grouped, tmp_path, monkeypatch):
    frame = people()
    source = saved(frame, tmp_path / "people.csv")

    def somebody_adds(*_):
        saved(pd.concat([frame, frame[frame["zip"] == "06604"][:1]]), source)
        return ()

    monkeypatch.setattr(MODULE, "looked_at", somebody_adds)
    with pytest.raises(InvalidInput, match="changed while it was read"):
        records_release(source, *grouped, tmp_path / "out.csv", by="zip")
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_that_holds_something_else_is_found(grouped, ending, tmp_path, monkeypatch):
    source = saved(people(), tmp_path / "people.csv")

    def spoiled(rows, path, *more):
        rows_module.write(rows, path, *more)
        if ending == "csv":
            path.write_text(path.read_text().replace("flu", "mumps", 1))
        else:
            table = pq.read_table(path)
            pq.write_table(table.slice(1), path)

    monkeypatch.setattr(MODULE, "write", spoiled)
    with pytest.raises(kanon.errors.CertificateError, match="does not hold the intended value|rows, not 220"):
        records_release(source, *grouped, tmp_path / f"out.{ending}", by="zip", **ROLES)
    assert os.listdir(tmp_path) == ["people.csv"]


def test_columns_of_other_types_are_found(grouped, tmp_path, monkeypatch):
    source = saved(people(), tmp_path / "people.csv")

    def spoiled(rows, path, *more):
        rows_module.write(rows, path, *more)
        table = pq.read_table(path)
        place = next(place for place, field in enumerate(table.schema) if pa.types.is_integer(field.type))
        pq.write_table(table.set_column(place, table.column_names[place], table[place].cast(pa.float64())), path)

    monkeypatch.setattr(MODULE, "write", spoiled)
    with pytest.raises(kanon.errors.CertificateError, match="do not have the intended types"):
        records_release(source, *grouped, tmp_path / "out.parquet", by="zip", **ROLES)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_engine_counts_the_groups_of_the_file(grouped, ending, tmp_path, monkeypatch):
    """Where the same mistake is made in writing and in reading again, their sizes still show it."""
    source, batches = saved(people(), tmp_path / "people.csv"), rows_module.CountedRows.batches

    def exchanged(rows):
        return batches(replace(rows, shown=rows.shown[::-1]))

    monkeypatch.setattr(rows_module.CountedRows, "batches", exchanged)
    with pytest.raises(kanon.errors.CertificateError, match="the certificate has no group"):
        records_release(source, *grouped, tmp_path / f"out.{ending}", by="zip", **ROLES)
    assert os.listdir(tmp_path) == ["people.csv"]


RUN = """
import os, signal, sys
import kanon_engine as kanon
from kanon_engine.records import release
regions = kanon.Regions(["06604", "06605", "06606", "06607"], [30, 20, 20, 40], [(0, 1), (1, 2), (2, 3)])
g = kanon.generalize(regions, 50, "tree-split")
def killed(report):
    if report.message == "Reading the release again":
        os.kill(os.getpid(), signal.SIGKILL)
release("people.csv", regions, g, "out.csv", by="zip", progress=killed)
"""


def test_a_killed_run_leaves_nothing_under_its_name_and_the_next_clears_it(grouped, tmp_path):
    source = saved(people(), tmp_path / "people.csv")
    done = subprocess.run([sys.executable, "-c", RUN], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == -signal.SIGKILL
    left = tmp_path / ".out.csv.kanon"
    assert sorted(os.listdir(tmp_path)) == [".out.csv.kanon", "people.csv"]
    assert left.stat().st_mode & 0o077 == 0
    assert any(left.iterdir())
    records_release(source, *grouped, tmp_path / "out.csv", by="zip")
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "people.csv"]


def test_two_runs_do_not_write_one_file(grouped, tmp_path):
    source = saved(people(), tmp_path / "people.csv")
    target = tmp_path / "out.csv"
    with apart(target) as folder:
        (folder / "part").write_text("mine")
        with pytest.raises(InvalidInput, match="Another run is writing"):
            records_release(source, *grouped, target, by="zip")
        assert (folder / "part").read_text() == "mine"
    records_release(source, *grouped, target, by="zip")


def test_a_full_disk_is_one_sentence(grouped, tmp_path):
    source = saved(people(20_000), tmp_path / "people.csv")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, before[1]))
    try:
        with pytest.raises(InvalidInput, match="nothing was released") as caught:
            records_release(source, *grouped, tmp_path / "out.csv", by="zip", **ROLES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["people.csv"]


def test_a_dry_run_asks_for_the_same_and_changes_nothing(tmp_path):
    source = saved(people(), tmp_path / "people.csv")
    asked = sql_of_release(source, "zip", ["age"])
    assert [what for what, _ in asked] == [
        "how many records are in each place",
        "how many records look the same once released",
    ]
    assert '"crosswalk"' in asked[1][1]
    assert os.listdir(tmp_path) == ["people.csv"]


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_records_of_a_database(grouped, kind, tmp_path):
    frame = people()
    path = tmp_path / f"people.{kind}"
    if kind == "sqlite":
        with closing(sqlite3.connect(path)) as store:
            frame.to_sql("people", store, index=False)
    else:
        with closing(duckdb.connect(str(path))) as store:
            store.register("given", frame)
            store.execute("create table people as select * from given")
    wanted = tmp_path / "wanted.csv"
    records_release(saved(frame, tmp_path / "people.csv"), *grouped, wanted, by="zip", **ROLES)
    with Records.open(path, "people") as records:
        made = records_release(records, *grouped, tmp_path / "out.csv", by="zip", **ROLES)
        crossed = intersect(records, Grouping(*grouped, "zip"), "sex", k=5)
        told = audit(records, ["age"], k=2, sensitive=["illness"])
    assert made.path.read_bytes() == wanted.read_bytes()
    somewhere = frame["zip"].isin([*IDS, "6604"]) | (frame["sex"] != "")
    assert (crossed.cells["weight"].sum(), told.records) == (somewhere.sum(), 300)
