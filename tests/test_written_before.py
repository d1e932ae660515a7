"""Files that an earlier version wrote are opened by this one: certificates, bundles, data, projects and recipes.

tests/written_before/ holds what version 1 of each format looked like, of every algorithm, beside the small files that
it was made from. A file there is never written again; a new format gets new files.
"""

import json
import shutil
from pathlib import Path

import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from tests.cli.command import kanon as command
from tests.sentences import HAS_CHANGED_SINCE
from tests.verification.checked import file_failures

FOLDER = Path(__file__).parent / "written_before"
DATA = {
    "regions": "areas.geojson",
    "rectangles": "points.csv",
    "labels": "names.csv",
    "tables": "people.csv",
    "clusters": "points.csv",
}
CERTIFICATES, BUNDLES, INSTANCES, RECIPES, PROJECTS = (
    sorted(path.name for path in FOLDER.glob(f"*.{ending}"))
    for ending in ("certificate.json", "bundle.zip", "instance.json", "recipe.toml", "project.toml")
)


def data_of(name):
    """The file that something was made from."""
    return FOLDER / DATA[name.partition(".")[0].partition("-")[0]]


def test_every_format_and_every_algorithm_is_there():
    made = {json.loads((FOLDER / name).read_text())["algorithm"] for name in CERTIFICATES}
    assert made >= {algorithm.name for family in FAMILIES.values() for algorithm in family.algorithms.values()}
    assert (len(BUNDLES), len(INSTANCES), len(RECIPES), len(PROJECTS)) == (5, 7, 6, 2)


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_certificate_verifies_with_the_same_cost(name):
    done = command("verify", FOLDER / name, data_of(name), "--format", "json")
    assert done.exit_code == 0, done.output
    written = json.loads((FOLDER / name).read_text())
    g = kanon.Generalization.from_json((FOLDER / name).read_text())
    assert (g.cost, g.lower_bound, g.digest) == (written["cost"], written["lower_bound"], written["digest"])


@pytest.mark.parametrize("name", CERTIFICATES)
def test_python_check_accepts_a_certificate(name):
    data = f"{name.partition('-')[0]}{'-counted' * ('counted' in name)}.instance.json"
    assert file_failures(FOLDER / name, FOLDER / data) == []


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("name", BUNDLES)
def test_a_bundle_verifies_with_its_data(name):
    done = command("verify", FOLDER / name, data_of(name))
    assert done.exit_code == 0, done.output
    assert "the checker comes from an earlier version" in " ".join(done.output.split())
    assert file_failures(FOLDER / name) == []


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("name", RECIPES + PROJECTS)
def test_a_project_runs(name, tmp_path):
    for file in (*DATA.values(), "records.csv", name):
        shutil.copy(FOLDER / file, tmp_path)
    release = ["--release", tmp_path / "release"] if name in RECIPES else []
    done = command("run", tmp_path / name, *release)
    assert done.exit_code == 0, done.output
    assert "not what" not in done.stderr
    assert HAS_CHANGED_SINCE not in done.stderr
    assert len(list(tmp_path.glob("release/*"))) == (name in RECIPES)
