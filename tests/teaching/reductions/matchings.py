"""What the tests of all reductions from 3-dimensional matching share."""

from kanon_engine.teaching.reductions.matching import MATCHING, parse, solve, text

TINY = list(MATCHING.tiny())
CROSSED = parse("1 1 1; 1 1 2; 1 2 1; 2 1 2")  # one crossing


def same_answer(reduction, source):
    """Whether there is a matching; source and target agree on that, and solutions come and go."""
    carried = reduction.build(source)
    found, solution = reduction.decide(carried), solve(source)
    assert (found is None) == (solution is None), text(source)
    if found is not None:
        assert reduction.fault(carried, found) == ""
        assert MATCHING.check(source, reduction.back(source, carried, found))
        there = reduction.forth(source, carried, solution)
        assert reduction.fault(carried, there) == ""
        assert reduction.back(source, carried, there) == solution
    return solution is not None
