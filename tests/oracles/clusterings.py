"""Satisfiability, gathering, set cover and cellular clustering by looking at everything."""

from itertools import combinations, product

import networkx as nx

from tests.oracles.clusters_radius import partitions


def satisfiable(variables, clauses):
    """Whether a setting of the variables makes every clause true."""
    return any(
        all(any(setting[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
        for setting in product((False, True), repeat=variables)
    )


def gathers(matrix, k, radius):
    """Whether some centers have at least k points each, all within a radius: a flow for every choice of centers."""
    points = range(len(matrix))
    able = [c for c in points if sum(matrix[c][p] <= radius for p in points) >= k]
    for size in range(1, len(matrix) // k + 1):
        for centers in combinations(able, size):
            graph = nx.DiGraph()
            graph.add_nodes_from(["from", "to"])
            for center in centers:
                graph.add_edge("from", ("c", center), capacity=k)
                for p in points:
                    if matrix[center][p] <= radius:
                        graph.add_edge(("c", center), p, capacity=1)
                        graph.add_edge(p, "to", capacity=1)
            covered = all(any(matrix[c][p] <= radius for c in centers) for p in points)
            if covered and nx.maximum_flow_value(graph, "from", "to") == k * size:
                return True
    return False


def covers(size, sets, most):
    """Whether so few of the sets hold every element."""
    return any(
        len({element for own in chosen for element in own}) == size
        for count in range(most + 1)
        for chosen in combinations(sets, count)
    )


def cheapest_cells(matrix, opening, k):
    """The least cost of a partition into cells of at least k points; None where there is none."""
    points = range(len(matrix))

    def cost(cell):
        return min(opening[c] + len(cell) * max(matrix[c][p] for p in cell) for c in points)

    every = (one for one in partitions(list(points)) if min(map(len, one)) >= k)
    return min((sum(map(cost, one)) for one in every), default=None)
