"""3-dimensional matching → partition into paths of length 2 (Du et al. 2009, section 2.1 and Figures 2 to 5)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.matching import MATCHING

OF_ALL = (
    Mutation("no connector", "Legs of tuples are joined to their elements by an edge."),
    Mutation("no pendant", "Connectors have no vertex of degree 1."),
    Mutation("two pendants", "Connectors have two vertices of degree 1."),
    Mutation("heavy pendant", "The vertex of degree 1 of a connector weighs 2."),
    Mutation("open triangle", "The third vertex of a tuple's triangle is not joined to the two others."),
    Mutation("star for triangle", "A tuple's three vertices are joined to a fourth one in place of each other."),
    Mutation("z to y", "The leg of a tuple for Z ends at its element of Y."),
    Mutation("k is 2", "A class may weigh 2."),
    Mutation("k is 4", "No class may weigh 3."),
    Mutation("K is 4", "A class may weigh 4."),
)

TO_PATHS = Reduction(
    name="matching-to-paths",
    title="3-dimensional matching → paths of length 2",
    source=MATCHING,
    family="regions",
    theorem="Du, Eppstein, Goodrich, Lueker 2009, section 2.1, Figure 2",
    claim="Whether a graph can be partitioned into paths of length 2 is NP-complete: with areas of weight 1, whether "
    "there are connected groups of exactly 3.",
    how="Each element is a vertex. Each tuple is a triangle with one vertex for each of its elements. A connector "
    "joins that vertex to the element: a vertex between them, with one more vertex that hangs on it alone. The hanging "
    "vertex needs the one it hangs on, and both together take one neighbour: the element, or the tuple's vertex. So a "
    "tuple's triangle is one group and its connectors take its three elements, or its connectors take all of the "
    "triangle.",
    build=Lazy("kanon_engine.reductions.paths.build:plain"),
    forth=Lazy("kanon_engine.reductions.paths.carry:forth"),
    back=Lazy("kanon_engine.reductions.paths.carry:back"),
    decide=Lazy("kanon_engine.reductions.connected:partition"),
    fault=Lazy("kanon_engine.reductions.connected:fault"),
    mutations=OF_ALL,
    picture=Lazy("kanon_engine.reductions.plot.graph:graph_figure"),
)
