"""What the command line writes, from the engine's one list of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from kanon_engine.cli.files import Writer
from kanon_engine.cli.reading import Kind
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.release.publication import Output, outputs

OUT = {".csv": "crosswalk.csv", ".gpkg": "groups.gpkg", ".geojson": "groups.geojson"}


def require_known_ending(kind: Kind, path: Path) -> None:
    """A usage error unless the ending says what to write."""
    endings = list(OUT) if kind.shapes else [".csv"]
    if path.suffix.lower() not in endings:
        raise typer.BadParameter(
            f"{path.name} should end in {' or '.join(endings)}, which says what to write.", param_hint="--out"
        )


def chosen(
    instance: Any, g: Generalization, formulas: str, out: Path | None, certificate: Path | None, release: Path | None
) -> dict[Path, Output]:
    """Which file goes where.

    Raises
    ------
    InvalidInput
        A result that is not k-anonymous, or areas without shapes.
    """
    wanted = {path: OUT[path.suffix.lower()] for path in (out,) if path is not None}
    wanted |= {path: "release.csv" for path in (release,) if path is not None}
    wanted |= {path: "certificate.json" for path in (certificate,) if path is not None}
    known = {output.ending: output for output in outputs(instance, g, formulas=formulas)}
    return {path: _named(ending, known, g) for path, ending in wanted.items()}


def _named(ending: str, known: Mapping[str, Output], g: Generalization) -> Output:
    if ending in known:
        return known[ending]
    if g.status == "relaxed":
        from kanon_engine.release import require_releasable

        require_releasable(g)
    raise InvalidInput("These areas have no shapes; write item → group as .csv, or read a file with shapes.")


def writer(output: Output) -> Writer:
    """Writes what an output makes."""

    def write(path: Path) -> None:
        content = output.make()
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def written(path: Path, output: Output) -> str:
    """What is said of a file that was written."""
    return f"Written: {path} ({'may be published' if output.publishable else 'internal'}). {output.contents}"
