from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.regions import tree_split, trees
from tests.regions import planar_graphs as planar
from tests.regions.graphs import grid
from tests.sentences import FALL_INTO_PARTS, WITHOUT_CROSSINGS


def regions(edges, seed=0):
    n = int(np.max(edges)) + 1
    return kanon.Regions(range(n), np.random.default_rng(seed).integers(1, 30, n), edges)


def split(instance, k=40, **options):
    return kanon.generalize(instance, k, "tree-split", **options)


FOUR = planar.four_connected_triangulation(np.random.default_rng(0), 60)
THREE = planar.stacked_triangulation(np.random.default_rng(0), 60)


@pytest.mark.parametrize(
    ("edges", "degree", "theorem"),
    [
        (FOUR, 2, "Theorem 3: 4-connected planar, d = 2, ratio 3"),
        (THREE, 3, "Theorem 3: 3-connected planar, d = 3, ratio 4"),
        (grid(7, 7), 3, "Lemma 2: any graph, ratio 1 + d"),
    ],
)
def test_auto_takes_the_best_theorem(edges, degree, theorem):
    areas = regions(edges)
    g = split(areas)
    assert g.details.degree <= degree
    assert g.details.theorem == theorem
    assert f"({tree_split.IN_WORDS[theorem]}). No area" in next(iter(teaching.steps(areas, g))).why
    assert g.cost <= g.guarantee <= max(40, g.lower_bound) + degree * 39


@pytest.mark.parametrize(
    ("tree", "edges", "degree"), [("hamiltonian", FOUR, 2), ("degree-3", FOUR, 3), ("degree-3", THREE, 3)]
)
def test_each_tree_by_name(tree, edges, degree):
    g = split(regions(edges), tree=tree)
    assert g.details.degree <= degree
    assert f"d = {degree}" in g.details.theorem


@pytest.mark.parametrize(
    ("tree", "edges", "words"),
    [
        (
            "degree-3",
            grid(2, 3),
            "crossing edges and stays connected when any two areas are removed, but without 0 and 4, 3 is cut off",
        ),
        ("hamiltonian", planar.wheel(5), r"when any three areas are removed, but without .*0.* (is|are) cut off"),
        ("degree-3", planar.wheel(5)[:5].tolist() + [(6, 7)], FALL_INTO_PARTS),
        ("hamiltonian", [(a, b) for a in range(6) for b in range(a)], WITHOUT_CROSSINGS),
    ],
)
def test_an_unmet_condition_is_told(tree, edges, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        split(regions(edges), k=1, tree=tree)


def test_a_search_that_finds_no_path_leaves_the_tree_of_degree_three(monkeypatch):
    monkeypatch.setattr(trees, "ROTATION_STEPS", 0)
    for options in ({}, {"tree": "hamiltonian", "progress": lambda report: False}):
        g = split(regions(FOUR), **options)
        assert g.details.theorem == "Theorem 3: 3-connected planar, d = 3, ratio 4"
        assert g.details.degree <= 3
    assert "ended before" in g.details.heuristic


def test_above_a_size_it_is_not_asked(monkeypatch):
    monkeypatch.setattr(tree_split, "TRIES_SIZE", 50)
    g = split(regions(FOUR))
    assert "Theorem 3 of the paper is not considered above 50 areas" in g.details.heuristic
    assert g.details.theorem.startswith("Lemma 2")


def test_auto_says_why_no_theorem_applies():
    assert (
        "Theorem 3 of the paper does not apply because without 0 and 3, 1 is cut off"
        in split(regions(grid(2, 2)), k=1).details.heuristic
    )


@pytest.mark.parametrize(
    "theorem",
    ["Theorem 3: 4-connected planar, d = 2, ratio 3", "Theorem 3: 5-connected planar, d = 1, ratio 2", ""],
)
def test_a_false_theorem_is_caught(theorem):
    instance = regions(THREE)
    good = split(instance)
    with pytest.raises(kanon.CertificateError) as caught:
        kanon.verify(instance, replace(good, details=replace(good.details, theorem=theorem)).sealed())
    assert caught.value.check == "theorem"
