"""Files that are understood, and files that are refused with a sentence."""

import io
from pathlib import Path

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.io.counts import ROWS
from tests.sentences import (
    APPEARS_TWICE_IN,
    AS_ONE_RECORD,
    HAS_A_NAME_THAT_SUGGESTS,
    NO_COUNT_COLUMN,
    ROW_2_IS_MISSING,
    THERE_IS_NO_COLUMN,
    THERE_IS_NO_FILE,
)

NAMES = Path(__file__).parents[2] / "sample_data" / "names_1990"


def parquet(**columns):
    buffer = io.BytesIO()
    pd.DataFrame(columns).to_parquet(buffer)
    return buffer.getvalue()


def excel(**columns):
    buffer = io.BytesIO()
    pd.DataFrame(columns).to_excel(buffer, index=False)
    return buffer.getvalue()


def found(labels):
    return dict(zip(labels.names.tolist(), labels.counts.tolist(), strict=True))


UNDERSTOOD = {
    "usual names": (b"id,name,count\n1,Ada,3\n2,Bo,4\n", {}, {"Ada": 3, "Bo": 4}),
    "usual names in capitals": (b"NAME;FREQUENCY\nAda;3\nBo;4\n", {}, {"Ada": 3, "Bo": 4}),
    "two columns, other names": (b"surname,births\nAda,3\nBo,4\n", {}, {"Ada": 3, "Bo": 4}),
    "count first": (b"births,surname\n3,Ada\n4,Bo\n", {}, {"Ada": 3, "Bo": 4}),
    "chosen columns": (b"a,b,c\nx,1,5\ny,2,6\n", {"label": "a", "count": "c"}, {"x": 5, "y": 6}),
    "tabs and thousands": (b"name\tn\nAda\t1,234\nBo\t4\n", {}, {"Ada": 1234, "Bo": 4}),
    "no header": (b"Ada,3\nBo,4\n", {}, {"Ada": 3, "Bo": 4}),
    "no header, chosen": (b"Ada,x,3\nBo,x,4\n", {"label": "column 1", "count": "column 3"}, {"Ada": 3, "Bo": 4}),
    "zip codes keep zeros": (b"code,n\n06001,3\n06002,4\n", {}, {"06001": 3, "06002": 4}),
    "zeros dropped": (b"name,n\nAda,3\nBo,0\n", {}, {"Ada": 3}),
    "duplicates merged": (b"name,n\nAda,3\nAda,4\n", {"merge_duplicates": True}, {"Ada": 7}),
    "records, one column": (b"diagnosis\nflu\ncold\nflu\n", {}, {"flu": 2, "cold": 1}),
    "records without a header": (b"flu\ncold\nflu\n", {}, {"flu": 2, "cold": 1}),
    "records, usual name": (b"id,sex,diagnosis\n1,f,flu\n2,m,flu\n", {}, {"flu": 2}),
    "records, only text that repeats": (b"id,note,city\n1,a,X\n2,b,X\n3,c,Y\n", {}, {"X": 2, "Y": 1}),
    "records forced": (b"name,n\nAda,3\nAda,4\n", {"per_record": True, "label": "name"}, {"Ada": 2}),
    "records without a label": (b"id,diagnosis\n1,flu\n2,\n3,flu\n4,\n", {}, {"flu": 2, "(missing)": 2}),
    "a label called missing": (b"id,value\n1,(missing)\n2,\n", {}, {"(missing)": 1, "((missing))": 1}),
    "latin-1": ("name,n\nMüller,3\nBo,4\n".encode("latin-1"), {}, {"Müller": 3, "Bo": 4}),
    "utf-16": ("name,n\nMüller,3\nBo,4\n".encode("utf-16"), {}, {"Müller": 3, "Bo": 4}),
    "parquet": (parquet(name=["Ada", "Bo"], count=[3, 4]), {}, {"Ada": 3, "Bo": 4}),
    "parquet, numbers as labels": (
        parquet(code=[7.0, 8.0, None, 7.0], sex=["f", "m", "f", "f"]),
        {"per_record": True},
        {"7": 2, "8": 1, "(missing)": 1},
    ),
    "excel": (excel(name=["Ada", "Bo"], count=[3, 4]), {}, {"Ada": 3, "Bo": 4}),
    "census": (
        b"MARY 2.629 2.629 1\nDE LA CRUZ 0.010 2.639 2\nANN 0.000 2.639 3\n",
        {},
        {"MARY": 2629, "DE LA CRUZ": 10},
    ),
}

REFUSED = {
    "no such file": ("nowhere.csv", {}, f"{THERE_IS_NO_FILE} nowhere.csv"),
    "empty": (b"", {}, "is empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n0000", {}, "kind “picture”"),
    "a broken workbook": (b"PK\x03\x04nothing", {}, "broken zip"),
    "no rows": (b"name,n\n", {}, "no rows"),
    "no such label column": (
        b"name,n\nAda,3\n",
        {"label": "nom"},
        f"{THERE_IS_NO_COLUMN} 'nom' .* the columns are: name, n",
    ),
    "no such count column": (
        b"name,n\nAda,3\n",
        {"count": "m"},
        f"{THERE_IS_NO_COLUMN} 'm' .* the columns are: name, n",
    ),
    "one column for both": (b"name,n\nAda,3\n", {"label": "n", "count": "n"}, "both labels and counts"),
    "no guess": (
        b"a,b,c\nx,y,z\nx,y,w\n",
        {},
        "No column clearly holds the labels .the columns are: a, b, c.; choose one",
    ),
    "no counts": (b"a,b\nx,y\nx,w\n", {"per_record": False}, f"no column {HAS_A_NAME_THAT_SUGGESTS} counts"),
    "records and counts": (b"a,b\nx,3\n", {"per_record": True, "count": "b"}, NO_COUNT_COLUMN),
    "negative": (b"name,n\nAda,3\nBo,-1\n", {}, r"row 2 of the upload is -1"),
    "fractional": (b"name,n\nAda,3\nBo,1.5\n", {}, r"row 2 of the upload is 1\.5"),
    "missing count": (b"name,n\nAda,3\nBo,\n", {}, ROW_2_IS_MISSING),
    "words for counts": (b"name,n\nAda,3\nBo,many\n", {"count": "n"}, "many"),
    "missing label": (b"name,n\nAda,3\n,4\n", {}, "Row 2 of the upload has a count but no “name”"),
    "duplicate": (b"name,n\nAda,3\nBo,1\nAda,4\n", {}, f"“Ada” {APPEARS_TWICE_IN} the upload, in rows 1 and 3"),
    "all zero": (b"name,n\nAda,0\n", {}, "Every count in column “n” of the upload is 0"),
    "census, bad line": (b"MARY 2.629 2.629 1\n" * 30 + b"ANN 0.5\n", {}, "Line 31 of the upload is “ANN 0.5”"),
    "census, all zero": (b"MARY 0.000 0.000 1\n", {}, "rounded to 0.000"),
    "census, twice": (b"MARY 2.629 2.629 1\nMARY 0.010 2.639 2\n", {}, "“MARY” appears twice"),
}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("case", UNDERSTOOD)
def test_understood(case):
    data, settings, expected = UNDERSTOOD[case]
    labels = kanon.read_labels(data, **settings)
    assert found(labels) == expected
    parameters = dict(labels.reading)
    again = getattr(kanon, parameters.pop("reader"))(data, **parameters)
    assert again.digest == labels.digest


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    data, settings, sentence = REFUSED[case]
    with pytest.raises(kanon.InvalidInput, match=sentence):
        kanon.read_labels(data, **settings)


def test_notes_say_what_was_left_out():
    notes = kanon.read_labels(b"name,n\nAda,3\nBo,0\nCy,0\n").notes
    assert "2 of 3 labels have a count of 0 and were left out." in notes
    notes = kanon.read_labels(b"id,diagnosis\n1,flu\n2,\n").notes
    assert any(note.startswith("1 of 2 rows have no “diagnosis”") for note in notes)


@pytest.mark.parametrize(
    ("file", "count", "top"),
    [
        ("dist.female.first", 4_275, ("MARY", 2_629)),
        ("dist.male.first", 1_219, ("JAMES", 3_318)),
        ("dist.all.last", 18_839, ("SMITH", 1_006)),
    ],
)
def test_census_1990(file, count, top):
    """The paper keeps names of at least 0.001 %: 18,839 of the 88,799 last names."""
    labels = kanon.read_labels(NAMES / file)
    assert len(labels) == count
    assert (labels.names[0], labels.counts[0]) == top
    assert labels.unit == "people per 100,000"
    dropped = [note for note in labels.notes if "69,960 of 88,799" in note and "18,839" in note]
    assert len(dropped) == (file == "dist.all.last")


@pytest.mark.parametrize(
    ("data", "choices"),
    [
        (b"name,sex,beds\nAda,f,3\nBo,m,4\nCy,m,5\n", ("beds", ROWS)),  # a label a row, and no name tells
        (b"name,pct\nAda,30\nBo,70\n", (ROWS,)),  # percentages are no counts
        (b"name,cases,deaths\nflu,30,3\ncold,70,1\n", ("cases", "deaths", ROWS)),
        (b"id,diagnosis,n_visits\n1,flu,3\n2,flu,4\n", (ROWS,)),  # counts of a record, not of a label
    ],
)
def test_counts_that_no_name_tells_are_asked_for(data, choices):
    with pytest.raises(kanon.ChoiceNeeded) as caught:
        kanon.read_labels(data)
    assert (caught.value.parameter, caught.value.choices) == ("count", choices)
    assert "per_record=True" in str(caught.value)
    assert kanon.read_labels(data, per_record=True).unit == "records"


def test_ages_of_people_are_no_counts():
    assert found(kanon.read_labels(b"name,age\nAda,30\nBo,70\n")) == {"Ada": 1, "Bo": 1}


def test_unit_and_what_is_counted():
    labels = kanon.read_labels(b"surname,births\nAda,3\nBo,4\n", filename="b.csv")
    assert (labels.unit, labels.counted.words) == ("births", "column births of b.csv")
    rows = kanon.read_labels(b"diagnosis\nflu\ncold\nflu\n")
    assert (rows.unit, rows.counted.words) == ("records", f"each row of the upload {AS_ONE_RECORD}")


def test_a_row_of_totals_is_no_label():
    labels = kanon.read_labels(b"name,n\nAda,3\nBo,4\nTotal,7\n")
    assert found(labels) == {"Ada": 3, "Bo": 4}
    assert any("“Total” holds as much as all other rows" in note for note in labels.notes)
