"""What the command line writes, from the engine's one list of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from kanon_engine.cli.files import Writer
from kanon_engine.cli.standard import STANDARD, called
from kanon_engine.errors import InvalidInput
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.release import require_releasable
from kanon_engine.release.publication import TABLE, Output, outputs


def endings(family: Family) -> dict[str, str]:
    """How the path of --out can end, and which output that is."""
    return {".csv": "crosswalk.csv"} | (dict(family.release.shapes) if family.release else {})


def require_known_ending(family: Family, path: Path) -> None:
    """A usage error unless the ending says what to write."""
    if path != STANDARD and path.suffix.lower() not in endings(family):
        raise typer.BadParameter(
            f"{path.name} should end in {' or '.join(endings(family))}, which says what to write.", param_hint="--out"
        )


def chosen(instance: Any, g: Generalization, paths: Mapping[str, Path | None], **settings: Any) -> dict[Path, Output]:
    """Which file goes where.

    Parameters
    ----------
    instance
    g : Generalization
    paths : mapping
        The flag "out", "release" or "certificate" → what it names.
    **settings
        Those of `kanon_engine.release.publication.outputs`.

    Raises
    ------
    InvalidInput
        A result that is not k-anonymous, or items without shapes.
    """
    family = family_named(g.family)

    def ending_of(flag: str, path: Path) -> str:
        if flag == "out":
            return endings(family)[path.suffix.lower() or ".csv"]
        kind = path.suffix.lower().removeprefix(".")
        return "certificate.json" if flag == "certificate" else f"release.{kind if kind in TABLE else 'csv'}"

    wanted = {path: ending_of(flag, path) for flag, path in paths.items() if path is not None}
    if not wanted:
        return {}
    known = {output.ending: output for output in outputs(instance, g, **settings)}
    return {path: _named(ending, known, g, family.items) for path, ending in wanted.items()}


def packaged(instance: Any, g: Generalization, paths: Mapping[str, Path], **settings: Any) -> dict[Path, Output]:
    """Which package goes where, made as the flags for publishing say."""
    require_releasable(g)
    release = family_named(g.family).release
    if release is None or release.package is None:
        raise InvalidInput(f"There is no package of {g.family}; write its files one by one.")
    publishable, internal = release.package.outputs(instance, g, release.package.publication(instance, **settings))
    by_name = {"package": publishable, "internal_package": internal}
    return {path: by_name[name] for name, path in paths.items()}


def _named(ending: str, known: Mapping[str, Output], g: Generalization, items: str) -> Output:
    if ending in known:
        return known[ending]
    require_releasable(g)
    raise InvalidInput(f"These {items} have no shapes; write item → group as .csv, or read a file with shapes.")


def writer(output: Output) -> Writer:
    """Writes what an output makes."""

    def write(path: Path) -> None:
        content = output.make()
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def written(path: Path, output: Output) -> str:
    """What is said of a file that was written."""
    return f"Written: {called(path)} ({'may be published' if output.publishable else 'internal'}). {output.contents}"
