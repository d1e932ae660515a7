"""The two packages of a grouping as files that a command writes and a page offers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.regions.package import Publication, internal_package, package, publishable_files
from kanon_engine.regions.read.given_names import read_given_names
from kanon_engine.release.publication import INTERNAL, Output, told_alone

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions

ZIP = "application/zip"


def outputs(regions: Regions, g: Generalization, publication: Publication) -> tuple[Output, Output]:
    """What may be published, and what stays inside."""
    codes = "with the codes of each group" if publication.codes_are_public else "without the codes of the areas"
    shapes = ", shapes and a map for print" if regions.geometry is not None else ""
    contents = f"Groups with names and sums{shapes}, {codes}, and a README. {told_alone(regions, g, 'area')}"
    return (
        Output("package", "Package (ZIP)", contents, "package.zip", ZIP, True,
               lambda: package(regions, g, publication)),
        Output("internal", "Internal files (ZIP)", f"Crosswalk, certificate and given names. {INTERNAL}",
               "internal.zip", ZIP, False, lambda: internal_package(regions, g, publication)),
    )  # fmt: skip


def publishable(regions: Regions, g: Generalization, publication: Publication) -> dict[str, bytes]:
    """What is in the package that may be published, as bytes."""
    files = publishable_files(regions, g, publication)
    return {name: made.encode() if isinstance(made, str) else made for name, made in files.items()}


def publication_of(regions: Regions, **settings: Any) -> Publication:
    """What was written on a command line, as a `Publication`.

    Parameters
    ----------
    regions : Regions
    **settings
        As the flags of `FAMILY.release.package`: codes_are_public, title, source, date as YYYY-MM-DD (today when left
        out), carry and rates as a list or with commas between, group_names as a file, formulas.
    """
    written = settings.pop("date", None)
    try:
        date = datetime.date.today() if written is None else datetime.date.fromisoformat(written)
    except ValueError:
        raise InvalidInput(
            f"The date is {written!r}; write it as 2026-11-22.", parameter="date", value=written
        ) from None
    names, given = settings.pop("group_names", None), settings.pop("given", ())
    return Publication(
        date,
        carry=tuple(_listed(settings.pop("carry", ""))),
        rates=tuple(_rate(text) for text in _listed(settings.pop("rates", ""))),
        given=tuple(given) if names is None else read_given_names(regions, names),
        **settings,
    )


def _listed(said: str | Sequence[str]) -> list[str]:
    parts = said.split(",") if isinstance(said, str) else said
    return [part.strip() for part in parts if part.strip()]


def _rate(text: str) -> tuple[str, str]:
    above, slash, below = (part.strip() for part in text.partition("/"))
    if not (above and slash and below):
        raise InvalidInput(f"The rate is {text!r}; write what is divided by what, as cases/people.")
    return above, below
