"""Which of the balls that prices have paid for are opened, and who goes where (section 3, Lemma 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.clusters.dual import Distances, Rise


def opened(distances: Distances, rise: Rise) -> tuple[np.ndarray, np.ndarray]:
    """Open paid balls, the largest first, where none of those who pay is served already; the others follow their ball.

    A record whose ball is not opened is served where one of the payers of its ball is, the nearest such center. That
    makes no radius more than three times as large.

    Returns
    -------
    labels : (n,) int64 array
        The cluster of each point; -1 for a point that no ball stopped.
    centers : (m,) int64 array
        Positions of the centers.
    """
    labels = np.full(len(rise.prices), -1, dtype=np.int64)
    centers: list[int] = []
    payers = payers_of(distances, rise)
    for event, own in openings(rise, payers):
        if own:
            labels[payers[event]] = len(centers)
            centers.append(int(rise.centers[event]))
    direct, known = labels.copy(), np.array(centers, dtype=np.int64)
    for i in np.flatnonzero((labels < 0) & (rise.event >= 0)).tolist():
        served = direct[payers[rise.event[i]]]
        choices = np.unique(served[served >= 0])
        labels[i] = choices[np.argmin(distances.matrix[i, known[choices]])]
    return labels, known


def payers_of(distances: Distances, rise: Rise) -> list[np.ndarray]:
    """Of each ball that was paid for the points that paid for more than its radius."""
    return [
        np.flatnonzero((distances.steps(v) <= radius) & (rise.prices >= radius) & (rise.event >= 0))
        for v, radius in zip(rise.centers.tolist(), rise.radii.tolist(), strict=True)
    ]


def openings(rise: Rise, payers: list[np.ndarray]) -> Iterator[tuple[int, bool]]:
    """Each ball, the largest first, and whether it is opened: nobody who paid for it is served already."""
    served = np.zeros(len(rise.prices), dtype=bool)
    for event in np.argsort(-rise.radii, kind="stable").tolist():
        free = not served[payers[event]].any()
        served[payers[event]] |= free
        yield event, free
