"""Nothing fails for its time. A plain run is short: `--thorough` adds what is slow and rarely fails, and all seeds."""

import gc
import os
from collections import Counter

import pytest
from hypothesis import settings

from tests import compiled

FIRST = ("tests/app/", "tests/teaching/lessons/")
os.environ["KANON_COMPILE"] = "0"  # also for the servers that tests start
settings.register_profile("kanon", deadline=None)  # a busy machine is no error
settings.load_profile("kanon")


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="also what is slow and rarely fails, and every seed")


def pytest_configure(config):
    says = "slow and rarely fails, where given with this parameter; runs with --thorough alone"
    config.addinivalue_line("markers", f"thorough(parameter): {says}")
    config.addinivalue_line(
        "markers", "thorough(one_in=n): with compiled kernels, a plain run takes one in n of its parameters"
    )
    config.addinivalue_line(
        "markers", "kernels: runs with kernels as plain Python too, for the coverage of their lines"
    )
    config.addinivalue_line("markers", "stored: pages show the answers that came with the samples")
    if config.getoption("--thorough"):
        compiled.be_thorough()


def pytest_collection(session):
    gc.disable()  # else the collector walks over thousands of tests and modules again and again


def pytest_collection_finish(session):
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config, items):
    """Leave out the tests that only a thorough run has, and those whose parameter `seed` is no multiple of `SEEDS`.

    Those in a browser come first, then those on Spark, of pages and of lessons: one worker has them all, with one
    browser, one server, one Java and what it remembers of searches, and waits for these while the other computes.
    """
    thorough = config.getoption("--thorough")
    place: Counter[object] = Counter()
    left = []
    for test in items:
        seen = place[test.nodeid.partition("[")[0]]
        place[test.nodeid.partition("[")[0]] += 1
        if _seed(test) % compiled.SEEDS or (_slow(test, seen) and not thorough):
            left.append(test)
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [test for test in items if test not in gone]
    items.sort(key=_place)


def _place(test: pytest.Item) -> tuple[bool, bool, bool]:
    """Where in a run a test belongs: False comes first."""
    in_browser = "browser" in getattr(test, "fixturenames", ())
    return not in_browser, "Spark" not in _parameters(test), not test.nodeid.startswith(FIRST)


def _slow(test: pytest.Item, place: int) -> bool:
    """Whether only a thorough run has a test that is at this place among those of its function."""
    return any(
        place % mark.kwargs["one_in"] and compiled.COMPILED
        if mark.kwargs
        else not mark.args or mark.args[0] in _parameters(test)
        for mark in test.iter_markers("thorough")
    )


def _parameters(test: pytest.Item) -> list[object]:
    """The values of a test's parameters that are text."""
    values = test.callspec.params.values() if hasattr(test, "callspec") else ()
    return [value for value in values if isinstance(value, str)]


def _seed(test):
    """The whole number that a test has as its parameter `seed`, or 0."""
    seed = test.callspec.params.get("seed", 0) if hasattr(test, "callspec") else 0
    return seed if isinstance(seed, int) else 0


@pytest.fixture(autouse=not compiled.COMPILED)
def _short_searches(monkeypatch):
    """As plain Python, searches whose steps are counted by the point take few of them."""
    monkeypatch.setattr("kanon_engine.clusters.squares.STEPS", 50)
    monkeypatch.setattr("kanon_engine.clusters.squares.ROUNDS", 300)
    monkeypatch.setattr("kanon_engine.regions.recombine.WORK", 500)
    monkeypatch.setattr("kanon_engine.regions.recombine.FILLING", 100)
    monkeypatch.setattr("kanon_engine.regions.general_graph.IMPROVING", 0.001)
    monkeypatch.setattr("kanon_engine.regions.exact.FRONTIER_WORK", 10_000)
    monkeypatch.setattr("kanon_engine.regions.frontier.ALL_WORK", 5_000)
    for name, steps in (("near_optimal.COVERS", 5_000), ("near_optimal.REMADE", 5_000), ("exact.COVERS", 5_000)):
        monkeypatch.setattr(f"kanon_engine.labels.{name}", steps)
