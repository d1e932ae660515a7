"""False claims that were sealed again, so that only the checks themselves can see them."""

from dataclasses import fields, replace

import numpy as np
import pytest

import kanon_engine as kanon
from tests.corruption import failed, refused

WEIGHTS = [5, 3, 1, 4, 6, 2, 9]
PATH = [(i, i + 1) for i in range(6)]
SAMPLES = {
    "tree-split": kanon.Regions(range(7), WEIGHTS, PATH),
    "kd-tree": kanon.Points([(0, 0), (1, 2), (2, 1), (3, 3), (4, 0), (4, 0), (5, 5)], WEIGHTS),
    "fold": kanon.Labels("abcdefg", WEIGHTS),
    "spread": kanon.Labels("abcdefg", WEIGHTS),
}
WITNESSES = [(), (-1,), (0, 0), (10**30,), (0.0,), ("a",), None, [0], (True,), (float("nan"),), np.array([0]), (7,)]
BOUNDS = ["k", "heaviest area", "heaviest label", "heaviest location", "average class", "locations per class", "other"]


@pytest.fixture(params=SAMPLES)
def made(request):
    instance = SAMPLES[request.param]
    g = kanon.generalize(instance, 7, request.param)
    assert g.lower_bound < g.cost
    return instance, g


def test_a_bound_on_a_solvers_word_needs_an_algorithm_with_a_solver(made):
    instance, g = made
    claims = {"bound_kind": "solver", "lower_bound": g.cost, "status": "optimal"}
    assert refused(instance, g, **claims) == "bound kind"


def test_only_a_relaxed_algorithm_may_be_relaxed(made):
    instance, g = made
    assert refused(instance, g, status="relaxed") == "status"


def test_no_bound_is_below_the_simple_one(made):
    instance, g = made
    assert refused(instance, g, bound_name="k", bound_witness=(), lower_bound=g.k) == "simple bound"


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("witness", WITNESSES, ids=str)
@pytest.mark.parametrize("name", BOUNDS)
def test_odd_witnesses_prove_nothing(made, name, witness):
    instance, g = made
    for lower_bound, status in [(g.cost, "optimal"), (g.lower_bound - 1, "feasible"), (-5, "stopped")]:
        claims = {"bound_name": name, "bound_witness": witness, "lower_bound": lower_bound, "status": status}
        assert refused(instance, g, **claims)


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    "claims",
    [{"seconds": value} for value in (float("nan"), float("inf"), -1.0, None, 3, np.float64(1))]
    + [{"options": value} for value in ({}, {"x": 1}, None, [])]
    + [{"seed": value} for value in (-1, None, 1.0, True)]
    + [{"guarantee": value} for value in (None, 10**30, float("inf"))]
    + [{"reading": value} for value in (None, [], "x")]
    + [{"family": value} for value in (None, [], "x")]
    + [{"algorithm": value} for value in (None, [], "x")]
    + [{"k": value} for value in (0, 8, None, 7.0, True, 10**30)]
    + [{"details": value} for value in (None, 5, {}, [])],
    ids=str,
)
def test_fields_of_another_form_are_caught(made, claims):
    assert refused(*made, **claims)


def test_options_of_another_algorithm_are_caught(made):
    instance, g = made
    assert refused(instance, g, options={**g.options, "other": 1}) == "options"
    assert refused(instance, g, options=dict.fromkeys(g.options, "other")) == "options"


def test_arrays_of_another_form_are_caught(made):
    instance, g = made
    for name in ("assignment", "class_weights"):
        array = getattr(g, name)
        others = [array.astype(float), array.astype(object), array.tolist(), array[:0], array.reshape(1, -1), -array]
        for other in [*others, array.astype(np.int16), np.full(len(array), np.nan), None]:
            assert refused(instance, g, **{name: other}), name


def test_details_of_another_form_are_caught(made):
    instance, g = made
    for field in fields(g.details):
        value = getattr(g.details, field.name)
        others = [None, [], -1, 10**30, float("nan"), object(), True]
        if isinstance(value, np.ndarray):
            others += [value.astype(complex), value.astype(str), value.astype(object), value.tolist(), np.array(5)]
            others += [value.astype(np.int16), value.ravel()[:-1], value + 10**6] if value.size else []
            others += [np.full(value.shape, np.nan), np.full(value.shape, np.inf)] if value.size else []
        if isinstance(value, int):
            others += [value + 1, value - 1, float(value)]
        for other in others:
            assert refused(instance, g, details=replace(g.details, **{field.name: other})), field.name


def test_nothing_may_be_left_out_where_every_item_belongs_to_a_class(made):
    instance, g = made
    lonely = np.flatnonzero(g.class_weights[g.assignment] - instance.weights >= g.k)[0]
    assignment = g.assignment.copy()
    assignment[lonely] = -1
    weights = np.bincount(g.assignment, instance.weights * (assignment >= 0)).astype(np.int64)
    assert refused(instance, g, assignment=assignment, class_weights=weights) == "partition"


HEAVY_LAST = [2, 3, 2, 3, 2, 3, 9]
LAST_BY_ITS_NEGATIVE = {
    "tree-split": (kanon.Regions(range(7), HEAVY_LAST, PATH), "heaviest area"),
    "kd-tree": (
        kanon.Points([(0, 0), (1, 2), (2, 1), (3, 3), (4, 0), (4, 0), (5, 5)], HEAVY_LAST),
        "heaviest location",
    ),
    "fold": (kanon.Labels("abcdefg", HEAVY_LAST), "heaviest label"),
}


@pytest.mark.parametrize("name", LAST_BY_ITS_NEGATIVE)
def test_a_witness_counts_from_the_front(name):
    """The last item is the heaviest, so that -1 would name what proves the bound."""
    instance, bound_name = LAST_BY_ITS_NEGATIVE[name]
    g = kanon.generalize(instance, 4, name)
    status = "optimal" if g.cost == 9 else "feasible"
    right = replace(g, bound_name=bound_name, bound_witness=(6,), lower_bound=9, status=status).sealed()
    kanon.verify(instance, right)
    assert refused(instance, right, bound_witness=(-1,)) == "bound witness"
    assert refused(instance, right, bound_witness=(7,)) == "bound witness"


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "k": [True, 7.0, np.int64(7), None, 0],
        "cost": [9.0, np.int64(9), None],
        "lower_bound": [9.0, np.int64(9), None],
        "seed": [-1, 0.0, False, None],
        "guarantee": [9.0, np.int64(9), "9"],
        "seconds": [1, -0.5, float("nan"), float("inf"), np.float64(1), None],
        "status": ["done", None],
        "bound_kind": ["sure", None],
        "bound_name": [None, 5],
        "bound_witness": [[], None, (0.0,), (True,), (np.int64(0),)],
        "options": [None, [], "given"],
        "reading": [None, [], "x"],
    }.items(),
)
def test_a_field_of_another_form_is_told_as_such(made, name, values):
    instance, g = made
    assert [refused(instance, g, **{name: value}) for value in values] == ["form"] * len(values)


@pytest.mark.parametrize("name", ["assignment", "class_weights"])
def test_an_array_of_another_form_is_told_as_such(made, name):
    instance, g = made
    array = getattr(g, name)
    others = [array.tolist(), array.astype(np.int16), array.astype(float), array.reshape(1, -1), array[0]]
    assert [refused(instance, g, **{name: other}) for other in others] == ["form"] * len(others)


def test_each_claim_is_told_by_the_check_that_fails(made):
    instance, g = made
    twice = np.concatenate([g.assignment, g.assignment[:1]])
    cases = [
        ("family", {"family": "circles"}),
        ("family", {"family": next(name for name in ("labels", "regions") if name != g.family)}),
        ("algorithm", {"algorithm": "magic"}),
        ("instance", {"instance_digest": "0" * 64}),
        ("options", {"options": g.options | {"x": 1}}),
        ("partition", {"assignment": g.assignment[:-1]}),
        ("partition", {"assignment": twice}),
        ("partition", {"assignment": g.assignment + np.int32(1)}),
        ("partition", {"class_weights": np.append(g.class_weights, 7)}),
        ("partition", {"class_weights": g.class_weights[:0], "assignment": g.assignment * 0 - 1}),
        ("class weights", {"class_weights": g.class_weights[::-1] + 1}),
        ("cost", {"cost": g.cost + 1}),
        ("cost", {"cost": g.cost - 1}),
        ("status", {"status": "optimal"}),
    ]
    assert [refused(instance, g, **claims) for _, claims in cases] == [name for name, _ in cases]
    assert failed(instance, replace(g, digest="0" * 64)) == failed(instance, replace(g, seconds=9.5)) == "digest"


def test_a_certificate_says_what_was_checked(made):
    instance, g = made
    certificate = kanon.verify(instance, g)
    assert (certificate.family, certificate.algorithm, certificate.k) == (g.family, g.algorithm, 7)
    assert (certificate.instance_digest, certificate.digest) == (instance.digest, g.digest)
    assert all(check.passed for check in certificate.checks)
    details = {check.name: check.detail for check in certificate.checks}
    assert len(details) == len(certificate.checks) - 1  # "status" is looked at twice
    assert details["partition"] == f"7 items are in {g.classes} classes, no class is empty, and no item is left out."
    assert details["class weights"] == f"the {g.classes} class weights sum to 30."
    assert details["feasibility"] == f"the smallest class weighs {g.class_weights.min()}, and k is 7."
    with pytest.raises(AttributeError):
        certificate.k = 8
    with pytest.raises(AttributeError):
        certificate.checks[0].passed = False


def test_no_bound_is_below_the_average_class():
    labels = kanon.Labels("abc", [5, 5, 5])
    g = kanon.generalize(labels, 6, "fold")
    assert (g.lower_bound, g.cost) == (15, 15)
    for bound in (6, 7):  # two classes at most, of 7.5 on average
        claim = {"bound_name": "k", "bound_witness": (), "lower_bound": bound, "status": "feasible"}
        assert refused(labels, g, **claim) == ("simple bound" if bound == 6 else "bound witness")
