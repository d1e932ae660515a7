"""The rule and why it was chosen, the risk before and after, what stated rules say, and what attacks found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from kanon_engine.model.measure import Measure
from kanon_engine.model.words import counted, one_line
from kanon_engine.report.contents.certified import required
from kanon_engine.report.contents.parts import Cell, Column, Fact, Facts, Grid, Paragraph, Part, Section, sentences
from kanon_engine.report.review import Review
from kanon_engine.risk.attacks.attacked import NOT_RUN, Attacked
from kanon_engine.risk.ruling import FAILS, HOLDS, Ruling
from kanon_engine.risk.words import of_all, percent

REASONS = {  # k → why somebody chooses it
    20_001: "More than 20,000 people is what 45 CFR 164.514(b)(2)(i)(B) asks of the area of a three-digit zip code, "
    "for these digits to stay. It excepts no other area: of others the number is the holder’s choice.",
    11: "Data of Medicare and Medicaid are published without cells of 1 to 10 people.",
    16: "U.S. Cancer Statistics do not show counts below 16.",
}
MARK, SEVERAL = "*", 3  # of rules that say the same, where so many do
RULES_BEYOND = "What each rule asks, where it is stated, and what the others would need stands in the annex."
OWN_CHOICE = "The holder chose this number; no rule that kanon knows names it."
EXPLAINED = (
    "The prosecutor looks for a person of whom he knows that she is in the release; the journalist for anybody, by a "
    "list of a larger population; the marketer for as many as he can."
)


def risk_section(review: Review) -> Section:
    """The section “Risk”."""
    return Section("Risk", (_rule(review), _figures(review), _rulings(review), _attacks(review)))


def _rule(review: Review) -> Section:
    g, unit = review.g, one_line(review.instance.unit)
    size = Fact(f"k = {g.k:,}", f"Every group has at least {g.k:,} {unit}.", REASONS.get(g.k, OWN_CHOICE))
    further = [Fact("Besides", f"Every group has {words}.", "Asked for by the holder.") for words in required(g)]
    return Section("The rule, and why", (Facts((size, *further)),))


def _figures(review: Review) -> Section:
    """Before and after side by side, in the order of the release's figures."""
    before = {measure.key: measure for measure in review.before}
    after = {measure.key: measure for measure in review.after}
    keys = [*after, *(key for key in before if key not in after)]
    if not keys:
        return Section("Risk before and after", (Paragraph("No figure of risk was worked out."),))
    known = {one.key for one in (*review.before, *review.after) if one.value is not None}
    rows = tuple(
        (
            Cell(one_line((after.get(key) or before[key]).title), kind="strong"),
            _value(before.get(key)),
            _value(after.get(key)),
        )
        for key in keys
        if key in known
    )
    columns = (Column("Figure", 1.9), Column("Records as they are", 1.65), Column("Release", 1.65))
    grids = [Grid("The risk of the records as they are, and of the release", columns, rows)] if rows else []
    return Section("Risk before and after", (Paragraph(EXPLAINED, "note"), *grids))


def figures_in_full(review: Review) -> Section:
    """What each figure of risk and of use tells, its formula, and which are not known and why."""
    every = {measure.key: measure for measure in (*review.before, *review.after, *review.utility)}
    known = {one.key for one in (*review.before, *review.after, *review.utility) if one.value is not None}
    rows = tuple(
        (
            Cell(one_line(measure.title), kind="strong"),
            Cell(one_line(measure.meaning), tuple(filter(None, [_formula(one_line(measure.source))]))),
        )
        for key, measure in every.items()
        if key in known
    )
    columns = (Column("Figure", 1.4), Column("What it tells", 3.4))
    grids = [Grid("What each figure tells", columns, rows)] if rows else []
    lacking = [measure for key, measure in every.items() if key not in known]
    if lacking:
        whys = dict.fromkeys(one_line(one.words) for one in lacking)
        needed = tuple(
            (Cell("; ".join(one_line(one.title) for one in lacking if one_line(one.words) == why)), Cell(why))
            for why in whys
        )
        grids.append(Grid("Figures that are not known, and why", (Column("Figure", 2.8), Column("Why", 2.4)), needed))
    return Section("Figures", tuple(grids) or (Paragraph("No figure was worked out."),))


def _formula(source: str) -> str:
    """Where a figure comes from; of one that is counted nobody asks."""
    return "" if source in ("", "Counted.") else f"Formula: {source}"


def _value(measure: Measure | None) -> Cell:
    return Cell("not worked out" if measure is None else one_line(measure.words))


def _rulings(review: Review) -> Section:
    """Each rule that holds or does not; the others, and what each says, stand in the annex."""
    assessed = [ruling for ruling in review.rulings if ruling.verdict in (HOLDS, FAILS)]
    if not assessed:
        return Section("Stated rules", (Paragraph("No stated rule was assessed."),))
    rows = tuple(
        (Cell(one_line(one.title), kind="strong"), Cell(one_line(one.told)), Cell(one.verdict, kind="verdict"))
        for one in assessed
    )
    columns = (Column("Rule", 1.4), Column("Found", 3.7), Column("Verdict", 1.2))
    caption = f"What {len(assessed):,} of {counted(len(review.rulings), 'stated rule')} say of this release"
    return Section("Stated rules", (Grid(caption, columns, rows), Paragraph(RULES_BEYOND, "note")))


def rules_in_full(review: Review) -> Section:
    """Each stated rule with what it asks, what it does not speak of, where it is stated, and what was found."""
    if not review.rulings:
        return Section("Stated rules in full", (Paragraph("No stated rule was assessed."),))
    common = _common(review.rulings)
    rows = tuple(
        (_stated(ruling, common), Cell(one_line(ruling.told)), Cell(ruling.verdict, kind="verdict"))
        for ruling in review.rulings
    )
    columns = (Column("Rule, and where it is stated", 2.5), Column("Found", 2.3), Column("Verdict", 1.15))
    caption = f"What {'each of ' * (len(rows) > 1)}{counted(len(rows), 'stated rule')} says of this release"
    marked = [Paragraph(f"{MARK} {' '.join(common)}", "note")] if common else []
    return Section("Stated rules in full", (Grid(caption, columns, rows), *marked))


def _common(rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Sentences that the same several rules say of what they do not speak of; they are told once."""
    several = Counter(sentence for ruling in rulings for sentence in sentences(ruling.beyond))
    most = max(several.values(), default=0)
    return tuple(sentence for sentence, count in several.items() if count == most >= SEVERAL)


def _stated(ruling: Ruling, common: Collection[str]) -> Cell:
    """A rule with what it asks, what it does not speak of, and where it is stated."""
    own = sentences(ruling.beyond)
    beyond = " ".join(sentence for sentence in own if sentence not in common)
    title = f"{ruling.title} {MARK}" if set(own) & set(common) else ruling.title
    return Cell(one_line(title), tuple(filter(None, map(one_line, (ruling.text, beyond, ruling.origin)))), "strong")


def _attacks(review: Review) -> Section:
    """What each attack that was run found."""
    run = [attack for attack in review.attacks if attack.verdict != NOT_RUN]
    if not run:
        return Section("Attacks", (Paragraph("No attack was run against this release."),))
    rows = tuple(
        (Cell(one_line(one.title), kind="strong"), Cell(one_line(one.sentence)), Cell(one.verdict, kind="verdict"))
        for one in run
    )
    columns = (Column("Attack", 1.4), Column("Found", 3.7), Column("Verdict", 1.2))
    parts: tuple[Part, ...] = (
        Paragraph("Attacks were really run against the files that are released. “Survives” is said of this attack, "
                  "with what this attacker has.", "note"),
        Grid("What the attacks found", columns, rows),
    )  # fmt: skip
    return Section("Attacks", parts)


def attacks_in_full(review: Review) -> Section:
    """Each attack with what the attacker has, its figure and interval, and its source."""
    if not review.attacks:
        return Section("Attacks in full", (Paragraph("No attack was run against this release."),))
    rows = tuple(
        (
            Cell(one_line(one.title), tuple(filter(None, map(one_line, (one.knowledge, one.source)))), "strong"),
            Cell(one_line(one.sentence), _details(one)),
            Cell(one.verdict, kind="verdict"),
        )
        for one in review.attacks
    )
    columns = (Column("Attack, and what the attacker has", 2.3), Column("Found", 2.5), Column("Verdict", 1.15))
    return Section("Attacks in full", (Grid("Every attack", columns, rows),))


def _details(attack: Attacked) -> tuple[str, ...]:
    """Figure and interval, then whatever else the attack tells."""
    if attack.verdict == NOT_RUN:
        return ()
    figure = f"Exposed: {of_all(attack.found, attack.of, one_line(attack.unit))}."
    low, high = attack.interval
    if low == high == attack.share:
        figure += " It was run on all of them."
    else:
        figure += f" 95 % interval: {percent(low)} to {percent(high)}."
    further = "; ".join(one_line(f"{name}: {value}") for name, value in attack.figures.items())
    return (figure, f"{further[0].upper()}{further[1:]}.") if further else (figure,)
