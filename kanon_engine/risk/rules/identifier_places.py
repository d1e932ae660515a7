"""Columns that show where people are, by their names and values, and zip codes cut after three digits."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kanon_engine.io.zip_codes import counties, places
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.identifier_names import kinds_of, word_set

_PEOPLE = Path(__file__).with_name("zip3_people.csv")  # made by sample_data/make/zip3_people.py
FEWEST = 3  # distinct places from which a column with an unclear name is taken to show places
MOST = 0.8  # share of its values that must be places
SURE = 4  # distinct zip codes among numbers that may be something else
CITIES = frozenset(
    """
    london;manchester;birmingham;leeds;glasgow;edinburgh;liverpool;bristol;sheffield;cardiff;belfast;dublin;paris;lyon;
    marseille;toulouse;nice;nantes;strasbourg;bordeaux;lille;rennes;grenoble;berlin;hamburg;münchen;munich;köln;cologne;
    frankfurt;stuttgart;düsseldorf;leipzig;dortmund;essen;bremen;dresden;hannover;nürnberg;duisburg;bochum;wien;vienna;graz;
    linz;salzburg;zürich;zurich;genf;genève;basel;bern;lausanne;madrid;barcelona;valencia;sevilla;zaragoza;málaga;malaga;
    murcia;bilbao;granada;córdoba;toledo;lisbon;porto;rome;roma;milan;milano;naples;turin;amsterdam;rotterdam;utrecht;
    brussels;antwerp;ghent;copenhagen;stockholm;oslo;helsinki;warsaw;krakow;prague;budapest;athens;toronto;montreal;
    montréal;vancouver;calgary;ottawa;edmonton;winnipeg;québec;sydney;melbourne;brisbane;perth;adelaide;auckland;
    guadalajara;monterrey;puebla;tijuana;bogotá;lima;santiago;tokyo;osaka;delhi;mumbai;shanghai;beijing;new york city
""".replace("\n", "")
    .replace("    ", "")
    .split(";")
)
# Names of places that are also ordinary words, of which a column of something else may consist.
ALSO_WORDS = word_set("""
    white black brown green gray red blue gold normal union hope mobile orange male love energy home major minor young
    day mild severe acute early late first second third high low medium small large north south east west central
    middle single married widow divorced other none unknown yes no home rural urban farmer baker miller cook mason
    carpenter liberty friendship freedom independence english spanish french german polish catholic moody bland stable
    positive mexico cuba peru china india canada germany italy poland jamaica vietnam japan greece ireland france
    spain portugal england scotland wales brazil chile colombia egypt jordan lebanon malta norway denmark sweden
    holland switzerland russia turkey panama honduras guatemala ecuador bolivia venezuela cambodia philippines iran
    iraq israel syria haiti asia europe africa america pacific atlantic columbia medicare medicaid aetna cigna humana
    private public self employed retired student manager sales clerical tech local federal state may june april august
""")
STREET = re.compile(
    r"\b\d{1,5}[a-z]?\s+(?:[NSEW]\.?\s+)?(?:[A-Z]\w+\s+){1,3}(?:st|street|ave|avenue|rd|road|blvd|boulevard|dr|drive|ln|lane|"
    r"ct|court|pl|place|way|ter|terrace|hwy|highway|pkwy|close|crescent)\b"
    r"|\b[\w.-]*(?:straße|strasse|str\.|gasse|weg|platz|allee|damm|ufer)\s+\d{1,4}[a-z]?\b"
    r"|\b\d{1,4}(?:\s?bis)?,?\s+(?:rue|avenue|boulevard|bd|place|chemin|impasse|allée|quai)\s+\w"
    r"|\b(?:calle|avenida|avda\.?|plaza|paseo|carrer|camino)\s+[\w\s]+?,?\s*(?:n[.º°]*\s*)?\d{1,4}\b"
    r"|\bp\.?\s?o\.?\s?box\s+\d+|\bapt\.?\s*#?\d+",
    re.I,
)
UK = re.compile(
    r"(?<!\w)(?:GIR ?0AA|[A-PR-UWYZ](?:\d{1,2}|[A-HK-Y]\d{1,2}|\d[A-HJKS-UW]|[A-HK-Y]\d[ABEHMNPRV-Y])"
    r" ?\d[ABD-HJLNP-UW-Z]{2})(?!\w)"
)
CANADA = re.compile(  # except stages of tumors
    r"(?<!\w)(?!T\dN\dM\d)[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d(?!\w)"
)
POINT = re.compile(
    r"[-+]?\d{1,2}\.\d{2,}°?\s*[NS]?[,;/ ]\s*[-+]?\d{1,3}\.\d{2,}°?\s*[EWO]?"
    r"|\d{1,3}°\s?\d{1,2}['′](?:\s?\d{1,2}(?:\.\d+)?[\"″])?\s?[NSEWO]|POINT\s?\(|geo:-?\d",
    re.I,
)
ZIP_PLUS_4 = re.compile(r"(?<![\d-])\d{5}-\d{4}(?![\d-])")
CITY_IN_TEXT = re.compile(
    r"\b(?:lives? in|living in|resident of|born in|moved (?:to|from)|wohnt in|wohnhaft in|habite à|vive en|from) "
    r"([A-ZÀ-Ü][\w'’-]+(?: [A-Z][\w'’-]+)?)"
)
CITY_STATE = re.compile(
    r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)?, (?:A[LKZR]|C[AOT]|D[EC]|FL|GA|HI|I[DLNA]|K[SY]|LA|M[EDAINSOT]|N[EVHJMYCD]|O[HKR]"
    r"|PA|RI|S[CD]|T[NX]|UT|V[TA]|W[AVIY])\b"
)


def areas_leave(case: Case) -> bool:
    """Whether a row of the release is an area with its records; a person states what kind of area."""
    return case.released.groups_leave and (case.on_the_ground or bool(case.facts.areas))


def zip_columns(case: Case) -> list[str]:
    """Columns of zip codes that show at most three digits."""
    candidates = [str(name) for name in case.released.frame.columns if "zip" in kinds_of(str(name))]
    return [name for name in candidates if name not in case.facts.harmless and three_digits(case.texts(name))]


def place_columns(case: Case) -> list[str]:
    """Columns named like places or zip codes, whatever they show."""
    return [str(name) for name in case.released.frame.columns if kinds_of(str(name)) & {"place", "zip"}]


def three_digits(texts: Sequence[str]) -> bool:
    """Whether zip codes are cut to at most three digits, or hidden.

    >>> three_digits(["064", "065**", "066–068", "000"]), three_digits(["06401"]), three_digits(["6401"])
    (True, False, False)
    >>> three_digits(["064xx", "064 or 065", "any"]), three_digits(["SW1A"]), three_digits(["M5V"])
    (True, False, False)
    """
    return all(_cut(text) for text in texts)


def _cut(text: str) -> bool:
    plain = text.removesuffix(".0")
    mixed = re.search(r"\d[A-WYZa-wyz]|[A-WYZa-wyz]\d", plain)  # letters and digits in one, as in other countries
    return mixed is None and all(len(digits) <= 3 for digits in re.findall(r"\d+", plain))


@cache
def zip3_people() -> dict[str, int]:
    """First three digits of zip codes → how many people live there, according to the 2010 census.

    >>> zip3_people()["064"], zip3_people()["036"], zip3_people()["202"]
    (718727, 13759, 0)
    """
    with _PEOPLE.open(encoding="ascii", newline="") as lines:
        return {prefix: int(people) for prefix, people in list(csv.reader(lines))[1:]}


def least_people(text: str) -> int | None:
    """The 2010 census population of the smallest three-digit zip area that is shown; None if it shows others.

    For fewer digits (“06***”), the people of all areas with this prefix.

    >>> [least_people(text) for text in ("065**", "36.0", "035–037", "064, 065", "Hartford")]
    [289828, 13759, 13759, 289828, None]
    >>> least_people("06***") > 3_000_000
    True
    """
    plain = text.removesuffix(".0").strip()
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=\d)[xX]+", "", plain))
    prefixes = re.findall(r"(\d+)([*xX#]*)", plain)
    if (
        not prefixes
        or not _cut(plain)
        or not set(map(str.lower, words)) <= {"or", "to", "and", "bis", "und", "oder", "et", "ou", "y"}
    ):
        return None
    if re.fullmatch(r"\D*\d{1,3}[*xX]*\s*(?:[-–—]|to|bis)\s*\d{1,3}[*xX]*\D*", plain):
        (first, _), (last, _) = prefixes
        prefixes = [
            (f"{number:03d}", "") for number in range(int(first), int(last) + 1) if f"{number:03d}" in zip3_people()
        ]
    census = zip3_people()
    counts = [
        sum(people for prefix, people in census.items() if prefix.startswith(digits))
        if hidden and len(digits) < 3
        else census.get(digits.zfill(3))
        for digits, hidden in prefixes
    ]
    return None if not counts or None in counts else min(counts)  # type: ignore[type-var]


@cache
def _known() -> frozenset[str]:
    """Lowercase names of places and counties that are neither states nor words with another meaning."""
    states = {state.lower() for _, state in counties().values()}
    names = {place.lower() for place in places().values()} | {county.lower() for county, _ in counties().values()}
    return frozenset(names - states - ALSO_WORDS) | CITIES


def _is_place(text: str) -> bool:
    plain = re.sub(r",.*| \([A-Z]+\)$", "", text.strip()).lower()
    return plain in _known() or re.sub(r" (?:county|city|town|parish|borough|township|village)$", "", plain) in _known()


def place_in(texts: Sequence[str], numeric: bool) -> str:
    """How the values show a place smaller than a state; "" if none does.

    >>> place_in(["Hartford", "Bridgeport", "Stamford"], False), place_in(["Ohio", "Texas", "Georgia"], False)
    ('lists towns or counties', '')
    >>> place_in(["06401", "06604", "06902", "06510"], False)
    'holds zip codes'
    """
    for why, pattern in (
        ("holds zip codes of nine digits", ZIP_PLUS_4),
        ("holds addresses", STREET),
        ("holds points on the map", POINT),
        ("shows where people live", CITY_STATE),
    ):
        if not numeric and any(map(pattern.search, texts)):
            return why
    if not numeric:
        if any((m := CITY_IN_TEXT.search(text)) and _is_place(m[1]) for text in texts):
            return "shows where people live"
        for why, pattern in (("holds UK postcodes", UK), ("holds Canadian postal codes", CANADA)):
            if any(map(pattern.search, texts)):
                return why
        if sum(map(_is_place, texts)) >= max(FEWEST, MOST * len(texts)):
            return "lists towns or counties"
    return "holds zip codes" if _zips(texts, numeric) else ""


def _zips(texts: Sequence[str], numeric: bool) -> bool:
    """Whether these are five-digit zip codes, alone or at the ends of ranges; the column's name does not say so."""
    plain = [text.removesuffix(".0") for text in texts]
    codes = [code.zfill(5) for text in plain for code in re.findall(r"(?<![\d.])\d{4,5}(?![\d.])", text)]
    lone = all(re.fullmatch(r"\d{4,5}|\d{5}(?:\s?[-–,;]\s?\d{5})+", text) for text in plain)
    enough = 2 * SURE if numeric or not all(len(text) >= 5 for text in plain) else SURE
    return lone and len(set(codes)) >= enough and sum(code in places() for code in codes) >= 0.95 * len(codes)
