"""How close recombine comes to the bound, beside spopt's MaxPHeuristic and tree-split, on real maps.

    python -m pytest tests/benchmarks/test_regions.py -s                 recombine and tree-split, and the national map
    python -m pytest tests/benchmarks/test_regions.py -s -k spopt        beside spopt (the extra "bench"; takes minutes)

For spopt the same threshold and the same neighbors are used, and its solve() is timed. Of recombine whole runs are
timed, with the usual effort and with the least, and, in brackets, what bound and certificate take besides, which spopt
does not give.
"""

from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from scipy.spatial import Delaunay

import kanon_engine as kanon

SAMPLES = Path(__file__).parents[2] / "sample_data"
MAPS = {
    "North Carolina": ("north_carolina.geojson", {"weight": "BIR74", "id": "FIPS"}),
    "Georgia": ("georgia.geojson", {"weight": "TotPop90", "id": "AreaKey"}),
    "Boston": ("boston_tracts.geojson", {"weight": "POP", "id": "poltract"}),
    "St. Louis": ("st_louis.geojson", {"weight": "PO8893", "id": "FIPS"}),
}
CASES = [
    *(("North Carolina", k) for k in (5_000, 10_000, 20_000, 40_000)),
    *(("Georgia", k) for k in (50_000, 100_000, 200_000)),
    ("Boston", 20_000),
    ("Boston", 50_000),
    ("Boston", 100_000),
    ("St. Louis", 500_000),
]

LEAST_EFFORT = 0.003


@pytest.fixture(scope="module")
def maps():
    """The maps, read; everything is compiled before a clock runs."""
    read = {name: kanon.read_regions(SAMPLES / file, **options) for name, (file, options) in MAPS.items()}
    kanon.generalize(read["St. Louis"], 500_000, "recombine", time_limit=1e-9)
    for effort in (1.0, LEAST_EFFORT):
        kanon.generalize(read["St. Louis"], 500_000, "recombine", effort=effort)
    return read


def timed(regions, k, algorithm):
    """The result, the seconds it took, and the reports (seconds, best largest class) on the way."""
    reports = []
    start = perf_counter()

    def listen(report):
        if report.best is not None:
            reports.append((perf_counter() - start, report.best))

    g = kanon.generalize(regions, k, algorithm, progress=listen)
    return g, perf_counter() - start, reports


def spopt_largest(regions, k):
    """Largest class of MaxPHeuristic with its default settings, and the seconds it took."""
    geopandas, spopt, weights = (
        pytest.importorskip(name) for name in ("geopandas", "spopt.region", "libpysal.weights")
    )
    neighbors = {v: [] for v in range(len(regions))}
    for a, b in regions.edges.tolist():
        neighbors[a].append(b)
        neighbors[b].append(a)
    frame = geopandas.GeoDataFrame({"weight": regions.weights}, geometry=list(regions.geometry))
    np.random.seed(0)  # noqa: NPY002 - spopt draws from the global state
    start = perf_counter()
    model = spopt.MaxPHeuristic(frame, weights.W(neighbors), ["weight"], "weight", k, top_n=2)
    model.solve()
    seconds = perf_counter() - start
    return int(np.bincount(model.labels_, weights=regions.weights).max()), seconds


def test_gaps(maps):
    gaps = []
    for name, k in CASES:
        g, seconds, reports = timed(maps[name], k, "recombine")
        tree, tree_seconds, _ = timed(maps[name], k, "tree-split")
        until = next((at for at, best in reports if best <= tree.cost), seconds)
        gaps.append(g.gap)
        print(  # noqa: T201
            f"\n{name:15} k = {k:7,}: largest {g.cost:9,}, bound {g.lower_bound:9,} ({g.bound_name}), gap "
            f"{g.gap:6.2%}, {g.classes:3} classes, {seconds:5.2f} s; tree-split {tree.cost:9,}, "
            f"{tree.classes:3} classes, {tree_seconds:5.2f} s (matched after {until:.2f} s)",
            end="",
        )
        assert g.cost <= tree.cost
    print(f"\nmean gap {np.mean(gaps):.2%}")  # noqa: T201
    assert np.mean(gaps) < 0.05


@pytest.mark.parametrize(("name", "k"), CASES)
def test_against_spopt(maps, name, k):
    """Never worse, on any of five seeds, with the least effort too."""
    largest, spopt_seconds = spopt_largest(maps[name], k)
    print(f"\n{name:15} k = {k:7,}: spopt {largest:9,} in {spopt_seconds:6.2f} s", end="")  # noqa: T201
    for effort, seeds in ((1.0, 1), (LEAST_EFFORT, 5)):
        costs, own, whole = [], [], []
        for seed in range(seeds):
            start = perf_counter()
            g = kanon.generalize(maps[name], k, "recombine", effort=effort, seed=seed)
            whole.append(perf_counter() - start)
            own.append(g.seconds)
            costs.append(g.cost)
        seconds, besides = np.median(own), np.median(whole) - np.median(own)
        print(  # noqa: T201
            f"; effort {effort:g}: {max(costs):9,} in {seconds:6.3f} s (+ {besides:.3f} s), gap "
            f"{max(costs) / g.lower_bound - 1:6.2%}, {spopt_seconds / seconds:6.0f} times faster",
            end="",
        )
        assert max(costs) <= largest


def national():
    """The Delaunay graph of the zip codes' points."""
    points = pd.read_csv(SAMPLES / "zcta_points_2010.csv", dtype={"zip": str}).drop_duplicates(["lon", "lat"])
    corners = Delaunay(points[["lon", "lat"]].to_numpy()).simplices
    edges = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return kanon.Regions(points["zip"], points["pop10"], edges, unit="people")


def test_national(maps):
    regions = national()
    tree, tree_seconds, _ = timed(regions, 20_000, "tree-split")
    g, seconds, _ = timed(regions, 20_000, "recombine")
    for name, one, spent in (("tree-split", tree, tree_seconds), ("recombine", g, seconds)):
        mean = float(np.square(one.class_weights.astype(float)).sum()) / regions.total
        print(  # noqa: T201
            f"\n{len(regions):,} zip codes, {name:10}: largest {one.cost:,}, bound {one.lower_bound:,}, "
            f"{one.classes:,} classes, class of a mean person {mean:,.0f}, {spent:.1f} s",
            end="",
        )
    assert g.cost <= tree.cost
    assert g.classes > tree.classes
