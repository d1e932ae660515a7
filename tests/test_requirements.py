"""What every class must satisfy besides k: kept by every algorithm, checked by itself, never above what is possible."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.generalize import certified
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.requirement import REQUIREMENTS
from kanon_engine.model.run import Outcome
from kanon_engine.verification import FAMILIES as VERIFIERS
from kanon_engine.verification.core import Maker
from tests.compiled import SHARE
from tests.corruption import failed, passes
from tests.oracles.regions import connected
from tests.oracles.requirements import best, best_by_cuts
from tests.regions.graphs_any import random_instance
from tests.sentences import FEWER_THAN_THE_MINIMUM, IN_TOTAL, MUST_BE_A_WHOLE_NUMBER, THERE_IS_NO_SECOND_COUNT

NAMES = {family: [entry.name for entry in kanon.algorithms(family)] for family in ("regions", "rectangles", "labels")}


def regions_with_homes(rng):
    weights, edges, k = random_instance(rng, 7)
    return kanon.Regions(range(len(weights)), weights, edges, columns={"homes": rng.integers(0, 5, len(weights))}), k


def met(instance, g, m):
    """Counted with plain Python."""
    sums = {}
    for own, value in zip(g.assignment.tolist(), instance.columns["homes"].tolist(), strict=True):
        sums[own] = sums.get(own, 0) + value
    return min(sums.values()) >= m


def check(instance, k, m, name, optimum, **options):
    """The result keeps both counts, its claims are verified, and the bound is below the optimum with the minimum."""
    g, certificate = certified(instance, k, name, require=[kanon.Minimum("homes", m)], **options)
    assert met(instance, g, m)
    assert g.class_weights.min() >= kanon.verify(instance, g).k * (g.status != "relaxed")
    assert g.lower_bound <= optimum <= g.cost or g.status == "relaxed"
    assert g.guarantee is None
    assert "requirement" in [check.name for check in certificate.checks]
    again = kanon.Generalization.from_json(g.to_json())
    assert again.require == (kanon.Minimum("homes", m),)
    assert passes(instance, again)
    harder = replace(g, require=(kanon.Minimum("homes", int(instance.columns["homes"].sum()) + 1),)).sealed()
    assert failed(instance, harder) == "requirement"
    return g


@pytest.mark.parametrize("name", NAMES["regions"])
def test_regions_against_brute_force(name):
    rng = np.random.default_rng(5)
    merged = refused = 0
    for _ in range(40 // SHARE):
        instance, k = regions_with_homes(rng)
        m = int(rng.integers(1, 8))
        edges = instance.edges.tolist()
        homes = instance.columns["homes"].tolist()
        optimum = best(instance.weights.tolist(), homes, k, m, lambda members, edges=edges: connected(members, edges))
        options = {"effort": 0.01} if name == "recombine" else {}
        if optimum is None:
            refused += 1
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(instance, k, name, require=kanon.Minimum("homes", m), **options)
            continue
        plain = kanon.generalize(instance, k, name, **options)
        g = check(instance, k, m, name, optimum, **options)
        assert np.array_equal(g.class_weights, plain.class_weights) or not met(instance, plain, m)
        merged += g.classes < plain.classes
    assert refused
    assert merged


@pytest.mark.parametrize("name", NAMES["labels"])
def test_labels_against_brute_force(name):
    rng = np.random.default_rng(7)
    merged = 0
    for turn in range(24 // SHARE):
        n = int(rng.integers(2, 8))
        names = list(range(n))
        together = [(0, n - 1)] if n > 3 and name != "ordered" and turn % 2 else ()
        homes = rng.integers(0, 4, n)
        labels = kanon.Labels(names, rng.integers(1, 6, n), together=together, columns={"homes": homes})
        k, m = int(rng.integers(1, max(2, labels.total // 2))), int(rng.integers(1, 5))
        sets = [set(members) for members in together]
        allowed = lambda members, sets=sets: all(one <= members or not one & members for one in sets)  # noqa: E731
        optimum = best(labels.counts.tolist(), homes.tolist(), k, m, allowed)
        if optimum is None:
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(labels, k, name, require=[kanon.Minimum("homes", m)])
            continue
        plain = kanon.generalize(labels, k, name)
        merged += check(labels, k, m, name, optimum).classes < plain.classes
    assert merged


def test_labels_that_are_kept_apart_stay_apart_or_the_merge_is_refused():
    rng = np.random.default_rng(8)
    outcomes = {"kept": 0, "refused": 0}
    for _ in range(40):
        homes = rng.integers(0, 3, 6)
        labels = kanon.Labels("abcdef", rng.integers(1, 6, 6), apart=[("a", "b"), ("c", "d")], columns={"homes": homes})
        k, m = int(rng.integers(1, labels.total // 3)), int(rng.integers(1, 4))
        allowed = lambda members: not ({0, 1} <= members or {2, 3} <= members)  # noqa: E731
        optimum = best(labels.counts.tolist(), homes.tolist(), k, m, allowed)
        try:
            g = kanon.generalize(labels, k, "near-optimal", require=[kanon.Minimum("homes", m)])
        except kanon.Infeasible:
            assert optimum is None
            continue
        except kanon.InvalidInput as error:
            assert "fails a requirement, and the rules that keep labels apart leave" in str(error)  # noqa: PT017
            outcomes["refused"] += 1
            continue
        outcomes["kept"] += 1
        assert optimum is not None
        assert met(labels, g, m)
        assert g.lower_bound <= optimum <= g.cost
    assert all(outcomes.values())


@pytest.mark.parametrize("name", NAMES["rectangles"])
@pytest.mark.parametrize("options", [{}, {"snap": 0.5}, {"guillotine": False}], ids=str)
def test_rectangles_against_brute_force(name, options):
    if "guillotine" in options and name != "exact":
        options = {"snap": 2.0}
    rng = np.random.default_rng(9)
    merged = 0
    for _ in range(16 // SHARE):
        n = int(rng.integers(2, 8))
        xy, homes = rng.integers(0, 5, (n, 2)), rng.integers(0, 4, n)
        points = kanon.Points(xy, rng.integers(1, 4, n), columns={"homes": homes})
        k, m = int(rng.integers(1, max(2, points.total // 2))), int(rng.integers(1, 5))
        optimum = best_by_cuts(xy.tolist(), points.weights.tolist(), homes.tolist(), k, m)
        if optimum is None:
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(points, k, name, require=[kanon.Minimum("homes", m)], **options)
            continue
        plain = kanon.generalize(points, k, name, **options)
        if "guillotine" in options:  # other tilings than those of cuts may be better
            g, _ = certified(points, k, name, require=[kanon.Minimum("homes", m)], **options)
            assert met(points, g, m)
            assert g.lower_bound <= optimum
        else:
            g = check(points, k, m, name, optimum, **options)
        *_, last = (step.state for step in teaching.steps(points, g))
        counted = [int(points.weights[inside(points, g, box)].sum()) for box in last.boxes]
        assert last.weights.tolist() == counted
        merged += g.classes < plain.classes
    assert merged


def test_a_tiling_that_no_cuts_make_stays_one_or_becomes_one_of_cuts():
    """A pinwheel of five tiles around (1, 1); a tile that fails grows until whole tiles make it a rectangle."""
    xy = [(0.5, 0), (1, 0.4), (2.5, 0.5), (2.6, 1.5), (0, 1.5), (0.4, 2.6), (1.5, 2.5), (3, 3), (1.5, 1.5)]
    for fails in range(len(xy)):
        homes = [int(place != fails) for place in range(len(xy))]
        points = kanon.Points(xy, columns={"homes": homes})
        g = kanon.generalize(points, 1, "exact", guillotine=False, require=[kanon.Minimum("homes", 1)])
        assert met(points, g, 1)
        assert g.classes < len(xy)


def test_tables_and_what_is_no_requirement_are_refused_in_a_sentence():
    table = kanon.Table(pd.DataFrame({"age": [1, 1, 2, 2]}), ["age"])
    with pytest.raises(
        kanon.InvalidInput, match=f"{THERE_IS_NO_SECOND_COUNT} 'homes' for a minimum; the second counts are: none"
    ):
        kanon.generalize(table, 2, require=[kanon.Minimum("homes", 1)])
    labels = kanon.Labels("ab", [3, 4], columns={"homes": [1, 2]})
    for require, words in [
        (
            [kanon.Minimum("beds", 1)],
            f"{THERE_IS_NO_SECOND_COUNT} 'beds' for a minimum; the second counts are: homes",
        ),
        ("homes", "give a list of Minimum or Diversity or Closeness"),
        (7, "give a list of Minimum or Diversity or Closeness"),
        ([("homes", 3)], "is not a requirement that can be checked"),
    ]:
        with pytest.raises(kanon.InvalidInput, match=words):
            kanon.generalize(labels, 3, require=require)
    for m in (0, -1, 1.5, True, None, 2**60):
        with pytest.raises(kanon.InvalidInput, match=f"{MUST_BE_A_WHOLE_NUMBER} 1"):
            kanon.Minimum("homes", m)
    with pytest.raises(kanon.Infeasible, match=f"{IN_TOTAL} 3 homes, {FEWER_THAN_THE_MINIMUM} 4"):
        kanon.generalize(labels, 3, require=[kanon.Minimum("homes", 4)])
    apart = kanon.Regions("abc", [5, 5, 5], [(0, 1)], columns={"homes": [1, 2, 2]})
    with pytest.raises(kanon.Infeasible, match=f"c borders no other area and has 2 homes, {FEWER_THAN_THE_MINIMUM} 3"):
        kanon.generalize(apart, 5, require=[kanon.Minimum("homes", 3)])


@pytest.mark.parametrize(
    "columns", [{"homes": [1]}, {"homes": [1, -1]}, {"": [1, 2]}, {"homes": 3}, [1, 2], {3: [1, 2]}]
)
def test_columns_are_checked_as_weights_are(columns):
    with pytest.raises(kanon.InvalidInput):
        kanon.Labels("ab", [3, 4], columns=columns)
    with pytest.raises(kanon.InvalidInput):
        kanon.Regions("ab", [3, 4], [(0, 1)], columns=columns)
    with pytest.raises(kanon.InvalidInput):
        kanon.Points([(0, 0), (1, 1)], columns=columns)


def test_columns_are_part_of_the_instance_and_their_absence_changes_no_digest():
    plain = kanon.Regions("ab", [3, 4], [(0, 1)])
    assert kanon.Regions("ab", [3, 4], [(0, 1)], columns=None).digest == plain.digest
    one, other = (kanon.Regions("ab", [3, 4], [(0, 1)], columns={"homes": [1, n]}) for n in (2, 3))
    assert len({plain.digest, one.digest, other.digest}) == 3


def test_a_certificate_from_before_requirements_is_read_and_verified():
    labels = kanon.Labels("abcd", [3, 2, 2, 4])
    g = kanon.generalize(labels, 5, "fold")
    content = json.loads(g.to_json())
    assert content.pop("require") == []
    old = kanon.Generalization.from_json(json.dumps(content))
    assert (old.require, old.digest) == ((), g.digest)
    assert passes(labels, old)


def test_a_requirement_cannot_be_added_or_taken_away_unseen():
    labels = kanon.Labels("abcd", [3, 2, 2, 4], columns={"homes": [1, 1, 1, 5]})
    g = kanon.generalize(labels, 5, "fold", require=[kanon.Minimum("homes", 2)])
    assert failed(labels, replace(g, require=())) in ("details", "digest")
    assert failed(labels, replace(g, require=(kanon.Minimum("homes", 1),))) == "digest"
    assert failed(labels, replace(g, require=(5,)).sealed()) == "form"
    assert failed(labels, replace(g, require=(kanon.Minimum("beds", 1),)).sealed()) == "requirement"


def test_a_result_with_a_requirement_promises_nothing_and_says_why():
    labels = kanon.Labels("abcd", [3, 2, 2, 4], columns={"homes": [1, 1, 1, 5]})
    plain, held = (kanon.generalize(labels, 5, "fold", require=require) for require in ((), kanon.Minimum("homes", 2)))
    assert FAMILIES["labels"].promised(labels, held).startswith("none: groups may have been merged")
    assert not FAMILIES["labels"].promised(labels, plain).startswith("none")


@pytest.mark.parametrize("name", NAMES["regions"])
def test_numbers_of_merged_classes_do_not_tell_the_order_of_the_file(name):
    """From the heaviest to the lightest, as without requirements."""
    edges = [(place, place + 1) for place in range(9)]
    weights = [1, 2, 1, 1, 3, 2, 1, 4, 3, 2]
    path = kanon.Regions(range(10), weights, edges, columns={"homes": [0, 1, 0, 1, 1, 0, 1, 1, 1, 0]})
    g = kanon.generalize(path, 3, name, require=kanon.Minimum("homes", 2))
    plain = kanon.generalize(path, 3, name)
    assert g.classes < plain.classes
    assert g.class_weights.tolist() == sorted(g.class_weights, reverse=True)


def inside(points, g, box):
    """The positions of the points that lie in the group whose rectangle this is."""
    (number,) = np.flatnonzero((g.details.rectangles == box).all(axis=1))
    return g.assignment == number


def test_every_requirement_has_its_check():
    checked = {name for family in VERIFIERS.values() for name in family.REQUIREMENTS}
    assert checked == {kind.__name__ for kind in REQUIREMENTS}


def test_a_sweep_holds_every_row_to_it():
    labels = kanon.Labels("abcd", [3, 2, 2, 4], columns={"homes": [1, 1, 1, 5]})
    for require in ([kanon.Minimum("homes", 2)], kanon.Minimum("homes", 2)):
        table = kanon.sweep(labels, [2, 5], ["fold"], require=require)
        assert table["classes"].tolist() == [2, 2]
    assert kanon.sweep(labels, [2], ["fold"], require=[kanon.Minimum("homes", 40)])["status"].tolist() == ["infeasible"]
    assert kanon.sweep(labels, [2, 5], ["fold"])["classes"].tolist() == [4, 2]


def test_an_algorithm_that_handles_a_requirement_is_given_it(monkeypatch):
    asked = []

    def all_in_one(labels, k, run, require=()):
        asked.append(require)
        plain = FAMILIES["labels"].algorithms["spread"].function(labels, k, run, order="given")
        return Outcome(np.zeros(len(labels), dtype=np.int32), replace_by_one(plain.details, k), None)

    def replace_by_one(details, k):
        from kanon_engine.labels.instance import BinDetails

        return BinDetails(details.order, k, "all in one")

    known = FAMILIES["labels"]
    one = Algorithm("one", "One", "", "none", "", "", handles=("Minimum",), family="labels", function=all_in_one)
    monkeypatch.setitem(FAMILIES, "labels", replace(known, algorithms=dict(known.algorithms) | {"one": one}))
    monkeypatch.setitem(known.verifier.ALGORITHMS, "one", Maker())
    labels = kanon.Labels("ab", [3, 4], columns={"homes": [1, 2]})
    required = (kanon.Minimum("homes", 2),)
    assert kanon.generalize(labels, 3, "one", require=required).details.method == "all in one"
    kanon.generalize(labels, 3, "one")
    assert asked == [required, ()]
