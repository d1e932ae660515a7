"""kanon regions, points, labels: results, outputs and refusals."""

import csv
import json
import os

import geopandas
import numpy as np
import pytest

import kanon_engine as kanon_engine_package
from kanon_engine import Generalization, generalize, read_labels, read_points, read_regions
from kanon_engine.cli import files
from tests.cli.command import CASES, CYCLES, GEORGIA, WOMEN, kanon, refused
from tests.sentences import ALREADY_EXISTS, AS_ONE_RECORD, EACH_ROW_IS_ONE_RECORD, THERE_IS_NO_FILE, THERE_IS_NO_FOLDER

INSTANCES = {
    "regions": lambda: read_regions(GEORGIA, "TotPop90", id="AreaKey", unit="people"),
    "points": lambda: read_points(CYCLES, "lon", "lat", id="id", unit="stations"),
    "labels": lambda: read_labels(WOMEN),
}


@pytest.mark.parametrize("name", CASES)
def test_the_json_summary_says_what_the_engine_says(name):
    result = kanon(*CASES[name], "--format", "json")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    instance = INSTANCES[name]()
    options = {"algorithm": "spread", "order": "sorted"} if name == "labels" else {}
    g = generalize(instance, CASES[name][3], **options)
    assert content["classes"] == g.classes
    assert content["largest"] == g.cost
    assert content["smallest"] == g.class_weights.min() >= g.k
    assert content["lower_bound"] == g.lower_bound
    assert content["options"] == dict(g.options)
    assert content["notes"] == list(instance.notes)
    assert {"feasibility", "digest"} <= set(content["checks"])


@pytest.mark.parametrize("name", CASES)
def test_the_table_holds_the_figures(name):
    result = kanon(*CASES[name])
    content = json.loads(kanon(*CASES[name], "--format", "json").stdout)
    lines = dict(line.split("  ", 1) for line in result.stdout.split("\n\n")[0].splitlines())
    assert lines["groups"].strip() == f"{content['classes']:,}"
    assert lines["largest group"].strip() == f"{content['largest']:,} {content['unit']}"
    assert f"passed, {len(content['checks'])} checks" in lines["certificate"]
    assert all(f"- {note}" in result.stdout for note in content["notes"])


@pytest.mark.parametrize("name", CASES)
def test_the_crosswalk_names_every_item_once_in_the_order_of_ids(name, tmp_path):
    out, certificate = tmp_path / "out.csv", tmp_path / "out.json"
    result = kanon(*CASES[name], "--out", out, "--certificate", certificate)
    assert result.exit_code == 0, result.output
    header, *rows = csv.reader(out.read_text("utf-8").splitlines())
    assert header == ["id", "group"]
    instance = INSTANCES[name]()
    ids = list(instance.names if name == "labels" else instance.ids)
    assert [row[0] for row in rows] == sorted(map(str, ids))
    assert name != "labels" or ids != sorted(ids), "this sample cannot show that rows are sorted"
    weight = dict(zip(map(str, ids), instance.weights, strict=True))
    g = Generalization.from_json(certificate.read_bytes())
    sums = np.zeros(g.classes, dtype=np.int64)
    for item, number in rows:
        sums[int(number) - 1] += weight[item]
    assert sums.tolist() == g.class_weights.tolist()
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "out.json"]


@pytest.mark.parametrize("ending", ["gpkg", "geojson"])
@pytest.mark.parametrize("name", ["regions", "points"])
def test_classes_with_their_shapes(name, ending, tmp_path):
    out, certificate = tmp_path / f"groups.{ending}", tmp_path / "certificate.json"
    result = kanon(*CASES[name], "--out", out, "--certificate", certificate)
    assert result.exit_code == 0, result.output
    frame = geopandas.read_file(out)
    g = Generalization.from_json(certificate.read_bytes())
    assert frame["group"].tolist() == list(range(1, g.classes + 1))
    assert frame["weight"].tolist() == g.class_weights.tolist()
    instance = INSTANCES[name]()
    places = geopandas.points_from_xy(*instance.xy.T) if name == "points" else instance.geometry.representative_point()
    for number, shape in enumerate(frame.geometry):
        inside = places[g.assignment == number]
        assert inside.intersects(shape.buffer(1e-9)).all()


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("regions", "compactness", 0.5), ("points", "cut", "cyclic"), ("labels", "order", "random")],
)
def test_an_option_of_the_algorithm_reaches_it(name, option, value):
    named = {"regions": ("--effort", 0.05), "points": ("--algorithm", "kd-tree"), "labels": ()}[name]
    result = kanon(*CASES[name], *named, f"--{option}", value, "--seed", 7, "--format", "json")
    content = json.loads(result.stdout)
    assert content["options"][option] == value
    assert content["seed"] == 7


def test_another_algorithm():
    assert json.loads(kanon(*CASES["labels"], "--algorithm", "fold", "--format", "json").stdout)["algorithm"] == "fold"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["labels", WOMEN, "-k", 300_000], "89,940"),
        (["labels", WOMEN, "-k", 0], "k is 0"),
        (["labels", "absent.csv", "-k", 3], f"{THERE_IS_NO_FILE} absent.csv"),
        (["labels", WOMEN.parent, "-k", 3], "list these with --count-by"),
        (["labels", GEORGIA, "-k", 3], "kind “json”"),
        (["labels", WOMEN, "-k", 3_000, "--seed", -1], "seed is -1"),
        (["labels", WOMEN, "-k", 3_000, "--time-limit", 0], "time limit is 0"),
        (["regions", GEORGIA, "-k", 50_000, "--weight", "people"], "the columns are: AreaKey"),
        (["points", CYCLES, "-k", 20, "--x", "west"], "west"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_no_file(arguments, words, tmp_path):
    outputs = ["--out", tmp_path / "out.csv", "--certificate", tmp_path / "out.json"]
    assert words in refused(kanon(*arguments, *outputs))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["labels", WOMEN],
        ["labels", "-k", 3],
        ["labels", WOMEN, "-k", "many"],
        ["labels", WOMEN, "-k", 3_000, "--algorithm", "kd-tree"],
        ["labels", WOMEN, "-k", 3_000, "--order", "backwards"],
        ["labels", WOMEN, "-k", 3_000, "--cut", "cyclic"],
        ["labels", WOMEN, "-k", 3_000, "--out", "groups.gpkg"],
        ["regions", GEORGIA, "-k", 3_000, "--out", "groups.txt"],
        ["tables", WOMEN, "-k", 3],
    ],
)
def test_a_wrong_command_is_a_usage_error(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = kanon(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage" in result.stderr
    assert os.listdir(tmp_path) == []


def test_files_that_exist_stay_unless_forced(tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("mine")
    assert ALREADY_EXISTS in refused(kanon(*CASES["labels"], "--out", out))
    assert "300,000" in refused(kanon("labels", WOMEN, "-k", 300_000, "--out", out, "--force"))
    assert out.read_text() == "mine"
    assert kanon(*CASES["labels"], "--out", out, "--force").exit_code == 0
    assert out.read_text().startswith("id,group\n")


def test_impossible_places_are_refused_before_work(tmp_path, monkeypatch):
    monkeypatch.setattr(kanon_engine_package, "generalize", lambda *_, **__: pytest.fail("it worked"))
    copy = tmp_path / "names.csv"
    copy.write_bytes(b"name,count\nAda,3\nBo,4\n")
    base = ["labels", copy, "-k", 3, "--force"]
    assert THERE_IS_NO_FOLDER in refused(kanon(*base, "--out", tmp_path / "deep" / "out.csv"))
    assert "an input file" in refused(kanon(*base, "--out", copy))
    assert "two outputs" in refused(kanon(*base, "--out", tmp_path / "o.csv", "--certificate", tmp_path / "o.csv"))
    assert copy.read_bytes() == b"name,count\nAda,3\nBo,4\n"


def test_a_failure_while_writing_leaves_no_file(tmp_path, monkeypatch):
    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Generalization, "to_json", full)
    result = kanon(*CASES["labels"], "--out", tmp_path / "out.csv", "--certificate", tmp_path / "out.json")
    assert "No space left" in refused(result)
    assert os.listdir(tmp_path) == []


def test_ctrl_c_ends_with_130_and_no_file(tmp_path, monkeypatch):
    def interrupted(writers):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.tempfile, "TemporaryDirectory", lambda **_: interrupted(None))
    result = kanon(*CASES["labels"], "--out", tmp_path / "out.csv")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert os.listdir(tmp_path) == []


def test_what_is_counted_is_said_with_the_flag_that_changes_it(tmp_path):
    points = tmp_path / "places.csv"
    points.write_text("lon,lat,people,homes\n" + "".join(f"{i % 7},{i % 5},{i + 1},2\n" for i in range(40)), "utf-8")
    text = kanon("points", points, "-k", 9).stdout
    assert "counted         column people of places.csv (change: --weight COLUMN or --per-record)" in text
    text = kanon("points", points, "-k", 9, "--per-record").stdout
    assert f"each point of places.csv {AS_ONE_RECORD} (change: --weight COLUMN)" in text
    table = tmp_path / "beds.csv"
    table.write_text("name,sex,beds\nAda,f,3\nBo,m,4\nCy,m,5\n", "utf-8")
    assert f"; choose one with --count, or say that {EACH_ROW_IS_ONE_RECORD} with --per-record." in refused(
        kanon("labels", table, "-k", 2)
    )


def test_a_slightly_smaller_k_that_allows_one_group_more_is_told():
    told = ["--k", 1000, "--format"]
    data = "label,count\na,500\nb,500\nc,500\nd,500\ne,499\nf,499\n"
    (line,) = [
        line for line in kanon("labels", "-", *told, "table", standard_input=data).stdout.splitlines() if "more" in line
    ]
    assert line.startswith(
        "k = 999 instead of 1,000 allows one more group: 3 groups, the largest 1,000 instead of 1,499."
    )
    assert line.endswith("(-k 999 --algorithm near-optimal --seed 0)")
    found = json.loads(kanon("labels", "-", *told, "json", standard_input=data).stdout)["smaller_k"]
    assert (found["k"], found["classes"], found["smallest"], found["largest"]) == (999, 3, 999, 1000)
    again = json.loads(kanon("labels", "-", "-k", 999, "--format", "json", standard_input=data).stdout)
    assert (again["classes"], again["largest"], again["smaller_k"]) == (3, 1000, None)
