"""Gather and few centers with outliers step by step: who is left out, point after point, and who stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.clusters.gather.packed import packed
from kanon_engine.clusters.gather.solution import around_points
from kanon_engine.clusters.gather_outliers import grown
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, nearest
from kanon_engine.clusters.outliers.coverage import Coverage, Net, assigned, coverage, net_of, twice
from kanon_engine.clusters.outliers.few import least_width, of_places
from kanon_engine.clusters.outliers.leaving import (
    Leaving,
    leaving_by_need,
    leaving_by_peeling,
    most_left_out,
    peel_widths,
    peeled,
)
from kanon_engine.clusters.outliers.part import of_whole, part_of
from kanon_engine.clusters.steps import (
    MOST_STEPS,
    NOTHING,
    around,
    begun,
    least_cluster,
    measured,
    of_solution,
    result,
    steps_of_clusters,
    which_point,
)
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Inequality, Step
from kanon_engine.model.words import counted
from kanon_engine.stepping import stops

ALIKE = 1_000  # points up to which it is looked up who else is as far


@steps_of_clusters
def gather_outliers(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Points are peeled off, the loneliest first; those that stay make clusters.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = MetricSpace([[0], [1], [2], [3], [99]])
    >>> for step in list(gather_outliers(line, kanon.generalize(line, 2, "gather-outliers", epsilon=0.2)))[:3]:
    ...     print(step.why)
    Of 5 records up to 1 may be left out; clusters hold k = 2.
    Point 4 is farthest from its k-th record among the rest: 96.
    Point 0 is farthest from its k-th record among the rest: 1. With it, too many would be left out.
    """
    most = most_left_out(space, float(g.options["epsilon"]))
    found = nearest(space, g.k)
    yield begun(space, f"Of {space.total:,} {space.unit} up to {most:,} may be left out; clusters hold k = {g.k:,}.")
    fixed = g.options["centers"] == "input" or not space.free
    leaving = leaving_by_need(found, most) if fixed else leaving_by_peeling(found, most)
    yield from _by_need(found, leaving) if fixed else _by_peeling(found, most)
    if fixed:
        kept = np.flatnonzero(leaving.kept)
        part = part_of(space, kept)
        made = of_whole(space, kept, around_points(part, packed(nearest(part, g.k))))
    else:
        made = grown(found, leaving.kept, leaving.width, str(g.options["centers"]))
    yield Step(
        of_solution(made),
        NOTHING,
        f"Those that stay make {counted(len(made.details.radii), 'cluster')}, largest radius "
        f"{measured(space, made.cost)}.",
        Inequality(least_cluster(space, made.assignment), "≥", g.k, "smallest cluster ≥ k"),
    )
    yield result(
        space, g, made.cost, "Clustered anew and made narrower by leaving out whoever makes the largest radius"
    )


def _by_peeling(found: Nearest, most: int) -> Iterator[Step]:
    """Wherever centers are: off comes the point that is farthest from its k-th record among the rest."""
    space, k = found.space, found.k
    order, _ = peeled(found, most)
    widths = peel_widths(space, k, order)
    start = 0
    for end in stops(0, len(order), MOST_STEPS):
        place = int(order[end - 1])
        gone = order[: end - 1]
        question = None
        if end == start + 1:
            left = np.setdiff1d(np.arange(len(space)), gone)
            own = {other: _kth(space, k, left, other) for other in left.tolist()} if len(space) <= ALIKE else {}
            right = [other for other, width in own.items() if width == widths[end - 1]]
            far = sorted(own, key=lambda other: -own[other]) if own else order[end:]
            prompt = f"Which point is farthest from its k-th record (k = {k:,}, itself the first) among those left?"
            question = which_point(space, prompt, [place, *right], far)
        last = end == len(order)
        who = _who(space, place, end - start)
        why = f"{who} is farthest from its k-th record among the rest: {measured(space, float(widths[end - 1]))}."
        why += " With it, too many would be left out." if last else ""
        out = order[:end] if not last else order[: end - 1]
        state = replace(begun(space, "").state, out=out.astype(np.int64))
        inequality = Inequality(
            float(widths[end - 1]), "≥", float(widths.min()), "distance to the k-th record ≥ the least of these"
        )
        yield Step(state, NOTHING, why, inequality, question)
        start = end


def _who(space: MetricSpace, place: int, many: int) -> str:
    """One point, or the last of several."""
    return f"Point {space.label(place)}" if many == 1 else f"{counted(many, 'point')} come off; the last"


def _kth(space: MetricSpace, k: int, left: np.ndarray, place: int) -> float:
    """The distance of a point to its k-th record among some points."""
    apart = space.distances(place, left)
    order = np.argsort(apart, kind="stable")
    held = np.cumsum(space.weights[left[order]])
    return float(apart[order[np.searchsorted(held, k)]]) if held[-1] >= k else np.inf


def _by_need(found: Nearest, leaving: Leaving) -> Iterator[Step]:
    """Around points: off come those with the largest need."""
    space, k = found.space, found.k
    order = np.array(leaving.bound.witness, dtype=np.int64)
    start = 0
    for end in stops(0, len(order), MOST_STEPS):
        place, last = int(order[end - 1]), end == len(order)
        need = float(found.need[place])
        right = np.setdiff1d(np.flatnonzero(found.need == need), order[: end - 1])
        prompt = (
            "Which point needs the widest circle around a point that holds it and k records, of those that are left?"
        )
        others = np.argsort(-found.need, kind="stable")
        question = which_point(space, prompt, right, np.setdiff1d(others, order[: end - 1], True)[:8])
        who = _who(space, place, end - start)
        why = f"{who} needs a circle of {measured(space, need)} to be with k = {k:,} {space.unit}."
        why += " It stays, for no more may be left out." if last else ""
        state = replace(begun(space, "").state, out=order[: end - last])
        inequality = Inequality(need, "≥", leaving.bound.value, "need ≥ lower bound")
        yield Step(
            state, NOTHING, why, inequality if inequality.holds else None, question if end == start + 1 else None
        )
        start = end


@steps_of_clusters
def center_outliers(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """At the least width that may do, the fullest circle is taken again and again (section 2.4)."""
    k, most = g.k, most_left_out(space, float(g.options["epsilon"]))
    least = space.total - most
    clusters = min(int(str(g.options["max_clusters"] or space.total)), space.total // k)
    net = net_of(space)
    width = least_width(net, k, clusters, least)
    found = coverage(net, width, k, clusters)
    told = f"At most {counted(clusters, 'cluster')} are to hold {least:,} of {space.total:,} {space.unit} or more."
    yield begun(space, told)
    lonely = np.flatnonzero(~found.kept[net.owner])
    why = (
        f"Width {measured(space, width)}: {counted(len(lonely), 'point')} have fewer than {k:,} {space.unit} within it."
    )
    yield Step(replace(begun(space, "").state, out=lonely), NOTHING, why)
    yield from _covering(net, found, width, lonely, least)
    owner = assigned(net, found)
    made = of_places(net, owner, str(g.options["centers"]))
    yield Step(of_solution(made), NOTHING, "Each point that is covered joins the nearest of these centers.")
    yield result(
        space, g, made.cost, "Fuller circles tried too, points moved to the nearest center, the farthest left out"
    )


def _covering(net: Net, found: Coverage, width: float, lonely: np.ndarray, least: int) -> Iterator[Step]:
    """Center after center: the point with the most records near that no circle covers."""
    space = net.space
    near, reach = net.apart <= width, twice(space, width)
    start = 0
    for end in stops(0, len(found.centers), MOST_STEPS):
        free = found.kept & ((found.owner < 0) | (found.owner >= end - 1))
        own = np.where(free, near @ np.where(free, net.weights, 0.0), -1.0)
        center = int(found.centers[end - 1])
        place = int(net.places[center])
        order = net.places[np.argsort(-own, kind="stable")]
        right = net.places[own == own[center]]
        prompt = f"Which point has the most {space.unit} within the width that no circle covers yet?"
        places = net.places[found.centers[:end]]
        owner = np.where(found.owner < end, found.owner, -1)[net.owner]
        covered = int(space.weights[owner >= 0].sum())
        state = replace(around(space, owner, places, np.full(end, reach)), out=lonely)
        if end == len(found.centers):
            sign = "≥" if covered >= least else "<"
            inequality = Inequality(covered, sign, least, f"covered {sign} records that must be")
        else:
            others = float(np.delete(own, center).max(initial=0.0))
            inequality = Inequality(float(own[center]), "≥", others, "near it ≥ near any other")
        who = f"Point {space.label(place)}" if end == start + 1 else f"The last of {end - start:,} points"
        held = f"{int(own[center]):,} {space.unit} within the width"
        why = f"{who} has the most, {held}, and covers all within twice of it: {covered:,} so far."
        yield Step(
            state, NOTHING, why, inequality, which_point(space, prompt, right, order) if end == start + 1 else None
        )
        start = end
