"""Names of people in text: by their titles, by a given name beside a family name, or column by column."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from kanon_engine.risk.rules.identifiers.names import word_set

_NAMES = Path(__file__).with_name("common_names.csv")  # made by sample_data/make/common_names.py
FEWEST, MOST = 3, 0.7  # different names, and their share of all values, from which a column is taken to hold names
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
# Names that are words of another meaning: of colors, months, trades, places, plants.
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
    """Common given names, and family names, in small letters."""
    with _NAMES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return tuple(frozenset(name for name, kind in rows if kind == want) for want in ("given", "family"))  # type: ignore[return-value]


def person_in(text: str) -> bool:
    """Whether a text names a person: with a title, as somebody's relative, or by a given beside a family name.

    Example
    -------
    >>> [person_in(text) for text in ("seen by Dr. Miller", "Mary Johnson", "Johnson, Mary", "her son Peter")]
    [True, True, True, True]
    >>> [person_in(text) for text in ("White", "Type 2 diabetes", "Guillain-Barré", "Grand Rapids", "Virginia")]
    [False, False, False, False, False]
    """
    if not re.search(r"[A-ZÀ-Ý]", text):
        return False
    if TITLED.search(text):
        return True
    given, family = _names()
    relative = RELATIVE.search(text)
    if relative and relative[1].lower() in given:
        return True
    words = [(word[0], word.start(), word.end()) for word in WORD.finditer(text)]
    for (first, _, end), (second, start, _) in pairwise(words):
        between = text[end:start]
        if not (first[0].isupper() and second[0].isupper()) or between not in (" ", ", ", ",", " - ", "_"):
            continue
        a, b = first.lower(), second.lower()
        pair = (a, b) if "," not in between else (b, a)
        if pair[0] in given and pair[1] in family and not {a, b} <= ALSO_WORDS and pair[0] not in ALSO_WORDS:
            return True
    return False


def names_in_column(texts: Sequence[str]) -> str | None:
    """The first value of a column in which most values are names of people, one or two words each; None where not.

    Example
    -------
    >>> names_in_column(["Anna", "Peter", "Julia"]), names_in_column(["Black", "White", "Brown"])
    ('Anna', None)
    >>> names_in_column(["Smith, J.", "Jones, A.", "Miller, K."])
    'Smith, J.'
    """
    given, family = _names()
    known = (given | family) - ALSO_WORDS
    named = [
        text
        for text in texts
        if INITIALED.match(text.strip())
        or ((words := WORD.findall(text)) and len(words) <= 3 and any(word.lower() in known for word in words)
        and len(" ".join(words)) >= 0.8 * len(text.strip()))
    ]  # fmt: skip
    if len(named) >= max(FEWEST, MOST * len(texts)):
        return named[0]
    # Rare names: every value is two or three words in capitals, and some of these are known names.
    alike = all(FULL.fullmatch(text.strip()) and not MEDICAL.search(text) for text in texts)
    return texts[0] if alike and len(texts) >= FEWEST and len(named) >= len(texts) / 4 else None
