"""Distinct values and their counts are those of the file that is read whole, and what is wrong is said in words."""

import gzip
import json
import threading
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.records import Records, counted, joint_groups
from kanon_engine.records.counted import counting
from kanon_engine.records.engines.duckdb import read_share
from kanon_engine.records.engines.running import followed
from tests.sentences import THERE_IS_NO_COLUMN, THERE_IS_NO_FILE_OR_FOLDER

ROWS = [("06604", "41"), ("06605", "7"), ("", "7"), ("06604", "41"), ("6604", ""), ("Ö, a", 'say "x"'), ("", "")]


def table(counts):
    """Rows as a Counter, missing values as None."""
    return Counter(
        {tuple(None if pd.isna(value) else value for value in row[:-1]): row[-1] for row in counts.to_numpy(object)}
    )


def rows_of(frame, columns):
    return Counter(tuple(None if pd.isna(value) else value for value in row) for row in frame[columns].to_numpy(object))


@pytest.fixture
def csv(tmp_path):
    def made(name="people.csv", rows=ROWS, delimiter=",", packed=False):
        text = pd.DataFrame(rows, columns=["zip", "age"]).to_csv(index=False, sep=delimiter)
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        return path

    return made


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("delimiter", "packed"), [(",", False), (";", False), ("\t", False), ("|", True)])
@pytest.mark.parametrize("by", [["zip"], ["age", "zip"]])
def test_counts_are_those_of_the_file_read_whole(csv, opened, by, delimiter, packed):
    path = csv("people.csv.gz" if packed else "people.csv", delimiter=delimiter, packed=packed)
    plain, _ = read_frame(Source.open(gzip.decompress(path.read_bytes()) if packed else path))
    found = counted(opened(path), by)
    assert list(found.columns) == [*by, "records"]
    assert table(found) == rows_of(plain, by)


def test_a_folder_is_one_table_and_folders_name_columns(tmp_path, opened):
    for year, zips in (("2023", ["06604", "06605"]), ("2024", ["06604"])):
        folder = tmp_path / "people" / f"year={year}"
        folder.mkdir(parents=True)
        pd.DataFrame({"zip": zips}).to_parquet(folder / "part.parquet")
    (tmp_path / "people" / "_SUCCESS").write_text("")
    (tmp_path / "people" / ".part.parquet.crc").write_text("no file of records")
    records = opened(tmp_path / "people")
    assert table(counted(records, "zip")) == {("06604",): 2, ("06605",): 1}
    assert table(counted(records, ["year", "zip"]))["2023", "06604"] == 1


def test_types_of_parquet_stay(tmp_path, opened):
    path = tmp_path / "people.parquet"
    frame = pd.DataFrame({"n": pd.array([2**60 + 1, None, 2**60 + 1], "Int64"), "x": [0.0, -0.0, 1.5]})
    frame.assign(day=pd.Timestamp("2024-02-29"), inside=[True, False, True]).to_parquet(path)
    path = opened(path)
    found = counted(path, "n")
    assert found["n"].tolist()[0] == 2**60 + 1
    assert found["records"].tolist() == [2, 1]
    assert counted(path, "x").to_numpy().tolist() == [[0.0, 2], [1.5, 1]]
    assert not np.signbit(counted(path, "x")["x"]).any()
    assert counted(path, ["day", "inside"])["records"].tolist() == [1, 2]


def test_numbers_that_are_none_are_missing(tmp_path, opened):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"x": [1.5, float("nan"), None, float("nan")], "y": ["a", "a", "a", None]}), path)
    records = opened(path)
    assert table(counted(records, "x")) == {(1.5,): 1, (None,): 2}
    assert table(counted(records, ["x", "y"])) == {(1.5, "a"): 1, (None, "a"): 2}
    assert joint_groups(records, ["x"]).sizes.tolist() == [1, 2]


def test_whole_numbers_of_all_sizes_stay_whole(tmp_path):
    path = tmp_path / "people.parquet"
    large = pd.array([2**63 + 5, None, 3], "UInt64")
    pd.DataFrame({"large": large, "small": pd.array([200, None, 3], "UInt8")}).to_parquet(path)
    assert counted(path, "large")["large"].tolist()[:2] == [3, 2**63 + 5]
    assert counted(path, "small")["small"].tolist()[:2] == [3, 200]


def test_a_column_named_as_the_counts_is_kept(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("records,age\n5,1\n5,2\n")
    assert counted(path, "records").to_dict("list") == {"records": ["5"], "kept_records": [2]}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"zip,age\n1,2\n3\n", "line 3 has 1 value instead of 2"),
        (b"zip,age\n1,2\n3,4,5\n", "line 3 has 3 values instead of 2"),
        (b'zip,age\n1,"2\n3,4\n', "quotation mark in line 2"),
        (b"zip,age\n" + b"1,2\n" * 60_000 + b"\xe9,2\n", "Line 60002 of people.csv is not in UTF-8"),
        (b"zip,age\n\xe9,2\n", "not in UTF-8"),
        (b"", "is empty"),
        (b"zip,age\n", "no records"),
        (b"zip,age\n,\n", "no records"),
        (b"zip,Zip\n1,2\n", "differ only in capitalization"),
        (b"zip,\n1,2\n", "has no name"),
        (b"%PDF-1.7 x", "kind “pdf”"),
        (b"\x1f\x8b\x08", "compressed with gzip"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, opened, text, said):
    path = tmp_path / "people.csv"
    path.write_bytes(text)
    with pytest.raises(InvalidInput, match=said):
        counted(opened(path), "zip")


def test_other_refusals(csv, tmp_path):
    path = csv()
    with pytest.raises(InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'Zip'"):
        counted(path, "Zip")
    with pytest.raises(InvalidInput, match="listed twice"):
        counted(path, ["zip", "zip"])
    with pytest.raises(InvalidInput, match="at least one column"):
        counted(path, [])
    with pytest.raises(InvalidInput, match=THERE_IS_NO_FILE_OR_FOLDER):
        counted(tmp_path / "none.csv", "zip")
    with pytest.raises(InvalidInput, match="has no table"):
        Records.open(path, "people")
    pd.DataFrame({"zip": ["1"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match="several kinds"):
        counted(tmp_path, "zip")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="holds no CSV or Parquet"):
        counted(tmp_path / "empty", "zip")


def test_a_folder_whose_files_differ_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("zip,age\n1,2\n")
    (tmp_path / "b.csv").write_text("age,zip\n1,2\n")
    with pytest.raises(InvalidInput, match=r"b\.csv starts with the columns age, zip"):
        counted(tmp_path, "zip")


def test_progress_is_told_and_stops(tmp_path, address, opened):
    path = tmp_path / "n.parquet"
    rng = np.random.default_rng(1)
    rows = 3_000_000 if address is str else 300_000  # Spark takes longer
    pd.DataFrame({"n": rng.integers(0, 10**9, rows)}).to_parquet(path)
    heard = []
    with pytest.raises(SearchEnded, match="stopped"):
        counted(opened(path), "n", lambda progress: heard.append(progress) or False)
    assert heard
    assert 0 <= heard[0].done <= 1


def test_a_count_of_csv_says_how_far_it_is(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("n\n" + "\n".join(map(str, range(2_000_000))) + "\n")
    with Records.open(path, threads=1) as records, pytest.raises(SearchEnded):  # stopped before its end
        counted(records, "n", lambda progress: not 0 < progress.done < 1)


def test_a_count_is_nearly_done_when_nearly_all_is_read(tmp_path):
    """DuckDB itself would call it done by 2 / 3 at most: it takes what it makes for as much work as what it reads."""
    path = tmp_path / "n.csv"
    path.write_text("n,m\n" + "".join(f"{n % 7},{n % 3}\n" for n in range(21)) * 140_000)
    heard = []
    with Records.open(path, threads=1) as records:
        query = records.engine.sql(counting(records, ("n", "m")))
        assert 0.3 < records.engine._read_share(query) < 0.7
        joint_groups(records, ["n"], lambda progress: heard.append(progress.done))
    assert max(heard) > 0.7


@pytest.mark.parametrize(
    ("plan", "share"),
    [
        ([("READ_CSV", "60", [])], 1.0),
        ([("HASH_GROUP_BY", "20", [("HASH_GROUP_BY", "20", [("READ_CSV", "60", [])])])], 0.6),
        ([("STREAMING_LIMIT", "0", [("PROJECTION", "9", [("READ_CSV", "60", [])])])], 1.0),
        ([("HASH_GROUP_BY", "", [("READ_CSV", "60", [])])], 1.0),
        ([("HASH_GROUP_BY", "20", [("HASH_JOIN", "60", [("READ_CSV", "60", []), ("READ_CSV", "60", [])])])], 1.0),
        ([("EMPTY_RESULT", "0", [])], 1.0),
    ],
)
def test_the_share_that_is_read_follows_from_the_plan(plan, share):
    def node(name, rows, children):
        known = {"Estimated Cardinality": rows} if rows else {}
        return {"name": f"{name} ", "children": [node(*child) for child in children], "extra_info": known}

    assert read_share(json.dumps([node(*one) for one in plan])) == pytest.approx(share)


def test_reports_never_go_back():
    shares, done, heard = iter([0.2, -1.0, 0.5, 0.1]), threading.Event(), []

    def listen(progress):
        heard.append(progress.done)
        if len(heard) == 4:
            done.set()

    followed(done.wait, listen, "Counting", lambda: next(shares, 7.0), done.set)
    assert heard[:4] == [0.2, 0.2, 0.5, 0.5]


@pytest.mark.thorough("Spark")
def test_what_is_uploaded_joins_and_what_is_written_is_read_again(csv, tmp_path, opened):
    with opened(csv("people [1], x.csv")) as records:
        groups = records.engine.upload(pd.DataFrame({"zip": ["06604", "06605"], "group": [1, 2]}))
        joined = records.table.join(groups, "zip").select("group", "age").order_by(["group", "age"])
        assert records.engine.run(joined).to_numpy().tolist() == [[1, "41"], [1, "41"], [2, "7"]]
        for name in ("out.csv", "out.parquet", "out"):
            records.engine.write(joined, tmp_path / name)
            there = records.engine.run(records.engine.read_written(tmp_path / name))
            assert there.astype(str).to_numpy().tolist() == [["1", "41"], ["1", "41"], ["2", "7"]]
        assert "GROUP BY" in records.engine.sql(records.table.group_by("zip").aggregate(n=records.table.count()))


def test_nothing_heavy_is_loaded_before_a_source_is_opened():
    import subprocess
    import sys

    code = "import sys, kanon_engine, kanon_engine.records; print({'ibis', 'duckdb', 'pyspark'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
