"""While home is looked at, the server imports what other pages need, and compiles kernels that are not compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_engine import kernel_cache, shipped
from kanon_engine.model.known import FAMILIES
from pages._home import ahead, gallery
from tests.app.visit import ROOT, visit
from tests.compiled import compiled_only

LOOK = """
import sys
from pages._home.ahead import import_all
import_all()
print(*sys.modules)
"""


def test_what_every_page_needs_is_imported():
    done = subprocess.run([sys.executable, "-c", LOOK], cwd=ROOT, check=True, capture_output=True, text=True)
    modules = set(done.stdout.split())
    assert {"numba", "networkx", "geopandas"} <= modules
    parts = {name.split(".")[1] for name in modules if name.startswith("pages._")}
    assert {f"_{page.stem}" for page in (ROOT / "pages").glob("*.py")} <= parts


def test_home_begins_it_after_its_pictures(monkeypatch):
    order = []
    monkeypatch.setattr(gallery, "fill", lambda family, slot: order.append(family.name))
    monkeypatch.setattr(ahead, "prepare", lambda: order.append("the rest"))
    visit()
    assert order == [*FAMILIES, "the rest"]


COMPILE = [[sys.executable, "-m", "kanon_engine.cli.compile"], 19]


@pytest.mark.parametrize(("uncompiled", "setting", "begun"), [(True, "1", COMPILE), (True, "0", []), (False, "1", [])])
def test_kernels_are_compiled_only_if_that_is_needed_and_wanted(uncompiled, setting, begun, monkeypatch):
    calls = []

    class Process:
        pid = -1

        def __init__(self, command, **rest):
            calls.append(command)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def wait(self):
            pass

    monkeypatch.setenv("KANON_COMPILE", setting)
    monkeypatch.setattr(kernel_cache, "uncompiled", lambda: uncompiled)
    monkeypatch.setattr(ahead, "Popen", Process)
    monkeypatch.setattr(os, "setpriority", lambda which, who, priority: calls.append(priority), raising=False)
    ahead._prepare()
    assert calls == begun


@compiled_only
def test_kernels_are_uncompiled_unless_they_are_kept_or_came_with_a_wheel(monkeypatch):
    monkeypatch.setattr(shipped, "folder", lambda: None)
    monkeypatch.setattr(kernel_cache.KernelCache, "entries", lambda cache: [])
    assert kernel_cache.uncompiled()
    monkeypatch.setattr(shipped, "folder", lambda: Path("kernels"))
    assert not kernel_cache.uncompiled()
    monkeypatch.setattr(shipped, "folder", lambda: None)
    monkeypatch.setattr(kernel_cache.KernelCache, "entries", lambda cache: ["a signature"])
    assert not kernel_cache.uncompiled()


@pytest.mark.thorough
@compiled_only
def test_compiling_ends_with_the_server(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kanon_engine.cli.compile"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE) as process:
        while not list(tmp_path.rglob("*.nbc")):
            assert process.poll() is None
        process.stdin.close()
        assert process.wait() == 0
    assert len({path.parent for path in tmp_path.rglob("*.nbc")}) < 10  # of about 30
