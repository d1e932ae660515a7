"""A table of PostgreSQL is counted, audited and released as the same records in a file are, and no password is told."""

import datetime
from contextlib import closing
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput, SearchEnded
from kanon_engine.records import (
    Grouping,
    Records,
    audit,
    count,
    counted,
    intersect,
    joint_groups,
    release,
    sql_of_count,
    sql_of_release,
)
from tests.records.server import PASSWORD, Server, why_no_postgres
from tests.sentences import NO_TEXT_OR_NUMBERS, STORE_AS_A_TABLE

DAYS = [datetime.date(1890, 1, 1), datetime.date(2024, 2, 29), None]
TIMES = [datetime.datetime(2024, 2, 29, 1, 2, 3, 456_789), datetime.datetime(2024, 2, 29), None]
COLUMNS = {  # name → (type of PostgreSQL, type of Parquet, values)
    "zip": ("text", pa.string(), ["06604", "06605", "06606", "6604", None]),
    "sex": ("varchar(10)", pa.string(), ["f", "m", "Ö, “x”", "", None]),
    "age": ("integer", pa.int32(), [30, 40, 50, None]),
    "large": ("bigint", pa.int64(), [2**60 + 1, -3, None]),
    "pay": ("numeric(10,2)", pa.decimal128(10, 2), [Decimal("1.50"), Decimal("-20.25"), None]),
    "part": ("double precision", pa.float64(), [0.0, -0.0, 1.5, float("nan"), None]),
    "day": ("date", pa.date32(), DAYS),
    "at": ("timestamp", pa.timestamp("us"), TIMES),
    "zoned": ("timestamptz", pa.timestamp("us", "UTC"), [time and time.replace(tzinfo=datetime.UTC) for time in TIMES]),
    "yes": ("boolean", pa.bool_(), [True, False, None]),
    "illness": ("text", pa.string(), ["flu", "=cold", 'go"ut, two\nlines']),
    "lon": ("double precision", pa.float64(), [-73.2, -73.25, -73.1]),
    "lat": ("double precision", pa.float64(), [41.2, 41.25, 41.1]),
}
KEPT = [name for name in COLUMNS if name not in ("zip", "lon", "lat")]
LABELS = kanon.Labels(["06604", "06605"], [3, 3])
AREAS = kanon.Regions(["06604", "06605", "06606"], [1, 1, 1], [(0, 1), (1, 2)])


@pytest.fixture(scope="module")
def server():
    if why_no_postgres():
        pytest.skip(why_no_postgres())
    started = Server()
    yield started
    started.remove()


@pytest.fixture(autouse=True)
def _password(monkeypatch):
    monkeypatch.setenv("KANON_PASSWORD", PASSWORD)


@pytest.fixture(scope="module")
def people(server, tmp_path_factory):
    """The same 400 records in a file of Parquet and in a table: where they are."""
    rng = np.random.default_rng(6)
    rows = {
        name: [values[place] for place in rng.integers(0, len(values), 400)] for name, (*_, values) in COLUMNS.items()
    }
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    pq.write_table(pa.table({name: pa.array(rows[name], COLUMNS[name][1]) for name in COLUMNS}), path)
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA town")
        cursor.execute(
            f"CREATE TABLE town.people ({', '.join(f'{name} {entry[0]}' for name, entry in COLUMNS.items())})"
        )
        places = ", ".join(["%s"] * len(COLUMNS))
        cursor.executemany(f"INSERT INTO town.people VALUES ({places})", list(zip(*rows.values(), strict=True)))
    return path, server.address


@pytest.fixture
def both(people):
    """The records as DuckDB and as PostgreSQL have them."""
    path, address = people
    with Records.open(path) as file, Records.open(address, "town.people") as table:
        assert table.columns == file.columns
        assert (file.engine.name, table.engine.name) == ("DuckDB", "PostgreSQL")
        yield file, table


def test_values_and_counts_are_those_of_a_file(both):
    for by in [*([name] for name in COLUMNS), ["sex", "pay", "at"]]:
        one, other = (counted(records, by) for records in both)
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("by", "more"),
    [
        ("zip", {}),
        pytest.param("at", {}, marks=pytest.mark.thorough),
        ("zip", {"areas": AREAS}),
        (("lon", "lat"), {}),
        (["age", "yes", "day"], {"sensitive": ["illness"]}),
    ],
)
def test_certificates_are_those_of_a_file(both, by, more):
    one, other = (count(records, by, **more) for records in both)
    assert one.digest == other.digest
    algorithm = {"zip": "fold", "at": "fold", ("lon", "lat"): "kd-tree"}.get(
        by if isinstance(by, str | tuple) else "", "mondrian"
    )
    claims = [
        kanon.generalize(instance, 20, "tree-split" if more.get("areas") else algorithm) for instance in (one, other)
    ]
    assert len({replace(claim, seconds=0.0).sealed().to_json() for claim in claims}) == 1


def test_sets_and_what_they_tell_are_those_of_a_file(both):
    for columns in (["sex"], ["age", "pay", "part"], ["zip", "day", "at", "zoned", "yes"]):
        one, other = (joint_groups(records, columns) for records in both)
        assert (one.sizes.tolist(), one.sets_of.tolist()) == (other.sizes.tolist(), other.sets_of.tolist())
    one, other = (audit(records, ["age", "sex"], k=3, sensitive=["illness", "pay"], keep=["large"]) for records in both)
    assert one == other
    assert one.combinations == ()


@pytest.mark.parametrize(
    ("ending", "kept"), [("csv", KEPT[2:]), pytest.param("parquet", ["large", "at"], marks=pytest.mark.thorough)]
)
def test_a_release_has_the_bytes_of_that_of_a_file(both, ending, kept, tmp_path):
    labels = count(both[0], "zip")
    g = kanon.generalize(labels, 30, "fold")
    made = [
        release(records, labels, g, tmp_path / f"{place}.{ending}", by="zip", quasi_identifiers=KEPT[:2], keep=kept)
        for place, records in enumerate(both)
    ]
    assert made[0].path.read_bytes() == made[1].path.read_bytes()
    assert made[0].sentence == made[1].sentence
    assert made[0].notes == made[1].notes
    assert made[1].records == 400


def test_a_release_of_points_and_of_a_table_has_the_bytes_of_that_of_a_file(both, tmp_path):
    for by, algorithm in ((("lon", "lat"), "kd-tree"), (["age", "yes"], "mondrian")):
        instance = count(both[0], by)
        g = kanon.generalize(instance, 20, algorithm, **({"snap": 0.01} if algorithm == "kd-tree" else {}))
        made = [
            release(records, instance, g, tmp_path / f"{algorithm}{place}.csv", by=by, sensitive=["illness"])
            for place, records in enumerate(both)
        ]
        assert made[0].path.read_bytes() == made[1].path.read_bytes()
        assert made[1].records == 400


def test_releases_together_tell_what_those_of_a_file_tell(both):
    labels = count(both[0], "zip")
    grouping = Grouping(labels, kanon.generalize(labels, 30, "fold"), "zip")
    one, other = (intersect(records, grouping, ["day", "yes"]) for records in both)
    pd.testing.assert_frame_equal(one.cells, other.cells)
    assert one.sentence == other.sentence


def test_a_dry_run_tells_the_sql_of_postgres(both):
    for (_, count_sql), (_, release_sql) in zip(
        sql_of_count(both[1], "zip"), sql_of_release(both[1], "zip", ["age"])[1:], strict=True
    ):
        assert '"town"."people"' in count_sql
        assert "JOIN" in release_sql


def test_columns_of_no_single_values_are_refused(server):
    with closing(server.connect()) as connection:
        connection.execute(
            "CREATE TABLE tagged AS SELECT 'a' AS zip, ARRAY['x'] AS tags, '{}'::json AS notes, 'x'::bytea AS raw"
        )
    with Records.open(server.address) as records:  # the only table of the schema that is looked through
        for name in ("tags", "notes", "raw"):
            for look in (counted, count, joint_groups):
                with pytest.raises(InvalidInput, match=f"'{name}' {NO_TEXT_OR_NUMBERS}"):
                    look(records, [name])
        assert counted(records, "zip")["records"].tolist() == [1]


@pytest.mark.parametrize("value", ["'NaN'::numeric", "1e60::numeric", "date '0044-03-15 BC'", "timestamp 'infinity'"])
def test_values_without_a_type_here_are_refused(server, value):
    with closing(server.connect()) as connection:
        connection.execute(f"DROP VIEW IF EXISTS odd; CREATE VIEW odd AS SELECT {value} AS v, {value}::text AS word")
    with Records.open(server.address, "odd") as records:
        with pytest.raises(
            InvalidInput, match="Leave out their column, or give a database view that shows them as text"
        ) as caught:
            counted(records, "v")
        assert "0044" not in told(caught)
        assert counted(records, "word")["records"].tolist() == [1]


def told(caught):
    """The sentence of a refusal, which holds no password."""
    sentence = str(caught.value)
    assert PASSWORD not in sentence
    assert "swordfish" not in sentence
    assert "\n" not in sentence
    assert caught.value.__cause__ is None  # whose words a traceback would show
    return sentence


@pytest.mark.parametrize("name", ["KANON_PASSWORD", "PGPASSWORD"])
def test_the_password_is_taken_from_the_environment_and_told_by_nobody(server, people, monkeypatch, name):
    monkeypatch.delenv("KANON_PASSWORD")
    with pytest.raises(InvalidInput) as caught:
        Records.open(server.address, "town.people")
    assert "no password" in told(caught)
    monkeypatch.setenv(name, "swordfish")
    with pytest.raises(InvalidInput) as caught:
        Records.open(server.address, "town.people")
    assert "password authentication failed" in told(caught)
    assert "KANON_PASSWORD" in told(caught)
    monkeypatch.setenv(name, PASSWORD)
    assert joint_groups(f"{server.address}&table=town.people", ["zip"]).records == 400


@pytest.mark.parametrize(
    ("old", "new", "table", "said"),
    [
        ("", "", "town.persons", "PostgreSQL has no table 'town.persons'"),
        ("", "", "people", "PostgreSQL has no table 'people'"),  # it is in another schema
        ("postgres?", "hospital?", "people", 'database "hospital" does not exist'),
        ("ada@", "bob@", "people", 'failed for user "bob"'),
        ("@/", "@localhost:1/", "people", "is not responding"),
    ],
)
def test_what_is_not_there_is_told_in_a_sentence(server, people, old, new, table, said):
    address = server.address.replace(old, new) if "localhost" not in new else "postgresql://ada@localhost:1/postgres"
    with pytest.raises(InvalidInput) as caught:
        Records.open(address, table)
    assert said in told(caught)


def active(server):
    """How many queries the server works on."""
    with closing(server.connect()) as connection:
        busy = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"
        return connection.execute(busy).fetchone()[0]


VIEWS = {  # what each reads that is no table of the database
    "file": ("SELECT pg_read_file('/etc/passwd') AS a", r"pg_read_file\(\)"),
    "folder": ("SELECT * FROM pg_ls_dir('/etc')", r"pg_ls_dir\(\)"),
    "rarely": ("SELECT CASE WHEN age = 1 THEN pg_read_file('/etc/passwd') END AS a FROM town.plain", "pg_read_file"),
    "over": ("SELECT * FROM town.file", "pg_read_file"),
    "words": ("SELECT query_to_xml('SELECT 1', true, true, '')::text AS a", "query_to_xml"),
    "place": ("SELECT current_setting('data_directory') AS a", "current_setting"),
    "logins": ("SELECT usename FROM pg_shadow", "pg_catalog.pg_shadow"),
    "tables": ("SELECT table_name FROM information_schema.tables", "information_schema.tables"),
    "number": ("SELECT nextval('town.numbers') AS a", "nextval"),
    "own": ("SELECT town.mine() AS a", "mine"),
}


@pytest.fixture
def views(people, server):
    with closing(server.connect()) as connection:
        connection.execute("CREATE TABLE town.plain (age integer, zip text)")
        connection.execute("CREATE SEQUENCE town.numbers")
        connection.execute("CREATE FUNCTION town.mine() RETURNS text LANGUAGE sql AS 'SELECT 1::text'")
        for name, (query, _) in VIEWS.items():
            connection.execute(f"CREATE VIEW town.{name} AS {query}")
        connection.execute("CREATE VIEW town.fine AS SELECT upper(zip) AS zip, count(*) FROM town.plain GROUP BY zip")
        connection.execute("CREATE VIEW town.finer AS SELECT zip || '5' AS zip, now()::date AS day FROM town.fine")
        yield
        for name in ("plain", "file", "folder", "words", "place", "logins", "tables", "own"):
            kind = "TABLE" if name == "plain" else "VIEW"
            connection.execute(f"DROP {kind} IF EXISTS town.{name} CASCADE")
        connection.execute("DROP SEQUENCE town.numbers CASCADE; DROP FUNCTION town.mine CASCADE")


def test_views_that_read_more_than_tables_are_refused(views, people):
    for name, (_, foreign) in VIEWS.items():
        with pytest.raises(InvalidInput, match=rf"^town\.{name} uses {foreign}.*; {STORE_AS_A_TABLE}"):
            Records.open(people[1], f"town.{name}")
    for name in ("plain", "fine", "finer"):
        with Records.open(people[1], f"town.{name}") as records:
            assert "zip" in records.columns


@pytest.mark.parametrize(
    "table", ["pg_shadow", "pg_catalog.pg_shadow", "PG_CATALOG.pg_shadow", '"pg_catalog".pg_shadow', "pg_toast.x"]
)
def test_tables_of_the_system_are_refused(table, people):
    with pytest.raises(InvalidInput, match="is a system table of PostgreSQL|has no table 'pg_shadow'"):
        Records.open(people[1], table)


def test_a_table_that_an_address_names_needs_no_other(people):
    address = f"{people[1]}&table=town.people"
    with Records.open(address) as records, Records.open(address, "town.people") as again:
        assert records.columns == again.columns
    with pytest.raises(InvalidInput, match="names the table 'town.people'"):
        Records.open(address, "town.other")


@pytest.fixture
def slow(server, people):
    """A view that takes minutes to read."""
    with closing(server.connect()) as connection:
        connection.execute(
            "CREATE OR REPLACE VIEW slow AS SELECT zip, age, "
            "CASE WHEN age = 30 THEN pg_sleep(300)::text ELSE '' END AS wait FROM town.people"
        )
    with Records.open(server.address, "slow") as records:
        yield records


def test_a_count_is_stopped_on_the_server(slow, server):
    with pytest.raises(SearchEnded):
        counted(slow, "wait", lambda progress: False)
    assert active(server) == 0
    again = replace(slow, table=slow.engine.open_table("town.people"))
    assert joint_groups(again, ["zip"]).records == 400


def test_writing_is_stopped_on_the_server_and_leaves_nothing(slow, server, tmp_path):
    with pytest.raises(SearchEnded):
        slow.engine.write(slow.table, tmp_path / "out.parquet", lambda progress: False)
    assert active(server) == 0


def test_a_server_that_ends_is_told_in_a_sentence(slow, server, tmp_path):
    ended = []

    def end(progress):
        if not ended:
            server.kill()
            ended.append(progress)

    try:
        for work in (
            lambda: counted(slow, "wait", end),
            lambda: counted(slow, "zip"),
            lambda: release(slow, LABELS, kanon.generalize(LABELS, 3, "fold"), tmp_path / "out.csv", by="zip"),
            lambda: Records.open(server.address, "slow"),
        ):
            with pytest.raises(
                InvalidInput, match="PostgreSQL reports an error|postgresql is not responding"
            ) as caught:
                work()
            told(caught)
        assert not list(tmp_path.iterdir())
    finally:
        server.start()
