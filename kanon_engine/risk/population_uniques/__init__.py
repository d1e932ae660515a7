"""How many people are alone in the population with what a sample shows of them, as far as the sample tells."""

from __future__ import annotations

from kanon_engine.risk.population_uniques.class_sizes import ClassSizes
from kanon_engine.risk.population_uniques.estimate import Estimate
from kanon_engine.risk.population_uniques.pitman import pitman
from kanon_engine.risk.population_uniques.slide_negative_binomial import slide_negative_binomial
from kanon_engine.risk.population_uniques.zayatz import zayatz

__all__ = ["SMALL_SAMPLE", "ClassSizes", "Estimate", "chosen", "pitman", "slide_negative_binomial", "zayatz"]

SMALL_SAMPLE = 0.1  # share of the population up to which the decision rule takes Pitman's model


def chosen(sample: ClassSizes, population: int, zayatz: Estimate, pitman: Estimate, slide: Estimate) -> Estimate:
    """The estimate that the decision rule of Dankar and others takes.

    Of a sample of at most a tenth of the population Pitman's; of a larger one the smaller of Zayatz' and the slide
    negative binomial. Zayatz' where the other finds none.

    References
    ----------
    F. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the re-identification risk of clinical data sets", BMC
    Medical Informatics and Decision Making 12:66, 2012.

    Example
    -------
    >>> found = Estimate("Zayatz", 40.0), Estimate("Pitman", 25.0), Estimate("slide negative binomial", 30.0)
    >>> sample = ClassSizes.of([1, 1, 2])
    >>> chosen(sample, 1_000, *found).estimator, chosen(sample, 8, *found).estimator
    ('Pitman', 'slide negative binomial')
    """
    if sample.records <= SMALL_SAMPLE * population:
        return zayatz if pitman.uniques is None else pitman
    known = [own for own in (zayatz, slide) if own.uniques is not None]
    return min(known, key=lambda own: own.uniques or 0.0)
