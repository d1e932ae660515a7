import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.serialize import _fits, content_digest
from kanon_engine.verification.codec import Decoder
from tests.sentences import NESTED_TOO_DEEPLY

SHAPE_IS_NOT_VALID = "the shape of an array is not valid"


@pytest.fixture
def regions():
    return kanon.Regions(["a", "b", "c", "d"], [2, 3, 4, 3], [(0, 1), (1, 2), (2, 3)])


def test_json_and_back_is_the_same_result(regions):
    g = kanon.generalize(regions, 5)
    back = kanon.Generalization.from_json(g.to_json())
    assert back.digest == g.digest == back.content_digest()
    assert back.assignment.dtype == np.int32
    assert kanon.verify(regions, back) == kanon.verify(regions, g)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "other"}', '{"format": "kanon generalization 1", "k": 3}'])
def test_other_files_are_refused_in_words(text):
    with pytest.raises(kanon.InvalidInput, match="certificate"):
        kanon.Generalization.from_json(text)


def test_an_edited_file_builds_nothing_unknown(regions):
    content = json.loads(kanon.generalize(regions, 5).to_json())
    content["details"]["record"] = "Popen"
    with pytest.raises(kanon.InvalidInput, match="Popen"):
        kanon.Generalization.from_json(json.dumps(content))


def test_derived_figures(regions):
    g = kanon.generalize(regions, 5)
    assert (g.classes, g.cost, g.overfull_ratio) == (2, 7, 1.4)
    assert replace(g, lower_bound=6).gap == pytest.approx(7 / 6 - 1)
    assert replace(g, lower_bound=g.cost).gap == 0
    assert replace(g, lower_bound=0).gap == float("inf")


def test_nothing_can_be_written_to(regions):
    g = kanon.generalize(regions, 5)
    for array in (g.assignment, g.class_weights, regions.weights, regions.edges, regions.ids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@dataclass(frozen=True)
class Pair:
    one: object
    other: object


@dataclass(frozen=True)
class Couple:
    one: object
    other: object


def test_a_digest_is_the_same_everywhere():
    value = {"b": [1, True, None, "é", b"\xff"], "a": np.arange(3), "c": Pair(2.5, np.array(["x", None], dtype=object))}
    assert content_digest(value=value) == "55908ca5829ffad841208aef5c23d876f2b407f7e044c906fd8c8d52a856c677"
    assert content_digest(value=dict(reversed(value.items()))) == content_digest(value=value)
    alike = [
        (np.arange(4, dtype=">i8"), np.arange(4, dtype="<i8")),
        (np.arange(8)[::2], np.arange(0, 8, 2)),
        (np.float64(2), 2.0),
        (np.int32(2), 2),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        ((1, 2), [1, 2]),
        (np.array(["a", 1], dtype=object), ["a", 1]),
    ]
    assert [content_digest(x=one) == content_digest(x=other) for one, other in alike] == [True] * len(alike)


def test_different_contents_have_different_digests():
    values = [None, 0, 1, True, False, 1.0, -0.0, 0.0, "", "1", b"1", "None", [], [[]], [1], ["1"], [1, 1], {}, {"": 1}]
    values += [
        {"a": 1},
        {"a": "1"},
        {"a": 1, "b": 2},
        {"a": 2, "b": 1},
        ["ab", "c"],
        ["a", "bc"],
        [["a"], "b"],
        ["a", ["b"]],
    ]
    values += [Pair(1, 2), Pair(2, 1), Couple(1, 2), {"one": 1, "other": 2}, "é", "e", "a" * 10, "a" * 11, 2**70, -1]
    arrays = [
        np.arange(6),
        np.arange(6).reshape(2, 3),
        np.arange(6).reshape(3, 2),
        np.arange(6) * 1.0,
        np.arange(6)[::-1],
    ]
    arrays += [
        np.arange(6, dtype=np.int32),
        np.zeros(2, bool),
        np.zeros(2, np.uint8),
        np.zeros(0),
        np.zeros(0, np.int64),
    ]
    digests = {content_digest(x=value) for value in [*values, *arrays]}
    assert len(digests) == len(values) + len(arrays)
    assert content_digest(x=1, y=2) != content_digest(x=2, y=1)
    assert {len(digest) for digest in digests} == {64}


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j])
def test_what_has_no_digest_is_named(value):
    with pytest.raises(TypeError, match=f"a {type(value).__name__} has no digest"):
        content_digest(x=value)


def test_details_cannot_be_written_to_either(regions):
    g = kanon.generalize(regions, 5)
    writable = replace(g.details, tree=g.details.tree.copy())
    assert writable.tree.flags.writeable
    for other in (replace(g, details=writable), g):
        assert not any(value.flags.writeable for value in vars(other.details).values() if isinstance(value, np.ndarray))
    assert replace(g, details=g.details).details is g.details
    assert replace(g, details=None).details is None
    assert replace(g, assignment=[0]).assignment == [0]
    with pytest.raises(AttributeError):
        g.k = 5
    assert len({g, replace(g)}) == 2  # told apart by what they are, not by arrays of truth values


def test_no_class_is_no_ratio(regions):
    g = kanon.generalize(regions, 5)
    assert replace(g, class_weights=np.empty(0, np.int64)).overfull_ratio == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content.update(extra=1), "its field 'extra' is missing or unknown"),
        (lambda content: content.pop("seed"), "its field 'seed' is missing or unknown"),
        (lambda content: content["details"]["fields"].update(extra=1), "its field 'extra' is missing or unknown"),
        (lambda content: content["assignment"].update(shape=4), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(shape=[2, 2, 1]), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(shape=[-4]), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(shape=[4.0]), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(shape=[1 << 30, 0]), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(data={"0": 1}), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(data="0011"), SHAPE_IS_NOT_VALID),
        (lambda content: content["assignment"].update(shape=[5]), "an array has 4 entries"),
        (lambda content: content["assignment"].update(data=[0, 0, 1, 1.0]), "holds a value of another type"),
        (lambda content: content["assignment"].update(data=[0, 0, 1, True]), "holds a value of another type"),
        (lambda content: content["assignment"].update(data=[0, 0, 1, 2**40]), "a number too large for it"),
        (lambda content: content["assignment"].update(array="<i2"), "an array of type '<i2', which no result has"),
        (lambda content: content["assignment"].update(array=5), "an array of type 5, which no result has"),
        (lambda content: content.update(bound_witness=[0, "1"]), "its field “bound_witness” is a tuple"),
        (lambda content: content.update(bound_witness=5), "its field “bound_witness” is a int"),
        (lambda content: content.update(guarantee="9"), "its field “guarantee” is a str"),
        (lambda content: content.update(seed=True), "its field “seed” is a bool"),
        (lambda content: content.update(seconds=1), "its field “seconds” is a int"),
        (lambda content: content.update(bound_name="a\nb"), "its field “bound_name” is a str"),
        (lambda content: content.update(bound_name="a" * 10_001), "its field “bound_name” is a str"),
        (lambda content: content.update(status=None), "its field “status” is a NoneType"),
        (
            lambda content: content.update(options={"mapping": {"tree": {"mapping": {"a": content["details"]}}}}),
            "options",
        ),
        (lambda content: content.update(options={"mapping": 5}), "not an array, mapping or record"),
        (lambda content: content.update(options={}), "not an array, mapping or record"),
        (lambda content: content.update(k=10**309), "a number of more than 309 digits"),
        (lambda content: content.update(k=-(10**309)), "a number of more than 309 digits"),
        (lambda content: content.update(assignment=[0, 0, 1, 1]), "its field “assignment” is a tuple"),
    ],
)
def test_an_edited_file_is_told_where_it_is_wrong(regions, change, words):
    content = json.loads(kanon.generalize(regions, 5).to_json())
    change(content)
    with pytest.raises(kanon.InvalidInput) as caught:
        kanon.Generalization.from_json(json.dumps(content))
    assert words in str(caught.value)


def test_an_array_holds_no_number_that_json_takes_for_infinite():
    text = kanon.generalize(kanon.Points([(0, 0), (7.25, 0)]), 1).to_json()
    assert "7.25" in text
    with pytest.raises(kanon.InvalidInput, match="an array holds a number that is too large"):
        kanon.Generalization.from_json(text.replace("7.25", "1e999"))


def test_a_text_of_10_000_characters_is_read(regions):
    content = json.loads(kanon.generalize(regions, 5).to_json()) | {"bound_name": "a" * 10_000}
    assert len(kanon.Generalization.from_json(json.dumps(content)).bound_name) == 10_000


@pytest.mark.parametrize(
    ("value", "hint", "right"),
    [
        ((1, 2), tuple[int, ...], True),
        ((1, "2"), tuple[int, ...], False),
        ((1, 2), tuple[int, int], False),
        ((1,), tuple[int], False),
        ([1], tuple[int, ...], False),
        (None, None, True),
        (0, None, False),
        (None, int | None, True),
        ("x", int | None, False),
        (True, int, False),
        (1, float, False),
        ({"a": (1,)}, Mapping[str, tuple[int, ...]], True),
        ({"a": (1, "b")}, Mapping[str, tuple[int, ...]], False),
        ({"a": np.zeros(1)}, Mapping[str, Any], False),
        ({"a": {"b": (1, None, 2.5, "c", True)}}, Mapping[str, Any], True),
        ({"a": ({"b": np.zeros(1)},)}, Mapping[str, Any], False),
        ((1,), Mapping[str, Any], False),
        (np.zeros(1), np.ndarray, True),
        ([0.0], np.ndarray, False),
        (object(), Any, True),
    ],
)
def test_a_value_fits_its_declared_type(value, hint, right):
    assert _fits(value, hint) == right


def test_values_are_nested_no_deeper_than_told():
    assert Decoder().value([[1]], 2) == [[1]]
    with pytest.raises(ValueError, match=NESTED_TOO_DEEPLY):
        Decoder().value([[1]], 1)
