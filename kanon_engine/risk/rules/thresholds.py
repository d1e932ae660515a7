"""Rules that compare a risk with a number: exactly, because 1/11 is above 0.09 and 1/5 is 0.2."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from kanon_engine.risk.rules.case import Case, limit_words
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OF, Found, Rule
from kanon_engine.risk.words import average_chance, chance, percent

ARX = (
    "ARX, re-identification risk view: ModelRisk.java of arx-deidentifier/arx (highest risk 0.2, records at risk 0.05, "
    "success rate 0.05)"
)
EMA = (
    "European Medicines Agency, external guidance on the implementation of Policy 0070 (EMA/90915/2016), chapter 3; "
    "the number 0.09 comes from reports by others and was not checked against that text"
)
PRECEDENTS = (
    "El Emam, Guide to the De-Identification of Personal Health Information (2013), chapter on cell size precedents: "
    "for public release, 11 in the United States and “a cell size of 20 for public Canadian and U.S. patent [sic] "
    "data”, according to its abstract"
)
RECORDS = (
    "This rule counts records, not people: if a person has several records, a group has fewer people than records. It "
    "covers neither what a group reveals about its people nor other releases"
)
BEYOND = f"{RECORDS}."
FIFTH, TWENTIETH, EMA_LIMIT = Fraction(1, 5), Fraction(1, 20), Fraction(9, 100)


def fewest_within(limit: Fraction) -> int:
    """The smallest class whose risk is not above a limit: 1 / limit rounded up, exactly."""
    return -(-limit.denominator // limit.numerator)


def larger(case: Case, limit: Fraction) -> str:
    """The next step by which no record's risk is above a limit."""
    fewest = fewest_within(limit)
    if case.by_population:
        return f"Generalize more, until every group matches at least {fewest:,} people of the population."
    return case.larger_classes(fewest)


def highest_within(limit: Fraction, case: Case) -> Found:
    """No record's risk is above a limit."""
    kind = "group of the population" if case.by_population else "group"
    summary = (
        f"The smallest {kind} has size {int(case.hidden_among.min()):,}{case.over}: the highest risk is "
        f"{chance(case.highest.denominator)}"
    )
    fewest = fewest_within(limit)
    if case.highest <= limit:
        return HOLDS, f"{summary}, not above {limit_words(limit)}."
    return (
        FAILS,
        f"{summary}, above {limit_words(limit)}. This limit requires groups of at least {fewest:,}; "
        f"{case.number(case.at_risk(limit))} are in smaller groups.",
        larger(case, limit),
    )


def average_within(limit: Fraction, case: Case) -> Found:
    """The average risk of all records is not above a limit."""
    records = int(case.sizes.sum())
    summary = (
        f"{len(case.sizes):,} groups hold {case.number(records)}{case.over}: the average risk is "
        f"{average_chance(case.average)}"
    )
    if case.average_within(limit):
        return HOLDS, f"{summary}, not above {limit_words(limit)}."
    return FAILS, f"{summary}, above {limit_words(limit)}.", larger(case, limit)


def few_at_risk(limit: Fraction, most: Fraction, case: Case) -> Found:
    """The share of records whose risk is above a limit is not above another."""
    records, above = int(case.sizes.sum()), case.at_risk(limit)
    summary = (
        f"{above:,} of {case.number(records)} have a risk above {limit_words(limit)}{case.over}: a share of "
        f"{percent(above / records)}"
    )
    # cross-multiplied: 0.05 has no exact floating-point value
    if above * most.denominator <= records * most.numerator:
        return HOLDS, f"{summary}, not above {limit_words(most)}."
    return FAILS, f"{summary}, above {limit_words(most)}.", larger(case, limit)


def minimum_group_size(case: Case) -> Found:
    """Every class has as many records as the person requires, or as were promised."""
    minimum = case.facts.minimum
    least = case.released.k if minimum is None else minimum
    what = f"k = {least:,}" if minimum is None else f"the minimum {least:,}"
    summary = f"The smallest group has {case.number(case.smallest)}{case.over}"
    if case.smallest >= least:
        return HOLDS, f"{summary}, which is at least {what}."
    below = case.sizes[case.sizes < least]
    return (
        FAILS,
        f"{summary}, fewer than {what}; {case.number(int(below.sum()))} are in {len(below):,} such groups.",
        case.larger_classes(least),
    )


def no_trial(case: Case) -> str:
    """Why a policy on reports of trials does not cover these data."""
    if case.data in ("", "trial"):
        return ""
    return f"The policy covers reports of clinical trials, but {OF[case.data]}."


POPULATION = ("membership_unknown and population_sizes: needed only for a risk based on the population",)
THRESHOLDS = (
    Rule(
        "own-minimum",
        "Every group as large as you require",
        "Your own minimum, or otherwise the k that the release promises",
        "Every group of records that look the same has at least the required number of records.",
        ("minimum: needed only if it differs from k",),
        BEYOND,
        minimum_group_size,
        by_size=True,
    ),
    Rule(
        "arx-highest",
        "ARX: highest risk at most 0.2",
        ARX,
        "ARX flags a release if the highest risk of a record is above 0.2: every group needs at least 5 records.",
        POPULATION,
        f"{RECORDS}. The rule is the default of a tool, not a law.",
        partial(highest_within, FIFTH),
        by_size=True,
    ),
    Rule(
        "arx-at-risk",
        "ARX: share of records at risk at most 0.05",
        ARX,
        "ARX flags a release if a share of more than 0.05 of the records has a risk above 0.2.",
        POPULATION,
        f"{RECORDS}. The rule is the default of a tool, not a law. Individual records may be found even if the rule "
        "holds.",
        partial(few_at_risk, FIFTH, TWENTIETH),
        by_size=True,
    ),
    Rule(
        "arx-average",
        "ARX: success rate at most 0.05",
        ARX,
        "ARX flags a release if the success rate, the average risk of all records, is above 0.05.",
        POPULATION,
        f"{RECORDS}. The rule is the default of a tool, not a law. Individual records may be found even if the rule "
        "holds.",
        partial(average_within, TWENTIETH),
        by_size=True,
    ),
    Rule(
        "ema-highest",
        "EMA Policy 0070: risk at most 0.09 for every record",
        EMA,
        "The agency reportedly suggests a risk of at most 0.09 for published clinical reports. If this limit applies "
        "to every record, each group needs at least 12 records, because 1 in 11 is 0.0909.",
        POPULATION,
        f"{RECORDS}. The policy covers reports of trials. It also requires a report on the method and an assessment of "
        "the risks of the particular case.",
        partial(highest_within, EMA_LIMIT),
        no_trial,
        by_size=True,
    ),
    Rule(
        "ema-average",
        "EMA Policy 0070: risk at most 0.09 on average",
        EMA,
        "The agency reportedly suggests a risk of at most 0.09 for published clinical reports. If this limit "
        "applies only to the average of all records, which is less strict, large groups may make up for small ones.",
        POPULATION,
        f"{RECORDS}. Individual records may have a risk above 0.09 even if the rule holds.",
        partial(average_within, EMA_LIMIT),
        no_trial,
        by_size=True,
    ),
    Rule(
        "public-0.05",
        "Public release: highest risk at most 0.05",
        PRECEDENTS,
        "Some data holders publish only groups of at least 20, which means a highest risk of 0.05.",
        POPULATION,
        f"{RECORDS}. The rule is the practice of some data holders, not a law.",
        partial(highest_within, TWENTIETH),
        by_size=True,
    ),
)
