"""What the name of a column tells: whether it counts, and what."""

from __future__ import annotations

import re
import unicodedata

PEOPLE = re.compile(
    r"(tot|total)?(pop|population|people|persons|residents|inhabitants)(tot|total)?\d{0,4}(est|estimate)?"
    r"|(tot|total)?(pop|population)(est|estimate)\d{0,4}"
    r"|p0010001|p001001|p1001n|b01003001e?|b01001001e?|dp050001e|s0101c01001e"  # codes of totals of the US census
)
PEOPLE_WORDS = {
    *("pop", "popn", "population", "people", "persons", "residents", "inhabitants", "einwohner", "bevolkerung"),
    *("habitants", "poblacion", "populacao", "popolazione", "inwoners"),
}
COUNTED_WORDS = {
    *("admissions", "adults", "births", "cases", "children", "claims", "deaths", "discharges", "employees", "females"),
    *("hospitalizations", "households", "incidents", "males", "men", "patients", "pupils", "students", "visits"),
    *("voters", "women"),
}
SINGULAR = {word[:-1]: word for word in COUNTED_WORDS if word.endswith("s")} | {"child": "children"}
COUNT_WORDS = {"count", "counts", "cnt", "freq", "frequency", "records"}
GENERAL_WORDS = COUNT_WORDS | {"n", "num", "number", "tot", "total"}
COUNTS = re.compile(r"(n|counts?|freq|frequency|records)\d{0,4}")
WEAK = re.compile(r"(number|num|total|value|weight)\d{0,4}")  # counts, or almost anything else
CERTAIN = re.compile(rf"{PEOPLE.pattern}|(counts?|freq|frequency)\d{{0,4}}")
RATES = {  # what cannot be added up
    *(
        "per",
        "rate",
        "rates",
        "pct",
        "perc",
        "percent",
        "percentage",
        "share",
        "ratio",
        "prop",
        "proportion",
        "fraction",
    ),
    *("density", "dens", "avg", "average", "mean", "median", "min", "max", "std", "stdev", "sd", "se", "moe", "margin"),
    *("index", "score", "rank", "decile", "quantile", "quintile", "quartile", "percentile", "change", "growth", "diff"),
}
ATTRIBUTES = {  # measures, times, codes and groups
    *(
        "area",
        "aland",
        "awater",
        "km",
        "sqkm",
        "sqmi",
        "acres",
        "ha",
        "length",
        "perimeter",
        "age",
        "lat",
        "lon",
        "lng",
    ),
    *("latitude", "longitude", "intptlat", "intptlon", "elevation", "income", "price"),
    *("year", "yr", "month", "week", "day", "date", "hour", "code", "id", "fid", "objectid", "fips", "zip", "zipcode"),
    *("zcta", "modzcta", "geoid", "key", "flag", "class", "category", "type", "phone", "postcode", "plz"),
}


def plain(name: object) -> str:
    """A column name without case and signs."""
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def words_of(name: object) -> list[str]:
    """The words of a column name, in lower case and without accents.

    Example
    -------
    >>> words_of("covid_caseCount2020"), words_of("POP10"), words_of("Längengrad")
    (['covid', 'case', 'count'], ['pop'], ['langengrad'])
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name).replace("ß", "ss"))
    ascii_only = unicodedata.normalize("NFKD", apart).encode("ascii", "ignore").decode().lower()
    return re.findall(r"[a-z]+", ascii_only)


def count_rank(name: object) -> int | None:
    """How clearly a name says that the column counts, 0 the clearest; None where it does not.

    People come before other counts, a name that says nothing else before one with further words.

    Example
    -------
    >>> [count_rank(name) for name in ("TotPop90", "pop_denominator", "births", "death_count", "total", "homes")]
    [0, 1, 2, 3, 4, None]
    >>> [count_rank(name) for name in ("pop_per_km2", "case_rate", "population_moe")]
    [None, None, None]
    """
    flat, words = plain(name), set(words_of(name))
    if PEOPLE.fullmatch(flat):
        return 0
    if words & (RATES | ATTRIBUTES):
        return None
    if words & PEOPLE_WORDS:
        return 1
    if COUNTS.fullmatch(flat) or (len(words) == 1 and words & COUNTED_WORDS):
        return 2
    if WEAK.fullmatch(flat):
        return 4
    return 3 if words & (COUNTED_WORDS | COUNT_WORDS) else None


def is_rate(name: object) -> bool:
    """Whether the name says that the numbers of a column cannot be added up."""
    return count_rank(name) is None and bool(set(words_of(name)) & RATES)


def is_attribute(name: object) -> bool:
    """Whether the name says that a column measures, dates or names something."""
    return count_rank(name) is None and not is_rate(name) and bool(set(words_of(name)) & ATTRIBUTES)


def counts_people(name: object) -> bool:
    """Whether a column is named like a number of people."""
    return count_rank(name) in (0, 1)


def unit_of(name: object) -> str:
    """What a column of counts counts, as its name has it; the name itself where it tells nothing.

    Example
    -------
    >>> [unit_of(name) for name in ("pop10", "COVID_CASE_COUNT", "n", "TOTAL_TESTS", "homes")]
    ['people', 'cases', 'records', 'TOTAL_TESTS', 'homes']
    """
    if counts_people(name):
        return "people"
    words = words_of(name)
    counted = [SINGULAR.get(word, word) for word in words]
    found = [word for word in counted if word in COUNTED_WORDS]
    if count_rank(name) is not None and found:
        return found[-1]
    return "records" if words and set(words) <= GENERAL_WORDS else str(name)
