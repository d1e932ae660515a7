"""The independent check of bounds and ceilings where records may be left out, or clusters may be few."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.verify.digits import six_digits_below, six_digits_up
from kanon_engine.clusters.verify.discs import disc_holds
from kanon_engine.clusters.verify.radius import ceiling_of, half_is_bound, half_of, positions
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST_PLACES = 2_000  # up to here every point stands for itself
NO_NET = "the bound has different points and one price as its witness, and is about centers of its kind."


def too_many_in_need(space: MetricSpace, g: Generalization) -> Check:
    """More records than may be left out have no point within less that has k records within less.

    Whoever is left out: one of them stays, and its center is such a point.
    """
    places = positions(space, g)
    if not _outnumber(space, g, places) or (space.free and g.options.get("centers") != "input"):
        found = "“too many in need” has as its witness more records than may be left out, and centers that are points."
        return Check("bound witness", False, found)
    around = np.unique(np.concatenate([_nearer(space, place, g.lower_bound) for place in places]))
    held = 0
    for place in _crowded(space, around, g.lower_bound, g.k).tolist():
        held = max(held, int(space.weights[_nearer(space, place, g.lower_bound)].sum()))
    at_it = math.nextafter(g.lower_bound, math.inf)
    reached = any(
        int(space.weights[_nearer(space, center, at_it)].sum()) >= g.k
        for place in reversed(places)
        for center in _nearer(space, place, at_it).tolist()
    )
    if not reached:
        return Check("bound witness", False, f"more than {g.lower_bound!r} is proven by this witness.")
    found = f"of {len(places):,} points none has a center within less than {g.lower_bound!r} that has {g.k:,} there."
    return Check("bound witness", held < g.k, found if held < g.k else f"a point of the witness has one with {held:,}.")


def too_many_discs(space: MetricSpace, g: Generalization) -> Check:
    """More records than may be left out, for none of which a disc smaller in the sixth digit holds k records too."""
    places, value = positions(space, g), g.lower_bound
    plane = space.metric == "haversine" or (space.metric == "euclidean" and space.points.shape[1] <= 2)
    if not _outnumber(space, g, places) or not plane or g.options.get("centers") == "input":
        found = "“too many discs” has as its witness more records than may be left out, and free centers in a plane."
        return Check("bound witness", False, found)
    if not 0 < value < math.inf or value != six_digits_up(value):
        return Check("bound witness", False, f"{value!r} is no radius of six digits.")
    held = [place for place in places if disc_holds(space, place, six_digits_below(value), g.k)]
    return Check(
        "bound witness", not held, f"for {len(held):,} of {len(places):,} points a smaller disc holds {g.k:,}."
    )


def peeling(space: MetricSpace, g: Generalization) -> Check:
    """More records than may be left out, each with fewer than k of those behind it within less than the width.

    Whoever is left out: the first of them that stays has k records in its cluster, none of them before it, so one is at
    least so far away, and the radius at least half of that.
    """
    places = positions(space, g)
    if not _outnumber(space, g, places):
        return Check("bound witness", False, "“peeling” has as its witness more records than may be left out.")
    gone = np.zeros(len(space), dtype=bool)
    width = math.inf
    for place in places:
        apart = space.distances(place)
        apart[gone] = math.inf
        if space.total == len(space):
            own = float(np.partition(apart, g.k - 1)[g.k - 1])
        else:
            order = np.argsort(apart, kind="stable")
            enough = np.cumsum(np.where(gone[order], 0, space.weights[order])) >= g.k
            own = float(apart[order[np.argmax(enough)]]) if enough.any() else math.inf
        width = min(width, own)
        gone[place] = True
    return half_is_bound(space, g, width)


def too_many_apart(space: MetricSpace, g: Generalization) -> Check:
    """Of one point more than there may be clusters two share one, and these are at least so far apart."""
    places = positions(space, g)
    fit = len(places) == _most_clusters(space, g) + 1 == len(set(places)) and most_left_out(space, g) == 0
    if not fit or g.details.prices.size:
        return Check("bound witness", False, "“too many apart” has as its witness one point more than clusters may be.")
    nearest = [float(np.delete(space.distances(place, places), at).min()) for at, place in enumerate(places)]
    return half_is_bound(space, g, min(nearest))


def coverage(space: MetricSpace, g: Generalization) -> Check:
    """As many clusters as there may be, of diameters below the width, hold too few records.

    The witness is the places that stand for all points, none where each does for itself; the width is the price. The
    greedy choices are made again: docs/proofs/clusters/center_outliers.md.
    """
    net = _net(space, g)
    if net is None:
        return Check("bound witness", False, NO_NET)
    places, weights, loss, width = net
    apart = np.array([space.distances(place, places) for place in places.tolist()])
    near = apart < width
    largest = float(apart[near].max(initial=0.0))
    far = apart > 4 * largest - 2 * half_of(space, 2 * largest)
    kept = np.asarray(near @ weights >= g.k)
    while (lone := kept & (near @ np.where(kept, weights, 0.0) < g.k)).any():
        kept &= ~lone
    most = _most_clusters(space, g)
    held = min(_covered(near, far, weights, kept, most), _within(near, weights, kept, kept, most))
    if held >= space.total - most_left_out(space, g):
        found = f"clusters of diameters below {width!r} may hold {held:,.0f} records, which is enough."
        return Check("bound witness", False, found)
    return half_is_bound(space, g, max(0.0, width - 2 * loss))


def disks(space: MetricSpace, g: Generalization) -> Check:
    """As many disks as there may be clusters, of radii below the price around points, hold too few records."""
    net = _net(space, g)
    if net is None or (space.free and g.options.get("centers") != "input"):
        return Check("bound witness", False, NO_NET)
    places, weights, loss, radius = net
    near = np.array([space.distances(place, places) < radius for place in places.tolist()])
    centers = near @ weights >= g.k
    held = _within(near, weights, np.asarray(near[:, centers].any(axis=1)), centers, _most_clusters(space, g))
    if held >= space.total - most_left_out(space, g):
        found = f"disks of radii below {radius!r} may hold {held:,.0f} records, which is enough."
        return Check("bound witness", False, found)
    value = max(0.0, 2 * half_of(space, radius) - 2 * loss) if loss else radius
    found = f"“disks” gives {value!r}, the result says {g.lower_bound!r}."
    return Check("bound witness", value == g.lower_bound, found)


def _net(space: MetricSpace, g: Generalization) -> tuple[np.ndarray, np.ndarray, float, float] | None:
    """Places, records at each, how far at most a point is from its place, and the price; None without a form."""
    places = np.array(positions(space, g) or range(len(space)), dtype=np.int64)
    prices = g.details.prices
    if len(set(places.tolist())) != len(places) or prices.shape != (1, 1) or not 0 <= prices[0, 0] < math.inf:
        return None
    nearest = np.full(len(space), math.inf)
    owner = np.zeros(len(space), dtype=np.int64)
    for number, place in enumerate(places.tolist()):
        apart = space.distances(place)
        closer = apart < nearest
        nearest[closer], owner[closer] = apart[closer], number
    weights = np.bincount(owner, weights=space.weights, minlength=len(places))
    return places, weights, float(nearest.max()), float(prices[0, 0])


def _covered(near: np.ndarray, far: np.ndarray, weights: np.ndarray, kept: np.ndarray, most: int) -> float:
    """Take the place with most near, and all that is not far; again and again: no such clusters hold more."""
    free = kept.copy()
    covered = 0.0
    for _ in range(most):
        if not free.any():
            break
        held = near @ np.where(free, weights, 0.0)
        taken = free & ~far[int(np.argmax(np.where(free, held, -1.0)))]
        covered += float(weights[taken].sum())
        free &= ~taken
    return covered


def _within(near: np.ndarray, weights: np.ndarray, kept: np.ndarray, centers: np.ndarray, most: int) -> float:
    """At most so much lies in so many balls: at any time what was taken, and the largest gains beside it."""
    free = kept.copy()
    taken = 0.0
    best = float(weights[kept].sum())
    for _ in range(min(most, len(weights))):
        gains = np.where(centers, near @ np.where(free, weights, 0.0), 0.0)
        best = min(best, taken + float(np.sort(gains)[::-1][:most].sum()))
        ball = free & near[int(np.argmax(gains))]
        if not ball.any():
            break
        taken += float(weights[ball].sum())
        free &= ~ball
    return best


def _nearer(space: MetricSpace, place: int, width: float) -> np.ndarray:
    """All points that are less than the width away."""
    if space.tree is None or space.embedding is None:
        return np.flatnonzero(space.distances(place) < width)
    near = space.tree.query_ball_point(space.embedding[place], _reach(space, width), p=space.norm)
    found = np.array(near, dtype=np.int64)
    return found[space.distances(place, found) < width]


def _crowded(space: MetricSpace, places: np.ndarray, width: float, k: int) -> np.ndarray:
    """Those of some points that may have k records within the width: all but those that certainly have not."""
    if space.tree is None or space.embedding is None or len(places) == 0:
        return places
    counts = space.tree.query_ball_point(
        space.embedding[places], _reach(space, width), p=space.norm, return_length=True
    )
    return places[np.asarray(counts) * int(space.weights.max()) >= k]


def _reach(space: MetricSpace, width: float) -> float:
    """In the embedding a little more than a width of the metric, so that rounding loses no point."""
    if space.metric == "haversine":
        return 2 * math.sin(min((width + 1e-4) / (2 * 6371.0088), math.pi / 2)) * (1 + 1e-8) + 1e-12
    scale = float(space.column_weights.sum()) if space.metric == "gower" else 1.0
    return (width + 1e-8 * (space.norm == 1)) * scale * (1 + 1e-8)


def most_left_out(space: MetricSpace, g: Generalization) -> int:
    """How many records may be left out."""
    return math.floor(Decimal(repr(g.options.get("epsilon", 0.0))) * space.total)


def _most_clusters(space: MetricSpace, g: Generalization) -> int:
    """As many as are asked for, and no more than there are k records for."""
    return min(g.options.get("max_clusters") or space.total, space.total // g.k)


def _outnumber(space: MetricSpace, g: Generalization, places: tuple[int, ...]) -> bool:
    """Whether a witness is different points with more records than may be left out, and needs no price."""
    alone = g.details.prices.size == 0 and len(set(places)) == len(places)
    return alone and int(space.weights[list(places)].sum()) > most_left_out(space, g)


def gather_ceiling(space: MetricSpace, g: Generalization) -> Check:
    """3 times the bound around points, 4 times around smallest balls."""
    return _ceiling(space, g, 3 if not space.free or g.options.get("centers") == "input" else 4)


def center_ceiling(space: MetricSpace, g: Generalization) -> Check:
    """4 times the bound, where every point stands for itself."""
    if len(space) > MOST_PLACES:
        return Check("guarantee formula", g.guarantee is None, "none is proven beforehand of so many points.")
    return _ceiling(space, g, 4)


def few_ceiling(space: MetricSpace, g: Generalization) -> Check:
    """2 times the bound for single records, where the run was not stopped before the cost was that low."""
    counts = space.total > len(space) or len(space) > 200_000
    if counts or g.cost > ceiling_of(space, 2, g.lower_bound):
        return Check(
            "guarantee formula", g.guarantee is None, "nothing is promised of counts, or so far from the bound."
        )
    return _ceiling(space, g, 2)


def _ceiling(space: MetricSpace, g: Generalization, ratio: float) -> Check:
    means = space.free and g.options.get("centers") == "means"
    if means or (space.metric == "precomputed" and not space.triangle):
        words = "around means no ceiling is proven." if means else "none is proven without the triangle inequality."
        return Check("guarantee formula", g.guarantee is None, words)
    value = ceiling_of(space, ratio, g.lower_bound)
    found = f"the ceiling is {value!r}, the result says {g.guarantee!r}."
    return Check("guarantee formula", g.guarantee == value, found)


FEW_CLUSTERS: dict[str, Callable[[MetricSpace, Generalization], Check]] = {
    "too many apart": too_many_apart,
    "coverage": coverage,
    "disks": disks,
}
BOUNDS = {
    "too many in need": too_many_in_need,
    "too many discs": too_many_discs,
    "peeling": peeling,
} | FEW_CLUSTERS
GUARANTEES: dict[str, Callable[[MetricSpace, Generalization], Check]] = {
    "center": few_ceiling,
    "gather-outliers": gather_ceiling,
    "center-outliers": center_ceiling,
}
