"""Lesson 2: what k requires of groups, and what the largest group costs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape

import numpy as np

import kanon_engine as kanon
from kanon_engine.plot.colors import PALETTE
from kanon_engine.teaching.lessons import Drag, LessonState, Pick, Scene, SceneParts, Type
from kanon_engine.teaching.lessons.drawing import (
    HEIGHT,
    MARKED,
    PALE,
    WIDTH,
    Sheet,
    box,
    element,
    group_colors,
    number,
    svg,
    words_at,
)
from kanon_engine.teaching.studies import sample

KEY = "north-carolina-births"
K = 5_000
ASKED = 30_000  # the k of the calculation by hand
KS = (K, 8_000, 10_000, 15_000, ASKED, 50_000, 83_000)
NEAR = 1.5  # the overfull ratio to get below by dragging
EFFORT = 0.1


@cache
def births() -> kanon.Regions:
    """The counties of North Carolina."""
    return sample(KEY)


@cache
def grouped(k: int) -> kanon.Generalization:
    """Connected groups of counties."""
    return kanon.generalize(births(), k, "recombine", effort=EFFORT)


def scenes() -> Iterator[SceneParts]:
    """Single counties, groups, a calculation by hand, and all k."""
    sheet = Sheet(births(), 0, 40, WIDTH, HEIGHT - 60)
    yield _alone(sheet)
    yield _largest(sheet)
    yield _by_hand()
    yield _every_k(sheet)


def _label(place: int) -> str:
    areas = births()
    return f"{areas.label(place)}: {areas.weights[place]:,} births"


def _alone(sheet: Sheet) -> SceneParts:
    areas = sheet.areas
    light = areas.weights < K
    colors = "".join(MARKED if one else PALE for one in light.tolist())
    picture = sheet.filled(PALE * len(areas), _label, lambda place: str(areas.ids[place]))
    ask = Pick(frozenset(str(areas.ids[place]) for place in np.flatnonzero(light).tolist()))
    values = {"counties": len(areas), "k": K, "light": int(light.sum())}
    return Scene(svg("The counties of North Carolina", picture), ask, after_fills=colors), values


def _map(sheet: Sheet, g: kanon.Generalization) -> str:
    weights = g.class_weights.tolist()
    labels = g.assignment.tolist()
    drawn = sheet.filled(
        group_colors(sheet.areas, g.assignment),
        lambda place: f"{sheet.areas.label(place)}: its group has {weights[labels[place]]:,} births",
        lambda place: f"group {labels[place]}",
    )
    return drawn + sheet.outlines(g.assignment)


def _largest(sheet: Sheet) -> SceneParts:
    g = grouped(K)
    heaviest = np.flatnonzero(g.class_weights == g.cost).tolist()
    members = np.flatnonzero(g.assignment == heaviest[0])
    reason = "This picture does not show whether a lower ratio is possible."
    if len(members) == 1 and g.status == "optimal":
        reason = (
            f"It is one county, {escape(sheet.areas.label(int(members[0])))}. A county cannot be split, so no grouping "
            "has a smaller largest group: this is <b>proven best</b>."
        )
    after = sheet.outlines(np.where(g.class_weights[g.assignment] == g.cost, 0, -1), "found")
    ask = Pick(frozenset(f"group {group}" for group in heaviest))
    values = {"g": g, "least": int(g.class_weights.min()), "reason": reason}
    return Scene(svg("The counties in groups", _map(sheet, g)), ask, after=after), values


def _bars(g: kanon.Generalization) -> str:
    """The groups as bars, the largest first, over a line at k."""
    weights = sorted(g.class_weights.tolist(), reverse=True)
    floor, top = HEIGHT - 70, 40
    scale = (floor - top) / (max(weights) * 1.12)
    step = (WIDTH - 80) / len(weights)
    bars = [
        box(
            70 + place * step,
            floor - weight * scale,
            step * 0.8,
            weight * scale,
            fill=PALETTE[0] if place else PALETTE[1],
        )
        for place, weight in enumerate(weights)
    ]
    line = floor - g.k * scale
    numbers = [
        words_at(70 + place * step + step * 0.4, floor - weight * scale - 10, f"{weight:,}", "", "middle")
        for place, weight in enumerate(weights)
    ]
    return "".join(
        [
            *bars,
            element("path", d=f"M60 {number(line)}H{WIDTH - 10}", class_="newcut"),
            words_at(WIDTH - 10, line - 10, f"k = {g.k:,}", "strong halo", "end"),
            *numbers,
            element("path", d=f"M60 {floor}H{WIDTH - 10}", class_="axis"),
            words_at(WIDTH / 2, floor + 40, "groups, the largest first", "dim", "middle"),
        ]
    )


def _by_hand() -> SceneParts:
    g = grouped(ASKED)
    # an answer with more than two decimals is right, too
    ask = Type(round(g.overfull_ratio, 2), within=0.006)
    return Scene(svg("Bar chart of the group sizes", _bars(g)), ask), {"g": g, "above": 100 * (g.overfull_ratio - 1)}


def _every_k(sheet: Sheet) -> SceneParts:
    results = [grouped(k) for k in KS]
    states = tuple(
        LessonState(
            f"{g.k:,}",
            sheet.outlines(g.assignment),
            f"<b>{g.classes} groups</b>, the largest {g.cost:,} births: <b>{g.overfull_ratio:.2f} × k</b>.",
            group_colors(sheet.areas, g.assignment),
        )
        for g in results
    )
    first = next(g for g in results if g.overfull_ratio < NEAR)
    best, last = min(results, key=lambda g: g.overfull_ratio), results[-1]
    tail = ""
    if last.overfull_ratio > best.overfull_ratio:
        tail = (
            f" At k = {best.k:,} the ratio is {best.overfull_ratio:.2f}. At k = {last.k:,} it rises to "
            f"{last.overfull_ratio:.2f}, because many births are left over after {last.classes} groups are filled."
        )
    picture = svg("The counties in groups, as k grows", sheet.filled(PALE * len(sheet.areas), _label))
    return Scene(picture, Drag(frozenset({f"{first.k:,}"})), states), {"near": NEAR, "first": first, "tail": tail}
