"""Caps that a frontier refutes on real maps, and how long search and check take.

    KANON_DATA=FOLDER python -m pytest tests/benchmarks/test_frontier.py -s

FOLDER holds graphs/*.json ({weights, edges}). `WHOLE` names a map, k, the cap and the states that refute it along an
order of the whole map. `NEAR` names an area: the 24 areas nearest to it refute the cap of a map of 985.

Measured, seconds of one core of a machine under load; the last is the check in NumPy:

| map | areas | frontier | states kept | steps | search | check |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| Rhode Island | 77 | 8 | 5,000 | 907,598 | 0.08 | 0.41 |
| Milwaukee | 83 | 9 | 5,000 | 2,517,998 | 0.16 | 1.52 |
| Sacramento | 125 | 11 | 5,000 | 6,096,561 | 0.37 | 3.26 |
| Hawaii | 94 | 5 | 300 | 67,930 | 0.00 | 0.11 |
| Phoenix | 24 of 985 | | 500 | 4,897 | 0.001 | 0.012 |
"""

import json
import os
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from kanon_engine.regions.frontier import ball, classes_between, order_of, part_of, refuted
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from tests.verification.proven import proven

GRAPHS = Path(os.environ.get("KANON_DATA", "missing")) / "graphs"
WHOLE = [
    ("rhode_island_zcta", 45_199, 59_380, 5_000),
    ("milwaukee_zip", 50_782, 69_143, 5_000),
    ("sacramento_zip", 63_133, 78_436, 5_000),
    ("hawaii_zcta", 129_552, 153_775, 300),
]
NEAR = ("phoenix_tracts", 15_769, 19_429, 0)
pytestmark = pytest.mark.skipif(not GRAPHS.is_dir(), reason="KANON_DATA names no folder with graphs")


def read(name):
    content = json.loads((GRAPHS / f"{name}.json").read_text())
    regions = Regions(range(len(content["weights"])), content["weights"], content["edges"])
    return regions, Graph(*neighbor_lists(regions.edges, len(regions)), regions.weights)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    path = Graph(np.array([0, 1, 2]), np.array([1, 0]), np.array([2, 2]))
    refuted(path, 3, 3, limit=10)
    classes_between(path, 3, 4, limit=10)


@pytest.mark.parametrize(("name", "k", "cap", "limit"), WHOLE)
def test_whole_maps(name, k, cap, limit, capsys):
    regions, graph = read(name)
    order = order_of(graph)
    begun = process_time()
    said, work = refuted(graph, k, cap, limit=limit, order=order)
    searched = process_time()
    checked = proven(regions, k, "no way round", (cap, limit, *order.vertices.tolist()))
    ended = process_time()
    with capsys.disabled():
        sys.stdout.write(
            f"\n{name:18} frontier {order.width:2}, {work:9,} steps, "
            f"search {searched - begun:.2f} s, check {ended - searched:.2f} s"
        )
    assert said
    assert checked == cap + 1


def test_the_best_of_rhode_island_is_found_and_nothing_below_it():
    regions, graph = read("rhode_island_zcta")
    found = classes_between(graph, 45_199, 59_381, limit=200_000)
    assert found.verdict == "found"
    assert np.bincount(found.labels, weights=regions.weights).max() == 59_381
    assert classes_between(graph, 45_199, 59_380, limit=200_000).verdict == "impossible"


def test_a_few_tracts_of_phoenix(capsys):
    name, k, cap, center = NEAR
    regions, graph = read(name)
    begun = process_time()
    areas = ball(graph, np.array([center]), 24)
    inside, rim = part_of(graph, areas)
    order = order_of(inside)
    said, work = refuted(inside, k, cap, limit=500, order=order, rim=rim)
    searched = process_time()
    assert said
    assert proven(regions, k, "no way round", (cap, 500, *areas[order.vertices].tolist())) == cap + 1
    ended = process_time()
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {work:,} steps, search {searched - begun:.3f} s, check {ended - searched:.3f} s")
