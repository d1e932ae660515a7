"""Dates finer than a year: as text in many forms, as numbers, and as parts of a date such as a month."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from functools import cache

from kanon_engine.risk.rules.identifier_names import word_set

YEARS = (1800, 2100)
FEWEST = 3  # distinct values from which numbers in a column with an unclear name are taken as dates
MONTHS = word_set("""
    jan january januar janvier enero ene feb february februar febrero fevrier février fev fév mar march marz märz mrz
    mars marzo apr april avril avr abril abr may mai mayo jun june juni juin junio jul july juli juillet juil julio
    aug august aout août agosto ago sep sept september septembre septiembre oct october oktober okt octobre octubre
    nov november novembre noviembre dec december dezember dez decembre décembre diciembre dic déc
""")
WEEKDAYS = word_set("""
    mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun sunday montag
    dienstag mittwoch donnerstag freitag samstag sonntag mo di mi do fr sa so lundi mardi mercredi jeudi vendredi
    samedi dimanche lunes martes miercoles miércoles jueves viernes sabado sábado domingo
""")
SEASONS = word_set("""
    spring summer autumn fall winter frühling sommer herbst printemps été ete automne hiver primavera verano otoño
""")
JOINED = word_set("or to and und oder bis et ou y o")
MONTH = "|".join(sorted(MONTHS, key=lambda word: (-len(word), word)))
YEAR = r"(?:18|19|20)\d{2}"
M, D = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
IN_TEXT = (
    rf"(?<![\d.]){YEAR}[-/.]{M}(?:[-/.]{D})?(?![\d])"  # 2019-03-14, 2019/3, and with times behind
    rf"|(?<![\d./-]){D}([./-])(?:{M}|{D})\1(?:{YEAR}|\d{{2}})(?![\d./-])"  # 14.3.2019, 3/14/19
    rf"|(?<![\d./-]){M}[/.-]{YEAR}(?![\d-])"  # 03/2019
    rf"|(?<![\w])(?:{D}(?:st|nd|rd|th)?\.?[ -]?(?:de |of )?)?(?:{MONTH})\.?(?:[ -]|, | de |)(?:{D}(?:st|nd|rd|th)?,? )?"
    rf"(?:{YEAR}|['’]?\d{{2}})(?!\d)"  # 14 March 2019, 14MAR2019, Mar-19
    rf"|(?<!\w){YEAR}[- ]?(?:{MONTH})\b"  # 2019-Mar
    rf"|(?<!\w)(?:{MONTH})\.? {D}(?:st|nd|rd|th)?(?![\d,.]?\d)\b"  # March 14
    rf"|(?<!\w){D}(?:st|nd|rd|th|\.)? (?:of |de )?(?:{MONTH})\b"  # 14 March
    rf"|(?<!\w){YEAR}[-/ ]?(?:Q|T|H)[1-4]\b|\b(?:Q|T|H)[1-4][-/ ]?{YEAR}\b|\b[1-4]Q{YEAR}\b|\b[1-4]Q\d{{2}}\b"
    rf"|\bQ[1-4][-/ ']*(?:FY)?[-/ ']*(?:{YEAR}|\d{{2}})\b|\bFY ?\d{{2,4}}[-/ ]*Q[1-4]\b"
    rf"|\b[1-4](?:\.|er|re|e|eme|ème|º|o|st|nd|rd|th)? ?(?:Quartal|quarter|trimestre) {YEAR}\b"
    rf"|(?<!\w){YEAR}[-/ ]?W(?:0?[1-9]|[1-4]\d|5[0-3])\b|\b(?:KW|week|wk|W|semaine|semana) ?\d{{1,2}}[-/, ]+{YEAR}\b"
    rf"|(?<!\d){YEAR}-(?:[0-2]\d{{2}}|3[0-5]\d|36[0-6])(?!\d)"  # 2019-073
)
CENTURIES = r"(?:19|20)\d{2}"
PARTS: dict[str, tuple[str, frozenset[str], str, int]] = {  # what it shows, its words, its form, its highest number
    "month": ("months", MONTHS, rf"{CENTURIES}\.?(?:0?[1-9]|1[0-2])", 12),
    "day": ("days", WEEKDAYS, r"(?!)", 366),
    "week": ("weeks", frozenset(), rf"(?:w|kw|week|wk) ?\d{{1,2}}|{CENTURIES}\.?(?:0[1-9]|[1-4]\d|5[0-3])", 53),
    "quarter": ("quarters", frozenset(), r"[qt]?[1-4](?:st|nd|rd|th)?(?: quarter)?|[1-4]\.?q", 4),
    "season": ("seasons", SEASONS, r"(?!)", 4),
}
# What every date in text has: two adjacent numbers, or the beginning of a word that its form requires.
HINT = re.compile(
    r"\d[-/.]\d|(?<![a-z])[qth][1-4]|[1-4]q|\b(?:kw|w|wk|week|sem)|\bfy|\d ?w\d|quart|trim|"
    r"(?<![a-z])(?:jan|feb|fev|fév|mar|mär|mrz|apr|avr|abr|ma[iy]|jun|jui|jul|aug|aou|aoû|ago|sep|o[ck]t|nov|de[cz]|déc|dic|ene)"
)
RANGE = re.compile(rf"{YEAR}\s?[-–/]\s?(?:{YEAR}|\d{{2}})")  # 1990-1999, and the school year 2019/20


def only_years(text: str) -> bool:
    """Whether a shown date is a year, or a range of years.

    >>> [only_years(text) for text in ("1980", "1980–1989", "≥ 1990", "1980.0", "12", "1980-05", "19800512")]
    [True, True, True, True, False, False, False]
    """
    numbers = re.findall(r"\d+", text.removesuffix(".0"))
    return bool(numbers) and all(len(number) == 4 and YEARS[0] <= int(number) <= YEARS[1] for number in numbers)


@cache
def _in_text() -> re.Pattern[str]:
    """The pattern of dates, compiled at its first use: that takes as long as importing numpy."""
    return re.compile(IN_TEXT, re.I)


def date_in(text: str) -> bool:
    """Whether a text contains a date finer than a year, or a part of one that is.

    >>> [date_in(text) for text in ("2019-03-14", "14.3.2019", "Mar-19", "2019Q3", "2019-W12", "since May 2020")]
    [True, True, True, True, True, True]
    >>> [date_in(text) for text in ("1990-1999", "2019", "80–89", "flu 2", "1.2.3", "May", "E11.9", "12/80")]
    [False, False, False, False, False, False, False, False]
    """
    match = _in_text().search(text) if HINT.search(text.lower()) else None
    if match is None:
        return False
    return RANGE.fullmatch(match[0]) is None or not _years_or_months(match[0])


def _years_or_months(text: str) -> bool:
    """Whether 1990-99 is years: its end comes after its beginning, and it is not a month."""
    first, last = re.findall(r"\d+", text)[:2]
    return len(last) == 4 or (int(last) > 12 and int(last) > int(first[2:]))


def whole(texts: Sequence[str]) -> list[int] | None:
    """Texts as whole numbers, or None if one is not."""
    plain = [text.removesuffix(".0") for text in texts]
    return [int(text) for text in plain] if all(re.fullmatch(r"\d{1,19}", text) for text in plain) else None


def day_number(number: int) -> bool:
    """Whether it is a day as yyyymmdd."""
    if not YEARS[0] <= number // 10_000 <= YEARS[1]:
        return False
    try:
        datetime.date(number // 10_000, number // 100 % 100, number % 100)
    except ValueError:
        return False
    return True


def month_number(number: int) -> bool:
    """Whether it is a month as yyyymm."""
    return 1900 <= number // 100 <= YEARS[1] and 1 <= number % 100 <= 12


def numbers_are_dates(numbers: Sequence[int], *, date_name: bool) -> str:
    """How whole numbers encode dates, in words, or "" if they do not; `date_name`: by the name of the column.

    >>> numbers_are_dates([20190314, 20200101, 20181231], date_name=False)
    'days as numbers'
    >>> numbers_are_dates([43538, 43600], date_name=True)
    'days as serial numbers'
    >>> numbers_are_dates([1552521600, 1552608000], date_name=True), numbers_are_dates([2018, 2019], date_name=True)
    ('seconds since 1970', '')
    """
    if not numbers or (not date_name and len(set(numbers)) < FEWEST):
        return ""
    for reading, fits in (
        ("days as numbers", day_number),
        ("months as numbers", month_number),
        ("seconds since 1970", lambda number: 10**9 <= number < 2.3e9 or (date_name and 10**8 <= number < 10**9)),
        (
            "milliseconds since 1970",
            lambda number: 10**12 <= number < 2.3e12 or (date_name and 10**11 <= number < 10**12),
        ),
        ("days as serial numbers", lambda number: date_name and 5_000 <= number < 80_000),
    ):
        if all(map(fits, numbers)):
            return reading
    return ""


def part_of_date(kinds: frozenset[str], texts: Sequence[str]) -> str:
    """The part of a date that a column holds according to its name or its values; "" if none.

    >>> part_of_date(frozenset({"month"}), ["1", "12"]), part_of_date(frozenset({"month"}), ["1", "36"])
    ('months', '')
    >>> part_of_date(frozenset(), ["March", "May", "June"]), part_of_date(frozenset({"quarter"}), ["Q1", "Q2"])
    ('months', 'quarters')
    >>> part_of_date(frozenset(), ["06604 or 06605", "06606 or 06607", "06608 or 06610"])
    ''
    """
    plain = [text.strip().rstrip(".").lower() for text in texts]
    numbers = whole(plain) or []
    split = [set(re.findall(r"[^\W\d_]+", text)) for text in plain]
    for kind, (part, words, form, most) in PARTS.items():
        by_name = kind in kinds
        in_words = words and all(one & words and one <= words | JOINED for one in split)
        if in_words and (by_name or len(set(plain)) >= FEWEST):
            return part
        if by_name and all(re.fullmatch(form, text) for text in plain):
            return part
        if by_name and numbers and min(numbers) >= 1 and max(numbers) <= most:
            return part
    return ""


# ---------------------------------------------------------------------------------------------------------------------
# Ages over 89, as releases show them: alone, in ranges and sets, in open categories, in months or days, in text.
# ---------------------------------------------------------------------------------------------------------------------


OLDEST = 89
PER_YEAR = {"month": 12.0, "months": 12.0, "monate": 12.0, "mois": 12.0, "meses": 12.0, "day": 365.25, "days": 365.25,
            "tage": 365.25, "jours": 365.25, "dias": 365.25, "weeks": 52.18, "wochen": 52.18}  # fmt: skip
UNITS = re.compile(
    r"(?<=[\d+\s])"
    r"(?:years?[- ]old|years?|yrs?|y/?o|yo|y(?! m[aá]s)|a|jahre alt|jahren?|j|ann[eé]es?|ans?|a[nñ]os?)\b\.?",
    re.I,
)
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
NO_END = r"∞|inf(?:inity)?|max|oo"
FROM = r"≥|>=|=>|from|at least|ab|mindestens|à partir de|a partir de|desde|dès|min\.?"
ABOVE = r">|over|above|more than|older than|über|ueber|mehr als|älter als|plus de|más de|mas de|mayor(?:es)? de"
MORE = (
    r"\+|plus|(?:or|and|und|oder|et|ou|y|o)\s+"
    r"(?:older|more|above|over|up|upwards?|higher|älter|aelter|mehr|darüber|plus|más|mas|mayores)"
)
OPEN_ABOVE = re.compile(
    rf"(?P<word>{FROM}|{ABOVE})\s*(?P<after>\d+(?:[.,]\d+)?)|(?P<before>\d+(?:[.,]\d+)?)\s*(?:{MORE})"
    rf"|[\[(]?(?P<least>\d+(?:[.,]\d+)?)\s*(?:[-–—,;]|to|bis)\s*\+?(?:{NO_END})?[\])]?",
    re.I,
)
IN_WORDS = re.compile(
    r"\bninet(?:y|ies)\b|\bhundred\b|nonagenarian|centenarian|neunzig|quatre-vingt-(?:dix|onze|douze)|noventa", re.I
)
AGE_IN_TEXT = re.compile(
    r"\b(?:9\d|1[01]\d)(?:[ -]?(?:years?|yrs?)\b(?! (?:or|and) (?:older|above|over|up|more))|[ -]?y/?o\b"
    r"|[ -]?jahre\b(?! (?:und|oder) (?:älter|mehr))|[ -]?jährig\w*|\s?ans\b(?! (?:et|ou) plus)|\s?años\b(?! [yo] más))"
    r"|\baged? (?:9\d|1[01]\d)\b(?!\+| (?:or|and) (?:older|above|over|up|more))",
    re.I,
)


def over_89(text: str, per_year: float = 1.0) -> bool:
    """Whether a shown age reveals one above 89, except for an open category that begins at 90 or below.

    >>> [over_89(text) for text in ("89", "90", "≥ 90", "85+", "90 or older", "80–89", "any", "80 to under 90")]
    [False, True, False, False, False, False, False, False]
    >>> [over_89(text) for text in ("≥ 91", "> 90", "85–94", "≤ 95", "over 89", "[80, 95)", "89.5")]
    [True, True, True, True, False, True, False]
    >>> [over_89(text) for text in ("91y", "{88, 93}", "95 und älter", "90 ans et plus", "[90, inf)", "[85,95)")]
    [True, True, True, False, False, True]
    >>> over_89("1092", 12), over_89("1079", 12)
    (True, False)
    """
    plain = UNITS.sub("", text.strip()).strip()
    if IN_WORDS.search(plain):
        return not re.search(rf"(?:ninety|neunzig|noventa)\s*(?:{MORE})", plain, re.I)
    start = (OLDEST + 1) * per_year
    above = OPEN_ABOVE.fullmatch(plain)
    if above:
        least = _number(above["after"] or above["before"] or above["least"])
        beyond = above["word"] is not None and re.fullmatch(ABOVE, above["word"], re.I) is not None
        return least >= start if beyond else least > start
    if plain[:1] in "[({":
        plain = plain.replace(",", " ")  # in brackets a comma separates two numbers
    numbers = [_number(number) for number in NUMBER.findall(plain)]
    if not numbers:
        return False
    below = re.search(r"under|below|unter|moins de|menos de|<(?!=)", plain, re.I) or plain.endswith(")")
    return max(numbers) > start if below else max(numbers) >= start


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def unit_of(words: Sequence[str], texts: Sequence[str]) -> float:
    """How many units of an age column a year has: by its name, or by its values (“18 months”)."""
    from_name = next((PER_YEAR[word] for word in words if word in PER_YEAR), None)
    if from_name is not None:
        return from_name
    units = [PER_YEAR[word] for text in texts[:50] for word in re.findall(r"[a-z]+", text.lower()) if word in PER_YEAR]
    return units[0] if units and len(units) >= len(texts[:50]) / 2 else 1.0


def age_in_text(text: str) -> bool:
    """Whether a text states an age over 89.

    >>> [age_in_text(text) for text in ("a 93-year-old man", "aged 91", "took 90 mg", "90 years or older")]
    [True, True, False, False]
    """
    return AGE_IN_TEXT.search(text) is not None


def born_over_89(text: str, year: int) -> bool:
    """Whether years of birth reveal someone over 89 in a year, except for one open category of all aged 90 or older.

    >>> [born_over_89(text, 2020) for text in ("1931", "1930", "1925–1934", "≤ 1930", "≤ 1940", "≤ 1929", "any")]
    [False, True, True, False, False, True, False]
    """
    before = re.fullmatch(r"(≤|<=|until|up to|<|before|under|bis|vor|avant|antes de)\s*(\d{4})", text.strip(), re.I)
    if before:
        last = int(before[2]) - (before[1].lower() in ("<", "before", "under", "vor", "avant", "antes de"))
        return last < year - OLDEST - 1
    years = [int(number) for number in re.findall(r"(?<!\d)(?:18|19|20)\d{2}(?!\d)", text)]
    return min(years, default=math.inf) < year - OLDEST
