"""Tables on which suppressing few cells is as hard as covering the edges of a cubic graph with few vertices."""

from __future__ import annotations

from itertools import count

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.tables.instance import Table
from kanon_engine.validate import whole_numbers

K = 7  # the privacy parameter of the reduction


def vertex_cover_table(edges: np.ndarray) -> Table:
    """The table that the paper makes from a cubic graph.

    For k = 7 the least number of suppressed cells is 27 r + 2 |E| + 14 plus the least number of vertices that touch
    every edge, for r vertices.

    Each vertex u gives 20 rows: six (0, u, u), the critical (?, u, u), seven (?, u, ?), three (0, u, Z) and three
    (0, Z, u). Each edge (x, y) gives (0, x, y) and (0, y, x). There are seven (0, ?, Z) and seven (0, Z, ?) besides.
    Every ? is a value that occurs nowhere else.

    Parameters
    ----------
    edges : (e, 2) array of int
        Pairs of vertices 0 … r - 1, each vertex in exactly three.

    Returns
    -------
    Table
        20 r + 2 e + 14 records with the quasi-identifiers "first", "second" and "third".

    Raises
    ------
    InvalidInput
        The graph is not cubic.

    References
    ----------
    Chakaravarthy, Pandit, Sabharwal, Theorem 3.1.

    Example
    -------
    >>> table = vertex_cover_table(np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]))
    >>> len(table), 27 * 4 + 2 * 6 + 14 + 3
    (106, 137)
    """
    pairs = np.asarray(edges)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidInput(f"The edges have the shape {pairs.shape}; give one pair of vertices an edge.")
    ends = whole_numbers(pairs.ravel(), "vertices", 0)
    pairs = ends.reshape(-1, 2)
    if len(ends) and (pairs[:, 0] == pairs[:, 1]).any():
        raise InvalidInput(
            f"The edge {pairs[pairs[:, 0] == pairs[:, 1]][0].tolist()} joins a vertex to itself; leave it out."
        )
    if len(np.unique(np.sort(pairs, axis=1), axis=0)) < len(pairs):
        raise InvalidInput("An edge is given twice; give each edge once.")
    degrees = np.unique(ends, return_counts=True)
    vertices = len(degrees[0])
    if vertices == 0 or degrees[0][-1] != vertices - 1 or (degrees[1] != 3).any():
        raise InvalidInput(
            f"The {len(pairs)} edges make no cubic graph; each vertex from 0 on must be an end of exactly three."
        )
    numbers = count(1)

    def special() -> str:
        return f"?{next(numbers)}"

    rows: list[tuple[str, str, str]] = []
    for vertex in range(vertices):
        u = f"v{vertex}"
        rows += [("0", u, u)] * 6
        rows.append((special(), u, u))
        rows += [(special(), u, special()) for _ in range(7)]
        rows += [("0", u, "Z")] * 3
        rows += [("0", "Z", u)] * 3
    for x, y in pairs.tolist():
        rows += [("0", f"v{x}", f"v{y}"), ("0", f"v{y}", f"v{x}")]
    rows += [("0", special(), "Z") for _ in range(7)]
    rows += [("0", "Z", special()) for _ in range(7)]
    names = ["first", "second", "third"]
    return Table(pd.DataFrame(rows, columns=names), names)
