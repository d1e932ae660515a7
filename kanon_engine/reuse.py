"""Results from before: which of them answer a question again, and when one for a larger k serves a smaller one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_engine.generalize import generalize
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_of
from kanon_engine.verify import verify


def serves(instance: Any, algorithm: Algorithm, options: Mapping[str, Any]) -> bool:
    """Whether a result for a larger k serves every smaller one, and a bound for a smaller k every larger one.

    So it is where the largest class alone is to be small: a class of at least k' > k holds at least k, whatever else is
    required of it, and what it weighs does not depend on k. It is not so of other costs; of the largest class weighed
    against borders or sums; of relaxed results, whose classes need not reach their k; and of areas with barriers, which
    give way to one k and not to another.

    Example
    -------
    >>> from kanon_engine.regions import ALGORITHMS, Regions
    >>> areas = Regions("ab", [1, 1], [(0, 1)])
    >>> [serves(areas, ALGORITHMS["recombine"], {"compactness": shorter}) for shorter in (0.0, 0.5)]
    [True, False]
    """
    alone = family_of(instance).objective(algorithm.name, options).alone
    return alone and "relaxed" not in algorithm.claims and not getattr(instance, "barriers", ())


@dataclass(frozen=True)
class Question:
    """All that `generalize` is asked but k.

    Attributes
    ----------
    instance
    algorithm : Algorithm
    options : mapping
        Every option.
    seed : int
    require : tuple of Requirement
    """

    instance: Any
    algorithm: Algorithm
    options: Mapping[str, Any]
    seed: int
    require: Any

    def answer(self, k: int, **limits: Any) -> Generalization:
        """The result for this k; limits (of time, a listener) and errors are those of `generalize`."""
        asked = {"require": self.require, "seed": self.seed, **self.options}
        return generalize(self.instance, k, self.algorithm.name, **asked, **limits)

    def answers(self, results: Iterable[Generalization]) -> dict[int, Generalization]:
        """Of these results those that `generalize` would find again for this question, by their k; each is verified.

        A stopped run is no answer: without the limit that ended it, it finds another.

        Raises
        ------
        CertificateError
            One that claims to be of this question is not true.
        """
        asked = self.instance.digest, self.algorithm.name, dict(self.options), self.seed, self.require
        found = {}
        for g in results:
            told = g.instance_digest, g.algorithm, dict(g.options), g.seed, g.require
            if told == asked and g.status != "stopped":
                verify(self.instance, g)
                found[g.k] = g
        return found
