"""Plain twins of the recombination kernels; imports nothing from the engine."""

from tests.oracles.regions import connected, sides


def class_price(weight, k, target, short, long, scale):
    """Squared weight, and what is missing to k or exceeds the target."""
    fine = short * (k - weight) if weight < k else long * (weight - target) if weight > target else 0
    return (weight / scale) ** 2 + fine / scale


def cheapest_cut(weights, tree_edges, count, price):
    """Least price over all tree edges of both sides, each as if it fell into equal classes, `count` in all."""
    members = set(range(len(weights)))
    best = None
    for edge in tree_edges:
        one, other = (sum(weights[v] for v in side) for side in sides(members, tree_edges, edge))
        for share in {share_of(one, one + other, count), count - share_of(other, one + other, count)}:
            cost = share * price(one / share) + (count - share) * price(other / (count - share))
            best = cost if best is None else min(best, cost)
    return best


def share_of(side, total, count):
    """How many of `count` classes a side gets: its share of the weight, rounded, at least 1 and not all."""
    return min(max(int(side * count / total + 0.5), 1), count - 1) if total else 1


def borders(label, edges, lengths):
    """Length of the borders between classes."""
    return sum(length for (a, b), length in zip(edges, lengths, strict=True) if label[a] != label[b])


def connected_without(label, edges, vertex):
    """Whether the class of a vertex stays connected, and not empty, without it."""
    rest = [v for v in range(len(label)) if label[v] == label[vertex] and v != vertex]
    return bool(rest) and connected(rest, edges)


def squares(label, weights):
    """Largest class and sum of squared class weights."""
    sums = {}
    for own, weight in zip(label, weights, strict=True):
        sums[own] = sums.get(own, 0) + weight
    return max(sums.values()), sum(value * value for value in sums.values())


def best_value(weights, edges, k):
    """Smallest (largest class, sum of squares) over all partitions into connected classes of weight >= k."""
    n = len(weights)
    usable = []
    for mask in range(1, 1 << n):
        members = [v for v in range(n) if mask >> v & 1]
        weight = sum(weights[v] for v in members)
        if weight >= k and connected(members, edges):
            usable.append((mask, weight))
    memory = {0: [(0, 0)]}

    def solve(rest):
        """The pairs (largest, squares) of the partitions of `rest` that no other beats in both."""
        if rest not in memory:
            lowest = rest & -rest
            found = {
                (max(weight, largest), weight * weight + total)
                for mask, weight in usable
                if mask & lowest and mask & rest == mask
                for largest, total in solve(rest & ~mask)
            }
            memory[rest] = [
                one for one in found if not any(two != one and two[0] <= one[0] and two[1] <= one[1] for two in found)
            ]
        return memory[rest]

    return min(solve((1 << n) - 1), default=None)


def partitions(weights, edges, k):
    """The class weights of every partition into connected classes of weight >= k, each as an ascending tuple, once."""
    n = len(weights)
    usable = []
    for mask in range(1, 1 << n):
        members = [v for v in range(n) if mask >> v & 1]
        if sum(weights[v] for v in members) >= k and connected(members, edges):
            usable.append((mask, sum(weights[v] for v in members)))
    memory = {0: {()}}

    def solve(rest):
        if rest not in memory:
            lowest = rest & -rest
            memory[rest] = {
                tuple(sorted((*others, weight)))
                for mask, weight in usable
                if mask & lowest and mask & rest == mask
                for others in solve(rest & ~mask)
            }
        return memory[rest]

    return solve((1 << n) - 1)


def best_costs(found, k):
    """The least cost of the paper's section 1 for each way to combine classes and each difference."""
    costs = {
        "1": lambda weight: weight,
        "size": lambda weight: weight * weight,
        "size - k": lambda weight: weight * (weight - k),
    }
    return {
        (name, difference): min(combine([cost(weight) for weight in weights]) for weights in found)
        for name, combine in (("max", max), ("sum", sum))
        for difference, cost in costs.items()
    }
