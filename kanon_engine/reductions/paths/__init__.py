"""3-dimensional matching → partition into paths of length 2 (Du et al. 2009, section 2.1 and Figures 2 to 5)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.matching import MATCHING

PAPER = "Du, Eppstein, Goodrich, Lueker 2009"
OF_ALL = (
    Mutation("no connector", "Vertices that a connector joins are joined by an edge."),
    Mutation("no pendant", "Connectors have no vertex that hangs on the middle one."),
    Mutation("two pendants", "Connectors have two vertices that hang on the middle one."),
    Mutation("heavy pendant", "The vertex that hangs on the middle of a connector weighs 2."),
    Mutation("open triangle", "The third vertex of a triangle is not joined to the two others."),
    Mutation("star for triangle", "A triangle's three vertices are joined to a fourth one in place of each other."),
    Mutation("k is 2", "A group may weigh 2."),
    Mutation("k is 4", "No group may weigh 3."),
    Mutation("K is 4", "A group may weigh 4."),
)
OF_CROSSINGS = (
    Mutation("no cross-over", "Where two wires should cross, they touch and turn back."),
    Mutation("crossing as a vertex", "Where two wires cross they share a vertex."),
    Mutation("no middle", "A cross-over has no vertex in the middle."),
    Mutation("three ways", "A cross-over has three triangles, and so three of its four ways."),
)
OF_DEGREES = (
    Mutation("fan-out by edges", "The vertices of an element with many wires are joined by edges, not by connectors."),
    Mutation("small cap", "The cap of a vertex that hangs on another has five vertices."),
)

TO_PATHS = Reduction(
    name="matching-to-paths",
    title="3-dimensional matching → paths of length 2",
    source=MATCHING,
    family="regions",
    theorem=f"{PAPER}, section 2.1, Figure 2",
    claim="Whether a graph can be partitioned into paths of length 2 is NP-complete: with areas of weight 1, whether "
    "there are connected groups of exactly 3.",
    how="Each element is a vertex. Each tuple is a triangle with one vertex for each of its elements. A connector "
    "joins that vertex to the element: a vertex between them, with one more vertex that hangs on it alone. The hanging "
    "vertex needs the one it hangs on, and both together take one neighbour: the element, or the tuple's vertex. So a "
    "tuple's triangle is one group and its connectors take its three elements, or its connectors take all of the "
    "triangle.",
    build=Lazy("kanon_engine.reductions.paths.build:plain"),
    forth=Lazy("kanon_engine.reductions.paths.carry:plain_forth"),
    back=Lazy("kanon_engine.reductions.paths.carry:back"),
    decide=Lazy("kanon_engine.reductions.connected:partition"),
    fault=Lazy("kanon_engine.reductions.connected:fault"),
    mutations=(*OF_ALL, Mutation("z to y", "The leg of a tuple for Z ends at its element of Y.")),
    picture=Lazy("kanon_engine.reductions.plot.graph:graph_figure"),
)

TO_PLANAR_PATHS = Reduction(
    name="matching-to-planar-paths",
    title="3-dimensional matching → paths of length 2 in the plane",
    source=MATCHING,
    family="regions",
    theorem=f"{PAPER}, section 2.1, Figures 3 and 5",
    claim="That stays NP-complete where the graph is planar.",
    how="The tuples stand in a row, the elements above and below, and wires of connectors run from one to the other. "
    "Where two wires cross stands a cross-over: four corners, between every two neighbouring corners a triangle like a "
    "tuple's, and a vertex in the middle. Each triangle has connectors to the middle and to its two corners. One of "
    "them takes the middle. So exactly one triangle is a group of its own, and of each two corners across from each "
    "other one is taken inside: what one wire says on one side it says on the other, whatever the other wire says.",
    build=Lazy("kanon_engine.reductions.paths.planar:planar"),
    forth=Lazy("kanon_engine.reductions.paths.carry:planar_forth"),
    back=TO_PATHS.back,
    decide=TO_PATHS.decide,
    fault=TO_PATHS.fault,
    mutations=OF_ALL + OF_CROSSINGS,
    picture=TO_PATHS.picture,
)

TO_REGIONS = Reduction(
    name="matching-to-regions",
    title="3-dimensional matching → areas, k = K = 3",
    source=MATCHING,
    family="regions",
    theorem=f"{PAPER}, section 2.1, Figure 4; Theorem 3",
    claim="Areas cannot be grouped within less than 4/3 times the best possible in polynomial time unless P = NP, even "
    "where the graph is planar and every area has three neighbours.",
    how="As in the plane. A vertex where more than three wires end becomes a row of vertices with connectors between "
    "neighbours: of all wires one takes a vertex of the row, whichever. A vertex with one or two neighbours is given a "
    "cap. A cap has six or nine vertices and its own partition, and what is left of it without one or two vertices "
    "cannot be partitioned, for three does not divide it.",
    build=Lazy("kanon_engine.reductions.paths.planar:cubic"),
    forth=Lazy("kanon_engine.reductions.paths.carry:cubic_forth"),
    back=TO_PATHS.back,
    decide=TO_PATHS.decide,
    fault=TO_PATHS.fault,
    mutations=OF_ALL + OF_CROSSINGS + OF_DEGREES,
    picture=TO_PATHS.picture,
)
