"""Lesson 4: what a quick method finds, what is possible, and how both are told apart."""

from __future__ import annotations

from functools import cache

import numpy as np

import kanon_engine as kanon
from kanon_engine.teaching.lessons import Feedback, Fill, Lesson, Pick, Scene, Type
from kanon_engine.teaching.lessons.drawing import HEIGHT, WIDTH, box, element, item, number, svg, words_at
from kanon_engine.teaching.studies import sample

TIGHT, TIGHT_K = (1, 5, 9, 5), 10
K = 8_000
GREEDY, BETTER = "fold", "two-approximation"
SHADES = ("#92cbf0", "#f0bf5c", "#64c3a3", "#e3b1cd")


@cache
def bags() -> kanon.Labels:
    """Four bags on which going in order does badly."""
    return kanon.Labels(np.array(["A", "B", "C", "D"]), np.array(TIGHT))


@cache
def jobs() -> kanon.Labels:
    """Occupations and how many people named them."""
    return sample("adult-occupation")


@cache
def packed(algorithm: str) -> kanon.Generalization:
    """The occupations in bins."""
    return kanon.generalize(jobs(), K, algorithm)


def lesson(name: str, title: str) -> Lesson:
    """Build it from the samples."""
    return Lesson(
        name=name,
        title=title,
        about="Fill bins by hand, beat a quick method, and see what a proof adds.",
        minutes=5,
        scenes=(_by_hand(), _in_order(), _beat(), _between(), _gap()),
        remember=(
            "A <b>greedy</b> method decides one thing after another and never looks back. It is fast, and its result "
            "can be far "
            "from the best.",
            "The <b>optimum</b> is the best there is. To find it can take very long: the problem is NP-hard.",
            "A <b>lower bound</b> is a number that nothing can go below, with a proof. Result and bound together say "
            "how good the result is, "
            "even where nobody knows the optimum.",
        ),
        sources="Occupations: Adult, US census of 1994 (Becker and Kohavi 1996, CC BY 4.0). Min-max bin covering, "
        "Fold and "
        "hardness: Du, Eppstein, Goodrich, Lueker 2009.",
    )


def _items(labels: kanon.Labels) -> tuple[tuple[str, int], ...]:
    return tuple(zip(map(str, labels.ids), labels.weights.tolist(), strict=True))


def _by_hand() -> Scene:
    labels = bags()
    best = kanon.generalize(labels, TIGHT_K, "exact")
    return Scene(
        "Fill the bins",
        (
            f"Four labels have {', '.join(map(str, TIGHT[:-1]))} and {TIGHT[-1]} records. Labels of one bin are "
            f"published "
            f"together, so each bin that you use needs at least k = {TIGHT_K}: up to the dashed line.",
            "The fuller a bin, the less the release says. So the fullest bin shall be as low as possible.",
        ),
        ask=Fill(
            "Put all four into bins so that the <b>fullest is as low as possible</b>. Take a label, then click a bin.",
            _items(labels),
            best.classes,
            TIGHT_K,
            best.cost,
            tuple(best.assignment.tolist()),
            Feedback(
                f"Every bin holds {best.cost}, and none may hold less than {TIGHT_K}. Nothing better exists: this is "
                f"the "
                "<b>optimum</b>.",
                f"It can be done lower. Which two labels make exactly {TIGHT_K}?",
                {
                    "open": "Some labels are not in a bin yet.",
                    "low": f"A bin that you use holds less than {TIGHT_K}. Fill it, or leave it empty.",
                },
            ),
        ),
    )


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
            parts.append(box(x, y, step - 20, height, fill=SHADES[bin_ % 4], stroke="#10161d"))
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


def _in_order() -> Scene:
    labels = bags()
    g, best = kanon.generalize(labels, TIGHT_K, GREEDY), kanon.generalize(labels, TIGHT_K, "exact")
    order = [str(labels.ids[place]) for place in g.details.order.tolist()]
    opened = g.details.order[: g.details.placed].tolist()
    held = int(labels.weights[opened].sum())
    left = g.details.order[g.details.placed :].tolist()
    (last,) = left
    return Scene(
        "In order, without looking back",
        (
            f"A quick method, <b>Fold</b>, takes the labels as they come: {', '.join(order)}. It fills a bin until it "
            f"holds k, "
            "closes it, and begins the next. What is left over at the end and fills no bin goes into the lightest one.",
            f"Its first bin takes {', '.join(str(labels.weights[place]) for place in opened)} and is closed at "
            f"{held}. Then "
            f"{labels.ids[last]} is left.",
        ),
        svg("Four labels in their order", _queue(labels, opened, left)),
        Type(
            "How full is the fullest bin when Fold is done?",
            float(g.cost),
            Feedback(
                f"{labels.ids[last]} alone has {labels.weights[last]}, below k = {TIGHT_K}. It joins the only bin: "
                f"{g.cost}. You had "
                f"{best.cost}: greedy is {g.cost / best.cost:.0f} times the optimum here.",
                f"{labels.ids[last]} alone is below k, so it cannot be a bin. Where does it go?",
            ),
            unit="records",
        ),
        after=_stacks(labels, g).join(['<g class="veil">', "</g>"]),
    )


def _queue(labels: kanon.Labels, opened: list[int], left: list[int]) -> str:
    parts = [words_at(60, 60, "first bin, closed", "strong"), words_at(620, 60, "left over", "strong")]
    for places, start in ((opened, 60.0), (left, 620.0)):
        x = start
        for place in places:
            weight = int(labels.weights[place])
            width = 30.0 * weight
            parts.append(box(x, 90, width, 90, fill=SHADES[0], stroke="#10161d"))
            parts.append(words_at(x + width / 2, 142, f"{weight}", "onfill strong", "middle"))
            parts.append(words_at(x + width / 2, 212, labels.ids[place], "", "middle"))
            x += width
    return element("g", "".join(parts), class_="queue")


def _beat() -> Scene:
    labels = jobs()
    g, better, best = packed(GREEDY), packed(BETTER), packed("exact")
    return Scene(
        "Beat it on real data",
        (
            f"{len(labels)} occupations of {int(labels.weights.sum()):,} people, k = {K:,}. Fold makes {g.classes} "
            f"bins, and the fullest "
            f"holds <b>{g.cost:,}</b>.",
            f"A better method, kanon's 2-approximation, reaches {better.cost:,}.",
        ),
        ask=Fill(
            f"Can you reach <b>{better.cost:,} or less</b> by hand?",
            _items(labels),
            best.classes,
            K,
            better.cost,
            tuple(best.assignment.tolist()),
            Feedback(
                f"Well packed. The optimum, found by an exact search, is {best.cost:,}, with {best.classes} bins.",
                f"Your fullest bin is above {better.cost:,}. Exchange a label of it with a smaller one of another bin.",
                {
                    "open": "Some occupations are not in a bin yet. Start with the large ones.",
                    "low": f"A bin holds less than k = {K:,}. Move something into it.",
                },
            ),
        ),
    )


def _between() -> Scene:
    g, better, best = packed(GREEDY), packed(BETTER), packed("exact")
    bound = g.lower_bound
    ceiling = int(g.guarantee or g.cost)
    low, high = K, ceiling * 1.03

    def x(value: float) -> float:
        return 60 + (WIDTH - 120) * (value - low) / (high - low)

    spans = (("below", low, bound), ("between", bound, g.cost), ("above", g.cost, high))
    words = {
        "below": f"below {bound:,}",
        "between": f"from {bound:,} to {g.cost:,}",
        "above": f"above {g.cost:,}",
    }
    parts = [
        item(name, words[name], box(x(start), 230, x(end) - x(start), 90, class_="cell")) for name, start, end in spans
    ]
    for value, text, anchor in (
        (bound, "lower bound: nothing is below", "start"),
        (g.cost, "Fold found this", "middle"),
    ):
        parts.append(element("path", d=f"M{number(x(value))} 160V340", class_="cut"))
        parts.append(words_at(x(value), 124, f"{value:,}", "big", anchor))
        parts.append(words_at(x(value), 150, text, "", anchor))
    parts.append(words_at(WIDTH / 2, 380, "people in the fullest bin", "dim", "middle"))
    after = "".join(
        element("path", d=f"M{number(x(value))} 230V{y}", class_="mark")
        + words_at(x(value) + 8, y + 4, text, "strong halo")
        for value, text, y in (
            (best.cost, f"{best.cost:,}: the optimum, by exact search", 440),
            (better.cost, f"{better.cost:,}: the 2-approximation", 490),
        )
    )
    return Scene(
        "Where can the optimum be?",
        (
            f"Say nobody could run the exact search. What is known? Fold's result, {g.cost:,}: the optimum is no "
            f"higher. And a "
            f"<b>lower bound</b>, {bound:,}: a proof says that no packing at all goes below it.",
            f"A theorem adds a ceiling for this run of Fold: {ceiling:,}.",
        ),
        svg("A ruler with a bound and a result", *parts, height=560),
        Pick(
            "Click the part of the ruler where the optimum must lie.",
            frozenset({"between"}),
            Feedback(
                f"Between bound and result. The exact search says {best.cost:,}: the bound was only "
                f"{best.cost - bound:,} too low, and "
                f"Fold {g.cost - best.cost:,} too high. The bound alone shows that Fold is at most "
                f"{g.cost / bound:.2f} times the optimum.",
                "",
                {
                    "below": "The bound is proven: no packing at all is there, the optimum included.",
                    "above": "Fold already found something lower, so the best is not there.",
                },
            ),
        ),
        after=after,
    )


def _gap() -> Scene:
    better = packed(BETTER)
    gap = 100 * (better.cost / better.lower_bound - 1)
    return Scene(
        "How good is it, at most?",
        (
            f"kanon shows every result with its bound: the 2-approximation has {better.cost:,} and the bound is "
            f"{better.lower_bound:,}.",
            "The <b>gap</b> is how far the result is above the bound, in percent of the bound. The result is at most "
            "so far from the best possible.",
        ),
        svg("The 2-approximation's bins", _stacks(jobs(), better)),
        Type(
            "What is the gap, in percent, with one decimal?",
            round(gap, 1),
            Feedback(
                f"{better.cost:,} ÷ {better.lower_bound:,} = {better.cost / better.lower_bound:.3f}, so {gap:.1f} %. "
                f"On a page of kanon it reads "
                f"“within {gap:.1f} % of the best possible”.",
                "Divide the result by the bound, take away 1, and multiply by 100.",
            ),
            within=0.06,
            unit="%",
        ),
    )
