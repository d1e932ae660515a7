"""Composition against brute force: what each shared person is left with."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.release.cells import fits
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.composition import composition
from kanon_engine.risk.attacks.knowledge import Knowledge


def people(rng, n):
    return pd.DataFrame(
        {
            "who": [f"person {at}" for at in range(n)],
            "age": rng.integers(20, 60, n),
            "sex": rng.choice(["f", "m"], n),
            "ill": rng.choice(["flu", "cold", "gout"], n),
        }
    )


@pytest.mark.parametrize("seed", range(20))
def test_results_leave_a_person_with_those_who_share_all_groups(seed):
    rng = np.random.default_rng(seed)
    everybody = people(rng, 40)
    order = rng.permutation(40)
    frames = [everybody.iloc[order[:28]], everybody.iloc[order[12:]]]
    k = int(rng.integers(2, 6))
    tables = [kanon.Table(frame, ["age", "sex"]) for frame in frames]
    results = [kanon.generalize(table, k, "mondrian") for table in tables]
    released = released_of(tables[0], results[0], ["ill"], ["ill"])
    knows = Knowledge(instance=tables[0], result=results[0], other_results=((tables[1], results[1]),), person="who")
    found = composition(released, knows)

    groups = [
        dict(zip(frame["who"], g.assignment.tolist(), strict=True)) for frame, g in zip(frames, results, strict=True)
    ]
    values = []
    for frame, g in zip(frames, results, strict=True):
        ills = frame["ill"].to_numpy()
        values.append({group: set(ills[g.assignment == group]) for group in range(g.classes)})
    shared = set(groups[0]) & set(groups[1])
    exposed = {}
    for who in shared:
        own = groups[0][who], groups[1][who]
        count = sum((groups[0][other], groups[1][other]) == own for other in shared)
        sets = [values[0][own[0]], values[1][own[1]]]
        both = sets[0] & sets[1]
        new = both.copy().pop() if len(both) == 1 and all(len(one) > 1 for one in sets) else None
        if count < k or new is not None:
            exposed[who] = (count, new)
    assert found.of == len(shared) == 16
    assert {person: (left, value) for person, left, value in found.evidence.to_numpy().tolist()} == exposed
    assert found.verdict == ("does not survive" if exposed else "survives")


@pytest.mark.parametrize("seed", range(40))
def test_releases_leave_a_person_with_records_that_are_possible_in_all(seed):
    rng = np.random.default_rng(seed)
    releases = []
    for words in (["≤ 39", "≥ 40"], ["≤ 29", "30–49", "≥ 50", "≥ 45"]):
        n = int(rng.integers(3, 14))
        shown = {"age": rng.choice(words, n), "ill": rng.choice(list("abcdef"), n), "job": rng.choice(["x", "y"], n)}
        releases.append(Released(pd.DataFrame(shown), ("age",), ("ill",), k=2))
    known = pd.DataFrame({"name": [f"p{at}" for at in range(6)], "age": rng.integers(20, 60, 6)})
    found = composition(releases[0], Knowledge(known, others=(releases[1],)))
    exposed = {}
    for at, name in enumerate(known["name"]):
        own = []
        for one in releases:
            inside = fits(one.frame["age"], known["age"]).pairs()[at]
            own.append([(row.ill, row.job) for row in one.frame[inside].itertuples()])
        both = set(own[0]) & set(own[1])
        left = min(sum(pair in both for pair in rows) for rows in own)
        ills = {pair[0] for pair in both}
        alone = [len({pair[0] for pair in rows}) == 1 for rows in own]
        new = ills.pop() if len(ills) == 1 and not any(alone) else None
        if (0 < left < 2 <= min(map(len, own))) or new is not None:
            exposed[name] = (left, new)
    assert {person: (left, value) for person, left, value in found.evidence.to_numpy().tolist()} == exposed


def test_people_of_different_tables_need_a_column_that_tells_them_apart():
    rng = np.random.default_rng(1)
    tables = [kanon.Table(people(rng, 12), ["age"]) for _ in range(2)]
    results = [kanon.generalize(table, 3, "mondrian") for table in tables]
    released = released_of(tables[0], results[0], [])
    others = ((tables[1], results[1]),)
    knows = Knowledge(instance=tables[0], result=results[0], other_results=others)
    assert "name the column" in composition(released, knows).sentence
    with pytest.raises(InvalidInput, match="has a value twice"):
        composition(released, Knowledge(instance=tables[0], result=results[0], other_results=others, person="sex"))


def test_the_same_table_needs_no_such_column_and_the_same_result_tells_no_more():
    table = kanon.Table(people(np.random.default_rng(1), 30), ["age", "sex"])
    one, two = kanon.generalize(table, 3, "mondrian"), kanon.generalize(table, 4, "k-optimize")
    released = released_of(table, one, [])
    same = composition(released, Knowledge(instance=table, result=one, other_results=((table, one),)))
    assert (same.verdict, same.found, same.of) == ("survives", 0, 30)
    other = composition(released, Knowledge(instance=table, result=one, other_results=((table, two),)))
    light = kanon.intersect(table, one, two).cells.query("exposed")["weight"].sum()
    assert other.found == light > 0


def test_one_release_groups_of_areas_and_unknown_people_are_not_run():
    released = Released(pd.DataFrame({"age": ["≤ 39"], "ill": ["flu"]}), ("age",), ("ill",), k=1)
    assert composition(released, Knowledge()).verdict == "not run"
    assert "list of people" in composition(released, Knowledge(others=(released,))).sentence
    bare = Released(pd.DataFrame({"age": ["≤ 39"]}), ("age",), k=1)
    assert "no column in common" in composition(bare, Knowledge(others=(bare,))).sentence
    areas = kanon.Regions(list("abc"), [4, 3, 5], [(0, 1), (1, 2)])
    g = kanon.generalize(areas, 5, "tree-split")
    told = composition(released_of(areas, g), Knowledge(instance=areas, result=g, other_results=((areas, g),)))
    assert "told by differencing" in told.sentence
