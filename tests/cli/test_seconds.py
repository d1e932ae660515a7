"""What a command loads and does before it answers; a small job and an error of usage take no longer than they must."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from kanon_engine.cli import application
from kanon_engine.cli.usage import FLAGS
from kanon_engine.processes.nursery import SUPPORTED
from tests.cli.flags import listing
from tests.compiled import compiled_only
from tests.sentences import MORE_THAN_THE_LIMIT, PROVEN_BEST_POSSIBLE

RUN = """
import atexit, sys
from kanon_engine.io import confined, worker
from kanon_engine.cli import main

def told():
    print(confined.NURSERY.pid, [name for name in WATCHED if name in sys.modules], file=sys.stderr)

WATCHED = ("geopandas", "pyogrio", "pyproj")
atexit.register(told)
sys.argv = ["kanon", *sys.argv[1:]]
main()
"""


def run(program, *arguments):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def three(tmp_path):
    file = tmp_path / "three.csv"
    file.write_text("name,count\nAnn,1\nBob,2\nCid,3\n", "utf-8")
    return file


@compiled_only
@pytest.mark.skipif(not SUPPORTED, reason="workers need a system that forks")
def test_a_job_on_texts_starts_no_nursery_and_loads_no_shapes(three):
    done = run(RUN, "labels", three, "-k", "2")
    assert done.returncode == 0, done.stderr
    assert PROVEN_BEST_POSSIBLE in done.stdout
    assert done.stderr == "None []\n"


LOOK = """
import os, sys
from kanon_engine.processes import forked, nursery

nursery.share_imports()
from kanon_engine.io import confined
from kanon_engine.io.source import Source

def refused(attempt):
    try:
        attempt()
    except OSError as error:
        return error.strerror

def look(source):
    tried = [lambda: open(sys.argv[1]), os.pipe]
    loaded = [name for name in ("geopandas", "pyogrio", "pyproj") if name in sys.modules]
    return [opened, [refused(attempt) for attempt in tried], loaded, os.getsid(0) == os.getpid()]

def open_nothing(really=forked.open_nothing):
    opened.extend(sorted(os.readlink(f"/proc/self/fd/{one}").partition(":")[0] for one in (*range(2), *range(3, 99))
                         if os.path.exists(f"/proc/self/fd/{one}")))
    really()

opened = []
forked.open_nothing = open_nothing
look.__module__, look.__qualname__ = "kanon_engine.io.of_a_test", "look"
held = open(sys.argv[1])
print(confined.confined("source")(look)(Source.open(sys.argv[1])), confined.NURSERY.pid)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_worker_that_a_command_forks_has_nothing_open_and_can_open_nothing(three):
    done = run(LOOK, three)
    full = os.strerror(errno.EMFILE)
    assert done.stdout == f"{[['/dev/null', '/dev/null', 'socket'], [full] * 2, [], True]} None\n", done.stderr


TEXTS = {
    "cp949": "name;count\n가나다;3\n라마바;4\n사아자;5\n".encode("cp949"),
    "cp1252": "name;count\nJosé;3\nZoë;4\nAña;5\n".encode("cp1252"),
    "utf-16": "name\tcount\nÅsa\t3\nBo\t4\nCy\t5\n".encode("utf-16"),
    "aligned": b"name   count\nAnn   3\nBob   4\nCid   5\n",
}


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("name", TEXTS)
def test_every_kind_of_text_is_read_by_such_a_worker(name, tmp_path):
    file = tmp_path / "text.csv"
    file.write_bytes(TEXTS[name])
    done = run(RUN, "labels", file, "-k", "3")
    assert done.returncode == 0, done.stderr
    assert "3 labels, 12 records" in done.stdout
    assert not SUPPORTED or done.stderr.startswith("None")


@pytest.mark.thorough
def test_a_file_that_takes_too_much_is_refused_by_such_a_worker(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text("\n".join([",".join(f"c{i}" for i in range(1500)), ",".join("1" * 1500)]), "utf-8")
    done = run(RUN, "labels", file, "-k", "3")
    assert done.returncode == 1
    assert f"has 1,500 columns, {MORE_THAN_THE_LIMIT} 1,000" in done.stderr


USAGE = """
import atexit, sys
atexit.register(lambda: print(sorted({"numpy", "pandas", "geopandas", "numba"} & set(sys.modules))))
from kanon_engine.cli import main
sys.argv = ["kanon", *sys.argv[1:]]
main()
"""


def test_the_list_of_flags_is_up_to_date():
    assert FLAGS.read_text("utf-8") == listing(), "run python -m tests.cli.flags"


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(
    "words",
    [
        "labels --nonsense",
        "table file.csv -k 2 --algorithn fold",
        "regions file.csv --force -k 3 -z",
        "points file.csv",
        "clusters",
        "labels a.csv b.csv -k=2 --what",
        "release certificate.json file.csv --columns",
        "report certificate.json",
        "verify --nonsense",
        "audit -z",
        "figure7 one.csv two.csv --what",
        "algorithms labels --what",
        "warm --now",
        "sweep --nonsense",
        "sweep nonsense",
        "sweep table file.csv --ks 5 --what",
        "sweep points --ks 5",
        "experiments recoding --what",
    ],
)
def test_an_error_of_usage_does_not_wait_for_the_engine_and_reads_the_same(words):
    done = run(USAGE, *words.split())
    assert (done.returncode, done.stdout) == (2, "[]\n"), done.stderr
    engine = CliRunner().invoke(application(), words.split(), prog_name="kanon")
    assert done.stderr.split() == engine.stderr.split()


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("words", ["labels {} -k2", "labels --k=2 {}", "labels -k 2 -- {}"])
def test_flags_that_only_look_wrong_reach_the_command(words, three):
    done = run(USAGE, *words.format(three).split())
    assert done.returncode == 0, done.stderr
    assert PROVEN_BEST_POSSIBLE in done.stdout
