"""The result of an attack that was run against a release."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pandas as pd

from kanon_engine.shown import Shown

SURVIVES, BROKEN, NOT_RUN = "survives", "does not survive", "not run"


@dataclass(frozen=True, eq=False, repr=False)
class Attacked(Shown):
    """The result of one attack."""

    attack: str  # "linking", "homogeneity", "composition", "differencing", "minimality" or "downcoding"
    title: str  # its name for a person
    knowledge: str  # what the attacker has and does, as a sentence
    verdict: str  # "survives", "does not survive" or "not run"
    # found, of: how many of how many (people, cells, …, by `unit`) the attack exposes
    found: int
    of: int
    unit: str
    # 95 % interval of the share for people that the attack was not run on, exact binomial (Clopper, Pearson 1934);
    # (share, share) if it was run on everyone. For differencing that did not fully check all parts, from none to all of
    # the unchecked ones as well
    interval: tuple[float, float]
    sentence: str  # the findings, with figures; for "not run" the reason
    figures: dict[str, str] = field(default_factory=dict)  # more findings, as they are written
    evidence: pd.DataFrame = field(default_factory=pd.DataFrame)  # one row per exposed one. Internal
    source: str = ""

    def _facts(self) -> dict[str, object]:
        return {self.title: self.verdict, "found": f"{self.found:,} of {self.of:,} {self.unit}"}

    @property
    def share(self) -> float:
        """found / of; 0 if of is 0."""
        return self.found / self.of if self.of else 0.0


@dataclass(frozen=True)
class Attack:
    """The fixed description of an attack: its name, what attackers have and do, and its source."""

    key: str
    title: str
    knowledge: str
    source: str

    def not_run(self, why: str) -> Attacked:
        """The result if it lacks what it needs.

        >>> Attack("linking", "Linking", "A list is joined.", "").not_run("There is no list; give one.").verdict
        'not run'
        """
        return replace(self.ran(0, 0, "people", why, {}), verdict=NOT_RUN, interval=(0.0, 1.0))

    def ran(
        self,
        hits: int,
        of: int,
        unit: str,
        sentence: str,
        figures: dict[str, str],
        evidence: pd.DataFrame | None = None,
    ) -> Attacked:
        """The result for everyone: the share is known, so it has no interval. Nothing found means it survives.

        >>> linking = Attack("linking", "Linking", "A list is joined.", "")
        >>> linking.ran(1, 4, "people", "One is found.", {}).interval
        (0.25, 0.25)
        """
        share = hits / of if of else 0.0
        rows = pd.DataFrame() if evidence is None else evidence
        return Attacked(
            self.key,
            self.title,
            self.knowledge,
            BROKEN if hits else SURVIVES,
            hits,
            of,
            unit,
            (share, share),
            sentence,
            figures,
            rows,
            self.source,
        )


# Attacks on an algorithm's behavior, which its family runs: `Family.attacks`.
MINIMALITY = Attack(
    "minimality",
    "Minimality",
    "Someone knows the quasi-identifiers of everyone in the release and the requirements on groups, and also knows "
    "that the algorithm keeps cutting groups as long as every part satisfies these requirements.",
    "R. Wong, A. Fu, K. Wang, J. Pei, Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007; "
    "docs/proofs/release/minimality.md",
)
DOWNCODING = Attack(
    "downcoding",
    "Downcoding",
    "Someone has only the release, but knows the values and the hierarchies of its columns, and also knows that a "
    "group hides no more than necessary.",
    "A. Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022, sections 4 and 5; "
    "docs/proofs/release/downcoding.md",
)

LEVEL = 0.95


def exact_interval(hits: int, of: int) -> tuple[float, float]:
    """Exact 95 % binomial interval of a share; (0, 1) for no one.

    Each end is the share for which the found number, or a more extreme one, has half of the remaining 5 % probability.

    References
    ----------
    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 1934.

    >>> low, high = exact_interval(0, 10)  # none of ten: 1 - (1 - 0.95) / 2 = 0.975 = 1 - (1 - p)^10
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.stats import beta

    rest = (1 - LEVEL) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(rest, hits, of - hits + 1))
    high = 1.0 if hits == of else float(beta.ppf(1 - rest, hits + 1, of - hits))
    return low, high
