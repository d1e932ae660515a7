"""Rules for groups on the page of labels."""

import kanon_engine as kanon
from kanon_engine.labels.read import with_rules
from pages._labels.reading import RULES
from tests.app.test_uploads import illnesses, upload, widget
from tests.app.visit import assert_says, first_sample, headline, open_tab, problems, read, run, visit
from tests.sentences import APART_AND_TOGETHER, NEAR_OPTIMAL_OR_EXACT, NO_GROUPING_IS_POSSIBLE


def text_area(app, name):
    return widget(app.text_area, RULES[name])


def ruled(app, **texts):
    for name, text in texts.items():
        text_area(app, name).set_value(text)
    return run(app)


def test_rules_reach_the_engine():
    labels = read(first_sample("labels"))
    app = visit("labels", k=9_000)
    before = headline(app)
    ruled(app, together="MARY, PATRICIA\nLINDA, BARBARA", apart="MARY, LINDA")
    expected = with_rules(labels, [("MARY", "PATRICIA"), ("LINDA", "BARBARA")], [("MARY", "LINDA")])
    assert_says(app, expected, 9_000)
    assert any("2 sets of labels stay together" in element.value for element in app.markdown)
    ruled(app, together="", apart="")
    assert headline(app) == before


def test_groups_by_their_largest_label():
    app = visit("labels", k=9_000)
    widget(app.selectbox, "Group names").set_value("their largest label")
    run(app)
    open_tab(app, "labels", "Groups")
    g = kanon.generalize(read(first_sample("labels")), 9_000)
    names = app.tabs[4].dataframe[0].value["Name"]
    assert len(names) == g.classes
    assert any(name.startswith("MARY and ") for name in names)


def test_a_rule_that_makes_no_sense_is_said_and_can_be_corrected():
    app = visit("labels")
    ruled(app, apart="MARY, NOBODY AT ALL")
    assert any("NOBODY AT ALL" in problem for problem in problems(app))
    ruled(app, apart="MARY, LINDA")
    assert problems(app) == []
    assert headline(app)


def test_an_algorithm_that_cannot_says_which_can():
    app = ruled(visit("labels", algorithm="fold"), apart="MARY, LINDA")
    assert any(NEAR_OPTIMAL_OR_EXACT in problem for problem in problems(app))
    open_ks = ruled(app, apart="")
    assert problems(open_ks) == []


def test_contradictory_rules_are_infeasible():
    app = ruled(visit("labels"), together="MARY, LINDA", apart="MARY, LINDA")
    assert any(APART_AND_TOGETHER in problem for problem in problems(app))


def test_labels_that_rules_name_are_no_formatting():
    app = upload("labels", "names.csv", b"name,count\n*A*,20\nB_,20\nC,20\n")
    ruled(app, together="*A*, B_", apart="*A*, B_")
    (said,) = problems(app)
    assert r"\*A\*" in said
    assert r"B\_" in said
    assert said.startswith(f"**{NO_GROUPING_IS_POSSIBLE}.** ")


def test_rules_of_one_file_are_not_those_of_the_next():
    app = ruled(upload("labels", "illnesses.csv", illnesses()), together="illness 1, illness 2")
    app.file_uploader(key="labels_upload").set_value(("names.csv", b"name,count\nA,20\nB,20\nC,20\n", "text/csv"))
    run(app)
    assert problems(app) == []
    assert text_area(app, "together").value == ""
    app.file_uploader(key="labels_upload").set_value(("illnesses.csv", illnesses(), "text/csv"))
    run(app)
    assert text_area(app, "together").value == "illness 1, illness 2"


def test_a_link_reproduces_the_rules_of_a_sample():
    app = ruled(visit("labels", k=9_000), together="MARY, PATRICIA\nLINDA, BARBARA", apart="MARY, LINDA")
    link = dict(app.query_params)
    assert (link["together"], link["apart"]) == ("MARY,PATRICIA;LINDA,BARBARA", "MARY,LINDA")
    again = visit("labels", **link)
    assert headline(again) == headline(app)
    assert text_area(again, "apart").value == "MARY,LINDA\n"
    assert dict(again.query_params) == link
