"""The one verifier of kanon's certificates; see `core`. It needs only Python 3.9 and its standard library."""

from . import clusters, labels, rectangles, regions, tables

FAMILIES = {"clusters": clusters, "labels": labels, "rectangles": rectangles, "regions": regions, "tables": tables}
