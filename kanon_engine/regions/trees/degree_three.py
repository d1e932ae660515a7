"""Spanning trees of degree at most three on 3-connected planar graphs."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.trees.planar import PlaneGraph


def degree_three_tree(plane: PlaneGraph, generator: np.random.Generator) -> np.ndarray:
    """A spanning tree in which no vertex has more than three edges; the graph must be 3-connected.

    Proof, with the names of the code: docs/proofs/regions/tree_split.md, degree 3. A vertex v is taken from the outer
    cycle, the rest is a chain of blocks, each block is solved likewise, and the trees are hung together at v.

    Parameters
    ----------
    plane : PlaneGraph
        Of a 3-connected graph.
    generator : Generator
        Chooses the outer face, u and v.

    Returns
    -------
    (n - 1, 2) int32 array
        Sorted pairs.

    Complexity
    ----------
    O(n + e) and the sum of the lengths of all outer cycles met, at most O(n^2) and in practice far less.

    References
    ----------
    The theorem: D. Barnette, "Trees in polyhedral graphs", Canad. J. Math. 18 (1966). That a circuit graph without one
    outer vertex is a chain of circuit graphs: Z. Gao, R. B. Richter, "2-walks in circuit graphs", J. Combin. Theory B
    62 (1994).

    Example
    -------
    >>> from kanon_engine.regions.trees.planar import plane_graph
    >>> cube = np.array([(a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit])
    >>> tree = degree_three_tree(plane_graph(cube, 8), np.random.default_rng(0))
    >>> len(tree), int(np.bincount(tree.ravel()).max()) <= 3
    (7, True)
    """
    outer = int(generator.integers(len(plane.face_start) - 1))
    cycle = plane.corners[plane.face_start[outer] : plane.face_start[outer + 1]]
    cycle = np.roll(cycle, int(generator.integers(len(cycle)))).tolist()
    drawing = _Drawing(plane, cycle)
    tree: list[tuple[int, int]] = []
    # the outer cycle with v first, u, and whether u is to be left out
    waiting = [(cycle, cycle[int(generator.integers(1, len(cycle)))], False)]
    while waiting:
        cycle, u, leave_out = waiting.pop()
        v = cycle[0]
        if len(cycle) == 2:
            if not leave_out:
                tree.append((v, u))
            continue
        blocks = drawing.without_first(cycle)
        if u == cycle[1]:
            home = -1
            first, last = blocks[0]
            waiting.append((_turned(first, last), u, leave_out))
            hung = blocks[1:]
        else:
            tree.append((v, cycle[1]))
            home = next(i for i, (block, far) in enumerate(blocks) if u in block[1 : far + 1])
            waiting += [(block, block[far], False) for block, far in blocks[:home]]
            waiting.append((blocks[home][0], u, leave_out))
            hung = blocks[home + 1 :]
        if home + 1 < len(blocks):
            tree.append((v, cycle[-1]))
        for i, (block, far) in enumerate(hung):
            waiting.append((_turned(block, far), block[0], i == 0 and home >= 0))
    return np.unique(np.sort(np.array(tree, dtype=np.int32), axis=1), axis=0)


class _Drawing:
    """The plane graph as lists, and which vertices lie on the outer cycle of their block by now."""

    def __init__(self, plane: PlaneGraph, outer: list[int]) -> None:
        self.start, self.head, self.along = plane.start.tolist(), plane.head.tolist(), plane.along.tolist()
        self.exposed = bytearray(len(self.start) - 1)
        for vertex in outer:
            self.exposed[vertex] = True

    def without_first(self, cycle: list[int]) -> list[tuple[list[int], int]]:
        """The chain of blocks that is left of the block within a cycle when its first vertex is taken away.

        Each as its outer cycle, which starts at b_{i-1} and runs along the old cycle to b_i, and the place of b_i.
        """
        inner = self._seen_from(cycle)
        blocks, near, near_inner = [], 1, 0
        for far_inner in range(1, len(inner)):
            if not self.exposed[inner[far_inner]]:
                self.exposed[inner[far_inner]] = True
                continue
            far = cycle.index(inner[far_inner], near)
            back = inner[far_inner - 1 : near_inner : -1]
            blocks.append((cycle[near : far + 1] + back, far - near))
            near, near_inner = far, far_inner
        return blocks

    def _seen_from(self, cycle: list[int]) -> list[int]:
        """The walk from the second vertex of the cycle to its last along all inner faces at its first."""
        v, last = cycle[0], cycle[-1]
        darts = range(self.start[v], self.start[v + 1])
        turn = next(i for i, dart in enumerate(darts) if self.head[dart] == cycle[1])
        walk = [cycle[1]]
        while walk[-1] != last:
            turn = (turn + 1) % len(darts)
            dart, path, end = darts[turn], [], walk[-1]
            while self.head[dart] != end:
                path.append(self.head[dart])
                dart = self.along[dart]
            walk += path[::-1]
        return walk


def _turned(block: list[int], place: int) -> list[int]:
    """The same cycle from another place."""
    return block[place:] + block[:place]
