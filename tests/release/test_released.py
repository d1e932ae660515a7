"""What is no release is refused before anything is said of it."""

import numpy as np
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import Released


@pytest.mark.parametrize("count", [-5, 1.5, np.nan, np.inf, None, "a", 2**63])
def test_counts_that_count_nobody_are_refused(count):
    release = Released(
        pd.DataFrame({"age": ["a", "b"], "n": pd.Series([count, 20], dtype=object)}), ("age",), counts="n"
    )
    with pytest.raises(InvalidInput, match="counts in “n”"):
        _ = release.records


def test_counts_beyond_all_numbers_are_refused():
    frame = pd.DataFrame({"age": ["a", "b"], "n": [2**62, 2**62]})
    with pytest.raises(InvalidInput, match="counts in “n”"):
        _ = Released(frame, ("age",), counts="n").records


@pytest.mark.parametrize("k", [0, -3, 1.5])
def test_k_is_a_whole_number_of_at_least_1(k):
    with pytest.raises(InvalidInput, match="k is"):
        Released(pd.DataFrame({"age": ["a"]}), ("age",), k=k)


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(InvalidInput, match="Two columns of the release are named 'age'"):
        Released(pd.DataFrame([[1, 2]], columns=["age", "age"]), ("age",))
