"""Steps of the cellular algorithms and of the exact search on records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.clusters.cellular import merged
from kanon_engine.clusters.centers import NO_PRICES
from kanon_engine.clusters.dual import Distances, Rise, opened, openings, payers_of
from kanon_engine.clusters.gather import packed
from kanon_engine.clusters.gather_flow import around_points
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.left_out import most_left_out
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.r_cellular import Shared, Unshared, shared_of, unshared
from kanon_engine.clusters.r_cellular_outliers import solutions, without_dearest
from kanon_engine.clusters.resplit import cellular_cost, clustering
from kanon_engine.clusters.resplit import packed as cells_packed
from kanon_engine.model.generalization import Generalization, members_of
from kanon_engine.model.words import counted, number_text
from kanon_engine.teaching.clusters import (
    MOST_STEPS,
    ClustersState,
    around,
    begun,
    least_cluster,
    measured,
    of_details,
    of_solution,
    result,
    which_point,
)
from kanon_engine.teaching.step import NO_YES, Inequality, Step, StepQuestion, either, incumbents, strides

ANEW = "Neighboring clusters were divided again, each with its best center, which gave a better result"
PRICES = "Each record offers a price, and all prices rise together."


def cellular_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Prices rise, balls are opened, small clusters are merged (section 3, Theorem 3.5).

    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(0.0,), (1.0,), (20.0,), (21.0,)])
    >>> g = kanon.generalize(space, 1, "cellular", centers="input", facility_cost=5.0)
    >>> for step in list(cellular_steps(space, g))[1:4]:
    ...     print(step.why.removesuffix(" have stopped rising."))
    At price 3.5, the contributions pay for a circle of radius 1 around point 0. The prices of 2 of 4 records
    At price 3.5, the contributions pay for a circle of radius 1 around point 2. The prices of 4 of 4 records
    The circle of radius 1 around point 0 becomes a cluster: no point that paid for this circle is in a cluster yet.
    """
    price = float(g.options["facility_cost"])
    distances = Distances(space, g.k, price)
    rise = distances.rise()
    words = (
        f"{PRICES} Each of the {space.unit} in a circle contributes its own price minus the circle's radius, if "
        "this difference is positive. The circle is paid for when the contributions add up to the setup cost of a "
        "cluster."
    )
    yield begun(space, words)
    yield from _rising(distances, rise, 0)
    labels, centers = opened(distances, rise)
    yield from _opening(distances, rise)
    yield _following(distances, rise, labels, centers)
    lightest = least_cluster(space, labels)
    if lightest < g.k:
        labels, centers = merged(distances, labels, centers)
        why = "The smallest cluster merges with the cluster whose center is nearest, again and again until every "
        why += f"cluster has at least k = {g.k:,} {space.unit}. This leaves {counted(len(centers), 'cluster')}."
        state = replace(_clusters(distances, labels, centers), prices=distances.as_numbers(rise.prices))
        yield Step(state, why, Inequality(lightest, "<", g.k, "smallest cluster < k"))
    yield result(space, g, _cost(distances, labels, centers, price), ANEW)


def r_cellular_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Prices rise, balls are opened, clusters share records, and trees of clusters assign each record (section 3.1).

    >>> import kanon_engine as kanon
    >>> people = MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
    >>> g = kanon.generalize(people, 2, "r-cellular", centers="input")
    >>> *_, shared, apart, last = r_cellular_steps(people, g)
    >>> for step in (shared, apart):
    ...     print(step.why)
    Every cluster also took the 2 records nearest to its center: 0 points are in several clusters.
    From the smallest cluster up, each took those of its records that were still free. 2 clusters got at least k = 2.
    >>> last.inequality.text
    'sum of radii and setup costs ≥ proven bound: 13 ≥ 13'
    """
    price = float(g.options["facility_cost"])
    distances = Distances(space, g.k, price)
    rise = distances.rise(slope=g.k, least=g.k)
    words = (
        f"{PRICES} In every circle with at least k = {g.k:,} {space.unit}, each of them contributes its own price "
        "minus the circle's radius, if this difference is positive. The circle is paid for when the contributions add "
        "up to k times the circle's radius plus the setup cost of a cluster."
    )
    yield begun(space, words)
    yield from _rising(distances, rise, g.k)
    labels, centers = opened(distances, rise)
    yield from _opening(distances, rise)
    yield _following(distances, rise, labels, centers)
    shared = shared_of(distances, rise.prices, labels, centers)
    yield _shared(distances, shared)
    solution = unshared(distances, shared)
    yield _apart(distances, shared, solution)
    yield result(space, g, _cost(distances, solution.labels, solution.centers, price), ANEW)


def r_cellular_outliers_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Guesses of the largest radius; the most expensive points of the cheapest solution are left out."""
    price = float(g.options["facility_cost"])
    distances = Distances(space, g.k, price)
    spare = most_left_out(space, float(g.options["epsilon"]))
    yield begun(
        space,
        f"Up to {spare:,} of {space.total:,} {space.unit} may be left out; each cluster needs at least k = {g.k:,}.",
    )
    best: tuple[float, Unshared] | None = None
    for number, (cost, solution) in enumerate(solutions(distances, spare), start=1):
        inequality = None if best is None else either(cost, "<", best[0], "cost < lowest cost so far")
        least = "any radius" if number == 1 else "at most half the previous largest radius"
        why = f"Attempt {number:,} uses circles of {least}. It finds {counted(len(solution.centers), 'cluster')} "
        why += f"at a cost of {number_text(cost)}."
        yield Step(_clusters(distances, solution.labels, solution.centers), why, inequality)
        best = (cost, solution) if best is None or cost < best[0] else best
    if best is None:
        yield result(space, g, None, ANEW)
        return
    labels = best[1].labels
    retained, centers = without_dearest(distances, labels, spare)
    dropped = np.flatnonzero((retained < 0) & (labels >= 0))
    yield _left_out(distances, best[1], retained, centers, dropped, spare)
    yield result(space, g, _cost(distances, retained, centers, price), ANEW)


def _rising(distances: Distances, rise: Rise, slope: int) -> Iterator[Step]:
    """One ball after another as it is paid for; several at a time if there are many."""
    space, weights = distances.space, distances.space.weights
    start = 0  # of the next step's events, because events that are skipped are shown with those after them
    for _, end in strides(0, len(rise.centers), MOST_STEPS):
        event = end - 1
        if rise.radii[event : end + 1].tolist() == [0, 0]:  # points that are their own balls are shown together
            continue
        v, radius = int(rise.centers[event]), int(rise.radii[event])
        level = int(rise.prices[rise.event == event].max())
        risen = (rise.event >= 0) & (rise.event < end)
        prices = np.where(risen, rise.prices, level)
        inside = np.flatnonzero(distances.steps(v) <= radius)
        paid = sum(
            int(weights[i]) * (int(prices[i]) - radius) for i in inside.tolist() if prices[i] > radius or not risen[i]
        )
        state = _balls(distances, rise, np.arange(end), np.where(risen, rise.event, -1), prices)
        ball = f"a circle of radius {_length(distances, radius)} around point {space.label(v)}"
        who = (
            f"the contributions pay for {ball}"
            if end == start + 1
            else f"the contributions have paid for {end - start:,} circles, the last being {ball}"
        )
        price = number_text(float(f"{level / distances.per_unit:.7g}"))
        stopped = f"The prices of {int(weights[risen].sum()):,} of {space.total:,} {space.unit} have stopped rising"
        why = f"At price {price}, {who}. {stopped}."
        cost = (distances.facility_cost + slope * radius) / distances.per_unit
        words = "sum of contributions (price − radius) ≤ cost of the circle (equal except for rounding)"
        inequality = Inequality(paid / distances.per_unit, "≤", cost, words)
        yield Step(state, why, inequality.if_true)
        start = end


def _opening(distances: Distances, rise: Rise) -> Iterator[Step]:
    """The balls that were paid for, largest first: each is opened if nobody who paid for it is served."""
    space = distances.space
    payers = payers_of(distances, rise)
    labels = np.full(len(rise.prices), -1, dtype=np.int64)
    prices = np.where(rise.event >= 0, rise.prices, rise.prices.max())
    events: list[int] = []
    points = int((rise.radii == 0).sum())  # they come last and are shown together
    ends, start = {*(end for _, end in strides(0, len(payers) - points, MOST_STEPS)), len(payers)}, 0
    for number, (event, free) in enumerate(openings(rise, payers), start=1):
        served = int(space.weights[payers[event]][labels[payers[event]] >= 0].sum())
        if free:
            labels[payers[event]] = len(events)
            events.append(event)
        if number not in ends:
            continue
        v, radius = int(rise.centers[event]), _length(distances, int(rise.radii[event]))
        ball = f"the circle of radius {radius} around point {space.label(v)}"
        does = "does not become a cluster: some points that paid for this circle are already in a cluster"
        does = "becomes a cluster: no point that paid for this circle is in a cluster yet" if free else does
        more = "" if number == start + 1 else f"after {counted(number - start - 1, 'other circle')}, "
        sentence = f"{more}{ball} {does}."
        question = StepQuestion(
            f"Circles are taken in turn, the largest first. Does {ball} become a cluster?", NO_YES, (int(free),)
        )
        sign = "=" if free else ">"
        inequality = Inequality(
            served, sign, 0, f"{space.unit} that paid for the circle and are already in a cluster {sign} 0"
        )
        state = _balls(distances, rise, np.array(events, dtype=np.int64), labels, prices)
        yield Step(state, sentence[0].upper() + sentence[1:], inequality, question if not more else None)
        start = number


def _length(distances: Distances, steps: int) -> str:
    """A length in whole steps, in words."""
    return measured(distances.space, float(f"{steps / distances.per_unit:.7g}"))


def _balls(
    distances: Distances, rise: Rise, events: np.ndarray, labels: np.ndarray, prices: np.ndarray
) -> ClustersState:
    """Some of the balls that were paid for, and the prices."""
    radii = rise.radii[events] / distances.per_unit
    state = around(distances.space, labels, rise.centers[events], radii)
    return replace(state, prices=distances.as_numbers(prices))


def _following(distances: Distances, rise: Rise, labels: np.ndarray, centers: np.ndarray) -> Step:
    """Everyone else goes to the nearest center that serves someone who paid for the same ball."""
    space = distances.space
    state = _clusters(distances, labels, centers)
    largest = max(state.radii.tolist(), default=0.0)
    paid = float(rise.radii.max()) / distances.per_unit
    why = (
        "Every remaining point paid for the same circle as some points that are in clusters now. It joins one of "
        "their clusters: the one whose center is nearest. The largest radius is now "
    )
    inequality = Inequality(largest, "≤", 3 * paid, "largest radius ≤ 3 × radius of the largest circle")
    why += f"{measured(space, float(f'{largest:.7g}'))}."
    return Step(replace(state, prices=distances.as_numbers(rise.prices)), why, inequality.if_true)


def _clusters(distances: Distances, labels: np.ndarray, centers: np.ndarray) -> ClustersState:
    """Clusters around points, with the radius of their farthest members."""
    groups = members_of(labels, len(centers))
    radii = [
        float(distances.matrix[v, members].max()) if len(members) else 0.0
        for v, members in zip(centers.tolist(), groups, strict=True)
    ]
    state = around(distances.space, labels, centers, np.array(radii))
    return replace(state, out=np.flatnonzero(labels < 0))


def _cost(distances: Distances, labels: np.ndarray, centers: np.ndarray, price: float) -> float:
    """The cost of clusters around points."""
    weights = distances.space.weights
    records = np.array([int(weights[labels == number].sum()) for number in range(len(centers))])
    return cellular_cost(records, _clusters(distances, labels, centers).radii, price)


def _shared(distances: Distances, shared: Shared) -> Step:
    """Every cluster also takes the k records nearest to its center, so that clusters share some."""
    space, k = distances.space, distances.k
    labels = np.full(len(space), -1, dtype=np.int64)
    # from the last one down: a point in several clusters shows the first
    for number in range(len(shared.members) - 1, -1, -1):
        labels[shared.members[number]] = number
    several = int((np.bincount(np.concatenate(shared.members)) > 1).sum())
    edges = [np.column_stack([np.full(len(members), number), members]) for number, members in enumerate(shared.members)]
    least = min(int(space.weights[members].sum()) for members in shared.members)
    prompt = (
        "Each cluster also takes the k records nearest to its center. How many points are in several clusters then?"
    )
    return Step(
        replace(around(space, labels, shared.centers, shared.radii), edges=np.concatenate(edges)),
        f"Every cluster also took the {k:,} {space.unit} nearest to its center: {several:,} points are in several "
        "clusters.",
        Inequality(least, "≥", k, "smallest cluster (shared records count in each of their clusters) ≥ k"),
        StepQuestion(prompt, answers=(several,), high=len(space)),
    )


def _apart(distances: Distances, shared: Shared, solution: Unshared) -> Step:
    """Smallest first, clusters keep what is left; the others join as trees."""
    space, k = distances.space, distances.k
    left = len(shared.members) - len(solution.opened)
    clusters = counted(len(solution.opened), "cluster")
    why = f"From the smallest cluster up, each took those of its {space.unit} that were still free. "
    why += f"{clusters} got at least k = {k:,}."
    if left:
        why += f" Each other cluster ({left:,}) shares {space.unit} with one of these, its partner. Its free "
        why += f"{space.unit} joined the partner or formed clusters around the partner's center. "
        why += f"Now there are {len(solution.centers):,} in all."
    state = _clusters(distances, solution.labels, solution.centers)
    return Step(state, why, Inequality(least_cluster(space, solution.labels), "≥", k, "smallest cluster ≥ k"))


def _left_out(
    distances: Distances, solution: Unshared, retained: np.ndarray, centers: np.ndarray, dropped: np.ndarray, spare: int
) -> Step:
    """Leave out the points of the cheapest solution that cost the most per record."""
    space = distances.space
    out = int(space.weights[retained < 0].sum())
    away = np.zeros(len(space))
    inside = np.flatnonzero(solution.labels >= 0)
    away[inside] = distances.matrix[inside, solution.centers[solution.labels[inside]]]
    far = np.argsort(-away, kind="stable")
    prompt = "The points whose removal saves the most per record are left out. Which point is among them?"
    question = which_point(space, prompt, dropped[:8], far) if len(dropped) else None
    why = (
        f"The {out:,} most expensive {space.unit} of the cheapest solution are left out. Up to {spare:,} "
        "may be left out."
    )
    allowed = Inequality(out, "≤", spare, f"{space.unit} left out ≤ {space.unit} that may be left out")
    return Step(_clusters(distances, retained, centers), why, allowed, question)


def exact_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Balls packed as a start, each better clustering that was found, and the proof.

    >>> import kanon_engine as kanon
    >>> space = MetricSpace([[0], [3], [5], [8], [9]])
    >>> for step in list(exact_steps(space, kanon.generalize(space, 2, "exact", centers="input")))[1:]:
    ...     print(step.why)
    Circles of k records that share no point were chosen, the smallest first. This leads to 2 clusters at a cost of 3.
    The result is proven to be the best possible: 2 clusters, largest radius 3. Nothing better was found.
    """
    yield begun(space, f"{counted(len(space), 'point')} form clusters of at least k = {g.k:,} {space.unit}.")
    first, cost = _packed(space, g)
    yield first
    for step in list(incumbents(space, g))[:-1]:
        solution = step.state.result
        if solution.cost >= cost:
            continue
        cost = float(solution.cost)
        why = (
            f"The search found a better clustering: {counted(solution.classes, 'cluster')} at a cost of "
            f"{measured(space, float(solution.cost))}."
        )
        yield replace(step, state=of_details(solution.assignment, solution.details), why=why, question=None)
    how = "The result is " + (
        "proven to be the best possible" if g.cost == g.lower_bound else "the best that was found"
    )
    yield result(space, g, cost, how, how)


def _packed(space: MetricSpace, g: Generalization) -> tuple[Step, float]:
    """Balls of k records packed, smallest first, and their cost."""
    if g.options["cost"] == "radius":
        solution = around_points(space, packed(nearest(space, g.k)))
        state, cost = of_solution(solution), solution.cost
    else:
        distances = Distances(space, g.k, 0.0)
        cells = clustering(distances, cells_packed(distances)[0], False, NO_PRICES)
        state, cost = of_details(np.asarray(cells.assignment), cells.details), cells.cost
    why = "Circles of k records that share no point were chosen, the smallest first. This leads to "
    why += f"{counted(len(state.places), 'cluster')} at a cost of "
    return Step(state, f"{why}{measured(space, float(cost))}."), float(cost)
