"""3-Partition and Partition → unordered labels (Du et al. 2009, section 4: Theorem 5, Theorem 6)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.halves import HALVES
from kanon_engine.reductions.problems.three_partition import THREE_PARTITION

OF_LABELS = (
    Mutation("last label left out", "The last weight has no label, where there are several."),
    Mutation("last label twice", "The last weight has two labels."),
    Mutation("a record more", "The last label has a record more."),
    Mutation("a record less", "The heaviest label has a record less, where that leaves one."),
)
JOINED = Mutation("equal weights joined", "Equal weights are one label with the records of all of them.")

TO_EXACT_GROUPS = Reduction(
    name="3-partition-to-labels",
    title="3-Partition → labels",
    source=THREE_PARTITION,
    family="labels",
    theorem="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 5",
    claim="Min-max bin covering is NP-complete in the strong sense: even if the counts are small.",
    how="Each weight is a label with so many records, and k = K = B. All labels together have m B records. So groups "
    "of at least B and at most B records are m groups of exactly B, and three weights are in each: two of them are "
    "less than B, four of them more.",
    build=Lazy("kanon_engine.reductions.bins.build:exact_groups"),
    forth=Lazy("kanon_engine.reductions.bins.carry:groups_forth"),
    back=Lazy("kanon_engine.reductions.bins.carry:groups_back"),
    decide=Lazy("kanon_engine.reductions.bins.carry:decide"),
    fault=Lazy("kanon_engine.reductions.bins.carry:fault"),
    mutations=(
        *OF_LABELS,
        JOINED,
        Mutation("k is B + 1", "A group needs a record more than it may have."),
        Mutation("K is B - 1", "A group may have a record less than it needs."),
        Mutation("one less or more", "A group may have B - 1, B or B + 1 records."),
        Mutation("K is 2 B", "A group may have up to 2 B records."),
        Mutation("two groups", "A group has exactly 2 B records."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.bins:bins_figure"),
)

TO_FAR_APART = Reduction(
    name="3-partition-to-raised-labels",
    title="3-Partition → labels, a gap of 4/3",
    source=THREE_PARTITION,
    family="labels",
    theorem="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 6 (counts in unary)",
    claim="With counts in unary no polynomial algorithm guarantees a ratio below 4/3, unless P = NP.",
    how="Each weight w is a label with M + w records, where M = B², and k = 3 M + B. Two labels are less than k, so "
    "every group has at least three. With three in each there are m groups of exactly k. Else a group has four, which "
    "are more than 4 M + B. So a “yes” costs k, and a “no” more than K = 4 M + B: nearly 4/3 as much.",
    build=Lazy("kanon_engine.reductions.bins.build:far_apart"),
    forth=Lazy("kanon_engine.reductions.bins.carry:groups_forth"),
    back=Lazy("kanon_engine.reductions.bins.carry:groups_back"),
    decide=Lazy("kanon_engine.reductions.bins.carry:decide"),
    fault=Lazy("kanon_engine.reductions.bins.carry:fault"),
    mutations=(
        *OF_LABELS,
        Mutation("first weight not raised", "The first label has w records and not M + w."),
        Mutation("first weight raised twice", "The first label has 2 M + w records."),
        Mutation("k not raised", "k is B, as if the weights were as they are."),
        Mutation("k raised by 2 M", "k is 2 M + B."),
        Mutation("k raised by 4 M", "k is 4 M + B."),
        Mutation("K is 6 M + 2 B", "A group may be twice as large as it has to be."),
        Mutation("K is 2 M + B", "A group may not hold three labels."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.bins:bins_figure"),
)

TO_TWO_BINS = Reduction(
    name="partition-to-labels",
    title="Partition → labels, a gap of 2",
    source=HALVES,
    family="labels",
    theorem="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 6 (counts in binary)",
    claim="With counts in binary no polynomial algorithm guarantees a ratio below 2, unless P = NP.",
    how="Each number is a label with so many records, and k = K = S, half of all. Two groups of at least S are the two "
    "halves. Where there are no halves, all labels are one group of 2 S: twice as much.",
    build=Lazy("kanon_engine.reductions.bins.build:two_bins"),
    forth=Lazy("kanon_engine.reductions.bins.carry:halves_forth"),
    back=Lazy("kanon_engine.reductions.bins.carry:halves_back"),
    decide=Lazy("kanon_engine.reductions.bins.carry:decide"),
    fault=Lazy("kanon_engine.reductions.bins.carry:fault"),
    mutations=(
        *OF_LABELS,
        JOINED,
        Mutation("k is S + 1", "A group needs a record more than half of all."),
        Mutation("k is S - 1", "A group needs a record less than half of all."),
        Mutation("K is S + 1", "A group may have a record more than half of all."),
        Mutation("K is S - 1", "A group may have a record less than it needs."),
        Mutation("one less or more", "A group may have S - 1, S or S + 1 records."),
        Mutation("K is 2 S", "All labels may be one group."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.bins:bins_figure"),
)
