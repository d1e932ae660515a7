"""Pictures of what a release costs people: which attacks it survives, and how many records share each risk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from plotly import graph_objects as go

from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES, Attacked
from kanon_engine.plot.colors import BLUE, FLOOR, VERMILION
from kanon_engine.plot.scene import LEGEND_TOP_RIGHT, TITLE_ABOVE, hover, styled, whole_axis

COLORS = {SURVIVES: BLUE, BROKEN: VERMILION, NOT_RUN: FLOOR}
SHAPES = {SURVIVES: "circle", BROKEN: "x", NOT_RUN: "line-ns-open"}  # distinguishable without color
LEAST_RANGE = 0.05  # of the axis of shares
SIZES = (1, 2, 3, 5, 11, 20, 50, 100)  # class sizes at which bars begin


def attacks_figure(attacks: Sequence[Attacked]) -> go.Figure:
    """The share that each attack exposes, with its 95 % interval.

    One line per attack, the first at the top.
    """
    figure, titles = go.Figure(), [attack.title for attack in attacks]
    for verdict in (BROKEN, SURVIVES, NOT_RUN):
        selected = [attack for attack in attacks if attack.verdict == verdict]
        if not selected:
            continue
        shares = [attack.share for attack in selected]
        figure.add_scatter(
            x=shares,
            y=[attack.title for attack in selected],
            mode="markers",
            name=verdict,
            marker={"color": COLORS[verdict], "symbol": SHAPES[verdict], "size": 13, "line": {"width": 2}},
            error_x={
                "type": "data",
                "visible": verdict != NOT_RUN,
                "symmetric": False,
                "array": [max(0.0, attack.interval[1] - attack.share) for attack in selected],
                "arrayminus": [max(0.0, attack.share - attack.interval[0]) for attack in selected],
                "color": COLORS[verdict],
            },
            cliponaxis=False,
            **hover([_told(attack) for attack in selected]),
        )
    highest = max((max(one.share, one.interval[1]) for one in attacks if one.verdict != NOT_RUN), default=0)
    end = max(LEAST_RANGE, 1.05 * highest)
    return styled(
        figure,
        "What each attack exposes",
        **TITLE_ABOVE,
        xaxis={"title": "Share exposed", "tickformat": ".0%", "range": [-0.04 * end, end]},
        yaxis={"categoryorder": "array", "categoryarray": titles[::-1], "title": None},
        legend=LEGEND_TOP_RIGHT,
        margin=(10, 10, 66, 46),
    )


def _told(attack: Attacked) -> str:
    if attack.verdict == NOT_RUN:
        return f"{attack.title}: not run"
    low, high = attack.interval
    return (
        f"{attack.title}: {attack.found:,} of {attack.of:,} {attack.unit} ({attack.share:.1%}, 95 % interval {low:.1%} "
        f"to {high:.1%})"
    )


def risk_figure(before: np.ndarray, after: np.ndarray, unit: str) -> go.Figure:
    """How many records have which risk of being picked out of their class: 1 / its size.

    Two bars for each range of risk.

    Parameters
    ----------
    before, after : (m,) int. Class sizes of the data as they are, and of the release.
    unit : What is counted.
    """
    words = _ranges()
    figure = go.Figure()
    counts = {"before": risk_counts(before), "after": risk_counts(after)}
    for name, color, pattern in (("before", FLOOR, "/"), ("after", BLUE, "")):
        figure.add_bar(
            y=words,
            x=counts[name],
            orientation="h",
            name=name,
            marker={"color": color, "pattern": {"shape": pattern}},
            text=[f"{many:,}" if many else "" for many in counts[name]],
            textposition="outside",
            cliponaxis=False,
            textfont_size=12,
            hovertext=[f"{name}: {many:,} {unit} with a risk of {words[at]}" for at, many in enumerate(counts[name])],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    most = max(*counts["before"], *counts["after"], 1)
    return styled(
        figure,
        "Risk of a record: 1 / size of its group",
        **TITLE_ABOVE,
        barmode="group",
        xaxis={"title": unit.capitalize(), "nticks": 5, "range": [0, 1.3 * most]} | whole_axis(most, 6),
        yaxis={"type": "category", "autorange": "reversed"},
        legend=LEGEND_TOP_RIGHT,
        margin=(10, 10, 66, 46),
    )


def risk_counts(sizes: np.ndarray) -> list[int]:
    """How many records are in classes of each range of risk, the highest first.

    >>> risk_counts(np.array([1, 1, 4, 30]))[:4], sum(risk_counts(np.array([1, 1, 4, 30])))
    ([2, 0, 4, 0], 36)
    """
    bars = np.searchsorted(SIZES, sizes, side="right") - 1  # -1 of an empty class
    return [int(sizes[bars == bar].sum()) for bar in range(len(SIZES))]


def _ranges() -> list[str]:
    return [
        *(f"1 in {low}" if high == low + 1 else f"1 in {low} to {high - 1}" for low, high in pairwise(SIZES)),
        f"1 in {SIZES[-1]} or less",
    ]
