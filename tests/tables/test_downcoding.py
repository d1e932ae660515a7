"""Downcoding: what is claimed is true, what follows on small tables is found, and loose releases survive."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES
from kanon_engine.release.made import released_of
from kanon_engine.risk.attacks import attack
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.tables import downcoding as fewest
from kanon_engine.tables.cuts import details_of
from kanon_engine.tables.downcoding import downcoding, tight
from tests.oracles import downcoding as oracle
from tests.sentences import MADE_FROM_DIFFERENT_DATA


def small(seed, records=(4, 7)):
    """A table of a few records, with every value of its domains known."""
    rng = np.random.default_rng(seed)
    sizes = [int(size) for size in rng.integers(2, 4, int(rng.integers(1, 3)))]
    rows = np.column_stack([rng.integers(0, size, int(rng.integers(*records))) for size in sizes][:1])
    rows = np.column_stack([rng.integers(0, size, len(rows)) for size in sizes])
    names = [f"c{place}" for place in range(len(sizes))]
    orders = {name: list(range(size)) for name, size in zip(names, sizes, strict=True)}
    return kanon.Table(pd.DataFrame(rows, columns=names), names, orders=orders), sizes


@pytest.mark.parametrize("seed", range(60))
def test_all_that_follows_on_small_tables_is_found(seed):
    table, sizes = small(seed, (4, 6))
    g = kanon.generalize(table, 2, "cell-suppression")
    assert g.status == "optimal"
    rows = np.where(g.details.stars[g.assignment], oracle.STAR, table.codes)
    release = tuple(sorted(map(tuple, rows.tolist())))
    expected = oracle.certain(release, sizes, 2)
    assert fewest.fits(table, g)
    found, _ = fewest.certain(table, g)
    shown = {group: tuple(rows[g.assignment == group][0].tolist()) for group in range(g.classes)}
    assert {(shown[one.group], one.column, one.low): one.records for one in found} == expected
    attacked = downcoding(table, g)
    assert (attacked.verdict == BROKEN) == bool(expected)
    assert (attacked.evidence.empty) or (attacked.evidence["actual records"] >= attacked.evidence["records"]).all()


@pytest.mark.parametrize("seed", range(60))
def test_what_tightness_tells_is_part_of_what_follows(seed):
    table, _ = small(500 + seed)
    g = kanon.generalize(table, 2, "cell-suppression")
    if g.status == "optimal" and fewest.fits(table, g):
        more = {(one.group, one.column, one.low): one.records for one in fewest.certain(table, g)[0]}
        assert all(more.get((one.group, one.column, one.low), 0) >= one.records for one in tight(table, g))


CITIES = kanon.Tree.from_levels(
    [
        ("Paris", "France", "Europe"),
        ("Lyon", "France", "Europe"),
        ("Rome", "Italy", "Europe"),
        ("Lima", "Peru", "Andes"),
        ("Quito", "Ecuador", "Andes"),
    ]
)


def people(seed, count=60):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "city": rng.choice(list(CITIES.values), count),
            "sex": rng.choice(["f", "m"], count),
            "age": rng.integers(18, 90, count),
            "size": rng.choice(["S", "M", "L", "XL"], count),
        }
    )
    return kanon.Table(frame, list(frame.columns), orders={"size": ["S", "M", "L", "XL"]}, trees={"city": CITIES})


@pytest.mark.thorough(one_in=8)
@pytest.mark.parametrize("algorithm", ["cell-suppression", "mondrian"])
@pytest.mark.parametrize("seed", range(100))
def test_planted_values_are_found_and_all_that_is_claimed_is_true(seed, algorithm):
    """Of every class with a star or a node over two, or a wide range, some value is certain; and it is there."""
    table = people(seed, 15)
    g = kanon.generalize(table, 3, algorithm)
    found = downcoding(table, g)
    assert (found.evidence["actual records"] >= found.evidence["records"]).all()
    assert (found.evidence["records"] == 1).all()
    details = g.details
    hidden = details.stars[:, 1] if algorithm == "cell-suppression" else details.low[:, 1] < details.high[:, 1]
    of_sex = found.evidence[found.evidence["column"] == "sex"]
    assert sorted(of_sex["group"].unique() - 1) == np.flatnonzero(hidden).tolist()
    assert set(of_sex["certain"]) <= {"f", "m"}
    assert found.verdict == (BROKEN if found.found else SURVIVES)
    assert found.verdict == BROKEN


def test_cuts_that_are_the_same_everywhere_tell_of_intervals_that_one_group_shows():
    verdicts = set()
    for seed in range(100):
        table = people(seed, 25)
        g = kanon.generalize(table, 3 + seed % 8, "hill-climb", restarts=1)
        found = downcoding(table, g)
        assert found.verdict == (BROKEN if found.found else SURVIVES)
        verdicts.add(found.verdict)
        if found.verdict == BROKEN:
            assert (found.evidence["actual records"] >= found.evidence["records"]).all()
            assert set(found.evidence["column"]) <= {"city", "sex"}
    assert verdicts == {BROKEN, SURVIVES}


def test_a_result_without_the_cuts_that_part_no_group_is_not_accused():
    """Nobody knows of such a result that a group has both ends of an interval."""
    table = kanon.Table(pd.DataFrame({"zip": list("aabb"), "town": list("xxyy")}), ["zip", "town"])
    g = kanon.generalize(table, 2, "hill-climb", metric="DM")
    heads = np.array([True, False])
    loose = details_of(table, heads, 0, 0, g.details.curve.tolist())
    assert loose.intervals["town"] == (("x", "y"),)
    older = replace(g, details=loose).sealed()
    kanon.verify(table, older)
    assert downcoding(table, older).verdict == SURVIVES


def test_stars_over_three_values_tell_nothing_alone():
    """Which two or three of its three values the hidden column has stays open."""
    table = kanon.Table(pd.DataFrame({"a": [0, 1, 2], "b": [0, 0, 0]}), ["a", "b"])
    g = kanon.generalize(table, 3, "cell-suppression")
    assert g.details.stars.tolist() == [[True, False]]
    assert downcoding(table, g).verdict == SURVIVES


def test_fewest_stars_tell_more_than_tight_groups():
    """Rows (0, 0), (0, 0) are released as they are; two others differ in both columns of two values."""
    table = kanon.Table(pd.DataFrame({"a": [0, 0, 0, 1], "b": [0, 0, 1, 0]}), ["a", "b"])
    found = downcoding(table, kanon.generalize(table, 2, "cell-suppression"))
    assert found.verdict == BROKEN
    assert found.figures["examined"].startswith("all tables")


def test_other_families_have_no_hierarchies():
    labels = kanon.Labels("abc", [5, 4, 1])
    g = kanon.generalize(labels, 5, "fold")
    found = attack(released_of(labels, g), Knowledge(instance=labels, result=g), only=["minimality", "downcoding"])
    assert [one.verdict for one in found] == [NOT_RUN, NOT_RUN]
    assert "no sensitive values" in found[0].sentence
    table = people(0)
    with pytest.raises(kanon.InvalidInput, match=MADE_FROM_DIFFERENT_DATA):
        downcoding(people(1), kanon.generalize(table, 3, "mondrian"))


@pytest.mark.thorough
def test_adult():
    frame = pd.read_parquet("sample_data/adult_2000.parquet")
    table = kanon.Table(frame, ["age", "sex", "race", "education"])
    found = downcoding(table, kanon.generalize(table, 5, "mondrian"))
    assert found.verdict == BROKEN
    assert (found.evidence["actual records"] >= found.evidence["records"]).all()
