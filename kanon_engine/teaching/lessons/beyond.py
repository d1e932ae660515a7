"""Lesson 6: what k-anonymity does not protect."""

from __future__ import annotations

from functools import cache
from html import escape

import numpy as np

import kanon_engine as kanon
from kanon_engine.model.generalization import members_of
from kanon_engine.teaching.lessons import Drag, Feedback, Lesson, Pick, Scene, State, Type, linking, overfull
from kanon_engine.teaching.lessons.drawing import (
    MARKED,
    PALE,
    WIDTH,
    DotPlane,
    Sheet,
    ages_and_schools,
    boxes_of,
    drawn_table,
    element,
    svg,
    told,
    words_at,
)

KS = (5, 25, 100, 250)
L = 2
TWICE_K = 10_000
LARGER_K = 15_000
TOLD = "Orange: counties whose births follow exactly from both releases."
OWN = "1"  # the colour of a group that is looked at


@cache
def boxed(k: int, different: int = 1) -> kanon.Generalization:
    """Boxes of ages and educations, in each of which salaries take so many values."""
    require = [kanon.Diversity(linking.PAY, different)] if different > 1 else []
    return kanon.generalize(ages_and_schools(), k, "mondrian", require=require)


@cache
def twice(k: int) -> tuple[kanon.Generalization, kanon.Generalization]:
    """Two groupings of the same counties, each of which keeps k."""
    return kanon.generalize(overfull.births(), k, "tree-split"), overfull.grouped(k)


def lesson(name: str, title: str) -> Lesson:
    """Build it from the samples."""
    return Lesson(
        name=name,
        title=title,
        about="A group in which all are alike, and two releases that tell more than one.",
        minutes=5,
        scenes=(_alike(), _every_k(), _difference(), _remedy()),
        remember=(
            "<b>Homogeneity</b>: where everybody in a group has the same sensitive value, the group gives it away, "
            "however large it is.",
            "<b>l-diversity</b> asks besides that each group shows at least l different values.",
            "<b>Two releases</b> of the same people can be subtracted from each other. Publish one, or check them "
            "together first: kanon calls it "
            "<i>intersect</i>.",
        ),
        sources="Records: Adult, US census of 1994 (Becker and Kohavi 1996, CC BY 4.0). Births: Cressie 1993. "
        "Homogeneity: Machanavajjhala "
        "and others 2007. Composition: Ganta, Kasiviswanathan, Smith 2008.",
    )


def _certain(salaries: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """(classes,) bool: whether all records of a class have one salary."""
    return np.array([len(set(salaries[members])) == 1 for members in members_of(classes)])


def _alike() -> Scene:
    small = linking.little(linking.adult().frame)
    _, g, release = linking.little_release(small)
    certain = _certain(release.frame[linking.PAY].to_numpy(), release.classes)
    shown = linking.shown_release(release)
    rows = np.flatnonzero(certain[release.classes]).tolist()
    paid = linking.SAID[str(release.frame[linking.PAY].iloc[rows[0]])]
    return Scene(
        "All alike",
        (
            f"The release of the first lesson: {len(shown)} people in {g.classes} groups, k = {linking.K}. Rows with "
            f"the same age, sex and education are "
            "one group.",
            "An attacker who knows somebody's group cannot tell which row is whose. Does that always help?",
        ),
        svg(
            "A release in groups",
            drawn_table(
                f"The release, k = {linking.K}", shown, 0, 60, (150, 150, 400, 200), name=lambda row: f"row {row + 1}"
            ),
            height=470,
        ),
        Pick(
            "Click a row of a group that <b>gives its people's salary away</b>.",
            frozenset(f"row {row + 1}" for row in rows),
            Feedback(
                f"Everybody in this group earns {paid}. It does not matter which row is whose: {len(rows)} people's "
                f"salary is known. This is "
                "<b>homogeneity</b>.",
                "That group has different salaries, so knowing the group leaves a doubt.",
            ),
        ),
    )


def _every_k() -> Scene:
    table = ages_and_schools()
    plane, salaries = DotPlane(table), table.frame[linking.PAY].to_numpy()
    states, people = [], []
    for k in KS:
        g = boxed(k)
        certain = _certain(salaries, g.assignment)
        groups, records = int(certain.sum()), int(g.class_weights[certain].sum())
        people.append(records)
        drawn = [
            told(
                f"{plane.words(box)}: {weight:,} people, {'one salary' if alike else 'both salaries'}",
                element("rect", **plane.corners(box), class_="cut shut" if alike else "cut clear"),
            )
            for box, weight, alike in zip(boxes_of(g), g.class_weights.tolist(), certain.tolist(), strict=True)
        ]
        states.append(
            State(
                f"{k:,}",
                "".join(drawn),
                f"{g.classes} groups; in <b>{groups}</b> of them everybody earns alike: <b>{records:,} people</b>.",
            )
        )
    safe = next(place for place, records in enumerate(people) if records == 0)
    cure = boxed(KS[0], L)
    left = int(cure.class_weights[_certain(salaries, cure.assignment)].sum())
    return Scene(
        "Does a larger k help?",
        (
            f"All {len(table):,} people, by age and education, in boxes. In the orange boxes everybody has the same "
            f"salary, above or up to 50,000.",
        ),
        svg("Groups by age and education", plane.ground()),
        Drag(
            "Drag to the <b>smallest k</b> of these at which nobody's salary is certain.",
            frozenset({states[safe].name}),
            Feedback(
                f"Only at k = {states[safe].name}, and {boxed(KS[safe]).classes} groups are left. k is the wrong "
                f"tool. Ask for what you want: "
                f"<b>l-diversity</b> with l = {L} asks for {L} different salaries in every group. With k = {KS[0]} it "
                f"makes {cure.classes} groups, "
                f"and {f'{left:,} people' if left else 'nobody'}'s salary is certain.",
                "Some people's salary is still certain, or a smaller k does it too. Read the line below the slider.",
            ),
        ),
        tuple(states),
        "k",
    )


def nested(first: kanon.Generalization, second: kanon.Generalization) -> tuple[int, int, int]:
    """A class of the first, the class of the second that is this one and one item more, and that item, the lightest."""
    found = []
    weights = overfull.births().weights
    for one in range(first.classes):
        own = set(np.flatnonzero(first.assignment == one).tolist())
        for other in range(second.classes):
            more = set(np.flatnonzero(second.assignment == other).tolist())
            if own < more and len(more - own) == 1:
                (place,) = more - own
                found.append((int(weights[place]), one, other, place))
    _, one, other, place = min(found)
    return one, other, place


def _two_maps(marks: tuple[int, int]) -> str:
    areas = overfull.births()
    parts = []
    for g, mark, top, title in zip(twice(TWICE_K), marks, (0, 310), ("A", "B"), strict=True):
        sheet = Sheet(areas, 130, top, WIDTH - 130, 300)
        own, sums = g.assignment.tolist(), g.class_weights.tolist()
        label = [
            f"{title}: the group of {areas.label(place)} has {sums[own[place]]:,} births" for place in range(len(areas))
        ]
        colours = "".join(OWN if number == mark else PALE for number in own)
        parts += [sheet.filled(colours, label.__getitem__), sheet.outlines(g.assignment)]
        parts += [
            words_at(0, top + 40, f"Release {title}", "strong"),
            words_at(0, top + 70, f"{g.classes} groups", "dim"),
        ]
    return svg("Two releases of the same counties", *parts)


def _difference() -> Scene:
    areas = overfull.births()
    first, second = twice(TWICE_K)
    one, other, place = nested(first, second)
    county = escape(areas.label(place))
    less, more = int(first.class_weights[one]), int(second.class_weights[other])
    return Scene(
        "Two good releases",
        (
            f"Release A and release B are of the same counties, made by different methods. Both keep k = {TWICE_K:,} "
            f"births in every group.",
            f"The orange group of B is the orange group of A and <b>{county}</b>. Point at both to read their births.",
        ),
        _two_maps((one, other)),
        Type(
            f"How many births has {county} alone?",
            float(more - less),
            Feedback(
                f"{more:,} − {less:,} = {more - less:,}: far below k. Neither release tells it. Both together do.",
                "Read both orange groups and take the smaller number from the larger.",
            ),
            unit="births",
        ),
    )


def lone(found: kanon.Intersection) -> list[int]:
    """The counties whose births two releases tell exactly."""
    first, second = twice(TWICE_K)
    cells = found.cells[found.cells["exact"] & (found.cells["items"] == 1)]
    pairs = set(zip(cells["group"].tolist(), cells["other_group"].tolist(), strict=True))
    own = zip((first.assignment + 1).tolist(), (second.assignment + 1).tolist(), strict=True)
    return [place for place, pair in enumerate(own) if pair in pairs]


def _told(found: kanon.Intersection) -> str:
    areas = overfull.births()
    known = set(lone(found))
    colours = "".join(MARKED if place in known else PALE for place in range(len(areas)))
    label = [f"{areas.label(place)}{': told exactly' if place in known else ''}" for place in range(len(areas))]
    return Sheet(areas, 0, 40, WIDTH, 480).filled(colours, label.__getitem__)


def _remedy() -> Scene:
    areas = overfull.births()
    told_now = kanon.intersect(areas, *twice(TWICE_K))
    told_larger = kanon.intersect(areas, *twice(LARGER_K))
    choices = {
        "larger": f"Make both with k = {LARGER_K:,}",
        "random": "Take out the county codes and publish the maps alone",
        "one": "Publish only one of the two",
    }
    return Scene(
        "What would have helped?",
        (
            f"kanon compares both releases: {told_now.exposed} parts of their groups are shown to have fewer than "
            f"{TWICE_K:,} births, "
            f"{told_now.exact} of them exactly, and {told_now.single} of these are single counties.",
            "The office wants to publish safely.",
        ),
        svg("Counties whose births both releases tell", _told(told_now), words_at(0, 560, TOLD, "dim")),
        Pick(
            "Choose what is sure to help.",
            frozenset({"one"}),
            Feedback(
                "A release can be subtracted only from another one. Where two are needed, check them together before "
                "the second leaves: "
                "<i>kanon intersect</i>.",
                "",
                {
                    "larger": f"With k = {LARGER_K:,} there are still {told_larger.exposed} parts with fewer, "
                    f"{told_larger.exact} of them "
                    "exactly. Groups of different releases cross at any k.",
                    "random": "The maps show which counties lie in a group. Whoever sees both maps can subtract.",
                },
            ),
            choices=choices,
        ),
    )
