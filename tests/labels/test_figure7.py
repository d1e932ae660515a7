"""The kernels over all k against `generalize`, which is verified, and the summary of Figure 7."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.bounds import lower_bound, lower_bounds
from kanon_engine.teaching.studies.figure7 import (
    NEAR_OPTIMAL,
    VARIANTS,
    distances,
    observations,
    overfull_ratios,
    sub_range_maxima,
    thresholds,
)
from tests.compiled import SHARE, compiled_only, thorough_only
from tests.labels.samples import labels_of
from tests.oracles import labels as oracle
from tests.sentences import FEWER_THAN_K, SPREAD_IS_BETTER

NAMES = Path(__file__).parents[2] / "sample_data" / "names_1990"


def row_of(frame, variant, k):
    return frame[(frame["variant"] == variant) & (frame["k"] == k)].iloc[0]


def assert_same_as_generalize(labels, frame, ks, seed):
    choices = {variant: (algorithm, {"order": order}) for variant, (algorithm, order) in VARIANTS.items()}
    for variant, (algorithm, options) in (choices | {NEAR_OPTIMAL: ("near-optimal", {})}).items():
        for k in ks:
            g = kanon.generalize(labels, k, algorithm, seed=seed, **options)
            row = row_of(frame, variant, k)
            assert (row["cost"], row["classes"]) == (g.cost, g.classes), (variant, k)
            assert (row["lower_bound"], row["overfull_ratio"]) == (g.lower_bound, g.overfull_ratio)


@compiled_only
@pytest.mark.parametrize("file", ["dist.female.first", *thorough_only(["dist.male.first", "dist.all.last"])])
def test_every_variant_is_what_generalize_gives(file):
    """At both ends, at a spread of k, and on both sides of every tenth k where the number of classes drops."""
    labels = kanon.read_labels(NAMES / file)
    frame = overfull_ratios(labels, seeds=[3])
    sorted_fold = frame[frame["variant"] == "Sorted Fold"]
    drops = sorted_fold["k"][sorted_fold["classes"].diff() < 0].tolist()[::10]
    shared = frame.groupby("variant")["k"].max().min()
    ks = {int(k) for k in np.linspace(labels.counts.max(), shared, 12)}
    ks |= {k - offset for k in drops for offset in (0, 1)}
    assert_same_as_generalize(labels, frame, sorted(ks), seed=3)


def test_every_k_of_small_instances_also_below_the_heaviest_label(monkeypatch):
    monkeypatch.setattr(import_module("kanon_engine.labels.near_optimal"), "COVERS", 0)
    generator = np.random.default_rng(8)
    for _ in range(10 // SHARE + 1):
        labels = labels_of(generator.integers(1, 10, int(generator.integers(1, 15))).tolist())
        ks = range(1, labels.total + 1)
        frame = overfull_ratios(labels, ks, seeds=[5])
        assert len(frame) == 5 * labels.total
        assert_same_as_generalize(labels, frame, ks, seed=5)


def test_one_plain_pass_gives_the_same():
    labels = labels_of(np.random.default_rng(2).integers(1, 50, 300).tolist())
    frame = overfull_ratios(labels, range(51, 4_000, 97), seeds=[1])
    orders = {"random": np.random.default_rng(1).permutation(300), "sorted": np.argsort(-labels.counts, kind="stable")}
    for variant, (algorithm, order) in VARIANTS.items():
        rows = frame[frame["variant"] == variant]
        counts = labels.counts[orders[order]].tolist()
        expected = [oracle.one_pass(counts, k, algorithm == "spread") for k in rows["k"].tolist()]
        assert list(zip(rows["cost"], rows["classes"], strict=True)) == expected


def test_range_of_k_is_the_papers():
    labels = labels_of([5, 4, 3, 2, 2, 2])
    frame = overfull_ratios(labels)
    assert frame["k"].min() == 5
    for variant in VARIANTS:
        rows = frame[frame["variant"] == variant]
        last = rows["k"].max()
        assert rows["k"].tolist() == list(range(5, last + 1))
        assert rows["classes"].iloc[-1] >= 2
        if last < labels.total // 2:
            algorithm, order = VARIANTS[variant]
            assert kanon.generalize(labels, last + 1, algorithm, order=order).classes == 1


def test_seeds_give_a_row_each_and_sorted_has_none():
    frame = overfull_ratios(labels_of([5, 4, 3, 2, 2, 2]), [6, 7], seeds=(1, 2, 3))
    assert frame.groupby("variant").size().to_dict() == {
        "Random Fold": 6,
        "Random Spread": 6,
        "Sorted Fold": 2,
        "Sorted Spread": 2,
        "Near-optimal": 2,
    }
    assert frame[frame["variant"] == "Sorted Fold"]["seed"].isna().all()


def test_lower_bounds_are_those_of_single_k():
    labels = labels_of([30, 17, 9, 9, 9, 8, 5, 5, 5, 5, 1, 1])
    ks = np.arange(1, labels.total + 1)
    assert lower_bounds(labels, ks).tolist() == [lower_bound(labels, int(k)).value for k in ks]


def test_progress_is_told_and_can_stop():
    labels = labels_of([40] * 200)
    reports = []
    frame = overfull_ratios(labels, progress=reports.append)
    shares = [report.done for report in reports]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    told = len(reports)

    stopped = overfull_ratios(labels, progress=lambda report: False)
    assert told > 4
    assert 0 < len(stopped) < len(frame)
    assert set(stopped["variant"]) == {"Random Fold"}


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"ks": []}, kanon.InvalidInput, "no k to compute"),
        ({"ks": [0]}, kanon.InvalidInput, "k is 0"),
        ({"ks": [16]}, kanon.Infeasible, f"15 records, {FEWER_THAN_K} 16"),
        ({"ks": [5], "variants": ["Sorted Origami"]}, kanon.InvalidInput, "Random Fold, Random Spread"),
        ({}, kanon.Infeasible, "label 0 holds 11 of 15 records, more than half"),
    ],
)
def test_refusals(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        overfull_ratios(labels_of([11, 2, 2]), **arguments)


def test_sub_range_maxima_are_the_maxima():
    frame = overfull_ratios(labels_of(np.random.default_rng(3).integers(1, 20, 60).tolist()), seeds=(0, 1))
    maxima = sub_range_maxima(frame, 7)
    assert maxima.groupby("variant")["k_from"].nunique().max() == 7
    for row in maxima.itertuples():
        part = frame[(frame["variant"] == row.variant) & frame["k"].between(row.k_from, row.k_to)]
        assert row.overfull_ratio == part["overfull_ratio"].max()
        assert row.floor == (part["lower_bound"] / part["k"]).max() <= row.overfull_ratio
        assert row.k in part["k"].values
        of_each = part.groupby(part["seed"].fillna(-1))["overfull_ratio"].max()
        assert (row.lowest_order, row.median_order) == (of_each.min(), of_each.median())
    covered = maxima[maxima["variant"] == "Random Fold"]
    assert covered["k_from"].iloc[1:].tolist() == (covered["k_to"].iloc[:-1] + 1).tolist()
    assert sub_range_maxima(frame, 10_000)["k"].nunique() <= frame["k"].nunique()


def test_near_optimal_is_below_all_and_thresholds_are_its_drops():
    labels = labels_of(np.random.default_rng(6).integers(1, 20, 60).tolist())
    frame = overfull_ratios(labels, seeds=(0, 1, 2))
    best = frame[frame["variant"] == NEAR_OPTIMAL].set_index("k")
    others = frame[frame["variant"] != NEAR_OPTIMAL]
    assert (others["cost"] >= best["cost"].reindex(others["k"]).to_numpy()).all()
    found = thresholds(frame, most=5)
    assert set(found["classes"]) == {3, 4, 5}
    for row in found.itertuples():
        assert row.classes == kanon.generalize(labels, row.k).classes == labels.total // row.k
        assert row.then == kanon.generalize(labels, row.k + 1).classes == labels.total // (row.k + 1) < row.classes
    assert thresholds(others).empty


def test_distances_are_ratios_to_the_bound():
    labels = labels_of(np.random.default_rng(6).integers(1, 20, 60).tolist())
    frame = overfull_ratios(labels, seeds=(0, 1))
    found = distances(frame).set_index("variant")
    for variant, part in frame.groupby("variant"):
        row, ratios = found.loc[variant], part["cost"] / part["lower_bound"]
        assert row["mean_ratio_to_bound"] == pytest.approx(ratios.mean())
        assert row["largest_ratio_to_bound"] == ratios.max()
        assert row["bound_at_k"] in part["k"][ratios == ratios.max()].tolist()
        assert row["largest_ratio"] == part["overfull_ratio"].max()
        assert row["optimal_share"] == (part["cost"] == part["lower_bound"]).mean()
    assert found.loc[NEAR_OPTIMAL, "mean_ratio_to_bound"] < found["mean_ratio_to_bound"].drop(NEAR_OPTIMAL).min()


@compiled_only
def test_observations_on_female_names():
    """Spread is never worse than Fold, as proven; the paper's remark on random order holds for Fold, not for Spread."""
    frame = overfull_ratios(kanon.read_labels(NAMES / "dist.female.first"))
    found = {observation.name: observation for observation in observations(frame)}
    for order in ("random", "sorted"):
        observation = found[f"{SPREAD_IS_BETTER} in {order} order"]
        assert observation.holds
        assert "no higher than Fold's at 100.0%" in observation.sentence
    assert found["Fold is often better in random order than in sorted order"].holds
    assert not found["Spread is often better in random order than in sorted order"].holds
    assert found["The ratio of Sorted Fold jumps where the number of groups drops"].holds
    turned = frame.replace({"variant": {"Sorted Fold": "Sorted Spread", "Sorted Spread": "Sorted Fold"}})
    found = {observation.name: observation for observation in observations(turned)}
    assert not found[f"{SPREAD_IS_BETTER} in sorted order"].holds
