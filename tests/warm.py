"""Compile the kernels before the tests: every algorithm on small instances, two families at a time.

Otherwise workers, servers and commands that begin at once compile the same kernels each for itself.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import kanon_engine as kanon
from kanon_engine.registry import FAMILIES
from tests.test_contract import CASES


def warm(family: str) -> None:
    """Run all algorithms of a family."""
    for case in CASES:
        algorithm, instance, k = case.values
        if algorithm.family == family and len(instance) > 1:
            kanon.generalize(instance, k, algorithm.name)


if __name__ == "__main__":
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(warm, sorted(FAMILIES, reverse=True)))  # tables first, which takes longest
