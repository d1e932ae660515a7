"""Lesson 5: one cut for all records of a table, or cuts for some of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

import kanon_engine as kanon
from kanon_engine.teaching.lessons import Drag, LessonState, Pick, Scene, SceneParts, Values
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
    """The best release by cuts through the whole table, with nobody left out."""
    return kanon.generalize(ages_and_schools(), k, "k-optimize", metric="DM", suppression_limit=0)


@cache
def local(k: int) -> kanon.Generalization:
    """A release by boxes that are each cut on their own."""
    return kanon.generalize(ages_and_schools(), k, "local-cuts", metric="DM")


def scenes() -> Iterator[SceneParts]:
    """A forbidden cut, the same cut where it is allowed, boxes at all k, and their price."""
    plane = DotPlane(ages_and_schools())
    line = tempting(plane, grid(K))
    yield _forbidden(plane, line)
    yield _allowed(plane, line)
    yield _every_k(plane)
    yield _price(plane)


def grid(k: int) -> tuple[list[int], list[int]]:
    """The single cuts: positions of ages and of educations at which an interval begins."""
    cuts = single(k).details.cuts.tolist()
    ages, schools = ([position for column, position in cuts if column == axis] for axis in (0, 1))
    return ages, schools


def cells(plane: DotPlane, ages: list[int], schools: list[int]) -> list[Box]:
    """The nonempty boxes of a grid."""
    wide, high = map(len, plane.table.domains)
    every = [Box(one, other) for one in spans(ages, wide) for other in spans(schools, high)]
    return [box for box in every if plane.held(box)]


def halves(plane: DotPlane, box: Box, line: int) -> tuple[int, int]:
    """The numbers of records of a box before and after a line between ages."""
    (west, east), schools = box.ages, box.schools
    return plane.held(Box((west, line - 1), schools)), plane.held(Box((line, east), schools))


def tempting(plane: DotPlane, cuts: tuple[list[int], list[int]]) -> int:
    """The additional age cut that the fewest cells forbid."""
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
        item(_name(box), f"{plane.words(box)}: {text}", element("rect", **plane.corners(box), class_="clear"))
        for box, text in zip(boxes, words, strict=True)
    ]
    return "".join(drawn)


def _lines(plane: DotPlane, cuts: tuple[list[int], list[int]]) -> str:
    ages, schools = cuts
    return "".join([*map(plane.upright, ages), *map(plane.level, schools)])


def _forbidden(plane: DotPlane, line: int) -> SceneParts:
    ages, schools = cuts = grid(K)
    adjacent = [box for box in cells(plane, sorted([*ages, line]), schools) if line in (box.ages[0], box.ages[1] + 1)]
    counts = [plane.held(box) for box in adjacent]
    thin = [box for box, count in zip(adjacent, counts, strict=True) if count < K]
    words = "This box is the only one that is too small" if len(thin) == 1 else f"{len(thin)} boxes are too small"
    picture = svg(
        "People by age and education, with cuts through the whole table",
        plane.ground(),
        _lines(plane, cuts),
        plane.upright(line, "newcut"),
        _chosen(plane, adjacent, [f"{count:,} people" for count in counts]),
    )
    values = {"people": len(plane.table), "g": single(K), "thin": words, "beside": len(adjacent), "least": min(counts)}
    return Scene(picture, Pick(frozenset(map(_name, thin)))), values


def _allowed(plane: DotPlane, line: int) -> SceneParts:
    ages, schools = cuts = grid(K)
    crossed = [box for box in cells(plane, ages, schools) if box.ages[0] < line <= box.ages[1]]
    both = [halves(plane, box, line) for box in crossed]
    good = [box for box, (west, east) in zip(crossed, both, strict=True) if min(west, east) >= K]
    picture = svg(
        "The same picture, with one box to cut",
        plane.ground(),
        _lines(plane, cuts),
        plane.upright(line, "newcut"),
        _chosen(plane, crossed, [f"{west:,} on the left, {east:,} on the right" for west, east in both]),
    )
    return Scene(picture, Pick(frozenset(map(_name, good)))), {"k": K, "good": len(good), "crossed": len(crossed)}


def _boxes(plane: DotPlane, g: kanon.Generalization) -> str:
    return "".join(
        told(f"{plane.words(box)}: {weight:,} people", element("rect", **plane.corners(box), class_="cut clear"))
        for box, weight in zip(boxes_of(g), g.class_weights.tolist(), strict=True)
    )


def _every_k(plane: DotPlane) -> SceneParts:
    people = len(plane.table)
    states, times = [], []
    for k in KS:
        one, other = single(k), local(k)
        times.append(other.classes / one.classes)
        words = f"Cuts of whole columns: {one.classes} groups. <b>Local cuts: {other.classes} groups</b>, "
        states.append(LessonState(f"{k:,}", _boxes(plane, other), f"{words}{times[-1]:.2f} times as many."))
    best = int(np.argmax(times))
    one, other = single(KS[best]), local(KS[best])
    values: Values = {"before": single(K), "best": states[best].name, "local": other, "single": one}
    values |= {"with_local": other.cost / people, "with_single": one.cost / people}
    picture = svg("Boxes of local cuts", plane.ground())
    return Scene(picture, Drag(frozenset({states[best].name})), tuple(states)), values


def busiest(plane: DotPlane, boxes: list[Box]) -> int:
    """The age that is shown as the most different ranges."""
    ranges = [
        len({box.ages for box in boxes if box.ages[0] <= age <= box.ages[1]})
        for age in range(len(plane.table.domains[0]))
    ]
    return int(np.argmax(ranges))


def _price(plane: DotPlane) -> SceneParts:
    g = local(K)
    boxes = boxes_of(g)
    age = busiest(plane, boxes)
    crossed = [box for box in boxes if box.ages[0] <= age <= box.ages[1]]
    wide = max(box.ages[1] - box.ages[0] for box in crossed)
    widest = [box for box in crossed if box.ages[1] - box.ages[0] == wide]
    ranges = len({box.ages for box in crossed})
    name = plane.table.domains[0][age]
    strip = element("rect", **plane.corners(Box((age, age), (0, len(plane.table.domains[1]) - 1))), class_="shut")
    picture = svg(
        f"Boxes of local cuts, with the people aged {name}",
        strip,
        plane.ground(),
        _boxes(plane, g),
        _chosen(plane, crossed, ["shown for everyone in this box"] * len(crossed)),
    )
    values = {"age": name, "widest": plane.words(widest[0]).split(",")[0], "ranges": ranges}
    return Scene(picture, Pick(frozenset(map(_name, widest)))), values
