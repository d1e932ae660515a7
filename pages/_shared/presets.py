"""Values of k that rules name, and the k that a person's own data begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    """A value of k that a rule names.

    Attributes
    ----------
    k : int
    unit : str
        What the rule counts; "" where it holds for counts of any kind.
    name : str
        Who made the rule.
    rule : str
        What it says, and where.
    """

    k: int
    unit: str
    name: str
    rule: str


PRESETS = (
    Preset(
        20_001,
        "people",
        "HIPAA",
        "HIPAA's safe harbor tells where people live only by areas of more than 20,000 people "
        "(45 CFR 164.514(b)(2)(i)(B)): k = 20,001.",
    ),
    Preset(11, "", "CMS", "The US Centers for Medicare & Medicaid Services (CMS) show no count of 1 to 10: k = 11."),
)


def presets(unit: str) -> list[Preset]:
    """Those that hold for what is counted, the largest first; rates are no counts.

    Example
    -------
    >>> [[preset.k for preset in presets(unit)] for unit in ("people", "trees", "people per 100,000")]
    [[20001, 11], [11], []]
    """
    return [preset for preset in PRESETS if preset.unit in ("", unit) and " per " not in unit]


def fitting(instance: Any) -> list[Preset]:
    """Those of these data with which there may be two groups, the largest first."""
    return [preset for preset in presets(instance.unit) if 2 * preset.k <= instance.total]


def first_k(instance: Any) -> int:
    """The largest preset with which there may be two groups, else half of all.

    Example
    -------
    >>> from kanon_engine import Labels
    >>> [first_k(Labels("ab", counts)) for counts in ([30_000, 30_000], [10, 10])]
    [11, 10]
    """
    found = fitting(instance)
    return found[0].k if found else max(1, instance.total // 2)
