"""kanon verify: a certificate against its file, as made and after someone has edited either."""

import json
from pathlib import Path
from shutil import copy
from zipfile import ZipFile

import pytest

from tests.cli.command import CASES, GEORGIA, WOMEN, kanon, refused


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A certificate of each command, written by it."""
    folder = tmp_path_factory.mktemp("certificates")
    for command, case in CASES.items():
        result = kanon(*case, "--certificate", folder / command)
        assert result.exit_code == 0, result.output
    return folder


@pytest.fixture(params=CASES)
def certified(request, certificates, tmp_path):
    """A certificate, to be changed, and its file."""
    return copy(certificates / request.param, tmp_path / "certificate.json"), CASES[request.param][1]


def edited(certificate, **changes):
    content = json.loads(certificate.read_text("utf-8"))
    for name, change in changes.items():
        content[name] = change(content[name])
    certificate.write_text(json.dumps(content), "utf-8")


@pytest.mark.thorough(one_in=2)
def test_a_good_certificate_passes(certified):
    result = kanon("verify", *certified)
    assert result.exit_code == 0, result.output
    assert "feasibility" in result.stdout
    assert "checks passed" in result.stdout
    content = json.loads(kanon("verify", *certified, "--format", "json").stdout)
    assert all(check["passed"] for check in content["checks"])
    assert f"All {len(content['checks'])} checks passed" in result.stdout


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("field", "change", "check"),
    [
        ("cost", lambda value: value - 1, "cost"),
        ("lower_bound", lambda value: value + 1, "bound witness"),
        ("k", lambda value: value + 10**6, "feasibility"),
        ("seed", lambda value: value + 1, "digest"),
        ("family", lambda value: "tables", "family"),
        ("instance_digest", lambda value: "0" * 64, "instance"),
        ("status", lambda value: "perfect", "form"),
    ],
)
def test_an_edited_certificate_fails_by_name(certified, field, change, check):
    edited(certified[0], **{field: change})
    assert refused(kanon("verify", *certified)).startswith(f"The check “{check}” failed")


def test_an_edited_file_is_another_instance(tmp_path):
    data, certificate = tmp_path / "names.csv", tmp_path / "certificate.json"
    data.write_text("name,count\nAda,3\nBo,4\nCy,5\n", "utf-8")
    assert kanon("labels", data, "-k", 5, "--certificate", certificate).exit_code == 0
    data.write_text("name,count\nAda,3\nBo,5\nCy,5\n", "utf-8")
    assert "“instance”" in refused(kanon("verify", certificate, data))


@pytest.mark.thorough
def test_counts_in_a_second_table_are_named_again(tmp_path):
    certificate, counts = tmp_path / "certificate.json", tmp_path / "counts.csv"
    features = json.loads(GEORGIA.read_text("utf-8"))["features"]
    lines = [f"{feature['properties']['AreaKey']},{40 + place}" for place, feature in enumerate(features)]
    counts.write_text("key,patients\n" + "\n".join(lines) + "\n", "utf-8")
    told = ["--id", "AreaKey", "--counts", counts, "--counts-id", "key", "--counts-column", "patients"]
    told += ["--algorithm", "tree-split"]
    result = kanon("regions", GEORGIA, "-k", 500, *told, "--certificate", certificate, "--format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["total"] == sum(range(40, 40 + len(features)))
    assert kanon("verify", certificate, GEORGIA, "--counts", counts).exit_code == 0
    assert "--counts" in refused(kanon("verify", certificate, GEORGIA))


def test_borders_from_a_list_are_named_again(tmp_path):
    certificate, borders, counts = (tmp_path / name for name in ("certificate.json", "borders.csv", "counts.csv"))
    borders.write_text("a,b\nx,y\ny,z\nz,u\n", "utf-8")
    counts.write_text("id,count\nx,5\ny,6\nz,7\nu,4\n", "utf-8")
    assert kanon("regions", borders, "--counts", counts, "-k", 10, "--certificate", certificate).exit_code == 0
    assert kanon("verify", certificate, borders, "--counts", counts).exit_code == 0
    assert "with --counts." in refused(kanon("regions", borders, "-k", 10))
    assert "shapes" in refused(kanon("regions", borders, "--counts", counts, "-k", 10, "--out", tmp_path / "g.gpkg"))


@pytest.mark.parametrize("text", ["", "no JSON", "{}", "[1]", '{"format": "kanon generalization 1"}', "\x00\x01"])
def test_what_is_no_certificate_is_refused(text, tmp_path):
    certificate = tmp_path / "certificate.json"
    certificate.write_text(text, "utf-8")
    refused(kanon("verify", certificate, WOMEN))


def test_swapped_files_are_named(tmp_path):
    data, areas, certificate = (tmp_path / name for name in ("names.csv", "areas.zip", "certificate.json"))
    data.write_text("name,count\nAda,3\nBo,4\nCy,5\n", "utf-8")
    with ZipFile(areas, "w") as file:
        file.writestr("areas.csv", data.read_text("utf-8"))
    assert kanon("labels", data, "-k", 5, "--certificate", certificate).exit_code == 0
    for first in (data, areas, GEORGIA):
        words = f"{first.name} is not a certificate, but certificate.json is; swap these two files."
        assert refused(kanon("verify", first, certificate)) == words
    assert refused(kanon("audit", data, certificate)).startswith("names.csv is not a certificate")
    assert "swap" not in refused(kanon("verify", areas, data))


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    "reading",
    [
        {"mapping": {}},
        {"mapping": {"reader": "read_text"}},
        {"mapping": {"reader": "read_labels", "file": "/etc/hostname"}},
        {"mapping": {"reader": "read_regions", "counts": "/etc/hostname"}},
        {"mapping": {"reader": "read_labels", "label": [1, 2]}},
        {"mapping": {"reader": ["read_labels"]}},
        "read_labels",
        5,
    ],
)
def test_reading_parameters_that_make_no_sense_are_refused(reading, tmp_path):
    certificate = tmp_path / "certificate.json"
    assert kanon(*CASES["labels"], "--certificate", certificate).exit_code == 0
    edited(certificate, reading=lambda _: reading)
    refused(kanon("verify", certificate, WOMEN))


SECRET = "a-line-of-another-file"


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("labels", {"together": "PATH"}),
        ("labels", {"apart": ["PATH"]}),
        ("labels", {"class_names": {"mapping": {"PATH": 1}}}),
        ("points", {"crs": "+init=PATH:4326"}),
        ("points", {"crs": "+proj=longlat +nadgrids=PATH"}),
        ("points", {"project": "PATH"}),
        ("points", {"crs": ["PATH"]}),
        ("points", {"project": "https://localhost/x"}),
        ("points", {"layer": {"mapping": {}}}),
        ("points", {"drop_bad": "PATH"}),
        ("regions", {"counts": "PATH"}),
        ("regions", {"edges": "PATH"}),
        ("regions", {"counts_id": "id", "unmatched": ["x"]}),
        ("regions", {"islands": {"mapping": {}}}),
        ("regions", {"layer": -1}),
        ("regions", {"reader": "read_table", "hierarchies": {"mapping": {"age": "PATH"}}}),
        ("regions", {"reader": "read_table", "orders": "PATH", "bins": "PATH", "quasi_identifiers": 7}),
        ("regions", {"reader": "read_table", "orders": {"mapping": {"a": [[["PATH"]]]}}}),
        ("regions", {"reader": ["read_table"]}),
        ("regions", {"reader": "open"}),
    ],
)
def test_a_certificate_cannot_make_verify_open_another_file(certificates, command, changes, tmp_path):
    secret, certificate = tmp_path / "secret.csv", copy(certificates / command, tmp_path / "certificate.json")
    secret.write_text(f"{SECRET};*\n{SECRET}2;*\n", "utf-8")
    changes = json.loads(json.dumps(changes).replace("PATH", str(secret)))
    edited(certificate, reading=lambda reading: {"mapping": reading["mapping"] | changes})
    opened = []
    with pytest.MonkeyPatch.context() as patch:
        read = Path.read_bytes
        patch.setattr(Path, "read_bytes", lambda path: opened.append(path) or read(path))
        sentence = refused(kanon("verify", certificate, CASES[command][1]))
    assert SECRET not in sentence
    assert secret not in opened
