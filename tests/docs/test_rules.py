"""docs/rules.md has every rule, and every fact that a person can say; its example prints what it says."""

import re
from dataclasses import fields

from kanon_engine.risk.rules import RULES, Facts
from tests.docs.pages import text

PAGE = text("docs/rules.md")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| `")]


def test_it_has_every_rule_in_their_order():
    assert [row[0].strip("`") for row in ROWS] == list(RULES)
    assert all(len(row) == 4 and all(row) for row in ROWS)


def test_a_regulation_is_cited_as_the_rule_cites_it():
    cited = {row[0].strip("`"): row[1] for row in ROWS if row[1].startswith("45 CFR")}
    assert cited == {key: rule.origin for key, rule in RULES.items() if key.startswith("hipaa")}


def test_it_names_every_fact():
    assert {entry.name for entry in fields(Facts)} - set(re.findall(r"`(\w+)`", PAGE)) == set()


def test_its_example_prints_what_it_says(capsys):
    code, said = re.search(r"```python\n(.*?)```\n\nThis prints\n\n```\n(.*?)```", PAGE, re.DOTALL).groups()
    exec(code, {})
    assert capsys.readouterr().out == said
