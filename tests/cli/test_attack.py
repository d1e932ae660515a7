"""kanon attack: a release, what attackers have, what they find."""

import json

import pandas as pd
import pytest

from kanon_engine.risk.attacks.homogeneity import BRANCH
from kanon_engine.risk.attacks.linking import LINKING
from tests.cli.command import SAMPLES, kanon, refused
from tests.sentences import (
    ALREADY_EXISTS,
    FEWEST_RECORDS_THAT_FIT,
    IDENTIFIED_WITH_CERTAINTY,
    NOT_A_PAIR_OF_COLUMNS,
    THERE_IS_NO_LIMIT,
    WITH_A_RECORD_THAT_FITS,
)

COLUMNS = "age,education,sex"
ADULT = SAMPLES / "adult_2000.parquet"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small release that says too much, one that does not, and a list of people."""
    made = tmp_path_factory.mktemp("attack")
    people = {"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "zip": ["476**"] * 4, "illness": ["flu", "cold", "flu", "flu"]}
    pd.DataFrame(people).to_csv(made / "release.csv", index=False)
    pd.DataFrame(people | {"illness": ["flu", "cold"] * 2}).to_parquet(made / "better.parquet")
    voters = {"who": ["Ada", "'=Ben"], "born_age": [36, 47], "zip": ["47601", "47678"]}
    pd.DataFrame(voters).to_csv(made / "voters.csv", index=False)
    return made


def attacked(folder, release, *more):
    return kanon("attack", folder / release, "-k", 2, "--quasi-identifiers", "age,zip", "--sensitive", "illness", *more)


def test_a_release_that_says_too_much_does_not_survive(folder, tmp_path):
    out = tmp_path / "evidence.csv"
    flags = ["--against", folder / "voters.csv", "--name", "who", "--match", "age=born_age", "--evidence", out]
    result = attacked(folder, "release.csv", *flags)
    assert result.exit_code == 0, result.output
    assert f"{LINKING.title}: does not survive" in result.stdout
    assert f"Of 2 people on the list, 0 are {IDENTIFIED_WITH_CERTAINTY}" in result.stdout
    assert "(internal)" in result.stderr
    frame = pd.read_csv(out)
    assert frame[["attack", "name", "certain illness"]].to_numpy().tolist()[0] == ["linking", "''=Ben", "flu"]
    assert set(frame["attack"]) == {"linking", "homogeneity"}
    again = attacked(folder, "release.csv", *flags)
    assert ALREADY_EXISTS in refused(again)


def test_a_release_that_tells_nothing_survives_in_json_too(folder):
    flags = ["--against", folder / "voters.csv", "--name", "who", "--match", "age=born_age", "--format", "json"]
    told = json.loads(attacked(folder, "better.parquet", *flags, "--only", "linking,homogeneity").stdout)
    assert [one["verdict"] for one in told["attacks"]] == ["survives", "survives"]
    assert told["attacks"][0]["interval"][0] == 0
    other = attacked(folder, "better.parquet", *flags, "--other", folder / "release.csv", "--only", "composition")
    assert json.loads(other.stdout)["attacks"][0]["figures"]["releases"] == "2"


def test_limits_and_trees_decide_and_stand_in_the_verdict(folder, tmp_path):
    tree = tmp_path / "ills.csv"
    tree.write_text("flu;airways;*\ncold;airways;*\ngout;joints;*\n")
    frame = pd.read_parquet(folder / "better.parquet")
    more = frame.assign(age="≥ 60", illness=["gout", "flu"] * 2)
    pd.concat([frame, more]).to_csv(tmp_path / "more.csv", index=False)
    flags = ["--only", "homogeneity", "--format", "json", "--limit", "t=0.4", "--limit", "absent=0.8"]
    verdict = json.loads(attacked(tmp_path, "more.csv", *flags).stdout)["attacks"][0]
    assert verdict["verdict"] == "survives"
    assert "from those of all records is at most 0.4" in verdict["sentence"]
    with_tree = json.loads(attacked(tmp_path, "more.csv", *flags, "--tree", f"illness={tree}").stdout)["attacks"][0]
    assert with_tree["figures"][f"groups in which {BRANCH}"] == "2"


def test_a_crosswalk_is_enough_for_composition(folder, tmp_path):
    pd.DataFrame({"first": [1, 2, 3, 4], "second": [4, 3, 2, 1]}).to_csv(tmp_path / "cross.csv", index=False)
    flags = ["--other", folder / "release.csv", "--only", "composition", "--format", "json"]
    crossed = attacked(folder, "release.csv", *flags, "--crosswalk", tmp_path / "cross.csv")
    told = json.loads(crossed.stdout)["attacks"][0]
    assert told["figures"]["shared people"] == "4"
    named = attacked(folder, "release.csv", *flags, "--person", "who")
    assert json.loads(named.stdout)["attacks"][0]["verdict"] == "not run"


def test_without_knowledge_attacks_are_not_run(folder):
    result = attacked(folder, "better.parquet")
    assert result.stdout.count(": not run") >= 2
    assert "The release survives these attacks." in result.stdout


@pytest.mark.thorough
def test_certificates_of_adult_are_attacked_with_a_made_up_list(tmp_path):
    for number, algorithm in enumerate(["mondrian", "hill-climb"]):
        flags = ["--quasi-identifiers", COLUMNS, "--keep", "salary", "--algorithm", algorithm]
        made = ["--certificate", tmp_path / f"{number}.json", "--release", tmp_path / f"{number}.csv"]
        assert kanon("table", ADULT, "-k", 5 + number, *flags, *made).exit_code == 0
    asked = ["--quasi-identifiers", COLUMNS, "--sensitive", "salary", "--format", "json", "--file", ADULT]
    asked += ["--certificate", tmp_path / "0.json", "--other-certificate", tmp_path / "1.json"]
    result = kanon("attack", tmp_path / "0.csv", "-k", 5, *asked)
    assert result.exit_code == 0, result.output
    told = {one["attack"]: one for one in json.loads(result.stdout)["attacks"]}
    assert told["linking"]["figures"][WITH_A_RECORD_THAT_FITS] == "2,000"
    assert told["linking"]["figures"][FEWEST_RECORDS_THAT_FIT] == "5"
    assert told["composition"]["figures"]["shared people"] == "2,000"
    assert told["composition"]["found"] > 0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--only", "guessing"], "There is no attack 'guessing'"),
        (["--certificate", "c.json"], "give both --certificate and --file"),
        (["--other-certificate", "c.json"], "give --other-file"),
        (["--match", "age"], NOT_A_PAIR_OF_COLUMNS),
        (["--limit", "l=2"], f"{THERE_IS_NO_LIMIT} 'l'"),
        (["--tree", "illness"], "does not name a hierarchy"),
    ],
)
def test_what_cannot_be_done_is_refused(folder, flags, words):
    assert words in refused(attacked(folder, "release.csv", *flags))
