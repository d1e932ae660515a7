"""Searches in workers: they report, stop, are ended, keep to limits, and find what they would find here."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.io import limits
from kanon_engine.model.known import FAMILIES, family_of
from kanon_engine.processes.nursery import SUPPORTED, Nursery, Slots
from kanon_engine.verification.core import Maker
from kanon_engine.workers import search
from kanon_engine.workers.search import Request, Search
from kanon_engine.workers.searching import small_instances
from tests.io.test_nursery import gone
from tests.sentences import THERE_IS_NO_ALGORITHM
from tests.workers.odd import ODD

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="workers need a system that forks")

WAIT = 60
LABELS = kanon.Labels(list("abcdefgh"), [3, 2, 2, 4, 5, 1, 1, 6])
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


class Follower:
    """Follows a search in a thread of its own; `want` is what is wanted of it."""

    begun: ClassVar[list[Follower]] = []

    def __init__(self, request: Request, instance: object = LABELS, quick: bool = True) -> None:
        self.request, self.instance, self.quick = request, instance, quick
        self.reports: list[kanon.Progress] = []
        self.reported = threading.Event()
        self.waiting, self.want, self.why = False, "", ""
        self.improvements: list[tuple[kanon.Generalization, kanon.Certificate]] = []
        self.showed = threading.Event()
        self.found: object = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.begun.append(self)
        self.thread.start()

    def _run(self) -> None:
        try:
            with Search(self.instance, self, self.quick) as running:
                self.found = running.run(self.request)
        except kanon.KanonError as error:
            self.found = error

    def report(self, progress: kanon.Progress) -> None:
        self.reports.append(progress)
        self.reported.set()

    def improved(self, g: kanon.Generalization, certificate: kanon.Certificate) -> None:
        self.improvements.append((g, certificate))
        self.showed.set()

    def queued(self, waiting: bool) -> None:
        self.waiting = waiting

    def stop(self, why: str) -> None:
        self.want, self.why = "stop", why

    def asked(self) -> str:
        return self.want

    def result(self) -> tuple[kanon.Generalization, kanon.Certificate]:
        self.thread.join(WAIT)
        assert not self.thread.is_alive()
        if isinstance(self.found, kanon.KanonError):
            raise self.found
        return self.found


@pytest.fixture(scope="module")
def odd_nursery() -> Iterator[Nursery]:
    own = Nursery("tests.workers.odd")
    yield own
    own.close()


@pytest.fixture(autouse=True)
def odd(odd_nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A nursery that knows them; what a test that failed left behind does not reach the next."""
    monkeypatch.setattr(search, "NURSERY", odd_nursery)
    for name, algorithm in ODD.items():
        monkeypatch.setitem(FAMILIES["labels"].algorithms, name, algorithm)
        monkeypatch.setitem(FAMILIES["labels"].verifier.ALGORITHMS, name, Maker())
    yield
    for one in Follower.begun:
        one.want = "end"
        one.thread.join(WAIT)
    Follower.begun.clear()


def workers() -> list[int]:
    pid = search.NURSERY.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def the_worker() -> int:
    """The only one, once those that were ended before are gone."""
    while len(found := workers()) != 1:
        time.sleep(0.01)
    return found[0]


def goes_on() -> None:
    """Another search finds what it has to find."""
    g, _ = Follower(Request(5, "fold")).result()
    assert g.cost == kanon.generalize(LABELS, 5, "fold").cost


@pytest.mark.thorough
def test_the_best_so_far_is_verified_and_passed_on_once():
    one = Follower(Request(5, "showing", shown=True))
    assert one.showed.wait(WAIT)
    g, certificate = one.improvements[0]
    assert g.status == "stopped"
    assert g.class_weights.min() >= 5
    assert certificate.checks
    time.sleep(1.3)  # it is shown again only where it differs
    one.want = "stop"
    found, _ = one.result()
    assert (found.assignment == g.assignment).all()
    assert len(one.improvements) == 1
    silent = Follower(Request(5, "showing"))
    assert silent.reported.wait(WAIT)
    silent.want = "stop"
    silent.result()
    assert silent.improvements == []


def test_reports_arrive_and_a_polite_stop_keeps_the_best():
    one = Follower(Request(5, "counting"))
    assert one.reported.wait(WAIT)
    assert one.reports[0] == kanon.Progress(0.0, LABELS.total, 5, "counting to 0")
    one.want = "stop"
    g, certificate = one.result()
    assert (g.status, g.algorithm, g.cost) == (
        "stopped",
        "counting",
        kanon.generalize(LABELS, 5, "two-approximation").cost,
    )
    assert certificate == kanon.verify(LABELS, g)


@LINUX
@pytest.mark.parametrize("name", ["counting", "silent"])
def test_what_nobody_wants_is_ended_at_once(name, monkeypatch):
    monkeypatch.setattr(search, "STOP_PATIENCE", 10 * WAIT)  # nor is it asked politely
    monkeypatch.setattr(search, "GRACE", 10 * WAIT)
    one = Follower(Request(5, name))
    pid = the_worker()
    one.want = "end"
    with pytest.raises(kanon.SearchEnded, match="was canceled"):
        one.result()
    assert gone(pid)
    goes_on()


def test_a_search_that_does_not_report_is_ended_when_it_shall_stop(monkeypatch):
    monkeypatch.setattr(search, "STOP_PATIENCE", 0.3)
    one = Follower(Request(5, "silent"))
    one.want = "stop"
    with pytest.raises(kanon.SearchEnded, match="Silent was ended without a result because it did not stop within"):
        one.result()
    goes_on()


def test_a_search_that_has_shown_a_result_is_not_said_to_have_none():
    clock = search._SearchClock(600, None)
    assert search._unheard("Slow", clock, True).endswith("; the best result shown so far is kept.")
    assert search._unheard("Slow", clock, False) == (
        "Slow was ended without a result because it did not stop within a few seconds."
    )


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(limits, "_given", limits.FileLimits(search_memory=200 * limits.MB))
    with pytest.raises(kanon.SearchEnded, match=r"^Hungry took more than 200 MB of memory; .*KANON_LIMITS=10") as end:
        Follower(Request(5, "hungry")).result()
    assert str(end.value).count(".") == 1
    goes_on()


@pytest.mark.parametrize("name", ["counting", "silent"])
def test_time_is_bounded(name, monkeypatch):
    monkeypatch.setattr(search, "STOP_PATIENCE", 0.3)
    monkeypatch.setattr(limits, "_given", limits.FileLimits(search_seconds=0.6))
    one = Follower(Request(5, name))
    if name == "counting":
        g, _ = one.result()
        assert g.status == "stopped"
    else:
        with pytest.raises(kanon.SearchEnded, match=r"^Silent took more than 0 minutes and found no result; "):
            one.result()
    assert one.why == "limit"


def test_limits_are_multiplied(monkeypatch):
    monkeypatch.setenv("KANON_LIMITS", "10")
    most = limits.limits()
    assert (most.search_seconds, most.search_memory) == (36_000.0, 40_000 * limits.MB)


@LINUX
def test_a_worker_killed_from_outside_is_a_sentence_and_the_next_search_works():
    one = Follower(Request(5, "counting"))
    assert one.reported.wait(WAIT)
    os.kill(the_worker(), signal.SIGKILL)
    with pytest.raises(kanon.SearchEnded, match=r"^Counting ended without a result: its process was"):
        one.result()
    goes_on()


def test_a_crash_in_compiled_code_is_a_sentence():
    with pytest.raises(kanon.SearchEnded, match=r"^Crashing ended without a result"):
        Follower(Request(5, "crashing")).result()
    goes_on()


def test_a_killed_nursery_begins_anew():
    goes_on()
    os.kill(search.NURSERY.pid, signal.SIGKILL)
    goes_on()


def test_errors_keep_their_kind_and_their_sentence(caplog):
    with pytest.raises(kanon.InvalidInput, match=r"^These labels are not for me\.$"):
        Follower(Request(5, "refusing")).result()
    with pytest.raises(kanon.Infeasible) as told:
        Follower(Request(100, "fold")).result()
    with pytest.raises(kanon.Infeasible) as here:
        kanon.generalize(LABELS, 100, "fold")
    assert str(told.value) == str(here.value)
    with pytest.raises(kanon.UnknownAlgorithm, match=f"{THERE_IS_NO_ALGORITHM} 'none' for labels"):
        Follower(Request(5, "none")).result()
    with pytest.raises(kanon.SearchEnded, match="Broken ended because of a defect in kanon") as end:
        Follower(Request(5, "broken")).result()
    assert "what the file says" not in str(end.value)
    assert "ZeroDivisionError: what the file says" in caplog.text


def test_a_result_is_verified_here():
    with pytest.raises(kanon.CertificateError):
        Follower(Request(5, "lying")).result()


def test_what_is_required_reaches_the_worker_and_comes_back(monkeypatch):
    labels = replace(LABELS, columns={"cases": np.arange(len(LABELS))})
    asked = Request(5, "fold", require=(kanon.Minimum("cases", len(LABELS)),))
    g, _ = Follower(asked, labels).result()
    assert g.require == asked.require
    assert np.bincount(g.assignment, labels.columns["cases"]).min() >= len(LABELS)
    own = pickle.dumps

    def without(value, *more, **options):
        return own(Request(5, "fold") if isinstance(value, Request) else value, *more, **options)

    monkeypatch.setattr(search.pickle, "dumps", without)
    with pytest.raises(kanon.SearchEnded, match="defect"):
        Follower(asked, labels).result()


def test_another_result_than_was_asked_for_is_none(monkeypatch):
    own = pickle.dumps

    def other_k(value, *more, **options):
        return own(Request(6, value.algorithm) if isinstance(value, Request) else value, *more, **options)

    monkeypatch.setattr(search.pickle, "dumps", other_k)
    with pytest.raises(kanon.SearchEnded, match="defect"):
        Follower(Request(5, "fold")).result()


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("head", [b"[]", b"{", b'{"error": []}', b'{"error": {"type": "InvalidInput"}}'])
def test_an_answer_that_is_none_is_a_defect(head, monkeypatch):
    monkeypatch.setattr(search.Worker, "receive", lambda *_: (memoryview(head), memoryview(b"")))
    with pytest.raises(kanon.SearchEnded, match="defect"):
        Follower(Request(5, "fold")).result()


@LINUX
def test_one_worker_serves_several_searches():
    follower = Follower(Request(5, "fold"))
    follower.result()
    served = set()
    with Search(LABELS, follower) as running:
        for k in (4, 100, 5):
            if k == 100:
                with pytest.raises(kanon.Infeasible):
                    running.run(Request(k, "fold"))
            else:
                assert running.run(Request(k, "fold"))[0].k == k
            served.add(the_worker())  # that of the first search may take a moment to end
    assert len(served) == 1


INSTANCES = {
    "regions": kanon.Regions(
        range(36),
        [1 + i % 5 for i in range(36)],
        [(i, i + 1) for i in range(35) if i % 6 < 5] + [(i, i + 6) for i in range(30)],
    ),
    "rectangles": kanon.Points(np.random.default_rng(3).normal(size=(60, 2)).round(2)),
    "labels": LABELS,
    "tables": kanon.Table(
        pd.DataFrame({"a": [i * 7 % 5 for i in range(40)], "b": [i * 3 % 4 for i in range(40)]}), ["a", "b"]
    ),
}
RUNS = [
    (family, name)
    for family, instance in INSTANCES.items()
    for name in sorted({FAMILIES[family].default, FAMILIES[family].quick, "exact"} & set(FAMILIES[family].algorithms))
]


def assert_found_here_too(instance, name, k=8):
    """A worker finds what this process finds."""
    here = kanon.generalize(instance, k, name, seed=3)
    g, _ = Follower(Request(k, name, here.options, 3), instance).result()
    one, two = (json.loads(found.to_json()) for found in (here, g))
    for content in (one, two):
        del content["seconds"], content["digest"]
    assert one == two


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(("family", "name"), RUNS)
def test_a_worker_finds_what_is_found_here(family, name):
    assert_found_here_too(INSTANCES[family], name)


def test_the_first_quick_answers_on_an_empty_machine_compile_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(search, "NURSERY", Nursery("kanon_engine.workers.searching"))
    try:
        for instance in small_instances():  # plain Python is long done with them before it gives way to compiling
            assert_found_here_too(instance, family_of(instance).quick, k=2)
    finally:
        search.NURSERY.close()
    assert list(tmp_path.rglob("*.nbi")) == []


@pytest.mark.parametrize("instance", INSTANCES.values(), ids=INSTANCES)
def test_arrays_of_numbers_stay_read_only_on_their_way(instance):
    there = pickle.loads(pickle.dumps(instance, 5))
    assert there.digest == instance.digest
    for name, value in vars(instance).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            assert getattr(there, name).flags.writeable == value.flags.writeable, name  # kernels are compiled for it


@LINUX
def test_the_nursery_has_no_threads_when_it_forks():
    goes_on()
    time.sleep(0.5)  # while it loads kernels and tries algorithms
    tasks = Path(f"/proc/{search.NURSERY.pid}/task")
    names = [Path(task, "comm").read_text().strip() for task in tasks.iterdir()]
    assert [name for name in names if name != "jemalloc_bg_thd"] == [Path(tasks.parent, "comm").read_text().strip()]


def test_without_workers_a_search_runs_here(monkeypatch):
    monkeypatch.setattr(search, "APART", False)
    monkeypatch.setattr(limits, "_given", limits.FileLimits(search_seconds=0.2))
    one = Follower(Request(5, "counting"))
    g, certificate = one.result()
    assert (g.status, one.why, certificate) == ("stopped", "limit", kanon.verify(LABELS, g))


def test_more_searches_than_slots_wait_in_their_order(monkeypatch):
    monkeypatch.setattr(search, "SLOTS", Slots(1))
    first = Follower(Request(5, "counting"), quick=False)
    assert first.reported.wait(WAIT)
    second = Follower(Request(5, "counting"), quick=False)
    while not second.waiting:
        time.sleep(0.01)
    third = Follower(Request(5, "counting"), quick=False)
    while not third.waiting:
        time.sleep(0.01)
    goes_on()  # a quick one has a place of its own
    third.want = "stop"
    with pytest.raises(kanon.SearchEnded, match="stopped before it began"):
        third.result()
    assert not second.reports
    first.want = "end"
    assert second.reported.wait(WAIT)
    assert not second.waiting
    second.want = "stop"
    assert second.result()[0].status == "stopped"
