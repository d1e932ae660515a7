"""Tables of records: intervals of columns (Bayardo, Agrawal 2005), suppressed cells (Chakaravarthy et al.)."""

from kanon_engine.algorithm import Algorithm, Family
from kanon_engine.tables.cell_suppression import cell_suppression
from kanon_engine.tables.instance import Table
from kanon_engine.tables.verify import verify

ALGORITHMS = {
    "cell-suppression": Algorithm(
        name="cell-suppression",
        family="tables",
        title="Cell suppression",
        summary="Hides single cells, as few as possible, until everybody looks like k − 1 others; nobody is left out.",
        function=cell_suppression,
        guarantee="columns × (records with fewer than k − 1 equals), or columns × (2k − 1) if these are fewer than k: "
        "never above 2 × columns times the best possible",
        source="Chakaravarthy, Pandit, Sabharwal, section 4; the ratio is derived for kanon",
        complexity="exponential; above 60,000 attachments of records to patterns the best that a greedy search finds",
        claims=("solver",),
    ),
}

FAMILY = Family("tables", Table, ALGORITHMS, "cell-suppression", "cell-suppression", None, verify, min_max=False)
