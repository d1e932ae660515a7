"""A witness names places from 0 up to the last, and numbers within what there is."""

import pytest

import kanon_engine as kanon
from tests.verification.proven import proven

LABELS = kanon.Labels("abcd", [3, 9, 4, 5])
POINTS = kanon.Points([(0, 0), (0, 0), (1, 5), (2, 1), (3, 3)], [2, 3, 9, 4, 5])
PATH = kanon.Regions(range(5), [9, 1, 5, 1, 9], [(0, 1), (1, 2), (2, 3), (3, 4)])


@pytest.mark.parametrize(
    ("instance", "k", "name", "good", "wrong"),
    [
        (LABELS, 4, "k", [()], [(0,)]),
        (LABELS, 4, "heaviest label", [(0,), (3,)], [(-1,), (4,), (), (0, 1)]),
        (LABELS, 4, "class of a label", [(0,), (3,)], [(-1,), (-4,), (4,), (5,), (0, 1)]),
        (LABELS, 4, "average class", [(0, 0), (0, 4), (4, 4), (1, 2)], [(-1, 2), (2, 1), (0, 5), (5, 5), (0,)]),
        (LABELS, 4, "sum of labels", [(0, 0), (0, 4), (4, 4)], [(-1, 2), (2, 1), (0, 5), (5, 5)]),
        (LABELS, 4, "crowded class", [(1, 0, 0), (4, 0, 4)], [(0, 0, 0), (-1, 0, 0), (5, 0, 0), (1, 0, 5), (1, -1, 0)]),
        (POINTS, 4, "k", [()], [(0,)]),
        (POINTS, 4, "heaviest location", [(0,), (1,), (4,)], [(-1,), (-5,), (5,), (6,), (), (0, 1)]),
        (POINTS, 4, "least rectangle", [(0,), (4,)], [(-1,), (-5,), (5,), (6,), (), (0, 1)]),
        (POINTS, 4, "locations per class", [(0, 4), (3, 4)], [(-1, 4), (4, 4), (5, 4), (0, 3), (0, 6)]),
        (POINTS, 4, "least sum", [(4,)], [(3,), (5,), ()]),
        (POINTS, 6, "least sum", [(6,), (9,)], [(5,), (10,), (0,)]),
        (POINTS, 4, "shares of rectangles", [()], [(0,)]),
        (PATH, 4, "k", [()], [(0,)]),
        (PATH, 4, "heaviest area", [(0,), (4,)], [(-1,), (5,), (), (0, 1)]),
        (PATH, 4, "average class", [(0,)], [(-1,), (1,), (), (0, 0)]),
        (PATH, 4, "average class with minima", [(0,)], [(-1,), (1,), (), (0, 0)]),
        (PATH, 4, "light set", [(1,), (3,), (1, 3)], [(-1,), (-2,), (5,), (), (1, 1), (0,), (2,)]),
        (PATH, 4, "hubs", [(0,), (2,), (1, 3)], [(-1,), (5,), (), (1, 1), (1, -2)]),
        (PATH, 4, "room for classes", [(0,), (0, 2), (2, 2)], [(-1,), (5,), (), (0, 2, 2), (0, -3), (0, 5)]),
        (PATH, 9, "no way round", [(14, 9, 0, 1, 2, 3, 4)],
         [(14, 0, 0, 1, 2, 3, 4), (8, 9, 0, 1, 2, 3, 4), (25, 9, 0, 1, 2, 3, 4), (14, 9), (14, 9, 0, 0),
          (14, 9, 0, 1, 2, 3, -1), (14, 9, 0, 1, 2, 3, 5), (14, 16_001, 0, 1, 2, 3, 4), ()]),
    ],
)  # fmt: skip
def test_places_and_numbers_of_a_witness_are_there(instance, k, name, good, wrong):
    for witness in good:
        assert proven(instance, k, name, witness) is not None, witness
    for witness in wrong:
        assert proven(instance, k, name, witness) is None, witness
