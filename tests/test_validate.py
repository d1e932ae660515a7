"""What every family's instances refuse, each in its own words."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.objective import Bound
from kanon_engine.validate import (
    frozen,
    length_of,
    positive_k,
    require_known_name,
    require_total,
    unique_ids,
    whole_numbers,
)
from tests.sentences import (
    ALL_WEIGHTS_ARE_0,
    BUT_THE_VALUE_FOR,
    FEWER_THAN_K,
    ITEM_2_IS_MISSING,
    ITEMS_1_AND_2_HAVE,
    LOWER_K_TO,
    MUST_BE_A_WHOLE_NUMBER,
    MUST_BE_WHOLE_NUMBERS,
    THERE_IS_NO_COLUMN,
)


def said(function, *arguments, **others):
    with pytest.raises(kanon.InvalidInput) as caught:
        function(*arguments, **others)
    return str(caught.value)


@pytest.mark.parametrize("k", [1, 7, 7.0, np.int8(7), np.float32(7), np.uint64(7)])
def test_k_is_a_whole_number_of_python(k):
    assert (positive_k(k), type(positive_k(k))) == (int(k), int)


@pytest.mark.parametrize("k", [0, -1, 0.0, 0.5, 1.5, "7", None, True, np.bool_(True), float("inf"), float("nan"), [7]])
def test_k_is_refused_as_it_was_given(k):
    assert said(positive_k, k) == f"k is {k!r}; it {MUST_BE_A_WHOLE_NUMBER} 1."


@pytest.mark.parametrize(
    "values", [[3, 0, 5], [3.0, 0.0, 5.0], np.array([3, 0, 5], np.uint8), ["3", "0", "5"], ["3", 0.0, 5]]
)
def test_counts_of_any_type_become_int64(values):
    numbers = whole_numbers(values, "counts", 0)
    assert (numbers.tolist(), numbers.dtype, numbers.flags.writeable) == ([3, 0, 5], np.int64, False)


@pytest.mark.parametrize(
    ("values", "name", "problem"),
    [
        ([3, 1, 4], 2, "is 1"),
        ([3, 2, 1.5], 3, "is 1.5"),
        ([3, 2.5, 1], 2, "is 2.5"),
        ([3, None, 4], 2, "is missing"),
        ([3, "", 4], 2, "is missing"),
        ([3, " ", 4], 2, "is missing"),
        ([3, float("nan"), 4], 2, "is missing"),
        ([3, float("inf"), 4], 2, "is inf"),
        ([3, "many", 4], 2, "is many"),
        ([3, (1, 2), 4], 2, "is (1, 2)"),
        ([True, True], 1, "is True"),
        ([2, -5], 2, "is -5"),
    ],
)
def test_the_first_bad_count_is_named(values, name, problem):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    for given in (values, array) if problem != "is (1, 2)" else (array,):
        words = said(whole_numbers, given, "counts", 2)
        assert words == (
            f"The counts {MUST_BE_WHOLE_NUMBERS} of at least 2, {BUT_THE_VALUE_FOR} item {name} {problem}; "
            "correct it or leave that item out."
        )
    assert "the value for here is 1" in said(whole_numbers, [5, 1], "counts", 2, ["there", "here"])


def test_a_bad_count_is_refused_without_a_warning_besides():
    with warnings.catch_warnings(action="error"):
        for values in ([3, 1, 4], [3, 2.5, 4], [3, float("nan"), 4], [3, float("inf"), 1]):
            assert "the value for item" in said(whole_numbers, values, "counts", 2)


def test_counts_are_one_list_with_an_exact_sum():
    assert said(whole_numbers, [[1, 2]], "counts", 0) == (
        "The counts have 2 dimensions; they must have one value per item."
    )
    assert said(whole_numbers, 5, "counts", 0).startswith("The counts have 0 dimensions")
    assert whole_numbers([], "counts", 0).tolist() == []
    assert whole_numbers([2**52, 2**52 - 2], "counts", 0).sum() == 2**53 - 2
    assert "sum to 2^53 or more" in said(whole_numbers, [2**52, 2**52], "counts", 0)
    assert "sum to 2^53 or more" in said(whole_numbers, [2**62, 2**62, 2**62], "counts", 0)


def test_lists_have_lengths():
    assert length_of([1, 2], "weights") == 2
    assert said(length_of, 5, "weights") == "The weights are 5; give a list with one value per item."


def test_ids_become_text_or_whole_numbers():
    day = datetime.date(2020, 1, 2)
    given = ["a", 5, np.int64(6), np.str_("b"), day, 1.5]
    ids = unique_ids(given, 6)
    assert ids.tolist() == ["a", 5, 6, "b", "2020-01-02", "1.5"]
    assert [type(one) for one in ids] == [str, int, int, str, str, str]
    assert not ids.flags.writeable
    assert unique_ids(np.array([3, 4]), 2).tolist() == [3, 4]
    assert unique_ids(iter("ab"), 2).tolist() == ["a", "b"]
    assert unique_ids([True, 0], 2).tolist() == [1, 0]


SECOND_MISSING = f"The label of {ITEM_2_IS_MISSING}; give every item one."


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (5, "The labels are 5; give a list with one value per item."),
        (["a"], "There are 1 labels for 2 items; give one label per item."),
        (["a", None], SECOND_MISSING),
        (["", "b"], "The label of item 1 is missing; give every item one."),
        (["a", " "], SECOND_MISSING),
        (["a", float("nan")], SECOND_MISSING),
        (["a", pd.NaT], SECOND_MISSING),
        (["a", pd.NA], SECOND_MISSING),
        (
            ["a", "a"],
            f"{ITEMS_1_AND_2_HAVE} label a; each label may occur only once, so merge or rename these items.",
        ),
        ([1, True], f"{ITEMS_1_AND_2_HAVE} label 1; each label may occur only once, so merge or rename these items."),
    ],
)
def test_bad_ids_are_named(ids, words):
    assert said(unique_ids, ids, 2, "labels") == words


def test_an_array_nobody_can_write_to_is_not_copied():
    array = np.arange(3)
    copy = frozen(array)
    assert copy is not array
    assert not copy.flags.writeable
    assert frozen(copy) is copy
    view = copy[:2]
    assert frozen(view) is not view  # what it shows may still change
    array[0] = 5
    assert copy.tolist() == [0, 1, 2]


def test_an_array_that_lies_column_after_column_is_copied_row_after_row():
    array = np.arange(6).reshape(2, 3).copy(order="F")
    array.setflags(write=False)
    assert frozen(array).flags.c_contiguous
    assert frozen(array).tolist() == array.tolist()


def test_too_little_in_all_is_infeasible():
    require_total(7, 7, "people")
    with pytest.raises(
        kanon.Infeasible, match=f"{ALL_WEIGHTS_ARE_0}, so no group can hold k = 1,000 people; choose other"
    ):
        require_total(0, 1000, "people")
    with pytest.raises(
        kanon.Infeasible, match=f"there are 1,999 people, {FEWER_THAN_K} 2,000; {LOWER_K_TO} 1,999 or less"
    ):
        require_total(1999, 2000, "people")


def test_columns_are_listed():
    assert require_known_name(["a", "b"], "b", "weights") == "b"
    assert said(require_known_name, ["a", 5], "c", "weights") == (
        f"{THERE_IS_NO_COLUMN} 'c' for the weights; the columns are: a, 5."
    )
    assert said(require_known_name, [], "c", "weights").endswith("the columns are: none.")


def test_bounds():
    assert (Bound(5, "k").kind, Bound(5, "k").witness) == ("checked", ())
    with pytest.raises(AttributeError):
        Bound(5, "k").value = 6
