"""How far recombine ends above its bound on maps that nobody tuned it for, and what that costs.

    KANON_DATA=FOLDER python -m pytest tests/benchmarks/test_search_maps.py -s

The maps are those of sample_data and of the folder (graphs/*.json, zcta_*, zip_shapefiles, ohio_counties, austin_zip),
each once. k is W / 10.5, W / 30 and twice the heaviest area, for a total weight W; three seeds each. Seconds are of the
processor, of all threads, without the reading and without the compilation of kernels.

Where W / (m k) with m = floor(W / k) is near 1, m groups would have to be almost equal, and whether that is possible
decides the gap: those runs are marked "tight".

Measured on a busy machine with two cores, three seeds, 153 runs:

    recombine                          within 1 %  within 3 %  worst    not tight, of 81: within 3 %  worst
    with turns alone, seed 0               80.4 %      82.4 %   6.86 %                       100 %   1.09 %
    with `most_classes`                    94.1 %      96.1 %   4.18 %                       100 %   1.09 %

Seconds of the processor in the last row: median 6.4, mean 8.6, longest 54.3. One annealing alone is within 1 % in
63.4 %, within 3 % in 69.3 %, worst 13.73 %. What is left above 1 % is tight but one (Milwaukee, k = 110,058: 1.09 %
with one seed): Boston at 90,066 (3.5 to 3.6 %), New York at 35,255 (4.0 to 4.2 %) and Phoenix at 31,538 (2.4 and
2.5 % with two seeds), where one group more may exist.
"""

import hashlib
import json
import os
from pathlib import Path
from time import process_time

import numpy as np
import pytest

import kanon_engine as kanon

pytestmark = pytest.mark.timeout(0)
SAMPLES = Path(__file__).parents[2] / "sample_data"
FOLDER = Path(os.environ.get("KANON_DATA", "missing"))
SEEDS = 3
ROOMY = 1.03  # W / (m k) from which no gap is excused
NEVER_WORSE = 20  # maps and k on which ten times the effort is compared
ZIP = {"weight": "pop10", "id": "ZCTA5CE10"}
FILES = {
    FOLDER: {
        "zcta_connecticut/ct_zcta2010_pop.geojson": {"weight": "pop10", "id": "zip"},
        "zcta_dc/dc_zcta2010_pop.geojson": {"weight": "pop10", "id": "zip"},
        "ohio_counties/ohio_counties_pop2010.geojson": {"weight": "pop10", "id": "fips"},
        "austin_zip/austin_zip_pop.geojson": {"weight": "pop10", "id": "zip"},
        "zip_shapefiles/ca_zcta2010.zip": ZIP,
        "zip_shapefiles/ct_zcta2010.zip": ZIP,
        "zip_shapefiles/dc_zcta2010.zip": ZIP,
    },
    SAMPLES: {
        "ca_zcta2010.zip": ZIP,
        "ct_zcta2010.zip": ZIP,
        "dc_zcta2010.zip": ZIP,
        "georgia.geojson": {"weight": "TotPop90", "id": "AreaKey"},
        "north_carolina.geojson": {"weight": "BIR74", "id": "FIPS"},
        "boston_tracts.geojson": {"weight": "POP", "id": "poltract"},
        "new_york_tracts.geojson": {"weight": "POP8", "id": "AREAKEY"},
        "st_louis.geojson": {"weight": "PO8893", "id": "FIPS"},
    },
}


def digest(regions):
    """Of weights and borders: a map that stands in two folders counts once."""
    return hashlib.sha256(regions.weights.tobytes() + np.ascontiguousarray(regions.edges).tobytes()).hexdigest()


@pytest.fixture(scope="module")
def maps():
    """Every map once, by name; kernels are compiled before a clock runs."""
    found = {}
    for folder, files in FILES.items():
        for name, columns in files.items():
            if (folder / name).exists():
                found[f"{folder.name} {Path(name).stem}"] = kanon.read_regions(folder / name, **columns)
    homicides = kanon.read_regions(SAMPLES / "st_louis.geojson", weight="HC8893", id="FIPS")
    found["st_louis (homicides)"] = homicides
    for path in sorted(FOLDER.glob("graphs/*.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = kanon.Regions(range(len(graph["weights"])), graph["weights"], graph["edges"])
    for k in (50, 200):
        kanon.generalize(homicides, k, "recombine", effort=2)
    return {name: regions for name, regions in found.items() if not copied(name, regions, found)}


def copied(name, regions, found):
    """Whether a map of another name, before it, has the same weights and borders."""
    earlier = list(found)[: list(found).index(name)]
    return any(digest(regions) == digest(found[other]) for other in earlier)


def ks_of(regions):
    """The values of k that the smallest part of the map still holds."""
    total = regions.total
    ks = dict.fromkeys((int(total / 10.5), int(total / 30), 2 * int(regions.weights.max())))
    return [k for k in ks if k <= regions.component_weights.min()]


def timed(regions, k, **options):
    start = process_time()
    g = kanon.generalize(regions, k, "recombine", **options)
    return g, process_time() - start


def test_gaps(maps):
    gaps, roomy, seconds = [], [], []
    for name, regions in maps.items():
        for k in ks_of(regions):
            runs = [timed(regions, k, seed=seed) for seed in range(SEEDS)]
            own = [g.gap for g, _ in runs]
            slack = regions.total / (regions.total // k * k)
            gaps += own
            roomy += own if slack >= ROOMY else []
            seconds += [spent for _, spent in runs]
            told = "  ".join(f"{g.cost:9,} ({g.gap:6.2%}, {spent:5.1f} s)" for g, spent in runs)
            bounds = sorted({(g.lower_bound, g.bound_name) for g, _ in runs})
            print(  # noqa: T201
                f"\n{name:28} {len(regions):5} areas, k = {k:9,}{'' if slack >= ROOMY else ' tight':6} {told} {bounds}",
                end="",
                flush=True,
            )
    near = [float(np.mean(np.array(each) <= limit)) for each, limit in ((gaps, 0.01), (gaps, 0.03), (roomy, 0.03))]
    print(  # noqa: T201
        f"\n{len(gaps)} runs: {near[0]:.1%} within 1 %, {near[1]:.1%} within 3 %, worst {max(gaps):.2%}; of "
        f"{len(roomy)} that are not tight {near[2]:.1%} within 3 %, worst {max(roomy):.2%}; processor: median "
        f"{np.median(seconds):.1f} s, mean {np.mean(seconds):.1f} s, longest {max(seconds):.1f} s"
    )
    assert near[0] >= 0.9
    assert near[2] == 1


def test_ten_times_the_effort_is_never_worse(maps):
    cases = [(name, k) for name, regions in maps.items() for k in ks_of(regions) if len(regions) < 1_000]
    worse = []
    for name, k in cases[:: max(len(cases) // NEVER_WORSE, 1)][:NEVER_WORSE]:
        (g, spent), (longer, more) = (timed(maps[name], k, effort=effort) for effort in (1.0, 10.0))
        print(f"\n{name:28} k = {k:9,}: {g.cost:9,} in {spent:5.1f} s, {longer.cost:9,} in {more:5.1f} s", end="")  # noqa: T201
        worse += [(name, k)] if longer.cost > g.cost else []
    print()  # noqa: T201
    assert worse == []
