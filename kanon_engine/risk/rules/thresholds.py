"""Rules that compare a risk with a number: exactly, for 1/11 is above 0.09 and 1/5 is 0.2."""

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
    "the number 0.09 is as others report it, and was not checked against that text"
)
PRECEDENTS = (
    "El Emam, Guide to the De-Identification of Personal Health Information (2013), chapter on cell size precedents: "
    "for public release 11 in the United States, “a cell size of 20 for public Canadian and U.S. patent data”, "
    "as its abstract prints it"
)
RECORDS = (
    "It counts records: where a person has several, a group has fewer people than records. It says nothing of what a "
    "group tells of its people, nor of other releases"
)
BEYOND = f"{RECORDS}."
FIFTH, TWENTIETH, EMA_LIMIT = Fraction(1, 5), Fraction(1, 20), Fraction(9, 100)


def highest_within(limit: Fraction, case: Case) -> Found:
    """No record's risk is above a limit."""
    kind = "group of the population" if case.by_population else "group"
    told = (
        f"The smallest {kind} has {int(case.hidden_among.min()):,}{case.over}: the highest risk is "
        f"{chance(case.highest.denominator)}"
    )
    fewest = -(-limit.denominator // limit.numerator)
    if case.highest <= limit:
        return HOLDS, f"{told}, not above {limit_words(limit)}."
    return FAILS, (
        f"{told}, above {limit_words(limit)}, for which every group needs at least {fewest:,}; "
        f"{case.number(case.at_risk(limit))} are in smaller ones."
    )


def average_within(limit: Fraction, case: Case) -> Found:
    """The average risk of all records is not above a limit."""
    records = int(case.sizes.sum())
    told = (
        f"{len(case.sizes):,} groups of {case.number(records)}{case.over}: the average risk is "
        f"{average_chance(case.average)}"
    )
    if case.average_within(limit):
        return HOLDS, f"{told}, not above {limit_words(limit)}."
    return FAILS, f"{told}, above {limit_words(limit)}."


def few_at_risk(limit: Fraction, most: Fraction, case: Case) -> Found:
    """The share of records whose risk is above a limit is not above another."""
    records, above = int(case.sizes.sum()), case.at_risk(limit)
    told = (
        f"{above:,} of {case.number(records)} have a risk above {limit_words(limit)}{case.over}: a share of "
        f"{percent(above / records)}"
    )
    if above * most.denominator <= records * most.numerator:
        return HOLDS, f"{told}, not above {limit_words(most)}."
    return FAILS, f"{told}, above {limit_words(most)}."


def own_minimum(case: Case) -> Found:
    """Every class has as many records as the person asks for, or as were promised."""
    said = case.facts.minimum
    least = case.released.k if said is None else said
    what = f"k = {least:,}" if said is None else f"the minimum {least:,}"
    told = f"The smallest group has {case.number(case.smallest)}{case.over}"
    if case.smallest >= least:
        return HOLDS, f"{told}, not fewer than {what}."
    below = case.sizes[case.sizes < least]
    return FAILS, f"{told}, fewer than {what}; {case.number(int(below.sum()))} are in {len(below):,} such groups."


def no_trial(case: Case) -> str:
    """Why a policy on reports of trials is not about such data."""
    if case.data in ("", "trial"):
        return ""
    return f"The policy is on reports of clinical trials, and {OF[case.data]}."


POPULATION = ("membership_unknown and population_sizes, for a risk by the population",)
THRESHOLDS = (
    Rule(
        "own-minimum",
        "Every group as large as you ask",
        "You: a minimum of your own, or else the k that the release promises",
        "Every group of records that look alike has at least so many.",
        ("minimum, if it is not k",),
        BEYOND,
        own_minimum,
        by_size=True,
    ),
    Rule(
        "arx-highest",
        "ARX: highest risk 0.2",
        ARX,
        "ARX marks a release whose highest risk of a record is above 0.2: every group has at least 5 records.",
        POPULATION,
        f"{RECORDS}. It is the default of a tool, not a law.",
        partial(highest_within, FIFTH),
        by_size=True,
    ),
    Rule(
        "arx-at-risk",
        "ARX: records at risk 0.05",
        ARX,
        "ARX marks a release in which more than 0.05 of the records have a risk above 0.2.",
        POPULATION,
        f"{RECORDS}. It is the default of a tool, not a law, and single records may be found although it holds.",
        partial(few_at_risk, FIFTH, TWENTIETH),
        by_size=True,
    ),
    Rule(
        "arx-average",
        "ARX: success rate 0.05",
        ARX,
        "ARX marks a release whose success rate, the average risk of all records, is above 0.05.",
        POPULATION,
        f"{RECORDS}. It is the default of a tool, not a law, and single records may be found although it holds.",
        partial(average_within, TWENTIETH),
        by_size=True,
    ),
    Rule(
        "ema-highest",
        "EMA Policy 0070: 0.09 for every record",
        EMA,
        "The agency is said to suggest a risk of at most 0.09 for clinical reports that are published. Read for every "
        "record, each group has at least 12: 1 in 11 is 0.0909.",
        POPULATION,
        f"{RECORDS}. The policy is on reports of trials and asks for a report on the method too, and for the dangers "
        "of its case to be weighed.",
        partial(highest_within, EMA_LIMIT),
        no_trial,
        by_size=True,
    ),
    Rule(
        "ema-average",
        "EMA Policy 0070: 0.09 on average",
        EMA,
        "The agency is said to suggest a risk of at most 0.09 for clinical reports that are published. Read for the "
        "average of all records, which is the weaker reading, small groups may be made up for by large ones.",
        POPULATION,
        f"{RECORDS}. Single records may have a risk above 0.09 although it holds.",
        partial(average_within, EMA_LIMIT),
        no_trial,
        by_size=True,
    ),
    Rule(
        "public-0.05",
        "Public release: highest risk 0.05",
        PRECEDENTS,
        "Some holders of data publish only groups of at least 20: a highest risk of 0.05.",
        POPULATION,
        f"{RECORDS}. It is a custom of some holders of data, not a law.",
        partial(highest_within, TWENTIETH),
        by_size=True,
    ),
)
