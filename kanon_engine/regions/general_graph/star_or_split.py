"""A heavy class either gives off classes or is a star: one area with nothing but light branches."""

from __future__ import annotations

from collections.abc import Sequence


def star_or_split(
    members: Sequence[int], neighbours: Sequence[Sequence[int]], weights: Sequence[int], k: int
) -> tuple[list[list[int]], int, list[list[int]]]:
    """Split off connected pieces of weight >= k; what is left is a star if it weighs 3k - 2 or more.

    Proof: docs/proofs/regions/general_graph.md, Lemma 1, and how the tree is cut and branches are merged.

    Parameters
    ----------
    members : sequence of int
        A connected class of weight >= k.
    neighbours : sequence of sequences of int
        Of all vertices.
    weights : sequence of int
    k : int

    Returns
    -------
    pieces : list of lists
        Connected, each of weight >= k.
    center : int
        Of what is left; -1 if that is no star (then it weighs at most 3k - 3).
    branches : list of lists
        The connected components of what is left without the center, each of weight < k; empty if there is no center.

    Complexity
    ----------
    O((areas + borders) α) for the class.

    Example
    -------
    >>> star_or_split([0, 1, 2, 3], [[1, 2, 3], [0], [0], [0]], [1, 3, 3, 3], 4)
    ([], 0, [[1], [2], [3]])
    >>> star_or_split([0, 1, 2, 3], [[1, 2, 3], [0, 2], [0, 1], [0]], [1, 3, 3, 3], 4)
    ([[1, 2]], 0, [[3]])
    """
    order, parent = _spanning_tree(members, neighbours)
    below = {v: weights[v] for v in order}  # weight of the subtree that hangs on v
    rest = sum(below.values())
    top = {order[0]: order[0]}  # the highest vertex of the tree that v is in, once the tree is cut
    for v in reversed(order[1:]):
        if below[v] >= k and rest - below[v] >= k:
            rest -= below[v]
            top[v] = v
        else:
            below[parent[v]] += below[v]
    for v in order:
        top[v] = top.get(v, top[parent[v]])
    pieces: dict[int, list[int]] = {}
    for v in order:
        pieces.setdefault(top[v], []).append(v)
    kept = pieces.pop(order[0])
    center = _center(kept, parent, below, k)
    branch = _branches(kept, parent, center)
    more, branches = _merged(kept, center, branch, neighbours, weights, k, rest)
    return [*pieces.values(), *more], -1 if branches is None else center, branches or []


def _spanning_tree(members: Sequence[int], neighbours: Sequence[Sequence[int]]) -> tuple[list[int], dict[int, int]]:
    """The members in breadth-first order, and the parent of each."""
    unseen = set(members)
    unseen.discard(members[0])
    order, parent = [members[0]], {members[0]: members[0]}
    for v in order:
        for u in neighbours[v]:
            if u in unseen:
                unseen.discard(u)
                parent[u] = v
                order.append(u)
    return order, parent


def _center(kept: list[int], parent: dict[int, int], below: dict[int, int], k: int) -> int:
    heavy = {parent[v]: v for v in kept[1:] if below[v] >= k}
    center = kept[0]
    while center in heavy:
        center = heavy[center]
    return center


def _branches(kept: list[int], parent: dict[int, int], center: int) -> dict[int, int]:
    """One vertex for the whole branch of the tree around the center that v lies in."""
    branch: dict[int, int] = {}
    for v in kept:
        if v != center:
            branch[v] = v if parent[v] in (center, v) else branch[parent[v]]
    return branch


def _merged(
    kept: list[int],
    center: int,
    branch: dict[int, int],
    neighbours: Sequence[Sequence[int]],
    weights: Sequence[int],
    k: int,
    rest: int,
) -> tuple[list[list[int]], list[list[int]] | None]:
    """Join adjacent branches: pieces of weight >= k, and branches; None if a heavy pair leaves too light a rest."""
    content: dict[int, list[int]] = {}
    for v in branch:
        content.setdefault(branch[v], []).append(v)
    load = {root: sum(weights[v] for v in group) for root, group in content.items()}
    pieces: list[list[int]] = []
    for v in kept:
        for u in neighbours[v] if v != center else ():
            a, b = branch.get(v), branch.get(u)
            if a is None or b is None or a == b:
                continue
            pair = load[a] + load[b]
            if pair >= k:
                if rest - pair < k:
                    return pieces, None
                rest -= pair
                pieces.append(content.pop(a) + content.pop(b))
                for member in pieces[-1]:
                    del branch[member]
                continue
            if len(content[a]) < len(content[b]):
                a, b = b, a
            load[a] = pair
            for member in content[b]:
                branch[member] = a
            content[a] += content.pop(b)
    return pieces, list(content.values())
