"""GPS coordinates: rectangles that tile the bounding box (Du et al. 2009, section 3)."""

from kanon_engine.io.coordinates import names_a_file
from kanon_engine.model.algorithm import Algorithm, Lazy, algorithms_of, functions_of
from kanon_engine.model.family import (
    ID,
    LAYER,
    PER_RECORD,
    SHEET,
    UNIT,
    WEIGHT,
    Columns,
    Family,
    Page,
    Reader,
    Release,
)
from kanon_engine.model.objective import LargestClass
from kanon_engine.model.setting import Setting
from kanon_engine.rectangles.instance import Points, RectangleDetails
from kanon_engine.rectangles.snap import snappable
from kanon_engine.verification import rectangles as verifier

UNCUTTABLE = (
    "the weight of the heaviest set of points that no line can split into two groups. If no two points "
    "share a coordinate, this weight is at most 2 (k − 1) + the heaviest point, which is below 3 times the best "
    "possible. Otherwise it is at most 4 (k − 1) + the heaviest location, which is below 5 times the best possible. "
    "With snap, “best possible” means the best possible along the grid"
)

ALGORITHMS = algorithms_of(
    "rectangles",
    Algorithm(
        "balanced-kd-tree",
        title="Balanced kd-tree",
        summary="Cuts into nearly equal parts, then recuts the heaviest part together with its neighbors.",
        guarantee=f"{UNCUTTABLE}. Never above the result of the kd-tree with balanced cuts",
        source="Derived for kanon, after Du, Eppstein, Goodrich, Lueker 2009",
        complexity="O(n log (n / k)) steps on average, then a limited number of steps to improve the result",
    ),
    Algorithm(
        "kd-tree",
        title="kd-tree",
        summary="Cuts rectangles in two as long as both sides keep at least k.",
        guarantee=UNCUTTABLE,
        source="Du, Eppstein, Goodrich, Lueker 2009, section 3, Theorem 4",
        complexity="O(n log (n / k)) steps on average; O(n log² n) for least-overfull cuts",
        options=(
            Setting(
                "cut",
                "How a rectangle is cut: into two parts that are as equal as possible, across its longer side, in x "
                "and y alternately, or so that the largest group on either side can be as small as possible.",
                "choice",
                ("balanced", "longest-side", "cyclic", "least-overfull"),
                default="balanced",
            ),
        ),
    ),
    Algorithm(
        "exact",
        title="Exact search",
        summary="Searches all tilings, or only those made by cuts from side to side, for one that keeps the largest "
        "group as small as possible, and proves how far the result can be from the best tiling.",
        guarantee="the weight of the heaviest set of points that no line can split into two groups, as for the kd-tree",
        source="Dynamic programming over all cuts (cf. Muthukrishnan, Poosala, Suel 1999); exact cover by the solver "
        "CP-SAT",
        complexity="for cuts from side to side: O(n⁵) steps for n points; with more than about 75 possible cuts in "
        "each direction, about 1/64 of these steps for each size limit that is tried. For other tilings: exponential",
        options=(
            Setting(
                "guillotine",
                "Allow only rectangles that can be made by cuts from side to side. If this is off, allow any "
                "rectangles that tile the bounding box.",
                "flag",
                default=True,
            ),
        ),
        max_items=200,
        claims=("solver",),
    ),
)

ALGORITHMS = {name: snappable(algorithm) for name, algorithm in ALGORITHMS.items()}

BOUNDS = {
    "k": "every group holds at least k",
    "heaviest location": "the group with the heaviest location holds at least as much as that location",
    "points that no cut can split": "every line between certain points leaves fewer than k records on one side, so "
    "these points share a group",
    "least sum": "a group's weight is a sum of locations' counts, and the lower bound is the smallest such sum that is "
    "at least k",
    "average class": "k limits the number of groups, and the largest group is at least as large as the average group",
    "locations per class": "a group needs several locations, which limits the number of groups, and the largest group "
    "is at least as large as the average group",
    "least rectangle": "every rectangle that contains one particular point, and at least k records in all, weighs at "
    "least this much",
    "shares of rectangles": "each point's weight is divided by that of the lightest possible rectangle around it; in "
    "every group, these shares add up to at least 1, which limits the number of groups, and the largest group is at "
    "least as large as the average group",
    "exact search": "a search has ruled out every lower value",
}

READER = Reader(
    Lazy("kanon_engine.rectangles.read:read_points"),
    "points",
    (
        Setting("x", "Column of longitudes, or x.", "column"),
        Setting("y", "Column of latitudes, or y.", "column"),
        WEIGHT,
        ID,
        Setting("crs", "Coordinate system, such as EPSG:4326, if the file does not state it.", unfit=names_a_file),
        Setting(
            "project",
            "Coordinate system in which to cut, such as EPSG:5070; utm selects the best UTM zone.",
            unfit=names_a_file,
        ),
        PER_RECORD,
        Setting("drop_bad", "Leave out rows without a valid position instead of refusing the file.", "flag"),
        LAYER,
        SHEET,
        UNIT,
    ),
    ("csv", "txt", "tsv", "xlsx", "parquet", "geojson", "json", "gpkg"),
    "A CSV, Excel, Parquet, GeoJSON or GeoPackage file with longitude and latitude, or x and y.",
    also=(Lazy("kanon_engine.rectangles.read:study_area"),),
    counted=Columns(("Longitude or x", "Latitude or y"), ("x", "y"), "weight"),
    rehearsal=Lazy("kanon_engine.rectangles.read:rehearsal"),
)

FAMILY = Family(
    name="rectangles",
    instance=Points,
    items="points",
    algorithms=ALGORITHMS,
    default="balanced-kd-tree",
    quick="kd-tree",
    lower_bound=Lazy("kanon_engine.rectangles.bounds:lower_bound"),
    verifier=verifier,
    merge=Lazy("kanon_engine.rectangles.merge:merge"),
    records=(RectangleDetails,),
    bounds=BOUNDS,
    promise=Lazy("kanon_engine.rectangles.promises:promise"),
    objective=lambda algorithm, options: LargestClass("grouping into rectangles"),
    reader=READER,
    release=Release(
        **functions_of(
            "kanon_engine.rectangles.release", "files", "picture", "pictured", "frame", "released", "placed", "private"
        ),
        print_picture=Lazy("kanon_engine.rectangles.release:draw_rectangles"),
        shapes={".gpkg": "groups.gpkg", ".geojson": "groups.geojson"},
    ),
    picture=Lazy("kanon_engine.rectangles.plot:rectangles_figure"),
    places=lambda points: points.crs is not None,
    utility=Lazy("kanon_engine.rectangles.release:utility"),
    page=Page(
        "GPS points",
        "location_on",
        "How coarsely must places be shown on a map?",
        "GPS points",
        "Load points with coordinates. kanon cuts the map into rectangles that hold at least k records each, and "
        "keeps the number of records in the fullest rectangle as low as it can.",
    ),
)
