"""Records counted where they live from the command line: folders and addresses, the SQL, certificates counted again."""

from __future__ import annotations

import json
import os
import sqlite3

import pytest

from kanon_engine import generalize
from kanon_engine.records import count
from tests.cli.command import GEORGIA, VISITS, kanon, refused
from tests.sentences import ALREADY_EXISTS, THERE_IS_NO_COLUMN

SECRET = "postgresql://reader:swordfish@host/births"


@pytest.fixture
def visits(tmp_path):
    """A folder with the records of `VISITS` in two files."""
    head, *rows = VISITS
    folder = tmp_path / "visits"
    folder.mkdir()
    for part, own in enumerate((rows[:9], rows[9:])):
        (folder / f"part-{part}.csv").write_text("\n".join([head, *own]) + "\n", "utf-8")
    return folder


def content(path):
    """A certificate without what differs between two runs."""
    found = json.loads(path.read_text("utf-8"))
    return {name: value for name, value in found.items() if name not in ("seconds", "digest")}


@pytest.mark.parametrize(
    ("command", "by", "total", "items"),
    [("labels", "illness", 25, 3), ("points", "x,y", 25, 4), ("table", "zip,x", 25, 4)],
    ids=["labels", "points", "table"],
)
def test_a_folder_is_counted_and_its_certificate_counted_again(command, by, total, items, visits, tmp_path):
    certificate = tmp_path / "certificate.json"
    made = kanon(command, visits, "--count-by", by, "-k", 6, "--certificate", certificate, "--format", "json")
    assert made.exit_code == 0, made.output
    told = json.loads(made.stdout)
    assert (told["total"], told["items"]) == (total, items)
    assert "column records" not in made.stdout
    assert json.loads(certificate.read_text("utf-8"))["reading"]["mapping"]["by"] == by.split(",")
    assert str(visits.parent) not in certificate.read_text("utf-8")
    again = kanon("verify", certificate, visits)
    assert again.exit_code == 0, again.output
    with (visits / "part-1.csv").open("a", encoding="utf-8") as file:
        file.write("flu,06604,0,0\n")
    assert "“instance”" in refused(kanon("verify", certificate, visits))


def test_labels_that_are_counted_keep_rules_and_are_counted_again(visits, tmp_path):
    certificate, sets = tmp_path / "certificate.json", tmp_path / "sets.csv"
    sets.write_text("flu,gout\n", "utf-8")
    asked = ["-k", 7, "--certificate", certificate]
    made = kanon("labels", visits, "--count-by", "illness", "--together", sets, "--class-names", "largest", *asked)
    assert made.exit_code == 0, made.output
    assert json.loads(certificate.read_text("utf-8"))["class_weights"]["data"] == [18, 7]
    again = kanon("verify", certificate, visits)
    assert again.exit_code == 0, again.output
    edited = certificate.read_text("utf-8").replace('"gout"', '"nothing"')
    certificate.write_text(edited, "utf-8")
    assert "nothing" in refused(kanon("verify", certificate, visits))


def test_counts_of_a_folder_are_those_of_a_file_with_a_row_a_record(tmp_path):
    keys = [feature["properties"]["AreaKey"] for feature in json.loads(GEORGIA.read_text("utf-8"))["features"]]
    rows = [f"{key}" for place, key in enumerate(keys) for _ in range(3 + place % 5)]
    (tmp_path / "people").mkdir()
    for path in (tmp_path / "people.csv", tmp_path / "people" / "part.csv"):
        path.write_text("\n".join(["key", *rows]) + "\n", "utf-8")
    told = ["-k", 60, "--id", "AreaKey", "--algorithm", "tree-split", "--certificate"]
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    counts = ["--counts", tmp_path / "people.csv", "--counts-id", "key", "--per-record"]
    living = ["--records", tmp_path / "people", "--count-by", "key"]
    assert kanon("regions", GEORGIA, *counts, *told, one).exit_code == 0
    assert kanon("regions", GEORGIA, *living, *told, other).exit_code == 0
    assert content(one) == content(other)
    assert kanon("verify", other, GEORGIA, "--records", tmp_path / "people").exit_code == 0
    assert kanon("verify", other, GEORGIA, "--counts", tmp_path / "people.csv").exit_code == 0
    assert "--counts" in refused(kanon("verify", other, GEORGIA))


def test_a_dry_run_shows_the_sql_and_writes_nothing(visits, tmp_path):
    shown = kanon("labels", visits, "--count-by", "illness", "-k", 6, "--dry-run", "--certificate", tmp_path / "c.json")
    assert shown.exit_code == 0, shown.output
    assert "GROUP BY" in shown.stdout
    assert '"illness"' in shown.stdout
    assert "flu" not in shown.stdout
    assert not (tmp_path / "c.json").exists()
    wrong = kanon("labels", visits / "part-0.csv", "-k", 6, "--dry-run")
    assert wrong.exit_code == 2
    assert "--count-by" in wrong.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["labels", "visits", "-k", 6], "--count-by"),
        (["labels", "visits", "-k", 6, "--count-by", "zip,x"], "Records are counted by 1 column"),
        (["labels", "visits", "-k", 6, "--count-by", "ilness"], f"{THERE_IS_NO_COLUMN} 'ilness'"),
        (["labels", "visits", "-k", 6, "--count-by", "illness", "--label", "x"], "--label"),
        (["labels", "visits", "-k", 6, "--count-by", "illness", "--table", "births"], "births"),
        (["table", "visits", "-k", 6, "--count-by", "zip,ilness"], f"{THERE_IS_NO_COLUMN} 'ilness'"),
        (["table", "visits", "-k", 6, "--count-by", "zip", "--quasi-identifiers", "x"], "--quasi-identifiers"),
        (["table", "visits", "-k", 6, "--count-by", "zip", "--weight", "x", "--dry-run"], "--weight"),
        (["table", "visits", "-k", 6, "--count-by", "zip,x", "--diversity", "x=2"], "'x' is a quasi-identifier, so"),
        (["table", "visits", "-k", 6], "--count-by"),
        (["table", "b.sqlite", "-k", 6], "--table"),
        (["clusters", "b.sqlite", "-k", 6], "a database"),
        (["clusters", "spark:local?path=visits", "-k", 6], "read from a file"),
        (["regions", GEORGIA, "-k", 6, "--count-by", "zip"], "--records"),
        (["regions", GEORGIA, "-k", 6, "--records", "visits"], "--count-by"),
        (["regions", "spark:local?path=visits", "-k", 6, "--records", "visits", "--count-by", "zip"], "--records"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_a_sentence(arguments, words, visits, monkeypatch):
    monkeypatch.chdir(visits.parent)
    with sqlite3.connect("b.sqlite") as database:
        database.execute("CREATE TABLE births (zip TEXT)")
    assert words in refused(kanon(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ["labels", SECRET, "-k", 6, "--count-by", "illness"],
        ["labels", SECRET, "-k", 6],
        ["clusters", SECRET, "-k", 6],
        ["regions", GEORGIA, "-k", 6, "--records", SECRET, "--count-by", "zip"],
        ["verify", GEORGIA, SECRET],
        ["audit", GEORGIA, SECRET],
        ["intersect", GEORGIA, GEORGIA, SECRET],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(arguments):
    told = refused(kanon(*arguments))
    assert "KANON_PASSWORD" in told
    assert "swordfish" not in told


def test_a_certificate_of_a_file_is_not_counted(visits, tmp_path):
    certificate = tmp_path / "certificate.json"
    assert (
        kanon("labels", visits / "part-0.csv", "-k", 3, "--label", "illness", "--certificate", certificate).exit_code
        == 0
    )
    assert "a file that was read" in refused(kanon("verify", certificate, f"spark:local?path={visits}"))


@pytest.mark.parametrize("by", ["illness", [7], None, {"illness": 1}, ["illness", "zip"]])
def test_edited_columns_of_a_certificate_are_refused(by, visits, tmp_path):
    certificate = tmp_path / "certificate.json"
    assert kanon("labels", visits, "--count-by", "illness", "-k", 6, "--certificate", certificate).exit_code == 0
    found = json.loads(certificate.read_text("utf-8"))
    found["reading"]["mapping"]["by"] = by
    certificate.write_text(json.dumps(found), "utf-8")
    assert os.fspath(visits.parent) not in refused(kanon("verify", certificate, visits))


def test_records_are_released_where_they_live(visits, tmp_path):
    certificate, out = tmp_path / "certificate.json", tmp_path / "out.csv"
    assert kanon("labels", visits, "--count-by", "illness", "-k", 9, "--certificate", certificate).exit_code == 0
    told = [certificate, visits, "--records", visits, "--by", "illness", "--keep", "zip", "--out", out]
    shown = kanon("release", *told, "--dry-run")
    assert shown.exit_code == 0, shown.output
    assert "JOIN" in shown.stdout
    assert not out.exists()
    made = kanon("release", *told, "--format", "json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["records"] == 25
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 26
    assert not any(illness in line for line in lines for illness in ("flu", "cold", "gout"))
    assert ALREADY_EXISTS in refused(kanon("release", *told))
    assert kanon("release", *told, "--force").exit_code == 0
    assert out.read_text("utf-8").splitlines() == lines
    assert {path.name for path in tmp_path.iterdir()} == {"certificate.json", "out.csv", "visits"}
    in_file = [certificate, visits, "--records", visits / "part-0.csv", "--by", "illness", "--out", out, "--force"]
    assert kanon("release", *in_file, "--dry-run").exit_code == 0
    assert kanon("release", *told, "--force", "--together", 3).exit_code == 2


def test_a_table_that_was_counted_where_it_lives_is_verified(visits, tmp_path):
    certificate = tmp_path / "certificate.json"
    table = count(visits, ["illness", "x"])
    g = generalize(table, 5, "mondrian")
    certificate.write_text(g.to_json(), "utf-8")
    assert kanon("verify", certificate, visits).exit_code == 0
    found = json.loads(g.to_json())
    for name, value in (("bins", 7), ("hierarchies", "/etc/hostname"), ("trees", 5), ("unit", None), ("file", "x")):
        edited = json.loads(json.dumps(found))
        edited["reading"]["mapping"][name] = value
        certificate.write_text(json.dumps(edited), "utf-8")
        told = refused(kanon("verify", certificate, visits))
        assert "edited" in told or name == "bins"


def test_a_table_is_counted_with_its_orders_and_released_where_it_lives(visits, tmp_path):
    certificate, out = tmp_path / "certificate.json", tmp_path / "out.csv"
    levels = tmp_path / "levels.csv"
    levels.write_text("06604;west\n06605;west\n", "utf-8")
    told = ["table", visits, "--count-by", "zip,x", "-k", 4, "--sensitive", "illness", "--hierarchies", f"zip={levels}"]
    told += ["--bins", "x=2", "--algorithm", "mondrian", "--certificate", certificate]
    shown = kanon(*told, "--dry-run")
    assert all(f'"{name}"' in shown.stdout for name in ("zip", "x", "illness"))
    assert not certificate.exists()
    made = kanon(*told)
    assert made.exit_code == 0, made.output
    assert "the records of visits" in made.stdout
    levels.unlink()
    assert kanon("verify", certificate, visits).exit_code == 0
    release = ["release", certificate, visits, "--records", visits, "--sensitive", "illness", "--out", out]
    assert "JOIN" in kanon(*release, "--dry-run").stdout
    assert kanon(*release).exit_code == 0
    lines = out.read_text("utf-8").splitlines()
    assert (lines[0], len(lines)) == ("zip,x,illness", 26)
