"""Kernels that run as plain Python, to see which lines the tests reach, get shorter searches."""

from importlib import import_module

import pytest

from tests.compiled import COMPILED


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch):
    if not COMPILED:
        monkeypatch.setattr(import_module("kanon_engine.rectangles.balanced_kd_tree"), "STEPS", 3_000)
