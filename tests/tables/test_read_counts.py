"""Tables from files whose rows stand for several records."""

import json

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.read import read_table
from pages._tables.draft import changed, changes, from_settings, reader_settings
from tests.cli.command import kanon as command
from tests.cli.command import refused
from tests.sentences import LEFT_OUT_BECAUSE_OF_0, NAME_OF_COUNT_SUGGESTS_COUNTS, TOO_MANY_TO_EXAMINE

ROWS = b"zip,sex,people,illness\n06604,f,3,flu\n06604,m,2,cold\n06605,f,0,flu\n06606,f,4,flu\n06606,m,1,gout\n"
NAMED = {"sensitive": ["illness"]}


def test_a_file_of_counts_is_the_table_of_its_records():
    counted = read_table(ROWS, ["zip", "sex"], weight="people", **NAMED)
    assert (len(counted), counted.total, counted.unit) == (4, 10, "people")
    assert counted.frame.columns.tolist() == ["zip", "sex", "illness"]
    assert counted.counted.words == "column people of the upload"
    assert counted.notes[0].startswith("10 people; quasi-identifiers: zip (2 values)")
    assert f"{LEFT_OUT_BECAUSE_OF_0} people: 1 of 5 rows." in counted.notes
    lines = ROWS.decode().splitlines()
    rows = [line for line in lines[1:] for _ in range(int(line.split(",")[2]))]
    plain = read_table("\n".join([lines[0], *rows]).encode(), ["zip", "sex"], identifiers=["people"], **NAMED)
    for algorithm in ("k-optimize", "local-cuts", "mondrian"):
        one, other = (kanon.generalize(table, 3, algorithm) for table in (counted, plain))
        assert (one.cost, one.lower_bound, one.class_weights.tolist()) == (
            other.cost,
            other.lower_bound,
            other.class_weights.tolist(),
        )
        pd.testing.assert_frame_equal(kanon.release(counted, one), kanon.release(plain, other))


def test_each_row_is_a_record_until_somebody_says_that_a_column_counts():
    table = read_table(b"age,count\n30,4\n41,5\n", ["age"])
    assert table.total == 2
    assert table.counted.doubt == (
        f"{NAME_OF_COUNT_SUGGESTS_COUNTS}, but each row is read as one record; if rows represent several "
        "records, set this column as the column of counts."
    )
    assert read_table(b"age,count\n30,4\n41,5\n", ["age"], weight="count").counted.doubt == ""


def test_roles_are_guessed_of_the_records():
    rows = "\n".join(f"{20 + place},{'abcdefghij'[place % 10]},{place}" for place in range(20))
    table = read_table(f"age,town,people\n{rows}\n".encode(), weight="people")
    assert set(table.quasi_identifiers) == {"age", "town"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weight": "persons"}, "persons"),
        ({"weight": "people", "keep": ["people"]}, "given for keep and for weight"),
        ({"weight": "illness"}, "counts in column “illness”"),
    ],
)
def test_a_column_that_cannot_count_is_refused(settings, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        read_table(ROWS, ["zip"], **settings)


@pytest.mark.parametrize("counts", [b"a,n\n1,2\n2,\n", b"a,n\n1,2\n2,1.5\n", b"a,n\n1,0\n2,0\n", b"a,n\n1,2\n2,-1\n"])
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(kanon.InvalidInput, match="column “n”"):
        read_table(counts, ["a"], weight="n")


def test_a_certificate_of_counted_rows_is_verified_from_its_file(tmp_path):
    data, certificate = tmp_path / "rows.csv", tmp_path / "certificate.json"
    data.write_bytes(ROWS)
    asked = ["--quasi-identifiers", "zip,sex", "--weight", "people", "-k", 3]
    done = command("table", data, *asked, "--certificate", certificate, "--format", "json")
    told = json.loads(done.stdout)
    assert (told["items"], told["total"], told["left_out"]) == (4, 10, 0)
    assert "4 rows, 10 people" in command("table", data, *asked).stdout
    assert command("verify", certificate, data).exit_code == 0
    data.write_bytes(ROWS.replace(b"m,1,gout", b"m,2,gout"))
    assert command("verify", certificate, data).exit_code == 1


def test_the_editor_knows_the_column_of_counts():
    settings = {"quasi_identifiers": ["zip"], "weight": "people"}
    columns = from_settings(settings)
    assert reader_settings(columns)["weight"] == "people"
    plain = from_settings({"quasi_identifiers": ["zip"]})
    assert reader_settings(changed(plain, changes(plain, columns))) == reader_settings(columns)
    twice = columns | {"roles": columns["roles"] | {"n": "count"}}
    with pytest.raises(kanon.InvalidInput, match="Two columns hold the counts"):
        reader_settings(twice)


def test_a_certificate_of_more_records_than_can_have_a_row_each_has_an_audit(tmp_path):
    data, certificate = tmp_path / "rows.csv", tmp_path / "certificate.json"
    data.write_bytes(ROWS.replace(b",3,", b",9000000,"))
    asked = ["--quasi-identifiers", "zip,sex", "--weight", "people", "-k", 3]
    done = command("table", data, *asked, "--certificate", certificate, "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["audit"]["records"]) == (0, 9_000_007)
    assert command("verify", certificate, data).exit_code == 0
    assert command("audit", certificate, data).stdout.startswith("The audit found ")
    told = refused(command("release", certificate, data, "--out", tmp_path / "release.csv"))
    assert f"9,000,007 people, {TOO_MANY_TO_EXAMINE}" in told
    assert not (tmp_path / "release.csv").exists()
