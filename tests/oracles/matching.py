"""3-dimensional matching by looking at every choice of triples."""

from itertools import combinations


def matchings(size, triples):
    """All choices of `size` triples that hold every element once."""
    every = set(range(size))
    return [
        chosen
        for chosen in combinations(range(len(triples)), size)
        if all({triples[number][place] for number in chosen} == every for place in range(3))
    ]
