"""Records where they live on a page: who may have them counted, what is asked, shown and kept to the visit."""

from __future__ import annotations

import json

import pytest

import kanon_engine as kanon
from kanon_engine.errors import SearchEnded
from kanon_engine.records import count
from kanon_engine.records.source import NoAnswer
from pages._labels.reading import RULES
from pages._regions.reading import BACK_TO_FILE, COUNT_RECORDS
from pages._shared import elsewhere
from pages._shared.controls import DEMANDS
from pages._shared.data import ELSEWHERE
from pages._shared.elsewhere import COUNT, LOOK, OTHERS, SQL, TITLE, VARIABLE, Permission, is_local
from pages._tables.editor import BUTTON, CHANGED, COUNTED_SO
from tests.app.test_uploads import widget
from tests.app.visit import ROOT, WAIT, assert_says, go, headline, open_tab, pick_k, problems, run, tasks_of, visit
from tests.cli.command import kanon as command
from tests.sentences import (
    CANNOT_BE_GIVEN_AS_WELL,
    LEADS_OUT_OF_THE_FOLDER,
    LEAVE_THESE_ROWS_OUT,
    NO_QUASI_IDENTIFIER,
    THE_SMALLEST_HOLDS,
    THERE_IS_NO_FILE_OR_FOLDER,
)

HEADERS = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}


@pytest.fixture
def visits(tmp_path, monkeypatch):
    """A folder that the server's operator names: 60 flu, 45 cold, 30 gout."""
    folder = tmp_path / "records" / "visits"
    folder.mkdir(parents=True)
    rows = [illness for illness, many in (("flu", 60), ("cold", 45), ("gout", 30)) for _ in range(many)]
    (folder / "part.csv").write_text("\n".join(["illness", *rows]) + "\n", "utf-8")
    monkeypatch.setenv(VARIABLE, f"{folder.parent}; spark:local?path=other")
    return folder


def ask(family, place, **query):
    """A person chooses records where they live, names them, and looks at their columns."""
    app = visit(family, **query)
    app.selectbox(key=f"{family}_sample").set_value(ELSEWHERE)
    run(app)
    app.text_input(key=f"{family}_elsewhere_address").set_value(str(place))
    return press(app, LOOK)


def problem(app):
    """What is wrong, in the words that a person reads."""
    return problems(app)[0].replace("\\", "")


def press(app, label):
    """Until what it begins beside the page is done."""
    next(button for button in app.button if button.label == label).click()
    run(app)
    while any(caption.value.startswith(("Reading the columns", "Counting the records")) for caption in app.caption):
        assert all(task.wait(WAIT) for task in tasks_of(app))
        run(app)
    return app


def shown_result(app, family):
    """What the page shows."""
    return app.session_state["_reviewable_results"][family][1]


def assert_counted_again(app, family, *named):
    """`kanon verify` counts the records again that the certificate of the page speaks of."""
    *named, folder = named
    certificate = folder / "page.json"
    certificate.write_text(shown_result(app, family).to_json(), "utf-8")
    again = command("verify", certificate, *named)
    assert again.exit_code == 0, again.output


def test_records_are_counted_and_stay_out_of_the_link(visits, tmp_path):
    app = ask("labels", visits)
    app.selectbox(key="labels_elsewhere_by_0").set_value("illness")
    run(app)
    assert SQL in [expander.label for expander in app.expander]
    assert "GROUP BY" in app.code[0].value
    press(app, COUNT)
    labels = count(visits, "illness")
    assert_says(pick_k(app, "labels", 40), labels, 40)
    assert str(visits.parent) not in str(dict(app.query_params))
    assert "file" not in app.query_params
    go(app, "home")
    assert_says(go(app, "labels"), labels, 40)
    assert not app.get("download_button") or "project.toml" not in str(app.get("download_button")[0])
    widget(app.text_area, RULES["together"]).set_value("flu, gout")
    run(app)
    assert_counted_again(app, "labels", visits, tmp_path)
    press(app, OTHERS)
    assert app.text_input(key="labels_elsewhere_address").value == str(visits)


def test_a_table_is_counted_by_several_columns(visits, tmp_path):
    lines = [f"{20 + place % 17},{'fm'[place % 2]},{('flu', 'cold', 'gout')[place % 3]}" for place in range(120)]
    (visits / "part.csv").write_text("\n".join(["age,sex,illness", *lines]) + "\n", "utf-8")
    app = ask("tables", visits, sample=ELSEWHERE, k=10, algorithm="mondrian")
    app.multiselect(key="tables_elsewhere_by_1").set_value(["illness"])
    run(app)
    assert COUNT not in [button.label for button in app.button]  # by nothing yet
    app.multiselect(key="tables_elsewhere_by_0").set_value(["age", "sex"])
    run(app)
    assert '"illness"' in app.code[0].value
    press(app, COUNT)
    table = count(visits, ["age", "sex"], sensitive=["illness"])
    g = kanon.generalize(table, 10, "mondrian")
    assert headline(app).startswith(f"{g.classes:,} groups of {g.class_weights.min():,} to")
    app.selectbox(key=DEMANDS.format("tables", "illness")).set_value("distinct")
    run(app)
    assert not any(word in str(dict(app.query_params)) for word in (str(visits.parent), "illness", "sex"))
    for tab in ("Groups", "Released table", "Publish"):
        open_tab(app, "tables", tab)
        assert not problems(app), tab
    assert_counted_again(app, "tables", visits, tmp_path)


@pytest.mark.thorough
def test_the_columns_of_a_counted_table_are_changed_without_counting_again(visits, tmp_path, monkeypatch):
    lines = [f"{20 + place % 17},{'fm'[place % 2]},{('flu', 'cold', 'gout')[place % 3]}" for place in range(120)]
    (visits / "part.csv").write_text("\n".join(["age,sex,illness", *lines]) + "\n", "utf-8")
    app = ask("tables", visits, sample=ELSEWHERE, k=10, algorithm="mondrian")
    app.multiselect(key="tables_elsewhere_by_0").set_value(["age", "sex"])
    app.multiselect(key="tables_elsewhere_by_1").set_value(["illness"])
    run(app)
    press(app, COUNT)
    monkeypatch.setattr(elsewhere, "tuples", None)  # nothing is counted from here on
    press(app, BUTTON)
    assert [list(app.session_state["tables_columns_draft"].roles.items())] == [
        [("age", "quasi-identifier"), ("sex", "quasi-identifier"), ("illness", "sensitive")]
    ]
    press(app, "Cancel")
    counted = count(visits, ["age", "sex"], sensitive=["illness"])
    key = f"tables_columns_{counted.digest[:8]}"
    assert app.session_state[key] == ""
    for change, by, options in (
        ({"bins": {"age": [20, 5]}}, ["age", "sex"], {"sensitive": ["illness"], "bins": {"age": (20, 5)}}),
        ({"roles": {"illness": "quasi-identifier", "sex": "other"}}, ["age", "illness"], {}),
    ):
        app.session_state[key] = json.dumps(change)
        run(app)
        table = count(visits, by, **options)
        g = kanon.generalize(table, 10, "mondrian")
        assert headline(app).startswith(f"{g.classes:,} groups of {g.class_weights.min():,} to"), change
        assert shown_result(app, "tables").instance_digest == table.digest
        assert_counted_again(app, "tables", visits, tmp_path)
    assert not any(word in str(dict(app.query_params)) for word in (str(visits.parent), "illness", "sex"))
    app.session_state[key] = json.dumps({"roles": {"age": "other", "sex": "other"}})
    run(app)
    assert NO_QUASI_IDENTIFIER in problem(app)
    press(app, CHANGED)
    press(app, COUNTED_SO)
    assert shown_result(app, "tables").instance_digest == counted.digest


ZIPS = ("06604", "06605", "06606", "06607")


def squares():
    """The zip codes, side by side, without counts."""
    features = [
        {
            "type": "Feature",
            "properties": {"zip": code},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, 41], [x + 1, 41], [x + 1, 42], [x, 42], [x, 41]]],
            },
        }
        for x, code in enumerate(ZIPS, -73)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


@pytest.fixture
def people(visits):
    """40 records in each zip code, some written without the zero; 2 without a code, and 1 with one of no area."""
    rows = [code for code in ("06604", "6605", "06606 ", "06607") for _ in range(40)] + ["", "", "90210"]
    (visits / "part.csv").write_text("\n".join(["zip,illness", *(f"{row},flu" for row in rows)]) + "\n", "utf-8")
    return visits


def count_codes(app, place, column):
    """A person names the records and their column of codes, and has them counted."""
    app.text_input(key="regions_elsewhere_address").set_value(str(place))
    press(app, LOOK)
    app.selectbox(key="regions_elsewhere_by_0").set_value(column)
    run(app)
    assert "GROUP BY" in app.code[0].value
    return press(app, COUNT)


def test_areas_of_a_file_take_the_counts_of_records_and_give_the_certificate_of_the_command(people, tmp_path):
    path = tmp_path / "squares.geojson"
    path.write_bytes(squares())
    app = visit("regions", sample="own-file", k=50, algorithm="exact")
    app.file_uploader(key="regions_upload").set_value((path.name, squares(), "application/json"))
    run(app)
    press(app, TITLE)
    count_codes(app, people, "zip")
    assert "2 records of visits have no id in column zip" in problem(app)
    press(app, LEAVE_THESE_ROWS_OUT)
    assert not problems(app)
    pick_k(app, "regions", 50)
    assert headline(app).startswith(f"2 groups. {THE_SMALLEST_HOLDS} 80 records, the largest 80 (1.60 × k).")
    link = dict(app.query_params)
    assert link["counts"] == ELSEWHERE
    assert str(people.parent) not in str(link)
    assert "project.toml" not in str(app.get("download_button"))
    assert_counted_again(app, "regions", path, "--records", people, tmp_path)
    other = tmp_path / "command.json"
    living = ["--records", people, "--count-by", "zip", "--id", "zip", "--unmatched", "drop"]
    asked = ["-k", 50, "--algorithm", "exact", "--certificate", other]
    assert command("regions", path, *living, *asked).exit_code == 0
    told = kanon.Generalization.from_json(other.read_text("utf-8"))
    assert told.instance_digest == shown_result(app, "regions").instance_digest
    assert told.assignment.tolist() == shown_result(app, "regions").assignment.tolist()
    press(app, BACK_TO_FILE)
    assert "no column" in problem(app)


@pytest.mark.thorough
def test_the_areas_of_a_sample_are_counted_anew_and_counted_back(visits):
    areas = kanon.read_regions(ROOT / "sample_data" / "st_louis.geojson", "PO8893", "FIPS", name="NAME")
    rows = [str(code) for place, code in enumerate(areas.ids) for _ in range(3 + place % 4)]
    (visits / "part.csv").write_text("\n".join(["fips,illness", *(f"{row},flu" for row in rows)]) + "\n", "utf-8")
    app = visit("regions", sample="st-louis", k=20, algorithm="tree-split")
    press(app, COUNT_RECORDS)
    count_codes(app, visits, "fips")
    pick_k(app, "regions", 20)
    g = shown_result(app, "regions")
    assert int(g.class_weights.sum()) == len(rows)
    assert f"{g.classes:,} groups." in headline(app)
    assert "records" in headline(app)
    link = dict(app.query_params)
    assert (link["sample"], link["counts"]) == ("st-louis", ELSEWHERE)
    asked = visit("regions", **link)
    assert [field.key for field in asked.text_input if field.key == "regions_elsewhere_address"]
    press(app, BACK_TO_FILE)
    assert "person-years" in headline(app)


def test_a_count_that_the_person_stopped_is_no_error(visits, monkeypatch):
    words = "Counting was stopped before it started."

    def stopped(*arguments, **options):
        raise SearchEnded(words)

    monkeypatch.setattr(elsewhere, "count", stopped)
    app = ask("labels", visits)
    app.selectbox(key="labels_elsewhere_by_0").set_value("illness")
    run(app)
    press(app, COUNT)
    assert (problems(app), [box.value for box in app.info]) == ([], [words])
    assert COUNT in [button.label for button in app.button]


def test_what_cannot_be_counted_is_told(visits):
    app = ask("labels", visits / "nothing")
    assert THERE_IS_NO_FILE_OR_FOLDER in problem(app)
    app.text_input(key="labels_elsewhere_address").set_value("postgresql://reader:swordfish@host/db")
    press(app, LOOK)
    assert "swordfish" not in problem(app)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("place", ["/", "{}/..", "{}/../visits/../..", "spark:local?path=/", "postgresql://host/db"])
def test_what_the_operator_does_not_name_is_refused(place, visits):
    app = ask("labels", place.format(visits.parent))
    assert VARIABLE in problem(app)
    assert not [box for box in app.selectbox if box.key == "labels_elsewhere_by_0"]


def test_a_link_inside_a_named_folder_that_leads_out_of_it_is_refused(visits, tmp_path):
    (tmp_path / "secret").mkdir()
    (visits.parent / "way").symlink_to(tmp_path / "secret")
    assert VARIABLE in problem(ask("labels", visits.parent / "way"))


def test_a_link_in_a_named_folder_is_not_followed(visits, tmp_path):
    (tmp_path / "secret.csv").write_text("illness\nsecret\n")
    (visits / "way.csv").symlink_to(tmp_path / "secret.csv")
    assert LEADS_OUT_OF_THE_FOLDER in problem(ask("labels", visits))


@pytest.mark.parametrize("table", ["deaths", "pg_catalog.pg_shadow"])
def test_the_table_that_the_operator_names_is_the_only_one(table, monkeypatch):
    address = "postgresql://reader@host/hosp?table=births"
    monkeypatch.setenv(VARIABLE, address)
    app = visit("labels")
    app.selectbox(key="labels_sample").set_value(ELSEWHERE)
    run(app)
    app.text_input(key="labels_elsewhere_address").set_value(address)
    app.text_input(key="labels_elsewhere_table").set_value(table)
    press(app, LOOK)
    assert f"The address already names the table 'births', so '{table}' {CANNOT_BE_GIVEN_AS_WELL}" in problem(app)


@pytest.mark.parametrize("anything", [False, True])
def test_hosts_and_ports_are_shown_to_whoever_may_enter_them(anything, monkeypatch):
    address = "postgresql://reader@host/hosp"

    def no_answer(*arguments, **options):
        raise NoAnswer("postgresql does not answer: port 5432 of 10.0.0.7 failed; check the address.")

    monkeypatch.setattr(elsewhere.Records, "open", no_answer)
    if anything:
        monkeypatch.delenv(VARIABLE, raising=False)
        monkeypatch.setattr(elsewhere, "_alone", lambda: True)
    else:
        monkeypatch.setenv(VARIABLE, address)
    app = ask("labels", address)
    assert (problem(app) == elsewhere.NO_ANSWER) is not anything
    assert ("10.0.0.7" in problem(app)) is anything


@pytest.mark.parametrize("named", [None, "", " ; "])
def test_nothing_is_offered_to_visitors_where_nothing_is_named(named, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    if named is not None:
        monkeypatch.setenv(VARIABLE, named)
    app = visit("labels", sample=ELSEWHERE)
    assert ELSEWHERE not in app.selectbox(key="labels_sample").options
    assert headline(app)
    assert not [field for field in app.text_input if field.key == "labels_elsewhere_address"]


def test_areas_keep_the_counts_of_their_file_where_nothing_may_be_counted(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    app = visit("regions", sample="st-louis", k=500_000, algorithm="tree-split", counts=ELSEWHERE)
    assert "person-years" in headline(app)
    assert "“counts” has no meaning here" in " ".join(one.value for one in app.warning)
    assert not {COUNT_RECORDS, TITLE} & {button.label for button in app.button}


def test_a_permission_that_is_taken_back_holds_at_once(visits, monkeypatch):
    app = ask("labels", visits)
    app.selectbox(key="labels_elsewhere_by_0").set_value("illness")
    run(app)
    press(app, COUNT)
    monkeypatch.setenv(VARIABLE, "elsewhere")
    run(app)
    assert VARIABLE in problem(app)


@pytest.mark.parametrize(
    ("bound", "visitor", "headers"),
    [
        (None, None, HEADERS),
        ("0.0.0.0", None, HEADERS),
        ("localhost", "10.0.0.7", HEADERS),
        ("localhost", None, HEADERS | {"X-Forwarded-For": "10.0.0.7"}),
        ("localhost", None, HEADERS | {"Origin": "https://kanon.example.org"}),
        ("localhost", None, HEADERS | {"Host": "kanon.example.org"}),
        ("localhost", None, {"Host": "localhost:8501"}),
        ("localhost", None, {}),
    ],
)
def test_only_a_browser_on_the_same_machine_is_local(bound, visitor, headers):
    assert not is_local(bound, visitor, headers)
    assert is_local("localhost", None, HEADERS)
    assert is_local("127.0.0.1", None, {"Host": "127.0.0.1:8501", "Origin": "http://127.0.0.1:8501"})


def test_the_person_at_her_own_machine_may_count_all_she_can_read(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(elsewhere, "_alone", lambda: True)
    assert elsewhere.permission() == Permission(anything=True)
    assert Permission(anything=True).refusal("/") == ""
