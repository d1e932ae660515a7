"""Exactly the files that are named are read, whatever signs are in their names and whatever lies beside them."""

import csv
import gzip
import os
import random
from itertools import chain

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.records import Records, count, counted, release
from kanon_engine.records.files import Files
from tests.sentences import LEADS_OUT_OF_THE_FOLDER, STORE_AS_A_TABLE

SIGNS = "[]*?{}!\\'\", %#~&$;|^+=@:(üé日a1-"
NAMES = ["births[1]", "a*", "c?", "[!a]", "{x,y}", "[a-c]", "**", "\\[x]", "\\", "-q", "~p", "%5B1]", "http:x", "a\nb"]
BESIDE = ["births1", "ab", "cc", "z", "x", "y", "b", "q"]  # what the patterns would match


def made_up(number):
    rng = random.Random(number)
    names = {"".join(rng.choice(SIGNS) for _ in range(rng.randint(1, 8))) for _ in range(3 * number)} - set(NAMES)
    return [*NAMES, *sorted(name for name in names if name[0] not in "._")][:number]


def write(path, names):
    """A file whose number of rows nothing else has; the same by other means than the engine's."""
    rows = [f"of {path.name} {row}" for row in range(1 + names.index(path.name.partition(".")[0]))]
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"v": rows}), path)
        return pq.read_table(path.open("rb"))["v"].to_pylist()
    opening = gzip.open if path.suffix == ".gz" else open
    with opening(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["v"], *([row] for row in rows)])
    with opening(path, "rt", encoding="utf-8", newline="") as file:
        return [row[0] for row in csv.reader(file)][1:]


def differences(folder, ending, number):
    """Files, alone and all together, of which other rows are read than are there."""
    folder.mkdir()
    names = [*made_up(number), *BESIDE]
    rows = {folder / f"{name}{ending}": None for name in names}
    rows = {path: write(path, names) for path in rows}
    found = [path for path, expected in rows.items() if read(path) != sorted(expected)]
    return found + ([] if read(folder) == sorted(chain(*rows.values())) else [folder])


def read(path):
    with Records.open(path) as records:
        return sorted(records.engine.run(records.table)["v"])


@pytest.mark.parametrize(
    ("ending", "number"),
    [
        (".csv", 9),
        (".parquet", 9),
        *(pytest.param(ending, 200, marks=pytest.mark.thorough) for ending in (".csv", ".parquet", ".csv.gz")),
    ],
)
def test_no_name_is_a_pattern(ending, number, tmp_path):
    assert differences(tmp_path / "in [1]*", ending, number) == []


@pytest.mark.thorough("Spark")
def test_no_name_is_a_pattern_to_spark(tmp_path, address):
    names = ["births[1]", "births1", "a*", "ab", "{x,y}", "x", "c?", "cc", "\\d"]
    rows = [row for name in names for row in write(tmp_path / f"{name}.csv", names)]
    with Records.open(address(tmp_path)) as records:
        assert sorted(records.engine.run(records.table)["v"]) == sorted(rows)


def test_what_spark_would_leave_out_or_read_from_elsewhere_is_refused(tmp_path, address):
    if address is str:
        pytest.skip("DuckDB reads such files and has no such tables")
    for name, said in (("_people.csv", "rename it"), ("a:b[1].csv", "with a colon in its name")):
        (tmp_path / name).write_text("v\nx\n")
        with pytest.raises(InvalidInput, match=said):
            counted(address(tmp_path / name), "v")
    with pytest.raises(InvalidInput, match="Spark has no table"):
        Records.open("spark:local", f"csv.`{tmp_path}`")


def test_groups_hold_the_people_that_the_files_name(tmp_path):
    """A second download beside the first: the person in it is one of a kind, and no release says otherwise."""
    folder = tmp_path / "births"
    folder.mkdir()
    (folder / "births1.csv").write_text("illness\n" + "flu\n" * 5)
    (folder / "births[1].csv").write_text("illness\n" + "flu\n" * 5 + "gout\n")
    assert counted(folder, "illness").to_numpy().tolist() == [["flu", 10], ["gout", 1]]
    labels = count(folder, "illness")
    made = release(folder, labels, kanon.generalize(labels, 2, "fold"), tmp_path / "out[1].csv", by="illness")
    assert (made.records, made.own.tolist()) == (11, [11])
    assert len((tmp_path / "out[1].csv").read_text().splitlines()) == 12


def test_partitions_are_those_below_the_folder(tmp_path):
    for number, part in enumerate(("2024", "[x]", "a*b", "50%", "c\\d")):
        path = tmp_path / "year=1999" / "births" / f"year={part}" / "in[1].csv"
        path.parent.mkdir(parents=True)
        path.write_text("v\n" + "x\n" * (number + 1))
    found = dict(counted(tmp_path / "year=1999" / "births", "year").to_numpy().tolist())
    assert found == {"2024": 1, "[x]": 2, "a*b": 3, "50%": 4, "c\\d": 5}


def test_packed_and_plain_files_lie_together(tmp_path):
    for name in ("a.csv.gz", "b.csv", "c[1].CSV.GZ", "d[1].csv"):
        opening = gzip.open if name.lower().endswith("gz") else open
        with opening(tmp_path / name, "wt") as file:
            file.write(f"v\n{name}\n")
    assert read(tmp_path) == ["a.csv.gz", "b.csv", "c[1].CSV.GZ", "d[1].csv"]


def test_a_broken_line_is_told_by_the_name_of_its_file(tmp_path):
    (tmp_path / "a[1].csv").write_text("v,w\n1,2\n3\n")
    with pytest.raises(InvalidInput, match=r"^a\[1\]\.csv cannot be read as a table: line 3 has 1 value instead of 2"):
        counted(tmp_path / "a[1].csv", "v")


def test_names_that_no_link_can_stand_for_are_refused(tmp_path, monkeypatch):
    (tmp_path / "a[1].csv").write_text("v\n1\n")

    def symlink(*arguments, **options):
        raise OSError("no rights")

    monkeypatch.setattr(os, "symlink", symlink)
    with pytest.raises(InvalidInput, match=r"path of a\[1\]\.csv holds .* rename"):
        counted(tmp_path / "a[1].csv", "v")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "records"
    made.mkdir()
    (made / "births.csv").write_text("v\nx\n")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.csv").write_text("v\nsecret\n")
    return made


def link(folder):
    (folder / "way.csv").symlink_to(folder.parent / "secret" / "s.csv")


def link_to_folder(folder):
    (folder / "way").symlink_to(folder.parent / "secret")


def link_to_nothing(folder):
    (folder / "way.csv").symlink_to(folder / "nothing")


def link_to_sibling(folder):
    (folder / "way.csv").symlink_to("births.csv")


def pipe(folder):
    os.mkfifo(folder / "way.csv")


@pytest.mark.parametrize(
    ("lay", "said"),
    [
        (link, LEADS_OUT_OF_THE_FOLDER),
        (link_to_folder, "is a link to a folder"),
        (link_to_nothing, "is a pipe, a device or a broken link"),
        (link_to_sibling, "are the same file, which would be counted twice"),
        (pipe, "is a pipe, a device"),
    ],
)
def test_what_lies_in_a_folder_and_is_no_file_of_it_is_refused(lay, said, folder):
    lay(folder)
    with pytest.raises(InvalidInput, match=said):
        counted(folder, "v")


def test_hidden_links_and_links_within_are_as_files_are(folder):
    (folder / "..data").mkdir()
    (folder / "births.csv").rename(folder / "..data" / "births.csv")
    (folder / "births.csv").symlink_to("..data/births.csv")
    (folder / ".hidden").symlink_to("/")
    assert read(folder) == ["x"]


@pytest.mark.parametrize("name", ["way.csv", "/dev/zero", "/dev/null"])
def test_pipes_and_devices_are_not_waited_for(name, folder):
    pipe(folder)
    with pytest.raises(InvalidInput, match="is a pipe, a device"):
        counted(folder / name, "v")


def test_a_folder_that_cannot_be_read_is_not_left_out(folder, monkeypatch):
    (folder / "closed").mkdir()
    scan = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(InvalidInput, match="cannot be read"):
        Files.at(folder)


FOREIGN = {
    "text": "SELECT * FROM read_text('/etc/passwd')",
    "glob": "SELECT * FROM glob('/etc/*')",
    "csv": "SELECT * FROM read_csv('{file}')",
    "name": "SELECT * FROM '{file}'",
    "settings": "SELECT * FROM duckdb_settings()",
    "none_of_them": "SELECT * FROM duckdb_settings() LIMIT 0",
    "within": "SELECT a FROM t WHERE a = (SELECT count(*) FROM duckdb_settings())",
    "macro": "SELECT m() AS m",
    "macro_of_a_table": "SELECT * FROM tm()",
    "query": "SELECT * FROM query('SELECT * FROM duckdb_settings()')",
    "system": "SELECT * FROM information_schema.tables",
    "over": "SELECT * FROM settings_view",
}
OWN = {
    "join": "SELECT t.a FROM t JOIN other.z ON t.a = z.q",
    "counts": "SELECT a % 2 AS p, count(*) AS n FROM t GROUP BY 1 ORDER BY 1",
    "recursive": "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 3) SELECT * FROM q",
    "within": "SELECT a FROM t WHERE a = (SELECT max(b.a) FROM t b WHERE b.a = t.a)",
    "list": "SELECT a, unnest([1, 2]) AS u FROM t",
    "literal": "SELECT * FROM (VALUES (1), (2)) q(x)",
    "over": "SELECT * FROM join_view",
}


def made_of(path, views, **more):
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE t AS SELECT range AS a FROM range(5); CREATE SCHEMA other")
        database.execute("CREATE TABLE other.z AS SELECT 1 AS q")
        database.execute("CREATE MACRO m() AS (SELECT max(value) FROM duckdb_settings())")
        database.execute("CREATE MACRO tm() AS TABLE SELECT * FROM duckdb_settings()")
        for name, query in views.items():
            database.execute(f"CREATE VIEW {name}_view AS {query.format(**more)}")
    return path


def test_views_of_duckdb_that_read_more_than_its_tables_are_refused(folder):
    path = made_of(folder.parent / "d.duckdb", FOREIGN, file=folder / "births.csv")
    for name in FOREIGN:
        with pytest.raises(InvalidInput, match=f"^{name}_view reads .*; {STORE_AS_A_TABLE}, and give that"):
            Records.open(path, f"{name}_view")


def test_views_of_duckdb_that_show_a_setting_are_refused(tmp_path):
    path = made_of(tmp_path / "d.duckdb", {"setting": "SELECT current_setting('temp_directory') AS s"})
    with pytest.raises(InvalidInput, match="reads current_setting"):
        Records.open(path, "setting_view")


def test_no_variable_of_python_is_a_table_of_a_database(tmp_path):
    people = pa.table({"v": ["secret"]})
    with duckdb.connect(str(tmp_path / "d.duckdb")) as database:
        database.execute("CREATE VIEW v AS SELECT * FROM people")
    with pytest.raises(InvalidInput):
        counted(Records.open(tmp_path / "d.duckdb", "v"), "v")
    assert people.num_rows == 1


def test_views_of_duckdb_on_its_tables_are_counted_and_released(tmp_path):
    path = made_of(tmp_path / "d.duckdb", OWN)
    for name in OWN:
        with Records.open(path, f"{name}_view") as records:
            assert len(records.engine.run(records.table)) > 0, name
    with Records.open(path, "counts_view") as records:
        labels = count(records, "p")
        made = release(records, labels, kanon.generalize(labels, 2, "fold"), tmp_path / "o.csv", by="p", keep=["n"])
        assert made.path.read_text().splitlines() == ["group,n", "Group 1,2", "Group 1,3"]
        for target in ("out.csv", "out.parquet", "out"):
            records.engine.write(records.table.order_by("n"), tmp_path / target)
            assert len(records.engine.run(records.engine.read_written(tmp_path / target))) == 2
