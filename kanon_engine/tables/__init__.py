"""Tables of records: intervals of columns (Bayardo, Agrawal 2005), suppressed cells (Chakaravarthy et al.)."""

from kanon_engine.model.algorithm import Algorithm, Lazy, algorithms_of, functions_of
from kanon_engine.model.family import SHEET, UNIT, WEIGHT, Columns, Family, Page, Reader, Records, Release
from kanon_engine.model.setting import Setting
from kanon_engine.model.tree import Tree
from kanon_engine.tables.instance import BoxDetails, CellDetails, IntervalDetails, Table
from kanon_engine.tables.metrics import METRICS, objective
from kanon_engine.verification import tables as verifier

METRIC = Setting(
    "metric",
    "What to minimize. DM: how many records look like each record. CM: how many records have a class label other "
    "than the most common one in their group. AVG: the average group size. LM: the width of the intervals, counted in "
    "values that occur.",
    "choice",
    tuple(METRICS),
    default="LM",
)
LIMIT = Setting(
    "suppression_limit",
    "How many records may be left out at most; leave empty for no limit.",
    "integer",
    minimum=0,
    share=True,
)
WEIGHTS = Setting(
    "weights",
    "Which columns should keep more detail than others, for the metric LM: with age=3, a loss of detail in age counts "
    "three times. By default, all columns count once.",
    "weights",
)
CUTS = "among cuts of whole columns"
SENSITIVE = ("Diversity", "Closeness")
BOXES = "among boxes that leave nobody out"

ALGORITHMS = algorithms_of(
    "tables",
    Algorithm(
        "k-optimize",
        title="K-Optimize",
        summary="Cuts each column into intervals so that the cost is as small as possible, and proves this or shows "
        "how far the proof got.",
        guarantee="none in advance; the result comes with the lower bound that the search proves",
        source="Bayardo, Agrawal 2005, sections 4 to 6; Figure 5 and one rule corrected",
        complexity="exponential in the number of values at which columns can be cut; without a time limit, it stops "
        "after 10,000 nodes of its search tree",
        options=(
            METRIC,
            LIMIT,
            Setting("upper_bound", "A cost known to be possible; speeds up the search.", "integer", minimum=0),
            WEIGHTS,
            Setting(
                "threads",
                "How many processor cores search at the same time; with more than one, chance decides which of "
                "several equally good results is found.",
                "integer",
                default=1,
                minimum=1,
                maximum=64,
            ),
        ),
        claims=("solver",),
        among=CUTS,
        handles=SENSITIVE,
        how="K-Optimize begins with every column as one interval and adds cuts one by one. Each set of cuts is a "
        "node of a tree that contains every possible set. For each node, it proves a minimum for the cost of all sets "
        "below the node. If this minimum is not less than the best cost so far, those sets are skipped. When nothing "
        "is left to examine, no other set of cuts is better.",
    ),
    Algorithm(
        "hill-climb",
        title="Hill climbing",
        summary="Removes and adds cuts as long as that lowers the cost, then restarts from random cuts.",
        guarantee="none; the result is the best of several local optima",
        source="Bayardo, Agrawal 2005, section 7.3",
        complexity="a step goes over all distinct records once for each column",
        options=(
            METRIC,
            LIMIT,
            WEIGHTS,
            Setting(
                "restarts",
                "How many times the search restarts from random cuts.",
                "integer",
                default=100,
                minimum=0,
                maximum=1_000_000_000,
            ),
        ),
        among=CUTS,
        handles=SENSITIVE,
        how="The hill climber begins at a random set of cuts. It removes cuts as long as that lowers the cost, then "
        "adds cuts as long as that lowers it, until neither helps. Then it restarts from another set. It proves "
        "nothing about the best possible cost.",
    ),
    Algorithm(
        "mondrian",
        title="Mondrian",
        summary="Cuts groups in two at the median of their widest column, as long as both parts hold k records; "
        "nobody is left out.",
        guarantee="with c columns, a group has at most 2c × (k − 1) records plus the records with the most common "
        "combination of values; no guarantee with the option “relaxed”",
        source="LeFevre, DeWitt, Ramakrishnan 2006, section 3 and Theorem 2",
        complexity="O(columns · n log n) for each level of cuts",
        options=(
            METRIC,
            WEIGHTS,
            Setting(
                "relaxed",
                "Whether equal records may go to both sides of a cut, so that groups are smaller and share values at "
                "the ends of their ranges.",
                "flag",
                default=False,
            ),
        ),
        among=BOXES,
        handles=SENSITIVE,
        how="Mondrian starts with the whole table, takes the column with the widest range, and cuts it at the "
        "median. It continues with each half separately, until no column allows a cut that leaves k records "
        "on both sides. It ignores the metric, which only measures the result.",
    ),
    Algorithm(
        "local-cuts",
        title="Local cuts",
        summary="Cuts each group separately to keep the cost small, and re-cuts neighboring groups while that helps; "
        "nobody is left out.",
        guarantee="the guarantee of Mondrian, and a cost that is never above the cost of Mondrian's groups",
        source="derived for kanon; the bound on a group's size is from LeFevre, DeWitt, Ramakrishnan 2006, Theorem 2",
        complexity="a round re-cuts up to 60 × k records",
        options=(
            METRIC,
            WEIGHTS,
            Setting(
                "rounds",
                "How many neighborhoods of groups are re-cut; with 0, the search ends after the first cuts.",
                "integer",
                default=1_000,
                minimum=0,
                maximum=100_000_000,
            ),
        ),
        among=BOXES,
        handles=SENSITIVE,
        how="“Local cuts” divides the whole table by cuts chosen for the metric, and cuts each group separately. "
        "It follows the most promising cuts to the end before it chooses one. It takes the best of its own cuts, "
        "Mondrian's cuts, and cuts of whole columns. Then it re-cuts a costly group together with its neighbors, and "
        "keeps the new cuts if they do not cost more.",
    ),
    Algorithm(
        "exact",
        title="Exact boxes",
        summary="Finds the least costly boxes of a small table and proves that none are better; nobody is left out.",
        guarantee="none in advance; the result comes with the lower bound that the search proves",
        source="derived for kanon",
        complexity="exponential; above 20,000 boxes, it returns the result of local cuts",
        options=(METRIC, WEIGHTS),
        max_items=400,
        claims=("solver",),
        among=BOXES,
        handles=SENSITIVE,
        how="“Exact boxes” lists every box that records of the table span, with its cost. A solver then chooses "
        "boxes that hold each record exactly once, do not overlap, and cost the least in total.",
    ),
    Algorithm(
        "cell-suppression",
        title="Cell suppression",
        summary="Hides as few single cells as it can until every record looks like k − 1 others; nobody is left out.",
        guarantee="with c columns, and R records that have fewer than k − 1 identical others: if R is below k, at "
        "most c × (2k − 1) cells are hidden, never more than (2 − 1/k) × c times the best possible. If R is k or more, "
        "at most c × R cells are hidden, never more than c times the best possible",
        source="Chakaravarthy, Pandit, Sabharwal, section 4; the ratio is derived for kanon",
        complexity="exponential; above 60,000 pairs of a record and a pattern, it returns the best result of a greedy "
        "search",
        claims=("solver",),
        among="among choices of cells",
        how="Each group shows values in some columns and stars in the others. This is its pattern. The search chooses "
        "which patterns to use and which one each record shows, so that at least k records show each pattern and "
        "there are as few stars as possible.",
    ),
)

BOUNDS = {
    "finest generalization": "equal records stay together wherever the cuts are, and their groups cost at least this "
    "much",
    "search tree": "a search has ruled out every lower cost",
    "equal tuples together": "equal records stay together in every box, which limits how small groups can be",
    "nearest company": "a group holds at least k records, so from each of its records it extends at least as far as "
    "the (k − 1)-th nearest other record",
    "sizes alone": "whatever the groups show, the cost is smallest with as many groups as possible, of nearly equal "
    "sizes",
    "fewest stars": "every record needs a minimum number of hidden cells (stars) to look like k − 1 others, and the "
    "lower bound is the sum of these numbers",
    "exact search": "a search has ruled out every lower cost",
}

COLUMN_LIST = Lazy("kanon_engine.io.names:column_list")
LIMITS = Lazy("kanon_engine.tables.read_columns:limits")
ORDERS = Lazy("kanon_engine.tables.read_columns:orders")
NO_ORDERS = Lazy("kanon_engine.tables.read_columns:no_orders")
READER = Reader(
    Lazy("kanon_engine.tables.read:read_table"),
    "table",
    (
        Setting(
            "quasi_identifiers",
            "Columns that could be linked with other data, such as age,sex. By default, kanon guesses them.",
            parse=COLUMN_LIST,
        ),
        Setting("class_label", "Column that a model is to predict.", "column"),
        Setting(
            "orders",
            'Values in order, such as {"size": ["S", "M", "L"]}, or a JSON file with them.',
            parse=ORDERS,
            unfit=NO_ORDERS,
        ),
        Setting(
            "hierarchies",
            "Hierarchies as files of the tool ARX, such as education=levels.csv: each value is replaced by the name of "
            "its group in the hierarchy. Or a pattern, such as 'adult_hierarchy_*.csv', where * stands for the "
            "column's name, or a folder of such files.",
            "files",
            parse=Lazy("kanon_engine.tables.read_columns:hierarchy_files"),
        ),
        Setting(
            "trees",
            'Hierarchies written out, such as {"size": [["S", "small"], ["M", "large"]]}, or a JSON file with them.',
            parse=ORDERS,
            unfit=NO_ORDERS,
        ),
        Setting(
            "order_only",
            "Columns whose hierarchy only gives the order of the values, such as age,town.",
            parse=COLUMN_LIST,
        ),
        Setting(
            "grow",
            "Hierarchies made from the values, such as zip=characters,born=dates,pay=ranges; or a column that holds a "
            "group for each value, such as city=state.",
            parse=Lazy("kanon_engine.io.names:by_column"),
        ),
        Setting("top", "Numbers at and above which all values form one top category, such as age=85.", parse=LIMITS),
        Setting("bottom", "Numbers up to which all values form one bottom category, such as age=20.", parse=LIMITS),
        Setting(
            "bins",
            "Width of ranges of numbers, such as age=5; or the start of the first range and the width, such as "
            "age=17:5.",
            parse=Lazy("kanon_engine.tables.read_columns:ranges"),
        ),
        Setting("identifiers", "Columns to leave out, whatever role kanon would guess.", parse=COLUMN_LIST),
        Setting("sensitive", "Columns that reveal something about a person, such as an illness.", parse=COLUMN_LIST),
        Setting(
            "keep",
            "Columns to release unchanged, in addition to those of --sensitive and --class-label. All other columns "
            "that are not quasi-identifiers are left out.",
            parse=COLUMN_LIST,
        ),
        Setting(
            "accept_guesses",
            "Confirm that the guessed roles of columns are right, so that records may be released.",
            "flag",
        ),
        WEIGHT,
        SHEET,
        UNIT,
        Setting(
            "dates",
            "Format of dates that could be read in two ways, such as born=dd/mm/yyyy. If you give only the "
            "word “text”, no column is read as dates.",
            parse=Lazy("kanon_engine.tables.read_columns:date_formats"),
            unfit=Lazy("kanon_engine.io.ordered:no_formats"),
            asked="How are these dates written?",
            before="text",
        ),
    ),
    ("csv", "txt", "tsv", "data", "xlsx", "parquet"),
    "A CSV, Excel or Parquet file with one row per record, or with a count in each row.",
    also=(
        Lazy("kanon_engine.tables.read_columns:columns_frame"),
        Lazy("kanon_engine.tables.read_columns:read_hierarchy"),
    ),
    counted=Columns(("Quasi-identifiers",), ("quasi_identifiers",), "weight", several=True),
    rehearsal=Lazy("kanon_engine.tables.read:rehearsal"),
    holds=(Tree,),
)

FAMILY = Family(
    name="tables",
    instance=Table,
    items="records",
    algorithms=ALGORITHMS,
    default="local-cuts",
    quick="mondrian",
    verifier=verifier,
    records=(IntervalDetails, BoxDetails, CellDetails),
    bounds=BOUNDS,
    promise=Lazy("kanon_engine.tables.promises:promise"),
    objective=objective,
    merge=Lazy("kanon_engine.tables.cell_suppression:merge"),
    reader=READER,
    release=Release(
        **functions_of("kanon_engine.tables.release", "files", "picture", "pictured", "frame", "released", "placed"),
        print_picture=Lazy("kanon_engine.tables.release:draw_ranges"),
        records=Records(
            Lazy("kanon_engine.tables.instance:record_rows"),
            Lazy("kanon_engine.tables.release:cells_of_classes"),
        ),
        audit=Lazy("kanon_engine.tables.release:audit"),
        settled=Lazy("kanon_engine.tables.release:require_settled"),
    ),
    picture=Lazy("kanon_engine.tables.plot:columns_figure"),
    utility=Lazy("kanon_engine.tables.utility:measured"),
    attacks={
        "minimality": Lazy("kanon_engine.tables.minimality:minimality"),
        "downcoding": Lazy("kanon_engine.tables.downcoding:downcoding"),
    },
    page=Page(
        "Tables",
        "table",
        "How much detail must the columns of a table lose?",
        "Tables",
        "Load a table with one row per record. kanon puts the values of its columns into intervals, so that every "
        "record looks like at least k − 1 others, and keeps as much detail as it can.",
    ),
)
