"""Coordinate systems: one name for each, and whether it counts in degrees."""

from __future__ import annotations

import re
from typing import Any

from kanon_engine.errors import InvalidInput

ELSEWHERE = re.compile(r"grids|init\s*=|parameterfile|://|^\s*[/\\~.{]", re.IGNORECASE)  # what PROJ would open


def crs_name(crs: Any) -> str | None:
    """Authority and code, as "EPSG:4326", or whatever text says it; None for None."""
    from pyproj import CRS
    from pyproj.exceptions import CRSError

    if crs is None:
        return None
    try:
        system = CRS.from_user_input(crs)
    except CRSError as error:
        raise InvalidInput(f"The coordinate system {crs!r} is not known; give one as “EPSG:4326”.") from error
    authority = system.to_authority()
    return ":".join(authority) if authority else system.to_string()


def is_degrees(crs: str | None) -> bool:
    """Whether coordinates are longitude and latitude."""
    from pyproj import CRS

    return crs is not None and bool(CRS.from_user_input(crs).is_geographic)


def names_a_file(crs: Any) -> str:
    """What is wrong with the name of a system that a stranger chose: reading it could open a file. "" for nothing.

    Example
    -------
    >>> names_a_file("EPSG:4326"), names_a_file("+proj=utm +nadgrids=/etc/passwd")
    ('', 'names no coordinate system by itself')
    """
    fine = crs is None or (isinstance(crs, str | int) and not ELSEWHERE.search(str(crs)))
    return "" if fine else "names no coordinate system by itself"
