"""What `--out` writes: the crosswalk, or the classes with their shapes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kanon_engine.cli.files import Writer, text_writer
from kanon_engine.cli.reading import Kind
from kanon_engine.generalization import Generalization

if TYPE_CHECKING:
    import geopandas

DRIVERS = {".gpkg": "GPKG", ".geojson": "GeoJSON"}


def require_known_ending(kind: Kind, path: Path) -> None:
    """A usage error unless the ending says what to write."""
    endings = [".csv", *DRIVERS] if kind.shapes else [".csv"]
    if path.suffix.lower() not in endings:
        raise typer.BadParameter(
            f"{path.name} should end in {' or '.join(endings)}, which says what to write.", param_hint="--out"
        )


def class_writer(kind: Kind, instance: Any, g: Generalization, path: Path) -> Writer:
    """A writer of the kind of file that the ending asks for; groups are numbered from 1 in all of them."""
    if path.suffix.lower() == ".csv":
        from kanon_engine.release import crosswalk_frame

        return text_writer(lambda: crosswalk_frame(instance, g).to_csv(index=False, lineterminator="\n"))
    frame = _shapes(kind, instance, g)
    return lambda part: frame.to_file(part, driver=DRIVERS[path.suffix.lower()], engine="pyogrio")


def release_writer(instance: Any, g: Generalization) -> Writer:
    """A writer of the generalized records of a table."""
    from kanon_engine.tables.release import kept_columns, released_frame

    frame = released_frame(instance, g, kept_columns(instance))
    return text_writer(lambda: frame.to_csv(index=False, lineterminator="\n"))


def _shapes(kind: Kind, instance: Any, g: Generalization) -> geopandas.GeoDataFrame:
    if kind.name == "points":
        from kanon_engine.rectangles.export import shapes_frame
    else:
        from kanon_engine.regions.export import shapes_frame  # type: ignore[assignment]
    return shapes_frame(instance, g)
