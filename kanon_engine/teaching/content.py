"""Texts about reductions and tight instances: Markdown files with a section for each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def sections(path: Path) -> dict[str, tuple[str, list[str]]]:
    """Name → title and paragraphs, from sections whose heading is "name: title" or just a name."""
    parts = [part.strip().split("\n\n") for part in re.split("^## ", path.read_text(encoding="utf-8"), flags=re.M)[1:]]
    heads = [head.partition(": ") for head, *_ in parts]
    return {name: (title, paragraphs) for (name, _, title), (_, *paragraphs) in zip(heads, parts, strict=True)}
