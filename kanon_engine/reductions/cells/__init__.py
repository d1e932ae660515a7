"""Set cover → cellular clustering with facility costs (Aggarwal et al., Theorem 3.2)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.set_cover import SET_COVER

TO_CELLS = Reduction(
    name="set-cover-to-cellular",
    title="Set cover → cellular clustering",
    source=SET_COVER,
    family="clusters",
    theorem="Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu, Theorem 3.2",
    claim="Cellular clustering with facility costs is NP-complete.",
    how="Each set and each element is a point. Sets are at distance 1 from each other and from their elements, "
    "everything else is at distance 2. A cluster costs its points times its radius, and 1 more around a set; around an "
    "element it costs more than may be spent. So clusters of radius 1 around t sets that hold every element cost a "
    "unit for each point and t: |X| + |S| + t. An element that lies farther away pays one more, for which its own set "
    "could be opened as well.",
    build=Lazy("kanon_engine.reductions.cells.build:build"),
    forth=Lazy("kanon_engine.reductions.cells.carry:forth"),
    back=Lazy("kanon_engine.reductions.cells.carry:back"),
    decide=Lazy("kanon_engine.reductions.cells.carry:decide"),
    fault=Lazy("kanon_engine.reductions.cells.carry:fault"),
    mutations=(
        Mutation("an element left out", "The first element is not near the first set that holds it."),
        Mutation("an element in the first set", "The last element is near the first set, whether it holds it or not."),
        Mutation("all at distance 1", "Every element is near every set."),
        Mutation("sets for nothing", "A cluster around a set costs nothing to open."),
        Mutation("sets cost 2", "A cluster around a set costs 2 to open."),
        Mutation("elements for nothing", "A cluster around an element costs nothing to open."),
        Mutation("elements as sets", "A cluster around an element costs 1 to open, as one around a set."),
        Mutation("three points a cluster", "A cluster needs three points."),
        Mutation("K is one less", "What may be spent is one less."),
        Mutation("K is one more", "What may be spent is one more."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.items:items_figure"),
)
