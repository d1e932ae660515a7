"""3-satisfiability → gathering at radius 1 (Aggarwal et al., section 2.1)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.satisfiability import SATISFIABILITY

TO_CLUSTERS = Reduction(
    name="satisfiability-to-gather",
    title="3-satisfiability → clusters of radius 1",
    source=SATISFIABILITY,
    family="clusters",
    theorem="Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu, section 2.1",
    claim="Gathering at least 7 records around each center is NP-complete, and no polynomial algorithm guarantees a "
    "largest radius below 2 times the least possible, unless P = NP.",
    how="Each variable has a point for true and one for false, joined to each other and to five more points, the "
    "others. Each clause is a point, joined to its literals. Distances are the lengths of shortest paths and k = 7. "
    "Only values have six neighbours, so only they can be centers of radius 1. Both values of a variable cannot be: "
    "with its others and all of its clauses, three a literal, there are 13 points at most, where 14 are needed. So "
    "one value of each variable is chosen, and each clause lies at a chosen literal. Radius 2 is always possible.",
    build=Lazy("kanon_engine.reductions.gathering.build:build"),
    forth=Lazy("kanon_engine.reductions.gathering.carry:forth"),
    back=Lazy("kanon_engine.reductions.gathering.carry:back"),
    decide=Lazy("kanon_engine.reductions.gathering.carry:decide"),
    fault=Lazy("kanon_engine.reductions.gathering.carry:fault"),
    mutations=(
        Mutation("four others", "A value with the other value and the others are six points."),
        Mutation("six others", "Both values can be centers where each is in three clauses."),
        Mutation("others at true alone", "A center at false lacks the others."),
        Mutation("true and false apart", "The values of a variable are not joined."),
        Mutation("complements as variables", "A clause with a complement is joined to true in its place."),
        Mutation("first literal left out", "Clauses are joined to their other literals alone."),
        Mutation("each clause twice", "A clause is two points, so that both values of a variable can be centers."),
        Mutation("r is 6", "Four others and k = 6: the paper needs r > 6."),
        Mutation("k is 6", "Six points are enough."),
        Mutation("k is 8", "Seven points are not enough."),
        Mutation("radius 0", "Only the same place is near enough."),
        Mutation("radius 2", "A clause may lie at a complement of its literal."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.items:items_figure"),
)
