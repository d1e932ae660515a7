"""3-dimensional matching → points and rectangles (Du et al. 2009, section 3.1 and Figure 6)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.matching import MATCHING

OF_CONSTRUCTION = (
    Mutation("walls of two", "Walls hold two records."),
    Mutation("walls of one", "Walls hold one record."),
    Mutation("pair in a tuple", "The record in the middle of a tuple is a pair."),
    Mutation("pair at an element", "An element is a pair."),
    Mutation("single records at the doors", "Corridors begin and end with a single record."),
    Mutation("no shift", "Pairs and single records alternate in corridors of every length."),
    Mutation("no cross-over", "Where two wires should cross, they touch and turn back."),
    Mutation("single record in the middle", "The middle of a cross-over is a single record."),
    Mutation("wall in the middle", "The middle of a cross-over is a wall."),
    Mutation("cut fan-out", "The choosers of an element with many wires are not joined."),
)

TO_RECTANGLES = Reduction(
    name="matching-to-rectangles",
    title="3-dimensional matching → points, k = K = 3",
    source=MATCHING,
    family="rectangles",
    theorem="Du, Eppstein, Goodrich, Lueker 2009, section 3.1, Figure 6; Theorem 4",
    claim="Points cannot be grouped by rectangles within less than 4/3 times the best possible in polynomial time "
    "unless P = NP.",
    how="Every location of a grid holds three records, a wall, but for those that are dug. A tuple is three single "
    "records in a line, and beside each is the door of a corridor, a pair. In a corridor single records and pairs "
    "alternate, so its rectangles are a pair and a single record each: with the tuple's record at one end, or with the "
    "element's at the other. An element is a single record where up to three corridors meet. Where corridors cross, "
    "eight single records around a pair let each pass on what it says. The tuple's three records are one rectangle, "
    "and its corridors take three elements, or each goes with its door.",
    build=Lazy("kanon_engine.reductions.corridors.build:corridors"),
    forth=Lazy("kanon_engine.reductions.corridors.carry:forth"),
    back=Lazy("kanon_engine.reductions.corridors.carry:back"),
    decide=Lazy("kanon_engine.reductions.corridors.tiles:tiling"),
    fault=Lazy("kanon_engine.reductions.corridors.tiles:fault"),
    mutations=(
        *OF_CONSTRUCTION,
        Mutation("k is 2", "A group may hold 2 records."),
        Mutation("k is 4", "No group may hold 3 records."),
        Mutation("K is 4", "A group may hold 4 records."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.grid:grid_figure"),
)

TO_RTILE = Reduction(
    name="matching-to-rtile",
    title="3-dimensional matching → RTILE",
    source=MATCHING,
    family="rectangles",
    theorem="Du, Eppstein, Goodrich, Lueker 2009, section 3.1, the remark after Theorem 4",
    claim="RTILE, to tile a square of numbers by at most p rectangles with the largest sum as small as can be, cannot "
    "be solved within less than 4/3 times the best possible in polynomial time unless P = NP.",
    how="The same locations, with walls up to a square, and their records are the numbers. p is a third of all "
    "records. No rectangle has a least sum, but p rectangles of at most 3 each hold all records only if each holds "
    "exactly 3.",
    build=Lazy("kanon_engine.reductions.corridors.rtile:squared"),
    forth=TO_RECTANGLES.forth,
    back=Lazy("kanon_engine.reductions.corridors.rtile:back"),
    decide=Lazy("kanon_engine.reductions.corridors.rtile:tiled"),
    fault=Lazy("kanon_engine.reductions.corridors.rtile:fault"),
    mutations=(
        *OF_CONSTRUCTION,
        Mutation("p and one more", "There may be one rectangle more."),
        Mutation("p less one", "There may be one rectangle less."),
        Mutation("K is 4", "A rectangle may hold 4 records."),
    ),
    picture=TO_RECTANGLES.picture,
)
