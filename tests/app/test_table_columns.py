"""The editor of a table's columns: roles, orders by list or hierarchy, ranges; for samples and for messy files."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.project import Project, reading_of
from kanon_engine.tables.hierarchies import date_tree
from kanon_engine.tables.read_columns import columns_frame
from pages._tables.draft import (
    by_number,
    changed,
    changes,
    from_guess,
    from_settings,
    from_text,
    lines_of,
    lines_of_tree,
    read_lines,
    reader_settings,
    tree_of_lines,
    without_values,
)
from tests.app.test_tables import assert_tells, best, people, people_with_pay, upload
from tests.app.visit import CATALOG, headline, problems, put, read, run, visit
from tests.compiled import thorough_only
from tests.sentences import CAN_HAVE_NO_RANGES, DAY_OR_MONTH_FIRST, NO_QUASI_IDENTIFIER, TOO_SMALL, USE_THESE

# Windows letters, two columns of one name, missing cells of many kinds, a zip code, spaces, a line break in a value
MESSY = (
    "Größe;Ort;Ort ;PLZ;Alter;Krankheit\n"
    + "".join(
        f"{size};{place};{other};{code};{age};{ill}\n"
        for size, place, other, code, age, ill in [
            ("groß", "Köln", "a", "01067", "17", "Grippe"),
            ("klein", ' "zwei\nZeilen"', "b", "01067", "NA", "Grippe"),
            ("mittel", "?", "a", "80331", "44", "Masern"),
            ("", "Köln", "b", "80331", "44", "Masern"),
            ("groß", "Ulm", "a", "01067", "1.044", "Grippe"),
            ("klein", "Ulm", "", "80331", "30", "?"),
        ]
        * 4
    )
).encode("cp1252")


def sample(key: str) -> dict[str, Any]:
    return next(entry for entry in CATALOG if entry["key"] == key)


def open_editor(app: AppTest) -> AppTest:
    next(button for button in app.button if button.label.startswith("Columns: ")).click()
    return run(app)


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return run(app)


def written(app: AppTest, column: str) -> str:
    """What stands in the list of a column; its field is only there in a browser."""
    return str(app.session_state["tables_columns_draft"].texts[column])


def write(app: AppTest, column: str, text: str) -> None:
    app.session_state["tables_columns_draft"].texts[column] = text


def errors(app: AppTest) -> str:
    return " ".join(problems(app))


def messy(**query: Any) -> AppTest:
    app = visit("tables", sample="own-file", k=2, algorithm="hill-climb", **query)
    app.file_uploader(key="tables_upload").set_value(("kranke.csv", MESSY, "text/csv"))
    return run(app)


def choose(app: AppTest, name: str, role: str) -> AppTest:
    next(box for box in app.selectbox if box.label == f"Role of {name}").set_value(role)
    return run(app)


def test_a_role_is_chosen_and_a_column_kept():
    app = choose(open_editor(upload()), "level", "sensitive")
    assert "high, low, mid. You chose this." in next(mark.value for mark in app.markdown if "**level**" in mark.value)
    keep = [box for box in app.checkbox if box.label == "Keep"]
    assert [box.disabled for box in keep] == [True, True, False, True, False]  # id, age, level, sex, illness
    keep[2].check()
    run(app)
    press(app, USE_THESE)
    table = kanon.read_table(
        people(), ["age", "sex"], identifiers=["id"], sensitive=["level", "illness"], keep=["level"]
    )
    assert_tells(app, best(table))
    open_editor(app)
    assert app.session_state["tables_columns_draft"].roles["level"] == "sensitive"
    assert app.session_state["tables_columns_draft"].keep["level"]


def test_a_column_to_keep_whose_values_occur_once_has_a_warning():
    app = visit("tables", sample="own-file", algorithm="mondrian", k="5")
    app.file_uploader(key="tables_upload").set_value(("people.csv", people_with_pay(), "text/csv"))
    app = open_editor(run(app))

    def warnings() -> list[str]:
        return [mark.value for mark in app.markdown if "values occur once" in mark.value]

    for box in app.checkbox:
        if box.label == "Keep" and not box.disabled:  # illness, spent
            box.check()
    run(app)
    counts = pd.Series([line.split(",")[-2] for line in people_with_pay().decode().splitlines()[1:]]).value_counts()
    (warning,) = warnings()
    assert f"{(counts == 1).sum():,} of {counts.sum():,} values occur once" in warning
    assert "Clear “Keep” or put it into ranges on the tab “Publish”." in warning
    choose(app, "spent", "quasi-identifier")
    assert warnings() == []


@pytest.mark.thorough
def test_roles_of_many_columns_are_chosen_page_by_page():
    names = [f"c{number}" for number in range(130)]
    content = "\n".join([",".join(names), *(",".join(str(row % 3) for _ in names) for row in range(40))]).encode()
    app = visit("tables", sample="own-file", algorithm="mondrian", k="5")
    app.file_uploader(key="tables_upload").set_value(("wide.csv", content, "text/csv"))
    app = choose(open_editor(run(app)), "c3", "identifier")
    app.selectbox(key="tables_roles_page").set_value("121–130")
    run(app)
    assert next(box.label for box in app.selectbox if box.label.startswith("Role of ")) == "Role of c120"
    app = choose(app, "c129", "identifier")
    roles = app.session_state["tables_columns_draft"].roles
    assert [name for name, role in roles.items() if role == "identifier"] == ["c3", "c129"]


def test_ranges_and_orders_reach_the_reader():
    app = open_editor(upload())
    app.selectbox(key="tables_order_of").set_value("age")
    run(app)
    app.segmented_control(key="tables_way_age").set_value("Ranges")
    run(app)
    put(app, "tables", "range_width_age", 10)
    put(app, "tables", "range_from_age", 5)
    run(app)
    assert any("5 ranges: 15–24, 25–34, 35–44, 45–54, 55–64." in mark.value for mark in app.markdown)
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    assert written(app, "level") == "high\nlow\nmid"
    write(app, "level", "low\nmid\n")
    press(app, USE_THESE)
    assert "The order of “level” cannot be used\\: “high” (" in errors(app)
    write(app, "level", "low\nmid\nhigh")
    press(app, USE_THESE)
    assert problems(app) == []
    assert not any(button.label == USE_THESE for button in app.button)
    table = kanon.read_table(people(), bins={"age": (5, 10)}, orders={"level": ["low", "mid", "high"]})
    assert table.domains[0] == ("15–24", "25–34", "35–44", "45–54", "55–64")
    assert_tells(app, best(table))
    open_editor(app)
    assert app.session_state["tables_range_from_age"] == 5
    press(app, "Reset to the guess")
    assert_tells(app, best(kanon.read_table(people())))


def test_what_a_widget_has_is_not_sent_to_it_again():
    """It would take the place of what a person enters at that moment."""
    app = open_editor(upload())
    for _ in range(2):
        app.selectbox(key="tables_order_of").set_value("age")
        run(app)
    assert not app.segmented_control(key="tables_way_age").proto.set_value
    assert not any(box.proto.set_value for box in app.selectbox if box.label.startswith("Role of "))


def test_ranges_that_are_none_are_told_and_not_used():
    app = open_editor(upload())
    app.selectbox(key="tables_order_of").set_value("age")
    run(app)
    app.segmented_control(key="tables_way_age").set_value("Ranges")
    run(app)
    app.session_state["tables_range_width_age_typed"] = "0"
    run(app)
    assert f"Width is 0, {TOO_SMALL}\\: write a number above 0." in errors(app)
    press(app, USE_THESE)
    assert "The ranges of “age” cannot be used\\: Width is 0" in errors(app)
    put(app, "tables", "range_width_age", 20)
    press(app, USE_THESE)
    assert problems(app) == []


@pytest.mark.thorough
def test_a_canceled_edit_changes_nothing():
    app = open_editor(upload())
    before = headline(app)
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    write(app, "level", "low\nhigh\nmid")
    press(app, "Cancel")
    assert headline(app) == before
    open_editor(app)
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    assert written(app, "level") == "high\nlow\nmid"


@pytest.mark.thorough
def test_a_sample_can_be_changed_and_the_link_says_so():
    different = {"roles": {"race": "sensitive", "native-country": "other"}, "bins": {"age": [10, 20]}}
    query = {"sample": "adult-coarse", "algorithm": "mondrian", "k": 500}
    app = visit("tables", columns=json.dumps(different), **query)
    entry = sample("adult-coarse")
    options = entry["options"]
    quasi = [name for name in options["quasi_identifiers"] if name not in different["roles"]]
    settings = options | {"quasi_identifiers": quasi, "bins": {"age": (10, 20)}}
    g = kanon.generalize(read(entry | {"options": settings}), 500, "mondrian")
    assert f"(cost {g.cost:,})" in headline(app)
    assert json.loads(app.query_params["columns"]) == different
    open_editor(app)
    assert app.session_state["tables_range_width_age"] == 20
    press(app, "Reset to the sample")
    g = kanon.generalize(read(entry), 500, "mondrian")
    assert f"(cost {g.cost:,})" in headline(app)
    assert "columns" not in app.query_params


@pytest.mark.thorough
def test_the_order_of_a_sample_is_shown_and_can_be_sorted():
    app = open_editor(visit("tables", sample="adult-coarse", algorithm="mondrian", k=500))
    app.selectbox(key="tables_order_of").set_value("education")
    run(app)
    lines = written(app, "education").splitlines()
    assert lines == sample("adult-coarse")["options"]["orders"]["education"]
    press(app, "Reverse")
    assert written(app, "education").splitlines() == lines[::-1]
    press(app, "By number")
    assert written(app, "education").splitlines() == by_number(lines)
    press(app, "Default order")
    assert written(app, "education").splitlines() == sorted(lines)


@pytest.mark.thorough
def test_changes_that_are_too_long_for_a_link_hold_without_it():
    app = visit("tables", sample="adult-coarse", algorithm="mondrian", k=500)
    values = sorted(sample("adult-coarse")["options"]["orders"]["education"])
    order = [*values, *(f"a level that nobody has, number {number}" for number in range(200))]
    app.session_state["tables_columns_adult-coarse"] = json.dumps({"orders": {"education": order}})
    run(app)
    assert "columns" not in app.query_params
    assert any("a link omits them" in caption.value for caption in app.caption)
    app = open_editor(app)
    app.selectbox(key="tables_order_of").set_value("education")
    run(app)
    assert written(app, "education").splitlines() == order


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    "columns",
    [
        "{",
        '{"roles": {"age": "king"}}',
        *thorough_only(['["age"]', '{"bins": {"age": 5}}', '{"keep": {"age": 1}}', '{"k": 1}']),
    ],
)
def test_a_link_that_says_nonsense_of_columns_is_the_sample(columns):
    app = visit("tables", sample="adult-coarse", algorithm="mondrian", k=500, columns=columns)
    g = kanon.generalize(read(sample("adult-coarse")), 500, "mondrian")
    assert f"(cost {g.cost:,})" in headline(app)


@pytest.mark.thorough
def test_a_link_that_asks_for_too_much_is_refused_with_a_way_out():
    columns = json.dumps({"bins": {"sex": [0, 5]}})
    app = visit("tables", sample="adult-coarse", algorithm="mondrian", k=500, columns=columns)
    assert f"which is not a number, so it {CAN_HAVE_NO_RANGES}" in errors(app)
    press(open_editor(app), "Reset to the sample")
    assert problems(app) == []


def test_a_messy_file_can_be_put_in_order():
    app = open_editor(messy())
    assert problems(app) == []
    app.selectbox(key="tables_order_of").set_value("Größe")
    run(app)
    assert written(app, "Größe").splitlines() == ["groß", "klein", "mittel", "(missing)"]
    write(app, "Größe", "(missing)\nklein\nmitel\ngroß")
    press(app, USE_THESE)
    assert "“mittel” (4 records) is not in the list. Is “mitel” in line 3 meant to be “mittel”?" in errors(app)
    press(app, "Put missing values last")
    assert written(app, "Größe").splitlines()[-2:] == ["groß", "mittel"]
    write(app, "Größe", "(missing)\nklein\nmittel\ngroß")
    app.selectbox(key="tables_order_of").set_value("Ort")
    run(app)
    assert written(app, "Ort").splitlines()[-1] == "(missing)"
    press(app, "Reverse")
    press(app, USE_THESE)
    assert problems(app) == []
    orders = {"Größe": [None, "klein", "mittel", "groß"]}
    table = kanon.read_table(MESSY)
    assert {"Ort", "Ort.1"} <= set(table.quasi_identifiers)
    orders["Ort"] = [*[value for value in table.orders["Ort"][::-1] if value is not None], None]
    expected = kanon.read_table(MESSY, orders=orders)
    assert expected.digest != table.digest
    g = kanon.generalize(expected, 2, "hill-climb", suppression_limit=0)
    assert f"(cost {g.cost:,})" in headline(app)


def test_a_hierarchy_gives_the_order():
    app = open_editor(upload())
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    loader = app.file_uploader(key="tables_hierarchy_level")
    loader.set_value(("levels.csv", b"low;little;*\nhigh;much;*\nmid;little;*\nnone;little;*\n", "text/csv"))
    run(app)
    assert written(app, "level") == "low\nmid\nnone\nhigh"
    assert any("“none” does not occur in the data; this does no harm." in one.value for one in app.caption)
    press(app, USE_THESE)
    table = kanon.read_table(people(), orders={"level": ["low", "mid", "none", "high"]})
    assert_tells(app, best(table))
    open_editor(app)
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    assert written(app, "level") == "low\nmid\nnone\nhigh"
    app.file_uploader(key="tables_hierarchy_level").set_value(("levels.csv", b"a;*\na;*\n", "text/csv"))
    run(app)
    assert "“a” occurs twice in levels.csv" in errors(app)


@pytest.mark.thorough
def test_a_hierarchy_as_lines_generalizes():
    app = open_editor(upload())
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    app.segmented_control(key="tables_way_level").set_value("Hierarchy")
    run(app)
    lines = app.text_area(key="tables_tree_lines_level")
    lines.set_value("low; little")
    run(app)
    assert "The hierarchy of 'level' lacks 'high'" in errors(app).replace("\\", "")
    press(app, USE_THESE)
    assert "The hierarchy of 'level' lacks 'high'" in errors(app).replace("\\", "")
    app.file_uploader(key="tables_tree_file_level").set_value(
        ("l.csv", b"low;few;*\nhigh;much;*\nmid;few;*\n", "text/csv")
    )
    run(app)
    assert app.text_area(key="tables_tree_lines_level").value == "low; few\nmid; few\nhigh; much"
    assert any("3 values; groups of more than one value: 2;" in one.value for one in app.caption)
    press(app, USE_THESE)
    assert problems(app) == []
    rows = [["low", "few"], ["mid", "few"], ["high", "much"]]
    key = f"tables_columns_{kanon.content_digest(data=people())[:8]}"
    assert json.loads(app.session_state[key])["trees"] == {"level": [[*row, "*"] for row in rows]}
    open_editor(app)
    app.selectbox(key="tables_order_of").set_value("level")
    run(app)
    assert app.segmented_control(key="tables_way_level").value == "Hierarchy"
    assert app.text_area(key="tables_tree_lines_level").value == "low; few\nmid; few\nhigh; much"
    app.selectbox(key="tables_order_of").set_value("age")
    run(app)
    app.segmented_control(key="tables_way_age").set_value("Hierarchy")
    run(app)
    lines = app.text_area(key="tables_tree_lines_age").value
    assert lines.startswith("20; 20–24; 20–29; 0–49; 0–99\n")
    press(app, "By characters")
    assert app.text_area(key="tables_tree_lines_age").value != lines
    press(app, "By round numbers")
    assert app.text_area(key="tables_tree_lines_age").value == lines
    assert any("groups of more than one value" in one.value for one in app.caption), errors(app)
    press(app, USE_THESE)
    assert problems(app) == []
    assert json.loads(app.session_state[key])["trees"]["age"] == "ranges"


def test_a_hierarchy_that_kanon_makes_is_stored_without_the_values():
    days = ["1922-02-20", "1950-07-01", "1950-07-09", "1999-12-31"]
    tree = date_tree(days)
    assert without_values(tree, days) == "dates"
    year: list[str | None] = ["2024-01-09", "2024-05-31"]  # one group holds all, so the lines have no “*”
    assert without_values(tree_of_lines("born", lines_of_tree(date_tree(year).rows, year), year), year) == "dates"
    other = tree_of_lines("born", "1922-02-20; before\n1950-07-01; after\n1950-07-09; after\n1999-12-31; after", days)
    assert without_values(other, days) == other.rows
    unclear: list[str | None] = ["01/02/1950", "03/04/1950"]
    own = tree_of_lines("born", "01/02/1950; a\n03/04/1950; b", unclear)
    assert without_values(own, unclear) == own.rows
    file = ("born\n" + "\n".join(map(str, days))).encode()
    made, stored = (
        kanon.read_table(file, filename="born.csv", quasi_identifiers=["born"], **settings)
        for settings in ({"trees": {"born": tree.rows}}, {"grow": {"born": "dates"}})
    )
    assert made.digest == stored.digest
    project = Project("tables", "born.csv", 2, "mondrian", reading=reading_of(stored, {}))
    assert not any(day in project.to_toml() for day in days)


def test_what_is_said_of_trees_and_tails_survives_the_link_and_the_reader():
    base = from_settings(
        {"quasi_identifiers": ["city", "age"], "trees": {"city": [["a", "X", "*"]]}, "top": {"age": 85}}
    )
    wanted = changed(base, {"trees": {"city": "state"}, "top": {"age": None}, "bottom": {"age": 20}})
    different = changes(base, wanted)
    assert from_text(json.dumps(different)) == different
    settings = reader_settings(wanted)
    assert settings["grow"] == {"city": "state"}
    assert settings["bottom"] == {"age": 20}
    assert settings.get("trees") is None
    assert settings.get("top") is None
    for text in ('{"trees": {"a": [1]}}', '{"trees": {"a": [[[1]]]}}', '{"top": {"a": "b"}}'):
        with pytest.raises(ValueError, match="trees|top"):
            from_text(text)


def test_too_few_roles_are_refused():
    app = visit("tables", sample="own-file")
    names = ["age", "level", "sex"]
    app.session_state[f"tables_columns_{kanon.content_digest(data=people())[:8]}"] = json.dumps(
        {"roles": dict.fromkeys(names, "other")}
    )
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))
    run(app)
    assert NO_QUASI_IDENTIFIER in errors(app)


def test_changes_are_what_differs():
    base = from_guess(columns_frame(people()))
    wanted = changed(base, {"roles": {"id": "other"}, "bins": {"age": [0, 5]}, "unit": "patients"})
    assert changes(base, wanted) == {"roles": {"id": "other"}, "bins": {"age": [0, 5]}, "unit": "patients"}
    assert changes(base, base) == {}
    assert reader_settings(base) == {
        "quasi_identifiers": ["age", "level", "sex"],
        "identifiers": ["id"],
        "sensitive": ["illness"],
        "keep": [],
    }
    kept = changed(base, {"keep": {"illness": True, "id": True, "age": True}})
    assert reader_settings(kept)["keep"] == ["illness"]  # never an identifier or a quasi-identifier
    assert changes(base, kept) == {"keep": {"illness": True, "id": True, "age": True}}
    assert reader_settings(wanted)["unit"] == "patients"
    given = from_settings(sample("adult-coarse")["options"])
    assert reader_settings(given)["keep"] == ["salary"]  # the sample names it
    gone = changed(given, {"bins": {"age": None}, "orders": {"education": None}})
    assert (gone["bins"], gone["orders"]) == ({}, {})
    two = changed(base, {"roles": {"sex": "class label", "level": "class label"}})
    with pytest.raises(kanon.InvalidInput, match="Two columns are class labels: level, sex"):
        reader_settings(two)
    with pytest.raises(ValueError, match="orders"):
        from_text('{"orders": {"age": [[1]]}}')


def test_lines_stand_for_values_and_say_what_is_wrong():
    values = [1, 2.5, "x", "two\nlines", None]
    known = lines_of(values)
    counts = dict.fromkeys(values, 3)
    text = "\n".join(known)
    assert read_lines(text, known, counts, "records").order == tuple(values)
    assert read_lines("2.50\n1.0\nx\ntwo ⏎ lines\nNA", known, counts, "records").order == (2.5, 1, "x", values[3], None)
    short = read_lines("1\n2.5\nx\nx\ntwo ⏎ lines", known, counts, "records")
    assert short.problems == ("“x” appears twice, in lines 3 and 4; remove one of them.",)
    assert short.remarks == ("“(missing)” has no line, so it comes last.",)
    empty = read_lines("", known, counts, "people")
    assert empty.problems == (
        "“1” (3 people), “2.5” (3 people), “x” (3 people) and “two ⏎ lines” (3 people) are not in the list.",
    )


def test_the_editor_knows_columns_with_many_values():
    known = columns_frame(b"pay,x\n" + b"".join(b"%d,%d\n" % (i, i % 2) for i in range(300))).set_index("column")
    assert known.loc["pay", "role"] == "identifier"
    assert known.loc["pay", "order"] == list(range(300))
    assert pd.Series(known.loc["pay", "counts"]).eq(1).all()


def test_the_page_asks_how_dates_are_written_and_says_why_a_role_was_guessed():
    rows = [f"0{1 + row % 9}/{10 + row % 3}/19{50 + row},{'mf'[row % 2]}" for row in range(40)]
    app = visit("tables", sample="own-file", algorithm="mondrian", k="5")
    app.file_uploader(key="tables_upload").set_value(("born.csv", "\n".join(["born,sex", *rows]).encode(), "text/csv"))
    app = run(app)
    assert f"do not show {DAY_OR_MONTH_FIRST}" in problems(app)[0]
    next(button for button in app.button if button.label == "mm/dd/yyyy").click()
    app = run(app)
    assert not problems(app)
    told = " ".join(entry.value for entry in (*app.caption, *app.markdown))
    assert "read as mm/dd/yyyy" in told
    app = open_editor(app)
    app.selectbox(key="tables_order_of").set_value("born")
    assert run(app).segmented_control(key="tables_way_born").options == ["My own order", "Months, quarters, years"]
