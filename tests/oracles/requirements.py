"""Brute force for classes with a minimum of a second count; imports nothing from the engine."""


def best(weights, column, k, m, allowed):
    """Smallest possible largest class over all partitions into allowed sets with enough of both counts, or None."""
    best_of = {frozenset(): 0}

    def solve(rest):
        if rest not in best_of:
            first, *others = sorted(rest)
            found = None
            for picked in range(1 << len(others)):
                members = frozenset([first, *(item for at, item in enumerate(others) if picked >> at & 1)])
                weight = sum(weights[item] for item in members)
                if weight < k or sum(column[item] for item in members) < m or not allowed(members):
                    continue
                below = solve(rest - members)
                if below is not None and (found is None or max(weight, below) < found):
                    found = max(weight, below)
            best_of[rest] = found
        return best_of[rest]

    return solve(frozenset(range(len(weights))))


def best_by_cuts(xy, weights, column, k, m):
    """The same over rectangles that cuts from side to side make; points with equal coordinates stay together."""

    def solve(members):
        if sum(weights[item] for item in members) < k or sum(column[item] for item in members) < m:
            return None
        found = sum(weights[item] for item in members)
        for axis in range(2):
            for line in sorted({xy[item][axis] for item in members})[1:]:
                low = solve([item for item in members if xy[item][axis] < line])
                high = solve([item for item in members if xy[item][axis] >= line])
                if low is not None and high is not None:
                    found = min(found, max(low, high))
        return found

    return solve(list(range(len(xy))))
