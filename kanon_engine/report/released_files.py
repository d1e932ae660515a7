"""The files in the release of a bundle, held against the certificate, and made again where the data are there."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.project import project_from
from kanon_engine.registry import family_named
from kanon_engine.release.publication import outputs
from kanon_engine.report.bundle import RECIPE, RELEASE
from kanon_engine.verification.check import Check

PUBLIC = "codes_are_public"
SAME = "made again, it is the same byte for byte."


def sets_released(name: str, content: bytes, g: Generalization, read_as: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the sets of a table that leaves have the sizes of the certificate's groups.

    Nothing is said of a file without the columns that tell the sets apart, nor of records of the person's own, which
    are others than those that the groups were made of.

    Parameters
    ----------
    name : str
        Of the member, a CSV.
    content : bytes
    g : Generalization
    read_as : mapping
        `released` of the manifest.

    Raises
    ------
    CertificateError
        The sets have other sizes.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels("abc", [5, 4, 1]), 5, "fold")
    >>> read_as = {"quasi_identifiers": ["group"], "counts": "weight", "k": 5, "own": False}
    >>> [check.passed for check in sets_released("release/groups.csv", b"group,weight\\n1,5\\n2,5\\n", g, read_as)]
    [True]
    """
    columns, counts = read_as.get("quasi_identifiers"), read_as.get("counts")
    try:
        head, *rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
        places = [head.index(column) for column in columns or ()]
        weights = [1 if counts is None else int(row[head.index(counts)]) for row in rows]
        keys = [tuple(row[place] for place in places) for row in rows]
    except (ValueError, TypeError, LookupError, csv.Error):
        return
    if not places or read_as.get("own") is not False:
        return
    sizes: Counter[tuple[str, ...]] = Counter()
    for key, weight in zip(keys, weights, strict=True):
        sizes[key] += weight
    if sorted(sizes.values()) != sorted(g.class_weights.tolist()):
        raise CertificateError(name, f"“{name}” tells of other groups than the certificate, or of other sizes.")
    yield Check(name, True, f"its {len(sizes):,} groups have the sizes that the certificate says.")


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
