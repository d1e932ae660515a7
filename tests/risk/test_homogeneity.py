"""Belief in sensitive values before and after, against plain counting."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.model.tree import Tree
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.homogeneity import BRANCH, homogeneity
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from tests.sentences import NOT_A_SENSITIVE_COLUMN

HALF = Limits(t=1, rise=0.5, reach=1, absent=1)  # belief that rises by a half, and nothing else


def plain(groups, values):
    """Of each group: whether a value is certain that was not before, and the largest rise in belief."""
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
    found = homogeneity(Released(frame, ("group",), ("ill",), k=2), Knowledge(limits=HALF))
    expected = plain(groups, values)
    exposed = {group for group, (certain, gain, _) in expected.items() if certain or gain >= 0.5}
    assert set(found.evidence["group"]) == exposed
    assert found.found == sum(expected[group][2] for group in exposed)
    assert found.figures["groups in which a value is certain"] == str(sum(one[0] for one in expected.values()))
    assert float(found.figures["largest rise in belief"]) == pytest.approx(
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
    assert homogeneity(release).sentence.endswith("Everybody in the release has the same value of “ill”.")


def of_groups(*groups, name="ill", limits=None, trees=None):
    """Homogeneity of a release whose groups have these values."""
    frame = pd.DataFrame([(number, value) for number, own in enumerate(groups) for value in own], columns=["g", name])
    known = Knowledge(limits=limits or Limits(), trees=trees or {})
    return homogeneity(Released(frame, ("g",), (name,), k=2), known)


def reasons(found):
    return found.evidence.set_index("g")["why"].to_dict()


def test_belief_that_rises_from_3_to_50_percent_does_not_survive():
    groups = [["HIV"] * 3 + ["none"] * 3, *[["none"] * 47] * 2]  # 3 of 100 have it
    found = of_groups(*groups)
    assert found.verdict == "does not survive"
    assert "belief in a value rises too much" in reasons(found)[0]
    assert "from 0.03 to 0.50" in found.sentence
    assert "If belief in a value rises to at least 5 times what it was, it must still be below 0.3." in found.sentence


def test_a_relative_rise_counts_where_it_reaches_the_limit():
    """From 3 % to 3 of 10: less than 0.3 more, and ten times as much."""
    groups = [["HIV"] * 3 + ["none"] * 7, *[["none", "none", "none"]] * 30]
    assert "belief" in reasons(of_groups(*groups))[0]
    assert "belief" not in reasons(of_groups(*groups, limits=Limits(times=12))).get(0, "")
    assert "belief" in reasons(of_groups(*groups, limits=Limits(times=12, rise=0.2)))[0]


def test_t_counts_with_the_threshold_that_is_set():
    groups = [["a", "a", "b", "b"], ["c", "c", "d", "d"]]  # t is 0.5, no belief rises by more than 0.25
    assert reasons(of_groups(*groups)) == {0: "t is too large", 1: "t is too large"}
    loose = of_groups(*groups, limits=Limits(t=0.5))
    assert loose.verdict == "survives"
    assert "from those of all records is at most 0.5" in loose.sentence


STOMACH = ["gastric ulcer", "gastritis", "stomach cancer"]
CHEST = ["bronchitis", "flu", "pneumonia"]
BRANCHES = Tree.from_levels([*((one, "digestive") for one in STOMACH), *((one, "respiratory") for one in CHEST)])
WIDE = Limits(t=1, rise=1, reach=1, absent=1)


def test_three_diseases_of_the_stomach_are_similar_by_a_tree():
    """The similarity attack of Li, Li, Venkatasubramanian 2007, table 3: the first group has three of them."""
    groups = [STOMACH, [*STOMACH[:1], *CHEST[:2]], [*CHEST[:2], STOMACH[1]]]
    assert of_groups(*groups, limits=WIDE).verdict == "survives"
    found = of_groups(*groups, limits=WIDE, trees={"ill": BRANCHES})
    assert reasons(found) == {0: BRANCH}
    # what all records have in common tells nothing new
    assert of_groups(STOMACH, STOMACH, limits=WIDE, trees={"ill": BRANCHES}).verdict == "survives"


def test_a_tree_names_every_value_of_a_sensitive_column():
    with pytest.raises(InvalidInput, match="lacks “gout”"):
        of_groups([*STOMACH, "gout"], trees={"ill": BRANCHES})
    with pytest.raises(InvalidInput, match=NOT_A_SENSITIVE_COLUMN):
        of_groups(STOMACH, trees={"illness": BRANCHES})


def test_words_that_begin_alike_are_a_question_without_a_tree():
    groups = [["gastric ulcer", "gastric cancer"], ["flu", "gastric ulcer"], ["gastric cancer", "flu"]]
    found = of_groups(*groups, limits=WIDE)
    assert found.verdict == "survives"
    assert "In 1 group all values of “ill” begin with “gastric”: are they similar in meaning?" in found.sentence
    assert "begin with" not in of_groups(*groups[1:], limits=WIDE).sentence
    assert "begin with “gastri”" in of_groups(STOMACH[:2], ["flu", "cold"], limits=WIDE).sentence


def test_incomes_that_are_close_together_do_not_survive():
    """Within 300 of a range of 60,000."""
    groups = [[40_000, 40_100, 40_300], [10_000, 40_200, 70_000], [20_000, 40_150, 60_000]]
    found = of_groups(*groups, name="income", limits=Limits(t=1, rise=1, reach=1))
    assert reasons(found) == {0: "all numbers are close together"}
    assert of_groups(*groups, name="income", limits=Limits(t=1, rise=1, reach=1, apart=0.001)).verdict == "survives"


def test_a_value_that_half_have_and_a_group_lacks_does_not_survive():
    groups = [["flu", "cold", "gout"], ["flu", "flu", "flu", "cold"], ["flu", "asthma", "mumps"], ["cold", "mumps"]]
    found = of_groups(*groups, limits=Limits(t=1, rise=1, reach=1, absent=0.4))
    assert reasons(found) == {3: "a value that is common overall is missing"}
    assert of_groups(*groups, limits=Limits(t=1, rise=1, reach=1, absent=0.5)).verdict == "survives"


def many_codes(seed, power):
    """2,000 records in groups of 11 at random, with 300 codes whose frequencies fall with their rank."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, 301) ** power
    codes = rng.choice(300, 2_000, p=shares / shares.sum())
    groups = np.minimum(np.arange(2_000) // 11, 180)
    return pd.DataFrame({"g": groups, "ill": [f"code {code}" for code in codes]})


def test_many_rare_codes_in_small_groups_are_not_skewed_by_their_number_alone():
    """t of 11 records of 300 codes is above 0.3 in any grouping; belief rises by chance as often as the figure says."""
    fired, expected = 0, 0.0
    for seed in range(40):
        found = homogeneity(Released(many_codes(seed, 0.5), ("g",), ("ill",), k=11))
        (told,) = (value for name, value in found.figures.items() if "random groups" in name)
        fired, expected = fired + (found.verdict == "does not survive"), expected + float(told)
        assert float(found.figures["t of “ill”"]) > 0.8
    assert 0 < fired < 15
    assert fired <= 2 * expected


def test_a_large_group_of_many_codes_is_far_by_more_than_chance():
    frame = many_codes(1, 0.5).assign(g=np.arange(2_000) // 200)
    assert homogeneity(Released(frame, ("g",), ("ill",), k=11)).verdict == "survives"
    frame = frame.sort_values("ill", ignore_index=True).assign(g=np.arange(2_000) // 200)
    assert "t is too large" in reasons(homogeneity(Released(frame, ("g",), ("ill",), k=11)))[0]


@pytest.mark.parametrize("text", ["t", "t=a", "l=2", "t=2", "times=0.5"])
def test_limits_that_are_none_are_refused(text):
    with pytest.raises(InvalidInput, match="limit"):
        Limits.read([text])
