"""Rows in the order of a list: found where the order tells, and not of shuffled or sorted releases."""

import numpy as np
import pandas as pd
import pytest

from kanon_engine.disclosure.cells import fits
from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.linking import linking
from kanon_engine.risk.attacks.matching import Candidates
from kanon_engine.risk.attacks.row_order import row_order
from tests import compiled

LEAKS, CLEAN = (20, 200) if compiled.THOROUGH else (8, 20)
K = 4


def people(rng):
    """Four groups by age and town, everybody in random order."""
    size = int(rng.integers(40, 120))
    return pd.DataFrame(
        {
            "name": [f"person {at}" for at in range(size)],
            "age": rng.integers(20, 60, size),
            "town": rng.choice(["Ulm", "Bonn"], size),
            "ill": rng.choice(["flu", "cold", "gout"], size),
        }
    )


def released(frame):
    ages = np.where(frame["age"] < 40, "≤ 39", "≥ 40")
    shown = pd.DataFrame({"age": ages, "town": frame["town"].to_numpy(), "ill": frame["ill"].to_numpy()})
    return Released(shown, ("age", "town"), ("ill",), k=K)


def linked(frame, listed):
    return linking(released(frame), Knowledge(listed[["name", "age", "town"]].reset_index(drop=True)))


def with_strangers(rng, frame):
    """A list with others between the people of the release, and some of these missing."""
    strangers = people(rng).iloc[: len(frame) // 4].assign(name="stranger")
    at = np.r_[np.arange(len(frame)), rng.uniform(0, len(frame), len(strangers))]
    both = pd.concat([frame, strangers]).iloc[np.argsort(at, kind="stable")]
    return both[rng.random(len(both)) < 0.95]


@pytest.mark.parametrize("change", [lambda rng, frame: frame, with_strangers], ids=["everybody", "with strangers"])
def test_rows_in_the_order_of_the_list_are_found(change):
    for seed in range(LEAKS):
        rng = np.random.default_rng(seed)
        frame = people(rng)
        listed = change(rng, frame)
        found = linked(frame, listed)
        assert found.verdict == BROKEN, (seed, found.sentence)
        assert "The rows are in the order of the list" in found.sentence
        beside = found.evidence.dropna(subset="row inferred from the order")
        numbers = beside["name"].str.removeprefix("person ").where(beside["name"] != "stranger")
        right = (pd.to_numeric(numbers) + 1 == beside["row inferred from the order"]).mean()
        assert right == 1 if listed is frame else right > 0.4


SORTS = {
    "shuffled": lambda frame, rng: frame.sample(frac=1, random_state=int(rng.integers(1 << 30))),
    "sorted by groups": lambda frame, rng: frame.assign(old=frame["age"] >= 40).sort_values(["old", "town", "name"]),
    "sorted by age group": lambda frame, rng: frame.sample(frac=1, random_state=1).assign(
        old=lambda one: one["age"] >= 40).sort_values("old", kind="stable"),
    "sorted by illness": lambda frame, rng: frame.sample(frac=1, random_state=1).sort_values("ill", kind="stable"),
}  # fmt: skip


@pytest.mark.parametrize("listed_by", ["name", "age", "town"])
@pytest.mark.parametrize("sort", SORTS)
def test_other_orders_raise_no_alarm(sort, listed_by):
    for seed in range(CLEAN // 10):
        rng = np.random.default_rng(seed)
        frame = people(rng)
        listed = frame if listed_by == "name" else frame.sort_values(listed_by, kind="stable")
        found = linked(SORTS[sort](frame, rng), listed)
        assert found.verdict == SURVIVES, (seed, found.sentence)


def plain_longest(fitting):
    """The longest common subsequence, cell by cell."""
    people, rows = fitting.shape
    best = np.zeros((people + 1, rows + 1), dtype=int)
    for person in range(people):
        for row in range(rows):
            best[person + 1, row + 1] = max(
                best[person, row + 1], best[person + 1, row], best[person, row] + fitting[person, row]
            )
    return best[-1, -1]


def test_the_way_is_one_of_the_longest():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        shown = pd.Series(rng.choice(list("abcd"), int(rng.integers(1, 80))))
        known = shown.drop(index=rng.choice(len(shown), len(shown) // 5, replace=False)).reset_index(drop=True)
        every = fits(shown, known)
        found = row_order(Released(pd.DataFrame({"town": shown}), ("town",)), Candidates.of([every]))
        if found is None:
            continue
        people = np.flatnonzero(found.rows >= 0)
        assert every.pairs()[people, found.rows[people]].all()
        assert (np.diff(found.rows[people]) > 0).all()
        assert found.people == plain_longest(every.pairs())


def test_few_rows_are_no_evidence():
    frame = people(np.random.default_rng(1)).iloc[:8]
    assert "The rows are in the order" not in linked(frame, frame).sentence
