"""What the sizes of released classes tell by themselves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.model.measure import Measure
from kanon_engine.model.words import counted
from kanon_engine.release.released import Released
from kanon_engine.risk.words import average_chance, chance, decimal, of_all
from kanon_engine.tables.audit.uniques import MOST_COLUMNS, special_uniques

EL_EMAM = "K. El Emam, F. Dankar, “Protecting Privacy Using k-Anonymity”, JAMIA 15, 2008"
NOTHING = "nothing is released"


def sample_measures(released: Released, threshold: float) -> Iterator[Measure]:
    """Sizes of classes, prosecutor risk, and who is alone.

    Parameters
    ----------
    released : Released
    threshold : float
        Risk above which a record counts as at risk.
    """
    sizes, unit, n = released.sizes[released.sizes > 0], released.unit, released.records
    yield Measure(
        "records",
        "Released",
        n,
        f"{n:,} {unit}",
        f"How many {unit} the release tells of.",
        "n = Σ fⱼ over all groups j",
    )
    smallest = int(sizes.min()) if n else None
    yield Measure(
        "k-reached",
        "Smallest group",
        smallest,
        NOTHING if smallest is None else f"{smallest:,}",
        f"Fewest {unit} that show the same in all quasi-identifiers: the k that is reached.",
        "min fⱼ. L. Sweeney, “k-Anonymity”, IJUFKS 10, 2002",
    )
    average = n / len(sizes) if n else None
    yield Measure(
        "average-class",
        "Average group",
        average,
        NOTHING if average is None else f"{decimal(average)} in {counted(len(sizes), 'group')}",
        f"How many {unit} show the same on average.",
        "n / m, m groups. K. LeFevre, D. DeWitt, R. Ramakrishnan, “Mondrian”, ICDE 2006 (before dividing by k)",
    )
    yield from _prosecutor(sizes, n, unit, threshold)
    yield from _uniques(released, sizes)


def _prosecutor(sizes: np.ndarray, n: int, unit: str, threshold: float) -> Iterator[Measure]:
    """Of somebody who knows that a person is in the release."""
    highest = 1 / int(sizes.min()) if n else None
    yield Measure(
        "prosecutor-highest",
        "Highest prosecutor risk",
        highest,
        NOTHING if highest is None else chance(int(sizes.min())),
        "Largest chance to pick the record of a person who is known to be in the release.",
        f"max 1 / fⱼ. {EL_EMAM}; ARX: “highest risk”",
    )
    average = len(sizes) / n if n else None
    yield Measure(
        "prosecutor-average",
        "Average prosecutor risk",
        average,
        NOTHING if average is None else average_chance(average),
        "The same chance on average over the released records.",
        f"m / n. {EL_EMAM}; ARX: “average prosecutor risk”",
    )
    at_risk = int(sizes[1 / sizes > threshold].sum())
    yield Measure(
        "prosecutor-above",
        f"Records with a prosecutor risk above {decimal(threshold)}",
        at_risk / n if n else None,
        of_all(at_risk, n, unit) if n else NOTHING,
        f"Share of {unit} in groups of fewer than 1 / {decimal(threshold)}.",
        f"Σ fⱼ over 1 / fⱼ > {decimal(threshold)}, divided by n. {EL_EMAM}; ARX: “records at risk”",
    )


def _uniques(released: Released, sizes: np.ndarray) -> Iterator[Measure]:
    """Who is alone, and by how few columns."""
    n, unit = released.records, released.unit
    alone = int((sizes == 1).sum())
    yield Measure(
        "sample-uniques",
        "Sample uniques",
        alone,
        of_all(alone, n, unit),
        f"{unit.capitalize()} that nobody else is like in all quasi-identifiers.",
        "Groups with fⱼ = 1",
    )
    title, meaning = "Singled out by at most three quasi-identifiers", "Who knows these few values finds the record."
    source = "Minimal sample uniques of up to 3 columns. M. Elliot, A. Manning, R. Ford, IJUFKS 10, 2002 (SUDA)"
    names = released.quasi_identifiers
    why = ""
    if released.counts is not None:
        why = "not worked out: groups are released, not records"
    elif len(names) > MOST_COLUMNS:
        why = f"not worked out: of {len(names):,} quasi-identifiers there are too many combinations"
    elif not n:
        why = NOTHING
    if why:
        yield Measure("minimal-uniques", title, None, why, meaning, source)
        return
    found = special_uniques([released.sets([name]) for name in names])
    singled = int(np.logical_or.reduce(list(found.values())).sum()) if found else 0
    yield Measure("minimal-uniques", title, singled, of_all(singled, n, unit), meaning, source)
