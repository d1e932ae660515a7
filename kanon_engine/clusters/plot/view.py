"""Where points and centers are drawn: on a map, in their plane, or in a view of more columns in two dimensions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.plot.maps import MERCATOR_LIMIT

LANDMARKS = 300  # points whose distances among each other make the view
PART = 1 << 22  # distances worked out at a time


@dataclass(frozen=True)
class View:
    """Places of points and centers in a picture.

    Attributes
    ----------
    kind : "map", "plane" or "view"
        Longitudes and latitudes; the columns themselves; or two dimensions made from all distances, which are not true.
    points : (n, 2) float64 array
    centers : (m, 2) float64 array
    share : float
        How much of the points' spread the picture keeps; 1 where distances are true.
    axes : pair of str
    """

    kind: str
    points: np.ndarray
    centers: np.ndarray
    share: float
    axes: tuple[str, str]

    @property
    def box(self) -> np.ndarray:
        """(4,) xmin, ymin, xmax, ymax of the points."""
        return np.concatenate([self.points.min(axis=0), self.points.max(axis=0)])


def view_of(space: MetricSpace, details: ClusterDetails) -> View:
    """Where the points of a space and the centers of a result are drawn.

    Example
    -------
    >>> space = MetricSpace([("a", "x"), ("a", "y"), ("b", "y")], "hamming")
    >>> nothing = np.zeros((0, 0))
    >>> view = view_of(space, ClusterDetails(np.array([1]), nothing, np.array([1.0]), nothing, nothing))
    >>> view.kind, round(view.share, 3), bool((view.centers[0] == view.points[1]).all())
    ('view', 1.0, True)
    """
    if space.metric == "haversine":
        points = _run_on(space.points)
        west, east = points[:, 0].min(), points[:, 0].max()
        centers = np.array(details.centers)
        centers[:, 0] = (west + east) / 2 + (centers[:, 0] - (west + east) / 2 + 180) % 360 - 180
        return View("map", _on_web_map(points), _on_web_map(centers), 1.0, ("longitude", "latitude"))
    if space.metric == "euclidean" and space.points.shape[1] <= 2:
        flat = space.points.shape[1] == 1
        points, centers = space.points, details.centers
        if flat:
            points, centers = (np.column_stack([one, np.zeros(len(one))]) for one in (points, centers))
        return View("plane", points, centers, 1.0, (_axis(space, 0), "" if flat else _axis(space, 1)))
    return _scaled(space, details)


def _axis(space: MetricSpace, place: int) -> str:
    """A column, and what it was divided by."""
    unit = float(space.units[place])
    return space.names[place] + ("" if unit == 1 else f" ÷ {unit:,.4g}")


def _run_on(points: np.ndarray) -> np.ndarray:
    """Longitudes that run on across the 180th meridian where the points do: they begin behind the widest gap."""
    lon = points[:, 0] % 360
    ordered = np.unique(lon)
    gaps = np.diff(ordered, append=ordered[0] + 360)
    begin = ordered[(int(np.argmax(gaps)) + 1) % len(ordered)]
    run = begin + (lon - begin) % 360
    middle = (run.min() + run.max()) / 2
    return np.column_stack([run - 360 * np.floor((middle + 180) / 360), points[:, 1]])


def _on_web_map(places: np.ndarray) -> np.ndarray:
    return np.column_stack([places[:, 0], np.clip(places[:, 1], -MERCATOR_LIMIT, MERCATOR_LIMIT)])


def _scaled(space: MetricSpace, details: ClusterDetails) -> View:
    """Classical scaling of landmarks' distances, all other points placed by theirs to the landmarks.

    O(n · landmarks) distances. Gower (1966); de Silva, Tenenbaum (2004).
    """
    count = min(len(space), LANDMARKS)
    marks = np.sort(np.random.default_rng(0).permutation(len(space))[:count])
    squares = space.between(marks, marks) ** 2
    means = squares.mean(axis=0)
    centred = -(squares - means[:, None] - means[None, :] + means.mean()) / 2
    values, vectors = np.linalg.eigh(centred)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    values[values <= 1e-12 * max(values[0], 1e-300)] = 0.0
    kept = [place for place in (0, 1) if place < count and values[place] > 0]
    back = np.zeros((count, 2))
    for place in kept:
        one = vectors[:, place] * np.sign(vectors[np.argmax(np.abs(vectors[:, place])), place])
        back[:, place] = one / np.sqrt(values[place])

    def placed(apart: np.ndarray) -> np.ndarray:
        return np.asarray((means - apart**2) @ back / 2)

    step = max(1, PART // count)
    points = np.vstack(
        [
            placed(space.between(np.arange(begin, min(begin + step, len(space))), marks))
            for begin in range(0, len(space), step)
        ]
    )
    centers = np.zeros((len(details.places), 2))
    fixed = details.places >= 0
    centers[fixed] = points[details.places[fixed]]
    for number in np.flatnonzero(~fixed).tolist():
        centers[number] = placed(space.from_center(details.centers[number], marks)[None, :])[0]
    share = float(values[:2].sum() / values.sum()) if values.any() else 1.0
    return View("view", points, centers, share, ("first dimension (no unit)", "second dimension (no unit)"))
