"""Tables from files: roles, missing cells, numbers, ranges, orders, hierarchies, and reading the same again."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.words import listed
from kanon_engine.tables.read_columns import columns_frame
from kanon_engine.tables.release import kept_columns
from tests.sentences import (
    CAN_HAVE_NO_RANGES,
    GIVE_QUASI_IDENTIFIERS,
    HAS_A_NAME_THAT_SUGGESTS,
    HOLDS_THE_SAME_VALUES,
    NO_ROLE_WAS_SET,
    RANGES_ARE_ORDERED,
    SECOND_WAS_READ_AS,
    THERE_IS_NO_COLUMN,
    TWO_COLUMNS_ARE_CALLED,
)

PEOPLE = (
    b"id;age;town;sex;illness\n1;17;a;f;flu\n2;18;a;f;flu\n3;19;b;m;cold\n4;21;b;m;?\n5;22;c;f;cold\n6;25;c;;flu\n"
    b"7;30;a;m;flu\n8;NA;c;m;cold\n9;30;a;m;flu\n10;17;b;f;flu\n"
)
QUASI = ["age", "town", "sex"]


def told(table, words):
    found = [note for note in table.notes if words in note]
    assert len(found) == 1, table.notes
    return found[0]


def as_parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


def test_roles_are_guessed_and_told():
    table = kanon.read_table(PEOPLE)
    assert table.quasi_identifiers == ("age", "town", "sex")
    assert table.class_label is None
    assert list(table.frame.columns) == ["age", "town", "sex"]
    assert "“age”, “town” and “sex” (each has a name that " in told(table, "Guessed to be quasi-identifiers")
    assert "“id”" in told(table, "Left out as identifiers")
    assert table.notes[0] == "10 records; quasi-identifiers: age (8 values), town (3 values), sex (3 values)."


def test_many_values_are_no_quasi_identifier_by_guess_and_a_usual_name_is_a_class_label():
    rows = [f"{i % 120},{i % 3},{'x' if i % 2 else 'y'}" for i in range(600)]
    table = kanon.read_table("\n".join(["pay,group,label", *rows]).encode())
    assert table.quasi_identifiers == ("group",)
    assert table.class_label == "label"
    assert "pay" not in table.frame.columns


def test_missing_cells_are_a_value_of_their_own_and_no_row_is_dropped():
    table = kanon.read_table(PEOPLE, QUASI, sensitive=["illness"])
    assert len(table) == 10
    assert table.domains[0] == (17, 18, 19, 21, 22, 25, 30, None)
    assert table.domains[2] == ("f", "m", None)
    assert told(table, "“age”") == "1 cell of “age” is missing (“NA” once) and counts as a value."
    assert "(empty once)" in told(table, "“sex” is")
    assert "(“?” once)" in told(table, "“illness” is")
    g = kanon.generalize(table, 2, "cell-suppression")
    assert g.assignment.min() == 0
    assert g.cost > 0  # the record without an age is like no other


def test_given_roles_hold():
    table = kanon.read_table(PEOPLE, ["town"], "illness", identifiers=["id", "age"], sensitive=["sex"])
    assert list(table.frame.columns) == ["town", "sex", "illness"]
    assert (table.quasi_identifiers, table.class_label) == (("town",), "illness")
    kept = kanon.read_table(PEOPLE, ["town"], sensitive=["id"])
    assert list(kept.frame.columns) == ["id", "town"]


@pytest.mark.parametrize("identifiers", [None, [], ["age"]])
def test_a_column_that_nobody_named_is_not_even_read(identifiers):
    """Naming one identifier once switched the look for others off, and the names were released."""
    table = kanon.read_table(PEOPLE, ["town"], identifiers=identifiers)
    assert list(table.frame.columns) == ["town"]
    assert kept_columns(table) == []
    unnamed = [name for name in ("id", "age", "sex", "illness") if name not in (identifiers or [])]
    assert f"{NO_ROLE_WAS_SET} {listed(unnamed)}." in table.notes
    assert "No column is released unchanged." in table.notes


def test_what_is_only_guessed_is_not_released_unchanged():
    table = kanon.read_table(PEOPLE.replace(b"illness", b"outcome"))
    assert table.class_label == "outcome"
    assert kept_columns(table) == table.reading["keep"] == []
    told = f"“illness” is left out because it {HAS_A_NAME_THAT_SUGGESTS} private information."
    assert told in kanon.read_table(PEOPLE).notes


def test_named_columns_are_kept_and_told():
    named = kanon.read_table(PEOPLE, ["town"], "illness", sensitive=["sex"])
    assert kept_columns(named) == named.reading["keep"] == ["sex", "illness"]
    assert "Released unchanged: “sex” and “illness”." in named.notes
    only = kanon.read_table(PEOPLE, ["town"], "illness", sensitive=["sex"], keep=["age"])
    assert kept_columns(only) == ["age"]
    assert list(only.frame.columns) == ["age", "town", "sex", "illness"]
    assert told(kanon.read_table(PEOPLE, ["town"], keep=["id"]), "“id” has a different value in nearly every row")


@pytest.mark.parametrize(
    ("keep", "bins", "words"),
    [
        (["age"], {"age": 5}, "'age' is given for quasi-identifiers and for keep"),
        (["years"], {"age": 5}, f"'years' {HOLDS_THE_SAME_VALUES} the quasi-identifier 'age'"),
        (["years"], None, f"'years' {HOLDS_THE_SAME_VALUES} the quasi-identifier 'age'"),
        (["height"], None, f"{THERE_IS_NO_COLUMN} 'height'"),
    ],
)
def test_a_quasi_identifier_cannot_be_kept_under_any_name(keep, bins, words):
    frame = pd.DataFrame({"age": [17, 23, 23, 40], "years": [17, 23, 23, 40], "flu": list("abab")})
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.read_table(frame.to_csv(index=False).encode(), ["age"], bins=bins, keep=keep)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"quasi_identifiers": ["height"]}, f"{THERE_IS_NO_COLUMN} 'height'"),
        ({"quasi_identifiers": "age"}, "give a list"),
        ({"quasi_identifiers": ["age"], "class_label": "age"}, "quasi-identifiers and for class-label"),
        ({"quasi_identifiers": ["age"], "identifiers": ["age"]}, "give it one role"),
        ({"quasi_identifiers": ["age"], "bins": {"town": 5}}, CAN_HAVE_NO_RANGES),
        ({"quasi_identifiers": ["age"], "bins": {"age": 0}}, "above 0"),
        ({"quasi_identifiers": ["age"], "bins": {"age": 1e-308}}, "too large for ranges of width 1e-308"),
        ({"quasi_identifiers": ["age"], "bins": 5}, "for each column"),
        ({"quasi_identifiers": ["town"], "orders": {"town": ["a", "b"]}}, "lacks 'c'"),
        ({"quasi_identifiers": ["town"], "orders": {"sex": ["f", "m"]}}, "orders contain 'sex', which is not"),
        ({"quasi_identifiers": ["age"], "bins": {"age": 5}, "orders": {"age": [1]}}, RANGES_ARE_ORDERED),
        ({"quasi_identifiers": ["town"], "orders": {"town": ["a"]}, "hierarchies": {"town": b"a;*\n"}}, "one of them"),
        ({"quasi_identifiers": ["town"], "hierarchies": {"town": b"a;*\na;*\n"}}, "occurs twice"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(settings, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.read_table(PEOPLE, **settings)


def test_infinity_is_in_no_range():
    frame = pd.DataFrame({"age": [1, 2, float("inf")], "sex": list("ffm")})
    with pytest.raises(kanon.InvalidInput, match="“age” holds a number that is infinite"):
        kanon.read_table(frame, ["sex"], keep=["age"], bins={"age": 5})


def test_a_table_without_anything_to_link_is_refused():
    with pytest.raises(kanon.InvalidInput, match=GIVE_QUASI_IDENTIFIERS):
        kanon.read_table(b"id,x\n1,7\n2,7\n3,7\n")


def test_ranges_are_words_in_order():
    table = kanon.read_table(PEOPLE, QUASI, bins={"age": (17, 5)})
    assert table.domains[0] == ("17–21", "22–26", "27–31", None)
    assert kanon.read_table(PEOPLE, QUASI, bins={"age": 5}).domains[0] == ("15–19", "20–24", "25–29", "30–34", None)
    halves = kanon.read_table(b"x,y\n0.2,1\n0.7,1\n1.1,2\n0.2,2\n0.7,1\n", ["x"], bins={"x": 0.5})
    assert halves.domains[0] == ("0 to under 0.5", "0.5 to under 1", "1 to under 1.5")


def test_ranges_hold_the_numbers_that_they_name():
    ages = np.random.default_rng(3).integers(-20, 90, 300)
    table = kanon.read_table(as_parquet(pd.DataFrame({"age": ages})), ["age"], bins={"age": (-3, 7)})
    for age, code in zip(ages.tolist(), table.codes[:, 0].tolist(), strict=True):
        words = table.domains[0][code].replace("−", "-")
        low = int(words[: words.index("–")])
        assert low <= age <= low + 6
        assert (low + 3) % 7 == 0


def test_decimal_commas_thousands_spaces_and_codes():
    table = kanon.read_table(
        b"a;b;zip;c\n1,5;1,200;01234; x\n2;900;01234;x \n2;12,000;99999;y\n1,5;900;99999;y\n",
        ["a", "b", "zip", "c"],
    )
    assert table.domains == ((1.5, 2), (900, 1200, 12000), ("01234", "99999"), ("x", "y"))
    assert told(table, "decimal commas")
    assert told(table, "thousands separators")
    assert told(table, "leading zeros")
    assert told(table, "Spaces around values of “c” were removed once") or told(table, "Spaces around")


def test_numbers_among_words_are_told_and_stand_in_front():
    table = kanon.read_table(b"age,x\n9,1\n10,1\nold,2\n9,2\n", ["age"])
    assert table.domains[0] == ("9", "10", "old")
    assert "such as “old”" in told(table, "numbers and also words")


def test_a_hierarchy_gives_its_preorder():
    hierarchy = b"c;X;*\na;Y;*\nb;X;*\n"
    table = kanon.read_table(PEOPLE, QUASI, hierarchies={"town": hierarchy})
    assert table.orders["town"] == ("c", "b", "a")
    numbers = kanon.read_table(b"x\n3\n1\n2\n3\n1\n", ["x"], hierarchies={"x": b"3;a;*\n2;b;*\n1;a;*\n"})
    assert numbers.orders["x"] == (1, 3, 2)  # groups of numbers stand in order of size
    alone = {"hierarchies": {"x": b"3;a;*\n2;b;*\n1;a;*\n"}, "order_only": ["x"]}
    ordered = kanon.read_table(b"x\n3\n1\n2\n3\n1\n", ["x"], **alone)
    assert ordered.orders["x"] == (3, 1, 2)
    assert ordered.tree("x") is None


def test_a_file_without_column_names():
    records = b"39, State-gov, Male\n50, Private, Male\n39, Private, Female\n50, State-gov, Female\n39, Private, Male\n"
    table = kanon.read_table(records)
    assert len(table) == 5
    assert table.quasi_identifiers == ("column 1", "column 2", "column 3")
    assert told(table, "read as a record")
    again = kanon.read_table(records, ["column 1"])
    assert again.domains == ((39, 50),)


def test_the_reading_of_every_kind_of_setting_makes_the_same_table_again():
    settings = {"hierarchies": {"town": b"c;X;*\na;Y;*\nb;X;*\n"}, "orders": {"sex": ["m", None, "f"]}}
    table = kanon.read_table(PEOPLE, QUASI, "illness", bins={"age": (17, 5)}, unit="patients", **settings)
    g = kanon.generalize(table, 2, "cell-suppression")
    reading = dict(kanon.Generalization.from_json(g.to_json()).reading)
    assert reading.pop("reader") == "read_table"
    json.dumps(table.reading)
    again = kanon.read_table(PEOPLE, **reading)
    assert again.digest == table.digest
    guessed = kanon.read_table(PEOPLE)
    reading = dict(guessed.reading)
    del reading["reader"]
    assert kanon.read_table(PEOPLE, **reading).digest == guessed.digest


def test_parquet_and_csv_of_the_same_records_are_the_same_table():
    frame = pd.read_csv(io.BytesIO(PEOPLE), sep=";", na_values="?")
    parquet = kanon.read_table(as_parquet(frame), QUASI)
    assert parquet.domains == kanon.read_table(PEOPLE, QUASI).domains
    assert (parquet.codes == kanon.read_table(PEOPLE, QUASI).codes).all()
    excel = io.BytesIO()
    frame.to_excel(excel, index=False)
    assert kanon.read_table(excel.getvalue(), QUASI).domains == parquet.domains


def test_a_preview_and_the_columns_are_there_before_anything_is_chosen():
    assert list(kanon.preview(PEOPLE, "people.csv").columns) == ["id", "age", "town", "sex", "illness"]
    known = columns_frame(PEOPLE).set_index("column")
    assert known["role"].to_dict() == {
        "id": "identifier",
        "age": "quasi-identifier",
        "town": "quasi-identifier",
        "sex": "quasi-identifier",
        "illness": "sensitive",
    }
    assert known.loc["age", "order"] == [17, 18, 19, 21, 22, 25, 30, None]
    assert known.loc["age", "numbers"]
    assert not known.loc["town", "numbers"]
    assert known.loc["id", "order"] == list(range(1, 11))
    assert known.loc["town", "counts"] == [4, 3, 3]


def test_names_of_columns_are_text_in_every_file():
    rows = b"".join(b"%d,%d,%s\n" % (i % 3, i % 2, b"xy"[i % 2 : i % 2 + 1]) for i in range(12))
    table = kanon.read_table(b"7,8,9\n" + rows, [7, 8], 9, orders={8: [1, 0]})
    assert (table.quasi_identifiers, table.class_label) == (("7", "8"), "9")
    assert table.orders["8"] == (1, 0)
    frame = pd.DataFrame({7: [1, 1, 2, 2], 8: [0, 1, 0, 1]})
    sheet = io.BytesIO()
    frame.to_excel(sheet, index=False)
    assert kanon.read_table(sheet.getvalue(), [7, 8]).quasi_identifiers == ("7", "8")
    again = kanon.read_table(sheet.getvalue(), [7], bins={7: 2})
    assert again.orders["7"] == ("0–1", "2–3")


def test_columns_that_differ_in_spaces_alone_are_told_apart():
    table = kanon.read_table(b"a ;a;b\n1;2;x\n1;2;y\n2;1;x\n", ["a", "a.1"])
    assert table.domains == ((1, 2), (1, 2))
    assert told(table, f"{TWO_COLUMNS_ARE_CALLED} “a”; {SECOND_WAS_READ_AS} “a.1”.")
    guessed = kanon.read_table(b"a ;a;b\n1;2;x\n1;2;y\n2;1;x\n1;1;y\n")
    assert guessed.quasi_identifiers == ("a", "a.1", "b")


@pytest.mark.parametrize("keep", [["town"], ["nobody"], ["sex", "age"]])
def test_a_certificate_that_keeps_a_raw_quasi_identifier_is_refused(keep):
    table = kanon.read_table(PEOPLE, ["age", "town"], sensitive=["sex"])
    g = kanon.generalize(table, 2, "hill-climb")
    assert g.reading["keep"] == ["sex"]
    kanon.verify(table, g)
    edited = replace(g, reading={**g.reading, "keep": keep}).sealed()
    with pytest.raises(kanon.CertificateError, match="kept columns"):
        kanon.verify(table, edited)


def test_only_what_a_person_ordered_is_public_when_a_file_was_read():
    """An instance comes from the worker that read it with all its domains; they are no orders that somebody gave."""
    text = b"age,size,town\n17,1.5,a\n38,2.5,b\n61,3.5,a\n117,4.5,b\n"
    table = kanon.read_table(text, ["age", "size", "town"], orders={"town": ["b", "a"]}, bins={"age": 10})
    assert sorted(table.ordered) == ["age", "town"]
    assert replace(table, unit="people").ordered == table.ordered
    assert kanon.read_table(text, ["age"]).ordered == ()


def test_a_hierarchy_makes_its_column_a_quasi_identifier():
    data = b"code,age,sex\n" + b"".join(f"c{row},{row % 3},f\n{'c'}{row},1,m\n".encode() for row in range(9))
    tree = b"".join(f"c{row};{'low' if row < 5 else 'high'};*\n".encode() for row in range(9))
    table = kanon.read_table(data, ["age"], hierarchies={"code": tree})
    assert table.quasi_identifiers == ("age", "code")
    assert "Quasi-identifiers because they have hierarchies: “code”." in table.notes
    assert table.guessed == {}
    guessed = kanon.read_table(data, hierarchies={"code": tree})
    assert guessed.guessed["code"] == "was read as quasi-identifier because it has a hierarchy"
    with pytest.raises(kanon.InvalidInput, match="'code' is given for keep and for hierarchies"):
        kanon.read_table(data, ["age"], keep=["code"], hierarchies={"code": tree})


def test_lines_that_end_early_have_missing_cells():
    """As the file of ARX's tests of importing has them: empty lines, short ones, and delimiters in quotes."""
    lines = ["age;sex;town;more", "34;m;81", "", "67;b", "c", '45;f;"8;1";d', "66;m;82;e", "70;f;82;f", "34;f;82;h"]
    frame = kanon.read_table("\r\n".join(lines).encode(), ["age", "sex"], keep=["town", "more"]).frame
    assert list(frame.columns) == ["age", "sex", "town", "more"]
    assert frame["town"].fillna("").tolist() == ["81", "", "", "8;1", "82", "82", "82"]
