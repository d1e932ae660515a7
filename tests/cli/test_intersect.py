"""kanon intersect: two certificates and their file."""

import json

import pandas as pd
import pytest

from tests.cli.command import GEORGIA, kanon, refused

FLAGS = ["--weight", "TotPop90", "--id", "AreaKey", "--unit", "people", "--algorithm", "tree-split"]


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Certificates of Georgia at two k."""
    folder = tmp_path_factory.mktemp("georgia")
    paths = []
    for k in (20_000, 25_000):
        paths.append(folder / f"{k}.json")
        result = kanon("regions", GEORGIA, "-k", k, *FLAGS, "--certificate", paths[-1])
        assert result.exit_code == 0, result.output
    return paths


def test_two_releases_of_georgia_expose_single_counties(releases, tmp_path):
    cells = tmp_path / "cells.csv"
    result = kanon("intersect", *releases, GEORGIA, "--out", cells)
    assert result.exit_code == 0, result.output
    told = json.loads(kanon("intersect", *releases, GEORGIA, "--format", "json").stdout)
    assert told["sentence"] in " ".join(result.stdout.split("\n"))
    assert told["exact"] >= told["single"] > 20
    frame = pd.read_csv(cells)
    assert len(frame) == told["cells"]
    assert int(frame["exposed"].sum()) == len(told["exposed"])
    light = frame[frame["exact"]]
    assert (light["low"] == light["weight"]).all()
    assert (light["weight"] < 20_000).all()
    assert "(internal)" in result.stderr
    shown = [line.split() for line in result.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert shown[0][-1] == f"{int(light['weight'].min()):,}"


def test_the_same_release_twice_tells_no_more(releases):
    result = kanon("intersect", releases[0], releases[0], GEORGIA)
    assert "Both releases have the same groups" in result.stdout


def test_edited_or_other_certificates_are_refused(releases, tmp_path):
    other = tmp_path / "other.json"
    content = json.loads(releases[1].read_text("utf-8"))
    content["instance_digest"] = "0" * 64
    other.write_text(json.dumps(content), "utf-8")
    assert "is of other data than" in refused(kanon("intersect", releases[0], other, GEORGIA))
    content = json.loads(releases[1].read_text("utf-8"))
    content["seconds"] = 0.25
    other.write_text(json.dumps(content), "utf-8")
    assert "digest" in refused(kanon("intersect", releases[0], other, GEORGIA))
