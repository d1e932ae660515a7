"""kanon clusters: with and without columns to keep, and a certificate that is checked against the file."""

import json

import pytest

from tests.cli.command import kanon, refused

ROWS = "age,place,illness\n30,10,flu\n32,10,flu\n50,23,hypertension\n50,20,flu\n50,17,cold\n"


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(ROWS, "utf-8")
    return path


@pytest.mark.parametrize("keep", [[], ["--keep", "illness"]])
def test_a_clustering_is_made_and_its_certificate_holds(people, tmp_path, keep):
    certificate = tmp_path / "people.json"
    command = ["clusters", people, "-k", 2, "--columns", "age,place", "--scale", "none", *keep]
    made = kanon(*command, "--certificate", certificate, "--format", "json")
    assert made.exit_code == 0, made.output
    content = json.loads(made.stdout)
    assert (content["cost"], content["status"], content["kept"]) == (3.0, "optimal", keep[1:])
    checked = kanon("verify", certificate, people)
    assert checked.exit_code == 0, checked.output
    assert "None" not in checked.output
    people.write_text(ROWS.replace("50,17", "50,16"), "utf-8")
    assert "instance" in refused(kanon("verify", certificate, people))


def test_an_impossible_value_is_not_called_missing(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text("lon,lat\n1,2\n1,91\n3,4\n", "utf-8")
    made = kanon("clusters", path, "-k", 2, "--drop-missing")
    assert made.exit_code == 0, made.output
    assert "missing or not valid: 1 of 3 rows" in made.output
