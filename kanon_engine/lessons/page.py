"""All lessons as one file: words, pictures, questions and what plays them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from kanon_engine.lessons.lesson import Lesson
from kanon_engine.plot.colouring import PALETTE

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_FOLDER = Path(__file__).parent


def script() -> str:
    """What plays lessons: `playLessons(root, lessons, options)`, in the browser."""
    return (_FOLDER / "player.js").read_text(encoding="utf-8")


def style() -> str:
    """How they look; all of it holds below the class `kanon-lessons` alone."""
    shades = "".join(f".kanon-lessons svg .c{number} {{ fill: {shade}; }}\n" for number, shade in enumerate(PALETTE))
    return (_FOLDER / "player.css").read_text(encoding="utf-8") + shades


def as_data(one: Any) -> Any:
    """A lesson, or a part of one, as plain lists and dicts; a question says by `kind` what it is.

    Example
    -------
    >>> from kanon_engine.lessons.lesson import Feedback, Type
    >>> as_data(Type("1 + 1?", 2.0, Feedback("Two.", "Count.")))["kind"]
    'type'
    """
    if is_dataclass(one):
        parts = {field.name: as_data(getattr(one, field.name)) for field in fields(one)}
        return {"kind": type(one).__name__.lower()} | parts
    if isinstance(one, dict):
        return {name: as_data(part) for name, part in one.items()}
    if isinstance(one, frozenset):
        return sorted(one)
    return [as_data(part) for part in one] if isinstance(one, tuple) else one


def page_of(lessons: Iterable[Lesson]) -> str:
    """One HTML file that holds all that it shows, and whose browser may ask nobody for anything.

    The same lessons give the same text. A link to it may end in #name of a lesson, or in #name/2 for a scene.

    Parameters
    ----------
    lessons : iterable of Lesson

    Returns
    -------
    str
    """
    data = json.dumps([as_data(lesson) for lesson in lessons], ensure_ascii=False, separators=(",", ":"))
    data = data.replace("</", r"<\/")  # or the first end tag in it would end the script
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kanon: six lessons</title>
<style>
body {{ margin: 0 }}
{style()}</style>
</head>
<body>
<div id="lessons"></div>
<noscript>These lessons need JavaScript, which this browser does not run.</noscript>
<script id="data" type="application/json">{data}</script>
<script>
{script()}
const lessons = JSON.parse(document.getElementById("data").textContent);
playLessons(document.getElementById("lessons"), lessons, {{ address: true }});
</script>
</body>
</html>
"""
