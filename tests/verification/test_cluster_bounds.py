"""No witness proves more of a clustering than is true by brute force, and prices are paid by every set of points."""

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.verification import FAMILIES, clusters
from kanon_engine.verification.clusters import BOUNDS, BOUNDS_ON
from kanon_engine.verification.codec import MALFORMED, Array, Record, content_digest
from kanon_engine.verification.core import instance_of, read_certificate, read_instance, verdict
from kanon_engine.verification.metric import rounded_up
from tests.clusters import judge
from tests.clusters.small_spaces import small_space
from tests.corruption import refused
from tests.oracles.clusters_squares import best_partition
from tests.verification.checked import certificate_failures
from tests.verification.forgeries import results
from tests.verification.proven import measured, read

RADIUS = (
    ("gather", {"centers": "any"}),
    ("gather", {"centers": "input"}),
    ("center", {"centers": "input", "max_clusters": 2}),
    ("center", {"centers": "any", "max_clusters": 1}),
    ("gather-outliers", {"centers": "any", "epsilon": 0.3}),
    ("gather-outliers", {"centers": "input", "epsilon": 0.2}),
    ("center-outliers", {"centers": "input", "epsilon": 0.3, "max_clusters": 1}),
)


def claims(space, best, rng):
    """Bounds that a result might say: the optimum, one digit more, and distances."""
    every = space.between(range(len(space))).ravel()
    some = rng.choice(every, 3).tolist()
    digits = rounded_up(best)
    return {
        best,
        digits,
        rounded_up(digits * (1 + 2e-6)),
        math.nextafter(best, math.inf),
        *some,
        *map(rounded_up, some),
    }


def proven(own, g, name, witness):
    try:
        return BOUNDS[name](own, g, witness)
    except MALFORMED:
        return None


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("number", range(6))
def test_no_witness_proves_more_than_the_optimum(number):
    rng, proofs, tight = np.random.default_rng(number), 0, 0
    for algorithm, options in RADIUS:
        space = small_space(rng, 6, kinds=judge.KINDS)
        n, own = len(space), measured(space)
        g = SimpleNamespace(algorithm=algorithm, options=options, k=int(rng.integers(1, space.total // 2 + 2)))
        best = judge.optimum(space, g)
        if not math.isfinite(best):
            continue
        most = best * (judge.SIX_DIGITS if judge.free(space, g) else 1) + judge.NEARLY * max(best, 1)
        some = [list(one) for size in range(4) for one in permutations(range(n), size)]
        wrong, full = ([-1], [n], [0, 0], [*range(n), 0], [*range(1, n), -n]), list(range(n))
        witnesses = [[], full, *(some[place] for place in rng.choice(len(some), min(len(some), 30), False))]
        kind = "radius, with records left out" if "epsilon" in options else "radius"
        for claim in claims(space, best, rng):
            g.lower_bound = claim
            for name in BOUNDS_ON[kind]:
                shape = (1, 1) if name in ("coverage", "disks") else (0, 1)
                g.details = SimpleNamespace(prices=Array("<f8", shape, [2 * claim][: shape[0]]))
                assert all(proven(own, g, name, witness) is None for witness in wrong)
                if name in ("coverage", "disks"):  # where no places are named, all are
                    assert proven(own, g, name, full) == proven(own, g, name, [])
                for witness in witnesses:
                    value = proven(own, g, name, witness)
                    if value is not None and math.isfinite(value):
                        assert value <= most, (name, witness, value, best)
                        proofs, tight = proofs + (value > 0), tight + (value >= best * (1 - 1e-9) > 0)
    assert proofs > 50
    assert tight > 5


def few(places, options, claim, prices, k=1):
    """Claims of a result with few clusters for places on a line, and the space."""
    g = SimpleNamespace(algorithm="center-outliers", options={"centers": "input", "epsilon": 0.0} | options, k=k)
    g.lower_bound, g.details = claim, SimpleNamespace(prices=Array("<f8", (len(prices), 1), prices))
    return measured(kanon.MetricSpace([[float(place)] for place in places])), g


def test_the_gains_of_balls_are_added_up_again_after_each_that_is_taken():
    """Three of six places hold ten of 13 points. Before any is taken, or of two, more might lie in three balls."""
    places = [0] * 5 + [10] * 4 + [20, 30, 40, 50]
    own, g = few(places, {"max_clusters": 3}, 10.0, [10.0])
    assert proven(own, g, "disks", []) == 10.0
    assert proven(own, g, "coverage", []) == own.half(10.0)
    g.options["max_clusters"] = 6
    assert proven(own, g, "disks", []) is None


def test_a_bound_on_few_clusters_is_less_by_how_far_points_are_from_their_places():
    own, g = few([0, 2, 10, 12, 20, 22], {"max_clusters": 2}, 0.0, [10.0])
    assert proven(own, g, "coverage", [0, 2, 4]) == own.half(10.0 - 2 * 2.0)
    assert proven(own, g, "disks", [0, 2, 4]) == 2 * own.half(10.0) - 2 * 2.0
    line = measured(kanon.MetricSpace([[-1.0], [1.0], [0.0]]))  # the last is as far from either
    assert clusters.Net(line, g, [0, 1]).counts == [2, 1]


def test_points_too_far_apart_for_few_clusters_have_no_price():
    own, g = few([0, 10, 20], {"max_clusters": 2}, 10.0, [])
    assert proven(own, g, "too many apart", [0, 1, 2]) == own.half(10.0)
    g.details = SimpleNamespace(prices=Array("<f8", (1, 1), [10.0]))
    assert proven(own, g, "too many apart", [0, 1, 2]) is None


def scale(space, k, facility_cost, prices, halved):
    """By what prices can be multiplied so that no k records or more cost less than they pay, each by itself."""
    between, best = space.between(range(len(space))).tolist(), math.inf
    records = [place for place, count in enumerate(space.weights.tolist()) for _ in range(count)]
    for size in range(k, len(records) + 1):
        for members in set(combinations(records, size)):
            centers = [max(members, key=prices.__getitem__)] if halved else range(len(space))
            wide = min(max(between[center][place] for place in members) for center in centers)
            cost = size * (wide / 2 if halved else wide) + facility_cost
            best = min(best, cost / sum(prices[place] for place in members))
    return best


def test_prices_are_paid_to_the_last_of_sixty_bits():
    """Two points at the least distance that counts: together they cost twice that, which the cheaper one may pay."""
    step = 2.0**-57  # prices of 1 with a facility cost of 1 of two records are below 2 ** 3
    own = measured(kanon.MetricSpace([[0.0], [step]]))
    g = SimpleNamespace(algorithm="cellular", options={"centers": "input", "facility_cost": 1.0}, k=1)
    for price, good in ((2 * step, True), (3 * step, False)):
        g.details = SimpleNamespace(prices=Array("<f8", (2, 1), [1.0, price]))
        assert proven(own, g, "prices", []) == (1.0 if good else None)


def test_the_dearest_records_are_those_of_sorting_them():
    rng = np.random.default_rng(5)
    for _ in range(50):
        count, k = int(rng.integers(2, 30)), int(rng.integers(1, 8))
        prices, counts = rng.integers(0, 40, count).tolist(), rng.integers(1, 4, count).tolist()
        records = [(place, price) for place, price in enumerate(prices) for _ in range(counts[place])]
        enough = [place for place in range(count) if sum(counts[: place + 1]) >= k]
        places = sorted(rng.choice(enough, len(enough) // 2, replace=False).tolist()) if enough else []
        upto = [sorted((price for at, price in records if at <= place), reverse=True) for place in places]
        expected = [sum(descending[:k]) for descending in upto]
        assert list(clusters._dearest(prices, counts, k, places)) == expected


@pytest.mark.parametrize("halved", [False, True])
def test_prices_are_accepted_up_to_what_the_cheapest_set_of_points_costs(halved):
    rng, refused = np.random.default_rng(halved), 0
    for _ in range(60):
        space = small_space(rng, 6, kinds=("grid", "plane", "line") if halved else judge.KINDS)
        if space.total > 10:
            continue
        own, k = measured(space), int(rng.integers(1, space.total + 1))
        prices = (1 + rng.permutation(len(space)) + rng.random(len(space))).tolist()
        facility_cost, epsilon = float(rng.choice([0, 0.5, 7])), float(rng.choice([0, 0.25, 0.5]))
        most = scale(space, k, facility_cost, prices, halved)
        options = {"centers": "any" if halved else "input", "facility_cost": facility_cost, "epsilon": epsilon}
        g = SimpleNamespace(algorithm="r-cellular-outliers", options=options, k=k)
        for factor, good in ((1 - 1e-9, True), (1 + 1e-9, most == 0), (1.3, most == 0)):
            paid = [price * most * factor for price in prices]
            g.details = SimpleNamespace(prices=Array("<f8", (len(paid), 1), paid))
            value = proven(own, g, "halved prices" if halved else "prices", [])
            records = sorted(price for price, count in zip(paid, space.weights, strict=True) for _ in range(count))
            kept = records[: len(records) - int(epsilon * len(records))]
            assert value == (pytest.approx(sum(kept), rel=1e-12) if good else None)
            assert value is None or value <= sum(map(Fraction, kept))
            refused += value is None
            assert proven(own, g, "halved prices" if halved else "prices", [0]) is None
    assert refused > 60


def divided(squares, k, prices, width):
    """The sum over points of their least share, of rows (one, other, -1, shift) and (apex, one, other, price).

    And what rounding may do to it: an error of 2^-53 in each of so many steps, of twice the largest that is added up.
    """
    n, parts = len(squares), [[square / 2 for square in row] for row in squares]
    tolls, entries, apexes, sizes = [0.0] * n, Counter(), Counter(), Counter()
    for first, second, third, price in prices:
        if third == -1:
            parts[first][second] += price
            parts[second][first] -= price
            pairs = [(first, second)]
        else:
            tolls[first] += price
            apexes[first] += 1
            for one, other, sign in ((first, second, 1), (first, third, 1), (second, third, -1)):
                parts[one][other] += sign * price / 2
                parts[other][one] += sign * price / 2
            pairs = [(first, second), (first, third), (second, third)]
        for pair in map(frozenset, pairs):
            entries[pair] += 1
            sizes[pair] += abs(price)
    least = most = 0.0
    for place, row in enumerate(parts):
        ascending = sorted(row[:place] + row[place + 1 :])
        least += min((sum(ascending[: size - 1]) - tolls[place]) / size for size in range(k, min(2 * k - 1, n) + 1))
        own = [squares[place][sum(pair) - place] + size for pair, size in sizes.items() if place in pair]
        most += 2 * max([0.0, *ascending[: 2 * k - 2], *own]) + tolls[place]
    steps = width + max(entries.values(), default=0) + max(apexes.values(), default=0) + 4 * k + 16
    return least, steps * 2.0**-52 * most


@pytest.mark.parametrize(("n", "width"), [(1, 2), (2, 1), (5, 2), (7, 3), (12, 1), (40, 2), (80, 3)])
def test_squared_distances_are_divided_as_the_prices_say(n, width):
    rng = np.random.default_rng(n)
    for k in {1, min(n, 2), min(n, 3), min(n, 5), n if n < 10 else n // 3}:
        points = rng.integers(0, 9, (n, width)).astype(float)
        squares = ((points[:, None] - points) ** 2).sum(axis=2).tolist()
        prices = []
        for _ in range(2 * n if n > 2 else 0):
            price, (one, other, third) = float(rng.integers(0, 4)) / 4, rng.choice(n, 3, replace=False).tolist()
            prices.append((one, other, -1, -price) if rng.random() < 0.5 else (one, other, third, price))
        own = measured(kanon.MetricSpace(points))
        g = SimpleNamespace(k=k, lower_bound=math.inf, options={}, algorithm="mdav")

        def value(rows, g=g, own=own):
            g.details = SimpleNamespace(
                prices=Array("<f8", (len(rows), 4), [float(one) for row in rows for one in row])
            )
            return proven(own, g, "squared distances", [])

        found, (expected, error) = value(prices), divided(squares, k, prices, width)
        if expected > error:
            assert expected - 1.1 * error <= found <= expected - 0.9 * error
        else:
            assert found == 0
        good = (0, 1, -1, 1.0) if n > 1 else None
        wrong = [
            (0, 0, -1, 1),
            (-1, 0, -1, 1),
            (0, -1, -1, 1),
            (0, n, -1, 1),
            (n, 0, -1, 1),
            (0, 1, 1, 1),
            (0, 1, n, 1),
        ]
        wrong += [(0, 1, 0, 1), (0, 1, 2, -1), (0.5, 1, 2, 1), (0, 1.5, 2, 1), (0, 1, 2.5, 1), (0, 1, -2, 1)]
        for row in [*wrong, (0, 1, -1, math.inf), (0, 1, -1, -math.inf)]:
            assert value([row]) is None
            assert good is None or value([good, row]) is None


@pytest.mark.parametrize("number", range(4))
def test_one_column_costs_what_the_best_partition_of_it_costs(number):
    rng = np.random.default_rng(number)
    for _ in range(20):
        n = int(rng.integers(1, 9))
        values, k = rng.integers(0, 20, n) / 4, int(rng.integers(1, n + 2))
        own = measured(kanon.MetricSpace(values[:, None]))
        g = SimpleNamespace(k=k, lower_bound=math.inf, options={}, algorithm="mdav")
        found = proven(own, g, "one column", [])
        assert found == (pytest.approx(best_partition([(value,) for value in values.tolist()], k)) if k <= n else None)
        assert proven(own, g, "one column", [0]) is None
        if k <= n:
            g.lower_bound = found / 2
            assert proven(own, g, "one column", []) == found / 2
    own = measured(kanon.MetricSpace([[0.0], [0.0], [3.0], [3.0], [8.0]]))  # two and three, though three spread more
    g = SimpleNamespace(k=2, lower_bound=math.inf, options={}, algorithm="mdav")
    assert proven(own, g, "one column", []) == pytest.approx(50 / 3)
    assert proven(measured(kanon.MetricSpace(np.ones((3, 2)))), g, "one column", []) is None


@pytest.mark.parametrize(
    ("algorithm", "ratio", "status"),
    [("gather", 2, "stopped"), ("center", 2, "feasible"), ("r-cellular", 72, "feasible")],
)
def test_no_ceiling_is_claimed_below_the_cost(algorithm, ratio, status):
    """A bound of a point with its neighbors is far below what clusters around distant points cost."""
    space = kanon.MetricSpace(np.array([[x, y] for x in (0, 1000, 2000) for y in (0, 1)], dtype=float))
    if algorithm == "r-cellular":
        g = kanon.generalize(space, 2, algorithm)
        claims = {"bound_name": "halved prices", "bound_witness": (), "lower_bound": 0.0}
        claims["details"] = replace(g.details, prices=np.zeros((6, 1)))
    else:
        g = kanon.generalize(space, 2, "center", max_clusters=2)
        claims = {"bound_name": "centers apart", "bound_witness": (0,), "lower_bound": 0.5}
    kanon.verify(space, g)
    if algorithm == "gather":  # as it would be if it were stopped early
        claims |= {"algorithm": "gather", "options": {name: g.options[name] for name in ("centers", "improve")}}
    curve = np.array([[0.0, g.cost, claims["lower_bound"]]])
    claims["details"] = replace(claims.get("details", g.details), curve=curve)
    low = replace(g, **claims, status=status, guarantee=None)
    assert certificate_failures(space, low.sealed().to_json()) == []
    for ceiling in (g.cost, ratio * claims["lower_bound"], g.guarantee or 1.0):
        assert refused(space, low, guarantee=ceiling) in ("guarantee formula", "guarantee")


def test_half_of_a_distance_is_less_by_what_rounding_does():
    half = {
        "euclidean": (kanon.MetricSpace([[0.0], [9.0]]), [(8.0, 4 - 8e-12)]),
        "hamming": (kanon.MetricSpace([["a", "b"], ["b", "c"]], "hamming"), [(1.0, 0.5), (2.0, 1.0)]),
        "weighed": (kanon.MetricSpace([["a"], ["b"]], "hamming", weights=[1.5]), [(1.5, 0.75 - 1.5e-12)]),
        "gower": (kanon.MetricSpace(pd.DataFrame({"a": ["x", "y"]}), "gower"), [(1.0, 0.5 - 1e-12)]),
        "globe": (kanon.MetricSpace([[0.0, 0.0], [1.0, 1.0]], "haversine"),
                  [(100.0, 50 - 1e-10 - 1e-4), (18_999.9, 9_499.95 - 1.89999e-8 - 1e-4), (19e3, 9_500 - 1.9e-8 - 1)]),
        "matrix": (kanon.MetricSpace([[0.0, 30.0], [30.0, 0.0]], "precomputed", triangle=True),
                   [(8.0, 4 - 8e-12 - 3e-11)]),
        "no metric": (kanon.MetricSpace([[0.0, 30.0], [30.0, 0.0]], "precomputed"), [(8.0, 0.0)]),
    }  # fmt: skip
    for space, pairs in half.values():
        for distance, expected in pairs:
            assert measured(space).half(distance) == pytest.approx(expected, rel=1e-15, abs=0)
        assert measured(space).half(0.0) == 0
    far, expected = [100.0, 18_999.9, 19e3, 2e4], [50 - 1e-10 - 1e-4, 9_499.0, 9_499 - 1.9e-8, 9_999 - 2e-8]
    assert measured(half["globe"][0]).halved(np.array(far)).tolist() == pytest.approx(expected, rel=1e-15)


def test_ceilings_allow_for_rounding():
    """In six digits, upward: a share of every distance, and on the globe and of a matrix an error in each."""
    plane, globe = kanon.MetricSpace([[0.0], [9.0]]), kanon.MetricSpace([[0.0, 0.0], [1.0, 1.0]], "haversine")
    matrix = kanon.MetricSpace([[0.0, 3e11], [3e11, 0.0]], "precomputed", triangle=True)
    for space, ratio, bound, largest, cellular in (
        (plane, 2, 4.0, 8.00001, 8.00001),  # 8 and a share of it
        (plane, 3, 0.0, 0.0, 0.0),
        (plane, 3, 1e12, 3.00001e12, 3.00001e12),
        (globe, 2, 0.0, 0.0002, 0.0004),  # ratio * 1e-4 km, for each of two records
        (globe, 3, 6_329.9, 18989.8, 18989.8),
        (globe, 3, 6_330.0, 18993.1, 18990.1),  # from 19,000 km less 10 on an arc is wrong by up to a km
        (globe, 3, 12_666.0, 38001.1, 37998.1),
        (globe, 3, 12_667.0, 38004.1, 38007.1),
        (matrix, 3, 0.0, 1.8, 3.6),  # 2 * ratio * 1e-12 of the longest distance
    ):
        own = measured(space)
        assert own.ceiling(ratio, bound) == largest
        assert own.ceiling(ratio, bound, 2) == cellular


@pytest.mark.parametrize(
    ("points", "radius"),
    [
        ([(0, 0), (2, 0)], 1.0),
        ([(0, 0), (3, 0), (0, 4)], 2.5),
        ([(-5, 0), (3, 4), (3, -4)], 5.0),
        ([(0, 0), (0, 0)], 0.0),
        ([(44, 0), (46, 0)], 111.196),  # on the globe, where another axis is the farthest from each
        ([(0, 44), (0, 46)], 111.196),
        ([(90, 44), (90, 46)], 111.196),
    ],
)
def test_a_disc_holds_what_lies_on_its_border(points, radius):
    """The radius is exact, and neither a smaller disc nor a larger one of six digits is the least."""
    own = measured(kanon.MetricSpace(np.array(points, dtype=float), "haversine" if radius > 100 else "euclidean"))
    g = SimpleNamespace(k=len(points), options={"centers": "any"}, algorithm="gather")
    for claim in (radius, rounded_up(radius * (1 + 2e-6) + 1e-9), radius - 1e-5):
        g.lower_bound = claim
        assert proven(own, g, "least disc", [0]) == (radius if claim == radius else None)
    g.options, g.details = {"centers": "any", "epsilon": 0.4}, SimpleNamespace(prices=Array("<f8", (0, 1), []))
    for claim in (-1.0, 0.0, radius, rounded_up(radius * (1 + 2e-6) + 1e-9)):
        g.lower_bound = claim
        found = proven(own, g, "too many discs", list(range(len(points))))
        assert found == (radius if claim == radius > 0 else None)


def test_no_disc_of_the_globe_has_a_negative_radius():
    own = measured(kanon.MetricSpace([[0.0, 0.0], [1.0, 1.0]], "haversine"))
    g = SimpleNamespace(k=1, options={"centers": "any"}, algorithm="gather", lower_bound=0.0)
    assert proven(own, g, "least disc", [0]) == 0
    g.lower_bound = -1e-6
    assert proven(own, g, "least disc", [0]) is None


@pytest.mark.parametrize(
    ("name", "limit"), [("gather", "SINGLE"), ("center", "SINGLE"), ("center-outliers", "MOST_PLACES")]
)
def test_a_ratio_is_proven_for_so_many_points(name, limit, monkeypatch):
    data, content = results()[f"clusters-{name}"]
    instance, fields = read_instance(data, FAMILIES), read_certificate(json.dumps(content))
    monkeypatch.setattr(clusters, limit, 9)
    assert verdict(instance, fields, FAMILIES).failed is None
    monkeypatch.setattr(clusters, limit, 8)
    assert verdict(instance, fields, FAMILIES).failed.name == "guarantee formula"


def test_a_radius_is_forgiven_what_rounding_its_center_adds():
    """A share of itself and of the largest coordinate, but no more than a part in 2 * 10 ** 9."""
    near, far = kanon.MetricSpace([[0.0], [0.3]]), kanon.MetricSpace([[1e9], [1e9 + 0.5]])
    globe = kanon.MetricSpace([[0.0, 0.0], [1.0, 1.0]], "haversine")
    for space, radius, rounded in (
        (near, 0.15 + 1e-16, 0.15),
        (near, 0.15 + 1e-12, 0.150001),
        (far, 1_000.0 + 4e-7, 1_000.0),
        (far, 1_000.0 + 6e-7, 1_000.01),
        (far, 0.001, 0.001),
        (globe, 1_000.0 + 1e-9, 1_000.01),
    ):
        own = measured(space)
        assert own.free_radius(radius) == rounded
        assert own.is_free_radius(rounded, radius)
        assert own.is_free_radius(rounded_up(radius), radius)
        assert not own.is_free_radius(rounded_up(rounded * (1 + 1e-5)), radius)


PAIRS, TRIANGLE = [[0.0], [0.5], [1.0], [5.0]], [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]


@pytest.mark.parametrize(
    ("rows", "space"),
    [
        (PAIRS, kanon.MetricSpace(PAIRS, counts=[2, 2, 2, 2])),  # alone, each would be a class of two and cost nothing
        (TRIANGLE, kanon.MetricSpace(TRIANGLE, "gower")),
        (TRIANGLE, kanon.MetricSpace(TRIANGLE, "hamming")),
        (TRIANGLE, kanon.MetricSpace(TRIANGLE, "precomputed")),
        ([row[:2] for row in TRIANGLE], kanon.MetricSpace([row[:2] for row in TRIANGLE], "haversine")),
    ],
)
def test_squares_are_those_of_records_in_a_euclidean_space(rows, space):
    """A result of the same rows as euclidean records, with all that the certificate can be made to say of the space."""
    g, own, single = kanon.generalize(kanon.MetricSpace(rows), 2, "mdav"), measured(space), len(rows) == space.total
    assert g.status == "optimal"
    if not single:
        claims = {"class_weights": g.class_weights * 2}
    elif space.free:
        far = own.from_centers([*g.details.centers.T], np.zeros(3, int), np.arange(3)).max()
        claims = {"details": replace(g.details, radii=np.array([own.free_radius(far)]))}
    else:
        details = {"places": np.array([0]), "centers": np.zeros((1, 0)), "radii": np.array([own.distances(0).max()])}
        curve = np.array([[0.0, 0.0, 0.0]])
        claims = {"cost": 0.0, "lower_bound": 0.0, "details": replace(g.details, **details, curve=curve)}
    assert refused(space, g, instance_digest=space.digest, **claims) == "centers"


def test_a_mean_is_no_point_even_where_one_lies_there():
    space = kanon.MetricSpace([[0.0], [1.0], [2.0]])
    g = kanon.generalize(space, 3, "mdav")
    assert refused(space, g, details=replace(g.details, places=np.array([1]))) == "centers"


def test_no_ceiling_is_claimed_where_more_is_required():
    """Of points with a second count, which a file may hold though no algorithm asks for it."""
    space = kanon.MetricSpace([[0.0], [1.0], [5.0], [6.0]])
    parts = read(space).parts | {"columns": {"homes": Array("<i8", (4,), [1, 1, 1, 1])}}
    instance = instance_of("clusters", clusters, parts, content_digest(parts))
    fields = read_certificate(kanon.generalize(space, 2, "gather").to_json())
    fields |= {"require": [Record("Minimum", {"column": "homes", "m": 2})], "instance_digest": instance.digest}
    del fields["digest"]
    for ceiling, check in ((None, None), (fields["guarantee"], "guarantee formula")):
        fields["guarantee"] = ceiling
        failed = verdict(instance, fields | {"digest": content_digest(fields)}, FAMILIES).failed
        assert (failed and failed.name) == check
