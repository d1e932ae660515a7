"""Records where they live, from 10^5 to 10^9: count, certified groups, release, verify, in time and memory.

    python -m pytest tests/benchmarks/test_records_scale.py -s
    KANON_ROWS=1_000_000_000 KANON_RECORDS=FOLDER python -m pytest tests/benchmarks/test_records_scale.py -s -k whole

`KANON_ROWS` names the numbers of records, separated by commas; `KANON_RECORDS` a folder in which made-up records stay,
8 GB for 10^9 of them. No time is asserted. The peers do the same work in one run: pytest-benchmark shows how many times
as long each takes (with `-p no:xdist`).

Measured on two cores with nothing else running: 10^9 records, 7.6 GB of Parquet, released as (group, illness),
tree-split, k = 999,779: 139.6 s of wall, 218.6 s of CPU, 493 MB at most.

stage         s of CPU   s of wall
count             25.6        14.0
generalize         1.6         1.6
release          159.1       105.4
verify            31.7        18.0

Points, kd-tree on lines 1/16 degree apart, k a ten-thousandth of the records, on two cores shared with many others:

records   places counted   groups   s of CPU: count   generalize   release   verify   MB at most
10^6             984,203    4,386               2.2          2.3       4.2      3.0          835
10^7             953,525    6,255               9.3          2.3       9.8      7.6          867
10^8           1,595,921    6,241              79.5          3.1      75.5     63.2        1,089

5,248,943 distinct (zip, age, sex) of 10^8 records are counted in 32.1 s of CPU and 917 MB at most by `counted`.
"""

import os
import resource
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import kanon_engine as kanon
from kanon_engine.records import Records, count, joint_groups, release
from tests.benchmarks.apart import in_own_process
from tests.benchmarks.records_scale import in_pandas, spark_mondrian
from tests.benchmarks.records_scale.made import make
from tests.benchmarks.test_regions import national

ROWS = [int(rows) for rows in os.environ.get("KANON_ROWS", "100_000, 1_000_000").split(",")]
GROUPS = 1_000  # about as many groups as k allows
KEPT = ("age", "sex", "illness")


@pytest.fixture(scope="module", params=ROWS, ids=lambda rows: f"{rows:,} rows")
def folder(request, tmp_path_factory):
    """A folder with so many records."""
    where = os.environ.get("KANON_RECORDS")
    home = Path(where) if where else tmp_path_factory.mktemp("records")
    return make(request.param, home / str(request.param))


class Stages:
    """Seconds of wall and of the processor from one stage to the next, and the peak of memory so far."""

    def __init__(self):
        self.told, self._last = [], self._now()

    @staticmethod
    def _now():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return perf_counter(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def end(self, name):
        wall, cpu, memory = self._now()
        self.told.append((name, wall - self._last[0], cpu - self._last[1], memory))
        self._last = wall, cpu, memory


def whole_way(folder, destination, kept, answer):
    regions = national()
    stages = Stages()
    with Records.open(folder) as records:
        stages.end("open")
        counted = count(records, "zip", areas=regions)
        stages.end("count")
        g = kanon.generalize(counted, counted.total // GROUPS, "tree-split")
        stages.end("generalize")
        release(
            records, counted, g, destination, by="zip", quasi_identifiers=kept[:-1], sensitive=kept[-1:],
            codes_are_public=True,
        )  # fmt: skip
        stages.end("release")
    with Records.open(folder) as records:
        kanon.verify(count(records, "zip", areas=regions), g)
        stages.end("verify")
    answer.put((stages.told, counted.total, g.classes, g.k, g.cost, g.lower_bound))


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kept", [KEPT[-1:], KEPT], ids=["illness", "age, sex, illness"])
def test_whole_way(folder, kept, tmp_path):
    """Count, certified groups, release, verify, in a process of its own, after the kernels are compiled."""
    destination = (folder.parent if os.environ.get("KANON_RECORDS") else tmp_path) / f"released{len(kept)}.parquet"
    destination.unlink(missing_ok=True)
    kanon.generalize(national(), 20_000, "tree-split")  # compiled kernels are kept on the disk
    told, total, classes, k, cost, bound = in_own_process(whole_way, folder, destination, kept)
    print(f"\n{total:,} records, k = {k:,}: {classes:,} groups, largest {cost:,}, bound {bound:,}")  # noqa: T201
    for name, wall, cpu, memory in told:
        print(f"  {name:10} {wall:7.1f} s of wall {cpu:7.1f} s of CPU, {memory:6,.0f} MB at most so far")  # noqa: T201
    walls, cpus = sum(row[1] for row in told), sum(row[2] for row in told)
    print(f"  {'all':10} {walls:7.1f} s of wall {cpus:7.1f} s of CPU, {told[-1][3]:6,.0f} MB at most")  # noqa: T201
    written = pq.ParquetFile(destination)
    assert written.metadata.num_rows == total
    sizes = dict.fromkeys(range(classes), 0)
    for batch in written.iter_batches(columns=[written.schema_arrow.names[0]]):
        for group, records in batch.to_pandas().iloc[:, 0].value_counts().items():
            sizes[group] = sizes.get(group, 0) + records
    assert min(filter(None, sizes.values())) >= k
    destination.unlink()


def way_of_points(folder, destination, answer):
    stages = Stages()
    with Records.open(folder) as records:
        points = count(records, ("lon", "lat"))
        stages.end("count")
        g = kanon.generalize(points, max(points.total // (10 * GROUPS), 1), "kd-tree", snap=1 / 16)
        stages.end("generalize")
        release(records, points, g, destination, by=["lon", "lat"], sensitive=KEPT[-1:])
        stages.end("release")
    with Records.open(folder) as records:
        kanon.verify(count(records, ("lon", "lat")), g)
        stages.end("verify")
    answer.put((stages.told, points.total, len(points), points.reading["grid"], g.k, g.classes))


@pytest.mark.timeout(7200)
def test_way_of_points(folder, tmp_path):
    """Places counted, on a grid where there are many; rectangles on lines 1/16 degree apart, released and verified."""
    kanon.generalize(kanon.Points([[0.1, 0.1], [0.9, 0.9]], [2, 2]), 1, "kd-tree", snap=1 / 16)
    destination = tmp_path / "released.parquet"
    told, total, places, grid, k, groups = in_own_process(way_of_points, folder, destination)
    print(f"\n{total:,} records in {places:,} places, grid {grid}, k = {k:,}: {groups:,} groups")  # noqa: T201
    for name, wall, cpu, memory in told:
        print(f"  {name:10} {wall:7.1f} s of wall {cpu:7.1f} s of CPU, {memory:6,.0f} MB at most so far")  # noqa: T201
    written = pq.ParquetFile(destination)
    assert written.metadata.num_rows == total
    sizes = written.read(columns=["group"]).to_pandas()["group"].value_counts() if total <= 10**7 else None
    assert sizes is None or (sizes.min() >= k and len(sizes) == groups)


def joint(folder, answer):
    stages = Stages()
    with Records.open(folder) as records:
        found = joint_groups(records, ["zip", "age", "sex"])
    stages.end("joint groups")
    answer.put((stages.told, found.records, found.sets, found.smallest, found.below(10)))


@pytest.mark.timeout(7200)
def test_joint_groups(folder):
    """Sets of records that show the same zip code, age and sex."""
    [(_, wall, cpu, memory)], records, sets, smallest, below = in_own_process(joint, folder)
    print(  # noqa: T201
        f"\n{records:,} records in {sets:,} joint groups, the smallest of {smallest:,}, {below[0]:,} records in groups "
        f"below 10: {wall:.1f} s of wall, {cpu:.1f} s of CPU, {memory:,.0f} MB at most"
    )
    assert records == sum(pq.read_metadata(path).num_rows for path in folder.glob("*.parquet"))


@pytest.fixture(scope="module")
def placed(folder):
    """The groups of these records, and the group of each zip code."""
    regions = count(folder, "zip", areas=national())
    g = kanon.generalize(regions, max(regions.total // GROUPS, 1), "tree-split")
    names = kanon.release(regions, g, codes_are_public=True)
    return regions, g, names


def by_kanon(folder, placed, destination):
    regions, g, _ = placed
    count(folder, "zip", areas=regions)
    release(folder, regions, g, destination, by="zip", sensitive=KEPT[-1:], codes_are_public=True)


def by_pandas(folder, placed, destination):
    regions, g, _ = placed
    in_pandas.counted(folder)
    groups = dict(zip(map(str, regions.ids), g.assignment.tolist(), strict=True))
    in_pandas.released(folder, groups, KEPT[-1:], destination)


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("peer", [by_kanon, by_pandas], ids=["kanon", "pandas"])
def test_beside_pandas(benchmark, folder, placed, peer, tmp_path):
    """Count and release, kanon where the records are and with its checks, pandas in memory without."""
    benchmark.group = f"count and release, {folder.name} records"
    destination = tmp_path / "released.parquet"
    benchmark.pedantic(
        peer,
        (folder, placed, destination),
        setup=lambda: destination.unlink(missing_ok=True),
        rounds=3,
        warmup_rounds=1,
    )
    sizes = pd.read_parquet(destination).iloc[:, 0].value_counts()
    assert np.array_equal(np.sort(sizes), np.sort(placed[1].class_weights[placed[1].class_weights > 0]))


def by_workers(folder, k, destination, answer):
    from pyspark.sql import SparkSession

    build = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = build.config("spark.sql.shuffle.partitions", 8).getOrCreate()
    start = perf_counter()
    released = spark_mondrian.mondrian(spark, folder, k, 8, destination)
    seconds = perf_counter() - start
    sizes = released.groupBy("zip", "age", "sex").count().toPandas()["count"].to_numpy()
    spark.stop()
    answer.put((seconds, sizes))


def by_counts(folder, k, answer):
    start = perf_counter()
    table = count(folder, ["zip", "age", "sex"])
    g = kanon.generalize(table, k, "mondrian")
    answer.put((perf_counter() - start, g.class_weights, g.cost, g.lower_bound))


@pytest.mark.timeout(7200)
def test_beside_mondrian_on_spark(folder, tmp_path):
    """Zip code, age and sex generalized in groups of 100: fragments apart on Spark; counted and verified by kanon."""
    pytest.importorskip("pyspark")
    k = 100
    seconds, sizes = in_own_process(by_workers, folder, k, tmp_path / "released")
    own_seconds, own_sizes, cost, bound = in_own_process(by_counts, folder, k)
    print(  # noqa: T201
        f"\n{folder.name} records, k = {k}: Spark {seconds:.1f} s of wall, {len(sizes):,} classes, sum of squares "
        f"{np.square(sizes).sum():,}, no bound; kanon {own_seconds:.1f} s of wall, {len(own_sizes):,} classes, sum of "
        f"squares {np.square(own_sizes).sum():,}, cost {cost:,}, bound {bound:,}"
    )
    assert min(sizes) >= k
    assert sizes.sum() == own_sizes.sum()
