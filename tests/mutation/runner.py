"""Runs the tests that reach a mutant, each in a fork of one process that has imported and collected everything.

Cosmic Ray itself changes the file on disk and starts a new process for each mutant, which costs some four seconds of
processor time before the first test here. mutmut forks, but changes functions only without decorators, and no table
such as the theorems that a result may name.
"""

import gc
import inspect
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
import warnings
from functools import cached_property
from importlib import import_module
from types import CodeType

import coverage
import pytest
from _pytest.runner import runtestprotocol

SLOW = 3.0  # seconds of a test above which it is left out
SEEDS = 3  # of a test with the parameter `seed`
ROOM = 2 << 30  # bytes that a mutant may take beyond what the process has


class Runner:
    """A pytest plugin: a first pass notes which test reaches which line, then every mutant is tried.

    `results` holds for each mutant "killed by …", "survived", "no test" or "changes nothing"; `reaching` holds for the
    path of each file the tests of those files that reach it, as a test of constants by itself runs none of its lines.
    """

    def __init__(self, mutants, files, jobs, tell):
        self.mutants, self.files, self.jobs, self.tell = mutants, [str(path) for path in files], jobs, tell
        self.results, self.reaching = {}, {}

    def pytest_collection_modifyitems(self, items):
        """Few seeds of each test that has many."""
        items[:] = [item for item in items if _seed(item) < SEEDS]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        items, reach = self._first_pass(session.items)
        gc.freeze()
        sys.stdout.flush()
        self.reaching, reached = {}, {}
        for item in items:
            reached.setdefault(item.path, set()).update(reach[item])
        for item in items:
            for path in reached[item.path]:
                self.reaching.setdefault(path, []).append(item.nodeid)
        pipes = dict(self._job(number, items, reach) for number in range(self.jobs))
        waiting = {read: os.fdopen(read) for read in pipes}
        while waiting:
            for read in select.select(list(waiting), [], [])[0]:
                words = waiting[read].readline()  # a job writes whole lines
                if words:
                    number, result = json.loads(words)
                    self.results[self.mutants[number]] = result
                    self.tell(self.mutants[number], result)
                else:
                    waiting.pop(read).close()
                    os.waitpid(pipes[read], 0)
        return True

    def _job(self, first, items, reach):
        """A process that tries every so manyth mutant and writes what became of each on a line."""
        read, write = os.pipe()
        child = os.fork()
        if child:
            os.close(write)
            return read, child
        try:
            killers = {}
            for number in range(first, len(self.mutants), self.jobs):
                mutant = self.mutants[number]
                lines = set(mutant.lines)
                own = [item for item in items if lines & reach[item].get(mutant.path, set())]
                seconds = {}
                for item in own:
                    seconds[item.path] = seconds.get(item.path, 0) + self.seconds[item]
                before = killers.setdefault(mutant.path, [])  # what killed another mutant of the file runs first
                own.sort(key=lambda item: (-before.count(item.nodeid), seconds[item.path], str(item.path)))
                result = self._tried(mutant, own) if own else "no test"
                before.append(result.removeprefix("killed by "))
                os.write(write, f"{json.dumps((number, result))}\n".encode())
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(0)

    def _first_pass(self, items):
        """Tests that pass, and of each the lines of the files that it reaches."""
        measured = coverage.Coverage(data_file=None, include=self.files, config_file=False)
        self.seconds = {}
        measured.start()
        for place, item in enumerate(items):
            measured.switch_context(str(place))
            after = items[place + 1] if place + 1 < len(items) else None
            reports, self.seconds[item] = _timed(item, after)
            if self.seconds[item] > SLOW:  # once more: it may have compiled kernels
                reports, self.seconds[item] = _timed(item, after)
            if self.seconds[item] > 1:
                print(f"{self.seconds[item]:.1f} s: {item.nodeid}", file=sys.__stdout__, flush=True)
            if any(report.failed for report in reports):
                print(f"left out, as it fails without a mutant: {item.nodeid}", file=sys.__stdout__, flush=True)
                self.seconds[item] = float("inf")
        measured.stop()
        reach = {item: {} for item in items}
        for path in self.files:
            name = path.removeprefix(str(items[0].config.rootpath) + "/")
            for line, places in measured.get_data().contexts_by_lineno(path).items():
                for place in filter(None, places):
                    reach[items[int(place)]].setdefault(name, set()).add(line)
        return [item for item in items if self.seconds[item] <= SLOW], reach

    def _tried(self, mutant, items):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os._exit(self._in_child(mutant, items, read, write))
            finally:
                os._exit(3)
        os.close(write)
        with os.fdopen(read) as heard:
            patience = 20 * sum(map(self._limit, items))  # the processor may be shared
            if not select.select([heard], [], [], patience)[0]:
                os.kill(child, signal.SIGKILL)
            words = heard.read()
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            return "killed by its limit of time"
        known = {0: "survived", 1: f"killed by {words}", 2: "changes nothing"}
        return known.get(os.WEXITSTATUS(status), "survived, as it could not be tried")

    def _is_from(self, module, path):
        """Whether a module was loaded from this file; tests load the plain form of the verifier beside the other."""
        return (getattr(module, "__file__", None) or "").endswith(f"/{path}")

    def _limit(self, item):
        """Seconds of processor time that a test may take."""
        return 2 + 5 * self.seconds[item]

    def _in_child(self, mutant, items, read, write):
        os.close(read)
        with open("/proc/self/statm", encoding="ascii") as sizes:
            size = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
        import_module(mutant.module)
        copies = [module for module in list(sys.modules.values()) if self._is_from(module, mutant.path)]
        changed = [change(module, mutant.source) for module in copies]
        if not any(changed):
            return 2
        for item, after in zip(items, [*items[1:], None], strict=True):
            signal.setitimer(signal.ITIMER_PROF, self._limit(item))  # ends the process
            try:
                failed = any(report.failed for report in runtestprotocol(item, nextitem=after, log=False))
            except BaseException:  # of the harness itself, which uses what was changed
                failed = True
            if failed:
                os.write(write, item.nodeid.encode())
                return 1
        return 0


def _timed(item, after):
    """Reports of a test and the seconds of processor time that it took; `after` is the next one."""
    start = time.process_time()
    reports = runtestprotocol(item, nextitem=after, log=False)
    return reports, time.process_time() - start


def change(module, source):
    """Give every function of a loaded module the code that it has in another source; whether any differs."""
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
        found, waiting = {}, [compile(source, module.__file__, "exec")]
    while waiting:
        for code in waiting.pop().co_consts:
            if isinstance(code, CodeType):
                found[_place(code)] = code
                waiting.append(code)
    differs = False
    for function in _functions(module):
        new = found.get(_place(function.__code__))
        if new is not None and function.__code__ != new:
            function.__code__ = new
            differs = True
    return differs


def _place(code):
    """What tells the code of a function from that of others of its file; a mutant has all on the same lines."""
    return code.co_qualname, code.co_firstlineno


def _seed(item):
    seed = item.callspec.params.get("seed", 0) if hasattr(item, "callspec") else 0
    return seed if isinstance(seed, int) else 0


def _functions(module):
    waiting = list(vars(module).values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, property):
            value = value.fget
        elif isinstance(value, cached_property):
            value = value.func
        elif isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            waiting += vars(value).values()
        elif hasattr(value, "__wrapped__"):
            getattr(value, "cache_clear", list)()
            waiting.append(value.__wrapped__)
            if inspect.isfunction(value):  # it may be the other form of what it wraps
                yield value
        elif inspect.isfunction(value):
            yield value
