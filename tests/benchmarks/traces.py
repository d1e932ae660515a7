"""Made-up positions of two people who carry a receiver: many share a line, and stops lie on few lines."""

from __future__ import annotations

import numpy as np

HOME = (116.3, 39.98)
SPREAD = (0.03, 0.02)  # degrees
DRIFT = 3e-6  # degrees that a position at rest wanders from one fix to the next, three of its finest steps
STAYS = 0.6  # share of the coordinates that do not change from a fix at rest to the next
REPEATS = 0.15  # share of the fixes at rest that are the last one again
PULL = 0.98  # how much of its distance from the place a position at rest keeps
STEP = 1e-4  # degrees between two fixes on the way


def gps_traces(count: int = 217_653, seed: int = 0, places: int = 4_000, stop: float = 150.0) -> np.ndarray:
    """Fixes of a receiver that goes from place to place, along streets that run east and north, and rests at each.

    Positions have six decimals, as those of GeoLife. A stop lasts `stop` fixes on average, a few of them hundreds. They
    lie on few lines, so that in a rectangle of some forty of them hardly any line leaves the weights that are wanted.

    Returns
    -------
    (count, 2) float64 array
        Longitude and latitude.
    """
    rng = np.random.default_rng(seed)
    known = np.array(HOME) + rng.normal(0, SPREAD, (places, 2))
    parts: list[np.ndarray] = []
    here, made = 0, 0
    while made < count:
        there = int(rng.integers(places))
        corner = np.where(rng.random() < 0.5, (True, False), (False, True))
        turn = np.where(corner, known[there], known[here])
        parts += [known[here] + _rest(rng, int(rng.exponential(stop)) + 5)]
        parts += [_way(rng, known[here], turn), _way(rng, turn, known[there])]
        made += sum(len(part) for part in parts[-3:])
        here = there
    return np.round(np.concatenate(parts)[:count], 6)


def _rest(rng: np.random.Generator, fixes: int) -> np.ndarray:
    moves = rng.normal(0, DRIFT, (fixes, 2)) * (rng.random((fixes, 2)) > STAYS)
    moves *= rng.random((fixes, 1)) > REPEATS
    place, walk = rng.normal(0, 2e-5, 2), np.empty((fixes, 2))
    for number, move in enumerate(moves):
        if move.any():
            place = PULL * place + move
        walk[number] = place
    return walk


def _way(rng: np.random.Generator, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    fixes = max(int(np.abs(end - start).sum() / STEP), 1)
    along = np.sort(rng.random((fixes, 1)), axis=0)
    aside = np.cumsum(rng.normal(0, DRIFT, (fixes, 2)) * (rng.random((fixes, 1)) > 0.5), axis=0)
    return start + along * (end - start) + aside
