"""How long a newcomer waits: from `kanon app` on an empty home to the pictures, in seconds and in processor time.

    python -m tests.benchmarks.first_minute PYTHON [PYTHON …]

Each PYTHON is that of an environment with kanon, such as one into which a wheel was installed. The processor time is
that of the server and its workers, without the browser. Kernels are counted by the files that numba wrote.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

from tests.app.conftest import FLAGS, SERVER, chromium_path, free_port, wait_until_healthy

DRAWN = 'document.querySelectorAll(".kanon-picture[data-drawn]").length >= {}'
FOUND = """[...document.querySelectorAll("[data-testid=stCaptionContainer]")].some(
    (one) => /Found (by Recombine|earlier by Recombine and rechecked)/.test(one.innerText))"""
LIMIT = 300_000  # milliseconds


def spent(server: psutil.Process) -> float:
    """Seconds of processor time of a process and those that it began, the ended ones among them."""
    total = 0.0
    for process in (server, *server.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def waits(page: Page, url: str) -> Iterator[str]:
    """Do what a newcomer does; a name for each moment that is reached."""
    yield "server answers"
    page.goto(url)
    for count, name in ((1, "first picture"), (5, "five pictures")):
        page.wait_for_function(DRAWN.format(count), timeout=LIMIT)
        yield name
    page.get_by_role("link", name="Zip codes").first.click()
    page.wait_for_function(FOUND, timeout=LIMIT)
    yield "Connecticut's final groups"


def measure(python: str) -> None:
    with tempfile.TemporaryDirectory() as home, sync_playwright() as play:
        port, log = free_port(), Path(home) / "log.txt"
        environment = {"HOME": home, "PATH": "/usr/bin:/bin", "NUMBA_CACHE_DIR": f"{home}/kernels"}
        command = [python, "-m", "kanon_engine", "app", f"--server.port={port}", *SERVER]
        begun = time.perf_counter()
        with log.open("wb") as output:
            server = subprocess.Popen(command, cwd=home, env=environment, stdout=output, stderr=subprocess.STDOUT)
        process = psutil.Process(server.pid)
        browser = play.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}", server, log)
            for name in waits(browser.new_page(), f"http://127.0.0.1:{port}"):
                print(f"{time.perf_counter() - begun:7.1f} s {spent(process):7.1f} s of processor time  {name}")  # noqa: T201
        finally:
            browser.close()
            server.terminate()
            server.wait(10)
        print(f"{len(list(Path(home).rglob('*.nbc')))} kernels compiled, {python}")  # noqa: T201


if __name__ == "__main__":
    for each in sys.argv[1:]:
        measure(each)
