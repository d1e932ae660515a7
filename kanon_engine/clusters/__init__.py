"""Records in a metric space: clusters of at least k around centers (Aggarwal et al., Achieving anonymity)."""

from kanon_engine.clusters.distances import METRICS
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.options import (
    CENTERS,
    COST,
    EPSILON,
    FACILITY_COST,
    GAMMA,
    IMPROVE,
    MAX_CLUSTERS,
    PLAIN_CENTERS,
    numbered,
    objective,
)
from kanon_engine.model.algorithm import Algorithm, Lazy, algorithms_of, functions_of
from kanon_engine.model.family import (
    ID,
    PER_RECORD,
    SHEET,
    UNIT,
    WEIGHT,
    Family,
    Page,
    Reader,
    Release,
    names_in,
)
from kanon_engine.model.setting import Setting
from kanon_engine.verification import clusters as verifier

BESIDE = (
    "for one column, the best possible; for several columns, none in advance, but the lower bound shows how far the "
    "result can be from the best possible"
)

ALGORITHMS = algorithms_of(
    "clusters",
    Algorithm(
        "gather",
        title="Gather",
        summary="Packs circles that hold k records each, repairs clusters that are too wide, and keeps the largest "
        "radius small.",
        guarantee="2 times the best possible where each point is one record, for up to 200,000 points; otherwise 3 "
        "times for centers at points, 6 times for free centers; no guarantee for centers that are means",
        source="Aggarwal et al. 2010, section 2.2; packing and repair derived for kanon",
        complexity="O(n k log n) for the packing; then a fixed number of steps",
        options=(CENTERS, IMPROVE),
        claims=("solver",),
    ),
    Algorithm(
        "center",
        title="Few centers",
        summary="Puts all records around a few centers, at least k around each, and keeps the largest radius small.",
        guarantee="2 times the best possible where each point is one record; no guarantee where points represent "
        "several records, or for centers that are means",
        source="Aggarwal et al. 2010, section 2.4",
        complexity="a greedy choice and a network flow for each of about 50 cluster widths",
        options=(CENTERS, MAX_CLUSTERS, IMPROVE),
    ),
    Algorithm(
        "gather-outliers",
        title="Gather with outliers",
        summary="Leaves out isolated records, up to the share that is allowed, and gathers the others.",
        guarantee="4 times the best possible, or 3 times for centers at points; no guarantee for centers that are "
        "means",
        source="Aggarwal et al. 2010, section 2.3, Theorem 2.4",
        complexity="like Gather, plus one pass over all distances for each record that must be left out",
        options=(CENTERS, EPSILON, IMPROVE),
    ),
    Algorithm(
        "center-outliers",
        title="Few centers with outliers",
        summary="Covers the records with a few wide circles, the fullest first, and can leave out up to the allowed "
        "share of the records.",
        guarantee="4 times the best possible for up to 2,000 points; no guarantee in advance for more points or for "
        "centers that are means",
        source="Aggarwal et al. 2010, section 2.4, Theorem 2.8, with Lemma 2.5 corrected",
        complexity="O(p² log p) steps and O(n p) distances for n points, where p is n or 2,000, whichever is smaller",
        options=(CENTERS, EPSILON, MAX_CLUSTERS, IMPROVE),
    ),
    Algorithm(
        "cellular",
        title="Cellular, with setup costs",
        summary="Lets a setup cost decide how many clusters there are; clusters of fewer than k records are merged.",
        guarantee="if k = 1: 3 times the best possible for centers at points, 6 times for free centers",
        source="Aggarwal et al. 2010, section 3, Theorem 3.5",
        complexity="O(n² log n) time and O(n²) memory, more if setup costs are high; then a fixed number of steps",
        max_items=5_000,
        options=(PLAIN_CENTERS, FACILITY_COST, IMPROVE),
    ),
    Algorithm(
        "r-cellular",
        title="Cellular, at least k",
        summary="Keeps the radius of every cluster small, not just the largest; each radius counts once per record in "
        "the cluster.",
        guarantee="if each point is one record: 36 times the best possible for centers at points, 72 times for free "
        "centers",
        source="Aggarwal et al. 2010, section 3.1, Theorem 3.8; dual problem and improvement derived for kanon",
        complexity="O(n² log n) time and O(n²) memory; then a fixed number of steps",
        max_items=5_000,
        options=(PLAIN_CENTERS, FACILITY_COST, IMPROVE),
    ),
    Algorithm(
        "r-cellular-outliers",
        title="Cellular with outliers",
        summary="Like “Cellular, at least k”, but a share of the records may be left out: those that cost the most.",
        guarantee="if each point is one record: 72 times the best possible for centers at points, 144 times for free "
        "centers",
        source="Aggarwal et al. 2010, section 3.1, with Charikar et al. 2001; the proof is written out for kanon",
        complexity="O(n² log n) time and O(n²) memory for each guess of a radius; then a fixed number of steps",
        max_items=5_000,
        options=(EPSILON, PLAIN_CENTERS, FACILITY_COST, IMPROVE),
    ),
    Algorithm(
        "mdav",
        title="MDAV",
        summary="Microaggregation: forms groups of k records around the most distant records, then improves these "
        "groups so that the sum of squared distances to the group means is small.",
        guarantee=BESIDE,
        source="Domingo-Ferrer, Torra 2005; one column: Hansen, Mukherjee 2003; the rest derived for kanon",
        complexity="O(n² / k) distances between n points; then a fixed number of steps",
        options=(IMPROVE,),
    ),
    Algorithm(
        "v-mdav",
        title="V-MDAV",
        summary="Like MDAV, with groups that grow where records are close together.",
        guarantee=BESIDE,
        source="Solanas, Martinez-Balleste 2006; improvement and bound derived for kanon",
        complexity="O(n²) distances between n points; then a fixed number of steps",
        options=(GAMMA, IMPROVE),
    ),
    Algorithm(
        "exact",
        title="Exact search",
        summary="Finds the lowest possible cost and proves it, or shows how far the proof got.",
        guarantee="none in advance; the result comes with the lower bound that the search proves",
        source="for the radius, the solver CP-SAT tries one radius after another, with cuts from Hall's theorem; for "
        "the cellular cost, the solver HiGHS",
        complexity="exponential; often seconds for 1,000 points if the radius is minimized, or for 60 points if the "
        "cellular cost is minimized",
        options=(COST, PLAIN_CENTERS),
        max_items=1_000,
        claims=("solver",),
    ),
)

ALGORITHMS = {name: numbered(algorithm) for name, algorithm in ALGORITHMS.items()}

BOUNDS: dict[str, str] = {
    "exact search": "a search found that no clustering costs less",
    "need": "with a smaller radius, one particular record could not be in any cluster: every center "
    "that reaches this record would reach fewer than k records in total",
    "least disc": "no circle with a smaller radius holds one particular record and at least k − 1 others",
    "centers apart": "with a smaller radius, the records of a particular set would each need a cluster of their own, "
    "and too few records are near this set to fill so many clusters",
    "prices": "every record has a number, its price; each cluster around a point costs at least the sum of its "
    "records' prices, so each clustering costs at least the sum of the prices of all its records",
    "halved prices": "every record has a number, its price; even if all distances are halved, each cluster costs at "
    "least the sum of its records' prices, so each clustering costs at least the sum of the prices of all its records",
    "one cluster": "there are fewer than 2k records, so they are one group",
    "one column": "there is one column, and a shortest-path search finds the best groups of its sorted values",
    "squared distances": "the cost of every grouping is at least a sum with one term per record; each record "
    "shares its group with at least k − 1 others, so its term has a minimum, and these minimums add up to the bound",
    "too many apart": "more records were chosen than there can be clusters, so two of them share a cluster; any two "
    "of the chosen records are so far apart that their cluster has at least this radius",
    "too many in need": "with a smaller radius, too many records would have to be left out: every center "
    "that reaches one of these records would reach fewer than k records in total",
    "coverage": "with a smaller diameter, even the largest possible number of clusters would leave out more records "
    "than allowed",
    "disks": "with a smaller radius, even the largest possible number of circles around points would leave out more "
    "records than allowed",
    "too many discs": "with a smaller radius, too many records would have to be left out: none of these records is in "
    "a circle of that radius that holds k records",
    "peeling": "with a smaller radius, too many records would have to be left out: they can be removed one by one "
    "in such an order that each, when its turn comes, has fewer than k remaining records near enough to share its "
    "cluster",
}

READER = Reader(
    Lazy("kanon_engine.clusters.read:read_records"),
    "clusters",
    (
        Setting("columns", "Columns from which distances are computed, such as age,income.", parse=names_in),
        Setting(
            "metric",
            "How the distance between two records is measured.",
            "choice",
            tuple(m for m in METRICS if m != "precomputed"),
        ),
        Setting(
            "scale",
            "How to scale columns of numbers: not at all, by their standard deviation, or to the range from 0 to 1.",
            "choice",
            ("none", "standard", "range"),
        ),
        Setting("column_weights", "Weights of columns, such as age=2,sex=1; 1 if not given."),
        WEIGHT,
        PER_RECORD,
        ID,
        Setting("keep", "Columns that are shown for each cluster, such as an illness.", parse=names_in),
        Setting("drop_missing", "Leave out rows with missing or invalid values instead of refusing the file.", "flag"),
        SHEET,
        UNIT,
    ),
    files="A CSV, Excel or Parquet file with a record in each row.",
    rehearsal=Lazy("kanon_engine.clusters.read:rehearsal"),
)

FAMILY = Family(
    name="clusters",
    instance=MetricSpace,
    items="points",
    algorithms=ALGORITHMS,
    default="gather",
    quick="gather",
    quick_options={"improve": False},
    verifier=verifier,
    records=(ClusterDetails,),
    bounds=BOUNDS,
    promise=Lazy("kanon_engine.clusters.promises:promise"),
    objective=objective,
    reader=READER,
    release=Release(
        **functions_of(
            "kanon_engine.clusters.release", "files", "picture", "pictured", "frame", "released", "placed", "private"
        ),
        print_picture=Lazy("kanon_engine.clusters.release:draw_circles"),
    ),
    picture=Lazy("kanon_engine.clusters.plot:clusters_figure"),
    places=lambda space: space.metric == "haversine",
    utility=Lazy("kanon_engine.clusters.release:utility"),
    page=Page(
        "Clusters",
        "bubble_chart",
        "Which records are similar enough to share a center?",
        "Clusters",
        "Load records with numbers, places or words. kanon puts at least k records around each center and keeps the "
        "centers as near to their records as it can. Centers are published instead of records.",
    ),
)
