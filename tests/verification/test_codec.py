"""Values of certificates: what is read, what is refused, and digests that tell everything apart."""

import json
import math
from html import escape

import numpy as np
import pytest

from kanon_engine.regions.instance import TreeDetails
from kanon_engine.verification.codec import (
    DEEPEST,
    Array,
    Record,
    Unreadable,
    content_digest,
    decode,
    encode,
    from_memory,
    parse_json,
)
from kanon_engine.verification.core import Check, printable


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 1}', "NaN", "[Infinity]", "-Infinity", '{"a": {"b": 1, "b": 2}}', "", "{",
             b'"\xff"', "1" * 5_000, "[" * 100_000, None, 1]
)  # fmt: skip
def test_what_is_no_json_of_one_meaning_is_refused(text):
    with pytest.raises(Unreadable):
        parse_json(text)


def nested(depth):
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize("wrapped", [lambda value: [value], lambda value: {"mapping": {"a": value}},
                                     lambda value: {"record": "a", "fields": {"b": value}}])  # fmt: skip
def test_values_lie_in_each_other_up_to_a_depth(wrapped):
    value = 1
    for _ in range(DEEPEST):
        value = wrapped(value)
    decode(value)
    with pytest.raises(ValueError, match="nested"):
        decode(wrapped(value))


@pytest.mark.parametrize(
    "value",
    [1e999, -math.inf, math.nan, 10**309, -(10**310), {}, {"float": "nan"}, {"array": "<i4"}, {"record": "a"},
     {"mapping": {}, "more": 1}, {"mapping": [1]}, {"mapping": None}, {"record": "a", "fields": [1]},
     {"array": ["<i4"], "shape": [1], "data": [1]}, {"array": 4, "shape": [1], "data": [1]},
     {"array": "<i4", "shape": 1, "data": [1]}, {"array": "<i4", "shape": None, "data": [1]},
     {"array": "<i4", "shape": [1], "data": 1}, {"array": "<f8", "shape": [1], "data": [math.inf]},
     {"array": "<f4", "shape": [1], "data": [1.0]},
     {"array": "<i4", "shape": [2], "data": [1]}, {"array": "<i4", "shape": [1], "data": [1, 1]},
     {"array": "<i4", "shape": [1, 1, 1], "data": [1]},
     {"array": "<i4", "shape": [], "data": [1]}, {"array": "<i4", "shape": [-1, -1], "data": [1]},
     {"array": "<i4", "shape": [1], "data": [1.0]}, {"array": "<i4", "shape": [1], "data": [True]},
     {"array": "<f8", "shape": [1], "data": [True]}, {"array": "|b1", "shape": [1], "data": [1]},
     {"array": "<f8", "shape": [1], "data": [{"float": "nan"}]},
     {"array": "<i4", "shape": [True], "data": [1]}, {"array": "<i4", "shape": [0, 2**20 + 1], "data": []}],
)  # fmt: skip
def test_what_no_certificate_has_is_refused(value):
    with pytest.raises(Unreadable):
        decode(value)


@pytest.mark.parametrize("value", [10**309 - 1, -(10**309) + 1, 1.7e308, None, True, "x", [], {"mapping": {}},
                                   {"array": "<i4", "shape": [0, 2**20], "data": []},
                                   {"array": "<f8", "shape": [1], "data": [1]}])  # fmt: skip
def test_what_a_certificate_may_have_is_read(value):
    decode(value)


def test_special_floats_are_those_of_instances():
    for text in ("nan", "-nan", "inf", "-inf"):
        (own,) = decode([{"float": text}], special=True)
        (entry,) = decode({"array": "<f8", "shape": [1], "data": [{"float": text}]}, special=True).numbers
        assert content_digest({"a": own}) == content_digest({"a": entry})
        assert encode(own, special=True) == {"float": text}
        assert encode(np.array([own]), special=True)["data"] == [{"float": text}]
    assert encode(0.5, special=True) == 0.5
    assert encode(np.array([0.5]), special=True)["data"] == encode([0.5], special=True) == [0.5]
    assert encode(np.array([0.5]), special=True, data=lambda array: "elsewhere")["data"] == "elsewhere"
    assert (
        encode(np.array([math.inf]))["data"] == encode([math.inf]) == [math.inf]
    )  # of no certificate, which cannot be read again
    for wrong in ({"array": "<i8", "shape": [1], "data": [{"float": "1"}]}, {"float": "1", "more": 1}, {"floats": "1"}):
        with pytest.raises((ValueError, TypeError)):
            decode(wrong, special=True)


DIFFERENT = [
    None, True, False, 0, 1, 0.0, -0.0, 1.0, "", "1", "x", "\ud800", b"x", [], [0], [[]], [[0]], [0, 0], {}, {"a": 0},
    {"a": 1}, {"b": 0}, {"a": 0, "b": 0}, ["a", 0], Record("a", {}), Record("b", {}), Record("a", {"x": 0}),
    *(Array(kind, shape, [1] * 4) for kind in ("<i4", "<i8", "<f8") for shape in ((4,), (2, 2), (1, 4))),
    Array("|b1", (4,), [True] * 4), Array("<i4", (4,), [1, 1, 1, 2]), Array("<i4", (0,), []), Array("<i4", (0, 2), []),
]  # fmt: skip


def test_different_values_have_different_digests():
    assert len({content_digest({"value": value}) for value in DIFFERENT}) == len(DIFFERENT)
    for value in (object(), TreeDetails):
        with pytest.raises(TypeError):
            content_digest({"a": value})


@pytest.mark.parametrize(
    "value",
    [1, 1.5, "x", None, True, [1, "x"], {"a": [1.5]}, np.arange(6), np.arange(6).reshape(2, 3), np.float64(2),
     np.arange(3, dtype=np.int32), np.array([0.5, 1]), np.array([True, False]),
     np.array(["a", "b"]), np.array(["a", 1], dtype=object), np.int64(3),
     [np.float64(0.5)], np.arange(6).reshape(2, 3).T, np.arange(3, dtype=">i8")],
)  # fmt: skip
def test_values_in_memory_have_the_digest_of_their_json(value):
    text = json.dumps(encode(value))
    digest = content_digest({"a": value})
    assert content_digest({"a": decode(parse_json(text))}) == content_digest({"a": from_memory(value)}) == digest
    assert json.dumps(encode(from_memory(value) if not hasattr(value, "dtype") else value)) == text


def test_an_array_has_a_column_or_rows():
    array = Array("<i8", (2, 3), list(range(6)))
    assert array.rows == [(0, 1, 2), (3, 4, 5)]
    assert [column.tolist() for column in array.columns] == [[0, 3], [1, 4], [2, 5]]
    for wrong in ("column", "numbers"):
        with pytest.raises(ValueError):
            getattr(array, wrong)
    assert Array("<i8", (2,), [3, 4]).numbers == [3, 4]


def test_values_in_a_sentence_are_short():
    """No address of memory, so that a check says the same of the same certificate."""
    assert repr(Array("<i8", (2,), [3, 4])) == "array of type <i8 and shape (2,)"
    assert repr(Record("a" * 100, {})) == f"record '{'a' * 59}"


@pytest.mark.parametrize(
    ("text", "plain"),
    [("é “a”", "é “a”"), ("a\x1b[31m", "'a\\x1b[31m'"), ("a\nb", "'a\\nb'"), ("é\u202e", "'\\xe9\\u202e'")],
)
def test_nothing_that_a_terminal_obeys_is_printed(text, plain):
    assert printable(text) == plain
    assert escape(plain) in Check("name", True, text)._repr_html_()
