"""Moving the ends of boxes outwards as far as no other box is in the way."""

from __future__ import annotations

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def beside(low, high, a, b, column):
    """Whether boxes a and b have positions in common in every column but one."""
    for c in range(low.shape[1]):  # noqa: SIM110 - a generator does not compile
        if c != column and (low[a, c] > high[b, c] or high[a, c] < low[b, c]):
            return False
    return True


@njit(cache=True, nogil=True)
def let_out(low, high, column, first, last):
    """Move the ends of all boxes in a column to `first` and `last` of where they lie, or to the next box."""
    for a in range(len(low)):
        least, most = first[low[a, column]], last[high[a, column]]
        if least == low[a, column] and most == high[a, column]:
            continue
        for b in range(len(low)):
            if high[b, column] < least or low[b, column] > most:
                continue
            below, above = high[b, column] < low[a, column], low[b, column] > high[a, column]
            if (below or above) and beside(low, high, a, b, column):
                if below:
                    least = max(least, high[b, column] + 1)
                else:
                    most = min(most, low[b, column] - 1)
        low[a, column] = least
        high[a, column] = most
