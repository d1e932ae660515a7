"""Time and memory against the number of areas, from 100 to 33,000.

    python -m pytest tests/benchmarks/test_regions_scale.py -s
    python -m pytest tests/benchmarks/test_regions_scale.py -s -k whole     recombine on all 33,000, at its default

Delaunay graphs of random points, and of so many zip codes around one. Seconds of
the processor are counted, of the fastest of some runs; memory is the peak of what Python and numpy hold while it runs.

The cuts take n log n, and so in practice does the search for a tree of low degree. "tree-split" compares many trees of
few areas and two of many, and above 5,000 areas it does not ask whether the graph is planar and 3-connected: it takes
as long for 33,000 areas as for 1,000.

Recombine at its default on the zip codes, seconds of the processor on a busy machine with two cores: 52.6 with some 10
areas a class, 28.4 with 100, 14.5 with W / 30. That was before `most_classes`, which leaves out maps of so many areas.
"""

import resource
import tracemalloc
from time import process_time

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.spatial import Delaunay

import kanon_engine as kanon
from kanon_engine.model.run import Run
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.recombine import recombine
from kanon_engine.regions.tree_split import tree_split
from tests.benchmarks.apart import in_own_process
from tests.benchmarks.test_regions import national

SIZES = (100, 330, 1_000, 3_300, 10_000, 33_000)
RECOMBINE = (100, 330, 1_000, 3_300)  # whose number of steps grows with the number of areas only above 100 of them
STEEPEST = {"random tree": 1.4, "low-degree": 1.3, "tree-split": 1.3, "verify": 1.65, "lower bound": 1.4}  # exponents


def random_regions(n):
    """The Delaunay graph of random points, weights from 1 to 999."""
    rng = np.random.default_rng(n)
    corners = Delaunay(rng.random((n, 2))).simplices
    edges = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return kanon.Regions(range(n), rng.integers(1, 1_000, n), edges)


def around_one(whole, n):
    """A connected map of n zip codes (or all): those met first in a search in breadth from one of them."""
    ends = whole.edges.T
    graph = coo_array((np.ones(len(whole.edges)), ends), shape=(len(whole), len(whole))).tocsr()
    first = np.sort(breadth_first_order(graph, 0, directed=False, return_predecessors=False)[:n])
    place = np.full(len(whole), -1)
    place[first] = np.arange(len(first))
    edges = place[whole.edges]
    return kanon.Regions(first, whole.weights[first], edges[(edges >= 0).all(axis=1)], unit="people")


def measured(work):
    """Least seconds of some runs, and megabytes at the peak of one more."""
    times = []
    while not times or (len(times) < 5 and sum(times) < 0.5):
        start = process_time()
        work()
        times.append(process_time() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak / 1e6


def slope(sizes, values):
    """The exponent x of the best fit value = c n^x."""
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


@pytest.mark.parametrize("kind", ["random points", "zip codes"])
def test_growth(kind):
    whole = national() if kind == "zip codes" else None
    figures = {}
    for n in SIZES:
        regions = random_regions(n) if whole is None else around_one(whole, n)
        k = 5_000 if whole is None else 20_000
        g = kanon.generalize(regions, k, "tree-split")
        work = {
            "tree-split": lambda r=regions, k=k: tree_split(r, k, Run(), tree="auto"),
            "random tree": lambda r=regions, k=k: tree_split(r, k, Run(), tree="random"),
            "low-degree": lambda r=regions, k=k: tree_split(r, k, Run(), tree="low-degree"),
            "lower bound": lambda r=regions, k=k: lower_bound(r, k),
            "verify": lambda r=regions, g=g: kanon.verify(r, g),
        }
        if n in RECOMBINE:
            work["recombine"] = lambda r=regions, k=k: recombine(r, k, Run(), compactness=0.0, effort=0.1)
        for name, run in work.items():
            seconds, peak = measured(run)
            figures.setdefault(name, []).append((len(regions), seconds, peak))
    print(f"\n{kind}")  # noqa: T201
    for name, rows in figures.items():
        sizes, seconds, peaks = np.array(rows).T
        told = "  ".join(f"{int(n):6,}: {1000 * s:8.1f} ms {m:6.1f} MB" for n, s, m in rows)
        print(f"{name:12} {told}  n^{slope(sizes[2:], seconds[2:]):.2f}, memory n^{slope(sizes[2:], peaks[2:]):.2f}")  # noqa: T201
    for name, steepest in STEEPEST.items():
        sizes, seconds, peaks = np.array(figures[name]).T
        assert slope(sizes[2:], seconds[2:]) < steepest, name
        assert slope(sizes[2:], peaks[2:]) < 1.25, name


def whole_run(kind, areas_a_class, answer):
    """Seconds of CPU and memory of one run on 33,000 areas at the default effort, in a process of its own."""
    regions = random_regions(SIZES[-1]) if kind == "random points" else national()
    kanon.generalize(random_regions(100), 5_000, "recombine")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = process_time()
    k = regions.total * areas_a_class // len(regions)
    g = kanon.generalize(regions, k, "recombine")
    seconds = process_time() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer.put((len(regions), k, seconds, before / 1024, most / 1024, g.classes, g.gap))


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("areas_a_class", [2, 10, 100, 1_000])
@pytest.mark.parametrize("kind", ["random points", "zip codes"])
def test_whole_map(kind, areas_a_class):
    """Below 1 GB, reading included."""
    areas, k, seconds, before, most, classes, gap = in_own_process(whole_run, kind, areas_a_class)
    print(  # noqa: T201
        f"\n{kind}, {areas:,} areas, k = {k:,} (some {areas_a_class:,} areas a class): {classes:,} classes, "
        f"gap {gap:.2%}, {seconds:.1f} s of CPU, at most {most:,.0f} MB ({before:,.0f} MB before)",
        end="",
    )
    assert most < 1_000
