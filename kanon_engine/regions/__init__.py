"""Zip codes and other areas: connected classes (Du et al. 2009, section 2)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kanon_engine.io.coordinates import names_a_file
from kanon_engine.model.algorithm import Algorithm, Lazy, algorithms_of, functions_of
from kanon_engine.model.family import (
    COLUMNS,
    HIDDEN_COUNTS,
    HIDDEN_MOST,
    ID,
    LAYER,
    MERGE,
    PER_RECORD,
    ROUNDING,
    SHEET,
    UNIT,
    WEIGHT,
    Columns,
    Family,
    Hands,
    Package,
    Page,
    Reader,
    Release,
)
from kanon_engine.model.objective import LargestClass, Objective
from kanon_engine.model.setting import Setting
from kanon_engine.model.wishes import no_sets
from kanon_engine.regions.instance import CrossingDetails, Regions, TreeDetails
from kanon_engine.verification import regions as verifier

ALGORITHMS = algorithms_of(
    "regions",
    Algorithm(
        "recombine",
        title="Recombine",
        summary="Repeatedly re-forms neighboring groups and keeps the best result.",
        guarantee="none in general. If a search minimizes only the largest group (compactness 0), has an effort of 0.1 "
        "or more, and is not stopped, its result is never above the result of tree split with the same seed",
        source="Simulated annealing along random spanning trees, after DeFord, Duchin, Solomon 2021",
        complexity="at effort 1, at most 33,200 steps for each area of the map and, while neighborhoods are re-formed, "
        "at most 300,000 partial groupings for each area, plus short searches for groups close to the proven bound and "
        "for a proof. A higher effort takes more steps. The time of a step is proportional to the size of the groups "
        "that it changes",
        handles=("Minimum",),
        options=(
            Setting(
                "compactness",
                "How important short borders are. At 0, their length only decides ties. At 1, shortening the borders "
                "between groups by 1 % of the length of all borders counts as much as making the largest group 1 % "
                "smaller.",
                "number",
                default=0.0,
                minimum=0,
            ),
            Setting(
                "objective",
                "What to minimize: the largest group, or the sum of w (w − k) over all groups of weight w, which is "
                "the discernibility metric minus k for each person.",
                "choice",
                ("largest", "sum"),
                default="largest",
            ),
            Setting(
                "effort",
                "How long to search. 1 is the default; 0.01 gives a worse result at once; 10 can take ten times as "
                "long.",
                "number",
                default=1.0,
                minimum=0.001,
                maximum=1000,
            ),
        ),
    ),
    Algorithm(
        "exact",
        title="Exact search",
        summary="Makes the largest group as small as possible and proves it, or shows how far the proof got.",
        guarantee="none in advance; the result comes with the lower bound that the search proves",
        source="Dynamic programming over connected sets and along a frontier; the solver CP-SAT with the cuts of "
        "Validi, Buchanan, Lykhovyd 2022",
        complexity="exponential; O(3^n) up to 14 areas",
        max_items=400,
        claims=("solver",),
        handles=("Minimum",),
    ),
    Algorithm(
        "tree-split",
        title="Tree split",
        summary="Cuts a spanning tree, always removing the lightest piece that is heavy enough to be a group.",
        guarantee="heaviest area + d (k − 1), where d is the largest number of branches of an area in the tree: "
        "never above (1 + d) times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 2, Lemmas 1 and 2, Theorem 3",
        complexity="O(n log n) for each tree",
        options=(
            Setting(
                "tree",
                "Which spanning tree to cut: the best of several trees with few branches at each area; a path; a tree "
                "with at most three branches at each area; one tree with few branches at each area; or any tree. A "
                "path is only for maps that have no crossing edges and stay connected when any three areas are "
                "removed. A tree with at most three branches is only for maps that have no crossing edges and stay "
                "connected when any two areas are removed.",
                "choice",
                ("auto", "hamiltonian", "degree-3", "low-degree", "random"),
                default="auto",
            ),
        ),
    ),
    Algorithm(
        "general-graph",
        title="General graph",
        summary="Splits heavy groups, moves light branches attached to a single area into adjacent groups, and "
        "recombines neighboring groups.",
        guarantee="max(3k − 3, heaviest area, best possible + k − 1): below 3 times the best possible, unless the "
        "search is stopped early",
        source="Derived for kanon (split, star, push-relabel); cf. Berman, Raskhodnikova 2010",
        complexity="on maps of n areas, about O(n log n) for each of O(log W) size limits, where W is the total "
        "weight, then at most 1,025 steps per area; polynomial on all graphs",
    ),
)

BOUNDS = {
    "k": "every group holds at least k",
    "heaviest area": "the group with the heaviest area holds at least as much as that area",
    "average class": "k limits the number of groups, and the largest group is at least as large as the average group",
    "average class with minima": "k and the minima limit the number of groups, and the largest group is at least as "
    "large as the average group",
    "light set": "a set of areas is too light to be a group, so the group that contains the set's heaviest area also "
    "contains an area next to the set; the lower bound is the weight of this heaviest area plus the weight of the "
    "lightest area next to the set",
    "room for classes": "when certain areas are removed, only a limited number of groups fit into the remaining "
    "parts of the map; this limits the total number of groups, and the largest group is at least as large as the "
    "average group",
    "hubs": "parts of the map that are too light to be a group are connected only through certain areas, which limits "
    "the number of groups, and the largest group is at least as large as the average group",
    "few choices": "certain areas can be in only a few groups that are lighter than the bound, and no choice of such "
    "groups puts each of these areas into exactly one group",
    "no way round": "however certain areas are grouped, alone or with areas around them, some group weighs at least "
    "this much",
    "exact search": "a search has ruled out every lower cost",
}

COUNTS_AGAIN = "The counts of this certificate came from a second table; give it with --counts."

READER = Reader(
    Lazy("kanon_engine.regions.read:read_regions"),
    "regions",
    (
        WEIGHT,
        ID,
        Setting("name", "Column of the areas' names.", "column"),
        Setting(
            "county",
            "Column with the county of each area; groups can be named after counties (--named-after county). If not "
            "set, the column is guessed from its name. For United States zip codes, the county is known without a "
            "column.",
            "column",
        ),
        Setting(
            "contiguity",
            "What makes two areas neighbors: only a common border, or also a common point.",
            "choice",
            ("rook", "queen"),
        ),
        Setting(
            "islands",
            "Whether to join separate parts of the map to their nearest neighbor.",
            "choice",
            ("attach", "separate"),
        ),
        Setting(
            "counts",
            "A second table, joined by id, with counts or with one row per record.",
            "file",
            again="The second table with the counts, if one was used.",
        ),
        Setting(
            "counts_id",
            "Column of ids in the second table.",
            needs=("counts", COUNTS_AGAIN),
            asked="Column with the codes of the areas in the second file",
        ),
        Setting("counts_column", "Column of counts in the second table. If not set, it is guessed from its name."),
        PER_RECORD,
        Setting(
            "unmatched",
            "What to do with rows of the second table that match no area: refuse them, or leave them out.",
            "choice",
            ("refuse", "drop"),
        ),
        Setting(
            "repeated",
            "What to do with an id in several rows of the second table: refuse it, or add up its rows.",
            "choice",
            ("refuse", "add"),
            asked="What should happen to a code in several rows?",
        ),
        Setting(
            "missing_counts",
            "What to do with areas without a row in the second table: refuse them, count each as zero, or drop them "
            "from the map.",
            "choice",
            ("refuse", "zero", "drop"),
            needs=("counts", COUNTS_AGAIN),
            asked="What should happen to areas without a row in the second file?",
            before="zero",
        ),
        replace(
            SHEET,
            name="counts_sheet",
            help="Which sheet to read if the second table is a workbook.",
            needs=("counts", COUNTS_AGAIN),
        ),
        COLUMNS,
        ROUNDING,
        HIDDEN_COUNTS,
        HIDDEN_MOST,
        Setting("crs", "Coordinate system, such as EPSG:4326, if the file does not state it.", unfit=names_a_file),
        Setting(
            "edges",
            "A list of borders, used instead of contiguity: a CSV with two ids per line, or a .gal file.",
            "file",
            again="The list of borders, if one was used.",
        ),
        replace(
            SHEET,
            name="edges_sheet",
            help="Which sheet to read if the list of borders is a workbook.",
            needs=("edges", "The borders of this certificate came from a list; give it with --edges."),
        ),
        LAYER,
        *(
            Setting(name, f"A CSV in which each line is a set of areas{words}", "file", unfit=no_sets("areas"))
            for name, words in (
                ("together", " that stay in one group."),
                ("apart", " of which no two share a group."),
                ("barriers", ", such as a county, whose border no group crosses unless it has to."),
            )
        ),
        MERGE,
        SHEET,
        UNIT,
    ),
    (
        *("zip", "geojson", "json", "gpkg", "fgb", "topojson", "parquet", "geoparquet"),
        *("csv", "txt", "gal", "shp"),
    ),
    "Areas as a zipped shapefile, GeoJSON, GeoPackage, FlatGeobuf, TopoJSON or GeoParquet.",
    also=(
        Lazy("kanon_engine.regions.contiguity:read_edges"),
        Lazy("kanon_engine.regions.read:with_wishes"),
        Lazy("kanon_engine.regions.read:sets_by_column"),
        Lazy("kanon_engine.regions.read:match_codes"),
    ),
    counted=Columns(("Code of the area",), ("counts_id",), "counts_column", joined="counts"),
    rehearsal=Lazy("kanon_engine.regions.read:rehearsal"),
)

PACKAGE = Package(
    Lazy("kanon_engine.regions.package:publication_of"),
    Lazy("kanon_engine.regions.package:outputs"),
    Lazy("kanon_engine.regions.package:publishable"),
    Lazy("kanon_engine.regions.published:publication_in"),
    Lazy("kanon_engine.regions.published:released"),
    Lazy("kanon_engine.regions.published:compared"),
    Lazy("kanon_engine.regions.published:earlier"),
    ("README.txt", "groups.csv", "groups.gpkg", "codes.csv", "map.pdf", "map.svg", "map.png"),
    (
        Setting(
            "codes_are_public",
            "Confirms that the codes of areas are public knowledge, such as zip codes or counties. Codes are then "
            "listed for each group, groups are named after places, and borders are exact. Where codes are not public, "
            "such as those of addresses, households or sites, shapes are made of grid squares. If nothing is stated, a "
            "package has grid squares, and shapes from --out have exact borders and are internal.",
            "flag",
            off="codes-are-not-public",
        ),
        Setting("title", "Title of the map and the README."),
        Setting("source", "Source of the data, for the map and the README."),
        Setting("date", "Date on the map and in the README, such as 2026-11-22. Default: today."),
        Setting(
            "carry",
            "Columns of second counts to sum for each group, such as cases,deaths; each sum must be 0, "
            "above 10, or at least k.",
        ),
        Setting("rates", "Rates of one sum per 1,000 of another, such as cases/people, separated by commas."),
        Setting(
            "named_after",
            "What each group is named after: its place with the most records, or its county with the most "
            "records. Default: place.",
            "choice",
            ("place", "county"),
        ),
        Setting(
            "group_names",
            "A CSV with names for groups: each line has a name, the id of an area and, optionally, its weight. The "
            "group with more than half of the records of a name's areas gets that name.",
            "file",
        ),
    ),
)

MOVES = Algorithm(
    name="by hand",
    family="regions",
    title="By hand",
    summary="Moves areas chosen by a person into other groups.",
    function=Lazy("kanon_engine.regions.moves:moved"),
    guarantee="none; the lower bound is that of the result before the change",
    source="a person",
    complexity="as much time as checking the result",
    handles=("Minimum",),
)

BY_HAND = Hands(
    MOVES,
    Lazy("kanon_engine.regions.moves:with_locks"),
    Lazy("kanon_engine.regions.group_names:names_for"),
)


def objective(algorithm: str, options: Mapping[str, Any]) -> Objective:
    """The largest class; compactness and a sum are weighed against it."""
    return LargestClass(alone=not options.get("compactness") and options.get("objective") != "sum")


FAMILY = Family(
    name="regions",
    instance=Regions,
    items="areas",
    algorithms=ALGORITHMS,
    default="recombine",
    quick="tree-split",
    lower_bound=Lazy("kanon_engine.regions.bounds:lower_bound"),
    objective=objective,
    verifier=verifier,
    merge=Lazy("kanon_engine.regions.merge:merge"),
    bound_takes_requirements=True,
    by_hand=BY_HAND,
    prepare=Lazy("kanon_engine.regions.wishes:prepared"),
    records=(TreeDetails, CrossingDetails),
    bounds=BOUNDS,
    promise=Lazy("kanon_engine.regions.promises:promise"),
    reader=READER,
    release=Release(
        **functions_of(
            "kanon_engine.regions.release", "files", "picture", "pictured", "frame", "released", "placed", "private"
        ),
        print_picture=Lazy("kanon_engine.regions.package:draw_areas"),
        shapes={".gpkg": "groups.gpkg", ".geojson": "groups.geojson"},
        package=PACKAGE,
        asks=("codes_are_public",),
    ),
    picture=Lazy("kanon_engine.regions.plot:regions_map"),
    places=lambda regions: True,
    utility=Lazy("kanon_engine.regions.utility:utility"),
    page=Page(
        "Zip codes",
        "map",
        "Which neighboring areas must be published together?",
        "Zip codes and other areas",
        "Load areas with counts. kanon joins neighboring areas into connected groups of at least k people and keeps "
        "the largest group as small as it can.",
    ),
)
