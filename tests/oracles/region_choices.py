"""Possible classes and their exclusion, in plain Python on bit masks; imports nothing from the engine."""


def possible_classes(weights, edges, k, cap, rest=64):
    """All sets that could be classes of weight k to cap: connected, and what they leave beside them can be cut."""
    return [
        members
        for members in range(1, 1 << len(weights))
        if k <= weigh(weights, members) <= cap
        and len(pieces(edges, members)) == 1
        and all(
            fine(weights, piece, k, cap) for piece in beside(len(weights), edges, members) if piece.bit_count() <= rest
        )
    ]


def refuted(weights, edges, k, cap, areas):
    """Whether striking out sets leaves one of the areas without a set."""
    left = [members for members in possible_classes(weights, edges, k, cap) if any(members >> v & 1 for v in areas)]
    while True:
        own = {v: [members for members in left if members >> v & 1] for v in areas}
        if not all(own.values()):
            return True
        kept = [
            members for members in left if all(members >> v & 1 or any(not members & s for s in own[v]) for v in areas)
        ]
        if kept == left:
            return False
        left = kept


def fine(weights, piece, k, cap):
    weight = weigh(weights, piece)
    return any(m * k <= weight <= m * cap for m in range(1, weight // k + 1))


def beside(n, edges, members):
    """The connected pieces of the others that border the members."""
    once = 0
    for a, b in edges:
        if (members >> a ^ members >> b) & 1:
            once |= 1 << a | 1 << b
    return [piece for piece in pieces(edges, (1 << n) - 1 & ~members) if piece & once]


def pieces(edges, members):
    found = []
    while members:
        piece = members & -members
        while more := grown(edges, piece) & members & ~piece:
            piece |= more
        found.append(piece)
        members &= ~piece
    return found


def grown(edges, members):
    """The members and all that they border."""
    reached = members
    for a, b in edges:
        if (members >> a | members >> b) & 1:
            reached |= 1 << a | 1 << b
    return reached


def weigh(weights, members):
    return sum(weight for v, weight in enumerate(weights) if members >> v & 1)
