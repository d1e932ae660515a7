"""The three criteria of the Article 29 Working Party's opinion on anonymization techniques."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.model.words import listed, number_text
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.cells import fewer_tables, followed, larger_sums, rests
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OPEN, Found, Rule
from kanon_engine.risk.words import decimal, percent

ORIGIN = "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216)"
UNLINKED = (
    "Leave out columns that the other release also shows, use the groups of that release, or publish counts under "
    "differential privacy."
)


def singling_out(case: Case) -> Found:
    """Nobody's record can be distinguished from all others."""
    alone = int((case.sizes == 1).sum())
    if alone:
        return (
            FAILS,
            f"{case.number(alone)} can be distinguished from all others by what outsiders may know{case.over}.",
            case.larger_classes(2),
        )
    single = [name for name in case.released.sums if (case.released.frame[name] == 1).any()]
    rest = rests(case, 2)
    if single or (rest and case.facts.parts):
        return (
            FAILS,
            f"In a group, {listed(single or rest)} can single out one "
            f"person{'' if single else ' because everybody else in the group is counted'}.",
            larger_sums(2, listed(single)) if single else f"Leave out {listed(rest)}, or make larger groups.",
        )
    if rest and case.facts.parts is None:
        are, count = ("is", "counts") if len(rest) == 1 else ("are", "count")
        return OPEN, (
            f"Not yet known: whether {listed(rest)} {are} part of “{case.released.counts}” (fact “parts”). If so, "
            f"in some group, {listed(rest)} {count} all members except one."
        )
    follows, _ = followed(case, 2)
    if follows is not None:
        return FAILS, f"The published numbers single out one person: {follows[1]}", fewer_tables(2)
    if case.undeclared:
        return OPEN, f"Not yet known: whether the numbers in {listed(case.undeclared)} count people (fact “columns”)."
    # the attack finds parts below k; whether one of them is a single person is open
    exposed = [attacked for attacked in case.attack("differencing") if attacked.verdict == BROKEN]
    if exposed:
        return (
            OPEN,
            "Not yet known: whether a cell that can be worked out from others is a single person. "
            f"{exposed[0].sentence}",
        )
    claim = f"Every record looks the same as at least {case.smallest - 1:,} others{case.over}"
    if case.alone and not case.facts.sensitive_unknown:
        return OPEN, (
            f"{claim}, but {case.number(case.alone)} can be distinguished from all others by their sensitive columns. "
            "Not yet known: whether anyone outside knows a person's values in these columns (fact “sensitive_unknown”)."
        )
    return HOLDS, f"{claim}."


def linkability(case: Case) -> Found:
    """Never reported to hold: the opinion counts it as a risk that remains with groups."""
    broken = [attacked for attacked in case.attack("composition") if attacked.verdict == BROKEN]
    if broken:
        return FAILS, f"Releases of the same people can be linked: {broken[0].sentence}", UNLINKED
    tried = any(attacked.verdict == SURVIVES for attacked in case.attack("composition"))
    done = "No other release was compared. "
    if tried:
        done = "A comparison with another release shows no link. "
    elif case.earlier:
        done = "Other releases of groups were compared by subtracting their counts from one another. "
    return OPEN, (
        f"{done}According to the opinion, groups of k leave a risk of linking: at best one in "
        f"{case.released.k:,}. Not yet known: which other data exist about these people, now and later."
    )


def inference(case: Case) -> Found:
    """No value of a sensitive column is too common in a group."""
    released, limit = case.released, case.facts.largest_share
    worst = max((*_sums(case), *_values(case)), default=None, key=lambda entry: entry[0])
    # a certain value fails, whatever share is allowed
    if worst is not None and worst[0] == 1:
        return (
            FAILS,
            f"In one group everyone has the same value of “{worst[1]}”, so anyone known to be in it is known to have "
            "this value.",
            _more_diverse(case, worst[1], f"Require different values of “{worst[1]}” in every group"),
        )
    if worst is not None and limit is not None and worst[0] > limit:
        # with recursive (c, 2)-diversity, the largest share is below c / (1 + c)
        c = number_text(int(1_000 * limit / (1 - limit)) / 1_000)
        return (
            FAILS,
            f"In one group {worst[0].numerator:,} of {worst[0].denominator:,} have the same value of “{worst[1]}”, "
            f"which is more than the share of {decimal(float(limit))} that you allow.",
            _more_diverse(
                case,
                worst[1],
                f"Require that no value of “{worst[1]}” is too common in a group (recursive diversity, l = 2, c = {c})",
            ),
        )
    questions = []
    if not released.sensitive:
        questions.append("which columns are sensitive: none is marked")
    if limit is None:
        questions.append(
            "which share of a group you allow to have the same value, because the opinion states none "
            "(fact “inference”)"
        )
    if released.sums and case.facts.parts is None:
        questions.append(f"whether {listed(released.sums)} are part of “{released.counts}” (fact “parts”)")
    if case.released.groups_leave and released.sensitive:
        questions.append(f"how many records of each group have each value of {listed(released.sensitive)}")
    claim = (
        ""
        if worst is None
        else f"At most {percent(float(worst[0]))} of any group have the same value of a sensitive column. "
    )
    if questions:
        return OPEN, f"{claim}Not yet known: {'; '.join(questions)}."
    return HOLDS, f"{claim}You allow {decimal(float(limit or 0))}."


def _more_diverse(case: Case, name: str, demand: str) -> str:
    """The next step if one value of a column is too common in a group."""
    if name in case.released.sums:
        return f"Leave out “{name}”, or make larger groups."
    return f"{case.fewer_columns} {demand}, or leave out “{name}”.".lstrip()


def _values(case: Case) -> Iterator[tuple[Fraction, str]]:
    """The largest share of a sensitive value in a class, for each sensitive column of released records."""
    released = case.released
    if released.groups_leave:
        return
    sizes = released.sizes_of(case.classes)
    there = sizes > 0
    for name in released.sensitive:
        alike = released.sets([*case.linking, name])  # records of one class and one value
        most = np.zeros(len(sizes), dtype=np.int64)
        np.maximum.at(most, case.classes, released.sizes_of(alike)[alike])
        yield _largest(most[there], sizes[there]), name


def _sums(case: Case) -> Iterator[tuple[Fraction, str]]:
    """The largest share of cases, or of non-cases, in a group, if second counts are parts of the first."""
    if not case.facts.parts:
        return
    whole = np.asarray(case.released.weights)
    there = whole > 0
    for name in case.released.sums:
        part = case.released.frame[name].to_numpy(dtype=np.int64)
        yield _largest(np.maximum(part, whole - part)[there], whole[there]), name


def _largest(parts: np.ndarray, wholes: np.ndarray) -> Fraction:
    """The largest of some shares, exactly."""
    near = parts / wholes
    # floating point only narrows the choice; exact fractions decide
    close = np.flatnonzero(near >= near.max() - 1e-9)
    return max(Fraction(int(parts[place]), int(wholes[place])) for place in close.tolist())


WP216 = (
    Rule(
        "wp216-singling-out",
        "WP216: singling out",
        ORIGIN,
        "It is not possible to isolate records that identify a person in the data.",
        (
            "sensitive_unknown: needed only if sensitive values identify single records",
            "parts: needed only if a second count covers all but one person of a group",
        ),
        "This criterion does not cover links with other data, or what a group reveals about its people: the other two "
        "criteria do. The opinion requires all three, or an analysis of the risk.",
        singling_out,
    ),
    Rule(
        "wp216-linkability",
        "WP216: linkability",
        ORIGIN,
        "It is not possible to link two records of the same person or group of people, within one data set or across "
        "several.",
        ("a composition attack",),
        "kanon never reports that this criterion holds: table 6 of the opinion answers “Is linkability still a risk?” "
        "with yes for aggregation or k-anonymity and for l-diversity (according to a copy of the table).",
        linkability,
        of_nothing=True,
    ),
    Rule(
        "wp216-inference",
        "WP216: inference",
        ORIGIN,
        "It is not possible to deduce, with significant probability, the value of an attribute from those of others.",
        ("inference", "which columns are sensitive", "parts: needed only if second counts are released"),
        "Only columns marked sensitive are examined, each by itself. The opinion states no probability, so "
        "kanon uses the largest share of a group that you allow to have the same value.",
        inference,
    ),
)
