"""The corrections of docs/errata.md: the counterexample, the paper's claim, and the truth."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count, pairwise, product

import numpy as np
import pandas as pd
from plotly import graph_objects as go

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.plot import clusters_figure
from kanon_engine.clusters.r_cellular import Shared, unshared
from kanon_engine.errors import InvalidInput
from kanon_engine.folders import DOCS
from kanon_engine.generalize import generalize
from kanon_engine.labels.plot import bins_figure
from kanon_engine.model.words import number_text
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.plot import regions_map
from kanon_engine.tables.instance import Table
from kanon_engine.tables.plot import columns_figure
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.cells import SetSystem
from kanon_engine.teaching.reductions.gathering import Formula
from kanon_engine.teaching.reductions.plot import items_figure
from kanon_engine.teaching.studies.instances import CROSS, TIGHT, labels_of, regions_of

PAGE = DOCS / "errata.md"


@dataclass(frozen=True)
class Row:
    """One number of a counterexample.

    >>> Row.of("largest group", 6, 50)
    Row(what='largest group', says='6', found='50')
    """

    what: str
    says: str  # the paper's statement; "" if there is none
    found: str  # the true value

    @classmethod
    def of(cls, what: str, says: object, actual: object) -> Row:
        """Build a row from numbers."""
        numbers = (number_text(value) if isinstance(value, int | float) else str(value) for value in (says, actual))
        return cls(what, *numbers)


@dataclass(frozen=True)
class Played:
    """A computed counterexample."""

    rows: tuple[Row, ...]
    holds: bool  # whether the paper's claim holds here
    figure: go.Figure | None = None  # the instance and kanon's result; None if there is nothing to draw


@dataclass(frozen=True)
class Erratum:
    """A correction, with a whole number in its counterexample that can be changed."""

    paper: str
    begin: str  # start of its heading in docs/errata.md, which is followed by the claim and the correction
    at: Callable[[int], Played]  # ``at(value)`` computes it with this value of the number
    parameter: str  # name of the number
    default: int  # a value for which the claim fails
    low: int
    high: int

    def play(self, value: int | None = None) -> Played:
        """The counterexample with this value of the parameter, or as in docs/errata.md."""
        return self.at(self.default if value is None else value)

    @property
    def section(self) -> str:
        """Its heading in docs/errata.md."""
        return next(section for section in _sentences() if section.startswith(self.begin))

    @property
    def claim(self) -> str:
        """The paper's claim, in a sentence."""
        return _sentences()[self.section][0]

    @property
    def truth(self) -> str:
        """The correction, in a sentence."""
        return _sentences()[self.section][1]


@cache
def _sentences() -> dict[str, tuple[str, str]]:
    """Section of docs/errata.md → the paper's claim and the correction."""
    if not PAGE.is_file():
        raise InvalidInput(f"{PAGE} is missing; install kanon again.")
    pattern = r"^### (.+)\n\n> \*\*The paper says:\*\* (.+)\n>\n> \*\*What holds:\*\* (.+)$"
    sections = re.findall(pattern, PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {section: (claim, truth) for section, claim, truth in sections}


# ---------------------------------------------------------------------------------------------------------------------
# Areas and points: Du, Eppstein, Goodrich and Lueker (2009), sections 2 and 3.
# ---------------------------------------------------------------------------------------------------------------------


DU = "Du, Eppstein, Goodrich, Lueker 2009"


def _path(weights: list[int]) -> Regions:
    return regions_of(weights, [(area, area + 1) for area in range(len(weights) - 1)])


def several_sinks(middle: int) -> Played:
    """Direct each edge of a path to its heavier side, ties in every way; count the areas that all edges point to."""
    weights = [1, middle, 1]
    sides = [(sum(weights[: edge + 1]), sum(weights[edge + 1 :])) for edge in range(2)]
    heavier = [[0, 1] if low == high else [int(high > low)] for low, high in sides]  # 1: toward the end of the path
    sinks = []
    for toward in product(*heavier):
        after, before = [*toward, 0], [1, *toward]  # directions around each vertex; both edges of a sink point to it
        sinks.append(sum(before[v] and not after[v] for v in range(3)))
    path = _path(weights)
    g = generalize(path, 2, "tree-split")
    rows = (
        Row(
            "people on the two sides of each border",
            "",
            ", ".join(f"{low} and {high}" for low, high in sides),
        ),
        Row.of(
            "largest possible number of sinks (areas on the heavier side of all their borders; either of two "
            "equal sides may count as the heavier one)",
            1,
            max(sinks),
        ),
        Row.of(
            "smallest possible number of sinks (areas on the heavier side of all their borders; one sink is enough "
            "for the bound)",
            1,
            min(sinks),
        ),
    )
    return Played(rows, max(sinks) == min(sinks) == 1, regions_map(path, g))


def equally_light(between: int) -> Played:
    """Lightest pieces of at least k of a path 3–0–…–0–3: how heavy a branch next to the cut can be."""
    k, weights = 3, [3, *[0] * between, 3]
    pieces = [weights[: cut + 1] for cut in range(len(weights) - 1)]
    lightest = [piece for piece in pieces if sum(piece) == min(sum(one) for one in pieces)]
    branch = max(sum(piece[:-1]) for piece in lightest)
    path = _path(weights)
    g = generalize(path, k, "tree-split")
    smallest = int(np.bincount(g.assignment).min())
    rows = (
        Row.of(
            "number of pieces of weight 3 that begin at the left end",
            "any of these pieces may be cut off",
            len(lightest),
        ),
        Row.of(
            "largest weight of a branch next to the cut in any of these pieces",
            f"at most k − 1 = {k - 1}",
            branch,
        ),
        Row.of("number of areas in the piece that kanon cuts off", "", smallest),
    )
    return Played(rows, branch <= k - 1, regions_map(path, g))


def heavy_place(weight: int) -> Played:
    """One place, k = 2, which cannot be cut."""
    k = 2
    points = Points(np.array([(1.5, 2.5)]), np.array([weight]))
    g = generalize(points, k, "kd-tree")
    rows = (
        Row.of("weight of the heaviest rectangle", f"at most 5k − 4 = {5 * k - 4}", g.cost),
        Row.of("kanon's guarantee, which takes the heaviest place into account", "", g.guarantee),
    )
    return Played(rows, g.cost <= 5 * k - 4, rectangles_figure(points, g))


def degenerate(k: int) -> Played:
    """The paper's cross, and the thirteen places that it should have been."""
    cross = Points(np.array(CROSS), np.array([k, *[k - 1] * 4]))
    g = generalize(cross, k, "kd-tree")
    best = generalize(cross, k, "exact", guillotine=False)
    intended = TIGHT["thirteen-places"].duel(k)
    rows = (
        Row.of(
            "the paper's cross-shaped example: weight of the largest group that the kd-tree makes",
            f"5k − 4 = {5 * k - 4}",
            g.cost,
        ),
        Row.of(
            "the paper's cross-shaped example: lowest possible weight of the largest group",
            f"k = {k}",
            best.cost,
        ),
        Row.of(
            "the cross-shaped example with eight more places: lowest possible weight of the largest group",
            "",
            intended.optimum,
        ),
        Row.of(
            "the cross-shaped example with eight more places: weight of the largest group after badly chosen cuts",
            "",
            intended.cost,
        ),
    )
    return Played(rows, best.cost == k, rectangles_figure(cross, g))


# ---------------------------------------------------------------------------------------------------------------------
# Labels: Du, Eppstein, Goodrich and Lueker (2009), sections 4 and 5.
# ---------------------------------------------------------------------------------------------------------------------


K_OF_LABELS = 10


def _next_fit(counts: list[int], k: int) -> tuple[list[int], list[int]]:
    """Levels of the full bins, for this order of labels, and the counts left over."""
    full: list[int] = []
    left: list[int] = []
    for label in counts:
        left.append(label)
        if sum(left) >= k:
            full.append(sum(left))
            left = []
    return full, left


def leftover_bin(heaviest: int) -> Played:
    """Labels of this count, 6, 6 and 3, k = 10: merge the leftover labels into each bin in turn."""
    counts = [heaviest, 6, 6, 3]
    full, left = _next_fit(counts, K_OF_LABELS)
    costs = [max(level + sum(left) * (bin == other) for other, level in enumerate(full)) for bin in range(len(full))]
    labels = labels_of(counts)
    g, best = (generalize(labels, K_OF_LABELS, name) for name in ("fold", "exact"))
    rows = (
        Row("records in each full bin; records that are left over", "", f"{', '.join(map(str, full))}; {sum(left)}"),
        Row.of("largest group if the records left over join the heaviest bin", best.cost, max(costs)),
        Row.of("largest group if the records left over join the lightest bin", best.cost, g.cost),
    )
    return Played(rows, max(costs) == best.cost, bins_figure(labels, g))


def six_fifths(small: int) -> Played:
    """Labels of 8, 8, 7 and this count, k = 10: is it case 2.2 of the proof, and what is possible?"""
    labels = labels_of([8, 8, 7, small])
    best, ours = (generalize(labels, K_OF_LABELS, name) for name in ("exact", "five-halves"))
    case = "2.2" if 8 + small < K_OF_LABELS else "2.1"
    high = generalize(labels_of([35, 9, 9, 4]), K_OF_LABELS, "five-halves")
    rows = (
        Row(
            "case of the proof: if 8 plus the count of the small label is below k, it is case 2.2, otherwise case 2.1",
            "",
            f"{case}, because 8 + {small} = {8 + small} and k = {K_OF_LABELS}",
        ),
        Row.of(
            "lowest possible weight of the largest group, divided by k",
            "at most 6/5 in case 2.2",
            best.cost / K_OF_LABELS,
        ),
        Row.of(
            "largest group of “Five halves”, divided by the lowest possible weight",
            "at most 5/2",
            ours.cost / best.cost,
        ),
        Row.of(
            "largest group of “Five halves” for labels of 35, 9, 9 and 4, divided by k",
            "below 2",
            high.cost / K_OF_LABELS,
        ),
    )
    return Played(rows, case != "2.2" or best.cost <= 6 * K_OF_LABELS / 5, bins_figure(labels, ours))


def lowered_labels(first: int) -> Played:
    """Labels above k are lowered by the same amount; two of them share a bin."""
    by = first - K_OF_LABELS  # the lightest of the three becomes k
    bin, lowered = 2 * first + 1, 2 * first + 1 - 2 * by
    labels = labels_of([first, first + 1, first + 3, 3, 3, 2])
    g, best = (generalize(labels, K_OF_LABELS, name) for name in ("scheme", "exact"))
    rows = (
        Row(
            "counts of two labels above k, before and after they are lowered",
            "",
            f"{first}, {first + 1} → {first - by}, {first + 1 - by}",
        ),
        Row.of("records in the bin with both labels after the counts are raised again", lowered + by, bin),
        Row.of("largest group if no counts are lowered, as in kanon", "", g.cost),
        Row.of("lowest possible weight of the largest group", "", best.cost),
    )
    return Played(rows, lowered + by == bin, bins_figure(labels, g))


def halved_epsilon(percent: int) -> Played:
    """The lightest group of the paper's sketch, as a share of k, run with ε and with half of it."""
    epsilon = percent / 100
    whole, half = (1 / (1 + e) - e for e in (epsilon, epsilon / 2))
    labels = labels_of([7, 5, 4, 4])
    g = generalize(labels, K_OF_LABELS, "relaxed-scheme", epsilon=epsilon)
    rows = (
        Row.of(
            "lightest group, divided by k, if the scheme runs with ε",
            f"at least 1 − ε = {1 - epsilon:g}",
            round(whole, 4),
        ),
        Row.of(
            "lightest group, divided by k, if the scheme runs with half of ε",
            f"at least 1 − ε = {1 - epsilon:g}",
            round(half, 4),
        ),
        Row.of("smallest group that kanon allows for k = 10", "", g.details.threshold),
    )
    return Played(rows, whole >= 1 - epsilon, bins_figure(labels, g))


def separate_bins(middle: int) -> Played:
    """Labels of 3, this count and 3, k = 4, spread without separate bins for labels of at least k."""
    k, counts = 4, [3, middle, 3]
    full, left = _next_fit(counts, k)  # there is one bin, which takes the rest
    together = sum(full) + sum(left)
    ceiling = max(k - 1 + max(counts), 3 * k - 3)
    labels = labels_of(counts)
    g = generalize(labels, k, "spread")
    rows = (
        Row.of("largest group if the labels are packed in their given order", f"at most {ceiling}", together),
        Row.of("largest group if labels of at least k have bins of their own", f"at most {ceiling}", g.cost),
    )
    return Played(rows, together <= ceiling, bins_figure(labels, g))


# ---------------------------------------------------------------------------------------------------------------------
# Tables: Bayardo and Agrawal (2005), and Chakaravarthy, Pandit and Sabharwal.
# ---------------------------------------------------------------------------------------------------------------------


BAYARDO = "Bayardo, Agrawal 2005"
CHAKARAVARTHY = "Chakaravarthy, Pandit, Sabharwal"

Cuts = frozenset[int]
NOTHING: tuple[int, ...] = ()


def wider_rule(others: int) -> Played:
    """Equal records and a different one, k = 4: the rule drops the cut between them because the one is below k."""
    k, n = 4, others + 1
    table = Table(pd.DataFrame({"column": [0] * others + [1]}), ["column"])
    g = generalize(table, k, "k-optimize", metric="DM")
    split = sum(part * (part if part >= k else n) for part in (others, 1))  # a record left out counts as n
    rows = (
        Row.of("cost without the cut", "no higher than the cost with the cut", n * n),
        Row.of("cost with the cut", f"at least {n * n}", split),
        Row.of("lowest cost, proven by kanon", "", g.cost),
    )
    return Played(rows, n * n <= split, columns_figure(table, g))


def _cost(cuts: Cuts, values: int) -> int:
    """Discernibility with k = 1 of records with different values, with cuts before some of them."""
    ends = [0, *sorted(cuts), values]
    return sum((high - low) ** 2 for low, high in pairwise(ends))


def _prune(head: Cuts, tail: tuple[int, ...], best: float, values: int) -> tuple[int, ...]:
    """PRUNE as in Figure 5; no set below a node costs less than its allset."""
    if _cost(head | set(tail), values) >= best:
        return NOTHING
    left = tail
    for value in tail:
        rest = tuple(other for other in left if other != value)
        if _prune(head | {value}, rest, best, values) == NOTHING:
            left = rest
    return left if left == tail else _prune(head, left, best, values)


def _searched(head: Cuts, tail: tuple[int, ...], best: float, values: int) -> float:
    """K-OPTIMIZE as in Figure 5."""
    best = min(best, _cost(head, values))
    tail = _prune(head, tail, best, values)
    while tail:
        value, *rest = tail
        best = _searched(head | {value}, tuple(rest), best, values)
        tail = _prune(head, tuple(rest), best, values)
    return best


def empty_sets(values: int) -> Played:
    """Records with different values, k = 1: search as in Figure 5 and as in kanon."""
    table = Table(pd.DataFrame({"column": range(values)}), ["column"])
    g = generalize(table, 1, "k-optimize", metric="DM")
    cost = int(_searched(frozenset(), tuple(range(1, values)), float("inf"), values))
    rows = (
        Row.of("cost that the algorithm of Figure 5 returns", "the lowest possible cost", cost),
        Row.of("lowest possible cost", "", g.cost),
    )
    return Played(rows, cost == g.cost, columns_figure(table, g))


def suppress_all(equal: int) -> Played:
    """Equal rows and two others in three columns, k = 2: hide every cell, or as few as possible."""
    columns = ["x", "y", "z"]
    rows_of = [("a", "a", "a")] * equal + [("p", "q", "r"), ("p", "q", "s")]
    table = Table(pd.DataFrame(rows_of, columns=columns), columns)
    g = generalize(table, 2, "cell-suppression")
    everything = len(columns) * len(table)
    most = len(columns) * g.cost
    rows = (
        Row.of(
            "number of hidden cells if every cell is hidden",
            f"at most {len(columns)} times the smallest possible number, that is, {most}",
            everything,
        ),
        Row.of("fewest cells that have to be hidden", "", g.cost),
        Row.of(
            "number of all cells, divided by the fewest that have to be hidden",
            f"at most {len(columns)}, the number of columns",
            everything / g.cost,
        ),
    )
    return Played(rows, everything <= most, columns_figure(table, g))


def pairs_of_patterns(columns: int) -> Played:
    """Count pairs of patterns and rows in columns with two values each."""
    size = 2
    pairs = (size + 1) ** columns * size**columns
    most = columns ** (2 * size + 1)
    rows = (
        Row.of("number of pairs of a pattern and a row", f"at most {most:,}", pairs),
        Row.of(
            "limit that always holds: (|Σ| + 1)^(2m), if each of m columns has |Σ| values",
            "",
            (size + 1) ** (2 * columns),
        ),
    )
    return Played(rows, pairs <= most)


# ---------------------------------------------------------------------------------------------------------------------
# Clusters: Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas and Zhu.
# ---------------------------------------------------------------------------------------------------------------------


AGGARWAL = "Aggarwal et al., Achieving Anonymity via Clustering"


def center_between(distance: int) -> Played:
    """Figure 1.1 with two records at this distance: cost of its clusters with centers anywhere and at records."""
    people = MetricSpace(np.array([(20, 0), (20 + distance, 0), (60, 13), (60, 10), (60, 7)], dtype=float))
    free, fixed = (generalize(people, 2, "r-cellular", centers=centers) for centers in ("any", "input"))
    rows = (
        Row.of("cost if centers may be anywhere", free.cost, free.cost),
        Row.of("cost if every center has to be a record", free.cost, fixed.cost),
    )
    return Played(rows, free.cost == fixed.cost, clusters_figure(people, free))


def unassigned_records(width: int) -> Played:
    """The line 0, 4, 8 with r = 3 and width 2R: records in S, records counted for a center, records assigned to it."""
    r = 3
    line = MetricSpace(np.array([[0.0], [4.0], [8.0]]))
    within = line.between(np.arange(3)) <= width
    inside = within.sum(axis=1) >= r
    center = int(np.argmax((within & inside).sum(axis=1) * inside))
    weight = int(within[center].sum()) if inside.any() else 0
    assigned = int((within[center] & inside).sum()) if inside.any() else 0
    g = generalize(line, r, "center-outliers", epsilon=0.67)
    rows = (
        Row.of("number of records in S, the set of records with at least r records within 2R", "", int(inside.sum())),
        Row.of("number of records within 2R of the center", f"at least r = {r}" if inside.any() else "", weight),
        Row.of(
            "number of records that are assigned to the cluster of the center",
            f"at least r = {r}" if inside.any() else "",
            assigned,
        ),
        Row(
            "records in each of kanon's clusters; largest radius of a cluster",
            "",
            f"{', '.join(map(str, g.class_weights))}; {g.cost:g}",
        ),
    )
    return Played(rows, not inside.any() or assigned >= r, clusters_figure(line, g))


def facility_costs(cost: int) -> Played:
    """Seven clusters share three records; the one around record 0 has this cost, the others none."""
    line = MetricSpace(np.array([[0.0], [1.0], [1.0], *[[-3.0]] * 6]))
    members = (np.array([0, 1, 2]), *(np.array([0, 1, 2, record]) for record in range(3, 9)))
    shared = Shared(np.array([0, *range(3, 9)]), np.array([1.0] + [4.0] * 6), members, np.zeros(len(line)))
    solution = unshared(Distances(line, 3, 0.0), shared)
    before, after = (cost * int((one.centers == 0).sum()) for one in (shared, solution))
    g = generalize(line, 3, "r-cellular")
    rows = (
        Row.of("total setup cost of the clusters while a record may be in several of them", "", before),
        Row.of("total setup cost of the clusters once each record is in a single one", f"at most {before}", after),
        Row.of(
            "number of clusters: first while a record may be in several of them, then once each record is in "
            "a single one",
            "the second number is no higher than the first",
            f"{len(members)}, {len(solution.centers)}",
        ),
    )
    return Played(rows, after <= before, clusters_figure(line, g))


def no_path(joining: int) -> Played:
    """The formula x1 and x2 plus clauses “x1 or x2”: whether there is a path between all points."""
    gather = reduction_named("satisfiability-to-gather")
    source = Formula(2, ((1,), (2,), *[(1, 2)] * joining))
    carried = gather.build(source)
    points = len(carried.instance)
    distances = carried.instance.between(np.arange(points))
    lacking = int(np.triu(distances == points).sum())
    rows = (
        Row.of("number of pairs of points that no path connects", "none", lacking),
        Row.of("largest distance that kanon uses", "", float(distances.max())),
    )
    return Played(rows, lacking == 0, items_figure(source, carried, gather.decide(carried)))


def in_no_set(sets: int) -> Played:
    """Some sets contain one of two elements and none contains the other; all of them may be chosen."""
    cellular = reduction_named("set-cover-to-cellular")
    source = SetSystem(2, (*[frozenset({1})] * (sets - 1), frozenset({0, 1})), sets)
    carried = cellular.build(
        source, "the first element is left out of a set"
    )  # the first element, which only the last set contains
    tried = ((cost, cellular.decide(replace(carried, threshold=cost))) for cost in count())
    least, classes = next((cost, assignment) for cost, assignment in tried if assignment is not None)
    rows = (
        Row.of("lowest cost of a clustering", f"above k + |X| + |S| = {carried.threshold:g}", least),
        Row.of("how many of the two elements are in a set", 2 if least <= carried.threshold else "", 1),
    )
    return Played(rows, least > carried.threshold, items_figure(source, carried, classes))


ERRATA = (
    Erratum(DU, "Lemma 1:", several_sinks, "weight of the area in the middle", 0, 0, 5),
    Erratum(DU, "Lemma 2:", equally_light, "number of areas of weight 0 between two areas of weight 3", 2, 0, 6),
    Erratum(DU, "Theorem 4:", heavy_place, "number of people at the only point", 50, 2, 100),
    Erratum(DU, "Section 3.2:", degenerate, "k", 5, 2, 10),
    Erratum(DU, "Theorem 7 and Theorem 10:", leftover_bin, "count of the heaviest label", 30, 10, 40),
    Erratum(DU, "Theorem 9:", six_fifths, "count of the small label", 1, 1, 9),
    Erratum(DU, "Theorem 10:", lowered_labels, "count of the first label", 100, 10, 200),
    Erratum(DU, "Theorem 11:", halved_epsilon, "ε, the percentage by which a group may be smaller than k", 50, 20, 100),
    Erratum(DU, "Section 5: Spread", separate_bins, "count of the label in the middle", 9, 1, 20),
    Erratum(BAYARDO, "Section 5.4:", wider_rule, "number of equal records", 7, 3, 20),
    Erratum(BAYARDO, "Figure 5:", empty_sets, "number of records, all with different values", 2, 1, 6),
    Erratum(CHAKARAVARTHY, "Section 5: suppressing", suppress_all, "number of equal rows", 100, 0, 300),
    Erratum(CHAKARAVARTHY, "Section 4:", pairs_of_patterns, "m, the number of columns with two values each", 4, 1, 12),
    Erratum(AGGARWAL, "Figure 1.1:", center_between, "distance between the first two records", 2, 0, 10),
    Erratum(AGGARWAL, "Lemma 2.5:", unassigned_records, "2R, the distance within which records are counted", 4, 1, 10),
    Erratum(
        AGGARWAL,
        "Section 3.1:",
        facility_costs,
        "setup cost of a cluster with its center at record 0; other clusters have no setup cost",
        10,
        0,
        20,
    ),
    Erratum(AGGARWAL, "Section 2.1:", no_path, "number of clauses “x1 or x2”", 0, 0, 2),
    Erratum(
        AGGARWAL,
        "Theorem 3.2:",
        in_no_set,
        "number of sets that contain the second of two elements but not the first",
        3,
        1,
        6,
    ),
)
