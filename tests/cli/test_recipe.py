"""kanon run of a recipe: what leaves is made again byte for byte, wherever and whenever it is run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from kanon_engine.project import Project, project_from
from kanon_engine.project.manifest import sha256
from kanon_engine.project.recipe import Leaving
from kanon_engine.release.formats import FORMATS, TABLE
from kanon_engine.report.members import members_of
from kanon_engine.report.rebuilt import SAME
from tests.cli.command import CYCLES, GEORGIA, kanon, refused
from tests.sentences import ALREADY_EXISTS
from tests.verification.checked import file_failures

ROOT = Path(__file__).parents[2]
PEOPLE = pd.DataFrame(
    {"age": [31, 30, 30, 44, 45, 41] * 4, "sex": list("fmmfmf") * 4, "illness": ["flu", "=1+1", "cold", "flu"] * 6}
)


def recipes(folder):
    """A recipe of each kind of release, with its files beside it."""
    (folder / "georgia.geojson").write_bytes(GEORGIA.read_bytes())
    (folder / "cycles.csv").write_bytes(CYCLES.read_bytes())
    (folder / "names.csv").write_bytes(b"name,count\nAda,5\nBo,4\nCy,3\nDi,7\n")
    PEOPLE.to_csv(folder / "people.csv", index=False)
    own = pd.DataFrame({"name": ["Ada", "Bo", "Cy", "Di", "Ed"] * 3, "sex": list("fmmff") * 3})
    own.to_csv(folder / "own.csv", index=False)
    reading = {"weight": "TotPop90", "id": "AreaKey"}
    table = {"quasi_identifiers": ["age", "sex"], "keep": ["illness"]}
    made = {
        "areas": Project("regions", "georgia.geojson", 100_000, "tree-split", reading=reading,
                         leaving=Leaving(tuple(FORMATS), codes_are_public=True)),
        "points": Project("rectangles", "cycles.csv", 50, "kd-tree", {"snap": 0.01}, leaving=Leaving(tuple(FORMATS))),
        "labels": Project("labels", "names.csv", 5, "fold", leaving=Leaving(TABLE)),
        "table": Project("tables", "people.csv", 3, "k-optimize", reading=table,
                         leaving=Leaving(TABLE, sensitive=("illness",))),
        "own": Project("labels", "names.csv", 5, "fold",
                       leaving=Leaving(TABLE, own="own.csv", by=("name",), quasi_identifiers=("sex",))),
    }  # fmt: skip
    for name, project in made.items():
        (folder / f"{name}.toml").write_text(project.to_toml(), "utf-8")
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("recipes")
    recipes(place)
    return place


KINDS = ("areas", "points", "labels", "table", "own")


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_recipe_makes_its_release_again_byte_for_byte(folder, kind, tmp_path):
    recipe = folder / f"{kind}.toml"
    done = kanon("run", recipe, "--release", tmp_path / "first")
    assert done.exit_code == 0, done.output
    assert "the project does not specify the content of this file" in done.stderr
    files = {path.name: path.read_bytes() for path in (tmp_path / "first").iterdir()}
    project = project_from(recipe.read_bytes())
    assert sorted(files) == sorted(project.leaving.names(project.family))
    sealed = project.sealed(folder, files, project.read(folder)[0].reading)
    assert {name: sha256(content) for name, content in files.items()} == sealed.leaving.digests
    again = folder / f"{kind}-sealed.toml"
    again.write_text(sealed.to_toml(), "utf-8")
    done = kanon("run", again, "--release", tmp_path / "second")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("(may be released): byte for byte as the project specifies.") == len(files)
    assert {path.name: path.read_bytes() for path in (tmp_path / "second").iterdir()} == files


def test_what_is_not_as_the_recipe_says_is_named(folder, tmp_path):
    project = project_from((folder / "labels.toml").read_bytes())
    made = dict.fromkeys(project.leaving.names("labels"), b"other")
    (folder / "changed.toml").write_text(
        project.sealed(folder, made, project.read(folder)[0].reading).to_toml(), "utf-8"
    )
    done = kanon("run", folder / "changed.toml", "--release", tmp_path / "out")
    assert done.exit_code == 1
    assert done.stderr.count("NOT as the project specifies") == 3
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("The release is not as the project specifies: groups.csv, groups.parquet, groups.xlsx.")
    words = refused(kanon("run", folder / "changed.toml", "--bundle", tmp_path / "bundle.zip"))
    assert "The release is not as the project specifies" in words
    assert not (tmp_path / "bundle.zip").exists()


def test_where_a_release_cannot_go_is_a_sentence(folder, tmp_path):
    (tmp_path / "file").write_text("a")
    assert "cannot be created" in refused(kanon("run", folder / "labels.toml", "--release", tmp_path / "file"))
    assert "cannot be created" in refused(kanon("run", folder / "labels.toml", "--release", tmp_path / "no" / "folder"))
    assert "give a folder" in refused(kanon("run", folder / "labels.toml", "--release", "-"))
    assert kanon("run", folder / "labels.toml", "--release", tmp_path / "out").exit_code == 0
    assert ALREADY_EXISTS in refused(kanon("run", folder / "labels.toml", "--release", tmp_path / "out"))
    assert kanon("run", folder / "labels.toml", "--data").exit_code == 2


def test_a_broken_key_is_told_before_anything_is_searched(folder, tmp_path, monkeypatch):
    (tmp_path / "key").write_text("no key")
    (tmp_path / "key").chmod(0o600)
    monkeypatch.setenv("KANON_KEY", str(tmp_path / "key"))
    monkeypatch.setattr("kanon_engine.cli.run.certified", None)
    assert "is broken" in refused(kanon("run", folder / "labels.toml", "--bundle", tmp_path / "bundle.zip"))


@pytest.mark.thorough
def test_the_bundle_of_a_recipe_passes_and_is_made_again_from_the_recipe_in_it(folder, tmp_path, monkeypatch):
    pytest.importorskip("kanon_engine.report.assemble")
    monkeypatch.setenv("KANON_KEY", str(tmp_path / "key.pem"))
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    done = kanon("run", folder / "labels.toml", "--bundle", first, "--data")
    assert done.exit_code == 0, done.output
    done = kanon("verify", first, folder / "names.csv", "--format", "json")
    assert done.exit_code == 0, done.output
    said = {check["name"]: check["detail"] for check in json.loads(done.stdout)["checks"]}
    again = [name for name, words in said.items() if words == SAME]
    assert set(again) >= {"release/groups.csv", "release/groups.parquet", "release/groups.xlsx"}
    recipe = folder / "from_bundle.toml"
    recipe.write_bytes(members_of(first.read_bytes())["internal/recipe.toml"])
    done = kanon("run", recipe, "--bundle", second, "--data")
    assert done.exit_code == 0, done.output
    assert second.read_bytes() == first.read_bytes()
    assert file_failures(first) == []


ELSEWHERE = """
import hashlib, json, os, sys
from pathlib import Path
from tests.cli.command import kanon
found = {}
for kind in sys.argv[2:]:
    recipe = Path(sys.argv[1]) / f"{kind}.toml"
    done = kanon("run", recipe, "--release", kind, "--bundle", f"{kind}.zip", "--data")
    assert done.exit_code == 0, done.output
    made = [*Path(kind).iterdir(), Path(f"{kind}.zip")]
    found |= {f"{kind} {path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in made}
print(json.dumps(found))
"""


def elsewhere(folder, place, kinds, **surroundings):
    """The digests of what leaves, made by another process in another folder."""
    place.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(folder), *kinds],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.thorough
def test_other_processes_make_the_same_bytes(folder, tmp_path):
    pytest.importorskip("kanon_engine.report.assemble")
    key = {"KANON_KEY": str(tmp_path / "key.pem")}
    one = elsewhere(folder, tmp_path / "a", KINDS, PYTHONHASHSEED="1", TZ="UTC", LANG="C.UTF-8", **key)
    two = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LANG": "de_DE", "LC_ALL": "C"}
    other = elsewhere(folder, tmp_path / "b b", KINDS, **two, **key)
    assert len(one) == 19 + len(KINDS)
    assert one == other
