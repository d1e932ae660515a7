"""Names of columns that say what stands in them, in English, German, French and Spanish, without accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

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
DATED |= {"birth", "naissance", "nacimiento"}  # of which a number that is no year is a day
LABELS = {"class", "class label", "label", "target", "outcome", "salary", "income"}
ID = {"id", "ids", "uuid", "guid", "ssn", "dni", "email"}  # as one of several words, too


def _set(words: str) -> frozenset[str]:
    return frozenset(name.strip() for line in words.splitlines() for name in line.split(";") if name.strip())


IDENTIFIERS, QUASI_IDENTIFIERS, SENSITIVE = _set(IDENTIFYING), _set(LINKABLE), _set(TELLING)
MEASURES, PLACES, QUALIFIERS = _set(MEASURING), _set(PLACING), _set(QUALIFYING)


def plain_name(name: str) -> str:
    """A name in small letters, without accents, its words apart.

    Example
    -------
    >>> plain_name("PatientID"), plain_name("Straße "), plain_name("Año_de-nacimiento"), plain_name("ZIPCode")
    ('patient id', 'strasse', 'ano de nacimiento', 'zip code')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", str(name))
    letters = unicodedata.normalize("NFKD", apart.casefold())
    return " ".join(re.findall(r"\w+", "".join(one for one in letters if not unicodedata.combining(one))
                               .replace("_", " ")))  # fmt: skip


def core_name(name: str) -> str:
    """A plain name without numbers and the words that tell one column from its like.

    Example
    -------
    >>> core_name("ICD-10"), core_name("patient_sex"), core_name("Primary Dx 2"), core_name("ZIP5"), core_name("code")
    ('icd', 'sex', 'dx', 'zip', 'code')
    """
    words = [word.rstrip("0123456789") for word in plain_name(name).split()]
    core = " ".join(word for word in words if word and word not in QUALIFIERS)
    return core or plain_name(name)


def named_as(name: str, names: Collection[str]) -> bool:
    """Whether a column is called so, as it is or without the words that tell it from its like.

    Example
    -------
    >>> named_as("DOB", QUASI_IDENTIFIERS), named_as("icd10_code", SENSITIVE), named_as("Los", MEASURES)
    (True, True, True)
    """
    return plain_name(name) in names or core_name(name) in names


def named_date(name: str) -> bool:
    """Whether a column is called as one of dates.

    Example
    -------
    >>> [named_date(name) for name in ("DOB", "Admit date", "Geburtsdatum", "fecha_nac", "age", "update")]
    [True, True, True, True, False, False]
    """
    words = plain_name(name).split()
    return any(word in DATED or word.endswith("datum") for word in words)


def named_identifier(name: str) -> bool:
    """Whether a column is called as identifiers are.

    Example
    -------
    >>> [named_identifier(name) for name in ("Vorname", "prénom", "Teléfono", "hospital_id", "age", "idea")]
    [True, True, True, True, False, False]
    """
    plain = plain_name(name)
    return plain in IDENTIFIERS or bool(ID & set(plain.split()))
