"""The released table with suppressed cells: k-anonymous as it stands, without a trace of the original order."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.release import released_frame

QUASI = ["age", "city", "sex"]


@pytest.fixture
def people():
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 26, 60),
            "city": rng.choice(["a", "b", None], 60),
            "sex": rng.choice(["f", "m"], 60),
            "illness": rng.choice(["flu", "cold", None], 60),
        }
    )


def rows_of(frame):
    words = frame.astype(object).where(frame.notna(), "missing").astype(str)
    return [tuple(row) for row in words.values.tolist()]


def test_every_row_has_k_equals_and_the_stars_are_the_cost(people):
    table = kanon.Table(people, QUASI)
    g = kanon.generalize(table, 5, "cell-suppression")
    frame = released_frame(table, g, ["illness"])
    shown = Counter(rows_of(frame[QUASI]))
    assert min(shown.values()) >= 5
    assert len(shown) == g.classes
    assert sum(row.count("*") * count for row, count in shown.items()) == g.cost > 0


def test_what_is_shown_is_true(people):
    """Each record with its own illness, its own values and stars."""
    table = kanon.Table(people, QUASI)
    g = kanon.generalize(table, 5, "cell-suppression")
    stars = g.details.stars[g.assignment].tolist()
    expected = [
        tuple("*" if hidden else value for value, hidden in zip(row, [*own, False], strict=True))
        for row, own in zip(rows_of(people), stars, strict=True)
    ]
    assert Counter(rows_of(released_frame(table, g, ["illness"]))) == Counter(expected)


def test_the_original_order_leaves_no_trace(people):
    """The same classes, records shuffled: the same release."""
    table = kanon.Table(people, QUASI)
    g = kanon.generalize(table, 5, "cell-suppression")
    order = np.random.default_rng(1).permutation(len(people))
    shuffled = kanon.Table(people.iloc[order], QUASI)
    other = replace(g, assignment=g.assignment[order], instance_digest=shuffled.digest).sealed()
    kanon.verify(shuffled, other)
    assert rows_of(released_frame(table, g, ["illness"])) == rows_of(released_frame(shuffled, other, ["illness"]))
