"""Brute force for regions; imports nothing from the engine."""

from itertools import combinations


def connected(members, edges):
    """Whether a set of vertices is connected."""
    members = set(members)
    reached, waiting = set(), [next(iter(members))]
    while waiting:
        v = waiting.pop()
        if v in reached:
            continue
        reached.add(v)
        waiting += [b if a == v else a for a, b in edges if v in (a, b) and {a, b} <= members]
    return reached == members


def optimum(weights, edges, k):
    """Smallest possible largest class over all partitions into connected classes of weight >= k, or None."""
    n = len(weights)
    size = 1 << n
    sums = [sum(weights[v] for v in range(n) if mask >> v & 1) for mask in range(size)]
    usable = [
        mask for mask in range(1, size) if sums[mask] >= k and connected([v for v in range(n) if mask >> v & 1], edges)
    ]
    best = {0: 0}

    def solve(rest):
        if rest not in best:
            lowest = rest & -rest
            options = [
                max(sums[mask], tail)
                for mask in usable
                if mask & lowest and mask & rest == mask and (tail := solve(rest & ~mask)) is not None
            ]
            best[rest] = min(options, default=None)
        return best[rest]

    return solve(size - 1)


def greedy_tree_split(weights, tree, k):
    """Class weights, sorted, of the paper's rule by a full scan for every cut.

    Of several lightest sides an inclusion-minimal one is taken, of those the one whose end of the edge is smallest.
    """
    pieces = [(set(range(len(weights))), list(tree))]
    done = []
    while pieces:
        members, edges = pieces.pop()
        total = sum(weights[v] for v in members)
        found = []
        for edge in edges:
            for side in sides(members, edges, edge):
                weight = sum(weights[v] for v in side)
                if weight >= k and total - weight >= k:
                    (end,) = side & set(edge)
                    found.append((weight, end, side, edge))
        if not found:
            done.append(total)
            continue
        lightest = [entry for entry in found if entry[0] == min(found, key=lambda one: one[0])[0]]
        minimal = [entry for entry in lightest if not any(other[2] < entry[2] for other in lightest)]
        weight, _, side, cut = min(minimal, key=lambda entry: entry[1])
        done.append(weight)
        rest = members - side
        pieces.append((rest, [edge for edge in edges if edge != cut and set(edge) <= rest]))
    return sorted(done)


def sides(members, edges, edge):
    """The two vertex sets that removing an edge from a tree leaves."""
    others = [other for other in edges if other != edge]
    first, waiting = set(), [edge[0]]
    while waiting:
        v = waiting.pop()
        first.add(v)
        waiting += [b if a == v else a for a, b in others if v in (a, b) and not {a, b} <= first]
    return first, members - first


def least_tree_degree(n, edges):
    """Smallest possible largest degree of a spanning tree of a connected graph."""
    best = n
    for tree in combinations(edges, n - 1):
        if connected(range(n), tree):
            best = min(best, max(sum(v in edge for edge in tree) for v in range(n)))
    return best
