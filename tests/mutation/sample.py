"""How many changes of the code that checks results the quick tests notice.

    python -m tests.mutation.sample --seed 0 --mutants 400

It needs the extra `mutation`. Nothing on disk is changed: a mutant inside a function takes the place of the function's
code in a fork of this process; one that runs at import is imported by a process of its own. Changes that make no
difference to any input are listed with their reason in `equivalent.toml`.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.mutation.mutants import ROOT, drawn, equivalent, target_files
from tests.mutation.runner import Runner

TESTS = (
    "tests/test_certificate.py",
    "tests/test_generalization.py",
    "tests/test_generalize.py",
    "tests/test_validate.py",
    "tests/[lrt]*/test_verify*.py",
    "tests/*/test_instance.py",
    "tests/labels/test_ordered.py",
)
ORACLES = (
    "tests/test_exhaustive_check.py",
    "tests/*/test_bounds*.py",
    "tests/rectangles/test_ceiling.py",
)  # not for mutants in a process of their own

QUICK = "not ends_soon and not oracles_agree and not nearly_always and not gives_up and not never_too_few"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--within", default="", help="only files whose path holds these words")
    asked = parser.parse_args()
    start = time.monotonic()
    places, mutants = drawn(asked.seed, asked.mutants)
    print(f"{len(mutants)} mutants of {places} places in {len(target_files())} files, seed {asked.seed}", flush=True)
    known = equivalent()
    same = [mutant for mutant in mutants if mutant.key in known]
    open_ones = [mutant for mutant in mutants if mutant.key not in known and asked.within in mutant.path]
    results = dict.fromkeys(same, "equivalent") | tried(open_ones, asked.jobs)
    count = {
        word: sum(result.startswith(word) for result in results.values()) for word in ("killed", "survived", "no test")
    }
    count["equivalent"] = sum(result in ("equivalent", "changes nothing") for result in results.values())
    left = len(results) - count["equivalent"]
    print(
        f"seed {asked.seed}: killed {count['killed']} of {left} that are not equivalent "
        f"({count['survived']} survived, {count['no test']} reached by no test, {count['equivalent']} equivalent); "
        f"{time.monotonic() - start:.0f} s"
    )
    sys.exit(count["killed"] < left)


def tried(mutants, jobs):
    """{mutant: what became of it}."""
    tests = [str(path) for name in TESTS for path in sorted(ROOT.glob(name))] + [str(path) for path in target_files()]
    oracles = [str(path) for name in ORACLES for path in sorted(ROOT.glob(name))]
    running = [mutant for mutant in mutants if mutant.inside_a_function]
    runner = Runner(running, target_files(), jobs, tell)
    code = pytest.main(
        ["-q", "-p", "no:cacheprovider", "--doctest-modules", "-k", QUICK, *tests, *oracles], plugins=[runner]
    )
    if len(runner.results) < len(running):
        sys.exit(f"The tests could not be run (pytest ended with {code}).")
    results = dict(zip(running, runner.results, strict=True))
    for number, mutant in enumerate(mutant for mutant in mutants if not mutant.inside_a_function):
        results[mutant] = imported(mutant, tests)
        tell(number, mutant, results[mutant])
    return results


def imported(mutant, tests):
    """What becomes of a mutant that runs at import."""
    family = mutant.path.split("/")[1]
    near = [test for test in tests if f"/{family}/" in test] + [test for test in tests if "/tests/test_" in test]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mutant.py")
        file.write_text(mutant.source, encoding="utf-8")
        command = [sys.executable, "-m", "tests.mutation.fresh", str(file), mutant.module]
        done = subprocess.run(
            [*command, *dict.fromkeys(near or tests)], cwd=ROOT, capture_output=True, text=True, timeout=900
        )
    failures = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "survived" if done.returncode == 0 else f"killed by {' '.join(failures[:1]) or 'its import'}"


def tell(number, mutant, result):
    if number % 50 == 49:
        print(f"{number + 1} tried", file=sys.__stdout__, flush=True)
    if not result.startswith("killed"):
        print(
            f"\n{result}: {mutant.path}, {mutant.within} ({mutant.operator})\n  - {mutant.was}\n  + {mutant.becomes}",
            file=sys.__stdout__,
            flush=True,
        )


if __name__ == "__main__":
    main()
