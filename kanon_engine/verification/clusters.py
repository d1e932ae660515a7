"""The claims of a clustering's certificate: centers and radii, who is left out, the cost, the bound, the ceiling."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from operator import mul
from typing import Any

from . import arrays
from .checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry
from .codec import Array
from .core import (
    COST,
    MINIMUM,
    Check,
    Instance,
    Maker,
    Option,
    bound_check,
    details_checks,
    require_names,
    sums_by_class,
)
from .metric import EARTH, ROUNDING, Leaves, Space, rounded_up, six_digits_below, squared

LARGEST_CLASS = WHOLE = False
REQUIREMENTS = MINIMUM
IMPROVE = {"improve": Option("flag")}
CENTERS = {"centers": Option("choice", ("any", "input", "means"))}
PLAIN_CENTERS = {"centers": Option("choice", ("any", "input"))}
EPSILON = {"epsilon": Option("number", least=0.0, greatest=0.99)}
MAX_CLUSTERS = {"max_clusters": Option("integer", least=1, optional=True)}
FACILITY_COST = {"facility_cost": Option("number", least=0.0)}
ALGORITHMS = {
    "gather": Maker({**CENTERS, **IMPROVE}, searches=True),
    "center": Maker({**CENTERS, **MAX_CLUSTERS, **IMPROVE}),
    "gather-outliers": Maker({**CENTERS, **EPSILON, **IMPROVE}),
    "center-outliers": Maker({**CENTERS, **EPSILON, **MAX_CLUSTERS, **IMPROVE}),
    "cellular": Maker({**PLAIN_CENTERS, **FACILITY_COST, **IMPROVE}),
    "r-cellular": Maker({**PLAIN_CENTERS, **FACILITY_COST, **IMPROVE}),
    "r-cellular-outliers": Maker({**EPSILON, **PLAIN_CENTERS, **FACILITY_COST, **IMPROVE}),
    "mdav": Maker(IMPROVE),
    "v-mdav": Maker({"gamma": Option("number", least=0.0), **IMPROVE}),
    "exact": Maker({"cost": Option("choice", ("radius", "cellular")), **PLAIN_CENTERS}, searches=True),
}
CELLULAR, SQUARES = ("cellular", "r-cellular", "r-cellular-outliers"), ("mdav", "v-mdav")
COST_OF = {**dict.fromkeys(CELLULAR, "cellular"), **dict.fromkeys(SQUARES, "squares")}  # all others: the largest radius
RECORDS = {
    "ClusterDetails": {
        "places": ("<i8",), "centers": ("<f8", None), "radii": ("<f8",), "prices": ("<f8", None), "curve": ("<f8", 3),
    }
}  # fmt: skip
CHECKABLE = {
    "ClusterDetails": {
        "places": Entry(
            CHECKED, "each of these places is a point of the data, and distances are measured from this point"
        ),
        "centers": Entry(
            CHECKED,
            "distances are measured from each center; a center listed as a point has that point's coordinates",
        ),
        "radii": Entry(CHECKED, "the largest distance of a member from its center is recomputed"),
        "prices": Entry(CHECKED, "the bound is recomputed from these numbers, which the proofs call prices"),
        "curve": Entry(PARTLY, "the last row is the result; the steps before it cannot be checked"),
    },
    "clusters": {
        "cost": Entry(CHECKED, "the chosen cost is recomputed"),
        "centers": Entry(PARTLY, "if requested, every center is a point, or the mean of its members"),
        "epsilon": Entry(PARTLY, "at most this share of records is left out, and the bound takes that into account"),
        "max_clusters": Entry(PARTLY, "there are at most this many classes, and the bound takes that into account"),
        "facility_cost": Entry(CHECKED, "the setup cost of clusters is part of the cost, which is recomputed"),
        "gamma": Entry(UNCHECKED, STEERS),
        "improve": Entry(UNCHECKED, STEERS),
    },
}
LARGEST = 1e150  # whose squares are finite


def weights(parts: Mapping[str, Any]) -> Array:
    """How many records each point represents."""
    return parts["counts"]  # type: ignore[no-any-return]


def require_form(parts: Mapping[str, Any]) -> None:
    """ValueError unless the parts are points of a metric space with counts of at least 1."""
    counts, points, levels, metric = parts["counts"].numbers, parts["points"], parts["levels"], parts["metric"]
    require_names(parts, "ids", len(counts))
    width = 0 if metric == "precomputed" else points.shape[1]
    if points.kind != "<f8" or points.shape != (len(counts), width or len(counts)) or len(levels) != width:
        raise ValueError("the points do not have one row of numbers each")
    values = parts["column_weights"].numbers
    if len(values) != width or not all(0 <= weight < math.inf for weight in values) or (width and not any(values)):
        raise ValueError("the columns do not have one weight each, or all weights are 0")
    if min(counts) < 1:
        raise ValueError("a point has no records")
    if metric == "precomputed":
        _require_matrix(points.rows, parts["triangle"])
        return
    for column, words in zip((values.tolist() for values in points.columns), levels):
        if metric in ("euclidean", "haversine"):
            good = words is None and all(abs(value) < LARGEST for value in column)
        elif words is None:
            good = all(value != value or abs(value) < LARGEST for value in column)
        else:
            good = all(value != value or (value.is_integer() and 0 <= value < len(words)) for value in column)
        if not good:
            raise ValueError("a column holds values that the metric cannot use")
    if metric == "haversine" and not _on_globe(points.columns):
        raise ValueError("a place is not on the globe")
    if metric not in ("euclidean", "haversine", "gower", "hamming"):
        raise ValueError("there is no such metric")


def _require_matrix(rows: Sequence[Sequence[float]], triangle: bool) -> None:
    """ValueError unless these are distances, and a metric where they are declared as one, in O(n³)."""
    longest = max(map(max, rows))
    good = min(map(min, rows)) >= 0 and longest < math.inf and list(zip(*rows)) == list(rows)
    if not good or any(row[place] for place, row in enumerate(rows)):
        raise ValueError("a distance is below 0 or infinite, not the same both ways, or not 0 from a point to itself")
    columns = [arrays.floats(row) for row in rows] if triangle else []
    for one, around in zip(columns, rows):
        for way, beyond in zip(around, columns):
            if arrays.total(one > beyond + way + ROUNDING * longest):
                raise ValueError("a detour is shorter than the direct distance")


def _on_globe(columns: Sequence[Any]) -> bool:
    lon, lat = columns
    return arrays.total((lon >= -360) & (lon <= 360) & (lat >= -90) & (lat <= 90)) == len(lon)


def checks(instance: Instance, g: Any) -> Iterator[Check]:
    """Every claim specific to clusterings."""
    yield from details_checks(g, list(RECORDS))
    space = Space(instance.parts, instance.weights)
    yield _form(space, g)
    out, most = space.total - sum(g.class_weights.numbers), most_left_out(space, g)
    yield Check("left out", out <= most, f"{out:,} records are left out, and at most {most:,} are allowed.")
    limit = g.options.get("max_clusters")
    detail = (
        f"there are {g.classes:,} clusters, and "
        f"{'no limit was set' if limit is None else f'at most {limit:,} are allowed'}."
    )
    yield Check("clusters asked for", limit is None or g.classes <= limit, detail)
    yield _centers(space, g)
    same = _radii_hold(space, g)
    detail = "each radius is the largest distance of a record from its center"
    yield Check("radii", same, f"{detail}: {'yes' if same else 'no'}.")
    kind = cost_of(g.algorithm, g.options)
    cost = {"radius": _radius, "cellular": _cellular, "squares": _squares}[kind](space, g)
    yield Check(COST, g.cost == cost, f"the recomputed cost is {cost!r}, and the result says {g.cost!r}.")
    kind += ", with records left out" if kind == "radius" and "epsilon" in g.options else ""
    yield bound_check(g, {name: BOUNDS[name] for name in BOUNDS_ON[kind]}, space, g)
    yield _ceiling(space, g)


def cost_of(algorithm: str, options: Mapping[str, Any]) -> str:
    """What the cost counts: "radius", "cellular" or "squares"."""
    return options.get("cost") or COST_OF.get(algorithm, "radius")


def centers_are_free(space: Space, g: Any) -> bool:
    """Whether centers may be anywhere, so that radii have six digits."""
    return space.free and g.options.get("centers") != "input"


def most_left_out(space: Space, g: Any) -> int:
    """How many records may be left out."""
    return math.floor(Decimal(repr(g.options.get("epsilon", 0.0))) * space.total)


def _form(space: Space, g: Any) -> Check:
    """One center and one radius per class, and a curve whose last row is the result."""
    details, curve = g.details, g.details.curve
    good = details.places.shape == details.radii.shape == (g.classes,)
    good = good and details.centers.shape == (g.classes, len(space.points) if space.free else 0)
    good = good and (curve.shape[0] == 0 or curve.rows[-1][1:] == (g.cost, g.lower_bound))
    counts = f"{details.places.shape[0]:,} centers with {details.radii.shape[0]:,} radii"
    return Check("clusters", good, f"there are {counts}; the curve of the search ends with the result.")


def _centers(space: Space, g: Any) -> Check:
    """Whether centers are where the option says, and points where the result says so."""
    if g.algorithm in SQUARES and not (space.metric == "euclidean" and space.single):
        return Check("centers", False, f"{g.algorithm} needs Euclidean points that each stand for one record.")
    places, centers = g.details.places.column, g.details.centers.columns
    choice = "means" if g.algorithm in SQUARES else g.options.get("centers", "any")
    fixed = arrays.rows_where(places >= 0)
    good = arrays.least(places) >= -1 and arrays.greatest(places) < space.size
    if choice == "input" or not space.free:
        good = good and len(fixed) == g.classes
    if good and space.free:
        finite = (arrays.total((values > -math.inf) & (values < math.inf)) == g.classes for values in centers)
        same = (arrays.equal(values[fixed], mine[places[fixed]]) for values, mine in zip(centers, space.points))
        good = all(finite) and all(same) and (space.metric != "haversine" or _on_globe(centers))
    if good and choice == "means" and space.free:
        means = [_means(space, g, space.counts)]
        if not space.single:  # the means of points, as older results have it
            means.append(_means(space, g, arrays.filled(space.size, 1)))
        good = len(fixed) == 0 and all(values in some for values, *some in zip(g.details.centers.rows, *means))
    detail = f"{len(fixed):,} of {len(places):,} centers are points, as the option “{choice}” allows."
    return Check("centers", good, detail)


def _means(space: Space, g: Any, counts: Any) -> list[tuple[float, ...]]:
    """The mean of each class, its points weighted by their counts."""
    totals, columns = sums_by_class(g, counts), []
    for column in space.points:
        parts: list[list[float]] = [[] for _ in range(g.classes + 1)]  # the last: of those that are left out, class -1
        for number, value in zip(g.assignment.numbers, (column * counts).tolist()):
            parts[number].append(value)
        columns.append([math.fsum(part) / total for part, total in zip(parts, totals)])
    return list(zip(*columns))


def _radii_hold(space: Space, g: Any) -> bool:
    """Whether each radius is the largest distance of a record of the class from its center."""
    details, rows = g.details, arrays.rows_where(g.assignment.column >= 0)
    clusters = g.assignment.column[rows]
    places = details.places.column[clusters]
    fixed, free = places >= 0, places < 0
    farthest = largest_of(clusters[fixed], space.paired(rows[fixed], places[fixed]), g.classes).tolist()
    if arrays.total(free):
        distances = space.from_centers(details.centers.columns, clusters[free], rows[free])
        farthest = list(map(max, farthest, largest_of(clusters[free], distances, g.classes).tolist()))
    claims = zip(details.places.numbers, details.radii.numbers, farthest)
    return all(claimed == far if place >= 0 else space.is_free_radius(claimed, far) for place, claimed, far in claims)


def largest_of(groups: Any, values: Any, count: int) -> Any:
    """The largest value of each group 0 … count - 1; values are at least 0, and an empty group has 0."""
    result = arrays.filled(count, 0.0)
    if len(groups) == 0:
        return result
    rows = arrays.order([groups])
    starts = arrays.changes([groups[rows]])
    return arrays.replaced(result, groups[rows][starts], arrays.run_greatest(starts, values[rows]))


def _radius(space: Space, g: Any) -> float:
    return float(max(g.details.radii.numbers))


def _cellular(space: Space, g: Any) -> float:
    opened = [float(g.options.get("facility_cost", 0.0))] * g.classes
    return math.fsum([*map(mul, g.class_weights.numbers, g.details.radii.numbers), *opened])


def _squares(space: Space, g: Any) -> float:
    clusters, squares = g.assignment.column, []
    for column, means in zip(space.points, g.details.centers.columns):
        step = column - means[clusters]
        squares += (step * step).tolist()
    return math.fsum(squares)


# ---------------------------------------------------------------------------------------------------------------------
# The ceiling: docs/proofs/clusters
# ---------------------------------------------------------------------------------------------------------------------

MOST_PLACES = 2_000  # up to here every point represents itself in “coverage” and “disks”
SINGLE = 200_000  # records up to which the paper's search of widths is run


def _ceiling(space: Space, g: Any) -> Check:
    """A multiple of the bound plus what rounding may add, where a ratio is proven."""
    ratio = None if g.require or not space.is_metric else _ratio(space, g)
    if ratio is None:
        return Check("guarantee formula", g.guarantee is None, "no guarantee is proven in advance.")
    value = space.ceiling(ratio, g.lower_bound, g.k if g.algorithm in CELLULAR else None)
    if g.algorithm == "gather" and g.guarantee is None and g.status == "stopped":
        return Check(
            "guarantee formula", g.cost > value, "the run was stopped before the cost came down to the guarantee."
        )
    if g.algorithm in ("center", "cellular", "r-cellular") and value < g.cost:
        return Check("guarantee formula", g.guarantee is None, "the cost is too far above the bound for a guarantee.")
    detail = f"the guarantee is {value!r}, and the result says {g.guarantee!r}."
    return Check("guarantee formula", g.guarantee == value, detail)


def _ratio(space: Space, g: Any) -> int | None:
    """How many times the bound the cost is at most; None where nothing is proven."""
    free, single = centers_are_free(space, g), space.single and space.size <= SINGLE
    if free and g.options.get("centers") == "means":
        return None
    ratios = {
        "gather": 2 if single else 6 if free else 3,
        "gather-outliers": 4 if free else 3,
        "center-outliers": 4 if space.size <= MOST_PLACES else None,
        "center": 2 if single else None,
        "r-cellular": (72 if free else 36) if space.single else None,
        "cellular": (6 if free else 3) if g.k == 1 else None,
    }
    return ratios.get(g.algorithm)


# ---------------------------------------------------------------------------------------------------------------------
# Lower bounds on the largest radius: what a witness proves; None where it is no witness
# ---------------------------------------------------------------------------------------------------------------------


def _points(space: Space, witness: Sequence[int]) -> Any:
    """The points of a witness; ValueError unless they are distinct."""
    if not (len(set(witness)) == len(witness) > 0 and min(witness) >= 0 and max(witness) < space.size):
        raise ValueError("a witness is not a set of points")
    return arrays.column(witness)


def _half_of(space: Space, g: Any, diameter: float) -> float:
    """Half of a diameter as a bound, six digits where centers are free."""
    value = space.half(diameter)
    if not centers_are_free(space, g):
        return value
    claimed: float = g.lower_bound
    return claimed if space.is_free_radius(claimed, value) else space.free_radius(value)


def _need(space: Space, g: Any, witness: list[int]) -> float | None:
    """The witness has no center within less that has k records within less."""
    (place,) = _points(space, witness).tolist()
    if centers_are_free(space, g):
        return None
    distances = space.distances(place)
    rows = arrays.order([distances])
    least = math.inf
    for center, distance in zip(rows.tolist(), distances[rows].tolist()):
        if distance >= least:
            break
        least = min(least, max(distance, space.least_with(space.distances(center), g.k, space.counts)))
    return least


def _separated_centers(space: Space, g: Any, witness: list[int]) -> float | None:
    """The diameter below which each of the points has a cluster of its own, and together they lack records.

    It is the least distance between two of them, or the least within which they have k records for each.
    """
    points = _points(space, witness)
    enough = space.least_with(_nearest(space, points)[0], g.k * len(witness), space.counts)
    return _half_of(space, g, min(_least_between(space, points), enough))


def _nearest(space: Space, points: Any) -> tuple[Any, Any]:
    """For each point, how far the nearest of some points is, and which one, the first of equals."""
    nearest, number = arrays.filled(space.size, math.inf), arrays.filled(space.size, 0)
    for position, place in enumerate(points.tolist()):
        distances = space.distances(place)
        closer = distances < nearest
        nearest, number = arrays.where(closer, distances, nearest), arrays.where(closer, position, number)
    return nearest, number


def _least_between(space: Space, points: Any) -> float:
    """The least distance between two of some points; infinite where there is one."""
    pairs = ((place, points[at + 1 :]) for at, place in enumerate(points[:-1].tolist()))
    return min((arrays.least(space.distances(place, others)) for place, others in pairs), default=math.inf)


def _least_disc(space: Space, g: Any, witness: list[int]) -> float | None:
    """No disc smaller by one in the sixth digit holds the witness and k records; one of this size does."""
    (place,), value = _points(space, witness).tolist(), g.lower_bound
    if not _are_discs(space, g) or value < 0 or value != rounded_up(value):
        return None
    more = 1e-5 if space.metric == "haversine" else 0.0
    if value > 0 and disc_holds(space, place, six_digits_below(value), g.k):
        return None
    return value if value == 0 or disc_holds(space, place, value * (1 + 1e-8) + more, g.k) else None


def _are_discs(space: Space, g: Any) -> bool:
    """Whether clusters are discs of a plane or of the globe."""
    return space.plane and centers_are_free(space, g)


def _too_many(space: Space, g: Any, witness: list[int]) -> Any:
    """The points of a witness; ValueError unless they are more records than may be left out, and there is no price."""
    points = _points(space, witness)
    if 0 not in g.details.prices.shape or arrays.total(space.counts[points]) <= most_left_out(space, g):
        raise ValueError(
            "a witness has too few records, or the result has prices of its records, which this bound does not use"
        )
    return points


def _too_many_in_need(space: Space, g: Any, witness: list[int]) -> float | None:
    """More records than may be left out have no point within less that has k records within less.

    Whoever is left out: one of them stays, and its center is such a point.
    """
    points, value, counts, reached = _too_many(space, g, witness), g.lower_bound, space.counts, False
    if centers_are_free(space, g):
        return None
    around = inside = arrays.filled(space.size, False)
    for _, there, distances in space.pairs(points, value):
        around = arrays.replaced(around, there, arrays.filled(len(there), True))
        less = there[distances < value]
        inside = arrays.replaced(inside, less, arrays.filled(len(less), True))
    for here, there, distances in space.pairs(arrays.rows_where(around), value):
        records = counts[there]
        reached = reached or arrays.greatest(arrays.sums_of(here, records, space.size)) >= g.k
        nearby = arrays.sums_of(here, arrays.where(distances < value, records, 0), space.size)
        if arrays.total(inside & (nearby >= g.k)):
            return None
    return value if reached else None


def _too_many_discs(space: Space, g: Any, witness: list[int]) -> float | None:
    """More records than may be left out, for none of which a disc smaller in the sixth digit holds k records too."""
    points, value = _too_many(space, g, witness), g.lower_bound
    if not _are_discs(space, g) or value <= 0 or value != rounded_up(value):
        return None
    smaller = six_digits_below(value)
    return None if any(disc_holds(space, place, smaller, g.k) for place in points.tolist()) else value


def _peeling(space: Space, g: Any, witness: list[int]) -> float | None:
    """More records than may be left out, each with fewer than k of those behind it within less than the width.

    Whoever is left out: the first of them that stays has k records in its cluster, none of them before it, so one is at
    least so far away, and the radius at least half of that.
    """
    points, width, counts = _too_many(space, g, witness), math.inf, space.counts
    for number, place in enumerate(witness):
        removed = points[:number]
        distances = arrays.replaced(space.distances(place), removed, arrays.filled(number, math.inf))
        if not space.single:
            counts = arrays.replaced(space.counts, removed, arrays.filled(number, 0))
        width = min(width, space.least_with(distances, g.k, counts))
    return _half_of(space, g, width)


def _most_clusters(space: Space, g: Any) -> int:
    """As many as requested, and no more than there are k records for."""
    requested = int(g.options.get("max_clusters") or space.total)
    return min(requested, space.total // int(g.k))


def _too_many_separated(space: Space, g: Any, witness: list[int]) -> float | None:
    """With one point more than there may be clusters, two share one, and they are at least this far apart."""
    points = _points(space, witness)
    if len(witness) != _most_clusters(space, g) + 1 or most_left_out(space, g) or 0 not in g.details.prices.shape:
        return None
    return _half_of(space, g, _least_between(space, points))


# ---------------------------------------------------------------------------------------------------------------------
# Discs of the plane and of the globe
# ---------------------------------------------------------------------------------------------------------------------

QUARTER = 9_000.0  # km
TURN = 1e-10  # the error that angles may have


def disc_holds(space: Space, place: int, width: float, k: int) -> bool:
    """False is proven: no disc of this radius, nor of one that rounding makes of it, holds the point and k records.

    A disc that holds some points can be moved until one of them is on its border. Along the circle of such centers
    around that point, each other point is within the radius on one arc.
    """
    globe = space.metric == "haversine"
    if globe and width > QUARTER:
        return True
    reach = 2 * width * (1 + 1e-8) + (1e-5 if globe else 0.0)
    near = arrays.rows_where(space.distances(place) <= reach)
    counts = arrays.minimum(space.counts[near], k)
    if arrays.total(counts) < k:
        return False
    much = k * (len(near) + 1)  # more than all others together: the point itself must be in the disc
    counts = arrays.where(near == place, counts + much, counts)
    if globe:
        steps = [column[near] for column in space.spots]
        length = arrays.square_root(squared(steps))
        spots = [step / length for step in steps]  # of length 1
        radius = (width * (1 + 2e-9) + 6e-7) / EARTH
    else:
        spots = [column[near] - column[place] for column in space.points]
        spots += [arrays.filled(len(near), 0.0)] * (2 - len(spots))
        radius = width * (1 + 1e-9)
    return any(_most_on_circle(spots, number, radius, counts) >= much + k for number in range(len(near)))


def _most_on_circle(spots: Sequence[Any], number: int, radius: float, counts: Any) -> int:
    """The most records within the radius of one center on the circle of that radius around a point.

    Each other point is within the radius on an arc, whose middle lies in its direction.
    """
    here = [float(column[number]) for column in spots]
    steps = [column - values for column, values in zip(spots, here)]
    length = arrays.square_root(squared(steps))
    always = arrays.total(counts[length == 0])
    if len(here) == 3:
        flat = min(range(3), key=lambda axis: abs(here[axis]))  # its poles are far away
        (a, b, c), (u, v, w) = ([*values[flat + 1 :], *values[: flat + 1]] for values in (here, steps))
        x, y = v * a - u * b, w * (a * a + b * b) - (u * a + v * b) * c  # at right angles, along the sphere
        sine = length / 2  # of half the arc
        share = sine / arrays.square_root(1.0 - sine * sine) / math.tan(radius)
    else:
        (x, y), share = steps, length / (2 * radius)
    some = arrays.rows_where((share <= 1) & (length > 0))
    if len(some) == 0:
        return always
    middle, half = arrays.mapped(math.atan2, y[some], x[some]), arrays.mapped(math.acos, share[some]) + TURN
    start, end = (arrays.concatenated([turn, turn + 2 * math.pi]) for turn in (middle - half, middle + half))
    values = arrays.concatenated([counts[some], counts[some]])
    by_start, by_end = arrays.order([start]), arrays.order([end])
    ended = arrays.concatenated([arrays.column([0]), arrays.running_sums(values[by_end])])
    before = ended[arrays.insertion(end[by_end], start[by_start], "left")]
    return always + int(arrays.greatest(arrays.running_sums(values[by_start]) - before))


# ---------------------------------------------------------------------------------------------------------------------
# A given number of clusters holds too few records
# ---------------------------------------------------------------------------------------------------------------------


class Net:
    """Places that represent all points: the records at each, how far at most a point is from its place, a price.

    Those of the witness, or all points where it has none; ValueError where witness or price has the wrong form.
    """

    def __init__(self, space: Space, g: Any, witness: list[int]) -> None:
        ((price,),) = g.details.prices.rows
        if not 0 <= price < math.inf:
            raise ValueError("the distance that the bound is based on is below 0 or infinite")
        self.price, self.places = price, _points(space, witness) if witness else arrays.places(space.size)
        nearest, owner = _nearest(space, self.places)
        self.counts: list[int] = arrays.sums_of(owner, space.counts, len(self.places)).tolist()
        self.loss = float(arrays.greatest(nearest))
        self.near: list[list[int]] = []  # for each place those nearer than the price; and how far away they are at most
        self.largest = 0.0
        for place in self.places.tolist():
            distances = space.distances(place, self.places)
            self.near.append(arrays.rows_where(distances < price).tolist())
            self.largest = max([self.largest, *distances[distances < price].tolist()])


class Balls:
    """Places, each with those near it, and how much of the free places they hold."""

    def __init__(self, net: Net, free: Sequence[bool]) -> None:
        self.near, self.counts, self.free = net.near, net.counts, list(free)
        self.held = [sum(self.counts[other] for other in members if free[other]) for members in self.near]

    def take(self, places: Sequence[int]) -> int:
        """Take free places: the records that they hold. Nearness is symmetric."""
        for place in places:
            self.free[place] = False
            for other in self.near[place]:
                self.held[other] -= self.counts[place]
        return sum(self.counts[place] for place in places)

    def widest(self, places: Sequence[int]) -> int:
        """Which of some places has the most near it, the first of equals."""
        return max(places, key=lambda place: (self.held[place], -place))


def _coverage(space: Space, g: Any, witness: list[int]) -> float | None:
    """As many clusters as there may be, of diameters below the width, hold too few records.

    The witness is the places that represent all points, none where each represents itself; the width is the price. The
    greedy choices are repeated: docs/proofs/clusters/center_outliers.md.
    """
    net, most = Net(space, g, witness), _most_clusters(space, g)
    limit = 4 * net.largest - 2 * space.half(2 * net.largest)
    dense = Balls(net, [count >= g.k for count in Balls(net, [True] * len(net.near)).held])
    while lone := [place for place, count in enumerate(dense.held) if dense.free[place] and count < g.k]:
        dense.take(lone)
    centers = [place for place, is_free in enumerate(dense.free) if is_free]
    covered, balls, free = 0, Balls(net, dense.free), centers
    for _ in range(most):  # take the place with most near, and all that is not far: no such clusters hold more
        if not free:
            break
        reached = (space.distances(int(net.places[balls.widest(free)]), net.places) <= limit).tolist()
        covered += balls.take([place for place in free if reached[place]])
        free = [place for place in free if not reached[place]]
    if min(covered, _most_within(dense, centers, most)) >= space.total - most_left_out(space, g):
        return None
    return _half_of(space, g, max(0.0, net.price - 2 * net.loss))


def _disks(space: Space, g: Any, witness: list[int]) -> float | None:
    """As many disks as there may be clusters, of radii below the price around points, hold too few records."""
    net = Net(space, g, witness)
    if centers_are_free(space, g):
        return None
    counts = Balls(net, [True] * len(net.near)).held
    centers = [place for place, count in enumerate(counts) if count >= g.k]
    around = {other for place in centers for other in net.near[place]}
    balls = Balls(net, [place in around for place in range(len(counts))])
    if _most_within(balls, centers, _most_clusters(space, g)) >= space.total - most_left_out(space, g):
        return None
    return max(0.0, 2 * space.half(net.price) - 2 * net.loss) if net.loss else net.price


def _most_within(balls: Balls, centers: Sequence[int], most: int) -> int:
    """The most that a number of balls can hold: at any time what was taken plus the largest remaining gains."""
    covered, best = 0, sum(count for count, free in zip(balls.counts, balls.free) if free)
    for _ in range(min(most, len(balls.counts))):
        gains = sorted((balls.held[place] for place in centers), reverse=True)
        best = min(best, covered + sum(gains[:most]))
        if not gains or gains[0] == 0:
            break
        covered += balls.take([place for place in balls.near[balls.widest(centers)] if balls.free[place]])
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Prices of records, for cellular costs
# ---------------------------------------------------------------------------------------------------------------------

BITS = 61  # of the largest sum


def _prices(space: Space, g: Any, witness: list[int]) -> float | None:
    """No cluster around a point costs less than the prices of its records."""
    return None if centers_are_free(space, g) else _sum_of_prices(space, g, witness, False)


def _halved_prices(space: Space, g: Any, witness: list[int]) -> float | None:
    """A cluster of radius R has all its records within 2 R of its dearest; none costs less than its records' prices."""
    return _sum_of_prices(space, g, witness, True) if space.free else None


def _sum_of_prices(space: Space, g: Any, witness: list[int], halved: bool) -> float | None:
    """All prices but the highest, of as many records as may be left out, rounded down."""
    prices = g.details.prices
    if prices.shape != (space.size, 1) or witness:
        return None
    values = prices.columns[0].tolist()
    facility_cost = float(g.options.get("facility_cost", 0.0))
    if not all(0 <= price < math.inf for price in values) or (max(values) + facility_cost) * space.total == math.inf:
        return None
    if not _are_paid(space, values, g.k, facility_cost, halved):
        return None
    total, spare = Fraction(0), most_left_out(space, g)
    for price, count in sorted(zip(values, space.counts.tolist()), reverse=True):
        charged = max(0, count - spare)
        spare -= count - charged
        total += Fraction(price) * charged
    value = float(total)
    return value if Fraction(value) <= total else math.nextafter(value, -math.inf)


def _are_paid(space: Space, values: Sequence[float], k: int, facility_cost: float, halved: bool) -> bool:
    """Whether every ball of at least k records costs what any k or more of its records pay.

    In whole numbers: prices rounded up, distances and the facility cost down, to steps so small that sums stay below
    2^61. Where distances are halved, the center is the record of a cluster with the highest price.
    """
    dearest = max(values)
    if dearest == 0:
        return True
    per_unit = 2.0 ** min(BITS - 1 - math.frexp((dearest + facility_cost) * space.total)[1], 500)
    paid, fixed = arrays.column([math.ceil(price * per_unit) for price in values]), math.floor(facility_cost * per_unit)
    prices = arrays.floats(values)
    for place, price in enumerate(values):
        distances, counts, pay = space.distances(place), space.counts, paid
        if halved:
            members = prices <= price
            distances, counts, pay = space.halved(distances[members]), counts[members], pay[members]
        radii = arrays.floored(arrays.minimum(distances, 2 * dearest) * per_unit)
        if not _balls_are_paid(radii, pay, counts, k, fixed):
            return False
    return True


def _balls_are_paid(radii: Any, prices: Any, counts: Any, k: int, fixed: int) -> bool:
    """Whether every ball around one point costs as much as its records pay.

    A record pays more than the radius from its own place on, as long as the radius is below its price.
    """
    rows = arrays.order([radii])
    radius, price, count = radii[rows], prices[rows], counts[rows]
    more = arrays.changes([radius])
    last = arrays.concatenated([more[1:], arrays.filled(1, True)]) & (arrays.running_sums(count) >= k)
    paying = arrays.rows_where(price > radius)
    ends = arrays.insertion(radius, price[paying], "left")
    by_end = arrays.order([ends])
    ended = arrays.insertion(ends[by_end], arrays.places(len(rows)), "right")
    none = arrays.column([0])

    def now(values: Any) -> Any:
        """For each place, the sum over the records that pay more than the radius there."""
        started = arrays.running_sums(arrays.where(price > radius, values, 0))
        return started - arrays.concatenated([none, arrays.running_sums(values[paying][by_end])])[ended]

    payers = now(count)
    doubtful = arrays.rows_where(last & (now(count * price) - payers * radius > fixed))
    if arrays.total(payers[doubtful] >= k):
        return False
    dearest = _dearest(price.tolist(), count.tolist(), k, doubtful.tolist())
    return all(total - k * distance <= fixed for distance, total in zip(radius[doubtful].tolist(), dearest))


def _dearest(prices: Sequence[int], counts: Sequence[int], k: int, places: Sequence[int]) -> Iterator[int]:
    """For some places, what the k records with the highest prices up to there pay."""
    heap: list[tuple[int, int]] = []
    count = total = start = 0
    for place in places:
        for price, records in zip(prices[start : place + 1], counts[start : place + 1]):
            heapq.heappush(heap, (price, records))
            count += records
            total += price * records
        start = place + 1
        while count - heap[0][1] >= k:
            price, records = heapq.heappop(heap)
            count -= records
            total -= price * records
        yield total - (count - k) * heap[0][0]


# ---------------------------------------------------------------------------------------------------------------------
# Sums of squares: docs/proofs/clusters/squares.md
# ---------------------------------------------------------------------------------------------------------------------

STEP = 2.0**-52  # twice the error of one rounding


def _one_cluster(space: Space, g: Any, witness: list[int]) -> float | None:
    """With fewer than 2 k records there is one cluster, and its cost is the bound."""
    alone = space.total < 2 * g.k and g.classes == 1 and not witness
    return float(g.cost) if alone else None


def _one_column(space: Space, g: Any, witness: list[int]) -> float | None:
    """The shortest path over the sorted values, in whole numbers."""
    if len(space.points) != 1 or space.size < g.k or witness:
        return None
    values = sorted(space.points[0].tolist())
    ratios = [value.as_integer_ratio() for value in values]
    unit = max(below for _, below in ratios)
    parts = []
    ends = _shortest_path([above * (unit // below) for above, below in ratios], g.k)
    for end, start in zip(ends, ends[1:]):
        mean = math.fsum(values[start:end]) / (end - start)
        parts += [(value - mean) * (value - mean) for value in values[start:end]]
    return min(float(g.lower_bound), math.fsum(parts))


def _shortest_path(whole: Sequence[int], k: int) -> list[int]:
    """Where the clusters end, the last first; each is as small as it can be at the least sum of squares."""
    unit = math.lcm(*range(k, 2 * k))
    costs: dict[int, tuple[int, int]] = {0: (0, 0)}
    sums, squares = [0], [0]
    for place, value in enumerate(whole, 1):
        sums.append(sums[-1] + value)
        squares.append(squares[-1] + value**2)
        ways = []
        for start in range(place - k, max(place - 2 * k + 1, 0) - 1, -1):
            if start in costs:
                size = place - start
                within = size * (squares[place] - squares[start]) - (sums[place] - sums[start]) ** 2
                ways.append((costs[start][0] + within * (unit // size), start))
        if ways:
            costs[place] = min(ways, key=lambda way: way[0])  # the first of equals: the smallest cluster
    ends = [len(whole)]
    while ends[-1] > 0:
        ends.append(costs[ends[-1]][1])
    return ends


def _squared_distances(space: Space, g: Any, witness: list[int]) -> float | None:
    """Each squared distance is divided between its ends as the prices say, and each point pays for its cheapest."""
    prices, n = g.details.prices, space.size
    if prices.shape[1] != 4 or witness or n < g.k:
        return None
    first, second, third, price = prices.columns
    pair, good = third == -1, (price > -math.inf) & (price < math.inf)
    for corner in (first, second, third):
        good = good & (corner < n) & (corner >= -1) & (arrays.nearest_whole(corner) == corner)
    good = good & (first >= 0) & (second >= 0) & (first != second)
    good = good & (pair | ((third >= 0) & (third != second) & (third != first) & (price >= 0)))
    if arrays.total(good) < len(good):
        return None
    return min(float(g.lower_bound), max(_divided(space, g.k, prices.columns, pair), 0.0))


def _divided(space: Space, k: int, prices: Sequence[Any], pair: Any) -> float:
    """The sum over points of the least share, rounded down.

    A point's share in a cluster of m is the sum over the m - 1 others of its part of their squared distance, minus what
    the triangles cost whose apex it is, over m.
    """
    n = space.size
    left, right, _ = (arrays.floored(column[pair]) for column in prices[:3])
    apex, one, other = (arrays.floored(column[~pair]) for column in prices[:3])
    shift, price = prices[3][pair], prices[3][~pair]
    first, second = arrays.concatenated([left, apex, apex, one]), arrays.concatenated([right, one, other, other])
    keys, pair_number = arrays.ranked(arrays.minimum(first, second) * n + arrays.maximum(first, second))
    low, high, pairs = keys // n, keys % n, len(left)
    signed = arrays.where(left < right, shift, 0 - shift)
    shifts = arrays.sums_of(pair_number[:pairs], signed, len(keys))
    added = arrays.sums_of(pair_number[pairs:], arrays.concatenated([price, price, 0 - price]), len(keys))
    toll = arrays.sums_of(apex, price, n)
    size = arrays.concatenated([abs(shift), price, price, price])
    size = arrays.sums_of(pair_number, size, len(keys))
    squares = squared([column[low] - column[high] for column in space.points])
    halves = (squares + added) / 2
    rows, costs = arrays.concatenated([low, high]), arrays.concatenated([halves + shifts, halves - shifts])
    divided = arrays.concatenated([low * n + high, high * n + low])
    entries = arrays.sums_of(pair_number, arrays.filled(len(pair_number), 1), len(keys) + 1)
    degrees = arrays.sums_of(rows, arrays.filled(len(rows), 1), n)
    others, plain = _undivided(space, 2 * k - 2, divided, degrees)
    least, largest = _least_shares(k, toll, arrays.concatenated([rows, others]), arrays.concatenated([costs, plain]))
    largest = arrays.maximum(largest, largest_of(rows, arrays.concatenated([squares + size] * 2), n))
    apexes = arrays.sums_of(apex, arrays.filled(len(apex), 1), n)
    roundings = len(space.points) + arrays.greatest(entries) + arrays.greatest(apexes) + 4 * k + 16
    error = roundings * STEP * math.fsum((2 * largest + toll).tolist())
    return math.fsum(least.tolist()) - float(error)


def _undivided(space: Space, most: int, divided: Any, degrees: Any) -> tuple[Any, Any]:
    """Rows and halves of squared distances that no price divides: at least the `most` smallest of each point."""
    n, leaves = space.size, Leaves(space.points, squared)
    divided = divided[arrays.order([divided])]
    rows, halves = [], []
    for leaf_rows, gaps in leaves.apart(arrays.places(n)):
        here, there, squares = leaves.nearest(leaf_rows, gaps, min(n, most + 1 + arrays.greatest(degrees[leaf_rows])))
        keys, fresh = here * n + there, here != there
        if len(divided):
            at = arrays.minimum(arrays.insertion(divided, keys, "left"), len(divided) - 1)
            fresh = fresh & (divided[at] != keys)
        rows.append(here[fresh])
        halves.append(squares[fresh] / 2)
    return arrays.concatenated(rows), arrays.concatenated(halves)


def _least_shares(k: int, toll: Any, rows: Any, costs: Any) -> tuple[Any, Any]:
    """For each point, the least over sizes m from k to 2 k - 1 of (the m - 1 smallest costs - toll) / m.

    Also the largest cost among these.
    """
    n = len(toll)
    order = arrays.order([rows, costs])
    rows, costs = rows[order], arrays.concatenated([costs[order], arrays.filled(1, math.inf)])
    ends = arrays.running_sums(arrays.sums_of(rows, arrays.filled(len(rows), 1), n))
    starts = arrays.concatenated([arrays.column([0]), ends[:-1]])
    sums, least, largest = 0 - toll, arrays.filled(n, math.inf), arrays.filled(n, 0.0)
    for m in range(1, 2 * k):
        if m >= k:
            least = arrays.minimum(least, sums / m)
        if m < 2 * k - 1:
            place = starts + (m - 1)
            there = place < ends
            cost = costs[arrays.where(there, place, len(rows))]
            sums = sums + cost
            largest = arrays.maximum(largest, arrays.where(there, cost, 0.0))
    return least, largest


MINUTES: dict[str, int] = {}
BOUNDS: dict[str, Callable[[Space, Any, list[int]], float | None]] = {
    "need": _need,
    "least disc": _least_disc,
    "centers apart": _separated_centers,
    "too many in need": _too_many_in_need,
    "too many discs": _too_many_discs,
    "peeling": _peeling,
    "too many apart": _too_many_separated,
    "coverage": _coverage,
    "disks": _disks,
    "prices": _prices,
    "halved prices": _halved_prices,
    "one cluster": _one_cluster,
    "one column": _one_column,
    "squared distances": _squared_distances,
}
FEW_CLUSTERS = ("too many apart", "coverage", "disks")
BOUNDS_ON = {
    "radius": ("need", "least disc", "centers apart", *FEW_CLUSTERS),
    "radius, with records left out": ("too many in need", "too many discs", "peeling", *FEW_CLUSTERS),
    "cellular": ("prices", "halved prices"),
    "squares": ("one cluster", "one column", "squared distances"),
}  # by cost


# ---------------------------------------------------------------------------------------------------------------------
# All clusterings of few points, where a solver reports the bound
# ---------------------------------------------------------------------------------------------------------------------

MOST = 10  # points; every set of them is examined, with all of its parts
NEARLY = 1 - 1e-12  # what rounding may make of a sum


def better_exists(instance: Instance, g: Any) -> bool | None:
    """Whether some clustering costs less than the claimed bound; None where there are too many to examine.

    The least cost of every set of points is built up from those of its parts: the part that holds the set's first point
    is a cluster.
    """
    space = Space(instance.parts, instance.weights)
    n, free = space.size, centers_are_free(space, g)
    cellular = cost_of(g.algorithm, g.options) == "cellular"
    other = "epsilon" in g.options or g.options.get("max_clusters") is not None
    if n > MOST or other or (free and not (space.metric == "euclidean" and space.plane)):
        return None
    members = [[place for place in range(n) if part >> place & 1] for part in range(1 << n)]
    radius = _free_radii(space, members) if free else _radii_around_points(space, members)
    counts = instance.weights.numbers
    cost = []
    for cluster, wide in zip(members, radius):
        weight = sum(counts[place] for place in cluster)
        cost.append(math.inf if weight < g.k else wide * weight if cellular else wide)
    best = [0.0] + [math.inf] * ((1 << n) - 1)
    for whole in range(1, 1 << n):
        first = whole & -whole
        rest = part = whole ^ first
        while True:
            mine, before = cost[part | first], best[whole ^ (part | first)]
            best[whole] = min(best[whole], mine + before if cellular else max(mine, before))
            if part == 0:
                break
            part = (part - 1) & rest
    return best[-1] < float(g.lower_bound) * (NEARLY if cellular else 1)


def _radii_around_points(space: Space, members: Sequence[list[int]]) -> list[float]:
    """For each set of points, the radius of the best center among all points; 0 for the empty set."""
    distances = [space.distances(place).tolist() for place in range(space.size)]
    return [min(max(row[place] for place in cluster) for row in distances) if cluster else 0.0 for cluster in members]


def _free_radii(space: Space, members: Sequence[list[int]]) -> list[float]:
    """For each set of points, the radius of the best center anywhere.

    The smallest circle around a set is the one around some three of its points (Helly).
    """
    rows = zip(*(column.tolist() for column in space.points), [0.0] * space.size)
    points = [(row[0], row[1]) for row in rows]
    few = {
        subset: _circle([points[place] for place in subset])
        for size in (1, 2, 3)
        for subset in combinations(range(space.size), size)
    }
    widest = (
        max((few[some] for size in (1, 2, 3) for some in combinations(subset, size)), default=0.0) for subset in members
    )
    return [space.free_radius(value) for value in widest]


def _circle(spots: Sequence[tuple[float, float]]) -> float:
    """Radius of the smallest circle around at most three points of the plane."""
    sides = sorted(math.sqrt((a - c) * (a - c) + (b - d) * (b - d)) for (a, b), (c, d) in combinations(spots, 2))
    if len(spots) < 3 or sides[2] ** 2 >= sides[0] ** 2 + sides[1] ** 2:
        return max(sides, default=0.0) / 2
    (ax, ay), (bx, by), (cx, cy) = spots
    area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay))
    return sides[0] * sides[1] * sides[2] / (2 * area)
