"""Mutants of the code that checks results: listed, drawn by a seed, told apart from those that change nothing."""

import ast
import difflib
import random
import tomllib
import warnings
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tests.mutation.operators import operators

ROOT = Path(__file__).parents[2]
TARGETS = (
    "generalize",
    "verification/*",
    "model/generalization",
    "model/objective",
    "model/serialize",
    "validate",
)
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes
    ----------
    path : str
        Of the file, from the repository's root.
    operator : str
    source : str
        The whole file, changed.
    within : str
        The outermost function or class that holds the change; "" in none.
    inside_a_function : bool
        Whether it runs when a function is called, and not when the module is imported.
    lines : range
        Of the statement (of a compound one its head) that is changed.
    was, becomes : str
        The lines that differ, every white space one blank.
    """

    path: str
    operator: str
    source: str
    within: str
    inside_a_function: bool
    lines: range
    was: str
    becomes: str

    @property
    def key(self):
        return self.module, self.within, self.was, self.becomes

    @property
    def compiles(self):
        try:
            with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
                compile(self.source, self.path, "exec")
        except SyntaxError:
            return False
        return True

    @property
    def module(self):
        return _module(Path(self.path))


def target_files():
    """The files to change, in order."""
    folder = ROOT / "kanon_engine"
    found = {path for name in TARGETS for path in folder.glob(f"{name}.py")}
    return sorted(found - set(folder.glob("cli/*")))


def sites(path):
    """All places of a file with the operators that change them: {(place, kind of operator): [(name, occurrence)]}."""
    tree = get_ast(path.read_text(encoding="utf-8"))
    nodes = list(ast_nodes(tree))
    found = {}
    for name, operator in operators().items():
        occurrence = 0
        for node in nodes:
            for place in operator().mutation_positions(node):
                if not (_is_annotation(node) or _is_import_for_types(node) or _is_strict(node)):
                    found.setdefault((place, name.split("_")[0]), []).append((name, occurrence))
                occurrence += 1
    return found


def drawn(seed, count, within=""):
    """A sample of the files whose path holds some words: places drawn evenly, of each and kind of operator one change.

    A smaller sample of the same seed is the beginning of a larger one.
    """
    generator = random.Random(seed)
    files = [path for path in target_files() if within in str(path.relative_to(ROOT))]
    every = [(path, *site) for path in files for site in sorted(sites(path).items())]
    generator.shuffle(every)
    chosen = [(path, place, generator.choice(ways)) for path, (place, _), ways in every]
    mutants = (_mutant(path, place, *way) for path, place, way in chosen)
    return len(every), list(islice(filter(None, mutants), count))


def equivalent():
    """{key of a mutant that no test can kill: why}."""
    content = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return {(one["module"], one["within"], one["was"], one["becomes"]): one["why"] for one in content.get("mutant", [])}


def outdated(keys):
    """Those of the keys whose lines are no longer in the definition that they name."""
    return [key for key in keys if key[2] not in _text(*key[:2])]


def named(keys):
    """The mutants with these keys, as far as the files still have them."""
    found = {}
    for path in target_files():
        lines = path.read_text(encoding="utf-8").splitlines()
        wanted = {key for key in keys if key[0] == _module(path.relative_to(ROOT))}
        if not wanted:
            continue
        for (place, _), ways in sorted(sites(path).items()):
            line = " ".join(lines[place[0][0] - 1].split())
            if any(line in key[2] for key in wanted):
                for way in ways:
                    mutant = _mutant(path, place, *way)
                    if mutant is not None and mutant.key in wanted:
                        found.setdefault(mutant.key, mutant)
    return list(found.values())


def _module(path):
    """The name by which a file, told from the repository's root, is imported."""
    return ".".join((path.parent if path.name == "__init__.py" else path.with_suffix("")).parts)


def _text(module, within):
    """The source of a definition, of the whole module for "", every white space one blank; "" without one."""
    path = next((path for path in target_files() if _module(path.relative_to(ROOT)) == module), None)
    if path is None:
        return ""
    source = path.read_text(encoding="utf-8")
    node = ast.parse(source)
    for name in filter(None, within.split(".")):
        node = next((one for one in node.body if getattr(one, "name", None) == name), None)
        if node is None:
            return ""
    lines = source.splitlines() if not within else source.splitlines()[_begin(node)[0] - 1 : node.end_lineno]
    return " ".join(" ".join(lines).split())


def _mutant(path, place, name, occurrence):
    """A mutant; None where Cosmic Ray cannot make it, as of an exception with a dotted name."""
    before = path.read_text(encoding="utf-8")
    try:
        source = mutate_code(before, operators()[name](), occurrence)
    except AttributeError:
        return None
    pairs = difflib.ndiff(before.splitlines(), source.splitlines())
    changes = [(line[0], " ".join(line[2:].split())) for line in pairs if line[0] in "-+"]
    was, becomes = (" ".join(text for sign, text in changes if sign == kind) for kind in "-+")
    within, inside, lines = _where(before, place[0])
    return Mutant(str(path.relative_to(ROOT)), name, source, within, inside, lines, was, becomes)


def _where(source, position):
    """The outermost definition around a position, whether that is in a function's body, and the statement's lines."""
    body, within, inside, lines = ast.parse(source).body, "", False, range(0)
    while True:
        around = [one for one in body if _begin(one) <= position < (one.end_lineno, one.end_col_offset + 1)]
        if not around:
            return within, inside, lines
        statement = around[-1]
        inner = [part for name in ("body", "orelse", "finalbody") for part in getattr(statement, name, [])]
        inner += [part for handler in getattr(statement, "handlers", []) for part in handler.body]
        inner += [part for case in getattr(statement, "cases", []) for part in case.body]
        below = min((_begin(part)[0] for part in inner), default=statement.end_lineno + 1)
        lines = range(_begin(statement)[0], max(below, statement.lineno + 1))
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            if not within or not inside:
                within = f"{within}.{statement.name}".lstrip(".")
            inside = inside or (isinstance(statement, ast.FunctionDef) and position >= _begin(statement.body[0]))
        body = inner


def _begin(statement):
    first = min([statement, *getattr(statement, "decorator_list", [])], key=lambda one: one.lineno)
    return first.lineno, 0 if first is not statement else statement.col_offset


def _is_annotation(node):
    """Whether it is part of an annotation, which nothing evaluates."""
    while node.parent is not None:
        parent = node.parent
        annotation = {"annassign": 1, "tfpdef": 2}.get(parent.type)
        if annotation is not None and parent.children.index(node) == annotation:
            return True
        if parent.type == "funcdef" and "->" in [child.get_code().strip() for child in parent.children]:
            arrow = [child.get_code().strip() for child in parent.children].index("->")
            if parent.children[arrow] is node or parent.children[arrow + 1] is node:
                return True
        node = parent
    return False


def _is_strict(node):
    """Whether it is the flag of a `zip`, which says of both that they are of one length."""
    return (
        node.parent is not None
        and node.parent.type == "argument"
        and node.parent.children[0].get_code().strip() == "strict"
    )


def _is_import_for_types(node):
    while node.parent is not None:
        if node.type == "if_stmt" and node.children[1].get_code().strip() == "TYPE_CHECKING":
            return True
        node = node.parent
    return False
