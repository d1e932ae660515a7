"""Records where they live leave from the tab Publish: where to, in which columns, by which SQL, and what came of it."""

from __future__ import annotations

import csv
import threading
from collections import Counter

import pytest

import kanon_engine as kanon
from kanon_engine.records import count, release
from pages._shared import publish as publishing
from pages._shared.elsewhere import COUNT, RELEASES, TITLE, VARIABLE, Permission
from pages._shared.publish import HEADING, SQL, STOP, STOPPED, WRITE
from tests.app.test_elsewhere import ask, count_codes, people, press, squares, visits  # noqa: F401  # fixtures too
from tests.app.visit import WAIT, open_tab, pick_k, problems, run, run_once, said, tasks_of, visit
from tests.sentences import ALREADY_EXISTS, LEAVE_THESE_ROWS_OUT, MUST_END_IN_CSV_OR_PARQUET, THERE_IS_NO_FOLDER


@pytest.fixture
def out(visits, tmp_path, monkeypatch):  # noqa: F811
    """A folder that the server's operator names for releases of the records, of which each has an age and a town."""
    rows = [
        f"{illness},{30 + place % 3},{'north' if place % 2 else 'south'}"
        for illness, many in (("flu", 60), ("cold", 45), ("gout", 30))
        for place in range(many)
    ]
    (visits / "part.csv").write_text("\n".join(["illness,age,town", *rows]) + "\n", "utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.setenv(VARIABLE, f"{visits}; spark:local?path=other")
    monkeypatch.setenv(RELEASES, str(folder))
    return folder


def publish(visits, k=40):  # noqa: F811
    """A person has the labels counted and opens the tab Publish."""
    app = ask("labels", visits)
    app.selectbox(key="labels_elsewhere_by_0").set_value("illness")
    run(app)
    press(app, COUNT)
    return open_tab(pick_k(app, "labels", k), "labels", "Publish")


def write(app, family, destination):
    """A person names the file and presses the button; until what that begins is over."""
    app.text_input(key=f"{family}_release_file").set_value(str(destination))
    next(button for button in app.button if button.label == WRITE).click()
    run_once(app)
    while tasks_of(app):
        assert all(task.wait(WAIT) for task in tasks_of(app))
        run_once(app)
    return run_once(app)


def warnings_of(app):
    return [element.value.replace("\\", "") for element in app.warning]


@pytest.mark.parametrize("ending", ["csv", pytest.param("parquet", marks=pytest.mark.thorough)])
def test_labels_are_released_where_they_live(ending, out, visits, monkeypatch):  # noqa: F811
    app = publish(visits)
    app.multiselect(key=key(app, "quasi")).set_value(["age"])
    app.multiselect(key=key(app, "keep")).set_value(["town"])
    run(app)
    assert SQL in [expander.label for expander in app.expander]
    assert all(word in app.code[1].value for word in ("JOIN", '"age"', '"town"'))
    path = out / f"release.{ending}"
    write(app, "labels", path)
    labels = count(visits, "illness")
    g = kanon.generalize(labels, 40)
    mine = out / f"mine.{ending}"
    made = release(visits, labels, g, mine, by="illness", quasi_identifiers=["age"], keep=["town"])
    assert path.read_bytes() == mine.read_bytes()
    assert made.below.records
    assert made.sentence in warnings_of(app)
    assert str(path) in app.success[0].value.replace("\\", "")
    assert len(app.session_state["_left"][labels.digest]) == 1  # what other releases are compared with
    assert str(out) not in str(dict(app.query_params))
    before = path.read_bytes()
    write(app, "labels", path)
    assert ALREADY_EXISTS in warnings_of(app)[0]
    assert path.read_bytes() == before
    monkeypatch.delenv(RELEASES)
    write(app, "labels", out / "other.csv")
    assert {one.name for one in out.iterdir()} == {path.name, mine.name}


def key(app, what):
    """Of a field of the section, which begins with the digest of what was counted."""
    found = [box.key for box in app.multiselect if box.key.endswith(f"_release_{what}")]
    assert len(found) == 1
    return found[0]


def test_a_release_that_is_stopped_leaves_nothing(out, visits, monkeypatch):  # noqa: F811
    begun, go = threading.Event(), threading.Event()

    def slow(*what, progress, **more):
        def heard(told):
            begun.set()
            assert go.wait(WAIT)
            return progress(told)

        return release(*what, progress=heard, **more)

    monkeypatch.setattr(publishing, "release", slow)
    app = publish(visits)
    app.text_input(key="labels_release_file").set_value(str(out / "release.csv"))
    next(button for button in app.button if button.label == WRITE).click()
    run_once(app)
    assert begun.wait(WAIT)
    assert next(button for button in app.button if button.label == WRITE).disabled
    next(button for button in app.button if button.label == STOP).click()
    run_once(app)
    go.set()
    assert all(task.wait(WAIT) for task in tasks_of(app))
    run_once(app)
    assert STOPPED in [element.value for element in app.info]
    assert not problems(app)
    assert not app.success
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(
    ("destination", "words"),
    [
        ("", "Enter a file name first"),
        ("{}/release.xlsx", MUST_END_IN_CSV_OR_PARQUET),
        ("{}/none/release.csv", THERE_IS_NO_FOLDER),
        ("{}/../release.csv", RELEASES),
        ("{}/way/release.csv", RELEASES),
        ("{}/pointer.csv", RELEASES),
        ("{}/taken.csv", ALREADY_EXISTS),
        ("{}/../records/visits/release.csv", RELEASES),
        ("{}/\0.csv", RELEASES),
        ("{}/" + "a" * 300 + "/b.csv", "cannot be written"),
    ],
)
def test_where_nothing_may_be_written_is_told(destination, words, out, visits, tmp_path):  # noqa: F811
    (out / "way").symlink_to(tmp_path)
    (out / "pointer.csv").symlink_to(tmp_path / "elsewhere.csv")
    (out / "taken.csv").write_text("mine", "utf-8")
    told = publishing._problem(leaving(visits, destination.format(out)))
    assert words in told.replace("\\", "")
    assert (out / "taken.csv").read_text("utf-8") == "mine"
    assert not (tmp_path / "elsewhere.csv").exists()


def leaving(visits, destination):  # noqa: F811
    asked = publishing.ElsewhereQuestion(str(visits), None)
    return publishing.ReleaseForm(asked, (), (), (), destination)


def test_a_server_that_names_no_folder_for_it_says_so_in_a_sentence(visits, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setenv(VARIABLE, f"{visits}; {tmp_path}")  # what may be read may not be written
    app = publish(visits)
    assert HEADING in said(app)
    assert any("lists no folder for such releases" in element.value for element in app.caption)
    assert WRITE not in [button.label for button in app.button]
    assert not [field for field in app.text_input if field.key == "labels_release_file"]


def test_a_table_is_released_with_its_sensitive_columns(out, visits):  # noqa: F811
    app = ask("tables", visits, sample="where-they-live", k=10, algorithm="mondrian")
    app.multiselect(key="tables_elsewhere_by_0").set_value(["age", "town"])
    app.multiselect(key="tables_elsewhere_by_1").set_value(["illness"])
    run(app)
    press(app, COUNT)
    open_tab(app, "tables", "Publish")
    assert app.multiselect(key=key(app, "sensitive")).value == ["illness"]
    assert not [box for box in app.multiselect if box.key.endswith("_release_quasi")]
    write(app, "tables", out / "release.csv")
    assert not problems(app)
    with (out / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "town", "illness"]
    assert Counter(row["illness"] for row in rows) == {"flu": 60, "cold": 45, "gout": 30}
    assert min(Counter((row["age"], row["town"]) for row in rows).values()) >= 10


def test_areas_of_a_file_are_released_with_their_groups(out, people):  # noqa: F811
    app = visit("regions", sample="own-file", k=50, algorithm="exact")
    app.file_uploader(key="regions_upload").set_value(("squares.geojson", squares(), "application/json"))
    run(app)
    press(app, TITLE)
    count_codes(app, people, "zip")
    press(app, LEAVE_THESE_ROWS_OUT)
    open_tab(pick_k(app, "regions", 50), "regions", "Publish")
    app.multiselect(key=key(app, "sensitive")).set_value(["illness"])
    write(app, "regions", out / "numbered.csv")
    next(box for box in app.radio if box.key.endswith("_codes_are_public")).set_value(True)
    run(app)
    write(app, "regions", out / "named.csv")
    assert not problems(app)
    shown = []
    for name in ("numbered.csv", "named.csv"):
        with (out / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        shown.append(Counter(row["group"] for row in rows))
        assert sorted(shown[-1].values()) == [80, 80]
        assert {row["illness"] for row in rows} == {"flu"}
        assert "zip" not in rows[0]
    assert set(shown[0]) == {"Group 1", "Group 2"} != set(shown[1])
    assert "3 records are left out" in said(app)


@pytest.mark.thorough
def test_points_leave_only_with_groups_on_a_grid(out, visits):  # noqa: F811
    lines = [f"{4 + place % 7 / 10},{52 + place % 5 / 10},{place % 3}" for place in range(140)]
    (visits / "part.csv").write_text("\n".join(["lon,lat,age", *lines]) + "\n", "utf-8")
    app = ask("rectangles", visits, sample="where-they-live", k=10, algorithm="kd-tree")
    app.selectbox(key="rectangles_elsewhere_by_0").set_value("lon")
    app.selectbox(key="rectangles_elsewhere_by_1").set_value("lat")
    run(app)
    press(app, COUNT)
    open_tab(app, "rectangles", "Publish")
    write(app, "rectangles", out / "release.csv")
    assert not problems(app)
    lines = (out / "release.csv").read_text("utf-8").splitlines()
    assert len(lines) == 141
    assert not {"lon", "lat"} & set(lines[0].split(","))


@pytest.mark.parametrize(
    ("releases", "records", "destination", "free"),
    [
        (("{}/out",), "{}/records", "{}/out/a.csv", True),
        (("{}/out",), "{}/records", "{}/records/a.csv", False),
        (("{}/out",), "{}/records", "{}/a.csv", False),
        ((), "{}/records", "{}/records/a.csv", False),
        (("{}/records",), "{}/records", "{}/records/a.csv", False),
        (("{}",), "{}/records", "{}/out/a.csv", True),
        (("{}/out",), "postgresql://ada@host/births", "{}/out/a.csv", True),
        ((), "postgresql://ada@host/births", "{}/out/a.csv", False),
        (("{}/nowhere",), "{}/records", "{}/nowhere/a.csv", False),
    ],
)
def test_a_release_goes_only_where_the_operator_names_a_folder(releases, records, destination, free, tmp_path):
    for name in ("records", "out"):
        (tmp_path / name).mkdir()
    allowed = Permission(named=(str(tmp_path),), releases=tuple(one.format(tmp_path) for one in releases))
    refused = allowed.release_refusal(records.format(tmp_path), destination.format(tmp_path))
    assert (refused == "") == free
    assert Permission(anything=True).release_refusal(records, destination) == ""
