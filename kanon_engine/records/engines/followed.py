"""Work of an engine that is followed while it runs, and stopped on request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from kanon_engine.errors import SearchEnded
from kanon_engine.model.run import Progress, ProgressCallback

PAUSE = 0.1  # seconds between two reports


def followed(
    work: Callable[[], Any],
    progress: ProgressCallback | None,
    doing: str,
    share: Callable[[], float],
    stop: Callable[[], object],
) -> Any:
    """What `work()` returns, with reports meanwhile.

    Parameters
    ----------
    work : callable
        Runs in a thread of its own where somebody listens.
    progress : callable or None
        Returns False to stop.
    doing : str
        In words.
    share : callable
        How much is done, 0 to 1; less where nobody can say. Reports never go back.
    stop : callable
        Makes `work` end soon, with any error.

    Raises
    ------
    SearchEnded
        `progress` returned False.

    Example
    -------
    >>> followed(lambda: 3, None, "Counting", lambda: 0.0, lambda: None)
    3
    """
    if progress is None:
        return work()
    result: list[Any] = []
    raised: list[BaseException] = []

    def aside() -> None:
        try:
            result.append(work())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=aside, daemon=True)
    thread.start()
    done = 0.0
    try:
        while thread.is_alive():
            thread.join(PAUSE)
            done = min(max(share(), done), 1.0)
            if progress(Progress(done, None, None, doing)) is False:
                raise SearchEnded(f"{doing} was stopped before its end; nothing was kept.")
    finally:
        if thread.is_alive():
            stop()
            thread.join()
    if raised:
        raise raised[0]
    return result[0]
