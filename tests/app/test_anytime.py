"""The curve of a search: best and bound against seconds."""

from __future__ import annotations

import base64
import re
from types import SimpleNamespace

import numpy as np
import pytest

from pages._shared.result import HIGH, WIDE, rows_of, small_curve
from pages._shared.results import Answer


def answer(history, running, ended=""):
    task = SimpleNamespace(history=history, running=running, seconds=4.0)
    return Answer(SimpleNamespace(cost=70, lower_bound=70), task, (), None, waiting=running, ended=ended)


def test_the_rows_go_on_to_now_and_end_with_the_result():
    history = [(0.5, 90.0, float("nan")), (1.0, 80.0, 60.0)]
    assert rows_of(answer(history, running=True))[-1].tolist() == [4.0, 80.0, 60.0]
    assert rows_of(answer(history, running=False))[-1].tolist() == [4.0, 70.0, 70.0]
    assert rows_of(answer(history, running=False, ended="It took too much."))[-1].tolist() == [4.0, 80.0, 60.0]
    assert rows_of(answer([], running=True)).shape == (0, 3)


def steps(rows):
    """The points of best and bound in pixels, and what is said."""
    told = small_curve(np.array(rows, dtype=float))
    drawn = base64.b64decode(re.search(r"base64,([^\"]+)", told)[1]).decode()
    lines = [
        [(float(x), float(y)) for x, y in re.findall(r"[MH]([\d.]+)[ V]([\d.]+)", path)]
        for path in re.findall(r' d="([^"]+)"', drawn)
    ]
    return lines, told


def test_the_small_curve_falls_and_rises_to_its_end():
    (bound, best), told = steps([(0, 90, float("nan")), (1, 80, 60), (4, 70, 65)])
    assert "After 4 s: best so far 70, proven bound 65" in told
    assert len(bound) == 2
    assert len(best) == 3
    heights = [y for _, y in best]
    assert heights == sorted(heights)  # down the page
    assert bound[0][1] > bound[1][1] > heights[-1]
    assert all(0 <= x <= WIDE and 0 <= y <= HIGH for x, y in (*best, *bound))
    assert best[0][0] < best[1][0] < best[2][0]


@pytest.mark.parametrize("rows", [[(0, 5, 5)], [(0, 5, float("nan")), (1, 5, 5)]])
def test_the_small_curve_of_what_is_proven_at_once(rows):
    lines, told = steps(rows)
    assert lines
    assert "best so far 5, proven bound 5" in told
