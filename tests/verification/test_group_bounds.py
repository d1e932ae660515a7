"""Arguments of the verifier about labels, rectangles and regions, each by itself, where it is close."""

from dataclasses import replace

import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.bounds import LARGEST_STRIPS
from kanon_engine.regions.instance import TreeDetails
from kanon_engine.verification import arrays, core, labels, rectangles, regions
from tests.verification.proven import lines_of, proven, read
from tests.verification.test_forms import FORMS

# ---------------------------------------------------------------------------------------------------------------------
# Labels
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("levels", "weights", "targets"),
    [
        ([8, 8, 9], [1, 1, 5], [0, 1, 0]),  # as long as the largest stays the largest, then in turn
        ([8, 8, 9], [2, 1, 1], [0, 1, 2]),  # the first is too much
        ([5, 8, 9], [3, 1, 1, 1, 1], [0, 0, 1, 0, 1]),
    ],
)
def test_leftover_labels_are_spread(levels, weights, targets):
    assert labels._spread(levels, weights) == targets


def test_a_table_of_sums_is_written_up_to_some_work(monkeypatch):
    """Above it, and of more labels than are halved, no sum is looked for."""
    counts = [3] * (labels.HALVED + 1)
    for work, found in ((34 * len(counts), 102), (34 * len(counts) - 1, None)):
        monkeypatch.setattr(labels, "MOST_WORK", work)
        assert labels.least_sum(counts, 100) == found


@pytest.mark.parametrize(
    ("counts", "k", "cap", "least"),
    [
        ([12, 4, 7, 4, 10, 10], 15, 17, 5),  # what one half of the labels makes up, and 3 contents of classes
        ([10, 11, 10, 3, 9, 8, 5, 7, 10], 8, 10, 5),  # 4, and 5 contents
    ],
)
def test_contents_of_classes_are_listed_up_to_some_number(counts, k, cap, least, monkeypatch):
    for number in (least - 1, least):
        monkeypatch.setattr(labels, "COVER_SUMS", number)
        assert labels.cover_is_impossible(counts, k, cap, sum(counts) // k) == (number == least)


# ---------------------------------------------------------------------------------------------------------------------
# Rectangles
# ---------------------------------------------------------------------------------------------------------------------


def test_a_run_through_the_first_location_of_a_line_has_nothing_before_it():
    """A corner of 5 with 1 beside it and 1 above it: no part of less than 2 is cut from it."""
    corners = [(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5)]
    xy, counts = [*corners, *((place, place) for place in range(10, 20))], [1, 1, 1, 5, 1, 1] + [1] * 10
    assert rectangles.ceiling(lines_of(xy), arrays.column(counts), 2) == 2 * 1 + 6


def test_points_that_only_useless_lines_part_lie_in_one_cell():
    """Below the first line with k on both sides, or above the last, whichever of the four sides of the map that is."""
    middle = [(0, 5), (1, 5), (5, 0), (5, 9), (9, 5)]
    for turned in range(4):
        given = kanon.Points(middle, [1, 1, 10, 10, 10])
        assert proven(given, 5, "points that no cut can split", [0]) == 2
        assert proven(given, 5, "points that no cut can split", [2]) is None
        middle = [(y, 9 - x) for x, y in middle]
        assert turned or middle[0] == (5, 9)


def test_points_are_grouped_up_to_the_same_number():
    assert rectangles.GROUPED_UP_TO == LARGEST_STRIPS


@pytest.mark.parametrize(("name", "witness"), [("average class", [4]), ("locations per class", [0, 4])])
def test_where_there_is_room_for_one_class_it_holds_everything(name, witness):
    points = kanon.Points([(0, 0), (1, 1), (2, 0)], [2, 2, 2])
    assert proven(points, 4, name, witness) == 6


def test_rectangles_are_weighed_up_to_some_number(monkeypatch):
    """Of two columns and four rows those of 3 runs by 10."""
    lines = lines_of([(0, 0), (1, 1), (0, 2), (1, 3)])
    cells = rectangles.cells_of(lines, arrays.column([1] * 4), 1)
    for most, too_many in ((30, False), (29, True)):
        monkeypatch.setattr(rectangles, "MOST_RECTANGLES", most)
        assert rectangles.too_many_rectangles(cells) == too_many


@pytest.mark.parametrize(("wide", "high", "too_many"), [(80, 80, False), (80, 81, True), (81, 80, True)])
def test_all_rectangles_of_eighty_columns_and_rows_are_weighed(wide, high, too_many):
    cells = rectangles.Cells(arrays.places(wide), arrays.places(high), None, None, None)
    assert rectangles.too_many_rectangles(cells) == too_many


def test_the_first_rectangle_without_extent_is_named():
    sides = [arrays.floats(side) for side in ([0, 1, 2], [0, 0, 0], [1, 1, 2], [1, 1, 1])]
    assert rectangles.tiling(sides, (0, 0, 2, 1)).detail == "rectangle 2 has no extent."


# ---------------------------------------------------------------------------------------------------------------------
# Regions
# ---------------------------------------------------------------------------------------------------------------------


def test_a_block_is_joined_on_the_way_to_what_must_stay_with_it():
    """The first area may cross to a light one that leads nowhere, or to a heavy one that lies before its partner."""
    given = kanon.Regions(
        range(4), [1, 1, 5, 1], [(0, 1), (0, 2), (2, 3)], together=[[0, 3]], barriers=[[0], [1], [2], [3]]
    )
    area = regions.Map(given.weights.tolist(), [(0, 1), (0, 2), (2, 3)], [(given.weights.tolist(), 1)])
    assert regions.WishedMap(area, read(given).parts).crossed == [(0, 2), (3, 2)]


def details_of(instance, g):
    """What each check says of a certificate, and the check that refuses it."""
    fields = core.read_certificate(g.to_json())
    found = core.verdict(read(instance), fields, {"regions": regions})
    return {check.name: check.detail for check in [*found.checks, *filter(None, [found.failed])]}, found.failed


def test_an_area_without_neighbors_is_counted():
    given = kanon.Regions(range(3), [5, 5, 9], [(0, 1)])
    said, failed = details_of(given, kanon.generalize(given, 5, "tree-split"))
    assert failed is None
    assert "at least 0 neighbors on the map" in said["theorem"]


def test_crossings_are_named_where_there_are_barriers():
    """A record of another kind says nothing of them."""
    given = kanon.Regions(range(4), [5, 5, 5, 5], [(0, 1), (1, 2), (2, 3)], barriers=[[0, 1]])
    g = kanon.generalize(given, 10, "tree-split")
    details = TreeDetails(**{name: getattr(g.details, name) for name in regions.RECORDS["TreeDetails"]})
    assert details_of(given, replace(g, details=details).sealed())[1].name == "crossings"


def test_nothing_is_left_beside_a_class_that_can_be_none():
    """Not even an area without records."""
    choices = regions.Choices([5, 0, 5], [[1, 2], [0], [0]], 5, 5)
    assert set(choices.possible(0)) == {frozenset({0, 1})}


def states(part, most, least, excess):
    return regions.States(
        *([arrays.column(column) for column in rows] for rows in (part, most, least)), arrays.column(excess)
    )


def test_of_states_that_are_alike_the_best_are_kept():
    given = states([[1, 1, 1, 1]], [[4, 4, 4, 5]], [[3, 2, 4, 2]], [0, 1, 1, 1])
    kept = regions._undominated(given)
    found = zip(kept.most[0].tolist(), kept.least[0].tolist(), kept.excess.tolist(), strict=True)
    assert sorted(found) == [(4, 2, 1), (4, 3, 0), (5, 2, 1)]


def test_states_with_loads_in_one_cell_become_one():
    given = states([[1, 1, 1]], [[0, 9, 10]], [[0, 9, 10]], [2, 1, 3])
    found = regions._merged(given, 10)
    assert (found.most[0].tolist(), found.least[0].tolist(), found.excess.tolist()) == ([9, 10], [0, 10], [1, 3])


@pytest.mark.parametrize(("scale", "grains"), [(1, [1, 2, 4]), (600, [2**power for power in range(1, 12)])])
def test_too_many_states_are_merged_in_the_smallest_cells_first(scale, grains, monkeypatch):
    """A share of k, 8 and 4,800 records, and twice as large each time."""
    seen, merged = [], regions._merged
    monkeypatch.setattr(regions, "_merged", lambda states, grain: seen.append(grain) or merged(states, grain))
    weights = [weight * scale for weight in (3, 1, 4, 1, 5, 9, 2, 6, 5)]
    edges = [(a, b) for a in range(9) for b in (a + 1, a + 3) if b < 9 and (b == a + 3 or b % 3)]
    area = regions.Map(weights, edges, [(weights, 8 * scale)])
    assert regions.BOUNDS["no way round"](area, [9 * scale, 6, *range(9)]) == 9 * scale + 1
    assert seen == grains


@pytest.mark.parametrize("form", FORMS)
def test_a_path_of_hundreds_of_areas_has_no_way_round(form):
    count = 301  # no multiple of three
    edges, weights = [(place, place + 1) for place in range(count - 1)], [1] * count
    area = form.regions.Map(weights, edges, [(weights, 3)])
    assert form.regions.BOUNDS["no way round"](area, [3, 100, *range(count)]) == 4
