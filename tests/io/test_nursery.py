"""The nursery and its workers: what they can reach, what they cost, how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import kanon_engine as kanon
from kanon_engine.io.confined import NURSERY, stopped_when
from kanon_engine.processes.nursery import SUPPORTED, Nursery, Worker
from tests.compiled import thorough_only
from tests.sentences import MORE_THAN_THE_LIMIT

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="workers need a system that forks")

LABELS = b"name,count\nA,3\nB,2\n"


def gone(pid: int, seconds: float = 10) -> bool:
    """Whether a process ends within some seconds; one that waits for its parent has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.thorough
def test_a_killed_nursery_begins_anew():
    assert kanon.read_labels(LABELS).total == 5
    first = NURSERY.pid
    os.kill(first, signal.SIGKILL)
    assert kanon.read_labels(LABELS).total == 5
    assert NURSERY.pid != first


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_worker_is_left_behind():
    for _ in range(3):
        kanon.read_labels(LABELS)
    until = time.monotonic() + 5
    while children(NURSERY.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert children(NURSERY.pid) == []


def test_files_are_read_at_once_by_several_threads():
    totals = []
    threads = [threading.Thread(target=lambda: totals.append(kanon.read_labels(LABELS).total)) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert totals == [5] * 9


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("end", ["kill", *thorough_only(["exit"])])
def test_the_nursery_ends_with_its_server(end):
    program = (
        "import sys, kanon_engine as kanon\n"
        "from kanon_engine.io.confined import NURSERY\n"
        f"kanon.read_labels({LABELS!r})\n"
        "print(NURSERY.pid, flush=True)\n"
        "sys.stdin.readline()\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid = int(server.stdout.readline())
    assert not gone(pid, 0.2)
    if end == "kill":
        server.kill()
    else:
        server.stdin.write("\n")
    server.communicate(timeout=60)
    assert gone(pid)


def test_a_forked_process_has_its_own_nursery():
    kanon.read_labels(LABELS)
    child = os.fork()
    if child == 0:
        try:
            fresh = NURSERY.pid is None and kanon.read_labels(LABELS).total == 5
            NURSERY.close()
        finally:
            os._exit(0 if fresh else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert kanon.read_labels(LABELS).total == 5


def test_where_no_process_can_be_forked_files_are_read_in_place():
    program = (
        "import json, sys, kanon_engine as kanon\n"
        "from kanon_engine.io import confined\n"
        "confined.SUPPORTED = False\n"
        "square = {'type': 'Polygon', 'coordinates': [[[0, 0], [1, 0], [1, 1], [0, 0]]]}\n"
        "feature = {'type': 'Feature', 'properties': {'population': 5}, 'geometry': square}\n"
        "file = {'type': 'FeatureCollection', 'features': [feature], 'x': sys.argv[1]}\n"
        "file |= {'crs': {'type': 'link', 'properties': {'href': 'http://127.0.0.1:9/'}}}\n"
        "regions = kanon.read_regions(json.dumps(file).encode())\n"
        "print(regions.total, confined.NURSERY.pid, len(regions.notes))\n"
        "import pyogrio; print(*sorted(pyogrio.list_drivers()), sep=',')\n"
    )
    command = [sys.executable, "-c", program, "<OGRVRTDataSource></OGRVRTDataSource>"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert said[0].startswith("5 None")
    assert said[1] == "ESRI Shapefile,FlatGeobuf,GPKG,GeoJSON,TopoJSON"


def test_closing_twice_and_before_the_beginning():
    nursery = Nursery("kanon_engine.io.worker")
    nursery.close()
    nursery.warm()
    assert nursery.pid is not None
    nursery.close()
    nursery.close()
    assert nursery.pid is None


def test_limits_are_raised_by_a_variable(monkeypatch):
    wide = ",".join(f"c{i}" for i in range(1500)) + "\n" + ",".join("1" for _ in range(1500)) + "\n"
    with pytest.raises(kanon.InvalidInput, match=rf"has 1,500 columns, {MORE_THAN_THE_LIMIT} 1,000; .*KANON_LIMITS=10"):
        kanon.preview(wide.encode())
    monkeypatch.setenv("KANON_LIMITS", "10")
    assert kanon.preview(wide.encode()).shape == (1, 1500)
    monkeypatch.setenv("KANON_LIMITS", "no")
    with pytest.raises(kanon.InvalidInput, match="KANON_LIMITS is 'no'; give a number from 1 to 1,000,000"):
        kanon.preview(wide.encode())


def test_a_worker_that_takes_too_long_or_too_much_is_ended(monkeypatch):
    from kanon_engine.io import limits

    rows = b"name,count\n" + b"".join(b"%d,%d\n" % (i, i + 1) for i in range(1_000_000))
    monkeypatch.setattr(limits, "_given", limits.FileLimits(memory=50 * limits.MB))
    with pytest.raises(kanon.InvalidInput, match="more than 50 MB of memory to read"):
        kanon.read_labels(rows)
    monkeypatch.setattr(limits, "_given", limits.FileLimits(seconds=0.1))
    begun = time.monotonic()
    with pytest.raises(kanon.InvalidInput, match="took more than 0 seconds"):
        kanon.read_labels(rows)
    assert time.monotonic() - begun < 60


def test_a_file_that_nobody_waits_for_is_no_longer_read(monkeypatch):
    workers = []
    receive = Worker.receive
    monkeypatch.setattr(Worker, "receive", lambda worker, *rest: workers.append(worker.pid) or receive(worker, *rest))
    with stopped_when(lambda: True), pytest.raises(kanon.SearchEnded, match="Reading names.csv was stopped"):
        kanon.read_labels(b"name,count\n" + b"A,3\n" * 1_000_000, filename="names.csv")
    assert gone(workers[0])
    assert kanon.read_labels(LABELS).total == 5
