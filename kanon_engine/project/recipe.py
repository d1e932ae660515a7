"""What a project file says about a release besides its groups: what is released, and what is examined before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from kanon_engine.model.family import Family, Package
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_of, get_family
from kanon_engine.project.manifest import sha256
from kanon_engine.release import release
from kanon_engine.release.formats import TABLE, unpacked
from kanon_engine.release.made import released_of
from kanon_engine.release.publication import leaving_file
from kanon_engine.release.released import Released
from kanon_engine.release.reread import read_back
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.published import Published

if TYPE_CHECKING:
    from kanon_engine.apply import OwnRelease

THRESHOLD = 0.2  # ARX calls records above it at risk


@dataclass(frozen=True)
class Leaving:
    """What is released, and in which form."""

    formats: tuple[str, ...] = ()  # endings of the files, from `FORMATS`
    # keep, sensitive: columns that are released as they are, and which of them reveal something about a person; for
    # areas the second counts whose sums are released, in a package
    keep: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    # for areas: whether anyone can look up where their codes are; None if not stated
    codes_are_public: bool | None = None
    own: str = ""  # the person's own records, which are released in place of the groups; "" if the groups are
    # by, quasi_identifiers: for own records: the columns that place them, and others by which people could be found
    by: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    k: int | None = None  # for own records: the target size of their sets; that of the result if None
    # name of each released file → its SHA-256, as far as known
    digests: Mapping[str, str] = field(default_factory=dict)
    # entries of the package in which areas are released: `date`, `title`, `source`, `rates`, `named_after`; empty if
    # the groups are released without one
    package: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[
        Any, ...
    ] = ()  # names that a person gave to groups, which a package has; a project stores them separately

    @classmethod
    def decided(cls, publication: Any) -> Leaving:
        """The choices for a package."""
        settings = {
            "date": publication.date.isoformat(),
            "title": publication.title,
            "source": publication.source,
            "named_after": publication.named_after,
            "rates": [f"{above}/{below}" for above, below in publication.rates],
        }
        return cls(
            keep=tuple(publication.carry),
            codes_are_public=publication.codes_are_public,
            package={name: value for name, value in settings.items() if value},
            given=tuple(publication.given),
        )

    @property
    def said(self) -> dict[str, Any]:
        """What a person states about their data, in the form for releases."""
        return {} if self.codes_are_public is None else {"codes_are_public": self.codes_are_public}

    def names(self, family: str) -> list[str]:
        """The possible names of the files; a package has those for which its areas have shapes and public codes.

        >>> Leaving(("csv", "gpkg")).names("regions"), Leaving().names("tables")
        (['groups.csv', 'groups.gpkg'], ['release.csv'])
        """
        if self.package:
            return list(package_of(get_family(family)).members)
        records = "records" if self.own else "release" if get_family(family).releases_records else "groups"
        return [f"{records}.{ending}" for ending in self.formats or TABLE[:1]]

    def publication(self, instance: Any) -> Any:
        """The choices for the package in which areas are released; it needs a date."""
        if "date" not in self.package:
            raise InvalidInput(
                "The package has no date, so the same package could not be made again; give a date, such as 2026-11-22."
            )
        options = {**self.package, **self.said, "carry": self.keep, "given": self.given}
        return package_of(family_of(instance)).publication(instance, **options)

    def made(
        self, instance: Any, g: Generalization, folder: Path
    ) -> tuple[OwnRelease | None, dict[str, bytes], dict[str, bool | None]]:
        """The person's own records if they are released, the released files, and whether each is as stated here.

        Numbers in own records were text in older recipes; if these state what the files must be, they stay text.
        """
        applied = self.own_release(instance, g, folder / self.own) if self.own else None
        files = self.files(instance, g, applied)
        compared = self.compared(files)
        if applied is not None and False in compared.values():
            older = self.own_release(instance, g, folder / self.own, as_text=True)
            again = self.files(instance, g, older)
            if False not in self.compared(again).values():
                return older, again, self.compared(again)
        return applied, files, compared

    def own_release(
        self, instance: Any, g: Generalization, records: Path | Source, as_text: bool = False
    ) -> OwnRelease:
        """The person's own records, from their file, in the groups of a result.

        `as_text` says whether numbers are released as the text of the file.
        """
        from kanon_engine.apply import apply, typed_columns

        columns = [*self.quasi_identifiers, *self.keep, *self.sensitive]
        frame, _ = read_frame(Source.open(records), columns=[*self.by, *columns])
        if not as_text:
            frame = typed_columns(frame, columns)
        return apply(
            instance,
            g,
            frame,
            self.by,
            quasi_identifiers=self.quasi_identifiers,
            keep=self.keep,
            sensitive=self.sensitive,
            k=self.k,
            **self.said,
        )

    def files(self, instance: Any, g: Generalization, applied: OwnRelease | None) -> dict[str, bytes]:
        """The one list of released files: name → content; the same whenever it is made.

        Each is read again from its bytes: `CertificateError` if it contains something other than the certificate
        says, or something that may not be released.
        """
        if applied is not None:
            from kanon_engine.apply import own_file

            return {name: own_file(instance, g, applied, name.rpartition(".")[2]) for name in self.names(g.family)}
        if self.package:
            files: dict[str, bytes] = package_of(get_family(g.family)).files(instance, g, self.publication(instance))
            return files
        release_of = get_family(g.family).release
        if self.keep and release_of is not None and release_of.package is not None:
            raise InvalidInput(
                "Sums of counts are released only in a package; give its date in the section “release.package”."
            )
        frame = release(instance, g, self.keep, **self.said)
        return {
            name: leaving_file(frame, name.rpartition(".")[2], instance, g, **self.said)
            for name in self.names(g.family)
        }

    def released(
        self, instance: Any, g: Generalization, applied: OwnRelease | None, files: Mapping[str, bytes]
    ) -> Released:
        """What these files show, read from them like a recipient would."""
        if self.package:
            package = package_of(get_family(g.family))
            result: Released = package.released(instance, g, files, self.publication(instance))
            return result
        if applied is not None:
            return read_back(files, applied.released)
        columns = dict.fromkeys([*(instance.reading.get("keep") or ()), *self.keep])  # in the order of the files
        return read_back(files, released_of(instance, g, tuple(columns) or None, self.sensitive or None, **self.said))

    def compared(self, files: Mapping[str, bytes]) -> dict[str, bool | None]:
        """Whether each file is byte for byte as stated here; None if nothing is stated about it.

        >>> asked = Leaving(digests={"groups.csv": sha256(b"group,weight\\n"), "old.csv": ""})
        >>> asked.compared({"groups.csv": b"group,weight\\n", "groups.gpkg": b""})
        {'groups.csv': True, 'groups.gpkg': None, 'old.csv': False}
        """
        listed = {name: name in self.digests or None for name in files}
        same = {name: name in files and sha256(files[name]) == digest for name, digest in self.digests.items()}
        return listed | same

    def sealed(self, files: Mapping[str, bytes]) -> Leaving:
        """The same with the digests of these files."""
        return replace(self, digests={name: sha256(content) for name, content in files.items()})


@dataclass(frozen=True)
class Looking:
    """What is examined before the release."""

    rules: tuple[str, ...] | None = None  # keys of the stated rules that it is compared with; None for all of them
    threshold: float = THRESHOLD  # the risk above which a record counts as at risk
    seed: int = 0  # for attacks that are run on a sample
    limits: tuple[
        str, ...
    ] = ()  # how much a group may reveal about a sensitive value, as `Limits.read` takes them: "t=0.2"
    # what else it was examined with and no recipe contains: lists of people, other releases
    beside: tuple[str, ...] = ()


def package_of(family: Family) -> Package:
    """How a family packs its release, or `InvalidInput` if it does not."""
    package = family.release.package if family.release else None
    if package is None:
        raise InvalidInput(f"kanon does not make packages for {family.items}; remove the package.")
    return package


def reviewed(
    instance: Any, g: Generalization, content: bytes, called: str
) -> tuple[Leaving, dict[str, bytes], tuple[str, ...]]:
    """The choices of a published package, its files, and which of them this kanon would write with different bytes.

    `CertificateError` if a table in it is not what the result says.
    """
    package, files = package_of(get_family(g.family)), unpacked(content, called)
    publication = package.read(instance, g, files)
    same = package.compared(instance, g, files, publication)
    return Leaving.decided(publication), files, tuple(name for name in files if not same[name])


def with_earlier(knowledge: Knowledge, instance: Any, g: Generalization, content: bytes, called: str) -> Knowledge:
    """What attackers have, with an earlier published package of the same items."""
    package = package_of(get_family(g.family))
    classes, released = package.earlier(instance, unpacked(content, called), called)
    return replace(
        knowledge,
        totals=(*knowledge.totals, Published(called, classes)),
        others=(*knowledge.others, released),
    )


def timeless(g: Generalization) -> Generalization:
    """The same result without the seconds that it took, which differ in every run."""
    return replace(g, seconds=0.0).sealed()
