"""Cuts along trees: the least cost of all that part every domain into nodes, by brute force."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.tables.hierarchies import number_tree
from kanon_engine.tables.release import released_frame
from tests.compiled import THOROUGH, compiled_only
from tests.oracles.tables import cost, everything, subsets
from tests.tables.adult import ADULT, EDUCATION
from tests.tables.random_requirements import random_demands
from tests.tables.random_tables import random_table, sparse_table
from tests.tables.random_trees import node_cuts, with_trees
from tests.verification.proven import better_exists

pytestmark = pytest.mark.kernels

SEEDS = 200 if THOROUGH else 16


def least_along(table, k, metric, limit, weights, holds=everything):
    """The least cost over all sets of cuts whose intervals are nodes where a column has a tree; None: infeasible."""
    rows, labels = [tuple(row) for row in table.codes.tolist()], table.labels.tolist()
    sizes = [len(domain) for domain in table.domains]
    choices = []
    for name, size in zip(table.quasi_identifiers, sizes, strict=True):
        tree = table.tree(name)
        choices.append(subsets(range(1, size)) if tree is None else node_cuts(tree))
    costs = []
    for chosen in product(*map(list, choices)):
        cuts = [(column, at) for column, own in enumerate(chosen) for at in own]
        price, suppressed = cost(rows, labels, cuts, k, metric, sizes, weights, holds)
        if limit is None or suppressed <= limit:
            costs.append(price)
    return min(costs)


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("metric", ["DM", "CM", "AVG", "LM"])
@pytest.mark.parametrize("make", [random_table, sparse_table])
def test_the_least_cost_of_all_cuts_along_trees(metric, make):
    restricted = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, 14])
        table = with_trees(rng, make(rng, most_cuts=8))
        k, most = int(rng.integers(1, 6)), [0, 3, None][seed % 3]
        if len(table) < k:
            continue
        weights = rng.integers(0, 4, len(table.quasi_identifiers)).tolist() if metric == "LM" else None
        options = {"metric": metric, "suppression_limit": most}
        if weights:
            options["weights"] = dict(zip(table.quasi_identifiers, weights, strict=True))
        best = least_along(table, k, metric, most, weights or [1] * len(table.quasi_identifiers))
        g = kanon.generalize(table, k, "k-optimize", **options)
        assert (g.cost, g.lower_bound, g.status) == (best, best, "optimal"), seed
        climbed = kanon.generalize(table, k, "hill-climb", **options, restarts=3)
        assert climbed.lower_bound <= best <= climbed.cost
        for result in (g, climbed):
            kanon.verify(table, result)
            for name, tree in table.trees.items():
                ends = np.cumsum([len(part) for part in result.details.intervals[name]])
                for part, end in zip(result.details.intervals[name], ends.tolist(), strict=True):
                    assert tree.label(end - len(part), end - 1) is not None
        free = kanon.Table(table.frame, table.quasi_identifiers, "label", table.orders)
        restricted += kanon.generalize(free, k, "k-optimize", **options).cost < best
        assert better_exists(table, g) in (False, None)
    assert restricted > 0 or make is sparse_table


def test_along_trees_with_more_required_than_k():
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, 15])
        table, require, holds = random_demands(rng)
        table = with_trees(rng, table)
        k, most, metric = int(rng.integers(1, 5)), [0, 3, None][seed % 3], ["DM", "CM", "AVG", "LM"][seed % 4]
        if not holds(range(len(table))) or len(table) < k:
            continue
        options = {"metric": metric, "suppression_limit": most, "require": require}
        best = least_along(table, k, metric, most, [1] * len(table.quasi_identifiers), holds)
        g = kanon.generalize(table, k, "k-optimize", **options)
        assert (g.cost, g.lower_bound, g.status) == (best, best, "optimal"), seed
        assert kanon.generalize(table, k, "hill-climb", **options, restarts=3).cost >= best


@compiled_only
def test_adult_shows_only_words_of_its_trees():
    frame = pd.read_parquet(ADULT)
    school = {name: "school" if place < 9 else "college" for place, name in enumerate(EDUCATION)}
    trees = {
        "education": Tree.from_levels(list(school.items())),
        "age": number_tree(frame["age"].tolist()),
        "sex": Tree.from_levels([("Male",), ("Female",)]),
        "race": Tree.from_levels([(race, race if race == "White" else "not white") for race in frame["race"].unique()]),
    }
    table = kanon.Table(frame, list(trees), "salary", trees=trees)
    g = kanon.generalize(table, 25, "k-optimize")
    assert g.status == "optimal"
    released = released_frame(table, g)
    for name, tree in trees.items():
        assert set(released[name]) <= {tree.label(low, high) for low, high in tree.nodes.tolist()}
    assert released.groupby(list(trees)).size().min() >= 25
