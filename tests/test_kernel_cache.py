"""A cache of compiled kernels that is damaged, full or nowhere costs time, never a run; references are not counted."""

import os
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

from kanon_engine import kernel_cache
from kanon_engine.kernel_cache import compiled_where_slow, kernels_of, njit, uncounted_njit
from kanon_engine.regions import annealing_kernels
from tests.compiled import compiled_only

ENGINE = Path(__file__).parent.parent / "kanon_engine"
RUN = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
if sys.argv[1:] == ["full"]:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
import numpy as np
import kanon_engine
from kanon_engine.search.search_kernels import sums_of_sets
print(sums_of_sets(np.array([1, 2, 4])).tolist(), file=sys.stderr if sys.argv[1:] else sys.stdout)
print(sums_of_sets.stats.cache_hits)
"""


def run(cache, *arguments, folder=ENGINE.parent, **other):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)} | other
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "[0, 1, 2, 3, 4, 5, 6, 7]" in done.stdout + done.stderr
    return done


SOURCE = """
from kanon_engine.kernel_cache import njit

@njit(cache=True)
def twice(number):
    return 2 * number
"""


def start(path):
    """Run the kernel of this file as a new process would, and return how often it was found compiled."""
    spec = spec_from_file_location("kanon_engine.of_a_test", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.twice(21) == 42
    return sum(module.twice.stats.cache_hits.values())


@pytest.mark.parametrize(
    ("ending", "spoil"),
    [("nbi", lambda data: b""), ("nbi", lambda data: data[:-9]), ("nbc", lambda data: data[: len(data) // 2])],
)
def test_a_damaged_cache_is_made_anew(ending, spoil, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    kernel = tmp_path / "kernel.py"
    kernel.write_text(SOURCE, "utf-8")
    assert [start(kernel), start(kernel)] == [0, 1]
    damaged = list((tmp_path / "cache").rglob(f"*.{ending}"))
    for path in damaged:
        path.write_bytes(spoil(path.read_bytes()))
    assert damaged
    assert [start(kernel), start(kernel)] == [0, 1]  # compiled anew, and kept again


CALLING = """
from kanon_engine.kernel_cache import njit
from kanon_engine.called_by_a_test import half

@njit(cache=True)
def twice(number):
    return 4 * half(number)
"""
CALLED = """
from kanon_engine.kernel_cache import njit
{}

@njit(cache=True)
def half(number):
    return number // {}
"""


@compiled_only
def test_a_kernel_is_compiled_anew_where_another_file_changes_that_it_calls(tmp_path, monkeypatch):
    """It holds the other's code, which may write where there is no array any more."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def load(name, source):
        path = tmp_path / f"{name}.py"
        path.write_text(source, "utf-8")
        spec = spec_from_file_location(f"kanon_engine.{name}", path)
        monkeypatch.setitem(sys.modules, spec.name, module_from_spec(spec))
        spec.loader.exec_module(sys.modules[spec.name])
        return sys.modules[spec.name]

    def doubled(called):
        """As a new process finds it."""
        kernel_cache._imported.cache_clear()
        kernel_cache._content.cache_clear()
        load("called_by_a_test", called)
        kernel = load("calls_in_a_test", CALLING).twice
        return kernel(42), sum(kernel.stats.cache_hits.values())

    whole = CALLED.format("two = 2", "two")
    assert [doubled(whole), doubled(whole)] == [(84, 0), (84, 1)]
    assert doubled(CALLED.format("two = 1 ", "two")) == (168, 0)  # of another length: Python keeps what it compiled


FORKED = """
import os
from kanon_engine.kernel_cache import njit

@njit()
def twice(number):
    return 2 * number

for _ in range(2):
    if os.fork() == 0:
        twice(1)
        (compiled,) = twice.overloads.values()
        print(compiled.fndesc.mangled_name, flush=True)
        os._exit(0)
    os.wait()
"""


@compiled_only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes need a system that forks")
def test_no_two_processes_give_compiled_functions_the_same_name():
    """Else a process that loads what both compiled takes one for the other."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert len(names) == len(set(names)) == 2
    assert all("twice" in name for name in names)


@pytest.mark.thorough
def test_a_full_disk_is_told_once(tmp_path):
    done = run(tmp_path / "cache", "full")
    assert done.stderr.count("kanon cannot keep compiled code") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr


@pytest.mark.thorough
def test_no_folder_at_all_is_told_once(tmp_path):
    """Neither the engine's folder, which here holds a file in place of __pycache__, nor the home can be written to."""
    engine = tmp_path / "kanon_engine"
    shutil.copytree(ENGINE, engine, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (engine, *(path for path in engine.iterdir() if path.is_dir())):
        (folder / "__pycache__").write_bytes(b"")
    nowhere = "/dev/null/nowhere"
    done = run(nowhere, folder=tmp_path, HOME=nowhere, XDG_CACHE_HOME=nowhere, TMPDIR=str(tmp_path))
    assert done.stderr.count("kanon cannot keep compiled code") == 1


@njit()
def doubled(number):
    return 2 * number


@njit()
def doubled_numbers(number):
    return doubled(number) + doubled(0) + doubled(number=7)


@compiled_only
def test_a_number_in_a_kernels_text_is_compiled_as_any_other():
    assert doubled_numbers(4) == 22
    assert doubled.nopython_signatures == [numba.int64(numba.int64)]


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


def is_cheaper(pair, limit):
    if limit < 0:
        return True
    return pair.first[0] < limit and pair.second[0] // limit < pair.first[0]


@compiled_only
@pytest.mark.parametrize(("compiler", "counts"), [(njit, True), (uncounted_njit, False)])
def test_an_uncounted_kernel_counts_no_references(compiler, counts):
    kernel = compiler()(is_cheaper)
    assert kernel(Pair(np.array([1, 2]), np.array([3, 4])), 5)
    own = kernel.inspect_llvm(kernel.signatures[0]).split("\ndefine ")[1]  # the next one takes apart what Python passes
    assert ("@NRT_incref" in own, "@NRT_decref" in own) == (counts, counts)


def zeros(size):
    return len(np.zeros(size))


@compiled_only
def test_an_uncounted_kernel_makes_no_array():
    assert njit()(zeros)(3) == 3
    with pytest.raises(numba.core.errors.NumbaError):
        uncounted_njit()(zeros)(3)


@compiled_only
def test_no_step_of_recombine_counts_references():
    """Counting took two thirds of its time."""
    steps = kernels_of([annealing_kernels])
    assert len(steps) > 20
    assert [kernel.__name__ for kernel in steps if kernel.targetoptions.get("_nrt") is not False] == []


CALLER = """
from kanon_engine.kernel_cache import njit

@njit(cache=True)
def triangle(number):
    total = 0
    for term in range(number):
        total += term
    return total

@njit(cache=True)
def twice(number):
    return 2 * triangle(number)
"""


@pytest.fixture
def two_kernels(tmp_path, monkeypatch):
    """Makes a module with a kernel and one that calls it, anew each time; what they compile is kept in between."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "two_kernels.py"
    path.write_text(CALLER, "utf-8")

    def make():
        spec = spec_from_file_location("kanon_engine.of_a_test", path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return make


@compiled_only
def test_a_kernel_that_is_quick_as_plain_python_is_not_compiled(two_kernels):
    module = two_kernels()
    with compiled_where_slow(kernels_of([module])):
        assert [module.twice(number) for number in (3, 4, 5)] == [6, 12, 20]
    assert module.twice.signatures == module.triangle.signatures == []
    assert module.twice(3) == 6
    assert len(module.twice.signatures) == len(module.triangle.signatures) == 1


@compiled_only
def test_a_kernel_that_is_slow_as_plain_python_is_compiled_and_its_caller_is_not(two_kernels, monkeypatch):
    monkeypatch.setattr(kernel_cache, "PLAIN", 0.02)
    module = two_kernels()
    with compiled_where_slow(kernels_of([module])):
        assert [module.twice(1_000_000) for _ in range(3)] == [999_999_000_000] * 3
        assert len(module.triangle.signatures) == 1
    assert module.twice.signatures == []


@compiled_only
def test_a_kernel_that_was_compiled_and_kept_is_loaded(two_kernels):
    assert two_kernels().twice(3) == 6
    module = two_kernels()
    with compiled_where_slow(kernels_of([module])):
        assert module.twice(3) == 6
    assert sum(module.twice.stats.cache_hits.values()) == 1
