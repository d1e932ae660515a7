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
        summary="Makes neighbouring groups anew, again and again, and keeps the best that it finds.",
        guarantee="none; for the largest group, without compactness, at an effort of 0.1 or more and if it is not "
        "stopped, never above tree split with the same seed",
        source="Annealing along random spanning trees, after DeFord, Duchin, Solomon 2021",
        complexity="with effort 1 at most 33,200 steps an area, each linear in the classes that it touches, and "
        "300,000 states of neighbourhoods an area; more with more effort",
        handles=("Minimum",),
        options=(
            Setting(
                "compactness",
                "What shorter borders are worth: 0, they decide between equals; 1, a hundredth less of all borders is "
                "worth a hundredth more of the largest class.",
                "number",
                default=0.0,
                minimum=0,
            ),
            Setting(
                "objective",
                "What shall be small: the largest group, or the sum of w (w − k) over all groups of weight w, which is "
                "the discernibility metric less k for every person.",
                "choice",
                ("largest", "sum"),
                default="largest",
            ),
            Setting(
                "effort",
                "How long to search: 1 is usual; 0.01 answers at once, less well; 10 may take ten times as long.",
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
        summary="Finds the smallest possible largest group and proves it, or says how far the proof has come.",
        guarantee="none; the lower bound that the search proves, with the result",
        source="Dynamic programming over connected sets and along a frontier; CP-SAT with the cuts of Validi, "
        "Buchanan, Lykhovyd 2022",
        complexity="exponential; O(3^n) up to 14 areas",
        max_items=400,
        claims=("solver",),
        handles=("Minimum",),
    ),
    Algorithm(
        "tree-split",
        title="Tree split",
        summary="Cuts a spanning tree, always taking off the lightest piece that is heavy enough.",
        guarantee="heaviest area + d (k − 1), where d is the largest degree of the tree: "
        "never above 1 + d times the best possible",
        source="Du, Eppstein, Goodrich, Lueker 2009, section 2, Lemmas 1 and 2, Theorem 3",
        complexity="O(n log n) for each tree",
        options=(
            Setting(
                "tree",
                "Which spanning tree is cut: the best of several of low degree, a path (the areas must be 4-connected "
                "and planar), one of degree 3 (3-connected, planar), one of low degree, or any.",
                "choice",
                ("auto", "hamiltonian", "degree-3", "low-degree", "random"),
                default="auto",
            ),
        ),
    ),
    Algorithm(
        "general-graph",
        title="General graph",
        summary="Splits heavy groups, moves light branches that hang on one area to groups beside them, recombines.",
        guarantee="max(3k − 3, heaviest area, best possible + k − 1): below 3 times the best possible, "
        "if it is not stopped",
        source="Derived for kanon (split, star, push-relabel); cf. Berman, Raskhodnikova 2010",
        complexity="polynomial; about O(n log n) for each of O(log W) limits on maps, then at most 1,025 steps an area",
    ),
)

BOUNDS = {
    "k": "every group holds at least k",
    "heaviest area": "the heaviest area alone weighs this much, and it lies in some group",
    "average class": "there is room for only so many groups, and the largest is at least their average",
    "average class with minima": "there is room for only so many groups with enough of every count, and the largest is "
    "at least their average",
    "light set": "some areas are too light to be a group, so one of them needs a neighbour, and both weigh this much",
    "room for classes": "there is room for only so many groups around the areas named, and the largest is at least "
    "their average",
    "hubs": "parts that are too light to be a group hang together only through the areas named, so there are few "
    "groups, and the largest is at least their average",
    "few choices": "around the areas named there are too few possible groups lighter than this for all of them",
    "no way round": "however the areas named are grouped, with others around them or not, some group is no lighter",
    "exact search": "a search has ruled out everything below",
}

COUNTS_AGAIN = "The counts of this certificate came from a second table; name it with --counts."

READER = Reader(
    Lazy("kanon_engine.regions.read:read_regions"),
    "regions",
    "Group areas with counts into connected groups of at least k.",
    (
        WEIGHT,
        ID,
        Setting("name", "Column of what people call the areas.", "column"),
        Setting(
            "county",
            "Column of the county that each area lies in, after which groups can be named (--named-after county). "
            "Guessed by its name when left out; of zip codes of the United States it is known without one.",
            "column",
        ),
        Setting(
            "contiguity", "Who is a neighbour: a common border, or also a common point.", "choice", ("rook", "queen")
        ),
        Setting("islands", "Join separate parts to their nearest neighbour, or not.", "choice", ("attach", "separate")),
        Setting(
            "counts",
            "A second table, joined by id: of counts, or of one row a record.",
            "file",
            again="The second table with the counts, if there was one.",
        ),
        Setting(
            "counts_id",
            "Its column of ids.",
            needs=("counts", COUNTS_AGAIN),
            asked="The codes of the areas stand in the second file in",
        ),
        Setting("counts_column", "Its column of counts. Guessed by its name when left out."),
        PER_RECORD,
        Setting("unmatched", "Rows of the second table without an area.", "choice", ("refuse", "drop")),
        Setting(
            "repeated",
            "An id in several rows of the second table: refuse it, or add its rows up.",
            "choice",
            ("refuse", "add"),
            asked="What shall become of a code in several rows?",
        ),
        Setting(
            "missing_counts",
            "Areas without a row in the second table: refuse them, count each as zero, or drop them from the map.",
            "choice",
            ("refuse", "zero", "drop"),
            needs=("counts", COUNTS_AGAIN),
            asked="What shall become of areas without a row in the second file?",
            before="zero",
        ),
        replace(
            SHEET,
            name="counts_sheet",
            help="Which sheet of a second table that is a workbook.",
            needs=("counts", COUNTS_AGAIN),
        ),
        COLUMNS,
        ROUNDING,
        HIDDEN_COUNTS,
        HIDDEN_MOST,
        Setting("crs", "Coordinate system, as EPSG:4326, where the file does not say it.", unfit=names_a_file),
        Setting(
            "edges",
            "A list of borders (CSV of two ids, .gal), used instead of contiguity.",
            "file",
            again="The list of borders, if there was one.",
        ),
        replace(
            SHEET,
            name="edges_sheet",
            help="Which sheet of a list of borders that is a workbook.",
            needs=("edges", "The borders of this certificate came from a list; name it with --edges."),
        ),
        LAYER,
        *(
            Setting(name, f"A CSV in which each line is a set of areas{words}", "file", unfit=no_sets("areas"))
            for name, words in (
                ("together", " that stay in one group."),
                ("apart", " of which no two share a group."),
                ("barriers", ", such as a county, whose border no group crosses unless it must."),
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
            "The codes of areas are public geography, as zip codes and counties are: list them for each group, name "
            "groups after places, keep exact borders. Codes of addresses, households or sites are not: then shapes are "
            "squares of a grid. Default: they are not; shapes of --out have exact borders and are internal.",
            "flag",
            off="codes-are-not-public",
        ),
        Setting("title", "Above the map and the README."),
        Setting("source", "Where the data come from, for the map and the README."),
        Setting("date", "On the map and in the README, as 2026-11-22. Default: today."),
        Setting("carry", "Second counts to sum for each group, with commas between; not one with a sum from 1 to 10."),
        Setting("rates", "Rates per 1,000 between sums, as cases/people, with commas between."),
        Setting(
            "named_after",
            "What groups are called after: the place in each with the most records, or the county that most of its "
            "records are in. Default: place.",
            "choice",
            ("place", "county"),
        ),
        Setting(
            "group_names",
            "A CSV with names for groups: in each line a name, the id of an area and, if you like, its weight. The "
            "group that holds most of them is called so.",
            "file",
        ),
    ),
)

MOVES = Algorithm(
    name="by hand",
    family="regions",
    title="By hand",
    summary="Moves areas into other groups, as a person chooses.",
    function=Lazy("kanon_engine.regions.moves:moved"),
    guarantee="none; the lower bound of the result that was changed",
    source="a person",
    complexity="that of the check",
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
        "Which neighbouring areas must be published together?",
        "Zip codes and other areas",
        "Load areas with counts. kanon joins neighbouring areas into connected groups of at least k people and keeps "
        "the largest group as small as it can.",
    ),
)
