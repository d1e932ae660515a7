"""Records in parts: sets that are counted part by part are those that are counted at once."""

import numpy as np
import pandas as pd
import pytest

from kanon_engine.records import Records, joint_groups
from kanon_engine.records.parts import parts


@pytest.fixture
def path(tmp_path):
    """Records with gaps in every column; some are empty in both columns that make sets."""
    rng = np.random.default_rng(5)
    rows = 2_000
    frame = pd.DataFrame(
        {
            "code": rng.choice([*map(str, range(100)), ""], rows),
            "age": rng.choice([*map(str, range(20, 60)), ""], rows),
            "note": "x",
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


@pytest.mark.parametrize("at_once", [1, 700, 2_000])
def test_parts_have_the_sets_of_the_whole(path, at_once, monkeypatch):
    whole = joint_groups(path, ["code", "age"])
    monkeypatch.setattr("kanon_engine.records.parts.AT_ONCE", at_once)
    with Records.open(path) as records:
        tables = parts(records, records.table, ("code", "age"))
        frames = [records.engine.run(table.select("code", "age").distinct()) for table in tables]
    assert (len(tables) > 1) == (at_once < whole.sets)
    together = pd.concat(frames)
    assert not together.duplicated().any()
    assert len(together) == whole.sets
    found = joint_groups(path, ["code", "age"])
    assert found.sizes.tolist() == whole.sizes.tolist()
    assert found.sets_of.tolist() == whole.sets_of.tolist()
    frame = pd.read_csv(path, dtype=str).groupby(["code", "age"], dropna=False).size().value_counts().sort_index()
    assert found.sizes.tolist() == frame.index.tolist()
    assert found.sets_of.tolist() == frame.tolist()
