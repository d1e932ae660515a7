"""Lesson 1: people are found in a table even though its names were removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
import pandas as pd

import kanon_engine as kanon
from kanon_engine.model.words import counted, enumerated
from kanon_engine.plot.colors import PALETTE
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.linking import linking
from kanon_engine.risk.attacks.matching import Candidates, fits_of, matches
from kanon_engine.risk.attacks.voters import synthetic_voters
from kanon_engine.teaching.lessons import Drag, LessonState, Pick, Scene, SceneParts, Values
from kanon_engine.teaching.lessons.drawing import FAINT, MARKED, box, drawn_table, element, svg, words_at
from kanon_engine.teaching.studies import sample

KNOWN = ("age", "sex", "education")
PAY = "salary"
LATER = ("occupation", "race", "workclass", "native-country")
PLAIN = {"workclass": "employer", "native-country": "country of birth"}
ROWS, K = 8, 2
OWN = PALETTE[1]  # the color of a person on the list
MANY = 1 / 4  # share of all people that should be alone
SAID = {"<=50K": "at most 50,000 dollars", ">50K": "more than 50,000 dollars"}
PAID = {"<=50K": "≤ 50,000", ">50K": "> 50,000"}


@dataclass(frozen=True, eq=False)
class Little:
    """A few true records, and a list of the same people under invented names."""

    records: pd.DataFrame  # age, sex, education and salary
    names: pd.DataFrame  # name, age, sex and education, in another order
    # alone, pair: two people on the list: one with one matching record, and one with two that differ in salary
    alone: int
    pair: int

    def fits(self, person: int) -> list[int]:
        """The records that could be this person's."""
        same = (self.records[list(KNOWN)] == self.names.loc[person, list(KNOWN)]).all(axis=1)
        return np.flatnonzero(same).tolist()


@cache
def adult() -> kanon.Table:
    """The records, with everything that an outsider may know as quasi-identifiers."""
    return sample("adult-fine", quasi_identifiers=[*KNOWN, *LATER])


def little(frame: pd.DataFrame) -> Little:
    """The first sample of records with one pair of identical people who earn differently, and no other pair."""
    seed = 0
    while True:
        rng = np.random.default_rng(seed)
        rows = frame.iloc[np.sort(rng.choice(len(frame), ROWS, replace=False))].reset_index(drop=True)
        alike = rows.duplicated(list(KNOWN), keep=False)
        if alike.sum() == 2 and rows.loc[alike, PAY].nunique() == 2:
            break
        seed += 1
    rows = rows[[*KNOWN, PAY]]
    names = synthetic_voters(rows[list(KNOWN)], seed)
    draft = Little(rows, names, 0, 0)
    count = [len(draft.fits(person)) for person in range(ROWS)]
    return Little(rows, names, count.index(1), count.index(2))


def scenes() -> Iterator[SceneParts]:
    """Two people are found, then everyone, and then a group."""
    table = adult()
    small = little(table.frame)
    yield _find(small, small.alone, "A list with names next to a release without names")
    yield _find(small, small.pair, "The same tables, with another person marked")
    yield _everybody(table)
    yield _grouped(small)


def _row(place: int) -> str:
    return f"row {place + 1}"


def _shown(records: pd.DataFrame) -> pd.DataFrame:
    return records.assign(**{PAY: records[PAY].map(lambda word: PAID.get(word, word))})


def _two_tables(small: Little, person: int, label: str) -> str:
    names = small.names.copy()
    marked = small.names.index == person
    left = drawn_table(
        "A list with names", names, 0, 60, (132, 54, 88, 156), fill=lambda place: OWN if marked[place] else None
    )
    right = drawn_table("The release", _shown(small.records), 455, 60, (54, 88, 156, 142), name=_row)
    return svg(label, left, right, height=480)


def _find(small: Little, person: int, label: str) -> SceneParts:
    name, fitting = escape(str(small.names.loc[person, "name"])), small.fits(person)
    pay = [SAID[str(small.records.loc[row, PAY])] for row in fitting]
    ask = Pick(frozenset(map(_row, fitting)), every=len(fitting) > 1)
    values = {"rows": ROWS, "name": name, "fitting": len(fitting), "pay": pay if ask.every else pay[0]}
    return Scene(_two_tables(small, person, label), ask), values


def _everybody(table: kanon.Table) -> SceneParts:
    columns = [*KNOWN, *LATER]
    total = len(table)
    alone = [
        int((Released(table.frame, tuple(columns[:count])).sizes == 1).sum()) for count in range(1, len(columns) + 1)
    ]
    states = []
    for count, lonely in enumerate(alone, 1):
        names = [PLAIN.get(name, name) for name in columns[:count]]
        percent = 100 * lonely / total
        words = f"With {enumerated(names)}, <b>{lonely:,} of {total:,}</b> people are alone: {percent:.1f} %."
        marked = "".join(MARKED if place < round(percent) else FAINT for place in range(100))
        states.append(LessonState(counted(count, "column"), _known(names), words, marked))
    enough = next(place for place, lonely in enumerate(alone) if lonely > MANY * total)
    picture = svg("How many people have values that nobody else has, as the attacker learns more", _crowd())
    values: Values = {"total": total, "columns": enough + 1, "alone": alone[enough]}
    values |= {"fewer": enough, "alone_with_fewer": alone[enough - 1]}
    return Scene(picture, Drag(frozenset({states[enough].name})), tuple(states)), values


def _crowd() -> str:
    """A hundred people."""
    people = []
    for place in range(100):
        x, y = 40 + place % 20 * 42, 60 + place // 20 * 66
        people.append(
            element("path", d=f"M{x - 9} {y}a9 9 0 1 1 18 0a9 9 0 1 1 -18 0zM{x - 14} {y + 32}a14 18 0 0 1 28 0z")
        )
    note = "Each figure stands for 1 % of the people. Orange figures are people who are alone."
    return element("g", "".join(people), class_="area") + words_at(40, 430, note, "dim")


def _known(columns: list[str]) -> str:
    parts = [words_at(40, 480, "Known:", "strong")]
    for place, name in enumerate(columns):
        x, y = 140 + place % 4 * 190, 480 + place // 4 * 50
        parts += [box(x - 12, y - 27, 182, 38, class_="cell", rx=8), words_at(x, y, name)]
    return "".join(parts)


def little_release(small: Little) -> tuple[kanon.Table, kanon.Generalization, Released]:
    """These records in groups."""
    table = kanon.Table(small.records, list(KNOWN), orders={"education": adult().domains[KNOWN.index("education")]})
    g = kanon.generalize(table, K, "mondrian")
    return table, g, released_of(table, g, [PAY], [PAY])


def shown_release(release: Released) -> pd.DataFrame:
    """The release with shorter words, as in the picture."""
    frame = _shown(release.frame)
    return frame.assign(education=frame["education"].str.replace(r" \(\d+ values\)", "", regex=True))


def _grouped(small: Little) -> SceneParts:
    _, g, release = little_release(small)
    outcome = linking(release, Knowledge(small.names))
    one = small.names.loc[small.alone]
    knowledge = small.names.loc[[small.alone], list(KNOWN)]
    candidates = Candidates.of([fits_of(release, knowledge, match) for match in matches(release, knowledge)])
    ((_, fitting),) = candidates.blocks()
    right = np.flatnonzero(fitting[0][candidates.classes]).tolist()
    least = outcome.figures["fewest records that fit any one person"]
    entry = ", ".join(str(one[column]) for column in ("name", *KNOWN))
    picture = svg(
        "The release in groups",
        box(0, 8, 900, 44, fill=OWN, rx=6),
        words_at(14, 38, f"On the list: {entry}", "onfill"),
        drawn_table(f"The release, k = {K}", shown_release(release), 0, 106, (150, 150, 400, 200), name=_row),
        height=530,
    )
    values: Values = {"name": escape(str(one["name"])), "g": g, "least": least, "fitting": len(right)}
    values["certain"] = outcome.figures["“salary” certain"]
    return Scene(picture, Pick(frozenset(map(_row, right)), every=True)), values
