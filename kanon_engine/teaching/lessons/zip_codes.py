"""Lesson 3: why consecutive zip codes make bad groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape

import numpy as np
import pandas as pd
import shapely

import kanon_engine as kanon
from kanon_engine.model.wishes import parts_of, sums_of
from kanon_engine.teaching.lessons import Drag, LessonState, Pick, Scene, SceneParts, Type, Values
from kanon_engine.teaching.lessons.drawing import HEIGHT, PALE, WIDTH, Sheet, element, item, number, path, svg, words_at
from kanon_engine.teaching.studies import sample, sample_file

KM = 111.2  # along a degree of latitude
BOX = (-125.0, 24.0, -66.0, 50.0)  # the contiguous states: west, south, east, north
K = 20_001
KS = (K, 50_000, 100_000)
EFFORT = 0.1
SHARE = 4 / 5  # share of the groups that should be in pieces
LETTERS = "ABCDE"
CLOSE = 3  # units of the picture
TORN, WHOLE = "1", "0"  # colors
SEEN = 4  # minimum number of pieces of the group whose pieces are counted


@dataclass(frozen=True, eq=False)
class Scribble:
    """The zip codes of the contiguous states in order."""

    zips: np.ndarray  # (n,) text: ascending
    xy: np.ndarray  # (n, 2) float64: longitude and latitude

    def km(self, one: np.ndarray | int, other: np.ndarray | int) -> np.ndarray:
        """Distances from one place to others, or pairwise: on a plane tangent at their mean latitude."""
        east, north = (self.xy[other] - self.xy[one]).T
        middle = np.radians((self.xy[other] + self.xy[one]).T[1] / 2)
        return np.hypot(east * np.cos(middle), north) * KM

    @cached_property
    def longest(self) -> int:
        """The zip code whose next number is the farthest away."""
        places = np.arange(len(self.zips))
        return int(np.argmax(self.km(places[:-1], places[1:])))


@cache
def scribble() -> Scribble:
    """Read the sample of points."""
    frame = pd.read_csv(sample_file("zcta_points_2010.csv"), dtype={"zip": str}).sort_values("zip")
    west, south, east, north = BOX
    inside = frame["lon"].between(west, east) & frame["lat"].between(south, north)
    rows = frame[inside]
    return Scribble(rows["zip"].to_numpy(), rows[["lon", "lat"]].to_numpy())


@cache
def connecticut() -> kanon.Regions:
    """Its zip codes."""
    return sample("connecticut-zip")


def by_number(areas: kanon.Regions, k: int) -> np.ndarray:
    """Zip codes in numerical order, a group closed as soon as it holds k; the rest joins the last one.

    >>> by_number(kanon.Regions(["3", "1", "2", "4"], [4, 2, 3, 1], [(0, 1), (1, 2), (2, 3)]), 6).tolist()
    [0, 0, 0, 0]
    >>> by_number(kanon.Regions(["3", "1", "2", "4"], [4, 2, 3, 1], [(0, 1), (1, 2), (2, 3)]), 5).tolist()
    [1, 0, 0, 1]
    """
    groups = np.empty(len(areas), dtype=np.int64)
    group, weight = 0, 0
    for place in np.argsort([str(one) for one in areas.ids], kind="stable").tolist():
        groups[place] = group
        weight += int(areas.weights[place])
        if weight >= k:
            group, weight = group + 1, 0
    groups[groups == group] = max(group - 1, 0)
    return groups


def pieces(areas: kanon.Regions, groups: np.ndarray) -> np.ndarray:
    """(groups,) int64: the number of pieces of each on the map."""
    edges = areas.edges[groups[areas.edges[:, 0]] == groups[areas.edges[:, 1]]]
    first = np.unique(parts_of(edges, len(areas)), return_index=True)[1]
    return np.bincount(groups[first])


def scenes() -> Iterator[SceneParts]:
    """A line through the whole country, one group, groups next to connected ones, and all k."""
    yield _scribble()
    yield _one_group()
    yield _side_by_side()
    yield _every_k()


def _placed(xy: np.ndarray) -> np.ndarray:
    west, south, east, north = BOX
    narrow = np.cos(np.radians((south + north) / 2))
    scale = (WIDTH - 20) / ((east - west) * narrow)
    return np.column_stack([10 + (xy[:, 0] - west) * narrow * scale, 20 + (north - xy[:, 1]) * scale])


def _thinned(line: np.ndarray) -> np.ndarray:
    """Drop points closer than `CLOSE` to the previous one drawn."""
    positions = [0]
    for place in range(1, len(line)):
        if np.abs(line[place] - line[positions[-1]]).max() >= CLOSE:
            positions.append(place)
    return line[positions]


def candidates(drawn: Scribble) -> list[int]:
    """Five places for the next zip code, from west to east: the true one and four closer ones."""
    start = drawn.longest
    away = drawn.km(start, np.arange(len(drawn.zips)))
    jump = away[start + 1]
    places = {start + 1}
    for part, south in ((0.15, True), (0.35, False), (0.5, True), (0.7, False)):
        near = np.flatnonzero(np.abs(away - part * jump) < 0.02 * jump)
        latitude = drawn.xy[near, 1]
        places.add(int(near[np.argmin(latitude) if south else np.argmax(latitude)]))
    return sorted(places, key=lambda place: float(drawn.xy[place, 0]))


def _scribble() -> SceneParts:
    drawn = scribble()
    flat = _placed(drawn.xy)
    digits = np.array([int(code[0]) for code in drawn.zips])
    lines = []
    for digit in range(10):
        positions = np.flatnonzero(digits == digit)
        positions = np.append(positions, min(positions[-1] + 1, len(flat) - 1))
        lines.append(element("path", d=path([_thinned(flat[positions])]), class_=f"scribble s{digit % 5}"))
    start, jump = drawn.longest, float(drawn.km(drawn.longest, drawn.longest + 1))
    from_zip, to_zip = drawn.zips[start], drawn.zips[start + 1]
    offered = dict(zip(LETTERS, candidates(drawn), strict=True))
    right = next(letter for letter, place in offered.items() if place == start + 1)
    marks = []
    for letter, place in offered.items():
        x, y = flat[place].tolist()
        circle = element("circle", cx=x, cy=y, r=19.0, class_="spot")
        marks.append(item(letter, f"Place {letter}", circle, words_at(x, y + 8, letter, "strong", "middle")))
    x, y = flat[start].tolist()
    home = element("circle", cx=x, cy=y, r=9.0, class_="point") + words_at(x, y - 16, from_zip, "strong halo", "middle")
    there = flat[start + 1].tolist()
    after = element(
        "path", d=f"M{number(x)} {number(y)}L{number(there[0])} {number(there[1])}", class_="mark"
    ) + words_at((x + there[0]) / 2, (y + there[1]) / 2 - 14, f"{jump:,.0f} km", "big halo", "middle")
    picture = svg("A line through all zip codes in numerical order", *lines, home, *marks, height=560)
    values = {"zips": len(drawn.zips), "here": from_zip, "there": to_zip, "jump": jump}
    return Scene(picture, Pick(frozenset({right})), after=after), values


def _group_label(areas: kanon.Regions, groups: np.ndarray, weights: np.ndarray, place: int) -> str:
    return f"{areas.label(place)}: its group has {weights[groups[place]]:,} people"


def plainest(sheet: Sheet, groups: np.ndarray) -> int:
    """Of the groups with at least `SEEN` pieces, the one whose smallest piece is the largest on the map."""
    smallest = {
        int(group): min(
            shapely.area(part) for part in shapely.get_parts(shapely.union_all(sheet.shapes[groups == group]))
        )
        for group in np.flatnonzero(pieces(sheet.areas, groups) >= SEEN)
    }
    return max(smallest, key=smallest.__getitem__)


def _one_group() -> SceneParts:
    areas = connecticut()
    groups = by_number(areas, K)
    count = pieces(areas, groups)
    sheet = Sheet(areas, 0, 0, WIDTH, HEIGHT)
    worst = plainest(sheet, groups)
    weights = sums_of(areas.weights, groups)
    members = sorted(str(areas.ids[place]) for place in np.flatnonzero(groups == worst).tolist())
    colors = "".join(TORN if group == worst else PALE for group in groups.tolist())
    outline = sheet.outlines(np.where(groups == worst, 0, -1))
    filled = sheet.filled(colors, lambda place: _group_label(areas, groups, weights, place))
    values: Values = {
        "areas": len(areas),
        "k": K,
        "members": len(members),
        "people": weights[worst],
        "pieces": count[worst],
    }
    values |= {"first": escape(members[0]), "last": escape(members[-1])}
    picture = svg("One group of zip codes with successive numbers, on the map of Connecticut", filled, outline)
    return Scene(picture, Type(float(count[worst]), unit="pieces")), values


def _torn(areas: kanon.Regions, groups: np.ndarray) -> str:
    broken = pieces(areas, groups) > 1
    return "".join(TORN if broken[group] else WHOLE for group in groups.tolist())


def _side_by_side() -> SceneParts:
    areas = connecticut()
    groups = by_number(areas, K)
    count = pieces(areas, groups)
    weights = sums_of(areas.weights, groups)
    g = kanon.generalize(areas, K, "recombine", effort=EFFORT)
    parts = []
    panels = (
        (0, "By number", groups, weights, f"{int(count.sum())} pieces"),
        (460, "Connected", g.assignment, g.class_weights, f"{int(pieces(areas, g.assignment).sum())} pieces"),
    )
    for left, title, labels, sums, caption in panels:
        sheet = Sheet(areas, left, 60, 440, 360)
        label = [_group_label(areas, labels, sums, place) for place in range(len(areas))]
        parts += [
            words_at(left + 220, 36, title, "big", "middle"),
            sheet.filled(_torn(areas, labels), label.__getitem__),
            sheet.outlines(labels),
            words_at(left + 220, 470, f"{len(sums)} groups, {caption}", "strong", "middle"),
        ]
    after = "".join(
        words_at(left + 220, 510, f"largest: {int(sums.max()):,} people", "strong", "middle")
        for left, _, _, sums, _ in panels
    )
    heaviest = areas.label(int(np.argmax(areas.weights)))
    best = (
        f" No grouping can beat this, because {escape(heaviest)} alone has {int(areas.weights.max()):,} people."
        if g.status == "optimal" and g.cost == int(areas.weights.max())
        else ""
    )
    right = "connected" if g.cost < weights.max() else "number" if weights.max() < g.cost else "same"
    ask = Pick(
        frozenset({right}), choices={"number": "By number", "connected": "Connected", "same": "Both are the same"}
    )
    values: Values = {"k": K, "torn": int((count > 1).sum()), "groups": len(count), "g": g, "best": best}
    values["largest"] = int(weights.max())
    picture = svg("Groups of zip codes with successive numbers, next to connected groups", *parts, height=540)
    return Scene(picture, ask, after=after), values


def _every_k() -> SceneParts:
    areas = connecticut()
    sheet = Sheet(areas, 0, 0, WIDTH, HEIGHT)
    states, shares = [], []
    for k in KS:
        groups = by_number(areas, k)
        count = pieces(areas, groups)
        torn = int((count > 1).sum())
        shares.append(torn / len(count))
        words = (
            f"<b>{torn} of {len(count)} groups</b> are in pieces ({100 * shares[-1]:.0f} %), {int(count.sum())} pieces "
            f"in total. The largest group has {int(sums_of(areas.weights, groups).max()):,} people."
        )
        states.append(LessonState(f"{k:,}", sheet.outlines(groups), words, _torn(areas, groups)))
    first = next(place for place, share in enumerate(shares) if share > SHARE)
    picture = svg(
        "Groups of zip codes with successive numbers, as k grows", sheet.filled(PALE * len(areas), areas.label)
    )
    values = {"share": 100 * SHARE, "first": states[first].name, "torn": 100 * shares[first]}
    return Scene(picture, Drag(frozenset({states[first].name})), tuple(states)), values
