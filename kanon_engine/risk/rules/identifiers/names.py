"""What columns with identifiers are called, in English, German, French and Spanish; as `plain_name` writes names."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(name.strip() for name in words.replace("\n", " ").split(";") if name.strip())


NAMED = {
    "A": _set(
        "name; first name; last name; surname; forename; given name; family name; full name; maiden name; patient; "
        "patient name; username; user name; user; login; vorname; nachname; familienname; geburtsname; benutzername; "
        "nom; prenom; nom de famille; nom complet; nombre; nombre completo; apellido; apellidos; primer apellido; "
        "segundo apellido"
    ),
    "D": _set(
        "phone; phone number; telephone; telephone number; mobile; cell phone; telefon; telefonnummer; handy; "
        "mobilnummer; telefono; movil"
    ),
    "E": _set("fax; fax number; faxnummer"),
    "F": _set("email; e mail; mail; email address; courriel; correo; correo electronico"),
    "G": _set(
        "ssn; social security number; social security; sozialversicherungsnummer; numero de securite sociale; nir; "
        "dni; nif; nie; curp"
    ),
    "H": _set(
        "mrn; medical record number; medical record; patient number; patientennummer; fallnummer; expediente; case "
        "number; chart number"
    ),
    "I": _set(
        "health plan number; insurance number; beneficiary number; beneficiary; member number; medicare number; "
        "medicaid number; versicherungsnummer; versichertennummer"
    ),
    "J": _set("account; account number; iban; bank account; kontonummer; compte; cuenta; customer; kundennummer"),
    "K": _set("license number; licence number; certificate number; passport; ausweisnummer; passeport; pasaporte"),
    "L": _set("vin; vehicle; license plate; licence plate; plate; kennzeichen; vehicle identification number"),
    "M": _set("device; serial number; serial; imei; mac address; device number; seriennummer"),
    "N": _set("url; web address; website; homepage"),
    "O": _set("ip; ip address"),
    "P": _set("fingerprint; finger print; voice; voice print; iris; biometric; genome"),
    "Q": _set("photo; photograph; picture; image; face"),
}
PLACES = _set(
    "address; street; street address; city; town; village; county; precinct; municipality; commune; district; ward; "
    "parish; census tract; tract; block; block group; geocode; geohash; neighborhood; neighbourhood; latitude; "
    "longitude; lat; lon; lng; gps; xmin; ymin; xmax; ymax; borough; place; location; anschrift; adresse; strasse; "
    "ort; wohnort; stadt; gemeinde; kreis; landkreis; rue; ville; arrondissement; direccion; calle; ciudad; municipio"
)
ZIPS = _set(
    "zip; zip code; zip codes; zipcode; zip3; zip 3; zip5; zip 5; zcta; zcta3; zcta5; postal code; postalcode; "
    "postcode; plz; postleitzahl; code postal; codigo postal"
)
DATES = _set(
    "date; birth; birth date; birthdate; date of birth; dob; birthday; admission; admission date; admitted; discharge; "
    "discharge date; discharged; death; death date; date of death; visit date; service date; diagnosis date; "
    "geburtsdatum; geburtstag; aufnahmedatum; entlassungsdatum; todesdatum; date de naissance; naissance; "
    "fecha de nacimiento; nacimiento"
)
BIRTHS = _set(
    "birth; birth year; year of birth; birth date; birthdate; date of birth; dob; geburtsjahr; geburtsdatum; "
    "naissance; annee de naissance; date de naissance; nacimiento; ano de nacimiento; fecha de nacimiento"
)
AGES = _set("age; ages; age years; age at diagnosis; age at admission; patient age; alter; edad; age group")
