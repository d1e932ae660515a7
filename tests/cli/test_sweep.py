"""kanon sweep: many k, many algorithms."""

import json
import os

import pandas as pd
import pytest

from kanon_engine import read_labels, sweep
from tests.cli.command import CYCLES, GEORGIA, SAMPLES, WOMEN, kanon, refused


def test_json_and_csv_hold_the_engine_s_table(tmp_path):
    out = tmp_path / "sweep.csv"
    told = ["--ks", "3000,30000,300000", "--algorithms", "fold,fold:order=sorted"]
    result = kanon("sweep", "labels", WOMEN, *told, "--format", "json", "--out", out)
    assert result.exit_code == 0, result.output
    named = {"fold": ("fold", {}), "fold:order=sorted": ("fold", {"order": "sorted"})}
    expected = sweep(read_labels(WOMEN), [3_000, 30_000, 300_000], named)
    rows = pd.DataFrame(json.loads(result.stdout))
    for table in (rows, pd.read_csv(out)):
        assert list(table.columns) == list(expected.columns)
        for column in table.columns.drop("seconds"):
            plain = expected[column].astype(object).where(expected[column].notna(), None).tolist()
            assert table[column].astype(object).where(table[column].notna(), None).tolist() == plain
    assert rows["status"].tolist().count("infeasible") == 2


def test_the_table_is_for_people():
    result = kanon("sweep", "labels", WOMEN, "--ks", "3000,300000")
    header, first, second = result.stdout.splitlines()
    assert header.split()[:3] == ["algorithm", "k", "groups"]
    assert first.split()[:2] == ["near-optimal", "3,000"]
    assert second.split() == ["near-optimal", "300,000", "infeasible"]


@pytest.mark.parametrize(
    ("steps", "ks"), [(2, [10, 20]), (3, [10, 15, 20]), (50, list(range(10, 21)))], ids=["ends", "middle", "every"]
)
def test_steps_are_even_whole_and_different(steps, ks):
    told = ["--x", "lon", "--y", "lat", "--from", 10, "--to", 20, "--steps", steps, "--format", "json"]
    assert [row["k"] for row in json.loads(kanon("sweep", "points", CYCLES, *told).stdout)] == ks


def test_regions_as_json_file(tmp_path):
    out = tmp_path / "sweep.json"
    few = ["--algorithms", "recombine:effort=0.05"]
    result = kanon("sweep", "regions", GEORGIA, "--weight", "TotPop90", "--ks", "40000,80000", *few, "--out", out)
    assert result.exit_code == 0, result.output
    assert [row["k"] for row in json.loads(out.read_text("utf-8"))] == [40_000, 80_000]
    assert f"Written: {out}" in result.stderr


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (["--ks", "0"], "k is 0"),
        (["--ks", "10", "--algorithms", "kd-tree"], "spread"),
        (["--ks", "10", "--algorithms", "fold:size=3"], "order"),
        (["--ks", "10", "--algorithms", "fold:order=backwards"], "given, random, sorted"),
        (["--ks", "10", "--algorithms", "fold:order"], "NAME:OPTION=VALUE"),
        (["--ks", "10", "--label", "name"], "name"),
        (["--ks", "10", "--algorithms", "scheme:epsilon=-2"], "of at least 0.01; choose another for epsilon."),
    ],
)
def test_refusals(told, words, tmp_path):
    assert words in refused(kanon("sweep", "labels", WOMEN, *told, "--out", tmp_path / "sweep.csv"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "told",
    [
        [],
        ["--ks", "5;6"],
        ["--ks", "5", "--from", 3, "--to", 9],
        ["--from", 3],
        ["--from", 9, "--to", 3],
        ["--from", 3, "--to", 9, "--steps", 1],
        ["--ks", "5", "--out", "sweep.txt"],
    ],
)
def test_usage_errors(told):
    result = kanon("sweep", "labels", WOMEN, *told)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_what_was_made_for_a_larger_k_says_so():
    told = ["--weight", "BIR74", "--id", "FIPS", "--ks", "15000,20000", "--algorithms", "tree-split"]
    header, first, second = kanon("sweep", "regions", SAMPLES / "north_carolina.geojson", *told).stdout.splitlines()
    assert header.endswith("groups made for k =")
    assert first.endswith("20,000")
    assert not second.endswith("20,000")
    own = kanon("sweep", "regions", SAMPLES / "north_carolina.geojson", *told, "--no-reuse").stdout.splitlines()
    assert "groups made for k =" not in own[0]
    assert own[1].split()[3] > first.split()[3]
