"""A good result with intervals passes; with any field changed it is refused, also when it was sealed again."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from tests.corruption import corrupted, failed, passes, refused, sealed
from tests.verification.proven import better_exists

CASES = [
    ("k-optimize", {"metric": "DM"}),
    ("k-optimize", {"metric": "CM", "suppression_limit": 3}),
    ("k-optimize", {"metric": "LM", "weights": {"c0": 2.5}}),
    ("k-optimize", {"metric": "AVG"}),
    ("hill-climb", {"metric": "DM", "suppression_limit": 0}),
    ("hill-climb", {"metric": "LM"}),
]


def table_of():
    rng = np.random.default_rng(3)
    columns = {f"c{j}": np.minimum(rng.geometric(0.35, 70), 6) for j in range(3)}
    for values in columns.values():
        values[:2] = 9  # two records far from all others
    frame = pd.DataFrame(columns | {"label": rng.choice(["x", "y", "z"], 70)})
    return kanon.Table(frame, list(columns), "label")


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} {case[1]['metric']}")
def result(request):
    algorithm, options = request.param
    table = table_of()
    return table, kanon.generalize(table, 4, algorithm, **options)


def test_any_changed_field_is_refused(result):
    table, good = result
    assert passes(table, good)
    assert [field for field, bad in corrupted(good) if passes(table, bad)] == []


def test_an_interval_that_is_no_group_of_the_hierarchy_is_refused():
    frame = pd.DataFrame({"c": list("abcdabcd")})
    order = kanon.Table(frame, ["c"], orders={"c": list("abcd")})
    tree = kanon.Table(frame, ["c"], trees={"c": Tree.from_levels([("a", "A"), ("b", "A"), ("c", "B"), ("d", "B")])})
    good = kanon.generalize(tree, 3, "k-optimize", suppression_limit=0)
    assert [len(part) for part in good.details.intervals["c"]] == [2, 2]
    details = replace(
        good.details, intervals={"c": (("a",), ("b", "c"), ("d",))}, cuts=np.array([[0, 1], [0, 3]], "i4")
    )
    assert "hierarchies" in failed(tree, sealed(replace(good, details=details)))
    free = kanon.generalize(order, 4, "k-optimize", suppression_limit=0)
    assert passes(order, free)


def free(good, bad):
    """Whether only fields differ that have no witness: what a search says of itself."""
    details = good.details
    loose = {"nodes", "curve"}
    return is_dataclass(bad.details) and all(
        field.name in loose or np.array_equal(getattr(details, field.name), getattr(bad.details, field.name))
        for field in fields(details)
    )


def test_a_changed_claim_is_refused_though_it_was_sealed_again(result):
    table, good = result
    loose = {"seed", "seconds", "reading", "digest"} | ({"lower_bound"} if good.bound_kind == "solver" else set())
    if good.options["metric"] in ("CM", "LM") or good.bound_kind == "solver":
        loose.add("k")  # where the classes stay the same, so do these costs and bounds
    claims = [
        (field, bad)
        for field, bad in corrupted(good)
        if field not in loose and not (field == "details" and free(good, bad))
    ]
    names = {field for field, _ in claims}
    assert names > {"assignment", "class_weights", "cost", "guarantee", "status", "details", "options"}
    assert [field for field, bad in claims if passes(table, sealed(bad))] == []


def test_the_check_that_fails_is_named():
    table = table_of()
    good = kanon.generalize(table, 4, "k-optimize")
    details = good.details
    assert len(details.cuts) > 0
    name = table.quasi_identifiers[details.cuts[0, 0]]
    parts = details.intervals[name]
    merged = (parts[0] + parts[1], *parts[2:])
    curve = details.curve.copy()
    curve[-1, 1] += 1
    changed = {
        "cuts": replace(details, intervals=details.intervals | {name: merged}),
        "intervals": replace(details, intervals=details.intervals | {name: (parts[0], *parts)}),
        "suppressed": replace(details, suppressed=details.suppressed + 1),
        "curve": replace(details, curve=curve),
    }
    assert {check: refused(table, replace(good, details=other)) for check, other in changed.items()} == {
        check: check for check in changed
    }
    without = replace(details, intervals=details.intervals | {name: merged}, cuts=np.delete(details.cuts, 0, axis=0))
    assert refused(table, replace(good, details=without)) == "assignment"
    assert refused(table, replace(good, options=good.options | {"metric": "AVG"})) == "cost"
    assert refused(table, replace(good, bound_name="another")) == "bound witness"


def test_a_limit_that_was_not_kept_is_refused():
    table = kanon.Table(pd.DataFrame({"x": [0] * 7 + [1]}), ["x"])
    good = kanon.generalize(table, 4, "k-optimize")
    assert good.details.suppressed == 1
    assert refused(table, replace(good, options=good.options | {"suppression_limit": 0})) == "suppression limit"


def test_a_search_may_not_claim_less_than_what_is_sure():
    table = table_of()
    good = kanon.generalize(table, 4, "k-optimize", metric="DM")
    assert good.bound_kind == "solver"
    curve = good.details.curve.copy()
    curve[:, 2] = np.minimum(curve[:, 2], 1)
    bad = replace(good, lower_bound=1, status="feasible", details=replace(good.details, curve=curve))
    assert refused(table, bad) == "bound witness"


CURVE = [[0, 9, -7], [2, 4, -3], [5, 4, -1], [6, 0, 0]]  # nodes; cost and bound above those of the result


@pytest.mark.parametrize(
    ("row", "column", "value", "right"),
    [
        (0, 0, 1, True),
        (0, 0, -1, False),
        (1, 0, 0, False),  # no node between two rows
        (1, 0, 6, False),
        (1, 1, 10, False),  # a cost that rises
        (2, 1, 5, False),
        (1, 1, 9, True),
        (1, 2, -8, False),  # a bound that falls
        (2, 2, -4, False),
        (1, 2, -7, True),
        (2, 2, 10**6, False),  # a bound above the cost
        (3, 0, 7, False),  # the end is not the result
        (3, 1, -1, False),
        (3, 2, 1, False),
    ],
)
def test_an_anytime_curve_goes_one_way_and_ends_at_the_result(row, column, value, right):
    table = table_of()
    good = kanon.generalize(table, 4, "k-optimize")
    curve = np.array(CURVE, dtype=np.int64)
    kanon.verify(table, replace(good, details=replace(good.details, curve=at_the_end(curve, good), nodes=6)).sealed())
    curve[row, column] = value
    claim = replace(good, details=replace(good.details, curve=at_the_end(curve, good), nodes=6)).sealed()
    if right:
        kanon.verify(table, claim)
    else:
        assert failed(table, claim) == "curve"


def at_the_end(curve, g):
    return curve + np.array([0, g.cost, g.lower_bound])


def test_a_curve_needs_a_point_and_bounds_its_cost():
    table = table_of()
    good = kanon.generalize(table, 4, "k-optimize")
    assert refused(table, with_curve(good, np.empty((0, 3)))) == "curve"
    end = [6, good.cost, good.lower_bound]
    assert refused(table, with_curve(good, [[0, good.cost, good.cost + 1], end])) == "curve"
    assert passes(table, with_curve(good, [[0, good.cost, good.lower_bound], end]).sealed())
    climbed = kanon.generalize(table, 4, "hill-climb", metric="LM", suppression_limit=0)
    assert refused(table, replace(climbed, details=replace(climbed.details, nodes=1))) == "curve"


def with_curve(g, rows):
    return replace(g, details=replace(g.details, curve=np.array(rows, dtype=np.int64).reshape(-1, 3), nodes=6))


def test_weights_of_no_column_or_without_the_loss_metric_are_refused():
    table = kanon.Table(pd.DataFrame({"a": [1, 1, 2, 2, 3, 3], "b": [1, 2, 1, 2, 1, 2]}), ["a", "b"])
    for metric, weights in (("DM", "a=2.0"), ("LM", "a=1.0, c=2.0")):
        g = kanon.generalize(table, 2, "hill-climb", metric=metric)
        assert failed(table, replace(g, options=dict(g.options) | {"weights": weights}).sealed()) == "weights"


def test_a_step_of_a_large_domain_is_a_share_of_a_million():
    """1,009 and 1,013 steps have no smaller common multiple than 1,022,117: a step costs 991, and 987."""
    frame = pd.DataFrame({"a": [0, 1009], "b": [0, 1013]})
    table = kanon.Table(frame, ["a", "b"], None, {"a": range(1010), "b": range(1014)})
    g = kanon.generalize(table, 2, "hill-climb", metric="LM", restarts=0)
    assert g.cost == 2 * (991 * 1009 + 987 * 1013)
    assert passes(table, g)


def test_more_descents_than_restarts_are_refused():
    table = kanon.Table(pd.DataFrame({"a": [1, 1, 2, 2, 3, 3], "b": [1, 2, 1, 2, 1, 2]}), ["a", "b"])
    g = kanon.generalize(table, 2, "hill-climb", restarts=3)
    curve = g.details.curve.copy()
    curve[-1, 0] = 5
    assert failed(table, replace(g, details=replace(g.details, curve=curve)).sealed()) == "curve"


def test_details_of_another_form_are_told_as_such():
    table = table_of()
    good = kanon.generalize(table, 4, "k-optimize")
    details = good.details
    name = table.quasi_identifiers[0]
    parts = details.intervals[name]
    others = [
        {"intervals": list(details.intervals.items())},
        {"intervals": details.intervals | {name: list(parts)}},
        {"intervals": details.intervals | {name: (list(parts[0]), *parts[1:])}},
        {"cuts": details.cuts.astype(np.int64)},
        {"cuts": np.column_stack([details.cuts, details.cuts[:, 0]])},
        {"curve": details.curve.astype(np.int32)},
        {"curve": np.column_stack([details.curve, details.curve[:, 0]])},
        {"suppressed": float(details.suppressed)},
        {"nodes": float(details.nodes)},
    ]
    assert [refused(table, replace(good, details=replace(details, **other))) for other in others] == (
        ["form of the result's details"] * len(others)
    )


def test_intervals_hold_the_domain_as_it_is():
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": ["x", "y", "x", "y"]})
    table = kanon.Table(frame, ["a", "b"])
    good = kanon.generalize(table, 2, "hill-climb", restarts=0)
    assert good.details.intervals == {"a": ((1,), (2,)), "b": (("x", "y"),)}
    others = [
        {"b": good.details.intervals["b"], "a": good.details.intervals["a"]},
        {"a": good.details.intervals["a"]},
        good.details.intervals | {"a": ((1,), (2.0,))},
        good.details.intervals | {"a": ((True,), (2,))},
        good.details.intervals | {"a": ((1,), (3,))},
        good.details.intervals | {"a": ((1,),)},
        good.details.intervals | {"a": ((1,), (2,), ())},
        good.details.intervals | {"a": ((1,), (2,), (3,))},
        good.details.intervals | {"a": ((2,), (1,))},
        good.details.intervals | {"b": (("x", "y"), ())},
    ]
    for other in others:
        details = replace(good.details, intervals=other)
        assert refused(table, replace(good, details=details)) == "intervals", other


@pytest.mark.parametrize(
    "word", [{"bound_witness": (0,)}, {"bound_name": "finest generalization"}, {"nodes": 0}, {"lower_bound": 0}]
)
def test_a_searchs_word_has_its_form(word):
    table = table_of()
    good = kanon.generalize(table, 4, "k-optimize")
    assert (good.bound_kind, good.bound_name) == ("solver", "search tree")
    claims = {name: value for name, value in word.items() if name != "nodes"}
    details = good.details
    if "nodes" in word:
        curve = np.array([[0, good.cost, good.lower_bound]])
        details = replace(details, nodes=0, curve=curve)
    if "lower_bound" in word:
        details = replace(details, curve=np.array([[details.nodes, good.cost, 0]]))
        claims["status"] = "feasible"
    assert refused(table, replace(good, details=details, **claims)) == "bound witness"


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("values", "limit", "looked_at"),
    [(600, None, True), (601, None, False), (500, 119, True), (500, 120, False), (500, 500, True)],
)
def test_how_much_of_a_single_column_is_looked_at(values, limit, looked_at):
    table = kanon.Table(pd.DataFrame({"a": range(values)}), ["a"])
    g = kanon.generalize(table, 5, "hill-climb", metric="DM", restarts=0, suppression_limit=0)
    claim = replace(g, options=g.options | {"suppression_limit": limit}, lower_bound=5 * values)
    assert better_exists(table, claim) is (False if looked_at else None)
