"""A search that waits for a test: it reports once, and works when the gate opens or when it is told to stop.

Searches then run in threads of the process that the gate is in, as where no worker can be forked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kanon_engine.model.known import FAMILIES
from kanon_engine.model.run import Run


def gated(open_now: Callable[[], bool], family: str = "regions", name: str = "recombine") -> Any:
    """This algorithm behind a gate."""
    algorithm = FAMILIES[family].algorithms[name]

    def search(instance: Any, k: int, run: Run, **options: Any) -> Any:
        while run.goes_on(0.25, None, None, "waiting for classes") and not open_now():
            time.sleep(0.01)
        return algorithm.function(instance, k, run, **options)

    return replace(algorithm, function=search, source=f"{algorithm.source}, behind a gate")
