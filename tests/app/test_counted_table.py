"""The page of tables with a file whose rows stand for several records."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from tests.app.visit import headline, open_tab, problems, run, visit
from tests.sentences import NONE_LEFT_OUT, THESE_ROLES_ARE_RIGHT, TOO_MANY_TO_EXAMINE

TABS = ("How it works", "Released table", "Publish", "Groups")


def rows(times: int) -> bytes:
    lines = [f"{20 + place % 17},{'fm'[place % 2]},{times * (1 + place % 5)}" for place in range(60)]
    return "\n".join(["age,sex,people", *lines]).encode()


def counted(data: bytes, k: int) -> AppTest:
    app = visit("tables", sample="own-file", k=k, algorithm="mondrian")
    app.session_state[f"tables_columns_{kanon.content_digest(data=data)[:8]}"] = json.dumps(
        {"roles": {"age": "quasi-identifier", "sex": "quasi-identifier", "people": "count"}}
    )
    app.file_uploader(key="tables_upload").set_value(("counted.csv", data, "text/csv"))
    return run(app)


def test_a_counted_file_is_the_table_of_its_records():
    app = counted(rows(3), 20)
    assert problems(app) == []
    table = kanon.read_table(rows(3), ["age", "sex"], weight="people")
    g = kanon.generalize(table, 20, "mondrian")
    assert headline(app).startswith(f"{g.classes:,} groups of {g.class_weights.min():,} to {g.class_weights.max():,} ")
    assert any("column people of counted.csv" in caption.value for caption in app.caption)
    for tab in TABS:
        open_tab(app, "tables", tab)
        assert not app.exception, tab
    groups = next(frame.value for frame in app.dataframe if "Group" in frame.value)
    assert groups.iloc[:, 1].sum() == table.total == 540


def test_more_records_than_can_have_a_row_each_are_told():
    app = counted(rows(100_000), 1_000_000)
    assert headline(app).startswith(f"10 groups of 1,100,000 to 2,400,000 people, {NONE_LEFT_OUT}. ")
    for tab in TABS:
        open_tab(app, "tables", tab)
        if tab == "Publish":
            next(button for button in app.button if button.label == THESE_ROLES_ARE_RIGHT).click()
            run(app)
        told = any(TOO_MANY_TO_EXAMINE in info.value for info in app.info)
        assert (told, problems(app)) == (tab in ("Released table", "Publish"), []), tab
