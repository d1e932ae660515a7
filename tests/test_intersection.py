"""Two releases together: cells and bounds against every weighting that has the same sums."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from tests.sentences import COMES_FROM_DIFFERENT_DATA, NOT_K_ANONYMOUS, PARTS_BELOW_5, REVEAL_NO_MORE

ROOT = Path(__file__).parent.parent
LARGE = 10**6


def release(regions, assignment, k=LARGE):
    """A result with these classes; nothing else of it is looked at."""
    g = kanon.generalize(regions, 1, "tree-split")
    assignment = np.asarray(assignment, dtype=np.int32)
    weights = np.bincount(assignment, regions.weights).astype(np.int64)
    return replace(g, assignment=assignment, class_weights=weights, k=k)


def areas(weights):
    count = len(weights)
    return kanon.Regions(range(count), weights, [(place, place + 1) for place in range(count - 1)])


def numbered(values):
    return np.unique(values, return_inverse=True)[1]


def weightings(pairs, sums, so_far=()):
    """Every weighting of the cells with whole numbers not below 0 and these sums of classes."""
    if len(so_far) == len(pairs):
        if not any(sums.values()):
            yield so_far
        return
    one, two = pairs[len(so_far)]
    for weight in range(min(sums[0, one], sums[1, two]) + 1):
        rest = sums | {(0, one): sums[0, one] - weight, (1, two): sums[1, two] - weight}
        yield from weightings(pairs, rest, (*so_far, weight))


@pytest.mark.parametrize("seed", range(120))
def test_bounds_and_exact_cells_against_every_weighting(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 9))
    weights = rng.integers(0, 4, count)
    weights[0] += 1
    regions = areas(weights)
    one, two = (numbered(rng.integers(0, rng.integers(1, 4), count)) for _ in range(2))
    found = kanon.intersect(regions, release(regions, one), release(regions, two)).cells
    pairs = sorted(set(zip(one.tolist(), two.tolist(), strict=True)))
    assert list(zip(found["group"] - 1, found["other_group"] - 1, strict=True)) == pairs
    true = [int(weights[(one == p) & (two == q)].sum()) for p, q in pairs]
    assert found["weight"].tolist() == true
    sums = {
        (side, n): int(weights[own == n].sum()) for side, own in enumerate((one, two)) for n in range(own.max() + 1)
    }
    possible = np.array(list(weightings(pairs, sums)))
    assert found["low"].tolist() == possible.min(axis=0).tolist()
    assert found["high"].tolist() == possible.max(axis=0).tolist()
    assert found["exact"].tolist() == (possible.min(axis=0) == possible.max(axis=0)).tolist()
    # Theorem 3: the least weight of a set with a cell that the sums determine
    rows = np.array([[end == one_of[side] for one_of in pairs] for side, end in sums], dtype=float)
    rank = np.linalg.matrix_rank(rows)
    sets = [np.array(bits, dtype=float) for bits in itertools.product((0, 1), repeat=len(pairs)) if any(bits)]
    told = [bits for bits in sets if np.linalg.matrix_rank(np.vstack([rows, bits])) == rank]
    least = [min(bits @ true for bits in told if bits[cell]) for cell in range(len(pairs))]
    assert found["high"].tolist() == least


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("k", [3, 6])
def test_only_cells_that_must_be_below_k_are_exposed(seed, k):
    rng = np.random.default_rng(1000 + seed)
    weights = rng.integers(0, 5, 7)
    weights[0] += 1
    regions = areas(weights)
    one, two = (numbered(rng.integers(0, 3, 7)) for _ in range(2))
    wide = kanon.intersect(regions, release(regions, one), release(regions, two)).cells
    found = kanon.intersect(regions, release(regions, one, k), release(regions, two, k + 1))
    assert found.k == k
    assert found.cells["exposed"].tolist() == (wide["high"] < k).tolist()
    for name in ("low", "high"):
        assert found.cells[name].dropna().tolist() == wide.loc[wide["high"] < k, name].tolist()
    assert found.exact == int((found.cells["exact"] & found.cells["exposed"]).sum())


def test_a_square_hides_what_a_path_tells():
    """Four cells on a cycle are not determined; take one away and the rest are."""
    regions = areas([3, 3, 3, 3])
    square = kanon.intersect(regions, release(regions, [0, 0, 1, 1], 5), release(regions, [0, 1, 0, 1], 5))
    assert square.exposed == 0
    path = kanon.intersect(regions, release(regions, [0, 0, 1, 1], 5), release(regions, [0, 0, 0, 1], 5))
    assert path.cells["exact"].tolist() == [False, True, True]
    assert (path.exposed, path.exact, path.single) == (2, 2, 2)
    assert path.sentence == (
        f"Together the two releases show that 2 {PARTS_BELOW_5} "
        "2 of 2 (2 single items). Only one of the two may be published."
    )


def test_a_cell_of_nobody_on_a_cycle_is_not_told():
    regions = areas([0, 9, 9, 0])
    found = kanon.intersect(regions, release(regions, [0, 0, 1, 1], 5), release(regions, [0, 1, 0, 1], 5))
    assert found.cells["weight"].tolist() == [0, 9, 9, 0]
    assert found.exposed == 0  # 9 = 0 + 9 and 9 = 9 + 0 may stand the other way round


def test_the_same_groups_tell_no_more():
    regions = areas([3, 3, 3, 3])
    found = kanon.intersect(regions, release(regions, [0, 0, 1, 1], 5), release(regions, [1, 1, 0, 0], 5))
    assert found.exposed == 0
    assert found.sentence == f"Both {REVEAL_NO_MORE}"


def test_georgia_at_two_k():
    regions = kanon.read_regions(
        ROOT / "sample_data" / "georgia.geojson", weight="TotPop90", id="AreaKey", unit="people"
    )
    one, two = (kanon.generalize(regions, k, "tree-split") for k in (20_000, 25_000))
    found = kanon.intersect(regions, one, two)
    lone = found.cells[found.cells["exact"] & (found.cells["items"] == 1)]
    assert len(lone) == found.single > 20
    for _, row in lone.iterrows():
        inside = (one.assignment == row["group"] - 1) & (two.assignment == row["other_group"] - 1)
        assert regions.weights[inside].tolist() == [row["weight"]]
        assert row["weight"] < 20_000
    assert f"is shown for {found.exact:,} of {found.exposed:,} ({found.single:,} single items)" in found.sentence


def test_records_of_a_table_are_looked_up_one_by_one():
    frame = pd.DataFrame({"age": [1, 2, 3, 4, 5, 6, 7, 99], "sex": list("fmfmfmfm")})
    table = kanon.Table(frame, ["age", "sex"])
    one = kanon.generalize(table, 2, "k-optimize", suppression_limit=1)
    two = kanon.generalize(table, 3, "k-optimize", suppression_limit=1)
    found = kanon.intersect(table, one, two).cells
    assert found["exposed"].tolist() == (found["weight"] < 2).tolist()
    both_out = int(((one.assignment < 0) & (two.assignment < 0)).sum())
    assert found["items"].sum() == 8 - both_out
    for _, row in found.iterrows():
        own, others = (-1 if pd.isna(end) else end - 1 for end in (row["group"], row["other_group"]))
        assert row["items"] == int(((one.assignment == own) & (two.assignment == others)).sum())


def test_other_data_are_refused():
    regions, others = areas([3, 3, 3, 3]), areas([3, 3, 3, 4])
    with pytest.raises(kanon.InvalidInput, match=COMES_FROM_DIFFERENT_DATA):
        kanon.intersect(regions, release(regions, [0, 0, 1, 1]), release(others, [0, 0, 1, 1]))
    labels = kanon.Labels("abcdef", [5, 5, 5, 5, 5, 9])
    relaxed = kanon.generalize(labels, 10, "relaxed-scheme", epsilon=0.9)
    with pytest.raises(kanon.InvalidInput, match=NOT_K_ANONYMOUS):
        kanon.intersect(labels, relaxed, kanon.generalize(labels, 10, "fold"))


def test_of_clusters_with_other_centers_no_more_is_said_than_their_counts_tell():
    space = kanon.MetricSpace([[0, 0], [1, 0], [0, 3], [9, 9], [8, 9], [9, 4]])
    one, two = (kanon.generalize(space, 3, centers=where) for where in ("any", "means"))
    assert one.assignment.tolist() == two.assignment.tolist()
    assert not kanon.release(space, one).equals(kanon.release(space, two))
    assert REVEAL_NO_MORE in kanon.intersect(space, one, two).sentence
