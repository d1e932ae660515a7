"""Recodings side by side: every figure worked out again from what is released, and anjana's from its words."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.cli import teaching as command
from kanon_engine.tables.instance import IntervalDetails
from kanon_engine.tables.release import released_frame
from kanon_engine.teaching.studies.recoding import COLUMNS, FullDomain, compare_recodings, full_domain, generated_tables
from tests.cli.command import kanon as run
from tests.cli.command import refused

SAID = """
import sys
import types

def k_anonymity(data, identifiers, names, k, left_out, levels):
    made = data.copy()
    for name in names:
        up = dict(zip(levels[name][0], levels[name][1]))
        made[name] = made[name].map(up)
    return made

package, module = types.ModuleType("anjana"), types.ModuleType("anjana.anonymity")
module.k_anonymity = k_anonymity
sys.modules.update({"anjana": package, "anjana.anonymity": module})
source = sys.argv.pop(2)
sys.argv.pop(1)
exec(source)
"""


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.integers(20, 30, 60), "sex": rng.choice(["f", "m"], 60)})
    return kanon.Table(frame, ["age", "sex"])


@pytest.fixture
def stand_in(tmp_path):
    """An interpreter whose anjana puts every column on the first level above its values."""
    (tmp_path / "anjana.py").write_text(SAID)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "anjana.py"}" "$@"\n')
    python.chmod(0o755)
    ages = "\n".join(f"{age};{age // 5 * 5}+;*" for age in range(15, 40))
    (tmp_path / "age.csv").write_text(ages)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    return FullDomain(python, {name: tmp_path / f"{name}.csv" for name in ("age", "sex")})


@pytest.mark.thorough
def test_figures_are_those_of_the_released_records(table, stand_in):
    found = compare_recodings({"small": table}, [5, 20], others={"small": stand_in})
    assert list(found.columns) == list(COLUMNS)
    assert len(found) == 2 * 5
    assert (found["average"] * found["groups"]).round().eq(len(table)).all()
    for row in found[found["algorithm"] == "k-optimize"].itertuples():
        g = kanon.generalize(table, row.k, "k-optimize", suppression_limit=0)
        assert isinstance(g.details, IntervalDetails)
        groups = released_frame(table, g).groupby(["age", "sex"]).size()
        assert (row.dm, row.groups) == ((groups**2).sum(), len(groups))
        lost = [
            (len(next(part for part in g.details.intervals[name] if value in part)) - 1) / (len(domain) - 1)
            for name, domain in zip(table.quasi_identifiers, table.domains, strict=True)
            for value in table.frame[name]
        ]
        assert row.loss == pytest.approx(np.mean(lost))
    best = found[found["metric"] == "DM"].pivot(index="k", columns="algorithm", values="dm")
    assert (best["local-cuts"] <= best["mondrian"]).all()
    other = found[found["algorithm"] == "anjana"]
    ages = table.frame["age"] // 5
    assert (other["dm"] == (ages.value_counts() ** 2).sum()).all()
    assert other["loss"].tolist() == pytest.approx([(4 / 9 + 1) / 2] * 2)


@pytest.mark.thorough
def test_the_command_runs_all_tables_and_finds_hierarchies_by_their_names(table, stand_in, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sample", lambda key: table)
    monkeypatch.setattr(command, "generated_tables", lambda seed: {"small": table})
    flags = ["--ks", "5", "--seconds", "5", "--format", "json"]
    anjana = ["--anjana", stand_in.python, "--hierarchies", tmp_path, "--out", tmp_path / "out.csv"]
    done = run("experiments", "recoding", *flags, *anjana)
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [row["table"] for row in rows] == ["adult"] * 5 + ["small"] * 4
    assert [row["algorithm"] for row in rows[:5]] == ["k-optimize", "mondrian", "local-cuts", "local-cuts", "anjana"]
    assert pd.read_csv(tmp_path / "out.csv")["dm"].tolist() == [row["dm"] for row in rows]
    (tmp_path / "other_sex.csv").write_text("f;*")
    assert "2 files whose names end in sex.csv" in refused(run("experiments", "recoding", *flags, *anjana, "--force"))


def test_it_stops_when_told(table):
    assert len(compare_recodings({"small": table}, [5, 20], ["mondrian"], progress=lambda report: False)) == 1


def test_what_anjana_lacks_or_says_is_told(table, stand_in, tmp_path):
    with pytest.raises(kanon.InvalidInput, match="needs a hierarchy of 'sex'"):
        full_domain(table, 5, stand_in.python, {"age": stand_in.hierarchies["age"]})
    (tmp_path / "sex.csv").write_text("f;*\n")
    with pytest.raises(kanon.InvalidInput, match="The hierarchy of 'sex' lacks the value 'm'"):
        full_domain(table, 5, stand_in.python, stand_in.hierarchies)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "anjana.py").write_text("raise SystemExit('no such module')")
    with pytest.raises(kanon.InvalidInput, match="anjana failed at k = 5 with the message: no such module"):
        full_domain(table, 5, stand_in.python, stand_in.hierarchies)


def test_generated_tables_are_the_same_for_a_seed():
    one, again, other = (generated_tables(seed, 300) for seed in (0, 0, 1))
    assert [table.digest for table in one.values()] == [table.digest for table in again.values()]
    assert one["related"].digest != other["related"].digest
