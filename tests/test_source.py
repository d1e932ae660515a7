"""Tables as people have them: what must be understood, and what must not be lost without a word."""

import io
import os
import threading

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.io import source
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from tests.sentences import SECOND_WAS_READ_AS, TWO_COLUMNS_ARE_CALLED

SHAPE = (
    b'{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"id": "01", "pop": 3}, "geometry": '
    b'{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}}]}'
)


def parquet(frame):
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("mark", ["'", "’", "\u00a0", "\u202f", ","])
def test_thousands_separators_of_several_countries(mark):
    labels = kanon.read_labels(f"name;count\nA;1{mark}234{mark}567\nB;2\n".encode())
    assert labels.counts.tolist() == [1234567, 2]


@pytest.mark.parametrize("value", ["1.234,5", "0x10", "3 people", "1_000"])
def test_counts_that_cannot_be_read_are_not_taken_for_records(value):
    with pytest.raises(kanon.InvalidInput, match="count is|column “count”|Column count"):
        kanon.read_labels(f"name;count\nA;{value}\nB;2\n".encode())
    with pytest.raises(kanon.InvalidInput, match="Column count"):
        kanon.read_regions(SHAPE, counts=f"id;count\n01;{value}\n".encode(), id="id")


def test_values_without_a_column_name_are_refused_and_not_dropped():
    with pytest.raises(
        kanon.InvalidInput, match="Row 1 of the upload has 3 values, but the first line names 2 columns"
    ):
        kanon.read_labels(b"name,count\nA,3,9\nB,2,8\n")
    assert kanon.read_labels(b"name,count\r\nA,3,\r\nB,2,\r\n").total == 5
    assert kanon.read_labels(b"name,count\rA,3\rB,2\r").total == 5


def test_two_columns_of_one_name_are_noted():
    _, notes = read_frame(Source.open(b"name,name,count\nA,B,3\n"))
    assert notes == (f"{TWO_COLUMNS_ARE_CALLED} “name”; {SECOND_WAS_READ_AS} “name.1”.",)


def test_columns_aligned_by_spaces_may_hold_spaces():
    assert kanon.read_labels(b"name     count\nNew York     3\nRome         4\n").names.tolist() == ["New York", "Rome"]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp1252", "José"),
        ("cp1252", "M€ller “B”"),
        ("latin-1", "Straße"),
        ("shift_jis", "東京の大阪"),
        ("utf-16", "José"),
    ],
)
def test_encodings(encoding, name):
    assert kanon.read_labels(f"name,count\n{name},3\nBo,4\n".encode(encoding)).names[0] == name


def test_the_index_of_a_parquet_file_is_a_column():
    frame = pd.DataFrame({"name": ["a", "b"], "count": [1, 2]}).set_index("name")
    assert kanon.read_labels(parquet(frame)).names.tolist() == ["a", "b"]


def test_bytes_are_left_out_with_a_word():
    frame, notes = read_frame(Source.open(parquet(pd.DataFrame({"name": [b"\xff", b"b"], "count": [1, 2]}))))
    assert list(frame.columns) == ["count"]
    assert notes == ("Columns that hold bytes, not text, were left out: name.",)


def test_truth_values_are_no_counts():
    data = parquet(pd.DataFrame({"name": ["a", "b"], "count": [True, False]}))
    with pytest.raises(kanon.InvalidInput, match="row 1 of the upload is True"):
        kanon.read_labels(data, count="count")


@pytest.mark.parametrize("count", [2**53, 2**53 + 1])
def test_counts_beyond_exact_numbers_are_refused(count):
    with pytest.raises(kanon.InvalidInput, match="2\\^53"):
        kanon.read_labels(f"name,count\na,{count}\n".encode())
    with pytest.raises(kanon.InvalidInput, match="2\\^53"):
        kanon.read_labels(parquet(pd.DataFrame({"name": ["a"], "count": [count]})))


def test_a_cut_parquet_file_has_no_preview():
    with pytest.raises(kanon.InvalidInput, match="cannot be read"):
        kanon.preview(parquet(pd.DataFrame({"name": ["a"]}))[:-9])


def test_a_value_over_several_lines_does_not_hide_the_delimiter():
    rows = "".join(f'{i};"one, two\nthree";x\n' for i in range(30))
    frame, _ = read_frame(Source.open(f"a;b;c\n{rows}".encode()))
    assert frame.shape == (30, 3)
    assert frame["b"].unique().tolist() == ["one, two\nthree"]


def test_pipes_are_read_and_not_waited_for_forever(tmp_path, monkeypatch):
    pipe = tmp_path / "people.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("zip\n06604\n",))
    writer.start()
    assert Source.open(pipe).data == b"zip\n06604\n"
    writer.join()
    monkeypatch.setattr(source, "SECONDS", 0.1)
    with pytest.raises(InvalidInput, match=r"is a pipe, and no data arrived within 0\.1 seconds"):
        Source.open(pipe)
