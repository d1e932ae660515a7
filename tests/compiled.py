"""Whether kernels are compiled. As plain Python, to see which lines of them run, they are some hundred times slower."""

import pytest
from numba import config

COMPILED = not config.DISABLE_JIT
SHARE = 1 if COMPILED else 20  # plain Python takes one in so many of the random instances inside a test
SEEDS = 1 if COMPILED else 5  # and of the tests that differ by their seed alone; see conftest.py

compiled_only = pytest.mark.skipif(not COMPILED, reason="slow without compiled kernels, reaches no other lines of them")
