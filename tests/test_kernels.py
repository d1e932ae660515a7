"""What kernels may not do, read from their source."""

import ast
from pathlib import Path

import pytest

ENGINE = Path(__file__).parent.parent / "kanon_engine"
KERNELS = [
    pytest.param(node, id=f"{path.parent.name} {path.stem} {node.name}")
    for path in sorted(ENGINE.rglob("*kernels.py"))
    for node in ast.parse(path.read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef)
]
CLOSURES = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_with_a_comprehension_writes_through_names_alone(kernel):
    """Where numba unfolds a comprehension it also drops what looks unused: `floods.visited[0] = 0` is lost there."""
    nodes = list(ast.walk(kernel))
    if any(isinstance(node, CLOSURES) for node in nodes):
        written = [node.value for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
        assert [ast.unparse(target) for target in written if not isinstance(target, ast.Name | ast.Subscript)] == []
