"""`--hierarchies` by pairs, by a pattern and by a folder; and a limit that is a share of the records."""

import json

import pytest
import typer

from kanon_engine import Generalization
from kanon_engine.cli.flags import in_records
from kanon_engine.tables import LIMIT
from kanon_engine.tables.read_columns import hierarchy_files
from tests.cli.command import kanon

AGES = "20;young;*\n30;young;*\n40;old;*\n50;old;*\n"
PEOPLE = "Age,zip_code,illness\n" + "".join(f"{(20, 30, 40, 50)[n % 4]},{n % 2},{'ab'[n % 3 > 0]}\n" for n in range(24))


@pytest.fixture
def folder(tmp_path):
    """Records, and hierarchies as ARX calls them."""
    (tmp_path / "people.csv").write_text(PEOPLE, "utf-8")
    (tmp_path / "test_hierarchy_age.csv").write_text(AGES, "utf-8")
    (tmp_path / "test_hierarchy_ZIPCode.csv").write_text("0;*\n1;*\n", "utf-8")
    (tmp_path / "test_hierarchy_illness.csv").write_text("a;*\nb;*\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize("given", ["test_hierarchy_*.csv", "", "TEST_hierarchy_*.CSV"])
def test_a_pattern_or_a_folder_names_a_file_for_each_column(given, folder):
    command = ["table", folder / "people.csv", "-k", 2, "--algorithm", "mondrian", "--sensitive", "illness"]
    done = kanon(*command, "--hierarchies", folder / given, "--format", "json")
    assert done.exit_code == 0, done.output
    assert sorted(json.loads(done.stdout)["hierarchies"]) == ["Age", "zip_code"]
    unused = f"The hierarchy {folder / 'test_hierarchy_illness.csv'} is not used"
    assert f"{unused}, because another flag sets the role of 'illness'." in done.stderr.splitlines()
    words = kanon(*command, "--hierarchies", folder / given, "--release", folder / "r.csv").stderr.splitlines()[-1]
    assert (
        "each of “Age” and “zip_code” was read as quasi-identifier because it has a hierarchy; set the roles" in words
    )


def test_only_the_star_stands_for_other_letters(folder):
    odd = folder / "odd[1]?"
    odd.mkdir()
    (odd / "a[b]_x.csv").write_text(AGES, "utf-8")
    assert hierarchy_files(str(odd / "a[b]_*.csv")) == {"x": str(odd / "a[b]_x.csv")}
    literal = odd / "levels_*.csv"
    assert hierarchy_files(f"age={literal}") == {"age": str(literal)}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("none_*.csv", "matches no file"),
        ("gone/*.csv", "is not a folder"),
        ("t*_*.csv", "matches no file"),
        ("age", "COLUMN=FILE"),
    ],
)
def test_what_fits_no_file_is_a_sentence(given, words, folder):
    with pytest.raises(ValueError, match=words):
        hierarchy_files(str(folder / given))


def test_two_files_for_one_column_are_refused(folder):
    (folder / "other_hierarchy_age.csv").write_text(AGES, "utf-8")
    with pytest.raises(ValueError, match=r"two files for 'age': other_hierarchy_age.csv and test_hierarchy_age.csv"):
        hierarchy_files(str(folder))


@pytest.mark.parametrize(
    ("given", "total", "most"),
    [("4%", 7, 0), ("4%", 100, 4), ("0.5 %", 399, 1), ("100%", 7, 7), ("12", 7, 12), ("29%", 100, 29), ("-1", 7, -1)],
)
def test_a_share_is_rounded_down_to_records(given, total, most):
    assert in_records([LIMIT], {"suppression_limit": given}, total) == {"suppression_limit": most}


@pytest.mark.parametrize("given", ["101%", "-1%", "some", "1.5", "%", "1/0%"])
def test_what_is_no_share_is_a_usage_error(given):
    with pytest.raises(typer.BadParameter, match="neither a whole number nor a share"):
        in_records([LIMIT], {"suppression_limit": given}, 100)


def test_a_certificate_keeps_the_number_of_a_share(folder):
    command = ["table", folder / "people.csv", "-k", 5, "--algorithm", "hill-climb", "--restarts", 1]
    command += ["--quasi-identifiers", "Age", "--suppression-limit", "9%", "--certificate", folder / "c.json"]
    assert kanon(*command).exit_code == 0
    assert Generalization.from_json((folder / "c.json").read_text("utf-8")).options["suppression_limit"] == 2
