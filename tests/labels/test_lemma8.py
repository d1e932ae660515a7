"""Lemma 8 on all short lists."""

import itertools

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.five_halves import three_parts

pytestmark = pytest.mark.kernels


def test_every_part_is_at_most_half():
    tried = 0
    for whole in range(1, 11):
        for length in range(7):
            for sizes in itertools.product(range(1, whole // 2 + 1), repeat=length):
                if sum(sizes) <= whole:
                    i, j = three_parts(np.array(sizes, dtype=np.int64), whole)
                    assert 0 <= i <= j <= length
                    assert all(2 * sum(part) <= whole for part in (sizes[:i], sizes[i:j], sizes[j:])), (sizes, whole)
                    tried += 1
    assert tried > 1_000


@pytest.mark.parametrize(("sizes", "whole"), [([6], 10), ([5, 5, 1], 10), ([1, 1], 1)])
def test_other_lists_are_refused(sizes, whole):
    with pytest.raises(kanon.InvalidInput, match="at most half"):
        three_parts(np.array(sizes), whole)
