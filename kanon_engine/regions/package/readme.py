"""What a package of files says of itself, in plain words."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import kanon_engine
from kanon_engine.model.words import counted, one_line
from kanon_engine.registry import family_named

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions
    from kanon_engine.verify import Certificate

WIDTH = 96
OF_TOTALS = ("k", "average class")  # bounds that follow from sums which the groups tell anyway
HIDDEN = {
    "zero": "Counts that were hidden or missing in the data were taken as 0. So a group can hold more than is said.",
    "largest": "Counts that were hidden or missing in the data were taken as the most that they may stand for. So a "
    "group can hold fewer than is said.",
    "leave-out": "Areas whose counts were hidden or missing in the data are in no group.",
}
ROUNDED = "Counts that were no whole numbers were rounded. So a group can hold somewhat more or fewer than is said."


@dataclass(frozen=True)
class Told:
    """What the text is about.

    Attributes
    ----------
    title, source, date : str
    rules : sequence of str
        What every group holds.
    alone : sequence of str
        Of which groups a count is that of a single area.
    names : str
        How the groups got their names.
    files : mapping
        The name of each file → what is in it.
    """

    title: str
    source: str
    date: str
    rules: Sequence[str]
    alone: Sequence[str]
    names: str
    files: Mapping[str, str]


def readme(regions: Regions, g: Generalization, certificate: Certificate, told: Told) -> str:
    """The README of what may be published."""
    algorithm = family_named(g.family).makers[g.algorithm]
    paragraphs = [
        told.title,
        "=" * min(len(told.title), WIDTH),
        f"Date: {told.date}",
        *([f"Source of the data: {told.source}"] if told.source else []),
        "",
        "WHAT THIS IS",
        f"{counted(len(regions), 'area')} {'is' if len(regions) == 1 else 'are'} joined into "
        f"{counted(g.classes, 'connected group')}. Every group holds {' and '.join(told.rules)}. The counts below are "
        "those of whole groups.",
        *inexact(regions),
        *told.alone,
        told.names,
        "",
        "THE FILES",
        *(f"{name}: {words}" for name, words in told.files.items()),
        "",
        "HOW THE GROUPS WERE MADE",
        f"By kanon {kanon_engine.__version__}, algorithm “{algorithm.title}”. {algorithm.summary}",
        quality(regions, g, certificate),
        "",
        "HOW IT WAS CHECKED",
        f"Before these files were written, {len(certificate.checks)} checks were made by a separate verifier, which "
        "imports no algorithm. Every area lies in exactly one group. Every group is connected"
        + (", where some areas that share no border, such as islands, were joined," if len(regions.added_edges) else "")
        + f" and holds {' and '.join(told.rules)}. All sums were computed again from the areas.",
        "",
        "WHAT IS NOT SAID",
        "k-anonymity is a rule about the size of groups. It does not say that nobody can be found by what else is "
        "known of them. A second grouping of the same data can tell, together with this one, what neither tells alone.",
    ]
    return _wrapped(paragraphs)


def inexact(regions: Regions) -> list[str]:
    """What was done with counts that were no whole numbers when the data were read."""
    hidden = HIDDEN.get(regions.reading.get("hidden", ""))
    return [*([] if hidden is None else [hidden]), *([ROUNDED] if regions.reading.get("rounding") == "nearest" else [])]


def internal_readme(regions: Regions, g: Generalization, files: Mapping[str, str]) -> str:
    """The README of what stays inside."""
    title = "INTERNAL: do not publish"
    return _wrapped(
        [
            title,
            "=" * len(title),
            f"These files belong to a grouping of {counted(len(regions), 'area')} into {counted(g.classes, 'group')} "
            f"of at least {g.k:,} {regions.unit}. They link single areas to groups, or hold counts of single areas, or "
            "evidence that attacks on a release can use. Keep them where the records are kept.",
            "",
            "THE FILES",
            *(f"{name}: {words}" for name, words in files.items()),
        ]
    )


def quality(regions: Regions, g: Generalization, certificate: Certificate) -> str:
    """Cost and bound, as far as they may be told: a bound can be the count of a single area."""
    objective = family_named(g.family).objective(g.algorithm, g.options)
    if objective.is_largest_class:
        found = f"The largest group holds {g.cost:,} {regions.unit}."
        least = f"In no such grouping does the largest group hold fewer than {g.lower_bound:,}"
    else:
        found = f"The {objective.noun} is {g.cost:,}."
        least = f"In no such grouping is the {objective.noun} below {g.lower_bound:,}"
    word = "" if certificate.proof == "checked" else " That is the word of a search, which was not checked."
    if g.cost == g.lower_bound:
        return f"{found} No grouping of this kind can do better.{word}"
    if g.bound_name in OF_TOTALS:
        return f"{found} {least}.{word}"
    if not math.isfinite(g.gap):
        return found
    return f"{found} That is within {math.ceil(100 * g.gap):,} % of the best possible, or less.{word}"


def _wrapped(paragraphs: Sequence[str]) -> str:
    return (
        "\n".join(
            textwrap.fill(one_line(text), WIDTH, break_long_words=False, break_on_hyphens=False) for text in paragraphs
        )
        + "\n"
    )
