"""What was found of rules and attacks, counted in one sentence; verdicts are of stated rules alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kanon_engine.model.words import counted
from kanon_engine.risk.attacks.attacked import BROKEN, NOT_RUN, SURVIVES, Attacked
from kanon_engine.risk.ruling import APART, FAILS, HOLDS, OPEN, Ruling

GOOD, BAD, UNKNOWN = "good", "bad", "open"
TONES = {HOLDS: GOOD, SURVIVES: GOOD, FAILS: BAD, BROKEN: BAD, OPEN: UNKNOWN, APART: UNKNOWN, NOT_RUN: UNKNOWN}
ANSWERED, UNANSWERED = "answered", "not answered"
BASES = {  # key of a rule → the paragraph, and how a legal basis names it
    "hipaa-expert": ("45 CFR 164.514(b)(1)", r"164\.514\s*\(b\)\s*\(1\)|expert determination"),
    "hipaa-safe-harbor": ("45 CFR 164.514(b)(2)", r"164\.514\s*\(b\)\s*\(2\)|safe harbou?r"),
}
SIGNS = {GOOD: "✓", BAD: "✗", UNKNOWN: "○"}  # beside the colours, for who does not see these


def tone(verdict: str) -> str:
    """Whether a verdict is good or bad news, or not known.

    Example
    -------
    >>> tone("holds"), tone("does not survive"), tone("not run"), tone("not answered")
    ('good', 'bad', 'open', 'open')
    """
    return TONES.get(verdict, GOOD if verdict == ANSWERED else UNKNOWN)


def verdict_sentence(rulings: Sequence[Ruling], attacks: Sequence[Attacked]) -> str:
    """One sentence on all rules and attacks.

    Example
    -------
    >>> verdict_sentence([Ruling("a", "A", "", "", "holds", ""), Ruling("b", "B", "", "", "does not hold", "")], [])
    'Of 2 stated rules, 1 holds and 1 does not hold; no attack was run.'
    """
    verdicts = [ruling.verdict for ruling in rulings]
    parts = [
        _plural(verdicts.count(HOLDS), "holds", "hold"),
        _plural(verdicts.count(FAILS), "does not hold", "do not hold"),
        _plural(verdicts.count(OPEN), "was not assessed", "were not assessed"),
        _plural(verdicts.count(APART), "does not apply", "do not apply"),
    ]
    rules = f"Of {counted(len(rulings), 'stated rule')}, {_listed(parts)}" if rulings else "No stated rule was assessed"
    rules += f"; {same_words(rulings)}" if same_words(rulings) else ""
    met = [attack.verdict for attack in attacks]
    run = len(met) - met.count(NOT_RUN)
    survived = f"the release survives {met.count(SURVIVES):,}" if met.count(SURVIVES) else ""
    broken = f"does not survive {met.count(BROKEN):,}" if met.count(BROKEN) else ""
    broken = broken if survived or not broken else f"the release {broken}"
    outcome = f"of {counted(run, 'attack')} that {'was' if run == 1 else 'were'} run, {_listed([survived, broken])}"
    words = outcome if run else "no attack was run"
    left = met.count(NOT_RUN)
    if run and left:
        words += f"; {left:,} {'was' if left == 1 else 'were'} not run"
    return f"{rules}; {words}."


def same_words(rulings: Sequence[Ruling]) -> str:
    """How many of the rules that hold are no independent evidence, since they say the same of the sizes of groups.

    Example
    -------
    >>> of_size = [Ruling(key, key, "", "", "holds", "", same="groups of 20 and more") for key in "ab"]
    >>> same_words([*of_size, Ruling("c", "C", "", "", "holds", "")])
    '2 of the 3 that hold say the same: groups of 20 and more'
    """
    holding = [ruling.same for ruling in rulings if ruling.verdict == HOLDS]
    same = max(filter(None, holding), key=holding.count, default="")
    if holding.count(same) < 2 or not same:
        return ""
    return f"{holding.count(same):,} of the {len(holding):,} that hold say the same: {same}"


def contradiction(basis: str, rulings: Sequence[Ruling]) -> str:
    """Why the legal basis that was said is not what was assessed, in a sentence; "" where nothing speaks against it.

    Example
    -------
    >>> expert = Ruling("hipaa-expert", "HIPAA: expert determination", "", "", OPEN, "")
    >>> contradiction("45 CFR 164.514(b)(1)", [expert])
    'The legal basis names 45 CFR 164.514(b)(1), but “HIPAA: expert determination” was not assessed.'
    """
    known = {ruling.key: ruling for ruling in rulings}
    for key, (paragraph, form) in BASES.items():
        ruling = known.get(key)
        if ruling is not None and ruling.verdict != HOLDS and re.search(form, basis, re.I):
            verdict = f"was {ruling.verdict}" if ruling.verdict == OPEN else ruling.verdict
            return f"The legal basis names {paragraph}, but “{ruling.title}” {verdict}."
    return ""


def _plural(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}" if count else ""


def _listed(parts: Sequence[str]) -> str:
    told = [part for part in parts if part]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
