"""kanon report of a package of areas: one that was published, one that its flags make, and those published before."""

import json
import shutil
import zipfile

import pytest

from kanon_engine.release.formats import unpacked
from kanon_engine.report.members import members_of
from tests.cli.command import kanon, refused
from tests.sentences import NO_PACKAGES, NOT_A_ZIP, THERE_IS_NO_SECOND_COUNT
from tests.test_written_before import FOLDER

READING = ["--weight", "people", "--id", "code", "--columns", "cases", "--codes-are-public", "--date", "2026-11-01"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Areas in two groupings, each with a certificate and a package with the sums of cases."""
    folder = tmp_path_factory.mktemp("packages")
    areas = json.loads((FOLDER / "areas.geojson").read_text())
    for area in areas["features"]:
        area["properties"]["cases"] += 12
    (folder / "areas.geojson").write_text(json.dumps(areas))
    for name, k in (("ours", 11), ("older", 20)):
        files = ["--certificate", folder / f"{name}.json", "--package", folder / f"{name}.zip"]
        flags = ["-k", k, "--carry", "cases", "--rates", "cases/people", *files]
        done = kanon("regions", folder / "areas.geojson", *READING, *flags)
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(autouse=True)
def own_key(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("KANON_KEY", str(tmp_path_factory.getbasetemp() / "key.pem"))


def report(place, *flags):
    return kanon("report", place / "ours.json", place / "areas.geojson", *flags)


def content(place, *flags):
    done = report(place, *flags, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_exactly_the_files_of_a_package_are_reviewed_and_the_bundle_is_checked_in_full(place, tmp_path):
    bundle = tmp_path / "bundle.zip"
    done = report(place, "--package", place / "ours.zip", "--bundle", bundle)
    assert done.exit_code == 0, done.output
    members = members_of(bundle.read_bytes())
    published = unpacked((place / "ours.zip").read_bytes(), "ours.zip")
    assert {f"release/{name}": own for name, own in published.items()} == {
        name: own for name, own in members.items() if name.startswith("release/")
    }
    checked = kanon("verify", bundle, place / "areas.geojson", "--format", "json")
    assert checked.exit_code == 0, checked.output
    assert json.loads(checked.stdout)["not_checked"] == []
    recipe = tmp_path / "recipe.toml"
    recipe.write_bytes(members["internal/recipe.toml"])
    shutil.copy(place / "areas.geojson", tmp_path)
    done = kanon("run", recipe, "--release", tmp_path / "again")
    assert done.exit_code == 0, done.output
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == published


@pytest.mark.thorough
def test_sums_and_rates_are_reviewed_as_in_the_package(place):
    published = content(place, "--package", place / "ours.zip")["digests"]
    made = content(place, "--keep", "cases", "--rates", "cases/people", "--codes-are-public", "--date", "2026-11-01")
    carried = content(
        place, "--carry", "cases", "--rates", "cases/people", "--codes-are-public", "--date", "2026-11-01"
    )
    released = {name: digest for name, digest in published.items() if name.startswith("release/")}
    for one in (made, carried):
        assert {name: own for name, own in one["digests"].items() if name.startswith("release/")} == released
    assert len(released) == 7


@pytest.mark.thorough
def test_a_package_that_was_published_before_is_taken_into_account(place):
    attacks = {one["attack"]: one for one in content(place, "--package", place / "ours.zip")["attacks"]}
    both = content(place, "--package", place / "ours.zip", "--other-package", place / "older.zip")
    told = {one["attack"]: one for one in both["attacks"]}
    assert told["differencing"]["of"] >= attacks["differencing"]["of"]
    assert both["digests"].keys() >= {"ours.zip", "older.zip"}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--package", "ours.zip", "--carry", "cases"], "The package is reviewed as it is"),
        (["--package", "ours.zip", "--keep", "cases"], "The package is reviewed as it is"),
        (["--package", "older.zip"], "“groups.csv” failed"),
        (["--package", "areas.geojson"], NOT_A_ZIP),
        (["--carry", "deaths"], f"{THERE_IS_NO_SECOND_COUNT} 'deaths'"),
        (["--carry", "cases", "--formats", "csv"], "A package has its own formats"),
        (["--carry", "cases", "--date", "soon"], "The date is 'soon'"),
        (["--other-package", "ours.json"], NOT_A_ZIP),
    ],
)
def test_what_is_no_package_or_said_twice_is_refused(place, flags, words):
    flags = [place / flag if (place / str(flag)).is_file() else flag for flag in flags]
    assert words in refused(report(place, *flags))


def test_a_changed_package_is_refused(place, tmp_path):
    files = unpacked((place / "ours.zip").read_bytes(), "ours.zip")
    with zipfile.ZipFile(tmp_path / "changed.zip", "w") as file:
        for name, own in files.items():
            file.writestr(name, own.replace(b"\n1,", b"\n1,x") if name == "groups.csv" else own)
    assert "failed" in refused(report(place, "--package", tmp_path / "changed.zip"))


def test_there_is_no_package_of_labels(tmp_path):
    (tmp_path / "names.csv").write_text("name,count\nAda,50\nBo,40\n", "utf-8")
    made = kanon("labels", tmp_path / "names.csv", "-k", 40, "--certificate", tmp_path / "g.json")
    assert made.exit_code == 0, made.output
    for flags in (
        ["--package", tmp_path / "names.csv"],
        ["--title", "Names"],
        ["--other-package", tmp_path / "g.json"],
    ):
        words = refused(kanon("report", tmp_path / "g.json", tmp_path / "names.csv", *flags))
        assert NO_PACKAGES in words
