"""Each forgery of a result is refused by the check that it belongs to."""

import json

import pytest

from kanon_engine.verification import FAMILIES
from tests.compiled import thorough_only
from tests.verification.forgeries import REFUSALS, counted, refused, results
from tests.verification.test_forms import FORMS

NAMES = list(results())
EXPECTED = json.loads(REFUSALS.read_text(encoding="utf-8"))


def test_every_family_algorithm_and_bound_is_there():
    certificates = [content for _, content in results().values()]
    for name, family in FAMILIES.items():
        mine = [content for content in certificates if content["family"] == name]
        assert {content["algorithm"] for content in mine} == set(family.ALGORITHMS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_a_kept_result_is_accepted(name, form):
    data, content = results()[name]
    instance, fields = form.core.read_instance(data, form.FAMILIES), form.core.read_certificate(json.dumps(content))
    assert form.core.verdict(instance, fields, form.FAMILIES).failed is None


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("name", [*NAMES[::7], *thorough_only(name for name in NAMES if name not in NAMES[::7])])
def test_forgeries_are_refused_by_these_checks(name):
    assert counted(name) == EXPECTED[name], refused(name)
