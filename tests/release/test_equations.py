"""Every published number is an equation: ranges and rulings against all tables of whole numbers, written down.

`Case` also makes the campaign of 1,240 cases, which a thorough run has.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.disclosure.equations import PEOPLE, Equations, Sum, equations_of
from kanon_engine.disclosure.figures import figures_of, meaning_of, other_figures
from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks import Knowledge, attack
from kanon_engine.risk.rules import Facts, rulings
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OPEN
from tests import compiled
from tests.oracles.equations import Tables
from tests.risk.rules.releases import attacked
from tests.sentences import REVEAL_NO_MORE, THERE_IS_NO_SECOND_COUNT

CAMPAIGN = 1_240 if compiled.THOROUGH else 30  # of them 1,009 of two or three releases
TRIED = (replace(attacked("differencing", "survives"), figures={"parts below 11": "0"}),)
SECOND = ("cases", "deaths")
TOTAL_WORDS = ("Total", "All", "all", "Gesamt", "*", None)


class Case:
    """Two or three releases of the same items, or one table with totals: what leaves, and what the oracle is told."""

    def __init__(self, rng):
        self.rng = rng
        self.meanings, self.rates, self.wholes, self.counts = {}, {}, {}, ["people"]
        self.table = rng.random() < 0.2
        self.items = list("abcdef")[: 4 if self.table else int(rng.integers(3, 6))]
        self.large = rng.random() < 0.6  # no item has a count from 1 to 10, nor a rest
        people = rng.integers(0, int(rng.choice([8, 14, 25])), len(self.items))
        people[rng.random(len(self.items)) < 0.5] += 11
        if self.large:
            people = rng.integers(33, 45, len(self.items))
        self.true = {"people": dict(zip(self.items, people.tolist(), strict=True))}
        self._second_counts()
        self._rate()
        self.frames, self.told = [], []  # of the engine, of the oracle
        for number in range(1 if self.table else int(rng.integers(2, 4))):
            self._release(number)

    def _second_counts(self):
        for name in SECOND[: int(self.rng.integers(1, 3))]:
            wholes = ["people", *(["cases"] if name == "deaths" else []), None]
            whole = wholes[int(self.rng.integers(len(wholes)))]
            most = self.true[whole or "people"]
            high = {item: int(value) if whole else int(value) + 5 for item, value in most.items()}
            mode = self.rng.choice(["any", "few", "nearly all"])
            values = {}
            for item, top in high.items():
                low, end = {"any": (0, top), "few": (0, min(top, 6)), "nearly all": (max(0, top - 4), top)}[mode]
                if self.large:
                    low, end = (11, top - 11) if whole == "cases" else (22, max(22, top - 11)) if whole else (22, 30)
                values[item] = int(self.rng.integers(low, end + 1))
            self.true[name] = values
            self.counts.append(name)
            self.meanings[name] = "count" if whole is None else f"part of {whole}"
            if whole is not None:
                self.wholes[name] = whole

    def _rate(self):
        """A percentage, a rate or a mean; of a count of its own where there is room for one."""
        kind = self.rng.choice(["none", "named", "own"])
        if kind == "named":
            per = int(self.rng.choice([100, 1_000]))
            self.meanings["rate"] = f"cases per {per} of people"
            self.rates["rate"] = ("cases", "people", per)
        elif kind == "own" and len(self.counts) == 2:
            words, per, share = [
                ("percent of people", 100, True),
                ("mean of 0/1 over people", 1, True),
                ("rate per 1000 of people", 1_000, False),
            ][int(self.rng.integers(3))]
            self.meanings["rate"] = words
            self.rates["rate"] = ("own", "people", per)
            self.counts.append("own")
            if share:
                self.wholes["own"] = "people"
            most = self.true["people"]
            low, high = (11, 22) if self.large else (0, 9)
            self.true["own"] = {item: min(value, int(self.rng.integers(low, high))) for item, value in most.items()}

    def _sum(self, count, items):
        return sum(self.true[count][item] for item in items)

    def _release(self, number):
        rng = self.rng
        if self.table:
            keys = [("f", "young"), ("f", "old"), ("m", "young"), ("m", "old")]
            rows = [(key, frozenset(item)) for key, item in zip(keys, self.items, strict=True)]
            word = TOTAL_WORDS[int(rng.integers(len(TOTAL_WORDS)))]
            rows += [((sex, word), frozenset(self.items[own])) for sex, own in (("f", slice(0, 2)), ("m", slice(2, 4)))]
            rows += [((word, age), frozenset(self.items[own::2])) for age, own in (("young", 0), ("old", 1))]
            rows += [((word, word), frozenset(self.items))]
            by, meanings = ["sex", "age"], {}
        else:
            classes = rng.integers(0, int(rng.integers(2, 4)), len(self.items))
            members = [frozenset(np.array(self.items)[classes == one].tolist()) for one in np.unique(classes)]
            rows = [((place,), own) for place, own in enumerate(members, start=1)]
            if rng.random() < 0.4:
                rows.append(((TOTAL_WORDS[int(rng.integers(len(TOTAL_WORDS)))],), frozenset(self.items)))
            by, meanings = ["group"], {"group": dict(enumerate(map(tuple, members), start=1))}
        shown = [name for name in self.counts[1:] if name != "own" and (number == 0 or rng.random() < 0.7)]
        rates = [name for name in self.rates if number == 0 or rng.random() < 0.6]
        digits = int(rng.integers(0, 3))
        hidden = rng.random() < 0.4
        columns = {name: [] for name in ("weight", *shown, *rates)}
        told = []
        for _, own in rows:
            figures = {"people": (self._sum("people", own),) * 2}
            columns["weight"].append(figures["people"][0])
            for name in shown:
                value = self._sum(name, own)
                hide = hidden and rng.random() < 0.3
                columns[name].append(None if hide else value)
                if not hide:
                    figures[name] = (value, value)
            for name in rates:
                top, bottom, per = self.rates[name]
                whole = self._sum(bottom, own)
                if not whole:
                    columns[name].append(None)
                    continue
                text = f"{self._sum(top, own) * per / whole:.{digits}f}"
                columns[name].append(text)
                half = Fraction(1, 2 * 10**digits)
                figures[name] = ((Fraction(text) - half) / per, (Fraction(text) + half) / per)
            told.append((own, figures))
        left_out = [at for at in range(3) if rng.random() < 0.3] if self.table else []
        kept = [at for at in range(len(rows)) if at not in left_out]
        frame = pd.DataFrame([rows[at][0] for at in kept], columns=by)
        for name, values in columns.items():
            frame[name] = pd.Series([values[at] for at in kept], dtype=object if name != "weight" else "int64")
        release = Released(frame, tuple(by), k=11, unit="people", counts="weight", sums=tuple(shown),
                           meanings=meanings, name=f"release {number + 1}")  # fmt: skip
        self.frames.append(release)
        self.told.append([told[at] for at in kept])

    def oracle(self):
        rates = {name: (top, bottom) for name, (top, bottom, _) in self.rates.items()}
        return Tables(self.told, self.counts, rates, self.wholes)


def small_enough(seed):
    """The first case from a seed on whose tables can all be written down."""
    rng = np.random.default_rng(seed)
    while True:
        case = Case(rng)
        try:
            return case, case.oracle()
        except MemoryError:
            continue


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("part", range(10))
def test_rulings_and_ranges_are_those_of_all_tables(part):
    for seed in range(part, CAMPAIGN, 10):
        case, tables = small_enough(seed)
        published = list(map(figures_of, case.frames))
        meanings = {name: meaning_of(text) for name, text in case.meanings.items()}
        equations = equations_of(published, meanings)
        for least in (3, 11):
            search = equations.derived(least)
            assert (search.left, search.contradiction) == (0, False), seed
            assert bool(search.found) == (tables.shown(least) is not None), (seed, least)
        facts = Facts(columns=case.meanings, others="compared")
        (found,) = rulings(case.frames[0], rules=["cms-cells"], facts=facts, attacks=TRIED, earlier=published[1:])
        assert found.verdict == (HOLDS if tables.shown(11) is None else FAILS), (seed, found.found)
        _compare_ranges(seed, case, tables, equations, published)


def _compare_ranges(seed, case, tables, equations, published):
    names = {"people": PEOPLE, "own": "the numerator of “rate”"}
    names |= {name: name for name in SECOND}
    for number, told in enumerate(case.told):
        for row, (items, _) in enumerate(told):
            atoms = [at for at, held in enumerate(equations.atoms) if (number, row) in held]
            asked = [(count, None) for count in case.counts] + [(whole, part) for part, whole in case.wholes.items()]
            for count, part in asked:
                low, high = equations.range_of(names[count], atoms, names[part] if part else "")
                least, most = tables.range_of(count, items, part)
                assert low == least, (seed, count, part)
                assert high == most or (high is None and most >= 12), (seed, count, part)  # 12 stands for no end


AREAS = kanon.Regions(
    "abcd",
    [22_000, 24_000, 21_000, 30_000],
    [(0, 1), (1, 2), (2, 3)],
    unit="people",
    columns={"cases": [40, 3, 40, 50]},
)


def grouped(k):
    """Groups of at least k people and eleven cases."""
    return kanon.generalize(AREAS, k, "exact", require=[kanon.Minimum("cases", 11)])


def test_two_groupings_tell_the_cases_of_an_area():
    """40 cases live in the first area, 43 in the first two."""
    one, two = grouped(20_001), grouped(22_500)
    found = kanon.intersect(AREAS, one, two)
    assert found.exposed == 0
    assert found.counts[["count", "low", "high"]].values.tolist() == [["cases", 3, 3]]
    assert "“cases” is 3 in the part that group 1 of release 1 and group 2 of release 2 share" in found.sentence
    assert len(kanon.intersect(AREAS, one, two, carry=()).counts) == 0
    with pytest.raises(kanon.InvalidInput, match=f"{THERE_IS_NO_SECOND_COUNT} 'deaths'"):
        kanon.intersect(AREAS, one, two, carry=["deaths"])
    assert REVEAL_NO_MORE in kanon.intersect(AREAS, two, two).sentence


def test_the_attack_and_the_rule_see_them_beside_the_earlier_release():
    one, two = grouped(20_001), grouped(22_500)
    released = released_of(AREAS, two)
    beside, alone = ((AREAS, one),), ()
    for others, attacked_so, verdict in ((beside, BROKEN, FAILS), (alone, SURVIVES, HOLDS)):
        known = Knowledge(instance=AREAS, result=two, other_results=others)
        (found,) = attack(released, known, ["differencing"])
        assert found.verdict == attacked_so
        earlier = other_figures(released, AREAS, others)
        for columns in ({"cases": "part of people"}, {"cases": "count"}):
            facts = Facts(others="compared", columns=columns)
            for attacks in ((found,), TRIED):
                (ruled,) = rulings(
                    released, two, AREAS, rules=["cms-cells"], facts=facts, attacks=attacks, earlier=earlier
                )
                assert ruled.verdict == verdict, ruled.found
    facts = Facts(others="compared", data="patients")
    (unsaid,) = rulings(released, two, AREAS, rules=["cms-cells"], facts=facts, attacks=TRIED)
    assert (unsaid.verdict, "whether sums of “cases” are also published" in unsaid.found) == (OPEN, True)
    facts = replace(facts, columns={"cases": "not published"})
    (inside,) = rulings(released, two, AREAS, rules=["cms-cells"], facts=facts, attacks=TRIED)
    assert inside.verdict == HOLDS


def test_parts_of_which_only_several_together_are_small():
    """A row of a table hides two cells with seven together: each may have none, and both together have not."""
    frame = pd.DataFrame({"sex": list("fmx") + ["Total"], "weight": [40, 50, 60, 150], "cases": [None, None, 30, 37]})
    release = figures_of(Released(frame, ("sex",), counts="weight", sums=("cases",)))
    equations = equations_of([release], {"cases": meaning_of("count")})
    (found,) = equations.derived(11).found
    assert (found.count, found.atoms, found.low, found.high) == ("cases", (0, 1), 7, 7)
    assert [equations.range_of("cases", [atom]) for atom in range(3)] == [(0, 7), (0, 7), (30, 30)]


def test_a_small_set_among_parts_that_hang_together_with_others():
    """Two pairs have 7 and 8, four parts together 15; what joins the pairs says nothing of either."""
    sums = (Sum("cases", (0, 1), 7, 7), Sum("cases", (2, 3), 8, 8), Sum("cases", (0, 2), 0, 9))
    (found,) = Equations(((),) * 4, ("cases",), {}, sums).derived(11).found
    assert (found.atoms, found.low, found.high) in [((0, 1), 7, 7), ((2, 3), 8, 8)]
    wider = (Sum("cases", (0, 1), 17, 17), *sums[1:])
    (found,) = Equations(((),) * 4, ("cases",), {}, wider).derived(11).found
    assert found.atoms == (2, 3)
    assert not Equations(((),) * 4, ("cases",), {}, (wider[0], Sum("cases", (2, 3), 0, 8), sums[2])).derived(11).found


def test_figures_that_contradict_each_other():
    frame = pd.DataFrame({"sex": ["f", "m", "Total"], "weight": [40, 50, 80]})
    equations = equations_of([figures_of(Released(frame, ("sex",), counts="weight"))], {})
    assert equations.derived(11).contradiction
    with pytest.raises(kanon.InvalidInput, match="No counts can produce all these figures"):
        equations.range_of(PEOPLE, [0])
