"""verify's own look at all solutions of a small instance, against brute force, and what it costs at most."""

import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from tests.clusters import judge
from tests.clusters.small_spaces import small_space
from tests.compiled import thorough_only
from tests.corruption import failed
from tests.oracles import cells, label_constraints, rectangles_exact, tables
from tests.regions.graphs_any import feasible, some
from tests.regions.wished_maps import seeded
from tests.tables.random_tables import plain, random_table, sparse_table
from tests.verification.proven import better_exists

SEEDS = range(40)


def exists_below(instance, g, bound):
    """What the look at all solutions says of this bound."""
    return better_exists(instance, replace(g, lower_bound=bound))


def agrees(instance, g, best):
    """Nothing is below the best, and something is below anything above it."""
    return [exists_below(instance, g, bound) for bound in (best - 1, best, best + 1)] == [False, False, True]


@pytest.mark.parametrize("seed", range(4))
def test_regions(seed):
    for _, regions, k, best in some(feasible(seed), 10):
        assert agrees(regions, kanon.generalize(regions, k, "tree-split"), best)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("number", range(3))
def test_regions_with_wishes_and_minima(number):
    cases = [seeded(seed) for seed in range(25 * number, 25 * (number + 1))]
    cases = [case for case in cases if case.best is not None]
    for case in cases:
        free = replace(case.regions, together=(), apart=(), barriers=())
        g = replace(kanon.generalize(free, case.k, "tree-split"), require=case.require)
        assert agrees(case.regions, g, case.best)
    assert len(cases) > 8


@pytest.mark.parametrize("seed", SEEDS)
def test_labels(seed):
    counts, k, together, apart = label_constraints.random_instance(np.random.default_rng(seed))
    best = label_constraints.optimum(counts, k, together, apart)
    labels = kanon.Labels(range(len(counts)), counts, together=together, apart=apart)
    if best is None:
        with pytest.raises(kanon.KanonError):
            kanon.generalize(labels, k, "exact")
        return
    assert agrees(labels, kanon.generalize(labels, k, "exact"), best)


@pytest.mark.parametrize("seed", SEEDS)
def test_clusters(seed):
    rng = np.random.default_rng(seed)
    space = small_space(rng, 6, kinds=judge.KINDS)
    k, cost, centers = (
        int(rng.integers(1, space.total + 1)),
        ("radius", "cellular")[seed % 2],
        ("any", "input")[seed // 2 % 2],
    )
    g = kanon.generalize(space, k, "exact", cost=cost, centers="input" if cost == "cellular" else centers)
    best = judge.optimum(space, g)
    assert not exists_below(space, g, best * 0.999)
    assert not exists_below(space, g, g.cost)
    assert exists_below(space, g, best * 1.001 + 0.001)


@pytest.mark.parametrize("seed", SEEDS)
def test_rectangles(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 11))
    points = kanon.Points(rng.integers(0, 5, (n, 2)), rng.integers(1, 6, n))
    k = int(rng.integers(1, points.total + 1))
    best = rectangles_exact.best_tiling(points.xy.tolist(), points.weights.tolist(), k)[0]
    assert agrees(points, kanon.generalize(points, k, "kd-tree"), best)


def test_a_pinwheel_is_found_though_no_cuts_make_it():
    points = kanon.Points([(i, j) for i in range(3) for j in range(3)], [1, 1, 1, 1, 2, 1, 1, 1, 1])
    g = kanon.generalize(points, 2, "exact")
    assert (g.cost, exists_below(points, g, 3)) == (3, True)


@pytest.mark.parametrize("metric", ["DM", "CM", "AVG", "LM"])
@pytest.mark.parametrize("seed", range(12))
def test_intervals(seed, metric):
    rng = np.random.default_rng(seed)
    table = (random_table, sparse_table)[seed % 2](rng, 7)
    k, limit = int(rng.integers(1, len(table) + 1)), [None, 0, int(rng.integers(0, len(table)))][seed % 3]
    weights = [1] * len(table.quasi_identifiers)
    rows, labels, cuts, sizes = plain(table)
    best = tables.least(rows, labels, cuts, k, metric, limit, sizes, weights)
    g = kanon.generalize(table, k, "hill-climb", metric=metric, suppression_limit=limit, restarts=0)
    assert agrees(table, g, best)


@pytest.mark.parametrize("metric", ["DM", "CM", "AVG", "LM"])
@pytest.mark.parametrize("seed", range(12))
def test_a_single_column_by_its_ends(seed, metric):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    frame = pd.DataFrame({"a": rng.choice(rng.integers(0, 12, 9), n), "label": rng.choice(["x", "y"], n)})
    table = kanon.Table(frame, ["a"], "label", {"a": list(range(12))})
    k, limit = int(rng.integers(1, n // 2 + 1)), [None, 0, int(rng.integers(0, n)), n][seed % 4]
    rows, labels, cuts, sizes = plain(table)
    best = tables.least(rows, labels, cuts, k, metric, limit, sizes, [1])
    g = kanon.generalize(table, k, "hill-climb", metric=metric, suppression_limit=limit, restarts=0)
    assert agrees(table, g, best)


@pytest.mark.parametrize("seed", range(30))
def test_cells(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    rows = rng.integers(0, 3, (n, int(rng.integers(1, 4))))
    table = kanon.Table(
        pd.DataFrame(rows.astype(str), columns=list("abc")[: rows.shape[1]]), list("abc")[: rows.shape[1]]
    )
    k = int(rng.integers(1, min(n, 4) + 1))
    best = cells.by_partitions([tuple(row) for row in rows.tolist()], k)
    assert agrees(table, kanon.generalize(table, k, "cell-suppression"), best)


@pytest.mark.parametrize(
    ("values", "weights", "k", "best"),
    [("xyz", None, 2, 3), ("xxyz", None, 2, 2), ("xyzuv", None, 3, 5), ("xy", [3, 1], 2, 4), ("xyz", [1, 4, 1], 3, 6)],
)
def test_groups_of_hidden_cells_are_as_large_as_they_need_be(values, weights, k, best):
    """Of 2 k - 1 records, or of a row that stands for more, with one that is too few."""
    table = kanon.Table(pd.DataFrame({"a": list(values), "b": "same"}), ["a", "b"], weights=weights)
    assert agrees(table, kanon.generalize(table, k, "cell-suppression"), best)


def large():
    rng = np.random.default_rng(3)
    square = [(7 * i + j, 7 * i + j + d) for i in range(7) for j in range(7) for d in (1, 7) if d == 7 or j < 6]
    yield kanon.Regions(range(49), rng.integers(100, 999, 49), [e for e in square if e[1] < 49]), 4000, "tree-split", {}
    yield kanon.Labels(range(60), rng.integers(1000, 9999, 60)), 30_000, "fold", {}
    yield kanon.Points(rng.integers(0, 999, (50, 2)), rng.integers(10, 99, 50)), 200, "kd-tree", {}
    frame = pd.DataFrame({name: rng.integers(0, 5, 460) for name in "abc"})
    yield kanon.Table(frame, list("abc")), 20, "hill-climb", {"restarts": 0}
    frame = pd.DataFrame({"a": rng.permutation(590)})
    yield kanon.Table(frame, ["a"]), 5, "hill-climb", {"restarts": 0, "suppression_limit": 80}
    frame = pd.DataFrame(rng.integers(0, 3, (60, 4)).astype(str), columns=list("abcd"))
    yield kanon.Table(frame, list("abcd")), 4, "cell-suppression", {}


LARGE = list(large())


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(("instance", "k", "algorithm", "options"), [*LARGE[:-1], *thorough_only(LARGE[-1:])])
def test_the_look_ends_soon(instance, k, algorithm, options):
    g = kanon.generalize(instance, k, algorithm, time_limit=0.5, **options)
    begin = time.process_time()
    for bound in (g.lower_bound + 1, g.cost):
        exists_below(instance, g, bound)
    took, begin = time.process_time() - begin, time.process_time()
    sum(number * number for number in range(2_000_000))
    assert took < 75 * (time.process_time() - begin)  # however busy the machine is


def alike(family, items):
    """An instance of so many items among which nothing can be better, k, an algorithm and the bound."""
    every = range(items)
    return {
        "regions": lambda: (kanon.Regions(every, [1] * items, [(i, i + 1) for i in every[:-1]]), 1, "tree-split", 1),
        "labels": lambda: (kanon.Labels(every, [1] * items), 1, "fold", 1),
        "columns": lambda: (kanon.Points([(i, 0) for i in every]), 1, "kd-tree", 1),
        "rows": lambda: (kanon.Points([(0, i) for i in every]), 1, "kd-tree", 1),
        "points": lambda: (kanon.MetricSpace([(i, 0) for i in every]), items, "gather", 0.0),
        "cells": lambda: (kanon.Table(pd.DataFrame({"a": ["x"] * items}), ["a"]), 2, "cell-suppression", 0),
        "intervals": lambda: (kanon.Table(pd.DataFrame({"a": every}), ["a"]), items, "hill-climb", 0),
    }[family]()


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("family", "module", "words"),
    [
        ("regions", "verification.regions", "up to {MOST} areas and {WORK:,} connected sets"),
        ("labels", "verification.labels", "up to {MOST} labels and {WORK:,} labels put into a class"),
        ("columns", "verification.rectangles", "up to {MOST} columns and rows between lines"),
        ("rows", "verification.rectangles", "that leave k on both sides and {WORK:,} rectangles"),
        ("points", "verification.clusters", "up to {MOST} points of a clustering"),
        ("cells", "verification.tables", "up to {MOST} records and {WORK:,} records put into a group"),
        (
            "intervals",
            "verification.tables",
            "up to {MOST_CUTS} possible cuts of all columns together, and of a single column up to {DEEPEST} values",
        ),
    ],
)
def test_so_many_items_are_looked_at_as_the_docs_tell_and_no_more(family, module, words):
    limits = dict(vars(import_module(f"kanon_engine.{module}")))
    most = limits["DEEPEST" if family == "intervals" else "MOST"]
    for items, answer in ((most, False), (most + 1, None)):
        instance, k, algorithm, bound = alike(family, items)
        assert exists_below(instance, kanon.generalize(instance, k, algorithm), bound) is answer
    assert words.format_map(limits) in " ".join(Path("docs/certificates.md").read_text(encoding="utf-8").split())


def few():
    """An instance, k, algorithm and false bound, and how many sets are looked at until an answer."""
    yield kanon.Regions(range(3), [1, 1, 1], [(0, 1), (1, 2)]), 1, "tree-split", 2, 3
    yield kanon.Labels("abc", [1, 1, 1]), 1, "fold", 2, 3
    yield kanon.Points([(i, 0) for i in range(4)]), 1, "kd-tree", 2, 4
    # parts and labels that no number of classes fits, by their weight, and those left before: not looked at
    edges = [(0, 2), (0, 3), (1, 3), (1, 4), (2, 3), (2, 5), (3, 4)]
    yield kanon.Regions(range(6), [3, 4, 4, 5, 0, 2], edges), 4, "tree-split", 8, 12
    yield kanon.Labels("abcde", [9, 9, 9, 5, 1]), 7, "fold", 11, 8
    table = kanon.Table(pd.DataFrame({"a": list("xyz")}), ["a"])
    yield table, 2, "cell-suppression", 3, 3  # x; x and y; x and z
    table = kanon.Table(pd.DataFrame({"a": list("xxxxy")}), ["a"])
    yield table, 2, "cell-suppression", 2, 6  # one to three x; then one and two x; what leaves y alone; one x with it
    table = kanon.Table(pd.DataFrame({"a": list("abcdef")}), ["a"])
    yield (
        table,
        2,
        "cell-suppression",
        5,
        52,
    )  # 61, did not nine of fifteen ways to take two pairs leave a pair seen before


@pytest.mark.parametrize(("instance", "k", "algorithm", "bound", "sets"), list(few()))
def test_so_many_sets_are_looked_at_and_no_more(instance, k, algorithm, bound, sets, monkeypatch):
    g = kanon.generalize(instance, k, algorithm)
    expected = exists_below(instance, g, bound)
    monkeypatch.setattr(FAMILIES[g.family].verifier, "WORK", sets)
    assert exists_below(instance, g, bound) is expected is (bound > g.cost)
    monkeypatch.setattr(FAMILIES[g.family].verifier, "WORK", sets - 1)
    assert exists_below(instance, g, bound) is None


@pytest.mark.parametrize(
    ("values", "k", "bound", "steps"), [([1, 1, 2, 3, 4, 5], 2, 12, 99), ([1, 1, 2, 3, 4, 5], 2, 18, 39)]
)
def test_so_many_sets_of_boxes_are_looked_at_and_no_more(values, k, bound, steps, monkeypatch):
    table = kanon.Table(pd.DataFrame({"a": values, "b": values[::-1]}), ["a", "b"])
    g = kanon.generalize(table, k, "mondrian", metric="DM")
    for limit, answer in ((steps, bound > 12), (steps - 1, None)):
        monkeypatch.setattr("kanon_engine.verification.tables.MOST_STEPS", limit)
        assert exists_below(table, g, bound) is answer


def test_labels_apart_are_never_packed_together():
    counts = [4, 2, 3, 3]
    free, kept = kanon.Labels("abcd", counts), kanon.Labels("abcd", counts, apart=[("a", "b")])
    assert agrees(free, kanon.generalize(free, 5, "exact"), 6)
    assert agrees(kept, kanon.generalize(kept, 5, "exact"), 7)


def test_a_true_word_about_few_items_is_checked():
    labels = kanon.Labels(range(6), [8, 7, 6, 6, 5, 3])
    for k in range(1, 36):
        g = kanon.generalize(labels, k, "exact")
        certificate = kanon.verify(labels, g)
        assert certificate.proof == "checked"
        assert bool(looks(certificate)) == (g.bound_kind == "solver")
    labels = kanon.Labels(range(7), [12, 5, 7, 12, 2, 5, 2])
    g = kanon.generalize(labels, 11, "exact")
    certificate = kanon.verify(labels, g)
    assert (g.bound_kind, certificate.proof) == ("solver", "checked")
    assert looks(certificate) == ["all solutions were examined; none costs less than 17."]


def looks(certificate):
    return [check.detail for check in certificate.checks if check.name == "exhaustive check"]


def test_a_false_word_about_few_items_is_refused():
    regions = kanon.Regions(range(6), [3, 1, 3, 1, 3, 1], [(i, (i + 1) % 6) for i in range(6)])
    g = kanon.generalize(regions, 4, "tree-split")
    word = {"algorithm": "exact", "options": {}, "bound_name": "exact search", "bound_kind": "solver"}
    word |= {"bound_witness": (), "guarantee": None, "details": replace(g.details, theorem="")}
    assert g.cost == 4
    one = replace(g, **word, assignment=np.zeros(6, np.int32), class_weights=np.array([12]), cost=12)
    tree = replace(one.details, cut_edges=np.empty((0, 2), np.int32))
    forged = replace(one, details=tree, lower_bound=12, status="optimal").sealed()
    assert failed(regions, forged) == "exhaustive check"
    with pytest.raises(kanon.CertificateError, match="all solutions were examined; one costs less than 12"):
        kanon.verify(regions, forged)
