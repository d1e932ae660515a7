"""Lemma 8: a list of small numbers falls into three parts of at most half."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput


def three_parts(sizes: np.ndarray, whole: int) -> tuple[int, int]:
    """Where to cut a list so that each of the three parts sums to at most whole / 2.

    Proof: docs/proofs/labels/five_halves.md, Lemma 8.

    Parameters
    ----------
    sizes : (r,) int array
        Each at most whole / 2, at most `whole` in sum.
    whole : int

    Returns
    -------
    i, j : int
        The parts are ``sizes[:i]``, ``sizes[i:j]`` and ``sizes[j:]``; some may be empty.

    Raises
    ------
    InvalidInput
        A number above whole / 2, or a sum above `whole`.

    Complexity
    ----------
    O(r)

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Lemma 8.

    Example
    -------
    >>> three_parts(np.array([3, 3, 3]), 10)
    (1, 2)
    >>> three_parts(np.array([5, 5]), 10)
    (1, 2)
    """
    sums = np.cumsum(sizes)
    if len(sizes) and (2 * int(np.max(sizes)) > whole or int(sums[-1]) > whole):
        raise InvalidInput(
            f"The largest of the numbers is {int(np.max(sizes)):,} and they sum to {int(sums[-1]):,}; each must be at "
            f"most half of {whole:,} and all together at most {whole:,}."
        )
    i = int(np.searchsorted(2 * sums, whole, side="right"))
    return i, min(i + 1, len(sizes))
