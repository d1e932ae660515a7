"""Sets of records and what they tell, counted where the records are: the figures of the same in memory."""

import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.records import audit, joint_groups
from kanon_engine.release.audit import audit_released
from kanon_engine.release.released import Released


def some(rows=240, seed=2):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.choice([30, 40, 50], rows),
            "sex": rng.choice(["f", "m", None], rows),
            "illness": rng.choice(["flu", "cold", "gout", None], rows, p=[0.6, 0.2, 0.1, 0.1]),
            "pay": rng.choice([10, 20, 30, 500, 1000], rows),
            "town": rng.choice([f"town {n}" for n in range(25)], rows),
            "work": rng.choice([f"work {n}" for n in range(12)], rows),
        }
    )


@pytest.fixture(params=["csv", "parquet"])
def saved(request, tmp_path):
    def save(frame):
        path = tmp_path / f"people.{request.param}"
        if request.param == "csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)
        return path

    return save


@pytest.mark.thorough("parquet")
@pytest.mark.thorough("Spark")
def test_sets_are_those_of_brute_force(saved, address):
    frame = some()
    found = joint_groups(address(saved(frame)), ["age", "sex", "town"])
    sets = Counter(frame[["age", "sex", "town"]].astype(object).fillna("").itertuples(index=False, name=None))
    sizes = Counter(sets.values())
    assert dict(zip(found.sizes.tolist(), found.sets_of.tolist(), strict=True)) == dict(sorted(sizes.items()))
    small = [size for size in sets.values() if size < 3]
    assert found.below(3) == (sum(small), len(small))
    assert (found.records, found.sets, found.smallest, found.alone) == (240, len(sets), min(sizes), sizes[1])


def test_rows_without_anything_are_no_records(tmp_path, address):
    path = tmp_path / "people.csv"
    path.write_text("zip,age\n06604,1\n,\n,2\n,\n06604,3\n")
    assert joint_groups(address(path), ["zip"]).sizes.tolist() == [1, 2]
    assert joint_groups(address(path), ["zip", "age"]).records == 3


def audits(frame, source, keep):
    """The audit where the records are, and that of the same records in memory."""
    sensitive = ["illness", "pay"]
    found = audit(source, ["age", "sex"], k=5, sensitive=sensitive, keep=keep)
    released = Released(frame[["age", "sex", *keep, *sensitive]], ("age", "sex"), tuple(sensitive), k=5)
    return found, audit_released(released)


def test_the_audit_is_that_of_the_same_records_in_memory(saved):
    frame = some()
    found, wanted = audits(frame, saved(frame), ["town", "work"])
    assert found == wanted
    assert found.combinations
    assert found.sensitive[1].t != found.sensitive[0].t


@pytest.mark.thorough("Spark")
def test_it_is_the_same_where_the_engine_is_asked_each_question(address, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["kanon_engine.records.sets"], "MOST", 40)
    frame = some()
    frame.to_csv(tmp_path / "people.csv", index=False)
    found, wanted = audits(frame, address(tmp_path / "people.csv"), ["town"])
    least, (singled,) = ([one for one in audit.findings if one.kind == "special uniques"] for audit in (found, wanted))
    assert replace(found, findings=()) == replace(wanted, findings=())
    assert least[0].what.startswith(f"At least {least[0].records} of the records are singled out")
    assert max(count for _, count in found.combinations) <= least[0].records <= singled.records
    others = [[one for one in audit.findings if one.kind != "special uniques"] for audit in (found, wanted)]
    assert others[0] == others[1] != []


def test_nobody_alone_means_no_combinations(saved):
    frame = pd.concat([some(30)] * 2)
    found = audit(saved(frame), ["age"], k=2, keep=["sex", "town", "work"])
    assert found.combinations == ()
    assert found.k_together >= 2
    assert found.below == 0


@pytest.mark.parametrize(
    ("quasi", "more", "said"),
    [
        ([], {}, "Give at least one column"),
        ("age", {}, "give a list of columns"),
        (["age"], {"keep": ["age"]}, "choose one"),
        (["ages"], {}, "'ages'"),
        (["age"], {"sensitive": ["ill"]}, "'ill'"),
    ],
)
def test_roles_that_cannot_be_are_told(saved, quasi, more, said):
    with pytest.raises(InvalidInput, match=said):
        audit(saved(some(10)), quasi, k=2, **more)
