"""De-identification of health information by the HIPAA Privacy Rule, 45 CFR 164.514(b)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from kanon_engine.model.words import listed
from kanon_engine.risk.rules.case import Case, columns_text, limit_words
from kanon_engine.risk.rules.identifier_places import areas_leave, least_people, place_columns, zip_columns
from kanon_engine.risk.rules.identifiers import IDENTIFIERS, Seen, born_columns, identifier_hits
from kanon_engine.risk.rules.rule import APART, FAILS, HOLDS, OPEN, Found, Rule
from kanon_engine.risk.rules.thresholds import larger
from kanon_engine.risk.words import average_chance, chance

PEOPLE = 20_000  # an area must have more
MOST = 6  # findings that a sentence lists
NEAR = 25_000  # up to this number, a newer census may count fewer than 20,000
CENSUS = "how many people live in each area according to the current census (fact “people” or “counts_are_people”)"
KIND_OF_AREAS = "whether the areas of the release are three-digit zip areas, states or something else (fact “areas”)"

HIDE_SMALL = f"Change areas of {PEOPLE:,} people or fewer to 000."
EXPERT = (
    "No k is enough: Safe Harbor allows no areas smaller than a state except three-digit zip areas. An expert "
    "determination is possible instead."
)
LESS = {  # letter of an identifier → what may remain of such a column
    "B": "of places, only states or three-digit zip codes",
    "C": "of dates, only years; of ages over 89, one category “90 or older”",
}


def area_columns(case: Case) -> list[str]:
    """The columns that show where people are."""
    declared = [str(name) for name in case.facts.people if name in case.released.frame.columns]
    if areas_leave(case):
        return declared or list(case.released.quasi_identifiers[:1])
    return list(dict.fromkeys([*declared, *place_columns(case)]))


def people_of(case: Case, name: str) -> tuple[dict[str, int], list[str]]:
    """Area → people, as far as stated or in the census, and the areas without a known number.

    What a person states takes precedence. The 2010 census is built in for three-digit zip codes; if it counts little
    more than 20,000, a newer census may count fewer, so a person has to state the number.
    """
    column = case.released.frame[name]
    areas = [
        str(area)
        for area in pd.unique(column.dropna().astype(object))
        # these represent no area: the regulation changes small ones to 000
        if str(area).strip("* ").removesuffix(".0") not in ("", "0", "000", "any")
    ]
    declared = {str(area): int(count) for area, count in case.facts.people.get(name, {}).items()}
    people = {area: declared[area] for area in areas if area in declared}
    if case.facts.counts_are_people:
        counts = pd.Series(np.asarray(case.released.weights)).groupby(column.astype(str).to_numpy()).sum()
        people |= {area: int(counts[area]) for area in areas if area not in people}
    for area in areas:
        census = least_people(area) if area not in people and _zips(case, name) else None
        if census is not None and not PEOPLE < census <= NEAR:
            people[area] = census
    return people, [area for area in areas if area not in people]


def _zips(case: Case, name: str) -> bool:
    """Whether a column shows three-digit zip areas."""
    return name in zip_columns(case) or (areas_leave(case) and case.facts.areas == "three-digit zips")


def small_areas(case: Case, columns: list[str]) -> tuple[list[str], list[str], int]:
    """Areas of 20,000 people or fewer, areas without a number, and how many areas there are."""
    small, unknown, count = [], [], 0
    for name in columns:
        people, others = people_of(case, name)
        small += [f"{area} ({number:,})" for area, number in people.items() if number <= PEOPLE]
        unknown += others
        count += len(people) + len(others)
    return small, unknown, count


def areas_large(case: Case) -> Found:
    """Every three-digit zip area has more than 20,000 people; the exception covers no other area."""
    areas, groups = case.facts.areas, areas_leave(case)
    columns = zip_columns(case)
    if groups and areas == "three-digit zips":
        columns = area_columns(case)
    elif groups and not columns:
        if areas:
            what = "states or larger" if areas == "states" else "smaller than a state, and not three-digit zip areas"
            return APART, f"The areas of the release are {what}: the exception is only for three-digit zip areas."
        return (
            OPEN,
            f"Not yet known: {KIND_OF_AREAS}.",
        )
    if not columns and place_columns(case):
        return APART, (
            f"No three-digit zip areas are shown in {listed(place_columns(case))}, and the exception is only for these."
        )
    small, unknown, count = small_areas(case, columns)
    if small:
        return (
            FAILS,
            f"{len(small):,} of {count:,} areas have {PEOPLE:,} people or fewer: {', '.join(small[:MOST])}"
            f"{' …' if len(small) > MOST else ''}.",
            HIDE_SMALL,
        )
    if unknown:
        return OPEN, f"Not yet known: {CENSUS}; for {len(unknown):,} of {count:,} areas no number is known."
    if not count:
        return OPEN, (
            "No three-digit zip area was found in the release; if the release shows where people live, say what its "
            "areas are."
        )
    return (
        HOLDS,
        f"Each of the {count:,} three-digit zip areas has more than {PEOPLE:,} people{_source(case, columns)}.",
    )


def _source(case: Case, columns: list[str]) -> str:
    """Who counted them, and which stated numbers are above the limit where the census is not."""
    if not case.facts.counts_are_people and not any(name in case.facts.people for name in columns):
        return " according to the 2010 census"
    declared = {str(area) for name in columns for area in case.facts.people.get(name, {})}
    fewer = {area: least_people(area) for area in declared}
    against = [f"{count:,} in {area}" for area, count in fewer.items() if count is not None and count <= PEOPLE]
    return " as stated" + (f", although the 2010 census counts {', '.join(against)}" if against else "")


def _places(case: Case) -> Iterator[Found]:
    """What is wrong, or not known, about places."""
    zips = zip_columns(case)
    groups = areas_leave(case)
    if groups and case.facts.areas == "smaller":
        yield (
            FAILS,
            "(B) its areas are smaller than a state, and the exception is only for three-digit zip areas",
            EXPERT,
        )
    if groups and not case.facts.areas:
        yield OPEN, KIND_OF_AREAS
    columns = [*zips, *(area_columns(case) if case.facts.areas == "three-digit zips" else [])]
    if columns:
        small, unknown, _ = small_areas(case, list(dict.fromkeys(columns)))
        if small:
            found = f"(B) of its three-digit zip areas, {', '.join(small[:MOST])} have {PEOPLE:,} people or fewer"
            yield FAILS, found, HIDE_SMALL
        if unknown:
            yield OPEN, CENSUS


def safe_harbor(case: Case) -> Found:
    """None of the eighteen identifiers, and no knowledge that what is left could identify a person."""
    hits, places = identifier_hits(case), list(_places(case))
    wrong = [f"({one.letter}) {one.words}" for one in hits]
    wrong += [why for verdict, why, *_ in places if verdict == FAILS]
    if wrong:
        more = f"; and {len(wrong) - MOST:,} more" if len(wrong) > MOST else ""
        steps = [_without(hits)] if hits else []
        steps += [step for _, _, *place_steps in places for step in place_steps]
        return FAILS, f"The release has identifiers: {'; '.join(wrong[:MOST])}{more}.", " ".join(steps)
    questions = [why for verdict, why, *_ in places if verdict == OPEN]
    # (B) is about places: groups of areas are judged by their numbers of people instead
    settled = {"B"} if areas_leave(case) else set()
    missing = [letter for letter in IDENTIFIERS if letter not in {*case.facts.absent, *settled}]
    if missing:
        missing_names = ", ".join(f"({letter}) {IDENTIFIERS[letter]}" for letter in missing)
        questions.append(
            f"whether someone looked for these identifiers and found none (fact “absent”): {missing_names}"
        )
    if case.facts.year is None and born_columns(case):
        questions.append(
            "the year of the decision, because it decides which years of birth mean an age over 89 (fact “year”)"
        )
    if not case.facts.no_actual_knowledge:
        questions.append(
            "whether anyone in the organization knows of a way to identify a person from what is left "
            "(fact “no_actual_knowledge”)"
        )
    if questions:
        return OPEN, f"The checks found no identifier. Not yet known: {'; '.join(questions)}."
    born = f" In {case.facts.year}, the year of the decision, no year of birth means an age over 89."
    return HOLDS, (
        "The checks found no identifier, someone looked for the identifiers that no check can find, and nobody in "
        f"the organization knows of a way to identify a person from what is left.{born if born_columns(case) else ''}"
    )


def _without(hits: Sequence[Seen]) -> str:
    """The next step by which the release has none of these identifiers."""
    letters = {one.letter for one in hits}
    less = "; ".join(words for letter, words in LESS.items() if letter in letters)
    instead = f", or show less detail: {less}" if less else ""
    return f"Leave out {columns_text(list(dict.fromkeys(one.column for one in hits)))}{instead}."


def expert(case: Case) -> Found:
    """The risk is within what a named expert calls very small, and that is documented."""
    facts, limit = case.facts, case.facts.limit
    if not facts.expert.strip() or limit is None:
        return OPEN, (
            "Not yet known: who the expert is (fact “expert”), and which risk this expert calls very small "
            "(fact “expert_risk”). The regulation gives no number."
        )
    highest = facts.expert_measure == "highest"
    summary = (
        f"The highest risk of a record is {chance(case.highest.denominator)}{case.over}"
        if highest
        else f"The average risk of the records is {average_chance(case.average)}{case.over}"
    )
    if not (case.highest <= limit if highest else case.average_within(limit)):
        above = f"{summary}. This is above {limit_words(limit)}, which {facts.expert} calls very small."
        return FAILS, above, larger(case, limit)
    within = f"{summary}. This is not above {limit_words(limit)}, which {facts.expert} calls very small"
    if not facts.expert_documented:
        return OPEN, f"{within}. Not yet known: whether methods and results are documented (fact “expert_documented”)."
    return HOLDS, f"{within}. It was stated that methods and results are documented."


HIPAA = (
    Rule(
        "hipaa-zip",
        "HIPAA: three-digit zip areas of more than 20,000 people",
        "45 CFR 164.514(b)(2)(i)(B)",
        "“All geographic subdivisions smaller than a State” are removed, “except for the initial three digits of a zip "
        "code if, according to the current publicly available data from the Bureau of the Census”, all zip codes "
        "with these three digits together have more than 20,000 people; those with 20,000 or fewer are changed to 000.",
        ("areas", "people: needed only if a census after 2010 is used"),
        "The exception is only for three-digit zip areas: groups of other areas need an expert, however many people "
        "they have. The rule is one of eighteen parts of Safe Harbor; the other parts were not examined.",
        areas_large,
        of_nothing=True,
    ),
    Rule(
        "hipaa-safe-harbor",
        "HIPAA: Safe Harbor",
        "45 CFR 164.514(b)(2)",
        "Eighteen kinds of identifiers of the person, relatives, employers and household members are removed, "
        "including places smaller than a state, dates finer than a year and ages over 89; the year of the decision "
        "decides which years of birth mean such an age. Nobody in the organization knows of a way to identify a person "
        "from what is left, alone or with other information.",
        (
            "absent",
            "no_actual_knowledge",
            "areas",
            "people or counts_are_people",
            "year: needed only if the release shows years of birth",
        ),
        "The checks look at the names and contents of columns and can miss an identifier. The rule requires no k: a "
        "record may still be unique.",
        safe_harbor,
    ),
    Rule(
        "hipaa-expert",
        "HIPAA: expert determination",
        "45 CFR 164.514(b)(1)",
        "Someone with knowledge and experience of accepted methods determines that the risk is very small that the "
        "recipient could identify a person from the information, alone or combined with other available information, "
        "and documents methods and results.",
        ("expert", "expert_risk", "expert_measure", "expert_documented"),
        "The number is the expert's. Whether it suits the recipient and the other information available to the "
        "recipient is for the expert to judge, not for kanon.",
        expert,
    ),
)
