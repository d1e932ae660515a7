"""Both forms of the verifier on the same certificates: results, changed results, spoilt files.

KANON_FORMS says how many changes a family gets; 40 if it is not set, 4,000 for a campaign.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine import verification
from kanon_engine.report.members import instance_text
from tests.certificate_mutations import spoilt
from tests.test_false_claims import mutated, pool

COUNT = int(os.environ.get("KANON_FORMS", "40"))


def plain_verifier():
    """The verifier as it is where NumPy cannot be imported."""
    folder = Path(verification.__file__).parent
    spec = importlib.util.spec_from_file_location(
        "plain_verifier", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    package = sys.modules["plain_verifier"] = importlib.util.module_from_spec(spec)
    numpy, sys.modules["numpy"] = sys.modules["numpy"], None
    try:
        spec.loader.exec_module(package)
        importlib.import_module("plain_verifier.bundle")
    finally:
        sys.modules["numpy"] = numpy
    return package


PLAIN = plain_verifier()
FORMS = (verification, PLAIN)


def sealed_again(text):
    """The text with the digest that its content has, where it has one."""
    try:
        content = verification.core.read_certificate(text)
        covered = {name: value for name, value in content.items() if name != "digest" and (name != "require" or value)}
        return json.dumps(json.loads(text) | {"digest": verification.codec.content_digest(covered)})
    except verification.codec.MALFORMED:
        return text


def verdict(form, instance, text):
    """The name of the check that refuses a certificate, or its proof."""
    try:
        found = form.core.verdict(instance, form.core.read_certificate(text), form.FAMILIES)
    except form.codec.MALFORMED:
        return "unreadable"
    return found.proof if found.failed is None else found.failed


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("family", verification.FAMILIES)
def test_both_forms_give_the_same_verdict(family, monkeypatch):
    monkeypatch.setattr("tests.test_false_claims.POOL", 2 + COUNT // 10)
    rng = np.random.default_rng([COUNT, *family.encode()])
    results, verdicts = pool(family, rng), set()
    for number in range(len(results) + COUNT):
        instance, g = results[number % len(results)]
        if number >= len(results):
            g = mutated(instance, g, rng)
        try:
            text = g.to_json()
        except (TypeError, ValueError):
            continue
        if number % 3 == 2:
            text = sealed_again(spoilt(text, rng))
        data = instance_text(instance)
        one, other = (verdict(form, form.core.read_instance(data, form.FAMILIES), text) for form in FORMS)
        assert one == other, text
        verdicts.add(one if isinstance(one, str) else one.name)
        if isinstance(text, str) and one != "unreadable" and number % 3 != 2:
            assert refusal(instance, g) == (None if isinstance(one, str) else one.name)
    assert len(verdicts) > 5


def refusal(instance, g):
    """The check by which `kanon.verify` refuses a result; None where it passes."""
    try:
        kanon.verify(instance, g)
    except kanon.CertificateError as error:
        return error.check
    return None
