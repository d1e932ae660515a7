"""kanon algorithms, figure7, app, and the flags that are made from tables."""

import inspect
import json
import os
import subprocess
import sys
from importlib import import_module

import pandas as pd
import pytest
from typer.main import get_command

import kanon_engine
from kanon_engine import algorithms, cli, folders, read_labels
from kanon_engine.cli import app
from kanon_engine.cli import teaching as figure7
from kanon_engine.cli.flags import flag_name
from kanon_engine.cli.reading import commands
from kanon_engine.teaching.studies.figure7 import NEAR_OPTIMAL, VARIANTS, overfull_ratios
from tests.cli.command import WOMEN, kanon, refused
from tests.compiled import compiled_only
from tests.sentences import INSTALL_AGAIN, SPREAD_IS_BETTER, THERE_IS_NO_FOLDER

NOT_FLAGS = {"file", "filename"}


@pytest.mark.parametrize("name", commands())
def test_every_parameter_of_a_reader_is_a_flag(name):
    reader = commands()[name].reader
    function = getattr(import_module(reader.function.module), reader.function.name)
    parameters = set(inspect.signature(function).parameters) - NOT_FLAGS
    assert {parameter.name for parameter in reader.parameters} == parameters


@pytest.mark.parametrize("name", commands())
def test_help_names_every_flag_and_option(name):
    text = kanon(name, "--help").stdout
    options = {option.name for entry in algorithms(commands()[name].name) for option in entry.options}
    for word in {parameter.name for parameter in commands()[name].reader.parameters} | options:
        assert flag_name(word) in text


def test_algorithms_are_those_of_the_registry():
    rows = json.loads(kanon("algorithms", "--format", "json").stdout)
    assert [(row["family"], row["name"]) for row in rows] == [(entry.family, entry.name) for entry in algorithms()]
    points = json.loads(kanon("algorithms", "points", "--format", "json").stdout)
    assert [row["name"] for row in points] == [entry.name for entry in algorithms("rectangles")]
    assert [row["default"] for row in rows].count(True) == len(commands())
    text = kanon("algorithms").stdout
    assert all(entry.guarantee in text and entry.source in text for entry in algorithms())
    assert kanon("algorithms", "trees").exit_code == 2


def small(tmp_path):
    data = tmp_path / "data" / "names.csv"
    data.parent.mkdir()
    lines = [f"name{place},{40 - place % 37}" for place in range(60)]
    data.write_text("\n".join(["name,count", *lines]), "utf-8")
    return data


@pytest.mark.thorough
def test_figure7_writes_every_ratio_and_the_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "kanon_engine.plot.export.png", lambda figure: b"picture of " + figure.layout.xaxis.title.text.encode()
    )
    data = small(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    result = kanon("figure7", data, "--seeds", "0,3", "--out-dir", out, "--format", "json")
    assert result.exit_code == 0, result.output
    base = f"figure7-{data.name}"
    assert sorted(os.listdir(out)) == [base + end for end in ("-every-k.csv", "-maxima.csv", ".html", ".png")]
    expected = overfull_ratios(read_labels(data), seeds=(0, 3))
    written = pd.read_csv(out / f"{base}-every-k.csv")
    assert written["cost"].tolist() == expected["cost"].tolist()
    assert pd.read_csv(out / f"{base}-maxima.csv")["overfull_ratio"].max() == expected["overfull_ratio"].max()
    page = (out / f"{base}.html").read_text("utf-8")
    assert "Plotly.newPlot" in page
    assert 'src="http' not in page
    assert (out / f"{base}.png").read_bytes().startswith(b"picture of ")
    content = json.loads(result.stdout)
    assert [row["variant"] for row in content["variants"]] == [*VARIANTS, NEAR_OPTIMAL]
    worst = expected[expected["variant"] == "Sorted Fold"]["overfull_ratio"].max()
    assert content["variants"][2]["largest_ratio"] == worst
    assert content["observations"]
    assert "--force" in refused(kanon("figure7", data, "--out-dir", out))


def test_figure7_without_a_browser_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("kanon_engine.plot.export.png", lambda figure: None)
    result = kanon("figure7", small(tmp_path), "--out-dir", tmp_path)
    assert result.exit_code == 0, result.output
    assert "No Chromium browser was found" in result.stderr
    assert not list(tmp_path.glob("*.png"))
    assert len(list(tmp_path.glob("*.html"))) == 1


@compiled_only
def test_figure7_of_the_paper_s_file():
    result = kanon("figure7", WOMEN)
    lines = result.stdout.split("\n\n")[0].splitlines()
    assert [" ".join(line.split()[1:3]) for line in lines[1:5]] == list(VARIANTS)
    assert lines[5].split()[1:3] == [NEAR_OPTIMAL, "2,629"]
    assert lines[5].split()[-2:] == ["100.0", "%"]
    assert all(line.split()[3] == "2,629" for line in lines[1:5])
    assert SPREAD_IS_BETTER in result.stdout


def test_figure7_refusals(tmp_path, monkeypatch):
    data = small(tmp_path)
    monkeypatch.setattr(figure7, "NAME_FILES", tmp_path / "absent")
    assert "sample files" in refused(kanon("figure7"))
    assert THERE_IS_NO_FOLDER in refused(kanon("figure7", data, "--out-dir", tmp_path / "absent"))
    assert "same name" in refused(kanon("figure7", data, data))
    assert kanon("figure7", data, "--seeds", "one").exit_code == 2
    assert kanon("figure7", data, "--seeds", "1,1").exit_code == 2


def test_app_becomes_streamlit_with_further_arguments(monkeypatch):
    started = []

    def become(program, command):
        started.append(command[1:])
        raise SystemExit(0)

    monkeypatch.setattr(folders.os, "chdir", started.append)
    monkeypatch.setattr(folders.os, "execv", become)
    monkeypatch.setattr(folders.subprocess, "run", lambda command, check: become(command[0], command))
    assert kanon("app", "--server.port", "8600", "--server.headless=true").exit_code == 0
    folder, command = started
    assert (folder / "app.py").is_file()
    assert command == ["-m", "streamlit", "run", "app.py", "--server.port", "8600", "--server.headless=true"]


def test_app_without_its_pages_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(app, "APP", tmp_path)
    assert INSTALL_AGAIN in refused(kanon("app"))


def test_version():
    assert kanon("--version").stdout == f"kanon {kanon_engine.__version__}\n"


def test_the_version_and_an_import_do_not_wait_for_the_engine():
    code = "import sys; from kanon_engine.__main__ import main; sys.argv = ['kanon', '--version']; main()"
    heavy = "print(sorted({'numpy', 'pandas', 'numba', 'shapely', 'streamlit', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", f"{code}; {heavy}"], capture_output=True, text=True, check=True)
    assert done.stdout == f"kanon {kanon_engine.__version__}\n[]\n"


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), ([], 2), (["labelz"], 2)])
def test_the_list_of_commands_does_not_wait_for_the_engine(arguments, code):
    called = "import atexit, sys; atexit.register(lambda: print('pandas' in sys.modules)); "
    script = f"{called}from kanon_engine.cli import main; sys.argv = ['kanon', *{arguments}]; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout.endswith("False\n")


def test_the_list_of_commands_has_all_of_them():
    listed = {line.split()[1] for line in kanon("--help").stdout.splitlines() if line.startswith("│ ")}
    assert {*cli.HELP, *cli.GROUPS} == set(get_command(cli.application()).commands) <= listed
