"""Beat the algorithm: what it costs on a small instance, beside the best possible and what it promises at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import generalize
from kanon_engine.model.bound import Cost
from kanon_engine.model.generalization import Generalization
from kanon_engine.registry import family_of
from kanon_engine.shown import Shown
from kanon_engine.studies.beat.opponents import Opponent, opponent_of, run_of
from kanon_engine.studies.beat.ratios import ratio_ceiling

MOST = 80  # items of an instance
SECONDS = 4.0  # that the exact search has


@dataclass(frozen=True, eq=False, repr=False)
class Duel(Shown):
    """An opponent's result on an instance, and how bad it is.

    Attributes
    ----------
    cost : int or float
        The opponent's.
    optimum : int or float
        The best possible; where that is not proven, the greatest lower bound that is known.
    optimum_is_proven : bool
    ratio : float
        Cost / optimum; where the optimum is not proven, no ratio is larger. 1 where both are 0.
    ceiling : int, float or None
        What the opponent's guarantee allows here; None where it guarantees nothing.
    ceiling_words : str
        Where that comes from.
    g : Generalization
        The opponent's result.
    best : Generalization
        The best result that is known; of the optimum, where that is proven.
    """

    cost: Cost
    optimum: Cost
    optimum_is_proven: bool
    ratio: float
    ceiling: Cost | None
    ceiling_words: str
    g: Generalization
    best: Generalization

    def _facts(self) -> dict[str, object]:
        return {"cost": self.cost, "optimum": self.optimum, "ratio": self.ratio, "ceiling": self.ceiling}


def duel(instance: Any, k: int, algorithm: str, *, seed: int = 0, **options: Any) -> Duel:
    """Run an opponent and the exact search of its family on the same instance.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
        Of at most `MOST` items.
    k : int
    algorithm : str
        Name of an `Opponent` of the family.
    seed : int
    **options
        Of the opponent's algorithm.

    Raises
    ------
    InvalidInput, UnknownAlgorithm, Infeasible
        As `generalize`; and `InvalidInput` where there are too many items.

    Example
    -------
    Four labels that the two-approximation puts into one bin, though two are possible:

    >>> import kanon_engine as kanon
    >>> found = duel(kanon.Labels("abcd", [1, 5, 9, 5]), 10, "two-approximation")
    >>> found.cost, found.optimum, found.optimum_is_proven, found.ratio, found.ceiling
    (20, 10, True, 2.0, 20)
    """
    if len(instance) > MOST:
        raise InvalidInput(f"{len(instance):,} items are too many to draw; take at most {MOST:,}.", value=len(instance))
    opponent = opponent_of(family_of(instance).name, algorithm)
    g = run_of(opponent, instance, k, seed, options)
    best, bound = _best(instance, k, opponent, g, seed)
    proven = best.cost == bound
    optimum = best.cost if proven else bound
    ceiling, words = _ceiling(instance, g, optimum if proven else None)
    ratio = g.cost / optimum if optimum else 1.0 if g.cost == 0 else float("inf")
    return Duel(g.cost, optimum, proven, ratio, ceiling, words, g, best)


def _best(instance: Any, k: int, opponent: Opponent, g: Generalization, seed: int) -> tuple[Generalization, Cost]:
    """The best result that is known, and the greatest lower bound."""
    best, bound = g, g.lower_bound
    for name, options in opponent.solvers(g):
        if best.cost == bound:
            break
        found = generalize(instance, k, name, seed=seed, time_limit=SECONDS, **options)
        best, bound = min(best, found, key=lambda one: one.cost), max(bound, found.lower_bound)
    return best, bound


def _ceiling(instance: Any, g: Generalization, optimum: Cost | None) -> tuple[Cost | None, str]:
    """The lower one of what this run promises and of what its ratio makes of the optimum."""
    family = family_of(instance)
    promised = family.promise(instance, g.k, g.algorithm, g.options, g)
    ratio = ratio_ceiling(g, optimum)
    if ratio is not None and (g.guarantee is None or ratio[0] <= g.guarantee):
        return ratio
    return g.guarantee, promised
