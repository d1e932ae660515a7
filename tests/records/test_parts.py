"""Records in parts: sets that are counted part by part are those that are counted at once."""

import numpy as np
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.records import Records, counted, joint_groups
from kanon_engine.records.counted import TooManyValues
from kanon_engine.records.engines import TooLittleMemory
from kanon_engine.records.parts import parts
from tests.compiled import thorough_only


@pytest.fixture
def path(tmp_path):
    """Records with gaps in every column; some are empty in both columns that make sets."""
    rng = np.random.default_rng(5)
    rows = 2_000
    frame = pd.DataFrame(
        {
            "code": rng.choice([*map(str, range(100)), ""], rows),
            "age": rng.choice([*map(str, range(20, 60)), ""], rows),
            "note": "x",
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


@pytest.mark.parametrize("at_once", [*thorough_only([1]), 700, 2_000])
def test_parts_have_the_sets_of_the_whole(path, at_once, monkeypatch):
    whole = joint_groups(path, ["code", "age"])
    monkeypatch.setattr("kanon_engine.records.parts.AT_ONCE", at_once)
    with Records.open(path) as records:
        tables = parts(records, records.table, ("code", "age")).tables
        frames = [records.engine.run(table.select("code", "age").distinct()) for table in tables]
    assert (len(tables) > 1) == (at_once < whole.sets)
    together = pd.concat(frames)
    assert not together.duplicated().any()
    assert len(together) == whole.sets
    found = joint_groups(path, ["code", "age"])
    assert found.sizes.tolist() == whole.sizes.tolist()
    assert found.sets_of.tolist() == whole.sets_of.tolist()
    frame = pd.read_csv(path, dtype=str).groupby(["code", "age"], dropna=False).size().value_counts().sort_index()
    assert found.sizes.tolist() == frame.index.tolist()
    assert found.sets_of.tolist() == frame.tolist()


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("by", [["code", "age"], ["age", "n", "code"], ["day", "x"], ["n", "flag"]])
def test_counts_in_parts_are_those_of_the_whole(tmp_path, by, monkeypatch):
    """Rows, their order and their types, of columns with gaps, zeros with a sign and numbers that are none."""
    rng = np.random.default_rng(6)
    rows = 3_000
    frame = pd.DataFrame(
        {
            "code": rng.choice([*(f"ä{n}" for n in range(40)), "B", "a", None], rows),
            "age": rng.integers(0, 9, rows).astype(np.int8),
            "n": pd.array(rng.choice([*range(30), None], rows), "Int64"),
            "x": rng.choice([-0.0, 0.0, 1.5, -2.25, np.nan], rows),
            "day": pd.to_datetime(rng.integers(0, 50, rows), unit="D"),
            "flag": rng.choice([True, False, None], rows),
        }
    )
    frame.to_parquet(tmp_path / "people.parquet")
    whole = counted(tmp_path / "people.parquet", by)
    heard = []
    monkeypatch.setattr("kanon_engine.records.parts.AT_ONCE", 40)
    with Records.open(tmp_path / "people.parquet") as records:
        split = parts(records, records.table, by)
        found = counted(records, by, heard.append)
    assert len(split.tables) > 2
    assert 0.5 < split.tuples / len(whole) < 2
    pd.testing.assert_frame_equal(found, whole)
    assert sorted(whole["records"]) == sorted(frame.groupby(by, dropna=False).size())
    shares = [progress.done for progress in heard if progress.message == "Counting records"]
    assert shares == sorted(shares)
    assert shares[-1] > 0.5


@pytest.mark.parametrize("by", [*thorough_only([["code", "age"]]), ["code"]])
def test_parts_for_which_memory_is_too_little_are_made_finer(path, by, monkeypatch):
    whole, sets = counted(path, by), joint_groups(path, by)
    heard = []
    with Records.open(path) as records:
        run = records.engine.run

        def small(expression, progress=None, doing="Counting records"):
            found = run(expression, progress, doing)
            if len(found) > 60 or (found.columns[-1] == "sets" and found["sets"].sum() > 60):
                raise TooLittleMemory("No room.")
            return found

        monkeypatch.setattr(records.engine, "run", small)
        pd.testing.assert_frame_equal(counted(records, by, heard.append), whole)
        again = joint_groups(records, by)
        assert (again.sizes.tolist(), again.sets_of.tolist()) == (sets.sizes.tolist(), sets.sets_of.tolist())
        monkeypatch.setattr("kanon_engine.records.parts.MOST", 1)
        with pytest.raises(InvalidInput, match="No room"):
            counted(records, [*by, "note"])
    for message in {progress.message for progress in heard}:
        shares = [progress.done for progress in heard if progress.message == message]
        assert shares == sorted(shares), message


def test_words_that_a_database_enumerates_are_text(tmp_path, monkeypatch):
    import duckdb

    with duckdb.connect(str(tmp_path / "people.duckdb")) as database:
        database.execute("CREATE TYPE size AS ENUM ('small', 'large', 'none')")
        database.execute("CREATE TABLE people (s size, n INTEGER)")
        database.execute("INSERT INTO people VALUES ('small', 2), ('large', 1), (NULL, 1), ('small', 2), ('small', 1)")
    for at_once in (1_000, 1):
        monkeypatch.setattr("kanon_engine.records.parts.AT_ONCE", at_once)
        found = counted(tmp_path / "people.duckdb", ["s", "n"])
        assert isinstance(found["s"].dtype, pd.StringDtype)
        assert found.fillna("").values.tolist() == [["large", 1, 1], ["small", 1, 1], ["small", 2, 2], ["", 1, 1]]


@pytest.mark.parametrize(("most", "asked"), [(100, 1), (1_500, 2)])
def test_too_many_values_are_refused_as_soon_as_they_are_known(path, most, asked, monkeypatch):
    monkeypatch.setattr("kanon_engine.records.parts.AT_ONCE", 1_000)
    with Records.open(path) as records:
        done = []
        run = records.engine.run
        monkeypatch.setattr(records.engine, "run", lambda *words: done.append(words) or run(*words))
        with pytest.raises(TooManyValues, match="code and age"):
            counted(records, ["code", "age"], most=most)
        assert len(done) >= asked
        assert (len(done) == 1) == (asked == 1)
