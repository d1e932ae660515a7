"""The rectangle that each place lies in is the one that every rectangle, asked in turn, says."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.release import rectangle_of

pytestmark = pytest.mark.kernels


def asked_in_turn(xy, rectangles):
    right, top = rectangles[:, 2].max(), rectangles[:, 3].max()
    found = np.full(len(xy), -1)
    for number, (xmin, ymin, xmax, ymax) in enumerate(rectangles):
        for place, (x, y) in enumerate(xy):
            across = xmin <= x < xmax or x == xmax == right
            if across and (ymin <= y < ymax or y == ymax == top):
                found[place] = number
    return found


@pytest.mark.parametrize("seed", range(3))
def test_places_inside_on_sides_and_outside(seed):
    rng = np.random.default_rng(seed)
    points = kanon.Points(rng.integers(0, 30, (300, 2)).astype(float), rng.integers(1, 4, 300))
    g = kanon.generalize(points, 25, "kd-tree", snap=1.0)
    places = np.vstack([rng.integers(-2, 33, (300, 2)), g.details.rectangles.reshape(-1, 2)]).astype(float)
    places[:6] = [[np.nan, 1], [1, np.nan], [np.nan, np.nan], [np.inf, 1], [-np.inf, 1], [1, np.inf]]
    assert rectangle_of(places, g.details.rectangles).tolist() == asked_in_turn(places, g.details.rectangles).tolist()
    assert rectangle_of(points.xy, g.details.rectangles).tolist() == g.assignment.tolist()
