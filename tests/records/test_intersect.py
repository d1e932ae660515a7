"""Several releases of the same records: their cells are counted where the records are, and bounded as in memory."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.apply import apply
from kanon_engine.errors import InvalidInput
from kanon_engine.records import Grouping, intersect


@pytest.fixture
def two(tmp_path):
    """Labels, two results of them, and their records in a file."""
    counts = np.array([40, 3, 22, 17, 9, 31, 5, 28])
    labels = kanon.Labels([f"code {n}" for n in range(8)], counts)
    frame = pd.DataFrame({"code": np.repeat(labels.names, counts)}).sample(frac=1, random_state=1)
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return labels, kanon.generalize(labels, 30, "fold"), kanon.generalize(labels, 35, "spread"), path


def test_two_results_tell_what_they_tell_in_memory(two, address):
    labels, one, other, path = two
    found = intersect(address(path), Grouping(labels, one, "code"), Grouping(labels, other, "code"))
    wanted = kanon.intersect(labels, one, other)
    assert len(found.cells) > 2
    columns = ["group", "other_group", "weight", "low", "high", "exposed", "exact"]
    pd.testing.assert_frame_equal(found.cells[columns], wanted.cells[columns])
    assert (found.k, found.digests, found.exposed) == (wanted.k, wanted.digests, wanted.exposed)
    assert found.cells["items"].tolist() == found.cells["weight"].tolist()


def test_columns_of_groups_tell_the_same_as_results(two, address, tmp_path):
    labels, one, other, path = two
    records = pd.read_csv(path)
    shown = {
        name: records["code"].map(dict(zip(labels.names, g.assignment, strict=True))).map("{:03}".format)
        for name, g in (("first", one), ("second", other))
    }
    pd.DataFrame(shown).to_csv(tmp_path / "groups.csv", index=False)
    by_columns = intersect(address(tmp_path / "groups.csv"), "first", ["second"], k=30)
    by_results = intersect(path, Grouping(labels, one, "code"), Grouping(labels, other, "code"))
    pd.testing.assert_frame_equal(by_columns.cells, by_results.cells)


def test_groupings_of_other_columns_cross(two, tmp_path):
    labels, one, _, path = two
    records = pd.read_csv(path)
    rng = np.random.default_rng(4)
    records["age"] = rng.choice(["young", "old", "unknown"], len(records), p=[0.5, 0.47, 0.03])
    records.to_csv(path, index=False)
    ages = kanon.Labels(["young", "old"], [records["age"].eq(name).sum() for name in ("young", "old")])
    found = intersect(path, Grouping(labels, one, "code"), Grouping(ages, kanon.generalize(ages, 20), "age"))
    groups = apply(labels, one, records, "code").frame["group"]
    assert found.cells["weight"].sum() == len(groups) == len(records)
    assert found.cells["other_group"].isna().any()
    assert found.k == 20


@pytest.mark.parametrize(
    ("releases", "more", "said"),
    [
        (["code"], {"k": 3}, "Give at least two"),
        (["code", "code"], {}, "Give the k"),
        (["code", "zip"], {"k": 3}, "'zip'"),
    ],
)
def test_what_cannot_be_is_told(two, releases, more, said):
    with pytest.raises(InvalidInput, match=said):
        intersect(two[-1], *releases, **more)
