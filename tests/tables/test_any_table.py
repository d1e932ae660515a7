"""Random small tables with ugly values and hierarchies, against every recoding of them by brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import Infeasible, SearchEnded
from kanon_engine.model.tree import Tree
from tests.oracles import boxes, recodings
from tests.oracles.diversity import satisfied
from tests.tables.random_requirements import requirement

METRICS = ("DM", "CM", "AVG", "LM")
CUTS, BOXES = ("k-optimize", "hill-climb"), ("exact", "local-cuts", "mondrian")
VALUES = (
    [0, 1, 2, 3, 5],
    [-(2**62), -1, 2**53, 2**53 + 1, 2**62],
    [-1e308, -5e-324, 5e-324, 0.1, 1e308],
    [2**53 + 1, 0.5, 2**62, 1e308, -3],
    [-0.0, 0.1, 0.2, 0.3, 1e22],
    ["a", "b", " b", "B", "é"],
    ["01", "1", "1.0", "=1", ""],
    [False, True],
)
SENSITIVE = (["flu", "gout", "mumps", None], [10, 20, 21, None], [2**62, 2**62 - 1, 1e308, -1e308], [True, False])
WANTED = (  # as the oracle takes them; None is nothing
    [None],
    [("distinct", 2), ("distinct", 3)],
    [("entropy", 1.5), ("entropy", 2), ("entropy", 2.5)],
    [("recursive", 2, 0.5), ("recursive", 2, 1.25), ("recursive", 3, 3.0)],
    [("closeness", 0.05), ("closeness", 0.25), ("closeness", 0.5)],
)
HIERARCHIES = 10_000  # seeds from here on: a hierarchy for each column
TABLES = 5_000


class Case:
    """A random table and the same as lists: rows of positions, labels, hierarchies, sizes of domains, sensitive."""

    def __init__(self, seed):
        rng = np.random.default_rng([32, seed])
        self.k, self.metric = int(rng.integers(1, 5)), METRICS[seed % 4]
        n, q = int(rng.integers(2, 10)), int(rng.integers(1, 4))
        every = seed >= HIERARCHIES
        frame, domains, self.trees, given = {}, [], [], {}
        for name in "abc"[:q]:
            domain, hierarchy = random_domain(rng, 4 if q == 3 else 5, 1 if every else 0.4)
            cells = [domain[place] for place in rng.integers(0, len(domain), n)]
            if hierarchy is None:  # then the domain is what occurs
                domain = [value for value in domain if value in cells]
            else:
                given[name] = Tree.from_levels(levels(hierarchy, domain))
            frame[name] = pd.Series(cells, dtype=object)
            domains.append(domain)
            self.trees.append(hierarchy)
        self.rows = list(
            zip(*([own.index(v) for v in frame[name]] for name, own in zip(frame, domains, strict=True)), strict=True)
        )
        self.sizes = [len(domain) for domain in domains]
        self.labels = rng.choice(["x", "y"], n).tolist()
        values = SENSITIVE[rng.integers(len(SENSITIVE))]
        self.of = [values[int(len(values) * part)] for part in rng.random(n) ** rng.choice([1, 2])]
        asked = WANTED[0 if every else seed // 4 % len(WANTED)]
        self.wanted = asked[rng.integers(len(asked))]
        self.weights = [Fraction(int(rng.integers(0, 11)), 10) if rng.random() < 0.5 else Fraction(1) for _ in domains]
        columns = {"label": self.labels, "of": pd.Series(self.of, dtype=object)}
        self.table = kanon.Table(pd.DataFrame(frame | columns), list(frame), "label", trees=given)

    def allowed(self, members):
        """Whether these records satisfy what is required."""
        return self.wanted is None or satisfied([self.of[place] for place in members], self.of, self.wanted)

    def generalized(self, name, **options):
        """A result that was written, read again and verified, and its cost and bound as the oracle counts them."""
        if name != "cell-suppression":
            options["metric"] = self.metric
            if self.metric == "LM":
                columns = zip(self.table.quasi_identifiers, self.weights, strict=True)
                options["weights"] = ", ".join(f"{column}={float(weight)}" for column, weight in columns)
        require = () if self.wanted is None else (requirement("of", self.wanted),)
        g = kanon.generalize(self.table, self.k, name, require=require, **options)
        again = kanon.Generalization.from_json(g.to_json())
        assert kanon.verify(self.table, again).digest == g.digest
        scale = self.scale if self.metric == "LM" and name != "cell-suppression" else 1
        return g, Fraction(g.cost, scale), Fraction(g.lower_bound, scale)

    @property
    def scale(self):
        """How many parts of a whole column costs are counted in."""
        gaps = [max(size - 1, 1) for size in self.sizes]
        common = lcm(*gaps)
        parts = [weight * common / gap for weight, gap in zip(self.weights, gaps, strict=True)]
        return common * lcm(*(part.denominator for part in parts))


def random_domain(rng, most, share):
    """Up to so many ugly values in order, with a hierarchy for some columns, which may hold values that never occur."""
    pool = VALUES[rng.integers(len(VALUES))]
    size = int(rng.integers(1, min(most, len(pool)) + 1))
    chosen = [pool[place] for place in sorted(rng.choice(len(pool), size, replace=False))]
    missing = [None] if rng.random() < 0.3 and len(chosen) < most and "" not in chosen else []
    domain = [*sorted(chosen, key=str if isinstance(pool[0], str) else None), *missing]
    return domain, random_hierarchy(rng, 0, len(domain)) if rng.random() < share else None


def random_hierarchy(rng, begin, end):
    """A random nested tuple over these positions; a group may hold one group alone."""
    if end - begin == 1 and rng.random() < 0.8:
        return begin
    count = int(rng.integers(1, end - begin + 1)) if end - begin > 1 else 1
    edges = [begin, *sorted((begin + 1 + rng.choice(end - begin - 1, count - 1, replace=False)).tolist()), end]
    if count == 1:  # its members stand below it at once
        return tuple(range(begin, end))
    return tuple(random_hierarchy(rng, low, high) for low, high in pairwise(edges))


def levels(hierarchy, domain):
    """The rows of a hierarchy file: a value, then its groups from the smallest to the largest, each with own words."""

    def below(node, words, path):
        if isinstance(node, int):
            yield (domain[node], *reversed(words))
            return
        for place, child in enumerate(node):
            name = "group " + "".join("ABCDEFGH"[step] for step in (*path, place))
            yield from below(child, words if isinstance(child, int) else [*words, name], (*path, place))

    return list(below(hierarchy, [], ()))


def reached(case, name, seen, **options):
    """Cost and bound, or None where nothing was found; Infeasible and SearchEnded are counted."""
    try:
        g, cost, bound = case.generalized(name, **options)
    except (Infeasible, SearchEnded) as error:
        seen[name, type(error).__name__] += 1
        return type(error)
    seen[name, g.status] += 1
    return g, cost, bound


def compare_cuts(case, seen, limits, names):
    """Single cuts of the columns: the exact search has the least cost, nothing is below it, no bound is above."""
    found = list(recodings.costs(case.rows, case.labels, case.trees, case.sizes, case.k, case.metric, case.weights,
                                 case.allowed))  # fmt: skip
    for limit in limits:
        costs = [cost for cost, out in found if limit is None or out <= limit]
        for name in names:
            options = {"restarts": 3} if name == "hill-climb" else {}
            result = reached(case, name, seen, suppression_limit=limit, **options)
            if not isinstance(result, tuple):
                assert result is SearchEnded or not costs
                assert name == "hill-climb" or not costs
                continue
            g, cost, bound = result
            best = min(costs)
            assert bound <= best <= cost
            if name == "k-optimize":
                assert (cost, bound, g.status) == (best, best, "optimal")


def compare_boxes(case, seen):
    """Boxes: the exact search has the least cost of all partitions of the different rows, nothing is below it."""
    prices = [weight / max(size - 1, 1) for weight, size in zip(case.weights, case.sizes, strict=True)]
    runs = [None if tree is None else sorted(set(recodings.nodes(tree))) for tree in case.trees]
    everybody = range(len(case.rows))
    possible = len(case.rows) >= case.k and case.allowed(everybody)
    few = len(set(case.rows)) <= 6
    best = None
    if possible and few:
        best = boxes.least(case.rows, case.labels, prices, case.k, case.metric, runs, case.allowed)
    for name in BOXES:
        result = reached(case, name, seen, **({"rounds": 3} if name == "local-cuts" else {}))
        if not isinstance(result, tuple):
            assert result is Infeasible
            assert not possible
            continue
        assert possible
        g, cost, bound = result
        if best is not None:
            assert bound <= best <= cost
            if name == "exact":
                assert (cost, bound, g.status) == (best, best, "optimal")
    result = reached(case, "cell-suppression", seen)
    assert isinstance(result, tuple) == possible


def compared(seed, seen):
    """Whether all that the engine says of one table is true."""
    case = Case(seed)
    if seed >= HIERARCHIES:
        compare_cuts(case, seen, (0, None), CUTS)
        compare_boxes(case, seen)
        return
    limits = (0, 1, len(case.rows) // 2, None)
    compare_cuts(case, seen, limits, CUTS[:1])
    compare_cuts(case, seen, [limits[seed % 4 - 1]], CUTS[1:])
    if seed % 5 == 0:
        compare_boxes(case, seen)


def blocks(first, last, size=250):
    """Ranges of seeds: a short one that always runs, and all of them in parts."""
    parts = (range(begin, min(begin + size, last)) for begin in range(first, last, size))
    return [range(first, first + 30), *(pytest.param(part, marks=pytest.mark.thorough) for part in parts)]


@pytest.mark.parametrize("seeds", blocks(0, TABLES), ids=str)
def test_nothing_possible_is_refused_and_every_certificate_is_read_again(seeds):
    seen = Counter()
    for seed in seeds:
        compared(seed, seen)
    assert seen["k-optimize", "optimal"] > len(seeds)
    assert seen["k-optimize", "Infeasible"] > 0


@pytest.mark.parametrize("seeds", blocks(HIERARCHIES, HIERARCHIES + 1_000), ids=str)
def test_hierarchies_have_the_least_cost_of_every_recoding_to_their_nodes(seeds):
    seen = Counter()
    for seed in seeds:
        compared(seed, seen)
    assert seen["k-optimize", "optimal"] > len(seeds)
    assert seen["exact", "optimal"] > len(seeds) // 2
