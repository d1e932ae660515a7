"""Labels without an order: classes are any sets of labels (Du et al. 2009, sections 4 and 5)."""

from kanon_engine.algorithm import Algorithm, Family, Option
from kanon_engine.labels.bounds import lower_bound
from kanon_engine.labels.fold import fold
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import ORDERS
from kanon_engine.labels.spread import spread
from kanon_engine.labels.verify import verify

ORDER = Option(
    "order",
    "choice",
    "given",
    ORDERS,
    "In which order labels are packed: as in the file, at random by the seed, or the most common first.",
)

ALGORITHMS = {
    "spread": Algorithm(
        name="spread",
        family="labels",
        title="Spread",
        summary="Fills group after group up to k and spreads what is left over, label by label, over the groups.",
        function=spread,
        guarantee="max(k − 1 + most common label, 3k − 3), and never above Fold on the same order: "
        "below 3 times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 5 (simplified Theorem 9)",
        complexity="O(n + r log m) for r leftover labels and m groups",
        options=(ORDER,),
    ),
    "fold": Algorithm(
        name="fold",
        family="labels",
        title="Fold",
        summary="Fills group after group up to k and merges what is left over into the smallest group.",
        function=fold,
        guarantee="max(k − 1 + most common label, 3k − 3): below 3 times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 7",
        complexity="O(n)",
        options=(ORDER,),
    ),
}

FAMILY = Family("labels", Labels, ALGORITHMS, "spread", "spread", lower_bound, verify)
