"""No release hides detail for free: none could be finer with the same groups."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables import ALGORITHMS
from kanon_engine.tables.cuts import assignment_of, problem_of, root_bound, with_free_cuts
from kanon_engine.tables.k_optimize import _outcome
from kanon_engine.tables.release import released_frame
from tests.oracles.finer import everything, finer_boxes, finer_cells, finer_cuts
from tests.tables.random_requirements import random_demands
from tests.tables.random_tables import random_table, sparse_table
from tests.tables.random_trees import with_trees

METRICS = ("DM", "CM", "AVG", "LM")


def finer(table, g, holds=everything):
    """What of a result could be finer, by the oracle."""
    rows = [tuple(row) for row in table.codes.tolist()]
    trees = [
        None if (tree := table.tree(name)) is None else list(map(tuple, tree.nodes.tolist()))
        for name in table.quasi_identifiers
    ]
    groups, details = g.assignment.tolist(), g.details
    if hasattr(details, "intervals"):
        edges = [[0] for _ in trees]
        for column, edge in details.cuts.tolist():
            edges[column].append(edge)
        return finer_cuts(rows, list(map(len, table.domains)), edges, trees, g.k, holds)
    if hasattr(details, "stars"):
        return finer_cells(rows, groups, details.stars.tolist())
    return finer_boxes(rows, groups, np.stack([details.low, details.high], axis=2).tolist(), trees)


def small_tables(count, salt, most=40):
    """Random tables of 2 to 4 columns: numbers, orders with values that do not occur, hierarchies; and a k."""
    made = seed = 0
    while made < count:
        seed += 1
        rng = np.random.default_rng([seed, salt])
        table = [random_table, sparse_table][seed % 2](rng)
        if len(table.quasi_identifiers) < 2 or len(table) > most:
            continue
        made += 1
        if seed % 3 == 0:
            table = with_trees(rng, table)
        elif seed % 3 == 1:
            table = kanon.Table(table.frame, table.quasi_identifiers, table.class_label)
        yield table, min(int(rng.integers(2, 6)), len(table)), METRICS[made % 4], seed


def could_be_finer(count, salt, most=40):
    """How many of so many tables have a release that could be finer, by algorithm; and how many results there are."""
    found, looked = dict.fromkeys(ALGORITHMS, 0), 0
    for table, k, metric, seed in small_tables(count, salt, most):
        for name, algorithm in ALGORITHMS.items():
            options = {option.name: option.default for option in algorithm.options}
            chosen = {"metric": metric} if "metric" in options else {}
            if "suppression_limit" in options:
                chosen["suppression_limit"] = [None, 0, 2][seed % 3]
            if "restarts" in options:
                chosen["restarts"] = 3
            if "relaxed" in options:
                chosen["relaxed"] = seed % 2 == 0
            g = kanon.generalize(table, k, name, seed=seed, **chosen)
            found[name] += bool(finer(table, g))
            looked += 1
    return found, looked


@pytest.mark.parametrize(("count", "most"), [(12, 12), pytest.param(500, 40, marks=pytest.mark.thorough)])
def test_no_release_of_a_random_table_could_be_finer_with_the_same_groups(count, most):
    found, looked = could_be_finer(count, 91, most)
    assert looked == count * 6
    assert set(found.values()) == {0}, found


def test_four_people_whose_ages_follow_from_their_zip_codes_show_them():
    table = kanon.Table(pd.DataFrame({"zip": list("aabb"), "age": [20, 20, 50, 50]}), ["zip", "age"])
    shown = [["a", "20"], ["a", "20"], ["b", "50"], ["b", "50"]]
    for name in ("k-optimize", "hill-climb", "exact", "local-cuts", "mondrian"):
        assert released_frame(table, kanon.generalize(table, 2, name)).values.tolist() == shown


def test_records_left_out_for_what_is_required_stay_out_and_no_cut_is_left():
    free = 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 92])
        table, require, holds = random_demands(rng)
        if not holds(range(len(table))):
            continue
        metric = METRICS[seed % 4]
        g = kanon.generalize(table, 2, "hill-climb", metric=metric, restarts=1, require=require)
        assert not finer(table, g, holds)
        free += g.details.suppressed > 0
    assert free > 2


def test_cuts_that_would_bring_records_back_together_are_not_all_added():
    """Left out are six people alike but for age; some of the cuts between them would leave a part that is diverse."""
    people = pd.DataFrame({"zip": list("aaaaaa") + list("bbbb"), "age": [1, 1, 2, 2, 3, 3] + [3] * 4})
    people["illness"] = ["gout", "gout", "gout", "flu", "gout", "gout"] + ["flu", "gout"] * 2
    table = kanon.Table(people, ["zip", "age"])
    require = [kanon.Diversity("illness", 2, "entropy")]
    heads = np.array([column == 0 for column, _ in table.cut_values.tolist()])
    kept = assignment_of(table, 2, heads, require) >= 0
    assert kept.tolist() == [False] * 6 + [True] * 4
    assert not (assignment_of(table, 2, np.ones_like(heads), require) >= 0)[:2].any()
    assert (assignment_of(table, 2, np.ones_like(heads), require) >= 0).sum() == 6
    found = with_free_cuts(table, 2, heads, require)
    assert found.tolist() == [True, True, False]
    assert ((assignment_of(table, 2, found, require) >= 0) == kept).all()


def test_cuts_that_a_stopped_search_has_not_found_lower_the_cost_and_keep_the_bound():
    """By LM a cut that parts no class narrows intervals; the result says what is then lost."""
    table = kanon.Table(pd.DataFrame({"zip": list("aabb"), "age": [20, 20, 50, 50]}), ["zip", "age"])
    problem, root = problem_of(table, 2, "LM", None)
    outcome = _outcome(table, problem, root, (), root_bound(problem, root), np.array([True, False]), [(7, 4, 0)])
    assert (outcome.cost, outcome.bound.value, outcome.details.curve.tolist()) == (0, 0, [[7, 0, 0]])
