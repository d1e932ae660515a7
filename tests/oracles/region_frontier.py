"""States along a vertex order in plain Python, as docs/proofs/regions/frontier.md defines them; imports nothing."""


def refuted(weights, edges, order, rim, k, cap, limit, spare, fineness=2_000):
    """(whether no state is left, the work): a state is (parts of the frontier, least, most, excess)."""
    states, come, work = {((), (), (), 0)}, [], 0
    for v in order:
        before = [u for u in come if any({u, w} in map(set, edges) for w in order if w not in come)]
        come.append(v)
        after = [u for u in come if any({u, w} in map(set, edges) for w in order if w not in come)]
        work += (len(states) + 64) << sum({u, v} in map(set, edges) for u in before)
        found = set()
        for state in states:
            found.update(followers(state, v, weights, edges, v in rim, after, k, cap, spare))
        states = {one for one in found if not any(better(other, one) for other in found)}
        if not states:
            return True, work
        grain = max(1, k // fineness)
        while len(states) > limit:
            work += len(states)
            merged = {}
            for parts, least, most, excess in states:
                cells = tuple((low + high) // (2 * grain) for low, high in zip(least, most, strict=True))
                old = merged.get((parts, cells), (least, most, excess))
                merged[parts, cells] = (
                    tuple(map(min, least, old[0])),
                    tuple(map(max, most, old[1])),
                    min(excess, old[2]),
                )
            if len(merged) <= limit:
                states = {(parts, *rest) for (parts, _), rest in merged.items()}
            elif grain > cap:
                return False, work
            grain *= 2
    return False, work


def followers(state, v, weights, edges, rim, after, k, cap, spare):
    """The states that a vertex can lead to."""
    parts, least, most, excess = state
    near = [c for c, part in enumerate(parts) if any({u, v} in map(set, edges) for u in part)]
    for which in range(1 << len(near)):
        joined = [c for bit, c in enumerate(near) if which >> bit & 1]
        low = weights[v] + sum(least[c] for c in joined)
        high = k if rim else min(k, weights[v] + sum(most[c] for c in joined))
        over = excess - sum(max(least[c] - k, 0) for c in joined) + max(low - k, 0)
        all_parts = [(part, least[c], most[c]) for c, part in enumerate(parts) if c not in joined]
        all_parts.append((sum((parts[c] for c in joined), ()) + (v,), low, high))
        left = [(tuple(sorted(set(part) & set(after))), *loads) for part, *loads in all_parts]
        if low > cap or 0 <= spare < over or any(not part and load < k for part, _, load in left):
            continue
        left = sorted(one for one in left if one[0])
        yield (*(tuple(one[i] for one in left) for i in range(3)), over if spare >= 0 else 0)


def better(one, other):
    """Whether a state makes another superfluous: equal parts and `most`, and neither least load nor excess larger."""
    return (
        one != other
        and one[0] == other[0]
        and one[2] == other[2]
        and one[3] <= other[3]
        and all(a <= b for a, b in zip(one[1], other[1], strict=True))
    )
