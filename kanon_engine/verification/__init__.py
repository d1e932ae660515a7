"""The one verifier of kanon's certificates; see `core`. It needs Python 3.9 and its standard library alone."""

from . import labels, regions, tables

FAMILIES = {"labels": labels, "regions": regions, "tables": tables}
