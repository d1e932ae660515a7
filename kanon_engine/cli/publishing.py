"""The flags for publishing: packages, and what a person says of what may leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from kanon_engine.cli.flags import Flag, flag_name
from kanon_engine.cli.outputs import chosen, packaged
from kanon_engine.cli.reading import parameter_flag
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.release.publication import Output

PANEL = "Publishing"
PACKAGES = {
    "package": "Write one .zip of everything that may be published.",
    "internal_package": "Write one .zip of what belongs to it and stays inside: crosswalk, certificate, given names.",
}


def publishing_flags(family: Family) -> list[Flag]:
    """None where a family has no package."""
    package = family.release.package if family.release else None
    if package is None:
        return []
    files = [Flag(name, words, Path, panel=PANEL) for name, words in PACKAGES.items()]
    return [*files, *(parameter_flag(parameter, PANEL) for parameter in package.parameters)]


@dataclass(frozen=True)
class Publishing:
    """What was said of what may leave.

    Attributes
    ----------
    packages : mapping
        Which package goes where.
    settings : mapping
        The other flags for publishing.
    shapes : mapping
        Those that are also about the shapes of `--out`.
    """

    packages: Mapping[str, Path] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    shapes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def taken(cls, family: Family, settings: dict[str, Any], out: Path | None) -> Publishing:
        """Take them out of the flags that were given; a usage error where one is about no file."""
        release = family.release
        if release is None or release.package is None:
            return cls()
        packages = {name: settings.pop(name) for name in PACKAGES if name in settings}
        known = [parameter.name for parameter in release.package.parameters]
        publishing = {name: settings.pop(name) for name in known if name in settings}
        shaped = out is not None and out.suffix.lower() in release.shapes
        shapes = {name: value for name, value in publishing.items() if shaped and name in release.asks}
        idle = [name for name in publishing if not packages and name not in shapes]
        if idle:
            more = f" or shapes ({' or '.join(release.shapes)} by --out)" if idle[0] in release.asks else ""
            raise typer.BadParameter(f"it is about a package{more}; write one by --package.",
                                     param_hint=flag_name(idle[0]))  # fmt: skip
        return cls(packages, publishing, shapes)

    @property
    def inputs(self) -> list[Path]:
        """Files that are read for it."""
        return [value for value in self.settings.values() if isinstance(value, Path)]

    def files(
        self, instance: Any, g: Generalization, paths: Mapping[str, Path | None], formulas: str = "escape", **more: Any
    ) -> dict[Path, Output]:
        """Which file goes where: those of `paths` by their flags, and the packages; `more` goes into these."""
        found = chosen(instance, g, paths, formulas=formulas, **self.shapes)
        if self.packages:
            found |= packaged(instance, g, self.packages, formulas=formulas, **self.settings, **more)
        return found
