"""Labels without an order: classes are any sets of labels (Du et al. 2009, sections 4 and 5)."""

from dataclasses import replace

from kanon_engine.labels.instance import BinDetails, LabelDetails, Labels, constrained
from kanon_engine.model.algorithm import Algorithm, Lazy, algorithms_of, functions_of
from kanon_engine.model.family import MERGE, SHEET, UNIT, Columns, Family, Page, Reader, Release
from kanon_engine.model.setting import Setting
from kanon_engine.model.wishes import no_sets
from kanon_engine.verification import labels as verifier

ORDER = Setting(
    "order",
    "The order in which labels are packed: as read, in a random order that the seed determines, or the most common "
    "first.",
    "choice",
    ("given", "random", "sorted"),
    default="given",
)

EPSILON = Setting(
    "epsilon",
    "Smaller values give results closer to the best possible but take longer. In the relaxed scheme, groups may also "
    "be lighter than k by this share of k.",
    "number",
    default=0.5,
    minimum=0.01,
    maximum=1.0,
)

ALGORITHMS = algorithms_of(
    "labels",
    Algorithm(
        "near-optimal",
        title="Near-optimal",
        summary="Packs labels into as many groups as possible, as evenly as possible, and stops when no better result "
        "is possible or found.",
        guarantee="2 times the best possible, and never above Fold's result for the sorted labels (both only if no "
        "labels are kept apart); the best possible if the result meets the lower bound",
        source="Lowest level first (Graham 1969), differencing (Karmarkar, Karp 1982), iterative weakening (Schreiber, "
        "Korf, Moffitt 2018), bounds derived for kanon",
        complexity="O(n log m) for the first packing into m groups; then a fixed number of steps",
        claims=("solver",),
    ),
    Algorithm(
        "spread",
        title="Spread",
        summary="Fills one group after another up to k, then spreads the leftover labels over the groups one by one.",
        guarantee="max(k − 1 + the count of the most common label, 3k − 3): below 3 times the best possible; never "
        "above Fold's result for the same order",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 5 (simplified Theorem 9)",
        complexity="O(n + r log m) for r leftover labels and m groups",
        options=(ORDER,),
    ),
    Algorithm(
        "two-approximation",
        title="Two-approximation",
        summary="Packs large labels alone or in pairs, tries different numbers of labels packed alone, and keeps the "
        "best result.",
        guarantee="2 times the best possible, and never above Fold's result for the sorted labels",
        source="derived for kanon; same ratio as in Berman, Raskhodnikova 2014",
        complexity="O(n log n) for each packing; rarely more than 64 packings",
    ),
    Algorithm(
        "scheme",
        title="Scheme",
        summary="Packs the large labels optimally by rounded sizes, then each small one into the lightest group.",
        guarantee="(1 + epsilon) × (best possible + k) unless the search is stopped early, and never above Fold's "
        "result for the sorted labels",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 10",
        complexity="for a fixed epsilon, a high power of the number of labels; kanon says in advance if there are "
        "too many steps",
        options=(EPSILON,),
    ),
    Algorithm(
        "relaxed-scheme",
        title="Relaxed scheme (NOT k-anonymous)",
        summary="Like Scheme, but groups may be lighter than k. It shows what k costs; its results cannot be released.",
        guarantee="(1 + epsilon) × best possible unless the search is stopped early, and never above Fold's result "
        "for the sorted labels; every group holds at least (1 − epsilon) k",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 11",
        complexity="like Scheme with epsilon / 2",
        options=(EPSILON,),
        claims=("relaxed",),
    ),
    Algorithm(
        "five-halves",
        title="Five halves",
        summary="Fills one group after another, the most common labels first, and divides the leftover labels into "
        "three parts.",
        guarantee="5/2 times the best possible, and never above Fold's result for the sorted labels",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 4, Lemma 8 and Theorem 9",
        complexity="O(n log n)",
    ),
    Algorithm(
        "fold",
        title="Fold",
        summary="Fills one group after another up to k and merges the leftover labels into the smallest group.",
        guarantee="max(k − 1 + the count of the most common label, 3k − 3): below 3 times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 4, Theorem 7",
        complexity="O(n)",
        options=(ORDER,),
    ),
    Algorithm(
        "exact",
        title="Exact search",
        summary="Makes the largest group as small as possible and proves it, or shows how far the proof got.",
        guarantee="none in advance; the result comes with the lower bound that the search proves",
        source="dynamic programming over sets of labels; the solver CP-SAT, also with the patterns of Gilmore, Gomory "
        "1961",
        complexity="exponential; O(3^n) up to 16 labels",
        max_items=40,
        claims=("solver",),
    ),
    Algorithm(
        "ordered",
        title="Intervals of ordered labels",
        summary="Cuts ordered labels, such as ages, dates or incomes, into intervals and keeps the largest interval as "
        "small as possible.",
        guarantee="the best possible among all ways to cut the ordered labels into intervals (not among all "
        "partitions), and at most 2 (k − 1) + the count of the most common label",
        source="dynamic programming; Du, Eppstein, Goodrich, Lueker 2009, section 1",
        complexity="O(n log (n + k)); finding the most even of several equally good partitions takes longer",
        kind="intervals of ordered labels",
        options=(
            Setting(
                "by",
                "The order of the labels before they are cut into intervals: as read, by their numeric value, or by "
                "name.",
                "choice",
                ("given", "number", "name"),
                default="given",
            ),
        ),
    ),
)

ALGORITHMS = {
    name: replace(algorithm, function=constrained(name, algorithm.function)) for name, algorithm in ALGORITHMS.items()
}

BOUNDS = {
    "k": "every group holds at least k",
    "heaviest label": "the group with the most frequent label holds at least as much as that label",
    "average class": "k limits the number of groups, and the largest group is at least as large as the average group",
    "crowded class": "k limits the number of groups, so some group holds several of the most frequent labels",
    "class of a label": "the group of one particular label must weigh at least this much to reach k",
    "sum of labels": "a group's weight is a sum of labels' counts, and the lower bound is the smallest such sum that "
    "is at least as large as each of these three: k, the count of the most common label, and the average group",
    "exact cover": "all possible groups lighter than the bound were listed, and no choice of them holds every label "
    "exactly once",
    "exact search": "a search has ruled out every lower value",
}

READER = Reader(
    Lazy("kanon_engine.labels.read:read_labels"),
    "labels",
    (
        Setting("label", "Column of the labels.", "column", asked="The labels are in"),
        Setting("count", "Column of the counts.", "counts"),
        Setting("per_record", "Whether each row is one record or has a count.", "flag", off="per-label"),
        Setting(
            "together",
            "A CSV in which each line is a set of labels that stay in one group.",
            "file",
            unfit=no_sets("labels"),
        ),
        Setting(
            "apart",
            "A CSV in which each line is a set of labels of which no two share a group.",
            "file",
            unfit=no_sets("labels"),
        ),
        Setting(
            "class_names", "How groups are named: number, largest (after their largest label), or names such as A,B,C."
        ),
        MERGE,
        SHEET,
        UNIT,
    ),
    ("csv", "txt", "tsv", "xlsx", "parquet", "first", "last"),
    "A CSV, Excel or Parquet file with a label and a count in each row, or with one row per record.",
    also=(Lazy("kanon_engine.labels.read:with_rules"),),
    counted=Columns(("Label",), ("label",), "count"),
    rehearsal=Lazy("kanon_engine.labels.read:rehearsal"),
)

FAMILY = Family(
    name="labels",
    instance=Labels,
    items="labels",
    algorithms=ALGORITHMS,
    default="near-optimal",
    quick="near-optimal",
    lower_bound=Lazy("kanon_engine.labels.bounds:lower_bound"),
    verifier=verifier,
    merge=Lazy("kanon_engine.labels.merge:merge"),
    records=(LabelDetails, BinDetails),
    bounds=BOUNDS,
    promise=Lazy("kanon_engine.labels.promises:promise"),
    reader=READER,
    release=Release(
        **functions_of("kanon_engine.labels.release", "files", "picture", "pictured", "released", "placed", "private"),
        print_picture=Lazy("kanon_engine.plot.drawing:draw_bars"),
    ),
    picture=Lazy("kanon_engine.labels.plot:bins_figure"),
    utility=Lazy("kanon_engine.labels.release:utility"),
    page=Page(
        "Labels",
        "label",
        "Which names or diagnoses must share a group?",
        "Labels",
        "Load labels with their frequencies: names, diagnoses, occupations. kanon puts labels together in groups of "
        "at least k records and keeps the largest group as small as it can.",
    ),
)
