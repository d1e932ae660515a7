"""Linking against brute force: person by person, record by record."""

import unicodedata

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure.cells import fits
from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import exact_interval
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.linking import linking
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.attacks.voters import synthetic_voters
from tests import compiled
from tests.sentences import (
    FEWEST_RECORDS_THAT_FIT,
    IDENTIFIED_WITH_CERTAINTY,
    NO_COLUMN_OF_THE_RELEASE,
    NOT_A_PAIR_OF_COLUMNS,
    WITH_A_RECORD_THAT_FITS,
)

WORDS = ["≤ 29", "30–39", "20–49", "≥ 40", "any"]


def random_release(rng, counted=False):
    n = int(rng.integers(3, 30))
    frame = pd.DataFrame(
        {
            "age": rng.choice(WORDS, n),
            "sex": rng.choice(["f", "m", "*"], n),
            "ill": rng.choice(["flu", "cold", "gout"], n, p=[0.7, 0.2, 0.1]),
        }
    )
    if counted:
        frame["people"] = rng.integers(1, 5, n)
    return Released(frame, ("age", "sex"), ("ill",), k=int(rng.integers(2, 6)), counts="people" if counted else None)


def random_list(rng):
    n = int(rng.integers(1, 15))
    return pd.DataFrame(
        {
            "who": [f"person {at}" for at in range(n)],
            "age": rng.integers(20, 60, n),
            "gender": rng.choice(["f", "m"], n),
        }
    )


def plain(released, people, everybody):
    """Candidates and certain value of each person, record by record."""
    records = released.frame.to_dict("records")
    ages = fits(released.frame["age"], people["age"]).pairs()
    sexes = [[row["sex"] in ("*", person) for row in records] for person in people["gender"]]
    own = [[at for at in range(len(records)) if ages[who][at] and sexes[who][at]] for who in range(len(people))]
    weights = released.weights.tolist()
    found = []
    for who in range(len(people)):
        count = sum(weights[at] for at in own[who])
        if everybody:
            count = min([count, *(sum(at in other for other in own) for at in own[who])])
        values = {records[at]["ill"] for at in own[who]}
        found.append((count, values.pop() if len(values) == 1 else None))
    return found


@pytest.mark.parametrize("everybody", [False, True])
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_linking_finds_what_is_found_record_by_record(seed, counted, everybody):
    rng = np.random.default_rng(seed)
    released, people = random_release(rng, counted), random_list(rng)
    knows = Knowledge(people, "who", (Match.read("sex=gender"),), everybody)
    found = linking(released, knows)
    expected = plain(released, people, everybody)
    exposed = {
        name: pair
        for name, pair in zip(people["who"], expected, strict=True)
        if pair[0] and (pair[0] < released.k or pair[1] is not None)
    }
    told = found.evidence.set_index("name")
    assert set(told.index) == set(exposed)
    for name, (count, value) in exposed.items():
        assert told.loc[name, "probability"] == pytest.approx(1 / count)
        assert told.loc[name, "certain ill"] == value or (value is None and pd.isna(told.loc[name, "certain ill"]))
    assert found.found == len(exposed)
    assert found.verdict == ("does not survive" if exposed else "survives")
    assert int(found.figures[IDENTIFIED_WITH_CERTAINTY]) == sum(count == 1 for count, _ in expected)
    assert found.interval[0] <= found.share <= found.interval[1]


def test_many_people_are_taken_block_by_block(monkeypatch):
    rng = np.random.default_rng(11)
    released, people = random_release(rng), random_list(rng)
    knows = Knowledge(people, "who", (Match.read("sex=gender"),))
    whole = linking(released, knows)
    monkeypatch.setattr("kanon_engine.risk.attacks.matching.BLOCK", 1)
    assert linking(released, knows).evidence.equals(whole.evidence)
    assert len(whole.evidence)


def test_the_interval_is_that_of_the_binomial_tails():
    from scipy.stats import binom

    for found, of in ((0, 5), (1, 7), (3, 30), (29, 30), (4, 4)):
        low, high = exact_interval(found, of)
        assert low == 0 if found == 0 else binom.sf(found - 1, of, low) == pytest.approx(0.025)
        assert high == 1 if found == of else binom.cdf(found, of, high) == pytest.approx(0.025)


def test_rectangles_are_linked_by_their_sides_and_circles_by_their_radius():
    boxes = pd.DataFrame({"xmin": [0, 5], "xmax": [5, 9], "ymin": [0, 0], "ymax": [4, 4], "weight": [2, 1]})
    released = Released(boxes, ("xmin", "ymin", "xmax", "ymax"), k=2, counts="weight")
    people = pd.DataFrame({"name": ["Ada", "Ben", "Eve"], "x": [1, 7, 5], "y": [1, 4, 9]})
    found = linking(released, Knowledge(people))
    assert found.evidence[["name", "records"]].to_numpy().tolist() == [["Ben", 1]]
    assert found.figures[WITH_A_RECORD_THAT_FITS] == "2"
    circles = pd.DataFrame({"center_x": [0, 9], "center_y": [0, 0], "radius": [5, 1], "weight": [2, 1]})
    released = Released(circles, ("center_x", "center_y", "radius"), k=2, counts="weight")
    people = pd.DataFrame({"name": ["Ada", "Ben"], "x": [3, 9], "y": [4, 1]})
    assert linking(released, Knowledge(people)).evidence["name"].tolist() == ["Ben"]


def test_a_group_that_is_told_by_number_alone_is_linked_by_nothing():
    areas = kanon.Regions(["06001", "06002", "06003"], [4, 3, 5], [(0, 1), (1, 2)])
    groups = pd.DataFrame({"group": [1, 2], "weight": [7, 5]})
    released = Released(groups, ("group",), k=5, counts="weight")
    assert linking(released, Knowledge(instance=areas)).verdict == "not run"
    codes = Released(
        groups, ("group",), k=6, counts="weight", meanings={"group": {1: ("06001", "06002"), 2: ("06003",)}}
    )
    found = linking(codes, Knowledge(instance=areas))
    assert (found.found, found.of, found.verdict) == (5, 12, "does not survive")


def test_a_made_up_list_has_everybody_once_under_a_name_of_their_own():
    frame = pd.DataFrame({"age": np.arange(40_000) % 90, "row": np.arange(40_000)})
    people = synthetic_voters(frame, seed=3)
    assert people["name"].is_unique
    assert sorted(people["row"]) == frame["row"].tolist()
    assert people.equals(synthetic_voters(frame, seed=3))
    assert not people.equals(synthetic_voters(frame, seed=4))
    assert len(synthetic_voters(frame, people=7)) == 7
    with pytest.raises(InvalidInput, match="request 1 to"):
        synthetic_voters(frame, people=0)


def test_a_made_up_list_of_counted_areas_has_their_people():
    areas = kanon.Regions(["a", "b", "c"], [4, 0, 5], [(0, 1), (1, 2)])
    assert synthetic_voters(areas)["group"].value_counts().to_dict() == {"a": 4, "c": 5}


def test_what_cannot_be_linked_is_said():
    released = Released(pd.DataFrame({"age": ["≤ 39"]}), ("age",), k=1)
    assert linking(released, Knowledge()).sentence == "There is no outside table with names; give one."
    with pytest.raises(InvalidInput, match=NO_COLUMN_OF_THE_RELEASE):
        linking(released, Knowledge(pd.DataFrame({"name": ["Ada"], "height": [170]})))
    with pytest.raises(InvalidInput, match="which column of the outside table has the names"):
        linking(released, Knowledge(pd.DataFrame({"age": [3]})))
    with pytest.raises(InvalidInput, match=NOT_A_PAIR_OF_COLUMNS):
        Match.read("age")


def test_everybody_is_in_some_circle_of_their_clusters():
    rng = np.random.default_rng(0)
    places = pd.DataFrame({"lon": rng.uniform(-0.2, 0.1, 60), "lat": rng.uniform(51.4, 51.6, 60)})
    plane = kanon.MetricSpace(rng.normal(0, 9, (60, 2)), names=["x", "y"])
    for space in (kanon.MetricSpace(places.to_numpy(), "haversine", names=["lon", "lat"]), plane):
        g = kanon.generalize(space, 5)
        found = linking(released_of(space, g), Knowledge(instance=space))
        assert found.figures[WITH_A_RECORD_THAT_FITS] == "60"
        assert found.verdict == "survives"
    words = kanon.MetricSpace(pd.DataFrame({"age": [1, 2, 3, 4], "sex": list("fmfm")}), "gower")
    told = linking(released_of(words, kanon.generalize(words, 2)), Knowledge(instance=words))
    assert told.verdict == "not run"


PEOPLE = pd.DataFrame({"age": ["≤ 39", "≥ 40", "≥ 40", "any"], "sex": ["f", "f", "m", "m"]})


@pytest.mark.parametrize(
    ("people", "said"),
    [
        ({"name": [], "age": []}, "The outside table is empty"),
        (
            {"name": ["Ada", "Ben"], "sex": ["female", "male"]},
            "No record fits any of the 2 people on the list when joined on sex=sex",
        ),
    ],
)
def test_a_list_that_can_find_nobody_is_no_proof(people, said):
    found = linking(Released(PEOPLE, ("age", "sex"), k=2), Knowledge(pd.DataFrame(people), name="name"))
    assert found.verdict == "not run"
    assert found.sentence.startswith(said)


def test_an_empty_release_is_not_attacked():
    release = Released(PEOPLE.iloc[:0], ("age",), k=2)
    assert linking(release, Knowledge(pd.DataFrame({"name": ["Ada"], "age": [30]}))).verdict == "not run"


def test_what_a_list_lacks_does_not_hide_whom_the_rest_finds():
    release = Released(PEOPLE, ("age", "sex"), k=2)
    voters = pd.DataFrame({"name": ["Ada", "Ben", "Cora"], "age": [30, np.nan, 50], "sex": [None, "f", "x"]})
    found = linking(release, Knowledge(voters, name="name"))
    assert found.figures[WITH_A_RECORD_THAT_FITS] == "2"
    assert "1 fit no record" in found.sentence
    assert found.verdict == "survives"  # Ada is the first or the fourth record, Ben the first or the second
    alone = Released(PEOPLE.iloc[:3], ("age", "sex"), k=2)
    assert linking(alone, Knowledge(voters, name="name")).evidence["name"].tolist() == ["Ada"]


def test_missing_values_that_are_released_are_those_of_the_list():
    release = Released(pd.DataFrame({"sex": ["f", "missing", "f"]}), ("sex",), k=2)
    voters = pd.DataFrame({"name": ["Ada", "Ben"], "sex": ["f", None]})
    assert linking(release, Knowledge(voters)).evidence["name"].tolist() == ["Ben"]


def test_whoever_is_identified_is_found_with_k_1_too():
    found = linking(
        Released(PEOPLE.iloc[:3], ("age", "sex"), k=1), Knowledge(PEOPLE.assign(age=[30, 50, 50, 9], name="Ada"))
    )
    assert found.verdict == "does not survive"
    assert found.found == 3


LEAKS, CLEAN = (20, 200) if compiled.THOROUGH else (4, 10)
TOWNS = ["Müller", "São", "Łódź", "Straße", "Ångström", "Ñuñez", "Éire", "Genève"]


def in_capitals(text):
    plain = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return plain.replace("Ł", "L").replace("ß", "ss").upper()


@pytest.mark.parametrize("write", [in_capitals, str.upper, str.lower], ids=["plain capitals", "capitals", "small"])
def test_capitals_and_accents_do_not_hide_anybody(write):
    """Each lone town is found, and of releases with k of each town none alarms."""
    for seed in range(LEAKS):
        rng = np.random.default_rng(seed)
        towns = rng.permutation(TOWNS)
        frame = pd.DataFrame({"town": [*np.repeat(towns[1:], 3), towns[0]], "ill": "flu"})
        people = pd.DataFrame({"name": ["Ada"], "town": [write(towns[0])]})
        found = linking(Released(frame, ("town",), k=3), Knowledge(people))
        assert found.evidence[["name", "records"]].to_numpy().tolist() == [["Ada", 1]], (seed, found.sentence)
    for seed in range(CLEAN):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"town": np.repeat(TOWNS, rng.integers(3, 6, len(TOWNS)))})
        people = pd.DataFrame({"name": [f"p{at}" for at in range(5)], "town": list(map(write, rng.choice(TOWNS, 5)))})
        assert linking(Released(frame, ("town",), k=3), Knowledge(people)).verdict == "survives", seed


@pytest.mark.parametrize("algorithm", ["mondrian", "local-cuts", "cell-suppression"])
@pytest.mark.parametrize("seed", range(4))
def test_everybody_in_the_data_fits_a_record_whatever_words_a_hierarchy_shows(algorithm, seed):
    """Also who has a rare value, which the meaning of a word does not list."""
    rng = np.random.default_rng(seed)
    rows = 120
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), unit="D")
    codes = ["06401", "06405", "06510", "06511", "07001"]
    data = {"zip": rng.choice(codes, rows, p=[0.4, 0.3, 0.2, 0.07, 0.03]), "born": days.strftime("%Y-%m-%d")}
    frame = pd.DataFrame(data | {"age": rng.integers(1, 90, rows)})
    table = kanon.read_table(frame, list(frame), grow={"zip": "characters", "born": "dates", "age": "ranges"})
    g = kanon.generalize(table, 5, algorithm)
    found = linking(released_of(table, g), Knowledge(instance=table))
    assert found.verdict == "survives"
    assert found.figures[WITH_A_RECORD_THAT_FITS] == "120"
    assert int(found.figures[FEWEST_RECORDS_THAT_FIT]) >= 5


@pytest.mark.parametrize(
    ("cell", "known"),
    [
        ("2024", {"2024-01-31", "2024-06-04", "2024-12-31"}),
        ("2024-06", {"2024-06-04"}),
        ("2024 Q2", {"2024-06-04"}),
        ("2024 Q4", {"2024-12-31"}),
        ("2023–2024", {"2023-12-31", "2024-01-31", "2024-06-04", "2024-12-31"}),
        ("≥ 2024", set()),
    ],
)
def test_a_year_or_a_part_of_one_represents_its_dates(cell, known):
    dates = pd.Series(["2023-12-31", "2024-01-31", "2024-06-04", "2024-12-31", "2025-01-01"])
    assert set(dates[fits(pd.Series([cell]), dates).pairs()[:, 0]]) == known
