"""What the headline of a table says of its cost."""

from dataclasses import replace

import numpy as np
import pandas as pd

import kanon_engine as kanon
from pages._tables.result import cost_words
from tests.sentences import A_RECORD_IS_ONE_OF


def test_how_many_look_the_same_is_told_of_the_records_in_groups():
    table = kanon.Table(pd.DataFrame({"a": [1] * 7 + [2] * 3 + [3]}), ["a"])
    g = replace(kanon.generalize(table, 3, "hill-climb"), cost=69, class_weights=np.array([7, 3]))
    words = (
        f"Discernibility 69: {A_RECORD_IS_ONE_OF} 5.8 records that look the same; each record left out counts as 11."
    )
    assert cost_words(table, g) == words
    everybody = replace(g, cost=65, class_weights=np.array([7, 4]))
    assert cost_words(table, everybody) == f"Discernibility 65: {A_RECORD_IS_ONE_OF} 5.9 records that look the same."
