"""All six attacks on Adult: what each finds, and how long it takes.

pytest tests/benchmarks/test_attacks.py -s prints the times. Not part of a plain run.
"""

import time

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.release.made import released_of
from kanon_engine.risk.attacks import ATTACKS, attack
from kanon_engine.risk.attacks.knowledge import Knowledge
from tests.tables.adult import ADULT, AGES, EDUCATION, NAMES

DIVERSE = [kanon.Diversity("occupation", 2)]
BRIEF = {"progress": lambda report: report.done < 0.01}  # the first of the nodes of a whole search

SAFE = {"linking": SURVIVES}  # nobody is found, as k promises
ALIKE = SAFE | {
    "minimality": SURVIVES,
    "downcoding": SURVIVES,
}  # no further cut leaves k everywhere; intervals are loose

# algorithm, whether a diversity of occupation is required → attack → verdict
RUNS = {
    ("mondrian", True): dict.fromkeys(ATTACKS, BROKEN) | SAFE,
    ("k-optimize", False): dict.fromkeys(ATTACKS, BROKEN) | ALIKE,
    ("k-optimize", True): dict.fromkeys(ATTACKS, BROKEN) | ALIKE,
}


@pytest.mark.parametrize(("algorithm", "diverse"), RUNS)
def test_all_six_on_adult(algorithm, diverse):
    """Ages by five years, occupation sensitive, k = 5; another release of the same people with k = 10."""
    frame = pd.read_parquet(ADULT)
    frame["age"] = AGES["paper"](frame["age"])
    table = kanon.Table(frame, [name for name in NAMES if name != "occupation"], orders={"education": EDUCATION})
    options = {} if algorithm == "mondrian" else BRIEF | {"suppression_limit": 0}  # else minimality is not run
    result = kanon.generalize(table, 5, algorithm, require=DIVERSE if diverse else [], **options)
    other = kanon.generalize(table, 10, "mondrian")
    released = released_of(table, result, ["occupation"], ["occupation"])
    knowledge = Knowledge(instance=table, result=result, other_results=((table, other),))
    verdicts = {}
    print(f"\n{algorithm}, {result.classes:,} groups")  # noqa: T201
    for name in ATTACKS:
        start = time.process_time()
        (found,) = attack(released, knowledge, [name])
        print(f"{name:13} {time.process_time() - start:5.1f} s CPU  {found.verdict}: {found.sentence}")  # noqa: T201
        verdicts[name] = found.verdict
    assert verdicts == RUNS[algorithm, diverse]
