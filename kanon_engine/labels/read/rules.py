"""Rules for classes of labels from lists, files or text, put onto labels that were read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanon_engine.io.frames import sets_in, sets_told
from kanon_engine.labels.class_names import RULES, naming
from kanon_engine.labels.instance import Labels
from kanon_engine.model.wishes import named_sets


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
    parsed: dict[str, Any] = {
        name: named_sets(sets_in(value), labels.names, name, "label")
        for name, value in (("together", together), ("apart", apart))
        if value is not None
    }
    notes = sets_told(parsed, "label")
    if class_names is not None:
        listed = isinstance(class_names, str) and class_names not in RULES and "," in class_names
        parsed["class_names"] = naming(class_names.split(",") if listed else class_names)
    if not parsed:
        return labels
    return replace(labels, notes=(*labels.notes, *notes), reading={**labels.reading, **parsed}, **parsed)
