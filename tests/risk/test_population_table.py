"""How many people of a population fit what each class of a release shows: against a search person by person."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.measures import measures
from kanon_engine.risk.population import population_sizes_of
from tests.sentences import MUST_BE_WHOLE_NUMBERS, NO_COLUMN_OF_THE_RELEASE, THERE_IS_NO_COLUMN

PLACES = {"North": ("a", "b"), "South": ("c",), "any": ("a", "b", "c")}


def shown_age(low, high):
    return str(low) if low == high else f"{low}–{high}"


@pytest.mark.parametrize("seed", range(12))
def test_overlapping_classes_count_everybody_who_fits(seed):
    random = np.random.default_rng(seed)
    people = pd.DataFrame({"years": random.integers(0, 20, 60), "place": random.choice(list("abc"), 60)})
    often = random.integers(0, 4, 60)
    classes = []
    for place in random.choice(60, 8):  # around people of the population, so that nobody is missing there
        low, high = people["years"][place] - random.integers(0, 5), people["years"][place] + random.integers(0, 5)
        fit = [name for name, held in PLACES.items() if people["place"][place] in held]
        classes.append((max(int(low), 0), int(high), str(random.choice(fit))))
    classes = list(dict.fromkeys(classes))
    expected = [
        sum(
            int(count)
            for years, where, count in zip(people["years"], people["place"], often, strict=True)
            if low <= years <= high and where in PLACES[place]
        )
        for low, high, place in classes
    ]
    rows = [row for row, count in zip(classes, expected, strict=True) for _ in range(min(count, 3))]
    kept = [(row, count) for row, count in zip(classes, expected, strict=True) if count]
    frame = pd.DataFrame([(shown_age(low, high), place) for low, high, place in rows], columns=["age", "where"])
    order = random.permutation(len(frame))
    released = Released(frame.iloc[order].reset_index(drop=True), ("age", "where"), meanings={"where": PLACES})
    match = [Match.read("age=years"), Match.read("where=place")]
    found = population_sizes_of(released, people.assign(people=often), match)
    first = [rows[order[int(np.argmax(released.classes == number))]] for number in range(len(released.sizes))]
    assert found.tolist() == [dict(kept)[row] for row in first]
    repeated = people.loc[np.repeat(np.arange(60), often)]
    assert population_sizes_of(released, repeated, match).tolist() == found.tolist()
    assert found.dtype == np.int64


@pytest.mark.parametrize("algorithm", ["mondrian", "k-optimize"])
def test_the_release_of_a_table_against_the_table_itself(algorithm):
    random = np.random.default_rng(5)
    everybody = pd.DataFrame({"age": random.integers(20, 70, 300), "sex": random.choice(["f", "m"], 300)})
    sample = kanon.Table(everybody.iloc[:120], ["age", "sex"])
    g = kanon.generalize(sample, 4, algorithm)
    released = released_of(sample, g)
    found = population_sizes_of(released, everybody)
    assert (population_sizes_of(released, everybody.iloc[:120]) >= released.sizes).all()
    low, high, sexes = {}, {}, {}
    for number in range(g.classes):
        own = everybody.iloc[:120][g.assignment == number]
        low[number], high[number], sexes[number] = own["age"].min(), own["age"].max(), set(own["sex"])
    least = [
        int((everybody["age"].between(low[n], high[n]) & everybody["sex"].isin(sexes[n])).sum())
        for n in range(g.classes)
    ]
    assert sum(found) >= sum(least)
    assert (found >= released.sizes).all()
    risk = {one.key: one.value for one in measures(released, population_sizes=found)}
    assert risk["journalist-highest"] == 1 / found.min() <= risk["prosecutor-highest"]


def test_rectangles_and_groups_of_codes():
    random = np.random.default_rng(2)
    points = kanon.Points(random.random((60, 2)))
    released = released_of(points, kanon.generalize(points, 6, "kd-tree", snap=0.1))
    people = pd.DataFrame(random.random((200, 2)), columns=["x", "y"])
    both = pd.concat([people, pd.DataFrame(points.xy, columns=["x", "y"])])
    boxes = released.frame[["xmin", "ymin", "xmax", "ymax"]].to_numpy()
    expected = [int((both["x"].between(a, c) & both["y"].between(b, d)).sum()) for a, b, c, d in boxes]
    assert population_sizes_of(released, both).tolist() == expected
    labels = kanon.Labels(["a", "b", "c"], [5, 4, 1])
    groups = released_of(labels, kanon.generalize(labels, 5, "fold"))
    census = pd.DataFrame({"name": ["a", "b", "c", "d"], "people": [50, 40, 10, 7]})
    assert population_sizes_of(groups, census, [Match.read("group=name")]).tolist() == [50, 50]
    weighed = census.rename(columns={"people": "often"})
    assert population_sizes_of(groups, weighed, [Match.read("group=name")], "often").tolist() == [50, 50]


AGES = Released(pd.DataFrame({"age": ["≤ 39"] * 2 + ["≥ 40"], "sex": list("ffm"), "ill": list("xyz")}), ("age", "sex"))


@pytest.mark.parametrize(
    ("table", "match", "counts", "said"),
    [
        ({"age": [30, 50]}, [], None, "no column for “sex”, which distinguishes groups"),
        ({"years": [30]}, [], None, NO_COLUMN_OF_THE_RELEASE),
        ({"age": [30, 30, 50], "sex": list("fmm")}, [], None, "In 1 of 2 groups the release has more records"),
        (
            {"age": [30, 50], "sex": list("ff")},
            [],
            None,
            "the first (age ≤ 39, sex f) has 2 in the release and 1 in the table.",
        ),
        ({"age": [30, 30, 50], "sex": list("ffm"), "n": [1, -1, 1]}, [], "n", f"{MUST_BE_WHOLE_NUMBERS} of at least 0"),
        ({"age": [30, 30, 50], "sex": list("ffm")}, [], "n", f"{THERE_IS_NO_COLUMN} 'n'"),
        ({"age": [30], "sex": ["f"], "count": [9], "people": [9]}, [], None, "several columns that may say"),
        ({"age": [30], "sex": ["f"], "ill": ["x"]}, ["ill=ill"], None, "is not a quasi-identifier of the release"),
        ({"age": [], "sex": []}, [], None, "In 2 of 2 groups"),
    ],
)
def test_a_table_that_is_not_the_population_is_refused_in_a_sentence(table, match, counts, said):
    with pytest.raises(InvalidInput) as refused:
        population_sizes_of(AGES, pd.DataFrame(table), [Match.read(one) for one in match], counts)
    assert said in str(refused.value)
    assert str(refused.value).endswith(".")


def test_what_is_no_table_is_refused_and_columns_that_nobody_links_by_change_nothing():
    with pytest.raises(InvalidInput, match="give a DataFrame"):
        population_sizes_of(AGES, [30, 50])
    people = pd.DataFrame({"age": [30, 30, 35, 50], "sex": list("fffm"), "ill": list("qqqq"), "name": list("ABCD")})
    assert population_sizes_of(AGES, people).tolist() == [3, 1]
    assert population_sizes_of(AGES, people.set_axis([4, 4, 4, 4])).tolist() == [3, 1]
