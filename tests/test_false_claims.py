"""Random changes of good results, sealed again: what is accepted as "checked" is true by brute force.

KANON_MUTATIONS says how many changes a family gets; 300 if it is not set, 5,000 for a campaign:
``KANON_MUTATIONS=5000 python -m pytest tests/test_false_claims.py --log-cli-level=INFO``.
"""

import logging
import os
from collections import Counter
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.instance import ClusterDetails
from kanon_engine.labels.instance import BinDetails
from kanon_engine.model.known import FAMILIES
from kanon_engine.tables.instance import BoxDetails, IntervalDetails
from kanon_engine.verification import rectangles
from kanon_engine.verification.core import STATUSES
from tests.clusters import judge
from tests.clusters.small_spaces import small_space
from tests.oracles import boxes, cells, label_constraints, rectangles_exact, regions, tables
from tests.oracles import labels as bins
from tests.oracles.intervals import best_intervals
from tests.regions.graphs_any import feasible
from tests.tables.random_tables import plain, sparse_table
from tests.verification.proven import lines_of

LOG = logging.getLogger(__name__)
COUNT = int(os.environ.get("KANON_MUTATIONS", "300"))
POOL = 24  # instances of a family
NAMES = {
    "regions": ["k", "heaviest area", "average class", "light set", "hubs", "room for classes", "few choices"]
    + ["no way round"],
    "rectangles": ["k", "heaviest location", "points that no cut can split", "least sum", "average class"]
    + ["locations per class", "least rectangle", "shares of rectangles"],
    "labels": ["k", "heaviest label", "average class", "crowded class", "class of a label", "sum of labels"]
    + ["exact cover"],
    "clusters": ["need", "centers apart", "least disc", "prices", "halved prices", "pair prices", "one column"],
    "tables": ["finest generalization", "fewest stars", "search tree"]
    + ["equal tuples together", "nearest company", "sizes alone"],
}


def instances(family, rng):
    """(instance, k) without end, small enough for brute force."""
    while True:
        if family == "regions":
            yield next((area, k) for _, area, k, _ in feasible(int(rng.integers(1 << 30)), 7) if len(area) > 1)
        elif family == "rectangles":
            n = int(rng.integers(2, 9))
            points = kanon.Points(rng.integers(0, 4, (n, 2)), rng.integers(1, 6, n))
            yield points, int(rng.integers(1, points.total // 2 + 2))
        elif family == "labels":
            n = int(rng.integers(2, 8))
            labels = kanon.Labels(rng.permutation(n).tolist(), rng.integers(1, 12, n))
            yield labels, int(rng.integers(1, labels.total // 2 + 2))
        elif family == "clusters":
            space = small_space(rng, 7, kinds=judge.KINDS)
            yield space, int(rng.integers(1, space.total // 2 + 2))
        else:
            table = sparse_table(rng, 6)
            if len(table) <= 8:
                yield table, int(rng.integers(1, len(table) // 2 + 2))


def pool(family, rng):
    """Good results of every algorithm, with what they are made from."""
    source, found = instances(family, rng), []
    for _, (instance, k) in zip(range(POOL), source, strict=False):
        for algorithm in FAMILIES[family].algorithms.values():
            options = {"effort": 0.01} if algorithm.name == "recombine" else {}
            for option in algorithm.options:
                if option.choices and rng.random() < 0.5:
                    options[option.name] = str(rng.choice(option.choices))
                elif option.name == "suppression_limit" and rng.random() < 0.5:
                    options[option.name] = int(rng.integers(0, 3))
                elif option.kind == "flag":
                    options[option.name] = bool(rng.random() < 0.5)
            try:
                found.append((instance, kanon.generalize(instance, k, algorithm.name, seed=1, **options)))
            except (kanon.InvalidInput, kanon.Infeasible):
                continue
    return found


def changed_value(value, rng):
    """A value of the same form, near the old one or far."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + int(rng.choice([-3, -2, -1, 1, 2, 3]))
    if isinstance(value, float):
        return float(value * rng.choice([0.5, 0.9, 0.999999, 1.000001, 1.1, 2]))
    if isinstance(value, np.ndarray) and value.size:
        other = value.copy()
        place = tuple(int(rng.integers(length)) for length in value.shape)
        if rng.random() < 0.4:
            other = other[:-1] if rng.random() < 0.5 else np.concatenate([other, other[-1:]])
        else:
            other[place] = ~other[place] if value.dtype == bool else other[place] + rng.choice([-1, 1])
        return other
    if isinstance(value, tuple):
        if value and rng.random() < 0.6 and all(isinstance(one, int) for one in value):
            place = int(rng.integers(len(value)))
            return (*value[:place], value[place] + int(rng.choice([-1, 1])), *value[place + 1 :])
        return value[:-1] if rng.random() < 0.5 else (*value, int(rng.integers(0, 5)))
    return value


def with_classes(instance, g, rng):
    """One item in another class, or two classes as one, with the weights that follow."""
    assignment, may_leave = g.assignment.copy(), g.family in ("tables", "clusters")
    if g.classes > 1 and rng.random() < 0.3:
        assignment[assignment == assignment.max()] = 0
    else:
        assignment[rng.integers(len(assignment))] = rng.integers(-1 if may_leave else 0, g.classes)
    inside = assignment >= 0
    if not inside.any():
        return g
    weights = np.bincount(assignment[inside], weights=instance.weights[inside]).astype(np.int64)
    if FAMILIES[g.family].objective(g.algorithm, g.options).is_largest_class:
        return replace(g, assignment=assignment, class_weights=weights, cost=int(weights.max()))
    return replace(g, assignment=assignment, class_weights=weights)


def with_option(g, rng):
    algorithm = FAMILIES[g.family].algorithms[g.algorithm]
    if not algorithm.options:
        return g
    option = algorithm.options[rng.integers(len(algorithm.options))]
    value = str(rng.choice(option.choices)) if option.choices else changed_value(g.options[option.name], rng)
    if value is None:
        value = {"weights": "c0=2.0"}.get(option.name, int(rng.integers(0, 4)) if option.kind == "integer" else 0.5)
    return replace(g, options=dict(g.options) | {option.name: value})


def as_another(g, name):
    """Another algorithm's name, with details and a ceiling of the form that it has."""
    algorithm = FAMILIES[g.family].algorithms[name]
    details, guarantee = g.details, None
    if g.family == "labels" and name not in ("fold", "spread"):
        order = np.concatenate([np.flatnonzero(g.assignment == number) for number in range(g.classes)])
        details = BinDetails(order.astype(np.int32), g.k, "the best intervals by given order")
    if g.family == "rectangles":
        details, guarantee = replace(details, cut=algorithm.checked_options({}).get("cut", name)), g.guarantee
    if g.family == "regions" and name != "tree-split":
        details = replace(details, theorem="")
    options = algorithm.checked_options({})
    options |= {option: value for option, value in g.options.items() if option in options}
    return replace(g, algorithm=name, options=options, details=details, guarantee=guarantee)


def coarser(instance, g):
    """Dearer than need be, told in full: a result of a higher k or of a limit, or two classes as one."""
    if isinstance(g.details, BoxDetails) and "metric" in g.options:
        other = kanon.generalize(instance, g.k, "mondrian", metric=g.options["metric"])
        return replace(as_another(other, "exact"), options={"metric": g.options["metric"], "weights": None})
    if g.family == "clusters":
        other = kanon.generalize(instance, min(2 * g.k, instance.total), "gather", centers="input")
        return as_another(replace(other, k=g.k), "exact")
    if g.family == "tables" and g.algorithm != "cell-suppression":
        asked = {"metric": g.options["metric"], "suppression_limit": 0, "restarts": 0}
        other = as_another(kanon.generalize(instance, g.k, "hill-climb", **asked), "k-optimize")
        return replace(other, options=dict(other.options) | {"suppression_limit": None})
    if g.family == "tables":
        other = kanon.generalize(instance, min(2 * g.k, len(instance)), g.algorithm)
        return replace(other, k=g.k, guarantee=g.guarantee)
    if g.family == "rectangles":
        other = kanon.generalize(instance, 3 * g.k, "exact")
        return replace(other, k=g.k, guarantee=rectangles.ceiling(lines_of(instance.xy), instance.weights, g.k))
    classes, details = g.assignment, g.details
    if g.family == "regions" and len(details.cut_edges):
        one, two = classes[details.cut_edges[0]].tolist()
        details = replace(details, cut_edges=details.cut_edges[1:])
    elif g.family == "labels" and g.classes > 1:
        one, two = 0, g.classes - 1
    else:
        return g
    merged = np.unique(np.where(classes == two, one, classes), return_inverse=True)[1].astype(np.int32)
    weights = np.bincount(merged, weights=instance.weights).astype(np.int64)
    g = replace(g, assignment=merged, class_weights=weights, cost=int(weights.max()), details=details)
    return as_another(g, "exact")


def by_word(g, rng):
    """The claim of an optimum, or of a better bound, on the word of the family's search."""
    searches = [one.name for one in FAMILIES[g.family].algorithms.values() if "solver" in one.claims]
    if g.algorithm not in searches:
        g = as_another(g, searches[0])
    real = isinstance(g.cost, float)
    between = rng.uniform if real else lambda low, high: int(rng.integers(low, high)) + 1
    bound = g.cost if rng.random() < 0.5 or g.cost <= g.lower_bound else between(g.lower_bound, g.cost)
    details = g.details
    if isinstance(details, IntervalDetails):
        curve = np.array([[1, g.cost, bound]])
        details = replace(details, nodes=1, curve=curve)
    elif isinstance(details, BoxDetails):
        details = replace(details, rounds=0, curve=np.array([[0, g.cost, bound]]))
    elif g.family == "tables" and rng.random() < 0.8:
        details = replace(details, nodes=1)
    name = "search tree" if g.algorithm == "k-optimize" else "exact search"
    return replace(g, bound_kind="solver", bound_name=name, bound_witness=(), lower_bound=bound, details=details)


def mutated(instance, g, rng):
    """One to three changes, then the status that fits, mostly, and the seal."""
    for _ in range(int(rng.integers(1, 4))):
        kind = int(rng.integers(10))
        if kind == 0:
            g = with_classes(instance, g, rng)
        elif kind == 1:
            g = with_option(g, rng)
        elif kind == 2:
            g = as_another(g, str(rng.choice(list(FAMILIES[g.family].algorithms))))
        elif kind in (3, 9):
            try:
                g = by_word(coarser(instance, g) if kind == 9 else g, rng)
            except kanon.KanonError:  # what was changed before makes no request
                continue
        elif kind == 4 and is_dataclass(g.details):
            name = str(rng.choice([field.name for field in fields(g.details)]))
            g = replace(g, details=replace(g.details, **{name: changed_value(getattr(g.details, name), rng)}))
        elif kind == 5:
            witness = tuple(int(place) for place in rng.integers(0, len(instance), rng.integers(0, 4)))
            g = replace(g, bound_name=str(rng.choice(NAMES[g.family])), bound_kind="checked", bound_witness=witness)
            if isinstance(g.cost, float):
                bound = float(rng.choice([g.lower_bound, g.cost, rng.uniform(0, max(g.cost, 1.0))]))
            else:
                bound = int(rng.integers(max(g.lower_bound - 2, 0), max(g.lower_bound, g.cost) + 1))
            g = replace(g, lower_bound=bound)
        elif kind == 6:
            g = replace(g, guarantee=g.cost if rng.random() < 0.5 else None)
        elif kind == 7:
            g = replace(g, status=str(rng.choice(STATUSES)))
        else:
            name = str(rng.choice(["k", "cost", "lower_bound", "bound_witness", "guarantee", "seed"]))
            g = replace(g, **{name: changed_value(getattr(g, name), rng)})
    if isinstance(g.details, ClusterDetails) and rng.random() < 0.8 and g.details.curve.shape[1:] == (3,):
        curve = g.details.curve.copy()
        curve[-1:, 1:] = g.cost, g.lower_bound
        g = replace(g, details=replace(g.details, curve=curve))
    if rng.random() < 0.8 and g.status != "relaxed":
        g = replace(g, status="optimal" if g.cost == g.lower_bound else "feasible")
    try:
        return g.sealed()
    except (TypeError, ValueError, AttributeError):
        return g


def optimum(instance, g):
    """The least cost that brute force finds for what the result says it solves."""
    if g.family == "clusters":
        return judge.optimum(instance, g)
    if g.family == "regions":
        return regions.optimum(instance.weights.tolist(), instance.edges.tolist(), g.k)
    if g.family == "rectangles":
        return rectangles_exact.best_tiling(instance.xy.tolist(), instance.weights.tolist(), g.k)[0]
    if g.family == "labels":
        least = g.details.threshold if g.status == "relaxed" else g.k
        return label_constraints.optimum(instance.counts.tolist(), least)
    if g.algorithm == "cell-suppression":
        return cells.by_partitions([tuple(row) for row in instance.codes.tolist()], g.k)
    if "suppression_limit" not in g.options:
        return boxes.least(*boxed(instance, g), apart=not g.options.get("relaxed"))
    rows, labels, cuts, sizes = plain(instance)
    return tables.least(
        rows, labels, cuts, g.k, g.options["metric"], g.options["suppression_limit"], sizes, weighed(instance, g)
    )


def boxed(table, g):
    """What the oracle of boxes takes: rows, labels, prices, k, metric, trees."""
    rows, labels, _, sizes = plain(table)
    return rows, labels, tables.steps(sizes, weighed(table, g)), g.k, g.options["metric"], [None] * len(sizes)


def weighed(table, g):
    parts = [part.split("=") for part in g.options["weights"].split(",")] if g.options["weights"] else []
    given = {name.strip(): float(number) for name, number in parts}
    return [given.get(name, 1) for name in table.quasi_identifiers]


def falsehoods(instance, g, best):
    """Every claim of the result that is not true."""
    if g.family == "clusters":
        yield from judge.falsehoods(instance, g, best)
        return
    if g.lower_bound > best:
        yield f"the bound is {g.lower_bound}, but {best} is possible"
    if g.status == "optimal" and g.cost != best:
        yield f"{g.cost} is called optimal, but {best} is possible"
    if g.guarantee is not None and g.cost > g.guarantee:
        yield "the cost is above the ceiling"
    least = g.details.threshold if g.status == "relaxed" else g.k
    sums = {}
    for number, weight in zip(g.assignment.tolist(), instance.weights.tolist(), strict=True):
        sums[number] = sums.get(number, 0) + weight
    left_out = sums.pop(-1, 0)
    if min(sums.values()) < least or sorted(sums) != list(range(g.classes)):
        yield "a class is lighter than k, or none"
    if FAMILIES[g.family].objective(g.algorithm, g.options).is_largest_class and (
        left_out or g.cost != max(sums.values())
    ):
        yield "an item is left out, or the cost is another"
    yield from {"regions": _regions, "rectangles": _rectangles, "labels": _labels, "tables": _tables}[g.family](
        instance, g
    )


def _regions(instance, g):
    for number in range(g.classes):
        members = set(np.flatnonzero(g.assignment == number).tolist())
        if not regions.connected(members, instance.edges.tolist()):
            yield f"class {number} is not connected"
    if g.algorithm == "tree-split":
        heaviest = int(instance.weights.max())
        degree = int(np.bincount(g.details.tree.ravel(), minlength=1).max())
        if g.guarantee != heaviest + degree * (g.k - 1):
            yield "the ceiling is not that of the theorem"


def _rectangles(instance, g):
    own = g.details.rectangles[g.assignment]
    xy = instance.xy
    if not ((own[:, :2] <= xy).all() and (xy <= own[:, 2:]).all()):
        yield "a point lies outside the rectangle of its class"
    box = [*xy.min(axis=0), *xy.max(axis=0)]
    sides = g.details.rectangles[:, 2:] - g.details.rectangles[:, :2]
    area = (box[2] - box[0]) * (box[3] - box[1])
    if g.options["snap"] is None and abs(sides.prod(axis=1).sum() - area) > 1e-9 * max(area, 1):
        yield "the rectangles do not fill the bounding box"


def _labels(instance, g):
    counts = instance.counts.tolist()
    if g.algorithm in ("fold", "spread") and g.guarantee < (min(bins.theorem_7(counts, g.k), g.cost)):
        yield "the ceiling is below what was reached"
    if g.algorithm == "ordered":
        names = [str(name) for name in instance.names.tolist()]
        key = {"given": lambda place: place, "name": names.__getitem__, "number": lambda place: int(names[place])}
        order = sorted(range(len(names)), key=key[g.options["by"]])
        if g.cost != best_intervals([counts[place] for place in order], g.k)[0]:
            yield "the intervals are not the best of this order"
        if (
            np.diff([list(dict.fromkeys(g.assignment[order].tolist())).index(c) for c in g.assignment[order]]) < 0
        ).any():
            yield "the classes are no intervals of this order"


def _tables(instance, g):
    if g.algorithm == "cell-suppression":
        hidden = 0
        for number in range(g.classes):
            rows = instance.codes[g.assignment == number]
            hidden += len(rows) * int((rows != rows[0]).any(axis=0).sum())
        if g.cost != hidden or (g.assignment < 0).any():
            yield "another number of cells is hidden"
        return
    if "suppression_limit" not in g.options:
        yield from _boxes(instance, g)
        return
    rows, labels, _, sizes = plain(instance)
    cuts, metric = [tuple(cut) for cut in g.details.cuts.tolist()], g.options["metric"]
    cost, lost = tables.cost(rows, labels, cuts, g.k, metric, sizes, weighed(instance, g))
    limit = g.options["suppression_limit"]
    if (g.cost, g.details.suppressed) != (cost, lost) or (limit is not None and lost > limit):
        yield "cost, left out or the limit are not what the intervals give"


def _boxes(instance, g):
    rows, labels, prices, k, metric, trees = boxed(instance, g)
    classes = [np.flatnonzero(g.assignment == number).tolist() for number in range(g.classes)]
    cost = sum(
        boxes.class_cost([rows[p] for p in own], [labels[p] for p in own], rows, prices, k, metric, trees)
        for own in classes
    )
    if g.cost != cost or (g.assignment < 0).any():
        yield "the cost is not that of the classes, or somebody is left out"
    shown = [
        list(zip(low, high, strict=True))
        for low, high in zip(g.details.low.tolist(), g.details.high.tolist(), strict=True)
    ]
    if any(
        not low <= value <= high
        for box, own in zip(shown, classes, strict=True)
        for place in own
        for value, (low, high) in zip(rows[place], box, strict=True)
    ):
        yield "a record lies outside what its class shows"
    pairs = [(one, other) for place, one in enumerate(shown) for other in shown[:place]]
    if any(one == other or (boxes.meet(one, other) and not g.options.get("relaxed")) for one, other in pairs):
        yield "two boxes meet"


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_false_claim_is_accepted_as_checked(family):
    rng = np.random.default_rng([20, *family.encode()])
    good, known, seen = pool(family, rng), {}, Counter()
    for _ in range(COUNT):
        instance, g = good[rng.integers(len(good))]
        other = mutated(instance, g, rng)
        try:
            certificate = kanon.verify(instance, other)
        except kanon.CertificateError as error:
            seen["refused"] += 1
            seen[f"refused by {error.check}"] += 1
            continue
        seen[certificate.proof] += 1
        asked = (
            instance.digest,
            other.k,
            other.algorithm == "cell-suppression",
            other.status == "relaxed" and other.details.threshold,
        )
        asked += (
            tuple(sorted((name, str(value)) for name, value in other.options.items()))
            if family in ("tables", "clusters")
            else ()
        )
        asked += (other.algorithm,) if family == "clusters" else ()
        if asked not in known:
            known[asked] = optimum(instance, other)
        false = list(falsehoods(instance, other, known[asked]))
        seen["false"] += bool(false)
        assert not (false and certificate.proof == "checked"), (false, instance, g, other)
    LOG.info("%s: %s changes of %s results: %s", family, COUNT, len(good), dict(seen.most_common()))
    assert seen["refused"] > COUNT // 4
    assert seen["checked"] > COUNT // 50
    assert min(best for best in known.values()) >= 0


def test_the_oracle_sees_a_false_claim():
    """What each family's judge must find in results that are wrong on purpose."""
    labels = kanon.Labels(range(4), [5, 4, 3, 6])
    g = kanon.generalize(labels, 6, "ordered")
    assert list(falsehoods(labels, replace(g, lower_bound=99), 9))
    assert list(falsehoods(labels, replace(g, assignment=np.array([0, 1, 0, 1], np.int32)), g.lower_bound))
    path = kanon.Regions(range(4), [2, 2, 2, 2], [(0, 1), (1, 2), (2, 3)])
    g = kanon.generalize(path, 4, "tree-split")
    assert list(falsehoods(path, g, 4)) == []
    assert list(falsehoods(path, replace(g, assignment=np.array([0, 1, 0, 1], np.int32)), 4)) != []
    table = kanon.Table(pd.DataFrame({"a": [1, 1, 2, 2]}), ["a"])
    g = kanon.generalize(table, 2, "k-optimize")
    assert list(falsehoods(table, g, g.cost)) == []
    assert list(falsehoods(table, replace(g, cost=7, lower_bound=7), g.cost)) != []
    points = kanon.Points([(0, 0), (1, 1), (2, 2), (3, 3)])
    g = kanon.generalize(points, 2, "kd-tree")
    assert list(falsehoods(points, g, 2)) == []
    assert list(falsehoods(points, replace(g, assignment=g.assignment[::-1]), 2)) != []
