"""Composition against brute force: what each shared person is left with."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure.cells import fits
from kanon_engine.errors import InvalidInput
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.composition import composition
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from tests import compiled
from tests.risk.attacks.test_joint_belief import plain


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
    ills = []
    for frame, g in zip(frames, results, strict=True):
        values = frame["ill"].to_numpy()
        ills.append({group: values[g.assignment == group].tolist() for group in range(g.classes)})
    shared = set(groups[0]) & set(groups[1])
    everybody = [value for own in ills for group in own.values() for value in group]
    exposed = {}
    for who in shared:
        own = groups[0][who], groups[1][who]
        count = sum((groups[0][other], groups[1][other]) == own for other in shared)
        new, likely = told_together([ills[0][own[0]], ills[1][own[1]]], everybody, count)
        if count < k or new is not None or likely is not None:
            exposed[who] = (count, new, likely)
    assert len(shared) == 16
    came = found.evidence["person"].str.contains("only")
    assert (found.of, found.found) == (16 + left_of(found, came), len(exposed) + left_of(found, came))
    assert told(found.evidence[~came]) == exposed
    assert found.verdict == ("does not survive" if found.found else "survives")


def left_of(found, rows):
    return int(found.evidence["left"][rows].sum())


def told(evidence):
    """Person → what they are left with, the value that is certain, and the one that is likely."""
    cells = evidence.reindex(columns=["person", "left", "certain ill", "likely ill"]).astype(object)
    return {row[0]: tuple(row[1:]) for row in cells.where(cells.notna(), None).to_numpy().tolist()}


def told_together(groups, everybody, shared):
    """What is certain in all groups and in none alone; else what is likely so, by all ways in which it can be."""
    both = set(groups[0]) & set(groups[1])
    if len(both) == 1:
        return (both.pop() if all(len(set(one)) > 1 for one in groups) else None), None
    values = sorted(set(everybody))
    counts = [[one.count(value) for value in values] for one in groups]
    prior = [everybody.count(value) / len(everybody) for value in values]
    beliefs = plain(counts, list(map(len, groups)), prior, shared)
    best = max(range(len(values)), key=beliefs.__getitem__)
    alone = max(row[best] / sum(row) for row in counts)
    return None, f"{values[best]} ({beliefs[best]:.3g})" if beliefs[best] > 0.9 >= alone else None


@pytest.mark.parametrize("seed", range(40))
def test_releases_leave_a_person_with_records_that_are_possible_in_all(seed):
    rng = np.random.default_rng(seed)
    releases = []
    for words in (["≤ 39", "≥ 40"], ["≤ 29", "30–49", "≥ 50", "≥ 45"]):
        n = int(rng.integers(3, 14))
        shown = {"age": rng.choice(words, n), "ill": rng.choice(list("abcdef"), n), "job": rng.choice(["x", "y"], n)}
        releases.append(Released(pd.DataFrame(shown), ("age",), ("ill",), k=2))
    known = pd.DataFrame({"name": [f"p{at}" for at in range(6)], "age": rng.integers(20, 60, 6)})
    found = composition(releases[0], Knowledge(known, others=(releases[1],), limits=Limits(belief=1)))
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
    assert {person: one[:2] for person, one in told(found.evidence).items()} == exposed


def test_people_of_different_tables_need_a_column_that_tells_them_apart():
    rng = np.random.default_rng(1)
    tables = [kanon.Table(people(rng, 12), ["age"]) for _ in range(2)]
    results = [kanon.generalize(table, 3, "mondrian") for table in tables]
    released = released_of(tables[0], results[0], [])
    others = ((tables[1], results[1]),)
    knows = Knowledge(instance=tables[0], result=results[0], other_results=others)
    assert "name the column" in composition(released, knows).sentence
    with pytest.raises(InvalidInput, match="occurs twice in one table"):
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
    assert "No column is released unchanged" in composition(bare, Knowledge(others=(bare,))).sentence
    areas = kanon.Regions(list("abc"), [4, 3, 5], [(0, 1), (1, 2)])
    g = kanon.generalize(areas, 5, "tree-split")
    told = composition(released_of(areas, g), Knowledge(instance=areas, result=g, other_results=((areas, g),)))
    assert "differencing covers" in told.sentence


LEAKS, CLEAN = (20, 200) if compiled.THOROUGH else (8, 20)
ILLS = ["asthma", "cold", "flu", "gout"]
ADA = pd.DataFrame({"name": ["Ada"], "age": [36]})


def two_releases(rng, common, other):
    """Ada is in a group of each: `common` have HIV in both, `other` have flu, and all others what only one has."""
    k = common + other + 3
    frames = []
    for ill, word in zip(rng.permutation(["asthma", "cold", "gout"])[:2], ["≤ 39", "≤ 37"], strict=True):
        own = ["HIV"] * common + ["flu"] * other + [ill] * 3
        rest = [value for value in ILLS for _ in range(2 * k)]
        ages = [word] * len(own) + ["≥ 40"] * len(rest)
        frames.append(Released(pd.DataFrame({"age": ages, "ill": own + rest}), ("age",), ("ill",), k=3))
    return frames


def test_what_two_releases_make_likely_is_found():
    """Ten of HIV and one of flu, or a rare value against a frequent one: no value is certain, and one is 0.9 likely."""
    for seed in range(LEAKS):
        rng = np.random.default_rng(seed)
        first, second = two_releases(rng, int(rng.integers(5, 9)), 1)
        found = composition(first, Knowledge(ADA, others=(second,)))
        assert found.verdict == "does not survive", (seed, found.sentence)
        assert (
            "for 1, a value of “ill” is more than 0.9 likely, but only when the releases are combined" in found.sentence
        )
        assert found.evidence["likely ill"].tolist()[-1].startswith("HIV (0.9")
        assert found.evidence["certain ill"].isna().all()
        loose = composition(first, Knowledge(ADA, others=(second,), limits=Limits(belief=1)))
        assert "likely" not in "".join(loose.evidence.columns)


def test_the_same_groups_in_a_later_release_make_nothing_likely():
    """Groups of 5 to 12 with each of four values twice or less often: what is released again tells no more."""
    for seed in range(CLEAN):
        rng = np.random.default_rng(seed)
        shown, wide = [], []
        for group in range(4):
            ills = rng.choice(ILLS, int(rng.integers(1, 8))).tolist() + ILLS
            shown += [(f"{group}0–{group}9", ill) for ill in ills]
            wide += [(f"{20 * (group // 2)}–{20 * (group // 2) + 19}", ill) for ill in ills]
        one, other = (
            Released(pd.DataFrame(rows, columns=["age", "ill"]), ("age",), ("ill",), k=3) for rows in (shown, wide)
        )
        people = pd.DataFrame({"name": list("abcdefgh"), "age": rng.integers(0, 40, 8)})
        for second in (one, other):
            found = composition(one, Knowledge(people, others=(second,)))
            assert found.verdict == "survives", (seed, found.sentence)


def test_groups_that_are_too_large_to_weigh_are_said():
    frame = pd.DataFrame({"age": "any", "ill": ["flu", "cold"] * 700})
    release = Released(frame, ("age",), ("ill",), k=3)
    told = composition(release, Knowledge(ADA, others=(release,)))
    assert "were not computed for 1 person with more than 1,000 possible records in every release" in told.sentence


def without_persons(rng):
    """Two results of overlapping tables that have no column of persons, and the crosswalk; the same with the column."""
    everybody = people(rng, 40)
    order = rng.permutation(40)
    frames = [everybody.iloc[order[:28]].reset_index(drop=True), everybody.iloc[order[12:]].reset_index(drop=True)]
    k = int(rng.integers(3, 6))
    columns = {
        name: pd.Series(frame.index + 1, frame["who"]) for name, frame in zip(("first", "second"), frames, strict=True)
    }
    crosswalk = pd.DataFrame(columns).sample(frac=1, random_state=1).reset_index(drop=True)
    made = []
    for drop in ([], ["who"]):
        tables = [kanon.Table(frame.drop(columns=drop), ["age", "sex"]) for frame in frames]
        results = [kanon.generalize(table, k, "mondrian") for table in tables]
        released = [released_of(table, g, ["ill"], ["ill"]) for table, g in zip(tables, results, strict=True)]
        known = {"instance": tables[0], "result": results[0], "other_results": ((tables[1], results[1]),)}
        made.append((released, known))
    return made, crosswalk


@pytest.mark.parametrize("seed", range(20))
def test_a_crosswalk_tells_what_a_column_of_persons_does(seed):
    (with_column, without), crosswalk = without_persons(np.random.default_rng(seed))
    told = composition(with_column[0][0], Knowledge(**with_column[1], person="who"))
    crossed = composition(without[0][0], Knowledge(**without[1], crosswalk=crosswalk))
    assert "or give a crosswalk" in composition(without[0][0], Knowledge(**without[1], person="who")).sentence
    assert (crossed.verdict, crossed.found, crossed.of) == (told.verdict, told.found, told.of)
    assert crossed.sentence == told.sentence
    assert crossed.evidence.drop(columns="person").equals(told.evidence.drop(columns="person"))


@pytest.mark.parametrize("seed", range(20))
def test_a_crosswalk_of_released_rows_is_enough(seed):
    """Neither certificates nor a list: group by group, as above, of the rows that leave."""
    rng = np.random.default_rng(seed)
    shown = {
        "age": rng.choice(["≤ 39", "≥ 40"], 24), "sex": rng.choice(["f", "m"], 24), "ill": rng.choice(ILLS[:3], 24),
    }  # fmt: skip
    first = pd.DataFrame(shown)
    order = rng.permutation(24)
    second = first.iloc[order].assign(age=rng.choice(["≤ 29", "≥ 30"], 24)).reset_index(drop=True)
    releases = [Released(frame, ("age", "sex"), ("ill",), k=4) for frame in (first, second)]
    crosswalk = pd.DataFrame({"first": order + 1, "second": np.arange(24) + 1}).head(20)
    found = composition(releases[0], Knowledge(others=(releases[1],), crosswalk=crosswalk, limits=Limits(belief=1)))
    exposed = {}
    for at in range(20):
        own = [one.classes[row] for one, row in zip(releases, (order[at], at), strict=True)]
        count = sum(releases[0].classes[order[other]] == own[0] and releases[1].classes[other] == own[1]
                    for other in range(20))  # fmt: skip
        ills = [set(one.frame["ill"][one.classes == group]) for one, group in zip(releases, own, strict=True)]
        both = ills[0] & ills[1]
        new = both.pop() if len(both) == 1 and all(len(one) > 1 for one in ills) else None
        if count < 4 or new:
            exposed[at + 1] = (count, new)
    people_only = found.evidence[~found.evidence["person"].astype(str).str.contains("only")]
    assert {person: one[:2] for person, one in told(people_only).items()} == exposed
    frames = [first.assign(who=np.argsort(order)), second.assign(who=np.arange(24))]
    with_column = [Released(frame, ("age", "sex"), ("ill",), k=4) for frame in frames]
    column = composition(with_column[0], Knowledge(others=(with_column[1],), person="who"))
    assert column.figures["shared people"] == "24"


@pytest.mark.parametrize(
    ("crosswalk", "words"),
    [
        ({"a": [1]}, "1 columns for 2 releases"),
        ({"a": [1, 1], "b": [1, 2]}, "Column 'a' of the crosswalk lists a row twice"),
        ({"a": [1, 99], "b": [1, 2]}, "not a row from 1 to 28"),
        ({"a": [1, "x"], "b": [1, 2]}, "not a row from 1 to 28"),
        ({"a": [1, 1.5], "b": [1, 2]}, "not a row from 1 to 28"),
    ],
)
def test_a_crosswalk_that_cannot_be_is_refused(crosswalk, words):
    (_, (released, known)), _ = without_persons(np.random.default_rng(1))
    with pytest.raises(InvalidInput, match=words):
        composition(released[0], Knowledge(**known, crosswalk=pd.DataFrame(crosswalk)))
    groups = Released(pd.DataFrame({"age": ["a"], "n": [5]}), ("age",), counts="n")
    with pytest.raises(InvalidInput, match="groups but no records"):
        composition(groups, Knowledge(others=(groups,), crosswalk=pd.DataFrame(crosswalk)))
