"""kanon labels with rules for groups, and kanon verify after it."""

import json

import pandas as pd

from tests.cli.command import WOMEN, kanon, refused
from tests.sentences import NEAR_OPTIMAL_OR_EXACT


def test_rules_from_files_hold_and_the_certificate_keeps_them(tmp_path):
    together, apart = tmp_path / "together.csv", tmp_path / "apart.csv"
    together.write_text("MARY,MARIA\n", "utf-8")
    apart.write_text("MARY,LINDA\nLINDA,SUSAN,BARBARA\n", "utf-8")
    crosswalk, certificate = tmp_path / "groups.csv", tmp_path / "certificate.json"
    flags = ["--together", together, "--apart", apart, "--class-names", "largest"]
    result = kanon("labels", WOMEN, "-k", 5000, *flags, "--out", crosswalk, "--certificate", certificate)
    assert result.exit_code == 0, result.output
    group = pd.read_csv(crosswalk, keep_default_na=False).set_index("id")["group"]
    assert group["MARY"] == group["MARIA"] != group["LINDA"]
    assert len({group["LINDA"], group["SUSAN"], group["BARBARA"]}) == 3
    reading = json.loads(certificate.read_text("utf-8"))["reading"]["mapping"]
    assert reading["together"] == [["MARY", "MARIA"]]
    for path in (together, apart):
        path.unlink()
    checked = kanon("verify", certificate, WOMEN)
    assert checked.exit_code == 0, checked.output


def test_an_algorithm_that_cannot_says_which_can(tmp_path):
    apart = tmp_path / "apart.csv"
    apart.write_text("MARY,LINDA\n", "utf-8")
    said = refused(kanon("labels", WOMEN, "-k", 5000, "--apart", apart, "--algorithm", "fold"))
    assert NEAR_OPTIMAL_OR_EXACT in said
    refused(kanon("labels", WOMEN, "-k", 5000, "--apart", apart, "--out", apart, "--force"))
    assert apart.read_text("utf-8") == "MARY,LINDA\n"
