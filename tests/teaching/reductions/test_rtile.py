"""RTILE: the same squares without a least sum, at most p rectangles."""

from dataclasses import replace

import numpy as np
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import reduction_named
from kanon_engine.teaching.reductions.corridors import as_grid
from kanon_engine.teaching.reductions.matching import parse, solve
from kanon_engine.teaching.reductions.model import broken
from tests.oracles.tiles import tilings
from tests.teaching.reductions.matchings import TINY, same_answer

RTILE = reduction_named("matching-to-rtile")


def test_small_instances_have_the_same_answer():
    assert {same_answer(RTILE, source) for source in TINY[:9]} == {True, False}


@pytest.mark.thorough
def test_all_tiny_instances_have_the_same_answer():
    answers = [same_answer(RTILE, source) for source in TINY]
    assert (len(answers), sum(answers)) == (178, 31)


def test_it_is_a_square_with_a_third_of_its_records_as_p():
    carried = RTILE.build(parse("1 1 1; 1 1 2; 2 2 2"))
    rows, columns = as_grid(carried).shape
    assert rows == columns
    assert (as_grid(carried) >= 0).all()
    assert carried.most == carried.instance.weights.sum() // 3


@pytest.mark.parametrize("line", ["1 1 1; 1 2 2; 2 1 2", "1 1 1; 1 1 2; 2 1 2; 2 2 1"])
def test_where_there_is_no_matching_a_rectangle_holds_four(line):
    """The gap of the remark after Theorem 4."""
    carried = RTILE.build(parse(line))
    assert (RTILE.decide(carried) is not None) == (solve(parse(line)) is not None)
    above = replace(carried, threshold=4)
    assert RTILE.fault(above, RTILE.decide(above)) == ""


@pytest.mark.parametrize("seed", range(5))
def test_limits_are_met_exactly_on_small_squares(seed):
    """Random squares of numbers: the fewest rectangles of at most 3, against all tilings."""
    numbers = np.random.default_rng(seed).integers(1, 4, size=(3, 3))
    carried = RTILE.build(parse("1 1 1"))
    points = replace(
        carried.instance,
        xy=np.argwhere(numbers >= 0).astype(float),
        weights=numbers.ravel(),
        ids=np.arange(9),
    )
    cells = {tuple(cell): int(numbers[cell]) for cell in np.ndindex(3, 3)}
    fewest = min(len(way) for way in tilings(cells, low=1))
    at = replace(carried, instance=points, gadgets=())
    assert len(set(RTILE.decide(replace(at, most=fewest)).tolist())) == fewest
    assert RTILE.decide(replace(at, most=fewest - 1)) is None


@pytest.mark.parametrize("mutation", ["one more rectangle is allowed", "one fewer rectangle is allowed", "K is 4"])
def test_a_change_of_its_limits_is_refuted(mutation):
    found = broken(RTILE, mutation)
    assert found.of_source != found.of_target


@pytest.mark.thorough
def test_every_mutation_is_refuted():
    assert all(broken(RTILE, mutation.name) for mutation in RTILE.mutations)


def test_too_many_rectangles_are_refused():
    source = parse("1 1 1")
    carried = RTILE.build(source)
    good = RTILE.forth(source, carried, (0,))
    with pytest.raises(InvalidInput, match="rectangles, but"):
        RTILE.back(source, carried, np.arange(len(good)))
