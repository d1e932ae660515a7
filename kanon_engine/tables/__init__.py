"""Tables of records: intervals of columns (Bayardo, Agrawal 2005), suppressed cells (Chakaravarthy et al.)."""

from kanon_engine.model.algorithm import Algorithm, Family, Option
from kanon_engine.model.lazy import Lazy
from kanon_engine.tables.instance import Table
from kanon_engine.tables.metrics import METRICS
from kanon_engine.tables.verify import verify
from kanon_engine.tables.verify.small import beaten

METRIC = Option(
    "metric",
    "choice",
    "DM",
    tuple(METRICS),
    "What is to be small. DM: how many records look alike. CM: records with another class label than their group. "
    "AVG: the average group. LM: how wide the intervals are, between values that occur.",
)
LIMIT = Option("suppression_limit", "integer", None, (), "Most records that may be left out; empty is no limit.", 0)
WEIGHTS = Option("weights", "weights", None, (), "What the loss of columns weighs in the metric LM; 1 if not given.")

ALGORITHMS = {
    "k-optimize": Algorithm(
        name="k-optimize",
        family="tables",
        title="K-Optimize",
        summary="Cuts each column into intervals so that the cost is as small as can be, and proves it or says "
        "how far the proof has come.",
        function=Lazy("kanon_engine.tables.k_optimize:k_optimize"),
        guarantee="none; the lower bound that the search proves, with the result",
        source="Bayardo, Agrawal 2005, sections 4 to 6; Figure 5 and one rule corrected",
        complexity="exponential in the number of cut values; without a time limit 10,000 nodes",
        options=(
            METRIC,
            LIMIT,
            Option("upper_bound", "integer", None, (), "A cost known to be possible; speeds the search up.", 0),
            WEIGHTS,
            Option(
                "threads",
                "integer",
                1,
                (),
                "How many cores search at the same time; with more than one, which of equally good results is found is "
                "chance.",
                1,
                64,
            ),
        ),
        claims=("solver",),
    ),
    "hill-climb": Algorithm(
        name="hill-climb",
        family="tables",
        title="Hill climbing",
        summary="Takes cuts away and adds cuts while that lowers the cost, again and again from random cuts.",
        function=Lazy("kanon_engine.tables.hill_climb:hill_climb"),
        guarantee="none; the best of local optima",
        source="Bayardo, Agrawal 2005, section 7.3",
        complexity="a step is a pass over the distinct tuples for each column",
        options=(
            METRIC,
            LIMIT,
            WEIGHTS,
            Option(
                "restarts", "integer", 100, (), "From how many random sets of cuts it begins again.", 0, 1_000_000_000
            ),
        ),
    ),
    "cell-suppression": Algorithm(
        name="cell-suppression",
        family="tables",
        title="Cell suppression",
        summary="Hides single cells, as few as it can, until everybody looks like k − 1 others; nobody is left out.",
        function=Lazy("kanon_engine.tables.cell_suppression:cell_suppression"),
        guarantee="columns × (records with fewer than k − 1 equals): never above columns times the best possible; if "
        "these are fewer than k, columns × (2k − 1): never above (2 − 1/k) × columns times",
        source="Chakaravarthy, Pandit, Sabharwal, section 4; the ratio is derived for kanon",
        complexity="exponential; above 60,000 attachments of records to patterns the best that a greedy search finds",
        claims=("solver",),
    ),
}

FAMILY = Family(
    "tables",
    Table,
    ALGORITHMS,
    "k-optimize",
    "hill-climb",
    None,
    verify,
    Lazy("kanon_engine.tables.promises:promise"),
    False,
    {"restarts": 2},
    beaten=beaten,
)
