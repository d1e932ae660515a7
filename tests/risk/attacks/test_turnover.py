"""Insertions and withdrawals between two releases: each is found, and updates of many diverse records alarm never."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks import attack
from kanon_engine.risk.attacks.knowledge import Knowledge
from tests.compiled import SHARE

ILLS = ["asthma", "cold", "diabetes", "flu", "gout"]
CELLS = [(f"{age}0–{age}9", f"476{town}*") for age in (2, 3) for town in (1, 2)]
K = 5
VOTERS = pd.DataFrame({"name": ["Ada", "Ben"], "age": [25, 33], "zip": ["47611", "47622"]})


def month(rng):
    """Four groups in which each illness occurs twice or more."""
    rows = [
        (*cell, ill) for cell in CELLS for ill in [*ILLS, *ILLS, *rng.choice(ILLS, int(rng.integers(0, 12))).tolist()]
    ]
    return pd.DataFrame(rows, columns=["age", "zip", "ill"])


def release(frame, sensitive=("ill",), **more):
    return Released(frame.sort_values(list(frame), ignore_index=True), ("age", "zip"), sensitive, k=K, **more)


def composed(first, second, outside=None):
    (found,) = attack(first, Knowledge(outside, others=(second,)), ["composition"])
    return found


def with_newcomer(rng, frame, ill):
    return pd.concat([frame, frame.iloc[[int(rng.integers(len(frame)))]].assign(ill=ill)], ignore_index=True)


@pytest.mark.parametrize("voters", [None, VOTERS], ids=["alone", "with a list"])
@pytest.mark.parametrize("seed", range(20))
def test_a_patient_who_came_or_left_is_found(seed, voters):
    rng = np.random.default_rng(seed)
    first = month(rng)
    ill = str(rng.choice([*ILLS, "HIV"]))
    second = with_newcomer(rng, first, ill)
    pair = (first, second) if seed % 2 else (second, first)
    found = composed(release(pair[0]), release(pair[1]), voters)
    assert (found.verdict, found.found) == (BROKEN, 1)
    assert found.evidence[["left", "certain ill"]].values.tolist() == [[1, ill]]


@pytest.mark.parametrize("seed", range(10))
def test_one_who_came_and_one_who_left_are_both_found(seed):
    rng = np.random.default_rng(seed)
    first = month(rng)
    second = with_newcomer(rng, first.drop(index=first.index[first["ill"] == "flu"][int(rng.integers(4))]), "HIV")
    found = composed(release(first), release(second))
    assert (found.verdict, sorted(found.evidence["certain ill"])) == (BROKEN, ["HIV", "flu"])


@pytest.mark.thorough("with a list")
@pytest.mark.parametrize("voters", [None, VOTERS], ids=["alone", "with a list"])
def test_an_update_of_many_diverse_records_raises_no_alarm(voters):
    for seed in range(200 // SHARE):
        rng = np.random.default_rng(seed)
        first = month(rng)
        more = [(*cell, ill) for cell in CELLS if rng.integers(2) for ill in rng.permutation(ILLS).tolist()]
        second = pd.concat([first, pd.DataFrame(more, columns=first.columns)], ignore_index=True)
        pair = (first, second) if seed % 2 else (second, first)
        found = composed(release(pair[0]), release(pair[1]), voters)
        assert found.verdict == (NOT_RUN if voters is None else SURVIVES), (seed, found.sentence)


def test_many_of_one_illness_are_told_as_well():
    first = month(np.random.default_rng(1))
    more = pd.DataFrame([(*CELLS[0], "HIV")] * (K + 1), columns=first.columns)
    found = composed(release(first), release(pd.concat([first, more])))
    assert found.evidence[["left", "certain ill"]].values.tolist() == [[K + 1, "HIV"]]


def test_groups_that_are_made_otherwise_are_compared_as_a_whole():
    first = month(np.random.default_rng(1))
    second = with_newcomer(np.random.default_rng(2), first, "HIV").assign(zip="476**")
    found = composed(release(first), release(second))
    assert found.evidence.values.tolist() == [["1 record only in “release”, in all groups combined", 1, "HIV"]]
    # many came and left, and no more is told of each
    ills = second["ill"].where(second.index % 3 > 0, "measles")
    assert composed(release(first), release(second.assign(ill=ills))).verdict == NOT_RUN


def test_counts_that_differ_by_few_are_found():
    counts = pd.DataFrame({"age": ["≤ 39", "≥ 40"], "people": [20, 30]})
    first, second = (
        Released(counts.assign(people=people), ("age",), k=K, counts="people") for people in ([20, 30], [20, 32])
    )
    assert composed(first, second).found == 2
    assert composed(first, first).verdict == NOT_RUN
    many = Released(counts.assign(people=[20, 35]), ("age",), k=K, counts="people")
    assert composed(first, many).verdict == NOT_RUN


def results(first, second, person):
    tables = [kanon.Table(frame, ["age", "zip"]) for frame in (first, second)]
    made = [(table, kanon.generalize(table, K, "mondrian")) for table in tables]
    released = released_of(*made[0], ["ill"], ["ill"])
    knows = Knowledge(instance=made[0][0], result=made[0][1], other_results=(made[1],), person=person)
    return attack(released, knows, ["composition"])[0]


@pytest.mark.parametrize("person", [None, "who"])
def test_certificates_tell_a_newcomer_with_and_without_a_column_of_persons(person):
    first = month(np.random.default_rng(1)).assign(who=lambda frame: np.arange(len(frame)))
    more = pd.DataFrame([(*CELLS[0], "HIV", -1)], columns=first.columns)
    found = results(first, pd.concat([first, more], ignore_index=True), person)
    assert found.verdict == BROKEN
    assert "HIV" in found.evidence["certain ill"].tolist()


def test_a_column_of_persons_that_one_file_lacks_does_not_stop_it():
    first = month(np.random.default_rng(1))
    more = pd.DataFrame([(*CELLS[0], "HIV")], columns=first.columns)
    found = results(first.assign(who=range(len(first))), pd.concat([first, more], ignore_index=True), "who")
    assert found.verdict == BROKEN
    assert found.evidence["certain ill"].tolist() == ["HIV"]


def test_with_a_column_of_persons_it_is_counted_who_came():
    """Six came and five left, and five of either have the same illnesses: the numbers alone show one newcomer."""
    first = month(np.random.default_rng(1)).assign(who=lambda frame: np.arange(len(frame)))
    own = (first["age"] == CELLS[0][0]) & (first["zip"] == CELLS[0][1])
    gone = first[own].head(5)
    came = gone.assign(who=range(1000, 1005))
    newcomer = pd.DataFrame([(*CELLS[0], "HIV", 1005)], columns=first.columns)
    second = pd.concat([first.drop(index=gone.index), came, newcomer], ignore_index=True)
    assert results(first, second, None).verdict == BROKEN
    told = results(first, second, "who")
    assert not told.evidence["person"].astype(str).str.contains("only").any()
