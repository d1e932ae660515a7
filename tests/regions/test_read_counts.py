"""Counts from a second table, and borders from a list."""

from __future__ import annotations

import io
import json
import pickle
import re
from itertools import pairwise
from typing import Any

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.cli.reading import read_again as verified_file
from kanon_engine.errors import ChoiceNeeded, InvalidInput
from kanon_engine.io.answers import error_answer, error_of
from kanon_engine.io.counts import ROWS
from kanon_engine.io.source import Source
from tests.regions.grids import grid
from tests.sentences import (
    APPEARS_IN_ROWS,
    AS_ONE_RECORD,
    BASED_ON_ITS_NAME,
    BUT_THE_VALUE_FOR,
    EACH_ROW_IS_ONE_RECORD,
    FIRST_AN_EMPTY_CELL,
    HAS_A_NAME_THAT_SUGGESTS,
    HIDDEN_OR_MISSING,
    MUST_BE_WHOLE_NUMBERS,
    SEVERAL_COLUMNS_COULD_BE_COUNTS,
    THERE_IS_NO_COLUMN,
)

MAP = grid(2, 3).drop(columns="population").to_json().encode()
ZIPS = grid(2, 3)["zip"].tolist()
PLENTY = pd.DataFrame({"zip": ZIPS, "year": 2020, "population": [10, 20, 30, 40, 50, 60]})


def csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def excel(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False)
    return buffer.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    return frame.to_parquet()


@pytest.mark.parametrize("write", [csv, excel, parquet])
def test_counts_are_joined_by_id_whatever_their_order(write) -> None:
    regions = kanon.read_regions(MAP, counts=write(PLENTY.sample(frac=1, random_state=1)))
    assert regions.ids.tolist() == ZIPS
    assert regions.weights.tolist() == PLENTY["population"].tolist()
    assert regions.unit == "people"


def test_rows_are_counted_where_no_column_holds_counts() -> None:
    people = pd.DataFrame({"zip": [ZIPS[0]] * 3 + [ZIPS[1]] * 2, "age": [20, 30, 40, 50, 60]})
    regions = kanon.read_regions(MAP, counts=csv(people))
    assert regions.weights.tolist() == [3, 2, 0, 0, 0, 0]
    assert any("were counted as one record each and joined by zip" in note for note in regions.notes)
    assert any("4 areas without a row in the upload count as 0" in note for note in regions.notes)
    assert regions.reading["counts_column"] is None


def test_rows_without_an_id_are_refused_or_left_out() -> None:
    people = pd.DataFrame({"zip": [ZIPS[0], None, ZIPS[0], " ", ZIPS[1]], "age": [20, 30, 40, 50, 60]})
    with pytest.raises(InvalidInput, match="2 rows of the upload have no id in column zip") as refused:
        kanon.read_regions(MAP, counts=csv(people), counts_id="zip", per_record=True)
    assert ("unmatched", "drop") in {(way.parameter, way.value) for way in refused.value.remedy}
    regions = kanon.read_regions(MAP, counts=csv(people), counts_id="zip", per_record=True, unmatched="drop")
    assert regions.weights.tolist() == [2, 1, 0, 0, 0, 0]
    assert any("2 rows of the upload have no id in column zip and were left out" in note for note in regions.notes)


@pytest.mark.parametrize(("code", "what"), [("", "5 rows of the upload have no id"), ("x", "No id in column code")])
@pytest.mark.parametrize("unmatched", ["refuse", "drop"])
def test_a_column_without_any_code_of_an_area_is_another_one(code, what, unmatched) -> None:
    people = pd.DataFrame({"zip": ZIPS[:5], "code": code})
    with pytest.raises(InvalidInput, match=f"{what}.*; choose the column with the codes of the areas"):
        kanon.read_regions(MAP, counts=csv(people), counts_id="code", per_record=True, unmatched=unmatched)


def test_zeros_that_a_spreadsheet_dropped_are_put_back() -> None:
    numbers = PLENTY.assign(zip=[int(value) for value in ZIPS])
    regions = kanon.read_regions(MAP, counts=parquet(numbers))
    assert regions.ids.tolist() == ZIPS
    assert regions.weights.tolist() == PLENTY["population"].tolist()
    assert any("6 ids such as 6001 → 06001" in note for note in regions.notes)
    map_of_numbers = grid(2, 3).drop(columns="population").assign(zip=[int(value) for value in ZIPS]).to_json().encode()
    assert kanon.read_regions(map_of_numbers, counts=csv(PLENTY)).ids.tolist() == ZIPS


def test_column_of_ids_is_found_by_name_or_by_values() -> None:
    for name in ("ZIP", "where"):
        counts = csv(PLENTY.rename(columns={"zip": name}))
        assert kanon.read_regions(MAP, counts=counts).reading["counts_id"] == name
    with pytest.raises(
        InvalidInput, match=r"No column of the upload matches the ids .*the columns are: a, n\); .*parameter counts_id"
    ):
        kanon.read_regions(MAP, counts=b"a,n\nx,1\ny,2\n")


def test_counts_without_an_area() -> None:
    more = pd.concat([PLENTY, pd.DataFrame({"zip": ["99999"], "year": [2020], "population": [7]})])
    with pytest.raises(InvalidInput, match=r"1 id of the upload, with 7 people, .*\(99999\); .*unmatched=\"drop\""):
        kanon.read_regions(MAP, counts=csv(more))
    regions = kanon.read_regions(MAP, counts=csv(more), unmatched="drop")
    assert regions.total == 210
    assert any("with 7 people" in note and "99999" in note for note in regions.notes)


@pytest.mark.parametrize(
    ("frame", "options", "sentence"),
    [
        (
            PLENTY.assign(zip=ZIPS[:5] + ZIPS[:1]),
            {},
            f"The id 06001 {APPEARS_IN_ROWS} 6 of the upload; add up the rows of each id",
        ),
        (PLENTY.assign(population=-1), {}, f"The values of column population .* {BUT_THE_VALUE_FOR} area 06001 is -1"),
        (
            PLENTY.assign(population=0.5),
            {},
            r"6 counts in column population of the upload are not whole numbers \(the first is 0.5 at",
        ),
        (
            PLENTY.assign(pop=1),
            {},
            rf"In the upload {SEVERAL_COLUMNS_COULD_BE_COUNTS} \(population, pop\); choose one",
        ),
        (
            PLENTY,
            {"counts_column": "n"},
            f"{THERE_IS_NO_COLUMN} 'n' for the counts of the upload; the columns are: zip, year",
        ),
        (
            PLENTY,
            {"counts_id": "code"},
            f"{THERE_IS_NO_COLUMN} 'code' for the id of the upload; the columns are: zip, year",
        ),
        (PLENTY.assign(zip=[*ZIPS[:5], None]), {}, "Row 6 of the upload has no id in column zip"),
    ],
)
def test_refused_in_one_sentence(frame: pd.DataFrame, options: dict[str, str], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        kanon.read_regions(MAP, counts=csv(frame), **options)


def test_counts_and_shapes_read_again() -> None:
    regions = kanon.read_regions(MAP, counts=csv(PLENTY))
    again = {name: value for name, value in regions.reading.items() if name != "reader"}
    assert kanon.read_regions(MAP, counts=csv(PLENTY), **again).digest == regions.digest


COUNTS = b"id,count\nx,5\ny,6\nz,7\n"


@pytest.mark.parametrize(
    "borders",
    [
        b"a,b\nx,y\ny,z\n",
        b"x,y\ny,z\n",  # no column names
        b"from;to;length\nx;y;3\ny;z;4\n",
        b"3\nx 1\ny\ny 2\nx z\nz 1\ny\n",  # .gal
        b"0 3 file id\nx 1\ny\ny 2\nx z\nz 1\ny\n",
    ],
)
def test_lists_of_borders(borders: bytes) -> None:
    for regions in (kanon.read_regions(borders, counts=COUNTS), kanon.read_regions(COUNTS, "count", edges=borders)):
        assert regions.ids.tolist() == ["x", "y", "z"]
        assert regions.weights.tolist() == [5, 6, 7]
        assert regions.edges.tolist() == [[0, 1], [1, 2]]
        assert regions.geometry is None


def test_areas_that_only_one_of_both_files_knows() -> None:
    regions = kanon.read_regions(b"a,b\nx,y\ny,z\n", counts=b"id,count\nx,5\ny,6\nw,8\n", missing_counts="zero")
    assert regions.ids.tolist() == ["x", "y", "z", "w"]
    assert regions.weights.tolist() == [5, 6, 0, 8]
    assert regions.components.tolist() == [0, 0, 0, 1]
    assert any("The list of borders does not name 1 area of the upload: w" in note for note in regions.notes)
    assert (
        "Without shapes it is unknown which separate parts are near each other, so none were joined." in regions.notes
    )


def test_list_of_borders_in_place_of_contiguity() -> None:
    chain = "\n".join(f"{a},{b}" for a, b in pairwise(ZIPS)).encode()
    regions = kanon.read_regions(grid(2, 3).to_json().encode(), edges=chain)
    assert regions.edges.tolist() == [[place, place + 1] for place in range(5)]
    assert regions.geometry is not None


@pytest.mark.parametrize(
    ("borders", "sentence"),
    [
        (b"a,b\nx,x\n", "says that x borders itself"),
        (b"a,b\nx,q\n", r"The list of borders names 1 id unknown to the upload \(q\)"),
        (b"one,two,three\nx,y,z\n", "should list borders as two columns of ids, but its columns are: one, two, three"),
        (b"3\nx 1\ny\ny 2\nx\n", "lists 1 neighbors of y but says that it has 2"),
        (b"4\nx 1\ny\ny 2\nx z\nz 1\ny\n", "says that it has 4 areas but lists 3"),
        (b"2\nx 1\nq\ny 1\nx\n", "lists a neighbor q that is not an area of the file"),
    ],
)
def test_lists_that_are_refused(borders: bytes, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        kanon.read_regions(COUNTS, "count", edges=borders)


def test_list_of_borders_without_counts() -> None:
    with pytest.raises(
        InvalidInput, match="lists borders but no counts; give the areas' counts with the parameter counts"
    ):
        kanon.read_regions(b"a,b\nx,y\n")


CODES = [str(10001 + 7 * place) for place in range(6)]
TRACTS = grid(2, 3).drop(columns=["population", "zip"]).assign(MODZCTA_2010=CODES)
SHAPES = TRACTS.to_json().encode()
CASES = pd.DataFrame({"modzcta": CODES, "case_count": range(1, 7), "positivity_rate": [1.5, 2.0, 3.0, 2.5, 9.0, 4.0]})
POPULATED = CASES.assign(population=[400, 500, 600, 700, 800, 900])


def test_one_row_an_area_is_never_taken_for_a_record() -> None:
    regions = kanon.read_regions(SHAPES, counts=csv(POPULATED))
    assert regions.weights.tolist() == POPULATED["population"].tolist()
    assert (regions.unit, regions.reading["id"]) == ("people", "MODZCTA_2010")
    assert regions.counted.words == "column population of the upload"
    assert regions.counted.choices == ("case_count", ROWS)
    cases = kanon.read_regions(SHAPES, counts=csv(CASES))
    assert cases.weights.tolist() == CASES["case_count"].tolist()
    assert cases.unit == "cases"


@pytest.mark.parametrize(
    ("columns", "choices"),
    [
        ({"beds": [3, 4, 5, 6, 7, 8], "tests": [1, 2, 3, 4, 5, 6]}, ("beds", "tests", ROWS)),
        ({"positivity_rate": [0.5, 1.5, 2.0, 2.0, 2.0, 2.0]}, (ROWS,)),
        ({"pop_per_km2": [5, 6, 7, 8, 9, 10], "year": 2020, "ALAND": 7}, (ROWS,)),
        ({"case_count": 1, "death_count": 2}, ("case_count", "death_count", ROWS)),
        ({"pop_denominator": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5], "tests": 4}, ("tests", ROWS)),
    ],
)
def test_where_no_name_tells_a_person_is_asked(columns: dict[str, object], choices: tuple[str, ...]) -> None:
    table = pd.DataFrame({"modzcta": CODES} | columns)
    with pytest.raises(ChoiceNeeded) as caught:
        kanon.read_regions(SHAPES, counts=csv(table))
    assert (caught.value.parameter, caught.value.choices) == ("counts_column", choices)
    ways = f"with the parameter counts_column, or say that {EACH_ROW_IS_ONE_RECORD} with per_record=True."
    assert str(caught.value).endswith(ways)
    for again in (
        pickle.loads(pickle.dumps(caught.value)),
        error_of(json.loads(json.dumps(error_answer(caught.value)))),
    ):
        assert (str(again), again.choices, again.remedy) == (str(caught.value), choices, caught.value.remedy)
    rows = kanon.read_regions(SHAPES, counts=csv(table), per_record=True)
    assert (rows.weights.tolist(), rows.unit) == ([1] * 6, "records")
    assert rows.counted.words == f"each row of the upload {AS_ONE_RECORD}"


def test_a_row_for_each_area_and_week_is_no_record() -> None:
    weeks = pd.concat([CASES[["modzcta"]].assign(week=week, tested=9) for week in range(3)])
    with pytest.raises(ChoiceNeeded, match="rows represent areas"):
        kanon.read_regions(SHAPES, counts=csv(weeks))
    records = pd.DataFrame({"modzcta": [CODES[0]] * 3 + CODES[1:], "age": range(8)})
    assert kanon.read_regions(SHAPES, counts=csv(records)).weights.tolist() == [3, 1, 1, 1, 1, 1]


def test_row_numbers_of_two_files_are_not_joined() -> None:
    shapes = TRACTS.assign(id=range(1, 7)).to_json().encode()
    table = POPULATED.iloc[::-1].assign(id=range(1, 7))
    regions = kanon.read_regions(shapes, counts=csv(table))
    assert (regions.reading["id"], regions.reading["counts_id"]) == ("MODZCTA_2010", "modzcta")
    assert regions.weights.tolist() == POPULATED["population"].tolist()
    with pytest.raises(
        ChoiceNeeded,
        match="none of its columns matches a column of the upload .the columns of the upload are: .*"
        "choose the ids with the parameter id",
    ) as caught:
        kanon.read_regions(SHAPES, counts=b"rank,population\n1,5\n2,6\n3,7\n")
    assert caught.value.choices == ("town", "MODZCTA_2010")


def test_a_row_of_totals_is_no_area() -> None:
    borders = b"a,b\nx,y\ny,z\n"
    regions = kanon.read_regions(borders, counts=b"id,count\nx,5\ny,6\nz,7\nTotal,18\n")
    assert regions.ids.tolist() == ["x", "y", "z"]
    assert "The row “Total” of the upload equals the sum of all others and was left out." in regions.notes


@pytest.mark.parametrize("text", ["0,500", "1.000", "-999"])
def test_what_is_no_count_is_refused(text: str) -> None:
    table = POPULATED.astype({"population": str}).assign(population=[text, *["12"] * 5])
    with pytest.raises(InvalidInput, match="column population"):
        kanon.read_regions(SHAPES, counts=csv(table))


def test_thousands_are_told() -> None:
    table = POPULATED.assign(population=["1,234", "12", "3", "4", "5", "6"])
    regions = kanon.read_regions(SHAPES, counts=csv(table))
    assert regions.total == 1264
    assert "“1,234” in column population was read with a thousands separator." in regions.notes


def test_the_unit_says_what_the_column_counts() -> None:
    frame = grid(2, 3).assign(homes=7, ALAND=3)
    units = {column: kanon.read_regions(frame.to_json().encode(), column).unit for column in ("population", "homes")}
    assert units == {"population": "people", "homes": "homes"}
    assert kanon.read_regions(frame.to_json().encode()).counted.choices == ("homes",)


ROUGH = PLENTY.assign(population=[10.4, 20.2, 30.5, 40, 50, 60], cases=["<5", "7", "*", None, "1-9", "12"])


def test_fractions_are_rounded_where_somebody_says_so_and_the_effect_is_told_before_and_after() -> None:
    with pytest.raises(
        ChoiceNeeded, match=r"the first is 10.4 at area 06001\); rounding would change each by at most 0.5"
    ) as odd:
        kanon.read_regions(MAP, counts=csv(ROUGH))
    assert (odd.value.parameter, odd.value.choices) == ("rounding", ("nearest",))
    regions = kanon.read_regions(MAP, counts=csv(ROUGH), rounding="nearest")
    assert regions.weights.tolist() == [10, 20, 31, 40, 50, 60]
    told = "3 counts in column population of the upload were rounded to whole numbers, each by at most 0.5; their sum"
    assert any(note.startswith(told) and note.endswith("changed by -0.1.") for note in regions.notes)
    assert kanon.read_regions(MAP, counts=csv(ROUGH), **read_again(regions)).digest == regions.digest


@pytest.mark.parametrize(
    ("settings", "cases", "note"),
    [
        (
            {"hidden": "zero"},
            [0, 7, 0, 0, 0, 12],
            "4 hidden counts in column cases of the upload (.*) were counted as 0",
        ),
        (
            {"hidden": "largest", "hidden_most": 10},
            [4, 7, 10, 10, 9, 12],
            "4 hidden counts in column cases .* were counted as the largest possible number, 33 in total",
        ),
        ({"hidden": "leave-out"}, [7, 12], "4 areas were left out because their counts are hidden"),
    ],
)
def test_hidden_counts_are_taken_as_somebody_says(settings, cases, note) -> None:
    settings = {"rounding": "nearest", "columns": ["cases"], **settings}
    regions = kanon.read_regions(MAP, counts=csv(ROUGH), **settings)
    assert regions.columns["cases"].tolist() == cases
    assert any(re.match(note, one) for one in regions.notes), regions.notes
    assert len(regions.weights) == len(regions.geometry) == len(cases)
    assert kanon.read_regions(MAP, counts=csv(ROUGH), **read_again(regions)).digest == regions.digest


def test_hidden_counts_of_the_own_file_are_taken_as_somebody_says() -> None:
    content = grid(2, 3).assign(population=["<11", "20", "30", "40", "50", "60"]).to_json().encode()
    with pytest.raises(ChoiceNeeded, match="1 count in column population of the upload is hidden or missing") as odd:
        kanon.read_regions(content, weight="population")
    assert odd.value.choices == ("zero", "largest", "leave-out")
    assert kanon.read_regions(content, hidden="largest").weights.tolist() == [10, 20, 30, 40, 50, 60]
    left = kanon.read_regions(content, hidden="leave-out")
    assert left.ids.tolist() == ZIPS[1:]


def test_a_mark_without_a_number_needs_one() -> None:
    with pytest.raises(InvalidInput, match="2 hidden counts in column cases of the upload do not say how large") as odd:
        kanon.read_regions(MAP, counts=csv(ROUGH), rounding="nearest", columns=["cases"], hidden="largest")
    assert odd.value.parameter == "hidden_most"


@pytest.mark.parametrize("hidden", ["refuse", "zero", "leave-out"])
def test_the_largest_hidden_count_is_for_hidden_counts_taken_as_the_largest(hidden) -> None:
    with pytest.raises(InvalidInput, match="The largest hidden count is given as 10, but the setting") as odd:
        kanon.read_regions(MAP, counts=csv(ROUGH), rounding="nearest", columns=["cases"], hidden=hidden, hidden_most=10)
    assert odd.value.parameter == "hidden_most"


def test_a_range_written_backwards_says_no_largest() -> None:
    counts = csv(PLENTY.assign(population=["19-10", *PLENTY["population"][1:]]))
    with pytest.raises(
        InvalidInput, match=f"{MUST_BE_WHOLE_NUMBERS} of at least 0, {BUT_THE_VALUE_FOR} area 06001 is 19-10"
    ):
        kanon.read_regions(MAP, counts=counts, hidden="largest")


def test_a_hidden_count_is_told_with_its_area_where_numbers_of_rows_repeat() -> None:
    halves = grid(2, 3).assign(population=[1.0, 2, 3, 4, 5, None])
    frame = pd.concat([halves.iloc[:3], halves.iloc[3:].reset_index(drop=True)])
    with pytest.raises(ChoiceNeeded, match=rf"{FIRST_AN_EMPTY_CELL} Town 6\);"):
        kanon.read_regions(frame)


def test_yes_and_no_are_no_counts_whatever_is_rounded() -> None:
    frame = PLENTY.assign(population=[True, False] * 3)
    for rounding in ("refuse", "nearest"):
        with pytest.raises(InvalidInput, match=MUST_BE_WHOLE_NUMBERS):
            kanon.read_regions(MAP, counts=frame, counts_column="population", rounding=rounding)


def test_rows_of_an_id_are_added_up_where_somebody_says_so() -> None:
    twice = pd.concat([PLENTY, PLENTY.iloc[:1]])
    with pytest.raises(ChoiceNeeded) as odd:
        kanon.read_regions(MAP, counts=csv(twice))
    assert (odd.value.parameter, odd.value.choices) == ("repeated", ("add", ROWS))
    regions = kanon.read_regions(MAP, counts=csv(twice), repeated="add")
    assert regions.weights.tolist() == [20, 20, 30, 40, 50, 60]
    assert any(
        "1 id appeared in several rows of the upload, which were added up: 06001." in note for note in regions.notes
    )


def test_areas_left_out_take_their_borders_along() -> None:
    regions = kanon.read_regions(b"a,b\nx,y\ny,z\n", counts=b"id,cases\nx,<5\ny,6\nz,7\n", hidden="leave-out")
    assert regions.ids.tolist() == ["y", "z"]
    assert regions.edges.tolist() == [[0, 1]]
    assert "1 area was left out because its counts are hidden: x." in regions.notes


def test_a_hidden_count_of_no_area_is_not_left_out_silently() -> None:
    more = b"id,cases\nx,5\ny,6\nz,7\nq,*\n"
    regions = kanon.read_regions(b"a,b\nx,y\ny,z\n", counts=more, hidden="leave-out")
    assert regions.ids.tolist() == ["x", "y", "z"]
    told = "1 id of the upload that belongs to no area of the upload was left out because its counts are hidden: q."
    assert told in regions.notes


def test_second_counts_come_from_either_file_and_hold_a_minimum() -> None:
    cases = PLENTY.assign(cases=[1, 2, 3, 4, 5, 6])
    regions = kanon.read_regions(
        grid(2, 3).assign(homes=3).to_json().encode(), counts=csv(cases), columns=["homes", "cases"]
    )
    assert {name: values.tolist() for name, values in regions.columns.items()} == {
        "homes": [3] * 6,
        "cases": [1, 2, 3, 4, 5, 6],
    }
    g = kanon.generalize(regions, 10, "tree-split", require=[kanon.Minimum("cases", 11)])
    sums = [int(regions.columns["cases"][g.assignment == number].sum()) for number in range(g.classes)]
    assert min(sums) >= 11
    with pytest.raises(InvalidInput, match=f"{THERE_IS_NO_COLUMN} 'deaths' for the columns of"):
        kanon.read_regions(MAP, counts=csv(cases), columns=["deaths"])


def read_again(regions: kanon.Regions) -> dict[str, Any]:
    """What a certificate keeps, as `kanon verify` gives it to the reader."""
    reading = json.loads(json.dumps(dict(regions.reading)))
    return {name: value for name, value in reading.items() if name != "reader"}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"counts_id": "zip"}, "A column of ids is set for a second table, but there is no second table"),
        ({"counts_column": "n"}, "A column of counts is set for a second table, but there is no second table"),
        (
            {"unmatched": "drop"},
            "Rows that match no area can be left out only if they are in a second table, but there is no second table",
        ),
        (
            {"repeated": "add"},
            "Rows with the same id can be added up only if they are in a second table, but there is no second table",
        ),
    ],
)
def test_what_is_said_of_a_second_table_that_is_not_there_is_refused(said, words) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        kanon.read_regions(grid(2, 3).to_json().encode(), **said)
    assert caught.value.parameter == next(iter(said))


def test_a_column_of_counts_in_both_files_is_refused() -> None:
    shapes = grid(2, 3).rename(columns={"population": "homes"}).to_json().encode()
    assert kanon.read_regions(shapes, "homes").unit == "homes"
    with pytest.raises(InvalidInput, match="come from a second table, and 'homes' is also set as a column of counts"):
        kanon.read_regions(shapes, "homes", counts=csv(PLENTY))


@pytest.mark.thorough
def test_a_column_half_of_which_is_hidden_is_found_by_its_name() -> None:
    hidden = ["<5", "12", "<5", "<1,000", "1,200", "*"]
    frame = grid(2, 3).rename(columns={"population": "cases"}).assign(cases=hidden)
    with pytest.raises(ChoiceNeeded, match=f"4 counts in column cases of the upload {HIDDEN_OR_MISSING}"):
        kanon.read_regions(frame.to_json().encode())
    regions = kanon.read_regions(frame.to_json().encode(), hidden="largest", hidden_most=7)
    assert regions.weights.tolist() == [4, 12, 4, 999, 1200, 7]
    assert any(f"The weight was taken from column cases, {BASED_ON_ITS_NAME}." in note for note in regions.notes)
    joined = kanon.read_regions(MAP, counts=csv(frame[["zip", "cases"]]), hidden="zero")
    assert joined.weights.tolist() == [0, 12, 0, 0, 1200, 0]
    with pytest.raises(ChoiceNeeded, match=f"no column {HAS_A_NAME_THAT_SUGGESTS} counts"):
        kanon.read_regions(frame.rename(columns={"cases": "note"}).to_json().encode())


MISSING = csv(PLENTY.iloc[:-2])


def test_areas_without_a_row_are_a_question() -> None:
    with pytest.raises(ChoiceNeeded, match="2 areas of it have no row in the upload") as asked:
        kanon.read_regions(MAP, counts=MISSING, filename="it")
    assert (asked.value.parameter, asked.value.choices) == ("missing_counts", ("zero", "drop"))
    zero = kanon.read_regions(MAP, counts=MISSING, missing_counts="zero")
    assert zero.weights.tolist()[-2:] == [0, 0]
    assert any("2 areas without a row in the upload count as 0" in note for note in zero.notes)
    dropped = kanon.read_regions(MAP, counts=MISSING, missing_counts="drop")
    assert len(dropped) == len(zero) - 2
    assert dropped.total == zero.total
    assert any(
        "2 areas without a row in the upload were left out and do not connect other areas" in n for n in dropped.notes
    )
    assert (zero.reading["missing_counts"], dropped.reading["missing_counts"]) == ("zero", "drop")


def test_a_certificate_from_before_the_question_means_zero() -> None:
    zero = kanon.read_regions(MAP, counts=MISSING, missing_counts="zero")
    before = {name: value for name, value in zero.reading.items() if name != "missing_counts"}
    again = verified_file(before, Source.open(MAP), {"counts": Source.open(MISSING)})
    assert again.digest == zero.digest
    whole = kanon.read_regions(grid(2, 3).to_json().encode())
    assert verified_file(whole.reading, Source.open(grid(2, 3).to_json().encode()), {}).digest == whole.digest


def test_an_area_that_is_dropped_is_no_bridge() -> None:
    borders, counts = b"a,b\nx,y\ny,z\n", b"id,count\nx,5\nz,7\n"
    dropped = kanon.read_regions(borders, counts=counts, missing_counts="drop")
    assert (dropped.ids.tolist(), dropped.edges.tolist()) == (["x", "z"], [])
    assert dropped.components.tolist() == [0, 1]
    zero = kanon.read_regions(borders, counts=counts, missing_counts="zero")
    assert (zero.weights.tolist(), zero.components.tolist()) == ([5, 0, 7], [0, 0, 0])


def test_no_record_means_zero_and_nothing_else_is_asked_without_a_second_table() -> None:
    records = csv(pd.DataFrame({"zip": [ZIPS[0], ZIPS[0], ZIPS[1]], "age": [1, 2, 3]}))
    regions = kanon.read_regions(MAP, counts=records, per_record=True)
    assert regions.weights.tolist() == [2, 1, 0, 0, 0, 0]
    assert "missing_counts" not in regions.reading
    with pytest.raises(InvalidInput, match="What to do with areas without a count can be set only for a second table"):
        kanon.read_regions(grid(2, 3).to_json().encode(), missing_counts="zero")


def test_areas_without_counts_can_count_one_each() -> None:
    regions = kanon.read_regions(MAP, weight="one")
    assert (regions.weights.tolist(), regions.unit) == ([1] * 6, "areas")
    assert regions.notes[0] == "6 areas, each counted as one; 1 connected part."
    assert verified_file(regions.reading, Source.open(MAP), {}).digest == regions.digest
    named = grid(2, 3).rename(columns={"population": "one"})
    assert kanon.read_regions(named.to_json().encode(), weight="one").weights.tolist() == named["one"].tolist()
    with pytest.raises(ChoiceNeeded) as asked:
        kanon.read_regions(MAP)
    assert "one" in asked.value.choices
