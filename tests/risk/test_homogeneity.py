"""Belief in sensitive values before and after, against plain counting."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.homogeneity import SHIFT, homogeneity


def plain(groups, values):
    """Of each group: whether a value is certain that was not before, and the largest rise of belief."""
    overall = Counter(values)
    found = {}
    for group in sorted(set(groups)):
        own = Counter(value for other, value in zip(groups, values, strict=True) if other == group)
        size = sum(own.values())
        gain = max(count / size - overall[value] / len(values) for value, count in own.items())
        found[group] = (len(own) == 1 and len(overall) > 1, gain, size)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_groups_that_tell_too_much_are_those_of_plain_counting(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    groups = rng.integers(0, max(1, n // 3), n).tolist()
    values = rng.choice(["flu", "cold", "gout", None], n, p=[0.6, 0.2, 0.1, 0.1]).tolist()
    frame = pd.DataFrame({"group": groups, "ill": values})
    found = homogeneity(Released(frame, ("group",), ("ill",), k=2))
    expected = plain(groups, values)
    exposed = {group for group, (certain, gain, _) in expected.items() if certain or gain > SHIFT}
    assert set(found.evidence["group"]) == exposed
    assert found.found == sum(expected[group][2] for group in exposed)
    assert found.figures["groups in which a value is certain"] == str(sum(one[0] for one in expected.values()))
    assert float(found.figures["largest rise of belief"]) == pytest.approx(
        max(gain for _, gain, _ in expected.values()), abs=6e-4
    )
    assert found.verdict == ("does not survive" if exposed else "survives")


def test_t_is_that_of_the_paper():
    """Li, Li, Venkatasubramanian 2007, section 4.3: salaries 3k to 11k; {3, 4, 5} is at 0.375, {6, 8, 11} at 0.167."""
    salaries = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    frame = pd.DataFrame({"group": [0, 0, 0, 1, 1, 1, 2, 2, 2], "salary": salaries})
    assert homogeneity(Released(frame, ("group",), ("salary",), k=3)).figures["t of “salary”"] == "0.375"
    second = pd.DataFrame({"group": [1, 2, 2, 1, 1, 1, 2, 2, 2], "salary": [6, 3, 4, 8, 11, 5, 7, 9, 10]})
    second["group"] = [0 if salary in (6, 8, 11) else 1 for salary in second["salary"]]
    assert float(homogeneity(Released(second, ("group",), ("salary",), k=3)).figures["t of “salary”"]) == 0.167


def test_records_that_stand_for_several_count_as_often():
    frame = pd.DataFrame({"group": [1, 1, 2], "ill": ["flu", "cold", "flu"], "people": [9, 1, 0]})
    found = homogeneity(Released(frame, ("group",), ("ill",), k=2, counts="people"))
    assert (found.verdict, found.of) == ("survives", 10)


def test_without_a_sensitive_column_it_is_not_run():
    assert homogeneity(Released(pd.DataFrame({"age": [1]}), ("age",), k=1)).verdict == "not run"


def test_an_empty_release_is_not_attacked():
    assert homogeneity(Released(pd.DataFrame({"age": [], "ill": []}), ("age",), ("ill",))).verdict == "not run"


def test_what_everybody_has_is_told():
    release = Released(pd.DataFrame({"age": list("aabb"), "ill": ["flu"] * 4}), ("age",), ("ill",))
    assert homogeneity(release).sentence.endswith("Everybody in the release has the same “ill”.")
