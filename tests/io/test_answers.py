"""What a worker sends back is what the reader gave, of the same types; nothing else can be made from an answer."""

from __future__ import annotations

import datetime
import decimal
import json
import pickle

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import ChoiceNeeded, Infeasible, InvalidInput, Remedy
from kanon_engine.io.answers import (
    LONGEST_MESSAGE,
    LONGEST_PART,
    answer_of,
    error_answer,
    error_of,
    reaches_files,
    value_of,
)


def back(value):
    head, body = answer_of(value)
    return value_of(json.loads(json.dumps(head)), memoryview(body))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -5,
        2**80,
        0.1,
        "é",
        "\ud800",
        [1, ["a", None]],
        (1, ("a",), []),
        {"a": 1, 2: (3,), None: {"b": []}},
        {"tuple": 1},
        b"\xff\x00",
        datetime.date(2020, 1, 2),
        datetime.datetime(2020, 1, 2, 3, 4, 5),
        datetime.time(3, 4),
        decimal.Decimal("1.10"),
        pd.Timestamp("2020-01-02", tz="Europe/Paris"),
        pd.Timedelta("2h"),
    ],
)
def test_plain_values(value):
    assert back(value) == value
    assert type(back(value)) is type(value)


def test_missing_values():
    assert back(pd.NA) is pd.NA
    assert back(pd.NaT) is pd.NaT
    assert np.isnan(back(float("nan")))


@pytest.mark.parametrize(
    "array",
    [
        np.array([1, 2], dtype=np.int8),
        np.array([[1.5, np.nan]]),
        np.array([True, False]),
        np.array([], dtype=np.float32),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[s]"),
        np.array(["a", None], dtype=object),
        np.array(["a", 5, 2.5, None, (1, 2)], dtype=object),
        np.array(["\ud800", "b"], dtype=object),
        np.array(["ab", "c"]),
    ],
)
def test_arrays(array):
    found = back(array)
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tolist() == array.tolist() or np.isnan(found[~(found == array)]).all()


def test_columns_keep_their_types():
    frame = pd.DataFrame(
        {
            "text": ["a", None, "é"],
            "object": pd.Series(["a", None, "b"], dtype=object),
            "mixed": pd.Series(["a", 5, None], dtype=object),
            "string": pd.Series(["a", None, "b"], dtype="string"),
            "python": pd.Series(["a", None, "b"], dtype=pd.StringDtype("python")),
            "whole": [1, 2**62, -1],
            "maybe": pd.Series([1, None, 3], dtype="Int64"),
            "float": [1.0, np.nan, np.inf],
            "boolean": pd.Series([True, None, False], dtype="boolean"),
            "time": pd.to_datetime(["2020-01-01", None, "1900-01-01"]),
            "zone": pd.to_datetime(["2020-01-01", None, "2021-07-01"]).tz_localize("Europe/Paris"),
            "length": pd.to_timedelta(["1h", None, "2D"]),
            "part": pd.Categorical(["x", None, "y"], ["y", "x", "z"], ordered=True),
            "number part": pd.Categorical([3, 1, None]),
            "period": pd.PeriodIndex(["2020-01", "2020-02", None], freq="M"),
            "date": [datetime.date(2020, 1, 1), None, datetime.date(1, 1, 1)],
            "half": pd.Series(["\ud800", None, "b"], dtype=pd.StringDtype("python")),
            "between": pd.interval_range(0, 3),
        }
    )
    frame["arrow"] = pd.Series([1, None, 3], dtype="int64[pyarrow]")
    frame["moment"] = frame["zone"].astype("timestamp[us, tz=Europe/Paris][pyarrow]")
    pd.testing.assert_frame_equal(back(frame), frame)
    pd.testing.assert_frame_equal(back(frame.iloc[::2].set_index("text")), frame.iloc[::2].set_index("text"))
    twice = pd.DataFrame([[1, "a"]], columns=["x", "x"])
    pd.testing.assert_frame_equal(back(twice), twice)


def test_shapes_keep_every_digit_and_their_system():
    shapes = [shapely.Point(0.1, 1e-320), None, shapely.from_wkt("MULTIPOLYGON EMPTY"), shapely.box(0, 0, 1 / 3, 1)]
    for system in (4326, 5070, None, "+proj=laea +lat_0=10 +lon_0=20"):
        frame = geopandas.GeoDataFrame({"id": list("abcd")}, geometry=geopandas.GeoSeries(shapes), crs=system)
        found = back(frame)
        assert found.crs == frame.crs
        assert found.geometry.to_wkb().tolist() == frame.geometry.to_wkb().tolist()
        assert found["id"].tolist() == list("abcd")
        assert back(frame.geometry).crs == frame.crs


def test_instances_are_the_same():
    for instance in (
        kanon.Regions(["a", "b"], [1, 2], [(0, 1)], unit="people", names=["A", "B"], notes=("n",), reading={"x": [1]}),
        kanon.Points([(0, 0.1), (1, 2)], [1, 2], ["a", 5], "EPSG:4326"),
        kanon.Labels(["a", "b", "c"], [1, 2, 3], together=[("a", "b")], class_names="largest"),
        kanon.Table(pd.DataFrame({"a": [1, None], "b": ["x", "y"]}), ["a"], "b", {"a": [None, 1, 2]}),
        kanon.MetricSpace(pd.DataFrame({"a": [1.5, None], "b": ["x", "y"]}), "gower"),
    ):
        found = back(instance)
        assert found.digest == instance.digest
        assert type(found) is type(instance)
        assert (found.notes, found.reading) == (instance.notes, instance.reading)


def record(name, **fields):
    return {"record": name, "fields": fields}


def array(kind, *shape):
    return {"array": kind, "shape": shape, "data": None}


@pytest.mark.parametrize(
    "head",
    [
        record("Popen", args="true"),
        record("Path"),
        record("Regions", exec="1"),
        {"exec": "1"},
        {},
        array("|O", 1),
        array("|V8", 1),
        array("<i8", 10**9),
        array("<i8", 0, 10**9),
        record("texts", of="str", column=[10**9, None, None, None]),
        record("viewed", kind="<U1", array=array("<u4", 1)),
        record("extension", kind="os.system", column=[1, None, array("|u1", 1)]),
        record("extension", kind="null[pyarrow]", column=[10**12, None]),
        record("shapes", system="+init=/etc/passwd:a", column=[1, None, array("<i8", 2), None]),
        record("range", start=0, stop=10**12, step=1),
        record(
            "frame",
            names=["a"],
            columns=[record("objects", entries=["repeated 1,000,000 times"])],
            index=record("range", start=0, stop=10**6, step=1),
            shapes=None,
        ),
    ],
)
def test_an_answer_makes_nothing_else(head):
    with pytest.raises((ValueError, KeyError, TypeError)):
        value_of(json.loads(json.dumps(head)), memoryview(b"\xff" * 16))


@pytest.mark.parametrize(
    "head",
    [b"[]", b"{", b"[" * 100_000, b"{}", b'{"value": NaN}', b'{"value": {"record": "Popen", "fields": {}}}']
    + [
        b'{"error": []}',
        b'{"error": {"type": []}}',
        b'{"log": "x", "error": {"message": "x", "parameter": "", "remedy": 1}}',
    ],
)
def test_an_answer_that_is_none_is_one_sentence(head, monkeypatch):
    monkeypatch.setattr("kanon_engine.io.confined._answer", lambda *_: (memoryview(head), memoryview(b"")))
    with pytest.raises(InvalidInput, match="is broken, or is not the kind of file that it claims to be; save it again"):
        kanon.read_labels(b"name,count\na,1\nb,2\n")


def test_what_no_answer_can_hold_is_an_error():
    with pytest.raises(TypeError, match="cannot return a set"):
        answer_of({1, 2})


@pytest.mark.parametrize(
    ("text", "reaches"),
    [
        ("+proj=longlat +nadgrids=/etc/passwd", True),
        ('GEOGCS["x",EXTENSION["PROJ4_GRIDS","a.gsb"]]', True),
        ('PARAMETERFILE["Latitude and longitude difference file","a"]', True),
        ("EPSG:4326", False),
        (geopandas.GeoSeries([], crs=2263).crs.to_wkt(), False),
    ],
)
def test_systems_that_name_files(text, reaches):
    assert reaches_files(text) == reaches


WAYS = (Remedy("correct it"), Remedy("leave it out", "unmatched", "drop", ", if it is none"), Remedy("x", "tree", True))


@pytest.mark.parametrize(
    "error",
    [
        InvalidInput("Row 3 is odd", parameter="weight", value="beds", remedy=WAYS),
        Infeasible("12 < 25", parameter="k", value=25, remedy=WAYS[0]),
        ChoiceNeeded("Two columns fit", "count", ("a", "b"), remedy=WAYS),
        InvalidInput("A sentence by itself."),
    ],
)
def test_an_error_keeps_its_parts_over_the_wire_and_in_a_pickle(error):
    wire = error_of(json.loads(json.dumps(error_answer(error))))
    for again in (wire, pickle.loads(pickle.dumps(error))):
        assert type(again) is type(error)
        assert vars(again) == vars(error)
        assert str(again) == str(error)


def test_an_error_is_cut_to_what_a_sentence_can_hold_on_both_sides():
    huge = InvalidInput("x" * 10**6, parameter="y" * 10**4, value=[0] * 10**6, remedy=[Remedy("z" * 10**4)] * 1000)
    answer = error_answer(huge)
    assert len(json.dumps(answer)) < 2 * LONGEST_MESSAGE
    grown = answer | {
        "message": "x" * 10**6,
        "value": "v" * 10**6,
        "remedy": [["z" * 10**4, "p" * 10**4, None, ""]] * 99,
    }
    error = error_of(grown)
    assert max(len(error.parameter), len(error.value), len(error.remedy[0].parameter)) <= LONGEST_PART
    assert len(str(error)) < 2 * LONGEST_MESSAGE


@pytest.mark.parametrize("broken", [{"remedy": [["only words"]]}, {"remedy": 3}, {"message": None, "remedy": None}])
def test_an_error_with_broken_parts_is_none_of_ours(broken):
    with pytest.raises((TypeError, ValueError)):
        error_of(error_answer(InvalidInput("x")) | broken)
