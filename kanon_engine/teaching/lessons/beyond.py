"""Lesson 6: what k-anonymity does not protect."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape

import numpy as np

import kanon_engine as kanon
from kanon_engine.model.generalization import members_of
from kanon_engine.teaching.lessons import Drag, LessonState, Pick, Scene, SceneParts, Type, Values, linking, overfull
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
TOLD = "Orange: counties whose births both releases together reveal exactly."
OWN = "1"  # the color of the current group


@cache
def boxed(k: int, different: int = 1) -> kanon.Generalization:
    """Boxes of ages and educations with at least l distinct salaries each."""
    require = [kanon.Diversity(linking.PAY, different)] if different > 1 else []
    return kanon.generalize(ages_and_schools(), k, "mondrian", require=require)


@cache
def twice(k: int) -> tuple[kanon.Generalization, kanon.Generalization]:
    """Two groupings of the same counties that both keep k."""
    return kanon.generalize(overfull.births(), k, "tree-split"), overfull.grouped(k)


def scenes() -> Iterator[SceneParts]:
    """A group with a single salary, all k, two releases, and what helps."""
    yield _alike()
    yield _every_k()
    yield _difference()
    yield _remedy()


def _certain(salaries: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """(classes,) bool: whether all records of a class have one salary."""
    return np.array([len(set(salaries[members])) == 1 for members in members_of(classes)])


def _alike() -> SceneParts:
    small = linking.little(linking.adult().frame)
    _, g, release = linking.little_release(small)
    certain = _certain(release.frame[linking.PAY].to_numpy(), release.classes)
    records = linking.shown_release(release)
    rows = np.flatnonzero(certain[release.classes]).tolist()
    paid = linking.SAID[str(release.frame[linking.PAY].iloc[rows[0]])]
    values = {"people": len(records), "g": g, "paid": paid, "known": len(rows)}
    title, widths = f"The release, k = {linking.K}", (150, 150, 400, 200)
    picture = drawn_table(title, records, 0, 60, widths, name=lambda row: f"row {row + 1}")
    ask = Pick(frozenset(f"row {row + 1}" for row in rows))
    return Scene(svg("A release in groups", picture, height=470), ask), values


def _every_k() -> SceneParts:
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
                f"{plane.words(box)}: {weight:,} people, "
                f"{'all with the same salary' if alike else 'with both salaries'}",
                element("rect", **plane.corners(box), class_="cut shut" if alike else "cut clear"),
            )
            for box, weight, alike in zip(boxes_of(g), g.class_weights.tolist(), certain.tolist(), strict=True)
        ]
        words = f"{g.classes} groups; in <b>{groups}</b> of them everyone earns the same: <b>{records:,} people</b>."
        states.append(LessonState(f"{k:,}", "".join(drawn), words))
    safe = next(place for place, records in enumerate(people) if records == 0)
    cure = boxed(KS[0], L)
    left = int(cure.class_weights[_certain(salaries, cure.assignment)].sum())
    values: Values = {
        "people": len(table),
        "safe": states[safe].name,
        "groups": boxed(KS[safe]).classes,
        "l": L,
        "cure": cure,
    }
    values["left"] = f"{left:,} people" if left else "nobody"
    picture = svg("Groups by age and education", plane.ground())
    return Scene(picture, Drag(frozenset({states[safe].name})), tuple(states)), values


def nested(first: kanon.Generalization, second: kanon.Generalization) -> tuple[int, int, int]:
    """A class of the first, a class of the second with one more item, and that item, the lightest possible."""
    pairs = []
    weights = overfull.births().weights
    for one in range(first.classes):
        members = set(np.flatnonzero(first.assignment == one).tolist())
        for other in range(second.classes):
            more = set(np.flatnonzero(second.assignment == other).tolist())
            if members < more and len(more - members) == 1:
                (place,) = more - members
                pairs.append((int(weights[place]), one, other, place))
    _, one, other, place = min(pairs)
    return one, other, place


def _two_maps(marks: tuple[int, int]) -> str:
    areas = overfull.births()
    parts = []
    for g, mark, top, title in zip(twice(TWICE_K), marks, (0, 310), ("A", "B"), strict=True):
        sheet = Sheet(areas, 130, top, WIDTH - 130, 300)
        labels, sums = g.assignment.tolist(), g.class_weights.tolist()
        label = [
            f"{title}: the group of {areas.label(place)} has {sums[labels[place]]:,} births"
            for place in range(len(areas))
        ]
        colors = "".join(OWN if number == mark else PALE for number in labels)
        parts += [sheet.filled(colors, label.__getitem__), sheet.outlines(g.assignment)]
        parts += [
            words_at(0, top + 40, f"Release {title}", "strong"),
            words_at(0, top + 70, f"{g.classes} groups", "dim"),
        ]
    return svg("Two releases of the same counties", *parts)


def _difference() -> SceneParts:
    areas = overfull.births()
    first, second = twice(TWICE_K)
    one, other, place = nested(first, second)
    county = escape(areas.label(place))
    less, more = int(first.class_weights[one]), int(second.class_weights[other])
    values = {"k": TWICE_K, "county": county, "more": more, "less": less, "difference": more - less}
    return Scene(_two_maps((one, other)), Type(float(more - less), unit="births")), values


def lone(intersection: kanon.Intersection) -> list[int]:
    """The counties whose births two releases reveal exactly."""
    first, second = twice(TWICE_K)
    cells = intersection.cells[intersection.cells["exact"] & (intersection.cells["items"] == 1)]
    pairs = set(zip(cells["group"].tolist(), cells["other_group"].tolist(), strict=True))
    classes = zip((first.assignment + 1).tolist(), (second.assignment + 1).tolist(), strict=True)
    return [place for place, pair in enumerate(classes) if pair in pairs]


def _told(intersection: kanon.Intersection) -> str:
    areas = overfull.births()
    exact = set(lone(intersection))
    colors = "".join(MARKED if place in exact else PALE for place in range(len(areas)))
    label = [
        f"{areas.label(place)}{': its births are revealed exactly' if place in exact else ''}"
        for place in range(len(areas))
    ]
    return Sheet(areas, 0, 40, WIDTH, 480).filled(colors, label.__getitem__)


def _remedy() -> SceneParts:
    areas = overfull.births()
    now = kanon.intersect(areas, *twice(TWICE_K))
    larger = kanon.intersect(areas, *twice(LARGER_K))
    choices = {
        "larger": f"Make both releases with k = {LARGER_K:,}",
        "random": "Remove the county codes and publish only the maps",
        "one": "Publish only one of the two releases",
    }
    values = {"now": now, "k": TWICE_K, "larger_k": LARGER_K, "larger": larger}
    picture = svg("Counties whose births the two releases together reveal", _told(now), words_at(0, 560, TOLD, "dim"))
    return Scene(picture, Pick(frozenset({"one"}), choices=choices)), values
