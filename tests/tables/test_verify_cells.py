"""A good result with suppressed cells passes; with any field changed it is refused, also when it was sealed again."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.verification import arrays
from kanon_engine.verification.table_costs import Table, fewest_stars, joint
from tests.corruption import corrupted, failed, passes, refused, sealed, with_details
from tests.verification.proven import read

ROWS = {
    "searched": (np.random.default_rng(1).integers(0, 4, (18, 3)).tolist(), 4),
    "checked": ([list("xab"), list("zcd"), list("yab"), list("zce"), list("zce"), list("zcd")], 2),
    "few rare": ([list("ab")] * 5 + [list("ac")], 2),
}


@pytest.fixture(params=ROWS)
def result(request):
    rows, k = ROWS[request.param]
    names = [f"column {place}" for place in range(len(rows[0]))]
    table = kanon.Table(pd.DataFrame(rows, columns=names), names)
    return table, kanon.generalize(table, k, "cell-suppression")


def test_the_samples_are_of_both_kinds():
    kinds = set()
    for rows, k in ROWS.values():
        table = kanon.Table(pd.DataFrame(rows), list(range(len(rows[0]))))
        kinds.add(kanon.generalize(table, k, "cell-suppression").bound_kind)
    assert kinds == {"checked", "solver"}


def test_any_changed_field_is_refused(result):
    table, good = result
    assert passes(table, good)
    assert [field for field, bad in corrupted(good) if passes(table, bad)] == []


def test_a_changed_claim_is_refused_though_it_was_sealed_again(result):
    """All but what has no witness: how it came about and how long it took; the solver's word has a test of its own."""
    table, good = result
    free = {"seed", "seconds", "reading", "digest"} | ({"lower_bound"} if good.bound_kind == "solver" else set())
    claims = [
        (field, bad)
        for field, bad in corrupted(good)
        if field not in free and not (field == "details" and only_nodes_differ(good, bad))
    ]
    assert {field for field, _ in claims} > {"assignment", "class_weights", "cost", "guarantee", "status", "details"}
    assert [field for field, bad in claims if passes(table, sealed(bad))] == []


def only_nodes_differ(good, bad):
    return (
        bad.details is not None
        and np.array_equal(good.details.stars, bad.details.stars)
        and (good.details.suppressed == bad.details.suppressed)
        and type(bad.details.nodes) is int
    )


def test_which_check_finds_it(result):
    table, g = result
    stars = g.details.stars.copy()
    place = tuple(np.argwhere(stars)[0])
    stars[place] = False
    assert refused(table, with_details(g, stars=stars)) == "equal records"
    more = g.details.stars.copy()
    more[tuple(np.argwhere(~more)[0])] = True
    assert refused(table, with_details(g, stars=more)) == "no needless stars"
    assert refused(table, with_details(g, stars=stars.astype(np.int32))) == "form of the result's details"
    assert refused(table, with_details(g, suppressed=g.cost + 1)) == "suppressed"
    assert refused(table, with_details(g, nodes=-1)) == "form of the result's details"
    assert refused(table, replace(g, cost=g.cost + 1)) == "cost"
    assert refused(table, replace(g, guarantee=g.guarantee + 1)) == "guarantee formula"
    assert refused(table, replace(g, guarantee=None)) == "guarantee formula"
    assert refused(table, replace(g, bound_name="other")) == "bound witness"
    assert refused(table, replace(g, bound_kind="checked", bound_name="fewest stars", bound_witness=(99,))) == (
        "bound witness"
    )
    assignment = g.assignment.copy()
    assignment[0] = -1
    assert refused(table, replace(g, assignment=assignment)) in ("class weights", "partition")


def test_a_bound_above_the_cost_or_beside_the_status(result):
    table, g = result
    word = replace(g, bound_kind="solver", bound_name="exact search", bound_witness=())
    word = with_details(word, nodes=5)
    assert refused(table, replace(word, lower_bound=g.cost + 1)) == "lower bound"
    assert refused(table, replace(word, lower_bound=g.cost - 1)) == "status"
    assert refused(table, with_details(word, nodes=0)) == "bound witness"


def test_classes_that_show_the_same_are_one():
    table = kanon.Table(pd.DataFrame({"a": [1, 1, 1, 1]}), ["a"])
    g = kanon.generalize(table, 2, "cell-suppression")
    split = replace(
        g,
        assignment=np.array([0, 0, 1, 1], dtype=np.int32),
        class_weights=np.array([2, 2]),
        details=replace(g.details, stars=np.zeros((2, 1), dtype=bool)),
    )
    assert refused(table, split) == "different classes"


def test_a_shallow_bound_is_recomputed():
    """The bound may stop at fewer stars; then it is weaker, and its formula is still checked."""
    rows = np.random.default_rng(2).integers(0, 5, (25, 4)).tolist()
    table = kanon.Table(pd.DataFrame(rows), [0, 1, 2, 3])
    g = kanon.generalize(table, 4, "cell-suppression", progress=lambda report: False)
    assert (g.bound_name, g.bound_witness, g.status) == ("fewest stars", (4,), "stopped")
    assert g.lower_bound > 25
    shallow = replace(g, bound_witness=(0,), lower_bound=25)
    kanon.verify(table, shallow.sealed())
    assert refused(table, replace(shallow, lower_bound=26)) == "bound witness"


def test_details_of_another_form_are_told_as_such(result):
    table, g = result
    stars = g.details.stars
    others = [
        {"stars": stars.tolist()},
        {"stars": stars.astype(np.int32)},
        {"stars": stars[:-1]},
        {"stars": stars[:, :-1]},
        {"stars": stars.ravel()},
        {"suppressed": float(g.details.suppressed)},
        {"nodes": float(g.details.nodes)},
        {"nodes": True},
        {"suppressed": True, "nodes": True},
        {"nodes": -1},
    ]
    assert [refused(table, with_details(g, **other)) for other in others] == ["form of the result's details"] * len(
        others
    )
    assert (
        refused(table, with_details(g, stars=stars.astype(np.int8))) == "form of the result's details"
    )  # no array of a file is of this type


@pytest.mark.parametrize(
    ("claims", "right"),
    [
        ({}, True),
        ({"bound_name": "fewest stars"}, False),
        ({"bound_witness": (0,)}, False),
    ],
)
def test_a_searchs_word_has_its_form(claims, right):
    rows, k = ROWS["few rare"]
    table = kanon.Table(pd.DataFrame(rows), [0, 1])
    g = kanon.generalize(table, k, "cell-suppression")
    assert g.bound_kind == "solver"
    claim = replace(g, **claims).sealed()
    assert passes(table, claim) == right
    assert right or failed(table, claim) == "bound witness"


@pytest.mark.parametrize("witness", [(), (-1,), (4,), (3, 3)])
def test_fewest_stars_names_a_number_of_columns(witness):
    table = kanon.Table(pd.DataFrame([list("xab")] * 3 + [list("yab")] * 3), [0, 1, 2])
    g = kanon.generalize(table, 2, "cell-suppression")
    none = replace(g, bound_kind="checked", bound_name="fewest stars", bound_witness=(3,))
    assert g.cost == 0
    assert passes(table, none.sealed())
    assert refused(table, replace(none, bound_witness=witness)) == "bound witness"


def test_nobody_is_left_out():
    """Whoever is in no class would cost nothing."""
    table = kanon.Table(pd.DataFrame([list("ab")] * 4 + [list("ac")] * 2), [0, 1])
    g = kanon.generalize(table, 2, "cell-suppression")
    assert g.cost == 0
    assignment = g.assignment.copy()
    assignment[0] = -1
    weights = np.bincount(assignment[1:])
    assert refused(table, replace(g, assignment=assignment, class_weights=weights)) == "everyone in a class"


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ((), "released unchanged: nothing; the quasi-identifiers are generalized."),
        (("c",), "released unchanged: c; the quasi-identifiers are generalized."),
        (("c", "d"), "released unchanged: c, d; the quasi-identifiers are generalized."),
        (("c", "a"), None),
        (("e",), None),
    ],
)
def test_columns_that_are_kept_are_told(keep, words):
    frame = pd.DataFrame([list("abcd")] * 4, columns=list("abcd"))
    table = kanon.Table(frame, ["a", "b"])
    g = kanon.generalize(table, 2, "cell-suppression")
    claim = replace(g, reading={"keep": keep}).sealed()
    if words is None:
        assert failed(table, claim) == "kept columns"
    else:
        assert words in [check.detail for check in kanon.verify(table, claim).checks]


@pytest.mark.parametrize("k", [2, 5, 12])
def test_fewest_stars_are_those_that_trying_all_finds(k):
    rows = np.random.default_rng(k).integers(0, 3, (25, 6))
    table = kanon.Table(pd.DataFrame(rows), list(range(6)))
    kept = [list(own) for size in range(7) for own in combinations(range(6), size)]
    alike = {tuple(own): (rows[:, None, own] == rows[None, :, own]).all(axis=2).sum(axis=1) for own in kept}
    least = np.min([np.where(equals >= k, 6 - len(own), 7) for own, equals in alike.items()], axis=0)
    given = Table(read(table))
    for depth in range(7):
        fewest = fewest_stars(given.tuples, given.equal.sizes, k, depth)
        assert fewest[given.equal.number].tolist() == np.minimum(least, depth + 1).tolist()
    assert least.max() >= (3 if k == 2 else 4)


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_rows_are_alike_where_all_their_codes_are(columns):
    """Of three columns with a million codes each a product of codes would pass 63 bits."""
    rng = np.random.default_rng(columns)
    codes = rng.choice([0, 1, 1 << 19, (1 << 20) - 1, 1 << 20], (40, columns))
    known, alike = joint(map(arrays.column, codes.T.tolist()), len(codes))
    rows = [tuple(row) for row in codes.tolist()]
    assert [sorted(set(rows))[number] for number in alike.tolist()] == rows
    assert len(known) == len(set(rows))
