"""The files in the release of a bundle, held against the certificate, and made again where the data are there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.project import project_from
from kanon_engine.registry import family_named
from kanon_engine.release.publication import outputs
from kanon_engine.report.bundle import RECIPE, RELEASE
from kanon_engine.verification.check import Check

GROUP, WEIGHT = "group", "weight"  # columns of a table of groups
PUBLIC = "codes_are_public"
SAME = "made again, it is the same byte for byte."


def table_of_groups(name: str, content: bytes, g: Generalization) -> Iterator[Check]:
    """Whether a table of groups has the groups of the certificate, and their sizes; nothing of any other table.

    Parameters
    ----------
    name : str
        Of the member.
    content : bytes
    g : Generalization

    Raises
    ------
    CertificateError
        It tells of other groups.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels("abc", [5, 4, 1]), 5, "fold")
    >>> [check.passed for check in table_of_groups("release/groups.csv", b"group,weight\\n1,5\\n2,5\\n", g)]
    [True]
    """
    try:
        head, *rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
    except (ValueError, csv.Error):
        return
    if not {GROUP, WEIGHT} <= set(head) or family_named(g.family).releases_records:
        return
    places = head.index(GROUP), head.index(WEIGHT)
    found = sorted(tuple(row[place] for place in places) for row in rows if len(row) == len(head))
    sizes = sorted((str(number), str(weight)) for number, weight in enumerate(g.class_weights.tolist(), start=1))
    if found != sizes or len(rows) != len(sizes):
        raise CertificateError(name, f"“{name}” tells of other groups than the certificate, or of other sizes.")
    yield Check(name, True, f"its {len(rows):,} groups and their sizes are those of the certificate.")


def files_again(members: Mapping[str, bytes], instance: Any, g: Generalization) -> Iterator[Check]:
    """Make each file that leaves again, as the recipe says, or else as kanon makes it.

    Raises
    ------
    CertificateError
        The recipe cannot be read, or a file is not what it says.
    """
    told = {name.removeprefix(RELEASE): content for name, content in members.items() if name.startswith(RELEASE)}
    if RECIPE in members:
        yield from _by_recipe(members[RECIPE], told, instance, g)
        return
    ways: list[dict[str, Any]] = [{PUBLIC: said} for said in (True, False)] if _asks(g) else [{}]
    made = [dict(_files(instance, g, said, told)) for said in ways]
    for name, content in told.items():
        same = any(files.get(name) == content for files in made)
        words = SAME if same else "signed, but not made again: no recipe says what it was made of."
        yield Check(f"{RELEASE}{name}", True, words)


def _asks(g: Generalization) -> bool:
    release = family_named(g.family).release
    return release is not None and PUBLIC in release.asks


def _files(
    instance: Any, g: Generalization, said: Mapping[str, Any], told: Mapping[str, bytes]
) -> Iterator[tuple[str, bytes]]:
    """Name → content of what kanon makes under these names."""
    for output in outputs(instance, g, **said):
        if output.publishable and output.ending in told:
            content = output.make()
            yield output.ending, content.encode() if isinstance(content, str) else content


def _by_recipe(recipe: bytes, told: Mapping[str, bytes], instance: Any, g: Generalization) -> Iterator[Check]:
    try:
        leaving = project_from(recipe).leaving
        files = {} if leaving.own else leaving.files(instance, g, None)
    except InvalidInput as error:
        raise CertificateError(RECIPE, str(error)) from error
    for name, content in told.items():
        if leaving.own:
            words = f"signed, but not made again: that takes {leaving.own}, and kanon run with the recipe."
        elif name not in files:
            raise CertificateError(f"{RELEASE}{name}", "the recipe makes no such file.")
        elif files[name] == content:
            words = SAME
        else:
            words = _same_cells(name, content, leaving, instance, g)
        yield Check(f"{RELEASE}{name}", True, words)


def _same_cells(name: str, content: bytes, leaving: Any, instance: Any, g: Generalization) -> str:
    """Another version of a package may write the same table in other bytes."""
    from kanon_engine.release.reread import reread

    reread(content, name.rpartition(".")[2], leaving.frame(instance, g, None), instance, g, **leaving.said)
    return "made again, it holds the same in every cell; other versions of packages wrote other bytes."
