"""Home imports what the other pages need, so that the first click on one of them does not wait for it."""

import subprocess
import sys

from kanon_engine.model.known import FAMILIES
from pages._home import ahead, gallery
from tests.app.visit import ROOT, visit

LOOK = """
import sys
from pages._home.ahead import import_ahead
import_ahead().join()
print(*sys.modules)
"""


def test_what_every_page_needs_is_imported():
    done = subprocess.run([sys.executable, "-c", LOOK], cwd=ROOT, check=True, capture_output=True, text=True)
    modules = set(done.stdout.split())
    assert {"numba", "networkx", "geopandas"} <= modules
    parts = {name.split(".")[1] for name in modules if name.startswith("pages._")}
    assert {f"_{page.stem}" for page in (ROOT / "pages").glob("*.py")} <= parts


def test_home_begins_it_after_its_pictures(monkeypatch):
    order = []
    monkeypatch.setattr(gallery, "fill", lambda family, slot: order.append(family.name))
    monkeypatch.setattr(ahead, "import_ahead", lambda: order.append("imports"))
    visit()
    assert order == [*FAMILIES, "imports"]
