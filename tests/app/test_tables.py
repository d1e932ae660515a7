"""The page of tables: what differs from the other families."""

from __future__ import annotations

import json
import math
import threading
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.model.requirement import UNKNOWN
from kanon_engine.plot import curve_figure, what_if_figure
from kanon_engine.risk.utility import utility_measures
from kanon_engine.tables.metrics import objective
from kanon_engine.tables.release import class_frame, released_frame
from kanon_engine.verification.table_costs import sizes_alone
from kanon_engine.workers import search
from pages._shared import results
from pages._shared.tasks import MOST_REMEMBERED, Task
from pages._tables.editor import read_as
from tests.app.visit import (
    CATALOG,
    downloads,
    first_sample,
    go,
    headline,
    k_of,
    open_tab,
    pick_k,
    problems,
    read,
    run,
    tasks_of,
    visit,
)
from tests.sentences import (
    AMONG_SUCH_CUTS,
    AUDIT_FOUND_NOTHING,
    CERTIFICATE_JSON,
    CROSSWALK_CSV,
    DIFFERENT_VALUES_OF,
    GIVE_QUASI_IDENTIFIERS,
    GROUPS_CSV,
    HAS_A_NAME_THAT_SUGGESTS,
    LOWER_K_BUTTON,
    NEEDS_A_CLASS_LABEL,
    NO_CLASS_LABEL,
    NO_GROUPING_BY_CUTS,
    NO_GROUPING_IS_POSSIBLE,
    NONE_LEFT_OUT,
    ONE_GROUP_OF,
    ONLY_ONE_VALUE,
    PICTURE_HTML,
    PROVEN_BEST_POSSIBLE,
    QUICK_ANSWER,
    RELEASED_NONE_LEFT_OUT,
    RELEASED_TABLE_CSV,
    REPORTED_BY_THE_SOLVER,
    THESE_ROLES_ARE_RIGHT,
    USE_THESE,
    VALUES_CSV,
)

ROWS = 150


def people() -> bytes:
    rng = np.random.default_rng(4)
    columns = (range(ROWS), rng.integers(20, 60, ROWS), rng.choice(["low", "mid", "high"], ROWS))
    columns += (rng.choice(["f", "m"], ROWS), rng.choice(["x", "y"], ROWS))
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join(["id,age,level,sex,illness", *lines]).encode()


COLUMNS = f"tables_columns_{kanon.content_digest(data=people())[:8]}"  # what the person changed


@pytest.fixture(scope="module")
def table() -> kanon.Table:
    return kanon.read_table(people())


def upload(**query: Any) -> AppTest:
    app = visit("tables", sample="own-file", **({"algorithm": "k-optimize"} | query))
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))
    return run(app)


def say_roles_are_right(app: AppTest) -> AppTest:
    next(button for button in app.button if button.label == THESE_ROLES_ARE_RIGHT).click()
    return run(app)


def best(table: kanon.Table, k: int = 11, **options: Any) -> kanon.Generalization:
    return kanon.generalize(table, k, "k-optimize", suppression_limit=0, **options)


def assert_tells(app: AppTest, g: kanon.Generalization) -> None:
    words = headline(app)
    assert words.startswith(
        f"{g.classes:,} groups of {g.class_weights.min():,} to {g.class_weights.max():,} records, {NONE_LEFT_OUT}. "
    )
    assert f"(cost {g.cost:,})" in words
    assert (f"{NO_GROUPING_BY_CUTS} costs less: " in words) == (g.status == "optimal")
    assert (f"best possible {AMONG_SUCH_CUTS}" in words) or (REPORTED_BY_THE_SOLVER in words)


SAMPLES = [
    pytest.param(entry, id=entry["key"], marks=[pytest.mark.thorough] if entry["key"] == "adult-fine" else [])
    for entry in CATALOG
    if entry["family"] == "tables"
]


@pytest.mark.thorough
@pytest.mark.parametrize("entry", SAMPLES)
def test_the_samples_open_with_a_true_sentence(entry):
    app = visit("tables", sample=entry["key"], algorithm="hill-climb", k=100)
    g = kanon.generalize(read(entry), 100, "hill-climb", suppression_limit=0)
    words = headline(app)
    assert words.startswith(
        f"{g.classes:,} groups of {g.class_weights.min():,} to {g.class_weights.max():,} records, {NONE_LEFT_OUT}. "
    )
    assert f" of the detail is lost (cost {g.cost:,})" in words
    if math.isinf(g.gap):
        assert UNKNOWN in words
    elif g.gap < 1:
        nearness = float(words.split("within ")[1].split(" %")[0])
        assert 100 * g.gap <= nearness < 100 * g.gap + 1
    else:
        times = float(words.split("at most ")[1].split(" times")[0].replace(",", ""))
        assert g.cost <= times * g.lower_bound < g.cost + 0.11 * g.lower_bound
    assert any(entry["license"] in caption.value for caption in app.caption)


def test_an_upload_is_understood_and_solved(table):
    app = upload()
    assert problems(app) == []
    assert k_of(app, "tables") == 11
    assert_tells(app, best(table))
    open_tab(app, "tables", "Groups")
    groups = next(frame.value for frame in app.dataframe if "Group" in frame.value)
    expected = class_frame(table, best(table))
    assert groups["Records"].tolist() == expected["records"].tolist()
    assert groups["age"].tolist() == expected["age"].tolist()


def test_boxes_are_found_at_first_and_seen_over_two_columns(table):
    app = visit("tables", sample="own-file", metric="DM")
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))
    run(app)
    g = kanon.generalize(table, 11, metric="DM")
    assert headline(app).startswith(
        f"{g.classes:,} groups of {g.class_weights.min()} to {g.class_weights.max()} records, {NONE_LEFT_OUT}. "
    )
    assert f"No boxes cost less: {PROVEN_BEST_POSSIBLE}." in headline(app)
    app.segmented_control(key="tables_view").set_value("Two columns")
    run(app)
    assert [app.selectbox(key=key).value for key in ("tables_across", "tables_up")] == ["age", "level"]
    open_tab(app, "tables", "How it works")
    least = sizes_alone("DM", ROWS, 11)
    assert any(
        f"Any grouping, even one that is not made of boxes, costs at least {least:,}." in one.value
        for one in app.caption
    )


def test_left_out_records_are_counted_in_the_sentence(table):
    app = upload(suppression_limit="None", k=25)
    g = kanon.generalize(table, 25, "k-optimize")
    words = headline(app)
    if g.details.suppressed:
        assert f"{g.details.suppressed} records left out (" in words
    assert f"(cost {g.cost:,})" in words
    assert app.query_params["suppression_limit"] == "None"


def test_the_class_metric_says_what_it_counts():
    table = kanon.read_table(people(), ["age", "level", "sex"], "illness", identifiers=["id"])
    g = best(table, metric="CM")
    app = visit("tables", sample="own-file", algorithm="k-optimize", metric="CM")
    app.session_state[COLUMNS] = '{"roles": {"illness": "class label"}}'
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))
    run(app)
    assert f"{g.cost:,} records (" in headline(app)
    assert "differ from their group's majority in “illness”" in headline(app)


def test_a_metric_without_its_class_label_is_refused_with_a_way_out():
    app = upload(metric="CM")
    assert any(NEEDS_A_CLASS_LABEL in said for said in problems(app))


def test_released_rows_and_downloads(table):
    g = best(table)
    app = open_tab(upload(), "tables", "Released table")
    shown = next(frame.value for frame in app.dataframe if list(frame.value.columns)[:1] == ["age"])
    assert len(shown) == ROWS
    expected = released_frame(table, g)  # nobody named “illness”
    assert shown.astype(str).values.tolist() == expected.astype(str).values.tolist()
    assert any(f"{ROWS} of {ROWS} {RELEASED_NONE_LEFT_OUT}" in mark.value for mark in app.markdown)
    age = next(one for one in app.multiselect if one.label == "age is")
    age.set_value([expected["age"][0]])
    run(app)
    picked = next(frame.value for frame in app.dataframe if list(frame.value.columns)[:1] == ["age"])
    alike = expected[expected["age"] == expected["age"][0]]
    assert picked.astype(str).values.tolist() == alike.astype(str).values.tolist()
    app.session_state["tables_released_view"] = "Before and after"
    run(app)
    lost = next(frame.value for frame in app.dataframe if "Difference" in frame.value)
    assert lost["Difference"].tolist() == kanon.utility(table, g).columns["difference"].tolist()
    words = " ".join(mark.value for mark in app.markdown)
    assert "Test with 1,000 random questions: how many records lie in given ranges of up to three columns?" in words
    errors = {one.key: one.words for one in utility_measures(table, g)}  # as “Review” shows them
    half, ninth = errors["query-median"], errors["query-ninth"]
    assert f"are off by about {half} or less, nine in ten by about {ninth} or less." in words
    assert f"was not measured: {NO_CLASS_LABEL}." in words
    open_tab(app, "tables", "Publish")
    assert downloads(app) == []  # nobody said yet that the guesses are right
    roles = next(frame.value for frame in app.dataframe if "Why" in frame.value.columns)
    assert roles.values.tolist()[0] == ["id", "identifier", "left out", f"It {HAS_A_NAME_THAT_SUGGESTS} an identifier."]
    assert roles["Released"].tolist() == ["left out", "generalized", "generalized", "generalized", "left out"]
    labels = downloads(say_roles_are_right(app))
    assert [label for label in labels if label != "Picture (PNG)"] == [
        RELEASED_TABLE_CSV,
        "Released table (Parquet)",
        "Released table (Excel)",
        GROUPS_CSV,
        "Groups (Parquet)",
        "Groups (Excel)",
        PICTURE_HTML,
        "Intervals (CSV)",
        CROSSWALK_CSV,
        CERTIFICATE_JSON,
    ]


def test_a_ticked_column_is_released_as_it_is(table):
    app = visit("tables", sample="own-file", algorithm="k-optimize")
    app.session_state[COLUMNS] = '{"keep": {"illness": true}}'
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))
    run(app)
    assert "Released unchanged: “illness”.*\n\n" in headline(app).replace("\\", "")
    open_tab(app, "tables", "Released table")
    shown = next(frame.value for frame in app.dataframe if list(frame.value.columns)[:1] == ["age"])
    kept = kanon.read_table(people(), ["age", "level", "sex"], sensitive=["illness"])
    expected = released_frame(kept, best(kept), ["illness"])
    assert shown.astype(str).values.tolist() == expected.astype(str).values.tolist()
    say_roles_are_right(open_tab(app, "tables", "Publish"))
    assert any("and unchanged: illness." in mark.value.replace("\\", "") for mark in app.markdown)


def people_with_pay() -> bytes:
    """The same people with an income each, which nobody else has, and a remark."""
    lines = people().decode().splitlines()
    rng = np.random.default_rng(2)
    more = [f"{pay:.2f},{rng.choice(['a', 'b'])}" for pay in rng.normal(3_000, 700, ROWS)]
    return "\n".join(f"{line},{end}" for line, end in zip(lines, ["spent,remark", *more], strict=True)).encode()


def test_the_audit_stands_before_the_downloads_and_a_click_mends_each_finding():
    app = visit("tables", sample="own-file", algorithm="hill-climb", restarts=2, k=5)
    app.file_uploader(key="tables_upload").set_value(("people.csv", people_with_pay(), "text/csv"))
    key = f"tables_columns_{kanon.content_digest(data=people_with_pay())[:8]}"
    app.session_state[key] = (
        '{"keep": {"illness": true, "spent": true, "remark": true}, "roles": {"remark": "other", "spent": "sensitive"}}'
    )
    say_roles_are_right(open_tab(run(app), "tables", "Publish"))

    def findings() -> list[str]:
        words = [mark.value.replace("\\", "") for mark in app.markdown]
        return [word for word in words if ":material/" in word and "**" in word]

    def mend(words: str) -> None:
        next(one for one in app.button if one.label.replace("\\", "").startswith(words)).click()
        run(app)

    table = kanon.read_table(people_with_pay(), ["age", "level", "sex"], sensitive=["illness", "spent"],
                             keep=["illness", "spent", "remark"])  # fmt: skip
    found = kanon.audit(table, kanon.generalize(table, 5, "hill-climb", restarts=2, suppression_limit=0))
    assert len(findings()) == len(found.findings)
    assert f"{found.findings[0].severity.capitalize()}.** {found.findings[0].what}" in findings()[0]
    assert any("have a value of “spent” that no other record has" in words for words in findings())
    assert RELEASED_TABLE_CSV in downloads(app)
    mend("Put “spent” into ranges of")
    assert json.loads(app.session_state[key])["bins"]["spent"][0] == 0
    assert app.session_state["tables_demands"] == (("spent", "2"),)
    assert not any("have a value of “spent” that no other record has" in words for words in findings())
    mend("Make “remark” a quasi-identifier")
    changed = json.loads(app.session_state[key])
    assert (changed["keep"], "remark" in changed["roles"]) == ({"illness": True, "spent": True}, False)  # as guessed
    mend("Leave “spent” out")
    assert json.loads(app.session_state[key])["keep"] == {"illness": True}
    assert app.session_state["tables_demands"] == ()
    assert not any("“spent”" in words for words in findings())
    assert "Released unchanged: “illness”.*\n\n" in headline(app).replace("\\", "")
    pick_k(app, "tables", 2)
    assert any(ONLY_ONE_VALUE in words for words in findings())
    mend(f"Require at least 2 {DIFFERENT_VALUES_OF} “illness” in every group")
    assert app.session_state["tables_demands"] == (("illness", "2"),)
    assert not any(ONLY_ONE_VALUE in words for words in findings())


def test_the_audit_says_how_it_differs_from_the_review():
    app = visit("tables", sample="own-file", algorithm="k-optimize", k=5)
    app.file_uploader(key="tables_upload").set_value(("people.csv", people(), "text/csv"))

    say_roles_are_right(open_tab(run(app), "tables", "Publish"))

    def audited() -> str:
        return next(mark.value for mark in app.markdown if "The audit looks at what the records reveal" in mark.value)

    assert "the page “Review” compares the release with stated rules and attacks." in audited()
    go(app, "review")
    failing = next(mark.value for mark in app.markdown if " stated rules: " in mark.value)
    count = int(failing.split(" do not hold")[0].split()[-1])
    go(app, "tables")
    assert f"stated rules and attacks: {count} rules do not hold." in audited()


@pytest.mark.thorough
def test_what_is_public_and_what_is_kept_decide_though_the_cells_are_the_same():
    """The search is not made again for that, so its result must not say what was said before."""
    towns = ["Ulm"] * 4 + ["Bonn"] * 4 + ["Trier", "Aalen"]
    data = ("age,town,illness\n" + "".join(f"{30 + row % 2},{town},flu\n" for row, town in enumerate(towns))).encode()
    app = visit("tables", sample="own-file", k=2, algorithm="k-optimize")
    app.file_uploader(key="tables_upload").set_value(("towns.csv", data, "text/csv"))
    say_roles_are_right(open_tab(run(app), "tables", "Publish"))
    public = [button for button in app.button if button.label.startswith("Say that the values of “town” are public")]
    assert len(public) == 1
    public[0].click()
    run(app)
    assert any(AUDIT_FOUND_NOTHING in mark.value for mark in app.markdown)
    plain = kanon.read_table(data, ["age", "town"], sensitive=["illness"], keep=[])
    kept = kanon.read_table(data, ["age", "town"], sensitive=["illness"])
    g = kanon.generalize(plain, 2, "k-optimize")
    assert plain.digest == kept.digest
    assert read_as(plain, g) is g
    assert read_as(kept, g).reading == kept.reading
    assert "released unchanged: illness" in str(kanon.verify(kept, read_as(kept, g)).checks)


def test_a_file_without_a_guess_begins_with_its_columns():
    """Nine rows, and a value of its own in each: nobody can tell what could be linked."""
    data = "mark,spent\n" + "".join(f"m{row},{row * row + 0.5}\n" for row in range(9))
    app = visit("tables", sample="own-file")
    app.file_uploader(key="tables_upload").set_value(("nine.csv", data.encode(), "text/csv"))
    run(app)
    assert GIVE_QUASI_IDENTIFIERS in problems(app)[0]
    roles = app.dataframe[-1].value
    assert roles[["Column", "Role", "Released"]].values.tolist() == [
        ["mark", "identifier", "left out"],
        ["spent", "other", "left out"],
    ]
    assert "To release it, set its role." in roles["Why"][1]
    next(button for button in app.button if button.label == "Set the columns' roles").click()
    assert any(button.label == USE_THESE for button in run(app).button)


@pytest.mark.thorough
def test_what_if_runs_the_ks_of_the_paper(table):
    app = open_tab(upload(algorithm="hill-climb", k=7), "tables", "What if")
    frame = app.tabs[1].dataframe[0].value
    assert frame["k"].tolist() == [5, 7, 10, 25, 50, 100]
    row = frame[frame["k"] == 25].iloc[0]
    g = kanon.generalize(table, 25, "hill-climb", suppression_limit=0)
    assert (row["Loss of detail"], row["Groups"]) == (g.cost, g.classes)
    assert "cell-suppression" not in app.multiselect[0].options
    assert len(app.multiselect[0].options) == 5


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("quantity", "lines"), [("cost", 3), ("overfull_ratio", 2), ("classes", 2)])
def test_the_bound_of_the_cost_is_a_floor_for_the_cost_alone(table, quantity, lines):
    rows = kanon.sweep(table, [5, 11], {"Hill climbing": ("hill-climb", {"suppression_limit": 0})})
    figure = what_if_figure(rows, quantity, 11, "records", objective("mondrian", {"metric": "DM"}))
    assert len(figure.data) == lines
    assert max(figure.data[-2].y) == rows[quantity].max()


def test_the_tab_how_it_works_tells_the_nodes(table):
    app = open_tab(upload(), "tables", "How it works")
    g = best(table)
    assert any(mark.value.startswith("Without cuts, all") for mark in app.markdown)
    app.segmented_control(key="tables_run").set_value("Best and bound")
    run(app)
    assert any(f"{g.details.nodes:,} nodes were examined." in caption.value for caption in app.caption)
    assert any("K-Optimize begins with" in mark.value for mark in app.markdown)
    figure = curve_figure(g.details.curve, "nodes", "Loss of detail")
    assert figure.data[0].y[-1] == figure.data[1].y[-1] == g.cost


def test_costs_of_another_kind_are_not_compared(table):
    app = upload(compare="cell-suppression")
    shown = " ".join(element.value for element in app.markdown)
    cells = kanon.generalize(table, 11, "cell-suppression")
    assert f"**Cell suppression, k = 11**: {cells.classes:,} groups, hidden cells {cells.cost:,}" in shown
    assert "so their costs cannot be compared" in shown
    app.selectbox(key="tables_compare").set_value("hill-climb")
    run(app)
    climbed = kanon.generalize(table, 11, "hill-climb", suppression_limit=0)
    shown = " ".join(element.value for element in app.markdown)
    assert f"loss of detail {climbed.cost:,}" in shown
    least = best(table).cost
    same = climbed.cost == least
    assert f"; loss of detail {f'{least:,} in both' if same else f'{least:,} → {climbed.cost:,}'}; " in shown


def test_hidden_cells_have_their_own_sentence(table):
    app = upload(algorithm="cell-suppression")
    g = kanon.generalize(table, 11, "cell-suppression")
    assert f"{g.cost:,} of {ROWS * 3:,} cells are hidden" in headline(app)
    labels = downloads(say_roles_are_right(open_tab(app, "tables", "Publish")))
    tables = [label for label in labels if label.endswith("(CSV)")]
    assert tables[:3] == [RELEASED_TABLE_CSV, VALUES_CSV, GROUPS_CSV]
    shown = [mark.value.replace("\\", "") for mark in app.markdown]
    assert any("with values and “*” for hidden cells. Rows are sorted" in words for words in shown)


def test_a_k_above_the_total_is_refused_with_a_way_out(table):
    app = pick_k(upload(), "tables", ROWS + 1)
    assert NO_GROUPING_IS_POSSIBLE in problems(app)[0]
    next(button for button in app.button if button.label == f"{LOWER_K_BUTTON} {ROWS}").click()
    run(app)
    assert headline(app).startswith(f"{ONE_GROUP_OF} {ROWS} records, {NONE_LEFT_OUT}. ")


def test_a_task_remembers_what_was_reported_and_forgets_in_moderation():
    def work(task: Task) -> None:
        task.report(kanon.Progress(0.0, None, None, "begins"))
        for cost in range(3 * MOST_REMEMBERED, 0, -1):
            task.report(kanon.Progress(0.5, cost, None, "goes on"))
            task.report(kanon.Progress(0.5, cost, None, "no news"))

    task = Task(work)
    task.result()
    costs = [best for _, best, _ in task.history]
    assert len(costs) <= MOST_REMEMBERED
    assert costs == sorted(set(costs), reverse=True)
    assert (costs[0], costs[-1]) == (3 * MOST_REMEMBERED, 1)
    assert all(np.isnan(bound) for _, _, bound in task.history)


@pytest.mark.thorough
def test_the_curve_is_there_while_the_search_goes_on(monkeypatch):
    opened = threading.Event()
    real = search.certified

    def slow(instance, k, algorithm=None, **options):
        if algorithm == "k-optimize":
            options["progress"](kanon.Progress(0.1, 900, 100, "searching"))
            options["progress"](kanon.Progress(0.2, 800, 200, "searching"))
            opened.wait(60)
        return real(instance, k, algorithm, **options)

    monkeypatch.setattr(search, "certified", slow)
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    app = visit("tables", sample=first_sample("tables")["key"], algorithm="hill-climb", k=1000, metric="DM")
    app.session_state["tables_tab"] = "How it works"
    app.selectbox(key="tables_algorithm").set_value("k-optimize")
    app.run()
    assert not app.exception
    (task,) = tasks_of(app)
    assert any(
        "The search has been running" in caption.value
        and "Best so far: 800. No result can cost less than 200, so at most 75 % " in caption.value
        for caption in app.caption
    )
    said = [caption.value for caption in app.caption if QUICK_ANSWER in caption.value]
    assert "discernibility 800 so far" in said[0]
    assert [row[1:] for row in task.history] == [(900, 100), (800, 200)]
    opened.set()
    run(app)
    assert f"best possible ({REPORTED_BY_THE_SOLVER}" in headline(app)


def test_a_unit_stands_on_the_page_as_it_was_typed():
    unit = "*a* $b$"  # what Markdown takes for formatting
    app = upload()
    app.session_state[COLUMNS] = json.dumps({"unit": unit})
    for tab in ("Released table", "Publish"):
        open_tab(app, "tables", tab)
        if tab == "Publish":
            say_roles_are_right(app)
        shown = [element.value for element in app.markdown]
        assert [words for words in shown if unit in words] == []
        assert sum(unit in words.replace("\\", "") for words in shown) >= 2
