"""Names, types and places that nobody expects: read rightly, or refused in a sentence."""

import datetime
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.records import Grouping, Records, audit, count, counted, intersect, joint_groups, release, sketch
from tests.sentences import IN_THE_FOLDER_OF_THE_RECORDS, NO_TEXT_OR_NUMBERS


def saved(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_columns_called_like_ours_are_released_and_crossed(tmp_path, address):
    """Names that joins and counts use themselves stand for the records' own columns."""
    names = [
        "kanon_group",
        "kanon_count",
        "kanon_group_0",
        "kanon_group_0_0",
        "kanon_group_1",
        "p0",
        "r0",
        "v0",
        "size",
    ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join([",".join(names), "a,0,1,2,3,4,5,6,7", "b,0,1,2,3,4,5,6,8", "b,9,1,2,3,4,5,6,8"]) + "\n")
    labels = count(path, "kanon_group")
    g = kanon.generalize(labels, 1, "fold")
    made = release(address(path), labels, g, tmp_path / "out.csv", by="kanon_group", keep=names[1:])
    assert made.path.read_text().splitlines() == [
        ",".join(["group", *names[1:]]),
        "Group 1,0,1,2,3,4,5,6,7",
        "Group 2,0,1,2,3,4,5,6,8",
        "Group 2,9,1,2,3,4,5,6,8",
    ]
    crossed = intersect(address(path), "kanon_group_0", Grouping(labels, g, "kanon_group"), "kanon_group_1", k=1)
    assert crossed.cells["weight"].tolist() == [1, 2]


@pytest.mark.parametrize(
    "name", ['a"b', "c.d", *(pytest.param(n, marks=pytest.mark.thorough) for n in ("e\nf", "g`h", "é"))]
)
def test_strange_names_of_columns_are_columns(tmp_path, name):
    path = saved(tmp_path / "people.parquet", **{name: ["x", "y", "x"], "age": [1, 2, 3]})
    labels = count(path, "age")
    made = release(path, labels, kanon.generalize(labels, 1, "fold"), tmp_path / "o.parquet", by="age", keep=[name])
    assert counted(path, name)["records"].tolist() == [2, 1]
    assert made.columns == ("group", name)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 1, np.nan], pa.float16()),
        ([0.1, 0.2, 0.1, None], pa.float32()),
        ([1, 2_000_000_000, 1, None], pa.timestamp("ns")),
    ],
)
def test_values_of_every_width_are_placed(tmp_path, values, kind):
    array = pa.array(np.array(values, "float16") if kind == pa.float16() else values, kind)
    path = saved(tmp_path / "people.parquet", value=array, age=[1, 2, 3, 4])
    labels = count(path, "value")
    made = release(path, labels, kanon.generalize(labels, 1, "fold"), tmp_path / "out.csv", by="value")
    assert (made.records, made.unmatched.records) == (4, 0)


def test_numbers_that_are_none_are_missing_whatever_parquet_says_of_them(tmp_path):
    """Its least and largest values leave NaN out, and DuckDB believes that there is none."""
    path = saved(tmp_path / "people.parquet", x=[1.5, float("nan"), 2.5, float("nan")])
    with Records.open(path) as records:
        rows = records.engine.run(records.table.aggregate(all=records.table.count(), known=records.table["x"].count()))
    assert rows.to_numpy().tolist() == [[4, 2]]
    assert joint_groups(path, ["x"]).records == 2  # rows without anything are none


def test_times_leave_with_every_digit_and_their_zone(tmp_path):
    """Four times a nanosecond apart are four in the audit of the records, in the release and in its own audit."""
    times = pa.array([1, 2, 3, 4], pa.timestamp("ns"))
    here = pa.array([0, 0, 3_600_000_000, 3_600_000_000], pa.timestamp("us", "Europe/Berlin"))
    path = saved(tmp_path / "people.parquet", zip=["a", "a", "a", "a"], at=times, here=here)
    labels = count(path, "zip")
    g, quasi = kanon.generalize(labels, 4, "fold"), ["at", "here"]
    made = release(path, labels, g, tmp_path / "o.csv", by="zip", quasi_identifiers=quasi)
    assert made.path.read_text().splitlines()[1:] == [
        f"Group 1,1970-01-01 00:00:00.00000000{n},1970-01-01 0{n > 2:d}:00:00+00" for n in range(1, 5)
    ]
    assert (made.below.records, made.below.smallest) == (4, 1)
    assert audit(path, ["at"], k=2).k_reached == audit(made.path, ["at"], k=2).k_reached == 1


def test_words_that_no_record_has_are_nowhere(tmp_path):
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None]), pa.array(["x", "y", "nobody"]))
    path = saved(tmp_path / "people.parquet", word=words, zip=["a", "a", "b", "b"])
    assert counted(path, "word")["records"].tolist() == [2, 1, 1]
    labels = count(path, "zip")
    made = release(path, labels, kanon.generalize(labels, 1, "fold"), tmp_path / "o.parquet", by="zip", keep=["word"])
    assert b"nobody" not in made.path.read_bytes()


@pytest.mark.parametrize("days", [-800_000, 3_000_000])
def test_dates_that_python_has_not_are_told(tmp_path, days):
    path = saved(tmp_path / "people.parquet", day=pa.array([days, 0], pa.date32()))
    with pytest.raises(InvalidInput, match="before the year 1 or after 9999"):
        counted(path, "day")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\r\nx,1\ny,2\r\n", "lines have different endings"),
        ("a,b\n" + "x" * 3_000_000 + ",2\n", "Line 2 of people.csv is longer than 2,000,000 bytes"),
    ],
)
def test_texts_that_duckdb_cannot_split_are_told(tmp_path, text, said):
    path = tmp_path / "people.csv"
    path.write_text(text, newline="")
    with pytest.raises(InvalidInput, match=said):
        counted(path, "b")


def test_a_column_in_files_and_in_names_of_folders_is_told(tmp_path):
    (tmp_path / "a=5").mkdir()
    (tmp_path / "a=5" / "people.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput, match="'a' is in the files of .* and in the names of its folders"):
        counted(tmp_path, "b")


def test_a_release_never_comes_to_lie_among_opened_records(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "people.csv").write_text("zip\na\na\n")
    labels = kanon.Labels(["a"], [2])
    with Records.open(tmp_path / "in") as records, pytest.raises(InvalidInput, match=IN_THE_FOLDER_OF_THE_RECORDS):
        release(records, labels, kanon.generalize(labels, 2, "fold"), tmp_path / "in" / "out.csv", by="zip")


def test_names_of_tables_may_have_dots(tmp_path):
    with duckdb.connect(str(tmp_path / "d.duckdb")) as database:
        database.execute('CREATE TABLE "a.b" AS SELECT 1 AS n; CREATE SCHEMA a; CREATE TABLE a.c AS SELECT 2 AS n')
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as database:
        database.execute('CREATE TABLE "a.b" AS SELECT 1 AS n')
        database.commit()
    assert counted(Records.open(tmp_path / "d.duckdb", "a.b"), "n")["n"].tolist() == [1]
    assert counted(Records.open(tmp_path / "d.duckdb", "a.c"), "n")["n"].tolist() == [2]
    assert counted(Records.open(tmp_path / "s.sqlite"), "n")["n"].tolist() == [1]


def test_what_duckdb_alone_knows_is_refused_or_text(tmp_path):
    with duckdb.connect(str(tmp_path / "d.duckdb")) as database:
        database.execute(
            "CREATE TABLE t AS SELECT [1] AS list, {'a': 1} AS struct, 'x'::BLOB AS bytes, INTERVAL 1 DAY AS span, "
            "'{}'::JSON AS json, '00000000-0000-0000-0000-000000000005'::UUID AS id"
        )
    with Records.open(tmp_path / "d.duckdb") as records:
        for name in ("list", "struct", "bytes", "span", "json"):
            with pytest.raises(InvalidInput, match=f"'{name}' {NO_TEXT_OR_NUMBERS}"):
                counted(records, name)
        assert counted(records, "id")["id"].tolist() == ["00000000-0000-0000-0000-000000000005"]


@pytest.mark.parametrize("scheme", ["duckdb", "sqlite"])
def test_no_address_makes_a_file(scheme, tmp_path):
    with pytest.raises(InvalidInput, match="give only its path"):
        Records.open(f"{scheme}://{tmp_path}/people", "people")
    assert not list(tmp_path.iterdir())


def test_arguments_that_mean_nothing_are_told(tmp_path):
    path = saved(tmp_path / "people.parquet", zip=["a"], day=[datetime.date(2024, 2, 29)])
    for parts in (0, -1, 2**70):
        with pytest.raises(InvalidInput, match="from 1 to 2,147,483,647"):
            sketch(path, "zip", parts=parts)
    with pytest.raises(InvalidInput, match="at least one column"):
        sketch(path, [])
    for role in ("keep", "sensitive"):
        with pytest.raises(InvalidInput, match="'day'; give a list of columns"):
            audit(path, ["zip"], k=2, **{role: "day"})
