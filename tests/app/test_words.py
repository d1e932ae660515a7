"""The words of the page: examples in docstrings, and that every parameter of a reader's sentence has its control."""

from __future__ import annotations

import ast
import doctest
import re
from functools import cache

import pytest

import kanon_engine as kanon
from kanon_engine.cli import guard
from kanon_engine.errors import Remedy
from kanon_engine.labels.plot import bins_figure
from kanon_engine.model.comparison import compare
from kanon_engine.model.known import FAMILIES
from kanon_engine.plot import class_sizes_figure
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.teaching.studies.figure7 import overfull_ratios
from pages._shared import controls, wording
from pages._shared.stage import Pair, difference
from tests.app.visit import ROOT
from tests.sentences import IN_ANOTHER_GROUP


@pytest.mark.parametrize("module", [controls, wording], ids=lambda module: module.__name__)
def test_examples(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@cache
def literals(path):
    """Every piece of text in a module that is no docstring, with its line."""
    return list(_literals(ast.parse(path.read_text(encoding="utf-8"))))


def _literals(tree):
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    said = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


@cache
def remedies():
    """The parameter of each `Remedy` that the engine makes, with its value; None where a variable says it."""
    return set(_remedies())


def _remedies():
    for path in (ROOT / "kanon_engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy" and len(node.args) > 1:
                yield tuple(
                    argument.value if isinstance(argument, ast.Constant) else None for argument in node.args[1:3]
                )


def test_every_parameter_that_an_error_names_has_a_control_and_a_flag():
    named = remedies()
    assert len(named) > 10
    options = {option.name for algorithm in kanon.algorithms() for option in algorithm.options}
    flags = {parameter.name for family in FAMILIES.values() for parameter in family.reader.parameters} | options
    for parameter in {parameter for parameter, *_ in named if parameter is not None}:
        assert parameter in {*wording.CONTROLS, *wording.ELSEWHERE, *options}, parameter
        assert parameter in {*flags, *guard.ELSEWHERE}
    for pair in {pair for pair in named if len(pair) == 2 and isinstance(pair[1], str)}:
        assert pair in wording.PICKED or pair[1] == "drop", pair


def test_no_sentence_of_the_engine_spells_a_parameter_by_itself():
    """Python's spelling on a page or in a terminal is of no use; a `Remedy` is spelled where it is read."""
    parameters = {parameter for parameter, *_ in remedies() if parameter}
    spelled = re.compile(rf"\b({'|'.join(parameters)})=|\b[a-z]+_[a-z_]+=(True|False|\")|\((crs|drop_bad)\)")
    found = [
        (path.name, line, text)
        for path in (ROOT / "kanon_engine").rglob("*.py")
        for line, text in literals(path)
        if spelled.search(text) and " " in text.strip() and "\n" not in text.strip()  # a program is no sentence
    ]
    assert [entry for entry in found if "rerun=True" not in entry[2]] == []


@pytest.mark.parametrize("option", {one.name: one for a in kanon.algorithms() for one in a.options}.values(), ids=str)
def test_an_option_that_is_refused_is_named_as_the_reader_calls_it(option):
    with pytest.raises(kanon.InvalidInput) as caught:
        option.checked(object())
    control, flag = controls.control_name(option.name), f"--{option.name.replace('_', '-')}"
    assert str(caught.value).endswith(f"; choose another with the parameter {option.name}.")
    assert wording.on_page(caught.value).endswith(f"; choose another under “{control}”.")
    assert caught.value.told(guard.in_flags).endswith(f"; choose another with {flag}.")
    assert "True" not in caught.value.message


def test_no_sentence_tells_to_give_none():
    """None is Python's; a page and a terminal have nothing of that name."""
    found = [
        (path.name, line, text)
        for path in (ROOT / "kanon_engine").rglob("*.py")
        for line, text in literals(path)
        if text.rstrip().endswith(", or None.")
    ]
    assert found == []


def test_labels_with_a_very_common_one_are_told_where_to_choose_some_k():
    with pytest.raises(kanon.Infeasible) as caught:
        overfull_ratios(kanon.Labels(["a", "b"], [9, 2]))
    assert str(caught.value).endswith("impossible for k = 9 or more; give values of k up to 5 with the parameter ks.")
    assert wording.on_page(caught.value).endswith("; choose “two dozen values” under “Which k”.")
    assert caught.value.told(guard.in_flags).endswith("; compare chosen values of k with “kanon sweep labels”.")


def test_names_that_an_error_quotes_are_no_formatting_on_a_page():
    error = kanon.InvalidInput("“*a*” and [b](c) are apart", remedy=Remedy("take $1_000 back"))
    assert wording.on_page(error) == r"“\*a\*” and \[b\](c) are apart; take \$1\_000 back."


def test_parameters_without_a_control_of_their_own_are_worded_all_the_same():
    for parameter in ("layer", "edges", "per_record"):
        words = wording.with_control(Remedy("do it", parameter, True if parameter == "per_record" else None))
        assert not re.search(r"[a-z]_[a-z]|=", words)
        assert words


@pytest.mark.parametrize(("k", "words"), [(2, "1 group fewer."), (1, "4 groups fewer."), (3, "same number of groups.")])
def test_one_group_is_told_in_the_singular(k, words):
    labels = kanon.Labels([f"l{number}" for number in range(6)], [1] * 6)
    assert difference(paired(labels, k, max(3, k))).endswith(f"; {words}")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([5, 5, 5, 5], f"No label is {IN_ANOTHER_GROUP}; largest group 10 in both; same number of groups."),
        ([9, 1, 1, 1], f"No label is {IN_ANOTHER_GROUP}; largest group 12 in both; same number of groups."),
        ([9, 6, 3, 3], f"3 labels with 12 records are {IN_ANOTHER_GROUP}; largest group 9 → 21; 2 groups fewer."),
        ([9, 6, 1, 3], f"1 label with 9 records is {IN_ANOTHER_GROUP}; largest group 10 → 19; 1 group fewer."),
    ],
)
def test_what_differs_is_one_line(counts, words):
    labels = kanon.Labels("abcd", counts)
    assert difference(paired(labels, 6, 10)).startswith(words)


def paired(labels, *ks):
    """The results for two k beside each other."""
    first, second = (kanon.generalize(labels, k) for k in ks)
    return Pair(labels, (first, second), ("", ""), compare(first, second, labels.weights))


def test_pictures_tell_one_of_each_in_the_singular():
    points = kanon.Points([(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)], weights=[3, 3, 3])
    assert "<br>1 point" in " ".join(
        str(words)
        for trace in rectangles_figure(points, kanon.generalize(points, 3, snap=None)).data
        for words in trace.text or ()
    )
    labels = kanon.Labels(["a", "b", "c"], [5, 5, 6])
    g = kanon.generalize(labels, 5)
    assert class_sizes_figure(labels, g).data[0].text[-1] == "1 group of 6 to 6 records"
    assert {words.split("<br>")[-1] for words in bins_figure(labels, g).data[0].text} == {"1 label"}


def test_axes_of_few_groups_have_ticks_at_whole_numbers():
    labels = kanon.Labels([f"l{number}" for number in range(6)], [1] * 6)
    layout = class_sizes_figure(labels, kanon.generalize(labels, 2)).layout
    assert (layout.xaxis.dtick, layout.yaxis.dtick) == (1, 1)
    large = kanon.Labels([f"l{number}" for number in range(60)], [100] * 60)
    layout = class_sizes_figure(large, kanon.generalize(large, 300)).layout
    assert (layout.xaxis.dtick, layout.yaxis.dtick) == (1, None)


@pytest.mark.parametrize(
    "words", ["http://evil.example/a.png", "HTTPS://evil.example", "www.evil.example", "mailto:a@evil.example"]
)
def test_an_address_in_a_name_is_no_link(words):
    """Markdown would make a link of it, whatever signs are escaped."""
    told = wording.escaped(f"area {words}, and more")
    assert not re.search(r"https?\\?://|www\.|[\w.]@", told, re.IGNORECASE)
    assert re.sub(r"[\\\u2060]", "", told) == f"area {words}, and more"
