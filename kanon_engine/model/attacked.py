"""What an attack that was run against a release found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pandas as pd

from kanon_engine.shown import Shown

SURVIVES, BROKEN, NOT_RUN = "survives", "does not survive", "not run"


@dataclass(frozen=True, eq=False, repr=False)
class Attacked(Shown):
    """One attack."""

    attack: str  # "linking", "homogeneity", "composition", "differencing", "minimality" or "downcoding"
    title: str  # as a person reads it
    knowledge: str  # what the attacker has and does, a sentence
    verdict: str  # "survives", "does not survive" or "not run"
    # found, of: how many of how many (people, cells, …, as `unit` says) the attack exposes
    found: int
    of: int
    unit: str
    # 95 % interval of the share for the people that the attack was not run on, exact binomial (Clopper, Pearson 1934);
    # (share, share) where it was run on everybody. Of differencing that did not look at all parts in full from none to
    # all of these besides
    interval: tuple[float, float]
    sentence: str  # what was found, with figures; of "not run" why not
    figures: dict[str, str] = field(default_factory=dict)  # more of what was found, as it is written
    evidence: pd.DataFrame = field(default_factory=pd.DataFrame)  # one row for each that is exposed. Internal
    source: str = ""

    def _facts(self) -> dict[str, object]:
        return {self.title: self.verdict, "found": f"{self.found:,} of {self.of:,} {self.unit}"}

    @property
    def share(self) -> float:
        """found / of, 0 of none."""
        return self.found / self.of if self.of else 0.0


@dataclass(frozen=True)
class Attack:
    """What is the same whatever an attack finds: how it is called, what attackers have and do, where it is from."""

    key: str
    title: str
    knowledge: str
    source: str

    def not_run(self, why: str) -> Attacked:
        """What is said where it lacks what it needs.

        >>> Attack("linking", "Linking", "A list is joined.", "").not_run("There is no list; give one.").verdict
        'not run'
        """
        return replace(self.ran(0, 0, "people", why, {}), verdict=NOT_RUN, interval=(0.0, 1.0))

    def ran(
        self,
        found: int,
        of: int,
        unit: str,
        sentence: str,
        figures: dict[str, str],
        evidence: pd.DataFrame | None = None,
    ) -> Attacked:
        """What it found on everybody: the share is known, and no interval is about it. None found survives.

        >>> linking = Attack("linking", "Linking", "A list is joined.", "")
        >>> linking.ran(1, 4, "people", "One is found.", {}).interval
        (0.25, 0.25)
        """
        share = found / of if of else 0.0
        rows = pd.DataFrame() if evidence is None else evidence
        return Attacked(
            self.key,
            self.title,
            self.knowledge,
            BROKEN if found else SURVIVES,
            found,
            of,
            unit,
            (share, share),
            sentence,
            figures,
            rows,
            self.source,
        )


# Attacks on what an algorithm does, which its family runs: `Family.attacks`.
MINIMALITY = Attack(
    "minimality",
    "Minimality",
    "Somebody knows the quasi-identifiers of everybody in the release, what was required of it, and that the algorithm "
    "cuts groups as long as every part satisfies that.",
    "R. Wong, A. Fu, K. Wang, J. Pei, Minimality Attack in Privacy Preserving Data Publishing, VLDB 2007; "
    "docs/proofs/release/minimality.md",
)
DOWNCODING = Attack(
    "downcoding",
    "Downcoding",
    "Somebody has the release alone, and knows the values and the hierarchies of its columns, and that a group hides "
    "no more than it must.",
    "A. Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022, sections 4 and 5; "
    "docs/proofs/release/downcoding.md",
)

LEVEL = 0.95


def exact_interval(found: int, of: int) -> tuple[float, float]:
    """Exact binomial interval of a share, at 95 %; (0, 1) of nobody.

    Each end is the share at which what was found, or anything farther off, has half of what the level leaves.

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
    low = 0.0 if found == 0 else float(beta.ppf(rest, found, of - found + 1))
    high = 1.0 if found == of else float(beta.ppf(1 - rest, found + 1, of - found))
    return low, high
