"""The rule and why it was chosen, the risk before and after, the outcome of stated rules and attacks."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from kanon_engine.model.attacked import BROKEN, NOT_RUN, SURVIVES, Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.measure import Measure
from kanon_engine.model.requirement import (
    UNKNOWN,
    Minimum,
    best_possible,
    by_word,
    demand_words,
    demands_in,
    percent_up,
    within_words,
)
from kanon_engine.model.words import counted, enumerated, number_text, one_line
from kanon_engine.report.parts import (
    Cell,
    Fact,
    FactList,
    Section,
    grid,
    note,
    plain,
    section,
    sentences,
    strong,
    verdict,
)
from kanon_engine.report.review import Review
from kanon_engine.risk.rules.rule import APART, FAILS, HOLDS, OPEN, Ruling
from kanon_engine.risk.words import of_all, percent

REASONS = {  # k → why it may be chosen
    20_001: "45 CFR 164.514(b)(2)(i)(B) allows the first three digits of zip codes only if more than 20,000 people "
    "live in the area that shares them. For other areas smaller than a state, it makes no such exception and names no "
    "number of people. Any number for such areas is the data holder’s own choice.",
    11: "Medicare and Medicaid data are published without cells of 1 to 10 people. k limits groups alone, not cells "
    "that further columns of the release make.",
    16: "U.S. Cancer Statistics do not show counts below 16.",
}
MARK, SEVERAL = "*", 3  # of rules that say the same, if this many do
RULES_BEYOND = (
    "The annex shows what each rule requires, where it is stated, and what is missing to assess the remaining rules."
)
HOLDER_CHOICE = "The data holder chose this number; no rule known to kanon uses it."
COUNTED = ("", "Counted.")  # sources that are not a formula
NO_RULE, NO_ATTACK = "No stated rule was assessed.", "No attack was run against this release."
REALLY_RUN = (
    "Attacks were actually run against the files that are released. “Survives” refers only to the attack in question "
    "and to what the attacker has."
)
EXPLAINED = (
    "The prosecutor looks for a person who is known to be in the release; the journalist for anyone, using a list of "
    "a larger population; the marketer for as many people as possible."
)


def risk_section(review: Review) -> Section:
    """The section “Risk”."""
    return section("Risk", _rule(review), _figures(review), _rulings(review), _attacks(review))


def _rule(review: Review) -> Section:
    g, unit = review.g, one_line(review.instance.unit)
    size = Fact(f"k = {g.k:,}", f"Every group has at least {g.k:,} {unit}.", REASONS.get(g.k, HOLDER_CHOICE))
    further = [Fact("Also", f"Every group has {words}.", "Requested by the data holder.") for words in required(g)]
    return section("The rule, and the reason for it", FactList((size, *further)))


def _figures(review: Review) -> Section:
    """Before and after side by side, in the order of the release's figures."""
    heading = "Risk before and after"
    before = {measure.key: measure for measure in review.before}
    after = {measure.key: measure for measure in review.after}
    keys = [*after, *(key for key in before if key not in after)]
    if not keys:
        return section(heading, none="No risk figure was computed.")
    available = {one.key for one in (*review.before, *review.after) if one.value is not None}
    rows = (
        (strong((after.get(key) or before[key]).title), _value(before.get(key)), _value(after.get(key)))
        for key in keys
        if key in available
    )
    columns = {"Figure": 1.9, "Records as they are": 1.65, "Release": 1.65}
    caption = "The risk of the records as they are, and of the release"
    return section(heading, note(EXPLAINED), grid(caption, columns, rows))


def _value(measure: Measure | None) -> Cell:
    return plain("not computed" if measure is None else measure.words)


def figures_in_full(review: Review) -> Section:
    """What each figure of risk and of utility means, its formula, and which are not known and why."""
    every = {measure.key: measure for measure in (*review.before, *review.after, *review.utility)}
    available = {one.key for one in (*review.before, *review.after, *review.utility) if one.value is not None}
    rows = (
        (strong(one.title), plain(one.meaning, "" if one_line(one.source) in COUNTED else f"Formula: {one.source}"))
        for key, one in every.items()
        if key in available
    )
    lacking: dict[str, list[str]] = {}
    for key, one in every.items():
        if key not in available:
            lacking.setdefault(one_line(one.words), []).append(one_line(one.title))
    needed = ((plain("; ".join(titles)), plain(why)) for why, titles in lacking.items())
    return section(
        "Figures",
        grid("What each figure means", {"Figure": 1.4, "Meaning": 3.4}, rows),
        grid("Figures that are not known, and why", {"Figure": 2.8, "Why": 2.4}, needed),
        none="No figure was computed.",
    )


def _rulings(review: Review) -> Section:
    """Each rule that holds or does not; the others, and their full texts, are in the annex."""
    assessed = [ruling for ruling in review.rulings if ruling.verdict in (HOLDS, FAILS)]
    caption = f"What {len(assessed):,} of {counted(len(review.rulings), 'stated rule')} say about this release"
    rows = ((strong(one.title), plain(one.told, one.next_step), verdict(one.verdict)) for one in assessed)
    table = grid(caption, {"Rule": 1.4, "Found": 3.7, "Verdict": 1.2}, rows)
    return section("Stated rules", table, table and note(RULES_BEYOND), none=NO_RULE)


def rules_in_full(review: Review) -> Section:
    """Each stated rule with what it requires, what it does not cover, where it is stated, and what was found."""
    rulings, common = review.rulings, _common(review.rulings)
    caption = f"What {'each of ' * (len(rulings) > 1)}{counted(len(rulings), 'stated rule')} says about this release"
    rows = ((_stated(one, common), plain(one.told), verdict(one.verdict)) for one in rulings)
    table = grid(caption, {"Rule, and where it is stated": 2.5, "Found": 2.3, "Verdict": 1.15}, rows)
    marked = note(f"{MARK} {' '.join(common)}") if common else None
    return section("Stated rules in full", table, marked, none=NO_RULE)


def _common(rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Sentences shared by several rules about what they do not cover; they are shown once."""
    several = Counter(sentence for ruling in rulings for sentence in sentences(ruling.beyond))
    most = max(several.values(), default=0)
    return tuple(sentence for sentence, count in several.items() if count == most >= SEVERAL)


def _stated(ruling: Ruling, common: Collection[str]) -> Cell:
    """A rule with what it requires, what it does not cover, and where it is stated."""
    caveats = sentences(ruling.beyond)
    beyond = " ".join(sentence for sentence in caveats if sentence not in common)
    title = f"{ruling.title} {MARK}" if set(caveats) & set(common) else ruling.title
    return strong(title, ruling.text, beyond, ruling.origin)


def _attacks(review: Review) -> Section:
    """What each attack that was run found."""
    run = [attack for attack in review.attacks if attack.verdict != NOT_RUN]
    rows = ((strong(one.title), plain(one.sentence), verdict(one.verdict)) for one in run)
    table = grid("What the attacks found", {"Attack": 1.4, "Found": 3.7, "Verdict": 1.2}, rows)
    return section("Attacks", table and note(REALLY_RUN), table, none=NO_ATTACK)


def attacks_in_full(review: Review) -> Section:
    """Each attack with what the attacker has, its figure and interval, and its source."""
    rows = (
        (strong(one.title, one.knowledge, one.source), plain(one.sentence, *_details(one)), verdict(one.verdict))
        for one in review.attacks
    )
    columns = {"Attack, and what the attacker has": 2.3, "Found": 2.5, "Verdict": 1.15}
    return section("Attacks in full", grid("All attacks", columns, rows), none=NO_ATTACK)


def _details(attack: Attacked) -> tuple[str, ...]:
    """Figure and interval, then whatever else the attack reports."""
    if attack.verdict == NOT_RUN:
        return ()
    figure = f"Exposed: {of_all(attack.found, attack.of, one_line(attack.unit))}."
    low, high = attack.interval
    if low == high == attack.share:
        figure += f" The attack was run on all {attack.of:,}, not on a sample."
    else:
        figure += f" 95 % interval: {percent(low)} to {percent(high)}."
    further = "; ".join(one_line(f"{name}: {value}") for name, value in attack.figures.items())
    return (figure, f"{further[0].upper()}{further[1:]}.") if further else (figure,)


# ---------------------------------------------------------------------------------------------------------------------
# Outcomes of rules and attacks, counted in one sentence; only stated rules have verdicts.
# ---------------------------------------------------------------------------------------------------------------------


GOOD, BAD, UNSETTLED = "good", "bad", "open"
TONES = {HOLDS: GOOD, SURVIVES: GOOD, FAILS: BAD, BROKEN: BAD, OPEN: UNSETTLED, APART: UNSETTLED, NOT_RUN: UNSETTLED}
ANSWERED, UNANSWERED = "answered", "not answered"
BASES = {  # key of a rule → the paragraph, and how a legal basis refers to it
    "hipaa-expert": ("45 CFR 164.514(b)(1)", r"164\.514\s*\(b\)\s*\(1\)|expert determination"),
    "hipaa-safe-harbor": ("45 CFR 164.514(b)(2)", r"164\.514\s*\(b\)\s*\(2\)|safe harbou?r"),
}
SIGNS = {GOOD: "✓", BAD: "✗", UNSETTLED: "○"}  # in addition to colors, for those who cannot distinguish them


def tone(verdict: str) -> str:
    """Whether a verdict is good or bad news, or not known.

    >>> tone("holds"), tone("does not survive"), tone("not run"), tone("not answered")
    ('good', 'bad', 'open', 'open')
    """
    return TONES.get(verdict, GOOD if verdict == ANSWERED else UNSETTLED)


def verdict_sentence(rulings: Sequence[Ruling], attacks: Sequence[Attacked]) -> str:
    """One sentence on all rules and attacks.

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
    summary = enumerated([*filter(None, parts)])
    rules = f"Of {counted(len(rulings), 'stated rule')}, {summary}" if rulings else "No stated rule was assessed"
    rules += f"; {same_words(rulings)}" if same_words(rulings) else ""
    met = [attack.verdict for attack in attacks]
    run = len(met) - met.count(NOT_RUN)
    survived = f"the release survives {met.count(SURVIVES):,}" if met.count(SURVIVES) else ""
    broken = f"does not survive {met.count(BROKEN):,}" if met.count(BROKEN) else ""
    broken = broken if survived or not broken else f"the release {broken}"
    ends = enumerated([*filter(None, (survived, broken))])
    outcome = f"of {counted(run, 'attack')} that {'was' if run == 1 else 'were'} run, {ends}"
    words = outcome if run else "no attack was run"
    left = met.count(NOT_RUN)
    if run and left:
        words += f"; {left:,} {'was' if left == 1 else 'were'} not run"
    return f"{rules}; {words}."


def same_words(rulings: Sequence[Ruling]) -> str:
    """How many of the rules that hold are not independent evidence, because they say the same about group sizes.

    >>> of_size = [Ruling(key, key, "", "", "holds", "", same="groups of at least 20") for key in "ab"]
    >>> same_words([*of_size, Ruling("c", "C", "", "", "holds", "")])
    '2 of the 3 rules that hold rest on the same fact: groups of at least 20'
    """
    holding = [ruling.same for ruling in rulings if ruling.verdict == HOLDS]
    same = max(filter(None, holding), key=holding.count, default="")
    if holding.count(same) < 2 or not same:
        return ""
    return f"{holding.count(same):,} of the {len(holding):,} rules that hold rest on the same fact: {same}"


def contradiction(basis: str, rulings: Sequence[Ruling]) -> str:
    """Why the stated legal basis contradicts the assessment, in a sentence; "" if it does not.

    >>> expert = Ruling("hipaa-expert", "HIPAA: expert determination", "", "", OPEN, "")
    >>> contradiction("45 CFR 164.514(b)(1)", [expert])
    'The legal basis names 45 CFR 164.514(b)(1), but “HIPAA: expert determination” was not assessed.'
    """
    rulings_by_key = {ruling.key: ruling for ruling in rulings}
    for key, (paragraph, form) in BASES.items():
        ruling = rulings_by_key.get(key)
        if ruling is not None and ruling.verdict != HOLDS and re.search(form, basis, re.I):
            verdict = f"was {ruling.verdict}" if ruling.verdict == OPEN else ruling.verdict
            return f"The legal basis names {paragraph}, but “{ruling.title}” {verdict}."
    return ""


def _plural(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}" if count else ""


# ---------------------------------------------------------------------------------------------------------------------
# What a certificate says about a result, in one sentence: how large groups are, and how near to the best possible.
# ---------------------------------------------------------------------------------------------------------------------


RELAXED = "Groups may be smaller than k, so no release can be made from this result."


def certified(instance: Any, g: Generalization, proof: str) -> str:
    """The sentences; `proof` is the certificate's.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcd", [3, 2, 2, 4])
    >>> certified(labels, kanon.generalize(labels, 5, "exact"), "checked")
    '2 groups of 5 to 6 records. No grouping makes the largest group smaller: proven best possible.'
    """
    least, most, unit = int(g.class_weights.min()), int(g.class_weights.max()), one_line(instance.unit)
    sizes = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    left_out = instance.total - int(g.class_weights.sum())
    words = [f"{counted(g.classes, 'group')} of {sizes} {unit}."]
    if left_out:
        words.append(f"Left out: {left_out:,} of {instance.total:,} {unit} ({percent_up(left_out / instance.total)}).")
    return " ".join([*words, nearness(g, proof)])


def nearness(g: Generalization, proof: str) -> str:
    """How close the cost is to the best possible, among which solutions, and whether that was checked."""
    family = get_family(g.family)
    objective, among = family.objective(g.algorithm, g.options), family.makers[g.algorithm].among
    if g.status == "relaxed":
        return RELAXED
    solution = objective.solution
    if not objective.is_largest_class:
        solution += " with these options"  # metric, limits on clusters and on what is left out
    solution += " that meets the requirements" if g.require else ""
    among = f" {among}" if among else ""
    if g.status == "optimal":
        return f"No {solution} {objective.less}: {best_possible(proof)}{among}."
    if math.isinf(g.gap):
        return UNKNOWN
    near = f"so this result is {within_words(g.gap)} the best possible{among}{by_word(proof)}"
    return f"No {solution} can do better than {number_text(g.lower_bound)}, {near}."


def required(g: Generalization) -> tuple[str, ...]:
    """What every group was required to have besides k."""
    minima = [f"at least {one.m:,} {one_line(one.column)}" for one in g.require if isinstance(one, Minimum)]
    return (*minima, *(one_line(demand_words(one)) for one in demands_in(g.require)))
