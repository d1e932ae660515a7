"""What a project file says of a release besides its groups: what leaves, and what is looked at before."""

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
from kanon_engine.model.known import family_named, family_of
from kanon_engine.project.manifest import sha256
from kanon_engine.release import release
from kanon_engine.release.formats import unpacked
from kanon_engine.release.made import released_of
from kanon_engine.release.publication import KINDS, leaving_file
from kanon_engine.release.released import Released
from kanon_engine.release.reread import read_back
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.published import Published

if TYPE_CHECKING:
    from kanon_engine.apply import OwnRelease

FORMATS = tuple(KINDS)
THRESHOLD = 0.2  # ARX calls records above it at risk


@dataclass(frozen=True)
class Leaving:
    """What leaves, and in which form."""

    formats: tuple[str, ...] = ()  # endings of the files: "csv", "parquet", "xlsx", and of shapes "gpkg", "geojson"
    # keep, sensitive: columns that leave as they are, and which of them tell something about a person; of areas the
    # second counts whose sums leave, in a package
    keep: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    # of areas: whether anybody can look up where their codes are; None where nobody said
    codes_are_public: bool | None = None
    own: str = ""  # the person's own records, which leave in place of the groups; "" where the groups do
    # by, quasi_identifiers: of own records: the columns that place them, and others by which people could be found
    by: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    k: int | None = None  # of own records: what sets of them are to hold; that of the result where it is None
    # name of each file that left → its SHA-256, as far as they are known
    digests: Mapping[str, str] = field(default_factory=dict)
    # what is said of the package in which areas leave: `date`, `title`, `source`, `rates`, `named_after`; empty where
    # the groups leave without one
    package: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[Any, ...] = ()  # names that a person gave to groups, which a package has; a project keeps them apart

    @classmethod
    def decided(cls, publication: Any) -> Leaving:
        """What was decided of a package."""
        said = {
            "date": publication.date.isoformat(),
            "title": publication.title,
            "source": publication.source,
            "named_after": publication.named_after,
            "rates": [f"{above}/{below}" for above, below in publication.rates],
        }
        return cls(
            keep=tuple(publication.carry),
            codes_are_public=publication.codes_are_public,
            package={name: value for name, value in said.items() if value},
            given=tuple(publication.given),
        )

    @property
    def said(self) -> dict[str, Any]:
        """What a person says of their data, as releases take it."""
        return {} if self.codes_are_public is None else {"codes_are_public": self.codes_are_public}

    def names(self, family: str) -> list[str]:
        """What the files can be called; a package has those that its areas have shapes and public codes for.

        >>> Leaving(("csv", "gpkg")).names("regions"), Leaving().names("tables")
        (['groups.csv', 'groups.gpkg'], ['release.csv'])
        """
        if self.package:
            return list(package_of(family_named(family)).members)
        records = "records" if self.own else "release" if family_named(family).releases_records else "groups"
        return [f"{records}.{ending}" for ending in self.formats or FORMATS[:1]]

    def publication(self, instance: Any) -> Any:
        """What is decided of the package in which areas leave; it needs a date."""
        if "date" not in self.package:
            raise InvalidInput(
                "The package has no date, so the same package could not be made again; give one, such as 2026-11-22."
            )
        said = {**self.package, **self.said, "carry": self.keep, "given": self.given}
        return package_of(family_of(instance)).publication(instance, **said)

    def made(
        self, instance: Any, g: Generalization, folder: Path
    ) -> tuple[OwnRelease | None, dict[str, bytes], dict[str, bool | None]]:
        """The person's own records where they leave, the files that do, and whether each is what is said here.

        Numbers in own records were text in recipes of before; where these say what the files must be, they stay so.
        """
        own = self.own_release(instance, g, folder / self.own) if self.own else None
        files = self.files(instance, g, own)
        compared = self.compared(files)
        if own is not None and False in compared.values():
            older = self.own_release(instance, g, folder / self.own, as_text=True)
            again = self.files(instance, g, older)
            if False not in self.compared(again).values():
                return older, again, self.compared(again)
        return own, files, compared

    def own_release(
        self, instance: Any, g: Generalization, records: Path | Source, as_text: bool = False
    ) -> OwnRelease:
        """The person's own records, from their file, in the groups of a result.

        `as_text` says whether numbers leave as the text of the file.
        """
        from kanon_engine.apply import apply, typed_columns

        shown = [*self.quasi_identifiers, *self.keep, *self.sensitive]
        frame, _ = read_frame(Source.open(records), wanted=[*self.by, *shown])
        if not as_text:
            frame = typed_columns(frame, shown)
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

    def files(self, instance: Any, g: Generalization, own: OwnRelease | None) -> dict[str, bytes]:
        """The one list of files that leave: name → content; the same whenever it is made.

        Each is read again from its bytes: `CertificateError` where it holds something else than the certificate says,
        or what may not leave.
        """
        if own is not None:
            from kanon_engine.apply import own_file

            return {name: own_file(instance, g, own, name.rpartition(".")[2]) for name in self.names(g.family)}
        if self.package:
            files: dict[str, bytes] = package_of(family_named(g.family)).files(instance, g, self.publication(instance))
            return files
        release_of = family_named(g.family).release
        if self.keep and release_of is not None and release_of.package is not None:
            raise InvalidInput("Sums of counts are only released in a package; give its date under [release.package].")
        frame = release(instance, g, self.keep, **self.said)
        return {
            name: leaving_file(frame, name.rpartition(".")[2], instance, g, **self.said)
            for name in self.names(g.family)
        }

    def released(
        self, instance: Any, g: Generalization, own: OwnRelease | None, files: Mapping[str, bytes]
    ) -> Released:
        """What these files tell, read from them, as their reader has it."""
        if self.package:
            package = package_of(family_named(g.family))
            made: Released = package.released(instance, g, files, self.publication(instance))
            return made
        if own is not None:
            return read_back(files, own.released)
        kept = dict.fromkeys([*(instance.reading.get("keep") or ()), *self.keep])  # as the files have them
        return read_back(files, released_of(instance, g, tuple(kept) or None, self.sensitive or None, **self.said))

    def compared(self, files: Mapping[str, bytes]) -> dict[str, bool | None]:
        """Whether each file is byte for byte what is said here; None where nothing is said of it.

        >>> asked = Leaving(digests={"groups.csv": sha256(b"group,weight\\n"), "old.csv": ""})
        >>> asked.compared({"groups.csv": b"group,weight\\n", "groups.gpkg": b""})
        {'groups.csv': True, 'groups.gpkg': None, 'old.csv': False}
        """
        found = {name: name in self.digests or None for name in files}
        same = {name: name in files and sha256(files[name]) == digest for name, digest in self.digests.items()}
        return found | same

    def sealed(self, files: Mapping[str, bytes]) -> Leaving:
        """The same with the digests of these files."""
        return replace(self, digests={name: sha256(content) for name, content in files.items()})


@dataclass(frozen=True)
class Looking:
    """What is looked at before it leaves."""

    rules: tuple[str, ...] | None = None  # keys of the stated rules that it is held against; None for all of them
    threshold: float = THRESHOLD  # the risk above which a record counts as at risk
    seed: int = 0  # of attacks that are run on a sample
    limits: tuple[str, ...] = ()  # how much a group may tell of a sensitive value, as `Limits.read` takes them: "t=0.2"
    # what else it was looked at with, and no recipe brings: lists of people, other releases
    beside: tuple[str, ...] = ()


def package_of(family: Family) -> Package:
    """How a family packs what leaves, or `InvalidInput` where it does not."""
    package = family.release.package if family.release else None
    if package is None:
        raise InvalidInput(f"There is no package of {family.items}; remove it.")
    return package


def reviewed(
    instance: Any, g: Generalization, content: bytes, called: str
) -> tuple[Leaving, dict[str, bytes], tuple[str, ...]]:
    """What was decided of a published package, its files, and which of them this kanon would write in other bytes.

    `CertificateError` where a table in it is not what the result says.
    """
    package, files = package_of(family_named(g.family)), unpacked(content, called)
    publication = package.read(instance, g, files)
    same = package.compared(instance, g, files, publication)
    return Leaving.decided(publication), files, tuple(name for name in files if not same[name])


def with_earlier(knowledge: Knowledge, instance: Any, g: Generalization, content: bytes, called: str) -> Knowledge:
    """What attackers have, with a package of the same items that was published before."""
    package = package_of(family_named(g.family))
    classes, released = package.earlier(instance, unpacked(content, called), called)
    return replace(
        knowledge,
        totals=(*knowledge.totals, Published(called, classes)),
        others=(*knowledge.others, released),
    )


def timeless(g: Generalization) -> Generalization:
    """The same result without the seconds that it took, which are others in every run."""
    return replace(g, seconds=0.0).sealed()
