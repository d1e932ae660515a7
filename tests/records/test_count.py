"""An instance counted where records live is that of the file that is read whole, the same on every engine."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.records import count, sql_of_count, tuples
from kanon_engine.tables.read_columns import columns_frame
from tests.sentences import MORE_THAN_THE_LIMIT, NO_VALID_POSITION, THERE_IS_NO_COLUMN

PEOPLE = pd.DataFrame(
    {
        "zip": ["06604", "06605", "6604", "99999", None, "06604", "6605.0"],
        "illness": ["flu", "cold", "flu ", None, "Übel", "flu", "cold"],
        "lon": ["-73.2", "-73.21", "-73.2", "-73.3", "-73.20", "-73.2", "-73.1"],
        "lat": ["41.2", "41.2", "41.2", "41.3", "41.20", "41.2", "41.1"],
    }
)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.to_csv(path, index=False)
    return path


def certified(instance, k):
    g = kanon.generalize(instance, k)
    return replace(g, seconds=0.0).sealed().to_json()


def test_labels_are_those_of_the_file(people, opened, tmp_path):
    labels = count(opened(people), "illness", unit="people")
    order = PEOPLE.assign(label=PEOPLE["illness"].str.strip()).sort_values("label", na_position="last")
    order.drop(columns="label").to_csv(tmp_path / "sorted.csv", index=False)
    read = kanon.read_labels(tmp_path / "sorted.csv", label="illness", per_record=True, unit="people")
    assert labels.digest == read.digest
    assert labels.names.tolist() == ["cold", "flu", "Übel", "(missing)"]
    assert labels.counts.tolist() == [2, 3, 1, 1]
    assert labels.reading == {"reader": "records.count", "by": ["illness"], "unit": "people"}
    assert "1 of 7 rows have no “illness”" in " ".join(labels.notes)


def test_areas_are_weighed_and_strange_codes_told(people, opened):
    areas = kanon.Regions(["06604", "06605", "06606"], [9, 9, 9], [(0, 1), (1, 2)], unit="people")
    weighed = count(opened(people), "zip", areas=areas)
    assert weighed.weights.tolist() == [3, 2, 0]
    assert weighed.edges.tolist() == areas.edges.tolist()
    assert weighed.unit == "records"
    notes = " ".join(weighed.notes)
    assert "5 records were counted by “zip” in 2 of 3 areas" in notes
    assert "2 records have a code that lacks leading zeros or has a decimal point" in notes
    assert "1 records have a code that no area has, such as “99999”" in notes
    assert "1 records have no code" in notes
    assert weighed.reading["by"] == ["zip"]
    with pytest.raises(InvalidInput, match="No code in illness"):
        count(people, "illness", areas=areas)


def test_points_are_the_places(people, opened):
    points = count(opened(people), ("lon", "lat"))
    read = kanon.read_points(people, "lon", "lat", per_record=True)
    assert points.xy.tolist() == np.unique(read.xy, axis=0).tolist()
    assert points.weights.tolist() == [1, 1, 4, 1]
    assert points.crs == read.crs
    assert points.reading == {"reader": "records.count", "by": ["lon", "lat"], "unit": "records", "grid": None}


def test_places_that_are_none_are_refused_or_left_out(tmp_path, opened):
    path = tmp_path / "places.csv"
    path.write_text("x,y\n1,2\n,2\nfar,2\n1,2\nfar,2\n")
    records = opened(path)
    with pytest.raises(InvalidInput, match="drop_bad=True"):
        count(records, ("x", "y"))
    points = count(records, ("x", "y"), drop_bad=True)
    assert points.weights.tolist() == [2]
    assert f"3 {NO_VALID_POSITION}" in " ".join(points.notes)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("by", ["illness", ("lon", "lat"), ["zip", "lat"]])
def test_certificates_are_the_same_on_every_engine(people, opened, by):
    from kanon_engine.records import Records

    assert certified(count(opened(people), by), 2) == certified(count(Records.open(people), by), 2)


def test_a_dry_run_of_a_table_tells_of_every_column_that_is_counted(people):
    ((_, query),) = sql_of_count(people, ["zip"], sensitive=["illness"], keep=["lat"])
    assert [name in query for name in ("zip", "illness", "lat", "lon")] == [True, True, True, False]


def test_too_many_labels_are_refused_with_about_how_many(people, opened, at_most):
    at_most(3)
    with pytest.raises(InvalidInput, match=rf"illness of people\.csv have about .* {MORE_THAN_THE_LIMIT} 3"):
        count(opened(people), "illness")


def test_a_table_has_a_row_for_each_tuple(people, opened):
    table = count(opened(people), ["zip", "lat"], sensitive=["illness"], unit="people")
    assert table.total == len(PEOPLE)
    assert table.quasi_identifiers == ("zip", "lat")
    whole = kanon.read_table(people, ["zip", "lat"], sensitive=["illness"])
    rows = PEOPLE[["zip", "lat", "illness"]].value_counts(dropna=False)
    assert len(table) == len(rows)
    assert table.domains == whole.domains
    assert table.reading["reader"] == "records.count"
    assert table.reading["by"] == ["zip", "lat"]
    assert table.reading["sensitive"] == table.reading["keep"] == ["illness"]
    again = {name: value for name, value in table.reading.items() if name not in ("reader", "by")}
    assert count(opened(people), table.reading["by"], **again).digest == table.digest
    counted, read = kanon.generalize(table, 2, "mondrian"), kanon.generalize(whole, 2, "mondrian")
    assert (counted.cost, sorted(counted.class_weights)) == (read.cost, sorted(read.class_weights))


@pytest.mark.parametrize(
    ("by", "options"),
    [
        (["zip"], {}),
        (["zip"], {"sensitive": ["illness"]}),
        (["lat", "zip"], {"class_label": "illness", "unit": "people"}),
        (["illness", "zip"], {}),
    ],
)
def test_a_table_of_tuples_is_the_one_that_is_counted(people, by, options):
    held = tuples(people, ["lat"], sensitive=["zip", "illness"])
    again, counted = held.table(by, **options), count(people, by, **options)
    assert (again.digest, again.reading, again.notes) == (counted.digest, counted.reading, counted.notes)
    with pytest.raises(InvalidInput, match=r"were counted without the column lon; count them again with it"):
        held.table([*by, "lon"])


def test_columns_of_tuples_count_records(people):
    held = tuples(people, ["zip", "lat"], sensitive=["illness"])
    known = columns_frame(held.source).set_index("column")
    whole = columns_frame(people).set_index("column").loc[known.index]
    assert (known["order"].tolist(), known["counts"].tolist()) == (whole["order"].tolist(), whole["counts"].tolist())
    assert known.index.tolist() == ["zip", "lat", "illness"]


def test_other_refusals(people):
    with pytest.raises(InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'street' for the quasi-identifiers"):
        count(people, ["zip", "street"])
    with pytest.raises(InvalidInput, match="'identifiers' has no meaning when combinations of values are counted"):
        count(people, ["zip"], identifiers=["lon"])
    with pytest.raises(InvalidInput, match="The option keep is 'lon'"):
        count(people, ["zip"], keep="lon")
    with pytest.raises(InvalidInput, match="Give one column with labels"):
        count(people, ("zip", "illness", "lon"))
    with pytest.raises(InvalidInput, match="'drop_bad' has no meaning"):
        count(people, "zip", drop_bad=True)
    with pytest.raises(InvalidInput, match="'project' has no meaning"):
        count(people, ("lon", "lat"), project="utm")
    with pytest.raises(InvalidInput, match="listed twice"):
        count(people, ("lon", "lon"))


def test_a_dry_run_tells_the_query_and_counts_nothing(people, opened, monkeypatch):
    records = opened(people)
    monkeypatch.setattr(type(records.engine), "run", lambda *_: pytest.fail("it counted"))
    ((what, query),) = sql_of_count(records, ["zip", "illness"])
    assert what
    assert "COUNT(*)" in query
    assert "illness" in query
