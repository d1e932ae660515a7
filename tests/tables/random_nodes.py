"""Nodes of K-Optimize's tree for small random tables, with the least cost below them the plain way."""

import numpy as np

from kanon_engine.tables.cuts import copied, problem_of
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL, collapse, intervals, row_bounds, split
from tests.oracles.tables import cost
from tests.tables.random_tables import plain, random_table

METRICS = ("DM", "CM", "AVG", "LM")
NEVER = 1 << 60


def random_nodes(metric, count=15, **parts):
    """Tables with a node of their tree: problem, node, kinds, and a function for the least cost over given cuts."""
    for seed in range(count):
        rng = np.random.default_rng([seed, 77])
        table = random_table(rng, most_cuts=8)
        rows, labels, cuts, sizes = plain(table)
        if not cuts:
            continue
        k, limit = int(rng.integers(2, 6)), [0, 5, None][seed % 3]
        problem, node = problem_of(table, min(k, len(table)), metric, limit, **parts)
        kinds = rng.choice([OUT, HEAD, TAIL], len(cuts), p=[0.2, 0.2, 0.6]).astype(np.int8)
        for value in np.flatnonzero(kinds == HEAD):
            node = split(problem, node, value)

        def price(chosen, rows=rows, labels=labels, k=problem.k, sizes=sizes, limit=problem.limit, cuts=cuts):
            total, lost = cost(rows, labels, [cuts[v] for v in chosen], k, metric, sizes, [1] * len(sizes))
            return total if lost <= limit else NEVER

        yield table, problem, copied(node), kinds, price


def below(kinds, price):
    """The least cost over the node and its descendants."""
    heads, tail = np.flatnonzero(kinds == HEAD).tolist(), np.flatnonzero(kinds == TAIL).tolist()
    chosen = [[tail[place] for place in range(len(tail)) if mask >> place & 1] for mask in range(1 << len(tail))]
    return min(price([*heads, *some]) for some in chosen)


def no_conflict(kinds):
    return np.zeros((len(kinds), len(kinds)), dtype=bool)


def bound_of(problem, node, kinds):
    begins, ends = intervals(problem, kinds)
    node = collapse(problem, copied(node), begins)
    bounds = row_bounds(problem, node, begins, ends)
    return problem.penalty * node.suppressed + int(bounds.sum()), node, bounds
