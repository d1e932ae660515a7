"""The papers' experiments, repeated with bounds, and the samples that they use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.folders import SAMPLES
from kanon_engine.model.known import get_family


def sample(key: str, **options: Any) -> Any:
    """A sample of sample_data/catalog.json as an instance; `options` replace those listed there.

    Raises
    ------
    InvalidInput : The samples are missing.
    """
    catalog = sample_file("catalog.json")
    entry = next(one for one in json.loads(catalog.read_text(encoding="utf-8")) if one["key"] == key)
    return get_family(entry["family"]).reader.function(SAMPLES / entry["file"], **entry["options"] | options)


def sample_file(name: str, folder: Path = SAMPLES) -> Path:
    """The path of a sample file."""
    path = folder / name
    if not path.is_file():
        raise InvalidInput(f"There are no sample files in {folder}; install kanon again.")
    return path
