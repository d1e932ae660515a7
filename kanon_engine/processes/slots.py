"""So many at once, in the order in which they came."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLL = 0.05  # seconds between two questions whether one that waits still wants to


class Slots:
    """A queue of which the first `count` work and the others wait."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._queue: list[object] = []
        self._changed = threading.Condition()

    @contextmanager
    def one(self, wait: Callable[[bool], bool] = lambda waiting: True) -> Iterator[bool]:
        """A slot, once one is free.

        Parameters
        ----------
        wait : callable
            ``wait(True)`` is asked again and again while none is free, whether to go on waiting; ``wait(False)`` is
            called when one is.

        Yields
        ------
        bool
            Whether it has a slot.
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
                self._changed.wait(POLL)
            if not wait(True):
                return False
        wait(False)
        return True
