"""The eighteen identifiers of Safe Harbor, as far as the names and contents of released columns show them.

A check finds what looks like an identifier. Finding none does not mean that there is none: a name in a column named
“remark” looks like any other text.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import pandas as pd

from kanon_engine.io.names import guesses
from kanon_engine.model.weakly_cached import weakly_cached
from kanon_engine.release.released import Released
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.facts import Facts
from kanon_engine.risk.rules.identifier_dates import (
    age_in_text,
    born_over_89,
    date_in,
    numbers_are_dates,
    only_years,
    over_89,
    part_of_date,
    unit_of,
    whole,
)
from kanon_engine.risk.rules.identifier_names import ABOUT, THINGS, kinds_of, word_set, words_of
from kanon_engine.risk.rules.identifier_places import areas_leave, place_in, three_digits

IDENTIFIERS = {
    "A": "names",
    "B": "places smaller than a state",
    "C": "dates finer than a year, or ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan member numbers",
    "J": "account numbers",
    "K": "certificate and license numbers",
    "L": "vehicle identifiers and license plates",
    "M": "device identifiers and serial numbers",
    "N": "web addresses",
    "O": "IP addresses",
    "P": "fingerprints, voiceprints and other biometrics",
    "Q": "photographs of faces",
    "R": "any other number, characteristic or code of one person",
}
DIRECT = tuple(letter for letter in IDENTIFIERS if letter not in "BC")
LONG = 10**8  # numbers from here on may be those of phones, cards, accounts
NUMBERS = "DEGHIJKLMQR"  # identifiers that contain a digit
WHOLE = ("any", "*", "", "missing", "nan", "none", "unknown", "other", "not given", "not known", "n/a", "na")
FLAGS = word_set("""
    yes no y n true false 0 1 unknown ja nein oui non si sí given missing present absent positive
""")
# Values that are not places although their column is named “location” or “home”.
NO_PLACE = word_set("""
    home hospital clinic icu er ed emergency inpatient outpatient surgery surgical medical ward office school work
    nursing hospice rural urban suburban north south east west northeast northwest southeast southwest midwest central
    left right upper lower arm leg head neck chest back abdomen breast colon lung liver kidney brain skin bone heart
    foot hand knee hip shoulder own owned rent rented yes no unknown other general intensive care facility maternity
    pediatrics cardiology oncology neurology bilateral proximal distal anterior posterior room unit alone with family
    assisted living in the
""")


@dataclass(frozen=True)
class Seen:
    """What looks like an identifier."""

    letter: str
    column: str
    why: str  # words that follow the name of the column

    @property
    def words(self) -> str:
        """The finding as part of a sentence."""
        return f"“{self.column}” {self.why}"


def identifier_hits(case: Case) -> list[Seen]:
    """What looks like an identifier in the released columns, except zip codes of three digits; see `three_digits`.

    >>> from kanon_engine.release.released import Released
    >>> from kanon_engine.risk.rules.facts import Facts
    >>> release = Released(pd.DataFrame({"age": ["80–89", "≥ 90", "80–94"], "mail": ["x", "y", "a@b.org"]}), ("age",))
    >>> for one in identifier_hits(Case(release, None, None, Facts(), ())):
    ...     print(one.letter, one.words)
    C “age” shows an age over 89
    F “mail” has a name that suggests e-mail addresses
    """
    return list(_seen(case.released, tuple(case.facts.harmless), case.facts.year, areas_leave(case)))


@weakly_cached  # two rules use it, and a page asks again after every answer
def _seen(released: Released, harmless: tuple[str, ...], year: int | None, areas: bool) -> tuple[Seen, ...]:
    case, identifiers = Case(released, None, None, Facts(harmless=harmless, year=year), ()), list[Seen]()
    geometry = getattr(released.frame, "_geometry_column_name", None)
    for name in case.released.frame.columns:
        if name in case.facts.harmless or name == case.released.counts or name in case.released.sums:
            continue
        if name != geometry:
            identifiers += list(_of_column(case, name, areas))
    return tuple(identifiers)


def _of_column(case: Case, name: str, areas: bool) -> Iterator[Seen]:
    """By the name of the column and by its values; the first finding for each letter."""
    texts = [text for text in case.texts(name) if text.strip().lower() not in WHOLE]
    letters = set[str]()
    for letter, why in _found(case, name, texts, areas) if texts else ():
        if letter not in letters:
            letters.add(letter)
            yield Seen(letter, str(name), why)


def _found(case: Case, name: str, texts: list[str], areas: bool) -> Iterator[tuple[str, str]]:
    column, kinds = case.released.frame[name], kinds_of(str(name))
    numeric = pd.api.types.is_numeric_dtype(column)
    group = case.released.groups_leave and name in case.released.quasi_identifiers  # the name of a group is nobody's
    mostly_unique = 2 * len(texts) >= len(column)  # whether at least half of the records have distinct values
    called = [] if group else list(_by_name(kinds, texts, mostly_unique))
    yield from called
    if not areas:
        yield from _by_place(kinds, texts, numeric)
    yield from _by_time(case, name, texts)
    numbers = whole(texts) or []
    as_text = not numeric or min(numbers, default=0) >= LONG
    in_text = list(identifiers_in(texts)) if as_text and not pd.api.types.is_datetime64_any_dtype(column) else []
    if set(words_of(str(name))) & THINGS:  # codes of drugs and products have as many digits
        in_text = [hit for hit in in_text if hit[0] not in "DGJM"]
    coded = bool(kinds & {"zip", "age"}) or any(letter == "C" for letter, _ in in_text)
    for letter, why in in_text:
        if not (group and letter == "A") and not (letter == "C" and kinds & {"age", "zip"}):
            yield letter, why
    if group or called:
        return
    if not (numeric or coded or kinds & {"place", "where"}) and names_in_column(texts):
        yield "A", "contains names of people"
    if not case.released.groups_leave and not coded and not in_text:
        why = numbered(column, str(name), texts, quasi=name in case.released.quasi_identifiers)
        if why:
            yield "R", why


def _by_name(kinds: frozenset[str], texts: list[str], mostly_unique: bool) -> Iterator[tuple[str, str]]:
    """By the name; a few words without a digit are kinds of devices or licenses, not numbers."""
    plain = {text.strip().lower().removesuffix(".0") for text in texts}
    if plain <= FLAGS and plain != {"1"}:
        return
    for letter in IDENTIFIERS:
        if letter in kinds:
            if letter in NUMBERS and not mostly_unique and not any(char.isdigit() for text in texts for char in text):
                return
            kind = "an identifier" if letter == "R" else IDENTIFIERS[letter]
            yield letter, f"has a name that suggests {kind}"
            return


def _by_place(kinds: frozenset[str], texts: list[str], numeric: bool) -> Iterator[tuple[str, str]]:
    if "zip" in kinds and not three_digits(texts):
        yield "B", "shows more than the first three digits of a zip code"
    elif "place" in kinds:
        yield "B", "shows places"
    elif "where" in kinds:
        capitalized = [text for text in texts if not text.islower()]
        where = [text for text in capitalized if not set(re.findall(r"[a-z]+", text.lower())) <= NO_PLACE]
        if where and not (numeric and len(texts) < 3):
            yield "B", "shows places"
    why = place_in(texts, numeric) if not kinds & {"zip", "age"} else ""
    if why:
        yield "B", why


def _by_time(case: Case, name: str, texts: list[str]) -> Iterator[tuple[str, str]]:
    kinds, words, column = kinds_of(str(name)), words_of(str(name)), case.released.frame[name]
    if "age" in kinds:
        per_year = unit_of(words, texts)
        if any(over_89(text, per_year) for text in texts):
            yield "C", "shows an age over 89"
        return
    if pd.api.types.is_datetime64_any_dtype(column) or isinstance(column.dtype, pd.PeriodDtype):
        yield "C", "holds dates"
        return
    date_name = bool(kinds & {"date", "event", "birth"})
    numbers = whole(texts)
    if numbers is not None and not kinds & {"zip", "place"}:
        reading = numbers_are_dates(numbers, date_name=date_name)
        if reading:
            yield "C", f"shows {reading}"
    part = part_of_date(kinds, texts)
    if part:
        yield "C", f"shows {part}"
    if "date" in kinds and not all(map(only_years, texts)):
        yield "C", "shows more than the year"
    year = case.facts.year
    if "birth" in kinds and year is not None and any(born_over_89(text, year) for text in texts):
        yield "C", f"shows a year of birth of someone over 89 in {year}, the year of the decision"


def born_columns(case: Case) -> list[str]:
    """Columns of years of birth, which nobody can judge without the year of the decision."""
    return [
        str(name)
        for name in case.released.frame.columns
        if "birth" in kinds_of(str(name)) and name not in case.facts.harmless
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Codes and numbers of persons, by how many distinct ones there are: also if a person has several records.
# ---------------------------------------------------------------------------------------------------------------------


FEWEST_CODES = 5  # distinct codes from which a column is taken to number persons
FEWEST_MIXED = 3  # codes of letters and digits in no order, like hashes
MOST_EACH = 12  # records that one person has on average
ALIKE = 0.9  # share of the codes that have the same form
DIGITS, LETTERS = 5, 6  # length of a code: of only digits, or of letters and digits
CODED = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?|\d{1,3}\.\d{1,2}|\d{4,5}-\d")  # ICD-10, ICD-9, LOINC
MEASURES = word_set("""
    income salary wage wages revenue cost costs charge charges price amount value balance population people platelets
    platelet count wbc rbc cfu load copies area acres square sqft miles steps calories einkommen gehalt lohn revenu
    salaire ingreso salario umsatz loss gain capital fnlwgt weight hours
""")


def numbered(column: pd.Series, name: str, texts: Sequence[str], *, quasi: bool) -> str:
    """Why values appear to number persons, as words that follow the name of a column; "" if they do not.

    >>> visits = pd.Series(["K4831", "K4831", "B9027", "T1180", "T1180", "M7733", "Q2095"])
    >>> numbered(visits, "x", visits.unique().tolist(), quasi=False)
    'has codes of the same form, about 1 record per code'
    >>> numbered(pd.Series(["E11.9", "J45.0", "I10.1"] * 9), "x", ["E11.9", "J45.0", "I10.1"], quasi=False)
    ''
    """
    words = set(words_of(name))
    if words & THINGS and not words & {"patient", "person", "member", "participant", "subject"}:
        return ""
    if not quasi:
        guess = guesses(column.to_frame(name))[name]
        if guess.role == "identifier" and not words & ABOUT:
            return guess.reason
    if words & MEASURES or len(texts) * MOST_EACH < len(column):
        return ""
    plain = [text.strip().removesuffix(".0") for text in texts]
    if len(plain) >= FEWEST_MIXED and _mixed(plain):
        return "has codes of letters and digits, all the same length"
    if len(texts) < FEWEST_CODES:
        return ""
    form, often = Counter(re.sub(r"\d", "9", re.sub(r"[^\W\d_]", "A", text)) for text in plain).most_common(1)[0]
    letters, digits = form.count("A"), form.count("9")
    if often < ALIKE * len(plain) or len(form) > 24 or all(map(CODED.fullmatch, plain)):
        return ""
    if re.search(r"9\.9|[^A9 ./_-]", form) or (letters and (letters + digits < LETTERS - 1 or digits < 3)):
        return ""
    ranges = all(re.fullmatch(r"(\d+)\D\d+", text) and len(set(map(len, re.split(r"\D", text)))) == 1 for text in plain)
    if not letters and (digits <= DIGITS or ranges):
        return ""
    if not letters and all(text.endswith("00") for text in plain):
        return ""
    each = max(1, round(len(column) / len(texts)))
    return f"has codes of the same form, about {each} {'record' if each == 1 else 'records'} per code"


def _mixed(codes: Sequence[str]) -> bool:
    """Whether codes have the same length, each with its own order of letters and digits."""
    forms = {re.sub(r"\d", "9", re.sub(r"[a-zA-Z]", "A", code)) for code in codes}
    alike = len({len(code) for code in codes}) == 1 and 8 <= len(codes[0]) <= 64
    both = sum(bool(re.search(r"\d", code) and re.search(r"[a-zA-Z]", code)) for code in codes)
    return (
        alike
        and all(re.fullmatch(r"[A-Za-z0-9_-]+", code) for code in codes)
        and both >= ALIKE * len(codes)
        and len(forms) > 1
    )


# ---------------------------------------------------------------------------------------------------------------------
# Names of people in text: by their titles, by a given name next to a family name, or column by column.
# ---------------------------------------------------------------------------------------------------------------------


_NAMES = Path(__file__).with_name("common_names.csv")  # made by sample_data/make/common_names.py
FEWEST_NAMES = 3  # distinct names from which a column is taken to hold names
NAMES_SHARE = 0.7  # share of all values from which it is
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
TITLED = re.compile(
    r"\b(?:(?:Hr|Fr|Pat|Pt)(?=\.)|Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Mme|Mlle|Monsieur|Madame|Sr|Sra|Srta|Señora?|Don|Doña)\.?\s+"
    r"(?:(?:Dr|Prof|med)\.?\s+)*(?:[A-Z]\.\s*)?[A-ZÄÖÜÉÁÍÓÚÑ][a-zäöüßéèáíóúñç]{2,}"
)
RELATIVE = re.compile(
    r"\b(?:mother|father|son|daughter|wife|husband|brother|sister|named|name is|nurse|mutter|vater|sohn|tochter|mère|"
    r"père|fils|fille|madre|padre|hijo|hija)[,:]? +([A-ZÄÖÜÉÁ][a-zäöüéèáíóúñç]{2,})"
)
INITIALED = re.compile(
    r"^[A-ZÄÖÜ][\w'’-]{2,}, ?[A-Z]\.?(?: ?[A-Z]\.?)?$|^[A-Z]\. ?(?:[A-Z]\. ?)?[A-ZÄÖÜ][a-zäöü'’-]{2,}$"
)
FULL = re.compile(r"[A-ZÀ-Ý][\w'’-]+(?: [A-ZÀ-Ý]\.?)?(?: (?:de|da|del|van|von|bin|al) )?(?: ?[A-ZÀ-Ý][\w'’-]+){1,2}")
MEDICAL = re.compile(
    r"disease|syndrome|cancer|lymphoma|fracture|palsy|tumou?r|pain|failure|hospital|county|city|state", re.I
)
# Names that are also other words: colors, months, trades, places, plants.
ALSO_WORDS = word_set("""
    white black brown green gray grey gold rose violet ruby amber jade pearl may june april august summer winter
    sommer baker cook carter mason miller carpenter farmer fisher taylor tailor potter page cooper weaver butler
    porter parker hunter archer barber gardner turner walker smith clerk bishop pope king knight abbott judge marshall
    sheriff nurse north west east day noon will mark grace hope joy faith art bill pat sue frank drew dean chase grant
    jack dale glen ray rich rob guy max melody crystal dawn eve heather holly iris ivy lily olive penny robin sandy
    daisy virginia georgia carolina florence victoria charlotte madison jackson lincoln austin houston dallas london
    paris washington montana dakota savannah asia america china india chad jordan israel kenya cuba long short small
    little strong young power price cash banks bank church hall wood woods stone hill lake rivers brooks field fields
    ford park lane street rice bean berry cherry apple fox wolf lamb hart bird crow drake swan fish case bond love
    best good noble sharp swift wise stark hardy frost snow rains flowers bush branch bell ball barn ward house home
    grand moody poor sample test rest head foot hand back blood bone heart kidney lung brain hair early late major
    minor high low other single sterling christian angel jesus gray reed weeks months days lang klein gross jung
    richter weber bauer koch schneider fischer becker schuster schreiber wagner kaiser graf engel stein winter otto
    ernst chevalier blanc leroy fontaine rubio blanco moreno castillo torres santos iglesias mercedes dolores pilar
    rosario concepción encarnación esperanza soledad nieves paloma alba salvador santiago guadalupe lourdes montserrat
    clement constance patience prudence charity mercy earnest sunny stormy misty candy honey ginger basil sage angela
    berg frank fuchs vogel hahn busch horn sauer roth braun schwarz weiß lens harm person
""")


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Common given names, and family names, in lowercase."""
    with _NAMES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return tuple(frozenset(name for name, kind in rows if kind == want) for want in ("given", "family"))  # type: ignore[return-value]


def person_in(text: str) -> bool:
    """Whether a text names a person: with a title, as a relative, or by a given name next to a family name.

    >>> [person_in(text) for text in ("seen by Dr. Miller", "Mary Johnson", "Johnson, Mary", "her son Peter")]
    [True, True, True, True]
    >>> [person_in(text) for text in ("White", "Type 2 diabetes", "Guillain-Barré", "Grand Rapids", "Virginia")]
    [False, False, False, False, False]
    """
    if not re.search(r"[A-ZÀ-Ý]", text):
        return False
    if TITLED.search(text):
        return True
    first_names, family = _names()
    relative = RELATIVE.search(text)
    if relative and relative[1].lower() in first_names:
        return True
    words = [(word[0], word.start(), word.end()) for word in WORD.finditer(text)]
    for (first, _, end), (second, start, _) in pairwise(words):
        between = text[end:start]
        if not (first[0].isupper() and second[0].isupper()) or between not in (" ", ", ", ",", " - ", "_"):
            continue
        a, b = first.lower(), second.lower()
        pair = (a, b) if "," not in between else (b, a)
        if pair[0] in first_names and pair[1] in family and not {a, b} <= ALSO_WORDS and pair[0] not in ALSO_WORDS:
            return True
    return False


def names_in_column(texts: Sequence[str]) -> bool:
    """Whether most values of a column are names of people, one or two words each.

    >>> names_in_column(["Anna", "Peter", "Julia"]), names_in_column(["Black", "White", "Brown"])
    (True, False)
    >>> names_in_column(["Smith, J.", "Jones, A.", "Miller, K."])
    True
    """
    first_names, family = _names()
    vocabulary = (first_names | family) - ALSO_WORDS
    names = [
        text
        for text in texts
        if INITIALED.match(text.strip())
        or ((words := WORD.findall(text)) and len(words) <= 3 and any(word.lower() in vocabulary for word in words)
        and len(" ".join(words)) >= 0.8 * len(text.strip()))
    ]  # fmt: skip
    if len(names) >= max(FEWEST_NAMES, NAMES_SHARE * len(texts)):
        return True
    # Rare names: every value is two or three words in capitals, and some of these are known names.
    alike = all(FULL.fullmatch(text.strip()) and not MEDICAL.search(text) for text in texts)
    return alike and len(texts) >= FEWEST_NAMES and len(names) >= len(texts) / 4


# ---------------------------------------------------------------------------------------------------------------------
# What identifiers look like in text, whatever the name of their column.
# ---------------------------------------------------------------------------------------------------------------------


BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
HEX4 = r"[0-9a-f]{1,4}"
MARKED = r"[\s:#.=-]*(?:no\.?|nr\.?|number|num|id)?[\s:#.=-]*"  # between “MRN” and its number
CODE = r"(?=[\w-]*\d)[a-z0-9][\w-]{3,}"


def luhn(text: str) -> bool:
    """Whether the last digit checks the others, as in card and phone numbers.

    >>> luhn("4111 1111 1111 1111"), luhn("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(digit) for digit in re.findall(r"\d", text)]
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _like(*patterns: str, exact: bool = False) -> Callable[[str], bool]:
    """Whether a text contains one of these; `exact` if case matters."""
    pattern = re.compile("|".join(patterns), 0 if exact else re.I)
    return lambda text: pattern.search(text) is not None


def _card(text: str) -> bool:
    match = re.search(r"(?<!\d)(?:[3-6]\d{3}(?:[ -]\d{4}){3}|[3-6]\d{12,15})(?!\d)", text)
    return match is not None and luhn(match[0])


def _imei(text: str) -> bool:
    match = re.fullmatch(r"\d{15}|\d{2}-\d{6}-\d{6}-\d", text.strip())
    return match is not None and luhn(text)


_SERIAL = _like(rf"\b(?:serial|s/n|device|imei|udi){MARKED}{CODE}", r"\(01\)\d{14}", r"^SN-?\d{4,}")
CONTENTS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    (
        "F",
        "holds e-mail addresses",
        _like(r"[^@\s]+@[^@\s]+\.[^@\s]+", r"\w+ ?(?:\(at\)|\[at\]) ?\w+ ?(?:\.|\(dot\)|\[dot\])"),
    ),
    (
        "N",
        "holds web addresses",
        _like(
            r"(?:https?|ftp)://|\bwww\.",
            r"(?<![@\w.-])[\w.-]+\.(?:com|org|net|edu|gov|io|info)(?:/|\b)",
            r"(?<!\w)@[a-z]\w{2,}(?![\w.])",
        ),
    ),
    (
        "G",
        "holds social security numbers",
        _like(r"(?<![\d-])\d{3}[- ]\d{2}[- ]\d{4}(?![\d-])", r"[x*•]{3}-[x*•]{2}-\d{4}"),
    ),
    (
        "G",
        "holds national identity numbers",
        _like(
            r"(?<!\w)\d{8}-?[A-HJ-NP-TV-Z](?!\w)|(?<!\w)[XYZ]\d{7}[A-Z](?!\w)",  # Spain
            r"(?<!\d)[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?\d{2} ?\d{3} ?\d{3} ?\d{2}(?!\d)",  # France
            r"(?<!\w)\d{2} ?\d{6} ?[A-Z] ?\d{3}(?!\w)",  # Germany
            r"(?<!\d)\d{3} \d{3} \d{4}(?!\d)|(?<!\w)[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)",  # Britain
            r"(?<!\w)[A-Z]{4}\d{6}[HM][A-Z]{5}\w\d(?!\w)|(?<!\d)756\.\d{4}\.\d{4}\.\d{2}",  # Mexico, Switzerland
            exact=True,
        ),
    ),
    (
        "O",
        "holds IP addresses",
        _like(
            rf"(?<![\d.])(?:{BYTE}\.){{3}}{BYTE}(?![\d.])",
            rf"(?<![\w:])(?:{HEX4}:){{7}}{HEX4}(?![\w:])|(?<![\w:])(?:{HEX4}:){{1,6}}(?::{HEX4}){{1,6}}(?![\w:])",
        ),
    ),
    (
        "M",
        "holds device addresses",
        _like(r"\b(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}\b", r"\b(?:[0-9A-F]{4}\.){2}[0-9A-F]{4}\b"),
    ),
    ("M", "holds device numbers", lambda text: _imei(text) or _SERIAL(text)),
    ("J", "holds card numbers", _card),
    (
        "J",
        "holds account numbers",
        _like(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b", exact=True),
    ),
    ("H", "holds medical record numbers", _like(rf"\b(?:mrn|medical record|patient|chart|case){MARKED}{CODE}")),
    (
        "I",
        "holds health plan numbers",
        _like(
            rf"\b(?:member|policy|subscriber|medicare|medicaid|mbi){MARKED}{CODE}",
            r"\b\d[A-Z][A-Z\d]\d-?[A-Z][A-Z\d]\d-?[A-Z]{2}\d{2}\b",
        ),
    ),
    ("J", "holds account numbers", _like(rf"\b(?:account|acct|a/c){MARKED}{CODE}")),
    ("K", "holds license numbers", _like(rf"\b(?:license|licence|passport|certificate|dea|npi){MARKED}{CODE}")),
    ("L", "holds license plates", _like(rf"\b(?:license plate|plate|kennzeichen|reg){MARKED}[A-Z0-9][\w -]{{4,8}}\d")),
    (
        "L",
        "holds vehicle numbers",
        _like(r"\b(?=[A-HJ-NPR-Z\d]*\d)(?=[A-HJ-NPR-Z\d]*[A-Z])[A-HJ-NPR-Z\d]{17}\b", exact=True),
    ),
    (
        "D",
        "holds telephone numbers",
        _like(
            r"(?<![\d.])(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. /])\d{3}[-. ]\d{4}(?!\d)",  # North America
            r"(?<!\d)(?:\+|00)\d{1,3}[ -]?\(?\d[\d ()/-]{6,}",
            r"(?<![\d.])\(?0\d{1,4}\)?[ /-]\d{3,}[\d -]{2,}(?!\d)|(?<!\d)0\d(?:[ .]\d{2}){4}(?!\d)",  # Europe
            r"\b(?:tel|phone|call|mobile|cell)[.:]? *\+?[\d(][\d ()./-]{6,}",
        ),
    ),
    ("Q", "refers to pictures", _like(r"\.(?:jpe?g|png|tiff?|bmp|gif|heic|dcm|webp)\b", r"^data:image/")),
    ("P", "refers to voice recordings", _like(r"\.(?:wav|mp3|m4a|flac|ogg)\b")),
    (
        "R",
        "holds identifiers or hashes",
        _like(
            r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{128})\b",
            r"(?<![\w/+])(?=[\w/+]*\d)(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])[A-Za-z0-9+/_-]{20,}={0,2}(?![\w/+])",
            exact=True,
        ),
    ),
    ("C", "holds dates", date_in),
    ("C", "shows an age over 89", age_in_text),
    ("A", "contains names of people", person_in),
)


def identifiers_in(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Letter and why, for each kind of identifier in any text.

    >>> [letter for letter, _ in identifiers_in(["ask a@b.org", "on 12/5/1980"])]
    ['F', 'C']
    >>> list(identifiers_in(["flu 2", "80–89", "1990-1999", "1.2.3", "E11.9", "Type 2 diabetes"]))
    []
    """
    for letter, why, holds in CONTENTS:
        if any(map(holds, texts)):
            yield letter, why
