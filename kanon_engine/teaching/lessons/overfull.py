"""Lesson 2: what k asks of groups, and what the largest of them costs."""

from __future__ import annotations

from functools import cache
from html import escape

import numpy as np

import kanon_engine as kanon
from kanon_engine.teaching.lessons import Drag, Feedback, Lesson, Pick, Scene, State, Type
from kanon_engine.teaching.lessons.drawing import (
    HEIGHT,
    MARKED,
    PALE,
    WIDTH,
    Sheet,
    box,
    element,
    group_colours,
    number,
    svg,
    words_at,
)
from kanon_engine.teaching.studies import sample

KEY = "north-carolina-births"
K = 5_000
ASKED = 30_000  # the k of the sum that is done by hand
KS = (K, 8_000, 10_000, 15_000, ASKED, 50_000, 83_000)
NEAR = 1.5  # an overfull ratio below this is found by dragging
EFFORT = 0.1


@cache
def births() -> kanon.Regions:
    """The counties of North Carolina."""
    return sample(KEY)


@cache
def grouped(k: int) -> kanon.Generalization:
    """Connected groups of counties."""
    return kanon.generalize(births(), k, "recombine", effort=EFFORT)


def lesson(name: str, title: str) -> Lesson:
    """Build it from the samples."""
    areas = births()
    sheet = Sheet(areas, 0, 40, WIDTH, HEIGHT - 60)
    return Lesson(
        name=name,
        title=title,
        about="What k promises, and how far above k the largest group is.",
        minutes=5,
        scenes=(_alone(sheet), _largest(sheet), _by_hand(), _every_k(sheet)),
        remember=(
            "<b>k</b> is the promise: no published number stands for fewer than k.",
            "Groups far above k hide more than they must. The <b>overfull ratio</b> is the largest group divided by k; "
            "1 is the best there is.",
            "A single heavy area sets a floor under the largest group. That floor stays where it is as k grows, so "
            "the ratio often falls, though not always.",
        ),
        sources="Births 1974–78 in the counties of North Carolina: Cressie 1993, in libpysal. The overfull ratio: Du, "
        "Eppstein, "
        "Goodrich, Lueker 2009.",
    )


def _label(place: int) -> str:
    areas = births()
    return f"{areas.label(place)}: {areas.weights[place]:,} births"


def _alone(sheet: Sheet) -> Scene:
    areas = sheet.areas
    light = areas.weights < K
    colours = "".join(MARKED if one else PALE for one in light.tolist())
    count = int(light.sum())
    drawn = sheet.filled(PALE * len(areas), _label, lambda place: str(areas.ids[place]))
    return Scene(
        "A promise",
        (
            f"These are the {len(areas)} counties of North Carolina. Point at one: its births in five years stand "
            f"below the map.",
            f"A table of rare illnesses by county would point at families. So somebody promises that <b>no published "
            f"number "
            f"stands for fewer than k = {K:,} births</b>.",
        ),
        svg("The counties of North Carolina", drawn),
        Pick(
            "Click a county that is <b>too small</b> to be published by itself.",
            frozenset(str(areas.ids[place]) for place in np.flatnonzero(light).tolist()),
            Feedback(
                f"{count} of the {len(areas)} counties have fewer than {K:,} births, now orange. They must be "
                f"published together "
                "with neighbours.",
                f"That county has {K:,} births or more and may stand alone. Point at others before you click.",
            ),
        ),
        after_fills=colours,
    )


def _map(sheet: Sheet, g: kanon.Generalization) -> str:
    weights = g.class_weights.tolist()
    own = g.assignment.tolist()
    drawn = sheet.filled(
        group_colours(sheet.areas, g.assignment),
        lambda place: f"{sheet.areas.label(place)}: its group has {weights[own[place]]:,} births",
        lambda place: f"group {own[place]}",
    )
    return drawn + sheet.outlines(g.assignment)


def _largest(sheet: Sheet) -> Scene:
    g = grouped(K)
    least, most = int(g.class_weights.min()), g.cost
    heaviest = np.flatnonzero(g.class_weights == most).tolist()
    members = np.flatnonzero(g.assignment == heaviest[0])
    alone = len(members) == 1
    who = escape(sheet.areas.label(int(members[0])))
    reason = (
        f"It is one county, {who}. A county cannot be split, so no grouping has a smaller largest group: this is "
        f"<b>proven best</b>."
        if alone and g.status == "optimal"
        else "No smaller one is proven."
    )
    return Scene(
        "The largest group",
        (
            f"Neighbouring counties were joined into {g.classes} groups. The smallest has {least:,} births, so the "
            f"promise is kept.",
            "A group much larger than k hides more than it must: who reads the table learns less. The group that is "
            "furthest "
            "above k decides how good a grouping is.",
        ),
        svg("The counties in groups", _map(sheet, g)),
        Pick(
            "Find the <b>largest group</b> and click it. Point at groups to read their births.",
            frozenset(f"group {own}" for own in heaviest),
            Feedback(
                f"{most:,} births. Divided by k that is {most:,} ÷ {K:,} = <b>{g.overfull_ratio:.2f}</b>, the "
                f"overfull ratio. {reason}",
                "There is a larger one. Groups need not be large on the map: cities have many births.",
            ),
        ),
        after=sheet.outlines(np.where(g.class_weights[g.assignment] == most, 0, -1), "found"),
    )


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
            fill="#92cbf0" if place else "#f0bf5c",
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


def _by_hand() -> Scene:
    g = grouped(ASKED)
    ratio = g.overfull_ratio
    return Scene(
        "Work it out",
        (
            f"Now k = {ASKED:,}, and {g.classes} groups are left. Each bar is a group; its births stand above it.",
            "The overfull ratio is the largest group divided by k. It would be 1 if the largest group held exactly k.",
        ),
        svg("Bars of the groups", _bars(g)),
        Type(
            "What is the overfull ratio here, with two decimals?",
            round(ratio, 2),
            Feedback(
                f"{g.cost:,} ÷ {ASKED:,} = {ratio:.2f}: the largest group is {100 * (ratio - 1):.0f} % above what k "
                f"asks for.",
                "Divide the number above the orange bar by k.",
            ),
            within=0.006,
        ),
    )


def _every_k(sheet: Sheet) -> Scene:
    results = {k: grouped(k) for k in KS}
    states = tuple(
        State(
            f"{k:,}",
            sheet.outlines(g.assignment),
            f"<b>{g.classes} groups</b>, the largest {g.cost:,} births: <b>{g.overfull_ratio:.2f} × k</b>.",
            group_colours(sheet.areas, g.assignment),
        )
        for k, g in results.items()
    )
    first = next(k for k, g in results.items() if g.overfull_ratio < NEAR)
    best = min(results.values(), key=lambda g: g.overfull_ratio)
    last = results[KS[-1]]
    tail = (
        f" At k = {best.k:,} it is {best.overfull_ratio:.2f}; at k = {last.k:,} it is {last.overfull_ratio:.2f} "
        f"again, because "
        f"all births together fill {last.classes} groups and leave much over."
        if last.overfull_ratio > best.overfull_ratio
        else ""
    )
    return Scene(
        "The price of a promise",
        (
            "A larger k protects more and tells less: the groups become fewer. Drag k and watch the map, the groups "
            "and the ratio.",
        ),
        svg("The counties in groups, as k grows", sheet.filled(PALE * len(sheet.areas), _label)),
        Drag(
            f"Drag to the <b>smallest k</b> of these whose overfull ratio is below {NEAR}.",
            frozenset({f"{first:,}"}),
            Feedback(
                f"At k = {first:,} it is {results[first].overfull_ratio:.2f}. Below that the largest county alone is "
                f"far above k." + tail,
                f"The ratio stands below the slider as “… × k”. It shall be below {NEAR}, at the smallest k where "
                f"that is so.",
            ),
        ),
        states,
        "k",
    )
