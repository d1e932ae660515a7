"""The verifier's tables say what the registry says, though neither is made from the other."""

from collections.abc import Mapping
from dataclasses import fields
from typing import get_origin, get_type_hints

import numpy as np
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import FAMILIES
from kanon_engine.verification import FAMILIES as VERIFIERS

VALUES = [
    *(None, True, False, 0, 1, 2, 0.5, 0.01, 0.001, 1.0, 1000, 1000.5, -1, -0.5, 1e9, float("nan"), float("inf")),
    *("", "x", "a", "a=1", "a=1.0", "a=-1.0", "a=1000000.0", "a=1000000.5", "a=1.0, b=0.5", "a=1.0,b=0.5"),
    *([], {}, 10**30, 10**400),
]


def test_each_family_has_its_module():
    assert {name: family.verifier for name, family in FAMILIES.items()} == VERIFIERS


@pytest.mark.parametrize("name", FAMILIES)
def test_algorithms_and_what_they_may_claim(name):
    makers, known = FAMILIES[name].makers, VERIFIERS[name].ALGORITHMS
    assert set(makers) == set(known)
    for own, algorithm in makers.items():
        assert (known[own].searches, known[own].relaxed) == (
            "solver" in algorithm.claims,
            "relaxed" in algorithm.claims,
        )
        assert set(known[own].options) == {option.name for option in algorithm.options}


@pytest.mark.parametrize("name", FAMILIES)
def test_options_may_have_the_same_values(name):
    for own, algorithm in FAMILIES[name].makers.items():
        for option in algorithm.options:
            for value in [*VALUES, *option.choices, option.default]:
                try:
                    proper = option.checked(value) == value
                except (InvalidInput, TypeError):
                    proper = False
                try:
                    allowed = VERIFIERS[name].ALGORITHMS[own].options[option.name].allows(value)
                except (ValueError, OverflowError):
                    allowed = False
                assert allowed == proper, (own, option.name, value)


@pytest.mark.parametrize("name", FAMILIES)
def test_records_have_the_same_fields(name):
    records = {record.__name__: record for record in FAMILIES[name].records}
    assert set(records) == set(VERIFIERS[name].RECORDS)
    for own, record in records.items():
        hints, form = get_type_hints(record), VERIFIERS[name].RECORDS[own]
        assert list(form) == [field.name for field in fields(record)]
        for field, kind in form.items():
            array = isinstance(kind, tuple) and isinstance(kind[0], str)
            declared = dict if get_origin(hints[field]) is Mapping else hints[field]
            assert declared is np.ndarray if array else declared == kind, field


@pytest.mark.parametrize("name", FAMILIES)
def test_bounds_have_the_same_names(name):
    searches = {"exact search", "search tree"} & set(FAMILIES[name].bounds)
    assert set(FAMILIES[name].bounds) == searches | set(VERIFIERS[name].BOUNDS)
    assert set(VERIFIERS[name].MINUTES) <= set(VERIFIERS[name].BOUNDS)
    assert searches
