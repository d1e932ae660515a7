"""What the verifier says of tables with boxes and of what is required of classes, against brute force."""

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.verification import arrays, tables
from kanon_engine.verification.table_costs import (
    BOUNDS,
    Demand,
    Table,
    _is_one_or_more,
    even_squares,
    is_diverse,
    most_hidden,
    nearest_company,
    whole_steps,
)
from kanon_engine.verification.tables import boxes_meet
from tests.corruption import refused
from tests.oracles import boxes
from tests.oracles.diversity import satisfied as plainly_satisfied
from tests.tables.random_requirements import asked, random_column, requirement
from tests.tables.test_boxes import METRICS, plain, random_boxes
from tests.test_exhaustive_check import agrees
from tests.verification.checked import certificate_failures
from tests.verification.proven import better_exists, read


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("number", range(9))
def test_bounds_and_the_look_at_all_boxes_agree_with_brute_force(number):
    rng = np.random.default_rng(number)
    table = random_boxes(rng, 6)
    k = int(rng.integers(1, max(2, len(table) // 2)))
    rows, labels, prices, trees = plain(table)
    require, allowed = (), boxes.everywhere
    if number % 3 == 0:
        ill = table.frame["ill"].tolist()
        require = (kanon.Diversity("ill", 2),) if len(set(ill)) > 1 else ()
        allowed = lambda members: len({ill[place] for place in members}) > bool(require)  # noqa: E731
    for metric in METRICS:
        g = kanon.generalize(table, k, "mondrian", metric=metric, require=require)
        best = boxes.least(rows, labels, prices, k, metric, trees, allowed)
        assert agrees(table, g, best)
        names = {"LM": ["nearest company"], "CM": ["finest generalization"]}
        for name in [*names.get(metric, ["equal tuples together"]), "sizes alone"]:
            if name != "sizes alone" or metric in ("DM", "AVG"):
                assert 0 <= BOUNDS[name](Table(read(table)), g, []) <= best


@pytest.mark.parametrize(
    ("sizes", "k", "value"),
    [
        ((3, 1), 2, 16),  # the light one joins the heavy
        ((3, 4, 1), 2, 16 + 16),  # the lightest heavy one
        ((5, 1, 1, 1), 2, 25 + 9),
        ((3, 1, 1, 1, 1, 1), 3, 9 + 7 + 16),  # one joins, four make a class
        ((2, 1, 1, 1), 2, 4 + 9),  # a class of three is cheaper than to join
        ((2, 1, 1, 1, 1), 2, 4 + 4 + 4),
        ((2,) + (1,) * 11, 4, 16 + 16 + 25),
        ((1, 1, 1), 2, 9),
        ((4, 2), 2, 20),
        ((3, 2, 2), 3, 9 + 16),
    ],
)
def test_equal_tuples_stay_together(sizes, k, value):
    values = [place for place, size in enumerate(sizes) for _ in range(size)]
    g = SimpleNamespace(k=k, options={"metric": "DM"})
    assert BOUNDS["equal tuples together"](Table(read(kanon.Table(pd.DataFrame({"a": values}), ["a"]))), g, []) == value


@pytest.mark.parametrize(("depth", "good"), [(-1, False), (0, True), (5, True), (6, False), (15, False)])
def test_so_many_sets_of_columns_are_looked_at_and_no_more(depth, good):
    """Two rows of fourteen columns that differ in all; up to five stars there are 3,473 sets, up to six 6,476."""
    names = [f"c{place}" for place in range(14)]
    table = Table(read(kanon.Table(pd.DataFrame([[0] * 14, [1] * 14], columns=names), names)))
    found = BOUNDS["fewest stars"](table, SimpleNamespace(k=2), [depth])
    assert found == (2 * (depth + 1) if good else None)


def test_boxes_that_meet_are_found_beside_others_that_do_not():
    rng, found = np.random.default_rng(7), Counter()
    for _ in range(400):
        low = rng.integers(0, 6, (int(rng.integers(2, 7)), int(rng.integers(1, 4))))
        high = np.minimum(low + rng.integers(0, 3, low.shape), 5)
        given = list(zip(map(tuple, low.tolist()), map(tuple, high.tolist()), strict=True))
        sides = [list(zip(*box, strict=True)) for box in given]
        expected = any(boxes.meet(one, other) for place, one in enumerate(sides) for other in sides[:place])
        assert boxes_meet(given) == expected
        found[expected] += 1
    assert min(found.values()) > 50
    for cross in (
        ([(0, 1), (3, 2)], [(1, 0), (2, 3)]),
        ([(0, 0), (3, 3)], [(1, 1), (2, 2)]),
    ):  # neither begins in the other
        assert boxes_meet(cross)
        assert boxes_meet(cross[::-1])


def test_even_classes_have_the_least_squares():
    for k in range(1, 8):
        least = {0: 0}
        for weight in range(1, 40):
            ways = [least[weight - size] + size * size for size in range(k, weight + 1) if weight - size in least]
            if ways:
                least[weight] = min(ways)
                assert even_squares(weight, k) == least[weight]


@pytest.mark.parametrize("number", range(4))
def test_what_is_required_is_judged_as_its_definition_says(number):
    rng = np.random.default_rng(number)
    seen = set()
    for _ in range(40):
        frame = random_boxes(rng).frame
        column, wanted = random_column(rng, len(frame)), asked(rng)
        if len(set(column)) < 2:
            continue
        given = read(kanon.Table(frame.assign(of=np.array(column, dtype=object)), ["a"]))
        members = sorted(rng.choice(len(frame), int(rng.integers(1, len(frame) + 1)), replace=False).tolist())
        group = np.full(len(frame), -1)
        group[members] = 0
        own = Demand(given, requirement("of", wanted)).met(group, 1)[0]
        assert own == plainly_satisfied([column[place] for place in members], column, wanted)
        seen.add((wanted[0], own))
    assert len(seen) > 4


@pytest.mark.parametrize(
    ("counts", "l", "good"),
    [
        ([1, 1, 1], 3, True),
        ([1, 1, 1], 3.000001, False),
        ([7, 7, 7], 2.999999, True),
        ([2, 1, 1], 2.828427, True),  # twice the root of 2: 2.8284271 …
        ([2, 1, 1], 2.828428, False),
        ([30_001, 30_000, 29_999], 3, False),  # by less than a part in 10 ** 9
        ([30_001, 30_000, 29_999], 2.999999, True),
        ([10**6] * 3, 3, True),
        ([10**6 + 1, 10**6, 10**6 - 1], 3, False),  # by a part in 10 ** 12
        ([200_003, 200_000], 2, False),
        ([5], 1.000001, False),
    ],
)
def test_entropies_are_compared_exactly(counts, l, good):  # noqa: E741
    assert is_diverse(SimpleNamespace(kind="entropy", l=l, c=None), counts) is good


@pytest.mark.parametrize(
    ("counts", "c", "good"),
    [
        ([3, 2, 1], 1.0, False),
        ([3, 2, 1], 1.000001, True),
        ([3, 2, 2], 0.75, False),
        ([3, 2, 2], 0.750001, True),
        ([9], 1.0, False),
    ],
)
def test_the_commonest_is_rarer_than_so_many_times_the_rest(counts, c, good):
    assert is_diverse(SimpleNamespace(kind="recursive", l=2, c=c), counts) is good


@pytest.mark.parametrize(
    ("records", "weights", "check"),
    [
        (1, "a=1000000.0, b=1e-09", "cost"),  # a record loses 12 * 10 ** 6 / 4e-9 steps, less than 2 ** 53
        (1, "a=1000000.0, b=3e-10", "weights"),  # ten times as much
        (1_000, "a=1000000.0, b=1e-09", "weights"),  # all of them lose more than 2 ** 62
        (1, "a=1.0, c=1.0", "weights"),
        (512, "d=9007.199254740992, e=0.000244140625", "cost"),  # 512 of 2 ** 53 steps each: 2 ** 62, as many as may be
        (513, "d=9007.199254740992, e=0.000244140625", "weights"),
    ],
)
def test_sums_of_losses_stay_exact(records, weights, check):
    frame = pd.DataFrame({"a": [0, 1, 2, 3, 4, 4], "b": [0, 1, 2, 3, 0, 3], "c": 0, "d": [0] * 5 + [1], "e": 0})
    many = "d" in weights
    table = kanon.Table(
        frame, ["d", "e"] if many else ["a", "b"], weights=[records - 5, *[1] * 5] if many else [records] * 6
    )
    g = kanon.generalize(table, 2, "mondrian", metric="LM")
    assert refused(table, g, options=dict(g.options) | {"weights": weights}) == check


def least_losses(points, sizes, k, rounds):
    """What each record loses at least, in plain Python: round by round what k of those around it must lose as well."""
    least = [0] * len(points)
    for _ in range(rounds):
        found = []
        for here in points:
            apart = [sum(abs(a - b) for a, b in zip(here, there, strict=True)) for there in points]
            needs = sorted(zip(map(max, apart, least), sizes, strict=True))
            held = accumulate(size for _, size in needs)
            found.append(next(need for (need, _), records in zip(needs, held, strict=True) if records >= k))
        least = found
    return sum(own * size for own, size in zip(least, sizes, strict=True))


def test_the_needs_of_a_company_are_counted_in_three_rounds():
    rng, more = np.random.default_rng(0), 0
    for _ in range(100):
        k = int(rng.integers(2, 6))
        count = int(rng.integers(k, 2 * k + 1))
        points, sizes = rng.integers(0, 30, (count, 2)).tolist(), rng.integers(1, 3, count).tolist()
        found = nearest_company([arrays.column(own) for own in zip(*points, strict=True)], arrays.column(sizes), k)
        assert found == least_losses(points, sizes, k, 3)
        more += least_losses(points, sizes, k, 4) > found
    assert more > 0


def test_steps_of_a_domain_of_millions_are_shares_of_the_widest():
    assert whole_steps([Fraction(1)] * 2, [2_000_003, 999_983]) == [100, 200]


@pytest.mark.parametrize("sign", [1, -1])
def test_powers_that_sixty_digits_do_not_tell_apart_are_compared_with_more(sign):
    """Their product is 1 + 2.4e-38."""
    powers = {2: 759371080, 3: -64632197, 5: -524585951, 7: -92472336, 11: 237241878}
    assert _is_one_or_more({base: sign * power for base, power in powers.items()}) == (sign > 0)


@pytest.mark.parametrize(
    ("sizes", "weighted", "hidden"),
    [
        ((3, 3), False, (0, 0)),
        ((3, 3), True, (0, 0)),
        ((3, 2), False, (2, 20)),
        ((3, 4, 2), True, (2, 20)),
        ((3, 2, 1), False, (3, 12)),
    ],
)
def test_so_many_cells_are_hidden_at_most(sizes, weighted, hidden):
    assert most_hidden(arrays.column(sizes), weighted, 4, 3) == hidden


@pytest.mark.parametrize("heaviest", [1, 2, 3])
def test_rows_that_stand_for_several_records_have_a_ceiling_of_their_own(heaviest):
    frame = pd.DataFrame({"a": list("xxxxxxxy"), "b": 0})
    table = kanon.Table(frame, ["a", "b"], weights=[heaviest, *[1] * 7])
    g = kanon.generalize(table, 4, "cell-suppression")
    assert g.guarantee == 2 * (7 if heaviest == 1 else 1 + 6 + heaviest)
    assert certificate_failures(table, g.to_json()) == []


def limits(g, table, monkeypatch, name, values):
    """What the look at all solutions says of a bound above the cost, with these limits of its work."""
    for value in values:
        monkeypatch.setattr(tables, name, value)
        yield better_exists(table, replace(g, lower_bound=g.cost + 1))


def test_sets_of_cuts_are_looked_at_up_to_some_work(monkeypatch):
    """Four cuts and sixteen sets of them, each as much as the rows and what it takes besides."""
    frame = pd.DataFrame({"a": [1, 1, 2, 2, 3, 3], "b": [1, 2, 3, 1, 2, 3]})
    table = kanon.Table(frame, ["a", "b"])
    g, work = kanon.generalize(table, 2, "hill-climb", restarts=0), (6 + tables.OVERHEAD) << 4
    assert list(limits(g, table, monkeypatch, "CUT_WORK", [work, work - 1])) == [True, None]


def test_what_is_required_counts_in_a_single_column():
    table = kanon.Table(pd.DataFrame({"a": [1, 1, 2, 2], "ill": list("uuvv")}), ["a"])
    g = kanon.generalize(table, 2, "hill-climb", restarts=0, metric="DM", require=[kanon.Diversity("ill", 2)])
    assert (g.cost, agrees(table, g, 16)) == (16, True)
    assert agrees(table, kanon.generalize(table, 2, "hill-climb", restarts=0, metric="DM"), 8)


def test_boxes_are_listed_up_to_some_number(monkeypatch):
    """Three values in either column are the ends of 36 boxes."""
    frame = pd.DataFrame({"a": [1, 1, 2, 2, 3, 3], "b": [1, 2, 3, 1, 2, 3]})
    table = kanon.Table(frame, ["a", "b"])
    g = kanon.generalize(table, 2, "mondrian")
    assert list(limits(g, table, monkeypatch, "MOST_BOXES", [36, 35])) == [True, None]


def test_the_nodes_of_a_column_of_many_values_are_few():
    values = [f"{place:02}" for place in range(80)]
    tree = Tree.from_levels([(value, "*") for value in values])
    table = kanon.Table(pd.DataFrame({"a": [*values[:2] * 2, *values]}), ["a"], trees={"a": tree})
    g = kanon.generalize(table, 2, "mondrian")
    assert better_exists(table, replace(g, lower_bound=g.cost + 1)) is True


def test_a_text_is_no_list_of_values():
    """Though its letters are just the values."""
    table = kanon.Table(pd.DataFrame({"c": list("abcdabcd")}), ["c"])
    g = kanon.generalize(table, 4, "hill-climb", restarts=0, suppression_limit=0)
    content = json.loads(g.to_json())
    runs = content["details"]["fields"]["intervals"]["mapping"]
    runs["c"] = ["".join(part) for part in runs["c"]]
    assert certificate_failures(table, json.dumps(content)) == ["form of the result's details"]
