"""What documents call by name is there: public names, modules, commands and their flags."""

import re
from importlib import import_module

import pytest
import typer

import kanon_engine
from kanon_engine.cli import application
from tests.docs.pages import ROOT
from tests.docs.test_links import documents

CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
COMMAND = re.compile(r"\bkanon ((?:[a-z]\w*)(?: [^\n`|]*)?)")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
OTHERS = {"--thorough"}  # of pytest
CHECKER = (ROOT / "kanon_engine" / "verification" / "__main__.py").read_text(encoding="utf-8")  # has flags of its own


def code_of(path):
    return "\n".join(CODE.findall(path.read_text(encoding="utf-8")))


def commands():
    """Every command by its words, "sweep labels" among them."""

    def below(words, command):
        for name, one in getattr(command, "commands", {}).items():
            yield " ".join([*words, name]), one
            yield from below([*words, name], one)

    return dict(below([], typer.main.get_command(application())))


def flags_of(command):
    return {flag for parameter in command.params for flag in [*parameter.opts, *parameter.secondary_opts]} | {"--help"}


def modules_written_in(text):
    """The modules that a document writes itself: blocks of code that are headed by their file."""
    return {path.replace("/", ".") for path in re.findall(r"^```python (kanon_engine/\S+)\.py$", text, re.MULTILINE)}


def dotted(name):
    """Whether a dotted name of the engine leads to something."""
    module, _, last = name.rpartition(".")
    try:
        import_module(name)
    except ModuleNotFoundError:
        return bool(module) and hasattr(import_module(module), last)
    return True


def unknown(text, known):
    """Names in a document's code that nothing has."""
    yield from (name for name in re.findall(r"\bkanon\.([A-Za-z]\w*)", text) if not hasattr(kanon_engine, name))
    yield from (name for name in re.findall(r"\bkanon_engine(?:\.\w+)+", text) if not dotted(name))
    anywhere = {flag for command in known.values() for flag in flags_of(command)} | OTHERS
    anywhere |= set(FLAG.findall(CHECKER)) if "python check" in text else set()
    own = re.sub(r"(?:pytest|pip|ruff|streamlit).*", "", text)
    yield from (flag for flag in FLAG.findall(own) if flag not in anywhere)
    for said in COMMAND.findall(text):
        first, *rest = said.split()
        command = next((one for one in (f"{first} {rest[0]}" if rest else "", first) if one in known), None)
        if command is None:
            yield f"kanon {first}"
        else:
            yield from (flag for flag in FLAG.findall(said) if flag not in flags_of(known[command]))


@pytest.fixture(scope="module")
def known():
    return commands()


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_names_is_there(path, known):
    written = modules_written_in(path.read_text(encoding="utf-8"))
    assert [name for name in unknown(code_of(path), known) if name not in written] == []


def test_what_is_not_there_is_found(known):
    text = "`kanon.gone` `kanon_engine.gone` `kanon_engine.sweep` `--gone` `kanon gone` `kanon labels x --weights 3`"
    assert list(unknown(text, known)) == ["gone", "kanon_engine.gone", "--gone", "kanon gone", "--weights"]
    assert {"sweep labels", "verify", "table"} <= set(known)
