"""A step on labels as a picture: bins with their labels, waiting labels next to them, and the line to reach."""

from __future__ import annotations

import numpy as np
from plotly import graph_objects as go

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.plot import MOST_NUMBERED, Level, dressed
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, cut
from kanon_engine.plot import add_choices
from kanon_engine.plot.colors import ASH, BLUE, BLUES, FLOOR, ORANGE, VERMILION, VIOLET, faded
from kanon_engine.plot.scene import bars
from kanon_engine.teaching.labels import BinsState
from kanon_engine.teaching.step import Step, StepQuestion

ONE_BY_ONE = 150  # labels that are drawn one by one; if there are more, each bar is a group
MOST_WAITING = 20  # bars of waiting labels; the rest are one bar
NAMED = 40  # labels up to which their names are shown on them
GAP, STRIDE = 0.9, 0.62  # between bins and waiting labels, and from one waiting label to the next, in bin widths
LONGEST = 9  # letters of a name on a bar
LEAST = 0.06  # share of the height below which a label's name does not fit
SAID = "%{hovertext}<extra></extra>"


def step_figure(labels: Labels, g: Generalization, step: Step, question: StepQuestion | None = None) -> go.Figure:
    """The bins after a step: changes in orange, waiting labels on the right, the next one first."""
    state: BinsState = step.state
    figure = go.Figure()
    levels = _levels(labels, state)
    top = 1.16 * max(g.cost, state.floor, state.cap or 0, int(levels.max(initial=0)), _highest_waiting(labels, state))
    fresh = np.zeros(len(labels), dtype=bool)
    fresh[step.changed] = True
    if (state.assignment < 0).all() or not (state.assignment[~fresh] >= 0).any():
        fresh[:] = False  # the whole packing is new, so nothing is emphasized
    if len(labels) <= ONE_BY_ONE:
        _add_labels(figure, labels, state, fresh, LEAST * top)
    else:
        _add_groups(figure, labels, state, fresh)
    ends = _add_waiting(figure, labels, state)
    if question is not None and question.places:
        _add_bins(figure, levels, question, top)
    _dressed(figure, labels, g, state, top, ends)
    if question is not None and question.choices and not question.places:
        add_choices(figure, question.choices)
    return figure


def _levels(labels: Labels, state: BinsState) -> np.ndarray:
    inside = state.assignment >= 0
    return np.bincount(state.assignment[inside], labels.counts[inside], state.bins).astype(np.int64)


def _add_labels(figure: go.Figure, labels: Labels, state: BinsState, fresh: np.ndarray, least: float) -> None:
    """One segment per label, the latest on top, with a name if it fits."""
    inside = np.flatnonzero(state.assignment >= 0)
    order = inside[np.lexsort((-labels.counts[inside], fresh[inside], state.assignment[inside]))]
    bins, counts = state.assignment[order], labels.counts[order]
    sums = np.cumsum(counts) - counts
    firsts = np.searchsorted(bins, bins)
    place = np.arange(len(order)) - firsts
    colors = [ORANGE if new else BLUES[at % len(BLUES)] for new, at in zip(fresh[order], place, strict=True)]
    names = [labels.label(item) for item in order.tolist()]
    visible = [len(labels) <= NAMED and count >= least for count in counts.tolist()]
    hover = [
        f"<b>{name}</b><br>{count:,} {labels.unit}, in group {number + 1:,}"
        for name, count, number in zip(names, counts.tolist(), bins.tolist(), strict=True)
    ]
    figure.add_bar(
        x=bins + 1,
        y=counts,
        base=sums - sums[firsts] if len(order) else [],
        marker={"color": colors, "line": {"color": "white", "width": 1}},
        text=[cut(name, LONGEST) if fits else "" for name, fits in zip(names, visible, strict=True)],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="inside",
        hovertext=hover,
        hovertemplate=SAID,
    )


def _add_groups(figure: go.Figure, labels: Labels, state: BinsState, fresh: np.ndarray) -> None:
    """One bar per group, with the latest addition on top."""
    levels = _levels(labels, state)
    new = np.flatnonzero(fresh & (state.assignment >= 0))
    added = np.bincount(state.assignment[new], labels.counts[new], state.bins).astype(np.int64)
    words = [f"<b>Group {number + 1:,}</b><br>{level:,} {labels.unit}" for number, level in enumerate(levels.tolist())]
    for base, heights, color in ((np.zeros_like(levels), levels - added, BLUE), (levels - added, added, ORANGE)):
        figure.add_trace(bars(np.arange(1, state.bins + 1), heights, color, words, base=base))


def _waiting(state: BinsState) -> list[np.ndarray]:
    """What waits, as bars: one per label or part, and one for the rest."""
    if state.parts:
        return [part for part in np.split(state.waiting, np.cumsum(state.parts)[:-1]) if len(part)]
    singles = [state.waiting[place : place + 1] for place in range(min(len(state.waiting), MOST_WAITING))]
    rest = state.waiting[MOST_WAITING:]
    return [*singles, rest] if len(rest) else singles


def _highest_waiting(labels: Labels, state: BinsState) -> int:
    """The bars of waiting labels that are drawn in full."""
    return max((int(labels.counts[part].sum()) for part in _waiting(state)[:MOST_WAITING]), default=0)


def _add_waiting(figure: go.Figure, labels: Labels, state: BinsState) -> tuple[float, float]:
    """Bars of waiting labels, narrower than bins; returns where they begin and end."""
    bars = _waiting(state)
    begin = state.bins + 0.5 + GAP
    if not bars:
        return begin, begin
    wide = max(1.0, state.bins / MOST_NUMBERED)
    spots = begin + wide * STRIDE * (np.arange(len(bars)) + 0.5)
    most = _highest_waiting(labels, state)
    sums = [int(labels.counts[part].sum()) for part in bars]
    names = [labels.label(int(part[0])) if len(part) == 1 else counted(len(part), "label") for part in bars]
    figure.add_bar(
        x=spots,
        y=np.minimum(sums, max(most, state.floor)),
        width=wide * STRIDE * 0.85,
        marker={
            "color": [BLUES[2] if not place and not state.parts else ASH for place in range(len(bars))],
            "pattern": {"shape": "/", "size": 5, "fgcolor": "white", "fgopacity": 0.5},
            "line": {"color": "white", "width": 1},
        },
        text=[cut(name, LONGEST) if len(bars) <= 12 else "" for name in names],
        textposition="outside",
        textangle=-45 if len(bars) > 3 else 0,
        constraintext="none",
        cliponaxis=False,
        hovertext=[f"waits: <b>{name}</b><br>{total:,} {labels.unit}" for name, total in zip(names, sums, strict=True)],
        hovertemplate=SAID,
    )
    return begin, float(spots[-1] + wide * STRIDE)


def _add_bins(figure: go.Figure, levels: np.ndarray, question: StepQuestion, top: float) -> None:
    """A box over each bin that can be chosen."""
    heights = [max(int(levels[number]) if number < len(levels) else 0, 0.12 * top) for number in question.places]
    count = len(question.choices)
    figure.add_bar(
        x=[number + 1 for number in question.places],
        y=[1.04 * height for height in heights],
        marker={"color": faded(VIOLET, 0.12), "line": {"color": VIOLET, "width": 3}},
        customdata=list(range(count)),
        text=["?"] * count,
        textposition="outside",
        textfont={"color": VIOLET},
        hovertext=list(question.choices),
        hovertemplate=SAID,
    )


def _dressed(
    figure: go.Figure, labels: Labels, g: Generalization, state: BinsState, top: float, ends: tuple[float, float]
) -> None:
    """Lines at the floor and at a cap, axes, title."""
    limit = f"k = {g.k:,}" if state.floor == g.k else f"(1 − ε) k = {state.floor:,}"
    lines = [Level(state.floor, limit, "bottom left", VERMILION, "solid")]
    if state.cap is not None and state.cap > state.floor:
        lines.append(Level(state.cap, f"{state.cap:,}", "top left", FLOOR, "dash"))
    some = np.arange(0, state.bins, -(-state.bins // MOST_NUMBERED))
    used = int((_levels(labels, state) > 0).sum())
    waiting = int(labels.counts[state.waiting].sum())
    ticks: list[float] = [int(number) for number in some + 1]
    names = [f"{number:,}" for number in ticks]
    if ends[1] > ends[0]:
        ticks, names = [*ticks, sum(ends) / 2], [*names, "waiting"]
    title = f"{counted(used, 'group')}, {waiting:,} {labels.unit} wait" if waiting else counted(used, "group")
    look = {"barmode": "overlay", "bargap": 0.15 if state.bins <= ONE_BY_ONE else 0}
    axis, end = {"tickvals": ticks, "ticktext": names}, (max(ends[1], state.bins + 0.6), top)
    dressed(figure, title, labels.unit, lines, axis, end, **look)
