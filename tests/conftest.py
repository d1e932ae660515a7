"""Nothing fails for its time; plain Python, to see which lines of the kernels run, has fewer seeds."""

from hypothesis import settings

from tests.compiled import SEEDS

settings.register_profile("kanon", deadline=None)  # a busy machine is no error
settings.load_profile("kanon")


def pytest_collection_modifyitems(config, items):
    """Leave out the tests whose parameter `seed` is no multiple of `SEEDS`."""
    left = [test for test in items if _seed(test) % SEEDS]
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [test for test in items if test not in gone]


def _seed(test):
    """The whole number that a test has as its parameter `seed`, or 0."""
    seed = test.callspec.params.get("seed", 0) if hasattr(test, "callspec") else 0
    return seed if isinstance(seed, int) else 0
