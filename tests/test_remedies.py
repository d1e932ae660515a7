"""An error advises only what its caller can do: a parameter that a remedy names is one of what was called."""

import ast
import inspect
from pathlib import Path

import pytest

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.rectangles.read import study_area
from tests.regions.grids import grid
from tests.sentences import LOWER_K_TO

PACKAGE = Path(kanon.__file__).parent


def remedies():
    """(file, parameter) of every remedy in the code that names a parameter."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy" and len(node.args) > 1
            if named and isinstance(node.args[1], ast.Constant) and node.args[1].value:
                yield path.relative_to(PACKAGE), node.args[1].value


def test_remedies_of_a_family_name_parameters_of_its_reader_or_its_algorithms():
    looked = 0
    for path, parameter in remedies():
        family = FAMILIES.get(path.parts[0])
        if family is not None:
            options = {option.name for one in family.algorithms.values() for option in one.options}
            assert parameter in {one.name for one in family.reader.parameters} | options, path
            looked += 1
    assert looked > 20


def test_parts_that_are_too_light_are_attached_where_the_reader_can_and_joined_by_an_edge_elsewhere(tmp_path):
    apart = kanon.Regions(["a", "b", "c"], [9, 9, 1], [(0, 1)])
    with pytest.raises(kanon.Infeasible, match=rf"; join it to another area by an edge, or {LOWER_K_TO} 1\.$"):
        kanon.generalize(apart, 5)
    far = grid(1, 2)
    far.geometry = [far.geometry[0], far.translate(50).iloc[0]]
    far["count"] = [9, 1]
    far.to_file(tmp_path / "far.gpkg")
    regions = kanon.read_regions(tmp_path / "far.gpkg", "count", islands="separate")
    with pytest.raises(kanon.Infeasible) as caught:
        kanon.generalize(regions, 5)
    assert "islands" in [one.parameter for one in caught.value.remedy]


@pytest.mark.parametrize("read", [kanon.read_regions, kanon.read_points, kanon.preview, study_area])
def test_who_is_told_to_choose_a_layer_can(read, tmp_path):
    for layer in ("small", "large"):
        grid(2, 2).to_file(tmp_path / "a.gpkg", layer=layer)
    with pytest.raises(kanon.InvalidInput, match="with the parameter layer") as caught:
        read(tmp_path / "a.gpkg")
    assert {one.parameter for one in caught.value.remedy} <= inspect.signature(read).parameters.keys()
