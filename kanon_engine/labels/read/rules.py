"""Rules for classes of labels from lists, files or text, put onto labels that were read."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from kanon_engine.io.confined import confined
from kanon_engine.io.source import Source
from kanon_engine.labels.constraints import RULES, label_sets, naming
from kanon_engine.labels.instance import Labels


def with_rules(labels: Labels, together: Any = None, apart: Any = None, class_names: Any = None) -> Labels:
    """The same labels with these rules in place of those they have; None leaves a rule as it is.

    Parameters
    ----------
    labels : Labels
    together, apart : sets of names, or path, bytes or readable object
        See `Labels`; a file is a CSV in which every line is a set of labels.
    class_names : str or list of str
        See `Labels`; a text with commas is a list.

    Returns
    -------
    Labels
        Its `reading` and `notes` tell the rules.

    Raises
    ------
    InvalidInput
        As `Labels`.

    Example
    -------
    >>> ruled = with_rules(Labels(["flu", "cold", "gout"], [5, 9, 1]), together=b"flu, cold\\n")
    >>> ruled.together, ruled.notes
    ((('flu', 'cold'),), ('1 set of labels stays together.',))
    """
    parsed: dict[str, Any] = {}
    notes = []
    for name, value, one, many in (
        ("together", together, "stays together", "stay together"),
        ("apart", apart, "is kept apart", "are kept apart"),
    ):
        if value is not None:
            found = label_sets(_sets(value), labels.names, name)
            parsed[name] = found
            if found:
                notes.append(f"{len(found):,} set{'s' * (len(found) > 1)} of labels {many if found[1:] else one}.")
    if class_names is not None:
        listed = isinstance(class_names, str) and class_names not in RULES and "," in class_names
        parsed["class_names"] = naming(class_names.split(",") if listed else class_names)
    if not parsed:
        return labels
    return replace(labels, notes=(*labels.notes, *notes), reading={**labels.reading, **parsed}, **parsed)


@confined("value")
def _sets(value: Any) -> Any:
    """Lists of names from a file, one a line; what is no file, as it is."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike) and not hasattr(value, "read"):
        return value
    lines = csv.reader(Source.open(value, None).text()[0].splitlines(), skipinitialspace=True)
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [row for row in rows if row]
