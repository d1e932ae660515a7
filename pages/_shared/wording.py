"""The engine's sentences name parameters; on the page they name what the person sees."""

from __future__ import annotations

import re

MERGE = "Put rows with the same name together"
DROP_POSITIONS = "Leave out rows without a usable position"
DROP_COUNTS = "Leave out counts that belong to no area"
AREA_ID = "Name or code of each area"
WEIGHT = "Count of people or records"
LABEL_COUNT = "Count of each label"
COUNTS = "Counts in a second file"
COUNTS_ID = "Code of the area in the second file"
COUNTS_COLUMN = "Count in the second file"
FILE_SYSTEM = "Coordinate system of the file"
ISLANDS = "Parts that border nothing"

_WORDS = {
    "merge_duplicates=True": f"“{MERGE}”",
    "(drop_bad)": f"(“{DROP_POSITIONS}”)",
    "(crs)": f"(“{FILE_SYSTEM}”)",
    'unmatched="drop"': f"“{DROP_COUNTS}”",
    "as counts=": f"under “{COUNTS}”",
    "one with weight=": f"one under “{WEIGHT}”",
    "one with count=": f"one under “{LABEL_COUNT}”",
    ", or per_record=True if each row is one record": ", or say that each row is one record",
    "choose it with weight=, or per_record=True if each point is one record": "say which",
    " with per_record=True": "",
    "the ids with id=": f"them under “{AREA_ID}”",
    "one with counts_id=": f"one under “{COUNTS_ID}”",
    "one with counts_column=": f"one under “{COUNTS_COLUMN}”",
    "give a list of borders as edges=": "a list of borders",
    "choose one with layer=": "save the one you want as a file of its own",
    '(islands="attach")': f"(“{ISLANDS}: join the nearest area”)",
    'islands="separate"': f"“{ISLANDS}: stay on their own”",
}

_DOING = {"classes": "groups", "class": "group"}


def escaped(words: str) -> str:
    """Names in data and what a person types may hold what Markdown takes for formatting."""
    return re.sub(r"([\\`*_\[\]$<>#~:])", r"\\\1", words)


def on_page(sentence: object) -> str:
    """The sentence with the names that controls have.

    Example
    -------
    >>> on_page("1 row has no position; correct it, or leave it out (drop_bad).")
    '1 row has no position; correct it, or leave it out (“Leave out rows without a usable position”).'
    """
    words = str(sentence)
    for parameter, control in _WORDS.items():
        words = words.replace(parameter, control)
    return words


def doing(message: str) -> str:
    """What a search reports that it does, in the words of the page.

    Example
    -------
    >>> doing("recombining neighbouring classes")
    'recombining neighbouring groups'
    """
    for word, ours in _DOING.items():
        message = message.replace(word, ours)
    return message
