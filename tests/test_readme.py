"""What README.md says of the algorithms is what the registry says."""

import re
from pathlib import Path

import pytest

from kanon_engine.families import FAMILIES

TEXT = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| `([\w-]+)`( \(default\))? \| ([^|]+) \|", re.MULTILINE)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_the_table_of_algorithms_has_the_guarantees_of_the_registry(family):
    rows = [(name, bool(default), words) for kind, name, default, words in ROW.findall(TEXT) if kind == family.name]
    registered = [
        (algorithm.name, algorithm.name == family.default, algorithm.guarantee)
        for algorithm in family.algorithms.values()
    ]
    assert sorted(rows) == sorted(registered)
