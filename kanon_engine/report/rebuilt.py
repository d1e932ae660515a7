"""README, report, recipe and checker of a bundle: rebuilt and compared, or named as not checked."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace
from typing import Any

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.project import Project, project_from
from kanon_engine.project.context import agreed
from kanon_engine.project.manifest import Manifest, listed, sha256, versions
from kanon_engine.release.publication import outputs
from kanon_engine.release.reread import ReleasedFile, require_cells
from kanon_engine.report import bundle as bundling
from kanon_engine.report.bundle import (
    CHECK,
    MANIFEST,
    PRINTED,
    README,
    RECIPE,
    RELEASE,
    REPORT,
    decided,
    read_as,
    readme,
)
from kanon_engine.report.review import Review
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.verification.bundle import rows_of, sizes_of
from kanon_engine.verification.codec import MALFORMED
from kanon_engine.verification.core import Check

SAME = "rebuilt, it is the same byte for byte."
NAME_DATA = "name the file that was read, too."
OLDER_FILE = "check.py"  # the checker of bundles from before they carried the verifier's folder
OLDER_CHECKERS = frozenset({  # `checker_digest` of each that an earlier state of kanon put into bundles
    "86e30e34f7af9a365a25352d47cb1edd57397d7361226c62404833502dbcae57",
    "639e00d6e58b51d1e35cf7a2842a6cf72944729092348a1732a9e8ad869de5e9",
    "b85c15ab299f383d3466a6b01875fade4dc642a2c576967d50ce02cd70895ec6",
    "d1316e54d4f388b7999fa6267bb17c38649898abf7bf18fb44f62c32b3d0778a",
    "8ac1b58abc6ef0ef025e5cf1d85be161c83090cb907e65233b9fcdffc885bbf6",
    "c0d7b289f99e51dc9df0d50840ab7627d30b629c0f81c7392869c8316a33825a",
    "24c774362c8b3fc0e5ece97b41937f76285cf811ec9f580e5c108a8e9c239337",
    "9206ec01b101fd359e6adc732a42149aebd67615757771559406e7b5d0b9fdc8",
    "1879a7939ac1127509d04e681347badddaa06e8d439f8b2c014d42bbb60776c4",
    "87d0acaccbd3dec8427a6325abb3a203668547c1c7dfd2261e909bdf8aa41b51",
    "e287591132191440deacefbeffbb6625d37550df439318a2db5032a8d7ed726c",
    "aaf08859fca53c783bbf798663ddc3912858c6e17e501c35d8de164cbc1046e1",
    "f25f91610fec97f34aeba211618530fc5e23688ed924320ff4cc658a280b3aad",
    "8521c0ae484b4723d8d56c8fb2a539b922d420b8519fe3679aca70dc9fbacab7",
    "1fa401ff491a5d3b0a1e9a2291398599a3d59ce6cca3aa448ea95930b6569ccf",
    "5195d60b88044e713685ac5e1ae51b43499173362908365870f29ee9db619718",
    "73015e56f88900ddb95c34752d29bd1c8224b3a532a96d05c5084f004620e3a2",
    "11b996dcd0a11970bb7b63642dd975ba317c2f4c6ab13e60887ce723eeeff1ac",
    "f6262fbbeabea0a56a85155846c6ae2ccef96796dc1a69b8f6e48d047540c9f1",
    "3b73961ab2d772a2e604bd05070ef80215e327702230ffb12e20e29f075d4a77",
    "4be36e53aba9f42d84cbc32d85e63787c2936ac15c99638ea1d5b492d3334162",
})  # fmt: skip


@dataclass(frozen=True)
class NotChecked:
    """A file of a bundle that nothing was compared with, or not all of it, and why."""

    name: str
    why: str


def same_versions(manifest: Manifest) -> bool:
    """Whether this kanon, with these packages, writes the bytes that the one of the bundle wrote."""
    return dict(manifest.versions) == versions()


def compare(name: str, content: bytes, wanted: bytes, manifest: Manifest, source: str) -> Check | NotChecked:
    """A file beside what it must be.

    Raises
    ------
    CertificateError
        It is another, and the versions that wrote it are those that rebuilt it, with the same checker.

    Complexity
    ----------
    That of `matching` for at most n pairs.
    """
    if content == wanted:
        return Check(name, True, SAME)
    if same_versions(manifest) and has_this_checker(manifest):
        raise CertificateError(name, f"rebuilt from {source}, it is another: it was changed.")
    return NotChecked(name, "it was written by other versions of kanon or its packages, whose bytes differ.")


def checker_files(names: Iterable[str]) -> list[str]:
    """Those of the checker among the names of a bundle's members: its folder, or the one file of older bundles."""
    return [name for name in names if name.startswith(CHECK) or name == OLDER_FILE]


def has_this_checker(manifest: Manifest) -> bool:
    """Whether a bundle lists the checker of this kanon; an earlier state of the same version had another."""
    found = {name: manifest.files[name] for name in checker_files(manifest.files)}
    return found == {name: listed(content) for name, content in bundling.checker().items()}


def checker_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 of what `sha256sum check/*` prints; of an older bundle's one file, of that file."""
    if list(files) == [OLDER_FILE]:
        return sha256(files[OLDER_FILE])
    return sha256("".join(f"{sha256(content)}  {name}\n" for name, content in sorted(files.items())).encode())


def checker_compared(members: Mapping[str, bytes]) -> Check | NotChecked:
    """The checker of a bundle beside the verifier of this kanon.

    Raises
    ------
    CertificateError
        It is none that kanon ever wrote: the first file that is another.
    """
    found, own = {name: members[name] for name in checker_files(members)}, bundling.checker()
    if found == own:
        return Check(CHECK, True, f"its {len(own):,} files are those of this kanon byte for byte.")
    if checker_digest(found) in OLDER_CHECKERS:
        return NotChecked(min(found), "the checker is that of an earlier version of kanon; read it before you run it.")
    name = min(name for name in {**found, **own} if found.get(name) != own.get(name))
    if OLDER_FILE in found:
        name = OLDER_FILE
    raise CertificateError(
        name, "the checker is not the one of this or of an earlier kanon: it was changed, or a later kanon wrote it."
    )


def readme_compared(members: Mapping[str, bytes], manifest: Manifest, g: Generalization) -> Check | NotChecked:
    """The README, which follows from the names of the files, the result, and the title; no data are needed."""
    names = [name for name in members if name.startswith((RELEASE, bundling.INTERNAL))]
    title = manifest.context.get("title", "")
    made = [readme(g, title, file, names).encode() for file in (*manifest.input, "")]
    wanted = members[README] if members[README] in made else made[0]
    return compare(README, members[README], wanted, manifest, "the certificate and the names of the files")


def recipe_compared(members: Mapping[str, bytes], manifest: Manifest, g: Generalization) -> Project | None:
    """The recipe, which must ask for what the certificate has and say what the manifest says; None where there is none.

    Raises
    ------
    CertificateError
        It cannot be read, or says something else.
    """
    if RECIPE not in members:
        return None
    try:
        asked = project_from(members[RECIPE])
    except InvalidInput as error:
        raise CertificateError(RECIPE, str(error)) from error
    hands = family_named(g.family).by_hand if asked.by_hand.moves else None
    algorithm = asked.algorithm if hands is None else hands.algorithm.name
    context, decision = (asked.context, None) if asked.decision is None else agreed(asked.context, asked.decision)
    pairs: dict[str, tuple[Any, Any]] = {
        "family": (asked.family, g.family),
        "k": (asked.k, g.k),
        "algorithm": (algorithm, g.algorithm),
        "the requirements": (set(asked.require), set(g.require)),
        "the context": (asdict(context) | decided(decision), dict(manifest.context)),
    }
    if hands is None:
        pairs |= {f"the option {name}": (value, g.options.get(name)) for name, value in asked.options.items()}
        pairs |= {"the seed": (asked.seed, g.seed)}
    pairs |= {
        f"the reading of {name}": (_plain(value), _plain(g.reading[name]))
        for name, value in asked.meant.items()
        if name in g.reading
    }
    released = {name.removeprefix(RELEASE): sha256(members[name]) for name in members if name.startswith(RELEASE)}
    if asked.leaving.digests:
        pairs["the digests of the release"] = (dict(asked.leaving.digests), released)
    for what, (said, meant) in pairs.items():
        if said != meant:
            shown = f": {said!r}, and not {meant!r}" if isinstance(said, str | int | float) else ""
            raise CertificateError(RECIPE, f"it says another {what.removeprefix('the ')} than this bundle{shown}.")
    return asked


def _plain(value: Any) -> Any:
    """Lists and tuples alike."""
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def reports_compared(
    members: Mapping[str, bytes], manifest: Manifest, g: Generalization, instance: Any, asked: Project | None
) -> Iterator[Check | NotChecked]:
    """Both forms of the report and what the manifest says, rebuilt from the data and the recipe.

    Raises
    ------
    CertificateError
        One is another.
    """
    why = _why_not(instance, asked)
    if why or asked is None:
        yield from (NotChecked(name, why) for name in (REPORT, PRINTED, MANIFEST, *([RECIPE] if asked else [])))
        return
    found = _rebuilt(members, manifest, g, instance, asked)
    source = "the data and the recipe"
    made = zip((REPORT, PRINTED), bundling.reports(found), strict=True)
    compared = [compare(name, members[name], wanted, manifest, source) for name, wanted in made]
    told, meant = (json.dumps(said, sort_keys=True).encode() for said in (manifest.released, read_as(found)))
    compared.append(compare(MANIFEST, told, meant, manifest, source))
    yield from compared[:-1]
    if all(isinstance(one, Check) for one in compared):
        if not same_versions(manifest):
            raise CertificateError(MANIFEST, "it names other versions than the report: it was changed.")
        yield Check(MANIFEST, True, "the release and the context are those of the recipe and the report.")
    else:
        yield from (NotChecked(name, "the report could not be compared.") for name in (RECIPE, MANIFEST))


def _why_not(instance: Any, asked: Project | None) -> str:
    """Why the report cannot be rebuilt, or ""."""
    if asked is None:
        return "no recipe says what it was made of."
    beside = [*asked.looking.beside, *([asked.leaving.own] if asked.leaving.own else [])]
    if beside:
        return f"it rests on more than the data and the recipe: {', '.join(beside)}."
    return NAME_DATA if instance is None else ""


def _rebuilt(
    members: Mapping[str, bytes], manifest: Manifest, g: Generalization, instance: Any, asked: Project
) -> Review:
    from kanon_engine.report.assemble import review, with_context  # loads what draws and writes reports

    files = {name.removeprefix(RELEASE): content for name, content in members.items() if name.startswith(RELEASE)}
    looking = asked.looking
    found = review(
        instance,
        g,
        leaving=asked.leaving_of(instance),
        rules=looking.rules,
        threshold=looking.threshold,
        facts=asked.facts,
        knowledge=Knowledge(seed=looking.seed, limits=Limits.read(looking.limits)),
        files=files,
    )
    first = {name: manifest.input[name] for name in [asked.file] if name in manifest.input}
    digests = first | dict(sorted(manifest.input.items())) | dict(found.digests)
    return with_context(replace(found, digests=digests), asked.context, asked.decision)


# ---------------------------------------------------------------------------------------------------------------------
# The files in the release of a bundle beside the certificate, and rebuilt where the data are there.
# ---------------------------------------------------------------------------------------------------------------------


PUBLIC = "codes_are_public"
SHAPED = (".gpkg", ".geojson")  # files of which the cells are no more than a part


def sets_released(name: str, content: bytes, g: Generalization, read_as: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the sets of a table that leaves have the sizes of the certificate's groups.

    Nothing is said of a file that has neither all quasi-identifiers nor a row a group, nor of records of the person's
    own, which are others than those that the groups were made of.

    Parameters
    ----------
    name : Of the member, a CSV.
    read_as : `released` of the manifest.

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
