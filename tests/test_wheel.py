"""The wheel holds the app: without a checkout, commands run and the pages open."""

import os
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

import kanon_engine
from tests.app.conftest import SERVER, free_port, wait_until_healthy

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    assert wheel.name == f"kanon_engine-{kanon_engine.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    return folder / "site"


def start(installed, *arguments, **options):
    """Run Python away from the checkout, with the unpacked wheel and its environment's other packages."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    return subprocess.Popen([sys.executable, *arguments], cwd=installed, env=environment, **options)


def test_it_holds_all_that_a_checkout_has(installed):
    def files(folder):
        skipped = ("__pycache__", ".pyc", ".nbi", ".nbc")
        paths = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else [folder]
        names = {path.relative_to(folder).as_posix() for path in paths}
        return {name for name in names if not any(part in name for part in skipped)}

    app = installed / "kanon_engine" / "_app"
    for name in ("app.py", ".streamlit", "pages", "docs", "sample_data"):
        assert files(app / name) == files(ROOT / name)
    packed = {name for name in files(installed / "kanon_engine") if not name.startswith("_app/")}
    assert packed == files(ROOT / "kanon_engine")
    assert [path.name for path in installed.iterdir()] != ["kanon_engine"]  # beside it, what pip wants to know
    assert not (installed / "pages").exists()


def test_commands_run(installed):
    sample = "kanon_engine/_app/sample_data/adult_occupation.csv"
    done = start(
        installed,
        "-m",
        "kanon_engine",
        "labels",
        sample,
        "--k",
        "2000",
        "--algorithm",
        "fold",
        stdout=subprocess.PIPE,
        text=True,
    )
    words = done.communicate()[0]
    assert done.returncode == 0
    assert "groups" in words


def test_the_app_opens(installed, tmp_path):
    port, log = free_port(), tmp_path / "log.txt"
    flags = [f"--server.port={port}", *SERVER]
    with log.open("wb") as output:
        server = start(installed, "-m", "kanon_engine", "app", *flags, stdout=output, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(url, server, log)
        with urllib.request.urlopen(url) as page:
            assert b"streamlit" in page.read().lower()
    finally:
        server.terminate()
        server.wait(10)
    assert "Traceback" not in log.read_text()
