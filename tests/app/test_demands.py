"""Diversity and closeness of sensitive columns, on the page."""

from __future__ import annotations

import pytest

import kanon_engine as kanon
from pages._shared.project import OPEN
from tests.app.test_tables import people, upload
from tests.app.visit import enter, headline, open_tab, problems, run, visit
from tests.sentences import CANNOT_BE_USED_HERE, DIFFERENT_VALUES_OF, IN_TOTAL, REQUIRE_LESS

FIELD = "tables_demands_“{}”"


def ask(app, column, kind):
    app.selectbox(key=FIELD.format(column)).set_value(kind)
    return run(app)


def expected(require, k=11):
    table = kanon.read_table(people(), ["age", "level", "sex"], identifiers=["id"], sensitive=["illness"], keep=[])
    return kanon.generalize(table, k, "hill-climb", suppression_limit=0, restarts=2, require=require)


def test_a_demand_reaches_search_sentence_link_and_what_if():
    app = upload(algorithm="hill-climb", restarts=2)
    assert "demands" not in app.query_params
    assert "Every group has" not in headline(app)
    ask(app, "illness", "distinct")
    g = expected([kanon.Diversity("illness", 2)])
    assert headline(app).startswith(f"{g.classes} groups of ")
    assert f" Every group has at least 2 {DIFFERENT_VALUES_OF} “illness”. " in headline(app)
    assert f"(cost {g.cost:,})" in headline(app)
    assert app.query_params["demands"] == "illness=2"
    ask(app, "illness", "closeness")
    enter(app, "tables", "demands_“illness”_t", 0.05)
    require = [kanon.Closeness("illness", 0.05)]
    g = expected(require)
    assert headline(app).startswith(f"{g.classes} groups of ")
    assert "a distribution of “illness” within 0.05 of the distribution in the whole table" in headline(app)
    assert f"(cost {g.cost:,})" in headline(app)
    link = app.query_params["demands"]
    assert link == "illness=0.05:closeness"
    table = open_tab(app, "tables", "What if").dataframe[0].value
    (row,) = table[table["k"] == 25].to_dict("records")
    assert row["Loss of detail"] == expected(require, 25).cost
    open_tab(app, "tables", "Columns")
    ask(app, "illness", "nothing")
    assert "Every group has" not in headline(app)
    assert "demands" not in app.query_params


def test_a_demand_that_no_group_can_meet_is_one_sentence():
    app = ask(upload(), "illness", "distinct")
    enter(app, "tables", "demands_“illness”_l", 3)
    (problem,) = problems(app)
    assert f"{IN_TOTAL} 2 {DIFFERENT_VALUES_OF} “illness”, fewer than 3; {REQUIRE_LESS}." in problem


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("demands", "said"),
    [
        ("illness=2", None),
        ("height=2", "These data have no sensitive column “height”"),
        ("illness=1", CANNOT_BE_USED_HERE),
        ("illness", CANNOT_BE_USED_HERE),
    ],
)
def test_a_link_with_demands_is_followed_or_told(demands, said):
    app = upload(demands=demands)
    warnings = " ".join(element.value for element in app.warning)
    toasts = " ".join(element.value for element in app.toast)
    assert (said is None) == ("Every group has" in headline(app))
    assert said is None or said in warnings + toasts


def test_a_project_asks_for_them_again():
    project = b"""kanon = 1
family = "tables"
file = "people.csv"
k = 20
algorithm = "hill-climb"

[reading]
quasi_identifiers = ["age", "level"]
sensitive = ["illness"]

[demands]
illness = "1.5:entropy"
"""
    app = visit("tables", sample="own-file")
    field = next(one for one in app.file_uploader if one.label == OPEN)
    field.set_value(("project.toml", project, "application/toml"))
    run(app)
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))
    run(app)
    assert "values of “illness” at least as diverse as 1.5 equally common values" in headline(app)
    assert app.selectbox(key=FIELD.format("illness")).value == "entropy"
    assert app.query_params["demands"] == "illness=1.5:entropy"
