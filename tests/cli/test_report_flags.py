"""kanon report: what an officer signs, of the groups and of own records, with all that a person knows besides."""

import json

import pytest

from kanon_engine.report.members import members_of
from kanon_engine.risk.attacks.linking import LINKING
from kanon_engine.verification import FAMILIES
from kanon_engine.verification.bundle import FAILED, NOTE, Bundle
from tests.cli.command import kanon, refused
from tests.sentences import (
    DECISION_REFUSE,
    HAS_NO_CONDITIONS,
    IS_BROKEN_TOML,
    IS_NEVER_RELEASED,
    KEEP_ONE,
    NO_COLUMN_OF_THE_RELEASE,
    NO_MINIMUM_WAS_PROMISED,
    NOT_A_PAIR_OF_COLUMNS,
    NOT_A_SENSITIVE_COLUMN,
    NOT_THE_WHOLE_POPULATION,
    POPULATION_HAS,
    RELEASED_IN,
    THERE_IS_NO_COLUMN,
    THERE_IS_NO_FILE,
    THERE_IS_NO_LIMIT,
    THRESHOLD_IS,
    UNKNOWN_FACT,
)

FACTS = '[facts]\nmembership_unknown = true\nexpert = "Dr. Ada"\nexpert_risk = 0.05\nexpert_documented = true\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Labels in two groups, own records, a population and a list of names."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "names.csv").write_text("name,count\nAda,50\nBo,40\nCy,10\n", "utf-8")
    columns = ["Ada", "Bo", "Cy"] * 4, "fmfm" * 3, ["flu", "cold"] * 6
    rows = [",".join(row) for row in zip(*columns, strict=True)]
    (folder / "people.csv").write_text("\n".join(["first,sex,illness", *rows, "Di,f,flu"]), "utf-8")
    everybody = [f"{name},{sex},20" for name in ("Ada", "Bo", "Cy") for sex in "fm"]
    (folder / "register.csv").write_text("\n".join(["label,sex,people", *everybody]), "utf-8")
    (folder / "voters.csv").write_text("person,label,sex\nAda Smith,Ada,f\nBo Jones,Bo,m\n", "utf-8")
    (folder / "context.toml").write_text(f'title = "Names"\nofficer = "A. Officer"\n{FACTS}', "utf-8")
    for name, k in (("certificate", 50), ("other", 40)):
        made = kanon("labels", folder / "names.csv", "-k", k, "--algorithm", "fold", "--certificate",
                     folder / f"{name}.json")  # fmt: skip
        assert made.exit_code == 0, made.output
    return folder


@pytest.fixture(autouse=True)
def own_key(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("KANON_KEY", str(tmp_path_factory.getbasetemp() / "key.pem"))


def report(place, *flags):
    return kanon("report", place / "certificate.json", place / "names.csv", *flags)


def content(place, *flags):
    done = report(place, *flags, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


OWN = ["--by", "first", "--quasi-identifiers", "sex", "--sensitive", "illness", "-k", 4]
SAME = ["--population-match", "group=label"]


@pytest.mark.thorough
def test_groups_as_a_table_and_as_json(place):
    done = report(place)
    assert done.exit_code == 0, done.output
    for words in ("Every group as large as you require", LINKING.title, "Highest prosecutor risk"):
        assert words in done.stdout
    told = content(place, "--rules", "own-minimum,ema-highest", "--threshold", "0.01")
    assert told["k"] == 50
    assert [one["rule"] for one in told["rules"]] == ["own-minimum", "ema-highest"]
    assert [one["verdict"] for one in told["rules"]] == ["holds", "holds"]
    assert told["risk"]["prosecutor-above"] == 1
    assert content(place, "--threshold", "0.02")["risk"]["prosecutor-above"] == 0
    assert "own_records" not in told


def test_own_records_with_everything_that_is_known_and_the_bundle_verifies(place, tmp_path):
    bundle, html, pdf = (tmp_path / f"out.{ending}" for ending in ("zip", "html", "pdf"))
    flags = ["--records", place / "people.csv", *OWN, "--context", place / "context.toml"]
    flags += ["--population", place / "register.csv", *SAME, "--population-size", 500]
    flags += ["--against", place / "voters.csv", "--name", "person", "--match", "group=label"]
    flags += ["--other-certificate", place / "other.json", "--formats", "csv,parquet", "--seed", 3]
    done = report(place, *flags, "--bundle", bundle, "--html", html, "--pdf", pdf, "--data", "--format", "json")
    assert done.exit_code == 0, done.output
    assert "register.csv lists 120 people, according to its column “people”." in done.stderr
    told = json.loads(done.stdout)
    own = told["own_records"]
    assert (own["records"], own["k"], own["left_out"]) == (12, 4, {"unknown": 1})
    assert own["below"]["records"] > 0
    verdicts = {one["rule"]: one["verdict"] for one in told["rules"]}
    assert verdicts["own-minimum"] == "does not hold"
    assert all(bool(one["step"]) == (one["verdict"] == "does not hold") for one in told["rules"])
    assert verdicts["hipaa-expert"] == "holds"  # by the population, 1 in 20 or more
    assert told["risk"]["journalist-highest"] == 1 / 20
    assert told["risk"]["population-uniques"] is not None
    assert (told["before"]["records"], told["before"]["k-reached"]) == (13, 1)
    attacks = {one["attack"]: one for one in told["attacks"]}
    assert attacks["linking"]["of"] == 2
    assert {"names.csv", "people.csv", "register.csv", "voters.csv"} <= set(told["digests"])
    assert {"release/records.csv", "release/records.parquet"} <= set(told["digests"])
    assert html.read_text("utf-8").startswith("<!")
    assert pdf.read_bytes().startswith(b"%PDF")
    checked = kanon("verify", bundle, place / "names.csv")
    assert checked.exit_code == 0, checked.output
    lines = list(Bundle(FAMILIES).lines(str(bundle), None))
    assert [line for line in lines if line.mark == FAILED] == []
    assert any(line.mark == NOTE and NO_MINIMUM_WAS_PROMISED in line.detail for line in lines)
    manifest = json.loads(members_of(bundle.read_bytes())["manifest.json"])
    assert (manifest["released"]["k"], manifest["released"]["promised"]) == (4, None)
    assert "own records" not in refused(report(place, "--bundle", bundle))


@pytest.mark.thorough
def test_limits_and_trees_decide_and_stand_in_the_verdict(place, tmp_path):
    (tmp_path / "ills.csv").write_text("flu;airways;*\ncold;airways;*\n", "utf-8")
    flags = ["--records", place / "people.csv", *OWN, "--html", tmp_path / "a.html"]
    loose = ["--limit", "t=1", "--limit", "rise=1", "--limit", "reach=1", "--limit", "absent=1"]

    def skewness(*more):
        return next(
            one for one in content(place, *flags, "--force", *more)["attacks"] if one["attack"] == "homogeneity"
        )

    assert skewness()["verdict"] == "does not survive"
    told = skewness(*loose, "--limit", "apart=0", "--tree", f"illness={tmp_path / 'ills.csv'}")
    assert "all records is at most 1" in told["sentence"]
    assert "all records is at most 1" in (tmp_path / "a.html").read_text("utf-8")
    assert f"{THERE_IS_NO_LIMIT} 'l'" in refused(report(place, *flags, "--force", "--limit", "l=2"))
    assert NOT_A_SENSITIVE_COLUMN in refused(report(place, *flags, "--force", "--tree", f"sex={tmp_path / 'ills.csv'}"))


def test_a_table_says_first_what_leaves_of_own_records(place):
    done = report(place, "--records", place / "people.csv", "--by", "first", "--keep", "illness")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"12 {RELEASED_IN} 2 groups. 1 record is left out")


def test_a_project_file_is_a_context_and_both_tables_are_read(place, tmp_path):
    both = tmp_path / "both.toml"
    rules = ["--rules", "hipaa-expert", "--context", both]
    for text in (f'[context]\ntitle = "Names"\n{FACTS}', f'kanon = 1\nk = 3\n[context]\ntitle = "A"\n{FACTS}'):
        both.write_text(text, "utf-8")
        assert content(place, *rules)["rules"][0]["verdict"] == "holds"
    both.write_text('title = "Names"', "utf-8")
    assert content(place, *rules)["rules"][0]["verdict"] == "not assessed"


def test_a_decision_stands_first_in_the_report_and_is_signed(place, tmp_path):
    said = '[decision]\nkind = "refuse"\nreason = "Too many stand out."\ndate = 2026-11-20\n'
    (tmp_path / "context.toml").write_text(f'officer = "A. Officer"\n{said}', "utf-8")
    page, bundle = tmp_path / "report.html", tmp_path / "bundle.zip"
    done = report(place, "--context", tmp_path / "context.toml", "--html", page, "--bundle", bundle)
    assert done.exit_code == 0, done.output
    assert page.read_text("utf-8").index(DECISION_REFUSE) < page.read_text("utf-8").index("Summary</h2>")
    context = json.loads(members_of(bundle.read_bytes())["manifest.json"])["context"]
    assert (context["decision.kind"], context["decision.by"], context["decided"]) == (
        "refuse", "A. Officer", "2026-11-20",
    )  # fmt: skip
    assert kanon("verify", bundle).exit_code == 0


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[facts]\nexperts = 'A'", f"{UNKNOWN_FACT} 'experts'"),
        ("[facts]\nexpert_risk = 7", "give a share above 0 and at most 1"),
        ("facts = 3", "has facts = 3, but facts must be in a section [facts]"),
        ("context = 3", "The context is 3, but it must be a section"),
        ("[context]\n[fact]\na = 1", "has the unknown entry 'fact'; put it under [context]"),
        ("[decision]\nkind = 'release'", "The decision “release” has no reason"),
        ("[decision]\nkind = 'release with conditions'\nreason = 'A'", HAS_NO_CONDITIONS),
        ("[decision]\nkind = 'maybe'\nreason = 'A'", "The decision 'maybe' is unknown"),
        ("[decision]\nboss = 'A'", "The decision has an unknown entry 'boss'"),
        ("decision = 3", "The decision is 3, but it must be a section"),
        ("officer = 'A'\n[decision]\nkind = 'refuse'\nreason = 'A'\nby = 'B'", KEEP_ONE),
        ("[context]\nfoo = 'A'", "The context has an unknown entry 'foo'"),
        ("a = = 1", IS_BROKEN_TOML),
        ("\x00", IS_BROKEN_TOML),
    ],
)
def test_a_context_that_means_nothing_is_a_sentence(place, tmp_path, text, words):
    (tmp_path / "context.toml").write_text(text, "utf-8")
    assert words in refused(report(place, "--context", tmp_path / "context.toml", "--html", tmp_path / "a.html"))
    assert not (tmp_path / "a.html").exists()


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--context", "none.toml"], THERE_IS_NO_FILE),
        (["--rules", "mine"], "There is no rule 'mine'"),
        (["--formats", "exe"], "There is no format 'exe'"),
        (["--formats", "gpkg"], "gpkg"),
        (["--threshold", 2], f"{THRESHOLD_IS} 2"),
        (["--records", "people.csv", "--by", "place"], f"{THERE_IS_NO_COLUMN} 'place'"),
        (["--records", "people.csv", "--by", "first", "--sensitive", "first"], IS_NEVER_RELEASED),
        (["--population", "register.csv"], NO_COLUMN_OF_THE_RELEASE),
        (["--population", "register.csv", "--population-match", "group"], NOT_A_PAIR_OF_COLUMNS),
        (["--population", "register.csv", *SAME, "--population-count", "x"], "column 'x'"),
        (["--population", "voters.csv", *SAME], NOT_THE_WHOLE_POPULATION),
        (["--population-size", 7], f"{POPULATION_HAS} 7 people, fewer than the 100 in the release"),
        (["--against", "voters.csv", "--name", "who"], f"{THERE_IS_NO_COLUMN} 'who'"),
        (["--other-certificate", "other.json", *["--other-file", "names.csv"] * 2], "one --other-file"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_sentence_and_no_file_appears(place, tmp_path, flags, words):
    files = {name: place / name for name in ("people.csv", "register.csv", "voters.csv", "other.json", "names.csv")}
    named = [files.get(flag, flag) for flag in flags]
    outputs = ["--bundle", tmp_path / "b.zip", "--html", tmp_path / "a.html"]
    assert words in refused(report(place, *named, *outputs))
    assert list(tmp_path.iterdir()) == []


def test_where_one_file_cannot_be_made_none_appears(place, tmp_path, monkeypatch):
    def full(review):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kanon_engine.report.pdf.report_pdf", full)
    said = refused(report(place, "--html", tmp_path / "a.html", "--pdf", tmp_path / "a.pdf"))
    assert "No space left" in said
    assert list(tmp_path.iterdir()) == []


def test_a_broken_key_is_told_before_anything_is_looked_at(place, tmp_path, monkeypatch):
    (tmp_path / "key").write_text("no key")
    (tmp_path / "key").chmod(0o600)
    monkeypatch.setenv("KANON_KEY", str(tmp_path / "key"))
    monkeypatch.setattr("kanon_engine.cli.report.OpenedCertificate", None)
    assert "is broken" in refused(report(place, "--bundle", tmp_path / "bundle.zip"))


@pytest.mark.parametrize(
    "flags",
    [["--by", "x"], ["-k", 3], ["--quasi-identifiers", "a"], ["--name", "x"], ["--match", "a=b"], ["--everybody"],
     ["--population-match", "a=b"], ["--population-count", "n"], ["--other-file", "a"], ["--person", "id"], ["--data"]],
)  # fmt: skip
def test_flags_that_are_about_nothing_are_usage_errors(place, flags):
    result = report(place, *flags)
    assert result.exit_code == 2
    assert "this option applies only to" in " ".join(result.stderr.split())


@pytest.mark.thorough
def test_a_bundle_with_limits_is_rebuilt_with_them_and_one_with_a_tree_is_not_checked(tmp_path):
    people, ills = tmp_path / "people.csv", tmp_path / "ills.csv"
    people.write_text("age,sex,illness\n" + "31,f,flu\n31,f,cold\n52,m,flu\n52,m,gout\n" * 5, "utf-8")
    ills.write_text("flu;airways;*\ncold;airways;*\ngout;joints;*\n", "utf-8")
    table = [people, "--quasi-identifiers", "age,sex", "-k", 5, "--keep", "illness"]
    made = kanon("table", *table, "--certificate", tmp_path / "certificate.json")
    assert made.exit_code == 0, made.output
    own = [tmp_path / "certificate.json", people, "--keep", "illness", "--sensitive", "illness", "--limit", "t=0.25"]
    for name, more, unchecked in (("limits", [], set()), ("tree", ["--tree", f"illness={ills}"], {"report.html"})):
        bundle = tmp_path / f"{name}.zip"
        assert kanon("report", *own, *more, "--bundle", bundle).exit_code == 0
        checked = kanon("verify", bundle, people, "--format", "json")
        assert checked.exit_code == 0, checked.output
        assert unchecked <= {one["name"] for one in json.loads(checked.stdout)["not_checked"]}
        assert "report.html" in unchecked or "report.html" in {
            one["name"] for one in json.loads(checked.stdout)["checks"]
        }
