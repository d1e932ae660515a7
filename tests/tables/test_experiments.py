"""The experiments of the K-Optimize paper in small: the grid, the race, their figures, and the command."""

import json

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.cli import teaching as command
from kanon_engine.teaching.studies.k_optimize import COLUMNS, cost_over_time, k_optimize_grid
from kanon_engine.teaching.studies.plot import figure6a, figure6b, figure7a, figure7b
from tests.cli.command import kanon as run


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({name: rng.integers(0, 4, 40) for name in "abc"} | {"label": rng.integers(0, 2, 40)})
    return kanon.Table(frame, list("abc"), "label")


@pytest.fixture(scope="module")
def grid(table):
    return k_optimize_grid({"coarse": table, "fine": table}, [10, 4], limits=[None, 0, 5])


@pytest.mark.thorough
def test_the_grid_has_every_run_and_true_costs(grid, table):
    assert list(grid.columns) == list(COLUMNS)
    assert len(grid) == 2 * 2 * 2 * (1 + 2 * 2)  # partitions, metrics, k; limit 0 once, the others also seeded
    assert (grid["status"] == "optimal").all()
    assert (grid["cost"] == grid["lower_bound"]).all()
    for row in grid.itertuples():
        limit = None if pd.isna(row.limit) else int(row.limit)
        assert row.cost == kanon.generalize(table, row.k, "k-optimize", metric=row.metric, suppression_limit=limit).cost
    plain = grid[grid["limit"] == 0]
    assert not plain["seeded"].any()


@pytest.mark.thorough
def test_a_seed_does_not_change_the_optimum_and_counts_both_runs(grid):
    keys = ["partition", "metric", "limit", "k"]
    seeded = grid[grid["seeded"]].set_index(keys)
    unseeded = grid[~grid["seeded"]].set_index(keys)
    assert (seeded["cost"] == unseeded["cost"].reindex(seeded.index)).all()
    zero = unseeded.xs(0, level="limit")
    for (partition, metric, _, k), row in seeded.iterrows():
        assert row["nodes"] >= zero.loc[(partition, metric, k), "nodes"]
        assert row["seconds"] >= zero.loc[(partition, metric, k), "seconds"]


def test_the_grid_stops_when_told(table):
    frame = k_optimize_grid({"coarse": table}, [10, 4], ["DM"], [0], progress=lambda report: False)
    assert frame["k"].tolist() == [10]


def test_the_race_falls_and_ends_at_the_optimum(table):
    race = cost_over_time(table, 6)
    best = kanon.generalize(table, 6, "k-optimize", metric="DM").cost
    assert list(dict.fromkeys(race["method"])) == ["K-Optimize", "Hill climber", "Annealing", "Genetic search"]
    for _, rows in race.groupby("method"):
        assert (rows["cost"].diff().dropna() <= 0).all()
        assert (rows["seconds"].diff().dropna() >= 0).all()
        assert rows["cost"].iloc[-1] >= best
    assert race[race["method"] == "K-Optimize"]["cost"].iloc[-1] == best


def test_the_figures_hold_the_numbers(grid, table):
    costs = figure6b(grid)
    drawn = {(trace.name, trace.xaxis): dict(zip(trace.x, trace.y, strict=True)) for trace in costs.data}
    for row in grid.itertuples():
        words = "no limit" if pd.isna(row.limit) else f"limit {row.limit:,}"
        points = [points for (name, _), points in drawn.items() if name.startswith(f"{row.partition}, {words}")]
        assert any(points.get(row.k) == row.cost for points in points)
    assert {trace.line.dash for trace in figure6a(grid).data} == {"solid"}
    assert len({trace.name for trace in figure7a(grid).data}) == 8  # two partitions, two limits, with and without seed
    race = cost_over_time(table, 6)
    assert sum(len(trace.x) for trace in figure7b(race).data) == len(race)
    assert all("open" not in symbol for trace in figure6a(grid).data for symbol in trace.marker.symbol)
    late = figure6a(grid.assign(status="stopped"))
    assert all("open" in symbol for trace in late.data for symbol in trace.marker.symbol)


@pytest.mark.thorough
def test_the_command_writes_figures_and_numbers(table, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sample", lambda key: table)
    monkeypatch.setattr("kanon_engine.plot.export.browser_found", lambda: True)
    monkeypatch.setattr("kanon_engine.plot.export.png", lambda figure: figure.layout.title.text.encode())
    flags = ["--ks", "10,4", "--metrics", "DM", "--limits", "0,none", "--race-k", 6, "--seconds", 20]
    result = run("experiments", "k-optimize", *flags, "--out-dir", tmp_path)
    assert result.exit_code == 0, result.output
    names = {path.name for path in tmp_path.iterdir()}
    pictures = {f"k-optimize-{name}{end}" for name in ("6a", "6b", "7a", "7b") for end in (".html", ".png")}
    assert names == pictures | {"k-optimize-grid.csv", "k-optimize-7b.csv"}
    written = pd.read_csv(tmp_path / "k-optimize-grid.csv")
    assert len(written) == 2 * 2 * 3
    assert (tmp_path / "k-optimize-7b.png").read_bytes() == b"Lowest cost over time"
    assert 'src="http' not in (tmp_path / "k-optimize-6a.html").read_text("utf-8")
    assert "12 of 12 searches finished." in result.stdout
    content = json.loads(run("experiments", "k-optimize", *flags, "--format", "json").stdout)
    assert [row["cost"] for row in content["grid"]] == written["cost"].tolist()


@pytest.mark.parametrize("flags", [["--ks", "ten"], ["--metrics", "XX"], ["--limits", "-1"], ["--partitions", "a,a"]])
def test_flags_without_sense_are_usage_errors(flags):
    assert run("experiments", "k-optimize", *flags).exit_code == 2


@pytest.mark.thorough
def test_the_command_works_on_adult():
    flags = ["--ks", "1000", "--metrics", "DM", "--limits", "0", "--partitions", "coarse", "--race-k", 1000]
    result = run("experiments", "k-optimize", *flags, "--seconds", 5, "--format", "json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)["grid"]
    assert (row["cost"], row["status"]) == (54_592_472, "optimal")
