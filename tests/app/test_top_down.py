"""A page is a script that calls its parts in the order in which a person meets them; its own parts are its alone."""

import ast

import pytest

from tests.app.visit import ROOT

PAGES = ROOT / "pages"
NAMES = ("regions", "rectangles", "labels", "tables")
ORDER = (
    "begin_page",
    "choose_file",
    "show_understood",
    "write_link",
    "find_answer",
    "show_headline",
    "show_tabs",
    "show_result",
    "show_what_if",
    "find_compared",
    "show_compared",
    "show_groups",
    "show_downloads",
    "stay_awake",
)
OWN = {"regions": {"show_downloads": "show_publish"}}  # where a page has a part of its own in place of a shared one


@pytest.mark.parametrize("name", NAMES)
def test_a_page_calls_its_parts_in_order_and_defines_none(name):
    tree = ast.parse((PAGES / f"{name}.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    lines = {call.func.id: call.lineno for call in calls}
    places = [lines[OWN.get(name, {}).get(part, part)] for part in ORDER]
    assert places == sorted(places)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda)]


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_page_are_imported_by_it_alone(name):
    parts = f"pages._{name}."
    users = {path for path in PAGES.rglob("*.py") if parts in path.read_text(encoding="utf-8")}
    assert PAGES / f"{name}.py" in users
    assert {path.parent for path in users - {PAGES / f"{name}.py"}} <= {PAGES / f"_{name}"}
