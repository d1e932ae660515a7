"""Lesson 5: one cut for all records of a table, or cuts for some of them."""

from __future__ import annotations

from functools import cache

import numpy as np

import kanon_engine as kanon
from kanon_engine.teaching.lessons import Drag, Feedback, Lesson, Pick, Scene, State
from kanon_engine.teaching.lessons.drawing import (
    Box,
    DotPlane,
    ages_and_schools,
    boxes_of,
    element,
    item,
    spans,
    svg,
    told,
)

K = 100
KS = (25, 50, K, 250)


@cache
def single(k: int) -> kanon.Generalization:
    """The best release by cuts that go through the whole table; nobody is left out."""
    return kanon.generalize(ages_and_schools(), k, "k-optimize", suppression_limit=0)


@cache
def local(k: int) -> kanon.Generalization:
    """A release by boxes that are each cut in their own way."""
    return kanon.generalize(ages_and_schools(), k, "local-cuts")


def lesson(name: str, title: str) -> Lesson:
    """Build it from the samples."""
    plane = DotPlane(ages_and_schools())
    line = tempting(plane, grid(K))
    return Lesson(
        name=name,
        title=title,
        about="Why a cut that helps here can be forbidden there, and what it costs to cut freely.",
        minutes=5,
        scenes=(_forbidden(plane, line), _allowed(plane, line), _every_k(plane), _price(plane)),
        remember=(
            "A <b>single cut</b> divides a column in the same way for everybody. One thin corner of the table can "
            "forbid it everywhere.",
            "<b>Local cuts</b> divide each box on its own. Groups become smaller, and the promise of k stays.",
            "The price: the same age is shown as different ranges in different records, so tables by age are harder "
            "to make.",
        ),
        sources="Records: Adult, US census of 1994 (Becker and Kohavi 1996, CC BY 4.0). Single cuts: Bayardo and "
        "Agrawal 2005. Boxes: "
        "LeFevre, DeWitt, Ramakrishnan 2006.",
    )


def grid(k: int) -> tuple[list[int], list[int]]:
    """Where the single cuts are: positions of ages and of educations at which an interval begins."""
    cuts = single(k).details.cuts.tolist()
    ages, schools = ([position for column, position in cuts if column == own] for own in (0, 1))
    return ages, schools


def cells(plane: DotPlane, ages: list[int], schools: list[int]) -> list[Box]:
    """The boxes of a grid that hold somebody."""
    wide, high = map(len, plane.table.domains)
    every = [Box(one, other) for one in spans(ages, wide) for other in spans(schools, high)]
    return [box for box in every if plane.held(box)]


def halves(plane: DotPlane, box: Box, line: int) -> tuple[int, int]:
    """How many records of a box lie before and after a line between ages."""
    (west, east), schools = box.ages, box.schools
    return plane.held(Box((west, line - 1), schools)), plane.held(Box((line, east), schools))


def tempting(plane: DotPlane, cuts: tuple[list[int], list[int]]) -> int:
    """The further cut of the ages that the fewest cells forbid."""
    ages, schools = cuts
    broken = {
        line: sum(plane.held(box) < K for box in cells(plane, sorted([*ages, line]), schools))
        for line in range(1, len(plane.table.domains[0]))
        if line not in ages
    }
    return min(broken, key=broken.__getitem__)


def _name(box: Box) -> str:
    return "-".join(map(str, (*box.ages, *box.schools)))


def _chosen(plane: DotPlane, boxes: list[Box], words: list[str]) -> str:
    """Boxes that can be chosen, under the dots."""
    drawn = [
        item(_name(box), f"{plane.words(box)}: {own}", element("rect", **plane.corners(box), class_="clear"))
        for box, own in zip(boxes, words, strict=True)
    ]
    return "".join(drawn)


def _lines(plane: DotPlane, cuts: tuple[list[int], list[int]]) -> str:
    ages, schools = cuts
    return "".join([*map(plane.upright, ages), *map(plane.level, schools)])


def _forbidden(plane: DotPlane, line: int) -> Scene:
    ages, schools = cuts = grid(K)
    g = single(K)
    beside = [box for box in cells(plane, sorted([*ages, line]), schools) if line in (box.ages[0], box.ages[1] + 1)]
    held = [plane.held(box) for box in beside]
    thin = [box for box, own in zip(beside, held, strict=True) if own < K]
    right = frozenset(map(_name, thin))
    least = min(held)
    return Scene(
        "A line through everything",
        (
            f"{len(plane.table):,} people by age and education; a dot is as large as there are people. The lines are "
            f"<b>single cuts</b>: each "
            f"goes through the whole table. They make {g.classes} groups of at least k = {K}, and it is proven that "
            f"no single cuts cost less.",
            "The dashed line would show ages more finely. Why is it not there?",
        ),
        svg(
            "People by age and education, with cuts through the whole table",
            plane.ground(), _lines(plane, cuts), plane.upright(line, "newcut"),
            _chosen(plane, beside, [f"{own:,} people" for own in held]),
        ),
        Pick(
            f"Click a box beside the dashed line that would hold <b>fewer than {K}</b> people.",
            right,
            Feedback(
                f"{'It is the only one' if len(thin) == 1 else f'There are {len(thin)} of them'} among {len(beside)} "
                f"boxes; the smallest "
                f"would hold {least:,}. So the line is forbidden everywhere, also where there are enough people.",
                f"That box holds {K} people or more. Look where the dots are small.",
            ),
        ),
    )  # fmt: skip


def _allowed(plane: DotPlane, line: int) -> Scene:
    ages, schools = cuts = grid(K)
    crossed = [box for box in cells(plane, ages, schools) if box.ages[0] < line <= box.ages[1]]
    both = [halves(plane, box, line) for box in crossed]
    good = [box for box, (west, east) in zip(crossed, both, strict=True) if min(west, east) >= K]
    return Scene(
        "Cut only where it can be",
        (
            "Nobody says that a cut must go through everything. A <b>local cut</b> divides one box and leaves the "
            "others as they are.",
            "Point at a box that the dashed line crosses: you read how many people would lie on each side.",
        ),
        svg(
            "The same, one box to be cut",
            plane.ground(), _lines(plane, cuts), plane.upright(line, "newcut"),
            _chosen(plane, crossed, [f"{west:,} on the left, {east:,} on the right" for west, east in both]),
        ),
        Pick(
            "Click a box in which the dashed line <b>may</b> cut.",
            frozenset(map(_name, good)),
            Feedback(
                f"Both sides keep {K} people. {len(good)} of the {len(crossed)} boxes that the line crosses can be "
                f"cut here, one by one.",
                f"One side would hold fewer than {K} people. Both must have {K} or more.",
            ),
        ),
    )  # fmt: skip


def _boxes(plane: DotPlane, g: kanon.Generalization) -> str:
    return "".join(
        told(
            f"{plane.words(box)}: {weight:,} people",
            element("rect", **plane.corners(box), class_="cut clear"),
        )
        for box, weight in zip(boxes_of(g), g.class_weights.tolist(), strict=True)
    )


def _every_k(plane: DotPlane) -> Scene:
    people = len(plane.table)
    states, times = [], []
    for k in KS:
        one, other = single(k), local(k)
        times.append(other.classes / one.classes)
        states.append(
            State(
                f"{k:,}",
                _boxes(plane, other),
                f"Single cuts: {one.classes} groups. <b>Local cuts: {other.classes} groups</b>, {times[-1]:.2f} times "
                f"as many.",
            )
        )
    best = int(np.argmax(times))
    one, other = single(KS[best]), local(KS[best])
    return Scene(
        "Every box its own cuts",
        (
            f"Here kanon cut every box on its own, for as long as both sides keep k people. The single cuts of before "
            f"made {single(K).classes} "
            f"groups at k = {K}.",
        ),
        svg("Boxes of local cuts", plane.ground()),
        Drag(
            "Drag to the k at which local cuts gain <b>most</b>: where they make the most groups for each group of "
            "single cuts.",
            frozenset({states[best].name}),
            Feedback(
                f"At k = {states[best].name} it is {other.classes} groups instead of {one.classes}. The group that a "
                f"person shares has "
                f"{other.cost / people:,.0f} people on average, with single cuts {one.cost / people:,.0f}.",
                "The line below the slider says how many times as many. Try all of them.",
            ),
        ),
        tuple(states),
        "k",
    )


def busiest(plane: DotPlane, boxes: list[Box]) -> int:
    """The age that people show as the most different ranges."""
    shown = [
        len({box.ages for box in boxes if box.ages[0] <= age <= box.ages[1]})
        for age in range(len(plane.table.domains[0]))
    ]
    return int(np.argmax(shown))


def _price(plane: DotPlane) -> Scene:
    g = local(K)
    boxes = boxes_of(g)
    age = busiest(plane, boxes)
    crossed = [box for box in boxes if box.ages[0] <= age <= box.ages[1]]
    wide = max(box.ages[1] - box.ages[0] for box in crossed)
    widest = [box for box in crossed if box.ages[1] - box.ages[0] == wide]
    ranges = len({box.ages for box in crossed})
    name = plane.table.domains[0][age]
    strip = element("rect", **plane.corners(Box((age, age), (0, len(plane.table.domains[1]) - 1))), class_="shut")
    return Scene(
        "What it costs",
        (
            f"People aged <b>{name}</b> lie in the orange strip. With single cuts all of them show the same range of "
            f"ages.",
            "With local cuts it depends on their education: each shows the width of its box.",
        ),
        svg(
            f"Boxes of local cuts, with the people aged {name}",
            strip, plane.ground(), _boxes(plane, g),
            _chosen(plane, crossed, ["shown for everybody in this box"] * len(crossed)),
        ),
        Pick(
            "Click a box in which they show the <b>widest</b> range of ages.",
            frozenset(map(_name, widest)),
            Feedback(
                f"In it somebody aged {name} shows as “{plane.words(widest[0]).split(',')[0]}”. The release shows "
                f"these people in {ranges} "
                "different ranges, so nobody can count them by age without guessing.",
                "Another box that the strip crosses is wider.",
            ),
        ),
    )  # fmt: skip
