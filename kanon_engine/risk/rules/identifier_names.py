"""What the name of a column says about it, word by word, in English, German, French and Spanish."""

from __future__ import annotations

import re
from functools import cache

from kanon_engine.io.names import plain_name


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# What a word, or several adjacent ones, says that a column holds: letters of 45 CFR 164.514(b)(2)(i), or their kinds.
HOLDS: dict[str, str] = {
    "A": """
        name; names; nm; surname; forename; firstname; lastname; fname; lname; mname; fullname; nickname; alias;
        initials; username; user; login; vorname; nachname; familienname; geburtsname; rufname; benutzername; nom; noms;
        prenom; prenoms; nombre; nombres; apellido; apellidos; next of kin; emergency contact; kontakt person;
        ansprechpartner; spouse; guardian
    """,
    "D": """
        phone; phones; telephone; tel; telno; mobile; cell; cellphone; cellular; telefon; telefonnummer; handy;
        handynummer; mobilnummer; rufnummer; telefono; movil; celular; portable; pager
    """,
    "E": "fax; faxnummer; telefax; telecopie",
    "F": "email; e mail; mail; courriel; correo; correo electronico; mailadresse",
    "G": """
        ssn; socsec; social security; sozialversicherungsnummer; svnr; sv nummer; securite sociale; nir; dni; nif; nie;
        curp; rfc; rut; cedula; nhs number; nhs no; national insurance; national id; tax id; tin; steuernummer; steuer
        id; nino; sin
    """,
    "H": """
        mrn; medical record; medrec; med rec; med record; medical number; rec no; patient number; patienten nr;
        patienten nummer; fall nr; patient no; patient nr; patientennummer; fallnummer; krankenaktennummer;
        aktenzeichen; expediente; dossier; historia clinica; nhc; case number; case no; chart number; chart no; chart;
        hospital number; hosp no; hosp number; patnr; patno; ipp
    """,
    "I": """
        health plan; insurance number; insurance no; insurance id; beneficiary; bene; member number; member no; member
        id; plan member; memberid; subscriber; policy; medicare number; medicare id; medicaid number; medicaid id; mbi;
        hicn; enrollee; versicherungsnummer; versichertennummer; versicherten nr; versicherungs nr;
        krankenversichertennummer; kvnr; poliza; group number; payer id number
    """,
    "J": """
        account; acct; accountno; iban; bic; bank; credit card; card number; kontonummer; konto; compte; cuenta;
        customer; kunde; kundennummer; kunden nr; konto nr; client number; client no; invoice; rechnungsnummer; factura;
        facture; claim number
    """,
    "K": """
        license; licence; certificate; passport; driver; drivers; ausweisnummer; personalausweis; fuhrerschein; permis;
        passeport; pasaporte; licencia; reisepass; permit number; cert; cert number; cert no
    """,
    "L": """
        vin; vehicle; license plate; licence plate; plate; kennzeichen; kfz; nummernschild; immatriculation; matricula;
        registration number; plaque
    """,
    "M": """
        device; serial; serialno; imei; imsi; mac; mac address; udi; seriennummer; gerat; geratenummer; numero de serie;
        appareil; dispositivo; sn; implant number; pacemaker number
    """,
    "N": "url; urls; uri; web; website; webpage; homepage; profile link; facebook; twitter; instagram; linkedin",
    "O": "ip; ip address; ip addr; ipv; ipv 6 addr; ipv4; ipv6; ipaddr",
    "P": """
        fingerprint; finger print; palmprint; iris template; iris code; retina; voice; voiceprint; iris scan; retina
        scan; biometric; biometrics; genome; dna
    """,
    "Q": "photo; photos; photograph; picture; image; images; face; selfie; headshot; foto; lichtbild; imagen",
    "R": """
        id; ids; uid; uuid; guid; pid; identifier; ident; token; hash; hashed; pseudonym; pseudonyme; barcode; kennung;
        identifiant; identificador; identificacion; matricule; personalnummer; studiennummer; record number; record no;
        case; subject; member; paciente; pacient; usuario; assure; beneficiaire; beneficiario; salarie; empleado;
        trabajador; mitarbeiter; versicherter; student; pupil; alumno; eleve; schuler; donor; veteran; inmate;
        participant; teilnehmer; probanden nr; proband; respondent; employee; patient; client; person number; person no;
        key; record key; person key; uniqueid; linkid; personid; patid; patientid; subjid; usubjid; upn; numero; nummer;
        lfd nr; laufende nummer; row; record; index
    """,
    "place": """
        address; addr; street; st address; city; town; village; county; cnty; fips; geoid; precinct; municipality;
        commune; parish; tract; tractce; district; block group; census block; blkgrp; insee; ags; gemeindeschlussel;
        gemeindeschluessel; admin code; state county; geocode; geohash; plus code; neighborhood; neighbourhood; nbhd;
        latitude; longitude; lat; lon; lng; gps; coord; coords; coordinate; coordinates; easting; northing; geo; geom;
        xmin; ymin; xmax; ymax; borough; hometown; birthplace; birth place; lsoa; msoa; cbsa; msa; metro; anschrift;
        adresse; strasse; hausnummer; ort; wohnort; geburtsort; stadt; gemeinde; kreis; landkreis; stadtteil;
        stadtbezirk; breitengrad; langengrad; rue; ville; village; quartier; arrondissement; departement; canton;
        direccion; calle; ciudad; pueblo; municipio; barrio; colonia; localidad; domicilio; latitud; longitud; condado;
        place name; what3words
    """,
    "where": """
        place; location; loc; residence; resides; lives; lives in; home; hm; house; ward; block; area; locality;
        catchment; neighborhoods; where; lieu; lugar; wohnung; bezirk; domicile
    """,
    "zip": """
        zip; zips; zipcode; zip code; zcta; zcta3; zcta5; zip3; zip4; zip5; postal; postalcode; postal code; postcode;
        plz; postleitzahl; code postal; codigo postal; cp; codepostal; pincode
    """,
    "age": "age; ages; aged; alter; lebensalter; edad; years old; yrs old; altersgruppe; age group; agegroup; agegrp",
    "date": """
        date; dates; dt; dte; datum; fecha; dob; dod; doa; birthdate; birthday; bday; timestamp; datetime; dttm; ts;
        geburtsdatum; geburtstag; aufnahmedatum; entlassungsdatum; todesdatum; gebdat; gebdatum; day of birth; jour de;
        date de naissance; fecha de nacimiento
    """,
    "event": """
        birth; born; admission; admissions; admit; admitted; adm; discharge; discharged; disch; death; died; deceased;
        visit; encounter; onset; enrolled; enrollment; enrolment; arrival; departure; surgery; appointment; seen; start;
        end; begin; naissance; ne le; nacimiento; nacido; geburt; geboren; aufnahme; entlassung; tod; ingreso; alta;
        entree; sortie; deces; muerte; collected; vaccinated; diagnosed; last contact; follow up; followup; service;
        epoch; unix
    """,
    "birth": """
        birth; birthdate; birthday; born; dob; yob; birthyear; geburtsjahr; geburtsdatum; gebjahr; geburt; geboren;
        naissance; nacimiento; jahrgang
    """,
    "month": "month; mo; birthmonth; mon; monat; mois; mes; mm; mth; dobmonth; mob",
    "quarter": "quarter; qtr; trim; quartal; trimestre; yearquarter",
    "week": "week; wk; woche; semaine; semana; epiweek; kw; isoweek",
    "day": "day; weekday; dow; dom; doy; tag; wochentag; jour; dia; dayofweek",
    "season": "season; jahreszeit; saison; estacion",
}  # fmt: skip
# Words that turn a thing into something about it: “phone consent”, “birth weight”, “admission type”.
ABOUT = word_set("""
    type types kind class category count counts total sum mean median average rate ratio score rank order level
    consent flag known missing present available is has any opt verified valid preference preferred per population
    density income distance size length duration interval weight height rural urban rurality deprivation quality
    method mode source reason route speed cost costs charge charges price amount since until days weeks hours minutes
    los dose distribution change changed changes match matched status use used usage lag delay gap time times visits
    volume grade stage severity scheme marker share percent percentage pct ownership owner owned access typ art anzahl
    dauer gewicht nombreuse tipo duree duracion peso poids parity
""")
# Words for what is neither a person nor a home: “hospital id”, “drug name”.
THINGS = word_set("""
    hospital provider facility clinic drug drugs medication medicine product procedure proc diagnosis dx icd icd9
    icd10 cpt hcpcs drg ndc loinc snomed atc rxnorm test lab assay payer insurer department dept unit service
    specialty state states country nation language currency brand model variable column field file table protocol
    center centre arm cohort group groups cluster gene variant species organism bacteria region division program
    course school subject topic category disease condition treatment therapy regimen reagent batch lot krankenhaus
    klinik medikament diagnose abteilung station land bundesland hopital medicament pays hospital pais event measure
    unit question item version form tumor tumour lesion pain injury cancer fracture wound body anatomic anatomical
""")
# Words that accompany others and say nothing by themselves.
BESIDE = word_set("""
    patient person member client home residence resident residential mailing postal primary secondary first last
    middle maiden given family full of at the to in on for and by from code codes number num no nr nbr id curr current
    previous old new mother father parent child baby spouse contact emergency work business yrs yr years jahre ans
    anos days value val text string raw orig original std dd deg int str char hosp pat ptnt pt cust emp usr mem
    enrollee de la le du des el los der die das von zum bei year jahr annee ano studien proben telefon census kontakt
    yr cat bin grp band top raum st handy geburts aufnahme entlassungs
""")
UNBORN = word_set("""
    gestational gestation gest pregnancy pregnant study cycle post trial treatment house building vehicle car device
""")
SHORTEST = 3  # letters of a word within a compound such as “dateofbirth”
JOINED = ("of", "at", "no", "nr", "nm", "id", "de", "ip", "dt", "in", "yr", "st", "pt", "hm")


@cache
def _meanings() -> dict[tuple[str, ...], frozenset[str]]:
    """Adjacent words → what they say."""
    kinds_of_entry: dict[tuple[str, ...], set[str]] = {}
    for kind, words in HOLDS.items():
        for entry in words.split(";"):
            kinds_of_entry.setdefault(tuple(entry.split()), set()).add(kind)
    return {entry: frozenset(kinds) for entry, kinds in kinds_of_entry.items()}


@cache
def _vocabulary() -> frozenset[str]:
    words = {word for entry in _meanings() for word in entry} | {*ABOUT, *THINGS, *BESIDE, *UNBORN}
    return frozenset(word for word in words if len(word) >= SHORTEST or word in JOINED)


@cache
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, however they are written: separate, joined, in capitals, with digits.

    >>> words_of("ZIPCODE_HOME"), words_of("ageAtVisit"), words_of("dateofbirth"), words_of("zip5")
    (('zip', 'code', 'home'), ('age', 'at', 'visit'), ('date', 'of', 'birth'), ('zip', '5'))
    >>> words_of("patientzip"), words_of("percentage"), words_of("Geburtsdatum")
    (('patient', 'zip'), ('percentage',), ('geburtsdatum',))
    """
    result: list[str] = []
    for word in re.findall(r"[^\W\d_]+|\d+", plain_name(name)):
        result += _parts(word) or [word]
    return tuple(result)


def _parts(word: str) -> list[str] | None:
    """A word split into the fewest vocabulary words, or None; known words stay whole except “zipcode”."""
    vocabulary = _vocabulary()
    best: list[list[str] | None] = [[]]
    for end in range(1, len(word) + 1):
        ways = [
            [*before, word[start:end]]
            for start in range(end)
            if (before := best[start]) is not None and word[start:end] in vocabulary
        ]
        best.append(min(ways, key=len, default=None))
    if best[-1] == [word] and word == "zipcode":
        return ["zip", "code"]
    return best[-1]


@cache
def kinds_of(name: str) -> frozenset[str]:
    """What the name of a column says that it holds: letters of the identifiers, and “place”, “zip”, “age”, “date” …

    The longest meaningful runs of adjacent words count, and each word once. A column named after something about a
    thing (“birth weight”), or after what is not a person (“drug name”), is not named after the thing.

    >>> sorted(kinds_of("patient_zip")), sorted(kinds_of("county_name")), sorted(kinds_of("LAT_DD"))
    (['zip'], ['place'], ['place'])
    >>> sorted(kinds_of("email_consent")), sorted(kinds_of("drug name")), sorted(kinds_of("ip address"))
    ([], [], ['O'])
    """
    kinds: set[str] = set()
    for spelled in {words_of(name), words_of(str(name).lower())}:
        kinds |= _kinds(spelled)
    return frozenset(kinds)


def _kinds(words: tuple[str, ...]) -> set[str]:
    meanings, kinds, at = _meanings(), set[str](), 0
    rest: list[str] = []
    while at < len(words):
        size = next((size for size in (3, 2, 1) if words[at : at + size] in meanings), 0)
        if size:
            kinds |= meanings[words[at : at + size]]
        else:
            rest.append(words[at])
        at += max(size, 1)
    if "state" in words and not {"county", "cnty", "tract"} & set(words):
        kinds -= {"place"}  # the code of a state
    if "age" in kinds:
        return kinds - {"R", "event"} if not set(words) & UNBORN else set()
    if set(words) & ABOUT:
        return kinds & {"birth", "month", "week", "quarter", "season"} - ({"birth"} if "year" not in words else set())
    if kinds & {"place", "zip"}:
        kinds -= {"A", "R", "birth", "event", "where"}
    if "where" in kinds and kinds & set("FNO"):
        kinds -= {"where"}
    if set(rest) & THINGS:
        kinds -= {"A", "R", "where", "H"}
    if set(words) & UNBORN:
        kinds -= {"month", "week", "day", "quarter"}
    if kinds & set("DEFGHIJKLMNOPQ"):
        kinds -= {"R", "place", "A", "where"}
    if "A" in kinds:
        kinds -= {"R"}
    return kinds
