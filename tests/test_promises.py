"""Every promise that a person sees is computed for the run, and holds: small random instances, all options, stops."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES, family_of
from kanon_engine.model.tree import Tree
from kanon_engine.rectangles.snap import snap_grid
from tests.clusters import judge
from tests.clusters.small_spaces import small_space
from tests.oracles import cells
from tests.oracles.label_constraints import optimum as label_optimum
from tests.oracles.rectangles_exact import best_tiling
from tests.oracles.regions_bitmask import optimum as region_optimum
from tests.promise_words import broken
from tests.regions.graphs import grid
from tests.regions.graphs_any import random_instance
from tests.tables.random_tables import sparse_table

ROUNDS = 30  # times the algorithms and options of a family


def stopper(rng):
    """No listener, one that stops at once, or one that stops after some reports."""
    calls = int(rng.choice([-1, -1, 0, 1, 3]))
    if calls < 0:
        return None
    seen = []

    def listen(report):
        seen.append(report)
        return len(seen) <= calls

    return listen


UNLESS = "unless the search"


def kept(instance, k, name, options, best, rng):
    """A run, and that neither the promise before it nor the one beside its result is broken."""
    family = family_of(instance)
    settings = family.algorithms[name].checked_options(options)
    before = family.promise(instance, k, name, settings)
    seed, listen = int(rng.integers(0, 5)), stopper(rng)
    g = kanon.generalize(instance, k, name, seed=seed, progress=listen, **options)
    after = family.promise(instance, k, name, g.options, g)
    for words in (before, after):
        if listen is None or UNLESS not in words:
            assert broken(words, g.cost, best) == [], (words, name, options, k, seed)
    if "tree split" in after:
        tree = "auto" if settings["effort"] >= 0.1 else "low-degree"
        assert g.cost <= kanon.generalize(instance, k, "tree-split", seed=seed, tree=tree).cost
    if "Fold's result for the same order" in after:
        assert g.cost <= kanon.generalize(instance, k, "fold", seed=seed, **options).cost
    if "balanced cuts" in after:
        assert g.cost <= kanon.generalize(instance, k, "kd-tree", snap=options.get("snap")).cost
    if "Fold's result for the sorted labels" in after:
        assert g.cost <= kanon.generalize(instance, k, "fold", order="sorted").cost
    return g, after


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_areas(seed):
    rng = np.random.default_rng([seed, 1])
    for _ in range(4):
        weights, edges, k = random_instance(rng, 8)
        best = region_optimum(weights, edges, k)
        if best is None:
            continue
        regions = kanon.Regions(range(len(weights)), weights, edges)
        recombine = {
            "compactness": float(rng.choice([0, 0, 0.5, 2])),
            "objective": str(rng.choice(["largest", "sum"])),
            "effort": float(rng.choice([0.01, 0.1, 1])),
        }
        for name, options in (
            ("recombine", recombine),
            ("tree-split", {"tree": str(rng.choice(["auto", "low-degree", "random"]))}),
            ("general-graph", {}),
            ("exact", {}),
        ):
            kept(regions, k, name, options, best[0], rng)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_labels(seed):
    rng = np.random.default_rng([seed, 2])
    n, k = int(rng.integers(1, 8)), int(rng.integers(1, 14))
    counts = rng.integers(1, rng.choice([k + 1, 2 * k + 2]), n).tolist()
    names = [f"n{place}" for place in range(n)]
    rule = [rng.permutation(names)[:2].tolist()] if n > 2 else []
    for together, apart in (([], []), (rule, []), ([], rule)):
        best = label_optimum(
            counts, k, [[names.index(x) for x in s] for s in together], [[names.index(x) for x in s] for s in apart]
        )
        if best is None:
            continue
        labels = kanon.Labels(names, counts, together=together, apart=apart)
        for name in FAMILIES["labels"].algorithms:
            if (apart and name not in ("near-optimal", "exact")) or (together and name == "ordered"):
                continue
            options = {}
            if name in ("fold", "spread"):
                options["order"] = str(rng.choice(["given", "random", "sorted"]))
            if "scheme" in name:
                options["epsilon"] = float(rng.choice([0.3, 0.5, 1.0]))
            _, after = kept(labels, k, name, options, best, rng)
            assert not apart or after.startswith("none")


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_points(seed):
    rng = np.random.default_rng([seed, 3])
    n, k = int(rng.integers(1, 8)), int(rng.integers(1, 8))
    weights = rng.integers(1, rng.choice([2, k + 2, 3 * k + 2]), n)
    xy = rng.integers(0, rng.choice([3, 6, 40]), (n, 2)).astype(float) + 0.25 * rng.integers(0, 3, (n, 2))
    points = kanon.Points(xy, weights + (k if weights.sum() < k else 0))
    for snap in (None, 1.0, 7.0):
        cells_of = points if snap is None else snap_grid(points, snap).points
        best = best_tiling(cells_of.xy.tolist(), cells_of.weights.tolist(), k)[0]
        for name, options in (
            ("balanced-kd-tree", {}),
            ("kd-tree", {"cut": str(rng.choice(["balanced", "longest-side", "cyclic", "least-overfull"]))}),
            ("exact", {"guillotine": bool(rng.random() < 0.5)}),
        ):
            g, _ = kept(points, k, name, options | {"snap": snap}, best, rng)
            shared = len(np.unique(cells_of.xy[:, 0])) < len(xy) or len(np.unique(cells_of.xy[:, 1])) < len(xy)
            heaviest = int(cells_of.location_weights.max())
            assert g.guarantee <= (4 if shared else 2) * (k - 1) + heaviest


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_tables(seed):
    rng = np.random.default_rng([seed, 4])
    table = sparse_table(rng, most_cuts=6)
    rows = [tuple(row) for row in table.codes.tolist()][:8]
    table = kanon.Table(table.frame[:8], table.quasi_identifiers, "label", table.orders)
    for k in range(1, len(rows) + 1):
        kept(table, k, "cell-suppression", {}, cells.by_partitions(rows, k), rng)
    for name in ("k-optimize", "hill-climb"):
        _, after = kept(table, 2 if len(rows) > 1 else 1, name, {"metric": "LM"}, 0, rng)
        assert after.startswith("none")


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_clusters(seed):
    rng = np.random.default_rng([seed, 5])
    for _ in range(3):
        space = small_space(rng, 7, kinds=judge.KINDS)
        k = int(rng.integers(1, 1 + space.total // 2)) if space.total > 1 else 1
        for name, algorithm in FAMILIES["clusters"].algorithms.items():
            if name.endswith("mdav") and (space.metric != "euclidean" or space.total > len(space)):
                continue
            options = cluster_options(rng, algorithm)
            settings = algorithm.checked_options(options)
            asked = SimpleNamespace(algorithm=name, options=settings, k=k)
            kept(space, k, name, options, judge.optimum(space, asked) * judge.SIX_DIGITS, rng)


def cluster_options(rng, algorithm):
    """Some of its options, by chance."""
    values = {
        "centers": lambda option: str(rng.choice(option.choices)),
        "cost": lambda option: str(rng.choice(option.choices)),
        "improve": lambda option: bool(rng.random() < 0.7),
        "epsilon": lambda option: float(rng.choice([0.05, 0.3])),
        "facility_cost": lambda option: float(rng.choice([0, 2.5])),
        "max_clusters": lambda option: int(rng.integers(1, 4)) if rng.random() < 0.5 else None,
    }
    return {option.name: values[option.name](option) for option in algorithm.options if option.name in values}


def test_a_stopped_search_of_clusters_promises_no_ratio():
    space = kanon.MetricSpace([[0.0], [1.0], [2.0], [3.0], [50.0], [51.0], [52.0], [53.0]])
    promise = FAMILIES["clusters"].promise
    stopped = kanon.generalize(space, 2, "center", progress=stop)
    assert (stopped.status, stopped.guarantee) == ("stopped", None)
    assert promise(space, 2, "center", stopped.options, stopped) == "none, because the search was stopped too early"
    words = promise(space, 2, "center", stopped.options)
    assert words.endswith("the best possible, unless the search is stopped early")


def test_words_that_would_be_wrong_are_found():
    """The reader of promises used above finds what is broken."""
    assert broken("at most 8, the heaviest area plus 2 × (k − 1): never above 3 times the best possible", 9, 5) != []
    assert broken("at most 1,000: below 3 times the best possible", 15, 5) == ["below 3 times"]
    assert broken("at most 4 or the best possible plus 2, whichever is more: below 3 times …", 8, 5) != []
    assert broken("at most 99, which is Fold …: never above 1.5 × (the best possible + 4)", 14, 5) != []
    assert broken("at most 99, which is Fold …: never above 1.5 × the best possible, if …", 8, 5) != []
    assert broken("at most 99, which is Fold …: never above 5/2 times the best possible", 13, 5) != []
    assert (
        broken("at most 8 (the heaviest area) plus d × 3, where …: never above (1 + d) times the best possible", 9, 5)
        == []
    )


def stop(report):
    return False


def test_a_stopped_run_promises_less():
    star = kanon.Regions(range(42), [1, 1] + [3] * 40, [(hub, 2 + leaf) for hub in (0, 1) for leaf in range(40)])
    promise = FAMILIES["regions"].promise
    g = kanon.generalize(star, 4, "general-graph", progress=stop)
    assert g.guarantee is None
    assert promise(star, 4, "general-graph", {}, g).startswith("none, because the search was stopped")
    uneven = kanon.Regions(range(49), np.random.default_rng(0).integers(1, 30, 49), grid(7, 7))
    settings = {"compactness": 0.0, "objective": "largest", "effort": 1.0}
    assert "tree split with the same seed" in promise(star, 4, "recombine", settings)
    for changed in ({"compactness": 1.0}, {"objective": "sum"}):
        assert promise(star, 4, "recombine", settings | changed) == "none"
    stopped = kanon.generalize(uneven, 60, "recombine", progress=stop)
    assert stopped.status == "stopped"
    assert promise(uneven, 60, "recombine", stopped.options, stopped) == "none"


def test_labels_kept_apart_promise_nothing():
    labels = kanon.Labels("abcd", [5, 5, 5, 5], apart=[["a", "b"]])
    for name in ("near-optimal", "exact"):
        g = kanon.generalize(labels, 10, name)
        assert g.guarantee is None
        assert FAMILIES["labels"].promise(labels, 10, name, g.options, g).startswith("none")


def test_with_hierarchies_a_table_promises_groups_of_k_and_says_what_is_not_proven():
    people = pd.DataFrame({"age": [1, 1, 2, 3], "sex": list("fffm")})
    tree = Tree.from_levels([["f", "person"], ["m", "person"]])
    for name in ("mondrian", "local-cuts"):
        words = [
            FAMILIES["tables"].promise(table, 2, name, {})
            for table in (kanon.Table(people, ["age", "sex"]), kanon.Table(people, ["age", "sex"], trees={"sex": tree}))
        ]
        assert words == [
            "no group of more than 4 records",
            "every group has at least 2 records, which is checked; a limit on the size of the largest group is proven "
            "only without hierarchies",
        ]
