"""Guess which columns of a table identify, could be linked, are sensitive, or are none of these."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

ROLES = ("identifier", "quasi-identifier", "sensitive", "class label", "other")
MOST_VALUES = 100  # of a guessed quasi-identifier
MOST_LABELS = 20
NEARLY_ALL = 0.9  # share of rows with a unique value from which a column identifies
FEWEST_DIGITS = 6  # of numbers of equal length, such as account numbers


@dataclass(frozen=True)
class Guess:
    """A guess of a column's role, for a person to confirm."""

    role: str
    reason: str  # why, as words that follow the name of the column
    asked: bool = False  # whether a person must decide what it is; until then it is left out


def guesses(frame: pd.DataFrame, dates: Collection[str] = ()) -> dict[str, Guess]:
    """A role for each column with its reason, from its name and its number of values.

    The name decides first. Dates of people's lives are known to others, however many there are. A column identifies if
    nearly every row has a unique value, unless it holds numbers that may be a measure, such as an income: then a person
    is asked. A person is also asked about more than a hundred values, because rare values single out people: without
    ranges or an order such a column is not a quasi-identifier. A column with one value does not matter. The rest could
    be linked with other data.

    `dates`: the columns that hold dates.

    >>> rows = {"id": [4, 8, 2, 9], "sex": ["m", "f", "f", "m"], "age": [3, 7, 4, 9], "salary": ["<", "<", ">", "<"]}
    >>> {name: guess.role for name, guess in guesses(pd.DataFrame(rows)).items()}
    {'id': 'identifier', 'sex': 'quasi-identifier', 'age': 'quasi-identifier', 'salary': 'class label'}
    >>> guesses(pd.DataFrame({"spent": [3.5, 18.25, 7.75, 0.5]}))["spent"].asked
    True
    """

    def in_order(column: pd.Series) -> bool:
        """Whether it holds numbers, or codes of digits such as zip codes, so that neighbors are similar."""
        digits = pd.api.types.is_numeric_dtype(column) or column.dropna().astype(str).str.fullmatch(r"[\d-]+").all()
        return bool(digits)

    guesses_by_name: dict[str, Guess] = {}
    for name in frame.columns:
        column, plain = frame[name], plain_name(name)
        values = int(column.nunique())
        few = 2 <= values <= MOST_LABELS and 2 * values <= len(column)
        if plain in LABELS and few and not any(guess.role == "class label" for guess in guesses_by_name.values()):
            guesses_by_name[name] = Guess("class label", "has a name that suggests a class label, which models predict")
        elif has_name(name, SENSITIVE) or plain in LABELS:
            guesses_by_name[name] = Guess("sensitive", "has a name that suggests private information")
        elif has_identifier_name(str(name)):
            guesses_by_name[name] = Guess("identifier", "has a name that suggests an identifier")
        elif values + bool(column.isna().any()) < 2:
            guesses_by_name[name] = Guess("other", "has only one value")
        elif has_name(name, QUASI_IDENTIFIERS) and (values <= MOST_VALUES or name in dates or in_order(column)):
            guesses_by_name[name] = Guess(
                "quasi-identifier", "has a name that suggests facts about people that others know"
            )
        elif name in dates:
            guesses_by_name[name] = Guess("quasi-identifier", "holds dates, which others may know")
        elif has_name(name, MEASURES):
            guesses_by_name[name] = Guess(
                "sensitive", "has a name that suggests facts about people that few others know", True
            )
        elif has_name(name, PLACES):
            guesses_by_name[name] = Guess(
                "other", "has a name that suggests a place of treatment, which others may know", True
            )
        else:
            guesses_by_name[name] = _by_values(column, values)
    return guesses_by_name


def _by_values(column: pd.Series, values: int) -> Guess:
    if not identifies(column):
        if values <= MOST_VALUES:
            return Guess("quasi-identifier", f"has few values ({values:,}) that others may know")
        return Guess(
            "other",
            f"has {values:,} values, too many for a quasi-identifier unless they are ordered or put into ranges",
            True,
        )
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return Guess("identifier", "has a different value in nearly every row")
    numbers = column.dropna().to_numpy(dtype=float)
    if (
        len(np.unique(numbers)) == len(numbers) > 2 and np.ptp(numbers) == len(numbers) - 1
    ):  # 1, 2, 3 … from any number on
        return Guess("identifier", "holds row numbers")
    if np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all() and numbers.min() > 0:
        digits = np.floor(np.log10(numbers)) + 1
        if digits.min() == digits.max() >= FEWEST_DIGITS:
            return Guess("identifier", "has a different number in nearly every row, and all have the same length")
    return Guess("other", "has a different number in nearly every row: it may be a measure or a code", True)


def identifies(column: pd.Series) -> bool:
    return column.nunique() >= NEARLY_ALL * len(column) and len(column) > 1


# ---------------------------------------------------------------------------------------------------------------------
# Column names that say what they hold, in English, German, French and Spanish, without accents.
# ---------------------------------------------------------------------------------------------------------------------


IDENTIFYING = """
    name; first name; last name; surname; forename; given name; family name; full name; maiden name; ssn; email; e mail;
    mail; phone; phone number; telephone; mobile; fax; address; street; street address; key; record; record number; row;
    index; nr; no; number; account; account number; passport; licence plate; license plate; username; user name; user;
    login; mrn; medical record number; social security number; insurance number; customer; iban; ip; ip address
    vorname; nachname; familienname; geburtsname; kennung; nummer; kundennummer; patientennummer; personalnummer;
    versicherungsnummer; versichertennummer; sozialversicherungsnummer; steuernummer; telefon; telefonnummer; handy;
    mobilnummer; anschrift; adresse; strasse; aktenzeichen; ausweisnummer; kontonummer; fallnummer; lfd nr;
    laufende nummer; benutzername; kennzeichen
    nom; prenom; nom de famille; nom complet; numero; identifiant; courriel; rue; matricule; nir; dossier;
    numero de dossier; numero de securite sociale; passeport; compte
    nombre; nombre completo; apellido; apellidos; primer apellido; segundo apellido; dni; nif; nie; cedula;
    identificador; identificacion; telefono; movil; direccion; correo; correo electronico; calle; pasaporte; expediente;
    matricula; cuenta; curp; rfc; rut
"""
LINKABLE = """
    age; sex; gender; race; ethnicity; zip; zip code; zipcode; postal code; postalcode; postcode; city; town; state;
    county; country; nationality; citizenship; birth; birth date; birthdate; date of birth; dob; birthday; birth year;
    year of birth; yob; birth dt; birthdt; dt of birth; bdate; admission date; admit date; admit dt; adm date; adm dt;
    admission; date of admission; admitted; admdate; discharge date; discharge dt; disch date; date of discharge;
    discharged; death date; date of death; dod; death; service date; date of service; visit date; age at admission;
    age years; age group; age band; age range; agegrp; zip3; fips; marital status; education; occupation; job;
    profession; native country; region; place of birth
    alter; geschlecht; plz; postleitzahl; ort; wohnort; stadt; gemeinde; kreis; landkreis; land; bundesland;
    staatsangehorigkeit; nationalitat; geburtsdatum; geburtstag; geburtsjahr; geburtsort; familienstand; beruf; bildung;
    herkunft; geb datum; gebdatum; gebdat; geb dat; geb; aufnahmedatum; entlassdatum; entlassungsdatum; sterbedatum;
    todesdatum; altersgruppe; altersklasse
    sexe; genre; code postal; ville; commune; departement; pays; nationalite; date de naissance; naissance;
    annee de naissance; ddn; date naissance; date d admission; date admission; date d entree; date entree;
    date de sortie; date sortie; date de deces; date deces; tranche d age; groupe d age; etat civil; situation
    matrimoniale; metier; origine
    edad; sexo; genero; codigo postal; cp; ciudad; municipio; provincia; pais; nacionalidad; fecha de nacimiento;
    nacimiento; fecha nacimiento; fecha nac; fnac; fecha de ingreso; fecha ingreso; fecha de alta; fecha alta;
    fecha de defuncion; fecha de fallecimiento; fecha defuncion; grupo de edad; ano de nacimiento; estado civil;
    ocupacion; profesion; educacion; raza; etnia
"""
TELLING = """
    diagnosis; dx; diag; icd; icd code; icd cm; diagnosis code; dx code; procedure; cpt; drg; ms drg; comorbidity;
    hiv; test result; disease; illness; sickness; condition; wage; wages; treatment; therapy; medication; drug; religion
    diagnose; hauptdiagnose; nebendiagnose; diagnoseschlussel; icd schlussel; prozedur; ops; krankheit; erkrankung;
    behandlung; befund; therapie; medikament; lohn; gehalt; einkommen; konfession
    diagnostic; code diagnostic; cim; diagnostic principal; acte; maladie; affection; traitement; medicament; salaire;
    revenu; revenus
    diagnostico; cie; codigo diagnostico; diagnostico principal; procedimiento; enfermedad; padecimiento; tratamiento;
    medicamento; salario; sueldo; ingreso; ingresos
"""
MEASURING = """
    length of stay; los; stay; days in hospital; charge; charges; total charges; cost; costs; total cost; bill; paid;
    verweildauer; liegedauer; aufenthaltsdauer; kosten; gesamtkosten; rechnungsbetrag
    duree de sejour; dms; cout; couts; frais; montant
    duracion de la estancia; duracion estancia; estancia; dias de estancia; costo; costos; coste; costes; cargos;
    importe
"""
PLACING = """
    ward; unit; service; department; dept; clinic; provider; facility; attending
    station; abteilung; fachabteilung; klinik
    unite; unite de soins; departement medical
    unidad; sala; planta; departamento; servicio
"""
QUALIFYING = """
    patient; pt; pat; person; client; member; employee; home; residence; primary; principal; main; first; second; desc;
    description; cd; code; codes
"""
DATED = {"date", "dates", "dt", "dob", "bdate", "datum", "fecha", "dod", "ddn", "gebdat", "birthday", "geburtstag"}
DATED |= {"birth", "naissance", "nacimiento"}  # of which a number that is not a year is a day
LABELS = {"class", "class label", "label", "target", "outcome", "salary", "income"}
BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
ID = {"id", "ids", "uuid", "guid", "ssn", "dni", "email"}  # also as one of several words


def _set(words: str) -> frozenset[str]:
    return frozenset(name.strip() for line in words.splitlines() for name in line.split(";") if name.strip())


IDENTIFIERS, QUASI_IDENTIFIERS, SENSITIVE = _set(IDENTIFYING), _set(LINKABLE), _set(TELLING)
MEASURES, PLACES, QUALIFIERS = _set(MEASURING), _set(PLACING), _set(QUALIFYING)


def plain_name(name: str) -> str:
    """A name in lower case, without accents, with its words separated.

    >>> plain_name("PatientID"), plain_name("Straße "), plain_name("Año_de-nacimiento"), plain_name("ZIPCode")
    ('patient id', 'strasse', 'ano de nacimiento', 'zip code')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", str(name))
    letters = unicodedata.normalize("NFKD", spaced.casefold())
    return " ".join(re.findall(r"\w+", "".join(one for one in letters if not unicodedata.combining(one))
                               .replace("_", " ")))  # fmt: skip


def core_name(name: str) -> str:
    """A plain name without numbers and the words that distinguish similar columns.

    >>> core_name("ICD-10"), core_name("patient_sex"), core_name("Primary Dx 2"), core_name("ZIP5"), core_name("code")
    ('icd', 'sex', 'dx', 'zip', 'code')
    """
    words = [word.rstrip("0123456789") for word in plain_name(name).split()]
    core = " ".join(word for word in words if word and word not in QUALIFIERS)
    return core or plain_name(name)


def has_name(name: str, names: Collection[str]) -> bool:
    """Whether a column has such a name, as it is or without brackets and the words that distinguish similar columns.

    >>> has_name("DOB", QUASI_IDENTIFIERS), has_name("icd10_code", SENSITIVE), has_name("Los", MEASURES)
    (True, True, True)
    >>> [has_name(name, IDENTIFIERS) for name in ("Name (full)", "patient (name)", "Code [ID]")]
    [True, True, False]
    """
    outside = BRACKETED.sub(" ", str(name))
    return any(one in names for one in (plain_name(name), core_name(name), core_name(outside)))


def has_date_name(name: str) -> bool:
    """Whether a column's name suggests dates.

    >>> [has_date_name(name) for name in ("DOB", "Admit date", "Geburtsdatum", "fecha_nac", "age", "update")]
    [True, True, True, True, False, False]
    """
    words = plain_name(name).split()
    return any(word in DATED or word.endswith("datum") for word in words)


def has_identifier_name(name: str) -> bool:
    """Whether a column's name suggests an identifier.

    >>> [has_identifier_name(name) for name in ("Vorname", "prénom", "patient_name", "hospital_id", "age", "idea")]
    [True, True, True, True, False, False]
    """
    return has_name(name, IDENTIFIERS) or bool(ID & set(plain_name(name).split()))


# ---------------------------------------------------------------------------------------------------------------------
# Whether the name of a column says that it counts, and what.
# ---------------------------------------------------------------------------------------------------------------------


def _words(words: str) -> set[str]:
    return set(words.split())


PEOPLE = re.compile(
    r"(tot|total)?(pop|population|people|persons|residents|inhabitants)(tot|total)?\d{0,4}(est|estimate)?"
    r"|(tot|total)?(pop|population)(est|estimate)\d{0,4}"
    r"|p0010001|p001001|p1001n|b01003001e?|b01001001e?|dp050001e|s0101c01001e"  # codes of totals of the US census
)
PEOPLE_WORDS = _words(
    "pop popn population people persons residents inhabitants einwohner bevolkerung habitants poblacion populacao "
    "popolazione inwoners"
)
UNIT_WORDS = _words(
    "admissions adults births cases children claims deaths discharges employees females hospitalizations households "
    "incidents males men patients pupils students visits voters women"
)
SINGULAR = {word[:-1]: word for word in UNIT_WORDS if word.endswith("s")} | {"child": "children"}
COUNT_WORDS = {"count", "counts", "cnt", "freq", "frequency", "records"}
GENERAL_WORDS = COUNT_WORDS | {"n", "num", "number", "tot", "total"}
COUNTS = re.compile(r"(n|counts?|freq|frequency|records)\d{0,4}")
WEAK = re.compile(r"(number|num|total|value|weight)\d{0,4}")  # counts, or almost anything else
CERTAIN = re.compile(rf"{PEOPLE.pattern}|(counts?|freq|frequency)\d{{0,4}}")
RATES = _words(  # what cannot be added up
    "per rate rates pct perc percent percentage share ratio prop proportion fraction density dens avg average mean "
    "median min max std stdev sd se moe margin index score rank decile quantile quintile quartile percentile change "
    "growth diff"
)
CODES = _words("code fips geoid id plz postcode zcta modzcta zip zipcode")  # whose digits are no quantity
ATTRIBUTES = CODES | _words(  # measures, times, codes and groups
    "area aland awater km sqkm sqmi acres ha length perimeter age lat lon lng latitude longitude intptlat intptlon "
    "elevation income price year yr month week day date hour fid objectid key flag class category type phone"
)


def plain(name: object) -> str:
    """A column name without case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def words_of(name: object) -> list[str]:
    """The words of a column name, in lower case and without accents.

    >>> words_of("covid_caseCount2020"), words_of("POP10"), words_of("Längengrad")
    (['covid', 'case', 'count'], ['pop'], ['langengrad'])
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name).replace("ß", "ss"))
    ascii_only = unicodedata.normalize("NFKD", spaced).encode("ascii", "ignore").decode().lower()
    return re.findall(r"[a-z]+", ascii_only)


def count_rank(name: object) -> int | None:
    """How clearly a name says that the column counts, 0 is clearest; None if it does not.

    People come before other counts, and a name that says nothing else before one with more words.

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
    if COUNTS.fullmatch(flat) or (len(words) == 1 and words & UNIT_WORDS):
        return 2
    if WEAK.fullmatch(flat):
        return 4
    return 3 if words & (UNIT_WORDS | COUNT_WORDS) else None


def is_rate(name: object) -> bool:
    """Whether the name says that the numbers of a column cannot be added up."""
    return count_rank(name) is None and bool(set(words_of(name)) & RATES)


def is_code(name: object) -> bool:
    """Whether a name says that numbers are codes, whose mean says nothing.

    >>> is_code("ZIP"), is_code("Postal Code"), is_code("zip3"), is_code("age")
    (True, True, True, False)
    """
    return not CODES.isdisjoint(words_of(name))


def is_attribute(name: object) -> bool:
    """Whether the name says that a column measures, dates or names something."""
    return count_rank(name) is None and not is_rate(name) and bool(set(words_of(name)) & ATTRIBUTES)


def unit_of(name: object) -> str:
    """What a column of counts counts, from its name; the name itself if it does not say.

    >>> [unit_of(name) for name in ("pop10", "COVID_CASE_COUNT", "n", "TOTAL_TESTS", "homes")]
    ['people', 'cases', 'records', 'TOTAL_TESTS', 'homes']
    """
    if count_rank(name) in (0, 1):
        return "people"
    words = words_of(name)
    singular = [SINGULAR.get(word, word) for word in words]
    units = [word for word in singular if word in UNIT_WORDS]
    if count_rank(name) is not None and units:
        return units[-1]
    return "records" if words and set(words) <= GENERAL_WORDS else str(name)


def column_list(text: str) -> list[str]:
    """Names separated by commas; a name with a comma or a line break is in double quotes.

    >>> column_list('age, "native, or not",sex')
    ['age', 'native, or not', 'sex']
    """
    return [
        name.strip()
        for name in next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), [])
        if name.strip()
    ]


def by_column(text: str) -> dict[str, str]:
    """Pairs of a column and something, or ValueError.

    >>> by_column("education=levels.csv,sex=sex.csv")
    {'education': 'levels.csv', 'sex': 'sex.csv'}
    """
    pairs = [part.rpartition("=") for part in column_list(text)]
    if not pairs or not all(name and equals and value for name, equals, value in pairs):
        raise ValueError(f"{text!r} is not a list of pairs; write COLUMN=VALUE,COLUMN=VALUE.")
    return {name.strip(): value.strip() for name, _, value in pairs}
