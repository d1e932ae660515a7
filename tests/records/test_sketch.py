"""A sample of distinct tuples tells how many there are, within its standard error, and how many are rare."""

import numpy as np
import pandas as pd

from kanon_engine.records import counted, sketch


def test_estimates_are_within_their_error(tmp_path, opened):
    random = np.random.default_rng(7)
    people = pd.DataFrame({"zip": random.integers(0, 3_000, 60_000).astype(str), "age": random.integers(0, 20, 60_000)})
    path = tmp_path / "people.parquet"
    people.to_parquet(path)
    records = opened(path)
    exact = counted(records, ["zip", "age"])["records"]
    found = sketch(records, ["zip", "age"], parts=16)
    assert abs(found.distinct - len(exact)) < 4 * found.error < len(exact) / 10
    rare = int((exact < 2).sum())
    assert abs(found.below(2) - rare) < 4 * np.sqrt(rare * 16)
    assert (found.sizes[:-1] < found.sizes[1:]).all()


def test_every_tuple_is_in_one_part(tmp_path, opened):
    path = tmp_path / "people.csv"
    path.write_text("zip,age\n1,23\n12,3\n12,3\n,3\n12,\n")
    found = sketch(opened(path), ["zip", "age"], parts=1)
    assert (found.distinct, found.error, found.below(2)) == (4.0, 0.0, 3.0)
    assert found.sizes.tolist() == [1, 2]
    assert found.tuples.tolist() == [3, 1]
