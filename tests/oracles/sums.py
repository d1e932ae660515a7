"""What published sums tell, the plain way: all tables of whole numbers that have them, and ranks by fractions."""

from fractions import Fraction


def tables(rows, sums, cells):
    """Every table of whole numbers not below 0 in which the cells of each row have its sum; each cell is in some row.

    rows: sets of cells 0 … cells - 1.
    """

    def go_on(cell, left, so_far):
        if cell == cells:
            if not any(left):
                yield tuple(so_far)
            return
        mine = [number for number, row in enumerate(rows) if cell in row]
        for value in range(min(left[number] for number in mine) + 1):
            rest = [have - value * (number in mine) for number, have in enumerate(left)]
            yield from go_on(cell + 1, rest, [*so_far, value])

    yield from go_on(0, list(sums), [])


def rank(vectors):
    """The rank of vectors over the rational numbers, by elimination."""
    left, found = [[Fraction(entry) for entry in vector] for vector in vectors], 0
    while left:
        own = left.pop()
        place = next((at for at, entry in enumerate(own) if entry), None)
        if place is None:
            continue
        found += 1
        left = [[a - b * other[place] / own[place] for a, b in zip(other, own, strict=True)] for other in left]
    return found


def follows(rows, cells, wanted):
    """Whether the sum of the cells in `wanted` is a combination of the sums of the rows."""
    vectors = [[int(cell in row) for cell in range(cells)] for row in rows]
    return rank([*vectors, [int(cell in wanted) for cell in range(cells)]]) == rank(vectors)
