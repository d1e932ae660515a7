"""So many at once, in the order in which they came."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK = 0.05  # seconds between two questions whether one that waits still wants to


class Places:
    """A queue of which the first `count` work and the others wait."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._queue: list[object] = []
        self._changed = threading.Condition()

    @contextmanager
    def one(self, wait: Callable[[bool], bool] = lambda waiting: True) -> Iterator[bool]:
        """A place, once there is one.

        Parameters
        ----------
        wait : callable
            ``wait(True)`` is asked again and again while there is none, whether to go on waiting; ``wait(False)`` is
            called when there is one.

        Yields
        ------
        bool
            Whether there is a place.
        """
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            yield self._taken(ticket, wait)
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _taken(self, ticket: object, wait: Callable[[bool], bool]) -> bool:
        while True:
            with self._changed:
                if self._queue.index(ticket) < self.count:
                    break
                self._changed.wait(LOOK)
            if not wait(True):
                return False
        wait(False)
        return True
