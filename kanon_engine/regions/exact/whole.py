"""Whether there are classes up to a cap: asked of a whole part along its frontier."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.frontier import classes_between
from kanon_engine.regions.partitions.model import Part

WORK = 20_000_000  # ways to add an area to a state, for an effort of 1
STATES = 50_000  # kept after an area; of more only some, and then nothing is ruled out


def along_frontier(part: Part, cap: int, effort: float, seed: int) -> tuple[str, np.ndarray | None, float]:
    """Classes of weight k to the cap, or the proof that there are none, as in `partition_of`.

    Where the part has rules besides k, classes that break one are not returned: then the question stays open. What is
    impossible without the rules is so with them.

    Example
    -------
    >>> path = Part(np.array([(0, 1), (1, 2), (2, 3)]), np.array([2, 1, 1, 2]), 3)
    >>> along_frontier(path, 3, 0.1, 0)[:2]
    ('found', array([0, 0, 1, 1]))
    >>> along_frontier(Part(path.edges, np.array([2, 2, 1, 2]), 3), 3, 0.1, 0)[:2]
    ('impossible', None)
    """
    answer = classes_between(
        part.graph,
        part.k,
        cap,
        limit=STATES,
        beam=True,
        order=part.order,
        generator=np.random.default_rng(seed),
        most=round(WORK * effort),
    )
    labels, spent = answer.labels, answer.states / WORK
    if labels is None:
        return answer.verdict, None, spent
    classes = (np.flatnonzero(labels == c) for c in range(int(labels.max()) + 1))
    return ("found", labels, spent) if all(map(part.rules.admits, classes)) else ("open", None, spent)
