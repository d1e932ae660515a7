"""Compile the kernels before the tests: every algorithm on small instances, two families at a time.

Otherwise workers, servers and commands that begin at once compile the same kernels each for itself.
"""

from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from multiprocessing import get_context

import kanon_engine as kanon
from kanon_engine.registry import FAMILIES
from kanon_engine.studies.figure7 import overfull_ratios
from tests.test_contract import CASES

OCTAHEDRON = [pair for pair in combinations(range(6), 2) if sum(pair) != 5]  # planar, and 4-connected: has every tree


def warm(family: str) -> None:
    """Run all algorithms of a family, and what else compiles much."""
    for case in CASES:
        algorithm, instance, k = case.values
        if algorithm.family == family and len(instance) > 1:
            kanon.generalize(instance, k, algorithm.name)
    if family == "regions":
        trees = next(option for option in FAMILIES[family].algorithms["tree-split"].options if option.name == "tree")
        for tree in trees.choices:
            kanon.generalize(kanon.Regions(range(6), [1] * 6, OCTAHEDRON), 2, "tree-split", tree=tree)
    if family == "labels":
        overfull_ratios(kanon.Labels(range(9), range(1, 10)), range(9, 20), seeds=[1])


if __name__ == "__main__":
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(warm, sorted(FAMILIES, reverse=True)))  # tables first, which takes longest
