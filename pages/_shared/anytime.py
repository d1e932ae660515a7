"""How a search goes: its best and its bound against seconds, small beside its button, and large on request."""

from __future__ import annotations

import base64
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kanon_engine.plot import curve_figure
from kanon_engine.plot.style import BLUE, FLOOR
from pages._shared.background import Task
from pages._shared.costs import objective_of_choice
from pages._shared.picture import picture
from pages._shared.results import Answer

WIDE, HIGH, EDGE = 132, 38, 3  # pixels of the small curve, and what stays clear around it
LARGE = 720, 330  # pixels of the large one
WORDS, OVER = "How the search goes", "How the search went"


def rows_of(found: Answer) -> np.ndarray:
    """Seconds, best and bound whenever one of them had changed, and now or at the end."""
    rows = np.array(found.task.history, dtype=float).reshape(-1, 3)
    if not len(rows):
        return rows
    last = rows[-1, 1:] if found.task.running or found.ended else (found.g.cost, found.g.lower_bound)
    return np.vstack([rows, [found.task.seconds, *last]])


def show_small(place: DeltaGenerator, found: Answer) -> None:
    """The curve beside the button of a search: its best as a line, its bound as a dashed one."""
    rows = rows_of(found)
    if len(rows):
        place.html(small_curve(rows))


def small_curve(rows: np.ndarray) -> str:
    """Two steps as a picture, with what they show in words."""
    known = rows[:, 1:][np.isfinite(rows[:, 1:])]
    low, high = float(known.min()), float(known.max())
    end = max(float(rows[-1, 0]), 1e-9)

    def place(seconds: float, value: float) -> tuple[float, float]:
        up = (value - low) / (high - low) if high > low else 0.5
        return EDGE + (WIDE - 2 * EDGE) * seconds / end, HIGH - EDGE - (HIGH - 2 * EDGE) * up

    def line(column: int, look: str) -> str:
        points = [place(row[0], row[column]) for row in rows if math.isfinite(row[column])]
        if not points:
            return ""
        steps = "".join(f"H{x:.1f}V{y:.1f}" for _, (x, y) in pairwise(points))
        return f'<path d="M{points[0][0]:.1f} {points[0][1]:.1f}{steps}" fill="none" stroke-width="2" {look}/>'

    best, bound = (f"{value:,.0f}" if math.isfinite(value) else "not known" for value in rows[-1, 1:])
    told = f"After {rows[-1, 0]:,.0f} s: best so far {best}, proven bound {bound}"
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}">'
        + line(2, f'stroke="{FLOOR}" stroke-dasharray="4 3"')
        + line(1, f'stroke="{BLUE}"')
        + "</svg>"
    )
    picture = base64.b64encode(drawn.encode()).decode()  # a page's HTML may hold no SVG of its own
    return f'<img src="data:image/svg+xml;base64,{picture}" alt="{told}" title="{told}">'


def offer_curve(place: DeltaGenerator, slot: str, found: Answer, in_words: bool = False) -> None:
    """A button that opens the curve and its numbers; `in_words` where there is room for its name."""
    task: Task = found.task
    if not task.history:
        return
    opened = place.popover(
        OVER if in_words else "",
        icon=":material/show_chart:",
        help=None if in_words else WORDS if task.running else OVER,
        key=f"{slot}_search_curve",
        on_change="rerun",
        width="stretch",
    )
    if not opened.open:
        return
    rows, noun = rows_of(found), objective_of_choice(found.choice).noun.capitalize()
    with opened, st.container(width=LARGE[0]):
        picture(curve_figure(rows, "seconds", noun), key=f"{slot}_search_curve_picture", height=LARGE[1])
        shown = pd.DataFrame(rows, columns=["Seconds", f"{noun}, best so far", "Proven: none is below"])
        numbers = dict.fromkeys(shown.columns[1:], st.column_config.NumberColumn(format="localized"))
        seconds = {"Seconds": st.column_config.NumberColumn(format="%.1f")}
        st.dataframe(
            shown, hide_index=True, key=f"{slot}_search_curve_table", column_config=numbers | seconds, height=180
        )
