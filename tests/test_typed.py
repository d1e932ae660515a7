"""The package says that it is typed, and its public names are of modules that mypy checks strictly."""

import inspect
import tomllib
from pathlib import Path

import kanon_engine as kanon

ROOT = Path(__file__).parent.parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]


def test_the_mark_is_packed_with_every_folder_of_code():
    assert (ROOT / "kanon_engine" / "py.typed").is_file()
    assert TOOLS["hatch"]["build"]["targets"]["wheel"]["packages"] == ["kanon_engine"]
    folders = {path.parent for path in (ROOT / "kanon_engine").rglob("*.py")}
    assert len(folders) > 20
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_every_public_name_is_of_a_module_that_is_checked_strictly():
    strict = next(entry["module"] for entry in TOOLS["mypy"]["overrides"] if entry.get("disallow_untyped_defs"))
    for name in kanon.__all__:
        module = inspect.getmodule(getattr(kanon, name)).__name__
        kept = [one for one in strict if module == one or (one.endswith(".*") and module.startswith(one[:-2]))]
        assert kept, (name, module)
