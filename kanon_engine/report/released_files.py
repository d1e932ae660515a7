"""The files in the release of a bundle beside the certificate, and rebuilt where the data are there."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.project import Project
from kanon_engine.project.manifest import Manifest
from kanon_engine.release.files import ReleasedFile, require_cells
from kanon_engine.release.publication import outputs
from kanon_engine.report.bundle import RECIPE, RELEASE
from kanon_engine.report.rebuilt import SAME, NotChecked, compare
from kanon_engine.verification.bundle import rows_of, sizes_of
from kanon_engine.verification.codec import MALFORMED
from kanon_engine.verification.core import Check

PUBLIC = "codes_are_public"
SHAPED = (".gpkg", ".geojson")  # files of which the cells are no more than a part


def sets_released(name: str, content: bytes, g: Generalization, read_as: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the sets of a table that leaves have the sizes of the certificate's groups.

    Nothing is said of a file that has neither all quasi-identifiers nor a row a group, nor of records of the person's
    own, which are others than those that the groups were made of.

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
    try:
        sizes, columns = sizes_of(rows_of(name, content) or [], SimpleNamespace(**read_as))
    except (*MALFORMED, csv.Error):
        return
    if not columns or read_as.get("own") is not False:
        return
    if sorted(sizes.values()) != sorted(g.class_weights.tolist()):
        raise CertificateError(name, f"“{name}” tells of other groups than the certificate, or of other sizes.")
    yield Check(name, True, f"its {len(sizes):,} groups have the sizes that the certificate says.")


def files_again(
    members: Mapping[str, bytes], manifest: Manifest, instance: Any, g: Generalization, asked: Project | None
) -> Iterator[Check | NotChecked]:
    """Rebuild each file that is released, as the recipe says, or else as kanon makes it, and compare it.

    Raises
    ------
    CertificateError
        A file is not what the recipe says.
    """
    released = {name.removeprefix(RELEASE): content for name, content in members.items() if name.startswith(RELEASE)}
    if asked is not None and asked.leaving.own:
        why = f"to rebuild it takes {asked.leaving.own}; kanon run does it from the recipe."
        yield from (NotChecked(f"{RELEASE}{name}", why) for name in released)
        return
    if asked is None:
        ways: list[dict[str, Any]] = [{PUBLIC: said} for said in (True, False)] if _asks(g) else [{}]
        made = [dict(_files(instance, g, said, released)) for said in ways]
    else:
        try:
            made = [asked.leaving_of(instance).files(instance, g, None)]
        except InvalidInput as error:
            raise CertificateError(RECIPE, str(error)) from error
    for name, content in released.items():
        wanted = [files[name] for files in made if name in files]
        if content in wanted:
            yield Check(f"{RELEASE}{name}", True, SAME)
        elif asked is None:
            yield NotChecked(f"{RELEASE}{name}", "no recipe says what it was made of, and kanon makes it otherwise.")
        elif not wanted:
            raise CertificateError(f"{RELEASE}{name}", "the recipe makes no such file.")
        else:
            yield _compared(name, content, wanted[0], manifest, published=bool(asked.looking.beside))


def _compared(name: str, content: bytes, wanted: bytes, manifest: Manifest, published: bool) -> Check | NotChecked:
    """Another version of a package may write the same table in other bytes; `published` before there was a recipe."""
    found: Check | NotChecked = NotChecked(f"{RELEASE}{name}", "it was published in other bytes than kanon writes.")
    if not published:
        found = compare(f"{RELEASE}{name}", content, wanted, manifest, "the data and the recipe")
    one, other = ReleasedFile(name, content), ReleasedFile(name, wanted)
    if one.table is None:
        return found
    require_cells(one, other)
    words = "rebuilt, it holds the same in every cell; other versions of packages wrote other bytes."
    return NotChecked(found.name, words) if name.endswith(SHAPED) else Check(found.name, True, words)


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
