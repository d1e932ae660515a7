"""Whether the records of a class satisfy everything that is required of their sensitive values.

A class is given by how often it holds each sensitive value, all columns in one vector of counts; `requirements.encoded`
makes the `Required` that goes with it. So an algorithm asks

    counts[:] = 0
    add_records(required, counts, rows)         # or keep the counts itself, as parts grow and shrink
    good = all_hold(required, counts)

and where it looks at parts of a class, `could_hold`: False means that no part of these records, however small, can
satisfy all of it. Both compute with whole numbers, but for entropy, where a float decides unless it is close; then both
sides are compared modulo large primes. What is accepted is true, so the verifier, which recomputes it, agrees.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED = 0, 1, 2, 3, 4  # the last two: closeness by equal or ordered distance
ROUNDING = 1e-15  # relative, of each term of an entropy and of each sum; several times the error of a float
PRIMES = (2147483647, 2147483629, 2147483587)


class Required(NamedTuple):
    """Requirements of the records of a table, as arrays; a place in the first six is one requirement."""

    kinds: np.ndarray  # (r,) int64
    first: np.ndarray  # (r,) int64: its column's values are first … last - 1 of the counts
    last: np.ndarray  # (r,) int64
    ranks: np.ndarray  # (r,) int64: the l of recursive (c, l)-diversity
    fewest: np.ndarray  # (r,) int64: different values that every class has which satisfies it
    numerator: np.ndarray  # (r,) int64: with `denominator` the l, c or t
    denominator: np.ndarray  # (r,) int64
    hereditary: bool  # whether every class satisfies all of them that holds one which does
    whole: np.ndarray  # (s,) int64: counts of all records of the table
    total: int  # records of the table
    codes: np.ndarray  # (n, d) int32: the place of each row's values in the counts, by column
    weights: np.ndarray  # (n,) int64: records of each row
    order: np.ndarray  # (n,) int64: rows ordered by their distinct tuple of quasi-identifiers
    starts: np.ndarray  # (t + 1,) int64: where each distinct tuple begins in `order`


@njit(cache=True, nogil=True)
def add_records(required, counts, rows):
    """Count the values of these rows' records."""
    for i in rows:
        for column in range(required.codes.shape[1]):
            counts[required.codes[i, column]] += required.weights[i]


@njit(cache=True, nogil=True)
def all_hold(required, counts):
    """Whether records with these counts, as one class, satisfy all that is required; not all counts may be 0.

    `counts`: (s,) int64.
    Complexity: O(s); a sort of a column's counts for recursive diversity.
    """
    for i in range(len(required.kinds)):
        histogram = counts[required.first[i] : required.last[i]]
        kind, up, down = required.kinds[i], required.numerator[i], required.denominator[i]
        different, size = 0, 0
        for count in histogram:
            different += count > 0
            size += count
        if different < required.fewest[i]:
            return False
        if kind == ENTROPY:
            if not _entropy_holds(histogram, size, up, down):
                return False
        elif kind == RECURSIVE:
            if not _recursive_holds(histogram, required.ranks[i], up, down):
                return False
        elif kind >= EQUAL:
            whole = required.whole[required.first[i] : required.last[i]]
            if not _is_close(histogram, size, whole, required.total, kind == ORDERED, up, down):
                return False
    return True


@njit(cache=True, nogil=True)
def which_hold(required, order, starts):
    """(m,) bool: which classes satisfy all that is required; their rows are order[starts[c]:starts[c + 1]]."""
    good = np.empty(len(starts) - 1, np.bool_)
    counts = np.empty(len(required.whole), np.int64)
    for number in range(len(good)):
        counts[:] = 0
        add_records(required, counts, order[starts[number] : starts[number + 1]])
        good[number] = all_hold(required, counts)
    return good


@njit(cache=True, nogil=True)
def could_hold(required, counts):
    """Whether a part of records with these counts could satisfy all that is required; True where that is not known.

    False for a class is False for every part of it. Proof: docs/proofs/tables/requirements.md, what no part satisfies.
    """
    for i in range(len(required.kinds)):
        histogram = counts[required.first[i] : required.last[i]]
        different = 0
        for count in histogram:
            different += count > 0
        if different < required.fewest[i]:
            return False
        kind = required.kinds[i]
        if kind >= EQUAL:
            whole = required.whole[required.first[i] : required.last[i]]
            unit = len(histogram) - 1 if kind == ORDERED else 1
            most = _floor_product(unit * required.total, required.numerator[i], required.denominator[i])
            if _least_moved(histogram, whole, kind == ORDERED) > most:
                return False
    return True


@njit(cache=True, nogil=True)
def _floor_product(value, up, down):
    """The whole part of value * up / down; no step leaves int64 where the result and up * down stay in it."""
    return (value // down) * up + (value % down) * up // down


@njit(cache=True, nogil=True)
def _entropy_holds(counts, size, up, down):
    """Whether the entropy of the counts is at least log(up / down): size^size >= (up / down)^size * product of c^c."""
    varied, needed = size * math.log(size), size * (math.log(up) - math.log(down))
    scale = varied + abs(needed) + 1
    for count in counts:
        if count > 1:
            varied -= count * math.log(count)
    if abs(varied - needed) > ROUNDING * (len(counts) + 9) * scale:
        return varied > needed
    for prime in PRIMES:
        left = _power(size, size, prime) * _power(down, size, prime) % prime
        right = _power(up, size, prime)
        for count in counts:
            if count > 1:
                right = right * _power(count, count, prime) % prime
        if left != right:
            return False
    return True


@njit(cache=True, nogil=True)
def _power(base, exponent, prime):
    """base^exponent modulo a prime below 2^31."""
    result, base = 1, base % prime
    while exponent:
        if exponent & 1:
            result = result * base % prime
        base = base * base % prime
        exponent >>= 1
    return result


@njit(cache=True, nogil=True)
def _recursive_holds(counts, rank, up, down):
    """Whether the greatest count is below up / down times all from the rank-th on, in descending order."""
    ordered = np.sort(counts)
    rest = 0
    for place in range(len(ordered) - rank + 1):
        rest += ordered[place]
    return ordered[-1] * down < up * rest


@njit(cache=True, nogil=True)
def _is_close(counts, size, whole, total, ordered, up, down):
    """Whether the distance of the two distributions is at most up / down."""
    moved, sums = 0, 0
    for place in range(len(counts)):
        difference = counts[place] * total - whole[place] * size
        sums += difference
        moved += abs(sums) if ordered else abs(difference)
    unit = len(counts) - 1 if ordered else 2
    return moved <= _floor_product(unit * size * total, up, down)


@njit(cache=True, nogil=True)
def _least_moved(counts, whole, ordered):
    """Of the table's records those with a value that is not there, times the distance to the nearest that is."""
    moved, before = 0, -1
    for place in range(len(counts) + 1):
        if place < len(counts) and counts[place] == 0:
            continue
        for absent in range(before + 1, place):
            distance = 1
            if ordered:
                distance = len(counts)
                if before >= 0:
                    distance = absent - before
                if place < len(counts):
                    distance = min(distance, place - absent)
            moved += whole[absent] * distance
        before = place
    return moved
