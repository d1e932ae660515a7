"""Every file that can be made of a result, and whether it may be published.

This is decided here alone, for the pages and the command line. What may be published is made from the release: groups,
their sizes and their outlines. It holds no coordinate of a point, no count of an item in a group with others, no raw
value of a quasi-identifier that fewer than k records show, no column that nobody named, no order of the file. Areas and
labels themselves are public: a map or a dictionary has them. Which people live there, and how many, is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import Generalization
from kanon_engine.rectangles.instance import Points
from kanon_engine.regions.instance import Regions
from kanon_engine.release import crosswalk_frame, geojson, geopackage, groups_frame
from kanon_engine.release.spreadsheet import csv_text
from kanon_engine.tables.instance import Table

if TYPE_CHECKING:
    import geopandas
    import shapely
    from plotly import graph_objects as go

INTERNAL = "Internal: it links single items to groups. Keep it where the records are kept."
CSV, GEOPACKAGE, GEOJSON = "text/csv", "application/geopackage+sqlite3", "application/geo+json"
SIDES = (
    "Internal: without a grid the outer sides are the outermost points' own coordinates, and inner sides may lie "
    "halfway between two points. Set “Snap” (--snap) to make one that may be published."
)


@dataclass(frozen=True)
class Output:
    """One file that can be made of a result.

    Attributes
    ----------
    key : str
        What it is, whatever its form: "shapes", "groups", "release", "values", "intervals", "crosswalk", "certificate",
        "picture".
    label : str
        The button's text.
    contents : str
        What is in it and what is not.
    ending : str
        How its name ends, such as "groups.csv".
    mime : str
    publishable : bool
        Whether it may leave. What may not is internal.
    make : callable
        Makes the content.
    """

    key: str
    label: str
    contents: str
    ending: str
    mime: str
    publishable: bool
    make: Callable[[], str | bytes]


def outputs(
    instance: Any,
    g: Generalization,
    *,
    area: shapely.Geometry | None = None,
    background: geopandas.GeoDataFrame | None = None,
    formulas: str = "escape",
) -> tuple[Output, ...]:
    """Every file that can be made of a result; of one that is not k-anonymous the certificate alone.

    Parameters
    ----------
    instance : Regions, Points, Labels or Table
    g : Generalization
        Made from this instance.
    area : Polygon or MultiPolygon, optional
        Of points: a study area, at which further shapes are cut off.
    background : GeoDataFrame, optional
        Of points: outlines to orient the picture by.
    formulas : str
        What `csv_text` does with cells that a spreadsheet may take for formulas.
    """
    certificate = Output(
        "certificate",
        "Certificate (JSON)",
        f"The whole result with every claim and its digest, for “kanon verify”. {INTERNAL}",
        "certificate.json",
        "application/json",
        False,
        g.to_json,
    )
    if g.status == "relaxed":
        return (certificate,)
    own = OWN[g.family](instance, g, area, lambda frame: csv_text(frame, formulas))
    crosswalk = Output(
        "crosswalk",
        "Crosswalk (CSV)",
        f"The group of each of the {ITEMS[g.family]}. {INTERNAL}",
        "crosswalk.csv",
        CSV,
        False,
        lambda: csv_text(crosswalk_frame(instance, g), formulas),
    )
    return (*own, crosswalk, certificate, *_pictures(instance, g, area, background))


def release_picture(instance: Any, g: Generalization, area: Any = None, background: Any = None) -> go.Figure:
    """The picture that may be published: drawn from the groups alone, without points, single counts or raw values.

    Of rectangles only where they were made on a grid. Of areas it has the outlines, which are public, and the group of
    each, but no area's own count.
    """
    if isinstance(instance, Regions):
        from kanon_engine.regions.plot import regions_map

        figure = regions_map(instance, g)
    elif isinstance(instance, Points):
        from kanon_engine.rectangles.plot import rectangles_figure

        figure = rectangles_figure(instance, g, area=area, background=background, exact=False)
    elif isinstance(instance, Labels):
        from kanon_engine.labels.plot import bins_figure

        figure = bins_figure(instance, g, exact=False)
    else:
        from kanon_engine.tables.plot.histograms import release_figure

        figure = release_figure(instance, g)
    return figure.update_layout(uirevision=None, meta=None)  # a digest of the data could confirm a guess about them


def single_items(instance: Any, g: Generalization) -> int:
    """How many groups hold one item only, or one that weighs something: their count is its own."""
    counted = g.assignment[(g.assignment >= 0) & (np.asarray(instance.weights) > 0)]
    return int((np.bincount(counted, minlength=g.classes) == 1).sum())


def _pictures(instance: Any, g: Generalization, area: Any, background: Any) -> list[Output]:
    from kanon_engine.html import html
    from kanon_engine.plot.png import browser_found, drawn

    publishable = not isinstance(instance, Points) or g.options["snap"] is not None
    said = PICTURED[g.family] if publishable else SIDES
    if g.family in SINGLE:
        said += f" {_told_alone(instance, g)}"
    figure = lambda: release_picture(instance, g, area, background)  # noqa: E731
    page = Output(
        "picture",
        "Picture (HTML)",
        f"The picture as one file that opens in a browser without a network; zoom and hover work. {said}",
        "picture.html",
        "text/html",
        publishable,
        lambda: html(figure()),
    )
    if not browser_found():
        return [page]
    words = f"The picture as an image, drawn by the Chromium on this machine; it takes some seconds. {said}"
    image = Output("picture", "Picture (PNG)", words, "picture.png", "image/png", publishable, lambda: drawn(figure()))
    return [image, page]


def _regions(regions: Regions, g: Generalization, area: Any, text: Callable[..., str]) -> list[Output]:
    alone = _told_alone(regions, g)
    groups = Output(
        "groups",
        "Groups (CSV)",
        f"Size and number of areas of every group, without the areas. {alone}",
        "groups.csv",
        CSV,
        True,
        lambda: text(groups_frame(regions, g)),
    )
    if regions.geometry is None:
        return [groups]
    from kanon_engine.regions.export import shapes_frame

    return [*_shapes(f"The shape of every group in full detail with its size. {alone}", True,
                     lambda: shapes_frame(regions, g)), groups]  # fmt: skip


def _points(points: Points, g: Generalization, area: Any, text: Callable[..., str]) -> list[Output]:
    from kanon_engine.rectangles.export import shapes_frame

    snap = g.options["snap"]
    free = snap is not None
    sides = f"All sides are multiples of {snap:.10g}, and none is a point's own coordinate." if free else SIDES
    files = _shapes(f"The rectangle of every group with its size; no point. {sides}", free,
                    lambda: shapes_frame(points, g))  # fmt: skip
    if area is not None:
        words = (
            "For maps: the shapes are cut off at your study area. The groups are still the whole rectangles, whose "
            f"sides stand beside them; no point. {sides}"
        )
        make = lambda: geopackage(shapes_frame(points, g, area=area))  # noqa: E731
        label = "Groups in the study area (GeoPackage)"
        files.insert(1, Output("area", label, words, "area.gpkg", GEOPACKAGE, free, make))
    groups = Output(
        "groups",
        "Groups (CSV)",
        f"The sides of every rectangle and its size; no point. {sides}",
        "groups.csv",
        CSV,
        free,
        lambda: text(shapes_frame(points, g).drop(columns="geometry")),
    )
    return [*files, groups]


def _labels(labels: Labels, g: Generalization, area: Any, text: Callable[..., str]) -> list[Output]:
    alone = _told_alone(labels, g)
    named = "without the labels" if labels.class_names != "largest" else "with its most common label as its name"
    return [
        Output(
            "groups",
            "Groups (CSV)",
            f"Size and number of labels of every group, {named}. {alone}",
            "groups.csv",
            CSV,
            True,
            lambda: text(groups_frame(labels, g)),
        )
    ]


def _tables(table: Table, g: Generalization, area: Any, text: Callable[..., str]) -> list[Output]:
    from kanon_engine.tables.instance import CellDetails
    from kanon_engine.tables.release import class_frame, intervals_frame, kept_columns, released_frame
    from kanon_engine.tables.words import hidden, rare_values

    kept, cells = kept_columns(table), isinstance(g.details, CellDetails)
    shown = f"values and “{hidden(table)}” for hidden cells" if cells else "quasi-identifiers in words"
    others = f", and unchanged: {', '.join(kept)}" if kept else "; no other column"
    rare = [f"{count:,} of “{name}”" for name, count in rare_values(table, g).items()]
    named = (
        f" It names values that one record only has ({', '.join(rare)}), for their domain is what the file holds; give "
        "an order or a hierarchy to make it public."
        if rare
        else ""
    )
    return [
        Output(
            "release",
            "Released table (CSV)",
            f"{int(g.class_weights.sum()):,} of {len(table):,} {table.unit} with {shown}{others}. "
            "Rows are sorted by what they show: no row numbers, no order of the file, no column that nobody named."
            f"{named}",
            "release.csv",
            CSV,
            True,
            lambda: text(released_frame(table, g, kept)),
        ),
        Output(
            "values" if cells else "intervals",
            "Values (CSV)" if cells else "Intervals (CSV)",
            "How often each value of a column is shown, and how many cells are hidden. No value that is shown nowhere."
            if cells
            else "What every interval holds, value by value, and how many records. Internal: all values of a column "
            "stand in it, also those of one record.",
            "values.csv" if cells else "intervals.csv",
            CSV,
            cells,
            lambda: text(intervals_frame(table, g)),
        ),
        Output(
            "groups",
            "Groups (CSV)",
            f"Size of every group and what its records show.{named}",
            "groups.csv",
            CSV,
            True,
            lambda: text(class_frame(table, g)),
        ),
    ]


def _shapes(contents: str, publishable: bool, frame: Callable[[], Any]) -> list[Output]:
    """The groups with their shapes, in each form."""
    return [
        Output("shapes", "Groups (GeoPackage)", contents, "groups.gpkg", GEOPACKAGE, publishable,
               lambda: geopackage(frame())),
        Output("shapes", "Groups (GeoJSON)", contents, "groups.geojson", GEOJSON, publishable,
               lambda: geojson(frame())),
    ]  # fmt: skip


def _told_alone(instance: Any, g: Generalization) -> str:
    """What is true of groups with one item."""
    alone, item, unit = single_items(instance, g), SINGLE[g.family], instance.unit
    if alone == 0:
        return f"Every group joins several {item}s with {unit}; no count of a single {item} is in it."
    be, have, their = ("is", "has", "its") if alone == 1 else ("are", "have", "their")
    return (
        f"{alone:,} of {g.classes:,} groups {be} a single {item}, or {have} only one with {unit}: {their} count is "
        f"that {item}'s own. No other count of a single {item} is in it."
    )


SINGLE = {"regions": "area", "labels": "label"}
ITEMS = {
    "regions": "areas",
    "rectangles": "points",
    "labels": "labels",
    "tables": "records, by their number in the file",
}
PICTURED = {
    "regions": "It shows the outlines of areas, which are public, and the size of the group of each.",
    "rectangles": "Unlike on the page, no point is in it.",
    "labels": "Unlike on the page, bars are not stacked from single labels.",
    "tables": "It is drawn from what the released records show, alone.",
}
OWN: dict[str, Callable[..., list[Output]]] = {
    "regions": _regions,
    "rectangles": _points,
    "labels": _labels,
    "tables": _tables,
}
