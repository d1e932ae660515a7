"""The command line as a process: encodings, pipes, signals, exit codes."""

import json
import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from tests.cli.command import CASES, SAMPLES, kanon

COMMAND = [sys.executable, "-m", "kanon_engine"]
ROOT = SAMPLES.parent


def run(*arguments, **settings):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, timeout=120, cwd=ROOT, check=False, **settings
    )


def test_help_names_the_commands():
    result = run("--help")
    assert result.returncode == 0
    text = result.stdout.decode("utf-8")
    assert all(name in text for name in ("regions", "points", "labels", "sweep", "verify", "figure7", "app"))
    assert "Usage: kanon" in text


def test_no_arguments_show_the_help():
    assert "Commands" in kanon().output


def test_output_is_utf_8_where_the_system_says_ascii(tmp_path):
    data = tmp_path / "städte.csv"
    data.write_text("ort,anzahl\nKöln,7\nŁódź,8\n", "utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    out = tmp_path / "out.csv"
    result = run("labels", data, "--count", "anzahl", "-k", 7, "--algorithm", "spread", "--out", out, env=environment)
    assert result.returncode == 0, result.stderr
    assert "× k" in result.stdout.decode("utf-8")
    assert "Łódź" in result.stdout.decode("utf-8")
    assert out.read_bytes() == "id,group\nKöln,1\nŁódź,2\n".encode()


@pytest.mark.thorough
def test_a_failed_request_prints_only_its_sentence():
    result = run(*CASES["labels"][:3], 10**9)
    assert result.returncode == 1
    assert result.stdout == b""
    assert "89,940" in result.stderr.decode("utf-8")
    assert len(result.stderr.splitlines()) == 1


def test_json_is_all_that_stands_on_stdout(tmp_path):
    result = run(*CASES["labels"], "--format", "json", "--out", tmp_path / "out.csv")
    assert json.loads(result.stdout)["status"] in ("optimal", "feasible")


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
def test_a_reader_that_goes_away_is_no_drama():
    read, write = os.pipe()
    os.close(read)
    try:
        result = subprocess.run(
            [*COMMAND, "algorithms"], stdout=write, stderr=subprocess.PIPE, timeout=120, cwd=ROOT, check=False
        )
    finally:
        os.close(write)
    assert result.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
def test_ctrl_c_is_130_without_a_traceback(tmp_path):
    pipe, out = tmp_path / "names.csv", tmp_path / "out.csv"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "labels", pipe, "-k", "3", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # may be ignored here, as under nohup
    )
    with open(pipe, "wb"):  # opens when the command reads
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert stdout == b""
    assert b"Traceback" not in stderr
    assert not out.exists()
