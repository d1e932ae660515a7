"""A person's own files on every page: what is understood, what is corrected, what is refused, what is kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.io.counts import ROWS
from kanon_engine.model.known import get_family
from kanon_engine.project import Project, project_from
from pages._shared import data
from pages._shared import tasks as work_beside
from pages._shared.controls import first_k
from pages._shared.project import OPEN
from pages._shared.records import ASK
from pages._shared.wording import CONTROLS, PICKED
from tests.app.visit import (
    FAMILIES,
    assert_says,
    first_sample,
    go,
    headline,
    k_of,
    open_tab,
    pick_k,
    problems,
    run,
    visit,
)
from tests.io.test_sheets import workbook
from tests.own_files import odd_counts, shapes_alone, zip_codes
from tests.sentences import (
    APPEARS_IN_ROWS,
    AS_ONE_RECORD,
    CHOOSE_A_FILE,
    EACH_ROW_IS_ONE_RECORD,
    GIVE_THE_COUNTS,
    HIDDEN_OR_MISSING,
    IS_A_FILE_OF_KIND,
    IS_EMPTY,
    LEAVE_THESE_ROWS_OUT,
    NAME_EACH_GROUP_AFTER,
    NAME_OF_COUNT_SUGGESTS_COUNTS,
    YOUR_FILE,
)


def square(column: int, row: int, **properties: Any) -> dict[str, Any]:
    ring = [[-100 + 0.1 * (column + dx), 40 + 0.1 * (row + dy)] for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
    return {
        "type": "Feature",
        "properties": {"code": f"0{column}{row}"} | properties,
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def squares(**columns: int) -> bytes:
    """16 areas; each named column counts from its number on."""
    places = [(column, row) for column in range(4) for row in range(4)]
    features = [square(x, y, **{name: first + 4 * x + y for name, first in columns.items()}) for x, y in places]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def stops(missing: int | None = None) -> bytes:
    rows = [
        f"stop {i},{-73 + 0.01 * (i * 7 % 40)},{'' if i == missing else 45 + 0.01 * (i * 11 % 37)}" for i in range(60)
    ]
    return "\n".join(["name,longitude,latitude", *rows]).encode()


def illnesses() -> bytes:
    return "\n".join(["diagnosis,count", *(f"illness {i},{1000 // (i + 1)}" for i in range(40))]).encode()


GOOD = {
    "regions": ("squares.geojson", squares(population=100)),
    "rectangles": ("stops.csv", stops()),
    "labels": ("illnesses.csv", illnesses()),
}


def upload(family: str, name: str, content: bytes) -> AppTest:
    app = visit(family, sample="own-file")
    assert CHOOSE_A_FILE in app.info[0].value
    app.file_uploader(key=f"{family}_upload").set_value((name, content, "application/octet-stream"))
    return run(app)


def widget(widgets: Any, label: str) -> Any:
    return next(one for one in widgets if one.label == label)


@pytest.mark.parametrize("family", [*FAMILIES, "tables", "clusters"])
def test_only_files_that_may_have_shapes_have_a_limit_on_vertices(family):
    app = visit(family, sample="own-file")
    limits = [element.value for element in app.caption if element.value.startswith("At most 500 MB")]
    assert limits
    assert any("vertices" in words for words in limits) == (family in ("regions", "rectangles"))


@pytest.mark.parametrize("family", FAMILIES)
def test_own_file_is_understood_and_kept(family):
    name, content = GOOD[family]
    instance = get_family(family).reader.function(content, filename=name)
    app = upload(family, name, content)
    assert_says(app, instance, first_k(instance))
    shown = " ".join(element.value for element in [*app.caption, *app.markdown]).replace("\\", "")
    assert all(note in shown for note in instance.notes)
    assert any(expander.label.replace("\\", "").startswith(f"{name} · ") for expander in app.expander)  # the strip
    pick_k(app, family, instance.total // 7)
    go(app, "home")
    go(app, family)
    assert_says(app, instance, instance.total // 7)
    widget(app.button, f"Forget {name}").click()
    run(app)
    assert CHOOSE_A_FILE in app.info[0].value


@pytest.mark.thorough(one_in=5)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("report.csv", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "report.csv"),
        ("empty.csv", b"", "empty.csv is empty"),
        ("line.csv", b"\n\n\n", "line.csv"),
        ("names_only.csv", b"diagnosis,count\n", "names_only.csv"),
    ],
)
def test_useless_file_gives_one_sentence(family, name, content, word):
    app = upload(family, name, content)
    (said,) = problems(app)
    said = said.replace("\\", "")
    assert word in said
    assert said.count(name) == 1
    assert "Traceback" not in said
    assert ("shapefile" in said) <= (family == "regions")
    app.selectbox(key=f"{family}_sample").set_value(first_sample(family)["key"])
    run(app)
    assert problems(app) == []


@pytest.mark.thorough
def test_wrong_guess_of_the_count_is_corrected_with_one_choice():
    content = squares(population=100, homes=5000)
    app = upload("regions", "squares.geojson", content)
    assert_says(app, kanon.read_regions(content), first_k(kanon.read_regions(content)))
    widget(app.selectbox, "Count of people or records").set_value("homes")
    run(app)
    corrected = kanon.read_regions(content, weight="homes")
    assert_says(app, corrected, first_k(corrected))


def test_the_column_of_counties_that_is_picked_is_read():
    places = [(column, row) for column in range(4) for row in range(4)]
    features = [square(x, y, people=10 + x + y, lies_in="ABCD"[x]) for x, y in places]
    content = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    app = open_tab(upload("regions", "squares.geojson", content), "regions", "Publish")
    widget(app.radio, ASK).set_value(True)
    run(app)
    assert NAME_EACH_GROUP_AFTER not in [radio.label for radio in app.radio]
    widget(app.selectbox, CONTROLS["county"]).set_value("lies_in")
    run(app)
    assert widget(app.radio, NAME_EACH_GROUP_AFTER).value == "place"


def test_counts_that_nobody_can_guess_are_asked_for():
    content = squares(monday=100, tuesday=300)
    app = upload("regions", "squares.geojson", content)
    (said,) = problems(app)
    assert "monday" in said
    assert "tuesday" in said
    assert steps_of(app, content) == (True, "3: Counts")
    widget(app.selectbox, "Count of people or records").set_value("tuesday")
    run(app)
    assert problems(app) == []
    regions = kanon.read_regions(content, weight="tuesday")
    assert_says(app, regions, first_k(regions))


def click(app: AppTest, label: str) -> None:
    widget(app.button, label).click()
    run(app)


def steps_of(app: AppTest, content: bytes, family: str = "regions") -> tuple[bool, str]:
    """Whether the steps of reading a file are open, and which one."""
    key = f"{family}_{kanon.content_digest(data=content)[:8]}"
    return app.session_state[f"{key}_steps"], app.session_state[f"{key}_step"]


@pytest.mark.thorough
def test_shapes_and_untidy_counts_take_a_click_for_each_thing_that_is_odd(tmp_path):
    frame = zip_codes()
    shapes, table = shapes_alone(frame, tmp_path), odd_counts(frame)
    app = upload("regions", "dc.zip", shapes)
    assert f"{GIVE_THE_COUNTS} under “{CONTROLS['counts']}”" in problems(app)[0]
    assert steps_of(app, shapes) == (True, "3: Counts")
    counts = table.to_csv(index=False).encode()
    widget(app.file_uploader, f"{CONTROLS['counts']} (optional)").set_value(("counts.csv", counts, "text/csv"))
    run(app)
    assert APPEARS_IN_ROWS in problems(app)[0]
    shown = [element.value.replace("\\", "") for element in [*app.caption, *app.markdown]]
    assert f"**ZCTA5CE10** joined with **zip**: {len(frame) - 1} areas have a row." in shown
    assert f"Areas without a row: 1 ({frame['ZCTA5CE10'].iloc[0]})" in shown
    assert f"Codes in several rows: 1 ({frame['ZCTA5CE10'].iloc[1]})" in shown
    assert "Codes that match no area: 1 (99999)" in shown
    click(app, PICKED["repeated", "add"])
    people = f"{frame['pop10'].iloc[2]:,} people"
    assert f"1 id of counts.csv, with {people}, belongs to no area of dc.zip" in problems(app)[0]
    click(app, LEAVE_THESE_ROWS_OUT)
    missing = str(frame["ZCTA5CE10"].iloc[0])
    assert f"1 area of dc.zip has no row in counts.csv ({missing})" in problems(app)[0].replace("\\", "")
    assert steps_of(app, shapes) == (True, "3: Counts")
    click(app, "leave these areas out")
    assert problems(app) == []
    assert not steps_of(app, shapes)[0]
    read = {"counts": counts, "repeated": "add", "unmatched": "drop", "missing_counts": "drop"}
    assert len(kanon.read_regions(shapes, **read)) == len(frame) - 1
    widget(app.radio, CONTROLS["missing_counts"]).set_value("zero")
    run(app)
    read["missing_counts"] = "zero"
    regions = kanon.read_regions(shapes, **read)
    assert_says(app, regions, first_k(regions))
    strip = f"dc.zip · {len(frame)} areas · codes from ZCTA5CE10 · counts from population of counts.csv, joined by zip"
    assert any(expander.label.startswith(strip) for expander in app.expander)
    widget(app.multiselect, CONTROLS["columns"]).set_value(["cases"])
    run(app)
    assert f"counts in column cases of counts.csv {HIDDEN_OR_MISSING}" in problems(app)[0]
    assert steps_of(app, shapes) == (True, "4: Unusual counts")
    click(app, "count each hidden value as the largest number that it can represent")
    regions = kanon.read_regions(shapes, **read, columns=["cases"], hidden="largest")
    assert_says(app, regions, first_k(regions))
    go(app, "labels")
    go(app, "regions")
    assert_says(app, regions, first_k(regions))
    assert not widget(app.number_input, CONTROLS["hidden_most"]).disabled
    widget(app.number_input, CONTROLS["hidden_most"]).set_value(10)
    widget(app.radio, CONTROLS["hidden"]).set_value("zero")
    run(app)
    assert widget(app.number_input, CONTROLS["hidden_most"]).disabled
    assert_says(app, kanon.read_regions(shapes, **read, columns=["cases"], hidden="zero"), first_k(regions))


@pytest.mark.thorough
def test_fractions_are_rounded_with_one_click():
    content = squares(population=100.4)
    app = upload("regions", "squares.geojson", content)
    assert "16 counts in column population of squares.geojson are not whole numbers" in problems(app)[0]
    click(app, "round to the nearest")
    regions = kanon.read_regions(content, rounding="nearest")
    assert regions.total == sum(range(100, 116))
    assert_says(app, regions, first_k(regions))


def test_counts_from_a_second_file_are_kept_too():
    content = squares()
    counts = "\n".join(["code,patients", *(f"0{x}{y},{10 + x * y}" for x in range(4) for y in range(4))]).encode()
    app = upload("regions", "squares.geojson", content)
    assert len(problems(app)) == 1
    second = next(one for one in app.file_uploader if one.label.startswith(CONTROLS["counts"]))
    second.set_value(("counts.csv", counts, "text/csv"))
    run(app)
    regions = kanon.read_regions(content, counts=counts)
    assert regions.unit == "patients"
    assert regions.total == sum(10 + x * y for x in range(4) for y in range(4))
    assert_says(app, regions, first_k(regions))
    go(app, "labels")
    go(app, "regions")
    assert_says(app, regions, first_k(regions))


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", f"squares.geojson: counts.csv {IS_EMPTY}."),
        (b"%PDF-1.4\n", f"counts.csv {IS_A_FILE_OF_KIND} “pdf”"),
    ],
)
def test_a_useless_second_file_gives_one_sentence(content, sentence):
    app = upload("regions", "squares.geojson", squares(population=100))
    label = f"{CONTROLS['counts']} (optional)"
    widget(app.file_uploader, label).set_value(("counts.csv", content, "text/csv"))
    run(app)
    (said,) = problems(app)
    assert sentence in said.replace("\\", "")
    captions = [element.value.replace("\\", "") for element in app.caption]
    assert any(caption.startswith("counts.csv is ") for caption in captions)  # where both files would be compared
    widget(app.file_uploader, label).set_value(None)
    run(app)
    assert problems(app) == []


def test_a_second_file_is_looked_into_once(monkeypatch):
    looks = []
    preview = kanon.preview
    monkeypatch.setattr(
        kanon, "preview", lambda content, name, **more: looks.append(name) or preview(content, name, **more)
    )
    app = upload("regions", "squares.geojson", squares(population=100))
    counts = "\n".join(["code,births", *(f"0{x}{y},{20 + x * y}" for x in range(4) for y in range(4))]).encode()
    widget(app.file_uploader, f"{CONTROLS['counts']} (optional)").set_value(("counts.csv", counts, "text/csv"))
    run(app)
    pick_k(app, "regions", 20)
    assert problems(app) == []
    assert looks.count("counts.csv") == 1


def test_rows_without_a_position_are_left_out_on_request():
    app = upload("rectangles", "stops.csv", stops(missing=5))
    (said,) = problems(app)
    assert f"“{CONTROLS['drop_bad']}”" in said
    assert "drop_bad" not in said.replace("\\", "")
    assert steps_of(app, stops(missing=5), "rectangles") == (True, "1: Position")
    widget(app.checkbox, CONTROLS["drop_bad"]).check()
    run(app)
    assert not steps_of(app, stops(missing=5), "rectangles")[0]
    points = kanon.read_points(stops(missing=5), filename="stops.csv", drop_bad=True)
    assert_says(app, points, first_k(points))


def test_labels_that_stand_twice_are_added_up_on_request():
    content = illnesses() + b"\nillness 3,17"
    app = upload("labels", "illnesses.csv", content)
    (said,) = problems(app)
    assert f"“{CONTROLS['merge_duplicates']}”" in said
    widget(app.checkbox, CONTROLS["merge_duplicates"]).check()
    run(app)
    labels = kanon.read_labels(content, filename="illnesses.csv", merge_duplicates=True)
    assert_says(app, labels, first_k(labels))


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("counts", "k"),
    [({"population": 5_000}, 20_001), ({"population": 2_000}, 11), ({"patients": 5_000}, 11)],
)
def test_an_own_file_begins_at_a_k_that_a_rule_names(counts, k):
    app = upload("regions", "squares.geojson", squares(**counts))
    assert k_of(app, "regions") == k


def test_a_rule_beside_k_is_taken_with_one_click():
    app = upload("regions", "squares.geojson", squares(population=5_000))
    assert [button.label for button in app.button if "_preset_" in (button.key or "")] == [
        "20,001 (HIPAA)",
        "11 (CMS counts)",
    ]
    assert (
        "what k does not limit: counts by columns that are released unchanged"
        in widget(app.button, "11 (CMS counts)").help
    )
    widget(app.button, "11 (CMS counts)").click()
    run(app)
    assert k_of(app, "regions") == 11
    assert_says(app, kanon.read_regions(squares(population=5_000)), 11)


def test_a_new_file_begins_anew():
    first, second = squares(population=100, homes=5000), squares(people=7)
    app = upload("regions", "squares.geojson", first)
    widget(app.selectbox, "Count of people or records").set_value("homes")
    run(app)
    app.file_uploader(key="regions_upload").set_value(("others.geojson", second, "application/json"))
    run(app)
    regions = kanon.read_regions(second)
    assert_says(app, regions, first_k(regions))


def test_settings_outlast_a_file_that_takes_the_place_of_another():
    """The browser takes the first file away, and asks for the second before it hears that the page has no settings."""
    app = upload("rectangles", "stops.csv", stops())
    app.selectbox(key="rectangles_algorithm").set_value("kd-tree")
    run(app)
    shown = app._tree
    app.file_uploader(key="rectangles_upload").set_value([])
    run(app)
    assert CHOOSE_A_FILE in app.info[0].value
    app._tree = shown
    app.file_uploader(key="rectangles_upload").set_value(("others.csv", stops(), "text/csv"))
    run(app)
    assert app.session_state["rectangles_algorithm"] == "kd-tree"
    assert app.selectbox(key="rectangles_algorithm").proto.set_value


def counted(app: AppTest) -> str:
    """What the page says was counted."""
    lines = [element.value.replace("\\", "") for element in app.caption]
    (said,) = [line for line in lines if line.startswith("Counted: ")]
    return said


def test_counted_column_stands_beside_the_sentence_and_changes_with_one_click():
    content = squares(population=100, homes=5000)
    app = upload("regions", "squares.geojson", content)
    assert counted(app) == "Counted: column population of squares.geojson."
    widget(app.button, "column homes").click()
    run(app)
    assert counted(app) == "Counted: column homes of squares.geojson."
    regions = kanon.read_regions(content, weight="homes")
    assert regions.unit == "homes"
    assert_says(app, regions, first_k(regions))
    widget(app.button, "column population").click()
    run(app)
    assert " people" in headline(app)


def test_a_table_of_areas_is_asked_what_to_count_in_the_main_column():
    content = squares()
    lines = [f"0{x}{y},{10 + x * y},{70 + x},{0.5 + y}" for x in range(4) for y in range(4)]
    app = upload("regions", "squares.geojson", content)
    second = next(one for one in app.file_uploader if one.label.startswith(CONTROLS["counts"]))
    second.set_value(("clinic.csv", "\n".join(["code,beds,tests,positivity", *lines]).encode(), "text/csv"))
    run(app)
    (said,) = problems(app)
    assert f"choose one under “{CONTROLS['counts_column']}”, or say that {EACH_ROW_IS_ONE_RECORD}" in said.replace(
        "\\", ""
    )
    choices = [button for button in app.main.button if "choose" in button.key]
    assert [button.label for button in choices] == ["column beds", "column tests", ROWS]
    choices[1].click()
    run(app)
    assert problems(app) == []
    assert counted(app) == "Counted: column tests of clinic.csv."
    assert " tests" in headline(app)
    widget(app.button, ROWS).click()
    run(app)
    assert counted(app) == f"Counted: each row of clinic.csv {AS_ONE_RECORD}."
    assert " records" in headline(app)
    widget(app.button, "column beds").click()
    run(app)
    assert " beds" in headline(app)


def test_points_and_labels_say_what_is_counted_too():
    app = upload("rectangles", "stops.csv", stops())
    assert counted(app) == f"Counted: each point of stops.csv {AS_ONE_RECORD}."
    app = upload("labels", "illnesses.csv", illnesses())
    assert counted(app) == "Counted: column count of illnesses.csv."
    widget(app.button, ROWS).click()
    run(app)
    assert counted(app) == f"Counted: each row of illnesses.csv {AS_ONE_RECORD}."


def test_a_table_says_what_its_rows_are():
    lines = (f"{20 + i % 4},{'fm'[i % 2]},{5 + i % 3},Ada Abel,gout" for i in range(60))
    rows = "\n".join(["age,sex,count,patient_name,illness", *lines]).encode()
    app = upload("tables", "table.csv", rows)
    assert counted(app).startswith(
        f"Counted: each row of table.csv {AS_ONE_RECORD}. Columns that could be linked with other data: age, sex"
    )
    assert counted(app).endswith("Left out as identifiers: patient_name. Left out unless you keep them: illness.")
    assert NAME_OF_COUNT_SUGGESTS_COUNTS in app.warning[0].value
    widget(app.button, "Change columns").click()
    run(app)
    assert widget(app.text_input, "What each row represents").value == "records"


MARKED = "*a* $b$"  # what Markdown takes for formatting


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_unit_stands_on_the_page_as_it_was_typed(family):
    app = upload(family, *GOOD[family])
    next(field for field in app.text_input if field.key.endswith("_unit")).set_value(MARKED)
    run(app)
    for tab in ("What if", "How it works", "Compare", "Groups", "Publish"):
        app.session_state[f"{family}_tab"] = tab
        run(app)
        kinds = ("markdown", "caption", "info", "warning")
        shown = [element.value for kind in kinds for element in app.get(kind)]
        shown += [option for radio in app.radio for option in radio.options]
        assert [words for words in shown if MARKED in words] == []
        assert any(MARKED in words.replace("\\", "") for words in shown)


def test_another_sheet_is_one_action_and_a_project_keeps_it(monkeypatch):
    names, old = [["name", "births"], ["Ada", 30], ["Bo", 25]], [["name", "births"], ["Ada", 70], ["Bo", 26]]
    content = workbook(Title=[["Births by name"], [], ["Source: the state"]], Names=names, Old=old)
    texts = []
    write = Project.to_toml
    monkeypatch.setattr(Project, "to_toml", lambda project: texts.append(write(project)) or texts[-1])
    app = upload("labels", "births.xlsx", content)
    assert widget(app.selectbox, CONTROLS["sheet"]).value == "Names"
    assert any(one.label.startswith("births.xlsx (sheet “Names”) · 2 labels") for one in app.expander)
    widget(app.selectbox, CONTROLS["sheet"]).set_value("Old")
    run(app)
    assert problems(app) == []
    assert any("counts from births · 96 births" in one.label for one in app.expander)
    assert project_from(texts[-1]).reading["sheet"] == "Old"
    app = visit("labels", sample="own-file")
    project = ("project.toml", texts[-1].encode(), "application/toml")
    widget(app.file_uploader, OPEN).set_value(project)
    run(app)
    widget(app.file_uploader, YOUR_FILE).set_value(("births.xlsx", content, "application/octet-stream"))
    run(app)
    assert widget(app.selectbox, CONTROLS["sheet"]).value == "Old"
    widget(app.selectbox, CONTROLS["sheet"]).set_value("Names")
    run(app)
    assert any("counts from births · 55 births" in one.label for one in app.expander)


@pytest.mark.parametrize(
    ("waiting", "says", "again"),
    [
        ("Reading the first rows …", "This was stopped, so there is no result.", "Try again"),
        ("Reading the file …", "Reading illnesses.csv was stopped.", "Read it again"),
    ],
)
def test_reading_can_be_stopped_and_tried_again(waiting, says, again, monkeypatch):
    name, content = GOOD["labels"]
    app = visit("labels", sample="own-file")
    wait = work_beside.wait_for

    def stopped(task, words, *others, **settings):
        if words == waiting:
            task.stop()
        wait(task, words, *others, **settings)

    monkeypatch.setattr(work_beside, "wait_for", stopped)
    app.file_uploader(key="labels_upload").set_value((name, content, "text/csv"))
    run(app)
    assert app.info[0].value == says
    monkeypatch.setattr(work_beside, "wait_for", wait)
    widget(app.button, again).click()
    run(app)
    assert_says(app, kanon.read_labels(content, filename=name), k_of(app, "labels"))


def test_a_file_that_could_not_be_read_is_read_again_at_the_next_request(monkeypatch):
    name, content = GOOD["labels"]
    app = visit("labels", sample="own-file")
    real = data.stopped_when

    def busy(unwanted):
        raise kanon.InvalidInput("The computer is busy.")

    monkeypatch.setattr(data, "stopped_when", busy)
    app.file_uploader(key="labels_upload").set_value((name, content, "text/csv"))
    run(app)
    assert "The computer is busy" in problems(app)[0]
    monkeypatch.setattr(data, "stopped_when", real)
    run(app)
    assert_says(app, kanon.read_labels(content, filename=name), k_of(app, "labels"))
