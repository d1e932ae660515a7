"""Tables in memory are read as files are: the same items, notes and claims; odd ones are told in words."""

import datetime
import decimal

import geopandas
import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon

TOWNS = pd.DataFrame(
    {
        "name": ["Ada", "Bo", "Cy", "Dee"],
        "x": [0.5, 1.5, 0.5, 1.5],
        "y": [0.0, 0.0, 1.0, 1.0],
        "population": [5, 6, 7, 8],
        "sex": ["f", "m", "m", "f"],
    }
)
SQUARES = geopandas.GeoDataFrame(TOWNS, geometry=[shapely.box(x, y, x + 1, y + 1) for x, y in TOWNS[["x", "y"]].values])
BORDERS = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"]})
COUNTS = pd.DataFrame({"id": ["x", "y", "z"], "count": [5, 6, 7]})
BAD_DIGITS = [10**5000, 1, 2, 3]


def csv(frame):
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize(
    ("read", "frame", "settings"),
    [
        (kanon.read_table, TOWNS[["sex", "population"]], {"quasi_identifiers": ["sex"], "keep": ["population"]}),
        (kanon.read_table, TOWNS[["name", "sex"]].set_index("name"), {}),
        (kanon.read_points, TOWNS, {}),
        (kanon.read_labels, TOWNS[["name", "population"]], {}),
        (kanon.read_labels, TOWNS[["sex"]].astype("category"), {}),
    ],
)
def test_a_frame_is_read_as_its_file_is(read, frame, settings):
    one, other = read(frame, **settings), read(csv(frame.reset_index() if frame.index.name else frame), **settings)
    assert one.digest == other.digest
    assert [note.replace("DataFrame", "the upload") for note in one.notes] == list(other.notes)
    assert one.reading == other.reading
    assert one.counted.__class__ is other.counted.__class__
    g = kanon.generalize(one, 2)
    kanon.verify(other, kanon.Generalization.from_json(g.to_json()))


def test_areas_from_a_frame_are_those_of_its_file():
    from kanon_engine.release.formats import written

    one, other = kanon.read_regions(SQUARES, id="name"), kanon.read_regions(written(SQUARES, "geojson"), id="name")
    assert one.digest == other.digest
    assert one.weights.tolist() == [5, 6, 7, 8]
    assert one.reading == other.reading


def test_points_from_shapes_in_a_frame():
    frame = geopandas.GeoDataFrame(
        {"population": [1, 2]}, geometry=[shapely.Point(1, 2, 5), shapely.Point(3, 4, 5)], crs="EPSG:3857"
    )
    points = kanon.read_points(frame)
    assert points.xy.tolist() == [[1, 2], [3, 4]]
    assert (points.crs, points.weights.tolist()) == ("EPSG:3857", [1, 2])


def test_borders_and_counts_in_frames_and_files():
    for borders in (BORDERS, csv(BORDERS)):
        for counts in (COUNTS, csv(COUNTS)):
            assert kanon.read_regions(borders, counts=counts).weights.tolist() == [5, 6, 7]
    assert kanon.read_regions(csv(COUNTS), weight="count", edges=BORDERS).edges.tolist() == [[0, 1], [1, 2]]


def test_a_frame_is_left_as_it_was():
    before = TOWNS.copy(deep=True)
    for read in (kanon.read_table, kanon.read_points, kanon.read_labels):
        read(TOWNS, **({"label": "name", "count": "population"} if read is kanon.read_labels else {}))
    pd.testing.assert_frame_equal(TOWNS, before)


CELLS = {
    "nullable": pd.array([1, None, 3, 3], dtype="Int64"),
    "whole nullable": pd.array([1, 2, 3, 3], dtype="Int64"),
    "nullable bool": pd.array([True, None, True, False], dtype="boolean"),
    "arrow": pd.array([1, 2, None, 3], dtype="int64[pyarrow]"),
    "unsigned": np.array([2**64 - 1, 1, 2, 3], dtype=np.uint64),
    "half": np.array([1, 2, 3, np.inf], dtype=np.float16),
    "long": np.array([1, 2, 3, 1e-320], dtype=np.longdouble),
    "complex": np.array([1, 2, 3, 3j]),
    "decimal": [decimal.Decimal("1"), decimal.Decimal("sNaN"), decimal.Decimal("1E+3"), decimal.Decimal("Infinity")],
    "lists": [[1], [2, 3], [], [1]],
    "one list": [1, 2, [3], 4],
    "dicts": [{}, {"a": 1}, {}, {}],
    "sets": [{1}, set(), None, {2}],
    "bytes": [b"a", b"b", b"a", b"a"],
    "classes": [object(), object(), int, len],
    "no time": pd.to_datetime(["2020-01-01", None, "2020-01-01", "2020-01-02"]),
    "zone": pd.to_datetime(["2020-01-01"] * 3 + [None], utc=True).tz_convert("Asia/Tokyo"),
    "span": pd.to_timedelta([1, 2, 2, None], unit="D"),
    "period": pd.period_range("2020", periods=4, freq="M"),
    "interval": pd.cut([1, 2, 3, 4], 2),
    "days": [datetime.date(2020, 1, 1)] * 4,
    "category": pd.Categorical(["a", None, "b", "a"]),
    "ordered": pd.Categorical([3, 1, 2, 3], categories=[3, 2, 1], ordered=True),
    "sparse": pd.arrays.SparseArray([0, 0, 1, 2]),
    "mixed": [1, "a", None, 2.5],
    "huge": BAD_DIGITS,
    "wide": [10**30, 1, 2, 3],
    "surrogate": pd.Series(["\ud800", "a", "a", "b"], dtype=object),
    "nothing": [None] * 4,
    "empty text": ["", " ", "a", "a"],
    "formula": ["=1+1", "a", "a", "b"],
}
FRAMES = {name: pd.DataFrame({"id": [1, 2, 3, 4], "name": list("aabb"), "n": cells}) for name, cells in CELLS.items()}
PLAIN = FRAMES["whole nullable"]
FRAMES |= {
    "names twice": PLAIN.set_axis(["n", "n", "n"], axis=1),
    "names of levels": PLAIN.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), axis=1),
    "names of numbers": PLAIN.set_axis([0, 1.5, None], axis=1),
    "odd names": PLAIN.set_axis(pd.Index([datetime.date(2020, 1, 1), "\ud800", 1.5], dtype=object), axis=1),
    "no names": PLAIN.set_axis(["", " ", ""], axis=1),
    "index of levels": PLAIN.set_index(["id", "name"]),
    "index twice": PLAIN.set_index("n", drop=False),
    "rows twice": PLAIN.set_axis([7, 7, 7, 7]),
    "no rows": PLAIN.iloc[:0],
    "no columns": PLAIN[[]],
    "nothing at all": pd.DataFrame(),
    "a row": PLAIN.iloc[:1],
    "a column": PLAIN[["n"]],
    "no shapes": geopandas.GeoDataFrame(PLAIN),
    "missing shapes": geopandas.GeoDataFrame(PLAIN, geometry=[None] * 4),
    "shapes alone": SQUARES[["geometry"]],
    "two shapes": SQUARES.assign(other=SQUARES.geometry),
    "shapes twice": SQUARES.rename(columns={"name": "geometry "}),
}


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("name", FRAMES)
def test_an_odd_frame_is_read_or_refused_in_words(name):
    frame = FRAMES[name]
    column = frame.columns[-1] if len(frame.columns) else "n"
    readers = [
        lambda: kanon.read_table(frame),
        lambda: kanon.read_table(frame, [column]),
        lambda: kanon.read_points(frame),
        lambda: kanon.read_points(frame, column, column, drop_bad=True),
        lambda: kanon.read_labels(frame),
        lambda: kanon.read_labels(frame, column, per_record=True),
        lambda: kanon.read_labels(frame, "name", column),
        lambda: kanon.read_regions(frame),
        lambda: kanon.read_regions(frame, column),
        lambda: kanon.read_regions(SQUARES, counts=frame),
        lambda: kanon.read_regions(BORDERS, counts=frame, counts_id="name", counts_column=column),
        lambda: kanon.read_regions(frame, "n", edges=frame),
        lambda: kanon.preview(frame),
    ]
    for read in readers:
        try:
            told = read()
        except kanon.InvalidInput as error:
            told = str(error)
        assert not isinstance(told, str) or told.endswith(".")


def test_what_is_no_table_of_text_is_refused():
    with pytest.raises(kanon.InvalidInput, match="DataFrame is a table in memory; give a hierarchy"):
        kanon.read_table(TOWNS, ["sex"], hierarchies={"sex": TOWNS})
    with pytest.raises(kanon.InvalidInput, match=r"give a GeoDataFrame|without shapes"):
        kanon.read_regions(TOWNS)
