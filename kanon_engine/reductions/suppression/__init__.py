"""Vertex cover on cubic graphs → suppressed cells in three columns (Chakaravarthy et al., section 3)."""

from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Mutation, Reduction
from kanon_engine.reductions.problems.vertex_cover import VERTEX_COVER

TO_TABLE = Reduction(
    name="vertex-cover-to-table",
    title="Vertex cover → a table of three columns",
    source=VERTEX_COVER,
    family="tables",
    theorem="Chakaravarthy, Pandit, Sabharwal, section 3, Theorems 3.1 and 3.2",
    claim="Suppressing the fewest cells is NP-hard even with three columns and k = 7, and cannot be approximated "
    "within 6238/6237, unless P = NP.",
    how="Each vertex u has 20 rows: six 0 u u, the critical row ? u u, seven ? u ?, three 0 u Z and three 0 Z u. Each "
    "edge has two rows, 0 x y and 0 y x, and there are 14 dummy rows. ? is a symbol that occurs once. Every row loses "
    "a cell in any case, ? u ? two: that is the base cost, 27 r + 2 |E| + 14. Where u is in the cover, its six rows "
    "0 u u are parted and take its edges in; the critical row is left to the rows ? u ? and loses one cell more. "
    "Elsewhere the six and the critical row are a group. So a cover of t costs t cells above the base.",
    build=Lazy("kanon_engine.reductions.suppression.rows:build"),
    forth=Lazy("kanon_engine.reductions.suppression.carry:forth"),
    back=Lazy("kanon_engine.reductions.suppression.carry:back"),
    decide=Lazy("kanon_engine.reductions.suppression.carry:decide"),
    fault=Lazy("kanon_engine.reductions.suppression.carry:fault"),
    mutations=(
        Mutation("five rows 0 u u", "With the critical row they are one too few."),
        Mutation("seven rows 0 u u", "They are a group without any other."),
        Mutation("no critical row", "Nothing costs more where a vertex is in the cover."),
        Mutation("two critical rows", "One of them is left over where a vertex is not in the cover."),
        Mutation("critical row ? u ?", "It does not match the rows 0 u u in the third column."),
        Mutation("critical row 0 u u", "It is a seventh row of those."),
        Mutation("six rows ? u ?", "They cannot be a group without the critical row."),
        Mutation("no row 0 u Z", "Nothing fills the groups of edges in the second column."),
        Mutation("four rows 0 u Z", "With three edges they are a group, and the six rows 0 u u stay together."),
        Mutation("no row 0 Z u", "Nothing fills the groups of edges in the third column."),
        Mutation("four rows 0 Z u", "With three edges they are a group, and the six rows 0 u u stay together."),
        Mutation("no dummy row", "Of either kind."),
        Mutation("edge rows alike", "The two rows of an edge are both 0 x y."),
        Mutation("one special symbol", "All ? are the same symbol."),
        Mutation("k is 6", "The six rows 0 u u are a group by themselves."),
        Mutation("k is 8", "A group needs a row more than the construction has."),
        Mutation("K is one less", "The cells that may be lost are one fewer."),
        Mutation("K is one more", "The cells that may be lost are one more."),
    ),
    picture=Lazy("kanon_engine.reductions.plot.items:items_figure"),
)
