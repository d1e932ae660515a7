"""The first view of a table's result: records as read and as released."""

import pandas as pd
import pytest

import kanon_engine as kanon
from pages._tables import before_after


@pytest.fixture(autouse=True)
def nothing_is_selected(monkeypatch):
    monkeypatch.setattr(before_after, "selected_class", lambda g: None)


def people(**columns):
    return kanon.Table(pd.DataFrame(columns), list(columns))


def test_the_sentence_says_how_much_of_each_column_is_left():
    table = people(age=[30, 31, 40, 44], sex=list("ffmm"))
    g = kanon.generalize(table, 2, "mondrian")
    words = before_after.detail_words(table, g)
    assert words == "On average, a released record leaves a range of 2.5 (of 14) in “age” possible; “sex” is exact."


def test_dates_are_measured_in_time_and_codes_by_their_number():
    born, admitted = ["1930-01-01", "1950-01-01", "1970-01-01", "2000-01-01"], ["2024-01-01", "2024-01-02"] * 2
    table = people(zip=[2108, 2109, 2466, 2467], born=born, admitted=admitted)
    words = before_after.detail_words(table, kanon.generalize(table, 4, "mondrian"))
    assert words == (
        "On average, a released record leaves 4 of 4 values in “zip”, 70 of 70 years in “born” and 2 of 2 days in "
        "“admitted” possible."
    )


def test_the_columns_that_lose_most_come_first():
    table = people(a=[1, 1, 1, 2, 2, 2], b=[1, 2, 3, 4, 5, 6])
    words = before_after.detail_words(table, kanon.generalize(table, 6, "mondrian"))
    assert words == "On average, a released record leaves 2 of 2 values in “a” and 6 of 6 values in “b” possible."
    words = before_after.detail_words(table, kanon.generalize(table, 3, "mondrian"))
    assert words == "On average, a released record leaves 3 of 6 values in “b” possible; “a” is exact."


def test_columns_beyond_the_third_are_counted():
    table = people(**{name: [1, 2] for name in "abcde"})
    g = kanon.generalize(table, 2, "mondrian")
    listed = "2 of 2 values in “a”, 2 of 2 values in “b” and 2 of 2 values in “c”"
    words = before_after.detail_words(table, g)
    assert words == f"On average, a released record leaves {listed} possible; 2 more columns lose less detail."


def test_records_that_are_alike_lose_nothing():
    table = people(a=[1, 1, 2, 2])
    words = before_after.detail_words(table, kanon.generalize(table, 2, "mondrian"))
    assert words == "Every released record shows its exact values."


def test_values_of_a_file_are_escaped_and_every_group_has_one_released_cell_a_column():
    table = people(name=["<b>x</b>", "y", "z", "<i>"] * 3, age=[1, 2, 3, 4] * 3)
    g = kanon.generalize(table, 3, "mondrian")
    html = before_after._html(table, g, [["<u>"] * 2] * g.classes)
    assert "<b>x" not in html
    assert "&lt;b&gt;x" in html
    assert "<u>" not in html
    assert html.count("<tbody>") == min(g.classes, before_after.MOST_GROUPS)
    assert html.count("<td class='released'") == 2 * html.count("<tbody>")


@pytest.mark.parametrize("algorithm", ["cell-suppression", "k-optimize", "mondrian"])
def test_records_that_are_not_shown_are_counted(algorithm):
    table = people(a=[1] * 9 + [2] * 9, b=[1] * 18)
    g = kanon.generalize(table, 2, algorithm)
    rows = [list(map(str, cells)) for cells in before_after.class_rows(table, g)]
    html = before_after._html(table, g, rows)
    assert html.count("4 not shown") == 2


def test_the_selected_group_comes_first_and_is_marked(monkeypatch):
    table = people(a=[value // 2 for value in range(40)])
    g = kanon.generalize(table, 2, "mondrian")
    monkeypatch.setattr(before_after, "selected_class", lambda g: 7)
    html = before_after._html(table, g, [["words"]] * g.classes)
    assert html.count("<tbody class='selected'>") == 1
    assert html.index("<tbody class='selected'>") == html.index("<tbody")
    assert "<tbody class='selected'><tr><th scope='rowgroup' rowspan='2'>8<" in html


def test_a_row_of_several_records_says_how_many_it_represents():
    table = kanon.Table(pd.DataFrame({"a": [1, 2]}), ["a"], weights=[1200, 37])
    html = before_after._html(table, kanon.generalize(table, 100, "mondrian"), [["1–2"]])
    assert "1 <small>1,200 records</small>" in html
    assert "not shown" not in html


def test_an_average_that_is_rounded_does_not_look_exact():
    table = people(a=[1] * 98 + [2, 3])
    words = before_after.detail_words(table, kanon.generalize(table, 2, "mondrian"))
    assert words == "On average, a released record leaves 1.0 of 3 values in “a” possible."
