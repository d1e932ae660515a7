"""A table whose rows stand for several records: everything counts records, as if each had a row of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.release.made import released_of
from kanon_engine.risk.attacks.composition import composition
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.measures import measures, raw
from kanon_engine.tables.downcoding import downcoding
from kanon_engine.tables.instance import record_rows
from kanon_engine.tables.minimality import minimality
from kanon_engine.tables.plot import columns_figure, release_figure, sizes_figure
from kanon_engine.tables.release import audit, intervals_frame, released_frame, words_frame
from kanon_engine.tables.utility import utility
from kanon_engine.teaching.tables import CutState
from kanon_engine.teaching.tables.picture import step_figure
from tests.compiled import THOROUGH
from tests.corruption import failed
from tests.oracles import cells
from tests.sentences import MUST_BE_WHOLE_NUMBERS, TOO_MANY_TO_EXAMINE
from tests.tables.weighted_tables import demands, weighted_pair
from tests.verification.checked import certificate_failures

RUNS = (
    ("k-optimize", {}),
    ("k-optimize", {"suppression_limit": 3}),
    ("hill-climb", {"restarts": 3}),
    ("mondrian", {}),
    ("local-cuts", {"rounds": 20}),
    ("exact", {}),
)
METRICS = ("DM", "CM", "AVG", "LM")
SEEDS = [*range(8), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(8, 80))]


def claims(g):
    return g.cost, g.lower_bound, g.bound_name, g.bound_kind, g.guarantee, g.status, g.class_weights.tolist()


def a_k(table, seed):
    return 1 + seed % max(1, table.total // 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_algorithm_does_what_it_does_of_the_records(seed):
    weighted, people, records = weighted_pair(seed)
    require, k = demands(weighted, seed), a_k(weighted, seed)
    for name, options in RUNS:
        for metric in METRICS:
            one, other = (
                kanon.generalize(table, k, name, metric=metric, require=require, **options)
                for table in (weighted, people)
            )
            assert claims(one) == claims(other)
            assert one.assignment[records].tolist() == other.assignment.tolist()
            first, second = kanon.verify(weighted, one), kanon.verify(people, other)
            assert (first.proof, [c.name for c in first.checks]) == (second.proof, [c.name for c in second.checks])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_leaves_is_what_leaves_of_the_records(seed):
    weighted, people, _ = weighted_pair(seed)
    k = a_k(weighted, seed)
    for name, options in RUNS[1:4]:
        one, other = (kanon.generalize(table, k, name, **options) for table in (weighted, people))
        for frame in (released_frame, intervals_frame, words_frame):
            pd.testing.assert_frame_equal(frame(weighted, one), frame(people, other))
        release, same = (released_of(table, g, ["ill"]) for table, g in ((weighted, one), (people, other)))
        pd.testing.assert_frame_equal(release.frame, same.frame)
        assert (release.left_out, release.sizes.tolist()) == (same.left_out, same.sizes.tolist())
        assert measures(release) == measures(same)
        assert measures(raw(weighted, sensitive=["ill"])) == measures(raw(people, sensitive=["ill"]))
        assert audit(weighted, one, ["ill", "pay"]) == audit(people, other, ["ill", "pay"])
        before, after = utility(weighted, one), utility(people, other)
        assert (before.records, before.released, before.accuracy) == (after.records, after.released, after.accuracy)
        for part in ("columns", "numbers", "pairs"):
            pd.testing.assert_frame_equal(getattr(before, part), getattr(after, part))
        pd.testing.assert_frame_equal(before.queries.frame, after.queries.frame)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_stay_whole_where_cells_are_suppressed(seed):
    weighted, people, _ = weighted_pair(seed, 3)
    k = a_k(weighted, seed)
    g = kanon.generalize(weighted, k, "cell-suppression")
    least = cells.by_partitions([tuple(row) for row in weighted.codes.tolist()], k, weighted.weights.tolist())
    assert (g.cost, g.lower_bound, g.status) == (least, least, "optimal")
    assert g.cost <= g.guarantee
    assert kanon.verify(weighted, g).proof == "checked"
    merged = kanon.generalize(weighted, k, "cell-suppression", require=demands(weighted, seed))
    assert merged.lower_bound <= merged.cost
    # of single records more partitions are possible
    assert kanon.generalize(people, k, "cell-suppression").lower_bound <= least


@pytest.mark.parametrize("seed", SEEDS)
def test_relaxed_cuts_leave_rows_whole(seed):
    weighted, _, _ = weighted_pair(seed)
    k = a_k(weighted, seed)
    g = kanon.generalize(weighted, k, "mondrian", relaxed=True, require=demands(weighted, seed))
    assert g.class_weights.min() >= k
    alone = replace(weighted, weights=None)
    same = replace(weighted, weights=np.ones(len(weighted), dtype=int))
    one, other = (kanon.generalize(table, 2, "mondrian", relaxed=True) for table in (alone, same))
    assert claims(one) == claims(other)


def test_relaxed_cuts_go_on_either_side_of_a_heavy_row():
    table = kanon.Table(pd.DataFrame({"age": [1, 2, 3]}), ["age"], weights=[3, 5, 4])
    g = kanon.generalize(table, 4, "mondrian", relaxed=True)
    assert g.class_weights.tolist() == [8, 4]


@pytest.mark.parametrize(
    "algorithm", ["k-optimize", "hill-climb", "mondrian", "local-cuts", "exact", "cell-suppression"]
)
def test_other_weights_are_refused(algorithm):
    table, _, _ = weighted_pair(5)
    options = {} if algorithm == "cell-suppression" else {"metric": "DM"}
    g = kanon.generalize(table, 4, algorithm, **options)
    for place in range(len(table)):
        weights = table.weights.copy()
        weights[place] += 1
        other = replace(table, weights=weights)
        assert failed(other, g) == "instance"
        # a result that names the other table is refused by its figures
        assert failed(other, replace(g, instance_digest=other.digest).sealed()) == "class weights"
        own = g.assignment[place]
        hidden = algorithm != "cell-suppression" or g.details.stars[own].any()  # else it is a result of that table too
        if own >= 0 and hidden:
            sums = g.class_weights + (np.arange(g.classes) == own)
            assert failed(other, replace(g, instance_digest=other.digest, class_weights=sums).sealed())


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("algorithm", ["k-optimize", "mondrian", "exact", "cell-suppression"])
@pytest.mark.parametrize("metric", METRICS)
def test_the_check_without_the_engine_counts_records(algorithm, metric):
    for seed in range(4):
        table, _, _ = weighted_pair(seed)
        options = {} if algorithm == "cell-suppression" else {"metric": metric}
        g = kanon.generalize(table, 3, algorithm, require=demands(table, seed), **options)
        assert certificate_failures(table, g.to_json()) == []
        heavier = replace(table, weights=table.weights + (np.arange(len(table)) == 0))
        assert certificate_failures(heavier, replace(g, instance_digest=heavier.digest).sealed().to_json())


def test_a_table_of_single_records_is_the_same_with_and_without_weights():
    frame = pd.DataFrame({"age": [30, 41, 41]})
    plain, ones = kanon.Table(frame, ["age"]), kanon.Table(frame, ["age"], weights=[1, 1, 1])
    assert plain.digest == ones.digest
    assert not ones.weighted
    assert kanon.Table(frame, ["age"], weights=[1, 2, 1]).digest != plain.digest


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 2], "There are 2 weights for 3 rows"),
        ([1, 0, 2], f"{MUST_BE_WHOLE_NUMBERS} of at least 1"),
        ([1, 1.5, 2], f"{MUST_BE_WHOLE_NUMBERS} of at least 1"),
        ([1, None, 2], "is missing"),
        (5, "give a list"),
        ([1, 1, 2**31], "at most 2,147,483,647 records"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, words):
    with pytest.raises(kanon.InvalidInput, match=words):
        kanon.Table(pd.DataFrame({"age": [30, 41, 41]}), ["age"], weights=weights)


def test_too_few_records_are_infeasible():
    table = kanon.Table(pd.DataFrame({"age": [30, 41]}), ["age"], weights=[2, 3])
    assert kanon.generalize(table, 5).class_weights.tolist() == [5]
    with pytest.raises(kanon.Infeasible, match="5 records"):
        kanon.generalize(table, 6)


def test_more_records_than_can_have_a_row_each_are_generalized_and_not_released():
    ages = pd.DataFrame({"age": range(20, 90)})
    table = kanon.Table(ages, ["age"], weights=np.arange(20, 90) * 200_000)
    g = kanon.generalize(table, 50_000_000)
    assert kanon.verify(table, g).proof == "checked"
    assert int(g.class_weights.sum()) == table.total == 763_000_000
    assert kanon.audit(table, g).k_reached == int(g.class_weights.min())
    assert utility(table, g).records == minimality(table, g).of == downcoding(table, g).of == table.total
    with pytest.raises(kanon.InvalidInput, match=TOO_MANY_TO_EXAMINE):
        kanon.release(table, g)


@pytest.mark.parametrize("algorithm", ["local-cuts", "exact"])
def test_memory_does_not_grow_with_the_records_of_a_row(algorithm):
    """There was room for a set for every k records: 91 GB for these."""
    frame = pd.DataFrame({"a": [0, 1, 2, 3, 0], "b": [0, 1, 2, 0, 1]})
    table = kanon.Table(frame, ["a", "b"], weights=[380_000_000] * 5)
    g = kanon.generalize(table, 1, algorithm)
    assert kanon.verify(table, g)
    assert g.classes == 5


def test_own_records_are_not_placed_by_counted_rows():
    frame = pd.DataFrame({"age": [30, 41], "ill": ["flu", "gout"]})
    table = kanon.Table(frame, ["age"], weights=[2, 3])
    with pytest.raises(kanon.InvalidInput, match="represents several records"):
        kanon.apply(table, kanon.generalize(table, 2), frame)


def test_the_result_of_the_records_is_certified_by_itself():
    for seed in range(6):
        weighted, people, _ = weighted_pair(seed)
        for algorithm in ("k-optimize", "local-cuts"):
            g, rows = kanon.generalize(weighted, 3, algorithm), record_rows(weighted)
            own = replace(g, assignment=g.assignment[rows], instance_digest=people.digest).sealed()
            assert replace(weighted, frame=weighted.frame.iloc[rows], weights=None).digest == people.digest
            assert kanon.verify(people, own).checks


def test_a_certificate_is_written_and_read_again():
    table, _, _ = weighted_pair(3)
    g = kanon.generalize(table, 3)
    assert kanon.verify(table, kanon.Generalization.from_json(g.to_json())).proof == "checked"


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("algorithm", "options"), [*dict(RUNS).items(), ("mondrian", {"relaxed": True}), ("cell-suppression", {})]
)
def test_steps_and_pictures_count_records(algorithm, options):
    for seed in range(3 if THOROUGH else 1):
        weighted, people, _ = weighted_pair(seed)
        g, other = (kanon.generalize(table, 3, algorithm, **options) for table in (weighted, people))
        steps = list(teaching.steps(weighted, g))
        assert np.array_equal(steps[-1].state.assignment, g.assignment)
        if algorithm not in ("cell-suppression", "local-cuts") and not options.get("relaxed"):
            assert [step.text for step in steps] == [step.text for step in teaching.steps(people, other)]
        if isinstance(steps[-1].state, CutState):
            assert steps[-1].state.suppressed == g.details.suppressed
        for step in steps:
            for part in getattr(step.state, "parts", ()):
                assert part.size == weighted.weights[part.records].sum()
            assert step_figure(weighted, g, step).data
        for step in steps:
            assert step.inequality is None or step.inequality.holds
        if algorithm != "cell-suppression" and not options.get("relaxed"):
            for figure in (columns_figure, release_figure, sizes_figure):
                assert figure(weighted, g).to_json() == figure(people, other).to_json()


@pytest.mark.parametrize("seed", range(6))
def test_releases_together_and_attacks_tell_what_they_tell_of_the_records(seed):
    weighted, people, _ = weighted_pair(seed)
    results = [
        [kanon.generalize(table, k, name) for name, k in (("mondrian", 3), ("k-optimize", 4))]
        for table in (weighted, people)
    ]
    one, other = (kanon.intersect(table, *own) for table, own in zip((weighted, people), results, strict=True))
    assert (one.sentence, one.exposed, one.single) == (other.sentence, other.exposed, other.single)
    for attack in (downcoding, minimality):
        first, second = (attack(table, own[0]) for table, own in zip((weighted, people), results, strict=True))
        assert (first.verdict, first.found, first.of) == (second.verdict, second.found, second.of)
        assert first.sentence == second.sentence
        pd.testing.assert_frame_equal(first.evidence, second.evidence)
    told = [
        composition(
            released_of(table, own[0], ["ill"]), Knowledge(None, table, own[0], other_results=((table, own[1]),))
        )
        for table, own in zip((weighted, people), results, strict=True)
    ]
    assert told[0].sentence == told[1].sentence
    pd.testing.assert_frame_equal(told[0].evidence, told[1].evidence)
