"""Figures on Adult: the paper's grid, what each part of the pruning is worth, nodes a second against the plain way.

KANON_CELL_SECONDS=60 pytest tests/benchmarks/test_tables.py -s; each test prints a table. Not part of a plain run.
"""

import os
import time
from itertools import product

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.tables.cuts import problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT
from kanon_engine.tables.k_optimize import KOptimizeSearch
from tests.tables.adult import adult_table

SECONDS = float(os.environ.get("KANON_CELL_SECONDS", "5"))  # CPU time a cell of the grid
KS = (1000, 500, 250, 100, 50, 25, 10, 5)


def cells(tables=("coarse", "fine")):
    """The grid, cheapest first."""
    grid = product(KS, (0, 100, None), tables, ("CM", "DM"))
    return sorted(grid, key=lambda cell: (cell[1] != 0, cell[1] is None, cell[2] != "coarse", -cell[0], cell[3]))


def within(seconds):
    """A listener that stops a search after so much CPU time."""
    start = time.process_time()
    return lambda report: time.process_time() - start < seconds


def run_grid(seconds, tables=("coarse", "fine"), write=print):
    """Every cell, with the cheapest solution of a larger k or a smaller limit as its upper bound; yields its row."""
    instances = {name: adult_table(name) for name in tables}
    known = {}
    write("| ages | metric | limit | k | cost | bound | gap | nodes | nodes/s | CPU s | status |")
    write("|---|---|---|---|---|---|---|---|---|---|---|")
    for k, limit, ages, metric in cells(tables):
        size = len(instances[ages]) if limit is None else limit
        seeds = [
            cost
            for (a, m, least, most), cost in known.items()
            if (a, m) == (ages, metric) and least >= k and most <= size
        ]
        start = time.process_time()
        g = kanon.generalize(
            instances[ages],
            k,
            "k-optimize",
            metric=metric,
            suppression_limit=limit,
            upper_bound=min(seeds, default=None),
            time_limit=1e9,
            progress=within(seconds),
        )
        spent = time.process_time() - start
        known[ages, metric, k, size] = g.cost
        rate = g.details.nodes / spent
        write(
            f"| {ages} | {metric} | {'none' if limit is None else limit} | {k} | {g.cost:,} | {g.lower_bound:,} "
            f"| {g.gap:.2%} | {g.details.nodes:,} | {rate:,.0f} | {spent:.1f} | {g.status} |"
        )
        yield (k, limit, ages, metric), g


def test_the_papers_grid():
    proven = {cell: g for cell, g in run_grid(SECONDS) if g.status == "optimal"}
    known = {1000: 54_955_374, 500: 29_624_696, 250: 17_684_226, 100: 13_139_576, 50: 10_125_180, 25: 7_915_746}
    for k, cost in known.items():
        assert proven[k, 0, "coarse", "DM"].cost == cost
    for (k, limit, ages, metric), g in proven.items():
        costlier = proven.get((k, 0, ages, metric))
        assert limit == 0 or costlier is None or g.cost <= costlier.cost


PARTS = {  # switches of `problem_of`, and the order of the tail
    "all": ({}, "exclusion"),
    "no pairs that conflict": ({"conflicts": False}, "exclusion"),
    "no forced values": ({"conflicts": False, "forcing": False}, "exclusion"),
    "the paper's order": ({"conflicts": False, "forcing": False}, "pairs"),
    "no order": ({"conflicts": False, "forcing": False}, "given"),
    "no useless values": ({"useless": False}, "exclusion"),
    "no tail pruning": ({"tails": False, "conflicts": False, "forcing": False}, "exclusion"),
}


@pytest.mark.parametrize(
    ("ages", "k", "limit", "metric", "best"),
    [
        ("coarse", 50, 0, "DM", 10_125_180),
        ("coarse", 100, 100, "DM", 13_139_576),
        ("fine", 50, 0, "DM", 4_112_312),
        ("fine", 50, None, "DM", 4_112_312),
        ("fine", 50, 0, "CM", 5_276),
    ],
)
def test_what_each_part_is_worth(ages, k, limit, metric, best):
    table = adult_table(ages)
    allowed = "no limit" if limit is None else f"limit {limit}"
    print(  # noqa: T201
        f"\n{ages}, k = {k}, {allowed}, {metric}, seeded with the least cost plus 1\n"
        "| part | nodes | CPU s | proven |\n|---|---|---|---|"
    )
    for name, (switches, order) in PARTS.items():
        problem, root = problem_of(table, k, metric, limit, **switches)
        search = KOptimizeSearch(problem, root, best + 1, order)
        goes_on = within(SECONDS)
        start = time.process_time()
        search.go_on(lambda goes_on=goes_on: goes_on(None))
        print(f"| {name} | {search.nodes:,} | {time.process_time() - start:.1f} | {search.done} |")  # noqa: T201
        assert not search.done or search.best == best


def test_nodes_a_second_against_classes_made_anew():
    table = adult_table("coarse")
    problem, root = problem_of(table, 50, "DM", 100)
    search = KOptimizeSearch(problem, root, 10_125_181)
    goes_on = within(SECONDS)
    start = time.process_time()
    search.go_on(lambda: goes_on(None))
    fast = search.nodes / (time.process_time() - start)

    distinct, counts, _ = table.tuples
    sizes = counts.sum(axis=1)
    rng = np.random.default_rng(0)
    start = time.process_time()
    for _ in range(20):  # the cost of the head and the bound of the allset, each from all tuples by sorting
        kinds = np.where(rng.random(len(problem.columns)) < 0.1, HEAD, OUT)
        for cuts in (kinds == HEAD, rng.random(len(kinds)) < 0.5):
            boxes = np.column_stack(
                [
                    np.searchsorted(
                        table.cut_values[cuts & (problem.columns == column), 1], distinct[:, column], "right"
                    )
                    for column in range(distinct.shape[1])
                ]
            )
            np.bincount(np.unique(boxes, axis=0, return_inverse=True)[1].reshape(-1), weights=sizes)
    plain = 20 / (time.process_time() - start)
    print(  # noqa: T201
        f"\n{fast:,.0f} nodes a second; the plain way, without pruning, {plain:,.1f}: {fast / plain:,.0f} times"
    )
    assert fast > plain


@pytest.mark.parametrize("ages", ["coarse", "fine"])
def test_both_algorithms_over_time(ages):
    """The paper's Figure 7b: k = 50, no limit, seeded with the optimum without suppression; both for the same time."""
    table = adult_table(ages)
    first = kanon.generalize(table, 50, "k-optimize", suppression_limit=0, time_limit=1e9, progress=within(SECONDS))
    complete = kanon.generalize(
        table, 50, "k-optimize", upper_bound=first.cost, time_limit=1e9, progress=within(SECONDS)
    )
    climbed = kanon.generalize(table, 50, "hill-climb", restarts=10**9, time_limit=1e9, progress=within(SECONDS))
    for name, g in {"limit 0": first, "complete": complete, "hill-climb": climbed}.items():
        print(f"\n{ages} {name}: {g.cost:,} of {g.lower_bound:,}, {g.status}, {g.seconds:.0f} s")  # noqa: T201
        print(*(f"{done}:{best}" for done, best, _ in g.details.curve[-12:]))  # noqa: T201
    assert complete.lower_bound <= climbed.cost


def test_the_sample_is_the_papers():
    assert [len(adult_table(ages).cut_values) for ages in ("coarse", "paper", "fine")] == [100, 99, 156]
