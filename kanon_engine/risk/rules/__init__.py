"""Stated rules that releases are compared with, each with its origin; docs/rules.md says what a person must answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanon_engine.disclosure.figures import Figures
from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.release.released import Released
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.cells import CELLS
from kanon_engine.risk.rules.facts import ALL, Facts
from kanon_engine.risk.rules.hipaa import HIPAA
from kanon_engine.risk.rules.nist import NIST
from kanon_engine.risk.rules.rule import Rule, Ruling
from kanon_engine.risk.rules.thresholds import THRESHOLDS
from kanon_engine.risk.rules.wp216 import WP216

__all__ = ["ALL", "RULES", "Facts", "Rule", "numbers_to_declare", "rulings"]

RULES: dict[str, Rule] = {rule.key: rule for rule in (*HIPAA, *CELLS, *THRESHOLDS, *WP216, *NIST)}

NO_FACTS = Facts()


def rulings(
    released: Released,
    g: Generalization | None = None,
    instance: Any = None,
    *,
    rules: Sequence[str] | None = None,
    facts: Facts = NO_FACTS,
    attacks: Sequence[Attacked] = (),
    earlier: Sequence[Figures] = (),
) -> tuple[Ruling, ...]:
    """Compare a release with stated rules.

    A rule that requires something that nobody examined or stated is not assessed. Numbers are compared exactly.

    Parameters
    ----------
    g : What made it, if kanon did, with its instance: they show whether groups are geographic areas.
    instance : Regions, Points, Labels, Table or MetricSpace, optional
    rules : Keys of `RULES`; all of them if None.
    facts : What a person states and no program can find.
    attacks : Those run against this release.
    earlier : What other releases publish about the same items; see `other_figures`.

    Returns
    -------
    tuple of Ruling : In the order of `rules`.

    Raises
    ------
    InvalidInput : An unknown rule; impossible population sizes.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": ["≤ 39"] * 11 + ["≥ 40"] * 12})
    >>> release = Released(people, ("age",), k=11)
    >>> [(one.key, one.verdict) for one in rulings(release, rules=["own-minimum", "ema-highest", "hipaa-expert"])]
    [('own-minimum', 'holds'), ('ema-highest', 'does not hold'), ('hipaa-expert', 'not assessed')]
    >>> print(rulings(release, rules=["own-minimum"])[0].found)
    The smallest group has 11 records, which is at least k = 11.
    """
    keys = list(RULES) if rules is None else list(rules)
    unknown = [key for key in keys if key not in RULES]
    if unknown:
        raise InvalidInput(f"There is no rule {unknown[0]!r}; choose from {', '.join(RULES)}.", parameter="rules")
    case = Case(released, g, instance, facts, tuple(attacks), tuple(earlier))
    return tuple(RULES[key].ruling(case) for key in keys)


def numbers_to_declare(released: Released, g: Generalization | None = None, instance: Any = None) -> tuple[str, ...]:
    """Numeric columns of a release of groups, including second counts, that a person may describe.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"zip": [1], "weight": [40], "deaths": [4]})
    >>> numbers_to_declare(Released(frame, ("zip",), counts="weight"))
    ('deaths',)
    """
    case = Case(released, g, instance, NO_FACTS, ())
    return tuple(dict.fromkeys((*case.second_counts, *case.undeclared)))
