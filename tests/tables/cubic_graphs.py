"""Cubic graphs by their names."""

import networkx as nx

CUBIC = {
    "K4": nx.complete_graph(4),
    "prism": nx.circular_ladder_graph(3),
    "K3,3": nx.complete_bipartite_graph(3, 3),
    "cube": nx.cubical_graph(),
    "Petersen": nx.petersen_graph(),
    "Heawood": nx.heawood_graph(),
}
