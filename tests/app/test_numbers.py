"""What a person types as a number, and what a link asks for in vain: said in a sentence, and no result beside it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from pages._shared.controls import read_k, read_option
from pages._shared.widgets import LARGEST, decimal_number, whole_number
from pages._shared.wording import CONTROLS
from tests.app.test_uploads import GOOD
from tests.app.visit import (
    FAMILIES,
    assert_says,
    first_sample,
    headline,
    k_of,
    open_app,
    pick_k,
    problems,
    read,
    run,
    visit,
)
from tests.compiled import thorough_only
from tests.sentences import CANNOT_BE_USED_HERE, GO_BACK_TO, TOO_LARGE, TOO_SMALL

NOT_WHOLE = "which is not a whole number"
WHOLE = [
    ("20000", 20_000),
    ("20,000", 20_000),
    (" 20 000 ", 20_000),
    ("1\u202f234\u202f567", 1_234_567),
    ("1\u00a0000", 1_000),
    ("1’000", 1_000),
    ("007", 7),
    (str(LARGEST), LARGEST),
]
NONE = [
    ("", "k is empty: write a whole number of at least 1."),
    ("   ", "k is empty"),
    ("0", f"k is 0, {TOO_SMALL}: write a whole number of at least 1."),
    ("-5", f"k is -5, {TOO_SMALL}"),
    ("−5", f"k is -5, {TOO_SMALL}"),
    ("-20,000", f"k is -20,000, {TOO_SMALL}"),
    ("many", f"k is “many”, {NOT_WHOLE}: write a whole number of at least 1, such as 100 or 20,000."),
    ("1.5", f"k is “1.5”, {NOT_WHOLE}"),
    ("1e3", f"k is “1e3”, {NOT_WHOLE}"),
    ("20.000", "k is “20.000”, which is ambiguous: write it without a period."),
    ("2,00", NOT_WHOLE),
    ("1,2345", NOT_WHOLE),
    ("1,000 000", NOT_WHOLE),
    ("--5", NOT_WHOLE),
    ("0x10", NOT_WHOLE),
    ("²", NOT_WHOLE),
    ("nan", NOT_WHOLE),
    (str(LARGEST + 1), f"k is 9,007,199,254,740,992, {TOO_LARGE}"),
    ("9" * 5000, "k is too large: write a whole number of at most 9,007,199,254,740,991."),
    ("x" * 5000, f"k is “{'x' * 60}…”, {NOT_WHOLE}"),
]


@pytest.mark.parametrize(("text", "value"), WHOLE)
def test_whole_numbers_as_people_write_them(text, value):
    assert read_k(text) == value


@pytest.mark.parametrize(("text", "sentence"), NONE)
def test_what_is_no_k_is_told_in_a_sentence(text, sentence):
    with pytest.raises(kanon.InvalidInput) as caught:
        read_k(text)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


def test_limits_of_other_numbers():
    assert whole_number("0", "Seed") == 0
    assert decimal_number("1e-3", "Snap") == 0.001
    for text in ("", "nan", "inf", "0,5", "1_0", "a"):
        with pytest.raises(kanon.InvalidInput, match="Epsilon is"):
            decimal_number(text, "Epsilon", 0.1, 0.9)
    with pytest.raises(kanon.InvalidInput, match=f"Epsilon is 0.95, {TOO_LARGE}: write a number of at most 0.9"):
        decimal_number("0.95", "Epsilon", 0.1, 0.9)


@pytest.mark.parametrize("family", [*FAMILIES, "tables"])
def test_every_option_reads_back_what_its_field_shows(family):
    for algorithm in kanon.algorithms(family):
        for option in algorithm.options:
            assert read_option(option, str(option.default)) == option.default


def type_in(app: AppTest, family: str, name: str, text: str) -> AppTest:
    """A person types what is no number."""
    app.session_state[f"{family}_{name}_typed"] = text
    return run(app)


@pytest.mark.parametrize("family", ["regions", *thorough_only([*FAMILIES[1:], "tables"])])
@pytest.mark.parametrize(("name", "text", "said"), [("k", "0", "k is 0"), ("seed", "a*b", "Seed is “a\\*b”")])
def test_no_result_stands_beside_what_is_no_number(family, name, text, said):
    quick = {"tables": "hill-climb"}.get(family)
    app = visit(family, **({"algorithm": quick} if quick else {}))
    before, link = headline(app), dict(app.query_params)
    type_in(app, family, name, text)
    (sentence,) = problems(app)
    assert said in sentence
    assert not [one for one in app.markdown if one.value.startswith("#### ")]
    assert dict(app.query_params) == link
    way_out = next(button for button in app.button if button.label.startswith(f"{GO_BACK_TO} "))
    way_out.click()
    run(app)
    assert problems(app) == []
    assert headline(app) == before


def test_the_way_back_leads_to_the_last_k_that_had_a_result():
    app = visit("labels", k=5_000)
    before = headline(app)
    app.session_state["labels_k"] = 10**12
    run(app)
    assert not [one for one in app.markdown if one.value.startswith("#### ")]
    type_in(app, "labels", "k", "abc")
    way_out = next(button for button in app.button if button.label.startswith(f"{GO_BACK_TO} "))
    assert way_out.label == f"{GO_BACK_TO} 5,000"
    way_out.click()
    run(app)
    assert headline(app) == before


def test_the_other_k_is_checked_too():
    app = visit("labels", compare="another-k", other_k=5000)
    type_in(app, "labels", "other_k", "0")
    assert problems(app) == [f"The other k is 0, {TOO_SMALL}\\: write a whole number of at least 1."]


BAD_LINKS = [
    ({"k": "-5"}, f"k “-5” {CANNOT_BE_USED_HERE}"),
    ({"k": "many"}, f"k “many” {CANNOT_BE_USED_HERE}"),
    ({"k": str(2**53)}, CANNOT_BE_USED_HERE),
    ({"sample": "nowhere"}, f"Sample “nowhere” {CANNOT_BE_USED_HERE}, so “"),
    ({"algorithm": "magic"}, f"Algorithm “magic” {CANNOT_BE_USED_HERE}, so "),
    ({"seed": "x"}, f"Seed “x” {CANNOT_BE_USED_HERE}, so 0 is shown."),
    ({"tab": "nowhere"}, f"Tab “nowhere” {CANNOT_BE_USED_HERE}, so “"),
    ({"compare": "itself"}, f"Compare “itself” {CANNOT_BE_USED_HERE}, so "),
    ({"epsilonn": "0.1"}, "“epsilonn” has no meaning here and is ignored."),
    ({"other_k": "5"}, "“other\\_k” has no meaning here and is ignored."),
]


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("bad", "said"), BAD_LINKS)
@pytest.mark.parametrize("family", [FAMILIES[0], *thorough_only(FAMILIES[1:])])
def test_what_a_link_gets_wrong_is_told(family, bad, said):
    entry = first_sample(family)
    app = visit(family, **bad)
    assert problems(app) == []
    (notice,) = (element.value for element in app.warning)
    assert "Parts of the link could not be applied." in notice
    assert said in notice
    assert_says(app, read(entry), entry["k"])
    name = next(iter(bad))
    assert app.query_params.get(name) != bad[name]
    next(button for button in app.button if button.label == "OK").click()
    run(app)
    assert list(app.warning) == []


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_link_that_the_page_wrote_is_followed_without_a_notice(family):
    app = visit(family, compare="another-k", other_k=77)
    again = visit(family, **dict(app.query_params))
    assert list(again.warning) == []
    assert dict(again.query_params) == dict(app.query_params)


def test_columns_that_a_link_gets_wrong_are_told():
    app = visit("tables", columns="[" * 2_000, algorithm="mondrian", k=500)
    shown = "\\[" * 60
    assert f"The columns “{shown}…” {CANNOT_BE_USED_HERE}" in app.warning[0].value


def load(app: AppTest, family: str, name: str, content: bytes) -> AppTest:
    app.file_uploader(key=f"{family}_upload").set_value((name, content, "application/octet-stream"))
    return run(app)


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_link_of_an_own_file_names_it_and_applies_once_it_is_there(family):
    name, content = GOOD[family]
    quick = {"regions": "tree-split", "rectangles": "kd-tree", "labels": "fold"}[family]
    link = {"sample": "own-file", "file": name, "k": 7, "algorithm": quick, "seed": 3}
    app = visit(family, **link)
    assert f"This link needs the file “{name}”." in app.warning[0].value
    assert not app.session_state["_mistakes"]
    load(app, family, name, content)
    assert list(app.warning) == []
    assert {key: app.query_params[key] for key in link} == {key: str(value) for key, value in link.items()}
    assert k_of(app, family) == 7
    assert "× k)" in headline(app)


def test_another_file_than_the_link_was_made_with_is_told():
    _, content = GOOD["labels"]
    app = visit("labels", sample="own-file", file="theirs.csv", k=7)
    load(app, "labels", "mine.csv", content)
    assert "The link was made with the file “theirs.csv”, but this is “mine.csv”." in app.warning[0].value
    assert k_of(app, "labels") == 7


def test_other_data_than_the_link_asked_for_put_it_aside():
    app = visit("labels", sample="own-file", file="theirs.csv", k=7)
    app.selectbox(key="labels_sample").set_value("last-names")
    run(app)
    assert k_of(app, "labels") != 7
    assert list(app.warning) == []
    app.selectbox(key="labels_sample").set_value("own-file")
    run(app)
    assert dict(app.query_params) == {"sample": "own-file"}
    assert list(app.warning) == []


def test_a_link_outlasts_a_look_at_another_page():
    name, content = GOOD["labels"]
    app = visit("labels", sample="own-file", file=name, k=7)
    run(app.switch_page("pages/home.py"))
    app.query_params.clear()
    run(app.switch_page("pages/labels.py"))
    load(app, "labels", name, content)
    assert k_of(app, "labels") == 7


def test_k_that_a_person_chose_outlasts_other_counts():
    rows = "\n".join(["name,a,b", *(f"n{i},{i + 1},{2 * i + 1}" for i in range(4))]).encode()  # too few for a rule's k
    app = run(open_app("labels", sample="own-file"))
    load(app, "labels", "two.csv", rows)  # either column could be the counts, so the page asks
    begun = k_of_counts(app, "a")
    assert k_of_counts(app, "b") != begun
    pick_k(app, "labels", 3)
    k_of_counts(app, "a")
    assert k_of(app, "labels") == 3


def k_of_counts(app: AppTest, column: str) -> int:
    """k where this column is what is counted."""
    next(box for box in app.selectbox if box.label == CONTROLS["count"]).set_value(column)
    run(app)
    return k_of(app, "labels")
