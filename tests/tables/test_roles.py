"""Guessed roles: names in four languages, distinctness, and what only a person can tell."""

import numpy as np
import pandas as pd
import pytest

from kanon_engine.io.names import guesses
from tests.sentences import HAS_A_NAME_THAT_SUGGESTS

IDENTIFIERS = [
    "Name",
    "PatientID",
    "E-Mail",
    "Straße",
    "Versicherungsnummer",
    "Prénom",
    "Numéro de dossier",
    "Teléfono",
]
IDENTIFIERS += [
    "Apellidos",
    "Cédula",
    "ip_address",
    "SSN",
    "patient_name",
    "Name (full)",
    "Client phone",
    "home_address",
    "memberNumber",
]
LINKABLE = [
    "Age",
    "ZIPCode",
    "date-of-birth",
    "Alter",
    "PLZ",
    "Staatsangehörigkeit",
    "Code postal",
    "Année de naissance",
]
LINKABLE += ["Edad", "Código postal", "Año de nacimiento", "sexe"]
TELLING = ["Disease", "Krankheit", "Diagnóstico", "Maladie", "Gehalt", "Salaire"]


def guessed(name, values):
    return guesses(pd.DataFrame({name: values}))[name]


@pytest.mark.parametrize(
    ("names", "role"),
    [(IDENTIFIERS, "identifier"), (LINKABLE, "quasi-identifier"), (TELLING, "sensitive")],
)
def test_a_name_decides_first(names, role):
    """Whatever the values are: few, or one for each of nine rows."""
    for name in names:
        for values in (list("aabbaabba"), [f"value {row}" for row in range(9)]):
            guess = guessed(name, values)
            assert (guess.role, guess.asked) == (role, False), name
            assert guess.reason.startswith(HAS_A_NAME_THAT_SUGGESTS)


def test_a_nearly_unique_measure_is_asked_about_and_never_called_an_identifier():
    rng = np.random.default_rng(0)
    spent = pd.Series(rng.lognormal(8, 1, 501).round(2))
    guess = guessed("spent", spent)
    assert (guess.role, guess.asked) == ("other", True)
    whole = guessed("points", pd.Series(rng.permutation(10_000)[:501]))
    assert (whole.role, whole.asked) == ("other", True)
    assert guessed("income", spent).role == "sensitive"


def test_numbers_that_count_rows_or_are_all_as_long_identify():
    rng = np.random.default_rng(0)
    assert guessed("x", rng.permutation(500) + 17).role == "identifier"
    assert guessed("x", rng.integers(100_000_000, 999_999_999, 500)).role == "identifier"
    assert guessed("x", [f"case {row}" for row in range(500)]).role == "identifier"


def test_many_values_are_asked_about_and_few_are_linkable():
    few = guessed("shoe", [str(row % 40) for row in range(400)])
    assert (few.role, few.asked) == ("quasi-identifier", False)
    many = guessed("shop", [str(row % 140) for row in range(400)])
    assert (many.role, many.asked) == ("other", True)
    assert guessed("city", [f"city {row % 140}" for row in range(400)]).asked
    assert guessed("zip", [str(row % 140) for row in range(400)]).role == "quasi-identifier"
    assert guessed("shoe", ["42"] * 9).role == "other"


def test_a_label_has_few_values_for_its_rows():
    assert guessed("salary", ["<", ">"] * 5).role == "class label"
    assert guessed("salary", list(range(9))).role == "sensitive"
