"""Random numbers of kernels: a generator whose state is an array of one number, so that a run can be repeated."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit


@uncounted_njit(cache=True, nogil=True)
def bits(random):
    """63 random bits; xorshift, whose state is random[0]."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return np.int64(state >> np.uint64(1))


@uncounted_njit(cache=True, nogil=True)
def draw(random, count):
    """A random whole number below count, which is below 2^31; without a division."""
    return ((bits(random) >> 32) * count) >> 31
