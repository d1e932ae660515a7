"""Tables of databases are counted where they are, and no password is told."""

import socket
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import duckdb
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.records import Records, count, counted, release, sketch, source
from kanon_engine.records.address import Address
from kanon_engine.records.engines.other import scrubbed
from tests.sentences import CANNOT_BE_GIVEN_AS_WELL, MORE_THAN_THE_LIMIT, STORE_AS_A_TABLE

ROWS = [("06604", 41), ("06605", None), ("06604", 41), (None, 7), (None, None)]


@pytest.fixture
def sqlite(tmp_path):
    path = tmp_path / "people.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE people (zip TEXT, age INTEGER)")
        database.executemany("INSERT INTO people VALUES (?, ?)", ROWS)
    database.close()
    return path


@pytest.fixture
def duck(tmp_path):
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE SCHEMA town")
        database.execute("CREATE TABLE town.people (zip TEXT, age INTEGER)")
        database.executemany("INSERT INTO town.people VALUES (?, ?)", ROWS)
        database.execute("CREATE TABLE other AS SELECT 1 AS a")
    return path


@pytest.mark.parametrize("kind", ["sqlite", "duck"])
def test_a_table_is_counted_as_its_file_is(kind, request, tmp_path):
    path = request.getfixturevalue(kind)
    before = path.read_bytes()
    pd.DataFrame(ROWS, columns=["zip", "age"]).to_csv(tmp_path / "people.csv", index=False)
    with Records.open(path, "people" if kind == "sqlite" else "town.people") as records:
        assert records.columns == ("zip", "age")
        found = counted(records, ["zip", "age"]).astype(object)
        rows = found.where(found.notna(), None).to_numpy().tolist()
        assert rows == [["06604", 41, 2], ["06605", None, 1], [None, 7, 1]]
        assert count(records, "zip").digest == count(tmp_path / "people.csv", "zip").digest
    assert path.read_bytes() == before


def test_what_has_no_hashes_counts_but_samples_nothing(sqlite, at_most):
    with pytest.raises(InvalidInput, match="SQLite has no hash function"):
        sketch(sqlite, "zip")
    at_most(1)
    with pytest.raises(InvalidInput, match=f"zip of people have many distinct values, {MORE_THAN_THE_LIMIT} 1"):
        count(sqlite, "zip")


def test_the_only_table_needs_no_name(sqlite, duck):
    assert Records.open(sqlite).name == "people"
    with pytest.raises(InvalidInput, match=r"Give the table of people\.duckdb .*: other, town\.people"):
        Records.open(duck)
    with pytest.raises(InvalidInput, match=r"people\.sqlite has no table 'persons'; the tables are: people"):
        Records.open(sqlite, "persons")


def test_what_is_uploaded_joins_and_files_are_written_and_read(sqlite, tmp_path):
    with Records.open(sqlite) as records:
        groups = records.engine.upload(pd.DataFrame({"zip": ["06604", "06605"], "group": [1, 2]}))
        joined = records.table.join(groups, "zip").select("group", "age").order_by(["group", "age"])
        for name in ("out.csv", "out.parquet", "out"):
            records.engine.write(joined, tmp_path / name)
            there = records.engine.run(records.engine.read_written(tmp_path / name))
            assert there.astype(str).to_numpy().tolist()[:2] == [["1", "41"], ["1", "41"]]
            assert len(there) == 3
        assert "SELECT" in records.engine.sql(joined)


def test_a_count_is_stopped(sqlite):
    with Records.open(sqlite) as records:
        rows = records.table.select("zip")
        for _ in range(3):  # 5 ** 8 and then 5 ** 16 rows
            rows = rows.cross_join(rows.view()).select("zip")
        many = rows.cross_join(rows.view()).select("zip")
        with pytest.raises(SearchEnded, match="stopped"):
            records.engine.run(many.aggregate(n=many.count()), lambda progress: False)


def test_a_broken_database_is_refused(tmp_path):
    path = tmp_path / "people.sqlite"
    path.write_bytes(b"SQLite format 3\x00" + b"\x01" * 5_000)
    with pytest.raises(InvalidInput, match="SQLite"):
        Records.open(path, "people")
    path.write_bytes(b"12345678DUCK" + b"\x01" * 5_000)
    with pytest.raises(InvalidInput, match="DuckDB reports an error"):
        Records.open(path, "people")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:hunter2@host/people",
        "postgresql://host/people?user=ada&password=hunter2",
        "mysql://host/people?token=hunter2",
        "postgresql://ada:1/hunter2@host/people",
        "postgresql://host/people?sslpassword=hunter2",
        "postgresql://host/people?access_token=hunter2",
        "postgresql://host/people?p%61ssword=hunter2",
        "postgresql://host/people#password=hunter2",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(address):
    with pytest.raises(InvalidInput, match=r"The address holds a password.*KANON_PASSWORD") as refused:
        Records.open(address, "people")
    assert "hunter2" not in str(refused.value)
    assert "hunter2" not in repr(refused.value.__cause__) + repr(refused.value.__context__)


def test_addresses_are_told_from_paths():
    assert Address.of("C:\\people.csv") is None
    assert Address.of("folder/people.csv") is None
    assert Address.of("spark://host:7077?table=people") == Address("spark", "spark://host:7077", "", "people")
    assert Address.of("postgresql://ada@host/db?sslmode=require").text == "postgresql://ada@host/db?sslmode=require"
    with pytest.raises(InvalidInput, match="no valid port"):
        Address.of("postgresql://host:99999999/db")
    with pytest.raises(InvalidInput, match="There is no engine for gopher"):
        Records.open("gopher://host/people", "people")
    with pytest.raises(InvalidInput, match="give a table, or"):
        Records.open("spark:local")


def test_the_password_of_the_environment_reaches_the_driver_and_no_sentence(monkeypatch):
    import ibis

    def connect(address, password):
        raise RuntimeError(f"no access to {address} with {password}")

    monkeypatch.setattr(ibis, "connect", connect)
    monkeypatch.setenv("KANON_PASSWORD", "hunter2")
    with pytest.raises(InvalidInput, match="postgresql is not responding: no access") as refused:
        Records.open("postgresql://ada@host/people", "people")
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert scrubbed(ValueError(), "x") == "ValueError"


def test_a_keyring_is_asked_by_the_address(monkeypatch):
    import sys

    asked = []
    errors = SimpleNamespace(KeyringError=RuntimeError)
    keyring = SimpleNamespace(errors=errors, get_password=lambda *key: asked.append(key) or "hunter2")
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    monkeypatch.delenv("KANON_PASSWORD", raising=False)
    assert source._secret("postgresql://ada@host/people") == "hunter2"
    assert asked == [("kanon", "postgresql://ada@host/people")]


def test_groups_of_a_database_are_certified(sqlite):
    labels = count(sqlite, "zip")
    assert kanon.verify(labels, kanon.generalize(labels, 2)).proof == "checked"


@pytest.mark.parametrize("place", ["zip", "age", "pay", "day", "yes", "part"])
def test_sqlite_places_values_of_every_type_and_missing_ones(place, tmp_path):
    path = tmp_path / "people.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (zip TEXT, age INTEGER, pay DECIMAL(10, 2), day DATE, yes BOOLEAN, part REAL)")
        rows = [("06604", 41, 1.5, "2024-02-29", 1, 0.5), ("06605", 30, 2.25, "2024-03-01", 0, 1.5), (None,) * 6]
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows * 2)
        database.execute("ALTER TABLE t ADD COLUMN sex TEXT DEFAULT 'f'")
        database.commit()
    with Records.open(path) as records:
        labels = count(records, place)
        made = release(records, labels, kanon.generalize(labels, 2, "fold"), tmp_path / "o.csv", by=place, keep=["sex"])
    assert (made.records, made.unmatched.records, sorted(made.own)) == (6, 0, [2, 2, 2])


def people_of(path, declared, values):
    """A database of SQLite with one column of a declared type."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE TABLE people (a {declared})")
        database.executemany("INSERT INTO people VALUES (?)", [(value,) for value in values])
        database.commit()
    return path


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        *((name, "int64") for name in ("int(3)", "INTEGER(9)", "unsigned big int", "mediumint(8)", "int(3) NOT NULL")),
        *((name, "string") for name in ("native character(70)", "varying character(255)", "text(20)", "clob")),
        *((name, "float64") for name in ("double precision", "real(4,2)", "float4")),
        *((name, "int64") for name in ("", "none", "money", "blob", "year(4)")),
        ("numeric(10)", "decimal(10, 0)"),
        ("decimal(5,2)", "decimal(5, 2)"),
    ],
)
def test_every_type_that_sqlite_declares_is_read(declared, kind, tmp_path):
    with Records.open(people_of(tmp_path / "p", declared, [25, 25, 31])) as records:
        assert str(records.table.schema()["a"]).removesuffix(" not null").lstrip("!").startswith(kind)
        found = counted(records, "a")
        assert found["a"].astype(str).astype(float).tolist() == [25, 31]
        assert found["records"].tolist() == [2, 1]


@pytest.mark.parametrize(
    ("declared", "values", "shown"),
    [
        ("datetime", [1_700_000_000, None], [1_700_000_000]),
        ("date", [1.5, 2.25], [1.5, 2.25]),
        ("date", ["2024-01-02", 5], ["2024-01-02", "5"]),
        ("numeric(10,0)", [1.5, 2.0], [1.5, 2.0]),
        ("decimal(5,2)", [1_234.5, 2.0], [2.0, 1_234.5]),
        ("boolean", [0, 1, 2], [0, 1, 2]),
        ("string", [6604, None], [6604]),
        ("", [None, "x", 5], ["5", "x"]),
    ],
)
def test_values_that_do_not_fit_their_type_are_shown_as_they_are(declared, values, shown, tmp_path):
    found = counted(people_of(tmp_path / "p", declared, values), "a")["a"].tolist()
    assert sorted(found) == sorted(shown)


def test_text_in_a_column_of_numbers_is_told(tmp_path):
    with pytest.raises(InvalidInput, match="do not fit the type of their column, such as text among numbers"):
        counted(people_of(tmp_path / "p", "int(3)", [25, "many"]), "a")


def test_views_of_sqlite_that_read_more_than_its_tables_are_refused(tmp_path):
    views = {
        "files": "SELECT readfile('/etc/passwd') AS a",
        "extension": "SELECT load_extension('/tmp/x.so') AS a",
        "path": "SELECT * FROM pragma_database_list",
        "over": "SELECT * FROM path",
    }
    path = people_of(tmp_path / "p", "int", [1])
    with closing(sqlite3.connect(path)) as database:
        for name, query in views.items():
            database.execute(f"CREATE VIEW {name} AS {query}")
        database.execute("CREATE VIEW own AS SELECT a + 1 AS b FROM people")
        database.execute("CREATE TABLE numbered (id INTEGER PRIMARY KEY AUTOINCREMENT)")
        database.commit()
    for name in views:
        with pytest.raises(InvalidInput, match=f"^SQLite cannot show {name} .*; {STORE_AS_A_TABLE}"):
            Records.open(path, name)
    assert counted(Records.open(path, "own"), "b")["b"].tolist() == [2]
    with pytest.raises(InvalidInput, match="no table 'sqlite_sequence'; the tables are: extension, files, numbered,"):
        Records.open(path, "sqlite_sequence")


def test_a_port_that_says_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(source, "SECONDS", 0.2)
    monkeypatch.setenv("KANON_PASSWORD", "hunter2")
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/db"
        with pytest.raises(source.NoAnswer, match=r"did not answer within 0\.2 seconds"):
            Records.open(address, "people")


def test_a_table_that_an_address_names_is_the_only_one():
    for table in ("deaths", "pg_catalog.pg_shadow"):
        with pytest.raises(InvalidInput, match=f"names the table 'births', so '{table}' {CANNOT_BE_GIVEN_AS_WELL}"):
            Records.open("postgresql://ada@host/db?table=births", table)


def test_a_file_that_cannot_be_opened_is_told(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot be read \(File name too long\)"):
        Records.open(tmp_path / ("a" * 300))
