"""One package of files about a grouping of areas that may be published, and one of files that stay inside."""

from __future__ import annotations

import datetime
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.generalize import verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.requirement import Minimum
from kanon_engine.model.words import counted, one_line
from kanon_engine.plot.colors import class_colors
from kanon_engine.plot.drawing import drawable
from kanon_engine.regions.group_names import CustomName, group_names, read_custom_names
from kanon_engine.regions.group_sums import carried_frame, group_sums
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.print_map import PAGE, PaperPlane, PrintMap, drawn, fill, on_plane
from kanon_engine.regions.release import CoarseShapes, coarse_shapes, dissolved
from kanon_engine.release import crosswalk_frame, require_releasable
from kanon_engine.release.formats import archive, csv_text
from kanon_engine.release.publication import INTERNAL, Output, checked_file, told_alone
from kanon_engine.release.reread import Claim, groups_claim
from kanon_engine.version import __version__

if TYPE_CHECKING:
    import geopandas
    from matplotlib.figure import Figure

    from kanon_engine.generalize import Certificate


LONGEST = 200  # letters of a title or a source
NAME_SOURCES = ("place", "county")
README, GROUPS, CODES = "README.txt", "groups.csv", "codes.csv"
COUNT_SUFFIX = " (count)"  # suffix for a count whose name is that of a column in every package
STANDARD_COLUMNS = ("group", "name", "areas", "fid", "geom", "geometry", "ogc_fid")


@dataclass(frozen=True)
class Publication:
    """A person's decisions about a package."""

    date: datetime.date  # on the map, in the README and in the GeoPackage
    # whether anybody can look up which place each area's code stands for, as for zip codes and counties: if so, the
    # codes of each group, names made from places, and the exact borders are released. Codes that represent addresses,
    # households or sites are not public
    codes_are_public: bool = False
    title: str = ""
    source: str = ""
    carry: tuple[str, ...] = ()  # second counts whose sums are released
    # what is divided by what, per 1,000: columns of `carry`, or the unit of the weights
    rates: tuple[tuple[str, str], ...] = ()
    given: tuple[CustomName, ...] = ()  # names given to groups by the person
    named_after: str = "place"  # "place" or "county": what groups without a given name are named after
    formulas: str = "escape"  # how to treat text in CSV files that a spreadsheet would run; see `csv_text`

    def __post_init__(self) -> None:
        for name in ("title", "source"):
            plain = one_line(getattr(self, name))
            if len(plain) > LONGEST:
                raise InvalidInput(f"The {name} has {len(plain)} characters; use at most {LONGEST}.")
            object.__setattr__(self, name, plain)
        if self.named_after not in NAME_SOURCES:
            raise InvalidInput(
                f"Groups cannot be named after {self.named_after!r}; choose one of {', '.join(NAME_SOURCES)}.",
                parameter="named_after",
                value=self.named_after,
            )


def package(regions: Regions, g: Generalization, publication: Publication) -> bytes:
    """The files that may be published, as a zip; the same bytes whenever it is made."""
    return archive(publishable(regions, g, publication))


def publishable(regions: Regions, g: Generalization, publication: Publication) -> dict[str, bytes]:
    """The files of `package` by their names, README first.

    - README.txt
    - groups.csv: number, name, weight, number of areas, sums of second counts, rates
    - groups.gpkg: the same with shapes, if there are any
    - codes.csv: the codes of each group, if these are public
    - map.pdf, map.svg, map.png: for print, if there are shapes

    Raises
    ------
    InvalidInput : The result is relaxed, or a second count may not be released.
    CertificateError : A claim of the result does not hold.
    """
    require_releasable(g)
    certificate = verify(regions, g)
    public, formulas = publication.codes_are_public, publication.formulas
    names = names_of_groups(regions, g, publication)
    frame = groups_table(regions, g, publication, names)
    sums = list(frame.columns)[4:]
    carried = f", with {', '.join(sums)}" if sums else ""
    title = publication.title or one_line(f"{counted(g.classes, 'group')} of at least {g.k:,} {regions.unit}")
    rules = [f"at least {g.k:,} {regions.unit}"]  # only minima of second counts whose sums are released
    minima = [one for one in g.require if isinstance(one, Minimum) and one.column in publication.carry]
    rules += [f"at least {one.m:,} {one.column}" for one in minima]
    files: dict[str, bytes] = {}
    descriptions = {GROUPS: f"one line per group: number, name, {regions.unit}, number of areas{carried}"}

    def checked(table: pd.DataFrame, ending: str, claim: Claim) -> bytes:
        return checked_file(
            table, ending, regions, g, claim, formulas=formulas, date=publication.date, codes_are_public=public
        )

    sizes = groups_claim(g, frame.columns[2])
    files[GROUPS] = checked(frame, "csv", sizes)
    coarse = None if public or regions.geometry is None else coarse_shapes(regions, g)
    if regions.geometry is not None:
        shapes, words = _shapes(g, regions.geometry, coarse)
        files["groups.gpkg"] = checked(shapes.join(frame)[[*frame.columns, "geometry"]], "gpkg", sizes)
        descriptions["groups.gpkg"] = f"the same columns with the shape of every group, for maps (GeoPackage). {words}"
    if public:
        areas = np.bincount(g.assignment, minlength=g.classes).tolist()
        codes_claim = Claim(("group",), {(str(number + 1),): count for number, count in enumerate(areas)}, None, 1)
        codes = _crosswalk(regions, g, names).rename(columns={"id": "code"}).sort_values("group", kind="stable")
        files[CODES] = checked(codes[["group", "name", "code"]], "csv", codes_claim)
        descriptions[CODES] = (
            "the codes of the areas in every group. They are public knowledge, as stated by the publisher"
        )
    if regions.geometry is not None:
        notes = [one_line(f"{publication.date.isoformat()} · k = {g.k:,} {regions.unit}")]
        notes += [f"Source: {publication.source}"] if publication.source else []
        page = PrintMap(
            title=title,
            statement=f"{counted(g.classes, 'connected group')}; each holds {one_line(' and '.join(rules))}, the "
            f"largest {int(g.class_weights.max()):,}.",
            notes=tuple(notes),
            names=names,
            sizes=[f"{weight:,}" for weight in g.class_weights.tolist()],
            colors=class_colors(regions.edges, g.assignment, g.classes),
            plane=on_plane(regions, g, coarse),
            date=publication.date,
        )
        drawing = drawn(page)
        files |= {f"map.{ending}": drawing[ending] for ending in ("pdf", "svg", "png")}
        descriptions["map.pdf"] = "the printable map, one page"
        descriptions["map.svg"] = "the same map for drawing programs and web pages"
        descriptions["map.png"] = "the same map as an image"
    return {README: _readme(regions, g, certificate, publication, title, rules, descriptions).encode()} | files


def internal_package(regions: Regions, g: Generalization, publication: Publication) -> bytes:
    """The files about the same grouping that stay inside, as a zip: README, crosswalk, certificate, assigned names."""
    crosswalk = _crosswalk(regions, g, names_of_groups(regions, g, publication))
    files = {
        "crosswalk.csv": csv_text(crosswalk, publication.formulas),
        "certificate.json": g.to_json(),
    }
    descriptions = {
        "crosswalk.csv": "the group of every area",
        "certificate.json": "the complete result with all its claims, for “kanon verify”",
    }
    if publication.given:
        rows = [(one.name, area, weight) for one in publication.given for area, weight in sorted(one.records.items())]
        names = pd.DataFrame(rows, columns=["name", "id", "weight"])
        files["names.csv"] = csv_text(names, publication.formulas)
        descriptions["names.csv"] = (
            "names assigned to groups, with the areas and records that each group held, for the next grouping"
        )
    title = "INTERNAL: do not publish"
    paragraphs = [
        title,
        "=" * len(title),
        f"These files belong to a grouping of {counted(len(regions), 'area')} into {counted(g.classes, 'group')} of at "
        f"least {g.k:,} {regions.unit}. They link single areas to groups, hold counts of single areas, or hold "
        "evidence that would help somebody to attack a release. Keep them where the records are kept.",
        "",
        "THE FILES",
        *(f"{name}: {words}" for name, words in descriptions.items()),
    ]
    return archive({README: _wrapped_lines(paragraphs), **files})


def names_of_groups(regions: Regions, g: Generalization, publication: Publication) -> list[str]:
    """The name of each class, as in the package."""
    return group_names(
        regions,
        g.assignment,
        codes_are_public=publication.codes_are_public,
        counties=counties_for(regions, publication.named_after),
        given=publication.given,
    )


def counties_for(regions: Regions, named_after: str) -> Sequence[str] | None:
    """The county of each area if groups are named after counties, otherwise None."""
    if named_after != "county":
        return None
    if regions.counties is None:
        raise InvalidInput(
            "The counties of these areas are not known",
            parameter="named_after",
            value=named_after,
            remedy=(Remedy("set their column of counties", "county"), Remedy("name groups after places")),
        )
    counties: list[str] = regions.counties.tolist()
    return counties


def county_source(regions: Regions) -> str:
    """Source of the county of each area."""
    if "reader" in regions.reading and regions.reading.get("county") is None:
        return "the county that contains the point published by the Census Bureau in 2010 for each zip code"
    return "the county stated in the data"


def groups_table(regions: Regions, g: Generalization, publication: Publication, names: Sequence[str]) -> pd.DataFrame:
    """One row per group: group, name, weight under its unit, areas, then sums and rates."""
    carried = carried_frame(regions, g, publication.carry, publication.rates)
    areas = np.bincount(g.assignment, minlength=g.classes)
    first = {"group": np.arange(1, g.classes + 1), "name": list(names)}
    counts: list[tuple[str, Any]] = [(regions.unit, g.class_weights), ("areas", areas)]
    counts += [(str(column), carried[column].to_numpy()) for column in carried.columns]
    used = {name.casefold() for name in STANDARD_COLUMNS}
    for place, (name, values) in enumerate(counts):
        if place != 1:
            while name.casefold() in used:
                name += COUNT_SUFFIX
            used.add(name.casefold())
        first[name] = values
    return pd.DataFrame(first)


def _crosswalk(regions: Regions, g: Generalization, names: Sequence[str]) -> pd.DataFrame:
    """The number and the name of the group of each area."""
    frame = crosswalk_frame(regions, g)
    frame["name"] = [names[number - 1] for number in frame["group"]]
    return frame


def _shapes(
    g: Generalization, geometry: geopandas.GeoSeries, coarse: CoarseShapes | None
) -> tuple[geopandas.GeoDataFrame, str]:
    """The shapes of the groups in a well-known coordinate system, and a description of them."""
    import geopandas

    crs = geometry.crs
    if coarse is None:
        shapes, words = dissolved(geometry.to_numpy(), g), "Borders are those of the areas, in full detail"
    else:
        shapes = list(coarse.shapes)
        unit = crs.axis_info[0].unit_name if crs is not None and crs.axis_info else ""
        side = f"{coarse.side:g} {'meters' if unit == 'metre' else unit}".strip()
        words = (
            f"Shapes are made of squares with sides of {side}, which reveal borders only to within about that length"
        )
    frame = geopandas.GeoDataFrame(geometry=shapes, crs=crs)
    if crs is not None and crs.to_epsg() is None:  # the name of a custom system would be released with it
        frame = frame.to_crs(4326)
    return frame, words


ZIP = "application/zip"


def outputs(regions: Regions, g: Generalization, publication: Publication) -> tuple[Output, Output]:
    """The package that may be published, and the one that stays inside."""
    codes = "with" if publication.codes_are_public else "without"
    shapes = ", their shapes, a printable map" if regions.geometry is not None else ""
    contents = (
        f"Names and sums of the groups{shapes} and a README, {codes} the codes of the areas in each group. "
        f"{told_alone(regions, g, 'area')}"
    )
    return (
        Output("package", "Package (ZIP)", contents, "package.zip", ZIP, True,
               lambda: package(regions, g, publication)),
        Output("internal", "Internal files (ZIP)", f"Crosswalk, certificate and assigned names. {INTERNAL}",
               "internal.zip", ZIP, False, lambda: internal_package(regions, g, publication)),
    )  # fmt: skip


def publication_of(regions: Regions, **settings: Any) -> Publication:
    """Command-line settings as a `Publication`.

    Parameters
    ----------
    **settings
        Named like the flags of `FAMILY.release.package`: codes_are_public, title, source, date as YYYY-MM-DD (default:
        today), carry and rates as a list or separated by commas, group_names as a file, formulas.
    """
    date_text = settings.pop("date", None)
    try:
        date = datetime.date.today() if date_text is None else datetime.date.fromisoformat(date_text)
    except ValueError:
        raise InvalidInput(
            f"The date is {date_text!r}; write it in the form 2026-11-22.", parameter="date", value=date_text
        ) from None
    carry, rates = _listed(settings.pop("carry", "")), []
    for text in _listed(settings.pop("rates", "")):
        above, slash, below = (part.strip() for part in text.partition("/"))
        if not (above and slash and below):
            raise InvalidInput(
                f"The rate is {text!r}; write one count, a slash and the count to divide by, such as cases/people."
            )
        rates.append((above, below))
    names, custom_names = settings.pop("group_names", None), settings.pop("given", ())
    return Publication(
        date,
        carry=tuple(carry),
        rates=tuple(rates),
        given=tuple(custom_names) if names is None else read_custom_names(regions, names),
        **settings,
    )


def _listed(value: str | Sequence[str]) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else value
    return [part.strip() for part in parts if part.strip()]


LINE_WIDTH = 96
OF_TOTALS = ("k", "average class")  # bounds that follow from sums the groups show anyway
HIDDEN = {
    "zero": "Counts that were hidden or missing in the data were taken as 0, so a group can hold more than stated.",
    "largest": "Counts that were hidden or missing in the data were taken as the largest number that each of "
    "them could be, so a group can hold fewer than stated.",
    "leave-out": "Areas whose counts were hidden or missing in the data are in no group.",
}
ROUNDED = "Counts that were not whole numbers were rounded, so a group can hold slightly more or fewer than stated."


def _readme(
    regions: Regions,
    g: Generalization,
    certificate: Certificate,
    publication: Publication,
    title: str,
    rules: Sequence[str],
    files: Mapping[str, str],
) -> str:
    """The README of the published package; `rules` says what every group holds, `files` what is in each file."""
    algorithm = get_family(g.family).makers[g.algorithm]
    sums = group_sums(regions, g)
    hidden, rounded = regions.reading.get("hidden"), regions.reading.get("rounding") == "nearest"
    if not publication.codes_are_public:
        naming = "Groups have numbers or chosen names, because their areas are not public knowledge."
    elif publication.named_after == "county":
        naming = (
            f"A group is named after the county with the most of the group's {regions.unit}, followed by the number "
            "of the group's other counties, unless a name was chosen. If several names would be identical, the group's "
            f"place with the most records is added. Each area counts for one county: {county_source(regions)}."
        )
    else:
        naming = (
            "A group is named after its place with the most records, followed by the number of its other places, "
            "unless a name was chosen. Several areas of one place count as one place."
        )
    paragraphs = [
        title,
        "=" * min(len(title), LINE_WIDTH),
        f"Date: {publication.date.isoformat()}",
        *([f"Source of the data: {publication.source}"] if publication.source else []),
        "",
        "WHAT THIS IS",
        f"{counted(len(regions), 'area')} {'is' if len(regions) == 1 else 'are'} joined into "
        f"{counted(g.classes, 'connected group')}. Every group holds {' and '.join(rules)}. The counts below are "
        "those of whole groups.",
        *([HIDDEN[hidden]] if hidden in HIDDEN else []),
        *([ROUNDED] if rounded else []),
        told_alone(regions, g, "area"),
        *filter(None, (sums[column].told_alone for column in publication.carry)),
        naming,
        "",
        "THE FILES",
        *(f"{name}: {words}" for name, words in files.items()),
        "",
        "HOW THE GROUPS WERE MADE",
        f"By kanon {__version__}, algorithm “{algorithm.title}”. {algorithm.summary}",
        quality(regions, g, certificate),
        "",
        "HOW IT WAS CHECKED",
        "Before these files were written, a separate verifier, which uses no code of the algorithms, made "
        f"{len(certificate.checks)} checks. Every area is in exactly one group. Every group is connected and holds "
        f"{' and '.join(rules)}."
        + (
            " Some areas that share no border, such as islands, count as connected because they were joined."
            if len(regions.added_edges)
            else ""
        )
        + " All sums were recomputed from the areas.",
        "",
        "WHAT THIS DOES NOT PROVE",
        "k-anonymity is a rule about the size of groups. It does not guarantee that nobody can be identified from "
        "other knowledge about them. A second grouping of the same data, together with this one, can reveal what "
        "neither reveals alone.",
    ]
    return _wrapped_lines(paragraphs)


def quality(regions: Regions, g: Generalization, certificate: Certificate) -> str:
    """Cost and bound, as far as they may be shown: a bound can be the count of a single area."""
    objective = get_family(g.family).objective(g.algorithm, g.options)
    if objective.is_largest_class:
        statement = f"The largest group holds {g.cost:,} {regions.unit}."
        least = f"In every grouping of this kind, the largest group holds at least {g.lower_bound:,}"
    else:
        statement = f"The {objective.noun} is {g.cost:,}."
        least = f"In every grouping of this kind, the {objective.noun} is at least {g.lower_bound:,}"
    word = "" if certificate.proof == "checked" else " This was reported by a search and not checked."
    if g.cost == g.lower_bound:
        return f"{statement} No grouping of this kind can do better.{word}"
    if g.bound_name in OF_TOTALS:
        return f"{statement} {least}.{word}"
    if not math.isfinite(g.gap):
        return statement
    return f"{statement} That is at most {math.ceil(100 * g.gap):,} % above the best possible.{word}"


def _wrapped_lines(paragraphs: Sequence[str]) -> str:
    lines = [
        textwrap.fill(one_line(text), LINE_WIDTH, break_long_words=False, break_on_hyphens=False) for text in paragraphs
    ]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------------------------------------------------
# The map of groups of areas, as in the package for print, with shapes no finer than paper can show.
# ---------------------------------------------------------------------------------------------------------------------


FINEST = 1_200  # fraction of a map's width that can be distinguished on paper
UNDATED = datetime.date(1980, 1, 1)  # it is not shown on the map


def draw_areas(figure: Figure, regions: Regions, g: Generalization, codes_are_public: bool = False) -> bool:
    """Groups in colors with neighbors differing, with numbers, a list, a scale and north."""
    if regions.geometry is None:
        return False
    plane = on_plane(regions, g, None if codes_are_public else coarse_shapes(regions, g))
    names = names_of_groups(regions, g, Publication(UNDATED, codes_are_public))
    largest, unit = int(g.class_weights.max()), drawable(regions.unit, 40)
    figure.set_size_inches(*PAGE)
    fill(
        figure,
        PrintMap(
            title=f"{counted(g.classes, 'group')} of at least {g.k:,} {unit}",
            statement=f"The largest holds {largest:,} {unit}.",
            notes=(),
            names=[drawable(name, 60) for name in names],
            sizes=[f"{weight:,}" for weight in g.class_weights.tolist()],
            colors=class_colors(regions.edges, g.assignment, g.classes),
            plane=PaperPlane(_coarser(plane.groups), np.empty((0, 2, 2)), plane.meters),
            date=UNDATED,
        ),
    )
    return True


def _coarser(shapes: np.ndarray) -> np.ndarray:
    """The same shapes without invisible corners; a group that would vanish stays unchanged."""
    west, south, east, north = shapely.total_bounds(shapes)
    step = max(east - west, north - south) / FINEST
    if not shapely.coverage_is_valid(shapes):
        return shapes
    coarse = shapely.coverage_simplify(shapes, step)
    return np.where(shapely.is_empty(coarse), shapes, coarse)
