"""`kanon warm`: afterwards the first samples are solved without compiling anything."""

import os
import subprocess
import sys

import pytest

from kanon_engine.model.known import FAMILIES
from tests.cli.test_process import ROOT
from tests.compiled import compiled_only

SOLVE = """
import importlib, pkgutil, sys
import kanon_engine as kanon
from kanon_engine.kernel_cache import kernels_of, load_cached, nothing_compiled
from kanon_engine.model.known import FAMILIES
from tests.app.visit import first_sample, read
for name, family in FAMILIES.items():
    entry = first_sample(name)
    instance = read(entry)
    package = f"kanon_engine.{name}"
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        if module.name.endswith("kernels"):
            importlib.import_module(module.name)
    kernels = kernels_of([module for module in sys.modules.values() if module.__name__.startswith("kanon_engine.")])
    list(load_cached(kernels))
    with nothing_compiled(kernels):
        for algorithm in (family.quick, family.default):
            g = kanon.generalize(instance, entry["k"], algorithm, progress=lambda report: report.done < 0.2)
            print(name, algorithm, g.classes)
"""


@compiled_only
@pytest.mark.thorough  # it compiles everything
def test_afterwards_nothing_is_compiled(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    warm = [sys.executable, "-m", "kanon_engine", "warm"]
    told = subprocess.run(warm, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stderr
    assert told.splitlines()[-1].startswith("kanon's code is compiled for this processor")
    solve = [sys.executable, "-c", SOLVE]
    done = subprocess.run(solve, env=environment, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.splitlines()) == 2 * len(FAMILIES)
