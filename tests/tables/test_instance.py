"""Tables: roles, orders, missing values, identical tuples."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.instance import Table
from kanon_engine.tables.release import released_frame
from tests.sentences import FEWER_THAN_K, THERE_IS_NO_COLUMN, TWO_COLUMNS_ARE_CALLED


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "age": [30.0, 30.0, 41.0, np.nan, 30.0],
            "sex": ["m", "f", "f", "m", "m"],
            "pay": ["low", "low", "high", None, "high"],
        }
    )


def test_numbers_are_ordered_by_value_and_missing_values_stand_last(people):
    table = Table(people, ["age", "sex"])
    assert table.domains == ((30, 41, None), ("f", "m"))
    assert table.codes.tolist() == [[0, 1], [0, 0], [1, 0], [2, 1], [0, 1]]


def test_ten_comes_after_nine():
    assert Table(pd.DataFrame({"x": [10, 9, 100]}), ["x"]).domains == ((9, 10, 100),)


def test_a_given_order_holds_and_may_name_values_that_do_not_occur(people):
    table = Table(people, ["sex"], orders={"sex": ["m", "x", "f"]})
    assert table.codes.ravel().tolist() == [0, 2, 2, 0, 0]
    assert table.cut_values.tolist() == [[0, 2]]


def test_an_order_can_say_where_missing_values_stand(people):
    assert Table(people, ["age"], orders={"age": [None, 30, 41]}).domains == ((None, 30, 41),)


def test_ordered_categories_keep_their_order():
    column = pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"], ordered=True)
    assert Table(pd.DataFrame({"x": column}), ["x"]).domains == (("c", "b", "a"),)


def test_identical_tuples_are_counted_by_class_label(people):
    distinct, counts, numbers = Table(people, ["age", "sex"], "pay").tuples
    assert distinct.tolist() == [[0, 0], [0, 1], [1, 0], [2, 1]]
    assert counts.tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert numbers.tolist() == [1, 0, 2, 3, 1]


def test_the_frame_of_the_caller_can_change_without_harm(people):
    table = Table(people, ["age"])
    before = table.digest
    people.loc[0, "age"] = 99
    assert table.frame.loc[0, "age"] == 30
    assert Table(table.frame, ["age"]).digest == before


@pytest.mark.parametrize("change", ["cell", "role", "order", "label", "unit"])
def test_the_digest_knows_cells_roles_orders_and_unit(people, change):
    other = {
        "cell": lambda: Table(people.assign(pay="low"), ["age", "sex"]),
        "role": lambda: Table(people, ["sex", "age"]),
        "order": lambda: Table(people, ["age", "sex"], orders={"sex": ["m", "f"]}),
        "label": lambda: Table(people, ["age", "sex"], "pay"),
        "unit": lambda: Table(people, ["age", "sex"], unit="patients"),
    }[change]()
    assert other.digest != Table(people, ["age", "sex"]).digest
    assert Table(people, ["age", "sex"]).digest == Table(people.copy(), ["age", "sex"]).digest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["wage"],), f"{THERE_IS_NO_COLUMN} 'wage'"),
        (([],), "at least one column"),
        (("age",), "give a list"),
        ((["age", "age"],), "given twice"),
        ((["age"], "age"), "also a quasi-identifier"),
        ((["age"], "wage"), f"{THERE_IS_NO_COLUMN} 'wage'"),
        ((["sex"], None, {"sex": ["m"]}), "lacks 'f', which is in 2 rows"),
        ((["sex"], None, {"sex": ["m", "f", "m"]}), "lists 'm' twice"),
        ((["sex"], None, {"age": [30, 41]}), "not a quasi-identifier"),
        ((["sex"], None, {"sex": "mf"}), "give a list of its values"),
    ],
)
def test_bad_roles_and_orders_are_one_sentence(people, arguments, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        Table(people, *arguments)


def test_a_table_needs_rows_and_columns_with_names_of_their_own(people):
    with pytest.raises(kanon.InvalidInput, match="no rows"):
        Table(people.iloc[:0], ["age"])
    with pytest.raises(kanon.InvalidInput, match=TWO_COLUMNS_ARE_CALLED):
        Table(pd.DataFrame([[1, 2]], columns=["a", "a"]), ["a"])
    with pytest.raises(kanon.InvalidInput, match="made from a DataFrame"):
        Table([[1]], ["a"])


def test_more_than_all_records_is_infeasible(people):
    with pytest.raises(kanon.Infeasible, match=f"5 records, {FEWER_THAN_K} 6"):
        Table(people, ["age"]).require_feasible(6)


def test_names_of_columns_are_text():
    frame = pd.DataFrame({0: [1, 1, 2, 2], 1: list("aabb"), 2: ["x", "y", "x", "y"]})
    table = Table(frame, [0, 1], 2, {1: ["b", "a"]})
    assert table.quasi_identifiers == ("0", "1")
    assert table.class_label == "2"
    assert table.orders == {"0": (1, 2), "1": ("b", "a")}
    assert table.digest == Table(frame.rename(columns=str), ["0", "1"], "2", {"1": ["b", "a"]}).digest
    with pytest.raises(kanon.InvalidInput, match=f"{TWO_COLUMNS_ARE_CALLED} '1'"):
        Table(pd.DataFrame([[1, 2]], columns=[1, "1"]), ["1"])


@pytest.mark.parametrize("algorithm", ["k-optimize", "hill-climb", "cell-suppression"])
def test_columns_named_by_numbers_survive_a_certificate_and_a_release(algorithm):
    frame = pd.DataFrame({0: [1, 1, 2, 2, 2], 1: list("aabba"), 2: list("xyxyx")})
    table = Table(frame, [0, 1])
    g = kanon.generalize(table, 2, algorithm)
    again = kanon.Generalization.from_json(g.to_json())
    assert again.to_json() == g.to_json()
    kanon.verify(table, again)
    released = released_frame(table, again, [2])
    assert list(released.columns) == ["0", "1", "2"]
    assert len(released) == int(g.class_weights.sum())


def test_records_are_numbered_from_1_everywhere(people):
    table = Table(people, ["sex"])
    assert [f"record {number}" for number in table.ids.tolist()] == [table.label(place) for place in range(len(table))]


def test_labels_are_alike_where_the_cells_of_the_digest_are():
    """A certificate sees these alone: a day and its text are one label, decimals of other digits are two."""
    cells = [date(2020, 1, 2), "2020-01-02", Decimal("1.0"), Decimal("1.00"), None, float("nan")]
    table = Table(pd.DataFrame({"a": 1, "of": pd.Series(cells, dtype=object)}), ["a"], "of")
    assert table.labels.tolist() == [0, 0, 1, 2, 3, 3]
    assert table.parts["cells"]["of"] == ["2020-01-02", "2020-01-02", "1.0", "1.00", None, None]
    kanon.verify(table, kanon.generalize(table, 2, "mondrian", metric="CM"))
