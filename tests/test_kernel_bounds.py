"""What kernels read and write lies inside their arrays, which compiled code does not check by itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compiled import compiled_only

TESTS = Path(__file__).parent
OUTSIDE = """
import numpy as np
from kanon_engine.kernel_cache import uncounted_njit

@uncounted_njit()
def behind(array):
    return array[len(array)]

try:
    behind(np.arange(3))
except IndexError:
    print("checked")
"""


@compiled_only
@pytest.mark.thorough
@pytest.mark.timeout(3_600)  # it compiles them all
def test_no_kernel_reaches_outside_of_an_array(tmp_path):
    """The kernels' own tests, with kernels that check each index, compiled apart from those that are kept."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}

    def run(*arguments):
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
        return done.stdout

    assert run("-c", OUTSIDE) == "checked\n"
    files = sorted(TESTS.rglob("test_*kernels.py"))
    assert len(files) > 10
    assert " passed" in run("-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *files)
