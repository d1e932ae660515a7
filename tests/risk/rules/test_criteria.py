"""WP216 and NIST SP 800-188."""

from dataclasses import replace

import pandas as pd

from kanon_engine.release.released import Released
from kanon_engine.risk.rules import ALL, Facts
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OPEN
from tests.risk.rules.releases import attacked, groups, records, ruling, verdict


def ill(values, k=2):
    frame = pd.DataFrame({"age": ["≤ 39"] * 4 + ["≥ 40"] * 4, "illness": list(values)})
    return Released(frame, ("age",), ("illness",), k=k)


def test_a_record_that_is_alone_is_singled_out():
    assert verdict(records(2, 3), "wp216-singling-out") == HOLDS
    assert verdict(records(1, 3), "wp216-singling-out") == FAILS
    assert verdict(groups(1, 3), "wp216-singling-out") == FAILS
    broken = attacked("differencing", "does not survive", 1)
    assert verdict(records(2, 3), "wp216-singling-out", attacks=(broken,)) == OPEN


def test_a_second_count_of_one_singles_out():
    assert verdict(groups(20, 30, sums={"cases": [1, 3]}), "wp216-singling-out") == FAILS
    assert verdict(groups(20, 30, sums={"cases": [2, 3]}), "wp216-singling-out") == HOLDS
    all_but_one = groups(20, 30, sums={"cases": [19, 3]})
    assert verdict(all_but_one, "wp216-singling-out") == OPEN
    assert verdict(all_but_one, "wp216-singling-out", Facts(parts=True)) == FAILS
    assert verdict(all_but_one, "wp216-singling-out", Facts(parts=False)) == HOLDS


def test_sensitive_values_that_single_out_are_asked_about():
    release = ill("aabcddee")
    assert verdict(release, "wp216-singling-out") == OPEN
    assert verdict(release, "wp216-singling-out", Facts(sensitive_unknown=True)) == HOLDS
    assert verdict(ill("aabbddee"), "wp216-singling-out") == HOLDS


def test_linking_is_never_said_to_be_impossible():
    assert verdict(records(20, 30), "wp216-linkability") == OPEN
    assert verdict(records(20, 30), "wp216-linkability", attacks=(attacked("composition", "survives"),)) == OPEN
    broken = attacked("composition", "does not survive", 2)
    assert verdict(records(20, 30), "wp216-linkability", attacks=(broken,)) == FAILS


def test_inference_needs_a_share_that_is_allowed():
    half = ill("aabbccdd")
    assert verdict(half, "wp216-inference") == OPEN
    assert verdict(half, "wp216-inference", Facts(inference=0.5)) == HOLDS
    assert verdict(half, "wp216-inference", Facts(inference=0.49)) == FAILS
    third = Released(pd.DataFrame({"age": ["any"] * 3, "illness": list("abc")}), ("age",), ("illness",))
    assert verdict(third, "wp216-inference", Facts(inference="1/3")) == HOLDS
    assert verdict(third, "wp216-inference", Facts(inference=0.3333)) == FAILS


def test_a_group_with_one_value_tells_it():
    found = ruling(ill("aaaabbcc"), "wp216-inference")
    assert found.verdict == FAILS
    assert "“illness”" in found.found
    assert verdict(ill("aaaabbcc"), "wp216-inference", Facts(inference=1)) == FAILS


def test_without_sensitive_columns_nobody_knows_what_could_be_inferred():
    assert verdict(records(20, 30), "wp216-inference", Facts(inference=0.5)) == OPEN
    cases = groups(20, 30, sums={"cases": [20, 3]})
    assert verdict(cases, "wp216-inference", Facts(inference=0.5)) == OPEN
    assert verdict(cases, "wp216-inference", Facts(inference=0.5, parts=True)) == FAILS
    none = groups(20, 30, sums={"cases": [0, 15]})
    assert verdict(none, "wp216-inference", Facts(parts=True)) == FAILS  # nobody in the first group is a case


def test_a_government_data_set_needs_all_of_it():
    release = records(5, 6, k=5)
    said = Facts(absent=ALL, sharing="published", board="the disclosure review board")
    tried = (attacked("linking", "survives"),)
    assert verdict(release, "nist-800-188", said, tried) == HOLDS
    assert verdict(release, "nist-800-188", said) == OPEN
    for missing in ({"absent": ()}, {"sharing": ""}, {"board": " "}):
        assert verdict(release, "nist-800-188", replace(said, **missing), tried) == OPEN
    assert verdict(records(4, 6, k=5), "nist-800-188", said, tried) == FAILS
    assert verdict(release, "nist-800-188", replace(said, minimum=6), tried) == FAILS
    broken = (*tried, attacked("homogeneity", "does not survive", 2))
    assert verdict(release, "nist-800-188", said, broken) == OPEN
    assert verdict(release, "nist-800-188", replace(said, accepted=True), broken) == HOLDS
    named = Released(pd.DataFrame({"age": ["any"] * 5, "name": list("abcde")}), ("age",), k=5)
    assert verdict(named, "nist-800-188", said, tried) == FAILS


def test_the_next_step_against_a_common_value_is_a_requirement_that_keeps_it_below_the_share():
    step = ruling(ill("aabbccdd"), "wp216-inference", Facts(inference=0.4)).step
    assert "(recursive diversity, l = 2, c = 0.666), or leave out “illness”." in step  # 0.666 / 1.666 is below 0.4
    certain = ruling(ill("aaaabbcc"), "wp216-inference").step
    assert certain == "Require different values of “illness” in every group, or leave out “illness”."
    cases = ruling(groups(20, 30, sums={"cases": [20, 3]}), "wp216-inference", Facts(parts=True)).step
    assert cases == "Leave out “cases”, or make larger groups."
