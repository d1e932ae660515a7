"""How much a run tests, and whether kernels are compiled; as plain Python they are some hundred times slower."""

import pytest
from numba import config

COMPILED = not config.DISABLE_JIT
SHARE = 1 if COMPILED else 20  # plain Python takes one in so many of the random instances inside a test
SEEDS = 5  # and of the tests that differ by their seed alone; see conftest.py

THOROUGH = False

compiled_only = pytest.mark.skipif(not COMPILED, reason="slow without compiled kernels, reaches no other lines of them")


def be_thorough() -> None:
    """Take all seeds; called before any test module is imported."""
    global SEEDS, THOROUGH
    SEEDS, THOROUGH = 1, True
