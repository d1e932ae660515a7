"""A good result passes; with any field changed it is refused, also when it was sealed again."""

from dataclasses import fields, replace

import numpy as np
import pytest

import kanon_engine as kanon
from tests.corruption import failed, with_details
from tests.verification.proven import proven

COUNTS = [5, 6, 5, 5, 12, 1, 3, 1]


@pytest.fixture(params=[("fold", "given"), ("spread", "given"), ("spread", "random"), ("fold", "sorted")])
def result(request):
    name, order = request.param
    labels = kanon.Labels([f"label {place}" for place in range(len(COUNTS))], COUNTS)
    return labels, kanon.generalize(labels, 10, name, seed=4, order=order)


def swapped(array, first, second):
    array = array.copy()
    array[[first, second]] = array[[second, first]]
    return array


CORRUPTIONS = {
    "family": lambda g: replace(g, family="regions"),
    "unknown algorithm": lambda g: replace(g, algorithm="magic"),
    "k lower": lambda g: replace(g, k=g.k - 1),
    "k higher": lambda g: replace(g, k=g.k + 1),
    "assignment": lambda g: replace(g, assignment=(g.assignment + 1) % g.classes),
    "class weights": lambda g: replace(g, class_weights=g.class_weights + np.eye(1, g.classes, dtype=np.int64)[0]),
    "cost": lambda g: replace(g, cost=g.cost - 1),
    "lower bound up": lambda g: replace(g, lower_bound=g.lower_bound + 1),
    "lower bound down": lambda g: replace(g, lower_bound=g.lower_bound - 1),
    "bound name": lambda g: replace(g, bound_name="k" if g.bound_name != "k" else "average class"),
    "unknown bound": lambda g: replace(g, bound_name="a hunch"),
    "bound witness": lambda g: replace(g, bound_witness=(7,)),
    "no bound witness": lambda g: replace(g, bound_witness=()),
    "guarantee": lambda g: replace(g, guarantee=g.guarantee + 1),
    "no guarantee": lambda g: replace(g, guarantee=None),
    "status": lambda g: replace(g, status="optimal" if g.status != "optimal" else "feasible"),
    "instance digest": lambda g: replace(g, instance_digest="0" * 64),
    "order option": lambda g: replace(g, options={"order": "sorted" if g.options["order"] == "given" else "given"}),
    "no order option": lambda g: replace(g, options={}),
    "unknown order": lambda g: replace(g, options={"order": "by moonlight"}),
    "no details": lambda g: replace(g, details=None),
    "order": lambda g: with_details(g, order=swapped(g.details.order, 1, 2)),
    "order of leftovers": lambda g: with_details(g, order=swapped(g.details.order, -1, -2)),
    "order cut short": lambda g: with_details(g, order=g.details.order[:-1]),
    "alone": lambda g: with_details(g, alone=g.details.alone - 1),
    "more alone": lambda g: with_details(g, alone=g.details.alone + 1),
    "placed": lambda g: with_details(g, placed=g.details.placed - 1),
    "more placed": lambda g: with_details(g, placed=g.details.placed + 1),
    "leftover classes": lambda g: with_details(g, leftover_classes=(g.details.leftover_classes + 1) % g.classes),
    "threshold": lambda g: with_details(g, threshold=g.k - 1),
}


def test_good_results_pass_and_read_back(result):
    labels, g = result
    names = {check.name for check in kanon.verify(labels, g).checks}
    assert {"packing order", "heavy labels", "next fit", "leftover rule", "guarantee formula", "bound witness"} <= names
    again = kanon.Generalization.from_json(g.to_json())
    assert again.digest == again.content_digest() == g.digest
    kanon.verify(labels, again)


@pytest.mark.parametrize("seal", [False, True], ids=["as it is", "sealed again"])
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corrupted_results_are_refused(result, name, seal):
    labels, g = result
    bad = CORRUPTIONS[name](g)
    with pytest.raises(kanon.CertificateError):
        kanon.verify(labels, bad.sealed() if seal else bad)


def test_every_field_is_covered_by_the_digest(result):
    labels, g = result
    others = {"seed": 99, "seconds": g.seconds + 1, "reading": {"reader": "another"}, "options": g.options | {"x": 1}}
    for name, value in others.items():
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, replace(g, **{name: value}))
    assert set(others) <= {entry.name for entry in fields(g)}


@pytest.mark.parametrize(("name", "other"), [("fold", "spread"), ("spread", "fold")])
def test_the_result_of_the_other_algorithm_is_refused(name, other):
    labels = kanon.Labels(range(len(COUNTS)), COUNTS)
    g = kanon.generalize(labels, 10, name)
    with pytest.raises(kanon.CertificateError, match="leftover rule"):
        kanon.verify(labels, replace(g, algorithm=other).sealed())


def test_a_seed_that_gives_another_order_is_refused_even_when_sealed():
    labels = kanon.Labels(range(len(COUNTS)), COUNTS)
    g = kanon.generalize(labels, 10, "spread", order="random", seed=4)
    with pytest.raises(kanon.CertificateError, match="packing order"):
        kanon.verify(labels, replace(g, seed=5).sealed())


def test_a_leftover_in_another_bin_is_refused():
    """Class weights, cost and digest are all made to fit; only the rule of the algorithm is broken."""
    labels = kanon.Labels("abcde", [6, 5, 5, 5, 3])
    g = kanon.generalize(labels, 10, "fold")
    assert g.class_weights.tolist() == [11, 13]
    assignment = np.array([0, 0, 1, 1, 0], dtype=np.int32)
    bad = replace(
        with_details(g, leftover_classes=np.array([0], dtype=np.int32)),
        assignment=assignment,
        class_weights=np.array([14, 10]),
        cost=14,
        status="feasible",
    )
    with pytest.raises(kanon.CertificateError, match="leftover rule"):
        kanon.verify(labels, bad.sealed())


@pytest.mark.parametrize(
    ("bins", "placed", "right"),
    [
        ([[0, 1, 2], [3, 4, 5]], 6, True),
        ([[0, 1, 2, 3], [4, 5]], 6, False),  # the first bin held 10 before its last label
        ([[0, 1, 2, 3, 4], [5]], 6, False),  # and the second does not reach 10
    ],
)
def test_a_bin_is_left_as_soon_as_it_holds_k(bins, placed, right):
    labels = kanon.Labels("abcdef", [5, 4, 2, 1, 4, 6])
    g = kanon.generalize(labels, 10, "fold")
    assert g.assignment.tolist() == [0, 0, 0, 1, 1, 1]
    assignment = np.repeat(np.arange(len(bins)), [len(own) for own in bins]).astype(np.int32)
    weights = np.bincount(assignment, labels.weights).astype(np.int64)
    status = "optimal" if weights.max() == g.lower_bound else "feasible"
    claim = replace(g, assignment=assignment, class_weights=weights, cost=int(weights.max()), status=status).sealed()
    if right:
        kanon.verify(labels, claim)
    else:
        with pytest.raises(kanon.CertificateError, match="next fit" if weights.min() >= 10 else "feasibility"):
            kanon.verify(labels, claim)


WITNESSED = [4, 9, 5, 5, 7, 8]


@pytest.mark.parametrize(
    ("name", "good", "value"),
    [
        ("heaviest label", (1,), 9),
        ("heaviest label", (5,), 8),
        ("class of a label", (4,), 11),  # 7 + 4
        ("class of a label", (5,), 12),  # 8 + 4
        ("average class", (0, 6), 13),  # 38 / 3
        ("crowded class", (4, 0, 6), 12),  # of four labels two share one of three classes
        ("sum of labels", (0, 6), 13),
    ],
)
def test_what_a_witness_proves_and_what_it_may_be(name, good, value):
    labels = kanon.Labels("abcdef", WITNESSED)
    assert proven(labels, 11, name, good) == value
    for place in range(len(good)):
        for other in (-1, -6, 7, 6.0, True, None):
            bad = (*good[:place], other, *good[place + 1 :])
            assert proven(labels, 11, name, bad) is None, bad
    for bad in ((), good[:-1], (*good, 0), (*good, -1)):
        assert proven(labels, 11, name, bad) is None, bad
    assert proven(labels, 11, name + "s", good) is None


def test_one_heavy_label_is_needed_where_the_others_lack_a_single_unit():
    """The two of 1 reach 2 of 3: every class takes a label from the heavy ones, and there is one."""
    assert proven(kanon.Labels("abc", [10, 1, 1]), 3, "average class", (0, 1)) == 12


def told(labels, g, **changes):
    """The check that refuses a result with other details."""
    return failed(labels, with_details(g, **changes).sealed())


def test_details_of_next_fit_are_told_by_the_check_that_fails():
    labels = kanon.Labels("abcdefgh", COUNTS)
    g = kanon.generalize(labels, 10, "spread")
    details = g.details
    assert (details.order.tolist(), details.alone, details.placed) == ([4, 0, 1, 2, 3, 5, 6, 7], 1, 5)
    assert (g.assignment[details.order].tolist(), details.leftover_classes.tolist()) == (
        [0, 1, 1, 2, 2, 2, 1, 2],
        [2, 1, 2],
    )
    cases = [
        ("form of the result's details", {"alone": 1.0}),
        ("form of the result's details", {"alone": True}),
        ("form of the result's details", {"placed": np.int64(5)}),
        ("form of the result's details", {"threshold": 10.0}),
        ("threshold", {"threshold": 9}),
        ("form of the result's details", {"order": details.order.astype(np.int64)}),
        ("packing order", {"order": swapped(details.order, 1, 2)}),
        ("packing order", {"order": details.order[:-1]}),
        ("heavy labels", {"alone": 0}),
        ("heavy labels", {"alone": 2}),
        ("next fit", {"placed": 4}),
        ("next fit", {"placed": 6}),
        ("next fit", {"placed": 9}),
        ("next fit", {"placed": 0}),
        ("form of the result's details", {"leftover_classes": details.leftover_classes.astype(np.int64)}),
        ("leftover classes", {"leftover_classes": swapped(details.leftover_classes, 0, 1)}),
        ("leftover classes", {"leftover_classes": details.leftover_classes[:-1]}),
    ]
    assert [told(labels, g, **changes) for _, changes in cases] == [check for check, _ in cases]
    assert failed(labels, replace(g, details=None).sealed()) == "details"


def test_details_of_bins_are_told_by_the_check_that_fails():
    labels = kanon.Labels("abcdefgh", COUNTS)
    g = kanon.generalize(labels, 10, "near-optimal")
    order = g.details.order
    cases = [
        ("form of the result's details", {"threshold": 10.0}),
        ("method", {"method": ""}),
        ("method", {"method": "  "}),
        ("form of the result's details", {"method": None}),
        ("threshold", {"threshold": 9}),
        ("form of the result's details", {"order": order.astype(np.int64)}),
        ("form of the result's details", {"order": order.astype(np.int16)}),
        ("packing order", {"order": order[:-1]}),
        ("packing order", {"order": np.append(order, np.int32(0))}),
        ("packing order", {"order": np.append(order[:-1], order[:1])}),
        ("order of bins", {"order": np.argsort(-g.assignment).astype(np.int32)}),
    ]
    assert [told(labels, g, **changes) for _, changes in cases] == [check for check, _ in cases]
    assert failed(labels, replace(g, guarantee=None).sealed()) == "guarantee formula"
    assert failed(labels, replace(g, details=None).sealed()) == "details"


def test_a_packing_that_breaks_a_rule_is_told_by_the_rule():
    names, counts = list("abcdef"), [5, 5, 5, 5, 5, 5]
    g = kanon.generalize(kanon.Labels(names, counts), 10, "near-optimal")
    mates = [[name for name, own in zip(names, g.assignment, strict=True) if own == number] for number in range(3)]
    apart = kanon.Labels(names, counts, apart=[mates[1]])
    assert failed(apart, replace(g, instance_digest=apart.digest).sealed()) == "apart"
    together = kanon.Labels(names, counts, together=[(mates[0][0], mates[1][0])])
    assert failed(together, replace(g, instance_digest=together.digest).sealed()) == "together"
    kept = kanon.Labels(names, counts, apart=[(mates[0][0], mates[1][0])])
    assert failed(kept, replace(g, instance_digest=kept.digest).sealed()) == "guarantee formula"  # none with this rule
    kanon.verify(kept, replace(g, instance_digest=kept.digest, guarantee=None).sealed())
