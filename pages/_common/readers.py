"""The engine's readers, by family."""

from collections.abc import Callable
from typing import Any

import kanon_engine as kanon

READERS: dict[str, Callable[..., Any]] = {
    "regions": kanon.read_regions,
    "rectangles": kanon.read_points,
    "labels": kanon.read_labels,
    "tables": kanon.read_table,
}
