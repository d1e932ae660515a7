"""How much a run tests, and whether kernels are compiled; as plain Python they are some hundred times slower."""

from collections.abc import Iterable
from typing import Any

import pytest
from numba import config

COMPILED = not config.DISABLE_JIT
SHARE = 8 if COMPILED else 20  # a run that is not thorough takes one in so many of the random instances of a test
SEEDS = 11 if COMPILED else 10  # and of the tests that differ by their seed alone; see conftest.py

THOROUGH = False


def thorough_only(values: Iterable[Any]) -> list[Any]:
    """Values of a parameter, or tuples of several, that only a thorough run takes."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=pytest.mark.thorough) for row in rows]


compiled_only = pytest.mark.skipif(not COMPILED, reason="slow without compiled kernels, reaches no other lines of them")


def be_thorough() -> None:
    """Take all seeds; called before any test module is imported."""
    global SEEDS, SHARE, THOROUGH
    SEEDS, SHARE, THOROUGH = 1, 1 if COMPILED else 20, True
