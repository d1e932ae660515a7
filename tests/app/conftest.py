"""What browser tests share: a server for a script, a browser without network, a list of what it asks for."""

from __future__ import annotations

import functools
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from streamlit.components.v2 import manifest_scanner

from pages._shared import files
from tests.kept_answers import answers_are_kept  # noqa: F401  # a fixture for all tests here

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def installed_components() -> Iterator[None]:
    """Installed packages are searched for components once, not for each page that a test opens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner,
            "scan_component_manifests",
            functools.cache(manifest_scanner.scan_component_manifests),
        )
        yield


@pytest.fixture(autouse=True)
def stored_answers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples are searched, but in tests marked `stored`: there pages show the answers that came with them."""
    if "stored" not in request.keywords:
        monkeypatch.setattr(files, "_stored_answers", lambda family: {})


FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # WebGL alone is drawn by SwiftShader; all else is quicker without
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
# A page begins with empty storage; pages without an address, which come before it, have none.
FORGET = "if (location.host && !sessionStorage.begun) { localStorage.clear(); sessionStorage.begun = 1 }"
SERVER = [
    "--server.headless=true",
    "--server.address=127.0.0.1",
    "--browser.gatherUsageStats=false",
]


def chromium_path() -> str | None:
    """Return where a Chromium is installed, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"no Streamlit server at {url}:\n{log.read_text(errors='replace')}")


class Server(NamedTuple):
    """A running server of Streamlit and the file of its log."""

    process: subprocess.Popen[bytes]
    log: Path


@pytest.fixture(scope="session")
def servers() -> dict[str, Server]:
    """Return the servers that `serve` started, by address."""
    return {}


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory, servers: dict[str, Server]) -> Iterator[Callable[..., str]]:
    """Return serve(script, **environment), which starts a server and returns its address; one per script."""
    running: dict[tuple[str, ...], str] = {}

    def start(script: str | Path, **environment: str) -> str:
        name = (str(script), *sorted(f"{key}={value}" for key, value in environment.items()))
        if name not in running:
            port = free_port()
            url = f"http://127.0.0.1:{port}"
            log = tmp_path_factory.mktemp("server") / "log.txt"
            path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
            command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}", *SERVER]
            with log.open("wb") as output:
                server = subprocess.Popen(
                    command,
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": path, **environment},
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            running[name] = url
            servers[url] = Server(server, log)
            wait_until_healthy(url, server, log)
        return running[name]

    yield start
    for server, _ in servers.values():
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()


@pytest.fixture(scope="session")
def url(serve: Callable[..., str]) -> str:
    """Return the address of the app; one server for all tests."""
    return serve(ROOT / "app.py")


@pytest.fixture(scope="session")
def gate_of_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate") / "open"


@pytest.fixture
def gate(gate_of_session: Path) -> Iterator[Path]:
    """Return the file for which the searches of `gated_url` wait; it is not there yet."""
    gate_of_session.unlink(missing_ok=True)
    yield gate_of_session
    gate_of_session.touch()  # what still waits ends


@pytest.fixture
def gated_url(serve: Callable[..., str], gate: Path) -> str:
    """Return the address of the app whose searches wait; one server for all tests."""
    return serve(ROOT / "tests" / "app" / "gated_app.py", KANON_TEST_GATE=str(gate))


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """Return a headless Chromium that reaches this machine alone."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def context(browser) -> Iterator:
    """Return what all pages of a session share: scripts that a browser has loaded and compiled once."""
    shared = browser.new_context(viewport={"width": 1280, "height": 720}, accept_downloads=True)
    yield shared
    shared.close()


@pytest.fixture
def page(context) -> Iterator:
    """Return a page of 1280 x 720 that remembers nothing but files; `page.asked` lists requests and web sockets."""
    fresh = context.new_page()
    fresh.asked = []

    def note(request) -> None:
        fresh.asked.append(request.url)

    context.on("request", note)
    fresh.on("websocket", lambda socket: fresh.asked.append(socket.url))
    fresh.add_init_script(FORGET)
    yield fresh
    context.remove_listener("request", note)
    fresh.close()
    context.clear_cookies()


@pytest.fixture
def empty_cache(page) -> None:
    """The page loads every file itself."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})


def foreign(asked: list[str]) -> list[str]:
    """Return those addresses that are not on this machine. A blob or data address never leaves the browser."""
    return [
        url for url in asked if urlsplit(url).scheme not in ("blob", "data") and urlsplit(url).hostname != "127.0.0.1"
    ]


@pytest.fixture
def foreign_requests(page) -> Callable[[], list[str]]:
    """Return a function that lists the page's requests to other machines so far."""
    return lambda: foreign(page.asked)
