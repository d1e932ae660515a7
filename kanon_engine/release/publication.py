"""Every file that can be made from a result, and whether it may be published.

This is decided here and in the families' `release.py`, for the pages and the command line. Publishable files are made
from the release: groups, their sizes and their outlines. They hold no coordinate of a point, no count of an item in a
group with others, no raw value of a quasi-identifier that fewer than k records show, no column that nobody selected, no
order of the file. Second counts are released as sums that a person selects, in a package of areas
(`regions/package.py`). Areas and labels themselves are public: a map or a dictionary has them. Which people live there,
and how many, is not.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.requirement import Minimum, demand_text, demands_in
from kanon_engine.model.serialize import parsed
from kanon_engine.release import crosswalk_frame
from kanon_engine.release.formats import BEGINNING, FORMATS, SHAPES, TABLE, csv_text, written
from kanon_engine.release.reread import Claim, groups_claim, reread
from kanon_engine.verification.core import Check

if TYPE_CHECKING:
    from plotly import graph_objects as go

    from kanon_engine.model.family import Release


INTERNAL = "Internal: it links single items to groups. Store it with the records."


@dataclass(frozen=True)
class Output:
    """One file that can be made from a result."""

    # its content, in any format: "shapes", "groups", "area", "release", "values", "intervals", "crosswalk",
    # "certificate", "picture"; for several results "scenarios"
    key: str
    label: str  # the button's text
    contents: str  # what is in it and what is not
    ending: str  # the end of its name, such as "groups.csv"
    mime: str
    publishable: bool  # whether it may be released; else it is internal
    # makes the content; a publishable file made from a table is read again first
    make: Callable[[], str | bytes]


@dataclass(frozen=True)
class Offered:
    """One table that a family offers, as files of several kinds."""

    # key, label, contents, publishable: as in each `Output`; the label is without the kind of file
    key: str
    label: str
    contents: str
    name: str  # the end of its file names, without the kind: "groups"
    publishable: bool
    frame: Callable[[], pd.DataFrame]  # makes the table
    endings: Sequence[str] = ("csv",)  # the kinds, from `FORMATS`
    # makes the `Claim` that it must satisfy; None for a table without groups
    claim: Callable[[], Claim] | None = None


def outputs(instance: Any, g: Generalization, *, formulas: str = "escape", **surroundings: Any) -> tuple[Output, ...]:
    """Every file that can be made from a result; only the certificate if it is not k-anonymous.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Made from this instance.
    formulas : What to do in CSV and Excel with cells that a spreadsheet may take for formulas; see `csv_text`.
    **surroundings
        Other arguments of the family's `release.py`: for points a study area and a background, for areas whether
        their codes are public.
    """
    family = get_family(g.family)
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
    items = "rows" if getattr(instance, "weighted", False) else family.items
    if family.releases_records:  # nothing else distinguishes them
        items += ", numbered in the order in which they were read"
    words = f"The group of each of the {items}. {INTERNAL}"
    crosswalk = Offered("crosswalk", "Crosswalk", words, "crosswalk", False, lambda: crosswalk_frame(instance, g))
    if family.release is None:
        return (*_files(crosswalk, instance, g, formulas), certificate)
    answers = family.release.asked(surroundings)
    offered = [*family.release.files(instance, g, **surroundings), crosswalk]
    files = [file for one in offered for file in _files(one, instance, g, formulas, **answers)]
    return (*files, certificate, *_pictures(family.release, instance, g, surroundings))


def _files(offered: Offered, instance: Any, g: Generalization, formulas: str, **answers: Any) -> list[Output]:
    """One file of each kind."""

    def made(ending: str) -> bytes:
        if not offered.publishable:
            return written(offered.frame(), ending, formulas=formulas)
        frame, claim = offered.frame(), None if offered.claim is None else offered.claim()
        return checked_file(frame, ending, instance, g, claim, formulas=formulas, **answers)

    return [
        Output(
            offered.key,
            f"{offered.label} ({FORMATS[ending].name})",
            offered.contents,
            f"{offered.name}.{ending}",
            FORMATS[ending].media_type,
            offered.publishable,
            partial(made, ending),
        )
        for ending in offered.endings
    ]


def checked_file(
    frame: pd.DataFrame,
    ending: str,
    instance: Any,
    g: Generalization,
    claim: Claim | None,
    *,
    formulas: str = "escape",
    date: datetime.date = BEGINNING,
    **answers: Any,
) -> bytes:
    """A table as a publishable file: written by `written`, then read again from its bytes by `reread`."""
    content = written(frame, ending, formulas=formulas, date=date)
    reread(content, ending, frame, instance, g, claim, formulas=formulas, **answers)
    return content


def leaving_file(frame: pd.DataFrame, ending: str, instance: Any, g: Generalization, **answers: Any) -> bytes:
    """The result of `kanon.release` as a file of some kind, read again from its bytes.

    Raises
    ------
    InvalidInput : It cannot be written in this format.
    CertificateError
        The file's content is wrong, its groups are not those of the certificate, or it holds data that must not be
        released.
    """
    family = get_family(g.family)
    claim = groups_claim(g)
    if family.releases_records and family.release is not None:
        offered = {one.key: one.claim for one in family.release.files(instance, g)}
        make_claim = offered["release"]
        claim = claim if make_claim is None else make_claim()
    return checked_file(frame, ending, instance, g, claim, **answers)


def release_picture(instance: Any, g: Generalization, **surroundings: Any) -> go.Figure:
    """The publishable picture: drawn only from the groups, without points, single counts or raw values."""
    release = get_family(g.family).release
    if release is None or release.picture is None:
        raise InvalidInput(f"There is no picture of {g.family} that may be published.")
    figure: go.Figure = release.picture(instance, g, **surroundings)
    return figure.update_layout(uirevision=None, meta=None)  # a digest of the data could confirm a guess about them


def single_items(instance: Any, g: Generalization) -> int:
    """The number of groups with only one item, or only one with weight: their count is the item's own."""
    classes = g.assignment[(g.assignment >= 0) & (np.asarray(instance.weights) > 0)]
    return int((np.bincount(classes, minlength=g.classes) == 1).sum())


def told_alone(instance: Any, g: Generalization, item: str) -> str:
    """A sentence about groups with one item, which is called `item`."""
    alone, unit = single_items(instance, g), instance.unit
    if alone == 0:
        return f"Every group has at least two {item}s with {unit}, so the file holds no count of a single {item}."
    have = "has" if alone == 1 else "have"
    return (
        f"{alone:,} of {g.classes:,} groups {have} only one {item}, or only one {item} with {unit}. The count of such "
        f"a group is the count of this one {item}. The file holds no other count of a single {item}."
    )


def groups_offered(
    g: Generalization, contents: str, publishable: bool, frame: Callable[[], pd.DataFrame], counts: str = "weight"
) -> Offered:
    """One row per group; `counts` is the column of their weights."""
    claim = partial(groups_claim, g, counts)
    return Offered("groups", "Groups", contents, "groups", publishable, frame, TABLE, claim)


def shapes_offered(g: Generalization, contents: str, publishable: bool, frame: Callable[[], pd.DataFrame]) -> Offered:
    """The groups with their shapes."""
    return Offered("shapes", "Groups", contents, "groups", publishable, frame, SHAPES, partial(groups_claim, g))


def _pictures(release: Release, instance: Any, g: Generalization, surroundings: dict[str, Any]) -> list[Output]:
    from kanon_engine.plot.export import browser_found, drawn, html

    if release.picture is None or release.pictured is None:
        return []
    caption, publishable = release.pictured(instance, g, **surroundings)
    figure = lambda: release_picture(instance, g, **surroundings)  # noqa: E731
    page = Output(
        "picture",
        "Picture (HTML)",
        f"The picture as one file that opens in a browser without a network; zoom and hover work. {caption}",
        "picture.html",
        "text/html",
        publishable,
        lambda: html(figure()),
    )
    if not browser_found():
        return [page]
    words = (
        "The picture as an image, drawn by the browser Chromium on this machine; drawing takes a few seconds. "
        f"{caption}"
    )
    image = Output("picture", "Picture (PNG)", words, "picture.png", "image/png", publishable, lambda: drawn(figure()))
    return [image, page]


# ---------------------------------------------------------------------------------------------------------------------
# The audit of a release of records, next to its result in the file of a certificate.
# ---------------------------------------------------------------------------------------------------------------------


AUDIT = "audit"


def audit_of(instance: Any, g: Generalization) -> Any:
    """The audit of a result's release; None for a family without audits, or if nothing may be released."""
    release = get_family(g.family).release
    if release is None or release.audit is None or g.status == "relaxed":
        return None
    return release.audit(instance, g)


def certificate_text(instance: Any, g: Generalization) -> str:
    """The whole result as JSON, along with the figures of its audit."""
    audit = audit_of(instance, g)
    if audit is None:
        return g.to_json()
    content: dict[str, Any] = json.loads(g.to_json())
    return json.dumps(content | {AUDIT: audit.figures() | {"digest": audit.digest}}, allow_nan=False)


def audit_check(instance: Any, g: Generalization, text: str | bytes) -> Check | None:
    """Repeat the audit in a certificate's file; None if it has none.

    Raises
    ------
    CertificateError : It does not match the release.
    """
    content = parsed(text)
    stored = content.get(AUDIT) if isinstance(content, dict) else None
    if stored is None:
        return None
    audit = audit_of(instance, g)
    if audit is None or stored != audit.figures() | {"digest": audit.digest}:
        raise CertificateError(AUDIT, "the repeated audit does not find what the certificate says.")
    return Check(AUDIT, True, f"the repeated audit finds the same: {len(audit.findings):,} findings, and k = "
                 f"{audit.k_together:,} over all released columns together.")  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Several groupings that a person named, as one table of figures.
# ---------------------------------------------------------------------------------------------------------------------


WISHES = ("together", "apart", "barriers")
CONTENTS = (
    "The settings and figures of each scenario. This file holds no items; of group sizes, it gives only the smallest "
    "and the largest. Internal: figures of several groupings of the same data can reveal more than the figures of one "
    "grouping."
)


@dataclass(frozen=True, eq=False)
class Named:
    """A result under a name."""

    # name, data: its own name, and that of its data
    name: str
    data: str
    instance: Any  # Regions, Points, Labels, Table or MetricSpace, with all requirements on its classes
    g: Generalization
    proof: str  # the proof of its certificate: "checked" or "solver"


def scenarios_frame(scenarios: Sequence[Named]) -> pd.DataFrame:
    """One row per scenario: its settings, its cost, and who reports the bound.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [5, 4, 1])
    >>> found = scenarios_frame([Named("First", "letters.csv", labels, kanon.generalize(labels, 5, "fold"), "checked")])
    >>> found[["scenario", "k", "algorithm", "groups", "largest", "lower_bound", "gap"]].values.tolist()
    [['First', 5, 'fold', 2, 5, 5, 0.0]]
    """
    return pd.DataFrame([_row(one) for one in scenarios])


def _row(one: Named) -> dict[str, Any]:
    g, family = one.g, get_family(one.g.family)
    options = family.makers[g.algorithm].options
    chosen = {option.name: g.options[option.name] for option in options if g.options[option.name] != option.default}
    minima = [f"{minimum.column} {minimum.m}" for minimum in g.require if isinstance(minimum, Minimum)]
    return {
        "scenario": one.name,
        "data": one.data,
        "k": g.k,
        "algorithm": g.algorithm,
        "options": "; ".join(f"{name} {value}" for name, value in chosen.items()),
        "seed": g.seed,
        "minima": "; ".join(minima),
        "demands": "; ".join(f"{minimum.column} {demand_text(minimum)}" for minimum in demands_in(g.require)),
        **{f"sets_{name}": len(getattr(one.instance, name, ())) for name in WISHES},
        "groups": g.classes,
        "smallest": int(g.class_weights.min()),
        "largest": int(g.class_weights.max()),
        "unit": one.instance.unit,
        "cost": g.cost,
        "cost_is": family.objective(g.algorithm, g.options).noun,
        "lower_bound": g.lower_bound,
        "gap": None if math.isinf(g.gap) else g.gap,
        "status": g.status,
        "proof": one.proof,
    }


def scenarios_file(scenarios: Sequence[Named], formulas: str = "escape") -> Output:
    """That table as a file."""
    return Output(
        "scenarios",
        "Scenarios (CSV)",
        CONTENTS,
        "scenarios.csv",
        FORMATS["csv"].media_type,
        False,
        lambda: csv_text(scenarios_frame(scenarios), formulas),
    )
