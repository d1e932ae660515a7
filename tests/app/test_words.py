"""The words of the page: examples in docstrings, and that every parameter of a reader's sentence has its control."""

from __future__ import annotations

import doctest
import re

import pytest

from pages._shared import controls, sentence, wording
from tests.app.visit import ROOT


@pytest.mark.parametrize("module", [controls, sentence, wording], ids=lambda module: module.__name__)
def test_examples(module):
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_parameters_that_sentences_name_have_a_control_on_the_page():
    """What wording.py replaces still stands in the engine's sentences, so that none is forgotten when one changes."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "kanon_engine").rglob("*.py"))
    code = re.sub(r'"\n\s+f?"', "", code)  # a sentence goes over several lines
    for parameter in wording._WORDS:
        forms = {parameter, re.sub(r"with \w+=", "with {parameter}=", parameter)}
        assert any(form in code for form in forms), parameter
    advice = (
        "or leave them out (drop_bad); merge them (merge_duplicates=True adds their counts); choose one with layer=: a"
    )
    assert not re.search(r"[a-z]_[a-z]|=", wording.on_page(advice))
