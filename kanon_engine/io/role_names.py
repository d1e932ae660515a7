"""Names of columns that say what stands in them, in English, German, French and Spanish, without accents."""

from __future__ import annotations

import re
import unicodedata

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
    year of birth; marital status; education; occupation; job; profession; native country; region; place of birth
    alter; geschlecht; plz; postleitzahl; ort; wohnort; stadt; gemeinde; kreis; landkreis; land; bundesland;
    staatsangehorigkeit; nationalitat; geburtsdatum; geburtstag; geburtsjahr; geburtsort; familienstand; beruf; bildung;
    herkunft
    sexe; genre; code postal; ville; commune; departement; pays; nationalite; date de naissance; naissance;
    annee de naissance; etat civil; situation matrimoniale; metier; origine
    edad; sexo; genero; codigo postal; cp; ciudad; municipio; provincia; pais; nacionalidad; fecha de nacimiento;
    nacimiento; ano de nacimiento; estado civil; ocupacion; profesion; educacion; raza; etnia
"""
TELLING = """
    diagnosis; disease; illness; sickness; condition; wage; wages; treatment; therapy; medication; drug; religion
    diagnose; krankheit; erkrankung; behandlung; befund; therapie; medikament; lohn; gehalt; einkommen; konfession
    diagnostic; maladie; affection; traitement; medicament; salaire; revenu; revenus
    diagnostico; enfermedad; padecimiento; tratamiento; medicamento; salario; sueldo; ingreso; ingresos
"""
LABELS = {"class", "class label", "label", "target", "outcome", "salary", "income"}
ID = {"id", "ids", "uuid", "guid", "ssn", "dni", "email"}  # as one of several words, too


def _set(words: str) -> frozenset[str]:
    return frozenset(name.strip() for line in words.splitlines() for name in line.split(";") if name.strip())


IDENTIFIERS, QUASI_IDENTIFIERS, SENSITIVE = _set(IDENTIFYING), _set(LINKABLE), _set(TELLING)


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


def named_identifier(name: str) -> bool:
    """Whether a column is called as identifiers are.

    Example
    -------
    >>> [named_identifier(name) for name in ("Vorname", "prénom", "Teléfono", "hospital_id", "age", "idea")]
    [True, True, True, True, False, False]
    """
    plain = plain_name(name)
    return plain in IDENTIFIERS or bool(ID & set(plain.split()))
