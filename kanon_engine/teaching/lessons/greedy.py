"""Lesson 4: what a quick method finds, what is possible, and how to tell them apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import kanon_engine as kanon
from kanon_engine.plot.colors import INK, PALETTE
from kanon_engine.teaching.lessons import Fill, Pick, Scene, SceneParts, Type, Values
from kanon_engine.teaching.lessons.drawing import HEIGHT, WIDTH, box, element, item, number, svg, words_at
from kanon_engine.teaching.studies import sample

TIGHT, TIGHT_K = (1, 5, 9, 5), 10
K = 8_000
GREEDY, BETTER = "fold", "two-approximation"


@cache
def bags() -> kanon.Labels:
    """Four labels on which packing in order does badly."""
    return kanon.Labels(np.array(["A", "B", "C", "D"]), np.array(TIGHT))


@cache
def jobs() -> kanon.Labels:
    """Occupations with their numbers of people."""
    return sample("adult-occupation")


@cache
def packed(algorithm: str) -> kanon.Generalization:
    """The occupations in bins."""
    return kanon.generalize(jobs(), K, algorithm)


def scenes() -> Iterator[SceneParts]:
    """Bins by hand, in order, on real data; then a bound and a gap."""
    yield _by_hand()
    yield _in_order()
    yield _beat()
    yield _between()
    yield _gap()


def _fill(labels: kanon.Labels, best: kanon.Generalization, at_most: int) -> Fill:
    items = tuple(zip(map(str, labels.ids), labels.weights.tolist(), strict=True))
    return Fill(items, best.classes, best.k, at_most, tuple(best.assignment.tolist()))


def _by_hand() -> SceneParts:
    best = kanon.generalize(bags(), TIGHT_K, "exact")
    values = {"counts": ", ".join(map(str, TIGHT[:-1])), "last": TIGHT[-1], "k": TIGHT_K, "best": best}
    return Scene("", _fill(bags(), best, best.cost)), values


def _stacks(labels: kanon.Labels, g: kanon.Generalization) -> str:
    """Bins as stacks of their labels, over a line at k."""
    floor, top = HEIGHT - 60, 60
    scale = (floor - top) / max(g.cost, 2.1 * g.k)
    step = min(290, (WIDTH - 120) / g.classes)
    left = 110 + (WIDTH - 110 - step * g.classes) / 2
    line = floor - g.k * scale
    parts = []
    for bin_, weight in enumerate(g.class_weights.tolist()):
        x, y = left + bin_ * step, float(floor)
        for place in np.flatnonzero(g.assignment == bin_).tolist():
            height = float(labels.weights[place]) * scale
            y -= height
            parts.append(box(x, y, step - 20, height, fill=PALETTE[bin_ % 4], stroke=INK))
            if height > 22:
                parts.append(
                    words_at(
                        x + (step - 20) / 2,
                        y + height / 2 + 7,
                        f"{labels.ids[place]} {labels.weights[place]:,}",
                        "onfill",
                        "middle",
                    )
                )
        parts.append(words_at(x + (step - 20) / 2, y - 12, f"{weight:,}", "big halo", "middle"))
    parts.append(element("path", d=f"M0 {number(line)}H{WIDTH}", class_="newcut"))
    parts.append(words_at(0, line - 10, f"k = {g.k:,}", "strong"))
    parts.append(element("path", d=f"M10 {floor}H{WIDTH - 10}", class_="axis"))
    return "".join(parts)


def _in_order() -> SceneParts:
    labels = bags()
    g, best = kanon.generalize(labels, TIGHT_K, GREEDY), kanon.generalize(labels, TIGHT_K, "exact")
    order = [str(labels.ids[place]) for place in g.details.order.tolist()]
    opened = g.details.order[: g.details.placed].tolist()
    weight = int(labels.weights[opened].sum())
    left = g.details.order[g.details.placed :].tolist()
    (last,) = left
    values: Values = {"order": ", ".join(order), "opened": ", ".join(str(labels.weights[place]) for place in opened)}
    values |= {"held": weight, "last": labels.ids[last], "left": labels.weights[last], "g": g, "best": best}
    values["times"] = g.cost / best.cost
    after = f'<g class="veil">{_stacks(labels, g)}</g>'
    picture = svg("Four labels in their order", _queue(labels, opened, left))
    return Scene(picture, Type(float(g.cost), unit="records"), after=after), values


def _queue(labels: kanon.Labels, opened: list[int], left: list[int]) -> str:
    parts = [words_at(60, 60, "first bin, closed", "strong"), words_at(620, 60, "left over", "strong")]
    for places, start in ((opened, 60.0), (left, 620.0)):
        x = start
        for place in places:
            weight = int(labels.weights[place])
            width = 30.0 * weight
            parts.append(box(x, 90, width, 90, fill=PALETTE[0], stroke=INK))
            parts.append(words_at(x + width / 2, 142, f"{weight}", "onfill strong", "middle"))
            parts.append(words_at(x + width / 2, 212, labels.ids[place], "", "middle"))
            x += width
    return element("g", "".join(parts), class_="queue")


def _results() -> dict[str, Any]:
    return {"g": packed(GREEDY), "better": packed(BETTER), "best": packed("exact")}


def _beat() -> SceneParts:
    labels, results = jobs(), _results()
    values = results | {"jobs": len(labels), "people": int(labels.weights.sum()), "k": K}
    return Scene("", _fill(labels, results["best"], results["better"].cost)), values


def _between() -> SceneParts:
    g, better, best = _results().values()
    bound = g.lower_bound
    ceiling = int(g.guarantee or g.cost)
    low, high = K, ceiling * 1.03

    def x(value: float) -> float:
        return 60 + (WIDTH - 120) * (value - low) / (high - low)

    spans = (("below", low, bound), ("between", bound, g.cost), ("above", g.cost, high))
    words = {"below": f"below {bound:,}", "between": f"from {bound:,} to {g.cost:,}", "above": f"above {g.cost:,}"}
    parts = [
        item(name, words[name], box(x(start), 230, x(end) - x(start), 90, class_="cell")) for name, start, end in spans
    ]
    for value, text, anchor in (
        (bound, "lower bound: no result is lower", "start"),
        (g.cost, "Fold's result", "middle"),
    ):
        parts.append(element("path", d=f"M{number(x(value))} 160V340", class_="cut"))
        parts.append(words_at(x(value), 124, f"{value:,}", "big", anchor))
        parts.append(words_at(x(value), 150, text, "", anchor))
    parts.append(words_at(WIDTH / 2, 380, "people in the fullest bin", "dim", "middle"))
    after = "".join(
        element("path", d=f"M{number(x(value))} 230V{y}", class_="mark")
        + words_at(x(value) + 8, y + 4, text, "strong halo")
        for value, text, y in (
            (best.cost, f"{best.cost:,}: the optimum, found by exact search", 440),
            (better.cost, f"{better.cost:,}: result of the 2-approximation", 490),
        )
    )
    values = {
        "ceiling": ceiling,
        "too_low": best.cost - bound,
        "too_high": g.cost - best.cost,
        "at_most": g.cost / bound,
    }
    picture = svg("A ruler with a bound and a result", *parts, height=560)
    return Scene(picture, Pick(frozenset({"between"})), after=after), _results() | values


def _gap() -> SceneParts:
    better = packed(BETTER)
    ratio = better.cost / better.lower_bound
    ask = Type(round(100 * (ratio - 1), 1), within=0.06, unit="%")
    picture = svg("The 2-approximation's bins", _stacks(jobs(), better))
    return Scene(picture, ask), {"better": better, "ratio": ratio, "gap": 100 * (ratio - 1)}
