"""Every file that can be made of a result, and whether it may be published.

This is decided here and in the families' `release.py`, for the pages and the command line. What may be published is
made from the release: groups, their sizes and their outlines. It holds no coordinate of a point, no count of an item in
a group with others, no raw value of a quasi-identifier that fewer than k records show, no column that nobody named, no
order of the file. Second counts leave as sums that a person names, in a package of areas (`regions/package`). Areas
and labels themselves are public: a map or a dictionary has them. Which people live there, and how many, is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.registry import family_named
from kanon_engine.release import crosswalk_frame, geojson, geopackage
from kanon_engine.release.audited import certificate_text
from kanon_engine.release.spreadsheet import csv_text

if TYPE_CHECKING:
    from plotly import graph_objects as go

    from kanon_engine.model.family import Release

INTERNAL = "Internal: it links single items to groups. Keep it where the records are kept."
CSV, GEOPACKAGE, GEOJSON = "text/csv", "application/geopackage+sqlite3", "application/geo+json"


@dataclass(frozen=True)
class Output:
    """One file that can be made of a result.

    Attributes
    ----------
    key : str
        What it is, whatever its form: "shapes", "groups", "area", "release", "values", "intervals", "crosswalk",
        "certificate", "picture"; of several results "scenarios".
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


def outputs(instance: Any, g: Generalization, *, formulas: str = "escape", **surroundings: Any) -> tuple[Output, ...]:
    """Every file that can be made of a result; of one that is not k-anonymous the certificate alone.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Generalization
        Made from this instance.
    formulas : str
        What `csv_text` does with cells that a spreadsheet may take for formulas.
    **surroundings
        What the family's `release.py` takes besides: of points a study area and a background, of areas whether their
        codes are public.
    """
    family = family_named(g.family)
    certificate = Output(
        "certificate",
        "Certificate (JSON)",
        f"The whole result with every claim and its digest, for “kanon verify”. {INTERNAL}",
        "certificate.json",
        "application/json",
        False,
        lambda: certificate_text(instance, g),
    )
    if g.status == "relaxed":
        return (certificate,)
    items = family.items
    if family.releases_records:  # nothing else tells one from another
        items += ", by their number in the file"
    crosswalk = Output(
        "crosswalk",
        "Crosswalk (CSV)",
        f"The group of each of the {items}. {INTERNAL}",
        "crosswalk.csv",
        CSV,
        False,
        lambda: csv_text(crosswalk_frame(instance, g), formulas),
    )
    if family.release is None:
        return (crosswalk, certificate)
    own = family.release.files(instance, g, lambda frame: csv_text(frame, formulas), **surroundings)
    return (*own, crosswalk, certificate, *_pictures(family.release, instance, g, surroundings))


def release_picture(instance: Any, g: Generalization, **surroundings: Any) -> go.Figure:
    """The picture that may be published: drawn from the groups alone, without points, single counts or raw values."""
    release = family_named(g.family).release
    if release is None or release.picture is None:
        raise InvalidInput(f"There is no picture of {g.family} that may be published.")
    figure: go.Figure = release.picture(instance, g, **surroundings)
    return figure.update_layout(uirevision=None, meta=None)  # a digest of the data could confirm a guess about them


def single_items(instance: Any, g: Generalization) -> int:
    """How many groups hold one item only, or one that weighs something: their count is its own."""
    counted = g.assignment[(g.assignment >= 0) & (np.asarray(instance.weights) > 0)]
    return int((np.bincount(counted, minlength=g.classes) == 1).sum())


def told_alone(instance: Any, g: Generalization, item: str) -> str:
    """What is true of groups with one item, which is called so."""
    alone, unit = single_items(instance, g), instance.unit
    if alone == 0:
        return f"Every group joins several {item}s with {unit}; no count of a single {item} is in it."
    be, have, their = ("is", "has", "its") if alone == 1 else ("are", "have", "their")
    return (
        f"{alone:,} of {g.classes:,} groups {be} a single {item}, or {have} only one with {unit}: {their} count is "
        f"that {item}'s own. No other count of a single {item} is in it."
    )


def groups_file(contents: str, publishable: bool, make: Callable[[], str]) -> Output:
    """One row a group, as CSV."""
    return Output("groups", "Groups (CSV)", contents, "groups.csv", CSV, publishable, make)


def shape_files(contents: str, publishable: bool, frame: Callable[[], Any]) -> list[Output]:
    """The groups with their shapes, in each form."""
    return [
        Output("shapes", "Groups (GeoPackage)", contents, "groups.gpkg", GEOPACKAGE, publishable,
               lambda: geopackage(frame())),
        Output("shapes", "Groups (GeoJSON)", contents, "groups.geojson", GEOJSON, publishable,
               lambda: geojson(frame())),
    ]  # fmt: skip


def _pictures(release: Release, instance: Any, g: Generalization, surroundings: dict[str, Any]) -> list[Output]:
    from kanon_engine.html import html
    from kanon_engine.plot.png import browser_found, drawn

    if release.picture is None or release.pictured is None:
        return []
    said, publishable = release.pictured(instance, g, **surroundings)
    figure = lambda: release_picture(instance, g, **surroundings)  # noqa: E731
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
