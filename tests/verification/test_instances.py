"""The file of an instance is refused where its parts are no instance, though its digest covers them."""

import json

import pytest

from kanon_engine.verification import FAMILIES
from kanon_engine.verification.codec import MALFORMED, content_digest, decode
from kanon_engine.verification.core import read_instance
from tests.verification.forgeries import replaced, results

GIVEN = {name.partition(" ")[0]: json.loads(data) for name, (data, _) in results().items() if " " in name}
MAP, MINIMA, TABLE, COUNTED = "regions-2", "regions-3", "tables-1", "tables-2"
GLOBE, MIXED, MATRIX, PLANE = "clusters-1", "clusters-2", "clusters-4", "clusters-5"
NAN, LEAST_TOO_MANY, LARGEST = {"float": "nan"}, 2**53, 1.7976931348623157e308
TREE = ("trees", "mapping", "b", "fields")
SAME = {
    MAP: ("weights",),
    "labels-1": ("counts",),
    "rectangles-1": ("weights",),
    COUNTED: ("weights",),
    PLANE: ("counts",),
}


def read(name, changes, **head):
    """The instance with other parts at some places, and the digest that these have."""
    content = GIVEN[name]
    for path, value in changes.items():
        content = replaced(content, ("parts", *path), value)
    parts = {part: decode(value, special=True) for part, value in content["parts"].items()}
    return read_instance(json.dumps(content | {"digest": content_digest(parts)} | head), FAMILIES)


@pytest.mark.parametrize("name", GIVEN)
def test_an_instance_is_read_with_its_digest_and_head_alone(name):
    assert read(name, {}).digest == GIVEN[name]["digest"]
    for head in ({"digest": "0" * 64}, {"format": "kanon instance 2"}, {"family": "x"}, {"more": 1}):
        with pytest.raises(MALFORMED):
            read(name, {}, **head)


def data(name, path):
    part = GIVEN[name]["parts"]
    for key in path:
        part = part[key]
    return part["data"]


def counted():
    """(instance, path, numbers, whether they may be)."""
    for name, path in [*SAME.items(), (MINIMA, ("columns", "mapping", "cases"))]:
        numbers, nothing = data(name, path), name in (MINIMA, MAP)
        limit = 2**31 - 1 if name == COUNTED else LEAST_TOO_MANY - 1
        rest = [0 if nothing else 1] * (len(numbers) - 1)
        yield from (
            (name, path, [number, *numbers[1:]], good) for number, good in ((0, nothing), (-1, False), (1, True))
        )
        yield from ((name, path, [limit + more - sum(rest), *rest], not more) for more in (0, 1))


@pytest.mark.parametrize(("name", "path", "numbers", "good"), list(counted()))
def test_counts_are_whole_and_not_too_many(name, path, numbers, good):
    changes = {(*path, "data"): numbers}
    if good:
        assert read(name, changes)
    else:
        with pytest.raises(MALFORMED):
            read(name, changes)


@pytest.mark.parametrize(("name", "path"), [*SAME.items(), (MINIMA, ("columns", "mapping", "cases"))])
def test_counts_are_one_an_item(name, path):
    numbers = data(name, path)
    for other in (numbers[1:], [*numbers, 1], []):
        with pytest.raises(MALFORMED):
            read(name, {(*path, "data"): other, (*path, "shape"): [len(other)]})
    for kind in ("<f8", "|b1"):
        entries = [bool(number) if kind == "|b1" else float(number) for number in numbers]
        with pytest.raises(MALFORMED):
            read(name, {(*path, "array"): kind, (*path, "data"): entries})


WRONG = [
    *(("labels-1", ("names", 7), name) for name in ("a", None, 1.5, True)),
    ("labels-1", ("names",), list("abcdefg")),
    ("labels-1", ("names",), list("abcdefghi")),
    *(("labels-1", (kind, 0, 0), "x") for kind in ("together", "apart")),
    *((MAP, (kind, 0, 0), 12) for kind in ("together", "apart", "barriers")),
    (MAP, ("ids", 3), 4),
    *((MAP, ("edges", "data", place), value) for place, value in ((0, 1), (0, -1), (33, 12), (32, 11), (1, 4), (2, 1))),
    (MAP, ("edges", "data", 33), 10),
    (MAP, ("added_edges",), {"array": "<i4", "shape": [1, 2], "data": [0, 2]}),
    (MAP, ("edges",), {"array": "<i4", "shape": [1, 3], "data": [0, 1, 2]}),
    ("regions-1", ("edges",), {"array": "<i4", "shape": [0, 3], "data": []}),
    (MAP, ("edges",), {"array": "<i4", "shape": [2, 1], "data": [0, 1]}),
    ("rectangles-1", ("ids", "data", 9), 0),
    *(("rectangles-1", ("xy", "data", 3), value) for value in (LARGEST, -LARGEST, {"float": "inf"}, NAN)),
    ("rectangles-1", ("xy",), {"array": "<i8", "shape": [10, 2], "data": list(range(20))}),
    ("rectangles-1", ("xy",), {"array": "<f8", "shape": [20], "data": list(range(20))}),
    ("rectangles-1", ("xy",), {"array": "<f8", "shape": [9, 2], "data": list(range(18))}),
    ("rectangles-1", ("xy",), {"array": "<f8", "shape": [10, 3], "data": list(range(30))}),
    (PLANE, ("ids", "data", 0), 3),
    *((PLANE, ("points", "data", 0), value) for value in (1e150, -1e150, NAN)),
    *((PLANE, ("metric",), metric) for metric in ("precomputed", "x")),
    (PLANE, ("levels",), [None]),
    (PLANE, ("levels", 0), ["x"]),
    *((PLANE, ("column_weights", "data"), weights) for weights in ([0.0, 0.0], [-1.0, 1.0], [1.0, {"float": "inf"}])),
    (PLANE, ("column_weights",), {"array": "<f8", "shape": [3], "data": [1.0, 1.0, 1.0]}),
    (PLANE, ("points",), {"array": "<i8", "shape": [7, 2], "data": [3] * 14}),
    (PLANE, ("points",), {"array": "<f8", "shape": [8, 2], "data": [3.0] * 16}),
    *((GLOBE, ("points", "data", 0), value) for value in (360.001, -360.001, NAN)),
    *((GLOBE, ("points", "data", 1), value) for value in (90.001, -90.001)),
    *((MIXED, ("points", "data", 0), value) for value in (1e150, {"float": "inf"})),
    *((MIXED, ("points", "data", 1), value) for value in (3.0, -1.0, 0.5)),
    *((MATRIX, ("points", "data", place), value) for place, value in ((1, 11.0), (0, 1.0), (1, -1.0), (1, NAN))),
    (MATRIX, ("points", "data"), [0.0 if place % 9 == 0 else {"float": "inf"} for place in range(64)]),
    (MATRIX, ("points", "data"), [0.0 if place % 9 == 0 else -1.0 for place in range(64)]),
    (MATRIX, ("points",), {"array": "<f8", "shape": [7, 8], "data": [0.0] * 56}),
    (TABLE, ("cells", "mapping", "a"), [0] * 11),
    (TABLE, ("cells", "mapping", "pay"), [0] * 13),
    (TABLE, ("cells", "mapping", "pay", 0), []),
    (TABLE, ("cells", "mapping", "a", 0), 5),
    *((TABLE, ("quasi_identifiers",), names) for names in ([], ["a", "a"], ["a", "label"], ["a", "x"])),
    (TABLE, ("class_label",), "x"),
    (TABLE, ("orders", "mapping", "a"), [0, 1, 2, 3, 4, 4]),
    (TABLE, ("orders", "mapping", "a"), [0, 1, 2, 3]),
    (TABLE, ("orders", "mapping", "a"), [0, 1, 2, 3, 4, NAN]),
    *((TABLE, (*TREE, "values"), values) for values in (list("wxzy"), list("wxy"), ["w", "x", "y", 1])),
    *((TABLE, (*TREE, "levels"), levels) for levels in ([], [list("WWYY")], [list("WWY"), ["*"] * 4], [["*"] * 5])),
    (TABLE, (*TREE, "levels"), [list("WWYY"), ["*"] * 4, list("WWYY")]),
    *((COUNTED, ("quasi_identifiers",), names) for names in ([], ["a", "a"])),
    (TABLE, ("trees", "mapping"), {"pay": GIVEN[TABLE]["parts"]["trees"]["mapping"]["b"]}),
    (TABLE, ("trees", "mapping", "b", "record"), "Twig"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(WRONG)))
def test_what_is_no_instance_is_refused(place):
    name, path, value = WRONG[place]
    with pytest.raises(MALFORMED):
        read(name, {path: value})


RIGHT = [
    *((GLOBE, ("points", "data", 0), value) for value in (360.0, -360.0)),
    *((GLOBE, ("points", "data", 1), value) for value in (90.0, -90.0)),
    *((MIXED, ("points", "data", 1), value) for value in (0.0, NAN)),
    ("rectangles-1", ("xy", "data", 3), 1.797e308),
    (PLANE, ("points", "data", 0), 0.99e150),
    (PLANE, ("column_weights", "data"), [0.0, 1.0]),
    (MATRIX, ("triangle",), True),
    (MAP, ("added_edges",), {"array": "<i4", "shape": [1, 2], "data": [0, 4]}),
    (TABLE, ("orders", "mapping", "a"), [4, 3, 2, 1, 0, 9]),
    (TABLE, ("cells", "mapping", "pay", 0), None),
    *((TABLE, (*TREE, "levels"), levels) for levels in ([["*"] * 4], [list("wxyy"), list("WWYY"), ["*"] * 4])),
]


@pytest.mark.parametrize("place", range(len(RIGHT)))
def test_what_is_an_instance_is_read(place):
    name, path, value = RIGHT[place]
    assert read(name, {path: value})


def test_a_hierarchy_is_that_of_a_quasi_identifier():
    values = {"orders": GIVEN[TABLE]["parts"]["orders"]["mapping"], "trees": GIVEN[TABLE]["parts"]["trees"]["mapping"]}
    assert read(TABLE, {("orders", "mapping"): values["orders"] | {"pay": list("wxyz")}})
    with pytest.raises(MALFORMED):
        read(TABLE, {(name, "mapping"): own | {"pay": own["b"]} for name, own in values.items()})


def test_a_way_round_that_is_shorter_is_seen_where_a_metric_is_claimed():
    longer = {("points", "data", place): 30.0 for place in (1, 8)}
    assert read(MATRIX, longer)
    with pytest.raises(MALFORMED):
        read(MATRIX, longer | {("triangle",): True})
