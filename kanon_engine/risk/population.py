"""What classes tell against a population: journalist and marketer risk, and estimates of who is alone in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.model.measure import Measure
from kanon_engine.release.released import Released
from kanon_engine.risk.individual import individual_risk
from kanon_engine.risk.population_uniques import (
    ClassSizes,
    Estimate,
    chosen,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from kanon_engine.risk.sample import EL_EMAM, NOTHING
from kanon_engine.risk.words import average_chance, chance, decimal, of_all, percent

NO_SIZES = "not known: it needs a table of the population, or how many people of it are in each group"
NO_POPULATION = "not known: it needs the number of people in the population that the records are a sample of"
ESTIMATES = {
    "Zayatz": (
        zayatz,
        "Assumes that groups are as often small in the population as in the sample; tends to find too many.",
        "N / n · f₁ · P(F = 1 | f = 1), hypergeometric. L. Zayatz, Bureau of the Census RR-91/08, 1991",
    ),
    "Pitman": (
        pitman,
        "Assumes that new people go on as Pitman's sampling formula has it; made for samples of up to a tenth.",
        "Γ(θ + 1) / Γ(θ + α) Nᵅ, θ and α likeliest. N. Hoshino, Journal of Official Statistics 17, 2001",
    ),
    "SNB": (
        slide_negative_binomial,
        "Assumes that groups of the population have 1 and a negative binomial number of people more.",
        "K β^α, K by Shlosser. G. Chen, S. Keller-McNulty, Journal of Official Statistics 14, 1998",
    ),
}
RULE = "F. Dankar, K. El Emam, A. Neisa, T. Roffey, BMC Medical Informatics and Decision Making 12:66, 2012; as in ARX"


def journalist_measures(released: Released, population: np.ndarray | None, threshold: float) -> Iterator[Measure]:
    """Of somebody who does not know whether a person is in the release, and has a table of the population.

    Parameters
    ----------
    released : Released
    population : (m,) int64 or None
        People of the population in each class, those of the release among them.
    threshold : float
    """
    own = released.sizes > 0
    f, n, unit = released.sizes[own], released.records, released.unit
    highest = average = above = None
    why = NO_SIZES if population is None else NOTHING
    if population is not None and n:
        everybody = population[own]
        highest = 1 / int(everybody.min())
        average = float((f / everybody).sum()) / n
        above = int(f[threshold < 1 / everybody].sum())
    yield Measure(
        "journalist-highest",
        "Highest journalist risk",
        highest,
        why if highest is None else chance(round(1 / highest)),
        "Largest chance to pick a person's record, for somebody who only knows that the person is in the population.",
        f"max 1 / Fⱼ over the groups of the release. {EL_EMAM}",
    )
    yield Measure(
        "journalist-average",
        "Average journalist risk",
        average,
        why if average is None else average_chance(average),
        "The same chance on average over the released records.",
        f"1 / n Σ fⱼ / Fⱼ. {EL_EMAM}",
    )
    yield Measure(
        "journalist-above",
        f"Records with a journalist risk above {decimal(threshold)}",
        None if above is None else above / n,
        why if above is None else of_all(above, n, unit),
        f"Share of {unit} in groups of fewer than 1 / {decimal(threshold)} people of the population.",
        f"Σ fⱼ over 1 / Fⱼ > {decimal(threshold)}, divided by n. {EL_EMAM}",
    )
    share = len(f) / n if average is None and n else average
    against = ", were the release the whole population" if average is None else ""
    yield Measure(
        "marketer",
        "Marketer risk",
        share,
        NOTHING if share is None else percent(share) + against,
        f"Share of {unit} that somebody names rightly who links all of them to a table of the population.",
        "1 / n Σ fⱼ / Fⱼ; m / n with Fⱼ = fⱼ. F. Dankar, K. El Emam, PAIS 2010",
    )


def uniques_measures(released: Released, population: int | None) -> Iterator[Measure]:
    """How many are alone in the population, by three estimators, and the one that a rule takes of them.

    Parameters
    ----------
    released : Released
        Taken for a random sample.
    population : int or None
        How many people the population has.
    """
    sample = ClassSizes.of(released.sizes)
    found: dict[str, Estimate] = {}
    for name, (estimator, meaning, source) in ESTIMATES.items():
        if population is not None and sample.records:
            found[name] = estimator(sample, population)
        yield _estimated(f"population-uniques-{name.lower()}", name, found.get(name), population, meaning, source)
    rule = None
    if population is not None and found:
        rule = chosen(sample, population, found["Zayatz"], found["Pitman"], found["SNB"])
    yield _estimated(
        "population-uniques",
        "by the decision rule" if rule is None else f"by the decision rule: {rule.estimator}",
        rule,
        population,
        "Pitman's estimate of a sample of up to a tenth, else the smaller of the two others; a guess, for no estimator "
        "is good everywhere.",
        RULE,
    )


def _estimated(
    key: str, name: str, found: Estimate | None, population: int | None, meaning: str, source: str
) -> Measure:
    """The share of the population, or why there is none."""
    title = f"Population uniques, estimated ({name})"
    if found is None or population is None:
        return Measure(key, title, None, NO_POPULATION if population is None else NOTHING, meaning, source)
    if found.uniques is None:
        return Measure(key, title, None, f"none: {found.why}", meaning, source)
    share = found.uniques / population
    words = f"{percent(share)}: about {round(found.uniques):,} of {population:,}"
    return Measure(key, title, share, words, meaning, source)


def weighted_measures(released: Released, weights: np.ndarray) -> Iterator[Measure]:
    """The risk of records that stand for more people each, by their sampling weights.

    Parameters
    ----------
    released : Released
    weights : (rows,) numbers of at least 1
        For how many people of the population each record of a row stands.
    """
    totals = np.bincount(released.classes, weights=released.weights * weights, minlength=len(released.sizes))
    own = released.sizes > 0
    f = released.sizes[own]
    risks = individual_risk(f, totals[own])
    n, unit = released.records, released.unit
    source = "E(1 / F), F negative binomial with p = fⱼ / Σ weights. R. Benedetti, L. Franconi, NTTS 1998; sdcMicro"
    yield Measure(
        "individual-highest",
        "Highest individual risk",
        float(risks.max()) if n else None,
        decimal(float(risks.max())) if n else NOTHING,
        "Largest chance to pick a person's record, where the sampling weights tell how many people are like it.",
        source,
    )
    expected = float((risks * f).sum())
    yield Measure(
        "expected-identified",
        "Expected re-identifications",
        expected,
        f"{decimal(expected)} of {n:,} {unit}" + (f" ({percent(expected / n)})" if n else ""),
        f"How many {unit} somebody is expected to name rightly who tries all of them.",
        f"Σ fⱼ {source}",
    )
