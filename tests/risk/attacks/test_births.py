"""Years and dates of birth against ages: whoever stands out is found, and nobody else."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.linking import linking
from kanon_engine.risk.attacks.matching import Match, fits_of_births, matches, numbers_or_years, year_of_ages
from tests import compiled
from tests.sentences import WITH_A_RECORD_THAT_FITS

LEAKS, CLEAN = (20, 200) if compiled.THOROUGH else (4, 10)
YEAR = 2019
K = 4
FORMS = ("{0}", "{0}-{1:02}-{2:02}", "{2}.{1}.{0}", "{1}/{2}/{0}")


def people(rng, lone):
    """Decades of ages in groups of k and more, and one person of 95 where `lone`."""
    ages = [10 * decade + int(rng.integers(10)) for decade in range(2, 8) for _ in range(int(rng.integers(K, 2 * K)))]
    ages += [95] if lone else []
    months = rng.integers(1, 13, len(ages))
    born = [YEAR - age - int(month > 6) for age, month in zip(ages, months, strict=True)]  # as of the end of June
    names = [f"person {at}" for at in range(len(ages))]
    return pd.DataFrame(
        {"name": names, "age": ages, "born": born, "month": months, "day": rng.integers(1, 29, len(ages))}
    )


def decades(numbers, last=9):
    return pd.Series([f"{10 * (number // 10)}–{10 * (number // 10) + 9}" for number in numbers])


def mixed(rng, listed):
    """In another order than that of the release."""
    return listed.sample(frac=1, random_state=int(rng.integers(1 << 30))).reset_index(drop=True)


def of_ages(rng, lone):
    """Ages leave, and the list has years or dates of birth in some form."""
    frame = people(rng, lone)
    form = FORMS[int(rng.integers(len(FORMS)))]
    births = [form.format(*row) for row in frame[["born", "month", "day"]].itertuples(index=False)]
    listed = pd.DataFrame({"name": frame["name"], str(rng.choice(["birth_date", "yob", "Geburtsjahr"])): births})
    return Released(pd.DataFrame({"age": decades(frame["age"])}), ("age",), k=K), mixed(rng, listed)


def of_births(rng, lone):
    """Years of birth leave, and the list has ages."""
    frame = people(rng, lone)
    shown = frame["born"].where(frame["age"] == 95, 10 * (frame["born"] // 10))
    words = [str(year) if age == 95 else f"{year}–{year + 9}" for year, age in zip(shown, frame["age"], strict=True)]
    counts = pd.Series(words).value_counts()
    keep = [counts[word] >= K or age == 95 for word, age in zip(words, frame["age"], strict=True)]
    listed = mixed(rng, frame[["name", "age"]][keep])
    return Released(pd.DataFrame({"birth_year": words})[keep], ("birth_year",), k=K), listed


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("make", [of_ages, of_births])
@pytest.mark.parametrize("year", [YEAR, None], ids=["year is known", "year is estimated"])
def test_whoever_stands_out_by_age_is_found_and_nobody_else(make, year):
    for seed in range(LEAKS):
        released, listed = make(np.random.default_rng(seed), True)
        found = linking(released, Knowledge(listed, year=year))
        assert found.verdict == BROKEN, (seed, found.sentence)
        names = listed["name"].str.removeprefix("person ").astype(int)
        assert found.evidence["name"].tolist() == [f"person {names.max()}"], (seed, found.sentence)
        assert "ages are computed for every year from 2018 to 2020" in found.knowledge or year is None
    for seed in range(CLEAN):
        released, listed = make(np.random.default_rng(seed), False)
        found = linking(released, Knowledge(listed, year=year))
        assert found.verdict == SURVIVES, (seed, found.sentence)
        assert found.figures[WITH_A_RECORD_THAT_FITS] == f"{len(listed):,}", seed  # the true year is among them


def test_the_true_age_always_fits():
    rng = np.random.default_rng(3)
    for _ in range(50):
        frame = people(rng, True)
        inside = fits_of_births(decades(frame["age"]), frame["born"], (YEAR, YEAR)).pairs()
        assert inside[np.arange(len(frame)), np.arange(len(frame))].all()
        far = [abs(YEAR - born - age) > 11 for born, age in zip(frame["born"], frame["age"][::-1], strict=True)]
        assert not inside[np.arange(len(frame)), np.arange(len(frame))[::-1]][far].any()


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["1984-05-17", None, "17.05.1961"], [1984, None, 1961]),
        ([1984.0, None], [1984, None]),
        (pd.to_datetime(["1984-05-17", None]), [1984, None]),
        (["1984", "born 1961–1962"], [None, None]),
        ([36.5, 41], [None, None]),
    ],
)
def test_years_of_dates(values, told):
    assert [None if pd.isna(one) else one for one in numbers_or_years(pd.Series(values))] == told


def test_ages_with_ages_and_years_with_years_stay_as_they_are():
    ages, born = pd.Series(["30–39", "≥ 40"]), pd.Series(["1980–1989", "1990"])
    assert year_of_ages(ages, pd.Series([35, 41])) is None
    assert year_of_ages(born, pd.Series([1984, 1990])) is None
    assert year_of_ages(pd.Series(["any"]), pd.Series([1984])) is None
    release = Released(pd.DataFrame({"age": ages}), ("age",), k=1)
    births = pd.DataFrame({"x": [1984, 1961]})
    assert matches(release, births, [Match.read("age=x")], births=True)[0].years is not None
    assert matches(release, births, [Match.read("age=x")])[0].years is None  # a population is counted once
    assert Match.read("age=x").joined == "age"


@pytest.mark.parametrize("year", [YEAR, None])
def test_releases_of_kanon_are_linked_by_births_too(year):
    frame = people(np.random.default_rng(5), False)
    table = kanon.Table(frame[["age"]], ["age"])
    released = released_of(table, kanon.generalize(table, K, "mondrian"))
    found = linking(released, Knowledge(frame[["name", "born"]], year=year))
    assert found.figures[WITH_A_RECORD_THAT_FITS] == f"{len(frame):,}"
    assert found.verdict == SURVIVES
