"""Records from files: columns and metrics that are guessed or named, scales, rows that lack a value."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from tests.sentences import NO_COUNT_COLUMN, THERE_IS_NO_COLUMN

PEOPLE = (
    b"id,age,income,job,illness\n1,20,1000,cook,flu\n2,40,3000,nurse,flu\n3,30,5000,cook,gout\n4,50,7000,clerk,flu\n"
)


def excel(frame):
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


def test_every_kind_of_file_gives_the_same_space(tmp_path):
    frame = pd.read_csv(io.BytesIO(PEOPLE))
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    kinds = (PEOPLE, PEOPLE.replace(b",", b";"), buffer.getvalue(), excel(frame), frame)
    spaces = [kanon.read_records(data, ["age", "income"], scale="none", keep=["illness"]) for data in kinds]
    assert {space.digest for space in spaces} == {spaces[0].digest}
    assert spaces[0].points.tolist() == [[20, 1000], [40, 3000], [30, 5000], [50, 7000]]
    assert spaces[0].frame["illness"].tolist() == ["flu", "flu", "gout", "flu"]


def test_what_is_read_again_is_the_same():
    space = kanon.read_records(PEOPLE, ["age", "job"], column_weights="age=2", keep=["illness"], id="id", unit="people")
    reading = json.loads(json.dumps(space.reading))
    assert reading.pop("reader") == "read_records"
    assert kanon.read_records(PEOPLE, **reading).digest == space.digest
    guessed = kanon.read_records(PEOPLE)
    reading = dict(guessed.reading)
    assert reading.pop("reader") == "read_records"
    assert kanon.read_records(PEOPLE, **reading).digest == guessed.digest


@pytest.mark.parametrize(
    ("columns", "metric"),
    [
        (["age", "income"], "euclidean"),
        (["age", "job"], "gower"),
        (["job"], "gower"),
    ],
)
def test_the_metric_fits_the_columns(columns, metric):
    assert kanon.read_records(PEOPLE, columns).metric == metric


def test_places_are_taken_by_their_names_whatever_their_order():
    data = b"name,latitude,longitude\na,48.5,11.25\nb,-33,151.2\n"
    for columns in (None, ["latitude", "longitude"], ["longitude", "latitude"]):
        space = kanon.read_records(data, columns)
        assert (space.metric, space.names) == ("haversine", ("longitude", "latitude"))
        assert space.points.tolist() == [[11.25, 48.5], [151.2, -33]]


def test_scales_divide_and_are_undone_where_centers_are_shown():
    raw = np.array([[20, 1000], [40, 3000], [30, 5000], [50, 7000]], dtype=float)
    for scale, units in (("standard", raw.std(axis=0, ddof=1)), ("range", np.ptp(raw, axis=0)), ("none", np.ones(2))):
        space = kanon.read_records(PEOPLE, ["age", "income"], scale=scale)
        assert space.units.tolist() == pytest.approx(units.tolist())
        assert (space.points * space.units).ravel().tolist() == pytest.approx(raw.ravel().tolist())
    doubled = kanon.read_records(PEOPLE, ["age", "income"], scale="none", column_weights={"age": 2})
    assert doubled.points[:, 0].tolist() == [40, 80, 60, 100]
    assert doubled.units.tolist() == [0.5, 1]


def test_a_column_of_one_value_is_told_and_divides_by_nothing():
    space = kanon.read_records(b"a,b\n1,5\n2,5\n4,5\n", ["a", "b"])
    assert space.units[1] == 1
    assert any("Columns with only one value: “b”" in note for note in space.notes)


def test_rows_without_a_value_are_named_and_left_out_on_request():
    data = b"a,b\n1,2\n,3\n4,x\n5,6\n"
    with pytest.raises(kanon.InvalidInput, match=r"2 of 4 rows \(row 2: a is missing; row 3: b is 'x'"):
        kanon.read_records(data, ["a", "b"], "euclidean")
    space = kanon.read_records(data, ["a", "b"], "euclidean", drop_missing=True, scale="none")
    assert space.points.tolist() == [[1, 2], [5, 6]]
    assert space.ids.tolist() == [1, 4]
    assert any("2 of 4 rows" in note for note in space.notes)
    assert len(kanon.read_records(data, ["a", "b"])) == 4  # mixed: a missing value is one


def test_counts_make_points_of_several_records():
    data = b"a,people\n1,3\n2,0\n4,5\n"
    space = kanon.read_records(data, ["a"], weight="people")
    assert space.weights.tolist() == [3, 5]
    assert space.unit == "people"
    assert any("1 of 3 rows" in note for note in space.notes)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"columns": ["nothing"]}, f"{THERE_IS_NO_COLUMN} 'nothing'"),
        ({"columns": ["age", "age"]}, "is listed twice"),
        ({"columns": "age"}, "give a list of names"),
        ({"columns": []}, "no column to compute distances from"),
        ({"columns": ["age"], "keep": ["age"]}, "give it only one"),
        ({"metric": "cosine"}, "The metric is 'cosine'"),
        ({"metric": "haversine"}, "x and y"),
        ({"metric": "haversine", "columns": ["age"]}, "haversine takes two, longitude and latitude"),
        ({"columns": ["age"], "scale": "log"}, "The scale is 'log'"),
        ({"columns": ["age", "job"], "scale": "standard"}, "Only the metric euclidean scales columns"),
        ({"columns": ["age", "job"], "metric": "euclidean"}, "holds words"),
        ({"columns": ["age"], "column_weights": "age=x"}, "a number above 0"),
        ({"columns": ["age"], "column_weights": "pay=2"}, f"{THERE_IS_NO_COLUMN} 'pay'"),
        ({"columns": ["age"], "weight": "income", "per_record": True}, NO_COUNT_COLUMN),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_in_a_sentence(settings, words):
    with pytest.raises(kanon.InvalidInput, match=words) as caught:
        kanon.read_records(PEOPLE, **settings)
    assert str(caught.value).count("\n") == 0
