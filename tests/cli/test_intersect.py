"""kanon intersect: two certificates and their file."""

import json

import pandas as pd
import pytest

from tests.cli.command import GEORGIA, kanon, refused
from tests.sentences import IS_NOT_NUMERIC, REVEAL_NO_MORE

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
    assert f"Both {REVEAL_NO_MORE}" in result.stdout


def test_edited_or_other_certificates_are_refused(releases, tmp_path):
    other = tmp_path / "other.json"
    content = json.loads(releases[1].read_text("utf-8"))
    content["instance_digest"] = "0" * 64
    other.write_text(json.dumps(content), "utf-8")
    assert "is for different data than" in refused(kanon("intersect", releases[0], other, GEORGIA))
    content = json.loads(releases[1].read_text("utf-8"))
    content["seconds"] = 0.25
    other.write_text(json.dumps(content), "utf-8")
    assert "digest" in refused(kanon("intersect", releases[0], other, GEORGIA))


BORDERS = "from,to\na,b\nb,c\nc,d\n"
CASES = "id,people,cases\na,22000,40\nb,24000,3\nc,21000,40\nd,30000,50\n"
HOSPITALS = "id,people,hosp,dead\na,22000,40,40\nb,24000,35,32\nc,21000,75,50\nd,30000,80,55\n"


def grouped(folder, counts, k, minimum):
    """The certificate of four areas in a row, and how their file is named."""
    (folder / "borders.csv").write_text(BORDERS, "utf-8")
    (folder / "counts.csv").write_text(counts, "utf-8")
    file = [folder / "borders.csv", "--counts", folder / "counts.csv"]
    own = [*file, "--counts-id", "id", "--counts-column", "people", "--unit", "people"]
    certificate = folder / f"{k}.json"
    made = kanon("regions", *own, "-k", k, "--minimum", minimum, "--certificate", certificate,
                 "--package", folder / f"{k}.zip", "--carry", minimum.replace("=11", ""),
                 "--codes-are-public")  # fmt: skip
    assert made.exit_code == 0, made.output
    return certificate, file


def ruled(*flags):
    """The verdict of the rule on small cells, and why."""
    told = json.loads(kanon("report", *flags, "--rules", "cms-cells", "--format", "json").stdout)
    differencing = next(one["verdict"] for one in told["attacks"] if one["attack"] == "differencing")
    return told["rules"][0]["verdict"], told["rules"][0]["found"], differencing


@pytest.mark.thorough
def test_second_counts_of_two_packages_tell_those_of_an_area(tmp_path):
    (one, file), (two, _) = (grouped(tmp_path, CASES, k, "cases=11") for k in (20_001, 22_500))
    told = json.loads(kanon("intersect", one, two, *file, "--format", "json").stdout)
    assert [(row["count"], row["low"], row["high"]) for row in told["counts"]] == [("cases", 3, 3)]
    assert "“cases” is 3" in kanon("intersect", one, two, *file).stdout
    assert "“cases”" not in kanon("intersect", one, two, *file, "--carry", "").stdout
    verdict, why, differencing = ruled(two, *file, "--other-certificate", one)
    assert (verdict, differencing) == ("does not hold", "does not survive")
    assert "“cases” is 3" in why
    packages = ["--package", tmp_path / "22500.zip", "--other-package", tmp_path / "20001.zip"]
    verdict, why, differencing = ruled(two, *file, *packages)
    assert (verdict, differencing) == ("does not hold", "does not survive")
    assert "“cases” is 3" in why
    alone = ruled(two, *file)
    assert (alone[0], alone[2]) == ("not assessed", "survives")
    assert "“cases”" in alone[1]


@pytest.mark.thorough
def test_who_survived_follows_where_the_dead_are_a_part(tmp_path):
    certificate, file = grouped(tmp_path, HOSPITALS, 40_000, "hosp=11,dead=11")
    context = tmp_path / "context.toml"
    context.write_text('[facts]\nothers = "none"\n', "utf-8")
    verdict, why, _ = ruled(certificate, *file, "--context", context)
    assert verdict == "not assessed"
    assert "“hosp” and “dead”" in why
    for dead, expected in (("part of hosp", "does not hold"), ("count", "holds")):
        columns = f'[facts]\nothers = "none"\n[facts.columns]\nhosp = "part of people"\ndead = "{dead}"\n'
        context.write_text(columns, "utf-8")
        verdict, why, _ = ruled(certificate, *file, "--context", context)
        assert verdict == expected
        assert ("“hosp” without “dead” is 3" in why) == (expected == "does not hold")
    context.write_text('[facts.columns]\ndead = "some"\n', "utf-8")
    assert IS_NOT_NUMERIC in refused(kanon("report", certificate, *file, "--context", context))
