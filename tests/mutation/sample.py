"""How many changes of the code that checks results the quick tests notice.

    python -m tests.mutation.sample --seed 34 --mutants 1000 --within kanon_engine/verification/ --report first.jsonl
    python -m tests.mutation.sample --again first.jsonl

It needs the extra `mutation`. Nothing on disk is changed: a mutant inside a function takes the place of the function's
code in a fork of this process; one that runs at import is imported by a process of its own. Changes that make no
difference to any input are listed with their reason in `equivalent.toml`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.mutation.mutants import ROOT, drawn, equivalent, named, outdated, target_files
from tests.mutation.runner import Runner

TESTS = (
    "tests/verification/test_[!c]*.py",  # those of `python check` in a process of its own see no mutant
    "tests/verification/test_c[lo]*.py",
    "tests/[lrt]*/test_verify*.py",
    "tests/[lr]*/test_bounds*.py",
    "tests/labels/test_constraints.py",
    "tests/labels/test_cover.py",
    "tests/rectangles/test_ceiling.py",
    "tests/regions/test_no_way_round.py",
    "tests/report/test_check.py",
    "tests/test_checkable.py",
    "tests/test_exhaustive_check.py",
)

COMPARED = "tests/verification/test_tables.py"  # it compares tables of modules and runs nothing of most of them

QUICK = " and ".join(
    f"not {name}"
    for name in (
        "ends_soon",
        "oracles_agree",
        "nearly_always",
        "gives_up",
        "never_too_few",
        "it_accepts",
        "the_data_decide",
    )
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--within", default="", help="only files whose path holds these words")
    parser.add_argument("--report", type=Path, help="a file for what becomes of each mutant, a line of JSON each")
    parser.add_argument("--again", type=Path, help="in place of a sample, those that a report does not call killed")
    asked = parser.parse_args()
    known = equivalent()
    for module, within, was, _ in outdated(known):
        print(f"equivalent.toml no longer fits: {module}, {within}: {was}", flush=True)
    if asked.again:
        left = [one for one in map(json.loads, asked.again.open(encoding="utf-8")) if not one[1].startswith("killed")]
        mutants = named({tuple(key) for key, _ in left})
        print(f"{len(mutants)} of the {len(left)} mutants that {asked.again.name} does not call killed", flush=True)
    else:
        places, mutants = drawn(asked.seed, asked.mutants, asked.within)
        print(f"{len(mutants)} mutants of {places} places, seed {asked.seed}", flush=True)
    tally = Tally(len(mutants), asked.report)
    for mutant in mutants:
        if mutant.key in known:
            tally.add(mutant, "equivalent")
        elif not mutant.compiles:
            tally.add(mutant, "no program")
    tried([mutant for mutant in mutants if mutant.key not in known and mutant.compiles], asked.jobs, tally.add)
    print(tally, flush=True)
    sys.exit(not tally.complete)


class Tally:
    """What became of the mutants so far, told one by one."""

    def __init__(self, mutants, report):
        self.mutants, self.report, self.start = mutants, report, time.monotonic()
        self.count = dict.fromkeys(("killed", "survived", "no test", "equivalent", "changes nothing", "no program"), 0)
        if report:
            report.write_text("", encoding="utf-8")

    def add(self, mutant, result):
        kind = next(kind for kind in self.count if result.startswith(kind))
        self.count[kind] += 1
        done = sum(self.count.values())
        words = f"{done} {result}: {mutant.module}, {mutant.within or 'at import'} ({mutant.operator})"
        if kind in ("survived", "no test"):
            words += f"\n  - {mutant.was}\n  + {mutant.becomes}"
        if done % 25 == 0:
            words += f"\n{self}"
        print(words, file=sys.__stdout__, flush=True)
        if self.report:
            with self.report.open("a", encoding="utf-8") as file:
                file.write(f"{json.dumps([mutant.key, result])}\n")

    @property
    def complete(self):
        return self.count["survived"] == self.count["no test"] == 0

    def __str__(self):
        count = self.count
        same = count["equivalent"] + count["changes nothing"] + count["no program"]
        done = sum(count.values())
        return (
            f"{done} of {self.mutants}: killed {count['killed']} of {done - same} that are not equivalent "
            f"({count['survived']} survived, {count['no test']} reached by no test, {same} equivalent or no program); "
            f"{time.monotonic() - self.start:.0f} s"
        )


def tried(mutants, jobs, tell):
    """Tell of each mutant what became of it."""
    tests = [str(path) for name in TESTS for path in sorted(ROOT.glob(name))] + [str(path) for path in target_files()]
    running = [mutant for mutant in mutants if mutant.inside_a_function]
    runner = Runner(running, target_files(), jobs, tell)
    code = pytest.main(
        ["-q", "-p", "no:cacheprovider", "--tb=native", "--doctest-modules", "--thorough", "-k", QUICK, *tests],
        plugins=[runner],
    )
    if code or len(runner.results) < len(running):
        sys.exit(f"The tests could not be run (pytest ended with {code}).")
    others = [mutant for mutant in mutants if not mutant.inside_a_function]
    with ThreadPoolExecutor(jobs) as pool:
        for mutant, result in zip(others, pool.map(lambda one: imported(one, runner.reaching), others), strict=True):
            tell(mutant, result)


def imported(mutant, reaching):
    """What becomes of a mutant that runs at import."""
    if not reaching.get(mutant.path):
        return "no test"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mutant.py")
        file.write_text(mutant.source, encoding="utf-8")
        command = [sys.executable, "-m", "tests.mutation.fresh", str(file), str(ROOT / mutant.path)]
        tests = [*reaching[mutant.path], COMPARED]
        done = subprocess.run([*command, *tests], cwd=ROOT, capture_output=True, text=True, timeout=900)
    failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "survived" if done.returncode == 0 else f"killed by {' '.join(failures[:1]) or 'its import'}"


if __name__ == "__main__":
    main()
