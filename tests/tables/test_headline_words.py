"""What the headline of a table says of its cost."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

import kanon_engine as kanon
from pages._tables.result import cost_words, nearness
from tests.sentences import A_RECORD_IS_ONE_OF


def test_how_many_look_the_same_is_told_of_the_records_in_groups():
    table = kanon.Table(pd.DataFrame({"a": [1] * 7 + [2] * 3 + [3]}), ["a"])
    g = replace(kanon.generalize(table, 3, "hill-climb", metric="DM"), cost=69, class_weights=np.array([7, 3]))
    words = (
        f"Discernibility 69: {A_RECORD_IS_ONE_OF} 5.8 records that look the same; each record left out counts as 11."
    )
    assert cost_words(table, g) == words
    everybody = replace(g, cost=65, class_weights=np.array([7, 4]))
    assert cost_words(table, everybody) == f"Discernibility 65: {A_RECORD_IS_ONE_OF} 5.9 records that look the same."


def test_lost_detail_and_its_bound_are_shares_of_all_detail():
    table = kanon.Table(pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7], "b": list("ffffmmm")}), ["a", "b"])
    g = kanon.generalize(table, 2, "mondrian", seed=1)
    assert g.options["metric"] == "LM"
    everything = 7 * 2  # records times columns
    lost = sum(len(rows) * np.ptp(rows["a"]) / 6 for _, rows in table.frame.groupby(g.assignment))
    assert f"{math.ceil(1000 * lost / everything) / 10} % of the detail is lost" in cost_words(table, g)
    low = replace(g, lower_bound=3 * g.cost // 10, status="feasible")
    share = math.floor(1000 * 0.3 * lost / everything) / 10
    assert f"No boxes lose less than {share} %; this result is at most 3.4 times" in nearness(table, low, "checked")
