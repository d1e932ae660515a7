"""`kanon report` of a package: what is said of it in flags, one that was published, and those published before."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from kanon_engine.cli.flags import Flag
from kanon_engine.cli.publishing import PANEL
from kanon_engine.cli.reading import parameter_flag
from kanon_engine.cli.standard import called
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import FAMILIES, family_named
from kanon_engine.project.recipe import Leaving, package_of
from kanon_engine.report.packages import leaving_of, reviewed, with_earlier
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.tables.read.written import column_list

Reviewed = Annotated[
    Path | None,
    typer.Option("--package", help="Review exactly the files of this package (.zip).", rich_help_panel=PANEL,
                 show_default=False),
]  # fmt: skip
Earlier = Annotated[
    list[Path] | None,
    typer.Option("--other-package", help="A package of the same areas that was published before; several times.",
                 rich_help_panel=PANEL, show_default=False),
]  # fmt: skip


def package_flags() -> list[Flag]:
    """What is said of a package, but whether codes are public, which every release of areas asks."""
    packages = [family.release.package for family in FAMILIES.values() if family.release and family.release.package]
    return [
        parameter_flag(parameter, PANEL)
        for package in packages
        for parameter in package.parameters
        if parameter.name != "codes_are_public"
    ]


@dataclass(frozen=True)
class Packed:
    """What `kanon report` was told of packages.

    Attributes
    ----------
    settings : mapping
        Of a package to make, by the names of its parameters.
    reviewed : Path or None
        A package that is reviewed as it is.
    earlier : sequence of Path
        Packages that were published before.
    """

    settings: Mapping[str, Any]
    reviewed: Path | None
    earlier: Sequence[Path]

    @classmethod
    def taken(cls, settings: dict[str, Any], reviewed: Path | None, earlier: Sequence[Path]) -> Packed:
        """Take what is about packages out of the flags that were given."""
        said = {flag.name: settings.pop(flag.name) for flag in package_flags() if flag.name in settings}
        if reviewed is not None and said:
            raise InvalidInput("The package is reviewed as it is; leave out what would make another: --package alone.")
        return cls(said, reviewed, tuple(earlier))

    @property
    def inputs(self) -> list[Path]:
        """Files that are read for it."""
        names = [value for value in self.settings.values() if isinstance(value, Path)]
        return [*names, *([self.reviewed] if self.reviewed else []), *self.earlier]

    def leaving(
        self, instance: Any, g: Generalization, said: Leaving
    ) -> tuple[Leaving, dict[str, bytes] | None, tuple[str, ...]]:
        """What leaves; and of a package that is reviewed its files, and which of them have other bytes here.

        Parameters
        ----------
        instance, g
        said : Leaving
            What is said of it in other flags.

        Raises
        ------
        InvalidInput
            There is no package of such data, or this one is none of kanon.
        CertificateError
            A table in it is not what the result says.
        """
        family = family_named(g.family)
        if self.reviewed is not None:
            if said.own or said.keep or said.formats:
                raise InvalidInput("The package is reviewed as it is; leave out --keep, --formats and --records.")
            return reviewed(instance, g, Source.open(self.reviewed).data, called(self.reviewed))
        carried = said.keep and not said.own and family.release is not None and family.release.package is not None
        if not (carried or self.settings):
            return said, None, ()
        if said.own or said.formats:
            raise InvalidInput("A package has forms of its own; leave out --formats and --records.")
        settings = {"date": datetime.date.today().isoformat(), **self.settings}
        carry = dict.fromkeys([*said.keep, *column_list(settings.pop("carry", ""))])
        publication = package_of(family).publication(instance, **settings, **said.said, carry=list(carry))
        return leaving_of(publication), None, ()

    def known(self, instance: Any, g: Generalization, knowledge: Knowledge) -> Knowledge:
        """What attackers have, with the packages that were published before."""
        for path in self.earlier:
            knowledge = with_earlier(knowledge, instance, g, Source.open(path).data, path.name)
        return knowledge
