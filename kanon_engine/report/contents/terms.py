"""The words of the trade that a report uses, each in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kanon_engine.report.contents.parts import Cell, Column, Grid, Section

TERMS = {
    "certificate": "all checks of a result, every one passed; each can be made again",
    "differencing": "finding what is hidden by subtracting published numbers from each other",
    "downcoding": "finding the values behind a release that hides as little as it can",
    "gap": "how far a result is above the lower bound, at most",
    "generalization": "saying less exactly what a record has, such as a range of ages instead of one age",
    "group": "records or places that the release shows as one; nobody can tell its members apart by what it shows",
    "homogeneity": "all records of a group have the same sensitive value, so that it is known of each of them",
    "journalist": "who looks for anybody in the release, by a list of a larger population",
    "k": "how many people or records every group has at least",
    "linking": "joining the release with a list of names by what both have",
    "lower bound": "a number that no solution of this kind can go below",
    "marketer": "who looks for as many people as he can, and does not mind mistakes",
    "minimality": "learning from the fact that an algorithm changes no more than it must",
    "prosecutor": "who looks for one person of whom he knows that she is in the release",
    "quasi-identifier": "a column that others know too, by which a person can be looked up",
    "search’s word": "what a search found and nobody computed again, as it is too much; the search can be repeated",
    "seed": "the number that random choices begin at; with it a run can be repeated",
    "sensitive": "a column that tells what others do not know",
    "SHA-256": "a fingerprint of a file: one changed byte gives another",
    "suppression": "leaving out a record or a value",
    "unique": "a record with values that no other record has",
    "utility": "what the release is still good for",
}


def terms_section(texts: Iterable[str]) -> Section:
    """Those of the words that stand in these texts, as the section “Words”."""
    text = "\n".join(texts)
    used = [term for term in TERMS if re.search(rf"(?<![\w-]){re.escape(term)}s?(?![\w-])", text, re.IGNORECASE)]
    rows = tuple((Cell(term, kind="strong"), Cell(TERMS[term])) for term in used)
    return Section("Words", (Grid("Words that this report uses", (Column("Word", 1), Column("Meaning", 3.4)), rows),))
