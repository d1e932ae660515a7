"""Records where they live, looked at without a certificate; the SQL of each command, shown; what was opened, let go."""

from __future__ import annotations

import json
import sqlite3

import pytest

from kanon_engine.cli.summary import audit_figures
from kanon_engine.model.known import FAMILIES
from kanon_engine.records import audit
from kanon_engine.records.engines.duckdb import DuckDB
from tests.cli.command import GEORGIA, VISITS, kanon, refused

ROLES = ["--quasi-identifiers", "zip,x", "--sensitive", "illness", "--keep", "y", "-k", 4]


@pytest.fixture
def visits(tmp_path):
    """A folder with the records of `VISITS` in one file."""
    folder = tmp_path / "visits"
    folder.mkdir()
    (folder / "part.csv").write_text("\n".join(VISITS) + "\n", "utf-8")
    return folder


@pytest.fixture
def certificate(visits, tmp_path):
    """Of the labels of these records."""
    path = tmp_path / "certificate.json"
    assert kanon("labels", visits, "--count-by", "illness", "-k", 6, "--certificate", path).exit_code == 0
    return path


def test_records_are_audited_without_a_certificate(visits):
    with (visits / "part.csv").open("a", encoding="utf-8") as file:
        file.write("mumps,06604,3,0\nmumps,06604,3,1\n")
    told = kanon("audit", "--records", visits, *ROLES, "--format", "json")
    assert told.exit_code == 0, told.output
    found = audit(visits, ["zip", "x"], k=4, sensitive=["illness"], keep=["y"])
    assert json.loads(told.stdout) == audit_figures(found)
    lines = kanon("audit", "--records", visits, *ROLES).stdout
    assert found.sentence in lines
    assert "entropy l" in lines
    assert all(one.what in lines for one in found.findings)
    assert "special uniques" in {one.kind for one in found.findings}


def test_a_dry_run_of_an_audit_shows_its_sql(visits):
    shown = kanon("audit", "--records", visits, *ROLES, "--dry-run")
    assert shown.exit_code == 0, shown.output
    assert all(f'"{name}"' in shown.stdout for name in ("illness", "zip", "x", "y"))
    assert shown.stdout.count(";") >= 5
    assert "flu" not in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--records"),
        (["--records", "visits"], "--quasi-identifiers"),
        (["--records", "visits", "--quasi-identifiers", "zip"], "--k"),
        (["--records", "visits", "--quasi-identifiers", "zip", "-k", 2, "--counts", "visits"], "--counts"),
        ([GEORGIA, "visits", "--quasi-identifiers", "zip"], "--quasi-identifiers"),
        ([GEORGIA], "FILE"),
    ],
)
def test_flags_that_do_not_fit_are_usage_errors(arguments, words, visits, monkeypatch):
    monkeypatch.chdir(visits.parent)
    told = kanon("audit", *arguments)
    assert told.exit_code == 2
    assert words in told.output


def test_roles_that_cannot_be_are_refused(visits):
    told = refused(kanon("audit", "--records", visits, "--quasi-identifiers", "zip", "--keep", "zip", "-k", 2))
    assert "'zip'" in told


def test_a_dry_run_shows_what_is_counted_again_and_checks_nothing(visits, certificate):
    (visits / "part.csv").write_text("illness,zip\nmumps,06604\n", "utf-8")  # which the certificate is not of
    for command in (["verify", certificate], ["audit", certificate], ["intersect", certificate, certificate]):
        shown = kanon(*command, visits, "--dry-run")
        assert shown.exit_code == 0, shown.output
        assert "GROUP BY" in shown.stdout
        assert '"illness"' in shown.stdout
        assert "mumps" not in shown.stdout


def test_a_dry_run_about_areas_shows_how_their_records_are_counted(visits, certificate):
    found = json.loads(certificate.read_text("utf-8"))
    reader = FAMILIES["regions"].reader
    found["reading"]["mapping"] = {"reader": reader.name, "id": "AreaKey", "counts_id": "zip", "per_record": True}
    certificate.write_text(json.dumps(found), "utf-8")
    shown = kanon("verify", certificate, GEORGIA, "--records", visits, "--dry-run")
    assert shown.exit_code == 0, shown.output
    assert '"zip"' in shown.stdout
    told = kanon("verify", certificate, GEORGIA, "--dry-run")
    assert told.exit_code == 2
    assert "--records" in told.output


def test_a_dry_run_of_what_is_read_is_a_usage_error(visits, tmp_path):
    path = tmp_path / "file.json"
    made = kanon("labels", visits / "part.csv", "--label", "illness", "-k", 6, "--certificate", path)
    assert made.exit_code == 0, made.output
    told = kanon("verify", path, visits / "part.csv", "--dry-run")
    assert told.exit_code == 2
    assert "where they are stored" in " ".join(told.output.replace("│", " ").split())


def test_what_a_command_opened_is_let_go(visits, tmp_path, monkeypatch):
    database, path, out = tmp_path / "b.sqlite", tmp_path / "c.json", tmp_path / "out.csv"
    lines = (visits / "part.csv").read_text("utf-8").splitlines()[1:]
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE births (illness TEXT, zip TEXT, x INTEGER, y INTEGER)")
        connection.executemany("INSERT INTO births VALUES (?, ?, ?, ?)", [line.split(",") for line in lines])
    engines: list[DuckDB] = []
    stopped: list[DuckDB] = []
    begin, stop = DuckDB.__init__, DuckDB.stop
    monkeypatch.setattr(DuckDB, "__init__", lambda self, *given: (begin(self, *given), engines.append(self))[0])
    monkeypatch.setattr(DuckDB, "stop", lambda self: (stopped.append(self), stop(self))[1])
    table = ["--table", "births"]
    for command in (
        ["labels", database, *table, "--count-by", "illness", "-k", 6, "--certificate", path],
        ["verify", path, database, *table],
        ["verify", path, database, *table, "--dry-run"],
        ["release", path, database, "--records", database, *table, "--by", "illness", "--out", out],
        ["audit", "--records", database, *table, *ROLES],
    ):
        made = kanon(*command)
        assert made.exit_code == 0, made.output
    assert {id(engine) for engine in engines} == {id(engine) for engine in stopped}
    assert len(out.read_text("utf-8").splitlines()) == 26
