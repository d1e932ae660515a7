"""Pictures of areas: the colors, the lines and the words in them, and what must not be in them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.errors import InvalidInput
from kanon_engine.plot.colors import PALETTE, class_colors, palette
from kanon_engine.regions.display_map import CORNERS, CORNERS_EACH, display_map
from kanon_engine.regions.plot import regions_map
from kanon_engine.teaching.regions.picture import step_figure
from tests.regions.grids import grid, grid_edges
from tests.sentences import COLORS_CAN_SHOW, NEIGHBORS_DIFFER_IN_COLOR, SHARE_NO_BORDER

SAMPLES = Path(__file__).parents[2] / "sample_data"
MAPS = ("georgia.geojson", "new_york_tracts.geojson", "boston_tracts.geojson", "dc_zcta2010.zip")


@pytest.fixture(scope="module", params=MAPS)
def result(request: pytest.FixtureRequest) -> tuple[kanon.Regions, kanon.Generalization]:
    regions = kanon.read_regions(SAMPLES / request.param)
    return regions, kanon.generalize(regions, 30_000, "tree-split")


@pytest.fixture(scope="module")
def georgia() -> tuple[kanon.Regions, kanon.Generalization]:
    regions = kanon.read_regions(SAMPLES / "georgia.geojson")
    return regions, kanon.generalize(regions, 50_000, "tree-split")


@pytest.fixture(scope="module")
def network() -> tuple[kanon.Regions, kanon.Generalization]:
    edges = np.array([*grid_edges(4, 5), (20, 21)])  # a grid and a part of two areas
    regions = kanon.Regions(range(22), [7] * 22, edges)
    return regions, kanon.generalize(regions, 14, "tree-split")


def layer(figure, name: str):
    (trace,) = [trace for trace in figure.data if trace.name == name]
    return trace


def segments(trace) -> int:
    return int(np.isnan(np.asarray(trace.lon if trace.type == "scattermap" else trace.x, dtype=float)).sum())


@pytest.mark.thorough(one_in=2)
def test_neighboring_classes_differ_in_few_colors(result) -> None:
    regions, g = result
    colors = class_colors(regions.edges, g.assignment, g.classes)
    ends = g.assignment[regions.edges]
    assert (colors[ends[:, 0]] != colors[ends[:, 1]])[ends[:, 0] != ends[:, 1]].all()
    assert colors.max() < 6


@given(st.integers(2, 14), st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=60))
def test_colors_differ_on_any_graph(count: int, pairs: list[tuple[int, int]]) -> None:
    edges = np.array([(a % count, b % count) for a, b in pairs if a % count != b % count], dtype=int).reshape(-1, 2)
    colors = class_colors(edges, np.arange(count), count)
    assert (colors[edges[:, 0]] != colors[edges[:, 1]]).all()
    assert len(colors) == count


def test_palette_has_as_many_colors_as_asked_for() -> None:
    assert palette(3) == list(PALETTE[:3])
    assert len(set(palette(40))) == 40


@pytest.mark.thorough(one_in=2)
def test_display_keeps_shapes_and_their_common_borders(result) -> None:
    regions, _ = result
    made = display_map(regions)
    shapes = shapely.from_geojson([json.dumps(feature["geometry"]) for feature in made.geojson["features"]])
    original = regions.geometry.to_numpy()[made.order]
    assert sorted(made.order.tolist()) == list(range(len(regions)))
    assert [feature["id"] for feature in made.geojson["features"]] == list(range(len(regions)))
    difference = shapely.area(shapely.symmetric_difference(shapely.make_valid(shapes), original)).sum()
    assert difference < 0.02 * shapely.area(original).sum()
    assert shapely.get_num_coordinates(shapes).sum() <= CORNERS + CORNERS_EACH * len(regions)
    assert shapely.coverage_is_valid(shapes)
    drawn = {frozenset(pair) for pair in made.border_pairs.tolist() if -1 not in pair}
    bordering = {frozenset(pair) for pair in regions.edges.tolist()}
    assert len(drawn - bordering) == 0
    assert len(bordering - drawn) < 0.03 * len(bordering)  # the shortest borders vanish


def test_features_carry_nothing_but_shapes(result) -> None:
    regions, _ = result
    features = display_map(regions).geojson["features"]
    assert {tuple(feature) for feature in features} == {("type", "id", "properties", "geometry")}
    assert all(feature["properties"] == {} for feature in features)


def test_drawing_order_is_not_the_order_of_the_file(georgia) -> None:
    regions, _ = georgia
    order = np.random.default_rng(0).permutation(len(regions))
    shuffled = kanon.Regions.from_frame(
        regions.geometry.to_frame("geometry").assign(id=regions.ids, n=regions.weights).iloc[order], weight="n", id="id"
    )
    assert display_map(shuffled).geojson.digest == display_map(regions).geojson.digest


def test_map_shows_the_class_of_each_area(result) -> None:
    regions, g = result
    figure = regions_map(regions, g)
    body = layer(figure, "areas")
    order = display_map(regions).order
    assert body.customdata[:, 0].tolist() == g.assignment[order].tolist()
    assert body.customdata[:, 1].tolist() == (g.assignment[order] + 1).tolist()
    assert body.customdata[:, 2].tolist() == g.class_weights[g.assignment[order]].tolist()
    assert body.customdata[:, 3].tolist() == np.bincount(g.assignment)[g.assignment[order]].tolist()
    shown = np.empty(len(regions), dtype=int)
    shown[order] = body.z
    apart = g.assignment[regions.edges[:, 0]] != g.assignment[regions.edges[:, 1]]
    assert (shown[regions.edges[:, 0]] != shown[regions.edges[:, 1]])[apart].all()
    assert len(body.locations) == len(body.z) == len(regions)


def test_geometry_is_the_same_object_whatever_k(georgia) -> None:
    regions, g = georgia
    one, other = regions_map(regions, g), regions_map(regions, kanon.generalize(regions, 90_000, "tree-split"))
    assert layer(one, "areas").geojson is layer(other, "areas").geojson
    assert one.layout.meta == other.layout.meta
    assert one.layout.meta["geometry"] == display_map(regions).geojson.digest
    assert one.layout.uirevision == regions.digest
    assert layer(one, "areas").z.tolist() != layer(other, "areas").z.tolist()


def test_nothing_is_loaded_unless_tiles_are_asked_for(georgia) -> None:
    assert regions_map(*georgia).layout.map.style == "white-bg"
    assert regions_map(*georgia, tiles=True).layout.map.style == "open-street-map"


def test_thick_lines_stand_between_classes_alone(georgia) -> None:
    regions, g = georgia
    whole = kanon.generalize(regions, regions.total, "tree-split")
    made = display_map(regions)
    outside = int((np.isnan(made.border_points[:, 0]) & (made.border_pairs[:, 1] < 0)).sum())
    assert segments(layer(regions_map(regions, whole), "group borders")) == outside
    assert segments(layer(regions_map(regions, g), "group borders")) > outside


def test_fullness_is_weight_by_k_with_a_mark_at_one(georgia) -> None:
    regions, g = georgia
    body = layer(regions_map(regions, g, color_by="fullness"), "areas")
    expected = g.class_weights[g.assignment[display_map(regions).order]] / g.k
    np.testing.assert_allclose(body.z, expected, rtol=1e-6)
    assert body.zmin == 1
    assert body.zmax == pytest.approx(g.overfull_ratio)
    assert body.colorbar.ticktext[0] == "1 = k"
    with pytest.raises(InvalidInput, match=COLORS_CAN_SHOW):
        regions_map(regions, g, color_by="age")


def test_selected_class_stands_out(georgia) -> None:
    regions, g = georgia
    body = layer(regions_map(regions, g, selected=3), "areas")
    assert body.customdata[list(body.selectedpoints), 0].tolist() == [3] * int((g.assignment == 3).sum())
    assert layer(regions_map(regions, g), "areas").selectedpoints is None


def test_tree_layer_has_kept_and_cut_edges(georgia) -> None:
    regions, g = georgia
    figure = regions_map(regions, g, tree=True)
    assert segments(layer(figure, "tree")) == len(regions) - g.classes
    assert segments(layer(figure, "cut")) == 3 * (g.classes - 1)  # three dashes each


def test_joins_of_islands_are_drawn() -> None:
    frame = grid(1, 6).drop(index=[2, 3]).reset_index(drop=True)
    regions = kanon.Regions.from_frame(frame)
    joins = layer(regions_map(regions, kanon.generalize(regions, 20, "tree-split")), SHARE_NO_BORDER)
    assert segments(joins) == 12
    assert np.nanmin(joins.lon) == pytest.approx(-82.85, abs=1e-4)
    assert np.nanmax(joins.lon) == pytest.approx(-82.55, abs=1e-4)


def test_outline_lies_below_the_areas(georgia) -> None:
    import geopandas

    states = geopandas.read_file(SAMPLES / "us_states.geojson").geometry
    figure = regions_map(*georgia, outline=states)
    assert [trace.name for trace in figure.data] == ["outline", "areas", "group borders"]
    assert segments(figure.data[0]) == len(shapely.get_parts(shapely.boundary(states.to_numpy()))) - 1


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("kind", ["georgia", "network"])
def test_steps_color_what_is_cut_off(kind: str, request: pytest.FixtureRequest) -> None:
    regions, g = request.getfixturevalue(kind)
    steps = list(teaching.steps(regions, g))

    def colored(number: int) -> int:
        body = layer(step_figure(regions, g, steps[number]), "areas")
        numbers = np.asarray(body.z if kind == "georgia" else body.marker.color)
        return int((numbers > 0).sum())

    counts = [colored(number) for number in range(len(steps))]
    assert counts == sorted(counts)
    assert counts[0] == 0
    assert counts[-1] == len(regions)
    assert segments(layer(step_figure(regions, g, steps[2]), "tree")) == len(g.details.tree) - 2


def test_areas_without_shapes_are_drawn_as_a_network(network) -> None:
    regions, g = network
    figure = regions_map(regions, g, tree=True)
    body = layer(figure, "areas")
    assert {trace.type for trace in figure.data} == {"scatter"}
    assert len({(x, y) for x, y in zip(body.x, body.y, strict=True)}) == 22
    between, within = (segments(layer(figure, name)) for name in ("between groups", "within a group"))
    assert between + within == len(regions.edges)
    assert within == int((g.assignment[regions.edges[:, 0]] == g.assignment[regions.edges[:, 1]]).sum())
    again = kanon.Regions(range(22), [7] * 22, regions.edges)
    np.testing.assert_array_equal(layer(regions_map(again, g), "areas").x, body.x)


def test_map_without_a_place_on_earth_is_drawn() -> None:
    frame = grid(crs=None)
    frame["geometry"] = frame.geometry.scale(5000, 5000, origin=(0, 0))
    regions = kanon.Regions.from_frame(frame)
    bounds = shapely.total_bounds(
        shapely.from_geojson([json.dumps(f["geometry"]) for f in display_map(regions).geojson["features"]])
    )
    assert np.abs(bounds).max() < 90
    assert 0 < regions_map(regions, kanon.generalize(regions, 50, "tree-split")).layout.map.zoom < 20


def test_shapes_that_do_not_fit_are_cleaned_for_the_picture() -> None:
    frame = grid(3, 4)
    frame["geometry"] = frame.geometry.buffer(1e-6, join_style="mitre")
    regions = kanon.Regions.from_frame(frame)
    whole = kanon.generalize(regions, regions.total, "tree-split")
    lines = layer(regions_map(regions, whole), "group borders")
    assert segments(lines) == len({tuple(pair) for pair in display_map(regions).border_pairs.tolist() if pair[1] < 0})
    assert any("do not fit" in note for note in regions.notes)


@pytest.mark.parametrize("algorithm", [algorithm.name for algorithm in kanon.algorithms("regions")])
def test_the_words_of_a_step_say_group(algorithm):
    regions = kanon.Regions(range(9), range(1, 10), grid_edges(3, 3))
    g = kanon.generalize(regions, 6, algorithm)
    for step in teaching.steps(regions, g):
        assert "class" not in step.why


def test_one_group_is_titled_in_the_singular():
    row = kanon.Regions("ab", [1, 1], [(0, 1)])
    title = regions_map(row, kanon.generalize(row, 2, "tree-split")).layout.title.text
    assert title == f"1 connected group of areas; {NEIGHBORS_DIFFER_IN_COLOR}"
