"""Attacks that are run against a release, each in a file of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Lazy
from kanon_engine.model.attacked import Attacked
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.knowledge import Knowledge

# each takes a Released and a Knowledge
ATTACKS: dict[str, Lazy] = {
    "linking": Lazy("kanon_engine.risk.attacks.linking:linking"),
    "homogeneity": Lazy("kanon_engine.risk.attacks.homogeneity:homogeneity"),
    "composition": Lazy("kanon_engine.risk.attacks.composition:composition"),
    "differencing": Lazy("kanon_engine.risk.attacks.what_is_known:differencing"),
    "minimality": Lazy("kanon_engine.risk.attacks.what_is_known:minimality"),
    "downcoding": Lazy("kanon_engine.risk.attacks.what_is_known:downcoding"),
}


def attack(
    released: Released,
    knowledge: Knowledge | None = None,
    only: Iterable[str] | None = None,
    progress: Callable[[str], object] = lambda words: None,
    ended: Callable[[Attacked, float], object] = lambda attacked, seconds: None,
) -> tuple[Attacked, ...]:
    """Run every attack against a release; those that lack knowledge are reported as not run, with the reason.

    Parameters
    ----------
    knowledge : What else attackers have; nothing if None.
    only : Of `ATTACKS`; all of them if None.
    progress : Called before each attack, in words.
    ended : Called after each attack, with its result and the seconds it took.

    Returns
    -------
    tuple of Attacked : In the order of `ATTACKS`; the same for the same seed.

    Raises
    ------
    InvalidInput : An unknown attack; knowledge that does not fit the release.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "ill": ["flu", "cold", "flu", "flu"]})
    >>> for found in attack(Released(people, ("age",), ("ill",), k=2), only=["linking", "homogeneity"]):
    ...     print(found.attack, found.verdict)
    linking not run
    homogeneity does not survive
    """
    chosen = list(ATTACKS) if only is None else list(only)
    for name in chosen:
        if name not in ATTACKS:
            raise InvalidInput(f"There is no attack {name!r}; choose from {', '.join(ATTACKS)}.")
    assumed = Knowledge() if knowledge is None else knowledge
    running, found = [name for name in ATTACKS if name in chosen], []
    for number, name in enumerate(running, start=1):
        progress(f"Running attack {number} of {len(running)}: {name}")
        begun = time.perf_counter()
        found.append(ATTACKS[name](released, assumed))
        ended(found[-1], time.perf_counter() - begun)
    return tuple(found)
