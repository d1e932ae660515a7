"""Kernels that come with a wheel are used where they fit, and cost nothing where they do not."""

import os
import platform
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import numba
import pytest
from llvmlite import binding as llvm

from kanon_engine import kernel_cache, shipped
from tests.compiled import compiled_only

pytestmark = [
    compiled_only,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="kernels are shipped for x86-64 alone"),
]
BUILDING = {"NUMBA_CPU_NAME": shipped.LEVEL, "NUMBA_CPU_FEATURES": ""}
SOURCE = """
from kanon_engine.kernel_cache import njit

@njit(cache=True)
def twice(number):
    return 2 * number
"""
BUILD = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("kanon_engine.of_a_test", sys.argv[1])
module = sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(module)
module.twice(21)
print(module.twice._cache.cache_path)
"""


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A file with a kernel of which the compiled code is shipped, and an empty cache of numba."""
    path = tmp_path / "kernel.py"
    path.write_text(SOURCE, "utf-8")
    built = tmp_path / "built"
    environment = os.environ | BUILDING | {"NUMBA_CACHE_DIR": str(built)}
    done = subprocess.run(
        [sys.executable, "-c", BUILD, path], env=environment, capture_output=True, text=True, check=True
    )
    shutil.copytree(done.stdout.strip(), tmp_path / "shipped" / shipped.BUILD / "kanon_engine.of_a_test")
    monkeypatch.setattr(shipped, "KERNELS", tmp_path / "shipped")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    shipped.folder.cache_clear()
    yield path
    shipped.folder.cache_clear()
    sys.modules.pop("kanon_engine.of_a_test", None)


def load(path):
    """The file as a module, as a new process imports it."""
    spec = spec_from_file_location("kanon_engine.of_a_test", path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def start(path):
    """Run the kernel of this file, and return how often it was compiled."""
    module = load(path)
    assert module.twice(21) == 42
    return sum(module.twice.stats.cache_misses.values())


def test_a_shipped_kernel_is_not_compiled(kernel, tmp_path):
    assert start(kernel) == 0
    assert not list((tmp_path / "cache").rglob("*.nbc"))


def test_it_is_used_where_nothing_can_be_written(kernel, monkeypatch, recwarn):
    monkeypatch.setattr(kernel_cache._Files, "_locator_classes", [kernel_cache._Nowhere])
    assert start(kernel) == 0
    assert len(recwarn) == 0


def test_it_is_loaded_before_anybody_calls_it(kernel):
    module = load(kernel)
    assert len(list(kernel_cache.load_cached([module.twice]))) == 1
    with kernel_cache.nothing_compiled([module.twice]):
        assert module.twice(4) == 8


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(("ending", "content"), [("nbi", b""), ("nbi", b"damaged"), ("nbc", b""), ("nbc", b"damaged")])
def test_a_damaged_file_costs_time_alone(kernel, tmp_path, ending, content):
    for path in (tmp_path / "shipped").rglob(f"*.{ending}"):
        path.write_bytes(content)
    assert [start(kernel), start(kernel)] == [1, 0]


def test_it_is_compiled_where_its_source_is_another(kernel):
    kernel.write_text(SOURCE.replace("2 * number", "number + number"), "utf-8")
    assert start(kernel) == 1


def test_it_is_compiled_on_an_older_processor(kernel, monkeypatch):
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: {"avx": True, "avx2": False})
    assert start(kernel) == 1


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(("name", "value"), [("CPU_NAME", "x86-64"), ("CPU_FEATURES", ""), ("ENABLE_AVX", 0)])
def test_it_is_compiled_where_numba_is_told_for_which_processor(kernel, monkeypatch, name, value):
    monkeypatch.setattr(numba.config, name, value)
    assert start(kernel) == 1
