"""Outlines and lines as the pictures draw them."""

from __future__ import annotations

import numpy as np

Outline = list[list[np.ndarray]]  # polygons, each its outer ring and the rings of its holes


def whole(rings: list[np.ndarray]) -> list[Outline]:
    """Outlines that are not cut off."""
    return [[[ring]] for ring in rings]


def joined(lines: list[np.ndarray]) -> np.ndarray:
    """Several lines as one, with a gap (NaN) after each."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([part for line in lines for part in (line, gap)]) if lines else np.empty((0, 2))
