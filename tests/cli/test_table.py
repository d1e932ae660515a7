"""kanon table: roles, orders and ranges on the command line, the release, and its certificate checked again."""

import json

import pandas as pd
import pytest

from kanon_engine import Closeness, Diversity, audit, generalize, read_table
from kanon_engine.tables.release import kept_columns, released_frame
from tests.cli.command import kanon, refused
from tests.sentences import (
    DIFFERENT_VALUES_OF,
    HAS_A_NAME_THAT_SUGGESTS,
    IN_TOTAL,
    MUST_BE_A_WHOLE_NUMBER,
    NEEDS_A_CLASS_LABEL,
    NO_ROLE_WAS_SET,
    RUN_IT_AS_A_FORMULA,
    THERE_IS_NO_COLUMN,
    WRITE_IT_LIKE,
)

PEOPLE = """id,age,town,sex,illness
1,17,a,f,flu
2,18,a,f,flu
3,19,b,m,cold
4,21,b,m,?
5,22,c,f,cold
6,25,c,f,flu
7,30,a,m,flu
8,33,c,m,cold
9,35,c,m,cold
"""


@pytest.fixture
def files(tmp_path):
    data, levels = tmp_path / "people.csv", tmp_path / "towns.csv"
    data.write_text(PEOPLE, "utf-8")
    levels.write_text("c;X;*\na;Y;*\nb;X;*\n", "utf-8")
    return data, levels


def told(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.thorough
def test_every_setting_reaches_the_reader_and_the_certificate_reads_the_same_again(files, tmp_path):
    data, levels = files
    certificate, release, out = tmp_path / "c.json", tmp_path / "r.csv", tmp_path / "o.csv"
    command = ["table", data, "-k", 2, "--quasi-identifiers", "age,town, sex", "--bins", "age=17:5"]
    command += ["--hierarchies", f"town={levels}", "--orders", '{"sex": ["m", "f"]}', "--sensitive", "illness"]
    command += [
        "--identifiers",
        "id",
        "--algorithm",
        "k-optimize",
        "--suppression-limit",
        1,
        "--metric",
        "AVG",
        "--unit",
        "patients",
    ]
    content = told(
        kanon(*command, "--certificate", certificate, "--release", release, "--out", out, "--format", "json")
    )
    table = read_table(
        data,
        ["age", "town", "sex"],
        bins={"age": (17, 5)},
        hierarchies={"town": levels},
        orders={"sex": ["m", "f"]},
        identifiers=["id"],
        sensitive=["illness"],
        unit="patients",
    )
    assert table.domains[1:] == (("c", "b", "a"), ("m", "f"))
    g = generalize(table, 2, "k-optimize", metric="AVG", suppression_limit=1)
    assert (content["cost"], content["lower_bound"], content["classes"]) == (g.cost, g.lower_bound, g.classes)
    assert content["left_out"] == g.details.suppressed <= 1
    assert content["largest"] == g.class_weights.max()
    frame = released_frame(table, g, kept_columns(table))
    assert release.read_text("utf-8") == frame.to_csv(index=False, lineterminator="\n")
    assert "id" not in frame.columns
    assert len(pd.read_csv(out)) == 9
    levels.unlink()  # the certificate holds the order that the hierarchy gave
    passed = kanon("verify", certificate, data)
    assert passed.exit_code == 0, passed.output
    assert "groups of at least 2 patients" in passed.stdout
    changed = PEOPLE.replace("9,35,c,m,cold", "9,36,d,m,cold")
    data.write_text(changed, "utf-8")
    assert "lacks" in refused(kanon("verify", certificate, data))
    data.write_text(PEOPLE.replace("33", "34"), "utf-8")
    assert kanon("verify", certificate, data).exit_code == 0  # another age in the same range is the same table
    data.write_text(PEOPLE.replace("33", "44"), "utf-8")
    assert "instance" in refused(kanon("verify", certificate, data))


def test_the_text_names_cost_and_bound_without_a_unit(files):
    result = kanon("table", files[0], "-k", 2, "--algorithm", "k-optimize", "--suppression-limit", 0)
    assert result.exit_code == 0, result.output
    lines = dict(line.split("  ", 1) for line in result.stdout.split("\n\n")[0].splitlines())
    content = told(
        kanon("table", files[0], "-k", 2, "--algorithm", "k-optimize", "--suppression-limit", 0, "--format", "json")
    )
    assert lines["cost"].strip() == f"{content['cost']:,} (loss of detail)"
    assert lines["left out"].strip() == "0 records"
    assert lines["data"].strip() == "9 records"
    assert lines["lower bound"].strip().startswith(f"{content['lower_bound']:,}: ")
    assert content["options"]["suppression_limit"] == 0


def test_orders_may_stand_in_a_file(files, tmp_path):
    orders = tmp_path / "orders.json"
    orders.write_text('{"town": ["b", "a", "c"]}', "utf-8")
    table = read_table(files[0], orders={"town": ["b", "a", "c"]})
    content = told(kanon("table", files[0], "-k", 3, "--orders", orders, "--format", "json"))
    assert content["cost"] == generalize(table, 3).cost


def test_a_release_holds_no_column_that_nobody_named(tmp_path):
    """`--identifiers` once switched the look for names off, and they were released."""
    data, release, certificate = (tmp_path / name for name in ("p.csv", "r.csv", "c.json"))
    rows = [f"{n},Person {n},{20 + n % 3},{'ab'[n % 2]},=1+{n % 2}" for n in range(40)]
    data.write_text("\n".join(["id,name,age,town,remark", *rows]), "utf-8")
    command = ["table", data, "-k", 3, "--quasi-identifiers", "age,town", "--identifiers", "id"]
    done = kanon(*command, "--release", release)
    assert done.exit_code == 0, done.output
    assert release.read_text("utf-8").splitlines()[0] == "age,town"
    assert "released unchanged  no column" in done.stdout
    assert f"{NO_ROLE_WAS_SET} “name” and “remark”." in done.stdout
    assert "r.csv (may be published)" in done.stderr
    command += ["--keep", "remark", "--force"]
    done = kanon(*command, "--release", release, "--certificate", certificate)
    assert release.read_text("utf-8").splitlines()[0] == "age,town,remark"
    assert set(pd.read_csv(release)["remark"]) == {"'=1+0", "'=1+1"}
    assert "released unchanged  remark" in done.stdout
    assert "c.json (internal)" in done.stderr
    assert told(kanon(*command, "--format", "json"))["kept"] == ["remark"]
    assert "released unchanged: remark" in kanon("verify", certificate, data).stdout
    assert RUN_IT_AS_A_FORMULA in refused(kanon(*command, "--release", release, "--formulas", "refuse"))
    assert "for quasi-identifiers and for keep" in refused(kanon(*command[:-3], "--keep", "age"))


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--bins", "age"], "COLUMN=VALUE"),
        (["--orders", '{"town": ['], "not JSON"),
    ],
)
def test_what_cannot_be_read_is_a_usage_error(files, flags, words):
    result = kanon("table", files[0], "-k", 2, *flags)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--bins", "age=five"], "'five' is not a range"),
        (["--quasi-identifiers", "height"], f"{THERE_IS_NO_COLUMN} 'height'"),
        (["--metric", "CM"], NEEDS_A_CLASS_LABEL),
        (
            ["--bins", "age=0"],
            "The ranges of 'age' are 0; give a width above 0, or the start of the first range",
        ),
        (
            ["--algorithm", "k-optimize", "--suppression-limit", "-1"],
            "-1 is not a number of at least 0; choose another with --suppression-limit.",
        ),
        (["--weights", "age"], "as “age=2, sex=1”; choose another with --weights."),
        (["--time-limit", "0"], "The time limit is 0.0; it must be a number of seconds above 0."),
        (
            ["--algorithm", "cell-suppression", "--suppression-limit", "3"],
            "The algorithm cell-suppression does not take --suppression-limit; its flags are: ",
        ),
    ],
)
def test_what_makes_no_sense_is_one_sentence(files, flags, words):
    assert words in refused(kanon("table", files[0], "-k", 2, *flags))


def test_a_sweep_of_tables_shows_costs(files):
    result = kanon("sweep", "table", files[0], "--ks", "2,3", "--algorithms", "hill-climb:metric=AVG")
    assert result.exit_code == 0, result.output
    assert "records beyond k per group" in result.stdout.splitlines()[0]
    table = read_table(files[0])
    assert f" {generalize(table, 2, 'hill-climb', metric='AVG').cost} " in result.stdout.splitlines()[1]
    both = kanon("sweep", "table", files[0], "--ks", "2", "--algorithms", "hill-climb,cell-suppression")
    assert " cost " in both.stdout.splitlines()[0]


def test_guessed_roles_release_nothing_until_a_person_accepts_them(files, tmp_path):
    release = tmp_path / "r.csv"
    words = refused(kanon("table", files[0], "-k", 2, "--release", release))
    assert f"“id” was read as identifier because it {HAS_A_NAME_THAT_SUGGESTS} an identifier" in words
    assert words.endswith("or confirm them with --accept-guesses.")
    assert not release.exists()
    assert kanon("table", files[0], "-k", 2, "--release", release, "--accept-guesses").exit_code == 0
    assert release.read_text("utf-8").splitlines()[0] == "age,town,sex"


@pytest.mark.thorough
def test_the_audit_stands_in_summary_and_certificate_and_is_made_again(files, tmp_path):
    data, certificate = files[0], tmp_path / "c.json"
    command = ["table", data, "-k", 2, "--quasi-identifiers", "age,town", "--identifiers", "id"]
    command += ["--sensitive", "illness", "--keep", "illness,sex"]
    done = kanon(*command, "--certificate", certificate)
    table = read_table(data, ["age", "town"], identifiers=["id"], sensitive=["illness"], keep=["illness", "sex"])
    g = generalize(table, 2)
    found = audit(table, g)
    assert found.findings[0].severity == "serious"
    assert found.sentence in done.stdout
    assert f"- serious: {found.findings[0].what} Fix: {found.findings[0].remedy[0].words}" in done.stdout
    assert told(kanon(*command, "--format", "json"))["audit"]["digest"] == found.digest
    assert "the repeated audit finds the same" in kanon("verify", certificate, data).stdout
    lines = kanon("audit", certificate, data)
    assert lines.exit_code == 0, lines.output
    assert [line for line in lines.stdout.splitlines() if line.startswith("- ")] == [
        f"- {one.severity}: {one.what} Fix: {'; or '.join(mend.words for mend in one.remedy)}."
        for one in found.findings
    ]
    figures = found.sensitive[0]
    assert lines.stdout.split()[-5:] == [
        "illness", str(figures.l), f"{figures.entropy_l:.2f}", f"{figures.t:.3f}", str(figures.constant_groups)
    ]  # fmt: skip
    assert told(kanon("audit", certificate, data, "--format", "json"))["k_together"] == found.k_together
    edited = json.loads(certificate.read_text("utf-8"))
    edited["audit"]["alone"] = 0
    certificate.write_text(json.dumps(edited), "utf-8")
    for name in ("verify", "audit"):
        assert "audit" in refused(kanon(name, certificate, data))


def test_diversity_and_closeness_are_kept_told_and_checked_again(files, tmp_path):
    certificate = tmp_path / "c.json"
    command = ["table", files[0], "-k", 2, "--quasi-identifiers", "age,town", "--certificate", certificate]
    asked = ["--diversity", "illness=2,sex=1.5:entropy", "--closeness", "illness=0.45"]
    content = told(kanon(*command, *asked, "--format", "json"))
    require = (Diversity("illness", 2), Diversity("sex", 1.5, "entropy"), Closeness("illness", 0.45))
    table = read_table(files[0], ["age", "town"], sensitive=["illness", "sex"], keep=[])
    same = generalize(table, 2, require=require)
    assert (content["cost"], content["classes"], content["largest"]) == (
        same.cost,
        same.classes,
        same.class_weights.max(),
    )
    assert content["kept"] == []  # what is named for this alone is not released
    assert content["required"][0] == f"at least 2 {DIFFERENT_VALUES_OF} “illness”"
    assert "\nevery group has" in kanon(*command, *asked, "--force").stdout
    checked = kanon("verify", certificate, files[0])
    assert checked.exit_code == 0, checked.output
    assert "0 of" in checked.stdout
    held = told(kanon(*command, *asked, "--sensitive", "illness", "--format", "json", "--force"))
    assert held["kept"] == ["illness"]
    swept = kanon(
        "sweep", "table", files[0], "--quasi-identifiers", "age,town", "--ks", "2", "--diversity", "illness=2"
    )
    one = read_table(files[0], ["age", "town"], sensitive=["illness"], keep=[])
    assert f" {generalize(one, 2, require=require[0]).cost} " in swept.stdout.splitlines()[1]


@pytest.mark.parametrize(
    ("flag", "text", "words"),
    [
        ("--diversity", "illness", f"'illness' is not a valid diversity; {WRITE_IT_LIKE} disease=3."),
        ("--diversity", "illness=some", f"is not a valid diversity; {WRITE_IT_LIKE} disease=3."),
        ("--diversity", "illness=1", f"{MUST_BE_A_WHOLE_NUMBER} 2"),
        ("--diversity", "illness=0.3:closeness", f"is not a valid diversity; {WRITE_IT_LIKE} disease=3."),
        ("--diversity", "illness=3:recursive", f"is not a valid diversity; {WRITE_IT_LIKE} disease=3."),
        ("--closeness", "illness=2", "must be a number from 0 to 1"),
    ],
)
def test_a_demand_that_is_none_is_a_usage_error(files, flag, text, words):
    result = kanon("table", files[0], "-k", 2, flag, text)
    assert result.exit_code == 2
    assert words in " ".join(result.output.replace("│", " ").split())


def test_demands_that_cannot_be_met_are_one_sentence(files):
    plain = ["table", files[0], "-k", 2, "--quasi-identifiers", "age,town"]
    assert refused(kanon(*plain, "--diversity", "illness=4")).startswith(f"{IN_TOTAL} 3 {DIFFERENT_VALUES_OF}")
    words = refused(kanon(*plain, "--closeness", "age=0.2"))
    assert words == "Column 'age' is given for quasi-identifiers and for closeness; give it one role."
    assert f"{THERE_IS_NO_COLUMN} 'weight'" in refused(kanon(*plain, "--closeness", "weight=0.2"))
