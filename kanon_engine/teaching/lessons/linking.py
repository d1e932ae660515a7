"""Lesson 1: names were taken out of a table, and people are found in it all the same."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
import pandas as pd

import kanon_engine as kanon
from kanon_engine.model.words import enumerated
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.linking import linking
from kanon_engine.risk.attacks.matching import Candidates, fits_of, matches
from kanon_engine.risk.attacks.voters import made_up_voters
from kanon_engine.teaching.lessons import Drag, Feedback, Lesson, Pick, Scene, State
from kanon_engine.teaching.lessons.drawing import FAINT, MARKED, box, drawn_table, element, svg, words_at
from kanon_engine.teaching.studies import sample

KNOWN = ("age", "sex", "education")
PAY = "salary"
LATER = ("occupation", "race", "workclass", "native-country")
PLAIN = {"workclass": "employer", "native-country": "country of birth"}
ROWS, K = 8, 2
OWN = "#f0bf5c"  # the colour of a person on the list
MANY = 1 / 4  # of all people: how many shall be alone
SAID = {"<=50K": "at most 50,000 dollars", ">50K": "more than 50,000 dollars"}
PAID = {"<=50K": "≤ 50,000", ">50K": "> 50,000"}


@dataclass(frozen=True, eq=False)
class Little:
    """A few true records, and a list of the same people under invented names."""

    records: pd.DataFrame  # age, sex, education and salary
    names: pd.DataFrame  # name, age, sex and education, in another order
    # alone, pair: two people of the list: one whom one record fits, and one whom two fit that differ in salary
    alone: int
    pair: int

    def fits(self, person: int) -> list[int]:
        """The records that can be this person's."""
        same = (self.records[list(KNOWN)] == self.names.loc[person, list(KNOWN)]).all(axis=1)
        return np.flatnonzero(same).tolist()


@cache
def adult() -> kanon.Table:
    """The records, with all that an outsider may know as quasi-identifiers."""
    return sample("adult-fine", quasi_identifiers=[*KNOWN, *LATER])


def little(frame: pd.DataFrame) -> Little:
    """The first sample of records that holds one pair of people alike who earn differently, and nobody else alike."""
    seed = 0
    while True:
        rng = np.random.default_rng(seed)
        rows = frame.iloc[np.sort(rng.choice(len(frame), ROWS, replace=False))].reset_index(drop=True)
        alike = rows.duplicated(list(KNOWN), keep=False)
        if alike.sum() == 2 and rows.loc[alike, PAY].nunique() == 2:
            break
        seed += 1
    rows = rows[[*KNOWN, PAY]]
    names = made_up_voters(rows[list(KNOWN)], seed)
    found = Little(rows, names, 0, 0)
    count = [len(found.fits(person)) for person in range(ROWS)]
    return Little(rows, names, count.index(1), count.index(2))


def lesson(name: str, title: str) -> Lesson:
    """Build it from the samples."""
    table = adult()
    small = little(table.frame)
    return Lesson(
        name=name,
        title=title,
        about="A table without names, a list with names, and what joining them tells.",
        minutes=5,
        scenes=(*_find(small), _everybody(table), _grouped(small)),
        remember=(
            "Taking out names does not make data anonymous. What others know about a person points to the record.",
            "Such columns are called <b>quasi-identifiers</b>: age, sex and education here, often a zip code and a "
            "birth date.",
            "<b>k-anonymity</b> makes every record look like at least k − 1 others in these columns, so a list of "
            "names "
            "never leads to fewer than k records.",
        ),
        sources="Records: Adult, US census of 1994 (Becker and Kohavi 1996, CC BY 4.0). The names are made up. "
        "The attack: Sweeney 2002.",
    )


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


def _find(small: Little) -> tuple[Scene, Scene]:
    one, two = (escape(str(small.names.loc[person, "name"])) for person in (small.alone, small.pair))
    (hit,), both = small.fits(small.alone), small.fits(small.pair)
    pay = [SAID[word] for word in small.records[PAY]]
    first = Scene(
        "Who is who?",
        (
            f"An office publishes what {ROWS} people earn. It took the names out: the table on the right is <b>the "
            f"release</b>.",
            "Somebody else has a list of the same people, as registers of voters are. It has names, and nothing "
            "secret.",
        ),
        _two_tables(small, small.alone, "A list with names beside a release without"),
        Pick(
            f"<b>{one}</b> is marked on the list. Click this person's record in the release.",
            frozenset({_row(hit)}),
            Feedback(
                f"Only this record has the same age, sex and education. {one} earns {pay[hit]}, and now "
                f"everybody with "
                "the list knows. This is a <b>linking attack</b>.",
                "That record differs from the list in age, sex or education. Compare all three.",
            ),
        ),
    )
    second = Scene(
        "Two who look alike",
        ("Somebody with several records that fit is better off. The attacker cannot tell which one it is.",),
        _two_tables(small, small.pair, "The same tables, another person marked"),
        Pick(
            f"Now <b>{two}</b>. Click every record that can be this person's, then check.",
            frozenset(map(_row, both)),
            Feedback(
                f"Both have this age, sex and education. One earns {pay[both[0]]}, the other {pay[both[1]]}: a guess "
                f"is right "
                f"one time in {len(both)}. Nobody learns what {two} earns.",
                "One of your records differs from the list in age, sex or education.",
                {"too few": "All of these fit, and there is another one.", "none": "Click rows of the release first."},
            ),
            every=True,
        ),
    )
    return first, second


def _everybody(table: kanon.Table) -> Scene:
    columns = [*KNOWN, *LATER]
    total = len(table)
    alone = [
        int((Released(table.frame, tuple(columns[:count])).sizes == 1).sum()) for count in range(1, len(columns) + 1)
    ]
    states = []
    for count, lonely in enumerate(alone, 1):
        known = [PLAIN.get(name, name) for name in columns[:count]]
        states.append(
            State(
                f"{count} column{'s' * (count > 1)}",
                _known(known),
                f"Who knows {enumerated(known)} finds <b>{lonely:,} of {total:,}</b> people alone: "
                f"{100 * lonely / total:.1f} %.",
                "".join(MARKED if place < round(100 * lonely / total) else FAINT for place in range(100)),
            )
        )
    enough = next(place for place, lonely in enumerate(alone) if lonely > MANY * total)
    return Scene(
        "How many are alone?",
        (
            f"Eight people are easy to find. Here are all {total:,} of the data. Somebody is <b>alone</b> when no "
            f"other record "
            "has the same values in the columns that the attacker knows.",
        ),
        svg("How many people are alone, as the attacker knows more", _crowd()),
        Drag(
            "None of these columns is a name. Drag to the <b>fewest columns</b> with which more than a quarter are "
            "alone.",
            frozenset({states[enough].name}),
            Feedback(
                f"{enough + 1} harmless columns, and {alone[enough]:,} people are one of a kind. With {enough} there "
                f"are "
                f"{alone[enough - 1]:,}.",
                "Look at the share. It shall be above 25 %, and with one column fewer it shall not.",
            ),
        ),
        tuple(states),
        "Columns that the attacker knows",
    )


def _crowd() -> str:
    """A hundred people."""
    people = []
    for place in range(100):
        x, y = 40 + place % 20 * 42, 60 + place // 20 * 66
        people.append(
            element("path", d=f"M{x - 9} {y}a9 9 0 1 1 18 0a9 9 0 1 1 -18 0zM{x - 14} {y + 32}a14 18 0 0 1 28 0z")
        )
    note = "Each figure stands for one person in a hundred; the orange ones are alone."
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
    """As the picture shows it: shorter words."""
    shown = _shown(release.frame)
    return shown.assign(education=shown["education"].str.replace(r" \(\d+ values\)", "", regex=True))


def _grouped(small: Little) -> Scene:
    _, g, release = little_release(small)
    found = linking(release, Knowledge(small.names))
    one = small.names.loc[small.alone]
    name = escape(str(one["name"]))
    known = small.names.loc[[small.alone], list(KNOWN)]
    candidates = Candidates.of([fits_of(release, known, match) for match in matches(release, known)])
    ((_, fitting),) = candidates.blocks()
    right = np.flatnonzero(fitting[0][candidates.classes]).tolist()
    least = found.figures["fewest records that fit somebody"]
    listed = ", ".join(str(one[column]) for column in KNOWN)
    picture = svg(
        "The release in groups",
        box(0, 8, 900, 44, fill=OWN, rx=6),
        words_at(14, 38, f"On the list: {one['name']}, {listed}", "onfill"),
        drawn_table(f"The release, k = {K}", shown_release(release), 0, 106, (150, 150, 400, 200), name=_row),
        height=530,
    )
    return Scene(
        "Say less, and hide in a group",
        (
            f"The office makes age, sex and education coarser, until every record has at least k = {K} that look the "
            f"same. "
            f"Now there are {g.classes} groups.",
            f"kanon ran the attack again with the whole list: everybody on it fits at least {least} records.",
        ),
        picture,
        Pick(
            f"Find <b>{name}</b> again. Click every record that can be this person's now.",
            frozenset(map(_row, right)),
            Feedback(
                f"{len(right)} records fit: the list leads to a group, not to a person. The price is that the release "
                f"says "
                f"less about everybody. And it is no cure for all: of {found.figures['“salary” certain']} people the "
                f"salary can "
                "still be read off, because all in their group earn alike. The last lesson is about that.",
                "A range such as 25–34 fits every age within it, “any” fits all. One of your records does not fit.",
                {"too few": "What you chose fits, and there is more.", "none": "Click rows of the release first."},
            ),
            every=True,
        ),
    )
