"""Who may import whom: data flows one way, and a check shares nothing with what it checks."""

import ast
import re
import subprocess
import sys
from functools import cache, lru_cache
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "kanon_engine"
FAMILIES = [path.parent.name for path in sorted(ENGINE.glob("*/instance.py"))]
VERIFIER = sorted((ENGINE / "verification").glob("*.py"))


@cache
def imported(path):
    """Names of all modules that a file imports, at any depth, but for those that only type checkers read."""
    return list(names_of(path))


def names_of(path):
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 or path in VERIFIER, f"{path} imports relatively"
            module = f"kanon_engine.verification.{node.module or ''}".rstrip(".") if node.level else node.module
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", VERIFIER, ids=lambda path: path.stem)
def test_the_verifier_imports_itself_the_standard_library_and_numpy(path):
    ast.parse(path.read_text(), feature_version=(3, 9))
    assert "from kanon_engine" not in path.read_text()  # but relatively: a bundle has it under another name
    own = [name for name in imported(path) if not name.startswith("kanon_engine.verification")]
    others = {name.partition(".")[0] for name in own} - set(sys.stdlib_module_names)
    assert others <= ({"numpy", "scipy"} if path.stem == "arrays" else set())
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--target-version", "py39", "--select", "F", path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "path", sorted(ENGINE.rglob("*kernels.py")), ids=lambda path: f"{path.parent.name} {path.stem}"
)
def test_kernels_import_only_kernels(path):
    modules = {name for name in imported(path) if name.startswith("kanon_engine")}
    assert [name for name in modules if "kernel" not in name] == []


@pytest.mark.parametrize("path", sorted(ENGINE.rglob("*.py")), ids=lambda path: str(path.relative_to(ENGINE)))
def test_the_engine_knows_no_page(path):
    assert [name for name in imported(path) if name.split(".")[0] in ("streamlit", "pages", "app", "tests")] == []


def test_only_commands_and_pages_know_of_teaching():
    above = {"teaching", "cli", "cli/compile.py", "__main__.py"}
    below = [path for path in sorted(ENGINE.rglob("*.py")) if path.relative_to(ENGINE).parts[0] not in above]
    assert len(below) > 100
    texts = {path: " ".join([path.read_text(), *imported(path)]) for path in below}  # dotted strings too
    assert [path for path, text in texts.items() if "kanon_engine.teaching" in text] == []


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "oracles").glob("*.py")), ids=lambda path: path.stem)
def test_oracles_import_nothing_of_the_engine(path):
    assert [name for name in imported(path) if name.startswith("kanon_engine")] == []


def test_the_instance_of_a_family_knows_no_algorithm():
    for family in FAMILIES:
        names = imported(ENGINE / family / "instance.py")
        own = {name.split(".")[2] for name in names if name.startswith(f"kanon_engine.{family}.")}
        assert own <= {"area_table", "class_names", "feasible", "parts", "distances"}, family


def test_no_package_gives_the_name_of_a_part_to_something_else():
    """Importing the part would replace what stands there, or not, as the order of imports has it."""
    taken = []
    for package in ENGINE.rglob("__init__.py"):
        parts = {path.stem for path in package.parent.glob("*.py")} | {
            path.parent.name for path in package.parent.glob("*/__init__.py")
        }
        name = ".".join(package.parent.relative_to(ROOT).parts)
        for node in ast.walk(ast.parse(package.read_text())):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    known = alias.asname or alias.name
                    if known in parts and node.level == 0 and node.module not in (name, f"{name}.{known}"):
                        taken.append(f"{name}.{known} is {node.module}.{alias.name}")
    assert taken == []


MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ENGINE.rglob("*.py"))
}


@lru_cache(maxsize=1)  # all trees would fill the memory
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_of(name, *, inside):
    """The engine's modules that a module imports at its top, or inside functions, with the packages that runs first."""
    return list(edges_of(name, inside=inside))


def edges_of(name, *, inside):
    def visit(node, within):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                continue  # expressions import nothing
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import) and within == inside:
                yield from (alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom) and within == inside:
                module = f"kanon_engine.verification.{child.module or ''}".rstrip(".") if child.level else child.module
                names = (f"{module}.{alias.name}" for alias in child.names)
                yield from (known if known in MODULES else module for known in names)
            else:
                yield from visit(child, within or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))

    for module in set(visit(tree_of(MODULES[name]), False)) & set(MODULES):
        while "." in module:  # a package runs before its modules; those around the importer are running already
            if module != name and not name.startswith(f"{module}."):
                yield name, module
            module = module.rpartition(".")[0]


# Rooms, a folder or a file directly in kanon_engine, from the lowest; docs/architecture.md has them as a picture.
ROOMS = [
    "verification",
    "shown version folders",
    "errors",
    "shipped",
    "kernel_cache",
    "validate",
    "model",
    "search",
    "generalize",
    "processes",
    "io",
    "plot",
    "release",
    "disclosure",
    "regions rectangles labels tables clusters",
    "registry",
    "sweep",
    "apply",
    "kanon_engine",
    "workers",
    "risk",
    "records",
    "project",
    "report",
    "teaching",
    "cli",
    "__main__",
]
DOTTED = re.compile(r"""["'](kanon_engine[\w.]*)[:"']""")
COMMENT = re.compile(r"  # .*")
PACKAGE_ALONE = re.compile(r"from kanon_engine import|import kanon_engine\b")
RANK = {room: rank for rank, rooms in enumerate(ROOMS) for room in rooms.split()}
FAMILY_ROOMS = RANK["labels"]


def room_of(module):
    """The room of a module of the engine; that of the package itself is "kanon_engine"."""
    return ([*module.split(".")[1:], "kanon_engine"])[0]


def names_of_package(path):
    """Names that a file imports from the package itself, modules left out."""
    if not PACKAGE_ALONE.search(path.read_text()):
        return
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "kanon_engine":
            yield from (alias.name for alias in node.names if f"kanon_engine.{alias.name}" not in MODULES)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name == "kanon_engine")


@cache
def edges_between_rooms():
    """(room, room, module) of every import between rooms, dotted strings such as those of `Lazy` among them."""
    edges = []
    for name, path in MODULES.items():
        targets = {module for inside in (False, True) for _, module in imports_of(name, inside=inside)}
        targets |= set(DOTTED.findall(COMMENT.sub("", path.read_text()))) & set(MODULES)
        if any(names_of_package(path)):
            targets.add("kanon_engine")
        for module in targets:
            if room_of(module) != room_of(name):
                edges.append((room_of(name), room_of(module), name))
    return edges


def test_every_room_imports_only_rooms_below_it():
    edges = set(edges_between_rooms())
    assert len(edges) > 300
    assert {room_of(name) for name in MODULES} == set(RANK)
    against = [(one, other, name) for one, other, name in edges if RANK[other] >= RANK[one] and room_of(name) == one]
    assert against == []


def test_no_family_knows_another():
    families = {room for room, rank in RANK.items() if rank == FAMILY_ROOMS}
    assert [edge for edge in edges_between_rooms() if {edge[0], edge[1]} <= families] == []


# Who right of the families still imports one, besides the registry and teaching; the list only becomes shorter.
STILL = {
    "apply": "tables",
    "cli.attack": "tables",
    "cli.compile": "rectangles",
    "cli.flags": "tables",
    "cli.reading": "tables",
    "cli.summary": "tables",
    "records.count": "labels rectangles regions tables",
    "records.counted": "tables",
    "records.crosswalk": "rectangles tables",
    "records.guards": "tables",
}


def test_who_needs_something_of_a_family_is_given_it_by_the_registry():
    imported_families = {}
    for room, other, name in edges_between_rooms():
        if RANK[other] == FAMILY_ROOMS and room not in ("registry", "teaching"):
            imported_families.setdefault(name.removeprefix("kanon_engine."), set()).add(other)
    assert {name: " ".join(sorted(families)) for name, families in imported_families.items()} == STILL


def test_no_module_imports_itself_through_others():
    graph = networkx.DiGraph(edge for name in MODULES for edge in imports_of(name, inside=False))
    assert graph.number_of_edges() > 500
    assert [sorted(circle) for circle in networkx.strongly_connected_components(graph) if len(circle) > 1] == []
    dodging = {
        (name, module)
        for name in MODULES
        for _, module in imports_of(name, inside=True)
        if module in graph and name in graph and networkx.has_path(graph, module, name)
    }
    assert dodging == set()


WITHOUT = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite", "ortools"):
            raise ImportError(name)

sys.meta_path.insert(0, Refuse())
"""
CHECKED = """
import pickle
import kanon_engine as kanon
import kanon_engine.cli
for instance, text in pickle.load(open(sys.argv[1], "rb")):
    print(kanon.verify(instance, kanon.Generalization.from_json(text)).proof)
"""


BUNDLED = """
import kanon_engine as kanon
from kanon_engine.report.verify import verify_bundle
from pathlib import Path
content, data = (Path(name).read_bytes() for name in sys.argv[1:])
instance = kanon.read_labels(data, filename="names.csv")
print(verify_bundle(content, instance, inputs={"names.csv": data}).certificate.proof)
"""


def test_bundles_are_checked_where_numba_cannot_be_imported(tmp_path, monkeypatch):
    from kanon_engine.report.bundle import bundle
    from tests.report.bundles import DATA, KEY, review

    monkeypatch.setattr("kanon_engine.report.bundle.reports", lambda review: (b"<p>Report</p>", b"%PDF-1.7"))
    files = [tmp_path / "bundle.zip", tmp_path / "names.csv"]
    files[0].write_bytes(bundle(review(), key=KEY, data=True))
    files[1].write_bytes(DATA)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + BUNDLED, *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["checked"]


def test_certificates_are_checked_where_numba_cannot_be_imported(tmp_path):
    """Knowing of every algorithm loads none, and nothing that checks a result needs compiled code or a solver."""
    import pickle

    import pandas as pd

    import kanon_engine as kanon

    instances = [
        (kanon.Regions(range(4), [3, 2, 2, 4], [(0, 1), (1, 2), (2, 3)]), 5),
        (kanon.Points([(0, 0), (1, 5), (2, 1), (3, 7)]), 2),
        (kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4]), 5),
        (kanon.Table(pd.DataFrame({"age": [1, 1, 2, 3]}), ["age"]), 2),
    ]
    made = [(instance, kanon.generalize(instance, k).to_json()) for instance, k in instances]
    file = tmp_path / "made"
    file.write_bytes(pickle.dumps(made))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + CHECKED, file], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["checked"] * 4
