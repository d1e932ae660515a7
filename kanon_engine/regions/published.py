"""A package of files read back: its settings, its content as a reader sees it, and which files the result
reproduces."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.regions.group_names import CustomName
from kanon_engine.regions.group_sums import rate_name
from kanon_engine.regions.package import (
    CODES,
    COUNT_SUFFIX,
    GROUPS,
    README,
    Publication,
    groups_table,
    names_of_groups,
    publishable,
)
from kanon_engine.regions.release import group_codes
from kanon_engine.release.formats import unescaped
from kanon_engine.release.released import Released
from kanon_engine.release.reread import ReleasedFile, read_back, require_cells

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.instance import Regions


DATE, SOURCE = "Date: ", "Source of the data: "
COUNTY = ("is named after the county", "is called after the county")  # the second is in packages of earlier versions
OWN = 4  # columns of groups.csv that every package has


def publication_in(regions: Regions, g: Generalization, files: Mapping[str, bytes]) -> Publication:
    """A person's decisions about a package, as read from its files.

    `g`: made from these areas. `files`: the members of the package.
    Raises `InvalidInput`: it is not a package made by kanon, or has counts that these areas do not have.
    """
    lines = files.get(README, b"").decode("utf-8", "replace").splitlines()
    rule = next((place for place, line in enumerate(lines) if line and not line.strip("=")), None)
    if rule is None or GROUPS not in files:
        raise InvalidInput(
            f"The package has no {README} or no {GROUPS} in the form that kanon writes; give a package made by kanon."
        )
    head = " ".join(lines[rule + 1 : lines.index("", rule) if "" in lines[rule:] else None])
    day, _, source = head.removeprefix(DATE).partition(" ")
    try:
        date = datetime.date.fromisoformat(day)
    except ValueError:
        raise InvalidInput(f"The {README} of the package has no date; give a package made by kanon.") from None
    frame = _groups(files)
    carry, rates = _decided(regions, [str(name) for name in frame.columns[OWN:]])
    plain = Publication(
        date,
        codes_are_public=CODES in files,
        title=" ".join(lines[:rule]),
        source=source.removeprefix(SOURCE),
        carry=carry,
        rates=rates,
        named_after="county" if any(words in " ".join(lines) for words in COUNTY) else "place",
    )
    return replace(plain, given=tuple(_given(regions, g, plain, frame)))


def _groups(files: Mapping[str, bytes]) -> pd.DataFrame:
    table = ReleasedFile(GROUPS, files[GROUPS]).table
    if table is None or len(table.columns) < OWN or table.columns[1] != "name":
        raise InvalidInput(
            f"The {GROUPS} of the package does not have the columns that kanon writes; give a package made by kanon."
        )
    return unescaped(table)


def _decided(regions: Regions, columns: Sequence[str]) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Second counts, and rates between them or to the weight, by the names of columns."""
    counts = [*regions.columns, regions.unit]
    quotients = {rate_name(above, below): (above, below) for above in counts for below in counts if above != below}
    carry, rates = [], []
    for column in columns:
        name = column
        # a suffix was added for each clash with the name of another column
        while name not in regions.columns and name.endswith(COUNT_SUFFIX):
            name = name.removesuffix(COUNT_SUFFIX)
        if name in regions.columns:
            carry.append(name)
        elif column in quotients:
            rates.append(quotients[column])
        else:
            raise InvalidInput(
                f"The package has a column “{column}”, but these areas have no such count; read them with that column "
                "(--columns) and make the certificate again."
            )
    return tuple(carry), tuple(rates)


def _given(regions: Regions, g: Generalization, publication: Publication, frame: pd.DataFrame) -> Iterator[CustomName]:
    """The group names that are not the default ones."""
    usual, members = names_of_groups(regions, g, publication), members_of(g.assignment, g.classes)
    for name, other, areas in zip(frame["name"], usual, members, strict=False):
        if name != other:
            yield CustomName(str(name), {str(area): 1 for area in regions.ids[areas].tolist()})


def released(regions: Regions, g: Generalization, files: Mapping[str, bytes], publication: Publication) -> Released:
    """What a package shows its reader: groups with names, sums and rates, and codes if they are public.

    `publication`: the decisions about it.
    Raises `CertificateError`: a cell differs from the result.
    """
    frame = groups_table(regions, g, publication, names_of_groups(regions, g, publication))
    columns = [str(name) for name in frame.columns]
    sums = columns[OWN : OWN + len(publication.carry)]
    result = Released(
        frame,
        ("group", "name"),
        k=g.k,
        unit=regions.unit,
        counts=columns[2],
        sums=tuple(sums),
        derived=(columns[3], *columns[OWN + len(sums) :]),
        left_out=int(regions.total) - int(g.class_weights.sum()),
        meanings={"group": group_codes(regions, g)} if publication.codes_are_public else {},
        name=publication.title or "release",
    )
    return read_back({GROUPS: files[GROUPS]}, result)


def compared(
    regions: Regions, g: Generalization, files: Mapping[str, bytes], publication: Publication
) -> dict[str, bool]:
    """Whether each file of a package is byte for byte what the result produces.

    Other library versions write shapes and maps with different bytes, and another version of kanon a different README.
    A table must be the same in every cell.

    Raises `InvalidInput`: a file that does not belong to such a package; `CertificateError`: a table that differs from
        the result.
    """
    again = publishable(regions, g, publication)
    for name, content in files.items():
        if name not in again:
            raise InvalidInput(f"“{name}” does not belong in a package of this result; remove it from the package.")
        if content != again[name]:
            require_cells(ReleasedFile(name, content), ReleasedFile(name, again[name]))
    return {name: content == again[name] for name, content in files.items()}


def earlier(regions: Regions, files: Mapping[str, bytes], name: str) -> tuple[np.ndarray, Released]:
    """A package of the same areas that was published before.

    `name`: its display name.
    Returns `classes`: (n,) int64. The group of each area, from 0; -1 for one that it leaves out; `released`: its
        content as a reader sees it.
    Raises `InvalidInput`: it does not say which areas its groups hold, or its counts differ from these.
    """
    if GROUPS not in files or CODES not in files:
        raise InvalidInput(f"{name} does not list the codes of its groups; give that release with --other-certificate.")
    frame, codes = _groups(files), ReleasedFile(CODES, files[CODES]).table
    if codes is None or list(codes.columns) != ["group", "name", "code"]:
        raise InvalidInput(
            f"The {CODES} of {name} does not have the columns that kanon writes; give a package made by kanon."
        )
    places = {str(area): place for place, area in enumerate(regions.ids.tolist())}
    classes = np.full(len(regions), -1, dtype=np.int64)
    numbers = {str(number): place for place, number in enumerate(frame["group"])}
    for number, code in zip(codes["group"], codes["code"], strict=True):
        if str(code) not in places or str(number) not in numbers:
            raise InvalidInput(
                f"{name} lists “{code}” in group {number}, but {name} has no such group, or these data have no such "
                "area."
            )
        classes[places[str(code)]] = numbers[str(number)]
    columns = [str(column) for column in frame.columns]
    for column in (columns[0], *columns[2:]):
        frame[column] = pd.to_numeric(frame[column], errors="coerce")
    weights = np.zeros(len(frame), dtype=np.int64)
    inside = classes >= 0
    np.add.at(weights, classes[inside], regions.weights[inside])
    stated = frame[columns[2]].to_numpy()
    for number in np.flatnonzero(weights != stated)[:1].tolist():
        raise InvalidInput(
            f"{name} and these data have different counts: group {number + 1:,} has {stated[number]:,} {columns[2]} in "
            f"{name}, but {int(weights[number]):,} in these data; give a release of the same data."
        )
    carry, _ = _decided(regions, columns[OWN:])
    sums = tuple(column for column in columns[OWN:] if column.removesuffix(COUNT_SUFFIX) in carry or column in carry)
    members = zip(frame["group"], members_of(classes, len(frame)), strict=True)
    released = Released(
        frame,
        ("group", "name"),
        k=max(1, int(weights.min(initial=1))),
        unit=columns[2],
        counts=columns[2],
        sums=sums,
        derived=tuple(column for column in columns[3:] if column not in sums),
        meanings={"group": {number: tuple(regions.ids[areas].tolist()) for number, areas in members}},
        name=name,
    )
    return classes, released
