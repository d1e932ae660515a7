"""Sets as bits: 64 places a word."""

from __future__ import annotations

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def maximal_sets(words, result):
    """Write the rows that no row before contains into `result`, and return how many; larger sets come first."""
    count = 0
    for row in range(len(words)):
        contained = False
        for number in range(count):
            other = result[number]
            contained = True
            for word in range(words.shape[1]):
                if words[row, word] & ~words[other, word] != 0:
                    contained = False
                    break
            if contained:
                break
        if not contained:
            result[count] = row
            count += 1
    return count
