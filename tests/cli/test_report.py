"""kanon report, attack and release refuse what is broken in one sentence."""

import pandas as pd
import pytest

from tests.cli.command import SAMPLES, kanon, refused
from tests.sentences import IS_NOT_A_DATE, MUST_BE_TEXT, THERE_IS_NO_COLUMN

OCCUPATIONS = SAMPLES / "adult_occupation.csv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A certificate, and records that are no release of it."""
    made = tmp_path_factory.mktemp("report")
    flags = ["-k", 2_000, "--algorithm", "fold", "--certificate", made / "certificate.json"]
    assert kanon("labels", OCCUPATIONS, *flags).exit_code == 0
    pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"]}).to_csv(made / "people.csv", index=False)
    return made


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('context = "a"', "The context is 'a', but it must be a section"),
        ("context = [1]", "but it must be a section"),
        ("title = 5", MUST_BE_TEXT),
        ('title = "' + "a" * 2_000_000 + '"', "more than 1,000,000 bytes"),
        ('decided = "soon"', IS_NOT_A_DATE),
        ('decided = "20270531"', IS_NOT_A_DATE),
        ("[context.x]\na = 1", "unknown entry"),
        ("title =", "broken TOML"),
    ],
)
def test_a_context_that_is_none_is_refused(folder, tmp_path, text, said):
    (tmp_path / "context.toml").write_text(text)
    result = kanon("report", folder / "certificate.json", OCCUPATIONS, "--context", tmp_path / "context.toml")
    assert said in refused(result)


def test_names_with_line_breaks_are_told_in_one_line(folder):
    flags = ["--context", folder / "no\nsuch.toml"]
    assert "no such.toml" in refused(kanon("report", folder / "certificate.json", OCCUPATIONS, *flags))


def test_a_certificate_of_another_release_is_refused(folder):
    flags = ["-k", 2, "--quasi-identifiers", "age", "--certificate", folder / "certificate.json", "--file", OCCUPATIONS]
    told = refused(kanon("attack", folder / "people.csv", *flags))
    assert "has 4; give the certificate of this release" in told


def test_a_column_with_a_line_break_may_leave(folder, tmp_path):
    records, out = tmp_path / "own.csv", tmp_path / "out.csv"
    pd.DataFrame({"occupation": ["Sales", "Sales"], "=1+1\n<b>": ["=cmd", "x"]}).to_csv(records, index=False)
    command = ["release", folder / "certificate.json", OCCUPATIONS]
    flags = ["--records", records, "--by", "occupation", "--out", out]
    assert f"{THERE_IS_NO_COLUMN} '=1+1'" in refused(kanon(*command, *flags, "--keep", "=1+1\n<b>"))
    result = kanon(*command, *flags, "--keep", '"=1+1\n<b>"')
    assert result.exit_code == 0, result.output
    assert pd.read_csv(out).iloc[:, -1].tolist() == ["'=cmd", "x"]
