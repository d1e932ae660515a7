"""The engine's errors name parameters; on the page their sentences name the controls."""

from __future__ import annotations

import re

from kanon_engine.errors import KanonError, Remedy

QUEUED = "Waiting until another search on this computer ends"
WHICH_K = "Which k"
SOME_K = "two dozen values"

CONTROLS = {  # labels of the controls for parameters of readers and options
    "merge_duplicates": "Put rows with the same name together",
    "drop_bad": "Leave out rows without a usable position",
    "drop_missing": "Leave out rows that lack a value",
    "unmatched": "Leave out counts that belong to no area",
    "id": "Name or code of each area",
    "weight": "Count of people or records",
    "label": "Label",
    "count": "Count of each label",
    "counts": "Counts in a second file",
    "county": "County of each area",
    "counts_id": "Code of the area in the second file",
    "counts_column": "Count in the second file",
    "crs": "Coordinate system of the file",
    "islands": "Parts that border nothing",
    "rounding": "Counts that are not whole numbers",
    "hidden": "Hidden counts: <5, *, empty",
    "hidden_most": "Largest count that * can represent",
    "repeated": "Codes in several rows of the second file",
    "columns": "Second counts",
    "missing_counts": "Areas without a row in the second file",
    "sheet": "Sheet of the workbook",
    "counts_sheet": "Sheet of the second file",
    "tree": "Tree",
    "dates": "Columns",
}
PICKED: dict[tuple[str, object], str] = {
    ("islands", "attach"): "join the nearest area",
    ("islands", "separate"): "stay on their own",
    ("contiguity", "rook"): "a border",
    ("contiguity", "queen"): "a border or a corner",
    ("tree", "auto"): "auto",
    ("rounding", "refuse"): "ask",
    ("rounding", "nearest"): "round to the nearest",
    ("hidden", "refuse"): "ask",
    ("hidden", "zero"): "count as 0",
    ("hidden", "largest"): "count each hidden value as the largest number that it can represent",
    ("hidden", "leave-out"): "leave their areas out",
    ("repeated", "refuse"): "ask",
    ("repeated", "add"): "add the rows up",
    ("missing_counts", "refuse"): "ask",
    ("missing_counts", "zero"): "count as 0",
    ("missing_counts", "drop"): "leave these areas out",
    ("weight", "one"): "1 per area",
}
ELSEWHERE = {  # for what no control does
    "layer": "save the one you want as a file of its own",
    "edges": "load a list of borders",
    "ks": f"choose “{SOME_K}” under “{WHICH_K}”",
    "quasi_identifiers": "set the columns' roles",
    "accept_guesses": "confirm the roles",
    "per_record": "",  # the words say it, and the choice is among the columns
}

ADDRESS = re.compile(
    r"(?<=http)(?=s?://)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE
)  # where an address is cut, so that Markdown does not link it
UNSEEN = "\u2060"  # a word joiner, which has no width
LONGEST_TOLD = 60  # characters of a text that a message quotes
_DOING = {"classes": "groups", "class": "group"}


def control_name(name: str) -> str:
    """The label of a parameter's control if it has no words of its own.

    >>> control_name("time_limit")
    'Time limit'
    """
    return name.replace("_", " ").capitalize()


def escaped(words: str) -> str:
    """Names in data and typed text may contain what Markdown takes for formatting or an address."""
    return re.sub(r"([\\`*_\[\]$<>#~:])", r"\\\1", ADDRESS.sub(UNSEEN, words))


def shortened(text: str) -> str:
    """Text from the user or a link, as a message quotes it."""
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]}…"


def on_page(error: KanonError) -> str:
    """What is wrong and what to do, with the labels of the controls, as Markdown.

    >>> on_page(KanonError("1 row has no position", remedy=Remedy("leave it out", "drop_bad", True)))
    '1 row has no position; leave it out with “Leave out rows without a usable position”.'
    """
    return escaped(error.told(with_control))


def with_control(remedy: Remedy) -> str:
    """A remedy as the page spells it.

    >>> with_control(Remedy("choose one", "weight"))
    'choose one under “Count of people or records”'
    >>> with_control(Remedy("attach it", "islands", "attach"))
    'attach it with “Parts that border nothing: join the nearest area”'
    """
    if remedy.parameter in ELSEWHERE:
        return ELSEWHERE[remedy.parameter] or remedy.told()
    if not remedy.parameter:
        return remedy.told()
    control = CONTROLS.get(remedy.parameter, control_name(remedy.parameter))
    if remedy.value is None:
        return remedy.told(f"under “{control}”")
    choice = PICKED.get((remedy.parameter, remedy.value))
    return remedy.told(f"with “{control}: {choice}”" if choice else f"with “{control}”")


def doing(message: str) -> str:
    """The engine's words in those of the page.

    >>> doing("recombining neighboring classes")
    'recombining neighboring groups'
    """
    for word, ours in _DOING.items():
        message = message.replace(word, ours)
    return message
