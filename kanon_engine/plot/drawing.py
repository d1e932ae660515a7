"""Pictures that matplotlib draws: the same on every machine, and by one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETTINGS = {
    "font.family": "DejaVu Sans",  # comes with the library, so that every machine draws the same
    "text.parse_math": False,  # a name may hold $
    "svg.hashsalt": "kanon",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "path.simplify": True,
}
_DRAWING = threading.Lock()  # matplotlib's settings and caches are shared by all threads


@contextmanager
def empty_figure(dpi: int, size: tuple[float, float] | None = None) -> Iterator[Figure]:
    """A white figure to draw on and to save; others wait until that is done.

    Parameters
    ----------
    dpi : Dots an inch.
    size : In inches.

    >>> with empty_figure(72, (8.0, 4.0)) as figure:
    ...     figure.get_size_inches().tolist()
    [8.0, 4.0]
    """
    with _DRAWING:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        with matplotlib.rc_context(SETTINGS):
            figure = Figure(size, dpi=dpi, facecolor="white")
            FigureCanvasAgg(figure)
            yield figure
