"""Planar graphs of known connectivity for tests."""

from itertools import pairwise

import networkx as nx
import numpy as np
from scipy.spatial import ConvexHull

from kanon_engine.regions.trees import shape_of


def edge_array(pairs):
    return np.unique(np.sort(np.array(list(pairs)), axis=1), axis=0)


def sphere_triangulation(rng, n):
    """Convex hull of random points on a sphere: 3-connected, 3 n - 6 edges."""
    points = rng.normal(size=(n, 3))
    corners = ConvexHull(points / np.linalg.norm(points, axis=1)[:, None]).simplices
    return edge_array(np.vstack([corners[:, :2], corners[:, 1:], corners[:, ::2]]))


def stacked_triangulation(rng, n):
    """Vertices put into random triangles one after the other: far from having a Hamiltonian path."""
    faces, pairs = [(0, 1, 2), (0, 1, 2)], [(0, 1), (1, 2), (0, 2)]
    for v in range(3, n):
        a, b, c = faces.pop(int(rng.integers(len(faces))))
        faces += [(a, b, v), (b, c, v), (a, c, v)]
        pairs += [(a, v), (b, v), (c, v)]
    return edge_array(pairs)


def four_connected_triangulation(rng, n, crowd=0.0):
    """The octahedron, then vertices split so that both halves keep four neighbors.

    A split creates no triangle but the two faces at the new edge, so none separates. `crowd` is the share of splits
    at a vertex of large degree into a small and a large half.
    """
    around = {0: [2, 3, 4, 5], 1: [5, 4, 3, 2], 2: [0, 5, 1, 3], 3: [0, 2, 1, 4], 4: [0, 3, 1, 5], 5: [0, 4, 1, 2]}
    for new in range(6, n):
        crowded = rng.random() < crowd
        v = max(around, key=lambda u: len(around[u])) if crowded else int(rng.integers(new))
        ring = around[v]
        first = int(rng.integers(len(ring)))
        ring = ring[first:] + ring[:first]
        place = 2 if crowded else int(rng.integers(2, len(ring) - 1))
        x, y = ring[0], ring[place]
        around[v] = [*ring[place:], x, new]
        around[new] = [*ring[: place + 1], v]
        for u in ring[1:place]:
            around[u][around[u].index(v)] = new
        # around x the new vertex comes after v, around y before it: x and y see the halves in opposite order
        at = around[x].index(v)
        around[x].insert(at, new) if around[x][at - 1] == ring[1] else around[x].insert(at + 1, new)
        at = around[y].index(v)
        around[y].insert(at, new) if around[y][at - 1] == ring[place - 1] else around[y].insert(at + 1, new)
    return edge_array((v, u) for v, ring in around.items() for u in ring)


def thinned(rng, edges, n, share):
    """Random edges left out, up to a share of all, many at once while the graph stays 3-connected."""
    target, step = int(len(edges) * (1 - share)), max(1, len(edges) // 10)
    least = step // 32
    while step > least and len(edges) > target:
        degrees, leaving = np.bincount(edges.ravel()), []
        for place in rng.permutation(len(edges)):
            if len(leaving) < min(step, len(edges) - target) and degrees[edges[place]].min() > 3:
                degrees[edges[place]] -= 1
                leaving.append(place)
        rest = np.delete(edges, leaving, axis=0)
        if len(leaving) and shape_of(rest, n).connectivity >= 3:
            edges = rest
        else:
            step //= 2
    return edges


def ring(vertices):
    return list(pairwise([*vertices, vertices[0]]))


def wheel(rim):
    return edge_array(ring(range(1, rim + 1)) + [(0, v) for v in range(1, rim + 1)])


def prism(sides):
    return edge_array(ring(range(sides)) + ring(range(sides, 2 * sides)) + [(v, v + sides) for v in range(sides)])


def antiprism(sides):
    slanted = [(sides + v, (v + 1) % sides) for v in range(sides)]
    return edge_array([*map(tuple, prism(sides).tolist()), *slanted])


def double_wheel(rim):
    return edge_array(ring(range(2, rim + 2)) + [(hub, v) for hub in (0, 1) for v in range(2, rim + 2)])


def dual(edges, n):
    """The faces of a plane 3-connected graph as vertices: again planar and 3-connected."""
    _, drawing = nx.check_planarity(nx.Graph(edges.tolist()))
    number, faces = {}, 0
    for dart in drawing.edges:
        if dart not in number:
            for side in pairwise(walk := [*drawing.traverse_face(*dart), dart[0]]):
                number[side] = faces
            assert len(walk) > 3
            faces += 1
    return edge_array((number[u, v], number[v, u]) for u, v in edges.tolist()), faces


def solid(name):
    return edge_array(getattr(nx, f"{name}_graph")().edges)


def barycentric(edges, n):
    """Corners, edges and faces of a plane graph as vertices: a triangulation that is 4-connected where the graph is
    3-connected, and close to having no Hamiltonian path: every other vertex of a circuit is a corner or a face's."""
    _, drawing = nx.check_planarity(nx.Graph(edges.tolist()))
    middle = {pair: n + place for place, (u, v) in enumerate(edges.tolist()) for pair in ((u, v), (v, u))}
    pairs, seen, face = [], set(), n + len(edges)
    for dart in drawing.edges:
        if dart not in seen:
            for u, v in ring(drawing.traverse_face(*dart, seen)):
                pairs += [(u, face), (middle[u, v], face), (u, middle[u, v]), (v, middle[u, v])]
            face += 1
    return edge_array(pairs), face


def tree_degree(tree, edges, n):
    """Largest degree of a spanning tree; fails when it is none."""
    graph = nx.Graph(tree.tolist())
    assert nx.is_tree(graph)
    assert len(graph) == n
    assert {tuple(edge) for edge in np.asarray(edges).tolist()}.issuperset(map(tuple, tree.tolist()))
    return max(degree for _, degree in graph.degree)


def three_connected(rng, n, kind):
    """One of ten kinds of 3-connected planar graphs of about n vertices, n >= 10."""
    build = {
        "sphere": lambda: sphere_triangulation(rng, n),
        "stacked": lambda: stacked_triangulation(rng, n),
        "thin sphere": lambda: thinned(rng, sphere_triangulation(rng, n), n, 0.3),
        "thin stacked": lambda: thinned(rng, stacked_triangulation(rng, n), n, 0.2),
        "thin crowded": lambda: thinned(rng, four_connected_triangulation(rng, n, 0.5), n, 0.3),
        "dual": lambda: dual(sphere_triangulation(rng, n // 2 + 2), n // 2 + 2)[0],
        "dual of stacked": lambda: dual(stacked_triangulation(rng, n // 2 + 2), n // 2 + 2)[0],
        "dual of thin": lambda: dual(thinned(rng, sphere_triangulation(rng, n), n, 0.3), n)[0],
        "wheel": lambda: wheel(n - 1),
        "prism": lambda: (prism, antiprism)[int(rng.integers(2))](n // 2),
    }
    return build[kind]()


KINDS = ["sphere", "stacked", "thin sphere", "thin stacked", "thin crowded"]
KINDS += ["dual", "dual of stacked", "dual of thin", "wheel", "prism"]
SOLIDS = ("tetrahedral", "cubical", "octahedral", "dodecahedral", "icosahedral", "truncated_cube", "tutte")
