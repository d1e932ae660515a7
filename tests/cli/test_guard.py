"""A defect of a command is one sentence; the traceback is shown where the environment asks for it."""

import pytest

from tests.cli.command import CASES, kanon, refused


@pytest.fixture
def broken(monkeypatch):
    def fail(*_arguments, **_settings):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("kanon_engine.cli.families.certified", fail)


@pytest.mark.usefixtures("broken")
def test_a_defect_is_one_sentence(monkeypatch):
    monkeypatch.delenv("KANON_TRACEBACK", raising=False)
    told = refused(kanon(*CASES["labels"]))
    assert told.startswith("This failed because of a defect in kanon (ZeroDivisionError); ")
    assert "KANON_TRACEBACK=1" in told


@pytest.mark.usefixtures("broken")
def test_the_environment_asks_for_the_traceback(monkeypatch):
    monkeypatch.setenv("KANON_TRACEBACK", "1")
    assert isinstance(kanon(*CASES["labels"]).exception, ZeroDivisionError)
