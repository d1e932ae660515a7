"""Clusters: Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas and Zhu."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.plot import clusters_figure
from kanon_engine.clusters.r_cellular.shared import Shared, unshared
from kanon_engine.generalize import generalize
from kanon_engine.studies.errata.entry import Erratum, Parameter, Played, Row

AGGARWAL = "Aggarwal et al., Achieving Anonymity via Clustering"


def center_between(apart: int) -> Played:
    """Figure 1.1 with two records so far apart: what its clusters cost, with centers anywhere and at records.

    Example
    -------
    >>> [row.found for row in center_between(2).rows], center_between(0).holds
    (['11', '13'], True)
    """
    people = MetricSpace(np.array([(20, 0), (20 + apart, 0), (60, 13), (60, 10), (60, 7)], dtype=float))
    free, fixed = (generalize(people, 2, "r-cellular", centers=centers) for centers in ("any", "input"))
    rows = (
        Row.of("cost with centers anywhere", free.cost, free.cost),
        Row.of("cost with centers at records", free.cost, fixed.cost),
    )
    return Played(rows, free.cost == fixed.cost, clusters_figure(people, free))


def counted_not_assigned(width: int) -> Played:
    """The line 0, 4, 8 with r = 3 and the width 2R: who is in S, who is counted for a center, who is assigned to it.

    Example
    -------
    >>> counted_not_assigned(4).holds, counted_not_assigned(8).holds
    (False, True)
    """
    r = 3
    line = MetricSpace(np.array([[0.0], [4.0], [8.0]]))
    within = line.between(np.arange(3)) <= width
    inside = within.sum(axis=1) >= r
    center = int(np.argmax((within & inside).sum(axis=1) * inside))
    counted = int(within[center].sum()) if inside.any() else 0
    assigned = int((within[center] & inside).sum()) if inside.any() else 0
    g = generalize(line, r, "center-outliers", epsilon=0.67)
    rows = (
        Row.of("records in S, with at least r records within 2R", "", int(inside.sum())),
        Row.of("records within 2R of the center", f"at least r = {r}" if inside.any() else "", counted),
        Row.of("records that its cluster gets", f"at least r = {r}" if inside.any() else "", assigned),
        Row("kanon's clusters, and their radius", "", f"{', '.join(map(str, g.class_weights))}; {g.cost:g}"),
    )
    return Played(rows, not inside.any() or assigned >= r, clusters_figure(line, g))


def facility_costs(cost: int) -> Played:
    """Seven clusters share three records; one around record 0 costs so much, the others nothing.

    Example
    -------
    >>> [row.found for row in facility_costs(10).rows[:2]]
    ['10', '30']
    """
    line = MetricSpace(np.array([[0.0], [1.0], [1.0], *[[-3.0]] * 6]))
    members = (np.array([0, 1, 2]), *(np.array([0, 1, 2, record]) for record in range(3, 9)))
    shared = Shared(np.array([0, *range(3, 9)]), np.array([1.0] + [4.0] * 6), members, np.zeros(len(line)))
    found = unshared(Distances(line, 3, 0.0), shared)
    before, after = (cost * int((one.centers == 0).sum()) for one in (shared, found))
    g = generalize(line, 3, "r-cellular")
    rows = (
        Row.of("facility cost of the shared solution", "", before),
        Row.of("facility cost of the clusters that come of it", f"at most {before}", after),
        Row.of("clusters before and after, with one cost for all", "no more", f"{len(members)}, {len(found.centers)}"),
    )
    return Played(rows, after <= before, clusters_figure(line, g))


CLUSTERS = (
    Erratum(
        "Figure 1.1: a cost of 11 takes a center that is no record",
        AGGARWAL,
        "The 2-cellular clustering of the figure, in which centers look like records, costs 11.",
        "One of its centers lies between two records. With centers at records the best costs 13.",
        Parameter("how far the first two records are apart", 2, 0, 10),
        center_between,
    ),
    Erratum(
        "Lemma 2.5: records that are counted and never assigned",
        AGGARWAL,
        "A center that has r records within 2R makes a cluster of at least r records.",
        "Only records of S are assigned. kanon takes points out of S until each has r records of S within 2R.",
        Parameter("width 2R", 4, 1, 10),
        counted_not_assigned,
    ),
    Erratum(
        "Section 3.1: facility costs that differ from center to center",
        AGGARWAL,
        "The clusters that come of the shared solution pay no more for facilities than it does.",
        "That holds with one facility cost for all centers, and kanon has one.",
        Parameter("facility cost of record 0; the others cost nothing", 10, 0, 20),
        facility_costs,
    ),
)
